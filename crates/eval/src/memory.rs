//! How many bytes the values of this thread hold, and how many they may.
//!
//! Values are counted when they are made and when they are dropped; they never leave their
//! thread. Large allocations ask first (`reserve`); small ones are only counted, and the
//! evaluator looks at the sum now and then (`check`).

use std::cell::Cell;

use ::array::MOST_ELEMENTS;

use crate::error::Fault;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// What the allocator and a reference count add to a block.
pub(crate) const OVERHEAD: usize = 32;

/// Counts bytes that are now held.
pub(crate) fn charge(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add(bytes));
}

/// Counts bytes that are held no more.
pub(crate) fn refund(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub(bytes));
}

/// The bytes that the values of this thread hold.
pub fn live() -> usize {
    LIVE.get()
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
    let total = bytes.and_then(|it| it.checked_add(LIVE.get()));
    match total {
        Some(total) if total <= limit && total <= isize::MAX as usize => Ok(()),
        Some(_) | None => Err(Fault::Memory { bytes, limit }),
    }
}

/// Whether what is held is within the limit.
pub(crate) fn check() -> Result<(), Fault> {
    if LIVE.get() <= LIMIT.get() { Ok(()) } else { reserve(Some(0), 1) }
}
