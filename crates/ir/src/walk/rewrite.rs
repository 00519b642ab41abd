//! Making other programs of programs: the variables of an operation, each in its place.
//!
//! `rewrite_op` has one arm per constructor, in the order of `op.rs`.

use std::sync::Arc;

use base::Name;

use super::arrays::rewrite_array;
use crate::op::{ControlOp, DeltaOp, DeriveOp, FunctionOp, Op, Term};
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Stmt, Var};
use crate::types::Type;

/// What to do with the names of a program: variables that are bound, those that occur in
/// atoms, sizes and types, and definitions. Each has the identity as its default.
pub trait Rewrite {
    /// A variable where it is bound.
    fn binder(&mut self, var: Var) -> Var {
        var
    }

    /// An operand.
    fn atom(&mut self, atom: &Atom) -> Atom {
        atom.clone()
    }

    /// A size, also one inside of a type.
    fn size(&mut self, size: &Size) -> Size {
        size.clone()
    }

    /// A type, with every size in it rewritten.
    fn ty(&mut self, ty: &Type) -> Type {
        let sizes = ty.sizes().into_iter().map(|it| self.size(it)).collect();
        let parts = ty.parts().into_iter().map(|it| self.ty(it)).collect();
        ty.with(sizes, parts)
    }

    /// A definition that is called or differentiated.
    fn definition(&mut self, def: &Name) -> Name {
        def.clone()
    }
}

/// The block with everything in it rewritten; binders before what they scope over.
pub fn rewrite_block(block: &Block, by: &mut dyn Rewrite) -> Block {
    let stmts = block.stmts.iter().map(|it| rewrite_stmt(it, by)).collect();
    Block { stmts, results: rewrite_atoms(&block.results, by) }
}

/// The statement with everything in it rewritten. The operation comes first, its binders after it.
pub fn rewrite_stmt(stmt: &Stmt, by: &mut dyn Rewrite) -> Stmt {
    let op = rewrite_op(&stmt.op, by);
    Stmt { binders: rewrite_binders(&stmt.binders, by), op }
}

/// The function with everything in it rewritten.
pub fn rewrite_lambda(lambda: &Lambda, by: &mut dyn Rewrite) -> Lambda {
    let params = rewrite_binders(&lambda.params, by);
    Lambda { params, body: rewrite_block(&lambda.body, by) }
}

fn rewrite_binders(binders: &[Binder], by: &mut dyn Rewrite) -> Vec<Binder> {
    // The variable first: the type of a later binder may mention it.
    let rewrite = |it: &Binder| {
        let var = by.binder(it.var);
        Binder { var, ty: by.ty(&it.ty) }
    };
    binders.iter().map(rewrite).collect()
}

pub(super) fn rewrite_atoms(atoms: &[Atom], by: &mut dyn Rewrite) -> Vec<Atom> {
    atoms.iter().map(|it| by.atom(it)).collect()
}

pub(super) fn rewrite_sizes(sizes: &[Size], by: &mut dyn Rewrite) -> Vec<Size> {
    sizes.iter().map(|it| by.size(it)).collect()
}

fn rewrite_term(term: &Term, by: &mut dyn Rewrite) -> Term {
    Term { factor: by.atom(&term.factor), delta: by.atom(&term.delta) }
}

fn rewrite_loop(step: &Loop, by: &mut dyn Rewrite) -> Loop {
    let state = rewrite_binders(&step.state, by);
    let elems = rewrite_binders(&step.elems, by);
    Loop { state, elems, body: rewrite_block(&step.body, by) }
}

fn rewrite_arm(arm: &Arm, by: &mut dyn Rewrite) -> Arm {
    let fields = rewrite_binders(&arm.fields, by);
    Arm { con: arm.con.clone(), fields, body: rewrite_block(&arm.body, by) }
}

/// The operation with everything in it rewritten: one arm per constructor, in the order of
/// `term.rs`.
pub fn rewrite_op(op: &Op, by: &mut dyn Rewrite) -> Op {
    match op {
        Op::Copy(atom) => Op::Copy(by.atom(atom)),
        Op::Prim(prim, args) => Op::Prim(*prim, rewrite_atoms(args, by)),
        Op::Size(size) => Op::Size(by.size(size)),

        Op::Tuple { rank, parts } => Op::Tuple { rank: *rank, parts: rewrite_atoms(parts, by) },
        Op::Proj { tuple, index } => Op::Proj { tuple: by.atom(tuple), index: *index },

        Op::Con { ty, con, args } => {
            let ty = by.ty(ty);
            Op::Con { ty, con: con.clone(), args: rewrite_atoms(args, by) }
        }
        Op::Control(op) => Op::Control(rewrite_control(op, by)),
        Op::Function(op) => Op::Function(rewrite_function(op, by)),
        Op::Array(op) => Op::Array(rewrite_array(op, by)),

        Op::Equal(left, right) => Op::Equal(by.atom(left), by.atom(right)),
        Op::Close(left, right) => Op::Close(by.atom(left), by.atom(right)),
        Op::Derive(op) => Op::Derive(rewrite_derive(op, by)),
        Op::Delta(op) => Op::Delta(rewrite_delta(op, by)),
    }
}

