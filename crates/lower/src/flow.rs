//! Control flow, calls, sum types, and operations that are functions of whole arrays.

mod branch;
mod build;
mod call;
mod collect;
mod equal;
mod filter;
mod memory;
mod scan;
mod state;
mod steps;
mod tell;
mod whole;

use ir::{ArrayOp, ControlOp, DeriveOp, FunctionOp, Op, Stmt};
use loops::{Atom, Kernel, Var};

pub(crate) use equal::Tolerance;
pub(crate) use memory::whole_body;

use crate::context::{Known, Lower, Operand};

/// Memory that is meant for what a statement gives.
pub(crate) struct Meant {
    /// For each result.
    pub(crate) results: Vec<Option<Var>>,
    /// An array that is put together of several, and where its parts begin.
    pub(crate) parts: Option<(Var, Vec<Var>)>,
}

impl<'a> Lower<'a, '_> {
    /// A statement that is no loop nest. Its operands are there; it defines its binders.
    pub(crate) fn flow(&mut self, stmt: &'a Stmt, meant: Meant) {
        match &stmt.op {
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                self.branch(stmt, meant.results, cond, [then, otherwise])
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.switch(stmt, value, arms, otherwise.as_ref());
            }
            Op::Con { ty, con, args } => self.con(stmt, ty, con, args),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, &meant.results, def, (sizes, args))
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                self.fold(stmt, &meant.results, inits, (arrays, step))
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                self.scan(stmt, inits, arrays, step)
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                self.iterate(stmt, &meant.results, (count, *index), (inits, state), body);
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                self.while_op(stmt, (inits, state), cond, body);
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                self.build(stmt, sizes, indices, body)
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => self.filter(stmt, array, predicate),
            Op::Array(ArrayOp::Literal { parts, .. }) => self.array_literal(stmt, parts),
            Op::Array(ArrayOp::Concat(arrays)) => self.concat(stmt, meant.parts, arrays),
            Op::Array(ArrayOp::Sort(array)) => {
                self.sorting(stmt, array, |from, into, len| Kernel::Sort { from, into, len });
            }
            Op::Array(ArrayOp::Argsort(array)) => {
                self.sorting(stmt, array, |from, into, len| Kernel::Argsort { from, into, len });
            }
            Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
                self.reshape(stmt, array, *rank, sizes)
            }
            Op::Array(ArrayOp::Sized { array, size }) => self.sized(stmt, array, size),
            Op::Equal(left, right) => self.whole_equal(stmt, left, right, Tolerance::Exact),
            Op::Close(left, right) => self.whole_equal(stmt, left, right, Tolerance::Close),
            // There are no tuples but `()`.
            Op::Tuple { .. } => self.define_first(stmt, Operand::Scalar(Atom::Int(0))),
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            // Which of these are nests, `items/statement.rs` says.
            | Op::Array(_)
            | Op::Derive(DeriveOp::StopGradient(_) | DeriveOp::Checkpoint { .. }) => nest(&stmt.op),
            Op::Derive(DeriveOp::Pair { beside, level: 0, value, tangent }) => {
                self.pair(stmt, *beside, value, tangent)
            }
            Op::Derive(DeriveOp::Tell { saying, every, text, value }) => {
                self.tell(stmt, *saying, [every, text], value);
            }
            // What is no real is zero in it, but whoever asks for it looks at the reals only.
            Op::Derive(DeriveOp::Tangent { level: 0, value }) => {
                let tangent = self.operand(value);
                self.define_first(stmt, tangent);
            }
            Op::Proj { .. }
            | Op::Function(FunctionOp::Lambda(_) | FunctionOp::Apply(..))
            | Op::Derive(
                DeriveOp::Lift { .. }
                | DeriveOp::Primal { .. }
                | DeriveOp::Tangent { .. }
                | DeriveOp::Pair { .. }
                | DeriveOp::OfFunction { .. }
                | DeriveOp::OfDefinition { .. },
            )
            | Op::Delta(_) => refused(&stmt.op),
        }
    }
}

impl Known<'_, '_> {
    /// The first binder of a statement has become this.
    fn define_first(&mut self, stmt: &Stmt, operand: Operand) {
        if let Some(binder) = stmt.binders.first() {
            self.define(binder, operand);
        }
    }
}

fn nest(op: &Op) -> ! {
    panic!("compiler bug: {op:?} is a loop nest, not control flow")
}

fn refused(op: &Op) -> ! {
    panic!("compiler bug: {op:?} is no operation of first order without tuples and derivatives")
}
