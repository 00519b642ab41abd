//! Memory of a call: one range of addresses, reserved at once and used from the start.
//!
//! Reserving costs nothing until a page is touched, and touched pages stay for the next call: a result
//! of 80 MB costs 20 ms when its pages are new. So arenas that nobody uses wait here for the next call.

use std::cell::Cell;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::failure::Unavailable;
use crate::system::attempt;
use crate::tuning::{KEPT_PAGES, MOST_IDLE, MOST_OWN, SMALL_ARENA, TRIMMED_EVERY};

/// Arenas that outlive their calls.
static KEPT: AtomicUsize = AtomicUsize::new(0);
static IDLE: Mutex<Vec<Memory>> = Mutex::new(Vec::new());

thread_local! {
    /// The arena of the last call of this thread, which the next one finds without a lock.
    static OWN: Cell<Option<Memory>> = const { Cell::new(None) };
    /// The calls of this thread.
    static COUNT: Cell<u32> = const { Cell::new(0) };
    /// Whether this thread asked for the pages of its calls.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the system has addresses for calls that may use so many bytes. They are there for the next.
pub fn can_reserve(bytes: usize) -> Result<(), Unavailable> {
    Arena::take(bytes).map(drop)
}

/// Asks for the pages that most calls of this thread need, once, so that the first call waits for none of them.
/// One that is touched for the first time takes more than twice as long as one that is asked for with others.
pub fn ask_for_pages(bytes: usize) {
    if ASKED.try_with(|it| it.replace(true)).is_ok_and(|asked| !asked)
        && let Ok(arena) = Arena::take(bytes)
    {
        // A system that does not know the advice has them touched one by one, as before.
        #[cfg(target_os = "linux")]
        arena.advise(0..SMALL_ARENA, libc::MADV_POPULATE_WRITE);
        drop(arena);
    }
}

/// Gives memory that no call uses back to the system.
pub fn release_memory() {
    Arena::release();
}

/// Memory of a call; back for the next one when it is dropped.
pub(crate) struct Arena {
    memory: Option<Memory>,
    /// Whether it outlives its call.
    is_kept: bool,
}

/// A reserved range of addresses. Whether there is one takes no room of its own, so it is passed on in two words.
pub(crate) struct Memory {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the range belongs to whoever has the value; nothing is bound to a thread.
unsafe impl Send for Memory {}
// SAFETY: through a shared reference only addresses are told.
unsafe impl Sync for Memory {}

impl Arena {
    /// An arena of at least this size.
    #[inline]
    pub(crate) fn take(bytes: usize) -> Result<Arena, Unavailable> {
        let own = OWN.try_with(Cell::take).ok().flatten();
        let memory = match own {
            Some(own) if own.len >= bytes => own,
            other => Memory::of_others(other, bytes)?,
        };
        Ok(Arena { memory: Some(memory), is_kept: false })
    }

    /// Gives back what no call uses; other threads keep theirs.
    pub(crate) fn release() {
        drop(OWN.try_with(Cell::take));
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// It is going to outlive its call.
    pub(crate) fn keep(&mut self) {
        if !self.is_kept {
            KEPT.fetch_add(1, Ordering::Relaxed);
        }
        self.is_kept = true;
    }

    /// Whether so many are kept that nobody should keep another: each is a large range of addresses.
    pub(crate) fn is_scarce() -> bool {
        KEPT.load(Ordering::Relaxed) >= MOST_IDLE
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        if self.is_kept {
            KEPT.fetch_sub(1, Ordering::Relaxed);
        }
        // Asking the system takes as long as a small call, and nothing is known of what was used.
        let count = COUNT.try_with(|it| it.replace(it.get().wrapping_add(1)));
        if count.is_ok_and(|it| it.is_multiple_of(TRIMMED_EVERY)) {
            memory.trim(KEPT_PAGES);
        }
        let mut memory = Some(memory);
        if memory.as_ref().is_some_and(|it| it.len <= MOST_OWN) {
            // When the thread ends there is no place for it any more.
            memory = OWN.try_with(|it| it.replace(memory.take())).unwrap_or(memory);
        }
        memory.into_iter().for_each(put_back);
    }
}

/// For whoever comes next.
fn put_back(memory: Memory) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if idle.len() < MOST_IDLE {
        idle.push(memory);
    }
}

impl Deref for Arena {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        self.memory.as_ref().expect("an arena has its memory until it is dropped")
    }
}

impl Memory {
    /// What no thread has, in the place of what is too small.
    #[cold]
    fn of_others(too_small: Option<Memory>, bytes: usize) -> Result<Memory, Unavailable> {
        too_small.into_iter().for_each(put_back);
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().rposition(|it| it.len >= bytes);
        let memory = found.map(|it| idle.swap_remove(it));
        drop(idle);
        memory.map_or_else(|| Memory::reserve(bytes), Ok)
    }

    /// Reserves addresses.
    pub(crate) fn reserve(bytes: usize) -> Result<Memory, Unavailable> {
        let len = bytes.max(SMALL_ARENA).next_multiple_of(SMALL_ARENA);
        attempt("reserve memory").map_err(|_| Unavailable::Memory { bytes })?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at a place of the system's choice touches nothing of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
        let start = NonNull::new(start).filter(|it| it.as_ptr() != libc::MAP_FAILED);
        let start = start.ok_or(Unavailable::Memory { bytes })?.cast();
        let memory = Memory { start, len };
        #[cfg(target_os = "linux")]
        memory.advise(SMALL_ARENA..len, libc::MADV_HUGEPAGE);
        Ok(memory)
    }

    /// The first address.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Gives the pages behind the first `kept` bytes back.
    pub(crate) fn trim(&self, kept: usize) {
        self.advise(kept..self.len, libc::MADV_DONTNEED);
    }

    fn advise(&self, bytes: Range<usize>, advice: i32) {
        if bytes.start >= bytes.end || bytes.end > self.len {
            return;
        }
        // SAFETY: the range is within the mapping, and nobody holds references into it: it is free
        // (`trim`), or the advice does not change content.
        unsafe { libc::madvise(self.start().add(bytes.start).cast(), bytes.len(), advice) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and whole, and nobody else knows it any more.
        unsafe { libc::munmap(self.start().cast(), self.len) };
    }
}
