//! Values of functions to 128 bits, and the distance of a result from them.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use emit::library::Real;

const BITS: usize = 128;
const ROUND: RoundingMode = RoundingMode::ToEven;

/// The exact value, near enough.
pub(crate) struct Exact(BigFloat);

impl Exact {
    /// The distance in units of the last place of the exact value; infinite if the result is
    /// finite where the value is not, or the other way round.
    pub(crate) fn error(&self, found: f64, real: Real) -> f64 {
        let (bits, least, greatest) = match real {
            Real::F64 => (53, -1074, 1024),
            Real::F32 => (24, -149, 128),
        };
        if self.0.is_nan() || found.is_nan() {
            return if self.0.is_nan() && found.is_nan() { 0.0 } else { f64::INFINITY };
        }
        let sign = if self.0.is_negative() { -1.0 } else { 1.0 };
        let exponent = self.0.exponent().map_or(least, |it| it.max(-2000));
        // Half a unit beyond the greatest number all is infinite.
        let half = BigFloat::from_f64(0.5 - 0.5f64.powi(bits + 2), BITS);
        let limit = scaled(&half, greatest + 1);
        if self.0.is_inf() || self.0.abs().cmp(&limit).is_some_and(|it| it >= 0) {
            return if found == sign * f64::INFINITY { 0.0 } else { f64::INFINITY };
        }
        if found.is_infinite() {
            return f64::INFINITY;
        }
        if self.0.is_zero() {
            return if found == 0.0 { 0.0 } else { f64::INFINITY };
        }
        let difference = self.0.sub(&exactly(found), BITS, ROUND);
        to_f64(&scaled(&difference, -(exponent - bits).max(least))).abs()
    }
}

fn scaled(x: &BigFloat, power: i32) -> BigFloat {
    let mut res = x.clone();
    if let Some(exponent) = x.exponent()
        && !x.is_zero()
    {
        res.set_exponent(exponent + power);
    }
    res
}

fn to_f64(x: &BigFloat) -> f64 {
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else { return f64::INFINITY };
    let top = words.last().map_or(0.0, |it| *it as f64 / 2f64.powi(64));
    let value = top * 2f64.powi(exponent.clamp(-1000, 1000));
    if sign == Sign::Neg { -value } else { value }
}

/// Computes exact values.
pub(crate) struct Reference {
    constants: Consts,
}

impl Reference {
    pub(crate) fn new() -> Reference {
        Reference { constants: Consts::new().unwrap() }
    }

    /// The value of a function of `x`, or of `x` and `y`.
    pub(crate) fn value(&mut self, function: &str, x: f64, y: f64) -> Exact {
        let big = exactly(x);
        Exact(match function {
            "atan2" => self.atan2(x, y),
            "pow" => self.pow(x, y),
            "erf" => self.erf(x),
            "sigmoid_below" => return self.value("sigmoid", -x, y),
            "slope_of_tanh" => {
                let c = self.elementary("cosh", &big);
                one().div(&c.mul(&c, BITS, ROUND), BITS, ROUND)
            }
            "sigmoid" | "sigmoid_of_both" => {
                let e = self.exp(&big.neg());
                one().div(&one().add(&e, BITS, ROUND), BITS, ROUND)
            }
            "softplus" => {
                let e = self.exp(&big);
                self.log1p(&e)
            }
            "log1p" => self.log1p(&big),
            "expm1" => self.expm1(&big),
            "exp" => self.exp(&big),
            // So near to 0 their own argument, and it would take many bits to see the difference.
            _ if x.abs() < 1e-30
                && !matches!(function, "log" | "cos" | "cosh" | "acos" | "acosh") =>
            {
                big
            }
            _ => self.elementary(function, &big),
        })
    }

    fn elementary(&mut self, function: &str, x: &BigFloat) -> BigFloat {
        let cc = &mut self.constants;
        match function {
            "log" => x.ln(BITS, ROUND, cc),
            "sin" => x.sin(BITS, ROUND, cc),
            "cos" => x.cos(BITS, ROUND, cc),
            "tan" => x.tan(BITS, ROUND, cc),
            "asin" => x.asin(BITS, ROUND, cc),
            "acos" => x.acos(BITS, ROUND, cc),
            "atan" => x.atan(BITS, ROUND, cc),
            "sinh" => x.sinh(BITS, ROUND, cc),
            "cosh" => x.cosh(BITS, ROUND, cc),
            "tanh" | "tanh_of_both" => x.tanh(BITS, ROUND, cc),
            "asinh" => x.asinh(BITS, ROUND, cc),
            "acosh" => x.acosh(BITS, ROUND, cc),
            "atanh" => x.atanh(BITS, ROUND, cc),
            _ => panic!("no reference for {function}"),
        }
    }

