//! The numbers behind what passes think is worth the while, in one place.
//!
//! Beside each stands how much hangs on it: how many of the 485 C files of the examples and benchmarks
//! change if it is half or double, and by how much their 399,865 lines.
//!
//! Time is that of programs of the benchmarks, value and gradient, by one thread, relative to the number as
//! it is: the least of six runs in turns, of 17 programs those whose code changes.

/// By how many statements calls that are inlined may make a program larger.
/// For `simplify/inline.rs`.
/// Half and double change the C of none.
/// Time: half and double change none of the programs measured.
pub(crate) const GROWTH: usize = 600;

/// Rows of at most so many elements are as cheap whole.
/// For `simplify/rules/one_hot.rs`.
/// Half and double change the C of none.
/// Time: half and double change none of the programs measured.
pub(crate) const SHORT_ROW: i64 = 8;

/// Statements of what is written at every call.
/// For `inline.rs`, and for the ends of recursions in `peel.rs`.
/// Half changes the C of 18 and the lines by +0.37 %, double that of 7 by -0.02 %.
/// Time: half mixture 0.98 and 1.03.
pub(crate) const SMALL_DEFINITION: usize = 24;

/// A function of at most so many statements is put in place wherever it is applied.
/// For `specialise/body.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SMALL_FUNCTION: usize = 8;

/// How many statements the branches may have.
/// For `choose.rs`.
/// Time: half bundle 0.97 and 2.22.
pub(crate) const MOST_CHOSEN: usize = 64;

/// How many elements may be computed for nothing where a condition does not hold.
/// For `bot/cost.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const CHEAP: i64 = 256;

/// How many times what is computed anyway.
/// For `bot/cost.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const TIMES: i64 = 16;

/// The longest axis that is taken apart.
/// For `spread.rs`.
/// Time: half bundle 1.33 and 3.26, network 1.00 and 1.09; double mixture 1.00 and 2.48.
pub(crate) const LONGEST_AXIS: i64 = 16;

/// The most positions of one array.
/// For `spread.rs`.
/// Time: half bundle 1.00 and 1.38.
pub(crate) const MOST_PARTS: usize = 32;

/// If a definition would get more statements than this, it stays as it is.
/// For `spread.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_STATEMENTS: usize = 3000;

/// A write and a read, in units of a cheap operation.
/// For `recompute/steps.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const KEPT: u64 = 6;

/// A read.
/// For `recompute/steps.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const READ: u64 = 2;

/// Rounds after which it ends in any case.
/// For `simplify.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MAX_ROUNDS: usize = 6;

/// Polynomials with more terms are not worth the while.
/// For `simplify/facts/affine.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const AFFINE_TERMS: usize = 12;

/// Sums of more terms are looked at in parts.
/// For `simplify/rules/sums.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SUM_TERMS: usize = 16;

/// A loop of at most so many steps keeps all of them.
/// For `checkpoint/pieces.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SHORT_LOOP: i64 = 16;

/// Derivatives of derivatives keep states now and then up to this order, and beyond it what each step leaves: a piece
/// has `2 ** (HIGHEST_ORDER + 1)` definitions then.
/// For `checkpoint.rs`.
/// Time: half and double change none of the programs measured, none of which has a derivative of the third order.
pub(crate) const HIGHEST_ORDER: u32 = 4;

/// More statements of index arithmetic than these stay in front of a loop.
/// For `sink.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_SUNK: usize = 12;

/// The longest part of a recursion that is there twice, so that its last calls are none; that of minors has 22
/// statements.
/// For `peel.rs`.
/// Time: without, minors take 1.45 for the value and 1.48 for the gradient; half and double leave them as
/// they are.
pub(crate) const MOST_PEELED: usize = 64;
