//! Special functions that neither std nor libm has: digamma, polygamma, sigmoid, softplus.
//!
//! Digamma and polygamma shift the argument up by their recurrence until the asymptotic series
//! (Abramowitz and Stegun 6.3.18, 6.4.11) is exact to double precision.

use std::f64::consts::PI;

/// 1 / (1 + exp(-x)), without overflow.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// log(1 + exp(x)), without overflow.
pub fn softplus(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Bernoulli numbers B2, B4, ..., B24.
const BERNOULLI: [f64; 12] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
];

/// The positive root of digamma, as the sum of two doubles.
const ROOT: (f64, f64) = (1.4616321449683623, 9.549995429965697e-17);

/// The derivative of the logarithm of the gamma function.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY.copysign(-x);
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // The reflection formula.
        return digamma(1.0 - x) - PI * cot_pi(x);
    }
    if (x - ROOT.0).abs() < 0.1 {
        return digamma_near_root(x);
    }
    let (mut y, mut shift) = (x, 0.0);
    while y < 10.0 {
        shift += 1.0 / y;
        y += 1.0;
    }
    let inverse = 1.0 / (y * y);
    let mut series = 0.0;
    for (i, b) in BERNOULLI.iter().enumerate().rev() {
        series = (series + b / (2 * (i + 1)) as f64) * inverse;
    }
    y.ln() - 0.5 / y - series - shift
}

/// cot(pi x), exact at its zeros; its period is 1, and x - round(x) is exact.
fn cot_pi(x: f64) -> f64 {
    let r = x - x.round();
    if r.abs() < 0.25 { 1.0 / (PI * r).tan() } else { (PI * (0.5 - r.abs())).tan().copysign(r) }
}

/// The Taylor series about the root, where the recurrence would cancel.
fn digamma_near_root(x: f64) -> f64 {
    let d = (x - ROOT.0) - ROOT.1;
    let mut res = 0.0;
    for n in (1..=16i32).rev() {
        let zeta = hurwitz_zeta(n + 1, ROOT.0);
        res = (res + if n % 2 == 1 { zeta } else { -zeta }) * d;
    }
    res
}

/// The derivative of order `n` of digamma.
pub fn polygamma(n: i64, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    if n < 0 || x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    if x <= 0.0 && x == x.floor() {
        // A pole; both sides agree on the sign only if the order is odd.
        return if n % 2 == 1 { f64::INFINITY } else { f64::NAN };
    }
    let sign = if n % 2 == 1 { 1.0 } else { -1.0 };
    if n > 150 || (n > 60 && x < -50.0) {
        return sign * polygamma_high(n, x);
    }
    let n = n as i32;
    let factorial: f64 = (1..=n).map(f64::from).product();
    if x < 0.0 && n <= 60 {
        return reflected(n, x, factorial);
    }
    sign * factorial * hurwitz_zeta(n + 1, x)
}

/// The sum of (x + k)^-s over k >= 0, for x above -100 that is no pole, and 2 <= s <= 151.
fn hurwitz_zeta(s: i32, x: f64) -> f64 {
    let (mut y, mut terms) = (x, Vec::with_capacity(64));
    while y < 12.0 + f64::from(s) / 2.0 {
        terms.push(y.powi(-s));
        y += 1.0;
    }
    let power = y.powi(-s);
    let order = f64::from(s);
    let mut rest = y * power / (order - 1.0) + 0.5 * power;
    // B2k / (2k)! * s (s+1) ... (s+2k-2) * y^(-s-2k+1)
    let mut factor = order * power / y;
    for (i, b) in BERNOULLI.iter().enumerate() {
        let k = 2.0 * (i + 1) as f64;
        factor /= if i == 0 { 2.0 } else { (k - 1.0) * k };
        rest += b * factor;
        factor *= (order + k - 1.0) * (order + k) / (y * y);
    }
    // Smallest first.
    terms.iter().rev().fold(rest, |sum, term| sum + term)
}

/// psi_n(x) = (-1)^n psi_n(1 - x) - pi d^n/dx^n cot(pi x)
fn reflected(n: i32, x: f64, factorial: f64) -> f64 {
    let cot = cot_pi(x);
    // d/dc of polynomials in c = cot(pi x): c' = -pi (1 + c^2).
    let mut polynomial = vec![0.0, 1.0];
    for _ in 0..n {
        let mut next = vec![0.0; polynomial.len() + 1];
        for (power, coefficient) in polynomial.iter().enumerate().skip(1) {
            let derivative = -PI * coefficient * power as f64;
            next[power - 1] += derivative;
            next[power + 1] += derivative;
        }
        polynomial = next;
    }
    let cotangent = polynomial.iter().rev().fold(0.0, |sum, it| sum * cot + it);
    // psi_n(1 - x) = (-1)^(n+1) n! zeta, so that the signs cancel to -1.
    -factorial * hurwitz_zeta(n + 1, 1.0 - x) - PI * cotangent
}

