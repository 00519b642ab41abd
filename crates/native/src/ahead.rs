//! Work that is begun before anybody knows whether it is wanted: C that is compiled while other code runs.
//!
//! It has a thread of its own. Whoever does not want it any more does not wait for what the compiler takes, but
//! until it is killed and its files are removed; of the work before and after that nothing is left in any case,
//! so the thread ends by itself.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::system::attempt;

/// Work in a thread of its own, given up when this is dropped.
pub struct Ahead<T> {
    thread: Option<JoinHandle<T>>,
    wanted: Wanted,
}

/// Whether somebody wants the work still.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Arc<Line>);

#[derive(Debug, Default)]
struct Line {
    is_given_up: AtomicBool,
    /// Whether somebody waits for it.
    is_awaited: AtomicBool,
    /// Says that one of the two is so now.
    told: Condvar,
    /// Held while there are processes and files that somebody has to look after.
    untidy: Mutex<()>,
}

impl<T: Send + 'static> Ahead<T> {
    /// Begins; fails if the system has no thread for it.
    pub fn begin(work: impl FnOnce(&Wanted) -> T + Send + 'static) -> io::Result<Ahead<T>> {
        attempt("start a thread")?;
        let wanted = Wanted::default();
        let given = wanted.clone();
        let thread = thread::Builder::new().spawn(move || work(&given))?;
        Ok(Ahead { thread: Some(thread), wanted })
    }

    /// What came of it, when it is done.
    pub fn wait(mut self) -> T {
        self.wanted.say(&self.wanted.0.is_awaited);
        let thread = self.thread.take().expect("it is taken here only");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.wanted.give_up();
        }
    }
}

impl Wanted {
    /// Ends what is untidy, waits until it has ended, and has nothing else begin.
    fn give_up(&self) {
        self.say(&self.0.is_given_up);
    }

    /// Says that something is so, when nothing untidy is done.
    fn say(&self, what: &AtomicBool) {
        what.store(true, Ordering::Release);
        let held = self.0.untidy.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.told.notify_all();
        drop(held);
    }

    /// Begins later: after this time, or when somebody waits for the work. Says whether it is wanted still.
    pub fn after(&self, time: Duration) -> bool {
        let held = self.0.untidy.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on =
            |(): &mut ()| !self.is_given_up() && !self.0.is_awaited.load(Ordering::Acquire);
        let (held, _) = self
            .0
            .told
            .wait_timeout_while(held, time, goes_on)
            .unwrap_or_else(PoisonError::into_inner);
        drop(held);
        !self.is_given_up()
    }

    /// Whether nobody does.
    pub(crate) fn is_given_up(&self) -> bool {
        self.0.is_given_up.load(Ordering::Acquire)
    }

    /// Does what leaves processes and files behind if it is left alone, unless nobody wants it.
    pub(crate) fn untidily<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let _held = self.0.untidy.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.is_given_up()).then(work)
    }
}
