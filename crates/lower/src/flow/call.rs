//! Calls of definitions.

use base::Name;
use ir::{Size, Stmt, Type};
use loops::{Atom, Node, Var};

use super::memory::holds_boxes;
use crate::context::{Lower, scalar_of};

impl Lower<'_, '_> {
    /// Arguments are the sizes, then the values.
    pub(super) fn call(&mut self, stmt: &Stmt, def: &Name, sizes: &[Size], values: &[ir::Atom]) {
        let func = self.whole.positions.get(def).copied();
        let func = func.unwrap_or_else(|| panic!("compiler bug: there is no definition {def}"));
        sizes.iter().for_each(|it| self.check_bounded(it));
        let mut args: Vec<Atom> = sizes.iter().map(|it| self.size(it)).collect();
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
