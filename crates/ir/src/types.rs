//! Types of the core language, and declarations of sum types. Data only.
//!
//! ```text
//! T ::= Real | Int | Bool | String | (T, ...) | [size]T | (T, ...) -> T | a | Data<T..., size...> | D<T>
//!     | Delta | R<T>
//! ```
//! Records of the surface are tuples here. `D<T>` is the type of dual numbers of Figure 3 of
//! Krawiec et al.: it exists as a form of its own only where it is stuck, on a type variable or a
//! sum type; everywhere else [`Type::dual`] computes it. `R<T>` is the same for reverse mode, their
//! Figure 9, where every real is paired with a `Delta`: see [`Type::tape`].

use std::sync::Arc;

use base::{Mark, Name};
use serde::{Deserialize, Serialize};

use crate::size::Size;
use crate::term::Var;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Type {
    /// A real number; its precision is a choice of the run, not of the program.
    Real,
    /// A 64-bit integer that wraps.
    Int,
    /// A truth value.
    Bool,
    /// A text, a leaf.
    String,
    /// A product; `()` is the empty one.
    Tuple(Vec<Type>),
    /// An array: its outermost size and what it holds.
    Array(Size, Arc<Type>),
    /// A function value: parameters and result.
    Function(Vec<Type>, Box<Type>),
    /// A type parameter of the definition.
    Var(Name),
    /// A sum type with its type and size arguments.
    Data(Name, Vec<Type>, Vec<Size>),
    /// The dual-number type of a `Var`, a `Data` or another stuck `Dual`.
    Dual(Box<Type>),
    /// How a real depends on the input: a Delta term by its identifier.
    Delta,
    /// The reverse-mode type of a `Var`, a `Data` or a stuck `Dual`.
    Tape(Box<Type>),
}

/// A sum type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataDecl {
    /// Its name.
    pub name: Name,
    /// Type parameters, as they occur in the fields.
    pub type_params: Vec<Name>,
    /// Size parameters; variables of the declaration's own.
    pub size_params: Vec<Var>,
    /// Constructors, in order; the position is the tag.
    pub cons: Vec<ConDecl>,
}

/// A constructor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConDecl {
    /// Its name, unique in the program.
    pub name: Name,
    /// Sizes of its own: the first fields are so many `Int`s, under these names in later types.
    pub sizes: Vec<Var>,
    /// The types of its fields.
    pub fields: Vec<Type>,
}

impl Type {
    /// The unit type.
    pub fn unit() -> Type {
        Type::Tuple(Vec::new())
    }

    /// `[size]elem`.
    pub fn array(size: Size, elem: Type) -> Type {
        Type::Array(size, Arc::new(elem))
    }

    /// `[s0][s1]...elem`.
    pub fn arrays(sizes: &[Size], elem: Type) -> Type {
        sizes.iter().rev().fold(elem, |ty, size| Type::array(size.clone(), ty))
    }

    /// The sizes of all leading array dimensions, and what is inside.
    pub fn split_arrays(&self) -> (Vec<Size>, &Type) {
        let mut sizes = Vec::new();
        let mut ty = self;
        while let Type::Array(size, elem) = ty {
            sizes.push(size.clone());
            ty = elem;
        }
        (sizes, ty)
    }

    /// D{T} of Krawiec et al., Figure 3: every real becomes a pair of reals, all else stays.
    pub fn dual(&self) -> Type {
        match self {
            Type::Real => Type::Tuple(vec![Type::Real, Type::Real]),
            Type::Int | Type::Bool | Type::String => self.clone(),
            Type::Tuple(_) | Type::Array(..) | Type::Function(..) => self.map_parts(Type::dual),
            Type::Var(_) | Type::Data(..) | Type::Dual(_) => Type::Dual(Box::new(self.clone())),
            Type::Delta | Type::Tape(_) => self.clone(),
        }
    }

    /// D{T} of Krawiec et al., Figure 9: every real becomes a pair of a real and a Delta, all else
    /// stays. Nothing is differentiated after it, so it is applied once.
    pub fn tape(&self) -> Type {
        match self {
            Type::Real => Type::Tuple(vec![Type::Real, Type::Delta]),
            Type::Int | Type::Bool | Type::String => self.clone(),
            Type::Tuple(_) | Type::Array(..) | Type::Function(..) => self.map_parts(Type::tape),
            Type::Var(_) | Type::Data(..) | Type::Dual(_) => Type::Tape(Box::new(self.clone())),
            Type::Delta | Type::Tape(_) => self.clone(),
        }
    }

