//! A wish that something that runs should stop, told from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Asks running calls to stop. Clones ask the same calls.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicI32>);

impl Stop {
    /// Calls end soon with an error, those to come as well.
    pub fn ask(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// Calls run again.
    pub fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Where compiled code looks: anything but zero is a wish to stop.
    pub fn flag(&self) -> &AtomicI32 {
        &self.0
    }
}
