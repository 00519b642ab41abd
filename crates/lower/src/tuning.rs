//! The numbers behind the schedule of loops, in one place.

/// Lanes of a vector, for estimates.
/// For `order.rs`.
pub(crate) const LANES: f64 = 8.0;

/// What a load costs that is not of neighbours, for each lane.
/// For `order.rs`.
pub(crate) const APART: f64 = 0.5;

/// Below this number of operations a loop does not run in chunks.
/// For `order.rs`.
pub(crate) const LEAST_CHUNKED: f64 = 10_000.0;

/// From so many contributions to an element on, tasks may have copies of all elements; how many do
/// is up to the sizes of the call, of which the estimates are powers of four.
/// For `order.rs`.
pub(crate) const CROWDED: f64 = 4.0;

/// What it is worth that items share a class, as a part of their cost: loops are put together.
/// For `order.rs`.
pub(crate) const LATER: f64 = 0.25;

/// What adding up the lanes of a vector costs.
/// For `order.rs`.
pub(crate) const ACROSS: f64 = 12.0;

/// How often it must be read.
/// For `pack.rs`.
pub(crate) const PACKED_READS: f64 = 3.0;

/// Elements that a row has at least: half of a vector.
/// For `rowwise.rs`.
pub(crate) const SHORT_ROW: f64 = 4.0;

/// Below this number of multiplications loops are as good.
/// For `product.rs`.
pub(crate) const LEAST_PRODUCT: f64 = 256.0;

/// Below this size of any side too.
/// For `product.rs`.
pub(crate) const THIN_PRODUCT: f64 = 3.0;

/// What a size is taken for where nothing is known.
/// For `typical.rs`.
pub(crate) const TYPICAL: i64 = 64;

/// For how many rows there is room at first.
/// For `flow/collect.rs`.
pub(crate) const FIRST_ROWS: i64 = 16;
