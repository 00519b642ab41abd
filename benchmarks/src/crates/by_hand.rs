//! Gradients derived by hand, in plain Rust.

use crate::crates::contender::Contender;
use crate::crates::problem::{Problem, Program, WEIGHTS};

/// Rust by hand.
pub struct ByHand {
    pub problem: Problem,
}

impl Contender for ByHand {
    fn name(&self) -> String {
        "Rust by hand".to_string()
    }

    fn passes(&self, _: &Problem) -> usize {
        1
    }

    fn value(&mut self, input: &[f64]) -> Option<f64> {
        Some(self.problem.value(input))
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        let n = self.problem.n;
        match self.problem.program {
            Program::Multiply => {
                output[0] = input[1];
                output[1] = input[0];
            }
            Program::Dot => {
                output[..n].copy_from_slice(&input[n..]);
                output[n..].copy_from_slice(&input[..n]);
            }
            Program::MatVec => matvec(self.problem.side(), input, output),
            Program::Rotate => rotate(input, output),
            Program::Polynomial => polynomial(n, input, output),
        }
    }
}

/// Every row of the matrix gets the vector; the vector gets the sum of the rows.
fn matvec(side: usize, input: &[f64], output: &mut [f64]) {
    let (matrix, vector) = input.split_at(side * side);
    let (by_matrix, by_vector) = output.split_at_mut(side * side);
    by_vector.fill(0.0);
    let rows = matrix.chunks_exact(side).zip(by_matrix.chunks_exact_mut(side));
    for (row, by_row) in rows {
        by_row.copy_from_slice(vector);
        by_vector.iter_mut().zip(row).for_each(|(sum, it)| *sum += it);
    }
}

/// `w . (2 (u.v) u + (s^2 - u.u) v + 2 s (u x v))` by `v`, `u` and `s`.
fn rotate(input: &[f64], output: &mut [f64]) {
    let (v, u, s) = ([input[0], input[1], input[2]], [input[3], input[4], input[5]], input[6]);
    let w = WEIGHTS;
    let (uv, uu, wu, wv) = (dot(u, v), dot(u, u), dot(w, u), dot(w, v));
    // w . (u x v) is v . (w x u) and u . (v x w).
    let (w_u, v_w) = (cross(w, u), cross(v, w));
    for i in 0..3 {
        output[i] = 2.0 * wu * u[i] + (s * s - uu) * w[i] + 2.0 * s * w_u[i];
        output[3 + i] = 2.0 * wu * v[i] + 2.0 * uv * w[i] - 2.0 * wv * u[i] + 2.0 * s * v_w[i];
    }
    output[6] = 2.0 * s * wv + 2.0 * dot(w, cross(u, v));
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The powers by the coefficients, from the last one; the derivative by Horner's rule.
fn polynomial(n: usize, input: &[f64], output: &mut [f64]) {
    let (coefficients, x) = (&input[..n], input[n]);
    let mut power = 1.0;
    for it in output[..n].iter_mut().rev() {
        *it = power;
        power *= x;
    }
    let (mut value, mut slope) = (0.0, 0.0);
    for k in coefficients {
        slope = slope * x + value;
        value = value * x + k;
    }
    output[n] = slope;
}
