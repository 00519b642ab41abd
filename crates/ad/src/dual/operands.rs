//! Operands as dual values, as primal parts, as tangents; primitives.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::partial::{is_zero, partials};
use ir::{ArrayOp, Atom, Block, FunctionOp, Lambda, Op, Partial, Prim, Stmt, Type, Var, walk};

use super::{Dual, Numbers};

impl<N: Numbers> Dual<'_, N> {
    pub(super) fn is_active(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => self.active.contains(var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => false,
        }
    }

    /// The operand as a dual value; D[r] = (r, 0).
    pub(super) fn dual(&mut self, atom: &Atom) -> Atom {
        let ty = self.builder.type_of(atom);
        if self.is_active(atom) || N::dual(&ty) == ty {
            return atom.clone();
        }
        self.builder.one(N::lift(atom.clone()))
    }

    pub(super) fn duals(&mut self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|it| self.dual(it)).collect()
    }

    /// The operand without its tangent.
    pub(super) fn primal(&mut self, atom: &Atom) -> Atom {
        if self.is_active(atom) { self.primal_of(atom) } else { atom.clone() }
    }

    /// A dual value without its tangents. Of tuples and arrays of tuples part by part, so that
    /// parts without reals are not looked at: they may be large.
    fn primal_of(&mut self, atom: &Atom) -> Atom {
        let ty = self.builder.type_of(atom);
        if is_discrete(&ty) {
            return atom.clone();
        }
        if is_real(&N::dual(&Type::Real), &ty) {
            return self.builder.one(Op::Proj { tuple: atom.clone(), index: 0 });
        }
        let (sizes, elem) = ty.split_arrays();
        let Type::Tuple(types) = elem else { return self.builder.one(N::primal(atom.clone())) };
        let mut part = |index| {
            let part = self.builder.one(Op::Proj { tuple: atom.clone(), index });
            self.primal_of(&part)
        };
        let parts = (0..types.len()).map(&mut part).collect();
        self.builder.one(Op::Tuple { rank: sizes.len(), parts })
    }

    /// The tangent of an active operand, which is a real or an array of reals.
    pub(super) fn tangent(&mut self, atom: &Atom) -> Atom {
        self.builder.one(Op::Proj { tuple: atom.clone(), index: 1 })
    }

    /// Puts primal parts and tangents of reals together.
    pub(super) fn bind_pair(&mut self, stmt: &Stmt, primal: Atom, tangent: Atom) {
        let rank = self.builder.type_of(&primal).split_arrays().0.len();
        self.bind(stmt, Op::Tuple { rank, parts: vec![primal, tangent] });
    }

    /// A block of which only the primal parts of the results count, as of a condition. Computed
    /// without tangents if what it takes from outside can be stripped of them.
    pub(super) fn primal_block(&mut self, block: &Block) -> Block {
        let free = walk::free_vars_block(block);
        let active: Vec<Var> = free.into_iter().filter(|it| self.active.contains(it)).collect();
        if !active.iter().all(|it| is_data(&self.builder.type_of(&Atom::Var(*it)))) {
            return self.block(block);
        }
        self.builder.open();
        let mut primals = BTreeMap::new();
        for var in active {
            primals.insert(var, self.primal(&Atom::Var(var)));
        }
        let block = walk::substitute_block(block, &primals);
        block.stmts.into_iter().for_each(|it| self.builder.push(it));
        self.builder.close(block.results)
    }

    /// A function that takes and gives no reals, of what it captures without tangents.
    pub(super) fn primal_lambda(&mut self, stmt: &Stmt, lambda: &Lambda) {
        let mut primals = BTreeMap::new();
        for var in walk::free_vars(lambda) {
            if self.active.contains(&var) {
                primals.insert(var, self.primal(&Atom::Var(var)));
            }
        }
        let body = walk::substitute_block(&lambda.body, &primals);
        let op = Op::Function(FunctionOp::Lambda(Arc::new(Lambda {
            params: lambda.params.clone(),
            body,
        })));
        self.builder.push(Stmt { binders: stmt.binders.clone(), op });
    }

    /// D[p(x, ...)] = (r, sum of partial * dx over the active operands) with r = p(x, ...)
    pub(super) fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        let active: Vec<bool> = args.iter().map(|it| self.is_active(it)).collect();
        let primals: Vec<Atom> = args.iter().map(|it| self.primal(it)).collect();
        let real = *stmt.binders[0].ty.split_arrays().1 == Type::Real;
        let depends = (0..args.len()).any(|at| active[at] && !is_zero(prim, at));
        if !real || !depends {
            return self.bind(stmt, Op::Prim(prim, primals));
        }
        let result = self.builder.one(Op::Prim(prim, primals.clone()));
        let partials = partials(&mut self.builder, prim, &primals, &result, &|at| active[at]);
        let mut terms = Vec::new();
        for (partial, arg) in partials.into_iter().zip(args) {
            if partial != Partial::Zero {
                terms.push((partial, self.tangent(arg)));
            }
        }
        let tangent = N::combine(&mut self.builder, terms);
        let tangent = self.broadcast(tangent, &result);
        self.bind_pair(stmt, result, tangent);
    }

    /// The tangent with the sizes of the result: a scalar operand is there for every element.
    fn broadcast(&mut self, tangent: Atom, result: &Atom) -> Atom {
        let ty = self.builder.type_of(result);
        if self.builder.type_of(&tangent).split_arrays().0 == ty.split_arrays().0 {
            return tangent;
        }
        self.replicate(&ty, tangent)
    }

    /// A scalar at every place of an array of type `ty`.
    pub(crate) fn replicate(&mut self, ty: &Type, scalar: Atom) -> Atom {
        let sizes = ty.split_arrays().0;
        let replicate =
            |value, size| self.builder.one(Op::Array(ArrayOp::Replicate { size, value }));
        sizes.into_iter().rev().fold(scalar, replicate)
    }
}

/// Whether a type is that of a dual real, or of an array of them.
fn is_real(dual: &Type, ty: &Type) -> bool {
    ty.split_arrays().1 == dual
}

/// Whether there is nothing in the type that a derivative changes.
fn is_discrete(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Bool | Type::String => true,
        Type::Tuple(_) | Type::Array(..) => ty.parts().into_iter().all(is_discrete),
        Type::Real | Type::Delta | Type::Var(_) | Type::Data(..) => false,
        Type::Function(..) | Type::Dual(_) | Type::Tape(_) => false,
    }
}

/// Whether values of the type are data through and through: no functions, visible or hidden in a
/// type variable or a sum type.
fn is_data(ty: &Type) -> bool {
    match ty {
        Type::Function(..) | Type::Var(_) | Type::Data(..) | Type::Dual(_) | Type::Tape(_) => false,
        Type::Delta => true,
        Type::Real | Type::Int | Type::Bool | Type::String => true,
        Type::Tuple(_) | Type::Array(..) => ty.parts().into_iter().all(is_data),
    }
}
