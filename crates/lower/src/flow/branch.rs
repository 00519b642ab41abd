//! Conditionals, and values of sum types: how they are made and told apart.
//!
//! A branch gives scalars, or pointers to memory that it allocated or found. If all branches give the
//! same pointer (an array that each of them left alone or changed in place), the result is that array.

use base::Name;
use ir::{Arm, Binder, Block, Stmt, Type};
use loops::{Atom, Choice, Node, Phi, Scalar, Var};

use crate::context::{Lower, scalar_of};

impl<'a> Lower<'a, '_> {
    /// Only the branch taken runs.
    pub(super) fn branch(
        &mut self,
        stmt: &'a Stmt,
        mut wanted: Vec<Option<Var>>,
        cond: &ir::Atom,
        [then, otherwise]: [&'a Block; 2],
    ) {
        let condition = self.scalar(cond);
        let n_before = self.func.vars.len();
        wanted.resize(stmt.binders.len(), None);
        let usual = self.typical.clone();
        self.typical = usual.within(cond, true);
        let (then, left) = self.within(|it| it.given_to(stmt, then, &wanted));
        self.typical = usual.within(cond, false);
        let (otherwise, right) = self.within(|it| it.given_to(stmt, otherwise, &wanted));
        self.typical = usual;
        let mut results = Vec::new();
        for (at, binder) in stmt.binders.iter().enumerate() {
            if let Some(var) = self.joined(binder, &[left[at], right[at]], n_before) {
                results.push(Phi { var, then: left[at], otherwise: right[at] });
            }
        }
        self.emit(Node::If { cond: condition, then, otherwise, results });
    }

    /// What a block gives. Arrays that it computes are where they are meant to be, if that is known; one that
    /// was there before, maybe changed in place, is not moved.
    fn given_to(&mut self, stmt: &Stmt, block: &'a Block, wanted: &[Option<Var>]) -> Vec<Atom> {
        let n_before = self.func.vars.len();
        let mut res = self.block(block, wanted);
        for ((given, into), binder) in res.iter_mut().zip(wanted).zip(&stmt.binders) {
            let is_new = matches!(given, Atom::Var(var) if var.0 as usize >= n_before);
            if let (Some(into), Type::Array(..), true) = (into, &binder.ty, is_new) {
                self.put(*given, *into, &binder.ty);
                *given = Atom::Var(*into);
            }
        }
        res
    }

    /// The arm of the constructor.
    pub(super) fn switch(
        &mut self,
        stmt: &'a Stmt,
        value: &ir::Atom,
        arms: &'a [Arm],
        otherwise: Option<&'a Block>,
    ) {
        let ty = self.type_of(value);
        let value = self.scalar(value);
        let n_before = self.func.vars.len();
        let wanted = vec![None; stmt.binders.len()];
        let (mut made, mut given) = (Vec::new(), Vec::new());
        for arm in arms {
            let tag = self.tag(&ty, &arm.con);
            let fields: Vec<Var> = arm.fields.iter().map(|it| self.declare(it)).collect();
            let (body, results) = self.within(|it| it.block(&arm.body, &wanted));
            made.push(loops::Arm { tag, fields, body });
            given.push(results);
        }
        let other = otherwise.map(|block| self.within(|it| it.block(block, &wanted)));
        let (otherwise, other) = other.unzip();
        given.extend(other.clone());
        let mut results = Vec::new();
        for (at, binder) in stmt.binders.iter().enumerate() {
            let all: Vec<Atom> = given.iter().map(|it| it[at]).collect();
            if let Some(var) = self.joined(binder, &all, n_before) {
                let otherwise = other.as_ref().map_or(any(&binder.ty), |it| it[at]);
                let arms = all[..made.len()].to_vec();
                results.push(Choice { var, arms, otherwise });
            }
        }
        let otherwise = otherwise.unwrap_or_default();
        self.emit(Node::Switch { value, arms: made, otherwise, results });
    }

    /// A value of a sum type.
    pub(super) fn con(&mut self, stmt: &Stmt, ty: &Type, con: &Name, args: &[ir::Atom]) {
        let tag = self.tag(ty, con);
        let fields: Vec<Atom> = args.iter().map(|it| self.atom(it)).collect();
        for (arg, field) in args.iter().zip(&fields) {
            if let Type::Array(..) = self.type_of(arg) {
                self.escape(*field);
            }
        }
        let var = self.declare(&stmt.binders[0]);
        self.emit(Node::Make { var, tag, fields });
    }

    /// The position of a constructor of a sum type.
    pub(super) fn tag(&self, ty: &Type, con: &Name) -> u32 {
        let Type::Data(name, ..) = ty else { panic!("compiler bug: {ty:?} is no sum type") };
        let cons = self.whole.program.datas.get(name).map(|it| &it.cons);
        let at = cons.and_then(|it| it.iter().position(|it| it.name == *con));
        at.unwrap_or_else(|| panic!("compiler bug: {name} has no constructor {con}")) as u32
    }

    /// Defines what one of several blocks gives; the new variable for it, unless all give the same
    /// array that was there before: one of the first `n_before` variables.
    fn joined(&mut self, binder: &Binder, all: &[Atom], n_before: usize) -> Option<Var> {
        let Type::Array(..) = binder.ty else { return Some(self.declare(binder)) };
        if let [Atom::Var(first), rest @ ..] = all
            && (first.0 as usize) < n_before
            && rest.iter().all(|it| *it == Atom::Var(*first))
        {
            self.define_var(binder, *first);
            return None;
        }
        all.iter().for_each(|it| self.escape(*it));
        Some(self.declare(binder))
    }
}

/// Any operand of a type, where it is never looked at; 0 is a pointer too.
fn any(ty: &Type) -> Atom {
    if let Type::Array(..) = ty {
        return Atom::Int(0);
    }
    match scalar_of(ty) {
        Scalar::Real => Atom::Real(0.0),
        Scalar::Bool => Atom::Bool(false),
        Scalar::Int | Scalar::Box => Atom::Int(0),
    }
}
