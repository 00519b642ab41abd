//! The table of rules, in the order in which they are tried on an operation.
//!
//! - `rules/scalars.rs`, `rules/constants.rs`: identities of primitives, and constants;
//! - `rules/movement.rs`: what moves elements without looking at them;
//! - `rules/index.rs`: single elements;
//! - `rules/reduce.rs`: reductions;
//! - `rules/one_hot.rs`: sums of what is zero but for one element in every row;
//! - `rules/sums.rs`: sums of what is the same along an axis;
//! - `rules/symmetric.rs`: arrays that are the same by rows and by columns;
//! - `rules/broadcast.rs`: primitives of what is the same along an axis;
//! - `rules/masked.rs`: gathers and scatters with a mask;
//! - `rules/gather.rs`, `rules/gather_of.rs`, `rules/scatter.rs`: index arrays, by their affine form;
//! - `rules/pieces.rs`: what is added to rows;
//! - `rules/branches.rs`, `rules/loops.rs`: choices and loops;
//! - `rules/collect.rs`: what loops collect;
//! - `rules/call.rs`: calls.
//!
//! Beside them, two things are done to every statement: `common.rs` and `hoist.rs`.
//! What several rules make is in `rules/axes.rs`.

mod axes;
mod branches;
mod broadcast;
mod call;
mod collect;
mod constants;
mod gather;
mod gather_of;
mod index;
mod loops;
mod masked;
mod movement;
mod one_hot;
mod pieces;
mod reduce;
mod scalars;
mod scatter;
mod sums;
mod symmetric;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ir::Op;

use super::rule::{On, Rule, Run};

const TABLE: &[&[Rule]] = &[
    scalars::RULES,
    movement::RULES,
    index::RULES,
    reduce::RULES,
    one_hot::RULES,
    symmetric::RULES,
    sums::RULES,
    broadcast::RULES,
    masked::RULES,
    gather::RULES,
    gather_of::RULES,
    scatter::RULES,
    call::RULES,
    branches::RULES,
    loops::RULES,
    collect::RULES,
];

/// All rules, in the order in which they are tried.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().copied().flatten()
}

/// The rules by the kind of operation that they are tried on.
static BY_KIND: LazyLock<BTreeMap<On, Vec<&'static Rule>>> = LazyLock::new(|| {
    let kinds = rules().flat_map(|it| it.on).copied();
    kinds.map(|kind| (kind, rules().filter(|it| it.is_on(kind)).collect())).collect()
});

/// The rules that are tried before the blocks inside of a statement are gone through.
pub(super) static ENTERING: LazyLock<Vec<&'static Rule>> =
    LazyLock::new(|| rules().filter(|it| matches!(it.run, Run::Entering(_))).collect());

/// The rules that are tried on an operation, in the order in which they are.
pub(super) fn rules_on(op: &Op) -> &'static [&'static Rule] {
    let Some(kind) = On::of(op) else { return &[] };
    let any = || matches!(kind, On::Prim(_)).then(|| BY_KIND.get(&On::AnyPrim)).flatten();
    BY_KIND.get(&kind).or_else(any).map_or(&[], Vec::as_slice)
}
