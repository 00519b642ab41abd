//! D\[-\]: the program with its Delta term, taken apart from each other as it is made.
//!
//! A variable `x: [sh]Real` that is active gets a Delta, a variable of the same type that stands for
//! how `x` depends on the input, linearly. The statements that define Deltas are the *Delta term*, a
//! linear program of its own: what it needs of the values of the program is in its factors, its
//! indices, and what branches, loops and calls saved for it. So the form (6) of the paper,
//! first all values and then the Delta term, is not reached by rewriting but by construction.
//!
//! Paper: Smeding, Konarski et al., Figures 12, 14 and 15; Sections 7.1 and 7.6 for taking apart. An
//! identifier of `Share` is a variable here. D'\[-\] of Figure 13 is the identity: index code is made
//! of statements without reals, which stay as they are.
//! Requires: dialect FirstOrder or Bulk without `Op::Derivative`, flat.
//! Ensures: the values are those of the input; the Delta term is linear in the Deltas.
//! Cost: every statement becomes at most a few; nothing is copied, nothing is unrolled.

mod along;
mod arrays;
mod control;
mod loops;
mod prim;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Span;
use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, Def, DeriveOp, FunctionOp, Op, Prim, Spans, Stmt,
    Type, Var,
};

use super::code::{Code, block, var_of};
use super::work::Work;

/// A definition and its Delta term.
#[derive(Debug)]
pub(super) struct Linearised {
    pub(super) def: Arc<Def>,
    /// The statements of the definition, with what the Delta term needs, and its results.
    pub(super) primal: Block,
    /// The Delta term. Its results are the Deltas of the results that are active.
    pub(super) term: Block,
    /// For statements of the term, by their first variable, how many of `primal` came before.
    pub(super) places: BTreeMap<Var, usize>,
    /// The Deltas of the parameters that are active.
    pub(super) inputs: Vec<Option<Binder>>,
    /// Which results are active.
    pub(super) results: Vec<bool>,
    pub(super) next_var: u32,
    pub(super) spans: Spans,
    /// Every variable of the term that is a Delta.
    pub(super) linear: BTreeSet<Var>,
}

/// D\[f\] with the parameters of the mask active.
pub(super) fn linearise(work: &mut Work, def: &Arc<Def>, mask: &[bool]) -> Linearised {
    let (mut dual, inputs) = Dual::new(work, def, mask, Place::Apart);
    let part = dual.part(&def.body);
    // Callers go by what is known without D[f], which may take more for active.
    let known = dual.code.work.active_results(&def.name, mask);
    let results: Vec<bool> =
        part.deltas.iter().zip(known).map(|(delta, known)| known || delta.is_some()).collect();
    let types: Vec<Option<Type>> = std::iter::zip(&def.results, &results)
        .map(|(it, on)| if *on { dual.code.work.tangent(&it.ty) } else { None })
        .collect();
    // The types of results mention results; inside they are what the body gives.
    let of = |var: Var| {
        let at = def.results.iter().position(|it| it.var == var)?;
        def.body.results.get(at).cloned()
    };
    let types: Vec<Option<Type>> =
        types.into_iter().map(|it| it.map(|ty| super::code::with_sizes(&ty, &of))).collect();
    let places = std::mem::take(&mut dual.places);
    let (primal, term) = dual.finish(part, &types);
    let linear = std::mem::take(&mut dual.linear);
    let (next_var, mut spans) = dual.code.finish();
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    let def = def.clone();
    Linearised { def, primal, term, places, inputs, results, next_var, spans, linear }
}

/// The body of `f.jvp` with the parameters of the mask active, and the tangents that it takes. It gives
/// the results, and the tangents of those that have reals, which are of these types.
pub(super) fn run_along(
    work: &mut Work,
    def: &Arc<Def>,
    mask: &[bool],
    types: &[Option<Type>],
) -> (Vec<Binder>, Block, u32, Spans) {
    let (mut dual, inputs) = Dual::new(work, def, mask, Place::Along);
    let part = dual.part(&def.body);
    let body = dual.along(part, types, def.results.len());
    let body = super::forward::lower(&mut dual.code, body);
    let (next_var, mut spans) = dual.code.finish();
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    (inputs.into_iter().flatten().collect(), body, next_var, spans)
}

/// Where the Delta term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Behind the program, which saves what it needs.
    Apart,
    /// Among the statements of the program.
    Along,
}

/// The work on one definition.
struct Dual<'w> {
    code: Code<'w>,
    place: Place,
    def: Arc<Def>,
    /// The Delta of each variable that is active.
    deltas: BTreeMap<Var, Atom>,
    linear: BTreeSet<Var>,
    /// The Delta terms of the blocks that are open.
    terms: Vec<Vec<Stmt>>,
    places: BTreeMap<Var, usize>,
    depth: usize,
}

/// A block and its Delta term, before it is known which Deltas the outside wants.
struct Part {
    primal: Block,
    term: Vec<Stmt>,
    deltas: Vec<Option<Atom>>,
}

