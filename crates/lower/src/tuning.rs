//! The numbers behind the schedule of loops, in one place.
//!
//! Beside each stands how much hangs on it: how many of the 485 C files of the examples and benchmarks
//! change if it is half or double, and by how much their 399,865 lines. Numbers of batches, of the order of
//! loops, of what is unrolled and of chains were measured later, when these were 663 files of 653,085 lines.
//!
//! Time is that of programs of the benchmarks, value and gradient, by one thread, relative to the number as
//! it is: the least of six runs in turns, of 17 programs those whose code changes. Of the numbers that were
//! measured later it is that of the C for all sizes, also of examples, and of some only whose C changes, which are
//! named: two numbers are value and gradient there too, one is that of a gradient.

/// Lanes of a vector, for estimates.
/// For `schedule/vectors.rs`.
/// Half changes the C of 17 and the lines by +0.02 %, double that of 12 by -0.10 %.
/// Time: half logsumexp 1.00 and 1.20; double kmeans 0.63 and 1.81.
pub(crate) const LANES: f64 = 8.0;

/// What a load costs that is not of neighbours, for each lane.
/// For `schedule/vectors.rs`.
/// Half changes the C of 12 and the lines by -0.01 %, double that of 10 by -0.12 %.
/// Time: double mixture 1.00 and 1.00.
pub(crate) const APART: f64 = 0.5;

/// Below this number of operations a loop does not run in chunks.
/// For `schedule/batches.rs`.
/// Half changes the C of 0 and the lines by +0.00 %, double that of 9 by -0.29 %.
/// Time: double jacobian 1.00 and 0.99, lstm 1.00 and 1.00, shifted 0.99 and 1.02.
pub(crate) const LEAST_CHUNKED: f64 = 10_000.0;

/// From so many contributions to an element on, tasks may have copies of all elements; how many do
/// is up to the sizes of the call, of which the estimates are powers of four.
/// For `schedule/batches.rs`.
/// Half and double change the C of none.
/// Time: half gather 1.00 and 0.98.
pub(crate) const CROWDED: f64 = 4.0;

/// The same inside of a loop, for all items together: most arrays are small there, and there may be many steps.
/// For `schedule/batches.rs`.
/// Ten times `LEAST_CHUNKED`, since tasks begin and end in every step.
/// Half changes the C of 8 and the lines by +0.13 %, double that of 6 by -0.06 %.
/// Time of lattice, 100 by 100: half 1.00 and 1.08; double 0.99 and 1.10. By several threads it was not measured.
pub(crate) const LEAST_CHUNKED_IN_LOOP: f64 = 100_000.0;

/// Loops of fewer steps, if they are known, do not run in chunks.
/// For `schedule/batches.rs`.
/// A few dozen tasks have a step or two each.
/// Half and double change the C of none.
/// Time of a product of matrices that are said to be 100 by 100, by a build for development: double 0.96.
pub(crate) const SHORT_BATCH: i64 = 64;

/// By how much less an axis is worth as one of chunks for each axis outside of it.
/// For `schedule/batches.rs`.
/// The outermost one is taken where nothing else tells two apart.
/// Half changes the C of 3 and the lines by +0.07 %, double that of 12 by -0.16 %.
/// Time: half mixture 3.1 and 4.5, whose components go in chunks then and not its points; double jacobian
/// 1.00 and 1.00.
pub(crate) const INNER: f64 = 0.1;

/// How much it weighs, as a part of the work, that what is added up along an axis is needed in the next step.
/// For `schedule/batches.rs`.
/// Such an axis is taken only where others have next to no work.
/// Half and double change the C of none.
pub(crate) const READ_AGAIN: f64 = 4.0;

/// A product of matrices takes part in chunks if the operand that all of them read has at most so many elements.
/// For `schedule/batches.rs`.
/// 128 KiB of doubles stay in most second-level caches.
/// Half and double change the C of none.
/// Time of a product of matrices that are said to be 100 by 100, by a build for development: half 0.97.
pub(crate) const IN_CACHE: f64 = 128.0 * 128.0;

/// What an element costs that is read where an index says, in operations.
/// For `schedule/batches.rs`.
/// The test of the index, and a load that is of no neighbours.
/// Half changes the C of 107 and the lines by +0.26 %, double that of 107 by +0.08 %: of most of them only by how
/// long a step is said to take, which is what tasks are made by; the loops of 21 and of 6.
/// Time of those: half lattice 1.00 and 1.09; double mixture 3.1 and 1.00, as above.
pub(crate) const GATHERED: i64 = 6;

