//! What a program needs at least: operations, bytes and the longest chain of operations that wait for each
//! other, counted by hand.
//!
//! Everything that comes in is read once, and everything that goes out is written once; what is between is
//! not counted: some of it may be computed again. A fused multiplication and addition is two operations,
//! a division or a square root eight, an exponential or a sine twenty. In a chain it is one link, a division
//! four, an exponential or a sine twelve.

use crate::problem::{Phase, Problem, Program, Real};

/// What a phase of a program needs at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    pub operations: f64,
    /// That are moved.
    pub bytes: f64,
    /// Bytes of the arrays that they are moved from and to: what fits into a cache comes from there.
    pub set: f64,
    /// Operations in the longest chain.
    pub chain: f64,
}

/// What a program needs.
pub fn needs(problem: &Problem, phase: Phase) -> Needs {
    let size = |at: usize| problem.sizes[at] as f64;
    // Every byte once.
    let once = |operations, bytes| Needs { operations, bytes, set: bytes, chain: 0.0 };
    let waiting = |operations, chain| Needs { operations, chain, ..Needs::default() };
    let is_value = phase == Phase::Value;
    let of = |value: f64, gradient: f64| if is_value { value } else { gradient };
    let needs = match problem.program {
        Program::Shifted => once(of(1.0, 3.0) * size(0) * size(1), of(16.0, 32.0) * size(0)),
        Program::Ragged => {
            let (products, bytes) = (size(0) * size(0) * size(1), 8.0 * size(0) * size(1));
            once(of(1.0, 3.0) * products, of(1.0, 2.0) * bytes)
        }
        Program::Joined => once(of(2.0, 6.0) * size(0), of(32.0, 40.0) * size(0)),
        Program::Horner => {
            let steps = size(0) * size(1);
            once(of(2.0, 6.0) * steps, of(8.0, 16.0) * size(1))
        }
        // A product and a sum for every element of the first row of every minor.
        Program::Minors => {
            let (mut calls, mut operations) = (1.0, 0.0);
            for m in (2..=problem.sizes[0]).rev() {
                calls *= m as f64;
                operations += 2.0 * calls;
            }
            waiting(of(1.0, 3.0) * operations, 0.0)
        }
        Program::Pushforward => waiting(of(3.0, 8.0) * size(0), 2.0 * size(0)),
        // A division in each link.
        Program::Directions => waiting(10.0 * size(1), 5.0 * size(1)),
        Program::Forces => waiting(of(25.0, 40.0) * size(0) * size(0), 0.0),
        // Four changes of two links, the three states between them, and the sum; its derivative may run along.
        Program::Rk4 => waiting(of(38.0, 120.0) * size(0), 12.0 * size(0)),
        // The products of points and centres; then the nearest one alone.
        Program::KMeans => {
            let products = 2.0 * size(0) * size(1) * size(2);
            once(products, 8.0 * size(1) * size(2))
        }
        // Two rows of fifteen and what they come from.
        Program::Bundle => {
            let bytes = of(8.0 * 3.0, 8.0 * 31.0) + 8.0 * (1.0 + 2.0 + 2.0);
            once(of(100.0, 500.0) * size(2), bytes * size(2))
        }
        Program::Elementwise => once(of(55.0, 70.0) * size(0), of(8.0 * 6.0, 8.0 * 9.0) * size(0)),
        // The triangle of every component times every point, and back twice.
        Program::Mixture => {
            let products = size(0) * size(0) * size(1) * size(2);
            once(of(1.0, 3.0) * products, 8.0 * size(0) * size(2))
        }
        Program::LogSumExp => {
            let elements = size(0) * size(1);
            once(of(22.0, 24.0) * elements, of(8.0, 16.0) * elements)
        }
        Program::RotateRecords | Program::RotateColumns | Program::RotateRows => {
            once(of(30.0, 70.0) * size(0), of(48.0, 72.0) * size(0))
        }
        Program::MatMul => {
            let (products, bytes) = (2.0 * size(0).powi(3), 24.0 * size(0) * size(0));
            once(of(1.0, 2.0) * products, of(1.0, 5.0 / 3.0) * bytes)
        }
        // An index and an element for each.
        Program::Gather => once(size(1), of(24.0, 16.0) * size(1) + 8.0 * size(0)),
        // A cosine for each of 26 numbers, then a sine for each step; its derivative goes along in 26 directions.
        Program::Jacobian => {
            let steps = 26.0 + size(0);
            Needs {
                operations: of(24.0, 46.0 + 2.0 * 26.0) * steps,
                bytes: of(8.0, 8.0 * 26.0) * size(1),
                set: of(8.0, 8.0 * 26.0) * size(1),
                chain: 14.0 * steps,
            }
        }
        // Three logistic functions and two hyperbolic tangents for each of 14 elements of a layer, and an
        // exponential for each of a step. A step waits for two tangents of the one before, and back for products.
        Program::Lstm => {
            let (layers, steps) = (size(0), size(1));
            let elements = 14.0 * steps;
            Needs {
                operations: elements * (of(161.0, 206.0) * layers + of(28.0, 36.0)),
                bytes: 8.0 * elements,
                set: 8.0 * elements,
                chain: of(35.0, 43.0) * (steps + layers),
            }
        }
        // Two products there; back one with the inputs and two between hidden and classes.
        Program::Network => {
            let (inputs, hidden, classes, batch) = (size(0), size(1), size(2), size(3));
            let (first, second) = (inputs * hidden, hidden * classes);
            let operations = 2.0 * batch * (of(1.0, 2.0) * first + of(1.0, 3.0) * second);
            once(operations, 8.0 * (inputs * batch + of(1.0, 2.0) * (first + second)))
        }
    };
    match problem.real {
        Real::F64 => needs,
        // Half as many bytes, and twice as many in a vector.
        Real::F32 => Needs {
            operations: needs.operations / 2.0,
            bytes: needs.bytes / 2.0,
            set: needs.set / 2.0,
            chain: needs.chain,
        },
    }
}

/// Whether every step of a program waits for the one before, and is too short for two threads.
pub fn is_one_chain(program: Program) -> bool {
    matches!(
        program,
        Program::Rk4
            | Program::Lstm
            | Program::Pushforward
            | Program::Directions
            | Program::Jacobian
    )
}
