//! The matrix product by the `gemm` crate, and its derivative: two more products.

use std::hint::black_box;
use std::path::Path;

use gemm_common::Parallelism;

use super::Worker;
use crate::npy;
use crate::problem::Phase;

/// Square matrices, row by row.
pub struct ByGemm {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    dc: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
}

/// A matrix, or its transpose by reading it the other way.
#[derive(Clone, Copy)]
enum Factor<'a> {
    Plain(&'a [f64]),
    Transposed(&'a [f64]),
}

impl ByGemm {
    pub fn new(folder: &Path) -> Result<ByGemm, String> {
        let read = |name: &str| npy::read_reals(&folder.join(name));
        let (a, b, dc) = (read("a.npy")?, read("b.npy")?, read("dc.npy")?);
        let (first, second) = (vec![0.0; a.len()], vec![0.0; a.len()]);
        Ok(ByGemm { n: a.len().isqrt(), a, b, dc, first, second })
    }
}

impl Worker for ByGemm {
    fn run(&mut self, phase: Phase) -> Result<(), String> {
        let n = self.n;
        let (a, b, dc) = (&self.a[..], &self.b[..], &self.dc[..]);
        match phase {
            Phase::Value => {
                product(n, Factor::Plain(a), Factor::Plain(b), &mut self.first);
            }
            Phase::Gradient => {
                product(n, Factor::Plain(dc), Factor::Transposed(b), &mut self.first);
                product(n, Factor::Transposed(a), Factor::Plain(dc), &mut self.second);
            }
        }
        black_box((&self.first, &self.second));
        Ok(())
    }

    fn results(&mut self, phase: Phase) -> Result<Vec<Vec<f64>>, String> {
        self.run(phase)?;
        Ok(match phase {
            Phase::Value => vec![self.first.clone()],
            Phase::Gradient => vec![self.first.clone(), self.second.clone()],
        })
    }
}

/// The crate wants columns one after the other. What we have by rows is the transpose of that, so
/// the factors change places: `(l r)^T = r^T l^T`.
#[allow(unsafe_code, reason = "the crate takes pointers; all matrices have n * n elements")]
fn product(n: usize, left: Factor<'_>, right: Factor<'_>, to: &mut [f64]) {
    let transposed = |factor| match factor {
        Factor::Plain(it) => (it, n as isize, 1),
        Factor::Transposed(it) => (it, 1, n as isize),
    };
    let (first, first_columns, first_rows) = transposed(right);
    let (second, second_columns, second_rows) = transposed(left);
    assert!([first.len(), second.len(), to.len()].iter().all(|it| *it == n * n));
    let kernel = gemm_f64::gemm::f64::get_gemm_fn();
    // SAFETY: strides and sizes stay inside of the n * n elements just asserted.
    unsafe {
        kernel(
            n,
            n,
            n,
            to.as_mut_ptr(),
            n as isize,
            1,
            false,
            first.as_ptr(),
            first_columns,
            first_rows,
            second.as_ptr(),
            second_columns,
            second_rows,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
