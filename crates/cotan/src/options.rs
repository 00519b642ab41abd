//! How programs run.

pub use eval::Precision;

/// How programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The precision of `Real`.
    pub precision: Precision,
    /// The bytes that a running program may hold.
    pub memory: u64,
}

impl Default for Options {
    /// Double precision and 4 GiB.
    fn default() -> Options {
        Options { precision: Precision::F64, memory: 4 << 30 }
    }
}

impl Options {
    /// As the interpreter wants them.
    pub(crate) fn limits(self) -> eval::Limits {
        let memory = usize::try_from(self.memory).unwrap_or(usize::MAX);
        eval::Limits { memory, precision: self.precision }
    }
}
