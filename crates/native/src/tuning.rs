//! The numbers behind emitted code and its runtime, in one place.

/// Elements of at most so many bytes go to the stack of C.
/// For `emit/block.rs`.
pub(crate) const STACK_BYTES: i64 = 512;

/// How many parts a draft has.
/// For `emit/parts.rs`.
pub(crate) const PARTS_OF_DRAFT: usize = 2;

/// Lines of fast code that are one part.
/// For `emit/parts.rs`.
pub const LONG: usize = 4000;

/// Lines of a part of longer code.
/// For `emit/parts.rs`.
pub(crate) const PART: usize = 2000;

/// From so many on it is worth the while.
/// For `emit/loose.rs`.
pub(crate) const MANY_LOOSE: usize = 4;

/// A loop of so many steps without loops or calls inside needs no look at whether to stop.
/// For `emit/steps.rs`.
pub(crate) const SHORT_LOOP: i64 = 4096;

/// A vector loop of so many steps is written out.
/// For `emit/steps.rs`.
pub(crate) const FEW_STEPS: i64 = 4;

/// A loop that would be longer is not written out: a product of 4 by 4 matrices is.
/// For `emit/steps.rs`.
pub(crate) const LONGEST_WRITTEN_OUT: usize = 320;

/// A body of at most so much is written out twice.
/// For `emit/lanes.rs`.
pub(crate) const SMALL_BODY: usize = 16;

/// A body of at most so much that accumulates is written out four times.
/// For `emit/lanes.rs`.
pub(crate) const TINY_BODY: usize = 8;

/// A loop of so many steps is not worth writing its body more than once.
/// For `emit/lanes.rs`.
pub(crate) const FEW_VECTORS: i64 = 64;

/// As many calls are few. For vectors a call costs more, since it keeps none of their registers.
/// For `emit/prelude.rs`.
pub(crate) const FEW_OF_SCALARS: usize = 2;

/// For `emit/prelude.rs`.
pub(crate) const FEW_OF_VECTORS: usize = 4;

/// From so many constants on a table is made.
/// For `emit/table.rs`.
pub(crate) const MANY_CONSTANTS: usize = 64;

/// Lines of a function on reals that is put where it is called.
/// For `emit/look.rs`.
pub(crate) const SHORT_FUNCTION: usize = 40;

/// Steps of loops, or calls, that a draft is worth: about as long as the C compiler takes for fast code.
/// For `emit.rs`.
pub(crate) const DRAFT: u64 = 1 << 22;

/// Where large pages begin: small calls should not pay for clearing one.
/// For `arena.rs`.
pub(crate) const SMALL_ARENA: usize = 4 << 20;

/// Pages behind this are given back from time to time.
/// For `arena.rs`.
pub(crate) const KEPT_PAGES: usize = 512 << 20;

/// How many arenas wait for calls.
/// For `arena.rs`.
pub(crate) const MOST_IDLE: usize = 8;

/// Bytes of addresses that a thread keeps for its next call.
/// For `arena.rs`.
pub(crate) const MOST_OWN: usize = 16 << 30;

/// After how many calls they are.
/// For `arena.rs`.
pub(crate) const TRIMMED_EVERY: u32 = 64;

/// How often a worker looks for work before it sleeps: some 20 microseconds.
/// For `pool.rs`.
pub(crate) const WORKER_LOOKS: u32 = 2_000;

/// How often a caller looks whether a worker is done before it lets others run.
/// For `pool.rs`.
pub(crate) const CALLER_LOOKS: u32 = 10_000;

/// Memory that a sleeping worker keeps.
/// For `pool.rs`.
pub(crate) const KEPT_BY_WORKER: usize = 16 << 20;

/// Multiplications below which a product is one piece.
/// For `product.rs`.
pub(crate) const ONE_PIECE: f64 = 2e6;

/// Rows or columns that a piece has at least, if there is more than one: what all pieces need is
/// brought into order for each of them.
/// For `product.rs`.
pub(crate) const LEAST_PIECE: usize = 128;

/// About how many it has of large products.
/// For `product.rs`.
pub(crate) const LARGE_PIECE: usize = 256;

/// Pieces at most.
/// For `product.rs`.
pub(crate) const MOST_PIECES: usize = 8;

/// Rows or columns of a piece are a multiple of what kernels do at once.
/// For `product.rs`.
pub(crate) const GRAIN: usize = 8;

/// Compilers at work at the same time.
/// For `compile.rs`.
pub(crate) const COMPILERS: usize = 2;
