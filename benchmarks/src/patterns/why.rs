//! Why a bar is missed, from profiles; printed only where one is.

use super::bars::Against;
use crate::problem::{Phase, Problem, Program};

/// A sentence for a program and what it is compared with.
pub fn why(problem: &Problem, phase: Phase, against: Against) -> &'static str {
    match (problem.program, phase, against) {
        (Program::Minors, _, Against::Value) => {
            "every call keeps what it took for the way back; C multiplies on the way down"
        }
        (Program::Minors, Phase::Gradient, _) => {
            "8660 calls keep two boxes and four short lists each, and as many go back over them; C multiplies on \
            the way down and keeps nothing"
        }
        (Program::Minors, _, _) => {
            "the time is in 8660 calls, each with checks of the stack, of its indices and of its sizes"
        }
        (Program::Forces, Phase::Gradient, Against::C) => {
            "a third of the time is the root and the division; negations and doublings of every coordinate, and a \
            test for what is no number, are the rest"
        }
        (Program::Rk4, _, Against::OneThread) => "every step waits for the one before",
        (Program::Lstm, _, Against::OneThread) => {
            "every step waits for the one before, and is short"
        }
        _ => "not in a profile yet",
    }
}
