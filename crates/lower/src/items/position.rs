//! Positions of greatest and least elements, alone and of every row: two reductions.

use std::collections::BTreeSet;

use ir::{ArrayOp, Block, ControlOp, Op, Prim, Reduction};
use loops::Atom;

use super::Reading;
use crate::view::{Lin, Source, View};

impl<'a> Reading<'_, 'a, '_> {
    /// The position along the last axis; 0 if there is nothing. NaN is beyond all numbers.
    pub(super) fn nest_position(&mut self, greatest: bool, view: &View) -> View {
        let (sizes, elem) = (view.sizes.clone(), view.elem.clone());
        let axis = sizes.len() - 1;
        let reduction = if greatest { Reduction::Maximum } else { Reduction::Minimum };
        let extreme = self.nest_reduce(reduction, axis, view.clone());
        let extreme = extreme.mapped(sizes.clone(), &Lin::axis);
        let bool_ = ir::Type::Bool;
        let args = vec![view.clone(), extreme];
        let mut hit = self.push_prim(Prim::Eq, &sizes, args, &bool_);
        if elem == ir::Type::Real {
            let one = self.push_prim(Prim::IsNan, &sizes, vec![view.clone()], &bool_);
            hit = self.push_prim(Prim::Or, &sizes, vec![hit, one], &bool_);
        }
        let here = View::iota(&sizes[axis]).mapped(sizes.clone(), &|_| Lin::axis(axis));
        let none = View::same(Atom::Int(i64::MAX), &ir::Type::Int);
        let args = vec![hit, here, none];
        let places = self.push_prim(Prim::Select, &sizes, args, &ir::Type::Int);
        let first = self.nest_reduce(Reduction::Minimum, axis, places);
        if let Source::Item(item, _) = first.source {
            self.items.positions.insert(item);
        }
        first
    }

    /// Whether indices are positions that were found.
    pub(super) fn is_position(&self, view: &View) -> bool {
        match view.source {
            Source::Item(item, _) => self.items.positions.contains(&item),
            Source::Memory(_) | Source::Iota | Source::Same(_) => false,
        }
    }

    /// `build` that finds a position in every row, also where it is done only if rows are not empty.
    pub(super) fn nest_rows(&mut self, op: &'a Op) -> Option<View> {
        if let Some((greatest, array)) = row_position(op) {
            let view = self.arg(&array);
            return Some(self.nest_position(greatest, &view));
        }
        let Op::Control(ControlOp::If { cond, then, otherwise }) = op else { return None };
        let (greatest, array) = guarded_position(then)?;
        let zero = zero_of(otherwise)?;
        let view = self.arg(&array);
        let cond = self.arg(cond);
        let found = self.nest_position(greatest, &view);
        let zero = View::same(Atom::Int(zero), &ir::Type::Int);
        let sizes = found.sizes.clone();
        let Source::Item(first, _) = found.source else { return None };
        let args = vec![cond, found, zero];
        let view = self.push_prim(Prim::Select, &sizes, args, &ir::Type::Int);
        if let Source::Item(item, _) = view.source {
            self.items.positions.extend(BTreeSet::from([first, item]));
        }
        Some(view)
    }
}

/// Which extreme is looked for, and of what.
fn position(op: &Op) -> Option<(bool, ir::Atom)> {
    if let Op::Array(ArrayOp::Argmax(of)) = op {
        return Some((true, of.clone()));
    }
    if let Op::Array(ArrayOp::Argmin(of)) = op { Some((false, of.clone())) } else { None }
}

/// Whether an operation may find the positions of rows, which are items.
pub(super) fn is_row_position(op: &Op) -> bool {
    if let Op::Control(ControlOp::If { then, otherwise, .. }) = op {
        return guarded_position(then).is_some() && zero_of(otherwise).is_some();
    }
    row_position(op).is_some()
}

/// `build (i, ...) { argmax (index a (i, ...)) }`
pub(super) fn row_position(op: &Op) -> Option<(bool, ir::Atom)> {
    let Op::Control(ControlOp::Build { indices, body, .. }) = op else { return None };
    let [row, position] = body.stmts.as_slice() else { return None };
    let Op::Array(ArrayOp::Index { array, indices: at }) = &row.op else { return None };
    let (greatest, of) = self::position(&position.op)?;
    let at_index = at.iter().zip(indices).all(|(x, y)| *x == ir::Atom::Var(*y));
    let linked = of == ir::Atom::Var(row.binders[0].var)
        && body.results == [ir::Atom::Var(position.binders[0].var)];
    (at.len() == indices.len() && at_index && linked).then(|| (greatest, array.clone()))
}

fn guarded_position(block: &Block) -> Option<(bool, ir::Atom)> {
    let [stmt] = block.stmts.as_slice() else { return None };
    if block.results != [ir::Atom::Var(stmt.binders.first()?.var)] {
        return None;
    }
    position(&stmt.op).or_else(|| row_position(&stmt.op))
}

/// A block that gives an Int, or an array of that Int.
fn zero_of(block: &Block) -> Option<i64> {
    let [result] = block.results.as_slice() else { return None };
    match (result, block.stmts.as_slice()) {
        (ir::Atom::Int(it), []) => Some(*it),
        (ir::Atom::Var(var), [stmt]) if stmt.binders.first()?.var == *var => {
            let Op::Array(ArrayOp::Replicate { value: ir::Atom::Int(it), .. }) = &stmt.op else {
                return None;
            };
            Some(*it)
        }
        _ => None,
    }
}
