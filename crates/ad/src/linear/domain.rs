//! What the (co)tangent of a real is: a parameter of method `chad`.
//!
//! Paper: Vákár and Smeding, Section 11.3. `D2(Real)` may be any commutative monoid that the partial
//! derivatives of primitives act on; the transformation needs its type, its zero, its plus and that action,
//! and all else, tuples, arrays, sum types, branches and loops, is made of these. Of the sets of numbers zero
//! is the empty one, plus the union, and a multiple of a set is the set: then forward mode gives which inputs
//! a result depends on, and reverse mode which results depend on an input.
//!
//! A set is a Delta of the tape, which holds unions as they are made; who asks reads the sets out of it
//! (`crates/eval/src/sparsity.rs`).

use ir::{Atom, DeltaOp, Op, Partial, Prim, Term, Type, partial, partials};

use super::code::{Code, real};

/// What stands beside a real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// A real: derivatives.
    Reals,
    /// A set of reals by number: dependence.
    Sets,
}

impl Domain {
    /// `D2(Real)`
    pub(crate) fn of_real(self) -> Type {
        match self {
            Domain::Reals => Type::Real,
            Domain::Sets => Type::Delta,
        }
    }
}

impl Code {
    /// The zero of `D2(Real)`.
    pub(super) fn no_tangent(&mut self) -> Atom {
        match self.domain {
            Domain::Reals => real(0.0),
            Domain::Sets => self.one(Op::Delta(DeltaOp::Combine(Vec::new()))),
        }
    }

    /// The plus of `D2(Real)`, element by element of arrays.
    pub(super) fn plus(&mut self, left: Atom, right: Atom) -> Atom {
        match self.domain {
            Domain::Reals => self.prim(Prim::Add, vec![left, right]),
            Domain::Sets => {
                let terms = [left, right].map(|delta| Term { factor: real(1.0), delta });
                self.one(Op::Delta(DeltaOp::Combine(terms.to_vec())))
            }
        }
    }

    /// What a primitive multiplies by, for each operand that is wanted.
    pub(crate) fn factors(
        &mut self,
        (prim, args, result): (Prim, &[Atom], &Atom),
        wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Partial> {
        match self.domain {
            Domain::Reals => partials(&mut self.builder, prim, args, result, wanted),
            Domain::Sets => {
                let depends = |at: usize| wanted(at) && !partial::is_zero(prim, at);
                let factor = |at| if depends(at) { Partial::One } else { Partial::Zero };
                (0..args.len()).map(factor).collect()
            }
        }
    }

    /// A multiple, by what [`Code::factors`] gave; none if that is zero.
    pub(crate) fn multiple(&mut self, by: Partial, of: Atom) -> Option<Atom> {
        match by {
            Partial::Zero => None,
            Partial::One => Some(of),
            Partial::MinusOne => Some(self.prim(Prim::Neg, vec![of])),
            Partial::Times(factor) => Some(self.prim(Prim::Scale, vec![factor, of])),
        }
    }

    /// A multiple by reals that are computed if they matter.
    pub(crate) fn scaled(&mut self, by: impl FnOnce(&mut Code) -> Atom, of: Atom) -> Atom {
        match self.domain {
            Domain::Reals => {
                let factor = by(self);
                self.prim(Prim::Scale, vec![factor, of])
            }
            Domain::Sets => of,
        }
    }
}
