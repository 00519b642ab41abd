//! What the patterns have to reach.

use crate::problem::{Phase, Problem, Program, Real};
use crate::report;

/// What a time is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// C by hand.
    C,
    Jax,
    /// Cotan's own value: how much more the derivative costs.
    Value,
    /// What Cotan took before the pattern had code of its own.
    Before,
    /// Cotan at one thread, by the clock.
    OneThread,
    /// A later call of the same handle.
    LaterCall,
    /// A number of seconds.
    Seconds,
}

/// Whom a program is compared with in a phase, each with the most that Cotan may take as a part of that.
pub fn bars(problem: &Problem, phase: Phase) -> Vec<(Against, f64)> {
    let (is_gradient, is_double) = (phase == Phase::Gradient, problem.real == Real::F64);
    let mut res = match problem.program {
        Program::Shifted | Program::Horner | Program::Forces => vec![(Against::C, 1.0)],
        Program::Ragged | Program::Joined => vec![(Against::C, 1.1)],
        Program::Directions | Program::Pushforward => vec![(Against::C, 1.2)],
        Program::Minors => vec![(Against::C, 1.5)],
        Program::Rk4 if is_gradient => vec![(Against::C, 1.0)],
        Program::KMeans if is_gradient && problem.sizes[0] == 10 => vec![(Against::C, 0.5)],
        Program::Bundle if is_gradient => vec![(Against::C, 0.5)],
        Program::Elementwise if is_double => vec![(Against::Jax, 0.35)],
        Program::Mixture if is_gradient && problem.sizes == [64, 25, 1000] => {
            vec![(Against::Before, 0.4)]
        }
        Program::Rk4 | Program::KMeans | Program::Bundle | Program::Elementwise => Vec::new(),
        Program::Mixture | Program::LogSumExp | Program::RotateRecords => Vec::new(),
        Program::RotateColumns | Program::RotateRows | Program::MatMul => Vec::new(),
        Program::Gather | Program::Jacobian | Program::Lstm | Program::Network => Vec::new(),
    };
    if is_gradient {
        res.push((Against::Value, MOST_OF_VALUE));
    }
    res
}

/// Whether a program is compared so.
pub fn compared(problem: &Problem, phase: Phase, against: Against) -> bool {
    bars(problem, phase).iter().any(|it| it.0 == against)
}

/// What a derivative may take, as a part of its value.
const MOST_OF_VALUE: f64 = 2.5;
/// The same where the limit of the value is that of bytes.
pub const MOST_OF_MOVED: f64 = 2.0;
/// What two threads may take of the time of one.
pub const MOST_OF_ONE_THREAD: f64 = 1.0 / report::LEAST_SPEEDUP;
/// What the first call of a handle may take, as a part of a later one.
pub const MOST_OF_LATER: f64 = 1.5;
/// Seconds of the gradient of the mixture with d = 64, k = 25, n = 1000 before triangles were loops of their own,
/// on the machine of `/proc/cpuinfo` "Intel(R) Xeon(R) Processor" with AVX-512.
pub const BEFORE: f64 = 28e-3;
/// How near to the limit nobody asks for more.
pub const NEAR: f64 = 1.25;
