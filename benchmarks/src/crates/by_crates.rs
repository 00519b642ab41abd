//! Gradients by Rust crates that differentiate by overloading.

use cotan::real::{Dual, Tape};
use nalgebra::SVector;
use num_dual::DualSVec64;

use crate::crates::contender::Contender;
use crate::crates::problem::{Problem, Program};

/// `num-dual`: forward mode, several directions at a time.
pub struct ByNumDual {
    pub problem: Problem,
}

/// Directions of one pass over arrays: a cache line.
const LANES: usize = 8;

impl Contender for ByNumDual {
    fn name(&self) -> String {
        "num-dual, forward".to_string()
    }

    fn passes(&self, problem: &Problem) -> usize {
        problem.input().len().div_ceil(LANES)
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        match self.problem.program {
            Program::Multiply => forward_of_few::<2>(&self.problem, input, output),
            Program::Rotate => forward_of_few::<7>(&self.problem, input, output),
            Program::Dot | Program::MatVec | Program::Polynomial => {
                forward::<LANES>(&self.problem, input, output);
            }
        }
    }
}

/// As the crate has it for a number of inputs that is known: without memory of the heap.
fn forward_of_few<const N: usize>(problem: &Problem, input: &[f64], output: &mut [f64]) {
    let value = |x: SVector<DualSVec64<N>, N>| problem.value(x.as_slice());
    let (_, gradient) = num_dual::gradient(value, &SVector::from_column_slice(input));
    output.copy_from_slice(gradient.as_slice());
}

fn forward<const N: usize>(problem: &Problem, input: &[f64], output: &mut [f64]) {
    let mut duals: Vec<DualSVec64<N>> = input.iter().map(|it| DualSVec64::from_re(*it)).collect();
    for (chunk, by_chunk) in output.chunks_mut(N).enumerate() {
        let start = chunk * N;
        for index in 0..by_chunk.len() {
            duals[start + index] = duals[start + index].derivative(index);
        }
        match problem.value(&duals).eps.0 {
            Some(tangents) => by_chunk.copy_from_slice(&tangents.as_slice()[..by_chunk.len()]),
            None => by_chunk.fill(0.0),
        }
        for index in 0..by_chunk.len() {
            duals[start + index] = DualSVec64::from_re(input[start + index]);
        }
    }
}

/// `echidna`: reverse mode, a tape of the thread that is used again.
pub struct ByEchidna {
    pub problem: Problem,
}

impl Contender for ByEchidna {
    fn name(&self) -> String {
        "echidna, reverse".to_string()
    }

    fn passes(&self, _: &Problem) -> usize {
        1
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        let value = |x: &[echidna::Reverse<f64>]| self.problem.value(x);
        output.copy_from_slice(&echidna::grad(value, input));
    }
}

/// `reverse`: reverse mode, a new tape for each gradient.
pub struct ByReverse {
    pub problem: Problem,
}

impl Contender for ByReverse {
    fn name(&self) -> String {
        "reverse, reverse".to_string()
    }

    fn passes(&self, _: &Problem) -> usize {
        1
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        let tape = reverse::Tape::new();
        let variables = tape.add_vars(input);
        let adjoints = self.problem.value(&variables).grad();
        // The variables are the first entries of the tape.
        output.copy_from_slice(&adjoints[..input.len()]);
    }
}

/// `cotan::real`: forward mode, several directions at a time.
pub struct ByDual {
    pub problem: Problem,
}

impl Contender for ByDual {
    fn name(&self) -> String {
        "cotan::real, forward".to_string()
    }

    fn passes(&self, problem: &Problem) -> usize {
        problem.input().len().div_ceil(LANES)
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        match self.problem.program {
            Program::Multiply => duals_of_few::<2, 2>(&self.problem, input, output),
            // One tangent is nobody's: an even number is faster than seven.
            Program::Rotate => duals_of_few::<8, 7>(&self.problem, input, output),
            Program::Dot | Program::MatVec | Program::Polynomial => {
                duals::<LANES>(&self.problem, input, output);
            }
        }
    }
}

fn duals_of_few<const N: usize, const K: usize>(
    problem: &Problem,
    input: &[f64],
    output: &mut [f64],
) {
    let input = *input.first_chunk::<K>().expect("as many as the program has");
    output.copy_from_slice(&cotan::real::grad_forward::<N, K>(|x| problem.value(x), input));
}

fn duals<const N: usize>(problem: &Problem, input: &[f64], output: &mut [f64]) {
    let constant = |it: &f64| Dual::<f64, N>::new(*it, [0.0; N]);
    let mut duals: Vec<Dual<f64, N>> = input.iter().map(constant).collect();
    for (chunk, by_chunk) in output.chunks_mut(N).enumerate() {
        let start = chunk * N;
        for index in 0..by_chunk.len() {
            duals[start + index] = Dual::input(input[start + index], index);
        }
        by_chunk.copy_from_slice(&problem.value(&duals).tangents[..by_chunk.len()]);
        for index in 0..by_chunk.len() {
            duals[start + index] = constant(&input[start + index]);
        }
    }
}

/// `cotan::real`: reverse mode, a tape that is used again.
pub struct ByTape {
    pub problem: Problem,
    pub tape: Tape,
}

impl Contender for ByTape {
    fn name(&self) -> String {
        "cotan::real, reverse".to_string()
    }

    fn passes(&self, _: &Problem) -> usize {
        1
    }

    fn gradient(&mut self, input: &[f64], output: &mut [f64]) {
        self.tape.value_and_grad_into(|x| self.problem.value(x), input, output);
    }
}
