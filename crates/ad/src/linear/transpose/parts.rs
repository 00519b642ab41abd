//! Sums of tangents of sum types, whole or apart.
//!
//! Where a term takes a tangent apart, `d1, .., dn = A.get(d)`, contributions to the parts are added to the
//! parts of the sum of `d`: that is taken apart when a part is contributed to, and put together when the
//! whole is needed. So an array in it is added to in place, and is not added up whenever it is read. Only
//! parts that are arrays or tangents of sum types are worth it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ir::{Atom, FunctionOp, Op, Size, Stmt, Type, Var};

use super::Transpose;
use crate::linear::arrays::Cotangents;
use crate::linear::code::{Transposed, var_of};
use crate::linear::tangent::tangent_con;

/// What is a part of what.
#[derive(Default)]
pub(super) struct Parts {
    /// By a part, the statement that takes it out.
    taken: BTreeMap<Var, Rc<Stmt>>,
    /// By the whole, the statement whose results have its sum now.
    pub(super) apart: BTreeMap<Var, Rc<Stmt>>,
}

impl Parts {
    /// What a variable is a part of.
    pub(super) fn whole_of(&self, part: Var) -> Option<Var> {
        self.taken.get(&part).map(|it| whole(it))
    }

    /// Whether it is a part of one of these, or a part of a part.
    pub(super) fn is_within(&self, part: Var, wholes: &BTreeSet<Var>) -> bool {
        self.whole_of(part).is_some_and(|it| wholes.contains(&it) || self.is_within(it, wholes))
    }
}

/// What a statement takes apart: its last argument.
fn whole(get: &Stmt) -> Var {
    let Op::Function(FunctionOp::Call { args, .. }) = &get.op else {
        panic!("compiler bug: {get} takes nothing apart")
    };
    args.last().and_then(var_of).expect("a Delta is a variable")
}

/// Parts have the sizes of the call that takes them, whatever the tangent calls these.
fn with_sizes(mut ty: Type, sizes: &[Size]) -> Type {
    if let Type::Data(_, _, called) = &mut ty {
        *called = sizes.to_vec();
    }
    ty
}

impl Transpose<'_> {
    /// Remembers a statement that takes a tangent apart.
    pub(super) fn register(&mut self, stmt: &Stmt) {
        let Op::Function(FunctionOp::Call { def, args, .. }) = &stmt.op else { return };
        let Some(Transposed::Get(_)) = self.code.transposed.get(def) else { return };
        let is_large = stmt.binders.iter().any(|it| it.ty != Type::Real);
        if is_large && args.last().is_some_and(|it| self.is_active(it)) {
            let get = Rc::new(stmt.clone());
            self.parts.taken.extend(stmt.binders.iter().map(|it| (it.var, get.clone())));
        }
    }

    /// Makes the sum of a Delta one variable: puts it together if it is apart, and takes it out of that of
    /// which it is a part.
    pub(super) fn settle(&mut self, delta: Var) {
        self.pack(delta);
        let Some(get) = self.parts.taken.get(&delta).cloned() else { return };
        let whole = whole(&get);
        let is_apart = self.parts.apart.get(&whole).is_some_and(|it| Rc::ptr_eq(it, &get));
        if is_apart || self.cotangents.contains_key(&delta) {
            return;
        }
        self.settle(whole);
        self.parts.apart.insert(whole, get.clone());
        let Some(sum) = self.cotangents.remove(&whole) else { return };
        let mut op = get.op.clone();
        if let Op::Function(FunctionOp::Call { sizes, args, .. }) = &mut op {
            let ty = with_sizes(self.code.type_of(&sum), sizes);
            args.pop();
            args.push(self.code.fit(sum, &ty));
        }
        let parts = self.code.emit(op);
        self.cotangents.extend(get.binders.iter().map(|it| it.var).zip(parts));
    }

    /// Puts the sum of a Delta together if it is apart.
    pub(super) fn pack(&mut self, delta: Var) {
        let Some(get) = self.parts.apart.remove(&delta) else { return };
        let mut sums = Vec::new();
        for part in &get.binders {
            self.pack(part.var);
            sums.push(self.cotangents.remove(&part.var));
        }
        if sums.iter().all(Option::is_none) {
            return;
        }
        let Op::Function(FunctionOp::Call { def, sizes, args, .. }) = &get.op else { return };
        let Some(Transposed::Get(con)) = self.code.transposed.get(def).cloned() else { return };
        let mut fields = args[..args.len() - 1].to_vec();
        for (part, sum) in get.binders.iter().zip(sums) {
            fields.push(sum.unwrap_or_else(|| self.code.zeros(&part.ty)));
        }
        let whole = self.code.type_of(&Atom::Var(delta));
        let ty = with_sizes(whole.clone(), sizes);
        let value = self.code.one(Op::Con { ty, con: tangent_con(&con), args: fields });
        let mut value = self.code.fit(value, &whole);
        if let Some(sum) = self.cotangents.remove(&delta) {
            value = self.code.add(sum, value);
        }
        self.cotangents.insert(delta, value);
    }
}
