//! Other blocks inside of an operation.

use std::sync::Arc;

use crate::op::{ArrayOp, ControlOp, FunctionOp, Op};
use crate::term::{Arm, Binder, Block, Lambda, Loop};
use crate::walk::blocks;

/// The operation with the blocks directly inside of it replaced, in the order of [`blocks`]; each is
/// given with what it binds in front of it.
pub fn map_blocks(op: &Op, by: &mut dyn FnMut(&[Binder], &Block) -> Block) -> Op {
    let mut made: Vec<Block> = blocks(op).iter().map(|(bound, it)| by(bound, it)).collect();
    made.reverse();
    let mut next = || made.pop().expect("as many blocks as there were");
    let mut op = op.clone();
    match &mut op {
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            arms.iter_mut().for_each(|it: &mut Arm| it.body = next());
            otherwise.iter_mut().for_each(|it| *it = next());
        }
        Op::Function(FunctionOp::Lambda(lambda))
        | Op::Array(ArrayOp::Filter { predicate: lambda, .. }) => {
            let Lambda { params, .. } = &**lambda;
            *lambda = Arc::new(Lambda { params: params.clone(), body: next() });
        }
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            *then = next();
            *otherwise = next();
        }
        Op::Control(ControlOp::Build { body, .. } | ControlOp::Iterate { body, .. }) => {
            *body = next()
        }
        Op::Control(
            ControlOp::Fold { step: Loop { body, .. }, .. }
            | ControlOp::Scan { step: Loop { body, .. }, .. },
        ) => {
            *body = next();
        }
        Op::Control(ControlOp::While { cond, body, .. }) => {
            *cond = next();
            *body = next();
        }
        Op::Copy(_)
        | Op::Prim(..)
        | Op::Size(_)
        | Op::Tuple { .. }
        | Op::Proj { .. }
        | Op::Con { .. }
        | Op::Equal(..)
        | Op::Close(..)
        | Op::Array(_)
        | Op::Function(_)
        | Op::Derive(_)
        | Op::Delta(_) => {}
    }
    op
}
