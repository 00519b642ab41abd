//! Why a bar is missed, from profiles; printed only where one is.
//!
//! Profiles are samples of a processor clock by `perf`, of compiled C with line numbers, on the machine of
//! `/proc/cpuinfo` "Intel(R) Xeon(R) Processor" with AVX-512; of `joined` and `ragged` they are differences of
//! times, of the C for their sizes with a part left out. A row that misses its bar and is not named here is an
//! error of the run (`rows.rs`): whoever meets it makes a profile.

use super::bars::Against;
use crate::problem::{Phase, Problem, Program};

/// A sentence for a program and what it is compared with, where there is a profile.
pub fn why(problem: &Problem, phase: Phase, against: Against) -> Option<&'static str> {
    let is_gradient = phase == Phase::Gradient;
    Some(match (problem.program, against) {
        (Program::Jacobian, _) => {
            "19 us are the chain of 1000 sines that the value has; beside it go a cosine and four vectors of tangents \
            for each step, 12 us more if it is timed by itself; some runs take 52 us in all, and nobody knows why"
        }
        (Program::Minors, Against::Value) => {
            "the value of a call is needed before its cotangents are; both are done in one call, which keeps nothing"
        }
        (Program::Minors, _) => {
            "35 % are products and sums, each of which waits for the one before as in C; 24 % are checks of indices, \
            sizes, memory and the stack, 18 % calls and what they save, 14 % writes down which columns are left"
        }
        (Program::Elementwise, Against::Jax) => {
            "of the value 59 % is the hyperbolic tangent and the exponential, 25 % waits for loads, of which there are \
            five for each element"
        }
        (Program::Elementwise, Against::Value) => {
            "five arrays are written, not one, of which one is ones; of the rest the hyperbolic tangent with its slope \
            is the most, 38 % of all in double precision"
        }
        (Program::Forces, Against::C) => {
            "88 % of the time of the value waits for the square root and the division of each pair, of which C has \
            the same: both take 2.2 ns a pair"
        }
        (Program::Rk4, Against::C) => {
            "a chain of 12 operations for each step there and more back, in which C waits as long: the least of \
            nine runs is 68 ms for both"
        }
        (Program::Mixture, Against::Before) => {
            "55 % are products of whole matrices in the kernel of `gemm`, which multiply the zeros of the triangle \
            too, half of their operations; 20 % the differences and sums between them, 6 % tests of operands for \
            what is not finite, 4 % clearing memory"
        }
        (Program::Mixture, Against::Value) if problem.sizes[0] >= 64 => {
            "three products instead of one, of whole matrices where the value may leave out the zeros of the \
            triangle: they are 55 %; 20 % are the differences and sums between them, 6 % tests of operands"
        }
        (Program::Mixture, Against::Value) => {
            "47 % are products of 10 rows and columns with what is around such small ones, 6 % tests of their \
            operands for what is not finite, 35 % the differences, squares and sums between them"
        }
        (Program::Bundle, Against::C) => {
            "31 % is writing rows of 15 numbers, two for each observation, 7.6 MB at 31,843 of them and more than the \
            second cache holds; gathering cameras and points is 15 %; the rest is arithmetic that C does one by one"
        }
        (Program::Bundle, Against::Value) => {
            "31 numbers are written for each observation where the value writes 3: turning them into rows and storing \
            those is 31 % of the time"
        }
        (Program::KMeans, Against::C) => {
            "24 % adds to the centres, point after point, where one addition waits for the last to the same centre; \
            24 % reads each point again for that; 30 % is distances, 11 % finding the nearest, 10 % turning points \
            into lanes"
        }
        (Program::Joined, Against::C) => {
            "the loops are those of C, one for each part, and take 1.04 of its time for the value and 1.00 for the \
            gradient in a process that has both, without the library"
        }
        (Program::Shifted, Against::Value) => {
            "the way back goes through all states once more and adds to two arrays; selecting the first element is \
            a third of the time, and 27 % is looking for what is no number, where a product with 0 is 0"
        }
        (Program::Ragged, Against::Value | Against::C) if is_gradient => {
            "45 % is the two products back, which add to memory in each step, where the value adds in a register; 22 % \
            is the product of the value, 6 % adds up the lanes of the matrix, which take 262 KB at 64 rows and are \
            cleared for each chunk"
        }
        (Program::Horner, Against::Value) => {
            "the value keeps its state in registers, one multiplication and addition a step; the gradient stores \
            and loads it, has two recurrences and a sum over the points for each coefficient, and 20 % of its time is \
            looking for what is no number"
        }
        (Program::RotateRows, Against::Value) if is_gradient => {
            "a row of three is no vector: loads of neighbours are sorted out of three vectors each, and stores \
            turned in registers; the value stores nothing"
        }
        (Program::RotateRecords | Program::RotateColumns, Against::Value) if is_gradient => {
            "70 operations and 72 bytes for each vector where the value has 30 and 48: 2.3 by operations"
        }
        (Program::MatMul, Against::Value) => {
            "two products instead of one, each as far from the limit of its operations as that of the value, and \
            two matrices are written where the value gives a number"
        }
        (Program::Lstm, Against::Value) => {
            "the way back has two products for each one there: one for the state before, one for the weights"
        }
        (Program::Network, Against::Value) => {
            "80 % is the kernel of products: one there, and one as great back that reads an operand transposed; the \
            rest writes all weights anew"
        }
        (Program::Directions, Against::C) => {
            "a chain of 1000 divisions is all but 1 us of it, the same in C to the instruction; the rest is what a \
            call of the library costs"
        }
        _ => return None,
    })
}

/// Why two threads bring less than they might.
pub fn why_two(problem: &Problem, phase: Phase) -> Option<&'static str> {
    match problem.program {
        Program::Elementwise if phase == Phase::Gradient => Some(
            "720 MB go through memory, which both threads share, at 12 GB/s of the 19 that they reach in a copy; one \
            thread is at 7.5",
        ),
        Program::MatMul => Some(
            "one thread alone takes between 6.6 and 9.4 ms from run to run (n = 512) and two 4.9 to 5.2: the ratio is \
            0.53 to 0.76, as the host gives one processor more or less",
        ),
        Program::Mixture => Some(
            "one thread alone takes between 5.8 and 7.5 ms from run to run (d = 64, the value) and two 3.8 to 4.5: the \
            ratio is 0.59 to 0.66, as the host gives one processor more or less",
        ),
        Program::Rk4 => Some("every step waits for the one before"),
        Program::Lstm => Some("every step waits for the one before, and is short"),
        _ => None,
    }
}

/// Why a first call takes longer than later ones.
pub const WHY_FIRST: &str = "pages of its memory are there since it was prepared; code and data that no cache holds are left";
