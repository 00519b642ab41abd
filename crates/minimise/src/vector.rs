//! Vectors.

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `x + k y`
pub(crate) fn along(x: &[f64], k: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + k * y).collect()
}

pub(crate) fn minus(x: &[f64], y: &[f64]) -> Vec<f64> {
    along(x, -1.0, y)
}

pub(crate) fn scaled(k: f64, x: &[f64]) -> Vec<f64> {
    x.iter().map(|it| k * it).collect()
}

/// The greatest absolute value; NaN if there is one.
pub(crate) fn greatest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max: f64, it| if it.abs() <= max { max } else { it.abs() })
}
