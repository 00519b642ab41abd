//! D\[-\]: the program with its Delta term, made side by side.
//!
//! The figure is here, once: one arm per constructor. What the Delta of a statement without blocks is, the
//! rules say (`Rules`; those of this method are in `dual/prim.rs` and `dual/arrays.rs`). Where the
//! Delta term goes, and what becomes of branches, loops and calls, the place says (`Place`): apart from
//! the program, which saves what it needs (`apart.rs`), or along with it (`along.rs`).
//!
//! Paper: Smeding, Konarski et al., Figures 12, 14 and 15; Sections 7.1 and 7.6 for taking apart. An
//! identifier of `Share` is a variable here. D'\[-\] of Figure 13 is the identity: index code is made
//! of statements without reals, which stay as they are.
//! Requires: dialect FirstOrder or Bulk without `Op::Derivative`, flat.
//! Ensures: the values are those of the input; the Delta term is linear in the Deltas.
//! Cost: every statement becomes at most a few; nothing is copied, nothing is unrolled.

mod arrays;
mod control;
mod prim;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use base::{Name, Saying, Span};
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ControlOp, Def, DeriveOp, FunctionOp, Loop, Op, Prim, Size,
    Spans, Stmt, Type, Unfinished, Var,
};

use super::work::Work;
use crate::linear::code::{Code, traced, var_of};
pub(crate) use arrays::Deltas;

