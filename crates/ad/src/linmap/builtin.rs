//! Derivatives of built-in operations as linear maps: `df(x1, x2) . V(dx1, dx2)`.
//!
//! Paper: Figure 2. Partial derivatives are those of the one table (`crates/ir/src/prim.rs`). An
//! operation that is linear in its operands is its own map; `sum` is an `H`, and replication a `V`, of
//! identities. What is discrete has no map: the paper's zero block for it is left out.

use ir::{
    ArrayOp, Atom, Binder, Op, Partial, Prim, Reduction, Size, Stmt, Type, partial, partials,
};

use super::map::{Map, hole, put_atoms};
use crate::bulk::dual::Dual;
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
    if let ArrayOp::Filter { array, predicate } = op {
        let at = dual.work.code.filtered(&stmt.binders, array, predicate);
        let map = gather(vec![at], None).after(name(dual, array)?);
        return Some((stmt.binders[1].clone(), map));
    }
    dual.keep(stmt);
    let map = match op {
        ArrayOp::Literal { elem, parts } => {
            let elem = dual.work.code.tangent(elem)?;
            several(dual, parts, |parts| ArrayOp::Literal { elem, parts })
        }
        ArrayOp::Concat(arrays) => several(dual, arrays, ArrayOp::Concat),
        ArrayOp::Scatter { into, indices, values, mask } => {
            let (indices, mask) = (indices.clone(), mask.clone());
            several(dual, &[into.clone(), values.clone()], |mut parts| {
                let (values, into) = (parts.remove(1), parts.remove(0));
                ArrayOp::Scatter { into, indices, values, mask }
            })
        }
        ArrayOp::Sort(array) => {
            let at = dual.work.code.one(Op::Array(ArrayOp::Argsort(array.clone())));
            gather(vec![at], None).after(name(dual, array)?)
        }
        ArrayOp::Reduce { reduction, axis, array } => {
            let name = name(dual, array)?;
            reduce(dual, *reduction, *axis, array).after(name)
        }
        ArrayOp::Replicate { size, value } => {
            let name = name(dual, value)?;
            replicate(dual, size).after(name)
        }
        ArrayOp::Index { array: x, .. } | ArrayOp::Slice { array: x, .. } => itself(dual, op, x)?,
        ArrayOp::Gather { array: x, .. } | ArrayOp::Transpose { array: x, .. } => {
            itself(dual, op, x)?
        }
        ArrayOp::Reshape { array: x, .. } | ArrayOp::Sized { array: x, .. } => itself(dual, op, x)?,
        ArrayOp::Reverse(x) => itself(dual, op, x)?,
        ArrayOp::Iota(_) | ArrayOp::Argmax(_) | ArrayOp::Argmin(_) => return None,
        ArrayOp::Argsort(_) | ArrayOp::Filter { .. } => return None,
    };
    Some((stmt.binders[0].clone(), map))
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

/// An operation that is linear in one operand.
fn itself(dual: &Dual<'_>, op: &ArrayOp, array: &Atom) -> Option<Map> {
    let put = |it: &Atom| if it == array { operand(0) } else { it.clone() };
    let map = Map::builtin(put_atoms(&Op::Array(op.clone()), &put));
    Some(map.after(name(dual, array)?))
}

/// An operation that is linear in several operands together.
fn several(dual: &mut Dual<'_>, args: &[Atom], op: impl FnOnce(Vec<Atom>) -> ArrayOp) -> Map {
    let mut names: Vec<Map> = args.iter().map(|it| name_or_zero(dual, it)).collect();
    let op = Box::new(Op::Array(op((0..args.len()).map(operand).collect())));
    let inner = if names.len() == 1 { names.remove(0) } else { Map::VCat(names) };
    Map::Builtin(op, args.len()).after(inner)
}

fn gather(indices: Vec<Atom>, mask: Option<Atom>) -> Map {
    Map::builtin(Op::Array(ArrayOp::Gather { array: operand(0), indices, mask }))
}

/// `sum` is `H[n i](1)`; a product weights each element first, an extremum is one of them.
fn reduce(dual: &mut Dual<'_>, reduction: Reduction, axis: usize, array: &Atom) -> Map {
    let code = &mut dual.work.code;
    match reduction {
        Reduction::Sum => sum(dual, axis, array),
        Reduction::Product => {
            let factors = code.product_factors(axis, array);
            sum(dual, axis, array).after(Map::scale(factors))
        }
        Reduction::Maximum | Reduction::Minimum => {
            let (indices, some) = code.extremum_at(reduction, axis, array);
            gather(indices, Some(some))
        }
    }
}

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
