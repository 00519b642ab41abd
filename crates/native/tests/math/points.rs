//! The points at which errors are measured: the same in every run.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2, TAU};

use emit::library::Real;

use crate::program::{Batch, rounded};

/// How many points of each kind.
const COUNT: usize = 70;

/// A generator of pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any sign, any exponent.
    fn any(&mut self, real: Real) -> f64 {
        match real {
            Real::F64 => f64::from_bits(self.bits()),
            Real::F32 => f64::from(f32::from_bits(self.bits() as u32)),
        }
    }
}

/// Where a function has finite values other than its limits.
fn domain(function: &str, real: Real) -> (f64, f64) {
    let (least, greatest) = match real {
        Real::F64 => (-746.0, 710.5),
        Real::F32 => (-104.5, 89.5),
    };
    match function {
        "exp" => (least, greatest),
        "expm1" => (-45.0, greatest),
        "sinh" | "cosh" => (-greatest, greatest),
        "sigmoid" | "sigmoid_of_both" => (least, 45.0),
        "sigmoid_below" => (-45.0, -least),
        "softplus" => (least, 800.0),
        "tanh" | "tanh_of_both" => (-22.0, 22.0),
        "slope_of_tanh" => (-0.486 * greatest, 0.486 * greatest),
        "erf" => (-6.5, 6.5),
        "log" => (0.0, f64::MAX),
        "log1p" => (-1.0, f64::MAX),
        "asin" | "acos" | "atanh" => (-1.0, 1.0),
        "acosh" => (1.0, f64::MAX),
        _ => (-f64::MAX, f64::MAX),
    }
}

/// Points where one way of computing ends and another begins, and simple ones.
const SWITCHES: &[f64] = &[
    0.25,
    0.346_573_590_279_972_6,
    0.5,
    0.707_106_781_186_547_5,
    1.0,
    1.039_720_770_839_918,
    1.5,
    SQRT_2,
    2.0,
    0.414_213_562_373_095,
    2.414_213_562_373_095,
    3.0,
    5.95,
    5.9,
    20.0,
    22.0,
    40.0,
    1e-3,
    1e-9,
    9.313_225_746_154_785e-10,
    8.673_617_379_884_035e-19,
    1e-300,
    5e-324,
    2.225_073_858_507_201e-308,
    1.175_494_35e-38,
    FRAC_PI_4,
    FRAC_PI_2,
    PI,
    4.712_388_980_384_69,
    TAU,
    364.424_747_816_416,
    1e3,
    3.999_999e6,
    4e6,
    1e9,
    1e10,
    1e16,
    1e22,
    268_435_456.0,
    1e100,
    1e300,
    709.7,
    709.782,
    710.4,
    708.396,
    744.44,
    745.13,
    88.72,
    87.33,
    103.9,
    16_777_216.0,
    1e6,
];

/// The points of a function.
pub(crate) fn points(function: &str, real: Real) -> Batch {
    let mut random = Random(function.bytes().map(u64::from).sum());
    let (low, high) = domain(function, real);
    let mut x: Vec<f64> = Vec::new();
    while x.len() < COUNT {
        let point = random.any(real);
        // The functions grow so fast that few of all numbers are inside.
        let point = if high < 1e9 && random.bits().is_multiple_of(2) {
            point.abs().powf(0.02)
        } else {
            point
        };
        if point >= low && point <= high {
            x.push(point);
        }
    }
    for _ in 0..COUNT {
        x.push(random.uniform(low.max(-12.0), high.min(12.0)));
        x.push(random.uniform(low.max(-1000.0), high.min(1000.0)));
        x.push(random.uniform(low.max(-2.0), high.min(2.0)));
        // Near 0 and near 1.
        let small = 2f64.powf(random.uniform(-60.0, 0.0));
        x.extend([small, -small, 1.0 + small, 1.0 - small]);
        if matches!(function, "sin" | "cos" | "tan") {
            // Near multiples of pi / 2, where few digits are left.
            let n = (random.bits() >> (random.bits() % 28 + 36)) as f64;
            x.push(n * FRAC_PI_2);
            x.push(2f64.powf(random.uniform(0.0, 40.0)));
        }
    }
    for point in SWITCHES {
        for step in -1i64..=1 {
            let bits = match real {
                Real::F64 => f64::from_bits((point.to_bits() as i64 + step) as u64),
                Real::F32 => {
                    f64::from(f32::from_bits(((*point as f32).to_bits() as i64 + step) as u32))
                }
            };
            x.extend([bits, -bits]);
        }
    }
    let mut x: Vec<f64> = x.into_iter().map(|it| rounded(it, real)).collect();
    x.retain(|it| *it >= low && *it <= high && it.is_finite() && *it != 0.0);
    let y = second(function, real, &x, &mut random);
    Batch::new(function, x, y)
}

fn second(function: &str, real: Real, x: &[f64], random: &mut Random) -> Vec<f64> {
    let of_one = |(index, x): (usize, &f64)| match function {
        "atan2" => match index % 3 {
            0 => finite(random, real),
            1 => x * random.uniform(-4.0, 4.0),
            _ => random.uniform(-4.0, 4.0),
        },
        "pow" => match index % 3 {
            // Results over the whole range.
            0 if x.abs() != 1.0 => match real {
                Real::F64 => random.uniform(-746.0, 711.0) / x.abs().ln(),
                Real::F32 => random.uniform(-104.0, 89.0) / x.abs().ln(),
            },
            1 => random.uniform(-30.0, 30.0).round(),
            _ => random.uniform(-5.0, 5.0),
        },
        _ => 0.0,
    };
    x.iter().enumerate().map(of_one).map(|it| rounded(it, real)).collect()
}

fn finite(random: &mut Random, real: Real) -> f64 {
    loop {
        let res = random.any(real);
        if res.is_finite() {
            return res;
        }
    }
}
