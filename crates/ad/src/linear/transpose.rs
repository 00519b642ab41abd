//! Evaluates a Delta term backwards, as a program: from the cotangents of its results to those of its
//! inputs.
//!
//! Every statement of the term is transposed, the last one first. The cotangent of a Delta is a
//! variable, so what the paper calls `share` is a variable here from the beginning, and Figure 20,
//! which turns `share` into `let`, has nothing to do. Contributions to a Delta are added up as
//! they come: what an index or a slice contributes is scattered into the sum so far, in place.
//!
//! Paper: Figures 17 and 19, one arm per constructor; branches, loops and calls in `transpose/control.rs`.
//! Requires: a Delta term, as a method makes it.
//! Ensures: dialect FirstOrder.
//! Cost: each statement of the term becomes at most a few that cost as much, and every sum of cotangents
//! as much as the values it is made of.

mod control;
mod sums;

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    ArrayOp, Atom, Binder, Block, DeltaOp, FunctionOp, Op, Prim, Reduction, Size, Stmt, Term, Type,
    Var,
};

use super::code::{Code, is_real, real, var_of};

/// The work on one Delta term.
pub(crate) struct Transpose<'c> {
    pub(crate) code: &'c mut Code,
    /// The sum of the contributions to each Delta so far; none is zero.
    cotangents: BTreeMap<Var, Atom>,
    /// Which variables are Deltas.
    linear: &'c BTreeSet<Var>,
}

