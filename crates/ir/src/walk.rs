//! Going through programs: every variable of an operation in one place, once to look at it
//! (`walk/visit.rs`) and once to make another program of it (`Rewrite`), and on top of these, in
//! `walk/vars.rs`, free variables, renaming and substitution of atoms.
//!
//! Variables that types and sizes mention count like operands.

mod blocks;
mod vars;
mod visit;

use std::sync::Arc;

use crate::size::Size;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Op, Stmt, Term, Var};
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
        Op::Match { value, arms, otherwise } => {
            let value = by.atom(value);
            let arms = arms.iter().map(|it| rewrite_arm(it, by)).collect();
            Op::Match { value, arms, otherwise: otherwise.as_ref().map(|it| rewrite_block(it, by)) }
        }

        Op::Lambda(lambda) => Op::Lambda(Arc::new(rewrite_lambda(lambda, by))),
        Op::Apply(function, args) => {
            let function = by.atom(function);
            Op::Apply(function, rewrite_atoms(args, by))
        }
        Op::Call { def, types, sizes, args } => Op::Call {
            def: def.clone(),
            types: types.iter().map(|it| rewrite_type(it, by)).collect(),
            sizes: rewrite_sizes(sizes, by),
            args: rewrite_atoms(args, by),
        },

        Op::If { cond, then, otherwise } => Op::If {
            cond: by.atom(cond),
            then: rewrite_block(then, by),
            otherwise: rewrite_block(otherwise, by),
        },
        Op::Build { sizes, indices, body } => Op::Build {
            sizes: rewrite_sizes(sizes, by),
            indices: indices.iter().map(|it| by.binder(*it)).collect(),
            body: rewrite_block(body, by),
        },
        Op::Fold { inits, arrays, step } => Op::Fold {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        },
        Op::Scan { inits, arrays, step } => Op::Scan {
            inits: rewrite_atoms(inits, by),
            arrays: rewrite_atoms(arrays, by),
            step: rewrite_loop(step, by),
        },
        Op::Iterate { count, index, inits, state, body } => Op::Iterate {
            count: by.atom(count),
            inits: rewrite_atoms(inits, by),
            index: by.binder(*index),
            state: rewrite_binders(state, by),
            body: rewrite_block(body, by),
        },
        Op::While { inits, state, cond, body } => Op::While {
            inits: rewrite_atoms(inits, by),
            state: rewrite_binders(state, by),
            cond: rewrite_block(cond, by),
            body: rewrite_block(body, by),
        },

        Op::Array { elem, parts } => {
            Op::Array { elem: rewrite_type(elem, by), parts: rewrite_atoms(parts, by) }
        }
        Op::Index { array, indices } => {
            Op::Index { array: by.atom(array), indices: rewrite_atoms(indices, by) }
        }
        Op::Slice { array, axis, from, to } => {
            Op::Slice { array: by.atom(array), axis: *axis, from: by.size(from), to: by.size(to) }
        }
        Op::Reduce { reduction, axis, array } => {
            Op::Reduce { reduction: *reduction, axis: *axis, array: by.atom(array) }
        }
        Op::Argmax(array) => Op::Argmax(by.atom(array)),
        Op::Argmin(array) => Op::Argmin(by.atom(array)),
        Op::Gather { array, indices, mask } => {
            let array = by.atom(array);
            let indices = rewrite_atoms(indices, by);
            Op::Gather { array, indices, mask: mask.as_ref().map(|it| by.atom(it)) }
        }
        Op::Scatter { into, indices, values, mask } => Op::Scatter {
            into: by.atom(into),
            indices: rewrite_atoms(indices, by),
            values: by.atom(values),
            mask: mask.as_ref().map(|it| by.atom(it)),
        },
        Op::Replicate { size, value } => {
            Op::Replicate { size: by.size(size), value: by.atom(value) }
        }
        Op::Iota(size) => Op::Iota(by.size(size)),
        Op::Transpose { array, permutation } => {
            Op::Transpose { array: by.atom(array), permutation: permutation.clone() }
        }
        Op::Reshape { array, rank, sizes } => {
            Op::Reshape { array: by.atom(array), rank: *rank, sizes: rewrite_sizes(sizes, by) }
        }
        Op::Reverse(array) => Op::Reverse(by.atom(array)),
        Op::Concat(arrays) => Op::Concat(rewrite_atoms(arrays, by)),
        Op::Sort(array) => Op::Sort(by.atom(array)),
        Op::Argsort(array) => Op::Argsort(by.atom(array)),
        Op::Filter { array, predicate } => {
            let array = by.atom(array);
            Op::Filter { array, predicate: Arc::new(rewrite_lambda(predicate, by)) }
        }
        Op::Sized { array, size } => Op::Sized { array: by.atom(array), size: by.size(size) },

        Op::Equal(left, right) => Op::Equal(by.atom(left), by.atom(right)),
        Op::Close(left, right) => Op::Close(by.atom(left), by.atom(right)),

        Op::StopGradient(value) => Op::StopGradient(by.atom(value)),
        Op::Lift { level, value } => Op::Lift { level: *level, value: by.atom(value) },
        Op::Primal { level, value } => Op::Primal { level: *level, value: by.atom(value) },
        Op::Tangent { level, value } => Op::Tangent { level: *level, value: by.atom(value) },
        Op::Pair { level, value, tangent } => {
            Op::Pair { level: *level, value: by.atom(value), tangent: by.atom(tangent) }
        }
        Op::Derive { operator, level, function, args } => Op::Derive {
            operator: *operator,
            level: *level,
            function: by.atom(function),
            args: rewrite_atoms(args, by),
        },
        Op::Derivative { operator, def, sizes, captured, args } => Op::Derivative {
            operator: *operator,
            def: def.clone(),
            sizes: rewrite_sizes(sizes, by),
            captured: rewrite_atoms(captured, by),
            args: rewrite_atoms(args, by),
        },

        Op::Combine(terms) => Op::Combine(terms.iter().map(|it| rewrite_term(it, by)).collect()),
        Op::Zeros(value) => Op::Zeros(by.atom(value)),
        Op::Strip(value) => Op::Strip(by.atom(value)),
        Op::Pullback { value, inputs, function } => Op::Pullback {
            value: by.atom(value),
            inputs: rewrite_atoms(inputs, by),
            function: by.atom(function),
        },
    }
}

