//! What may fail at the hands of the system asks here first, so that a test can let each of these calls
//! fail once, in turn.

use std::cell::Cell;
use std::io;

thread_local! {
    /// How many calls of this thread go well before one fails.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    /// The call that was made to fail.
    static FAILED: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Runs something while the call of the system with this number fails, from 0; says which one that was,
/// if there were so many.
#[doc(hidden)]
pub fn with_fault<T>(at: u64, run: impl FnOnce() -> T) -> (T, Option<&'static str>) {
    FAILED.set(None);
    LEFT.set(Some(at));
    let res = run();
    LEFT.set(None);
    (res, FAILED.take())
}

/// Goes well, unless a test wants this call to fail.
pub(crate) fn attempt(what: &'static str) -> io::Result<()> {
    match LEFT.get() {
        None => Ok(()),
        Some(0) => {
            LEFT.set(None);
            FAILED.set(Some(what));
            Err(io::Error::other("a test lets this fail"))
        }
        Some(left) => {
            LEFT.set(Some(left - 1));
            Ok(())
        }
    }
}
