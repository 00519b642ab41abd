//! Other blocks inside of an operation.

use std::sync::Arc;

use crate::term::{Arm, Binder, Block, Lambda, Loop, Op};
use crate::walk::blocks;

/// The operation with the blocks directly inside of it replaced, in the order of [`blocks`]; each is
/// given with what it binds in front of it.
pub fn map_blocks(op: &Op, by: &mut dyn FnMut(&[Binder], &Block) -> Block) -> Op {
    let mut made: Vec<Block> = blocks(op).iter().map(|(bound, it)| by(bound, it)).collect();
    made.reverse();
    let mut next = || made.pop().expect("as many blocks as there were");
    let mut op = op.clone();
    match &mut op {
        Op::Match { arms, otherwise, .. } => {
            arms.iter_mut().for_each(|it: &mut Arm| it.body = next());
            otherwise.iter_mut().for_each(|it| *it = next());
        }
        Op::Lambda(lambda) | Op::Filter { predicate: lambda, .. } => {
            let Lambda { params, .. } = &**lambda;
            *lambda = Arc::new(Lambda { params: params.clone(), body: next() });
        }
        Op::If { then, otherwise, .. } => {
            *then = next();
            *otherwise = next();
        }
        Op::Build { body, .. } | Op::Iterate { body, .. } => *body = next(),
        Op::Fold { step: Loop { body, .. }, .. } | Op::Scan { step: Loop { body, .. }, .. } => {
            *body = next();
        }
        Op::While { cond, body, .. } => {
            *cond = next();
            *body = next();
        }
        Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => {}
        Op::Con { .. } | Op::Apply(..) | Op::Call { .. } | Op::Array { .. } => {}
        Op::Index { .. } | Op::Slice { .. } | Op::Reduce { .. } => {}
        Op::Argmax(_) | Op::Argmin(_) | Op::Gather { .. } | Op::Scatter { .. } => {}
        Op::Replicate { .. } | Op::Iota(_) | Op::Transpose { .. } | Op::Reshape { .. } => {}
        Op::Reverse(_) | Op::Concat(_) | Op::Sort(_) | Op::Argsort(_) | Op::Sized { .. } => {}
        Op::Equal(..) | Op::Close(..) | Op::StopGradient(_) => {}
        Op::Lift { .. } | Op::Primal { .. } | Op::Derive { .. } | Op::Derivative { .. } => {}
        Op::Tangent { .. } | Op::Pair { .. } | Op::Pullback { .. } => {}
        Op::Combine(_) | Op::Zeros(_) | Op::Strip(_) => {}
    }
    op
}
