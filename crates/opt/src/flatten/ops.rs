//! What becomes of each operation, in the order of `op.rs`.

use std::iter::Peekable;

use ir::walk::{self, Rewrite};
use ir::{
    ArrayOp, Atom, ControlOp, Dependence, DeriveOp, FunctionOp, Op, Prim, Size, Stmt, Type, Var,
};

use super::derive::matrix;
use super::{Flatten, Layout};
use crate::refusal::{Reason, Refusal};

/// An operation that moves elements, on one leaf of the operands that it moves them from.
struct Leaf<'b, 'a, 'p> {
    flatten: &'b Flatten<'a, 'p>,
    /// Those that are still to come.
    operands: Peekable<std::slice::Iter<'b, &'b Atom>>,
    at: usize,
}

impl Rewrite for Leaf<'_, '_, '_> {
    fn atom(&mut self, atom: &Atom) -> Atom {
        match self.operands.next_if(|it| **it == atom) {
            Some(_) => self.flatten.atoms(atom)[self.at].clone(),
            None => self.flatten.atom(atom),
        }
    }

    fn size(&mut self, size: &Size) -> Size {
        self.flatten.size(size)
    }
}

impl Flatten<'_, '_> {
    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
        let outer = self.builder.set_span(None);
        self.builder.set_span(span.or(outer));
        self.op(stmt)?;
        self.builder.set_span(outer);
        Ok(())
    }

    fn op(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        match &stmt.op {
            Op::Copy(value) => {
                let value = self.atoms(value);
                self.each(stmt, |at| Op::Copy(value[at].clone()))
            }

            Op::Tuple { parts, .. } if parts.is_empty() => self.leaf_op(stmt),
            Op::Tuple { parts, .. } => {
                let leaves = self.all_atoms(parts);
                self.alias(&stmt.binders[0], leaves);
                Ok(())
            }
            Op::Proj { tuple, index } => {
                let leaves = self.part(tuple, *index);
                self.alias(&stmt.binders[0], leaves);
                Ok(())
            }

            Op::Con { ty, con, args } => {
                let ty = ty.substitute_sizes(&|var| self.size_of(var));
                let (ty, con) = self.datas.constructor(&ty, con)?;
                let args = self.all_atoms(args);
                self.bind(stmt, Op::Con { ty, con, args })
            }
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(stmt, value, arms, otherwise.as_ref())
            }

            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                let sizes = sizes.iter().map(|it| self.size(it)).collect();
                let args = self.all_atoms(args);
                self.bind(
                    stmt,
                    Op::Function(FunctionOp::Call {
                        def: def.clone(),
                        types: Vec::new(),
                        sizes,
                        args,
                    }),
                )
            }

            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                let cond = self.atom(cond);
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                self.bind(stmt, Op::Control(ControlOp::If { cond, then, otherwise }))
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                self.build(stmt, sizes, indices, body)
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                let (inits, arrays, step) = self.loop_(inits, arrays, step)?;
                self.bind(stmt, Op::Control(ControlOp::Fold { inits, arrays, step }))
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                let (inits, arrays, step) = self.loop_(inits, arrays, step)?;
                self.bind(stmt, Op::Control(ControlOp::Scan { inits, arrays, step }))
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                let (count, inits) = (self.atom(count), self.all_atoms(inits));
                let index = self.index(*index);
                let state = self.binders(state)?;
                let body = self.block(body)?;
                self.bind(
                    stmt,
                    Op::Control(ControlOp::Iterate { count, index, inits, state, body }),
                )
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let inits = self.all_atoms(inits);
                let state = self.binders(state)?;
                let (cond, body) = (self.block(cond)?, self.block(body)?);
                self.bind(stmt, Op::Control(ControlOp::While { inits, state, cond, body }))
            }

            Op::Array(op) => self.array(stmt, op),
            Op::Prim(..) | Op::Size(_) => self.leaf_op(stmt),

            Op::Equal(left, right) => self.compare(stmt, left, right, Op::Equal),
            Op::Close(left, right) => self.compare(stmt, left, right, Op::Close),

            // Part by part, by their numbers if there are several.
            Op::Derive(DeriveOp::Tell { saying, every, text, value }) => {
                let leaves = self.atoms(value);
                let [every, text] = [every, text].map(|it| self.atoms(it).remove(0));
                self.each(stmt, |at| {
                    let mut text = text.clone();
                    if let Atom::Str(it) = &text
                        && leaves.len() > 1
                    {
                        text = Atom::Str(format!("{it}.{at}").into());
                    }
                    let (every, value) = (every.clone(), leaves[at].clone());
                    Op::Derive(DeriveOp::Tell { saying: *saying, every, text, value })
                })
            }
            Op::Derive(DeriveOp::Checkpoint { every, value }) => {
                let every = self.atoms(every).remove(0);
                self.each_leaf(stmt, value, |value| {
                    Op::Derive(DeriveOp::Checkpoint { every: every.clone(), value })
                })
            }
            Op::Derive(DeriveOp::StopGradient(value)) => {
                self.each_leaf(stmt, value, |it| Op::Derive(DeriveOp::StopGradient(it)))
            }

            Op::Function(_) => {
                self.refuse(Reason::StoredFunction, stmt.binders.first().map(|it| it.var))
            }
            Op::Derive(DeriveOp::OfFunction { operator, .. }) => {
                let at = stmt.binders.first().map(|it| it.var);
                self.refuse(Reason::Derivative(*operator), at)
            }
            Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) => {
                let sizes = sizes.iter().map(|it| self.size(it)).collect();
                let n_captured = captured.len();
                let (captured, args) = (self.all_atoms(captured), self.all_atoms(args));
                let flat = Op::Derive(DeriveOp::OfDefinition {
                    operator: *operator,
                    def: def.clone(),
                    sizes,
                    captured,
                    args,
                });
                match matrix(*operator) {
                    Some(matrix) => self.matrix(stmt, matrix, def, n_captured, flat),
                    None => self.bind(stmt, flat),
                }
            }
            Op::Derive(_) | Op::Delta(_) => {
                self.refuse(Reason::Delta, stmt.binders.first().map(|it| it.var))
            }
        }
    }

    /// What moves elements moves those of each leaf; all other operations are on values without tuples.
    fn array(&mut self, stmt: &Stmt, op: &ArrayOp) -> Result<(), Refusal> {
        let mut elems = Vec::new();
        if let ArrayOp::Literal { elem, .. } = op {
            elems = self.leaf_types(elem)?;
        }
        let operands = match op.dependence() {
            Dependence::Moves(operands) => operands,
            Dependence::Filters { array, predicate } => {
                return self.filter(stmt, array, predicate);
            }
            Dependence::Discrete(_)
            | Dependence::Adds(_)
            | Dependence::Product { .. }
            | Dependence::Extremum { .. }
            | Dependence::Sorts(_) => return self.leaf_op(stmt),
        };
        let leaf = |at: usize| {
            let mut leaf = Leaf { flatten: self, operands: operands.iter().peekable(), at };
            let mut op = walk::rewrite_op(&stmt.op, &mut leaf);
            assert!(
                leaf.operands.peek().is_none(),
                "compiler bug: operands in another order: {op}"
            );
            if let (Op::Array(ArrayOp::Literal { elem, .. }), Some(of)) = (&mut op, elems.get(at)) {
                *elem = of.clone();
            }
            op
        };
        let width = operands.first().map_or(elems.len(), |it| self.atoms(it).len());
        let leaves: Vec<Op> = (0..width).map(leaf).collect();
        self.each(stmt, |at| leaves[at].clone())
    }

    /// An operation on values without tuples in them.
    fn leaf_op(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        struct Renamed<'b, 'a, 'p>(&'b Flatten<'a, 'p>);
        impl Rewrite for Renamed<'_, '_, '_> {
            fn atom(&mut self, atom: &Atom) -> Atom {
                self.0.atom(atom)
            }
            fn size(&mut self, size: &Size) -> Size {
                self.0.size(size)
            }
        }
        let op = walk::rewrite_op(&stmt.op, &mut Renamed(self));
        self.bind(stmt, op)
    }

    /// The same operation on each leaf.
    fn each_leaf(
        &mut self,
        stmt: &Stmt,
        value: &Atom,
        op: impl Fn(Atom) -> Op,
    ) -> Result<(), Refusal> {
        let leaves = self.atoms(value);
        self.each(stmt, |at| op(leaves[at].clone()))
    }

    /// The leaves of a part of a tuple, or of an array of tuples.
    fn part(&self, tuple: &Atom, index: usize) -> Vec<Atom> {
        let leaves = self.atoms(tuple);
        let Layout::Tuple { parts, .. } = Layout::of(&self.type_of(tuple)) else {
            return leaves;
        };
        let from: usize = parts[..index].iter().map(Layout::width).sum();
        leaves[from..from + parts[index].width()].to_vec()
    }

    /// Values are equal if their leaves are.
    fn compare(
        &mut self,
        stmt: &Stmt,
        left: &Atom,
        right: &Atom,
        op: fn(Atom, Atom) -> Op,
    ) -> Result<(), Refusal> {
        let mut pairs: Vec<(Atom, Atom)> =
            self.atoms(left).into_iter().zip(self.atoms(right)).collect();
        let (left, right) = pairs.pop().expect("every type has a leaf");
        if pairs.is_empty() {
            return self.bind(stmt, op(left, right));
        }
        let mut all = self.one(op(left, right))?;
        let (left, right) = pairs.remove(0);
        for (left, right) in pairs {
            let same = self.one(op(left, right))?;
            all = self.one(Op::Prim(Prim::And, vec![all, same]))?;
        }
        let same = self.one(op(left, right))?;
        self.bind(stmt, Op::Prim(Prim::And, vec![all, same]))
    }

    pub(super) fn index(&mut self, var: Var) -> Var {
        self.builder.declare(var, Type::Int);
        self.types.insert(var, Type::Int);
        self.leaves.insert(var, vec![Atom::Var(var)]);
        var
    }
}
