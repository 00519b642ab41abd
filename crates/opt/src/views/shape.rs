//! What makes a part of an array: a slice, or a `build` of its elements, axis by axis.

use std::collections::BTreeSet;

use ir::{ArrayOp, Atom, Block, ControlOp, Op, Prim, Size, Stmt, Type, Var, walk};

use super::ranges::Bounds;

/// A part of an array.
pub(super) struct Shape {
    /// The array.
    pub(super) source: Var,
    /// Its axes, in their order.
    pub(super) axes: Vec<Axis>,
    /// Whether an index may be out of bounds.
    pub(super) may_fail: bool,
}

/// Where the elements along an axis of a part are in the array.
pub(super) enum Axis {
    /// Where they were.
    Same,
    /// From one on, up to another.
    Slice { from: Size, to: Size },
    /// At a position for each.
    At(Positions),
}

/// The position of an element along an axis, by its index in the part.
pub(super) struct Positions {
    /// The index.
    pub(super) index: Var,
    /// How many there are.
    pub(super) size: Size,
    /// What computes the position.
    pub(super) stmts: Vec<Stmt>,
    /// The position.
    pub(super) at: Atom,
    /// The element, which has the place of the text.
    pub(super) read: Var,
    /// If the position is the index and these, each added or taken away: those.
    pub(super) shift: Option<Vec<(Prim, Atom)>>,
}

/// The part that a statement makes of an array of so many axes, if it makes one of it. `sizes_of` knows the
/// arrays.
pub(super) fn shape(
    stmt: &Stmt,
    sizes_of: &dyn Fn(Var) -> Option<Vec<Size>>,
    bounds: &Bounds,
) -> Option<Shape> {
    if let Op::Array(ArrayOp::Slice { array: Atom::Var(source), axis, from, to }) = &stmt.op {
        let n_axes = sizes_of(*source)?.len();
        let slice = |it| Axis::Slice { from: from.clone(), to: Size::clone(it) };
        let axes = (0..n_axes).map(|it| if it == *axis { slice(to) } else { Axis::Same }).collect();
        return Some(Shape { source: *source, axes, may_fail: true });
    }
    let Op::Control(ControlOp::Build { sizes, indices, body }) = &stmt.op else { return None };
    let [Atom::Var(element)] = body.results.as_slice() else { return None };
    let (source, positions, reads) = read(body, *element, sizes_of)?;
    let whole = sizes_of(source)?;
    if whole.len() != indices.len() || positions.len() != indices.len() {
        return None;
    }
    let others: Vec<Stmt> =
        body.stmts.iter().filter(|it| !reads.contains(&it.binders[0].var)).cloned().collect();
    if !others.iter().all(is_safe) {
        return None;
    }
    let mut known = bounds.clone();
    known.indices.extend(indices.iter().copied().zip(sizes.iter().cloned()));
    let mut may_fail = false;
    let mut axes = Vec::new();
    for (axis, at) in positions.iter().enumerate() {
        let stmts = needed(&others, at);
        let depends = |it: &Var| uses(&stmts, at).contains(it);
        if indices.iter().enumerate().any(|(other, it)| other != axis && depends(it)) {
            return None;
        }
        may_fail |= !known.holds(at, &others, &whole[axis]);
        axes.push(Axis::At(Positions {
            index: indices[axis],
            size: sizes[axis].clone(),
            shift: shift(at, indices[axis], &stmts),
            stmts,
            at: at.clone(),
            read: *element,
        }));
    }
    Some(Shape { source, axes, may_fail })
}

/// The array that an element is of, the indices, and the statements that read it, row by row perhaps.
fn read(
    body: &Block,
    element: Var,
    sizes_of: &dyn Fn(Var) -> Option<Vec<Size>>,
) -> Option<(Var, Vec<Atom>, BTreeSet<Var>)> {
    let stmt = body.stmts.iter().find(|it| it.binders[0].var == element)?;
    let Op::Array(ArrayOp::Index { array: Atom::Var(array), indices }) = &stmt.op else {
        return None;
    };
    if sizes_of(*array).is_some() {
        return Some((*array, indices.clone(), BTreeSet::from([element])));
    }
    let (source, mut before, mut reads) = read(body, *array, sizes_of)?;
    before.extend(indices.iter().cloned());
    reads.insert(element);
    Some((source, before, reads))
}

/// Whether a statement is arithmetic of integers and truth values that cannot fail.
fn is_safe(stmt: &Stmt) -> bool {
    let is_plain = |ty: &Type| matches!(ty, Type::Int | Type::Bool);
    if !stmt.binders.iter().all(|it| is_plain(&it.ty)) {
        return false;
    }
    match &stmt.op {
        Op::Prim(Prim::Div | Prim::Rem | Prim::Pow, _) => false,
        Op::Prim(..) | Op::Copy(_) | Op::Size(_) => true,
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            then.stmts.iter().chain(&otherwise.stmts).all(is_safe)
        }
        Op::Equal(..) | Op::Close(..) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => {
            false
        }
        Op::Control(_) | Op::Array(_) | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => false,
    }
}

/// The statements that a value needs, in their order.
fn needed(stmts: &[Stmt], value: &Atom) -> Vec<Stmt> {
    let mut wanted: BTreeSet<Var> = match value {
        Atom::Var(var) => BTreeSet::from([*var]),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => BTreeSet::new(),
    };
    let mut res = Vec::new();
    for stmt in stmts.iter().rev() {
        if stmt.binders.iter().any(|it| wanted.contains(&it.var)) {
            wanted.extend(walk::free_vars_op(&stmt.op));
            res.push(stmt.clone());
        }
    }
    res.reverse();
    res
}

/// The variables that statements and a value mention.
fn uses(stmts: &[Stmt], value: &Atom) -> BTreeSet<Var> {
    let mut res: BTreeSet<Var> = stmts.iter().flat_map(|it| walk::free_vars_op(&it.op)).collect();
    if let Atom::Var(var) = value {
        res.insert(*var);
    }
    res
}

/// What is added to the index and taken away from it, if the value is that.
fn shift(value: &Atom, index: Var, stmts: &[Stmt]) -> Option<Vec<(Prim, Atom)>> {
    if *value == Atom::Var(index) {
        return Some(Vec::new());
    }
    let is_inside = |atom: &Atom| {
        let is_bound = |var: &Var| stmts.iter().flat_map(|it| &it.binders).any(|it| it.var == *var);
        matches!(atom, Atom::Var(var) if *var == index || is_bound(var))
    };
    let stmt = stmts.iter().find(|it| Atom::Var(it.binders[0].var) == *value)?;
    let (inner, prim, by) = match &stmt.op {
        Op::Copy(inner) => return shift(inner, index, stmts),
        Op::Prim(Prim::Add, args) if is_inside(&args[0]) => (&args[0], Prim::Add, &args[1]),
        Op::Prim(Prim::Add, args) => (&args[1], Prim::Add, &args[0]),
        Op::Prim(Prim::Sub, args) => (&args[0], Prim::Sub, &args[1]),
        Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => {
            return None;
        }
        Op::Equal(..) | Op::Close(..) | Op::Array(_) | Op::Control(_) => return None,
        Op::Function(_) | Op::Derive(_) | Op::Delta(_) => return None,
    };
    let mut res = shift(inner, index, stmts)?;
    res.push((prim, by.clone()));
    (!is_inside(by)).then_some(res)
}
