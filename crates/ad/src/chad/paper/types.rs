//! Types of the paper's languages. Data, and what is computed from it directly.
//!
//! Paper: Section 3 (Cartesian types), Section 4 (linear types, linear functions), Section 10 (arrays of any
//! type), Section 11.2 (sums). A linear type is not written differently from a Cartesian one: it is a type
//! whose values are a commutative monoid, see [`Type::is_linear`]; the typing judgement says how it is used.

use std::rc::Rc;

use ir::Size;

/// A type. Parts are shared, since the type of an environment is part of the next larger one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `real`
    Real,
    /// Integers, which are positions; ours.
    Int,
    /// `1`
    Unit,
    /// `τ * σ`
    Pair(Rc<Type>, Rc<Type>),
    /// `τ + σ`; truth values are `1 + 1`, and true is on the left.
    Sum(Rc<Type>, Rc<Type>),
    /// `τ -> σ`; a power, if `σ` is linear.
    Function(Rc<Type>, Rc<Type>),
    /// `τ^n`
    Array(Size, Rc<Type>),
    /// `τ -o σ` of linear types.
    Linear(Rc<Type>, Rc<Type>),
    /// `!τ ⊗ σ` for a linear type `σ`.
    Copower(Rc<Type>, Rc<Type>),
    /// Lists, which copowers become (Section 9.2).
    List(Rc<Type>),
}

impl Type {
    /// `self * other`
    pub fn times(&self, other: &Type) -> Type {
        Type::Pair(Rc::new(self.clone()), Rc::new(other.clone()))
    }

    /// `self + other`
    pub fn or(&self, other: &Type) -> Type {
        Type::Sum(Rc::new(self.clone()), Rc::new(other.clone()))
    }

    /// `self -> other`
    pub fn to(&self, other: &Type) -> Type {
        Type::Function(Rc::new(self.clone()), Rc::new(other.clone()))
    }

    /// `self -o other`
    pub fn linear_to(&self, other: &Type) -> Type {
        Type::Linear(Rc::new(self.clone()), Rc::new(other.clone()))
    }

    /// `!self ⊗ other`
    pub fn copower(&self, other: &Type) -> Type {
        Type::Copower(Rc::new(self.clone()), Rc::new(other.clone()))
    }

    /// `self^n`
    pub fn array(&self, size: &Size) -> Type {
        Type::Array(size.clone(), Rc::new(self.clone()))
    }

    /// Lists of it.
    pub fn list(&self) -> Type {
        Type::List(Rc::new(self.clone()))
    }

    /// Truth values.
    pub fn bool() -> Type {
        Type::Unit.or(&Type::Unit)
    }

    /// Of several types: `((τ1 * τ2) * τ3)`, and `1` of none (Section 7.1).
    pub fn tuple(parts: &[Type]) -> Type {
        match parts {
            [] => Type::Unit,
            [first, rest @ ..] => rest.iter().fold(first.clone(), |all, it| all.times(it)),
        }
    }

    /// Whether it has a zero and a plus.
    pub fn is_linear(&self) -> bool {
        match self {
            Type::Real | Type::Unit => true,
            Type::Int | Type::Sum(..) | Type::Linear(..) => false,
            Type::Pair(one, other) => one.is_linear() && other.is_linear(),
            Type::Function(_, to) | Type::Copower(_, to) => to.is_linear(),
            Type::Array(_, elem) => elem.is_linear(),
            // Of pairs that copowers are made of.
            Type::List(_) => true,
        }
    }

    /// The type with `f` of each type that it is made of directly in the place of that.
    pub fn map(&self, f: &dyn Fn(&Type) -> Type) -> Type {
        let f = |it: &Rc<Type>| Rc::new(f(it));
        match self {
            Type::Real | Type::Int | Type::Unit => self.clone(),
            Type::Pair(one, other) => Type::Pair(f(one), f(other)),
            Type::Sum(one, other) => Type::Sum(f(one), f(other)),
            Type::Function(from, to) => Type::Function(f(from), f(to)),
            Type::Array(size, elem) => Type::Array(size.clone(), f(elem)),
            Type::Linear(from, to) => Type::Linear(f(from), f(to)),
            Type::Copower(from, to) => Type::Copower(f(from), f(to)),
            Type::List(elem) => Type::List(f(elem)),
        }
    }
}
