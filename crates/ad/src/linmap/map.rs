//! Linear maps as terms. Data, and what is computed from it directly.
//!
//! Paper: Ellis, Peyton Jones, Fitzgibbon, Figure 3. `m : s -o t` takes a vector of the space `s` to one of
//! `t`; spaces are `Real`, arrays of spaces, and tuples of these. `L` and `L'` of the figure are not
//! here: `build` is the only binder, so its maps come as blocks (`VBuild`, `HBuild`), and there is no
//! array of maps.

use std::collections::BTreeSet;

use ir::{Atom, Op, Size, Type, Var, walk};

/// A linear map.
#[derive(Clone, Debug, PartialEq)]
pub enum Map {
    /// `0<t> @ x = 0`, in the space `t`.
    Zero(Type),
    /// `1 @ x = x`
    One,
    /// `S(k) @ x = k * x`; element by element if `k` is an array.
    Scale(Scalar),
    /// `(m . n) @ x = m @ (n @ x)`
    Compose(Box<Map>, Box<Map>),
    /// `(m + n) @ x = m @ x + n @ x`; of at least one map.
    Sum(Vec<Map>),
    /// `V(m, n) @ x = (m @ x, n @ x)`
    VCat(Vec<Map>),
    /// `H(m, n) @ (x, y) = m @ x + n @ y`
    HCat(Vec<Map>),
    /// `V[n i](m) @ x` is the array whose element `i` is `m @ x`.
    VBuild(Size, Var, Box<Map>),
    /// `H[n i](m) @ x` is the sum of `m @ x[i]` over all `i`.
    HBuild(Size, Var, Box<Map>),
    /// `T<s>(m) @ r = r @R m`, for `m` of domain `s`.
    Transpose(Type, Box<Map>),
    /// An operation that is linear in its operands, which are holes: all in a tuple, if there are several.
    /// Indexing is one of them, and all that only moves elements.
    Builtin(Box<Op>, usize),
    /// A map that a statement bound.
    Var(Var),
}

/// A factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// What the program computed, or a literal.
    Atom(Atom),
    /// The product that is 0 if either is (`scale`).
    Times(Box<Scalar>, Box<Scalar>),
    /// The sum.
    Plus(Box<Scalar>, Box<Scalar>),
}

/// The operand of a built-in operation with this number.
pub fn hole(at: usize) -> Var {
    Var(u32::MAX - 1 - at as u32)
}

impl Map {
    /// `S(k)` of an atom.
    pub fn scale(factor: Atom) -> Map {
        Map::Scale(Scalar::Atom(factor))
    }

    /// `self . inner`
    pub fn after(self, inner: Map) -> Map {
        Map::Compose(Box::new(self), Box::new(inner))
    }

    /// An operation with one hole.
    pub fn builtin(op: Op) -> Map {
        Map::Builtin(Box::new(op), 1)
    }

    /// The maps it is made of directly.
    pub fn parts(&self) -> Vec<&Map> {
        match self {
            Map::Zero(_) | Map::One | Map::Scale(_) | Map::Builtin(..) | Map::Var(_) => Vec::new(),
            Map::Compose(m, n) => vec![m, n],
            Map::Sum(parts) | Map::VCat(parts) | Map::HCat(parts) => parts.iter().collect(),
            Map::VBuild(_, _, m) | Map::HBuild(_, _, m) | Map::Transpose(_, m) => vec![m],
        }
    }

    /// The map with other parts in the place of its own, as many as [`Map::parts`] gives.
    pub fn with(&self, parts: Vec<Map>) -> Map {
        let mut rest = parts.clone().into_iter();
        let mut next = || Box::new(rest.next().expect("as many parts as there were"));
        match self {
            Map::Zero(_) | Map::One | Map::Scale(_) | Map::Builtin(..) | Map::Var(_) => {
                self.clone()
            }
            Map::Compose(..) => Map::Compose(next(), next()),
            Map::Sum(_) => Map::Sum(parts),
            Map::VCat(_) => Map::VCat(parts),
            Map::HCat(_) => Map::HCat(parts),
            Map::VBuild(size, index, _) => Map::VBuild(size.clone(), *index, next()),
            Map::HBuild(size, index, _) => Map::HBuild(size.clone(), *index, next()),
            Map::Transpose(ty, _) => Map::Transpose(ty.clone(), next()),
        }
    }

