//! Cotangents of values of sum types, whole or apart.
//!
//! In an arm of a match of `x`, the pull-back adds to the cotangents of the fields. They are those of the
//! cotangent of `x` so far, which is taken apart when a field is added to, and put together when the whole
//! is needed. So an array in it is added to in place, and is not added up whenever the arm runs: a closure
//! that captured an array may be called often. Only fields that are arrays or of sum types are worth it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Name;
use ir::{Atom, Binder, FunctionOp, Op, Type, Var};

use super::Reverse;
use crate::linear::code::var_of;
use crate::linear::tangent::{get_name, tangent_con};

/// What is a field of what.
#[derive(Default)]
pub(super) struct Fields {
    /// By a field, the arm that it belongs to.
    arms: BTreeMap<Var, Rc<Bound>>,
    /// By the value, the arm whose fields have its sum now.
    pub(super) apart: BTreeMap<Var, Rc<Bound>>,
}

/// What an arm of a match binds.
pub(super) struct Bound {
    value: Var,
    con: Name,
    /// Sizes that the constructor has of its own, and fields with reals in them.
    sizes: Vec<Var>,
    fields: Vec<Var>,
}

impl Fields {
    pub(super) fn is_field(&self, var: Var) -> bool {
        self.arms.contains_key(&var)
    }

    /// Whether it is a field of one of these, or a field of a field.
    pub(super) fn is_within(&self, var: Var, values: &BTreeSet<Var>) -> bool {
        let value = self.arms.get(&var).map(|it| it.value);
        value.is_some_and(|it| values.contains(&it) || self.is_within(it, values))
    }
}

impl Reverse<'_> {
    /// Remembers the fields of an arm.
    pub(super) fn register(&mut self, value: &Atom, con: &Name, fields: &[Binder]) {
        let ty = self.work.code.type_of(value);
        let (sizes, fields) = fields.split_at(self.work.code.n_sizes(&ty, con));
        let (mut smooth, mut leaves) = (Vec::new(), Vec::new());
        for field in fields {
            let own = self.work.code.leaves(&field.ty);
            smooth.extend((!own.is_empty()).then_some(field.var));
            leaves.extend(own);
        }
        let Some(value) = var_of(value) else { return };
        let of_real = self.work.code.domain.of_real();
        if leaves.iter().all(|it| *it == of_real) {
            return;
        }
        let sizes = sizes.iter().map(|it| it.var).collect();
        let bound = Rc::new(Bound { value, con: con.clone(), sizes, fields: smooth.clone() });
        self.fields.arms.extend(smooth.into_iter().map(|it| (it, bound.clone())));
    }

    /// Whether anything was added to the cotangent of a variable.
    pub(super) fn has_sum(&self, var: Var) -> bool {
        self.sums.range((var, 0)..=(var, usize::MAX)).next().is_some()
    }

    /// Makes the cotangent of a variable what `sums` has of it: puts it together if it is apart, and takes
    /// it out of that of which it is a field.
    pub(super) fn settle(&mut self, var: Var) {
        self.pack(var);
        let Some(arm) = self.fields.arms.get(&var).cloned() else { return };
        let is_apart = self.fields.apart.get(&arm.value).is_some_and(|it| Rc::ptr_eq(it, &arm));
        if is_apart || self.has_sum(var) {
            return;
        }
        self.settle(arm.value);
        self.fields.apart.insert(arm.value, arm.clone());
        let Some(sum) = self.sums.remove(&(arm.value, 0)) else { return };
        let ty = self.work.code.type_of(&Atom::Var(arm.value));
        let Type::Data(_, _, sizes) = ty else { panic!("compiler bug: a field of {ty}") };
        let own = arm.sizes.iter().map(|it| Atom::Var(*it));
        let parts = self.work.code.emit(Op::Function(FunctionOp::Call {
            def: get_name(&arm.con),
            types: Vec::new(),
            sizes,
            args: own.chain([sum]).collect(),
        }));
        let mut parts = parts.into_iter();
        for field in &arm.fields {
            let types = self.leaves_of(&Atom::Var(*field));
            for (leaf, (ty, part)) in types.iter().zip(parts.by_ref()).enumerate() {
                let part = self.work.code.fit(part, ty);
                self.sums.insert((*field, leaf), part);
            }
        }
    }

    /// Puts the cotangent of a variable together if it is apart.
    pub(super) fn pack(&mut self, var: Var) {
        let Some(arm) = self.fields.apart.remove(&var) else { return };
        arm.fields.iter().for_each(|it| self.pack(*it));
        if !arm.fields.iter().any(|it| self.has_sum(*it)) {
            return;
        }
        let mut args: Vec<Atom> = arm.sizes.iter().map(|it| Atom::Var(*it)).collect();
        for field in &arm.fields {
            for (leaf, ty) in self.leaves_of(&Atom::Var(*field)).iter().enumerate() {
                let sum = self.sums.remove(&(*field, leaf));
                args.push(sum.unwrap_or_else(|| self.work.code.zeros(ty)));
            }
        }
        let ty = self.leaves_of(&Atom::Var(var)).remove(0);
        let mut value = self.work.code.one(Op::Con { ty, con: tangent_con(&arm.con), args });
        if let Some(sum) = self.sums.remove(&(var, 0)) {
            value = self.work.code.add(sum, value);
        }
        self.sums.insert((var, 0), value);
    }
}
