//! Steps that run again say nothing again: copies of definitions without reports, whose traces tell of
//! cotangents only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Name, Saying};
use ir::{Atom, Block, Def, DeriveOp, FunctionOp, Op, Program, Stmt, walk};

/// The program in which these clauses differentiate what says nothing by itself.
pub(super) fn quieten(mut program: Program, clauses: &[Name]) -> Program {
    let tellers = ir::tellers(&program);
    if tellers.is_empty() {
        return program;
    }
    let mut quiet = Quiet { program: &mut program, tellers, made: BTreeMap::new() };
    for name in clauses {
        let Some(def) = quiet.program.defs.get(name).cloned() else { continue };
        let body = quiet.block(&def.body);
        quiet.program.defs.insert(name.clone(), Arc::new(Def { body, ..(*def).clone() }));
    }
    program
}

struct Quiet<'a> {
    program: &'a mut Program,
    tellers: BTreeSet<Name>,
    /// The names of the copies.
    made: BTreeMap<Name, Name>,
}

impl Quiet<'_> {
    /// The copy of a definition; itself if it says nothing.
    fn copy_of(&mut self, name: &Name) -> Name {
        if !self.tellers.contains(name) {
            return name.clone();
        }
        if let Some(made) = self.made.get(name) {
            return made.clone();
        }
        let copy = name.part("quiet");
        self.made.insert(name.clone(), copy.clone());
        let Some(def) = self.program.defs.get(name).cloned() else { return name.clone() };
        let body = self.block(&def.body);
        let made = Def { name: copy.clone(), body, ..(*def).clone() };
        self.program.defs.insert(copy.clone(), Arc::new(made));
        if let Some(custom) = self.program.customs.get(name).cloned() {
            self.program.customs.insert(copy.clone(), custom);
        }
        copy
    }

    fn block(&mut self, block: &Block) -> Block {
        let stmts = block.stmts.iter().map(|it| self.stmt(it)).collect();
        Block { stmts, results: block.results.clone() }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let op = match &stmt.op {
            Op::Derive(DeriveOp::Tell { saying: Saying::Report, value, .. }) => {
                Op::Copy(value.clone())
            }
            Op::Derive(DeriveOp::Tell { saying: Saying::Value, text, value, .. }) => {
                let (saying, every) = (Saying::Value, Atom::Int(0));
                let (text, value) = (text.clone(), value.clone());
                Op::Derive(DeriveOp::Tell { saying, every, text, value })
            }
            Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
                let (types, sizes, args) = (types.clone(), sizes.clone(), args.clone());
                Op::Function(FunctionOp::Call { def: self.copy_of(def), types, sizes, args })
            }
            Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) => {
                Op::Derive(DeriveOp::OfDefinition {
                    operator: *operator,
                    def: self.copy_of(def),
                    sizes: sizes.clone(),
                    captured: captured.clone(),
                    args: args.clone(),
                })
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Control(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => walk::map_blocks(&stmt.op, &mut |_, it| self.block(it)),
        };
        Stmt { binders: stmt.binders.clone(), op }
    }
}
