//! Makes programs small and readable: the same values by fewer and plainer statements, ir to ir.
//!
//! In rounds, until nothing changes or `MAX_ROUNDS` are over: *forward* through every definition,
//! where each statement is rewritten by the rules, found again (common subexpressions) or moved out
//! of loops; then *backward* through the whole program, where what nobody needs is dropped, down to
//! single results of branches and loops, parameters of definitions and definitions themselves.
//!
//! The rules are a table, [`rules`]: name, equation, where it applies, what it keeps, function, in
//! `simplify/rules.rs` and the files beside it; what a rule is, is in `simplify/rule.rs`.
//! What they know is in `simplify/facts.rs`: types, what binds a variable, affine forms, sizes that are not
//! negative, indices in bounds, which operations can fail.
//! `simplify/forward.rs` and `simplify/inside.rs` go through a definition and try them, and know none;
//! `simplify/common.rs` finds common subexpressions, `simplify/hoist.rs` what does not depend on a loop, and
//! `simplify/inline.rs` which calls are inlined.
//! Backward, `simplify/live.rs` and `simplify/mark.rs` say what is needed, and `simplify/sweep.rs` drops the
//! rest; `simplify/bare.rs` has what is left of branches and loops that stay for what may fail inside.
//!
//! Requires: dialect FirstOrder or Bulk, verified, without tuples (`flatten`).
//! Ensures: dialect FirstOrder; the entries keep their parameters and results. The same results, to the
//! bit under [`Exactness::Bits`], and the same errors at run time: what could fail is not dropped, not
//! made earlier, not moved out of a loop. Derivative operators stay, and so does what they differentiate.
//! Cost: n log n for a program of n statements and a bounded nesting, times the rounds. The work of
//! the result is at most that of the input, but for loops that do not run at all and axes of size zero:
//! what does not depend on the loop is done in front of it, what is the same along the axis once.
//! Not done: what kept a `build` from being an operation on whole arrays may be simplified away; then the
//! dialect is FirstOrder, and `bot` makes it Bulk again. `x + 0.0` is not `x` (for `x = -0.0`), nor is the sum over a
//! replicated axis a product. Unused size parameters and fields of constructors stay.
//! Tests: `crates/opt/tests/simplify/` has a case for each rule, before, after and evaluated at several
//! sizes, and says so if one has none; `crates/cotan/tests/simplify/` has all examples.
//!
//! Example. `x3: [n]Int = iota [n]`, `x4: [n]Real = gather x1 (x3)`, `x5: [n]Real = mul x4 1.0` is `x1`.

mod bare;
mod common;
mod facts;
mod forward;
mod hoist;
mod inline;
mod inside;
mod live;
mod mark;
mod rule;
mod rules;
mod sweep;

pub use rule::{Keeps, On, Rule};
pub use rules::rules;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Name;
use ir::{Block, Def, Need, Program, Var, graph};

use bare::Unread;
use forward::{Does, Made};
use inline::Inlined;

use crate::tuning::MAX_ROUNDS;

/// How much of a value has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Every bit, for programs as they were written.
    Bits,
    /// All but the sign of zeros, the order of the sums at one position of a scatter, factors that go
    /// out of a sum, sums of sums, squares, and quotients that are divided again: for derivatives, whose cotangents start at a zero that is only there
    /// to be added to. A cotangent `-0.0` in place of `0.0` is nothing that any comparison can see. A
    /// factor that is infinite or NaN is multiplied with the sum, and not with each of its terms.
    UpToRounding,
}

/// The same program, smaller. The entries are the definitions that are called from outside, or have to
/// stay what they are, such as those with derivatives of their own: they keep their parameters and
/// results, and what they do not reach is dropped.
pub fn simplify(program: &Program, entries: &[Name], exactness: Exactness) -> Program {
    simplify_by(program, entries, &|_| exactness, &mut Settled::default())
}

/// As [`simplify`], and the names of the rules that applied.
pub fn simplify_and_tell(
    program: &Program,
    entries: &[Name],
    exactness: Exactness,
) -> (Program, BTreeSet<&'static str>) {
    let mut settled = Settled::default();
    let res = simplify_by(program, entries, &|_| exactness, &mut settled);
    (res, settled.applied)
}

/// As [`simplify`], with an exactness for each definition, and what is known from before. What is called
/// once is inlined only if both have the same exactness.
pub fn simplify_by(
    program: &Program,
    entries: &[Name],
    exactness: &dyn Fn(&Name) -> Exactness,
    settled: &mut Settled,
) -> Program {
    let entries = &with_customs(program, entries);
    let mut program = program.clone();
    for round in 0..MAX_ROUNDS {
        let once = inline::called_once(&program, entries);
        let forward = rewritten(&program, &once, exactness, settled);
        // What nobody needed was dropped in the round before.
        if round > 0 && !forward.is_new {
            break;
        }
        let next = live::needed(&forward.program, entries, &forward.fallible, Unread::Kept);
        if next == program {
            break;
        }
        program = next;
    }
    program
}

