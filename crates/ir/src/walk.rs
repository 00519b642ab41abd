//! Going through programs: every variable of an operation in one place, once to look at it
//! (`walk/visit.rs`) and once to make another program of it (`Rewrite`), and on top of these, in
//! `walk/vars.rs`, free variables, renaming and substitution of atoms.
//!
//! Variables that types and sizes mention count like operands.

mod blocks;
mod vars;
mod visit;

use std::sync::Arc;

use crate::op::{ArrayOp, ControlOp, DeltaOp, DeriveOp, FunctionOp, Op, Term};
use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Stmt, Var};
use crate::types::Type;

pub use blocks::map_blocks;
pub use vars::{
    bound_vars, free_vars, free_vars_block, free_vars_op, next_var, next_var_lambda, rename_block,
    rename_lambda, substitute_block,
};
pub use visit::{
    Visit, visit_binders, visit_block, visit_lambda, visit_op, visit_stmt, visit_type,
};

/// What to do with the variables of a program: those that are bound, and those that occur in
/// atoms, sizes and types. Each has the identity as its default.
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

/// The type with every size in it rewritten.
pub fn rewrite_type(ty: &Type, by: &mut dyn Rewrite) -> Type {
    let sizes = ty.sizes().into_iter().map(|it| by.size(it)).collect();
    let parts = ty.parts().into_iter().map(|it| rewrite_type(it, by)).collect();
    ty.with(sizes, parts)
}

fn rewrite_binders(binders: &[Binder], by: &mut dyn Rewrite) -> Vec<Binder> {
    // The variable first: the type of a later binder may mention it.
    let rewrite = |it: &Binder| {
        let var = by.binder(it.var);
        Binder { var, ty: rewrite_type(&it.ty, by) }
    };
    binders.iter().map(rewrite).collect()
}

fn rewrite_atoms(atoms: &[Atom], by: &mut dyn Rewrite) -> Vec<Atom> {
    atoms.iter().map(|it| by.atom(it)).collect()
}

