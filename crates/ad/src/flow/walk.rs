//! The walk over one function: which parameters every variable depends on, as far as derivatives go.

use std::collections::BTreeMap;

use base::Name;
use ir::partial::is_zero;
use ir::prim::Rule;
use ir::{
    ArrayOp, Atom, Binder, Block, ControlOp, Dependence, DeriveOp, FunctionOp, Lambda, Loop, Op,
    Prim, Spans, Stmt, Type, Var, walk,
};

use super::{End, Flow, Params, Stop, Summary};

use crate::tuning::DEEPEST_WALK;

/// The work on one function.
pub(super) struct Walk<'a, 'p> {
    flow: &'a Flow<'p>,
    spans: &'a Spans,
    /// Of every variable, the parameters that it depends on.
    depends: BTreeMap<Var, Params>,
    /// By the variable of the statement, and the argument of a call.
    ends: BTreeMap<(Var, usize), End>,
    all: Params,
    /// How many loops and functions are around the present place.
    depth: u32,
}

impl<'a, 'p> Walk<'a, 'p> {
    pub(super) fn new(flow: &'a Flow<'p>, spans: &'a Spans, params: &[Binder]) -> Walk<'a, 'p> {
        let mut res = Walk {
            flow,
            spans,
            depends: BTreeMap::new(),
            ends: BTreeMap::new(),
            all: Params::new(),
            depth: 0,
        };
        for (at, param) in params.iter().enumerate() {
            if flow.carries(&param.ty) {
                res.depends.insert(param.var, Params::from([at]));
                res.all.insert(at);
            }
        }
        res
    }

    pub(super) fn run(mut self, body: &Block) -> Summary {
        let flows = union(self.block(body));
        let mut ends: Vec<End> = self.ends.into_values().collect();
        ends.sort_by_key(|it| it.at);
        Summary { flows, ends }
    }

    fn of(&self, atom: &Atom) -> Params {
        match atom {
            Atom::Var(var) => self.depends.get(var).cloned().unwrap_or_default(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => Params::new(),
        }
    }

    fn all_of<'b>(&self, atoms: impl IntoIterator<Item = &'b Atom>) -> Params {
        union(atoms.into_iter().map(|it| self.of(it)))
    }

    fn array(&mut self, stmt: &Stmt, op: &ArrayOp) -> Params {
        match op.dependence() {
            Dependence::Discrete(None) => Params::new(),
            Dependence::Discrete(Some(operand)) => {
                let of = self.of(operand);
                self.end(stmt, 0, Stop::Position, of);
                Params::new()
            }
            Dependence::Moves(operands) | Dependence::Adds(operands) => self.all_of(operands),
            Dependence::Product { array, .. } | Dependence::Extremum { array, .. } => {
                self.of(array)
            }
            Dependence::Sorts(array) => self.of(array),
            Dependence::Filters { array, predicate } => {
                let of = self.of(array);
                predicate.params.iter().for_each(|it| self.bind(it, of.clone()));
                self.block(&predicate.body);
                of
            }
        }
    }

    fn bind(&mut self, binder: &Binder, params: Params) {
        // Also if it is empty: an earlier step of a loop may have left something.
        let params = if self.flow.carries(&binder.ty) { params } else { Params::new() };
        self.depends.insert(binder.var, params);
    }

