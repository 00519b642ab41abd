//! What instant code calls: the functions that C has in `c/runtime.h` and `c/math.h`, in Rust.
//!
//! What a primitive means is said by the table of the interpreter. Sums of small products of matrices are added
//! up in their order; large products are those of `product.rs`.

use std::cmp::Ordering;
use std::ffi::c_void;

use eval::kernels::scalar::{IntPrim, RealPrim, on_ints, on_reals};
use eval::special;
use instant::Callee;

use crate::abi::{self, Context};
use crate::mapped::Texts;
use crate::{product, tell};

/// Multiplications from which on a product is large, as in C.
const LARGE: f64 = 32768.0;
/// The cache of a core; half of it is for what a chunk allocates.
const CACHE: i64 = 1 << 20;
/// Elements that chunks are multiples of, and the most they have.
const GRAIN: i64 = 64;
const MOST: i64 = 65536;

type IntMeaning = fn(i64, i64) -> Result<i64, eval::Fault>;

/// Where something that code calls is; none if there is no such thing.
pub(crate) fn address_of(callee: Callee, texts: &Texts) -> Option<usize> {
    Some(match callee {
        Callee::OnReals(prim) => match on_reals(prim)? {
            RealPrim::Unary(it) => it as usize,
            RealPrim::Binary(it) => it as usize,
            RealPrim::ToInt(_) | RealPrim::Test(_) | RealPrim::Compare(_) => return None,
        },
        Callee::OnInts(prim) => match on_ints(prim)? {
            IntPrim::Binary(it) => it as usize,
            IntPrim::Unary(_) | IntPrim::ToReal(_) | IntPrim::Compare(_) => return None,
        },
        Callee::Unary => unary as *const () as usize,
        Callee::Binary => binary as *const () as usize,
        Callee::IntBinary => int_binary as *const () as usize,
        Callee::Polygamma => polygamma as *const () as usize,
        Callee::Alloc => alloc as *const () as usize,
        Callee::Fill => fill as *const () as usize,
        Callee::Copy => copy as *const () as usize,
        Callee::Product => matrix_product as *const () as usize,
        Callee::Sort => sort as *const () as usize,
        Callee::Argsort => argsort as *const () as usize,
        Callee::Chunk => chunk as *const () as usize,
        Callee::Tell => tell::tell as *const () as usize,
        Callee::Texts => texts.address(),
    })
}

#[allow(improper_ctypes_definitions, reason = "code passes on the address, and looks at nothing")]
extern "C" fn unary(meaning: fn(f64) -> f64, x: f64) -> f64 {
    meaning(x)
}

#[allow(improper_ctypes_definitions, reason = "as above")]
extern "C" fn binary(meaning: fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
    meaning(x, y)
}

/// Whoever divides by 0 has checked before, or does not need what comes of it.
#[allow(improper_ctypes_definitions, reason = "as above")]
extern "C" fn int_binary(meaning: IntMeaning, x: i64, y: i64) -> i64 {
    meaning(x, y).unwrap_or(0)
}

extern "C" fn polygamma(k: i64, x: f64) -> f64 {
    special::polygamma(k, x)
}

/// How many elements a chunk has.
extern "C" fn chunk(total: i64, bytes: i64) -> i64 {
    let fits = CACHE / 2 / bytes.max(1);
    (fits.clamp(GRAIN, MOST) / GRAIN * GRAIN).min(total.max(1))
}

/// `ct_alloc`; null, and a failure in the context, if there is no memory.
///
/// # Safety
/// The context is that of the call.
unsafe extern "C" fn alloc(context: *mut Context, count: i64, size: i64) -> *mut u8 {
    // SAFETY: as promised above; nobody else uses it meanwhile.
    let context = unsafe { &mut *context };
    let count = count.max(0);
    let left = context.end.addr() as i64 - context.top.addr() as i64 - 63;
    if count > left.max(0) / size {
        context.code = abi::MEMORY;
        context.n_values = 1;
        context.values[0] = count.saturating_mul(size);
        return std::ptr::null_mut();
    }
    let bytes = (count * size) as usize;
    let gap = if bytes >= 128 || size > 16 { context.top.addr().wrapping_neg() & 63 } else { 0 };
    let start = context.top.wrapping_add(gap);
    context.top = start.wrapping_add((bytes + 15) & !15);
    start
}