fn rewrite_sizes(sizes: &[Size], by: &mut dyn Rewrite) -> Vec<Size> {
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
            let ty = rewrite_type(ty, by);
            Op::Con { ty, con: con.clone(), args: rewrite_atoms(args, by) }
        }
        Op::Control(ControlOp::Match { value, arms, otherwise }) => {
            let value = by.atom(value);
            let arms = arms.iter().map(|it| rewrite_arm(it, by)).collect();
            Op::Control(ControlOp::Match {
                value,
                arms,
                otherwise: otherwise.as_ref().map(|it| rewrite_block(it, by)),
            })
        }

        Op::Function(FunctionOp::Lambda(lambda)) => {
            Op::Function(FunctionOp::Lambda(Arc::new(rewrite_lambda(lambda, by))))
        }
        Op::Function(FunctionOp::Apply(function, args)) => {
            let function = by.atom(function);
            Op::Function(FunctionOp::Apply(function, rewrite_atoms(args, by)))
        }
        Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
            Op::Function(FunctionOp::Call {
                def: def.clone(),
                types: types.iter().map(|it| rewrite_type(it, by)).collect(),
                sizes: rewrite_sizes(sizes, by),
                args: rewrite_atoms(args, by),
            })
        }

        Op::Control(ControlOp::If { cond, then, otherwise }) => Op::Control(ControlOp::If {
            cond: by.atom(cond),
            then: rewrite_block(then, by),
            otherwise: rewrite_block(otherwise, by),
        }),
        Op::Control(ControlOp::Build { sizes, indices, body }) => Op::Control(ControlOp::Build {
            sizes: rewrite_sizes(sizes, by),
            indices: indices.iter().map(|it| by.binder(*it)).collect(),
            body: rewrite_block(body, by),
        }),
        Op::Control(ControlOp::Fold { inits, arrays, step }) => Op::Control(ControlOp::Fold {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        }),
        Op::Control(ControlOp::Scan { inits, arrays, step }) => Op::Control(ControlOp::Scan {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        }),
        Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
            Op::Control(ControlOp::Iterate {
                count: by.atom(count),
                inits: rewrite_atoms(inits, by),
                index: by.binder(*index),
                state: rewrite_binders(state, by),
                body: rewrite_block(body, by),
            })
        }
        Op::Control(ControlOp::While { inits, state, cond, body }) => {
            Op::Control(ControlOp::While {
                inits: rewrite_atoms(inits, by),
                state: rewrite_binders(state, by),
                cond: rewrite_block(cond, by),
                body: rewrite_block(body, by),
            })
        }

        Op::Array(ArrayOp::Literal { elem, parts }) => Op::Array(ArrayOp::Literal {
            elem: rewrite_type(elem, by),
            parts: rewrite_atoms(parts, by),
        }),
        Op::Array(ArrayOp::Index { array, indices }) => {
            Op::Array(ArrayOp::Index { array: by.atom(array), indices: rewrite_atoms(indices, by) })
        }
        Op::Array(ArrayOp::Slice { array, axis, from, to }) => Op::Array(ArrayOp::Slice {
            array: by.atom(array),
            axis: *axis,
            from: by.size(from),
            to: by.size(to),
        }),
        Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
            Op::Array(ArrayOp::Reduce { reduction: *reduction, axis: *axis, array: by.atom(array) })
        }
        Op::Array(ArrayOp::Argmax(array)) => Op::Array(ArrayOp::Argmax(by.atom(array))),
        Op::Array(ArrayOp::Argmin(array)) => Op::Array(ArrayOp::Argmin(by.atom(array))),
        Op::Array(ArrayOp::Gather { array, indices, mask }) => {
            let array = by.atom(array);
            let indices = rewrite_atoms(indices, by);
            Op::Array(ArrayOp::Gather { array, indices, mask: mask.as_ref().map(|it| by.atom(it)) })
        }
        Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
            Op::Array(ArrayOp::Scatter {
                into: by.atom(into),
                indices: rewrite_atoms(indices, by),
                values: by.atom(values),
                mask: mask.as_ref().map(|it| by.atom(it)),
            })
        }
        Op::Array(ArrayOp::Replicate { size, value }) => {
            Op::Array(ArrayOp::Replicate { size: by.size(size), value: by.atom(value) })
        }
        Op::Array(ArrayOp::Iota(size)) => Op::Array(ArrayOp::Iota(by.size(size))),
        Op::Array(ArrayOp::Transpose { array, permutation }) => Op::Array(ArrayOp::Transpose {
            array: by.atom(array),
            permutation: permutation.clone(),
        }),
        Op::Array(ArrayOp::Reshape { array, rank, sizes }) => Op::Array(ArrayOp::Reshape {
            array: by.atom(array),
            rank: *rank,
            sizes: rewrite_sizes(sizes, by),
        }),
        Op::Array(ArrayOp::Reverse(array)) => Op::Array(ArrayOp::Reverse(by.atom(array))),
        Op::Array(ArrayOp::Concat(arrays)) => Op::Array(ArrayOp::Concat(rewrite_atoms(arrays, by))),
        Op::Array(ArrayOp::Sort(array)) => Op::Array(ArrayOp::Sort(by.atom(array))),
        Op::Array(ArrayOp::Argsort(array)) => Op::Array(ArrayOp::Argsort(by.atom(array))),
        Op::Array(ArrayOp::Filter { array, predicate }) => {
            let array = by.atom(array);
            Op::Array(ArrayOp::Filter { array, predicate: Arc::new(rewrite_lambda(predicate, by)) })
        }
        Op::Array(ArrayOp::Sized { array, size }) => {
            Op::Array(ArrayOp::Sized { array: by.atom(array), size: by.size(size) })
        }

        Op::Equal(left, right) => Op::Equal(by.atom(left), by.atom(right)),
        Op::Close(left, right) => Op::Close(by.atom(left), by.atom(right)),

        Op::Derive(DeriveOp::StopGradient(value)) => {
            Op::Derive(DeriveOp::StopGradient(by.atom(value)))
        }
        Op::Derive(DeriveOp::Lift { level, value }) => {
            Op::Derive(DeriveOp::Lift { level: *level, value: by.atom(value) })
        }
        Op::Derive(DeriveOp::Primal { level, value }) => {
            Op::Derive(DeriveOp::Primal { level: *level, value: by.atom(value) })
        }
        Op::Derive(DeriveOp::Tangent { level, value }) => {
            Op::Derive(DeriveOp::Tangent { level: *level, value: by.atom(value) })
        }
        Op::Derive(DeriveOp::Pair { level, value, tangent }) => Op::Derive(DeriveOp::Pair {
            level: *level,
            value: by.atom(value),
            tangent: by.atom(tangent),
        }),
        Op::Derive(DeriveOp::OfFunction { operator, level, function, args }) => {
            Op::Derive(DeriveOp::OfFunction {
                operator: *operator,
                level: *level,
                function: by.atom(function),
                args: rewrite_atoms(args, by),
            })
        }
        Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) => {
            Op::Derive(DeriveOp::OfDefinition {
                operator: *operator,
                def: def.clone(),
                sizes: rewrite_sizes(sizes, by),
                captured: rewrite_atoms(captured, by),
                args: rewrite_atoms(args, by),
            })
        }

        Op::Delta(DeltaOp::Combine(terms)) => {
            Op::Delta(DeltaOp::Combine(terms.iter().map(|it| rewrite_term(it, by)).collect()))
        }
        Op::Delta(DeltaOp::Zeros(value)) => Op::Delta(DeltaOp::Zeros(by.atom(value))),
        Op::Delta(DeltaOp::Strip(value)) => Op::Delta(DeltaOp::Strip(by.atom(value))),
        Op::Delta(DeltaOp::Pullback { value, inputs, function }) => Op::Delta(DeltaOp::Pullback {
            value: by.atom(value),
            inputs: rewrite_atoms(inputs, by),
            function: by.atom(function),
        }),
    }
}

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

/// The types written directly in an operation.
pub fn types(op: &Op) -> Vec<&Type> {
    struct Types<'a>(Vec<&'a Type>);
    impl<'a> Visit<'a> for Types<'a> {
        fn ty(&mut self, ty: &'a Type) {
            self.0.push(ty);
        }
        fn block(&mut self, _: &'a Block) {}
    }
    let mut found = Types(Vec::new());
    visit_op(op, &mut found);
    found.0
}
