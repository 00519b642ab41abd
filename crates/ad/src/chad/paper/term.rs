//! Terms of the paper's languages. Data, and what is computed from it directly.
//!
//! One type of terms for the source language (Section 3), the idealised target language (Section 4) and what
//! that is lowered to (Section 9.2); `typing.rs` says which belongs where. Zeros, and whatever may have to
//! make one, have its type beside them.

use base::Name;
use ir::{Literal, Prim, Size};

use super::types::Type;

/// A part of a term.
pub type Part = Box<Term>;

/// A side of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `inl`
    Left,
    /// `inr`
    Right,
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    // Section 3.
    /// `x`, or `v` that is linear.
    Var(Name),
    /// `let x = t in s`
    Let(Name, Part, Part),
    /// A constant.
    Real(Literal),
    /// A constant.
    Int(i64),
    /// The number of elements.
    Size(Size),
    /// `op(t1, ..., tk)`, of scalars.
    Op(Prim, Vec<Term>),
    /// `()`
    Unit,
    /// `(t, s)`
    Pair(Part, Part),
    /// `fst t`
    Fst(Part),
    /// `snd t`
    Snd(Part),
    /// `λx. t`
    Lambda(Name, Type, Part),
    /// `t s`
    Apply(Part, Part),
    // Section 11.2.
    /// `inl t` or `inr t`, with the type of the other side.
    Inject(Side, Type, Part),
    /// `case t of inl x -> s | inr y -> r`
    Case(Part, Name, Part, Name, Part),
    // Section 10.
    /// The array whose element `i` is `t`.
    Build(Size, Name, Part),
    /// An element.
    Index(Part, Part),
    /// `map(x. t, s)`
    Map(Name, Part, Part),
    /// The sum of elements of this type; of a list too.
    Sum(Type, Part),
    // Sections 10 and 11.2: `fold` and iteration.
    /// A term again and again.
    Loop(Box<Loop>),
    // Section 4.
    /// `let v = t in s`, linear in `v`.
    LinearLet(Name, Part, Part),
    /// `Dop(t1, ..., tk; s)`
    Derivative(Prim, Vec<Term>, Part),
    /// `Dop^t(t1, ..., tk; s)`
    Transposed(Prim, Vec<Term>, Part),
    /// `!t ⊗ s`
    Copower(Part, Part),
    /// `case t of !x ⊗ v -> s`, of this type.
    CopowerCase(Type, Part, Name, Name, Part),
    /// `λv. t`, linear in `v`.
    LinearLambda(Name, Type, Part),
    /// `t • s`
    LinearApply(Part, Part),
    /// `0` of this type.
    Zero(Type),
    /// `t + s`
    Plus(Part, Part),
    /// Of an environment `(((), t1), t2)`, the part with so many behind it (Section 7.1).
    Proj(usize, Part),
    /// The environment of this type with one part that is no zero.
    Coproj(Type, usize, Part),
    /// The array of zeros of this type but for one element.
    OneHot(Size, Type, Part, Part),
    /// `Dmap(x.t, s, r)` of Section 10; `t` is linear in `w`, which is what `outer` is paired with an element
    /// of `along`.
    MapDerivative(Box<MapDerivative>),
    /// `Dmap^t(x.t, s, r)`; `t` is linear in `w`, which is an element of `along`.
    MapTransposed(Box<MapTransposed>),
    // Section 9.2.
    /// `[t]`
    Singleton(Part),
    /// The elements of an array as a list.
    ToList(Part),
    /// The array of pairs.
    Zip(Part, Part),
}

/// `t` again and again, from `init`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// How long.
    pub steps: Steps,
    /// The state before a step.
    pub state: Name,
    /// The number of the step, from 0.
    pub index: Name,
    /// The state after a step.
    pub body: Term,
    /// The first state.
    pub init: Term,
}

/// How long a loop goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// So many steps; none, if it is negative.
    Count(Term),
    /// As long as this holds of the state.
    While(Name, Term),
}

/// `Dmap`
#[derive(Clone, Debug, PartialEq)]
pub struct MapDerivative {
    /// The element.
    pub element: Name,
    /// Its tangent behind that of the environment.
    pub tangent: Name,
    /// The tangent of the element of the result.
    pub body: Term,
    /// The array.
    pub over: Term,
    /// The tangent of the environment.
    pub outer: Term,
    /// The tangent of the array.
    pub along: Term,
}

/// `Dmap^t`
#[derive(Clone, Debug, PartialEq)]
pub struct MapTransposed {
    /// The type of cotangents of the environment.
    pub space: Type,
    /// The element.
    pub element: Name,
    /// The cotangent of the element of the result.
    pub cotangent: Name,
    /// The cotangents of the environment and of the element.
    pub body: Term,
    /// The array.
    pub over: Term,
    /// The cotangent of the result.
    pub along: Term,
    /// The cotangent of the array.
    pub array: Name,
    /// What it is propagated to.
    pub rest: Term,
}

/// `x`
pub fn var(name: &Name) -> Term {
    Term::Var(name.clone())
}

/// `let x = t in s`
pub fn bind(name: &Name, bound: Term, body: Term) -> Term {
    Term::Let(name.clone(), Box::new(bound), Box::new(body))
}

/// `let v = t in s`, linear.
pub fn linear_bind(name: &Name, bound: Term, body: Term) -> Term {
    Term::LinearLet(name.clone(), Box::new(bound), Box::new(body))
}

/// `(t, s)`
pub fn pair(one: Term, other: Term) -> Term {
    Term::Pair(Box::new(one), Box::new(other))
}

/// `((t1, t2), t3)`
pub fn tuple(parts: Vec<Term>) -> Term {
    parts.into_iter().reduce(pair).unwrap_or(Term::Unit)
}

/// Part `at` of a tuple of `of` parts.
pub fn part(term: Term, at: usize, of: usize) -> Term {
    let skipped = (at.max(1) + 1..of).fold(term, |it, _| fst(it));
    match (at, of) {
        (_, 0 | 1) => skipped,
        (0, _) => fst(skipped),
        (_, _) => snd(skipped),
    }
}

/// `fst t`
pub fn fst(term: Term) -> Term {
    Term::Fst(Box::new(term))
}

/// `snd t`
pub fn snd(term: Term) -> Term {
    Term::Snd(Box::new(term))
}

/// `λx. t`
pub fn lambda(name: &Name, ty: &Type, body: Term) -> Term {
    Term::Lambda(name.clone(), ty.clone(), Box::new(body))
}

/// `t s`
pub fn apply(function: Term, argument: Term) -> Term {
    Term::Apply(Box::new(function), Box::new(argument))
}

/// `λv. t`, linear.
pub fn linear_lambda(name: &Name, ty: &Type, body: Term) -> Term {
    Term::LinearLambda(name.clone(), ty.clone(), Box::new(body))
}

/// `t • s`
pub fn linear_apply(function: Term, argument: Term) -> Term {
    Term::LinearApply(Box::new(function), Box::new(argument))
}

/// `t + s`
pub fn plus(one: Term, other: Term) -> Term {
    Term::Plus(Box::new(one), Box::new(other))
}
