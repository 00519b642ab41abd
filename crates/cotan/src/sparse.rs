//! Sparse matrices as three arrays: what sparse Jacobians and Hessians are given as.
#![doc = include_str!("../../../docs/rust/sparse.md")]

mod npz;

use std::sync::Arc;

use serde_json::json;

/// A matrix in compressed rows. The entries of a row stand in the order of their columns; what is not there
/// is zero. Matrices of one pattern share it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    /// How many columns it has.
    pub n_columns: usize,
    /// Where each row begins among the entries, and where the last one ends.
    pub starts: Arc<Vec<usize>>,
    /// The column of each entry.
    pub columns: Arc<Vec<u32>>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl Sparse {
    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The columns of a row, and the values there.
    pub fn row(&self, at: usize) -> (&[u32], &[f64]) {
        let range = self.starts[at]..self.starts[at + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// All of it, zeros too, row by row.
    pub fn to_dense(&self) -> Vec<Vec<f64>> {
        let row = |at: usize| {
            let mut res = vec![0.0; self.n_columns];
            let (columns, values) = self.row(at);
            columns.iter().zip(values).for_each(|(to, it)| res[*to as usize] += it);
            res
        };
        (0..self.n_rows()).map(row).collect()
    }

    /// A line for each entry: row, column and value.
    pub fn to_text(&self) -> String {
        let (rows, columns, n) = (self.n_rows(), self.n_columns, self.values.len());
        let mut res = format!("{rows} rows by {columns} columns, {n} entries\n");
        for row in 0..rows {
            let (columns, values) = self.row(row);
            for (column, value) in columns.iter().zip(values) {
                res += &format!("{row} {column} {value:?}\n");
            }
        }
        res
    }

    /// `{"rows":1,"columns":2,"starts":[0,1],"indices":[1],"values":[0.5]}`
    pub fn to_json(&self) -> String {
        // Numbers that JSON has no word for are texts, as in answers.
        let value = |it: &f64| match it.is_finite() {
            true => json!(it),
            false if it.is_nan() => json!("NaN"),
            false if *it > 0.0 => json!("Infinity"),
            false => json!("-Infinity"),
        };
        let values: Vec<serde_json::Value> = self.values.iter().map(value).collect();
        json!({
            "rows": self.n_rows(),
            "columns": self.n_columns,
            "starts": *self.starts,
            "indices": *self.columns,
            "values": values,
        })
        .to_string()
    }

    /// The content of a `.npz` file as `scipy.sparse.load_npz` reads it.
    pub fn to_npz(&self) -> Vec<u8> {
        npz::write(self)
    }
}

/// Numbers with their sizes as the content of a `.npy` file; none if they are not as many as the sizes say.
pub fn npy(shape: &[usize], data: &[f64]) -> Option<Vec<u8>> {
    let n = shape.iter().try_fold(1usize, |n, it| n.checked_mul(*it));
    let dense = || array::Dense { shape: shape.to_vec(), data: array::Buffer::Real(data.to_vec()) };
    (n == Some(data.len())).then(|| array::npy::write(&dense()))
}
