//! Primitives and tuples.

use ir::{Atom, Prim, Stmt, Type, partial};

use super::{Pull, Reverse};
use crate::linear::code::real;

impl Reverse<'_> {
    /// `Dop^t`: one product for each partial derivative of the table that is not zero.
    pub(super) fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let binder = &stmt.binders[0];
        let on: Vec<bool> = (0..args.len())
            .map(|at| self.is_active(&args[at]) && !partial::is_zero(prim, at))
            .collect();
        if !self.work.code.gives_reals(prim, &binder.ty) || !on.contains(&true) {
            return None;
        }
        let (args, result) = (args.to_vec(), Atom::Var(binder.var));
        self.each_leaf(binder, move |it, _, v| {
            let wanted = |at: usize| on[at];
            let factors = it.work.code.factors((prim, &args, &result), &wanted);
            for (factor, arg) in factors.into_iter().zip(&args) {
                if let Some(w) = it.work.code.multiple(factor, v.clone()) {
                    it.contribute_elementwise(arg, w);
                }
            }
        })
    }

    /// Adds to an operand of an operation element by element: a scalar gets the sum of all elements.
    fn contribute_elementwise(&mut self, to: &Atom, w: Atom) {
        let scalar = self.work.code.sizes_of(to).is_empty();
        let w = if scalar { self.work.code.total(w) } else { w };
        self.contribute(to, 0, w);
    }

    /// Each side gets what it was selected for. No mask becomes a factor, so nothing is multiplied by 0.
    pub(super) fn select(&mut self, stmt: &Stmt, args: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let binder = &stmt.binders[0];
        if *binder.ty.split_arrays().1 != Type::Real {
            return None;
        }
        let args = args.to_vec();
        self.each_leaf(binder, move |it, _, v| {
            for at in [1, 2] {
                if it.is_active(&args[at]) {
                    let mut parts = vec![args[0].clone(), real(0.0), real(0.0)];
                    parts[at] = v.clone();
                    let w = it.work.code.prim(Prim::Select, parts);
                    it.contribute_elementwise(&args[at], w);
                }
            }
        })
    }

    pub(super) fn tuple(&mut self, stmt: &Stmt, parts: &[Atom]) -> Option<Pull> {
        self.keep(stmt);
        let mut places = Vec::new();
        for part in parts {
            let n_leaves = self.leaves_of(part).len();
            places.extend((0..n_leaves).map(|leaf| (part.clone(), leaf)));
        }
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| {
            let (part, leaf) = &places[leaf];
            it.contribute(part, *leaf, v);
        })
    }

    pub(super) fn proj(&mut self, stmt: &Stmt, tuple: &Atom, index: usize) -> Option<Pull> {
        self.keep(stmt);
        let ty = self.work.code.type_of(tuple);
        let Type::Tuple(parts) = ty.split_arrays().1 else { panic!("compiler bug: a tuple") };
        let before = parts[..index].iter().map(|it| self.work.code.leaves(it).len()).sum::<usize>();
        let tuple = tuple.clone();
        self.each_leaf(&stmt.binders[0], move |it, leaf, v| it.contribute(&tuple, before + leaf, v))
    }
}
