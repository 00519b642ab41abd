//! Loop-invariant code motion: what does not depend on a loop is done in front of it.
//!
//! Asked as statements are made, and not a pass after the rules: a statement that stands outside is found
//! again by every later one outside (`common.rs`), and what is known of it holds there too (`facts.rs`).

use ir::{Op, walk};

use super::facts::Facts;

// loop-invariant: `loop { x = op a }` -> `x = op a; loop { }` where `a` is not of the loop and `op`
// cannot fail
/// The depth of the block in which an operation is to be done.
pub(super) fn target(facts: &Facts<'_>, op: &Op) -> usize {
    let free = walk::free_vars_op(op);
    let bound = free.iter().filter_map(|it| facts.depth_of(*it)).max().unwrap_or(0);
    let mut target = facts.depth();
    while target > bound && facts.is_loop(target) && !facts.can_fail(op, target - 1) {
        target -= 1;
    }
    target
}