impl<'c> Transpose<'c> {
    pub(crate) fn new(code: &'c mut Code, linear: &'c BTreeSet<Var>) -> Transpose<'c> {
        Transpose { code, cotangents: BTreeMap::new(), linear }
    }

    /// A Delta that is bound in front of the term, and the sum of what was contributed to it before.
    pub(crate) fn input(&mut self, delta: &Binder, sum: Option<Atom>) {
        self.code.declare(std::slice::from_ref(delta));
        self.cotangents.extend(sum.map(|it| (delta.var, it)));
    }

    pub(crate) fn take(&mut self, delta: Var) -> Option<Atom> {
        self.cotangents.remove(&delta)
    }

    pub(crate) fn take_or_zeros(&mut self, delta: Var) -> Atom {
        match self.take(delta) {
            Some(sum) => sum,
            None => {
                let ty = self.code.type_of(&Atom::Var(delta));
                self.code.zeros(&ty)
            }
        }
    }

    fn is_linear(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.linear.contains(&it))
    }

    /// Adds to the cotangent of a Delta; what is no Delta is a constant zero.
    fn contribute(&mut self, to: &Atom, value: Atom) {
        if !self.is_linear(to) {
            return;
        }
        let ty = self.code.type_of(to);
        let value = self.code.fit(value, &ty);
        let var = var_of(to).expect("a Delta is a variable");
        let sum = match self.take(var) {
            None => value,
            Some(sum) => self.code.add(sum, value),
        };
        self.cotangents.insert(var, sum);
    }

    /// Changes the cotangent of a Delta, which is an array, in place.
    fn update(&mut self, to: &Atom, change: impl FnOnce(&mut Code, Atom) -> Atom) {
        if !self.is_linear(to) {
            return;
        }
        let var = var_of(to).expect("a Delta is a variable");
        let sum = self.take_or_zeros(var);
        let sum = change(self.code, sum);
        self.cotangents.insert(var, sum);
    }

    /// Values first, then the statements that define Deltas, backwards.
    pub(crate) fn block(&mut self, block: &Block, cotangents: Vec<Option<Atom>>) {
        let defines = |it: &Stmt, linear: &BTreeSet<Var>| {
            it.binders.iter().any(|binder| linear.contains(&binder.var))
        };
        for stmt in &block.stmts {
            self.code.declare(&stmt.binders);
            if !defines(stmt, self.linear) {
                self.code.builder.push(stmt.clone());
            }
        }
        for (result, cotangent) in block.results.iter().zip(cotangents) {
            if let Some(cotangent) = cotangent {
                self.contribute(result, cotangent);
            }
        }
        for stmt in block.stmts.iter().rev() {
            if defines(stmt, self.linear) {
                self.stmt(stmt);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let cotangents: Vec<Option<Atom>> =
            stmt.binders.iter().map(|it| self.take(it.var)).collect();
        if cotangents.iter().all(Option::is_none) {
            return;
        }
        let c = || cotangents[0].clone().expect("of one result, checked above");
        match &stmt.op {
            Op::Delta(DeltaOp::Combine(terms)) => self.combine(terms, &c()),
            Op::Prim(Prim::Select, args) => self.select(args, &c()),
            Op::Copy(delta) => self.contribute(delta, c()),
            Op::Array(op) => self.array(stmt, op, c()),
            Op::Con { ty, con, args } => self.con(ty, con, args, c()),
            Op::Control(op) => self.control(stmt, op, cotangents),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args, cotangents);
            }
            Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => not_linear(stmt),
            Op::Function(_) | Op::Equal(..) | Op::Close(..) => not_linear(stmt),
            Op::Derive(_) | Op::Delta(_) => not_linear(stmt),
        }
    }

    fn array(&mut self, stmt: &Stmt, op: &ArrayOp, c: Atom) {
        match op {
            ArrayOp::Index { array, indices } => self.scatter(array, indices, None, c),
            ArrayOp::Reduce { axis, array, .. } => self.sum(*axis, array, c),
            ArrayOp::Gather { array, indices, mask } => {
                self.scatter(array, indices, mask.as_ref(), c);
            }
            ArrayOp::Scatter { into, indices, values, mask } => {
                let (array, indices, mask) = (c.clone(), indices.clone(), mask.clone());
                if self.is_linear(values) {
                    let gather = self.code.one(Op::Array(ArrayOp::Gather { array, indices, mask }));
                    self.contribute(values, gather);
                }
                self.contribute(into, c);
            }
            ArrayOp::Literal { parts, .. } => {
                for (at, part) in parts.iter().enumerate() {
                    if self.is_linear(part) {
                        let (array, indices) = (c.clone(), vec![Atom::Int(at as i64)]);
                        let element = self.code.one(Op::Array(ArrayOp::Index { array, indices }));
                        self.contribute(part, element);
                    }
                }
            }
            ArrayOp::Replicate { value, .. } => {
                let sum = self.sum_of_rows(c);
                self.contribute(value, sum);
            }
            ArrayOp::Transpose { array, permutation } => {
                let mut inverse = vec![0; permutation.len()];
                permutation.iter().enumerate().for_each(|(at, axis)| inverse[*axis] = at);
                let op = Op::Array(ArrayOp::Transpose { array: c, permutation: inverse });
                let value = self.code.one(op);
                self.contribute(array, value);
            }
            ArrayOp::Reshape { array, rank, sizes } => {
                let value = self.reshaped(array, *rank, sizes, c);
                self.contribute(array, value);
            }
            ArrayOp::Slice { array, axis, from, to } => self.slice(array, *axis, (from, to), c),
            ArrayOp::Reverse(array) => {
                let value = self.code.one(Op::Array(ArrayOp::Reverse(c)));
                self.contribute(array, value);
            }
            ArrayOp::Concat(arrays) => self.concat(arrays, &c),
            ArrayOp::Sized { array, .. } => self.contribute(array, c),
            ArrayOp::Argmax(_) | ArrayOp::Argmin(_) | ArrayOp::Iota(_) => not_linear(stmt),
            ArrayOp::Sort(_) | ArrayOp::Argsort(_) | ArrayOp::Filter { .. } => not_linear(stmt),
        }
    }

    /// The cotangent of a reshaped array under the sizes that it had.
    fn reshaped(&mut self, array: &Atom, rank: usize, sizes: &[Size], c: Atom) -> Atom {
        if sizes.is_empty() {
            return self.code.spread(c, &vec![Size::constant(1); rank]);
        }
        let mut before = self.code.sizes_of(array);
        before.truncate(rank);
        let op = ArrayOp::Reshape { array: c, rank: sizes.len(), sizes: before };
        self.code.one(Op::Array(op))
    }

    /// `eval c (Add d1 d2)`, `eval c (Scale arr d)`
    fn combine(&mut self, terms: &[Term], c: &Atom) {
        for term in terms {
            let value = if is_real(&term.factor, 1.0) {
                c.clone()
            } else if is_real(&term.factor, -1.0) {
                self.code.prim(Prim::Neg, vec![c.clone()])
            } else {
                self.code.prim(Prim::Scale, vec![term.factor.clone(), c.clone()])
            };
            self.contribute(&term.delta, value);
        }
    }

    /// Each side gets what it was selected for, and zero elsewhere.
    fn select(&mut self, args: &[Atom], c: &Atom) {
        for at in [1, 2] {
            if !self.is_linear(&args[at]) {
                continue;
            }
            let mut parts = vec![args[0].clone(), real(0.0), real(0.0)];
            parts[at] = c.clone();
            let value = self.code.prim(Prim::Select, parts);
            let scalar = self.code.sizes_of(&args[at]).is_empty();
            let value = if scalar { self.code.total(value) } else { value };
            self.contribute(&args[at], value);
        }
    }

    /// `eval c (SumOuter d)`: every element gets all of it.
    fn sum(&mut self, axis: usize, array: &Atom, c: Atom) {
        let size = self.code.sizes_of(array).remove(axis);
        let value = self.code.one(Op::Array(ArrayOp::Replicate { size, value: c }));
        let value = self.code.axis_back(axis, value);
        self.contribute(array, value);
    }

    fn sum_of_rows(&mut self, array: Atom) -> Atom {
        let ty = self.code.type_of(&array);
        if let Type::Data(..) = ty.split_arrays().1 {
            return self.code.fold_rows(array);
        }
        self.code.one(Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array }))
    }

    /// `eval c (Gather d f)`, and `eval c (Index d i)` with one-hot arrays that are never made.
    fn scatter(&mut self, array: &Atom, indices: &[Atom], mask: Option<&Atom>, c: Atom) {
        if !self.is_linear(array) {
            return;
        }
        let ty = self.code.type_of(array);
        if let Type::Data(..) = ty.split_arrays().1 {
            return self.update(array, |code, sum| code.scatter_sums(sum, indices, c));
        }
        let (indices, mask) = (indices.to_vec(), mask.cloned());
        self.update(array, |code, into| {
            code.one(Op::Array(ArrayOp::Scatter { into, indices, values: c, mask }))
        });
    }

    fn slice(&mut self, array: &Atom, axis: usize, (from, to): (&Size, &Size), c: Atom) {
        if !self.is_linear(array) {
            return;
        }
        let size = to.sub(from);
        let c = self.code.axis_first(axis, c);
        let at = self.code.one(Op::Array(ArrayOp::Iota(size)));
        let from = self.code.int(from);
        let at = self.code.prim(Prim::Add, vec![at, from]);
        let of_data = matches!(self.code.type_of(array).split_arrays().1, Type::Data(..));
        self.update(array, |code, sum| {
            let into = code.axis_first(axis, sum);
            let sum = match of_data {
                true => code.scatter_sums(into, &[at], c),
                false => {
                    let (indices, values) = (vec![at], c);
                    code.one(Op::Array(ArrayOp::Scatter { into, indices, values, mask: None }))
                }
            };
            code.axis_back(axis, sum)
        });
    }

    fn concat(&mut self, arrays: &[Atom], c: &Atom) {
        let mut from = Size::constant(0);
        for array in arrays {
            let to = from.add(&self.code.sizes_of(array)[0]);
            if self.is_linear(array) {
                let op = Op::Array(ArrayOp::Slice {
                    array: c.clone(),
                    axis: 0,
                    from: from.clone(),
                    to: to.clone(),
                });
                let value = self.code.one(op);
                self.contribute(array, value);
            }
            from = to;
        }
    }
}

fn not_linear(stmt: &Stmt) {
    panic!("compiler bug: not linear: {}", stmt.op)
}
