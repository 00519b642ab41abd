//! Derivatives of built-in operations as linear maps: `df(x1, x2) . V(dx1, dx2)`.
//!
//! Paper: Figure 2. Partial derivatives are those of the one table (`crates/ir/src/prim.rs`). An
//! operation that is linear in its operands is its own map; `sum` is an `H`, and replication a `V`, of
//! identities. What is discrete has no map: the paper's zero block for it is left out.

use ir::{
    ArrayOp, Atom, Binder, Dependence, Op, Partial, Prim, Reduction, Size, Stmt, Type, partial,
    partials,
};

use super::map::{Map, hole};
use crate::bulk::dual::Dual;
use crate::linear::arrays::on_tangents;
use crate::linear::code::{real, var_of};

/// `df` of one operand, and its map.
type Part = (Map, Map);

/// The map of a primitive; none if it has no derivative here.
pub(super) fn prim(dual: &mut Dual<'_>, binder: &Binder, prim: Prim, args: &[Atom]) -> Option<Map> {
    if prim == Prim::Select {
        return select(dual, binder, args);
    }
    if !dual.work.code.gives_reals(prim, &binder.ty) {
        return None;
    }
    let on: Vec<bool> = args.iter().map(|it| dual.is_active(it)).collect();
    let wanted = |at: usize| on[at] && !partial::is_zero(prim, at);
    let result = Atom::Var(binder.var);
    let partials = partials(&mut dual.work.code.builder, prim, args, &result, &wanted);
    let mut parts: Vec<Part> = Vec::new();
    for (partial, arg) in partials.into_iter().zip(args) {
        let factor = match partial {
            Partial::Zero => continue,
            Partial::One => Map::One,
            Partial::MinusOne => Map::scale(real(-1.0)),
            Partial::Times(factor) => Map::scale(factor),
        };
        let Some(name) = name(dual, arg) else { continue };
        let widened = widened(dual, arg, &binder.ty.split_arrays().0);
        let map = if widened == Map::One { factor } else { factor.after(widened) };
        parts.push((map, name));
    }
    together(parts)
}

/// Linear in what it selects from. No mask becomes a factor, so nothing is multiplied by zero.
fn select(dual: &mut Dual<'_>, binder: &Binder, args: &[Atom]) -> Option<Map> {
    if *binder.ty.split_arrays().1 != Type::Real {
        return None;
    }
    let names = args[1..].iter().map(|it| name_or_zero(dual, it)).collect();
    let op = Op::Prim(Prim::Select, vec![args[0].clone(), operand(0), operand(1)]);
    Some(Map::Builtin(Box::new(op), 2).after(Map::VCat(names)))
}

/// Adds an operation on arrays to the program; gives its result that has a map, and the map.
pub(super) fn array(dual: &mut Dual<'_>, stmt: &Stmt, op: &ArrayOp) -> Option<(Binder, Map)> {
    if let Dependence::Filters { array, predicate } = op.dependence() {
        let at = dual.work.code.filtered(&stmt.binders, array, predicate);
        let map = gather(vec![at], None).after(name(dual, array)?);
        return Some((stmt.binders[1].clone(), map));
    }
    dual.keep(stmt);
    let binder = stmt.binders[0].clone();
    if let ArrayOp::Replicate { size, value } = op {
        let name = name(dual, value)?;
        return Some((binder, replicate(dual, size).after(name)));
    }
    if let ArrayOp::Reduce { reduction: Reduction::Sum, axis, array } = op {
        let name = name(dual, array)?;
        return Some((binder, sum(dual, *axis, array).after(name)));
    }
    let map = match op.dependence() {
        Dependence::Moves(operands) | Dependence::Adds(operands) => {
            itself(dual, &binder, op, &operands)?
        }
        Dependence::Product { axis, array } => {
            let name = name(dual, array)?;
            let factors = dual.work.code.product_factors(axis, array);
            sum(dual, axis, array).after(Map::scale(factors)).after(name)
        }
        Dependence::Extremum { reduction, axis, array } => {
            let name = name(dual, array)?;
            let (indices, some) = dual.work.code.extremum_at(reduction, axis, array);
            gather(indices, Some(some)).after(name)
        }
        Dependence::Sorts(array) => {
            let at = dual.work.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
            gather(vec![at], None).after(name(dual, array)?)
        }
        Dependence::Discrete(_) | Dependence::Filters { .. } => return None,
    };
    Some((binder, map))
}

/// `H(m1, m2) . V(n1, n2)`, or `m . n`.
fn together(mut parts: Vec<Part>) -> Option<Map> {
    match parts.len() {
        0 => None,
        1 => parts.pop().map(|(map, name)| map.after(name)),
        _ => {
            let (maps, names) = parts.into_iter().unzip();
            Some(Map::HCat(maps).after(Map::VCat(names)))
        }
    }
}

/// The map of an operand, which is a name.
fn name(dual: &Dual<'_>, arg: &Atom) -> Option<Map> {
    var_of(&dual.delta(arg)?).map(Map::Var)
}

fn name_or_zero(dual: &mut Dual<'_>, arg: &Atom) -> Map {
    if let Some(name) = name(dual, arg) {
        return name;
    }
    let ty = dual.work.code.type_of(arg);
    Map::Zero(dual.work.code.tangent(&ty).expect("an operand with reals"))
}

fn operand(at: usize) -> Atom {
    Atom::Var(hole(at))
}

/// A number as every element of an array of these sizes, if the operand is one.
fn widened(dual: &mut Dual<'_>, arg: &Atom, sizes: &[Size]) -> Map {
    if !dual.work.code.sizes_of(arg).is_empty() {
        return Map::One;
    }
    sizes.iter().rev().fold(Map::One, |map, size| replicate(dual, size).after(map))
}

/// `V[n i](1)`
fn replicate(dual: &mut Dual<'_>, size: &Size) -> Map {
    let index = dual.work.code.fresh(Type::Int).var;
    Map::VBuild(size.clone(), index, Box::new(Map::One))
}

/// An operation that is linear in its operands together: `op . V(n1, n2)`.
fn itself(dual: &mut Dual<'_>, binder: &Binder, op: &ArrayOp, operands: &[&Atom]) -> Option<Map> {
    let mut names: Vec<Map> = match operands {
        [one] => vec![name(dual, one)?],
        several => several.iter().map(|it| name_or_zero(dual, it)).collect(),
    };
    let ty = dual.work.code.tangent(&binder.ty)?;
    let holes: Vec<Atom> = (0..operands.len()).map(operand).collect();
    let op = Box::new(on_tangents(op, operands, &holes, &ty));
    let inner = if names.len() == 1 { names.remove(0) } else { Map::VCat(names) };
    Some(Map::Builtin(op, operands.len()).after(inner))
}

fn gather(indices: Vec<Atom>, mask: Option<Atom>) -> Map {
    Map::builtin(Op::Array(ArrayOp::Gather { array: operand(0), indices, mask }))
}

/// `sum` is `H[n i](1)`.
fn sum(dual: &mut Dual<'_>, axis: usize, array: &Atom) -> Map {
    let size = dual.work.code.sizes_of(array).remove(axis);
    let index = dual.work.code.fresh(Type::Int).var;
    let rows = Map::HBuild(size, index, Box::new(Map::One));
    if axis == 0 {
        return rows;
    }
    let permutation = std::iter::once(axis).chain(0..axis).collect();
    let first = ArrayOp::Transpose { array: operand(0), permutation };
    rows.after(Map::builtin(Op::Array(first)))
}