/// # Safety
/// There is room for so many elements of this size.
unsafe extern "C" fn fill(start: *mut u8, len: i64, size: i64, bits: u64) {
    let len = usize::try_from(len).unwrap_or(0);
    if len == 0 {
        return;
    }
    // SAFETY: as promised above, here and below.
    unsafe {
        match size {
            8 => std::slice::from_raw_parts_mut(start.cast::<u64>(), len).fill(bits),
            4 => std::slice::from_raw_parts_mut(start.cast::<u32>(), len).fill(bits as u32),
            _ => std::slice::from_raw_parts_mut(start, len).fill(bits as u8),
        }
    }
}

/// # Safety
/// There are so many bytes at both places.
unsafe extern "C" fn copy(into: *mut u8, from: *const u8, bytes: i64) {
    let bytes = usize::try_from(bytes).unwrap_or(0);
    // SAFETY: as promised above; they may overlap.
    unsafe { std::ptr::copy(from, into, bytes) };
}

/// A number that arrays have.
trait Number: Copy {
    fn order(x: &Self, y: &Self) -> Ordering;
}

impl Number for i64 {
    fn order(x: &i64, y: &i64) -> Ordering {
        x.cmp(y)
    }
}

impl Number for f64 {
    fn order(x: &f64, y: &f64) -> Ordering {
        x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(y).unwrap_or(Ordering::Equal))
    }
}

impl Number for f32 {
    fn order(x: &f32, y: &f32) -> Ordering {
        x.is_nan().cmp(&y.is_nan()).then(x.partial_cmp(y).unwrap_or(Ordering::Equal))
    }
}

/// # Safety
/// There are `len` elements of the kind at both places.
unsafe extern "C" fn sort(from: *const c_void, into: *mut c_void, len: i64, kind: i64) {
    /// # Safety
    /// As of `sort`.
    unsafe fn of<T: Number>(from: *const c_void, into: *mut c_void, len: usize) {
        // SAFETY: as promised above; they may be the same place, so what is sorted is looked at afterwards.
        let all = unsafe {
            std::ptr::copy(from.cast::<T>(), into.cast::<T>(), len);
            std::slice::from_raw_parts_mut(into.cast::<T>(), len)
        };
        all.sort_by(T::order);
    }
    let Some(len) = usize::try_from(len).ok().filter(|it| *it > 0) else { return };
    // SAFETY: as promised above.
    unsafe {
        match kind {
            0 => of::<f64>(from, into, len),
            1 => of::<f32>(from, into, len),
            _ => of::<i64>(from, into, len),
        }
    }
}

/// # Safety
/// There are `len` elements of the kind, and room for as many integers elsewhere.
unsafe extern "C" fn argsort(from: *const c_void, into: *mut i64, len: i64, kind: i64) {
    /// # Safety
    /// As of `argsort`.
    unsafe fn of<T: Number>(from: *const c_void, into: &mut [i64]) {
        // SAFETY: as promised above.
        let keys = unsafe { std::slice::from_raw_parts(from.cast::<T>(), into.len()) };
        into.sort_by(|x, y| T::order(&keys[*x as usize], &keys[*y as usize]));
    }
    let Some(len) = usize::try_from(len).ok().filter(|it| *it > 0) else { return };
    // SAFETY: as promised above; all of it is written before it is read.
    let into = unsafe {
        for k in 0..len {
            into.add(k).write(k as i64);
        }
        std::slice::from_raw_parts_mut(into, len)
    };
    // SAFETY: as promised above.
    unsafe {
        match kind {
            0 => of::<f64>(from, into),
            1 => of::<f32>(from, into),
            _ => of::<i64>(from, into),
        }
    }
}

/// A matrix: where its first element is, and how far rows and columns are apart, in elements.
#[derive(Clone, Copy)]
struct Matrix<T> {
    start: *mut T,
    rows: i64,
    columns: i64,
}

