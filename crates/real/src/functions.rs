//! The functions, once: name, value, partials. Every number that carries derivatives is made of these.

use crate::real::Real;

/// Functions of one real: name, value of an `f64`, derivative by `x` given the result `r`, sentence.
macro_rules! unary_functions {
    ($each:ident) => {
        $each! {
            abs, f64::abs, |x, _r| x.sign(), "The absolute value; its derivative at 0 is 0.";
            sign, crate::real::sign, |_x, _r| S::zero(), "-1, 0 or 1; its derivative is 0.";
            exp, f64::exp, |_x, r| r, "The exponential function.";
            log, f64::ln, |x, _r| S::one() / x, "The natural logarithm.";
            log1p, f64::ln_1p, |x, _r| S::one() / (S::one() + x), "`log(1 + x)`, accurate near 0.";
            expm1, f64::exp_m1, |x, _r| x.exp(), "`exp(x) - 1`, accurate near 0.";
            sin, f64::sin, |x, _r| x.cos(), "The sine.";
            cos, f64::cos, |x, _r| -x.sin(), "The cosine.";
            tan, f64::tan, |_x, r| S::one() + r * r, "The tangent.";
            asin, f64::asin, |x, _r| S::one() / ((S::one() - x) * (S::one() + x)).sqrt(), "The arc sine.";
            acos, f64::acos, |x, _r| -S::one() / ((S::one() - x) * (S::one() + x)).sqrt(), "The arc cosine.";
            atan, f64::atan, |x, _r| S::one() / (S::one() + x * x), "The arc tangent.";
            sinh, f64::sinh, |x, _r| x.cosh(), "The hyperbolic sine.";
            cosh, f64::cosh, |x, _r| x.sinh(), "The hyperbolic cosine.";
            tanh, f64::tanh, |x, _r| S::one() / (x.cosh() * x.cosh()), "The hyperbolic tangent.";
            asinh, libm::asinh, |x, _r| S::one() / (x * x + S::one()).sqrt(), "The inverse of `sinh`.";
            acosh, libm::acosh, |x, _r| S::one() / ((x - S::one()) * (x + S::one())).sqrt(),
                "The inverse of `cosh`.";
            atanh, libm::atanh, |x, _r| S::one() / ((S::one() - x) * (S::one() + x)), "The inverse of `tanh`.";
            sqrt, f64::sqrt, |_x, r| S::of(0.5) / r, "The square root; its derivative at 0 is infinite.";
            floor, f64::floor, |_x, _r| S::zero(), "The greatest whole number not above.";
            ceil, f64::ceil, |_x, _r| S::zero(), "The least whole number not below.";
            round, f64::round, |_x, _r| S::zero(),
                "The nearest whole number, halves away from zero.";
            erf, libm::erf, |x, _r| S::of(std::f64::consts::FRAC_2_SQRT_PI) * (-(x * x)).exp(),
                "The error function.";
            lgamma, libm::lgamma, |x, _r| x.digamma(),
                "The logarithm of the absolute value of the gamma function.";
            digamma, crate::special::digamma, |x, _r| x.polygamma(1), "The derivative of `lgamma`.";
            sigmoid, crate::special::sigmoid, |x, r| r * (-x).sigmoid(),
                "`1 / (1 + exp(-x))`, without overflow.";
            softplus, crate::special::softplus, |x, _r| x.sigmoid(),
                "`log(1 + exp(x))`, without overflow.";
        }
    };
}

/// Functions of two reals: name, value, partials by `x` and `y` given the result `r`, sentence.
macro_rules! binary_functions {
    ($each:ident) => {
        $each! {
            pow, f64::powf,
                |x, y, _r| y.scale(x.pow(y - S::one())),
                |x, _y, r| if x.value() == 0.0 { S::zero() } else { r * x.log() },
                "The power; its partials are 0 at `x = 0` by `y` and at `y = 0` by `x`.";
            min, crate::real::min,
                |x, y, _r| if x <= y { S::one() } else { S::zero() },
                |x, y, _r| if x <= y { S::zero() } else { S::one() },
                "The smaller one, NaN if either is; at a tie the derivative goes to `self`.";
            max, crate::real::max,
                |x, y, _r| if x >= y { S::one() } else { S::zero() },
                |x, y, _r| if x >= y { S::zero() } else { S::one() },
                "The greater one, NaN if either is; at a tie the derivative goes to `self`.";
            rem, crate::real::rem,
                |_x, _y, _r| S::one(),
                |x, y, _r| -(x / y).floor(),
                "The remainder `x - y * floor(x / y)`.";
            atan2, f64::atan2,
                |x, y, _r| y / (x * x + y * y),
                |x, y, _r| -(x / (x * x + y * y)),
                "The angle of the point with ordinate `self` and abscissa `y`.";
        }
    };
}

macro_rules! unary_partials {
    ($($name:ident, $value:expr, |$x:ident, $r:ident| $partial:expr, $about:literal;)+) => {$(
        pub(crate) fn $name<S: Real>($x: S, $r: S) -> S {
            $partial
        }
    )+};
}

macro_rules! binary_partials {
    ($($name:ident, $value:expr, |$x:ident, $y:ident, $r:ident| $by_x:expr,
        |$x2:ident, $y2:ident, $r2:ident| $by_y:expr, $about:literal;)+) => {$(
        pub(crate) fn $name<S: Real>(x: S, y: S, r: S) -> (S, S) {
            let by_x = |$x: S, $y: S, $r: S| $by_x;
            let by_y = |$x2: S, $y2: S, $r2: S| $by_y;
            (by_x(x, y, r), by_y(x, y, r))
        }
    )+};
}

/// The partials as functions of any real.
pub(crate) mod partials {
    use super::Real;

    unary_functions!(unary_partials);
    binary_functions!(binary_partials);
}

pub(crate) use {binary_functions, unary_functions};
