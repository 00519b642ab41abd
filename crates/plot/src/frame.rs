//! Both axes of a figure, around everything that it shows.

use crate::figure::{Figure, Matrix, Shape};
use crate::scale::{Scale, histogram};

/// Axes, and which way the vertical one goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    /// Matrices have their first row on top.
    pub(crate) is_down: bool,
}

impl Frame {
    pub(crate) fn of(figure: &Figure) -> Frame {
        let shapes = || figure.layers.iter().map(|it| &it.shape);
        let is_down = shapes().any(Shape::is_matrix);
        let x = Scale::around(shapes().flat_map(ends_x));
        let y = Scale::around(shapes().flat_map(ends_y));
        if is_down {
            return Frame { x, y, is_down };
        }
        // Bars stand on the axis; curves have a little air.
        let has_bars = shapes().any(|it| matches!(it, Shape::Histogram { .. }));
        let wider = y.wider(0.04);
        let y = if has_bars && y.low == 0.0 { Scale { low: 0.0, ..wider } } else { wider };
        Frame { x: x.wider(0.02), y, is_down }
    }

    /// How far to the right and how far down, as shares.
    pub(crate) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let down = self.y.share(y);
        (self.x.share(x), if self.is_down { down } else { 1.0 - down })
    }
}

/// The edges of a matrix: the middle of the first entry is at 0.
fn edges(n: usize) -> Vec<f64> {
    vec![-0.5, n as f64 - 0.5]
}

/// The least and the greatest that is finite.
fn ends(numbers: &[f64]) -> Vec<f64> {
    let finite = || numbers.iter().copied().filter(|it| it.is_finite());
    [finite().reduce(f64::min), finite().reduce(f64::max)].into_iter().flatten().collect()
}

fn ends_x(shape: &Shape) -> Vec<f64> {
    match shape {
        Shape::Lines { x, .. } | Shape::Points { x, .. } => ends(x),
        Shape::Histogram { values, n_bins } => {
            let (scale, _) = histogram(values, *n_bins);
            vec![scale.low, scale.high]
        }
        Shape::HeatMap(matrix) | Shape::Pattern(matrix) => edges(matrix.n_columns),
        Shape::Image { red, .. } => edges(red.n_columns),
    }
}

fn ends_y(shape: &Shape) -> Vec<f64> {
    let rows = |it: &Matrix| edges(it.n_rows);
    match shape {
        Shape::Lines { y, .. } | Shape::Points { y, .. } => {
            y.iter().flat_map(|it| ends(it)).collect()
        }
        Shape::Histogram { values, n_bins } => {
            let most = histogram(values, *n_bins).1.into_iter().max().unwrap_or(0);
            vec![0.0, most.max(1) as f64]
        }
        Shape::HeatMap(matrix) | Shape::Pattern(matrix) => rows(matrix),
        Shape::Image { red, .. } => rows(red),
    }
}
