//! Where things are in the context that code is called with: `Context` in `crates/native/src/abi.rs`.

/// Distances in bytes from the start of a context, and codes of failures.
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    /// The first free address of the memory of the call.
    pub top: i32,
    /// The lowest address of the stack.
    pub stack_low: i32,
    /// The address of the wish to stop, 32 bits.
    pub stop: i32,
    /// Why the call failed.
    pub code: i32,
    /// The values that belong to that.
    pub values: i32,
    /// How many they are.
    pub n_values: i32,
    /// Steps so far.
    pub steps: i32,
    /// How many values there is room for.
    pub most_values: usize,
    /// The code of a recursion that is too deep.
    pub recursion: i64,
    /// Of a wish to stop.
    pub stopped: i64,
    /// Of too many steps.
    pub long: i64,
    /// Of the first place that can fail; the others follow.
    pub site: i64,
}
