//! The numbers behind the runtime of compiled code, in one place.

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
