//! The walk over statements.

use std::collections::BTreeMap;

use base::Span;
use ir::{
    Atom, Block, ControlOp, Def, DeriveOp, FunctionOp, Lambda, Op, Program, Size, Stmt, Var, walk,
};

use super::Why;
use super::class::{Class, plain};
use super::prims::prim;

/// So many statements are looked at.
const MOST_STEPS: usize = 1_000_000;
/// Calls go so deep.
pub(super) const DEEPEST: usize = 60;

/// What is known in a definition.
#[derive(Clone)]
pub(super) struct Frame<'p> {
    pub(super) def: &'p Def,
    pub(super) known: BTreeMap<Var, Class<'p>>,
}

impl<'p> Frame<'p> {
    /// What a function captures.
    pub(super) fn captured(&self, lambda: &Lambda) -> Vec<Class<'p>> {
        let mut used = walk::free_vars_block(&lambda.body);
        for param in &lambda.params {
            used.remove(&param.var);
        }
        used.iter().filter_map(|it| self.known.get(it).cloned()).collect()
    }
}

pub(super) struct Walk<'p> {
    pub(super) program: &'p Program,
    pub(super) frame: Option<Frame<'p>>,
    pub(super) depth: usize,
    steps: usize,
    n_states: usize,
}

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program) -> Walk<'p> {
        Walk { program, frame: None, depth: 0, steps: 0, n_states: 0 }
    }

    /// The results of a definition.
    pub(super) fn enter(
        &mut self,
        def: &'p Def,
        sizes: Vec<Class<'p>>,
        args: Vec<Class<'p>>,
    ) -> Vec<Class<'p>> {
        let mut known = BTreeMap::new();
        known.extend(def.size_params.iter().copied().zip(sizes));
        known.extend(def.params.iter().map(|it| it.var).zip(args));
        self.inside(Frame { def, known }, &def.body)
    }

    /// The results of a block in another frame.
    pub(super) fn inside(&mut self, frame: Frame<'p>, block: &'p Block) -> Vec<Class<'p>> {
        let before = self.frame.replace(frame);
        self.depth += 1;
        let res = self.block(block);
        self.depth -= 1;
        self.frame = before;
        res
    }

    pub(super) fn block(&mut self, block: &'p Block) -> Vec<Class<'p>> {
        for stmt in &block.stmts {
            let found = self.stmt(stmt);
            for (binder, class) in stmt.binders.iter().zip(found) {
                self.bind(binder.var, class);
            }
        }
        self.all(&block.results)
    }

    pub(super) fn bind(&mut self, var: Var, class: Class<'p>) {
        if let Some(frame) = &mut self.frame {
            frame.known.insert(var, class);
        }
    }

    pub(super) fn atom(&self, atom: &Atom) -> Class<'p> {
        match atom {
            Atom::Real(it) if it.0 == 0.0 => Class::Zero,
            Atom::Int(0) => Class::Zero,
            Atom::Var(var) => self.var(*var),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Class::Whole,
        }
    }

    pub(super) fn all(&self, atoms: &[Atom]) -> Vec<Class<'p>> {
        atoms.iter().map(|it| self.atom(it)).collect()
    }

    fn var(&self, var: Var) -> Class<'p> {
        let known = self.frame.as_ref().and_then(|it| it.known.get(&var));
        known.cloned().unwrap_or_else(|| Class::mixed(Why::Other, None))
    }

    /// Whether a size is the number of rows.
    pub(super) fn is_rows(&self, size: &Size) -> bool {
        size.as_var().is_some_and(|it| self.var(*it) == Class::Sum)
    }

    /// Whether a size may differ between parts, or rows.
    pub(super) fn varies(&self, size: &Size) -> bool {
        size.vars().iter().any(|it| !self.var(*it).is_whole())
    }

    /// Whether a size may differ between parts.
    pub(super) fn varies_by_part(&self, size: &Size) -> bool {
        size.vars().iter().any(|it| !self.var(*it).is_row())
    }

    pub(super) fn next_state(&mut self) -> usize {
        self.n_states += 1;
        self.n_states
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Vec<Class<'p>> {
        let at = stmt.binders.first().and_then(|it| self.span(it.var));
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth > DEEPEST {
            return vec![Class::mixed(Why::Function, at); stmt.binders.len()];
        }
        let found = self.op(stmt, at);
        if found.len() == stmt.binders.len() {
            return found;
        }
        // One for all.
        let all = plain(&found, Why::Other, at);
        vec![all; stmt.binders.len()]
    }

    fn span(&self, var: Var) -> Option<Span> {
        self.frame.as_ref().and_then(|it| it.def.spans.0.get(&var).copied())
    }

    fn op(&mut self, stmt: &'p Stmt, at: Option<Span>) -> Vec<Class<'p>> {
        match &stmt.op {
            Op::Copy(it) => vec![self.atom(it)],
            Op::Prim(which, operands) => {
                let operands = self.all(operands);
                vec![match stmt.binders.first() {
                    Some(binder) => prim(*which, &operands, &binder.ty, at),
                    None => plain(&operands, Why::Prim(*which), at),
                }]
            }
            Op::Size(size) => vec![self.size(size, at)],
            Op::Tuple { parts, .. } => vec![Class::Parts(self.all(parts))],
            Op::Proj { tuple, index } => vec![match self.atom(tuple) {
                Class::Parts(parts) => match parts.get(*index) {
                    Some(it) => it.clone(),
                    None => Class::mixed(Why::Other, at),
                },
                it => it,
            }],
            Op::Con { args, .. } => vec![plain(&self.all(args), Why::Other, at)],
            Op::Equal(a, b) | Op::Close(a, b) => {
                vec![plain(&[self.atom(a), self.atom(b)], Why::Choice, at)]
            }
            Op::Array(op) => self.array(op, at),
            Op::Control(op) => self.control(op, at),
            Op::Function(op) => self.function(op, at),
            Op::Derive(
                DeriveOp::StopGradient(it)
                | DeriveOp::Checkpoint { value: it, .. }
                | DeriveOp::Tell { value: it, .. },
            ) => vec![self.atom(it)],
            Op::Derive(DeriveOp::OfFunction { function, args, .. }) => {
                vec![self.derivative(function, args, at)]
            }
            Op::Derive(_) | Op::Delta(_) => vec![Class::mixed(Why::Other, at)],
        }
    }

    /// A size as a number: a sum if every term has the number of rows as one factor.
    fn size(&self, size: &Size, at: Option<Span>) -> Class<'p> {
        if !self.varies(size) {
            return if size.as_constant() == Some(0) { Class::Zero } else { Class::Whole };
        }
        if !self.varies_by_part(size) {
            return Class::Row;
        }
        let is_sum = size.terms().all(|(factors, _)| {
            let mut n_rows = 0;
            factors.iter().all(|it| match self.var(*it) {
                Class::Sum => {
                    n_rows += 1;
                    n_rows == 1
                }
                it => it.is_whole(),
            }) && n_rows == 1
        });
        if is_sum { Class::Sum } else { Class::mixed(Why::Size, at) }
    }

    fn control(&mut self, op: &'p ControlOp, at: Option<Span>) -> Vec<Class<'p>> {
        match op {
            ControlOp::If { cond, then, otherwise } => {
                let cond = self.atom(cond);
                let branches = vec![self.block(then), self.block(otherwise)];
                chosen(&cond, branches, at)
            }
            ControlOp::Match { value, arms, otherwise } => {
                let value = self.atom(value);
                let field = plain(std::slice::from_ref(&value), Why::Choice, at);
                let mut branches = Vec::new();
                for arm in arms {
                    for it in &arm.fields {
                        self.bind(it.var, field.clone());
                    }
                    branches.push(self.block(&arm.body));
                }
                branches.extend(otherwise.as_ref().map(|it| self.block(it)));
                chosen(&field, branches, at)
            }
            ControlOp::Build { sizes, indices, body } => self.build((sizes, indices), body, at),
            ControlOp::Fold { inits, arrays, step } => self.fold((inits, arrays), step, at),
            ControlOp::Scan { inits, arrays, step } => self.scan((inits, arrays), step, at),
            ControlOp::Iterate { count, index, inits, state, body } => {
                let count = self.atom(count);
                self.bind(*index, Class::Whole);
                let found = self.settled(inits, state, at, |it| it.block(body));
                chosen(&count, vec![found], at)
            }
            ControlOp::While { inits, state, cond, body } => {
                let mut holds = Class::Whole;
                let found = self.settled(inits, state, at, |it| {
                    holds = plain(&it.block(cond), Why::Choice, at);
                    it.block(body)
                });
                chosen(&holds, vec![found], at)
            }
        }
    }

    fn function(&mut self, op: &'p FunctionOp, at: Option<Span>) -> Vec<Class<'p>> {
        match op {
            FunctionOp::Lambda(lambda) => vec![self.closure(lambda)],
            FunctionOp::Apply(function, args) => {
                let (function, args) = (self.atom(function), self.all(args));
                vec![self.apply(&function, args, at)]
            }
            FunctionOp::Call { def, sizes, args, .. } => {
                let args = self.all(args);
                self.call(def, sizes, args, at)
            }
        }
    }
}

/// What a choice gives: by something that is the same for all parts, either; by something of the row at hand,
/// a value of that row.
fn chosen<'p>(by: &Class<'p>, branches: Vec<Vec<Class<'p>>>, at: Option<Span>) -> Vec<Class<'p>> {
    let mut branches = branches.into_iter();
    let mut res = branches.next().unwrap_or_default();
    for branch in branches {
        res = res.iter().zip(&branch).map(|(a, b)| a.join(b, at)).collect();
    }
    if by.is_whole() {
        return res;
    }
    if !by.is_row() {
        let mixed = plain(std::slice::from_ref(by), Why::Choice, at);
        return vec![mixed; res.len()];
    }
    let one = |it: &Class<'p>| match it {
        Class::State(_) | Class::Mixed(_) => it.clone(),
        it if it.is_row() => Class::Row,
        _ => Class::mixed(Why::Choice, at),
    };
    res.iter().map(|it| it.each(&mut |it| one(it))).collect()
}
