//! Cotan for Python: programs, functions and their calls. What users see is on top of it, in `cotan/`.

mod error;
mod function;
mod interrupt;
mod into;
mod linearised;
mod out;
mod program;
mod sparse;

use pyo3::prelude::*;

/// The part of the package that is Rust.
///
/// It needs no lock of Python's: its classes are frozen, so that nothing is ever borrowed to be changed, and
/// what they keep is shared by threads as Rust demands it. Whoever waits for a lock of ours is detached from
/// Python, so that nobody waits for Python behind it.
#[pymodule(gil_used = false)]
mod _cotan {
    #[pymodule_export]
    use crate::function::Core;
    #[pymodule_export]
    use crate::interrupt::after_fork;
    #[pymodule_export]
    use crate::linearised::Linearised;
    #[pymodule_export]
    use crate::program::{Program, explain};
    #[pymodule_export]
    use crate::sparse::Sparse;
}
