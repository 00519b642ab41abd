//! Operations with blocks inside.

use std::sync::Arc;

use ir::{Arm, ArrayOp, Atom, Block, ControlOp, Lambda, Loop, Op, Size, Stmt, Type, Var};

use super::{Flatten, Layout};
use crate::refusal::Refusal;

impl Flatten<'_, '_> {
    pub(super) fn match_(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        arms: &[Arm],
        otherwise: Option<&Block>,
    ) -> Result<(), Refusal> {
        let ty = self.type_of(value).substitute_sizes(&|var| self.size_of(var));
        let mut flat = Vec::new();
        for arm in arms {
            let (_, con) = self.datas.constructor(&ty, &arm.con)?;
            let fields = self.binders(&arm.fields)?;
            flat.push(Arm { con, fields, body: self.block(&arm.body)? });
        }
        let otherwise = otherwise.map(|it| self.block(it)).transpose()?;
        let value = self.atom(value);
        self.bind(stmt, Op::Control(ControlOp::Match { value, arms: flat, otherwise }))
    }

    pub(super) fn build(
        &mut self,
        stmt: &Stmt,
        sizes: &[Size],
        indices: &[Var],
        body: &Block,
    ) -> Result<(), Refusal> {
        let sizes = sizes.iter().map(|it| self.size(it)).collect();
        let indices = indices.iter().map(|it| self.index(*it)).collect();
        let body = self.block(body)?;
        self.bind(stmt, Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    pub(super) fn loop_(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &Loop,
    ) -> Result<(Vec<Atom>, Vec<Atom>, Loop), Refusal> {
        let (inits, arrays) = (self.all_atoms(inits), self.all_atoms(arrays));
        let state = self.binders(&step.state)?;
        let elems = self.binders(&step.elems)?;
        let body = self.block(&step.body)?;
        Ok((inits, arrays, Loop { state, elems, body }))
    }

    /// Of an array of tuples, the positions are filtered, and what is there is gathered:
    /// `filter (xs, ys) p` becomes `is = filter (iota n) (i => p(xs[i], ys[i]))`, `xs[is]`, `ys[is]`.
    pub(super) fn filter(
        &mut self,
        stmt: &Stmt,
        array: &Atom,
        predicate: &Lambda,
    ) -> Result<(), Refusal> {
        let ty = self.type_of(array);
        let arrays = self.atoms(array);
        if Layout::of(&ty) == Layout::Leaf {
            let params = self.binders(&predicate.params)?;
            let predicate = Arc::new(Lambda { params, body: self.block(&predicate.body)? });
            return self
                .bind(stmt, Op::Array(ArrayOp::Filter { array: self.atom(array), predicate }));
        }
        let (sizes, _) = ty.split_arrays();
        let positions = self.one(Op::Array(ArrayOp::Iota(self.size(&sizes[0]))))?;
        let position = self.builder.fresh(Type::Int);
        self.builder.open();
        let indices = vec![Atom::Var(position)];
        let elements = arrays.iter().map(|it| {
            self.one(Op::Array(ArrayOp::Index { array: it.clone(), indices: indices.clone() }))
        });
        let elements = elements.collect::<Result<Vec<Atom>, Refusal>>()?;
        self.alias(&predicate.params[0], elements);
        predicate.body.stmts.iter().try_for_each(|it| self.stmt(it))?;
        let results = self.all_atoms(&predicate.body.results);
        let body = self.builder.close(results);
        let params = vec![ir::Binder { var: position, ty: Type::Int }];
        let predicate = Arc::new(Lambda { params, body });

        let count = self.vars(&stmt.binders[0])[0];
        let found = self.builder.fresh(Type::unit());
        self.push(&[count, found], Op::Array(ArrayOp::Filter { array: positions, predicate }))?;
        let vars = self.vars(&stmt.binders[1]);
        vars.iter().zip(arrays).try_for_each(|(var, array)| {
            self.push(
                &[*var],
                Op::Array(ArrayOp::Gather { array, indices: vec![Atom::Var(found)], mask: None }),
            )
        })
    }
}
