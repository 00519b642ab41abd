//! What both directions share: the variables in scope with the type of all their (co)tangents, and names.

use base::Name;

use super::term::{Term, bind, fst, snd, var};
use super::types::Type;
use super::walk::{Supply, stem};

/// `Γ` and `D2(Γ)`, which is `((1 * D2(τ1)) * D2(τ2)) * ...` as in Appendix B.1.
pub(super) struct Environment {
    pub(super) names: Supply,
    /// The variables; each with its type and that of the cotangents of those before it.
    variables: Vec<(Name, Type, Type)>,
    /// `D2(Γ)`
    space: Type,
    /// D2 of a type.
    tangent: fn(&Type) -> Type,
}

impl Environment {
    pub(super) fn new(tangent: fn(&Type) -> Type) -> Environment {
        let (names, variables) = (Supply::default(), Vec::new());
        Environment { names, variables, space: Type::Unit, tangent }
    }

    /// `Γ, x : τ`
    pub(super) fn push(&mut self, name: &Name, ty: &Type) {
        let space = self.space.times(&(self.tangent)(ty));
        let before = std::mem::replace(&mut self.space, space);
        self.variables.push((name.clone(), ty.clone(), before));
    }

    /// Takes the last variable away.
    pub(super) fn pop(&mut self) {
        let (.., before) = self.variables.pop().expect("as often as a variable came");
        self.space = before;
    }

    /// `D2(Γ)`
    pub(super) fn space(&self) -> Type {
        self.space.clone()
    }

    /// The type of a variable, and how many are behind it.
    pub(super) fn find(&self, name: &Name) -> (Type, usize) {
        let at = self.variables.iter().rposition(|it| it.0 == *name);
        let at = at.unwrap_or_else(|| panic!("compiler bug: `{name}` is not in scope"));
        (self.variables[at].1.clone(), self.variables.len() - 1 - at)
    }

    /// Names for a value and its derivative.
    pub(super) fn names(&mut self, like: &str) -> (Name, Name) {
        (self.names.fresh(like), self.prime(like))
    }

    /// A name for the derivative of what has this name.
    pub(super) fn prime(&mut self, like: &str) -> Name {
        self.names.fresh(&format!("{}'", stem(like)))
    }

    /// `let (x, x') = t in s` (Section 7.1).
    pub(super) fn both(&mut self, names: &(Name, Name), bound: Term, body: Term) -> Term {
        let both = self.names.fresh(&names.0);
        let body = bind(&names.0, fst(var(&both)), bind(&names.1, snd(var(&both)), body));
        bind(&both, bound, body)
    }
}

/// The parts of a type of pairs, functions or sums.
pub(super) fn parts(ty: &Type) -> (Type, Type) {
    match ty {
        Type::Pair(one, other) | Type::Sum(one, other) | Type::Function(one, other) => {
            ((**one).clone(), (**other).clone())
        }
        Type::Real | Type::Int | Type::Unit | Type::Array(..) => ill_typed(ty),
        Type::Linear(..) | Type::Copower(..) | Type::List(_) => ill_typed(ty),
    }
}

/// What an array holds.
pub(super) fn element(ty: &Type) -> Type {
    if let Type::Array(_, elem) = ty { (**elem).clone() } else { ill_typed(ty) }
}

fn ill_typed<T>(ty: &Type) -> T {
    panic!("compiler bug: a source term was typed, and yet it has {ty} here")
}