/// What one costs that is written where an index says.
/// For `schedule/batches.rs`.
/// The above and a store.
/// Half changes the C of 4 and the lines by +0.04 %, double that of 11 by -0.10 %.
/// Time: double kmeans 1.00 and 2.8.
pub(crate) const SCATTERED: i64 = 8;

/// What a product and its sum cost, in a product of matrices.
/// For `schedule/batches.rs`.
/// They are two operations.
/// Half changes the C of 3 and the lines by +0.07 %, double that of 0 by +0.00 %.
/// Time: half mixture 3.1 and 4.5, as with `INNER`.
pub(crate) const MULTIPLIED: i64 = 2;

/// Loops of at most so many steps, if they are known, go innermost.
/// For `schedule/order.rs`.
/// A vector, `LANES`.
/// Half changes the C of 15 and the lines by -0.33 %, double that of 5 by -0.00 %.
/// Time: half transformer 1.10 and 1.00, bundle_adjustment 1.00 and 1.00, cholesky 0.96.
pub(crate) const INNERMOST: i64 = 8;

/// Loops of at most so many steps are unrolled: of vectors in space and of small matrices.
/// For `schedule/nesting.rs`.
/// Those have two to four steps, which leaves room for twice as many.
/// Half changes the C of 20 and the lines by -3.99 %, double that of 11 by +0.89 %.
/// Time: half transformer 1.15 and 1.01, bundle_adjustment 0.99 and 1.00, cholesky 1.15, gaussian_mixture 0.99,
/// interpolation 0.99; double transformer 1.00 and 1.00. What it costs is C: half takes a twenty-fifth of all lines.
pub(crate) const MOST_UNROLLED: i64 = 8;

/// What it is worth that items share a class, as a part of their cost: loops are fused.
/// For `schedule/vectors.rs`.
/// Half changes the C of 3 and the lines by +0.03 %, double that of 10 by +0.00 %.
/// Time: half and double change none of the programs measured.
pub(crate) const LATER: f64 = 0.25;

/// What adding up the lanes of a vector costs.
/// For `schedule/vectors.rs`.
/// Half changes the C of 13 and the lines by -0.06 %, double that of 8 by +0.04 %.
/// Time: half and double change none of the programs measured.
pub(crate) const ACROSS: f64 = 12.0;

/// How often it must be read.
/// For `schedule/pack.rs`.
/// Half and double change the C of none.
/// Time: half and double change none of the programs measured.
pub(crate) const PACKED_READS: f64 = 3.0;

/// Elements that a row has at least: half of a vector.
/// For `schedule/rowwise.rs`.
/// Half changes the C of 1 and the lines by +0.00 %, double that of 0 by +0.00 %.
/// Time: half and double change none of the programs measured.
pub(crate) const SHORT_ROW: f64 = 4.0;

/// Below this number of multiplications loops are as good.
/// For `schedule/contractions.rs`.
/// Half and double change the C of none.
/// Time: half and double change none of the programs measured.
pub(crate) const LEAST_PRODUCT: f64 = 256.0;

/// Below this size of any side too.
/// For `schedule/contractions.rs`.
/// Half and double change the C of none.
/// Time: half and double change none of the programs measured.
pub(crate) const THIN_PRODUCT: f64 = 3.0;

/// What a size is taken for where nothing is known.
/// For `typical.rs`.
/// Half changes the C of 16 and the lines by -0.24 %, double that of 12 by +0.14 %.
/// Time: half and double change none of the programs measured.
pub(crate) const TYPICAL: i64 = 64;

/// What a size is taken for that a recursion lessens in a loop.
/// For `typical.rs`.
/// Time of minors of seven rows, value and gradient, without vectors for such sizes, as a part of that with them:
/// 0.54 and 0.86.
pub(crate) const SMALL: i64 = 4;

/// For how many rows there is room at first.
/// For `flow/collect.rs`.
/// Half changes the C of 9 and the lines by +0.00 %, double that of 9 by +0.00 %.
/// Time: half and double change none of the programs measured.
pub(crate) const FIRST_ROWS: i64 = 16;

/// How many primitives may be computed anew wherever they are read: a chain in which each reads the one
/// before it twice doubles with every link.
/// For `plan.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const MOST_IN_PLACE: usize = 32;

