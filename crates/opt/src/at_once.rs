//! A recursion whose cotangents are known on the way there goes back at once, ir to ir.
//!
//! The derivative of a recursion is two: one that computes the value and keeps what the other needs, a value
//! of a sum type for every call, and one that goes back over these. Where the cotangent of every call is known
//! before the call is made, since values are only added up and multiplied with what is known already, both
//! can be one: a call goes back when it has its value, and keeps nothing. What is added to a cotangent is then
//! added in another order.
//!
//! The body of the second is put behind that of the first; a match on what was kept is done where it is made,
//! in the branches that make it (`at_once/weave.rs`). Then two calls become one, and two loops one, in which
//! they stand (`at_once/merged.rs`); what is added to may be passed on in any order (`at_once/sums.rs`).
//!
//! Requires: dialect Bulk, verified, without tuples.
//! Ensures: the same dialect, definitions and errors at run time; the same results up to rounding.
//! Cost: for each pair of definitions, linear in their size, and quadratic in the length of their blocks.
//! Not done: recursions of several definitions; those whose cotangents depend on the values of calls, as in a
//! product of two; loops whose state is a cotangent that changes from step to step; what tells something, or
//! calls a derivative that the user wrote, since it is seen when that is done.
//! No paper of ours has it; it is ours, a case of deforestation: what is kept is made and taken apart at once.
//! Tests: `crates/opt/tests/at_once.rs`; whole programs: `tests/programs/language/parts.cot`.
//!
//! Example. With `y, s = call f.fwd(x)` in the body of `f.fwd` and `dx = call f.rev(s, dy)` in that of `f.rev`
//! there is a definition that does both, and calls itself: `y, dx = call f.fwd.at_once(x, dy)`.

mod merged;
mod sums;
mod weave;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Name, Span};
use ir::walk;
use ir::{
    Atom, Binder, Block, CallGraph, Def, FunctionOp, Need, Op, Origin, Program, Size, Spans, Stmt,
    Type, Var,
};

use crate::inline::{Values, value};
use crate::order::is_in_order;

/// The program with recursions that go there and back at once.
pub fn at_once(program: &Program) -> Program {
    let mut res = program.clone();
    let mut known: BTreeMap<(Name, Name), Option<Made>> = BTreeMap::new();
    for (name, def) in &program.defs {
        let mut found = Vec::new();
        pairs(&def.body, program, &mut found);
        for pair in found.into_iter().filter(|it| it.forth != *name && it.back != *name) {
            let key = (pair.forth.clone(), pair.back.clone());
            let made = known.entry(key).or_insert_with(|| {
                let both = Arc::new(both(program, &pair)?);
                Some(Made { pair, both })
            });
            let Some(Made { pair, both }) = made else { continue };
            let def = res.defs[name].clone();
            let mut merger = Merger::new(pair, &def);
            let body = merger.everywhere(&def.body);
            if calls(&pair.both, &body) {
                let (next_var, spans) = (merger.next_var, Spans(merger.spans));
                let def = Def { body, next_var, spans, ..(*def).clone() };
                res.defs.insert(name.clone(), Arc::new(def));
                res.defs.insert(pair.both.clone(), both.clone());
            }
        }
    }
    res
}

/// A pair of definitions, and the one that does both.
struct Made {
    pair: Pair,
    both: Arc<Def>,
}

/// A definition that keeps something, and the one that takes it to go back.
struct Pair {
    forth: Name,
    back: Name,
    /// Which result of the first and which parameter of the second that is.
    kept: usize,
    given: usize,
    /// For each parameter of the second, the result that is the parameter and what is added to it.
    sums: Vec<Option<usize>>,
    /// What does both.
    both: Name,
}

/// Pairs of recursive definitions of which one is given what the other one kept, in one block.
fn pairs(block: &Block, program: &Program, found: &mut Vec<Pair>) {
    let calls = || {
        block.stmts.iter().enumerate().filter_map(|(at, it)| {
            let (def, _, args) = called(it)?;
            Some((at, it, program.defs.get(def)?, args))
        })
    };
    for (at, stmt, forth, _) in calls().filter(|it| calls_itself(it.2, &it.2.body)) {
        for (kept, binder) in stmt.binders.iter().enumerate() {
            let Type::Data(..) = &binder.ty else { continue };
            let after = calls().filter(|it| it.0 > at && calls_itself(it.2, &it.2.body));
            for (_, _, back, args) in after {
                if let Some(given) = args.iter().position(|it| *it == Atom::Var(binder.var)) {
                    found.push(Pair::new(forth, back, kept, given));
                }
            }
        }
    }
    for (_, inner) in block.stmts.iter().flat_map(|it| walk::blocks(&it.op)) {
        pairs(inner, program, found);
    }
}

impl Pair {
    fn new(forth: &Def, back: &Def, kept: usize, given: usize) -> Pair {
        let both = forth.name.part("at_once");
        let sums = sums::of(back, given);
        let (forth, back) = (forth.name.clone(), back.name.clone());
        Pair { forth, back, kept, given, sums, both }
    }
}