impl<'w> Dual<'w> {
    /// The beginning of a definition, and the Deltas of the parameters that are active.
    fn new(
        work: &'w mut Work,
        def: &Arc<Def>,
        mask: &[bool],
        place: Place,
    ) -> (Dual<'w>, Vec<Option<Binder>>) {
        let mut dual = Dual {
            code: Code::new(work, def.next_var),
            place,
            def: def.clone(),
            deltas: BTreeMap::new(),
            linear: BTreeSet::new(),
            terms: Vec::new(),
            places: BTreeMap::new(),
            depth: 0,
        };
        def.size_params.iter().for_each(|it| dual.code.builder.declare(*it, Type::Int));
        dual.code.declare(&def.params);
        dual.code.declare(&def.results);
        dual.code.declare_block(&def.body);
        let mut inputs = Vec::new();
        for (param, on) in def.params.iter().zip(mask) {
            let tangent = if *on { dual.code.work.tangent(&param.ty) } else { None };
            inputs.push(tangent.map(|ty| dual.input(param.var, ty)));
        }
        (dual, inputs)
    }
}

impl Dual<'_> {
    /// A Delta for a variable, bound in front of the term.
    fn input(&mut self, var: Var, ty: Type) -> Binder {
        let delta = self.code.fresh(ty);
        self.linear.insert(delta.var);
        self.deltas.insert(var, Atom::Var(delta.var));
        delta
    }

    fn delta(&self, atom: &Atom) -> Option<Atom> {
        self.deltas.get(&var_of(atom)?).cloned()
    }

    fn is_active(&self, atom: &Atom) -> bool {
        var_of(atom).is_some_and(|it| self.deltas.contains_key(&it))
    }

    /// The Delta of an operand, or zeros of its form.
    fn delta_or_zeros(&mut self, atom: &Atom) -> Atom {
        if let Some(delta) = self.delta(atom) {
            return delta;
        }
        let ty = self.code.type_of(atom);
        let tangent = self.code.work.tangent(&ty).expect("an operand with reals");
        self.term_zeros(&tangent)
    }

    /// Zeros, made in the Delta term; they are no Deltas themselves.
    fn term_zeros(&mut self, ty: &Type) -> Atom {
        self.in_term(|code| code.zeros(ty))
    }

    /// Adds what is emitted to the Delta term instead of the program.
    fn in_term<T>(&mut self, emit: impl FnOnce(&mut Code<'_>) -> T) -> T {
        if self.place == Place::Along {
            return emit(&mut self.code);
        }
        self.code.builder.open();
        let res = emit(&mut self.code);
        let stmts = self.code.builder.close(Vec::new()).stmts;
        stmts.into_iter().for_each(|it| self.push_term(it));
        res
    }

    fn push_term(&mut self, stmt: Stmt) {
        if self.place == Place::Along {
            return self.code.builder.push(stmt);
        }
        if self.depth == 1 {
            let place = self.code.builder.n_statements();
            self.places.extend(stmt.binders.first().map(|it| (it.var, place)));
        }
        self.terms.last_mut().expect("a term is open").push(stmt);
    }

    /// Adds a linear operation to the Delta term.
    fn linear(&mut self, op: Op) -> Vec<Atom> {
        let stmt = self.code.fresh_stmt(op);
        let results: Vec<Atom> = stmt.binders.iter().map(|it| Atom::Var(it.var)).collect();
        self.linear.extend(stmt.binders.iter().map(|it| it.var));
        self.code.declare(&stmt.binders);
        self.push_term(stmt);
        results
    }

    fn linear_one(&mut self, op: Op) -> Atom {
        self.linear(op).remove(0)
    }

    /// The Delta under the sizes of a type.
    fn fit(&mut self, delta: Atom, ty: &Type) -> Atom {
        let (sizes, _) = ty.split_arrays();
        if self.code.type_of(&delta) == *ty || sizes.is_empty() {
            return delta;
        }
        self.linear_one(Op::Array(ArrayOp::Reshape { array: delta, rank: sizes.len(), sizes }))
    }

    /// Says that a variable depends on the input in this way.
    fn set(&mut self, binder: &Binder, delta: Atom) {
        let Some(tangent) = self.code.work.tangent(&binder.ty) else { return };
        let delta = self.fit(delta, &tangent);
        self.deltas.insert(binder.var, delta);
    }

    /// A block inside of the program, and its Delta term.
    fn part(&mut self, block: &Block) -> Part {
        self.code.builder.open();
        self.terms.push(Vec::new());
        self.depth += 1;
        for stmt in &block.stmts {
            let span = stmt.binders.first().and_then(|it| self.def.spans.0.get(&it.var)).copied();
            let outer = self.code.builder.set_span(span);
            self.stmt(stmt, span);
            self.code.builder.set_span(outer);
        }
        self.depth -= 1;
        let deltas = block.results.iter().map(|it| self.delta(it)).collect();
        let primal = self.code.builder.close(block.results.clone());
        let term = self.terms.pop().expect("opened above");
        Part { primal, term, deltas }
    }

    /// Ends the Delta term of a block: its results are those for which a type is given.
    fn finish(&mut self, part: Part, types: &[Option<Type>]) -> (Block, Block) {
        self.terms.push(part.term);
        let mut results = Vec::new();
        for (delta, ty) in part.deltas.into_iter().zip(types) {
            let Some(ty) = ty else { continue };
            let delta = match delta {
                Some(delta) => self.fit(delta, ty),
                None => self.term_zeros(ty),
            };
            results.push(delta);
        }
        let term = self.terms.pop().expect("opened above");
        (part.primal, super::prune::prune(block(term, results)))
    }

    fn refuse(&mut self, span: Option<Span>, reason: &str) {
        self.code.work.refuse(span, reason);
    }

    /// The statement without its Delta term.
    fn keep(&mut self, stmt: &Stmt) {
        self.code.builder.push(stmt.clone());
    }

    /// One arm per constructor, in the order of `op.rs`.
    fn stmt(&mut self, stmt: &Stmt, span: Option<Span>) {
        let active = ir::walk::free_vars_op(&stmt.op);
        if !active.iter().any(|it| self.deltas.contains_key(it)) {
            return self.keep(stmt);
        }
        match &stmt.op {
            Op::Copy(atom) => {
                self.keep(stmt);
                if let Some(delta) = self.delta(atom) {
                    self.set(&stmt.binders[0], delta);
                }
            }
            Op::Prim(Prim::Select, args) => self.select(stmt, args),
            Op::Prim(prim, args) => self.prim(stmt, *prim, args),
            Op::Con { ty, con, args } => self.con(stmt, ty, con, args),
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                self.match_(stmt, value, arms, otherwise.as_ref());
            }
            Op::Function(FunctionOp::Call { def, sizes, args, .. }) => {
                self.call(stmt, def, sizes, args)
            }
            Op::Control(ControlOp::If { cond, then, otherwise }) => {
                self.if_(stmt, cond, then, otherwise)
            }
            Op::Control(ControlOp::Build { sizes, indices, body }) => {
                self.build(stmt, sizes, indices, body)
            }
            Op::Control(ControlOp::Fold { inits, arrays, step }) => {
                self.fold(&stmt.binders, inits, arrays, step, span)
            }
            Op::Control(ControlOp::Scan { inits, arrays, step }) => {
                self.scan(stmt, inits, arrays, step, span)
            }
            Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
                self.iterate(stmt, count, *index, (inits, state), body, span);
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                self.while_(stmt, (inits, state), cond, body, span);
            }
            Op::Array(ArrayOp::Literal { elem, parts }) => self.array(stmt, elem, parts),
            Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
                self.reduce(stmt, *reduction, *axis, array)
            }
            Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
                self.scatter(stmt, into, (indices, mask.as_ref()), values);
            }
            Op::Array(ArrayOp::Concat(arrays)) => self.concat(stmt, arrays),
            Op::Array(ArrayOp::Sort(array)) => self.sort(stmt, array),
            Op::Array(ArrayOp::Filter { array, predicate }) => self.filter(stmt, array, predicate),
            // The same operation on the Delta.
            Op::Array(ArrayOp::Index { array: x, .. } | ArrayOp::Slice { array: x, .. }) => {
                self.same(stmt, x)
            }
            Op::Array(ArrayOp::Gather { array: x, .. } | ArrayOp::Replicate { value: x, .. }) => {
                self.same(stmt, x)
            }
            Op::Array(ArrayOp::Transpose { array: x, .. } | ArrayOp::Reshape { array: x, .. }) => {
                self.same(stmt, x)
            }
            Op::Array(ArrayOp::Reverse(x) | ArrayOp::Sized { array: x, .. }) => self.same(stmt, x),
            // What is discrete, and where derivatives are cut off.
            Op::Size(_) | Op::Array(ArrayOp::Iota(_) | ArrayOp::Argmax(_) | ArrayOp::Argmin(_)) => {
                self.keep(stmt)
            }
            Op::Equal(..)
            | Op::Close(..)
            | Op::Tuple { .. }
            | Op::Array(ArrayOp::Argsort(_))
            | Op::Derive(DeriveOp::StopGradient(_)) => self.keep(stmt),
            Op::Proj { .. } | Op::Function(_) | Op::Derive(DeriveOp::Lift { .. }) => {
                panic!("compiler bug: not of first order: {}", stmt.op)
            }
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
            Op::Derive(
                DeriveOp::Primal { .. }
                | DeriveOp::OfFunction { .. }
                | DeriveOp::OfDefinition { .. },
            ) => {
                panic!("compiler bug: an operator is left: {}", stmt.op)
            }
            Op::Delta(_) => {
                panic!("compiler bug: a Delta is differentiated: {}", stmt.op)
            }
        }
    }
}