/// The program in which no operation is done twice: `simplify/common.rs` by itself.
pub fn common(program: &Program) -> Program {
    alone(program, Does { rules: false, common: true, hoist: false })
}

/// The program in which loops do not do what does not depend on them: `simplify/hoist.rs` by itself.
pub fn hoist(program: &Program) -> Program {
    alone(program, Does { rules: false, common: false, hoist: true })
}

fn alone(program: &Program, does: Does) -> Program {
    let mut res = program.clone();
    let inlined = Inlined { tellers: ir::tellers(program), ..Inlined::default() };
    for (name, def) in &program.defs {
        let made = forward::rewrite(program, def, &inlined, &|_| Exactness::Bits, does);
        res.defs.insert(name.clone(), Arc::new(made.def));
    }
    res
}

/// The program with calls inlined where it gets not much larger by it: for back ends that fuse loops,
/// which a call keeps apart. Definitions of the user's are inlined into derivatives, and not the other
/// way around, unless both are exact to the bit.
pub fn inline_more(
    program: &Program,
    entries: &[Name],
    exactness: &dyn Fn(&Name) -> Exactness,
    settled: &mut Settled,
) -> Program {
    let entries = &with_customs(program, entries);
    let inlined = inline::joined(program, entries);
    if inlined.names.is_empty() {
        return program.clone();
    }
    let forward = rewritten(program, &inlined, exactness, settled);
    live::needed(&forward.program, entries, &forward.fallible, Unread::Kept)
}

/// The program in which branches and loops that nobody reads, and that are there for what may fail inside, give
/// no arrays: `simplify/bare.rs`. For back ends, behind everything that finds statements that are the same.
pub fn bare(
    program: &Program,
    entries: &[Name],
    exactness: &dyn Fn(&Name) -> Exactness,
    settled: &mut Settled,
) -> Program {
    let entries = &with_customs(program, entries);
    let inlined = Inlined { tellers: ir::tellers(program), ..Inlined::default() };
    let forward = rewritten(program, &inlined, exactness, settled);
    live::needed(&forward.program, entries, &forward.fallible, Unread::Bare)
}

/// The entries, and definitions with derivatives of their own: who differentiates needs them as they are.
fn with_customs(program: &Program, entries: &[Name]) -> Vec<Name> {
    let customs = program.customs.iter();
    let customs = customs.flat_map(|(name, it)| [Some(name), it.vjp.as_ref(), it.jvp.as_ref()]);
    entries.iter().chain(customs.flatten()).cloned().collect()
}

/// What is known from calls and rounds before.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// Definitions to which no rule applies, as long as what they call is not called once, and their
    /// statements that can fail. What is settled up to rounding is so to the bit: there are no rules that
    /// only exact programs have.
    known: BTreeMap<Name, (Arc<Def>, Exactness, BTreeSet<Var>)>,
    /// The names of the rules that applied.
    applied: BTreeSet<&'static str>,
}

/// Statements that can fail by themselves, by their first result, for each definition.
type Fallible = BTreeMap<Name, BTreeSet<Var>>;

/// What the way forward has made of a program.
struct Rewritten {
    program: Program,
    fallible: Fallible,
    /// Whether it is another one.
    is_new: bool,
}

fn rewritten(
    program: &Program,
    inlined: &Inlined,
    exactness: &dyn Fn(&Name) -> Exactness,
    settled: &mut Settled,
) -> Rewritten {
    let mut next = program.clone();
    let (mut fallible, mut is_new) = (Fallible::new(), false);
    for (name, def) in &program.defs {
        let own = exactness(name);
        if let Some((known, less, can_fail)) = settled.known.get(name)
            && known == def
            && (*less == own || *less == Exactness::UpToRounding)
            && !calls_any(&def.body, &inlined.names)
        {
            fallible.insert(name.clone(), can_fail.clone());
            continue;
        }
        let Made { def: made, can_fail, applied } =
            forward::rewrite(program, def, inlined, exactness, Does::ALL);
        settled.applied.extend(applied);
        fallible.insert(name.clone(), can_fail.clone());
        if made == **def {
            settled.known.insert(name.clone(), (def.clone(), own, can_fail));
        } else {
            next.defs.insert(name.clone(), Arc::new(made));
            is_new = true;
        }
    }
    Rewritten { program: next, fallible, is_new }
}

fn calls_any(block: &Block, called: &BTreeSet<Name>) -> bool {
    graph::callees(block).iter().any(|it| it.0 == Need::Call && called.contains(it.1))
}

/// How many statements a program has, those in inner blocks included: the measure of its size.
pub fn n_statements(program: &Program) -> usize {
    program.defs.values().map(|it| crate::inline::n_statements(&it.body)).sum()
}
