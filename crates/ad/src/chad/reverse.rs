//! Reverse mode: the value of every term, and its pull-back.
//!
//! Paper: Vákár and Smeding, Section 7.5, one arm per row; the rows of arrays and loops are those of
//! Section 10, of sum types those of Section 11.2. In A-normal form every operand is a variable or a
//! constant, and the pull-back of a variable is a coprojection, so D of a statement is what it
//! contributes to the sums of its operands.
//! Departures: sums are accumulated and not returned (Section 7.6 leaves the cost open); the cotangent
//! of a discrete type is absent.
//!
//! Example. `x2 = mul x0 x1` keeps its value, and its pull-back at `v` is
//! ```text
//! x0' += scale x1 v        x1' += scale x0 v
//! ```

mod arrays;
mod branches;
pub(super) mod call;
pub(super) mod derived;
mod environment;
mod fields;
mod loops;
mod prim;
mod reduce;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Saying;
use ir::{
    Atom, Block, ControlOp, Def, DeriveOp, FunctionOp, Op, Prim, Spans, Stmt, Type, Unfinished,
    Var, walk,
};

use super::Slot;
use crate::bulk::work::Work;
use crate::linear::code::var_of;
use crate::linear::domain::Domain;
use fields::Fields;

/// A linear function `D2[τ] ⊸ D2[Γ]` of the compiler: it finds the cotangent of what its statement binds
/// among the sums, and adds to those of the operands. It is applied once.
type Pull = Box<dyn FnOnce(&mut Reverse<'_>)>;

/// The work on one definition.
pub(super) struct Reverse<'w> {
    work: &'w mut Work,
    /// The definition that waits while this one is made.
    outer: Unfinished,
    def: Arc<Def>,
    /// The variables that depend on an active input.
    active: BTreeSet<Var>,
    /// The cotangent of the environment so far; what is absent is zero.
    sums: BTreeMap<Slot, Atom>,
    /// Which variables are fields of others, and whose sums are apart now (`fields.rs`).
    fields: Fields,
    /// Of a variable that a loop binds for its pull-back, through how many loops what it has was handed up
    /// one by one (`steps.rs`).
    came_through: BTreeMap<Var, usize>,
}

/// D of a block: its values, and its pull-backs in order.
struct Part {
    values: Block,
    pulls: Vec<Pull>,
}

impl<'w> Reverse<'w> {
    /// The beginning of a definition whose parameters of the mask are active.
    fn new(work: &'w mut Work, def: &Arc<Def>, mask: &[bool]) -> Reverse<'w> {
        let outer = work.code.builder.begin(def.next_var);
        let (active, sums) = (BTreeSet::new(), BTreeMap::new());
        let (fields, came_through) = (Fields::default(), BTreeMap::new());
        let owned = def.clone();
        let mut res = Reverse { work, outer, def: owned, active, sums, fields, came_through };
        def.size_params.iter().for_each(|it| res.work.code.builder.declare(*it, Type::Int));
        res.work.code.declare(&def.params);
        res.work.code.declare(&def.results);
        res.work.code.declare_block(&def.body);
        for (param, _) in def.params.iter().zip(mask).filter(|it| *it.1) {
            res.activate(param);
        }
        res
    }
}

impl Reverse<'_> {
    /// The end of the definition: the first variable that it does not use, and where they come from.
    fn end(self) -> (u32, Spans) {
        let (next_var, mut spans) = self.work.code.builder.end(self.outer);
        for (var, span) in &self.def.spans.0 {
            spans.0.entry(*var).or_insert(*span);
        }
        (next_var, spans)
    }

    /// D[let x = t in s]: values in order; the pull-backs will be run from the last to the first.
    fn part(&mut self, block: &Block) -> Part {
        self.work.code.builder.open();
        let mut pulls = Vec::new();
        for stmt in &block.stmts {
            let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
            let outer = self.work.code.builder.set_span(span);
            pulls.extend(self.stmt(stmt));
            self.work.code.builder.set_span(outer);
        }
        Part { values: self.work.code.builder.close(block.results.clone()), pulls }
    }

