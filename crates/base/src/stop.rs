//! The line between something that runs and whoever started it: a wish that it should stop, told from
//! another thread, and what it says meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::tell::{Listener, Telling};

/// Asks running calls to stop, and hears what they say. Clones ask the same calls.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Line>);

#[derive(Debug, Default)]
struct Line {
    flag: AtomicI32,
    /// Who else asks, in the place of the flag.
    of: Option<Stop>,
    telling: Telling,
}

impl Stop {
    /// Calls end soon with an error, those to come as well.
    pub fn ask(&self) {
        self.flag().store(1, Ordering::Relaxed);
    }

    /// Calls run again.
    pub fn reset(&self) {
        self.flag().store(0, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.flag().load(Ordering::Relaxed) != 0
    }

    /// Where compiled code looks: anything but zero is a wish to stop.
    pub fn flag(&self) -> &AtomicI32 {
        match &self.0.of {
            Some(stop) => stop.flag(),
            None => &self.0.flag,
        }
    }

    /// Has somebody hear what `trace` and `report` say; standard error gets lines otherwise.
    pub fn set_listener(&self, listener: Listener) {
        self.0.telling.set_listener(listener);
    }

    /// What is said.
    pub fn telling(&self) -> &Telling {
        &self.0.telling
    }

    /// For one of several calls that run at once: the same wish, and what this call says by itself.
    pub fn of_one_call(&self) -> Stop {
        let (flag, of, telling) = (AtomicI32::new(0), Some(self.clone()), self.0.telling.anew());
        Stop(Arc::new(Line { flag, of, telling }))
    }
}
