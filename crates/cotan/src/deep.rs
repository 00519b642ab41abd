//! Stack for deep values and deep programs: nothing the library does may overflow it.

/// What every entry point of the library has at least.
const ENTRY: usize = 256 << 20;

/// Runs with so much stack that the depth the parser allows is no danger.
pub fn with_deep_stack<R>(f: impl FnOnce() -> R) -> R {
    grown(ENTRY / 2, ENTRY, f)
}

/// One step of a recursion that may go as deep as a value does.
pub(crate) fn enough_stack<R>(f: impl FnOnce() -> R) -> R {
    grown(128 << 10, 8 << 20, f)
}

/// In WebAssembly calls are on a stack that nobody can replace: texts are not as deep there
/// (`syntax::MAX_DEPTH`), nor are calls (`crates/eval/src/stack.rs`).
fn grown<R>(red_zone: usize, more: usize, f: impl FnOnce() -> R) -> R {
    if cfg!(target_family = "wasm") { f() } else { stacker::maybe_grow(red_zone, more, f) }
}
