//! Interrupts, Ctrl-C: a wish to stop in the place of the end of the process, for whoever asks for that.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use base::Stop;

/// Where the wish is told; null if interrupts end the process.
static FLAG: AtomicPtr<AtomicI32> = AtomicPtr::new(ptr::null_mut());
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Has the next interrupt ask this to stop; one after that ends the process.
pub fn stop_on_interrupt(stop: &Stop) {
    // Kept for good: a handler may run at any time.
    let stop: &'static Stop = Box::leak(Box::new(stop.clone()));
    let is_first = FLAG.swap(ptr::from_ref(stop.flag()).cast_mut(), Ordering::AcqRel).is_null();
    if is_first {
        install();
    }
}

/// Whether an interrupt has asked for it.
pub fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Acquire)
}

#[cfg(unix)]
fn install() {
    let handler: extern "C" fn(libc::c_int) = interrupted;
    // SAFETY: the handler does nothing but what handlers may do: it stores to atomics and sets a handler.
    unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
}

#[cfg(not(unix))]
fn install() {}

#[cfg(unix)]
extern "C" fn interrupted(_: libc::c_int) {
    // SAFETY: POSIX allows it in a handler.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
    IS_INTERRUPTED.store(true, Ordering::Release);
    // SAFETY: null, or the flag of something that was leaked.
    if let Some(flag) = unsafe { FLAG.load(Ordering::Acquire).as_ref() } {
        flag.store(1, Ordering::Relaxed);
    }
}
