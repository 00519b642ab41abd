//! Copies of a value, so that threads that count references to it at once do not count in one place.
//!
//! A count that two cores change in turn takes each of them longer than a call of a small function does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::tuning::THREADS_APART;

/// How many threads have asked so far. Nothing but speed hangs on it.
static ASKED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: usize = ASKED.fetch_add(1, Ordering::Relaxed) % THREADS_APART;
}

/// The same value, several times.
pub(super) struct Copies<T>([Arc<Apart<T>>; THREADS_APART]);

/// A value whose references are counted in a cache line of their own.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T: Clone> Copies<T> {
    /// Copies of this.
    pub(super) fn new(value: &T) -> Copies<T> {
        Copies(std::array::from_fn(|_| Arc::new(Apart(value.clone()))))
    }

    /// The copy for this thread.
    pub(super) fn own(&self) -> &Arc<Apart<T>> {
        // A thread that ends has no number any more, and takes the first.
        &self.0[NUMBER.try_with(|it| *it).unwrap_or(0)]
    }
}