/// What a statement calls, with sizes and operands.
fn called(stmt: &Stmt) -> Option<(&Name, &[Size], &[Atom])> {
    match &stmt.op {
        Op::Function(FunctionOp::Call { def, sizes, args, .. }) => Some((def, sizes, args)),
        Op::Function(_) | Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Array(_) => None,
        Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } | Op::Equal(..) | Op::Close(..) => None,
        Op::Control(_) | Op::Derive(_) | Op::Delta(_) => None,
    }
}

fn calls_itself(def: &Def, block: &Block) -> bool {
    calls(&def.name, block)
}

/// Whether a definition is called in a block.
fn calls(name: &Name, block: &Block) -> bool {
    block.stmts.iter().any(|it| {
        called(it).is_some_and(|it| it.0 == name)
            || walk::blocks(&it.op).iter().any(|it| calls(name, it.1))
    })
}

/// The definition that goes there and back at once, if there can be one.
fn both(program: &Program, pair: &Pair) -> Option<Def> {
    let (forth, back) = (program.defs.get(&pair.forth)?, program.defs.get(&pair.back)?);
    let is_taken = program.defs.contains_key(&pair.both) || !forth.type_params.is_empty();
    if is_taken || has_an_order(program, pair) {
        return None;
    }
    let kept = forth.results.get(pair.kept)?;
    let mut merger = Merger::new(pair, forth);
    merger.spans_of_back = back.spans.0.clone();
    let mut values = sizes_of_back(back, pair.given, &kept.ty)?;
    let mut params = forth.params.clone();
    for (at, param) in back.params.iter().enumerate() {
        let given = match at == pair.given {
            true => forth.body.results[pair.kept].clone(),
            false => {
                let ty = type_of(&param.ty, &values);
                let var = merger.fresh(param.var);
                params.push(Binder { var, ty });
                Atom::Var(var)
            }
        };
        values.insert(param.var, value(param.var, &given));
    }
    let mut results = forth.results.clone();
    results.remove(pair.kept);
    for result in &back.results {
        let ty = type_of(&result.ty, &values);
        results.push(Binder { var: merger.fresh(result.var), ty });
    }
    let body = merger.weave(forth.body.clone(), pair.kept, &back.body, values)?;
    let known = forth.size_params.iter().copied().chain(params.iter().map(|it| it.var));
    let is_whole = !calls(&pair.forth, &body)
        && !calls(&pair.back, &body)
        && is_in_order(&body, &known.collect());
    let (next_var, spans) = (merger.next_var, Spans(merger.spans));
    let (name, size_params, type_params) =
        (pair.both.clone(), forth.size_params.clone(), Vec::new());
    let origin = Origin::Derivative;
    is_whole.then_some(Def {
        name,
        type_params,
        size_params,
        params,
        results,
        body,
        next_var,
        spans,
        origin,
    })
}

/// Whether it is seen when what goes back runs: what tells something, and what the user wrote for it, which may
/// fail where nothing has failed before.
fn has_an_order(program: &Program, pair: &Pair) -> bool {
    let tellers = ir::tellers(program);
    let needed = CallGraph::new(program, &Need::ALL).reachable([&pair.forth, &pair.back]);
    let is_clause = |it: &Name| program.defs.get(it).is_some_and(|it| it.origin == Origin::Clause);
    needed.iter().any(|it| tellers.contains(it) || is_clause(it))
}

/// What the size parameters of the one that goes back are in the other one, by the type of what is kept.
fn sizes_of_back(back: &Def, given: usize, kept: &Type) -> Option<Values> {
    let (Type::Data(_, _, theirs), Type::Data(_, _, ours)) = (&back.params.get(given)?.ty, kept)
    else {
        return None;
    };
    let mut values = Values::new();
    for (theirs, ours) in theirs.iter().zip(ours) {
        if let (Some(theirs), Some(ours)) = (theirs.as_var(), ours.as_var()) {
            values.insert(*theirs, (Atom::Var(*ours), Size::var(*ours)));
        }
    }
    let is_known = back.size_params.iter().all(|it| values.contains_key(it));
    (is_known && back.type_params.is_empty()).then_some(values)
}

/// Makes one of two calls, and of two loops.
struct Merger<'p> {
    pair: &'p Pair,
    next_var: u32,
    spans: BTreeMap<Var, Span>,
    spans_of_back: BTreeMap<Var, Span>,
}

impl<'p> Merger<'p> {
    fn new(pair: &'p Pair, def: &Def) -> Merger<'p> {
        let (next_var, spans) = (def.next_var, def.spans.0.clone());
        Merger { pair, next_var, spans, spans_of_back: BTreeMap::new() }
    }

    /// A new variable at the place of one of the definition that goes back.
    fn fresh(&mut self, like: Var) -> Var {
        let var = Var(self.next_var);
        self.next_var += 1;
        if let Some(span) = self.spans_of_back.get(&like) {
            self.spans.insert(var, *span);
        }
        var
    }
}

/// A type in a place where variables have values.
fn type_of(ty: &Type, values: &Values) -> Type {
    ty.substitute_sizes(&|it| values.get(&it).map(|it| it.1.clone()))
}
