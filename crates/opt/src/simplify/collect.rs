//! Rules for what loops collect: what does not depend on their state is no matter of the loop.
//!
//! A loop saves for its derivative whatever a step reads: positions, rows of weights, its own indices.
//! Most of that is known without running it.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Binder, Block, Loop, Op, Prim, Size, Stmt, Type, Var, walk};

use super::affine::{Affine, Along};
use super::forward::Forward;

/// What a value of a step is over all steps.
enum Over {
    /// The same in each.
    Same(Atom),
    /// The array of what it is in each.
    Each(Atom),
}

impl Forward<'_> {
    // collect-invariant: `fold (..) { give s, a }` -> `replicate n a` for what is collected, where `a` is
    // bound outside
    // collect-elements: `fold (.. i <- is) { x = index a (i); give s, x }` -> `gather a (is)`, and so for slices
    // and integers of the elements; nothing that would be computed twice
    pub(super) fn collected(&mut self, stmt: &Stmt, arrays: &[Atom], step: &Loop) {
        let elems = step.elems.iter().map(|it| it.var).zip(arrays.iter().cloned());
        let elems: BTreeMap<Var, Atom> = elems.collect();
        let results = step.body.results.iter().zip(&stmt.binders).skip(step.state.len());
        for (result, binder) in results {
            let ty = self.type_(&binder.ty);
            let value = match self.over(result, &elems) {
                Some(Over::Each(array)) => Some(array),
                Some(Over::Same(value)) => self.same_in_all(&ty, value),
                None => None,
            };
            if let Some(value) = value.filter(|it| self.type_of(it).as_ref() == Some(&ty)) {
                self.alias(binder.var, value);
            }
        }
    }

    fn same_in_all(&mut self, ty: &Type, value: Atom) -> Option<Atom> {
        let Type::Array(size, _) = ty else { return None };
        let op = Op::Array(ArrayOp::Replicate { size: size.clone(), value });
        if self.can_fail(&op, self.depth()) { None } else { self.emit(op) }
    }

    fn over(&mut self, atom: &Atom, elems: &BTreeMap<Var, Atom>) -> Option<Over> {
        let Atom::Var(var) = atom else { return Some(Over::Same(atom.clone())) };
        if let Some(array) = elems.get(var) {
            return Some(Over::Each(array.clone()));
        }
        if self.depths.get(var).is_some_and(|it| *it <= self.depth()) {
            return Some(Over::Same(atom.clone()));
        }
        let op = self.op_of(atom)?.clone();
        let op = if let Op::Array(ArrayOp::Index { array, indices }) = op {
            let Over::Same(array) = self.over(&array, elems)? else { return None };
            let indices = self.all_over(&indices, elems)?;
            Op::Array(ArrayOp::Gather { array, indices, mask: None })
        } else if let Op::Array(ArrayOp::Slice { array, axis, from, to }) = op {
            let Over::Each(array) = self.over(&array, elems)? else { return None };
            Op::Array(ArrayOp::Slice { array, axis: axis + 1, from, to })
        } else if let Op::Prim(prim, args) = op {
            if *self.types.get(var)? != Type::Int {
                return None;
            }
            Op::Prim(prim, self.all_over(&args, elems)?)
        } else {
            return None;
        };
        if self.can_fail(&op, self.depth()) {
            return None;
        }
        self.emit(op).map(Over::Each)
    }

    fn all_over(&mut self, atoms: &[Atom], elems: &BTreeMap<Var, Atom>) -> Option<Vec<Atom>> {
        let mut res = Vec::new();
        for atom in atoms {
            let (Over::Same(it) | Over::Each(it)) = self.over(atom, elems)?;
            res.push(it);
        }
        Some(res)
    }

    // loop-over-affine: `fold .. (i <- iota n, j <- 2 * iota n) { b }` -> `2 * i` for `j`, and the same
    // backwards
    pub(super) fn affine_elements(
        &mut self,
        elems: &[Binder],
        arrays: &[Atom],
        body: &Block,
    ) -> Option<Block> {
        let form = |it: &Atom| self.affine(it).filter(|it| it.sizes.len() == 1);
        let forms: Vec<Option<Affine>> = arrays.iter().map(form).collect();
        let (at, along) = forms.iter().enumerate().find_map(|(at, form)| {
            let form = form.as_ref()?;
            match form.along() {
                Along::Axis(0) if form.offset.as_constant() == Some(0) => Some((at, 1)),
                Along::Backwards(0) => Some((at, -1)),
                Along::Axis(_) | Along::Backwards(_) | Along::Nothing | Along::Other => None,
            }
        })?;
        let size = forms[at].as_ref()?.sizes[0].clone();
        self.ranges.insert(elems[at].var, size.clone());
        let place = Atom::Var(elems[at].var);
        let mut stmts = Vec::new();
        let used = walk::free_vars_block(body);
        for (other, form) in forms.iter().enumerate() {
            if other == at || !used.contains(&elems[other].var) {
                continue;
            }
            let Some(Affine { coefficients, offset, .. }) = form else { continue };
            let [coefficient] = coefficients.as_slice() else { continue };
            let Some(factor) = coefficient.as_constant() else { continue };
            // At place `p` counted backwards, the position is `n - 1 - p`.
            let last = size.sub(&Size::constant(1));
            let start = if along > 0 { offset.clone() } else { offset.add(&last.scale(factor)) };
            let mut value = |this: &mut Self, op: Op| {
                let var = this.fresh_at(this.span);
                stmts.push(Stmt { binders: vec![Binder { var, ty: Type::Int }], op });
                Atom::Var(var)
            };
            let factor = Atom::Int(factor.checked_mul(along)?);
            let scaled = value(self, Op::Prim(Prim::Mul, vec![place.clone(), factor]));
            let start = value(self, Op::Size(start));
            let sum = value(self, Op::Prim(Prim::Add, vec![scaled, start]));
            let op = Op::Copy(sum);
            stmts.push(Stmt { binders: vec![elems[other].clone()], op });
        }
        (!stmts.is_empty()).then(|| {
            stmts.extend(body.stmts.iter().cloned());
            Block { stmts, results: body.results.clone() }
        })
    }
}
