//! What a picture shows. Data only.

/// A picture with its axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What stands above it.
    pub title: String,
    /// What the horizontal axis is, with its unit: `time [s]`. May be empty.
    pub x: String,
    /// What the vertical axis is. May be empty.
    pub y: String,
    /// What is drawn, the first below the others.
    pub layers: Vec<Layer>,
}

/// Something that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What the legend calls it, if it is in there.
    pub name: Option<String>,
    /// What it is.
    pub shape: Shape,
}

/// What a layer is.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Curves through points, all over the same `x`.
    Lines {
        /// Where the points are from left to right.
        x: Vec<f64>,
        /// The heights of each curve, as many as there are `x`.
        y: Vec<Vec<f64>>,
    },
    /// Points, with several `y` over the same `x`.
    Points {
        /// Where they are from left to right.
        x: Vec<f64>,
        /// Their heights.
        y: Vec<Vec<f64>>,
    },
    /// How many of these lie in each of so many intervals of equal length.
    Histogram {
        /// The numbers to count.
        values: Vec<f64>,
        /// How many intervals.
        n_bins: usize,
    },
    /// Colours for numbers, with a bar that explains them.
    HeatMap(Matrix),
    /// Brightness from 0 to 1, of grey or of red, green and blue.
    Image {
        /// The reds, or the greys.
        red: Matrix,
        /// The greens and the blues, if they are not the greys.
        rest: Option<(Matrix, Matrix)>,
    },
    /// Where the entries are that are not zero.
    Pattern(Matrix),
}

/// Numbers in rows, the first row on top.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// How many rows.
    pub n_rows: usize,
    /// How many numbers in a row.
    pub n_columns: usize,
    /// The numbers row by row, as many as that makes.
    pub data: Vec<f64>,
}

impl Matrix {
    /// The greatest number of rows and columns that are drawn one by one.
    pub(crate) const MOST: usize = 200;

    /// A matrix of at most so many rows and columns: squares of numbers become what `join` makes of them.
    pub(crate) fn at_most(&self, most: usize, join: impl Fn(&[f64]) -> f64) -> Matrix {
        let side = self.n_rows.max(self.n_columns).div_ceil(most).max(1);
        let (n_rows, n_columns) = (self.n_rows.div_ceil(side), self.n_columns.div_ceil(side));
        if side == 1 {
            return self.clone();
        }
        let mut data = Vec::with_capacity(n_rows * n_columns);
        for row in 0..n_rows {
            for column in 0..n_columns {
                let rows = row * side..self.n_rows.min((row + 1) * side);
                let columns = column * side..self.n_columns.min((column + 1) * side);
                let square: Vec<f64> = rows
                    .flat_map(|row| columns.clone().map(move |it| row * self.n_columns + it))
                    .map(|it| self.data[it])
                    .collect();
                data.push(join(&square));
            }
        }
        Matrix { n_rows, n_columns, data }
    }
}

impl Shape {
    /// Whether it is a matrix, whose first row is on top.
    pub(crate) fn is_matrix(&self) -> bool {
        match self {
            Shape::HeatMap(_) | Shape::Image { .. } | Shape::Pattern(_) => true,
            Shape::Lines { .. } | Shape::Points { .. } | Shape::Histogram { .. } => false,
        }
    }
}

/// The mean of a square of a matrix.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// One if a square of a matrix has an entry.
pub(crate) fn any(numbers: &[f64]) -> f64 {
    if numbers.iter().any(|it| *it != 0.0) { 1.0 } else { 0.0 }
}
