//! Cholesky's method: symmetric equations by the square root of their matrix.

use crate::vector::dot;

/// The lower triangle `L` of a matrix `L L^T`.
pub(crate) struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// Of a symmetric matrix, of which only the lower triangle is read. A direction that nothing depends on
    /// is as if it were held fast: it stays 0 in solutions.
    pub(crate) fn of(mut matrix: Vec<Vec<f64>>) -> Cholesky {
        for i in 0..matrix.len() {
            for j in 0..=i {
                let inner = dot(&matrix[i][..j], &matrix[j][..j]);
                let rest = matrix[i][j] - inner;
                matrix[i][j] = match (i == j, rest > 0.0) {
                    (true, true) => rest.sqrt(),
                    (true, false) => f64::INFINITY,
                    (false, _) => rest / matrix[j][j],
                };
            }
        }
        Cholesky(matrix)
    }

    /// The solution for a right side.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let lower = &self.0;
        let n = right.len();
        let mut res = vec![0.0; n];
        for i in 0..n {
            res[i] = (right[i] - dot(&lower[i][..i], &res[..i])) / lower[i][i];
        }
        for i in (0..n).rev() {
            let above: f64 = (i + 1..n).map(|j| lower[j][i] * res[j]).sum();
            res[i] = (res[i] - above) / lower[i][i];
        }
        res
    }
}
