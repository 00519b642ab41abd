//! Ctrl-C: a call in the main thread is asked to stop when the signal comes.
//!
//! CPython takes note of a signal and acts on it when it runs Python code again, which it does not while
//! a call runs. So a handler of ours stands in front of Python's and takes note too, and a thread that
//! watches calls asks the one that runs to stop. Calls that are short pay two locks of a mutex for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cotan::Stop;
use pyo3::prelude::*;

/// How often the watcher looks.
const TICK: Duration = Duration::from_millis(20);
/// Ticks without a call after which the watcher goes to sleep.
const PATIENCE: u32 = 100;

/// The call that runs in the main thread, and its number.
static RUNNING: Mutex<(u64, Option<Stop>)> = Mutex::new((0, None));
static WATCHER: Mutex<Option<std::thread::Thread>> = Mutex::new(None);
static STATE: AtomicU8 = AtomicU8::new(NONE);

const NONE: u8 = 0;
const AWAKE: u8 = 1;
const ASLEEP: u8 = 2;

/// Runs a call without Python's lock, so that Ctrl-C stops it. An exception that a handler of Python
/// raises is given in place of what the call gave.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    stop: &Stop,
    call: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    if !is_main_thread(py) {
        return Ok(py.detach(call));
    }
    begin(stop);
    // What came before is Python's to act on; what comes from here on, the watcher sees.
    if let Err(error) = py.check_signals() {
        end(stop);
        return Err(error);
    }
    let res = py.detach(call);
    if end(stop) {
        py.check_signals()?;
    }
    Ok(res)
}

/// Forgets the watcher: a process that was forked off has none.
#[pyfunction]
pub(crate) fn after_fork() {
    STATE.store(NONE, Ordering::Release);
}

fn begin(stop: &Stop) {
    let mut running = lock(&RUNNING);
    *running = (running.0 + 1, Some(stop.clone()));
    drop(running);
    signal::forget();
    match STATE.load(Ordering::Acquire) {
        AWAKE => {}
        _ => wake(),
    }
}

/// Whether the signal came.
fn end(stop: &Stop) -> bool {
    lock(&RUNNING).1 = None;
    let came = signal::forget();
    if came {
        stop.reset();
    }
    came
}

fn wake() {
    let mut watcher = lock(&WATCHER);
    match STATE.swap(AWAKE, Ordering::AcqRel) {
        ASLEEP => {
            if let Some(it) = &*watcher {
                it.unpark();
            }
        }
        NONE => {
            signal::install();
            let made = std::thread::Builder::new().name("cotan-ctrl-c".to_owned()).spawn(watch);
            // Without a watcher, Ctrl-C waits for the end of the call.
            *watcher = made.ok().map(|it| it.thread().clone());
        }
        _ => {}
    }
}

fn watch() {
    let (mut last, mut idle) = (0, 0);
    loop {
        std::thread::sleep(TICK);
        let running = lock(&RUNNING);
        match &running.1 {
            Some(stop) if running.0 == last => {
                signal::install();
                if signal::came() {
                    stop.ask();
                }
            }
            Some(_) => last = running.0,
            None => {}
        }
        idle = if running.1.is_some() { 0 } else { idle + 1 };
        drop(running);
        if idle > PATIENCE {
            STATE.store(ASLEEP, Ordering::Release);
            // A call that began meanwhile has seen that this was awake.
            if lock(&RUNNING).1.is_none() {
                while STATE.load(Ordering::Acquire) == ASLEEP {
                    std::thread::park();
                }
            }
            STATE.store(AWAKE, Ordering::Release);
            idle = 0;
        }
    }
}

fn is_main_thread(py: Python<'_>) -> bool {
    thread_local!(static KNOWN: Cell<Option<bool>> = const { Cell::new(None) });
    if let Some(known) = KNOWN.get() {
        return known;
    }
    let ask = || -> PyResult<bool> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("main_thread")?.getattr("ident")?;
        main.eq(threading.call_method0("get_ident")?)
    };
    let found = ask().unwrap_or(false);
    KNOWN.set(Some(found));
    found
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Our handler of SIGINT. It is installed before the first call, and again by the watcher if Python has put
/// its own in its place since. It stays, since it does no more than Python's.
#[cfg(unix)]
#[allow(unsafe_code, reason = "handlers of signals are the system's, and C's")]
mod signal {
    use std::sync::atomic::AtomicUsize;

    use super::{AtomicBool, Ordering};

    static CAME: AtomicBool = AtomicBool::new(false);
    /// The function that handled the signal before.
    static BEFORE: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn on_signal(number: libc::c_int) {
        CAME.store(true, Ordering::Release);
        let before = BEFORE.load(Ordering::Acquire);
        if before != 0 {
            // SAFETY: `install` stores the address of a handler that takes the number alone, or nothing.
            let before =
                unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(before) };
            before(number);
        }
    }

    /// Puts the handler in front of the one that is there, unless it is there already.
    pub(super) fn install() {
        let Some(found) = current() else { return };
        let own = on_signal as *const () as usize;
        let is_plain = found.sa_flags & libc::SA_SIGINFO == 0;
        let handles = found.sa_sigaction != libc::SIG_DFL && found.sa_sigaction != libc::SIG_IGN;
        if found.sa_sigaction == own || !is_plain || !handles {
            return;
        }
        BEFORE.store(found.sa_sigaction, Ordering::Release);
        set(&libc::sigaction { sa_sigaction: own, ..found });
    }

    /// Whether the signal came since it was forgotten.
    pub(super) fn came() -> bool {
        CAME.load(Ordering::Acquire)
    }

    /// Whether the signal came; it did not from here on.
    pub(super) fn forget() -> bool {
        CAME.swap(false, Ordering::AcqRel)
    }

    fn current() -> Option<libc::sigaction> {
        // SAFETY: all zeros are a value of this plain struct of C.
        let mut found: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: nothing is changed, and what is there is written into a struct that is ours.
        let code = unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut found) };
        (code == 0).then_some(found)
    }

    fn set(action: &libc::sigaction) {
        // SAFETY: the action is one that the system gave, with our handler or the one that it had.
        unsafe { libc::sigaction(libc::SIGINT, action, std::ptr::null_mut()) };
    }
}

/// Elsewhere Ctrl-C waits for the end of a call.
#[cfg(not(unix))]
mod signal {
    pub(super) fn install() {}

    pub(super) fn came() -> bool {
        false
    }

    pub(super) fn forget() -> bool {
        false
    }
}
