//! Clauses that have no end: a `jvp` that calls its own definition, itself or through others, with a
//! function made of what it got.
//!
//! `with jvp(f, x0, df, _) = fixed(\v => jvp(f)(x0, v) + df(x0), x0)` below `fixed`: the call has a derivative
//! of its own by the same clause, whose functions are made of these functions, and so on. It is
//! found in the ir, where every call stands by itself.

use std::collections::BTreeSet;

use base::{Name, Span};
use ir::graph::{CallGraph, Need};
use ir::{Atom, Block, Def, FunctionOp, Op, Program, Type, Var, walk};

use crate::error::CustomError;

/// What is wrong with the clauses of a program.
pub(crate) fn endless(program: &Program) -> Vec<CustomError> {
    let mut res = Vec::new();
    for (name, custom) in &program.customs {
        let Some(clause) = custom.jvp.as_ref().and_then(|it| program.defs.get(it)) else {
            continue;
        };
        let functions = clause.params.iter().filter(|it| matches!(it.ty, Type::Function(..)));
        let functions: Vec<Var> = functions.map(|it| it.var).collect();
        // Each is followed by a tangent, after all parameters.
        let own = functions[..functions.len() / 2].iter().copied().collect();
        let made = functions.into_iter().collect();
        let mut search = Search { program, name, clause, own, made };
        if let Some(span) = search.block(&clause.body) {
            res.push(CustomError::Endless { def: name.clone(), span });
        }
    }
    res
}

struct Search<'a> {
    program: &'a Program,
    name: &'a Name,
    clause: &'a Def,
    /// The functions that the definition takes.
    own: BTreeSet<Var>,
    /// These, their tangents, and functions that mention them.
    made: BTreeSet<Var>,
}

impl Search<'_> {
    /// Where the definition is called, or may be, with one of the functions that are made here.
    fn block(&mut self, block: &Block) -> Option<Span> {
        for stmt in &block.stmts {
            let mentions = !walk::free_vars_op(&stmt.op).is_disjoint(&self.made);
            if matches!(stmt.op, Op::Function(FunctionOp::Lambda(_)) | Op::Copy(_)) && mentions {
                self.made.extend(stmt.binders.iter().map(|it| it.var));
            }
            if let Op::Function(FunctionOp::Call { def, args, .. }) = &stmt.op
                && args.iter().any(|it| self.is_made(it))
                && self.comes_back(def)
            {
                let first = stmt.binders.first()?;
                return self.clause.spans.0.get(&first.var).copied();
            }
            for (_, block) in walk::blocks(&stmt.op) {
                if let Some(found) = self.block(block) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Whether a definition may call the one that the clause belongs to, or a clause of it may.
    fn comes_back(&self, from: &Name) -> bool {
        let graph = CallGraph::new(self.program, &[Need::Call, Need::Clause]);
        graph.reachable([from]).contains(self.name)
    }

    fn is_made(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.made.contains(var) && !self.own.contains(var))
    }
}
