//! How many bytes values hold, and how many they may.
//!
//! Values are counted by the thread that makes them and by the one that drops them. A limit is one for
//! what a thread has made; if others have dropped some of that, all threads together hold less, and that
//! counts. Large allocations ask first (`reserve`); small ones are only counted, and the evaluator looks
//! at the sum now and then (`check`).

use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ::array::MOST_ELEMENTS;

use crate::error::Fault;

/// What the values that a thread has made and dropped hold; less than nothing if it has dropped those of
/// others. Only the thread itself writes.
struct Own(Arc<AtomicIsize>);

/// Those of all threads, and the sum of those of threads that have ended.
struct All {
    threads: Vec<Arc<AtomicIsize>>,
    ended: isize,
}

static ALL: Mutex<All> = Mutex::new(All { threads: Vec::new(), ended: 0 });

thread_local! {
    static LIVE: Own = Own::new();
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

impl Own {
    fn new() -> Own {
        let own = Arc::new(AtomicIsize::new(0));
        ALL.lock().unwrap_or_else(PoisonError::into_inner).threads.push(own.clone());
        Own(own)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.ended += self.0.load(Ordering::Relaxed);
        all.threads.retain(|it| !Arc::ptr_eq(it, &self.0));
    }
}

/// What the allocator and a reference count add to a block.
pub(crate) const OVERHEAD: usize = 32;

/// Counts bytes that are now held.
pub(crate) fn charge(bytes: usize) {
    change(bytes as isize);
}

/// Counts bytes that are held no more.
pub(crate) fn refund(bytes: usize) {
    change((bytes as isize).wrapping_neg());
}

fn change(by: isize) {
    // When the thread ends its counter may be gone; what is dropped then is counted for all.
    let counted = LIVE.try_with(|it| {
        it.0.store(it.0.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
    });
    if counted.is_err() {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.ended = all.ended.wrapping_add(by);
    }
}

/// The bytes that the values of this thread hold.
pub fn live() -> usize {
    let own = LIVE.with(|it| it.0.load(Ordering::Relaxed));
    own.max(0) as usize
}

/// The bytes that the values of all threads hold.
fn live_of_all() -> usize {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let sum = all.threads.iter().map(|it| it.load(Ordering::Relaxed)).sum::<isize>();
    sum.wrapping_add(all.ended).max(0) as usize
}

/// Sets the limit and returns the old one.
pub(crate) fn set_limit(bytes: usize) -> usize {
    LIMIT.replace(bytes)
}

/// The bytes that the values of this thread may hold.
pub(crate) fn limit() -> usize {
    LIMIT.get()
}

/// Whether `n_items` of `width` bytes may be allocated.
pub(crate) fn reserve(n_items: Option<usize>, width: usize) -> Result<(), Fault> {
    let limit = LIMIT.get();
    if n_items.is_none_or(|it| it > MOST_ELEMENTS) {
        return Err(Fault::TooLarge);
    }
    let bytes = n_items.and_then(|it| it.checked_mul(width));
    let fits = |live: usize| {
        let total = bytes.and_then(|it| it.checked_add(live));
        total.is_some_and(|it| it <= limit && it <= isize::MAX as usize)
    };
    match fits(live()) || fits(live().min(live_of_all())) {
        true => Ok(()),
        false => Err(Fault::Memory { bytes, limit }),
    }
}

/// Whether what is held is within the limit.
pub(crate) fn check() -> Result<(), Fault> {
    if live() <= LIMIT.get() { Ok(()) } else { reserve(Some(0), 1) }
}