    /// The `T` of which this is the reverse-mode type.
    pub fn untape(&self) -> Option<Type> {
        match self {
            Type::Real | Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Delta => None,
            Type::Int | Type::Bool | Type::String => Some(self.clone()),
            Type::Tuple(parts) if **parts == [Type::Real, Type::Delta] => Some(Type::Real),
            Type::Tuple(_) | Type::Array(..) | Type::Function(..) => {
                let parts = self.parts().iter().map(|it| it.untape()).collect::<Option<Vec<_>>>();
                Some(self.with(self.sizes().into_iter().cloned().collect(), parts?))
            }
            Type::Tape(inner) => Some((**inner).clone()),
        }
    }

    /// Whether Deltas occur in it, visible or hidden in a type variable or a sum type.
    pub fn has_delta(&self) -> bool {
        match self {
            Type::Delta | Type::Tape(_) => true,
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => false,
            Type::Tuple(_) | Type::Array(..) | Type::Function(..) => {
                self.parts().iter().any(|it| it.has_delta())
            }
            Type::Data(..) | Type::Dual(_) => false,
        }
    }

    fn map_parts(&self, f: fn(&Type) -> Type) -> Type {
        let sizes = self.sizes().into_iter().cloned().collect();
        self.with(sizes, self.parts().into_iter().map(f).collect())
    }

    /// Replaces type variables and size variables; `D<a>` is computed anew.
    pub fn substitute(
        &self,
        types: &dyn Fn(&Name) -> Option<Type>,
        sizes: &dyn Fn(Var) -> Option<Size>,
    ) -> Type {
        let all = |parts: &[Type]| parts.iter().map(|it| it.substitute(types, sizes)).collect();
        let size =
            |it: &Size| it.substitute(&mut |var| sizes(*var).unwrap_or_else(|| Size::var(*var)));
        match self {
            Type::Real | Type::Int | Type::Bool | Type::String => self.clone(),
            Type::Tuple(parts) => Type::Tuple(all(parts)),
            Type::Array(n, elem) => Type::array(size(n), elem.substitute(types, sizes)),
            Type::Function(params, result) => {
                Type::Function(all(params), Box::new(result.substitute(types, sizes)))
            }
            Type::Var(name) => types(name).unwrap_or_else(|| self.clone()),
            Type::Data(name, args, size_args) => {
                Type::Data(name.clone(), all(args), size_args.iter().map(size).collect())
            }
            Type::Dual(inner) => inner.substitute(types, sizes).dual(),
            Type::Delta => Type::Delta,
            Type::Tape(inner) => inner.substitute(types, sizes).tape(),
        }
    }

    /// The `T` of which this is the dual; the image of `dual` says it uniquely, because no dual
    /// type is `Real`.
    pub fn undual(&self) -> Option<Type> {
        match self {
            Type::Real | Type::Var(_) | Type::Data(..) | Type::Delta | Type::Tape(_) => None,
            Type::Int | Type::Bool | Type::String => Some(self.clone()),
            Type::Tuple(parts) if **parts == [Type::Real, Type::Real] => Some(Type::Real),
            Type::Tuple(_) | Type::Array(..) | Type::Function(..) => {
                let parts = self.parts().iter().map(|it| it.undual()).collect::<Option<Vec<_>>>();
                Some(self.with(self.sizes().into_iter().cloned().collect(), parts?))
            }
            Type::Dual(inner) => Some((**inner).clone()),
        }
    }

    /// `dual`, `level` times.
    pub fn dual_at(&self, level: u32) -> Type {
        (0..level).fold(self.clone(), |ty, _| ty.dual())
    }

    /// `undual`, `level` times.
    pub fn undual_at(&self, level: u32) -> Option<Type> {
        (0..level).try_fold(self.clone(), |ty, _| ty.undual())
    }

    /// The types it is made of directly, in order.
    pub fn parts(&self) -> Vec<&Type> {
        match self {
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => Vec::new(),
            Type::Delta => Vec::new(),
            Type::Tuple(parts) | Type::Data(_, parts, _) => parts.iter().collect(),
            Type::Array(_, elem) => vec![elem],
            Type::Function(params, result) => params.iter().chain([&**result]).collect(),
            Type::Dual(inner) | Type::Tape(inner) => vec![inner],
        }
    }

