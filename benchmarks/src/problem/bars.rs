//! What the programs have to reach.

use super::{Phase, Problem, Program};

/// Whom a bar compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// The reference: C by hand, or the `gemm` crate.
    Reference,
    Jax,
    Torch,
    /// Cotan's own value: how much more the derivative costs.
    Primal,
}

/// A ratio of times at one thread that must not be exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    pub phase: Phase,
    pub rival: Rival,
    pub most: f64,
}

impl Problem {
    /// What it has to reach.
    pub fn bars(&self) -> Vec<Bar> {
        let bar = |phase, rival, most| Bar { phase, rival, most };
        let gradient = |rival, most| bar(Phase::Gradient, rival, most);
        match self.program {
            Program::Elementwise => {
                vec![bar(Phase::Value, Rival::Reference, 0.9), bar(Phase::Value, Rival::Jax, 0.35)]
            }
            Program::LogSumExp => {
                vec![gradient(Rival::Reference, 1.0), gradient(Rival::Jax, 0.6)]
            }
            Program::RotateRecords | Program::RotateColumns | Program::RotateRows => {
                vec![gradient(Rival::Reference, 1.1), gradient(Rival::Jax, 0.1)]
            }
            Program::MatMul => {
                vec![bar(Phase::Value, Rival::Reference, 1.1), gradient(Rival::Reference, 1.1)]
            }
            Program::Gather => {
                vec![bar(Phase::Value, Rival::Reference, 1.2), gradient(Rival::Reference, 1.2)]
            }
            Program::Rk4 => vec![gradient(Rival::Reference, 1.1), gradient(Rival::Jax, 0.05)],
            Program::Jacobian => vec![gradient(Rival::Reference, 1.5)],
            Program::Mixture if self.sizes[0] >= 10 => vec![
                gradient(Rival::Reference, 0.5),
                gradient(Rival::Jax, 0.5),
                gradient(Rival::Primal, 3.0),
            ],
            Program::Mixture => vec![gradient(Rival::Jax, 0.5), gradient(Rival::Primal, 3.0)],
            Program::Bundle => vec![gradient(Rival::Reference, 1.0)],
            Program::Lstm => vec![gradient(Rival::Reference, 1.0), gradient(Rival::Primal, 3.0)],
            Program::KMeans => vec![gradient(Rival::Reference, 1.0), gradient(Rival::Jax, 0.5)],
            Program::Network => vec![gradient(Rival::Jax, 0.8), gradient(Rival::Torch, 0.8)],
            // `patterns/bars.rs` has theirs.
            Program::Shifted | Program::Ragged | Program::Joined | Program::Horner => Vec::new(),
            Program::Minors | Program::Pushforward => Vec::new(),
            Program::Directions | Program::Forces => Vec::new(),
        }
    }
}