/// What the Deltas of primitives and of operations on arrays are.
pub(crate) trait Rules {
    /// Adds the statement to the program and its Delta to the term.
    fn prim(&self, dual: &mut Dual<'_>, stmt: &Stmt, prim: Prim, args: &[Atom]);
    /// Adds an operation on arrays to the program and its Deltas to the term.
    fn array(&self, dual: &mut Dual<'_>, stmt: &Stmt, op: &ArrayOp);
}

/// Where the Delta term is; what becomes of statements that have blocks or call.
pub(crate) trait Place {
    /// Adds a statement to the Delta term.
    fn push(&self, dual: &mut Dual<'_>, stmt: Stmt);
    /// An arm of the match of an active value: `get` makes the Deltas of the smooth fields.
    fn arm(&self, dual: &mut Dual<'_>, arm: &Arm, smooth: &[Binder], get: Op) -> Part;
    /// Blocks of which one runs; the types are those of the Deltas of results that have one.
    fn branches(&self, dual: &mut Dual<'_>, stmt: &Stmt, branches: Branches<'_>);
    /// A call with some of its arguments active.
    fn call(&self, dual: &mut Dual<'_>, stmt: &Stmt, call: Called<'_>);
    /// A loop over all elements of an array that is made.
    fn build(&self, dual: &mut Dual<'_>, stmt: &Stmt, sizes: &[Size], at: &[Var], body: &Block);
    /// A loop over arrays.
    fn fold(&self, dual: &mut Dual<'_>, stmt: Bound<'_>, of: (&[Atom], &[Atom]), step: &Loop);
    /// A loop that ends by a condition.
    fn while_(&self, dual: &mut Dual<'_>, stmt: Bound<'_>, state: State<'_>, blocks: [&Block; 2]);
}

/// What a loop binds, and where it stands in the source.
pub(crate) type Bound<'a> = (&'a [Binder], Option<Span>);

/// Initial values and state of a loop.
pub(crate) type State<'a> = (&'a [Atom], &'a [Binder]);

/// The definition, which arguments are active, sizes and arguments.
pub(crate) type Called<'a> = (&'a Name, &'a [bool], &'a [Size], &'a [Atom]);

/// Blocks of which one runs.
pub(crate) struct Branches<'a> {
    /// The blocks, with the fields that they bind.
    pub(super) parts: Vec<(Part, Vec<Binder>)>,
    pub(super) types: Vec<Option<Type>>,
    /// The operation with other blocks, in the program and in the Delta term.
    pub(super) primal: &'a dyn Fn(Vec<Block>) -> Op,
    pub(super) again: &'a dyn Fn(Vec<Block>) -> Op,
}

/// The work on one definition.
pub(crate) struct Dual<'w> {
    pub(crate) work: &'w mut Work,
    place: &'static dyn Place,
    rules: Rc<dyn Rules>,
    pub(super) def: Arc<Def>,
    /// The definition that waits until this one is made.
    outer: Unfinished,
    /// The Delta of each variable that is active.
    pub(crate) deltas: BTreeMap<Var, Atom>,
    /// Every variable that is a Delta.
    pub(super) linear: BTreeSet<Var>,
    /// The Delta terms of the blocks that are open, if they are apart.
    pub(super) terms: Vec<Vec<Stmt>>,
    pub(super) places: BTreeMap<Var, usize>,
    pub(super) depth: usize,
}

/// A block and its Delta term, before it is known which Deltas the outside wants.
pub(crate) struct Part {
    pub(super) primal: Block,
    pub(super) term: Vec<Stmt>,
    pub(super) deltas: Vec<Option<Atom>>,
}

impl<'w> Dual<'w> {
    /// Begins a definition; gives the Deltas of the parameters that are active.
    pub(super) fn new(
        work: &'w mut Work,
        def: &Arc<Def>,
        mask: &[bool],
        place: &'static dyn Place,
        rules: Rc<dyn Rules>,
    ) -> (Dual<'w>, Vec<Option<Binder>>) {
        let outer = work.code.builder.begin(def.next_var);
        def.size_params.iter().for_each(|it| work.code.builder.declare(*it, Type::Int));
        work.code.declare(&def.params);
        work.code.declare(&def.results);
        work.code.declare_block(&def.body);
        let mut dual = Dual {
            work,
            place,
            rules,
            def: def.clone(),
            outer,
            deltas: BTreeMap::new(),
            linear: BTreeSet::new(),
            terms: Vec::new(),
            places: BTreeMap::new(),
            depth: 0,
        };
        let mut inputs = Vec::new();
        for (param, on) in def.params.iter().zip(mask) {
            let tangent = if *on { dual.work.code.tangent(&param.ty) } else { None };
            inputs.push(tangent.map(|ty| dual.input(param.var, ty)));
        }
        (dual, inputs)
    }

    /// Ends the definition: the number of the next fresh variable, and where variables come from.
    pub(super) fn end(self) -> (u32, Spans) {
        let (next_var, mut spans) = self.work.code.builder.end(self.outer);
        for (var, span) in &self.def.spans.0 {
            spans.0.entry(*var).or_insert(*span);
        }
        (next_var, spans)
    }
}

impl Dual<'_> {
    /// A Delta for a variable, bound in front of the term.
    pub(crate) fn input(&mut self, var: Var, ty: Type) -> Binder {
        let delta = self.work.code.fresh(ty);
        self.linear.insert(delta.var);
        self.deltas.insert(var, Atom::Var(delta.var));
        delta
    }

    pub(crate) fn delta(&self, atom: &Atom) -> Option<Atom> {
        self.deltas.get(&var_of(atom)?).cloned()
    }

    pub(crate) fn is_active(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.deltas.contains_key(&it))
    }

    /// The Delta of an operand, or zeros of its form.
    pub(crate) fn delta_or_zeros(&mut self, atom: &Atom) -> Atom {
        if let Some(delta) = self.delta(atom) {
            return delta;
        }
        let ty = self.work.code.type_of(atom);
        let tangent = self.work.code.tangent(&ty).expect("an operand with reals");
        self.term_zeros(&tangent)
    }

    /// Zeros, made in the Delta term; they are no Deltas themselves.
    pub(crate) fn term_zeros(&mut self, ty: &Type) -> Atom {
        self.in_term(|code| code.zeros(ty))
    }

    /// Adds what is emitted to the Delta term instead of the program.
    fn in_term<T>(&mut self, emit: impl FnOnce(&mut Code) -> T) -> T {
        self.work.code.builder.open();
        let res = emit(&mut self.work.code);
        let stmts = self.work.code.builder.close(Vec::new()).stmts;
        stmts.into_iter().for_each(|it| self.push_term(it));
        res
    }

    fn push_term(&mut self, stmt: Stmt) {
        self.place.push(self, stmt);
    }

    /// Adds a linear operation to the Delta term.
    pub(crate) fn linear(&mut self, op: Op) -> Vec<Atom> {
        let stmt = self.work.code.fresh_stmt(op);
        let results: Vec<Atom> = stmt.binders.iter().map(|it| Atom::Var(it.var)).collect();
        self.linear.extend(stmt.binders.iter().map(|it| it.var));
        self.work.code.declare(&stmt.binders);
        self.push_term(stmt);
        results
    }

    /// Adds a linear operation whose results have these types: what one of several blocks gives may have a
    /// type in it whose sizes only that block knows.
    pub(crate) fn linear_as(&mut self, op: Op, types: Vec<Type>) -> Vec<Atom> {
        let binders: Vec<Binder> = types.into_iter().map(|it| self.work.code.fresh(it)).collect();
        let results: Vec<Atom> = binders.iter().map(|it| Atom::Var(it.var)).collect();
        self.linear.extend(binders.iter().map(|it| it.var));
        self.push_term(Stmt { binders, op });
        results
    }

    /// Adds a statement to the Delta term that was made elsewhere.
    pub(crate) fn linear_stmt(&mut self, stmt: Stmt) {
        if !ir::walk::free_vars_op(&stmt.op).is_disjoint(&self.linear) {
            self.linear.extend(stmt.binders.iter().map(|it| it.var));
        }
        self.push_term(stmt);
    }

    /// Begins a block inside of the Delta term.
    pub(crate) fn open_term(&mut self) {
        self.terms.push(Vec::new());
        self.depth += 1;
    }

    /// Ends it.
    pub(crate) fn close_term(&mut self, results: Vec<Atom>) -> Block {
        self.depth -= 1;
        let stmts = self.terms.pop().expect("opened before");
        Block { stmts, results }
    }

    pub(crate) fn linear_one(&mut self, op: Op) -> Atom {
        self.linear(op).remove(0)
    }

    /// The Delta under the sizes of a type.
    pub(crate) fn fit(&mut self, delta: Atom, ty: &Type) -> Atom {
        let (sizes, _) = ty.split_arrays();
        if self.work.code.type_of(&delta) == *ty || sizes.is_empty() {
            return delta;
        }
        self.linear_one(Op::Array(ArrayOp::Reshape { array: delta, rank: sizes.len(), sizes }))
    }

    /// Says that a variable depends on the input in this way.
    pub(crate) fn set(&mut self, binder: &Binder, delta: Atom) {
        let Some(tangent) = self.work.code.tangent(&binder.ty) else { return };
        let delta = self.fit(delta, &tangent);
        self.deltas.insert(binder.var, delta);
    }

    /// A block inside of the program, and its Delta term.
    pub(super) fn part(&mut self, block: &Block) -> Part {
        self.work.code.builder.open();
        self.terms.push(Vec::new());
        self.depth += 1;
        for stmt in &block.stmts {
            let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
            let outer = self.work.code.builder.set_span(span);
            self.stmt(stmt, span);
            self.work.code.builder.set_span(outer);
        }
        self.depth -= 1;
        let deltas = block.results.iter().map(|it| self.delta(it)).collect();
        let primal = self.work.code.builder.close(block.results.clone());
        let term = self.terms.pop().expect("opened above");
        Part { primal, term, deltas }
    }

    pub(crate) fn refuse(&mut self, span: Option<Span>, reason: &str) {
        self.work.refuse(span, reason);
    }

    /// The statement without its Delta term.
    pub(crate) fn keep(&mut self, stmt: &Stmt) {
        self.work.code.builder.push(stmt.clone());
    }

    /// One arm per constructor, in the order of `op.rs`.
    fn stmt(&mut self, stmt: &Stmt, span: Option<Span>) {
        let active = ir::walk::free_vars_op(&stmt.op);
        if !active.iter().any(|it| self.deltas.contains_key(it)) {
            return self.keep(stmt);
        }
        let rules = self.rules.clone();
        match &stmt.op {
            Op::Copy(atom) | Op::Derive(DeriveOp::Checkpoint { value: atom, .. }) => {
                self.keep(stmt);
                if let Some(delta) = self.delta(atom) {
                    self.set(&stmt.binders[0], delta);
                }
            }
            Op::Derive(DeriveOp::Tell { saying, text, value, .. }) => {
                self.keep(stmt);
                if let Some(mut delta) = self.delta(value) {
                    if *saying == Saying::Value && self.work.code.is_traced(&delta) {
                        delta = self.linear_one(traced(Saying::Tangent, text, delta));
                    }
                    self.set(&stmt.binders[0], delta);
                }
            }
            Op::Prim(prim, args) => rules.prim(self, stmt, *prim, args),
            Op::Array(op) => rules.array(self, stmt, op),
            Op::Con { ty, con, args } => self.con(stmt, ty, con, args),
            Op::Control(op) => self.control(stmt, op, span),
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args);
            }
            // What is discrete, and where derivatives are cut off.
            Op::Size(_) | Op::Equal(..) | Op::Close(..) | Op::Tuple { .. } => self.keep(stmt),
            Op::Derive(DeriveOp::StopGradient(_)) => self.keep(stmt),
            // A direction that was checked against a value: it is still the direction.
            Op::Derive(DeriveOp::Pair { tangent, .. }) => {
                self.keep(stmt);
                if let Some(delta) = self.delta(tangent) {
                    self.deltas.insert(stmt.binders[0].var, delta);
                }
            }
            Op::Derive(DeriveOp::Tangent { value, .. }) => {
                self.keep(stmt);
                if let Some(delta) = self.delta(value) {
                    self.set(&stmt.binders[0], delta);
                }
            }
            Op::Proj { .. } | Op::Function(_) | Op::Derive(_) | Op::Delta(_) => {
                panic!("compiler bug: not of first order, or of a derivative: {}", stmt.op)
            }
        }
    }

    fn control(&mut self, stmt: &Stmt, op: &ControlOp, span: Option<Span>) {
        match op {
            ControlOp::Match { value, arms, otherwise } => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }
            ControlOp::If { cond, then, otherwise } => self.if_(stmt, cond, then, otherwise),
            ControlOp::Build { sizes, indices, body } => {
                self.place.build(self, stmt, sizes, indices, body);
            }
            ControlOp::Fold { inits, arrays, step } => {
                self.place.fold(self, (&stmt.binders, span), (inits, arrays), step);
            }
            ControlOp::Scan { inits, arrays, step } => self.scan(stmt, inits, arrays, step, span),
            ControlOp::Iterate { count, index, inits, state, body } => {
                self.iterate(stmt, count, *index, (inits, state), body, span);
            }
            ControlOp::While { inits, state, cond, body } => {
                self.place.while_(self, (&stmt.binders, span), (inits, state), [cond, body]);
            }
        }
    }
}
