//! The numbers behind emitted code, in one place.

/// Elements of at most so many bytes go to the stack of C.
/// For `block.rs`.
pub(crate) const STACK_BYTES: i64 = 512;

/// How many parts a draft has.
/// For `parts.rs`.
pub(crate) const PARTS_OF_DRAFT: usize = 2;

/// Lines of fast code that are one part.
/// For `parts.rs`.
pub const LONG: usize = 4000;

/// Lines of a part of longer code.
/// For `parts.rs`.
pub(crate) const PART: usize = 2000;

/// From so many on it is worth the while.
/// For `loose.rs`.
pub(crate) const MANY_LOOSE: usize = 4;

/// A loop of so many steps without loops or calls inside needs no look at whether to stop.
/// For `steps.rs`.
pub(crate) const SHORT_LOOP: i64 = 4096;

/// A vector loop of so many steps is unrolled.
/// For `steps.rs`.
pub(crate) const FEW_STEPS: i64 = 4;

/// A loop that would be longer is not unrolled: a product of 4 by 4 matrices is.
/// For `steps.rs`.
pub(crate) const LONGEST_WRITTEN_OUT: usize = 320;

/// A body of at most so much is unrolled twice.
/// For `lanes.rs`.
pub(crate) const SMALL_BODY: usize = 16;

/// A body of at most so much that accumulates is unrolled four times.
/// For `lanes.rs`.
pub(crate) const TINY_BODY: usize = 8;

/// A loop of so many steps is not worth writing its body more than once.
/// For `lanes.rs`.
pub(crate) const FEW_VECTORS: i64 = 64;

/// As many calls are few. For vectors a call costs more, since it keeps none of their registers.
/// For `prelude.rs`.
pub(crate) const FEW_OF_SCALARS: usize = 2;

/// For `prelude.rs`.
pub(crate) const FEW_OF_VECTORS: usize = 4;

/// From so many constants on a table is made.
/// For `table.rs`.
pub(crate) const MANY_CONSTANTS: usize = 64;

/// Lines of a function on reals that is put where it is called.
/// For `look.rs`.
pub(crate) const SHORT_FUNCTION: usize = 40;

/// Steps of loops, or calls, that a draft is worth: about as long as the C compiler takes for fast code.
/// For `lib.rs`.
pub(crate) const DRAFT: u64 = 1 << 22;