/// Choices and loops.
fn rewrite_control(op: &ControlOp, by: &mut dyn Rewrite) -> ControlOp {
    match op {
        ControlOp::Match { value, arms, otherwise } => {
            let value = by.atom(value);
            let arms = arms.iter().map(|it| rewrite_arm(it, by)).collect();
            ControlOp::Match {
                value,
                arms,
                otherwise: otherwise.as_ref().map(|it| rewrite_block(it, by)),
            }
        }

        ControlOp::If { cond, then, otherwise } => ControlOp::If {
            cond: by.atom(cond),
            then: rewrite_block(then, by),
            otherwise: rewrite_block(otherwise, by),
        },
        ControlOp::Build { sizes, indices, body } => ControlOp::Build {
            sizes: rewrite_sizes(sizes, by),
            indices: indices.iter().map(|it| by.binder(*it)).collect(),
            body: rewrite_block(body, by),
        },
        ControlOp::Fold { inits, arrays, step } => ControlOp::Fold {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        },
        ControlOp::Scan { inits, arrays, step } => ControlOp::Scan {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        },
        ControlOp::Iterate { count, index, inits, state, body } => ControlOp::Iterate {
            count: by.atom(count),
            inits: rewrite_atoms(inits, by),
            index: by.binder(*index),
            state: rewrite_binders(state, by),
            body: rewrite_block(body, by),
        },
        ControlOp::While { inits, state, cond, body } => ControlOp::While {
            inits: rewrite_atoms(inits, by),
            state: rewrite_binders(state, by),
            cond: rewrite_block(cond, by),
            body: rewrite_block(body, by),
        },
    }
}

/// Functions and calls.
fn rewrite_function(op: &FunctionOp, by: &mut dyn Rewrite) -> FunctionOp {
    match op {
        FunctionOp::Lambda(lambda) => FunctionOp::Lambda(Arc::new(rewrite_lambda(lambda, by))),
        FunctionOp::Apply(function, args) => {
            let function = by.atom(function);
            FunctionOp::Apply(function, rewrite_atoms(args, by))
        }
        FunctionOp::Call { def, types, sizes, args } => FunctionOp::Call {
            def: by.definition(def),
            types: types.iter().map(|it| by.ty(it)).collect(),
            sizes: rewrite_sizes(sizes, by),
            args: rewrite_atoms(args, by),
        },
    }
}

/// Derivative operators and dual numbers.
fn rewrite_derive(op: &DeriveOp, by: &mut dyn Rewrite) -> DeriveOp {
    match op {
        DeriveOp::StopGradient(value) => DeriveOp::StopGradient(by.atom(value)),
        DeriveOp::Tell { saying, every, text, value } => DeriveOp::Tell {
            saying: *saying,
            every: by.atom(every),
            text: by.atom(text),
            value: by.atom(value),
        },
        DeriveOp::Checkpoint { every, value } => {
            DeriveOp::Checkpoint { every: by.atom(every), value: by.atom(value) }
        }
        DeriveOp::Lift { level, value } => DeriveOp::Lift { level: *level, value: by.atom(value) },
        DeriveOp::Primal { level, value } => {
            DeriveOp::Primal { level: *level, value: by.atom(value) }
        }
        DeriveOp::Tangent { level, value } => {
            DeriveOp::Tangent { level: *level, value: by.atom(value) }
        }
        DeriveOp::Pair { beside, level, value, tangent } => DeriveOp::Pair {
            beside: *beside,
            level: *level,
            value: by.atom(value),
            tangent: by.atom(tangent),
        },
        DeriveOp::OfFunction { operator, level, function, args } => DeriveOp::OfFunction {
            operator: *operator,
            level: *level,
            function: by.atom(function),
            args: rewrite_atoms(args, by),
        },
        DeriveOp::OfDefinition { operator, def, sizes, captured, args } => DeriveOp::OfDefinition {
            operator: *operator,
            def: by.definition(def),
            sizes: rewrite_sizes(sizes, by),
            captured: rewrite_atoms(captured, by),
            args: rewrite_atoms(args, by),
        },
    }
}

/// Deltas.
fn rewrite_delta(op: &DeltaOp, by: &mut dyn Rewrite) -> DeltaOp {
    match op {
        DeltaOp::Combine(terms) => {
            DeltaOp::Combine(terms.iter().map(|it| rewrite_term(it, by)).collect())
        }
        DeltaOp::Zeros(value) => DeltaOp::Zeros(by.atom(value)),
        DeltaOp::Strip(value) => DeltaOp::Strip(by.atom(value)),
        DeltaOp::Pullback { by: way, value, inputs, function } => DeltaOp::Pullback {
            by: *way,
            value: by.atom(value),
            inputs: rewrite_atoms(inputs, by),
            function: by.atom(function),
        },
    }
}
