//! Special arguments and what must come out, to the bit: as the interpreter and IEEE 754 say.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use emit::library::Real;

use crate::program::rounded;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

type Facts = Vec<(f64, f64, f64)>;

/// Functions with arguments and results.
pub(crate) fn specials(real: Real) -> Vec<(&'static str, Facts)> {
    let unary = |facts: &[(f64, f64)]| facts.iter().map(|(x, r)| (*x, 0.0, *r)).collect();
    let odd_to = |limit: f64| -> Facts {
        unary(&[(0.0, 0.0), (-0.0, -0.0), (INF, limit), (-INF, -limit), (NAN, NAN)])
    };
    let (tiny, huge) = match real {
        Real::F64 => (5e-324, f64::MAX),
        Real::F32 => (f64::from(f32::from_bits(1)), f64::from(f32::MAX)),
    };
    let sigmoid = unary(&[
        (0.0, 0.5),
        (-0.0, 0.5),
        (INF, 1.0),
        (-INF, 0.0),
        (NAN, NAN),
        (1000.0, 1.0),
        (-1000.0, 0.0),
    ]);
    let mut res: Vec<(&'static str, Facts)> = vec![
        (
            "exp",
            unary(&[
                (0.0, 1.0),
                (-0.0, 1.0),
                (INF, INF),
                (-INF, 0.0),
                (NAN, NAN),
                (huge, INF),
                (-huge, 0.0),
                (tiny, 1.0),
            ]),
        ),
        (
            "expm1",
            unary(&[
                (0.0, 0.0),
                (-0.0, -0.0),
                (INF, INF),
                (-INF, -1.0),
                (NAN, NAN),
                (huge, INF),
                (-huge, -1.0),
                (tiny, tiny),
            ]),
        ),
        (
            "log",
            unary(&[
                (0.0, -INF),
                (-0.0, -INF),
                (1.0, 0.0),
                (-1.0, NAN),
                (-tiny, NAN),
                (INF, INF),
                (-INF, NAN),
                (NAN, NAN),
            ]),
        ),
        (
            "log1p",
            unary(&[
                (0.0, 0.0),
                (-0.0, -0.0),
                (-1.0, -INF),
                (-2.0, NAN),
                (INF, INF),
                (-INF, NAN),
                (NAN, NAN),
                (tiny, tiny),
            ]),
        ),
        ("cos", unary(&[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)])),
        ("sin", odd_to(NAN)),
        ("tan", odd_to(NAN)),
        ("asin", odd_to(NAN)),
        (
            "asin",
            unary(&[(1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2), (1.5, NAN), (-huge, NAN), (tiny, tiny)]),
        ),
        (
            "acos",
            unary(&[
                (1.0, 0.0),
                (-1.0, PI),
                (0.0, FRAC_PI_2),
                (-0.0, FRAC_PI_2),
                (1.5, NAN),
                (INF, NAN),
                (-INF, NAN),
                (NAN, NAN),
            ]),
        ),
        ("atan", odd_to(FRAC_PI_2)),
        ("atan", unary(&[(1.0, FRAC_PI_4), (-1.0, -FRAC_PI_4), (huge, FRAC_PI_2), (tiny, tiny)])),
        ("sinh", odd_to(INF)),
        ("sinh", unary(&[(huge, INF), (-huge, -INF), (tiny, tiny)])),
        (
            "cosh",
            unary(&[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (huge, INF)]),
        ),
        ("tanh", odd_to(1.0)),
        ("tanh_of_both", odd_to(1.0)),
        ("tanh_of_both", unary(&[(huge, 1.0), (-huge, -1.0), (tiny, tiny)])),
        ("slope_of_tanh", unary(&[(0.0, 1.0), (-0.0, 1.0), (INF, 0.0), (-INF, 0.0), (NAN, NAN)])),
        ("slope_of_tanh", unary(&[(huge, 0.0), (-huge, 0.0), (tiny, 1.0)])),
        ("tanh", unary(&[(huge, 1.0), (-huge, -1.0), (tiny, tiny)])),
        ("asinh", odd_to(INF)),
        ("asinh", unary(&[(tiny, tiny)])),
        (
            "acosh",
            unary(&[(1.0, 0.0), (0.5, NAN), (-1.0, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)]),
        ),
        ("atanh", odd_to(NAN)),
        ("atanh", unary(&[(1.0, INF), (-1.0, -INF), (2.0, NAN), (tiny, tiny)])),
        ("erf", odd_to(1.0)),
        ("erf", unary(&[(huge, 1.0), (-30.0, -1.0)])),
        ("sigmoid", sigmoid.clone()),
        ("sigmoid_of_both", sigmoid),
        (
            "sigmoid_below",
            unary(&[
                (0.0, 0.5),
                (INF, 0.0),
                (-INF, 1.0),
                (NAN, NAN),
                (1000.0, 0.0),
                (-1000.0, 1.0),
            ]),
        ),
        (
            "softplus",
            unary(&[(INF, INF), (-INF, 0.0), (NAN, NAN), (1000.0, 1000.0), (-1000.0, 0.0)]),
        ),
        ("sign", unary(&[(0.0, 0.0), (-0.0, 0.0), (INF, 1.0), (-tiny, -1.0), (NAN, NAN)])),
        (
            "sqrt",
            unary(&[(0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (-1.0, NAN), (INF, INF), (NAN, NAN)]),
        ),
        ("abs", unary(&[(-0.0, 0.0), (-INF, INF), (-1.5, 1.5), (NAN, NAN)])),
        (
            "lgamma",
            unary(&[
                (1.0, 0.0),
                (2.0, 0.0),
                (0.0, INF),
                (-1.0, INF),
                (INF, INF),
                (-INF, INF),
                (NAN, NAN),
            ]),
        ),
        ("digamma", unary(&[(0.0, -INF), (-0.0, INF), (-1.0, NAN), (INF, INF), (NAN, NAN)])),
    ];
    res.push(("atan2", atan2()));
    res.push(("pow", pow(tiny, huge)));
    res.extend(roundings(real));
    res.extend(pairs(real));
    res
}