    /// The value of a statement as it is.
    fn keep(&mut self, stmt: &Stmt) {
        self.work.code.builder.push(stmt.clone());
    }

    /// The figure: the value is emitted, the pull-back is what is returned.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Pull> {
        if walk::free_vars_op(&stmt.op).is_disjoint(&self.active) {
            self.keep(stmt);
            return None;
        }
        match &stmt.op {
            // x' += v
            Op::Copy(atom) | Op::Derive(DeriveOp::Checkpoint { value: atom, .. }) => {
                self.moved(stmt, atom, |_, v| v)
            }

            Op::Derive(DeriveOp::Tell { saying: Saying::Value, text, value, .. }) => {
                let text = text.clone();
                self.moved(stmt, value, move |code, v| code.traced(Saying::Cotangent, &text, v))
            }
            Op::Derive(DeriveOp::Tell { value, .. }) => self.moved(stmt, value, |_, v| v),

            // D[op(x1, ..)]' v = x1' += Dop^t ..
            Op::Prim(Prim::Select, args) if self.selects() => self.select(stmt, args),
            Op::Prim(prim, args) => self.prim(stmt, *prim, args),

            // D[(x1, x2)]' v = x1' += v.1, x2' += v.2
            Op::Tuple { parts, .. } => self.tuple(stmt, parts),
            // D[x.i]' v = x' += (0, .., v, .., 0)
            Op::Proj { tuple, index } => self.proj(stmt, tuple, *index),

            // D[K x]' v = x' += fields of v
            Op::Con { con, args, .. } => self.con(stmt, con, args),
            Op::Control(op) => self.control(stmt, op),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args)
            }
            Op::Array(op) => self.array_op(stmt, op),

            // A direction that was checked against a value: it is still the direction.
            Op::Derive(DeriveOp::Pair { tangent: x, .. } | DeriveOp::Tangent { value: x, .. }) => {
                self.moved(stmt, x, |_, v| v)
            }

            // What is discrete, and where derivatives are cut off: 0.
            Op::Size(_) | Op::Equal(..) | Op::Close(..) => self.constant(stmt),
            Op::Derive(DeriveOp::StopGradient(_)) => self.constant(stmt),

            Op::Function(FunctionOp::Lambda(_) | FunctionOp::Apply(..)) | Op::Delta(_) => {
                panic!("compiler bug: not of first order: {}", stmt.op)
            }
            Op::Derive(
                DeriveOp::Lift { .. }
                | DeriveOp::Primal { .. }
                | DeriveOp::OfFunction { .. }
                | DeriveOp::OfDefinition { .. },
            ) => panic!("compiler bug: an operator is left: {}", stmt.op),
        }
    }

    fn control(&mut self, stmt: &Stmt, op: &ControlOp) -> Option<Pull> {
        match op {
            ControlOp::Match { value, arms, otherwise } => {
                self.match_(stmt, value, arms, otherwise.as_ref())
            }
            ControlOp::If { cond, then, otherwise } => self.if_(stmt, cond, then, otherwise),
            ControlOp::Build { sizes, indices, body } => self.build(stmt, sizes, indices, body),
            ControlOp::Fold { inits, arrays, step } => {
                self.fold(&stmt.binders, inits, arrays, step)
            }
            ControlOp::Scan { inits, arrays, step } => self.scan(stmt, inits, arrays, step),
            ControlOp::Iterate { count, index, inits, state, body } => {
                self.iterate(stmt, (count, *index), (inits, state), body)
            }
            ControlOp::While { inits, state, cond, body } => {
                self.while_(stmt, (inits, state), cond, body)
            }
        }
    }

    /// Whether cotangents are selected where values are; a set goes to both sides (`forward.rs`).
    fn selects(&self) -> bool {
        self.work.code.domain == Domain::Reals
    }

    fn constant(&mut self, stmt: &Stmt) -> Option<Pull> {
        self.keep(stmt);
        None
    }

    fn is_active(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.active.contains(&it))
    }
}
