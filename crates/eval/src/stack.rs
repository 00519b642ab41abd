//! The stack of the interpreter grows on demand, in segments that count as memory.

use crate::error::Fault;
use crate::memory;

/// What must be left for one more level.
const RED_ZONE: usize = 128 * 1024;
/// What is added when it is not.
pub(crate) const SEGMENT: usize = 4 * 1024 * 1024;

/// Whether the next level needs a new segment.
#[inline]
pub(crate) fn is_low() -> bool {
    stacker::remaining_stack().is_some_and(|left| left < RED_ZONE)
}

/// Runs `f` on a new segment, if the memory limit allows it.
pub(crate) fn on_new_segment<R>(f: impl FnOnce() -> R) -> Result<R, Fault> {
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
    match stacker::remaining_stack().is_some_and(is_much) {
        true => stacker::grow(SEGMENT, f),
        false => f(),
    }
}

/// Runs `f` with enough stack, as far as the memory limit allows; for recursion over values.
#[inline]
pub(crate) fn limited<R, E: From<Fault>>(f: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    if is_low() { on_new_segment(f)? } else { f() }
}

/// Runs `f` with enough stack; for recursion over programs and types, which are never large.
#[inline]
pub(crate) fn grown<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, f)
}