    fn exp(&mut self, x: &BigFloat) -> BigFloat {
        x.exp(BITS, ROUND, &mut self.constants)
    }

    /// Near 0 by the series x - x^2/2 + x^3/3 - ...
    fn log1p(&mut self, x: &BigFloat) -> BigFloat {
        if x.abs().cmp(&BigFloat::from_f64(1e-3, BITS)).is_some_and(|it| it >= 0) {
            return one().add(x, BITS, ROUND).ln(BITS, ROUND, &mut self.constants);
        }
        let mut res = BigFloat::from_f64(0.0, BITS);
        for n in (1..=14).rev() {
            let coefficient = one().div(&BigFloat::from_f64(f64::from(n), BITS), BITS, ROUND);
            let rest = x.mul(&res, BITS, ROUND);
            res = coefficient.sub(&rest, BITS, ROUND);
        }
        res.mul(x, BITS, ROUND)
    }

    /// Near 0 by the series x + x^2/2! + x^3/3! + ...
    fn expm1(&mut self, x: &BigFloat) -> BigFloat {
        if x.abs().cmp(&BigFloat::from_f64(1e-3, BITS)).is_some_and(|it| it >= 0) {
            return self.exp(x).sub(&one(), BITS, ROUND);
        }
        let mut res = one();
        for n in (2..=12).rev() {
            let n = BigFloat::from_f64(f64::from(n), BITS);
            res = one().add(&x.mul(&res, BITS, ROUND).div(&n, BITS, ROUND), BITS, ROUND);
        }
        res.mul(x, BITS, ROUND)
    }

    /// e^(y log |x|), with the sign of x if y is odd; for finite x other than 0, and finite y.
    fn pow(&mut self, x: f64, y: f64) -> BigFloat {
        let log = exactly(x.abs()).ln(BITS, ROUND, &mut self.constants);
        let product = log.mul(&exactly(y), BITS, ROUND);
        let odd = y % 2.0 != 0.0;
        if x < 0.0 && y.trunc() != y {
            return BigFloat::nan(None);
        }
        let magnitude = match to_f64(&product) {
            size if size > 1000.0 => BigFloat::from_f64(f64::INFINITY, BITS),
            size if size < -1000.0 => BigFloat::from_f64(0.0, BITS),
            _ => self.exp(&product),
        };
        if x < 0.0 && odd { magnitude.neg() } else { magnitude }
    }

    /// By the quotient, in the quadrant of the signs.
    fn atan2(&mut self, y: f64, x: f64) -> BigFloat {
        let quotient = exactly(y).div(&exactly(x), BITS, ROUND);
        let small = quotient.abs().cmp(&BigFloat::from_f64(1e-40, BITS)).is_some_and(|it| it < 0);
        let angle = if small { quotient } else { quotient.atan(BITS, ROUND, &mut self.constants) };
        if x >= 0.0 {
            return angle;
        }
        let pi = self.constants.pi(BITS, ROUND);
        let turn = if y < 0.0 { pi.neg() } else { pi };
        angle.add(&turn, BITS, ROUND)
    }

    /// 2 / sqrt(pi) e^(-x^2) times the sum of 2^n x^(2n+1) / (1 3 5 ... (2n+1)): no term is
    /// negative (Abramowitz and Stegun 7.1.6).
    fn erf(&mut self, x: f64) -> BigFloat {
        if x.abs() > 7.0 {
            return BigFloat::from_f64(x.signum(), BITS);
        }
        let big = exactly(x);
        let square = big.mul(&big, BITS, ROUND);
        let double = scaled(&square, 1);
        let (mut term, mut sum) = (big.clone(), big);
        for n in 1..400 {
            let odd = BigFloat::from_f64(f64::from(2 * n + 1), BITS);
            term = term.mul(&double, BITS, ROUND).div(&odd, BITS, ROUND);
            sum = sum.add(&term, BITS, ROUND);
            let negligible = sum.exponent().unwrap_or(0) - term.exponent().unwrap_or(0) > 150;
            if term.is_zero() || negligible {
                break;
            }
        }
        let root = self.constants.pi(BITS, ROUND).sqrt(BITS, ROUND);
        let bell = self.exp(&square.neg());
        scaled(&sum.mul(&bell, BITS, ROUND).div(&root, BITS, ROUND), 1)
    }
}

/// The number itself; `from_f64` is wrong for subnormal ones.
fn exactly(x: f64) -> BigFloat {
    if x.abs() < 1e-290 {
        scaled(&BigFloat::from_f64(x * 2f64.powi(200), BITS), -200)
    } else {
        BigFloat::from_f64(x, BITS)
    }
}

fn one() -> BigFloat {
    BigFloat::from_f64(1.0, BITS)
}
