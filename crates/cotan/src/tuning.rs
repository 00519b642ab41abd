//! The numbers behind what a run thinks is worth the while, in one place.
//!
//! Time is that of programs of the benchmarks, value and gradient, by one thread, relative to the number as
//! it is: the least of six runs in turns, of 17 programs those whose code changes.

/// Operations that this is worth. Most take about a second; calls that nest fill the memory meanwhile,
/// which takes longer, but only so it is known who called whom.
/// For `retell.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_RETOLD: u64 = 1 << 25;

/// Operations that take slow code longer than the C compiler takes for fast code.
/// For `machine/recipe.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const LONG_RUN: u64 = 1 << 25;

/// Operations that instant code does while the C compiler is at work on what one statement of loop nests becomes:
/// 0.8 ms, at 3 ns.
/// For `machine/instant.rs`.
#[cfg(feature = "instant")]
pub(crate) const NODE_OF_C: u64 = 1 << 18;

/// So many tests are compiled together.
/// For `together.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const TESTS_AT_ONCE: usize = 16;

/// Threads that are told apart; more of them share, and wait for each other.
/// For `handle/copies.rs`.
/// An estimate: machines with more processors were not there to be measured.
pub(crate) const THREADS_APART: usize = 16;

/// Every level more does each step once more.
/// For `again.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_LEVELS: u32 = 4;

/// So many bytes are handed on together: as many as a pipe of Linux holds.
/// For `show.rs`.
pub(crate) const PIECE: usize = 1 << 16;