    /// Every variable it mentions: maps, factors, indices.
    pub fn vars(&self) -> BTreeSet<Var> {
        let mut res = BTreeSet::new();
        match self {
            Map::Scale(factor) => factor.vars(&mut res),
            Map::Builtin(op, _) => res.extend(walk::free_vars_op(op)),
            Map::Var(var) => res.extend([*var]),
            Map::Zero(_) | Map::One | Map::Compose(..) | Map::Sum(_) | Map::VCat(_) => {}
            Map::HCat(_) | Map::VBuild(..) | Map::HBuild(..) | Map::Transpose(..) => {}
        }
        self.parts().into_iter().for_each(|it| res.extend(it.vars()));
        res
    }

    /// The indices that it binds.
    pub fn bound_vars(&self) -> Vec<Var> {
        let own = if let Map::VBuild(_, index, _) | Map::HBuild(_, index, _) = self {
            vec![*index]
        } else {
            Vec::new()
        };
        own.into_iter().chain(self.parts().into_iter().flat_map(Map::bound_vars)).collect()
    }

    /// The map with an atom in the place of a variable in its factors and indices.
    pub fn at(&self, var: Var, value: &Atom) -> Map {
        match self {
            Map::Scale(factor) => Map::Scale(factor.at(var, value)),
            Map::Builtin(op, holes) => {
                let put =
                    |it: &Atom| if *it == Atom::Var(var) { value.clone() } else { it.clone() };
                Map::Builtin(Box::new(put_atoms(op, &put)), *holes)
            }
            Map::Zero(_)
            | Map::One
            | Map::Compose(..)
            | Map::Sum(_)
            | Map::VCat(_)
            | Map::HCat(_)
            | Map::VBuild(..)
            | Map::HBuild(..)
            | Map::Transpose(..)
            | Map::Var(_) => {
                self.with(self.parts().into_iter().map(|it| it.at(var, value)).collect())
            }
        }
    }
}

impl Scalar {
    /// A literal.
    pub fn real(value: f64) -> Scalar {
        Scalar::Atom(Atom::Real(ir::Literal(value)))
    }

    /// The product; of literals it is a literal.
    pub fn times(self, other: Scalar) -> Scalar {
        match (self.literal(), other.literal()) {
            (Some(a), Some(b)) if a == 0.0 || b == 0.0 => Scalar::real(0.0),
            (Some(a), Some(b)) => Scalar::real(a * b),
            (Some(_), None) | (None, _) => Scalar::Times(Box::new(self), Box::new(other)),
        }
    }

    /// The sum; of literals it is a literal.
    pub fn plus(self, other: Scalar) -> Scalar {
        match (self.literal(), other.literal()) {
            (Some(a), Some(b)) => Scalar::real(a + b),
            (Some(_), None) | (None, _) => Scalar::Plus(Box::new(self), Box::new(other)),
        }
    }

    fn literal(&self) -> Option<f64> {
        if let Scalar::Atom(Atom::Real(value)) = self { Some(value.0) } else { None }
    }

    fn vars(&self, res: &mut BTreeSet<Var>) {
        match self {
            Scalar::Atom(Atom::Var(var)) => res.extend([*var]),
            Scalar::Atom(_) => {}
            Scalar::Times(a, b) | Scalar::Plus(a, b) => {
                a.vars(res);
                b.vars(res);
            }
        }
    }

    fn at(&self, var: Var, value: &Atom) -> Scalar {
        match self {
            Scalar::Atom(atom) if *atom == Atom::Var(var) => Scalar::Atom(value.clone()),
            Scalar::Atom(_) => self.clone(),
            Scalar::Times(a, b) => a.at(var, value).times(b.at(var, value)),
            Scalar::Plus(a, b) => a.at(var, value).plus(b.at(var, value)),
        }
    }
}

/// The operation with other operands.
pub(super) fn put_atoms(op: &Op, put: &dyn Fn(&Atom) -> Atom) -> Op {
    struct Put<'a>(&'a dyn Fn(&Atom) -> Atom);
    impl walk::Rewrite for Put<'_> {
        fn atom(&mut self, atom: &Atom) -> Atom {
            (self.0)(atom)
        }
    }
    walk::rewrite_op(op, &mut Put(put))
}
