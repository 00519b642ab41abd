//! Looking at programs without making new ones: the borrowing twin of `Rewrite`.
//!
//! `visit_op` has one arm per constructor, in the order of `op.rs`; every other question about what an
//! operation consists of is a visitor.

use super::arrays::visit_array;
use crate::op::{ControlOp, DeltaOp, DeriveOp, FunctionOp, Op, Term};
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Stmt, Var};
use crate::types::Type;

/// What to look at. Binders come before what they scope over; nothing is looked at twice. A visitor that
/// wants an operation but not what is inside of its blocks says so by an empty `block`.
pub trait Visit<'a> {
    /// A variable where it is bound.
    fn binder(&mut self, _var: Var) {}

    /// An operand.
    fn atom(&mut self, _atom: &'a Atom) {}

    /// A size, also one inside of a type.
    fn size(&mut self, _size: &'a Size) {}

    /// A type that is written in an operation.
    fn ty(&mut self, ty: &'a Type) {
        visit_type(ty, self);
    }

    /// The type of a binder.
    fn binder_ty(&mut self, ty: &'a Type) {
        visit_type(ty, self);
    }

    /// A block inside of an operation.
    fn block(&mut self, block: &'a Block) {
        visit_block(block, self);
    }
}

/// The statements in order, then the results.
pub fn visit_block<'a, V: Visit<'a> + ?Sized>(block: &'a Block, by: &mut V) {
    block.stmts.iter().for_each(|it| visit_stmt(it, by));
    visit_atoms(&block.results, by);
}

/// The operation, then its binders.
pub fn visit_stmt<'a, V: Visit<'a> + ?Sized>(stmt: &'a Stmt, by: &mut V) {
    visit_op(&stmt.op, by);
    visit_binders(&stmt.binders, by);
}

/// The parameters, then the body.
pub fn visit_lambda<'a, V: Visit<'a> + ?Sized>(lambda: &'a Lambda, by: &mut V) {
    visit_binders(&lambda.params, by);
    by.block(&lambda.body);
}

/// The sizes of a type.
pub fn visit_type<'a, V: Visit<'a> + ?Sized>(ty: &'a Type, by: &mut V) {
    ty.sizes().into_iter().for_each(|it| by.size(it));
    ty.parts().into_iter().for_each(|it| visit_type(it, by));
}

/// Each variable before its type, since the type of a later binder may mention it.
pub fn visit_binders<'a, V: Visit<'a> + ?Sized>(binders: &'a [Binder], by: &mut V) {
    for it in binders {
        by.binder(it.var);
        by.binder_ty(&it.ty);
    }
}

pub(super) fn visit_atoms<'a, V: Visit<'a> + ?Sized>(atoms: &'a [Atom], by: &mut V) {
    atoms.iter().for_each(|it| by.atom(it));
}

pub(super) fn visit_sizes<'a, V: Visit<'a> + ?Sized>(sizes: &'a [Size], by: &mut V) {
    sizes.iter().for_each(|it| by.size(it));
}

fn visit_term<'a, V: Visit<'a> + ?Sized>(term: &'a Term, by: &mut V) {
    by.atom(&term.factor);
    by.atom(&term.delta);
}

fn visit_loop<'a, V: Visit<'a> + ?Sized>(step: &'a Loop, by: &mut V) {
    visit_binders(&step.state, by);
    visit_binders(&step.elems, by);
    by.block(&step.body);
}

fn visit_arm<'a, V: Visit<'a> + ?Sized>(arm: &'a Arm, by: &mut V) {
    visit_binders(&arm.fields, by);
    by.block(&arm.body);
}

/// Everything in an operation.
pub fn visit_op<'a, V: Visit<'a> + ?Sized>(op: &'a Op, by: &mut V) {
    match op {
        Op::Copy(atom) => by.atom(atom),
        Op::Prim(_, args) => visit_atoms(args, by),
        Op::Size(size) => by.size(size),

        Op::Tuple { rank: _, parts } => visit_atoms(parts, by),
        Op::Proj { tuple, index: _ } => by.atom(tuple),

        Op::Con { ty, con: _, args } => {
            by.ty(ty);
            visit_atoms(args, by);
        }
        Op::Control(op) => visit_control(op, by),
        Op::Function(op) => visit_function(op, by),
        Op::Array(op) => visit_array(op, by),

        Op::Equal(left, right) | Op::Close(left, right) => {
            by.atom(left);
            by.atom(right);
        }
        Op::Derive(op) => visit_derive(op, by),
        Op::Delta(op) => visit_delta(op, by),
    }
}

/// Choices and loops.
fn visit_control<'a, V: Visit<'a> + ?Sized>(op: &'a ControlOp, by: &mut V) {
    match op {
        ControlOp::Match { value, arms, otherwise } => {
            by.atom(value);
            arms.iter().for_each(|it| visit_arm(it, by));
            otherwise.iter().for_each(|it| by.block(it));
        }

        ControlOp::If { cond, then, otherwise } => {
            by.atom(cond);
            by.block(then);
            by.block(otherwise);
        }
        ControlOp::Build { sizes, indices, body } => {
            visit_sizes(sizes, by);
            indices.iter().for_each(|it| by.binder(*it));
            by.block(body);
        }
        ControlOp::Fold { inits, arrays, step } | ControlOp::Scan { inits, arrays, step } => {
            visit_atoms(inits, by);
            visit_atoms(arrays, by);
            visit_loop(step, by);
        }
        ControlOp::Iterate { count, index, inits, state, body } => {
            by.atom(count);
            visit_atoms(inits, by);
            by.binder(*index);
            visit_binders(state, by);
            by.block(body);
        }
        ControlOp::While { inits, state, cond, body } => {
            visit_atoms(inits, by);
            visit_binders(state, by);
            by.block(cond);
            by.block(body);
        }
    }
}

/// Functions and calls.
fn visit_function<'a, V: Visit<'a> + ?Sized>(op: &'a FunctionOp, by: &mut V) {
    match op {
        FunctionOp::Lambda(lambda) => visit_lambda(lambda, by),
        FunctionOp::Apply(function, args) => {
            by.atom(function);
            visit_atoms(args, by);
        }
        FunctionOp::Call { def: _, types, sizes, args } => {
            types.iter().for_each(|it| by.ty(it));
            visit_sizes(sizes, by);
            visit_atoms(args, by);
        }
    }
}

/// Derivative operators and dual numbers.
fn visit_derive<'a, V: Visit<'a> + ?Sized>(op: &'a DeriveOp, by: &mut V) {
    match op {
        DeriveOp::StopGradient(value) => by.atom(value),
        DeriveOp::Tell { saying: _, every, text, value } => {
            by.atom(every);
            by.atom(text);
            by.atom(value);
        }
        DeriveOp::Checkpoint { every, value } => {
            by.atom(every);
            by.atom(value);
        }
        DeriveOp::Lift { level: _, value } | DeriveOp::Primal { level: _, value } => by.atom(value),
        DeriveOp::Tangent { level: _, value } => by.atom(value),
        DeriveOp::Pair { beside: _, level: _, value, tangent } => {
            by.atom(value);
            by.atom(tangent);
        }
        DeriveOp::OfFunction { operator: _, level: _, function, args } => {
            by.atom(function);
            visit_atoms(args, by);
        }
        DeriveOp::OfDefinition { operator: _, def: _, sizes, captured, args } => {
            visit_sizes(sizes, by);
            visit_atoms(captured, by);
            visit_atoms(args, by);
        }
    }
}

/// Deltas.
fn visit_delta<'a, V: Visit<'a> + ?Sized>(op: &'a DeltaOp, by: &mut V) {
    match op {
        DeltaOp::Combine(terms) => terms.iter().for_each(|it| visit_term(it, by)),
        DeltaOp::Zeros(value) | DeltaOp::Strip(value) => by.atom(value),
        DeltaOp::Pullback { by: _, value, inputs, function } => {
            by.atom(value);
            visit_atoms(inputs, by);
            by.atom(function);
        }
    }
}
