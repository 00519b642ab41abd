//! D2: the types of cotangents, as a list of leaves.
//!
//! Paper: Sections 7.2 and 11.2. A tuple has the leaves of its parts side by side, an array those of its
//! elements as arrays, so that a part of a tuple is some of its leaves and costs nothing to get at.
//! Integers, truth values, texts and sizes have none: their unit is no variable at all. A sum type has
//! one, with a zero of no form (`bulk/tangent.rs`).

use std::collections::BTreeSet;
use std::sync::Arc;

use base::Name;
use ir::{Binder, Def, Type, Var};

use crate::bulk::work::{Work, as_call};
use crate::linear::code::{Code, with_sizes};

impl Code {
    /// The leaves of D2 of a type.
    pub(crate) fn leaves(&mut self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Real => vec![self.domain.of_real()],
            Type::Int | Type::Bool | Type::String => Vec::new(),
            Type::Tuple(parts) => parts.iter().flat_map(|it| self.leaves(it)).collect(),
            Type::Array(size, elem) => {
                let elem = self.leaves(elem).into_iter();
                elem.map(|it| Type::array(size.clone(), it)).collect()
            }
            Type::Data(..) | Type::Dual(_) => self.tangent(ty).into_iter().collect(),
            Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_) => Vec::new(),
        }
    }

    /// The leaves of a result; inside of the definition its type mentions what the body gives.
    pub(super) fn result_leaves(&mut self, def: &Def, ty: &Type) -> Vec<Type> {
        let of = |var: Var| {
            let at = def.results.iter().position(|it| it.var == var)?;
            def.body.results.get(at).cloned()
        };
        self.leaves(&with_sizes(ty, &of))
    }

    /// How many sizes a constructor has, which are its first fields.
    pub(super) fn n_sizes(&self, ty: &Type, con: &Name) -> usize {
        let cons = ir::typing::constructors(self.program(), ty).unwrap_or_default();
        cons.iter().find(|it| it.name == *con).map_or(0, |it| it.sizes.len())
    }
}

impl Work {
    /// Refuses a loop whose steps change the size of an active state: what moves, or is summed up, beside
    /// it has one type.
    pub(super) fn check_sizes(&mut self, state: &[Binder], on: &[bool]) {
        let vars: BTreeSet<Var> = state.iter().map(|it| it.var).collect();
        let mut active = state.iter().zip(on).filter(|(_, on)| **on);
        if active.any(|(it, _)| it.ty.size_vars().iter().any(|var| vars.contains(var))) {
            let span = self.code.builder.span();
            self.refuse(span, "the steps of a loop change the size of its state");
        }
    }

    /// What D is made of: the body, or a call of itself if that has a derivative of its own.
    pub(super) fn differentiated(&self, def: &Arc<Def>) -> Arc<Def> {
        match self.code.program().customs.contains_key(&def.name) {
            true => Arc::new(as_call(def)),
            false => def.clone(),
        }
    }
}
