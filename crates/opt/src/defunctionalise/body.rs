//! The statements of a definition: lambdas become constructors, applications calls.

use std::collections::BTreeMap;

use ir::walk::{self, Visit};
use ir::{Arm, Atom, Block, ControlOp, Def, FunctionOp, Op, Stmt, Type, Var};

use super::Defunctionaliser;
use super::apply::Made;

/// The work on one definition. Its types stay those of the input for now.
pub(super) struct Body<'a, 'p> {
    pass: &'a mut Defunctionaliser<'p>,
    def: &'a Def,
    types: BTreeMap<Var, Type>,
}

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn new(pass: &'a mut Defunctionaliser<'p>, def: &'a Def) -> Body<'a, 'p> {
        let mut found = Found { last: Var(0), types: BTreeMap::new() };
        found.types.extend(def.size_params.iter().map(|it| (*it, Type::Int)));
        walk::visit_binders(&def.params, &mut found);
        walk::visit_block(&def.body, &mut found);
        Body { pass, def, types: found.types }
    }

    pub(super) fn block(&mut self, block: &Block) -> Block {
        let stmts = block.stmts.iter();
        let stmts = stmts.map(|it| Stmt { binders: it.binders.clone(), op: self.stmt(it) });
        Block { stmts: stmts.collect(), results: block.results.clone() }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Op {
        // Inner functions first: they capture variables of the outer ones.
        let op = walk::map_blocks(&stmt.op, &mut |_, block| self.block(block));
        match op {
            Op::Function(FunctionOp::Lambda(lambda)) => {
                let ty = stmt.binders[0].ty.clone();
                let (con, args) = self.pass.made(&Made {
                    ty: &ty,
                    lambda: &lambda,
                    types: &self.types,
                    spans: &self.def.spans,
                });
                Op::Con { ty, con, args }
            }
            Op::Function(FunctionOp::Apply(function, args)) => {
                let (class, sizes) = self.pass.types.class(&self.type_of(&function));
                let (def, sizes) = (class.apply.clone(), class.arguments(&sizes));
                let args = [function].into_iter().chain(args).collect();
                Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args })
            }
            Op::Con { ty, con, args } => {
                let con = self.pass.types.con(&ty, &con);
                Op::Con { ty, con, args }
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let ty = self.type_of(&value);
                let arms = arms.into_iter();
                let arms = arms.map(|it| Arm { con: self.pass.types.con(&ty, &it.con), ..it });
                Op::Control(ControlOp::Match { value, arms: arms.collect(), otherwise })
            }
            Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => op,
            Op::Equal(..) | Op::Close(..) | Op::Array(_) | Op::Control(_) => op,
            Op::Function(FunctionOp::Call { .. }) | Op::Derive(_) | Op::Delta(_) => op,
        }
    }

    fn type_of(&self, atom: &Atom) -> Type {
        let found = ir::typing::atom_type(&|var| self.types.get(&var).cloned(), atom);
        found.unwrap_or_else(|it| panic!("compiler bug: {it}"))
    }
}

/// The types of all variables of a definition.
struct Found {
    last: Var,
    types: BTreeMap<Var, Type>,
}

impl<'a> Visit<'a> for Found {
    fn binder(&mut self, var: Var) {
        // An index has no type beside it.
        self.types.insert(var, Type::Int);
        self.last = var;
    }

    fn binder_ty(&mut self, ty: &'a Type) {
        self.types.insert(self.last, ty.clone());
    }
}
