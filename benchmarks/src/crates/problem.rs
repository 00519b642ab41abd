//! The functions that are differentiated, written once for every kind of number, and their sizes.

use std::ops::{Add, Mul, Sub};

/// What the functions compute with.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Mul<f64, Output = Self>
{
}

impl<T> Number for T where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Mul<f64, Output = T>
{
}

/// The functions: the four of Table 1 of Smeding and Vákár, and a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Multiply,
    Dot,
    MatVec,
    Rotate,
    Polynomial,
}

/// A function and the size of its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub program: Program,
    /// Elements of each vector, of the matrix, of the coefficients.
    pub n: usize,
}

/// The cotangent of the rotated vector.
pub const WEIGHTS: [f64; 3] = [1.0, 0.5, 0.25];

impl Problem {
    /// The small sizes show the fixed cost of a call, the large ones the throughput.
    pub fn all() -> Vec<Problem> {
        let sizes: [(Program, &[usize]); 5] = [
            (Program::Multiply, &[1]),
            (Program::Dot, &[100, 10_000, 1_000_000]),
            (Program::MatVec, &[100, 10_000, 1_000_000]),
            (Program::Rotate, &[1]),
            (Program::Polynomial, &[1_000, 100_000]),
        ];
        let problems = |(program, sizes): (Program, &'static [usize])| {
            sizes.iter().map(move |n| Problem { program, n: *n })
        };
        sizes.into_iter().flat_map(problems).collect()
    }

    /// The name of the program's file, without extension.
    pub fn name(&self) -> &'static str {
        match self.program {
            Program::Multiply => "multiply",
            Program::Dot => "dot",
            Program::MatVec => "matvec",
            Program::Rotate => "rotate",
            Program::Polynomial => "polynomial",
        }
    }

    /// For people.
    pub fn title(&self) -> String {
        let n = self.n;
        match self.program {
            Program::Multiply => "scalar multiply".to_string(),
            Program::Dot => format!("dot product, n = {n}"),
            Program::MatVec => {
                format!("sum of matrix-vector product, {0} by {0} = {n} elements", self.side())
            }
            Program::Rotate => "rotate_vec_by_quat".to_string(),
            Program::Polynomial => format!("polynomial, {n} terms"),
        }
    }

    /// Rows and columns of the matrix.
    pub fn side(&self) -> usize {
        self.n.isqrt()
    }

    /// Additions, subtractions and multiplications of one evaluation.
    pub fn operations(&self) -> usize {
        match self.program {
            Program::Multiply => 1,
            Program::Dot | Program::MatVec | Program::Polynomial => 2 * self.n - 1,
            // Two inner products, a cross product, three scalings, two sums, and five for factors.
            Program::Rotate => 10 + 9 + 9 + 6 + 5,
        }
    }

    /// The argument, one part after the other. Everything is positive, so that no sum cancels
    /// and gradients can be compared component by component.
    pub fn input(&self) -> Vec<f64> {
        let varied = |i: usize| 0.25 + ((i * 7919) % 1000) as f64 / 1000.0;
        let n_inputs = match self.program {
            Program::Multiply => 2,
            Program::Dot => 2 * self.n,
            Program::MatVec => self.n + self.side(),
            Program::Rotate => 7,
            Program::Polynomial => self.n + 1,
        };
        let mut input: Vec<f64> = (0..n_inputs).map(varied).collect();
        if self.program == Program::Polynomial {
            // No power of it is tiny.
            input[self.n] = 1.0 - 1.0 / self.n as f64;
        }
        input
    }

    /// The function itself; of the rotated vector the product with `WEIGHTS`.
    #[inline]
    pub fn value<N: Number>(&self, input: &[N]) -> N {
        match self.program {
            Program::Multiply => input[0] * input[1],
            Program::Dot => {
                let (x, y) = input.split_at(self.n);
                dot(x, y)
            }
            Program::MatVec => {
                let (matrix, vector) = input.split_at(self.n);
                total(matrix.chunks_exact(self.side()).map(|row| dot(row, vector)))
            }
            Program::Rotate => {
                let rotated = rotate([input[0], input[1], input[2]], &input[3..7]);
                total(rotated.into_iter().zip(WEIGHTS).map(|(it, weight)| it * weight))
            }
            Program::Polynomial => {
                let (coefficients, x) = (&input[1..self.n], input[self.n]);
                coefficients.iter().fold(input[0], |acc, k| acc * x + *k)
            }
        }
    }
}

fn total<N: Number>(items: impl Iterator<Item = N>) -> N {
    items.reduce(|a, b| a + b).expect("every problem has elements")
}

fn dot<N: Number>(x: &[N], y: &[N]) -> N {
    total(x.iter().zip(y).map(|(a, b)| *a * *b))
}

/// Figure 12 of Krawiec et al.
fn rotate<N: Number>(v: [N; 3], q: &[N]) -> [N; 3] {
    let (u, s) = ([q[0], q[1], q[2]], q[3]);
    let along = scale(dot(&u, &v) * 2.0, u);
    let kept = scale(s * s - dot(&u, &u), v);
    let turned = scale(s * 2.0, cross(u, v));
    plus(plus(along, kept), turned)
}

fn scale<N: Number>(k: N, v: [N; 3]) -> [N; 3] {
    v.map(|it| k * it)
}

fn plus<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn cross<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