    fn block(&mut self, block: &Block) -> Vec<Params> {
        block.stmts.iter().for_each(|it| self.stmt(it));
        block.results.iter().map(|it| self.of(it)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let results = self.op(stmt);
        for (at, binder) in stmt.binders.iter().enumerate() {
            // One for all, or one for each.
            let params = if results.len() == 1 { results.first() } else { results.get(at) };
            self.bind(binder, params.cloned().unwrap_or_default());
        }
    }

    /// What the results depend on: one set for all of them, or one for each. One arm per constructor,
    /// in the order of `op.rs`.
    fn op(&mut self, stmt: &Stmt) -> Vec<Params> {
        match &stmt.op {
            Op::Copy(atom)
            | Op::Derive(
                DeriveOp::Checkpoint { value: atom, .. } | DeriveOp::Tell { value: atom, .. },
            ) => {
                vec![self.of(atom)]
            }
            Op::Prim(prim, args) => vec![self.prim(stmt, *prim, args)],
            Op::Size(_) => vec![Params::new()],

            Op::Tuple { parts, .. } => vec![self.all_of(parts)],
            Op::Proj { tuple, .. } => vec![self.of(tuple)],

            Op::Con { args, .. } => vec![self.all_of(args)],
            Op::Control(ControlOp::Match { value, arms, otherwise }) => {
                let of = self.of(value);
                let mut res = Vec::new();
                for arm in arms {
                    arm.fields.iter().for_each(|it| self.bind(it, of.clone()));
                    let found = self.block(&arm.body);
                    join(&mut res, found);
                }
                if let Some(block) = otherwise {
                    let found = self.block(block);
                    join(&mut res, found);
                }
                res
            }

            Op::Function(FunctionOp::Lambda(lambda)) => vec![self.lambda(lambda)],
            Op::Function(FunctionOp::Apply(function, args)) => {
                vec![union([self.of(function), self.all_of(args)])]
            }
            Op::Function(FunctionOp::Call { def, args, .. }) => vec![self.call(stmt, def, args)],

            Op::Control(ControlOp::If { then, otherwise, .. }) => {
                let mut res = self.block(then);
                let found = self.block(otherwise);
                join(&mut res, found);
                res
            }
            Op::Control(ControlOp::Build { body, .. }) => self.block(body),
            Op::Control(
                ControlOp::Fold { inits, arrays, step } | ControlOp::Scan { inits, arrays, step },
            ) => self.loop_(inits, arrays, step),
            Op::Control(ControlOp::Iterate { inits, state, body, .. }) => {
                self.steps(inits, state, body)
            }
            Op::Control(ControlOp::While { inits, state, cond, body }) => {
                let res = self.steps(inits, state, body);
                self.block(cond);
                match body.results.len() > state.len() {
                    // The number of steps comes between the state and what is collected.
                    true => vec![union(res)],
                    false => res,
                }
            }

            Op::Array(op) => vec![self.array(stmt, op)],

            Op::Equal(left, right) | Op::Close(left, right) => {
                let of = union([self.of(left), self.of(right)]);
                self.end(stmt, 0, Stop::Comparison, of);
                vec![Params::new()]
            }

            Op::Derive(DeriveOp::StopGradient(value)) => {
                let of = self.of(value);
                self.end(stmt, 0, Stop::Asked, of);
                vec![Params::new()]
            }
            Op::Derive(DeriveOp::OfFunction { function, args, .. }) => {
                vec![union([self.of(function), self.all_of(args)])]
            }
            Op::Derive(DeriveOp::OfDefinition { captured, args, .. }) => {
                vec![union([self.all_of(captured), self.all_of(args)])]
            }
            Op::Derive(DeriveOp::Pair { value, tangent, .. }) => {
                vec![union([self.of(value), self.of(tangent)])]
            }
            Op::Derive(
                DeriveOp::Lift { value, .. }
                | DeriveOp::Primal { value, .. }
                | DeriveOp::Tangent { value, .. },
            ) => {
                vec![self.of(value)]
            }
            Op::Delta(_) => {
                vec![self.all.clone()]
            }
        }
    }

    /// What depends on an operand whose partial derivative is not zero; the others end here.
    fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) -> Params {
        let real = *stmt.binders[0].ty.split_arrays().1 == Type::Real;
        let mut ended = Params::new();
        let mut flows = Params::new();
        for (at, arg) in args.iter().enumerate() {
            let into = if real && !is_zero(prim, at) { &mut flows } else { &mut ended };
            into.extend(self.of(arg));
        }
        // A choice ends nothing: its condition carries no gradient.
        if prim.row().rule != Rule::Choose {
            self.end(stmt, 0, Stop::Prim(prim), ended);
        }
        flows
    }

    fn call(&mut self, stmt: &Stmt, def: &Name, args: &[Atom]) -> Params {
        let Some(summary) = self.flow.summary(def) else { return self.all_of(args) };
        let mut flows = Params::new();
        for (at, arg) in args.iter().enumerate() {
            let of = self.of(arg);
            if summary.flows.contains(&at) {
                flows.extend(of);
            } else {
                self.end(stmt, at, Stop::Call(def.clone(), at), of);
            }
        }
        flows
    }

    fn loop_(&mut self, inits: &[Atom], arrays: &[Atom], step: &Loop) -> Vec<Params> {
        for (elem, array) in step.elems.iter().zip(arrays) {
            self.bind(elem, self.of(array));
        }
        self.steps(inits, &step.state, &step.body)
    }

    /// What it captures and gives; whoever calls it adds what it is called with.
    fn lambda(&mut self, lambda: &Lambda) -> Params {
        self.depth += 1;
        let mut res = union(walk::free_vars(lambda).into_iter().map(|it| self.of(&Atom::Var(it))));
        if self.depth <= DEEPEST_WALK && !res.is_empty() {
            lambda.params.iter().for_each(|it| self.bind(it, Params::new()));
            res = union(self.block(&lambda.body));
        }
        // It may be called with anything: only for what ends inside of it.
        lambda.params.iter().for_each(|it| self.bind(it, self.all.clone()));
        self.block(&lambda.body);
        self.depth -= 1;
        res
    }

    /// Any number of steps: until the state depends on nothing more.
    fn steps(&mut self, inits: &[Atom], state: &[Binder], body: &Block) -> Vec<Params> {
        self.depth += 1;
        let mut of: Vec<Params> = inits.iter().map(|it| self.of(it)).collect();
        if self.depth > DEEPEST_WALK {
            of = vec![self.all.clone(); body.results.len()];
        }
        let res = self.settled(of, state, body);
        self.depth -= 1;
        res
    }

    fn settled(&mut self, mut of: Vec<Params>, state: &[Binder], body: &Block) -> Vec<Params> {
        loop {
            for (binder, params) in state.iter().zip(&of) {
                self.bind(binder, params.clone());
            }
            let found = self.block(body);
            let before = of.clone();
            join(&mut of, found);
            if of == before {
                return of;
            }
        }
    }

    fn end(&mut self, stmt: &Stmt, arg: usize, what: Stop, of: Params) {
        let Some(binder) = stmt.binders.first() else { return };
        if !of.is_empty() {
            let at = self.spans.0.get(&binder.var).copied();
            let end = self.ends.entry((binder.var, arg));
            end.or_insert(End { what, of: Params::new(), at }).of.extend(of);
        }
    }
}

fn union(sets: impl IntoIterator<Item = Params>) -> Params {
    sets.into_iter().flatten().collect()
}

/// Adds what was found to each; there may be more of them.
fn join(into: &mut Vec<Params>, found: Vec<Params>) {
    into.resize(into.len().max(found.len()), Params::new());
    into.iter_mut().zip(found).for_each(|(it, found)| it.extend(found));
}