fn atan2() -> Facts {
    let quarters = 3.0 * FRAC_PI_4;
    let mut res = Vec::new();
    for s in [1.0, -1.0] {
        res.extend([
            (s * 0.0, 0.0, s * 0.0),
            (s * 0.0, -0.0, s * PI),
            (s * 0.0, 1.0, s * 0.0),
            (s * 0.0, -1.0, s * PI),
            (s, 0.0, s * FRAC_PI_2),
            (s, -0.0, s * FRAC_PI_2),
            (s * INF, 1.0, s * FRAC_PI_2),
            (s * INF, INF, s * FRAC_PI_4),
            (s * INF, -INF, s * quarters),
            (s, INF, s * 0.0),
            (s, -INF, s * PI),
            (s, 1.0, s * FRAC_PI_4),
            (s, -1.0, s * quarters),
            (NAN, s, NAN),
            (s, NAN, NAN),
            (NAN, s * INF, NAN),
        ]);
    }
    res
}

fn pow(tiny: f64, huge: f64) -> Facts {
    vec![
        (NAN, 0.0, 1.0),
        (NAN, -0.0, 1.0),
        (1.0, NAN, 1.0),
        (1.0, INF, 1.0),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (NAN, 1.0, NAN),
        (2.0, NAN, NAN),
        (0.0, 0.0, 1.0),
        (INF, 0.0, 1.0),
        (0.0, 2.5, 0.0),
        (-0.0, 2.5, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (0.0, -1.0, INF),
        (-0.0, -1.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, -1.5, INF),
        (-0.0, INF, 0.0),
        (0.0, -INF, INF),
        (INF, 2.0, INF),
        (INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (-INF, 2.5, INF),
        (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (2.0, INF, INF),
        (2.0, -INF, 0.0),
        (-2.0, 0.5, NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, 2.0, 4.0),
        (-2.0, -1.0, -0.5),
        (2.0, huge, INF),
        (0.5, huge, 0.0),
        (huge, huge, INF),
        (huge, -huge, 0.0),
        (tiny, 1.0, tiny),
        (huge, 1.0, huge),
        (3.0, 2.0, 9.0),
        (10.0, 3.0, 1000.0),
    ]
}

/// Whole numbers, against those of Rust.
fn roundings(real: Real) -> Vec<(&'static str, Facts)> {
    let mut points =
        vec![0.0, -0.0, 0.5, 1.5, 2.5, 0.3, 0.7, 1e300, 1e15, 4503599627370497.5, INF, NAN];
    points.extend([0.499_999_999_999_999_94, 0.499_999_97, 8_388_607.5, 8_388_609.0, 4194304.5]);
    points.extend([2251799813685248.5, 9007199254740993.0, 1e-310, 3.999_999_999]);
    let points: Vec<f64> =
        points.into_iter().flat_map(|it| [it, -it]).map(|it| rounded(it, real)).collect();
    let by = |f: fn(f64) -> f64| points.iter().map(|it| (*it, 0.0, f(*it))).collect();
    vec![("floor", by(f64::floor)), ("ceil", by(f64::ceil)), ("round", by(f64::round))]
}

/// Functions of two, against what the interpreter computes.
fn pairs(real: Real) -> Vec<(&'static str, Facts)> {
    let points = [0.0, -0.0, 1.0, -1.0, 2.5, -7.0, 3.0, 1e30, INF, -INF, NAN];
    let by = |f: fn(f64, f64) -> f64| -> Facts {
        let pairs = points.iter().flat_map(|x| points.iter().map(move |y| (*x, *y)));
        pairs
            .map(|(x, y)| (rounded(x, real), rounded(y, real)))
            .map(|(x, y)| (x, y, f(x, y)))
            .collect()
    };
    vec![
        ("min", by(|x, y| if x <= y || x.is_nan() { x } else { y })),
        ("max", by(|x, y| if x >= y || x.is_nan() { x } else { y })),
        ("rem", by(|x, y| x - y * (x / y).floor())),
        ("scale", by(|x, y| if x == 0.0 || y == 0.0 { 0.0 } else { x * y })),
    ]
}
