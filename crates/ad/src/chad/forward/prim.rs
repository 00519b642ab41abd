//! Primitives and tuples.

use ir::{Atom, Prim, Stmt, Type, partial};

use super::Forward;

impl Forward<'_> {
    /// `Dop`: the sum of the partial derivatives of the table times the tangents of the operands.
    pub(super) fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        self.keep(stmt);
        let binder = &stmt.binders[0];
        if !self.work.code.gives_reals(prim, &binder.ty) {
            return;
        }
        let on: Vec<bool> = (0..args.len())
            .map(|at| self.has_tangent(&args[at]) && !partial::is_zero(prim, at))
            .collect();
        let (result, wanted) = (Atom::Var(binder.var), |at: usize| on[at]);
        let factors = self.work.code.factors((prim, args, &result), &wanted);
        let sizes = binder.ty.split_arrays().0;
        let mut sum: Option<Atom> = None;
        for (factor, arg) in factors.into_iter().zip(args) {
            let Some(tangent) = self.tangent(arg, 0) else { continue };
            let Some(term) = self.work.code.multiple(factor, tangent) else { continue };
            let is_scalar = self.work.code.sizes_of(&term).is_empty();
            let term = if is_scalar { self.work.code.broadcast(term, &sizes) } else { term };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.work.code.add(sum, term),
            });
        }
        if let Some(sum) = sum {
            self.set(binder, 0, sum);
        }
    }

    /// The tangent of what was selected.
    pub(super) fn select(&mut self, stmt: &Stmt, args: &[Atom]) {
        self.keep(stmt);
        let binder = &stmt.binders[0];
        if *binder.ty.split_arrays().1 != Type::Real {
            return;
        }
        let sizes = binder.ty.split_arrays().0;
        let mut parts = vec![args[0].clone()];
        for arg in &args[1..] {
            parts.push(self.tangent_or_zeros(arg, 0));
        }
        if parts.iter().all(|it| self.work.code.sizes_of(it).is_empty()) {
            parts[1] = self.work.code.broadcast(parts[1].clone(), &sizes);
        }
        let tangent = self.work.code.prim(Prim::Select, parts);
        self.set(binder, 0, tangent);
    }

    pub(super) fn tuple(&mut self, stmt: &Stmt, parts: &[Atom]) {
        self.keep(stmt);
        let mut leaf = 0;
        for part in parts {
            for own in 0..self.leaves_of(part).len() {
                if let Some(tangent) = self.tangent(part, own) {
                    self.set(&stmt.binders[0], leaf, tangent);
                }
                leaf += 1;
            }
        }
    }

    pub(super) fn proj(&mut self, stmt: &Stmt, tuple: &Atom, index: usize) {
        self.keep(stmt);
        let ty = self.work.code.type_of(tuple);
        let Type::Tuple(parts) = ty.split_arrays().1 else { panic!("compiler bug: a tuple") };
        let before = parts[..index].iter().map(|it| self.work.code.leaves(it).len()).sum::<usize>();
        for leaf in 0..self.work.code.leaves(&stmt.binders[0].ty).len() {
            if let Some(tangent) = self.tangent(tuple, before + leaf) {
                self.set(&stmt.binders[0], leaf, tangent);
            }
        }
    }
}
