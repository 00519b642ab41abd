//! The blocks inside of an operation, and others in their place.

use std::sync::Arc;

use crate::op::{ArrayOp, ControlOp, FunctionOp, Op};
use crate::term::{Arm, Binder, Block, Lambda, Loop, Var};
use crate::types::Type;

/// The blocks directly inside of an operation, each with what it binds in front of it. The state
/// of a `While` comes twice, once with each of its blocks.
pub fn blocks(op: &Op) -> Vec<(Vec<Binder>, &Block)> {
    let int = |var: &Var| Binder { var: *var, ty: Type::Int };
    match op {
        Op::Control(ControlOp::Match { arms, otherwise, .. }) => {
            let arms = arms.iter().map(|it| (it.fields.clone(), &it.body));
            arms.chain(otherwise.as_ref().map(|it| (Vec::new(), it))).collect()
        }
        Op::Function(FunctionOp::Lambda(lambda))
        | Op::Array(ArrayOp::Filter { predicate: lambda, .. }) => {
            vec![(lambda.params.clone(), &lambda.body)]
        }
        Op::Control(ControlOp::If { then, otherwise, .. }) => {
            vec![(Vec::new(), then), (Vec::new(), otherwise)]
        }
        Op::Control(ControlOp::Build { indices, body, .. }) => {
            vec![(indices.iter().map(int).collect(), body)]
        }
        Op::Control(ControlOp::Fold { step, .. } | ControlOp::Scan { step, .. }) => {
            vec![(step.state.iter().chain(&step.elems).cloned().collect(), &step.body)]
        }
        Op::Control(ControlOp::Iterate { index, state, body, .. }) => {
            vec![([int(index)].into_iter().chain(state.iter().cloned()).collect(), body)]
        }
        Op::Control(ControlOp::While { state, cond, body, .. }) => {
            vec![(state.clone(), cond), (state.clone(), body)]
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
        | Op::Delta(_) => Vec::new(),
    }
}

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
