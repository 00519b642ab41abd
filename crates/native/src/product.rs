//! Matrix products of the `gemm` family of crates, for generated code.
//!
//! If there are several threads, a large product is cut into pieces for them. Results have the same bits
//! for any number of threads: the crates add up an element in an order that depends on the length of its
//! row and column only, since both parts of a cut are no vectors and no small squares
//! (`tests/runtime/parallel.rs` compares them).

use std::ffi::c_void;

use gemm_common::Parallelism;

use crate::abi::Context;
use crate::tuning::{GRAIN, LARGE_PIECE, LEAST_PIECE, MOST_PIECES, ONE_PIECE};

/// `host->product` for `double`.
///
/// # Safety
/// The matrices are inside of memory that may be read, and for `c` written, by this thread; nobody
/// else writes to them.
pub(crate) unsafe extern "C" fn double(
    m: i64,
    n: i64,
    k: i64,
    a: *const c_void,
    a_rs: i64,
    a_cs: i64,
    b: *const c_void,
    b_rs: i64,
    b_cs: i64,
    c: *mut c_void,
    c_rs: i64,
    c_cs: i64,
    add: i32,
    context: *mut Context,
) {
    let a = Matrix { start: a.cast_mut().cast::<f64>(), row: a_rs as isize, column: a_cs as isize };
    let b = Matrix { start: b.cast_mut().cast::<f64>(), row: b_rs as isize, column: b_cs as isize };
    let c = Matrix { start: c.cast::<f64>(), row: c_rs as isize, column: c_cs as isize };
    let kernel = gemm_f64::gemm::f64::get_gemm_fn();
    // SAFETY: as promised above.
    unsafe {
        product(Job { m, n, k, a, b, c, add: add != 0, one: 1.0, zero: 0.0, kernel }, context)
    };
}

/// `host->product` for `float`.
///
/// # Safety
/// As of [`double`].
pub(crate) unsafe extern "C" fn single(
    m: i64,
    n: i64,
    k: i64,
    a: *const c_void,
    a_rs: i64,
    a_cs: i64,
    b: *const c_void,
    b_rs: i64,
    b_cs: i64,
    c: *mut c_void,
    c_rs: i64,
    c_cs: i64,
    add: i32,
    context: *mut Context,
) {
    let a = Matrix { start: a.cast_mut().cast::<f32>(), row: a_rs as isize, column: a_cs as isize };
    let b = Matrix { start: b.cast_mut().cast::<f32>(), row: b_rs as isize, column: b_cs as isize };
    let c = Matrix { start: c.cast::<f32>(), row: c_rs as isize, column: c_cs as isize };
    let kernel = gemm_f32::gemm::f32::get_gemm_fn();
    // SAFETY: as promised above.
    unsafe {
        product(Job { m, n, k, a, b, c, add: add != 0, one: 1.0, zero: 0.0, kernel }, context)
    };
}

/// A matrix: where its first element is, and how far rows and columns are apart.
#[derive(Clone, Copy)]
struct Matrix<T> {
    start: *mut T,
    row: isize,
    column: isize,
}

impl<T> Matrix<T> {
    fn transposed(self) -> Matrix<T> {
        Matrix { row: self.column, column: self.row, ..self }
    }

    /// The part that begins at this row and column.
    fn at(self, row: usize, column: usize) -> Matrix<T> {
        let by =
            (row as isize).wrapping_mul(self.row) + (column as isize).wrapping_mul(self.column);
        Matrix { start: self.start.wrapping_offset(by), ..self }
    }
}

/// `c = a b`, or `c += a b`.
struct Job<T> {
    m: i64,
    n: i64,
    k: i64,
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    add: bool,
    one: T,
    zero: T,
    kernel: Kernel<T>,
}

/// A function of the crates `gemm-f64` and `gemm-f32`.
type Kernel<T> = unsafe fn(
    usize,
    usize,
    usize,
    *mut T,
    isize,
    isize,
    bool,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    T,
    bool,
    bool,
    bool,
    Parallelism,
);

/// # Safety
/// As of [`double`].
unsafe fn product<T: Copy + 'static>(job: Job<T>, context: *mut Context) {
    let size = |it: i64| usize::try_from(it).unwrap_or(0);
    let (m, n, k) = (size(job.m), size(job.n), size(job.k));
    if m == 0 || n == 0 {
        return;
    }
    // SAFETY: the context is that of the caller, and its host, if there is one, is ours.
    unsafe {
        let host = (*context).host;
        let threads = if host.is_null() { 1 } else { size((*host).threads) };
        let (along, pieces) = (m.max(n), pieces(m, n, k, threads));
        if pieces == 1 {
            return piece(&job, (0, m), (0, n));
        }
        let step = along.div_ceil(pieces).next_multiple_of(GRAIN);
        let env = Pieces { job: &job, m, n, step };
        let env: *const Pieces<'_, T> = &raw const env;
        let n_tasks = along.div_ceil(step) as i64;
        let myself = (*host).surroundings.cast_mut().cast();
        ((*host).parallel)(myself, n_tasks, one_piece::<T>, env.cast_mut().cast(), context);
    }
}

/// Into how many pieces a product is cut.
fn pieces(m: usize, n: usize, k: usize, threads: usize) -> usize {
    let work = m as f64 * n as f64 * k as f64;
    let longest = m.max(n);
    let several = threads > 1 && work >= ONE_PIECE && longest >= 2 * LEAST_PIECE;
    if several { (longest / LARGE_PIECE).clamp(2, MOST_PIECES.max(threads)) } else { 1 }
}

struct Pieces<'a, T> {
    job: &'a Job<T>,
    m: usize,
    n: usize,
    step: usize,
}

/// # Safety
/// `env` is a [`Pieces`] whose product may be made; a task of [`product`].
unsafe extern "C" fn one_piece<T: Copy + 'static>(env: *mut c_void, number: i64, _: *mut Context) {
    // SAFETY: as promised; pieces are apart from each other.
    unsafe {
        let env = &*env.cast::<Pieces<'_, T>>();
        let from = number as usize * env.step;
        let part = |whole: usize| (from, whole.min(from + env.step) - from);
        match env.m >= env.n {
            true => piece(env.job, part(env.m), (0, env.n)),
            false => piece(env.job, (0, env.m), part(env.n)),
        }
    }
}

/// Some rows and columns of the product: where they begin and how many they are.
///
/// # Safety
/// As of [`double`].
unsafe fn piece<T: Copy + 'static>(job: &Job<T>, rows: (usize, usize), columns: (usize, usize)) {
    let (mut a, mut b, mut c) =
        (job.a.at(rows.0, 0), job.b.at(0, columns.0), job.c.at(rows.0, columns.0));
    let (mut m, mut n) = (rows.1, columns.1);
    // Kernels store by columns: where rows are next to each other, the product is transposed.
    if c.column.abs() < c.row.abs() {
        (a, b, c) = (b.transposed(), a.transposed(), c.transposed());
        (m, n) = (n, m);
    }
    let k = usize::try_from(job.k).unwrap_or(0);
    let keep = if job.add { job.one } else { job.zero };
    // SAFETY: as promised above.
    unsafe {
        (job.kernel)(
            m,
            n,
            k,
            c.start,
            c.column,
            c.row,
            job.add,
            a.start,
            a.column,
            a.row,
            b.start,
            b.column,
            b.row,
            keep,
            job.one,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
