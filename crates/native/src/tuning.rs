//! The numbers behind the runtime of compiled code, in one place.
//!
//! Time is that of three programs of the benchmarks, value and gradient, by two threads, relative to the number
//! as it is: the least of four runs in turns. What differs by less than a quarter is noise here: those
//! that wait for calls do not concern a product of matrices.

/// Where large pages begin: small calls should not pay for clearing one.
/// For `arena.rs`.
/// Time: half network 0.97 and 0.90, kmeans 0.88 and 1.00, matmul 1.01 and 1.02; double network 0.99 and
/// 1.02, kmeans 1.01 and 1.03, matmul 1.00 and 1.05.
pub(crate) const SMALL_ARENA: usize = 4 << 20;

/// Pages behind this are given back from time to time.
/// For `arena.rs`.
/// Time: half network 0.98 and 0.89, kmeans 1.00 and 1.00, matmul 1.05 and 1.06; double network 0.95 and
/// 1.07, kmeans 0.99 and 1.00, matmul 0.98 and 0.99.
pub(crate) const KEPT_PAGES: usize = 512 << 20;

/// How many arenas wait for calls.
/// For `arena.rs`.
/// Time: half network 0.96 and 0.98, kmeans 0.92 and 1.03, matmul 0.97 and 0.99; double network 0.98 and
/// 1.06, kmeans 1.00 and 1.00, matmul 1.23 and 1.21.
pub(crate) const MOST_IDLE: usize = 8;

/// Bytes of addresses that a thread keeps for its next call.
/// For `arena.rs`.
/// Time: half network 1.02 and 0.98, kmeans 0.99 and 1.00, matmul 1.01 and 1.00; double network 1.00 and
/// 0.98, kmeans 0.99 and 1.00, matmul 1.01 and 0.99.
pub(crate) const MOST_OWN: usize = 16 << 30;

/// After how many calls they are.
/// For `arena.rs`.
/// Time: half network 1.00 and 0.97, kmeans 1.01 and 0.99, matmul 1.02 and 1.00; double network 0.98 and
/// 0.94, kmeans 1.00 and 1.00, matmul 1.02 and 0.98.
pub(crate) const TRIMMED_EVERY: u32 = 64;

/// How often a worker looks for work before it sleeps: some 20 microseconds.
/// For `pool.rs`.
/// Time: half network 0.96 and 0.99, kmeans 1.00 and 1.02, matmul 1.00 and 1.00; double network 1.03 and
/// 1.00, kmeans 0.97 and 0.97, matmul 1.00 and 0.99.
pub(crate) const WORKER_LOOKS: u32 = 2_000;

/// How often a caller looks whether a worker is done before it lets others run.
/// For `pool.rs`.
/// Time: half network 0.98 and 1.00, kmeans 1.00 and 1.00, matmul 1.00 and 1.00; double network 1.01 and
/// 0.99, kmeans 1.00 and 1.00, matmul 1.00 and 1.01.
pub(crate) const CALLER_LOOKS: u32 = 10_000;

/// Memory that a sleeping worker keeps.
/// For `pool.rs`.
/// Time: half network 1.02 and 1.00, kmeans 1.00 and 1.01, matmul 0.99 and 0.97; double network 1.00 and
/// 1.01, kmeans 1.00 and 1.00, matmul 1.00 and 1.00.
pub(crate) const KEPT_BY_WORKER: usize = 16 << 20;

/// Multiplications below which a product is one piece.
/// For `product.rs`.
/// Time: half network 1.00 and 1.00, kmeans 0.99 and 1.00, matmul 1.00 and 1.01; double network 0.98 and
/// 0.99, kmeans 1.00 and 1.00, matmul 1.00 and 0.99.
pub(crate) const ONE_PIECE: f64 = 2e6;

/// Rows or columns that a piece has at least, if there is more than one: what all pieces need is
/// brought into order for each of them.
/// For `product.rs`.
/// Time: twice as many, 128, take 1.46 and 1.39 for products of 200 by 200, which are one piece then; network
/// and kmeans are as they are.
pub(crate) const LEAST_PIECE: usize = 64;

/// About how many it has of large products.
/// For `product.rs`.
/// Time: half network 0.99 and 1.01, kmeans 1.00 and 1.00, matmul 1.00 and 0.99; double network 0.99 and
/// 1.00, kmeans 1.01 and 1.00, matmul 1.00 and 1.00.
pub(crate) const LARGE_PIECE: usize = 256;

/// Pieces at most.
/// For `product.rs`.
/// Time: half network 1.02 and 0.99, kmeans 1.00 and 1.01, matmul 1.00 and 1.00; double network 1.00 and
/// 1.00, kmeans 1.00 and 1.00, matmul 1.00 and 1.00.
pub(crate) const MOST_PIECES: usize = 8;

/// Rows or columns of a piece are a multiple of what kernels do at once.
/// For `product.rs`.
/// Time: half network 1.03 and 1.00, kmeans 1.00 and 0.99, matmul 1.00 and 0.99; double network 1.01 and
/// 1.00, kmeans 1.00 and 1.00, matmul 0.99 and 1.01.
pub(crate) const GRAIN: usize = 8;

/// Compilers at work at the same time.
/// For `compile.rs`.
/// Time: half network 1.00 and 1.01, kmeans 1.00 and 1.01, matmul 1.00 and 1.00; double network 0.97 and
/// 1.00, kmeans 1.00 and 1.01, matmul 1.00 and 1.00.
pub(crate) const COMPILERS: usize = 2;