impl<T> Matrix<T> {
    fn at(&self, i: i64, j: i64) -> *mut T {
        let by = i.wrapping_mul(self.rows).wrapping_add(j.wrapping_mul(self.columns));
        self.start.wrapping_offset(by as isize)
    }
}

/// `c = a b`, or `c += a b` with the flag 1; with the flag 2, products are 0 if a factor is. With the flag 4,
/// reals are `f32`. The words are sizes, and for each matrix its start, rows and columns. Gives 1 if it failed.
///
/// # Safety
/// The matrices are inside of memory that may be read, and for `c` written; the context is that of the call.
unsafe extern "C" fn matrix_product(context: *mut Context, words: *const i64, flags: i64) -> i64 {
    // SAFETY: as promised above.
    let words: [i64; 12] = unsafe { words.cast::<[i64; 12]>().read() };
    // SAFETY: as promised above.
    unsafe {
        match flags & 4 == 0 {
            true => Product::<f64>::new(words, flags).run(context, product::double),
            false => Product::<f32>::new(words, flags).run(context, product::single),
        }
        i64::from((*context).code != 0)
    }
}

struct Product<T> {
    m: i64,
    n: i64,
    k: i64,
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    add: bool,
    scaled: bool,
}

impl<T> Product<T>
where
    T: Copy + PartialEq + Default + std::ops::Add<Output = T> + std::ops::Mul<Output = T>,
{
    fn new(words: [i64; 12], flags: i64) -> Product<T> {
        let [m, n, k, rest @ ..] = words;
        let matrix = |at: usize| Matrix {
            start: std::ptr::with_exposed_provenance_mut(rest[at] as usize),
            rows: rest[at + 1],
            columns: rest[at + 2],
        };
        let [a, b, c] = [matrix(0), matrix(3), matrix(6)];
        Product { m, n, k, a, b, c, add: flags & 1 != 0, scaled: flags & 2 != 0 }
    }

    /// # Safety
    /// As of `matrix_product`.
    unsafe fn run(&self, context: *mut Context, large: abi::ProductFn) {
        let Product { m, n, k, a, b, c, add, .. } = self;
        if *m <= 0 || *n <= 0 {
            return;
        }
        let is_large = *m > 1 && *n > 1 && *k > 1 && *m as f64 * *n as f64 * *k as f64 > LARGE;
        if !is_large {
            // SAFETY: as promised above.
            return unsafe { self.small(|_, _| true, |i, j| *self.c.at(i, j)) };
        }
        let mut old = Vec::new();
        // SAFETY: as promised above.
        unsafe {
            if self.scaled && *add {
                old = (0..m * n).map(|at| *c.at(at / n, at % n)).collect();
            }
            large(
                *m,
                *n,
                *k,
                a.start.cast(),
                a.rows,
                a.columns,
                b.start.cast(),
                b.rows,
                b.columns,
                c.start.cast(),
                c.rows,
                c.columns,
                i32::from(*add),
                context,
            );
            if self.scaled {
                // What is not a number differs from itself.
                let is_nan = |i, j| *c.at(i, j) != *c.at(i, j);
                self.small(is_nan, |i, j| old[(i * n + j) as usize]);
            }
        }
    }

    /// Computes those elements, one after the other; `old` is what they are added to.
    ///
    /// # Safety
    /// As of `matrix_product`.
    unsafe fn small(&self, wanted: impl Fn(i64, i64) -> bool, old: impl Fn(i64, i64) -> T) {
        let zero = T::default();
        for i in 0..self.m {
            for j in 0..self.n {
                if !wanted(i, j) {
                    continue;
                }
                let mut sum = zero;
                for l in 0..self.k {
                    // SAFETY: as promised above.
                    let (x, y) = unsafe { (*self.a.at(i, l), *self.b.at(l, j)) };
                    let is_zero = self.scaled && (x == zero || y == zero);
                    sum = sum + if is_zero { zero } else { x * y };
                }
                let sum = if self.add { old(i, j) + sum } else { sum };
                // SAFETY: as promised above.
                unsafe { self.c.at(i, j).write(sum) };
            }
        }
    }
}
