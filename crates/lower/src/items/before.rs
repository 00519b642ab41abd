//! What statements need before any nest runs: checks, and scalars that are computed of scalars.
//!
//! Both are data here, in the order of the statements. `checks.rs` writes them, in front of the nests: what a
//! size or an index is has to be known where memory is made and loops begin.

use ir::{ArrayOp, Op, Prim, Size, Stmt};
use loops::{Atom, Var};

use super::position::row_position;
use super::{Reading, fails};
use crate::view::{Source, View};

/// What is done before the nests of a stretch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Before {
    /// The run ends here unless this holds.
    Check(Check),
    /// A scalar that is computed here.
    Is(Var, Early),
}

/// What has to hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Check {
    /// A size is not greater than that of any array, and does not wrap.
    Bounded(Size),
    /// A size is not negative.
    Natural(Size),
    /// A part of an array is one: `0 <= from <= to <= of`.
    Slice { from: Size, to: Size, of: Size },
    /// An index along an axis of this size is one.
    Index { index: Atom, size: Size, axis: usize },
    /// Each of these rows, if there are any, has a greatest element.
    Greatest { rows: Vec<Size>, size: Size },
    /// A primitive has a value at these arguments.
    Prim(Prim, Vec<Atom>),
}

/// A scalar of scalars.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Early {
    /// A primitive of scalars, of a type.
    Prim(Prim, Vec<Atom>, ir::Type),
    /// A size.
    Size(Size),
    /// The last index along an axis of this size.
    Last(Size),
    /// An element of an array that is there: a view without axes.
    Element(View),
    /// Whether an array of these sizes has an element.
    Any(Vec<Size>),
}

impl<'a> Reading<'_, 'a, '_> {
    /// What a statement that is lowered next needs before: checks that nobody has made, and the scalar that
    /// it is, or that shows where its elements are.
    pub(crate) fn before(&mut self, stmt: &'a Stmt) -> (Vec<Check>, Option<Early>) {
        let mut checks = Vec::new();
        for binder in &stmt.binders {
            checks.extend(self.must_fit(&binder.ty.split_arrays().0));
        }
        let early = match &stmt.op {
            Op::Prim(prim, args) => self.before_prim(stmt, *prim, args, &mut checks),
            Op::Size(size) => Some(Early::Size(size.clone())),
            Op::Array(op) => self.before_array(op, &mut checks),
            Op::Control(_) => {
                if let Some((_, array)) = row_position(&stmt.op) {
                    let mut rows = self.arg(&array).sizes;
                    let size = rows.pop();
                    checks.extend(size.map(|size| Check::Greatest { rows, size }));
                }
                None
            }
            Op::Copy(_) | Op::Tuple { .. } | Op::Proj { .. } | Op::Con { .. } => None,
            Op::Equal(..) | Op::Close(..) => None,
            Op::Function(_) | Op::Derive(_) | Op::Delta(_) => None,
        };
        (checks, early)
    }

    fn before_prim(
        &mut self,
        stmt: &Stmt,
        prim: Prim,
        args: &[ir::Atom],
        checks: &mut Vec<Check>,
    ) -> Option<Early> {
        let ty = &stmt.binders.first()?.ty;
        if matches!(ty, ir::Type::Array(..)) {
            return None;
        }
        let args: Vec<Atom> = args.iter().map(|it| self.ready(it)).collect::<Option<_>>()?;
        let is_divided =
            prim != Prim::Pow && matches!(args.get(1), Some(Atom::Int(it)) if *it != 0);
        if fails(prim, ty) && !is_divided {
            checks.push(Check::Prim(prim, args.clone()));
        }
        Some(Early::Prim(prim, args, ty.clone()))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what cannot fail needs nothing before")]
    fn before_array(&mut self, op: &ArrayOp, checks: &mut Vec<Check>) -> Option<Early> {
        match op {
            ArrayOp::Replicate { size, .. } | ArrayOp::Iota(size) => {
                checks.extend(self.must_be_natural(size));
                None
            }
            ArrayOp::Slice { array, axis, from, to } => {
                let of = self.arg(array).sizes[*axis].clone();
                let from = from.clone();
                checks.push(Check::Slice { from: from.clone(), to: to.clone(), of });
                Some(Early::Size(from))
            }
            ArrayOp::Reverse(array) => Some(Early::Last(self.arg(array).sizes[0].clone())),
            ArrayOp::Index { array, indices } => {
                let view = self.arg(array);
                let indices = indices.iter().map(|it| self.ready(it));
                let indices: Vec<Atom> = indices.collect::<Option<_>>()?;
                for (axis, (index, size)) in indices.iter().zip(&view.sizes).enumerate() {
                    let is_inside = match (index, size.as_constant()) {
                        (Atom::Int(index), Some(size)) => (0..size).contains(index),
                        _ => false,
                    };
                    if !is_inside {
                        checks.push(Check::Index { index: *index, size: size.clone(), axis });
                    }
                }
                let element = view.row(&indices);
                let is_there = !matches!(element.source, Source::Item(..));
                (element.sizes.is_empty() && is_there).then_some(Early::Element(element))
            }
            ArrayOp::Argmax(array) | ArrayOp::Argmin(array) => {
                let size = self.arg(array).sizes[0].clone();
                checks.push(Check::Greatest { rows: Vec::new(), size });
                None
            }
            ArrayOp::Scatter { indices, mask: None, .. } => {
                self.points_of_sum(indices).map(Early::Any)
            }
            // Checked where they run.
            ArrayOp::Gather { .. } | ArrayOp::Scatter { .. } => None,
            ArrayOp::Reshape { .. } | ArrayOp::Sized { .. } => None,
            _ => {
                assert!(!op.is_partial(), "compiler bug: nothing checks whether {op:?} fails");
                None
            }
        }
    }

    /// A scalar that is there already.
    pub(super) fn ready(&mut self, atom: &ir::Atom) -> Option<Atom> {
        let view = self.arg(atom);
        match view.source {
            Source::Same(it) if view.sizes.is_empty() => Some(it),
            Source::Same(_) | Source::Memory(_) | Source::Iota | Source::Item(..) => None,
        }
    }
}
