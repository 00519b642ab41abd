//! The numbers behind the interpreter's bookkeeping, in one place. Seconds are those of a processor in a
//! release build, the least of four runs in turns; a tenth is noise.

/// Operations between two looks: what an eye does not see. A loop of 20 million steps took 0.47 s with a look
/// every 2^8 operations, 0.40 with 2^10, 0.42 with 2^14 and 0.40 with 2^20.
/// For `eval.rs`.
pub(crate) const LOOKS_EVERY: u64 = 1 << 14;

/// What must be left for one more level. Recursion 200,000 deep runs with 32 KiB in a release build, whose
/// frames are a fifth of those without optimisation, and took 1.8 s then, 1.6 with 64, 1.7 with 256 and 512: it
/// costs nothing.
/// For `stack.rs`.
pub(crate) const RED_ZONE: usize = 128 * 1024;

/// What is added when it is not. The same took 1.7 s with 1, 2, 16 and 64 MiB, 1.8 and 1.9 with 8 and 4: it
/// costs nothing either, and a limit of memory is kept as closely as this is small.
/// For `stack.rs`.
pub(crate) const SEGMENT: usize = 4 * 1024 * 1024;

/// In how many directions derivatives are computed by one run of forward mode. A gradient by 64 numbers of a
/// loop over scalars took 3.4 s one by one, 0.9 s with 8 lanes, 0.54 with 16, 0.38 with 32, 0.14 with 64; by
/// whole arrays 15.2, 4.4, 3.2, 1.6 and 1.2. More lanes are more memory for every tangent.
/// For `directions.rs`.
pub(crate) const LANES: usize = 32;

/// How many contributions a chunk holds. A gradient through a loop of five million steps took 0.97 s with 2^10,
/// 0.78 with 2^12, 0.80 with 2^14, 0.82 with 2^16, 0.87 with 2^18; a thousand small ones 0.99, 0.85, 0.88, 0.96
/// and 1.07.
/// For `tape/contributions.rs`.
pub(crate) const CHUNK: usize = 1 << 14;

/// What is kept for the next tape. Forty gradients of 300,000 steps took 1.50 s with none, 1.25 with 4, 1.04
/// with 16, 1.19 with 64, 1.27 with 256; one long one 0.84, 0.83, 0.78, 0.69 and 0.85.
/// For `tape/contributions.rs`.
pub(crate) const SPARE_CHUNKS: usize = 16;
