//! Differentiation: the linear map of a statement, bound to a name and applied.
//!
//! The program is in A-normal form, so every variable `x` that is active has a map `dx` from the inputs, and
//! a statement `y = f(x1, x2)` binds `dy = df(x1, x2) . V(dx1, dx2)`. The laws turn this into a sum of
//! what each operand contributes. Maps are not put in the place of their names, which could double
//! the work with every statement, but for what stays a name: where both are scalings of one map, their
//! factors are multiplied. Branches, loops and calls bind maps too; they save what theirs need
//! (`crates/ad/src/bulk/apart.rs`), so that the map of a fold is a fold over what was saved.
//!
//! Paper: Figure 6, and Figure 7 for values and maps side by side; `df` is in `builtin.rs` (Figure 2).

use std::cell::RefCell;
use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, Binder, Block, Op, Prim, Stmt, Type, Var};

use super::apply::{Sink, Vector, apply, atom, scalar};
use super::laws::simplify;
use super::map::Map;
use super::{Bound, builtin};
use crate::bulk::dual::{Dual, Rules};
use crate::linear::code::{Code, var_of};

/// The maps of one definition.
#[derive(Default)]
pub(super) struct Maps {
    /// Maps that are scalings of others: the factor, none if it is 1, and the other map.
    pub(super) scalings: RefCell<BTreeMap<Var, (Option<Atom>, Var)>>,
    /// What was bound, in order.
    pub(super) bound: RefCell<Vec<Bound>>,
}

impl Rules for Maps {
    fn prim(&self, dual: &mut Dual<'_>, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        dual.keep(stmt);
        if let Some(map) = builtin::prim(dual, &stmt.binders[0], prim, args) {
            self.bind(dual, &stmt.binders[0], map);
        }
    }

    fn array(&self, dual: &mut Dual<'_>, stmt: &Stmt, op: &ArrayOp) {
        if let Some((binder, map)) = builtin::array(dual, stmt, op) {
            self.bind(dual, &binder, map);
        }
    }
}

impl Maps {
    /// Binds the map of a variable, and applies it.
    fn bind(&self, dual: &mut Dual<'_>, binder: &Binder, map: Map) {
        let simple = simplified(&dual.work.code, &map);
        let simple = simplified(&dual.work.code, &self.through_scalings(simple));
        let simple = with_named_factors(dual, &simple);
        let vector = apply(dual, &simple, Vector::Input);
        let delta = atom(dual, vector);
        if let Some(var) = var_of(&delta) {
            if let Some(scaling) = scaling(&simple) {
                self.scalings.borrow_mut().insert(var, scaling);
            }
            let bound = Bound { var: binder.var, name: var, map, simple };
            self.bound.borrow_mut().push(bound);
        }
        dual.set(binder, delta);
    }

    /// The sum with scalings of scalings of a map as scalings of that map.
    fn through_scalings(&self, map: Map) -> Map {
        let scalings = self.scalings.borrow();
        let through = |part: Map| {
            let Some((outer, inner)) = scaling(&part) else { return part };
            let Some((factor, base)) = scalings.get(&inner) else { return part };
            let factors = outer.into_iter().chain(factor.clone());
            let base = Map::Var(*base);
            factors.rev().fold(base, |map, factor| Map::scale(factor).after(map))
        };
        if let Map::Sum(parts) = map {
            return Map::Sum(parts.into_iter().map(through).collect());
        }
        through(map)
    }
}

/// The map after the laws. Its domain is that of all names; no law asks what it is.
fn simplified(code: &Code, map: &Map) -> Map {
    let types = |var: Var| code.builder.find_type(var);
    simplify(&types, map, &Type::unit())
}

/// A scaling of a name: the factor, none if it is 1, and the name.
fn scaling(map: &Map) -> Option<(Option<Atom>, Var)> {
    if let Map::Var(var) = map {
        return Some((None, *var));
    }
    let Map::Compose(outer, inner) = map else { return None };
    let (Map::Scale(super::map::Scalar::Atom(factor)), Map::Var(var)) = (&**outer, &**inner) else {
        return None;
    };
    Some((Some(factor.clone()), *var))
}

/// The map with every factor computed, so that it is a name.
fn with_named_factors(dual: &mut Dual<'_>, map: &Map) -> Map {
    if let Map::Scale(factor) = map {
        return Map::scale(scalar(dual, factor));
    }
    map.with(map.parts().into_iter().map(|it| with_named_factors(dual, it)).collect())
}

impl Sink for Dual<'_> {
    fn code(&mut self) -> &mut Code {
        &mut self.work.code
    }

    fn linear(&mut self, op: Op) -> Vec<Atom> {
        Dual::linear(self, op)
    }

    fn zeros(&mut self, ty: &Type) -> Atom {
        self.term_zeros(ty)
    }

    fn adopt(&mut self, stmt: Stmt) {
        self.linear_stmt(stmt);
    }

    fn open(&mut self) {
        self.open_term();
    }

    fn close(&mut self, results: Vec<Atom>) -> Block {
        self.close_term(results)
    }
}
