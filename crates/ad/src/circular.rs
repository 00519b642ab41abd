//! Clauses that call their own definition on what they are linear in.
//!
//! `half(a, y) = y / a with jvp(a, y, da, dy) = half(a, dy - da * half(a, y))` is the clause of a linear
//! solve. The transpose of the clause needs that of `half` by `y`, which is again the transpose of the
//! clause, without end. So such a clause is not transposed as code: what it gives for each unit vector is
//! a row of its transpose.
//!
//! What is found here may be more than is there: that costs runs, and changes no result.

use std::collections::BTreeSet;

use base::Name;
use ir::{Atom, Binder, Block, Custom, FunctionOp, Op, Program, Type, Var, walk};

/// Which clause of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    Jvp,
    Vjp,
}

/// Whether the only clause of a definition, which takes a point of `n_point` parameters and then what
/// it is linear in, calls the definition on something that depends on the latter.
pub(crate) fn is_circular(program: &Program, def: &Name, clause: Clause, n_point: usize) -> bool {
    let Some(rule) = program.customs.get(def).and_then(|it| clause.of(it)) else { return false };
    let mut search = Search { program, def, clause, seen: BTreeSet::new(), open: Vec::new() };
    search.enter_clause(rule, n_point);
    while let Some((name, mask)) = search.open.pop() {
        let Some(called) = program.defs.get(&name) else { continue };
        let on = called.params.iter().zip(&mask).filter(|it| *it.1).map(|it| it.0.var);
        let mut active: BTreeSet<Var> = on.collect();
        if search.block(&called.body, &mut active) {
            return true;
        }
    }
    false
}

impl Clause {
    fn of(self, custom: &Custom) -> Option<&Name> {
        match self {
            Clause::Jvp => custom.jvp.as_ref(),
            Clause::Vjp => custom.vjp.as_ref(),
        }
    }

    /// The clause for the other direction, by which a definition has not to be transposed.
    fn other(self, custom: &Custom) -> Option<&Name> {
        match self {
            Clause::Jvp => custom.vjp.as_ref(),
            Clause::Vjp => custom.jvp.as_ref(),
        }
    }
}

struct Search<'a> {
    program: &'a Program,
    def: &'a Name,
    clause: Clause,
    seen: BTreeSet<(Name, Vec<bool>)>,
    /// Definitions to be looked at, and which of their parameters depend on the tangents.
    open: Vec<(Name, Vec<bool>)>,
}

impl Search<'_> {
    fn enter(&mut self, name: &Name, mask: Vec<bool>) {
        if self.seen.insert((name.clone(), mask.clone())) {
            self.open.push((name.clone(), mask));
        }
    }

    fn enter_clause(&mut self, rule: &Name, n_point: usize) {
        let n_params = self.program.defs.get(rule).map_or(0, |it| it.params.len());
        self.enter(rule, (0..n_params).map(|at| at >= n_point).collect());
    }

    /// Whether a block calls the definition on what is active; adds what is active inside of it.
    fn block(&mut self, block: &Block, active: &mut BTreeSet<Var>) -> bool {
        for stmt in &block.stmts {
            let uses = !walk::free_vars_op(&stmt.op).is_disjoint(active);
            if let Op::Function(FunctionOp::Call { def, args, .. }) = &stmt.op
                && uses
                && self.call(def, args, active)
            {
                return true;
            }
            // Nobody knows here what a function is applied to.
            let inside = uses || matches!(stmt.op, Op::Function(FunctionOp::Lambda(_)));
            for (bound, block) in walk::blocks(&stmt.op) {
                if inside {
                    active.extend(bound.iter().filter(|it| may_depend(it)).map(|it| it.var));
                }
                if self.block(block, active) {
                    return true;
                }
            }
            if uses {
                active.extend(stmt.binders.iter().filter(|it| may_depend(it)).map(|it| it.var));
            }
        }
        false
    }

    fn call(&mut self, name: &Name, args: &[Atom], active: &BTreeSet<Var>) -> bool {
        let on = |it: &Atom| matches!(it, Atom::Var(var) if active.contains(var));
        let mask: Vec<bool> = args.iter().map(on).collect();
        if !mask.contains(&true) {
            return false;
        }
        if name == self.def {
            return true;
        }
        match self.program.customs.get(name) {
            None => self.enter(name, mask),
            Some(custom) if self.clause.other(custom).is_some() => {}
            Some(custom) => {
                if let Some(rule) = self.clause.of(custom).cloned() {
                    self.enter_clause(&rule, args.len());
                }
            }
        }
        false
    }
}

fn may_depend(binder: &Binder) -> bool {
    !matches!(binder.ty.split_arrays().1, Type::Int | Type::Bool | Type::String)
}
