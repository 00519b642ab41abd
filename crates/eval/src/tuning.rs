//! The numbers behind the interpreter's bookkeeping, in one place.

/// Operations between two looks: what an eye does not see.
/// For `eval.rs`.
pub(crate) const LOOKS_EVERY: u64 = 1 << 14;

/// What must be left for one more level.
/// For `stack.rs`.
pub(crate) const RED_ZONE: usize = 128 * 1024;

/// What is added when it is not.
/// For `stack.rs`.
pub(crate) const SEGMENT: usize = 4 * 1024 * 1024;

/// How many contributions a chunk holds.
/// For `tape/contributions.rs`.
pub(crate) const CHUNK: usize = 1 << 14;

/// What is kept for the next tape.
/// For `tape/contributions.rs`.
pub(crate) const SPARE_CHUNKS: usize = 16;
