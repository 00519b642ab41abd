//! Loops: a state of several parts is a tuple, and a fold reads an element in each step.

use base::Name;
use ir::{Atom, Binder, Block, Loop as IrLoop, Size};

use super::{Reader, Said};
use crate::chad::paper::term::{Loop, Steps, Term, bind, part, tuple, var};

impl Reader<'_> {
    pub(super) fn fold(&mut self, inits: &[Atom], arrays: &[Atom], step: &IrLoop) -> Said<Term> {
        if step.body.results.len() > inits.len() {
            return Err("`fold` that collects".into());
        }
        let size = arrays.first().and_then(|it| self.type_of(it).split_arrays().0.first().cloned());
        let size: Size = size.ok_or("`fold` over nothing")?;
        let index = self.supply.fresh("i");
        let at = index.clone();
        let arrays = self.atoms(arrays)?;
        self.repeated(Steps::Count(Term::Size(size)), index, (inits, &step.state), |it| {
            let names: Vec<Name> = step.elems.iter().map(|own| it.binder(own)).collect();
            let body = it.block(&step.body)?;
            let elements = names.iter().zip(arrays).rev();
            Ok(elements.fold(body, |res, (name, array)| {
                bind(name, Term::Index(Box::new(array), Box::new(var(&at))), res)
            }))
        })
    }

    /// The condition of a loop.
    pub(super) fn condition(&mut self, state: &[Binder], cond: &Block) -> Said<Steps> {
        let all = self.supply.fresh("s");
        let names: Vec<Name> = state.iter().map(|it| self.binder(it)).collect();
        let holds = self.block(cond)?;
        Ok(Steps::While(all.clone(), taken_apart(&all, &names, holds)))
    }

    /// A loop with such a state.
    pub(super) fn repeated(
        &mut self,
        steps: Steps,
        index: Name,
        (inits, state): (&[Atom], &[Binder]),
        body: impl FnOnce(&mut Self) -> Said<Term>,
    ) -> Said<Term> {
        let init = tuple(self.atoms(inits)?);
        let all = self.supply.fresh("s");
        let names: Vec<Name> = state.iter().map(|it| self.binder(it)).collect();
        let body = taken_apart(&all, &names, body(self)?);
        Ok(Term::Loop(Box::new(Loop { steps, state: all, index, body, init })))
    }
}

/// A term with names for the parts of a tuple.
fn taken_apart(all: &Name, names: &[Name], body: Term) -> Term {
    let parts = names.iter().enumerate().rev();
    parts.fold(body, |res, (at, it)| bind(it, part(var(all), at, names.len()), res))
}
