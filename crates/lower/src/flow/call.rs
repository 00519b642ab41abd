//! Calls of definitions.
//!
//! What a definition gives is wherever it put it, and its memory is given back with that of the caller. Where
//! a result has to be copied anyway, since its place is known, all memory of the call is given back behind
//! it: a recursion that puts together what it gets for its parts then runs in memory that is in the cache.
//! What a definition changes in place is memory of the caller (`handed.rs`).

use std::collections::BTreeMap;

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
        let handed = self.whole.handed.get(def).cloned().unwrap_or_default();
        if let ([binder], [Some(into)], []) = (stmt.binders.as_slice(), asked, handed.as_slice())
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
        let given = self.given(stmt, values, &handed, asked);
        let mut args = sizes;
        for (at, value) in values.iter().enumerate() {
            if let Some(memory) = given.get(&at) {
                args.push(Atom::Var(*memory));
                continue;
            }
            let arg = self.atom(value);
            let ty = self.type_of(value);
            if may_return(&ty, stmt, &handed) {
                self.escape(arg);
            }
            args.push(arg);
        }
        let memory = |at: usize| handed.get(at).copied().flatten().and_then(|it| given.get(&it));
        let mut results: Vec<Var> = Vec::new();
        for (at, binder) in stmt.binders.iter().enumerate() {
            results.push(match memory(at) {
                Some(memory) => self.alike(*memory),
                None => self.declare(binder),
            });
        }
        self.emit(Node::Call { func, args, results });
        for (at, binder) in stmt.binders.iter().enumerate() {
            if let Some(memory) = memory(at) {
                self.changed.insert(*memory);
                self.define_var(binder, *memory);
            }
        }
    }

    /// The memory that is handed over, by argument: what nobody else reads any more, or a copy of it, where the
    /// result is meant to be if that is known.
    fn given(
        &mut self,
        stmt: &Stmt,
        values: &[ir::Atom],
        handed: &[Option<usize>],
        asked: &[Option<Var>],
    ) -> BTreeMap<usize, Var> {
        let moment = self.uses.moment(stmt.binders.first().map(|it| it.var)).start;
        let mut res = BTreeMap::new();
        for (at, param) in handed.iter().enumerate() {
            let Some(param) = param else { continue };
            let view = self.view(&values[*param]);
            let own = self.owned_memory(&view).filter(|_| self.is_last_read(&view.source, moment));
            let memory = own.unwrap_or_else(|| {
                let into = asked.get(at).copied().flatten();
                let into = into.unwrap_or_else(|| self.room(&stmt.binders[at].ty));
                self.copy_view(&view, into);
                into
            });
            res.insert(*param, memory);
        }
        res
    }
}

/// Whether what is called may give an array of this type back, as it is or inside of a box.
fn may_return(ty: &Type, stmt: &Stmt, handed: &[Option<usize>]) -> bool {
    let Type::Array(..) = ty else { return false };
    let others = stmt.binders.iter().enumerate();
    let mut others = others.filter(|it| handed.get(it.0).is_none_or(Option::is_none));
    others.any(|(_, it)| match it.ty {
        Type::Array(..) => holds_boxes(&it.ty) || scalar_of(&it.ty) == scalar_of(ty),
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => false,
        Type::Data(..) | Type::Function(..) | Type::Var(_) | Type::Dual(_) => true,
        Type::Delta | Type::Tape(_) => true,
    })
}