    /// The sizes that stand in it directly, in order.
    pub fn sizes(&self) -> Vec<&Size> {
        match self {
            Type::Array(size, _) => vec![size],
            Type::Data(_, _, sizes) => sizes.iter().collect(),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => Vec::new(),
            Type::Tuple(_) | Type::Function(..) => Vec::new(),
            Type::Dual(_) | Type::Delta | Type::Tape(_) => Vec::new(),
        }
    }

    /// The same form of type around other sizes and parts, as many as [`Type::sizes`] and
    /// [`Type::parts`] give; a `Dual` and a `Tape` are computed anew.
    pub fn with(&self, sizes: Vec<Size>, mut parts: Vec<Type>) -> Type {
        let last = |parts: &mut Vec<Type>| parts.pop().expect("a type of this form has a part");
        match self {
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => self.clone(),
            Type::Delta => Type::Delta,
            Type::Tuple(_) => Type::Tuple(parts),
            Type::Array(..) => {
                let size = sizes.into_iter().next().expect("an array type has a size");
                Type::array(size, last(&mut parts))
            }
            Type::Function(..) => {
                let result = last(&mut parts);
                Type::Function(parts, Box::new(result))
            }
            Type::Data(name, ..) => Type::Data(name.clone(), parts, sizes),
            Type::Dual(_) => last(&mut parts).dual(),
            Type::Tape(_) => last(&mut parts).tape(),
        }
    }

    /// Whether both have the same form at the outside: with `parts` and `sizes` alike they are equal.
    pub fn same_form(&self, other: &Type) -> bool {
        let leaf = self.parts().is_empty() && self.sizes().is_empty();
        match (self, other) {
            (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len(),
            (Type::Array(..), Type::Array(..)) => true,
            (Type::Function(a, _), Type::Function(b, _)) => a.len() == b.len(),
            (Type::Data(a, types_a, sizes_a), Type::Data(b, types_b, sizes_b)) => {
                a == b && types_a.len() == types_b.len() && sizes_a.len() == sizes_b.len()
            }
            (Type::Dual(_), Type::Dual(_)) | (Type::Tape(_), Type::Tape(_)) => true,
            (a, b) => leaf && a == b,
        }
    }

    /// Whether both differ in nothing but sizes.
    pub fn equal_up_to_sizes(&self, other: &Type) -> bool {
        self.same_form(other)
            && self.parts().iter().zip(other.parts()).all(|(a, b)| a.equal_up_to_sizes(b))
    }

    /// Whether a value of the other type may stand where this one is expected: if they are equal, but
    /// for sizes of sum types that a pass made. These are as the pass says: what is in such a value
    /// may say it in variables of its own.
    pub fn agrees(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Data(a, ..), Type::Data(b, ..)) if a == b && belongs_to_another(a) => true,
            (Type::Array(a, elem), Type::Array(b, other)) => a == b && elem.agrees(other),
            (a, b) => a == b,
        }
    }

    /// Replaces size variables only.
    pub fn substitute_sizes(&self, sizes: &dyn Fn(Var) -> Option<Size>) -> Type {
        self.substitute(&|_| None, sizes)
    }

    /// Every size variable in it, with repetitions.
    pub fn size_vars(&self) -> Vec<Var> {
        let own = self.sizes().into_iter().flat_map(|it| it.vars());
        own.chain(self.parts().into_iter().flat_map(Type::size_vars)).collect()
    }

    /// Whether a function occurs in it outside of the arguments of sum types.
    pub fn has_function(&self) -> bool {
        match self {
            Type::Function(..) => true,
            Type::Real | Type::Int | Type::Bool | Type::String => false,
            Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Delta | Type::Tape(_) => false,
            Type::Tuple(_) | Type::Array(..) => self.parts().iter().any(|it| it.has_function()),
        }
    }
}

/// Whether a sum type was made for another one or for a definition: tangents, or saved values.
fn belongs_to_another(data: &Name) -> bool {
    match data.made_of() {
        Some((_, Mark::Tangent | Mark::Part(_))) => true,
        Some((_, Mark::Module(_) | Mark::Local(_) | Mark::Dual(_) | Mark::Taped(_))) => false,
        Some((_, Mark::Instance(_) | Mark::Lambda)) => false,
        None => false,
    }
}
