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
mod parts;
mod sums;

use std::collections::{BTreeMap, BTreeSet};

use base::Saying;
use ir::{Atom, Binder, Block, DeltaOp, DeriveOp, FunctionOp, Op, Prim, Stmt, Term, Var};

use super::arrays::{Cotangents, transposed};
use super::code::{Code, is_real, real, var_of};
use parts::Parts;

/// The work on one Delta term.
pub(crate) struct Transpose<'c> {
    pub(crate) code: &'c mut Code,
    /// The sum of the contributions to each Delta so far; none is zero.
    cotangents: BTreeMap<Var, Atom>,
    /// Which variables are Deltas.
    linear: &'c BTreeSet<Var>,
    /// Where the tangents of sum types are taken apart, and whose sums are apart now (`parts.rs`).
    parts: Parts,
}

impl<'c> Transpose<'c> {
    pub(crate) fn new(code: &'c mut Code, linear: &'c BTreeSet<Var>) -> Transpose<'c> {
        Transpose { code, cotangents: BTreeMap::new(), linear, parts: Parts::default() }
    }

    /// A Delta that is bound in front of the term, and the sum of what was contributed to it before.
    pub(crate) fn input(&mut self, delta: &Binder, sum: Option<Atom>) {
        self.code.declare(std::slice::from_ref(delta));
        self.cotangents.extend(sum.map(|it| (delta.var, it)));
    }

    pub(crate) fn take(&mut self, delta: Var) -> Option<Atom> {
        self.settle(delta);
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
            self.register(stmt);
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
        if let Some(delta) = self.parts.whole_of(stmt.binders[0].var) {
            return self.pack(delta);
        }
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
            Op::Array(op) => {
                if transposed(self, op, c()).is_none() {
                    not_linear(stmt);
                }
            }
            Op::Con { ty, con, args } => self.con(ty, con, args, c()),
            Op::Control(op) => self.control(stmt, op, cotangents),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args, cotangents);
            }
            Op::Prim(..) | Op::Size(_) | Op::Tuple { .. } | Op::Proj { .. } => not_linear(stmt),
            Op::Function(_) | Op::Equal(..) | Op::Close(..) => not_linear(stmt),
            Op::Derive(DeriveOp::Tell { text, value, .. }) => {
                let told = self.code.traced(Saying::Cotangent, text, c());
                self.contribute(value, told);
            }
            Op::Derive(_) | Op::Delta(_) => not_linear(stmt),
        }
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
            if !self.is_active(&args[at]) {
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
}

impl Cotangents for Transpose<'_> {
    fn code(&mut self) -> &mut Code {
        self.code
    }

    fn is_active(&self, operand: &Atom) -> bool {
        var_of(operand).is_some_and(|it| self.linear.contains(&it))
    }

    /// Adds to the cotangent of a Delta; what is no Delta is a constant zero.
    fn contribute(&mut self, to: &Atom, value: Atom) {
        if !self.is_active(to) {
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
        if !self.is_active(to) {
            return;
        }
        let var = var_of(to).expect("a Delta is a variable");
        let sum = self.take_or_zeros(var);
        let sum = change(self.code, sum);
        self.cotangents.insert(var, sum);
    }
}

fn not_linear(stmt: &Stmt) {
    panic!("compiler bug: not linear: {}", stmt.op)
}
