//! Calls of definitions.
//!
//! What a definition gives is wherever it put it, and its memory is given back with that of the caller. Where
//! a result has to be copied anyway, since its place is known, all memory of the call is given back behind
//! it: a recursion that puts together what it gets for its parts then runs in memory that is in the cache.

use base::Name;
use ir::{Size, Stmt, Type};
use loops::{Atom, Node, Var};

use super::memory::holds_boxes;
use crate::context::{Lower, scalar_of};

impl Lower<'_, '_> {
    /// Arguments are the sizes, then the values.
    pub(super) fn call(
        &mut self,
        stmt: &Stmt,
        asked: &[Option<Var>],
        def: &Name,
        (sizes, values): (&[Size], &[ir::Atom]),
    ) {
        let func = self.whole.positions.get(def).copied();
        let func = func.unwrap_or_else(|| panic!("compiler bug: there is no definition {def}"));
        sizes.iter().for_each(|it| self.check_bounded(it));
        let sizes: Vec<Atom> = sizes.iter().map(|it| self.size(it)).collect();
        if let ([binder], [Some(into)]) = (stmt.binders.as_slice(), asked)
            && matches!(binder.ty, Type::Array(..))
            && !holds_boxes(&binder.ty)
        {
            let (body, ()) = self.within(|it| {
                let mut args = sizes;
                args.extend(values.iter().map(|value| it.atom(value)));
                let result = it.alike(*into);
                it.emit(Node::Call { func, args, results: vec![result] });
                it.put(Atom::Var(result), *into, &binder.ty);
            });
            self.emit(Node::Scope(body));
            return self.define_var(binder, *into);
        }
        let mut args = sizes;
        for value in values {
            let arg = self.atom(value);
            let ty = self.type_of(value);
            if may_return(&ty, stmt) {
                self.escape(arg);
            }
            args.push(arg);
        }
        let results: Vec<Var> = stmt.binders.iter().map(|it| self.declare(it)).collect();
        self.emit(Node::Call { func, args, results });
    }
}

/// Whether what is called may give an array of this type back, as it is or inside of a box.
fn may_return(ty: &Type, stmt: &Stmt) -> bool {
    let Type::Array(..) = ty else { return false };
    stmt.binders.iter().any(|it| match it.ty {
        Type::Array(..) => holds_boxes(&it.ty) || scalar_of(&it.ty) == scalar_of(ty),
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => false,
        Type::Data(..) | Type::Function(..) | Type::Var(_) | Type::Dual(_) => true,
        Type::Delta | Type::Tape(_) => true,
    })
}
