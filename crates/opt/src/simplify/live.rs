//! What a program needs: where every variable is bound, which definitions can fail, and, from the entries
//! on, what is live. `mark.rs` goes from what is needed to what that needs, `sweep.rs` drops the rest.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Binder, Block, ControlOp, Def, FunctionOp, Op, Program, Stmt, Type, Var, VarMap, walk};

use super::bare::Unread;
use super::mark::Mark;
use super::{Fallible, sweep};

/// Where a variable is bound, in its definition.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    /// A parameter, or a size parameter.
    Param,
    /// The result of so many a place of a statement.
    Result(&'p Stmt, usize),
    /// A state of a loop.
    State(&'p Stmt, usize),
    /// An element of an array that a loop goes through.
    Elem(&'p Stmt, usize),
    /// An index, or a field in an arm: it is there if the statement is.
    Inside(&'p Stmt),
}

/// One definition, taken apart.
pub(super) struct Parts<'p> {
    pub(super) def: &'p Def,
    pub(super) places: VarMap<(Place<'p>, Type)>,
    /// The statement around each statement, by their first results.
    pub(super) parents: VarMap<Var>,
    pub(super) stmts: BTreeMap<Var, &'p Stmt>,
    /// Statements that have to stay wherever the definition is called.
    pub(super) roots: Vec<Var>,
}

/// The program without what nobody needs.
pub(super) fn needed(
    program: &Program,
    entries: &[Name],
    fallible: &Fallible,
    unread: Unread,
) -> Program {
    let mut parts: BTreeMap<Name, Parts<'_>> =
        program.defs.iter().map(|(name, def)| (name.clone(), Parts::new(def))).collect();
    let safe = safe_defs(&parts, fallible);
    for (name, it) in &mut parts {
        let own = fallible.get(name);
        it.roots = it
            .stmts
            .iter()
            .filter(|(first, stmt)| match called(stmt) {
                Some(def) => !safe.contains(def),
                None => own.is_some_and(|it| it.contains(first)),
            })
            .map(|(first, _)| *first)
            .collect();
    }
    let mut mark = Mark::new(&parts, unread);
    for entry in entries {
        mark.entry(entry);
    }
    sweep::sweep(program, &mark.finish())
}

impl<'p> Parts<'p> {
    fn new(def: &'p Def) -> Parts<'p> {
        let (places, parents, stmts) = (VarMap::default(), VarMap::default(), BTreeMap::new());
        let mut parts = Parts { def, places, parents, stmts, roots: Vec::new() };
        for var in &def.size_params {
            parts.places.insert(*var, (Place::Param, Type::Int));
        }
        for binder in &def.params {
            parts.places.insert(binder.var, (Place::Param, binder.ty.clone()));
        }
        parts.block(&def.body, None);
        parts
    }

    fn block(&mut self, block: &'p Block, parent: Option<Var>) {
        for stmt in &block.stmts {
            let Some(first) = stmt.binders.first().map(|it| it.var) else { continue };
            self.stmts.insert(first, stmt);
            if let Some(parent) = parent {
                self.parents.insert(first, parent);
            }
            for (at, binder) in stmt.binders.iter().enumerate() {
                self.places.insert(binder.var, (Place::Result(stmt, at), binder.ty.clone()));
            }
            for (binders, inner) in walk::blocks(&stmt.op) {
                for binder in binders {
                    self.places.insert(binder.var, (Place::Inside(stmt), binder.ty));
                }
                self.block(inner, Some(first));
            }
            let (state, elems) = loop_binders(&stmt.op);
            for (at, binder) in state.iter().enumerate() {
                self.places.insert(binder.var, (Place::State(stmt, at), binder.ty.clone()));
            }
            for (at, binder) in elems.iter().enumerate() {
                self.places.insert(binder.var, (Place::Elem(stmt, at), binder.ty.clone()));
            }
        }
    }
}

/// The state of a loop, and the elements it goes through.
pub(super) fn loop_binders(op: &Op) -> (&[Binder], &[Binder]) {
    if let Op::Control(ControlOp::Fold { step, .. } | ControlOp::Scan { step, .. }) = op {
        (&step.state, &step.elems)
    } else if let Op::Control(ControlOp::Iterate { state, .. } | ControlOp::While { state, .. }) =
        op
    {
        (state, &[])
    } else {
        (&[], &[])
    }
}

/// The definition that a statement calls.
fn called(stmt: &Stmt) -> Option<&Name> {
    if let Op::Function(FunctionOp::Call { def, .. }) = &stmt.op { Some(def) } else { None }
}

/// The definitions that can neither fail nor run for ever: nothing in them can, and all that they call
/// cannot. Who calls himself is not among them.
fn safe_defs(parts: &BTreeMap<Name, Parts<'_>>, fallible: &Fallible) -> BTreeSet<Name> {
    let mut callers: BTreeMap<&Name, BTreeSet<&Name>> = BTreeMap::new();
    let mut open: BTreeMap<&Name, usize> = BTreeMap::new();
    let mut ready: Vec<&Name> = Vec::new();
    for (name, it) in parts {
        let calls: BTreeSet<&Name> = it.stmts.values().copied().filter_map(called).collect();
        if fallible.get(name).is_some_and(|it| !it.is_empty()) {
            continue;
        }
        if calls.is_empty() {
            ready.push(name);
        }
        open.insert(name, calls.len());
        calls.into_iter().for_each(|it| {
            callers.entry(it).or_default().insert(name);
        });
    }
    let mut safe = BTreeSet::new();
    while let Some(name) = ready.pop() {
        safe.insert(name.clone());
        for caller in callers.get(name).into_iter().flatten() {
            let left = open.entry(caller).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push(caller);
            }
        }
    }
    safe
}