/// n! times zeta(n + 1, x) for large n, by logarithms: the terms near the pole dominate.
fn polygamma_high(n: i64, x: f64) -> f64 {
    let order = n as f64;
    let log_factorial = libm::lgamma(order + 1.0);
    let begin = if x < 0.0 { (-x).floor() - 8.0 } else { 0.0 }.max(0.0);
    let mut sum = 0.0;
    for k in 0..4000 {
        let y = x + begin + f64::from(k);
        let magnitude = (log_factorial - (order + 1.0) * y.abs().ln()).exp();
        let term = if y < 0.0 && n % 2 == 0 { -magnitude } else { magnitude };
        sum += term;
        if magnitude <= sum.abs() * 1e-17 && y > 0.0 {
            return sum;
        }
    }
    // The rest of a slowly falling sum is an integral.
    let y = x + begin + 4000.0;
    sum + (libm::lgamma(order) - order * (y - 0.5).ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        let error = (found - expected).abs() / expected.abs();
        assert!(error < 2e-13, "{found:e} is not {expected:e}: {error:e}");
    }

    /// Euler's constant.
    const EULER: f64 = 0.577_215_664_901_532_9;
    const APERY: f64 = 1.202_056_903_159_594_2;

    #[test]
    fn digamma_of_simple_arguments_has_closed_forms() {
        close(digamma(1.0), -EULER);
        close(digamma(2.0), 1.0 - EULER);
        close(digamma(0.5), -EULER - 2.0 * std::f64::consts::LN_2);
        close(digamma(0.25), -EULER - PI / 2.0 - 3.0 * std::f64::consts::LN_2);
        let harmonic: f64 = (1..10).map(|k| 1.0 / f64::from(k)).sum();
        close(digamma(10.0), harmonic - EULER);
        // psi(1 - x) - psi(x) = pi cot(pi x)
        close(digamma(-0.5), digamma(1.5));
        close(digamma(-1.5), digamma(2.5));
        close(digamma(1e-5), -1e5 - EULER + PI * PI / 6.0 * 1e-5);
        close(digamma(1e10), 1e10f64.ln() - 5e-11);
        assert!(digamma(-3.0).is_nan());
        assert_eq!(digamma(0.0), f64::NEG_INFINITY);
        assert_eq!(digamma(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn digamma_obeys_its_recurrence_and_vanishes_at_its_root() {
        for i in 1..200 {
            let x = f64::from(i) * 0.037;
            let error = (digamma(x + 1.0) - digamma(x) - 1.0 / x).abs();
            assert!(error < 1e-13 * (1.0 + 1.0 / x), "{x}: {error:e}");
        }
        assert!(digamma(ROOT.0).abs() < 2e-16);
        // The two branches meet.
        for x in [1.3616, 1.3617, 1.5616, 1.5617] {
            close(digamma_near_root(x), digamma(x + 1.0) - 1.0 / x);
        }
    }

    #[test]
    fn polygamma_of_simple_arguments_has_closed_forms() {
        close(polygamma(1, 1.0), PI * PI / 6.0);
        close(polygamma(1, 0.5), PI * PI / 2.0);
        close(polygamma(1, 2.0), PI * PI / 6.0 - 1.0);
        close(polygamma(2, 1.0), -2.0 * APERY);
        close(polygamma(2, 0.5), -14.0 * APERY);
        close(polygamma(3, 1.0), PI.powi(4) / 15.0);
        close(polygamma(3, 0.5), PI.powi(4));
        close(polygamma(0, 1.0), -EULER);
        // psi_1(1 - x) + psi_1(x) = pi^2 / sin^2(pi x)
        close(polygamma(1, -0.5), PI * PI - polygamma(1, 1.5));
        close(polygamma(1, -99.5), PI * PI - polygamma(1, 100.5));
        close(polygamma(1, -60.25), 2.0 * PI * PI - polygamma(1, 61.25));
        assert_eq!(polygamma(1, -2.0), f64::INFINITY);
        assert!(polygamma(2, -2.0).is_nan());
        assert!(polygamma(-1, 2.0).is_nan());
    }

    #[test]
    fn polygamma_obeys_its_recurrence() {
        for n in [1i64, 2, 3, 5, 10, 30, 100, 120] {
            for x in [0.3, 1.0, 2.5, 7.0, 20.0, -0.3, -2.7, -49.5, -50.5, -70.3] {
                let factorial: f64 = (1..=n).map(|it| it as f64).product();
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                let step = sign * factorial / f64::powi(x, n as i32 + 1);
                let (here, there) = (polygamma(n, x), polygamma(n, x + 1.0));
                let error = (there - here - step).abs();
                // Between poles, their terms cancel.
                let pole = factorial / (x - x.round()).abs().max(0.01).powi(n as i32 + 1);
                let scale = here.abs().max(there.abs()).max(step.abs());
                let scale = if x < 0.0 { scale.max(1e-3 * pole) } else { scale };
                assert!(error <= 1e-11 * scale, "{n} {x}: {there:e} - {here:e} = {step:e}");
            }
        }
        assert!(polygamma(i64::MAX, 3.0).is_finite() || polygamma(i64::MAX, 3.0) != 0.0);
    }

    #[test]
    fn sigmoid_and_softplus_are_stable() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert_eq!(sigmoid(1000.0), 1.0);
        assert_eq!(softplus(1000.0), 1000.0);
        assert_eq!(softplus(-1000.0), 0.0);
        close(softplus(0.0), std::f64::consts::LN_2);
        close(softplus(-40.0), (-40.0f64).exp());
        assert_eq!(softplus(f64::INFINITY), f64::INFINITY);
        assert!(softplus(f64::NAN).is_nan() && sigmoid(f64::NAN).is_nan());
    }
}