/// Loops whose bodies have more nodes are not split where a test of the index changes.
/// For `split.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const LARGEST_SPLIT: usize = 200;

/// What a step of the pieces of a loop may cost, as a part of a step of the whole, for it to be split.
/// For `split.rs`.
/// Time: half minors 0.98 and 1.00, ragged 1.00 and 1.58, shifted 0.85 and 1.01; double forces 1.00 and
/// 0.98, shifted 1.00 and 1.55.
pub(crate) const SPLIT_GAIN: f64 = 0.75;

/// How often the pieces of a loop are split again.
/// For `split.rs`.
/// Time: half minors 0.96 and 0.99.
pub(crate) const SPLIT_AGAIN: usize = 2;

/// How many variables of a sum are replaced by their bounds, one after the other.
/// For `split/sums.rs`.
/// Time: half and double change none of the programs measured.
pub(crate) const DEEPEST_BOUND: usize = 6;

/// How many statements on either side of a loop are looked at.
/// For `columns.rs`.
/// Time of a polynomial of 100 coefficients at 10,000 points, in us, value and gradient: 57 and 153 with
/// 12, 24 and 48, 58 and 158 with 96; with 6 the gradient is 760, since the way back is out of sight.
pub(crate) const REACH: usize = 48;

/// How many registers all elements of a step may take together.
/// For `columns/jam.rs`.
/// Time of the same: 120 and 391 with 6, 80 and 228 with 12, 57 and 154 with 24, 58 and 190 with 48.
pub(crate) const MOST_REGISTERS: usize = 24;

/// How many elements each stretch has at least, of those that go side by side.
/// For `columns/jam.rs`.
/// Time of the same gradient at 100 points: 2.4 with 1, 2.2 with 2, 4 and 16, 4.3 with 64; of its value 1.2
/// with 1, 2 and 4, 2.2 with 16.
pub(crate) const LEAST_STRETCH: i64 = 2;

/// Axes that are known to be shorter are left alone: two vectors are hardly filled.
/// For `columns.rs`.
/// Time of a polynomial of 100 coefficients, value and gradient, as a part of that without: 0.8 and 1.0 at 16
/// points, 0.7 and 0.9 at 32, 0.7 and 0.7 at 64; fewer were not measured.
pub(crate) const SHORT_AXIS: i64 = 16;

/// Steps of a loop over which it is estimated how long one waits for the one before.
/// For `chain.rs`.
/// More than states are enough, since what they wait for repeats itself.
/// Half and double change the C of none.
pub(crate) const CHAIN_STEPS: usize = 16;

/// States of a loop that are written as linear forms of each other; each has a factor for each.
/// For `chain.rs`.
/// At six, factors are 36, more than there are registers.
/// Half and double change the C of none.
pub(crate) const CHAIN_STATES: usize = 6;

/// Operations that a processor has begun before the first of them is done: two in a cycle, four cycles.
/// For `chain.rs`.
/// What most processors do.
/// Half changes the C of 4 and the lines by -0.00 %, double that of 1 by +0.00 %.
/// Time: half the gradient of the value in pushforward 1.46, that of its derivative 1.16, that of the anomaly in
/// fixed_point 1.01; double that of the derivative in pushforward 0.88, so that 16 is worth a closer look.
pub(crate) const IN_FLIGHT: f64 = 8.0;

/// How much of its time a loop may take at most to be written otherwise.
/// For `chain.rs`.
/// What is gained by less than a fifth of an estimate may as well be lost.
/// 0.4 changes the C of 5 and the lines by -0.01 %, 1.0 that of 9 by +0.00 %.
/// Time: 0.4 pushforward 1.00 and 1.46, fixed_point 1.01; 1.0 rk4 1.00 and 1.03, throw 1.00, the gradients of the
/// value in directions and of the polynomial 1.00, that of the derivative in pushforward 0.88.
pub(crate) const CHAIN_GAIN: f64 = 0.8;

/// How long a quotient or a root takes, as a part of the time of a product.
/// For `chain.rs`.
/// A product takes four cycles on most processors, and a quotient 13 to 20.
/// Half and double change the C of none.
pub(crate) const DIVIDED: f64 = 4.0;

/// How long any other primitive takes that is no sum or product.
/// For `chain.rs`.
/// A comparison or a choice; functions take longer, but few loops wait for one in every step.
/// Half and double change the C of none.
pub(crate) const COMPUTED: f64 = 2.0;
