//! The stack of the interpreter grows on demand, in segments that count as memory.
//!
//! In WebAssembly it does not: calls are on a stack of the machine that runs it, which nobody can measure or
//! replace. There, levels are counted, and the last one that surely fits is the last.

use std::cell::Cell;

use crate::error::Fault;
use crate::memory;
use crate::tuning::{RED_ZONE, SEGMENT};

/// Whether the stack is one that cannot grow.
pub(crate) const IS_FIXED: bool = cfg!(target_family = "wasm");
/// Blocks that may be active on such a stack, and levels of a value that are gone through. A call is at least
/// two. Half of the stack that node has by default is enough, in a build that is little optimised
/// (`node --stack-size=500 wasm/check.mjs`).
const MOST_LEVELS: usize = 800;

thread_local! {
    /// Levels that are active, on a stack that cannot grow.
    static LEVELS: Cell<usize> = const { Cell::new(0) };
}

/// One level more, as long as it is there. Costs nothing where the stack can grow.
pub(crate) struct Level;

impl Level {
    #[inline]
    pub(crate) fn enter() -> Level {
        if IS_FIXED {
            LEVELS.set(LEVELS.get() + 1);
        }
        Level
    }
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        if IS_FIXED {
            LEVELS.set(LEVELS.get().saturating_sub(1));
        }
    }
}

/// Whether the next level needs a new segment.
#[inline]
pub(crate) fn is_low() -> bool {
    match IS_FIXED {
        true => LEVELS.get() >= MOST_LEVELS,
        false => stacker::remaining_stack().is_some_and(|left| left < RED_ZONE),
    }
}

/// Runs `f` on a new segment, if the memory limit allows it.
pub(crate) fn on_new_segment<R>(f: impl FnOnce() -> R) -> Result<R, Fault> {
    if IS_FIXED {
        return Err(Fault::Memory { bytes: Some(SEGMENT), limit: memory::limit() });
    }
    memory::reserve(Some(SEGMENT), 1)?;
    memory::charge(SEGMENT);
    let res = stacker::grow(SEGMENT, f);
    memory::refund(SEGMENT);
    Ok(res)
}

/// Runs `f` on a segment of its own if there is much stack that does not count as memory, in relation to
/// what may be held: a recursion would fill it first.
pub(crate) fn counted<R>(limit: usize, f: impl FnOnce() -> R) -> R {
    let is_much = |left: usize| left > 2 * SEGMENT && left > limit / 4;
    match !IS_FIXED && stacker::remaining_stack().is_some_and(is_much) {
        true => stacker::grow(SEGMENT, f),
        false => f(),
    }
}

/// Runs `f` with enough stack, as far as the memory limit allows; for recursion over values.
#[inline]
pub(crate) fn limited<R, E: From<Fault>>(f: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    if is_low() {
        return on_new_segment(f)?;
    }
    let _level = Level::enter();
    f()
}

/// Runs `f` with enough stack; for recursion over programs and types, which are never large.
#[inline]
pub(crate) fn grown<R>(f: impl FnOnce() -> R) -> R {
    if IS_FIXED { f() } else { stacker::maybe_grow(RED_ZONE, SEGMENT, f) }
}
