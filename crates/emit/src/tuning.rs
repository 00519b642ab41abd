//! The numbers behind emitted code, in one place.
//!
//! Time is that of programs of the benchmarks, value and gradient, by one thread, relative to the number as
//! it is: the least of six runs in turns, of 17 programs those whose code changes.

/// Elements of at most so many bytes go to the stack of C.
/// For `block.rs`.
/// Time: half lstm 1.00 and 1.01, ragged 0.99 and 1.04; double logsumexp 1.02 and 1.02, lstm 1.00 and
/// 0.99, mixture 1.00 and 1.01.
pub(crate) const STACK_BYTES: i64 = 512;

/// How many parts a draft has.
/// For `parts.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const PARTS_OF_DRAFT: usize = 2;

/// Lines of fast code that are one part.
/// For `parts.rs`.
/// Time of the C compiler for 7,000 lines, the eigenvalues of a matrix: 5.2 s as one part; as four 8.8 s of
/// processors, of which the longest part is 2.9. So it is for those who have processors to spare.
pub const LONG: usize = 4000;

/// Lines of a part of longer code.
/// For `parts.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const PART: usize = 2000;

/// From so many on it is worth the while.
/// For `loose.rs`.
/// Time: double horner 1.00 and 1.00, jacobian 1.00 and 1.00, minors 1.00 and 1.02, mixture 1.00 and 1.01, ragged at 64
/// rows 1.00 and 1.11, shifted 1.00 and 1.01; four times also elementwise 1.00 and 1.04, forces 1.00 and 1.01, lstm 1.00 and
/// 1.00.
pub(crate) const MANY_LOOSE: usize = 2;

/// A loop of so many steps without loops or calls inside needs no look at whether to stop.
/// For `steps.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SHORT_LOOP: i64 = 4096;

/// A vector loop of so many steps is unrolled.
/// For `steps.rs`.
/// Time: double kmeans 1.00 and 1.09, minors 1.01 and 1.00.
pub(crate) const FEW_STEPS: i64 = 4;

/// A loop that would be longer is not unrolled: a product of 4 by 4 matrices is.
/// For `steps.rs`.
/// Time: half lstm 1.00 and 1.01, minors 0.99 and 1.01; double kmeans 1.01 and 1.05.
pub(crate) const LONGEST_WRITTEN_OUT: usize = 320;

/// A body of at most so much is unrolled twice.
/// For `lanes.rs`.
/// Time: half forces 1.02 and 1.00, minors 1.04 and 1.01, network 1.03 and 1.02, shifted 1.00 and 1.00.
pub(crate) const SMALL_BODY: usize = 16;

/// A body of at most so much that accumulates is unrolled four times.
/// For `lanes.rs`.
/// Time: half horner 0.98 and 1.00.
pub(crate) const TINY_BODY: usize = 8;

/// A loop of so many steps is not worth writing its body more than once.
/// For `lanes.rs`.
/// Time: half lstm 0.96 and 0.98.
pub(crate) const FEW_VECTORS: i64 = 64;

/// As many calls are few. For vectors a call costs more, since it keeps none of their registers.
/// For `prelude.rs`.
/// Time: half jacobian 1.00 and 1.09. The C compiler takes as long either way: 27 s for 40 files with it.
pub(crate) const FEW_OF_SCALARS: usize = 4;

/// For `prelude.rs`.
/// Time: half forces 1.00 and 0.99, lstm 1.02 and 1.02, mixture 1.00 and 1.02; double minors 1.00 and
/// 0.99, mixture 1.03 and 1.00, network 0.98 and 1.03, rotate_rows 0.89 and 0.97.
pub(crate) const FEW_OF_VECTORS: usize = 4;

/// From so many constants on a table is made.
/// For `table.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MANY_CONSTANTS: usize = 64;

/// Lines of a function on reals that is put where it is called.
/// For `look.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const SHORT_FUNCTION: usize = 40;

/// Steps of loops, or calls, that a draft is worth, and more for each line of it: about as long as the C
/// compiler takes for fast code, which is 65 ms and 0.8 ms a line where a step takes 20 ns.
/// For `lib.rs`.
/// Time: half and double change none of the programs measured.
pub const DRAFT: u64 = 1 << 22;
/// As above, for a line: 0.8 ms are 40,000 steps.
pub const LINE_OF_DRAFT: u64 = 1 << 15;
