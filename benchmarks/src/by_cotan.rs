//! Gradients by Cotan, through its library: compiled once, called many times.

use std::ops::Range;

use cotan::{Answer, Argument, Compiled, Compiler, Options, Style, Via};

use crate::contender::{Contender, Notes, Tape};
use crate::problem::{Problem, Program};

/// A definition of a program, differentiated by one method.
pub struct ByCotan {
    program: Compiled,
    parameters: Vec<Parameter>,
    via: Via,
    way: Way,
}

/// A parameter and the part of the input that is its value.
struct Parameter {
    name: &'static str,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// How a program is written.
#[derive(Clone, Copy)]
enum Way {
    Plain,
    Elements,
    Arrays,
}

impl Way {
    /// The beginning of the names of its definitions.
    fn value(self, problem: &Problem) -> &'static str {
        match self {
            Way::Plain => problem.name(),
            Way::Elements => "by_elements",
            Way::Arrays => "by_arrays",
        }
    }

    fn gradient(self) -> &'static str {
        match self {
            Way::Plain => "gradient",
            Way::Elements => "by_elements_gradient",
            Way::Arrays => "by_arrays_gradient",
        }
    }
}
