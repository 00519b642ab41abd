//! The numbers behind what a run thinks is worth the while, in one place.

/// Operations that this is worth. Most take about a second; calls that nest fill the memory meanwhile,
/// which takes longer, but only so it is known who called whom.
/// For `retell.rs`.
pub(crate) const MOST_RETOLD: u64 = 1 << 25;

/// Operations that take slow code longer than the C compiler takes for fast code.
/// For `machine/recipe.rs`.
pub(crate) const LONG_RUN: u64 = 1 << 25;

/// So many tests are compiled together.
/// For `together.rs`.
pub(crate) const TESTS_AT_ONCE: usize = 16;

/// Threads that are told apart; more of them share.
/// For `handle/copies.rs`.
pub(crate) const THREADS_APART: usize = 16;

/// Every level more does each step once more.
/// For `again.rs`.
pub(crate) const MOST_LEVELS: u32 = 4;

/// So many bytes are handed on together.
/// For `show.rs`.
pub(crate) const PIECE: usize = 1 << 16;
