//! Linking what reverse mode makes: pairs of a real and a Delta, and functions with an origin.

use std::sync::Arc;

use ir::{Atom, Binder, Lambda, Term, Type};

use super::{Linker, is_pair};
use crate::code::{self, Arg, Bulk, LambdaCode, Origin, Simple};
use crate::error::Fault;
use crate::stack::grown;

impl Linker<'_> {
    fn type_of(&mut self, atom: &Atom) -> Result<Option<Type>, Fault> {
        let Atom::Var(var) = atom else { return Ok(None) };
        let slot = self.slot(*var)?;
        Ok(Some(self.scope().original[slot as usize].clone()))
    }

    pub(super) fn has_delta(&mut self, atom: &Atom) -> Result<bool, Fault> {
        Ok(self.type_of(atom)?.is_some_and(|it| it.has_delta()))
    }

    /// Notes that a statement takes a part of a pair.
    pub(super) fn note_pair(&mut self, stmt: &ir::Stmt) -> Result<(), Fault> {
        if let (ir::Op::Proj { tuple: tuple @ Atom::Var(var), .. }, [binder]) =
            (&stmt.op, &*stmt.binders)
            && self.type_of(tuple)?.is_some_and(|it| is_pair(&it))
        {
            let slot = self.slot(*var)?;
            self.scope().pairs.insert(binder.var, slot);
        }
        Ok(())
    }

    /// An operand of a primitive or of a combination, which take pairs for their parts.
    pub(super) fn real_operand(&mut self, atom: &Atom) -> Result<Arg, Fault> {
        if let Atom::Var(var) = atom
            && let Some(slot) = self.scope().pairs.get(var)
        {
            return Ok(Arg::Slot(*slot));
        }
        self.atom(atom)
    }

    pub(super) fn terms(&mut self, terms: &[Term]) -> Result<Vec<(Arg, Arg)>, Fault> {
        let term = |it: &Term| Ok((self.real_operand(&it.factor)?, self.real_operand(&it.delta)?));
        terms.iter().map(term).collect()
    }

    /// A tuple. If it is a pair of a real and the Delta of the statement before, they become one.
    pub(super) fn tuple(
        &mut self,
        parts: &[Atom],
        before: &mut Vec<code::Stmt>,
    ) -> Result<code::Op, Fault> {
        let linked = self.atoms(parts)?;
        if let ([value, _], [_, Arg::Slot(slot)]) = (parts, &linked[..])
            && let Some(code::Stmt { dest, op: code::Op::Bulk(Bulk::Combine(_)), .. }) =
                before.last()
            && dest == slot
            && let Some(code::Stmt { dest: delta, op, .. }) = before.pop()
            && let code::Op::Bulk(Bulk::Combine(terms)) = op
        {
            return Ok(code::Op::Record { value: self.real_operand(value)?, terms, delta });
        }
        Ok(code::Op::Simple(Simple::Tuple(linked)))
    }

    /// A lambda inside of what is being linked.
    pub(super) fn function(
        &mut self,
        stmt: &ir::Stmt,
        lambda: &Arc<Lambda>,
    ) -> Result<code::Op, Fault> {
        let var = stmt.binders[0].var;
        let origin = self.origins.and_then(|it| it.get(&var)).cloned();
        let code = match origin {
            // A constant function is the same code.
            Some(origin) if Arc::ptr_eq(&origin.lambda, lambda) => origin,
            Some(origin) if stmt.binders[0].ty.has_delta() => {
                Arc::new(self.taped_function(lambda, origin)?)
            }
            Some(_) | None => Arc::new(grown(|| self.lambda(lambda, Vec::new(), None))?),
        };
        let mut captured = Vec::new();
        for binder in &code.captured {
            captured.push(Arg::Slot(self.slot(binder.var)?));
        }
        for scope in &mut self.scopes {
            scope.lambdas.insert(var, code.clone());
        }
        Ok(code::Op::Simple(Simple::Lambda { code, captured }))
    }

    /// The code of a function with Deltas; it captures what its origin captured.
    fn taped_function(
        &mut self,
        lambda: &Arc<Lambda>,
        origin: Arc<LambdaCode>,
    ) -> Result<LambdaCode, Fault> {
        let (mut captured, mut mask) = (Vec::new(), Vec::new());
        for binder in &origin.captured {
            let ty = self.type_of(&Atom::Var(binder.var))?.unwrap_or_else(|| binder.ty.clone());
            mask.push(ty != binder.ty);
            captured.push(Binder { var: binder.var, ty });
        }
        grown(|| self.lambda(lambda, captured, Some(Origin { code: origin, mask })))
    }
}
