//! The numbers behind what differentiation thinks is worth the while, in one place.
//!
//! Time is that of programs of the benchmarks, value and gradient, by one thread, relative to the number as
//! it is: the least of six runs in turns, of 17 programs those whose code changes.

/// Loops and functions are walked through several times, and those inside of them again: deeper than
/// this, all is taken to depend on all.
/// For `flow/walk.rs` and `linmap/places/look/control.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const DEEPEST_WALK: u32 = 6;

/// Through how many loops a variable is kept by itself.
/// For `chad/reverse/steps.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const FLAT_LOOPS: usize = 4;

/// A map of more paths is taken for full: its matrix is cheaper row by row.
/// For `linmap/paths.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_PATHS: usize = 8;

/// More places of one parameter become one that has them all.
/// For `linmap/places.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_PLACES: usize = 8;

/// A size of which nothing is known is taken to be more than this, where tangents are counted.
/// For `bulk/operators/compressed.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const LARGE_SIZE: i64 = 16;

/// The most columns that run at once: each variable of a loop has as many tangents, which stay in the
/// first-level cache.
/// For `bulk/operators/at_once.rs` and `bulk/operators/compressed.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_COLUMNS: i64 = 64;

/// Functions of at most so many terms are put where they are used: a body runs for each call wherever it is.
/// For `chad/paper/rules/lets.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SMALL_LAMBDA: usize = 40;
