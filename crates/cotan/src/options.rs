//! How programs run.

pub use eval::{Precision, Via};

/// How programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The precision of `Real`.
    pub precision: Precision,
    /// The bytes that a running program may hold.
    pub memory: u64,
    /// The method of differentiation.
    pub via: Via,
}

impl Default for Options {
    /// Double precision, 4 GiB, the method chosen by the compiler.
    fn default() -> Options {
        Options { precision: Precision::F64, memory: 4 << 30, via: Via::Auto }
    }
}

impl Options {
    /// As the interpreter wants them.
    pub(crate) fn limits(self) -> eval::Limits {
        let memory = usize::try_from(self.memory).unwrap_or(usize::MAX);
        eval::Limits { memory, precision: self.precision, via: self.via }
    }
}
