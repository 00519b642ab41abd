//! How long to measure.

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For results that are kept.
    Full,
    /// To see that everything runs.
    Quick,
}
