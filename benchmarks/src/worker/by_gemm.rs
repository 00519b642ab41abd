//! The matrix product by the `gemm` crate, and its derivative: two more products.

use std::hint::black_box;
use std::path::Path;

use gemm::Parallelism;

use super::Worker;
use crate::npy;
use crate::problem::Phase;

/// Square matrices, row by row.
pub struct ByGemm {
    n: usize,
    threads: usize,
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
    pub fn new(threads: usize, folder: &Path) -> Result<ByGemm, String> {
        let read = |name: &str| npy::read_reals(&folder.join(name));
        let (a, b, dc) = (read("a.npy")?, read("b.npy")?, read("dc.npy")?);
        let (first, second) = (vec![0.0; a.len()], vec![0.0; a.len()]);
        Ok(ByGemm { n: a.len().isqrt(), threads, a, b, dc, first, second })
    }
}

impl Worker for ByGemm {
    fn run(&mut self, phase: Phase) -> Result<(), String> {
        let (n, threads) = (self.n, self.threads);
        let (a, b, dc) = (&self.a[..], &self.b[..], &self.dc[..]);
        match phase {
            Phase::Value => {
                product(n, threads, Factor::Plain(a), Factor::Plain(b), &mut self.first);
            }
            Phase::Gradient => {
                product(n, threads, Factor::Plain(dc), Factor::Transposed(b), &mut self.first);
                product(n, threads, Factor::Transposed(a), Factor::Plain(dc), &mut self.second);
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

#[allow(unsafe_code, reason = "the crate takes pointers; all matrices have n * n elements")]
fn product(n: usize, threads: usize, left: Factor<'_>, right: Factor<'_>, to: &mut [f64]) {
    let read = |factor| match factor {
        Factor::Plain(it) => (it, 1, n as isize),
        Factor::Transposed(it) => (it, n as isize, 1),
    };
    let ((left, left_cs, left_rs), (right, right_cs, right_rs)) = (read(left), read(right));
    assert!([left.len(), right.len(), to.len()].iter().all(|it| *it == n * n));
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    // SAFETY: strides and sizes stay inside of the n * n elements just asserted.
    unsafe {
        gemm::gemm(
            n,
            n,
            n,
            to.as_mut_ptr(),
            1,
            n as isize,
            false,
            left.as_ptr(),
            left_cs,
            left_rs,
            right.as_ptr(),
            right_cs,
            right_rs,
            0.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
}
