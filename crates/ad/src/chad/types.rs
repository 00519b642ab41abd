//! D2: the types of cotangents, as a list of leaves.
//!
//! Paper: Sections 7.2 and 11.2. A tuple has the leaves of its parts side by side, an array those of its
//! elements as arrays, so that a part of a tuple is some of its leaves and costs nothing to get at.
//! Integers, truth values, texts and sizes have none: their unit is no variable at all. A sum type has
//! one, with a zero of no form (`bulk/tangent.rs`).

use ir::Type;

use crate::bulk::work::Work;

impl Work {
    /// The leaves of D2 of a type.
    pub(crate) fn leaves(&mut self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Real => vec![Type::Real],
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
}
