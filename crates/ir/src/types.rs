//! Types of the core language, and declarations of sum types. Data only.
//!
//! ```text
//! T ::= Real | Int | Bool | String | (T, ...) | [size]T | (T, ...) -> T | a | Data<T..., size...> | D<T>
//! ```
//! Records of the surface are tuples here. `D<T>` is the type of dual numbers of Figure 3 of
//! Krawiec et al.: it exists as a form of its own only where it is stuck, on a type variable or a
//! sum type; everywhere else [`Type::dual`] computes it.

use base::Name;

use crate::size::Size;
use crate::term::Var;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    Array(Size, Box<Type>),
    /// A function value: parameters and result.
    Function(Vec<Type>, Box<Type>),
    /// A type parameter of the definition.
    Var(Name),
    /// A sum type with its type and size arguments.
    Data(Name, Vec<Type>, Vec<Size>),
    /// The dual-number type of a `Var`, a `Data` or another stuck `Dual`.
    Dual(Box<Type>),
}

/// A sum type.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct ConDecl {
    /// Its name, unique in the program.
    pub name: Name,
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
        Type::Array(size, Box::new(elem))
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
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(Type::dual).collect()),
            Type::Array(size, elem) => Type::array(size.clone(), elem.dual()),
            Type::Function(params, result) => {
                Type::Function(params.iter().map(Type::dual).collect(), Box::new(result.dual()))
            }
            Type::Var(_) | Type::Data(..) | Type::Dual(_) => Type::Dual(Box::new(self.clone())),
        }
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
        }
    }
}