/// The blocks directly inside of an operation, each with what it binds in front of it. The state
/// of a `While` comes twice, once with each of its blocks.
pub fn blocks(op: &Op) -> Vec<(Vec<Binder>, &Block)> {
    let int = |var: &Var| Binder { var: *var, ty: Type::Int };
    match op {
        Op::Match { arms, otherwise, .. } => {
            let arms = arms.iter().map(|it| (it.fields.clone(), &it.body));
            arms.chain(otherwise.as_ref().map(|it| (Vec::new(), it))).collect()
        }
        Op::Lambda(lambda) | Op::Filter { predicate: lambda, .. } => {
            vec![(lambda.params.clone(), &lambda.body)]
        }
        Op::If { then, otherwise, .. } => vec![(Vec::new(), then), (Vec::new(), otherwise)],
        Op::Build { indices, body, .. } => vec![(indices.iter().map(int).collect(), body)],
        Op::Fold { step, .. } | Op::Scan { step, .. } => {
            vec![(step.state.iter().chain(&step.elems).cloned().collect(), &step.body)]
        }
        Op::Iterate { index, state, body, .. } => {
            vec![([int(index)].into_iter().chain(state.iter().cloned()).collect(), body)]
        }
        Op::While { state, cond, body, .. } => vec![(state.clone(), cond), (state.clone(), body)],
        Op::Copy(_) | Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => Vec::new(),
        Op::Con { .. } | Op::Apply(..) | Op::Call { .. } | Op::Array { .. } => Vec::new(),
        Op::Index { .. } | Op::Slice { .. } | Op::Reduce { .. } => Vec::new(),
        Op::Argmax(_) | Op::Argmin(_) | Op::Gather { .. } | Op::Scatter { .. } => Vec::new(),
        Op::Replicate { .. } | Op::Iota(_) | Op::Transpose { .. } => Vec::new(),
        Op::Reshape { .. } | Op::Reverse(_) | Op::Concat(_) | Op::Sort(_) | Op::Argsort(_) => {
            Vec::new()
        }
        Op::Sized { .. } | Op::Equal(..) | Op::Close(..) | Op::StopGradient(_) => Vec::new(),
        Op::Lift { .. } | Op::Primal { .. } | Op::Derive { .. } => Vec::new(),
        Op::Derivative { .. } => Vec::new(),
        Op::Tangent { .. } | Op::Pair { .. } | Op::Pullback { .. } => Vec::new(),
        Op::Combine(_) | Op::Zeros(_) | Op::Strip(_) => Vec::new(),
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
