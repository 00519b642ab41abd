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

/// In how many directions derivatives are computed by one run of forward mode. A gradient by 64 numbers of a
/// loop over scalars took 3.4 s one by one, 0.9 s with 8 lanes, 0.54 with 16, 0.38 with 32, 0.14 with 64; by
/// whole arrays 15.2, 4.4, 3.2, 1.6 and 1.2. More lanes are more memory for every tangent.
/// For `directions.rs`.
pub(crate) const LANES: usize = 32;

/// How many contributions a chunk holds.
/// For `tape/contributions.rs`.
pub(crate) const CHUNK: usize = 1 << 14;

/// What is kept for the next tape.
/// For `tape/contributions.rs`.
pub(crate) const SPARE_CHUNKS: usize = 16;
