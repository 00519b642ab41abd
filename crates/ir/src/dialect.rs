//! Named subsets of the language: which operations and types may occur when. Predicates, not types.

use std::collections::BTreeSet;

use crate::op::{ArrayOp, ControlOp, DeltaOp, DeriveOp, FunctionOp, Op};
use crate::term::{Block, Def, Var};
use crate::types::Type;
use crate::walk;

/// A subset of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Everything the language has, derivative operators included.
    Source,
    /// What reverse mode makes of `Source`: Deltas besides.
    Delta,
    /// No type parameters, and derivative operators are of definitions; functions may still be values.
    Monomorphic,
    /// No functions as values and no type parameters; a `filter` keeps its predicate. Derivative
    /// operators are of definitions.
    FirstOrder,
    /// As `FirstOrder`, without derivative operators, and no `build` that could be an operation on
    /// whole arrays. Theorem 5.1 of the paper on dual arrays says of its normal forms that (1) `build`
    /// does not occur, and (2) every `index` has an index and is of a variable, a constant, an array
    /// literal or a scatter. Here every operand is a variable, which leaves the first half of (2);
    /// and (1) holds of builds in which there is nothing but what the paper has: see [`is_bulk_build`].
    Bulk,
}

impl Dialect {
    /// Whether the operation may occur; the blocks inside of it are another question.
    pub fn allows_op(self, op: &Op) -> bool {
        match self {
            Dialect::Delta => true,
            Dialect::Source => {
                !is_delta(op) && !matches!(op, Op::Derive(DeriveOp::OfDefinition { .. }))
            }
            Dialect::Monomorphic => {
                !is_delta(op) && !matches!(op, Op::Derive(DeriveOp::OfFunction { .. }))
            }
            Dialect::FirstOrder => {
                !matches!(op, Op::Function(FunctionOp::Lambda(_) | FunctionOp::Apply(..)))
                    && Dialect::Monomorphic.allows_op(op)
            }
            Dialect::Bulk => {
                let derivative = matches!(op, Op::Derive(DeriveOp::OfDefinition { .. }));
                let no_index =
                    matches!(op, Op::Array(ArrayOp::Index { indices, .. }) if indices.is_empty());
                let normal = !derivative && !no_index && !is_bulk_build(op);
                normal && Dialect::FirstOrder.allows_op(op)
            }
        }
    }

    /// Whether the type may occur.
    pub fn allows_type(self, ty: &Type) -> bool {
        match self {
            Dialect::Delta => true,
            Dialect::Source => !ty.has_delta(),
            Dialect::Monomorphic => {
                !matches!(ty, Type::Var(_) | Type::Delta | Type::Tape(_))
                    && ty.parts().into_iter().all(|it| self.allows_type(it))
            }
            Dialect::FirstOrder | Dialect::Bulk => {
                !matches!(ty, Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_))
                    && ty.parts().into_iter().all(|it| self.allows_type(it))
            }
        }
    }

    /// Whether the definition may have the parameters it has; its body is another question.
    pub fn allows_def(self, def: &Def) -> bool {
        match self {
            Dialect::Source | Dialect::Delta => true,
            Dialect::Monomorphic | Dialect::FirstOrder | Dialect::Bulk => {
                def.type_params.is_empty()
            }
        }
    }
}

/// Whether it is a `build` that the bulk-operation transformation takes away whatever stands around
/// it: it consists of the operations of the paper, on numbers, and no size in it depends on an
/// index. Control flow, calls, sorting, sum types and errors that are not about single elements may
/// be reasons to keep it.
pub fn is_bulk_build(op: &Op) -> bool {
    let Op::Control(ControlOp::Build { indices, body, .. }) = op else { return false };
    let mut local = walk::bound_vars(body);
    local.extend(indices);
    is_bulk_block(body, &local)
}

fn is_bulk_block(block: &Block, local: &BTreeSet<Var>) -> bool {
    let number = |ty: &Type| matches!(ty.split_arrays().1, Type::Real | Type::Int | Type::Bool);
    let regular = |ty: &Type| ty.size_vars().iter().all(|it| !local.contains(it));
    block.stmts.iter().all(|stmt| {
        stmt.binders.iter().all(|it| number(&it.ty) && regular(&it.ty))
            && is_bulk_op(&stmt.op, local)
    })
}

fn is_bulk_op(op: &Op, local: &BTreeSet<Var>) -> bool {
    match op {
        Op::Copy(_) | Op::Prim(..) | Op::Size(_) => true,
        Op::Array(op) => op.is_bulk(),
        Op::Derive(DeriveOp::StopGradient(_) | DeriveOp::Checkpoint { .. }) => true,
        Op::Control(ControlOp::Build { body, .. }) => is_bulk_block(body, local),
        Op::Tuple { .. }
        | Op::Proj { .. }
        | Op::Con { .. }
        | Op::Equal(..)
        | Op::Close(..)
        | Op::Control(_)
        | Op::Function(_)
        | Op::Derive(_)
        | Op::Delta(_) => false,
    }
}

fn is_delta(op: &Op) -> bool {
    matches!(
        op,
        Op::Delta(
            DeltaOp::Combine(_) | DeltaOp::Zeros(_) | DeltaOp::Strip(_) | DeltaOp::Pullback { .. }
        )
    )
}
