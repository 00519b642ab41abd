//! From what is needed to what that needs, through a whole program, each thing once.

use std::collections::BTreeMap;

use base::Name;
use ir::{ArrayOp, Atom, Block, ControlOp, DeriveOp, FunctionOp, Op, Size, Stmt, Type, Var, walk};

use super::bare::{self, Unread};
use super::live::{Parts, Place, loop_binders};

/// Something that may be needed: of a definition, by its number.
#[derive(Clone, Copy)]
enum Node {
    /// The definition.
    Def(usize),
    /// A result.
    Result(usize, usize),
    /// A statement, by its first result.
    Stmt(usize, Var),
    /// A variable.
    Var(usize, Var),
}

/// What is needed.
pub(super) struct Live {
    numbers: BTreeMap<Name, usize>,
    defs: Vec<Needed>,
}

/// What is needed of a definition: results by their place, statements by their first result.
#[derive(Default)]
struct Needed {
    itself: bool,
    results: Bits,
    stmts: Bits,
    vars: Bits,
}

/// A set of small numbers.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn has(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or(false)
    }

    /// Whether it was not there yet.
    fn insert(&mut self, at: usize) -> bool {
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        !std::mem::replace(&mut self.0[at], true)
    }
}

impl Live {
    fn of(&self, def: &Name) -> Option<&Needed> {
        self.numbers.get(def).map(|it| &self.defs[*it])
    }

    pub(super) fn def(&self, name: &Name) -> bool {
        self.of(name).is_some_and(|it| it.itself)
    }

    pub(super) fn result(&self, def: &Name, at: usize) -> bool {
        self.of(def).is_some_and(|it| it.results.has(at))
    }

    pub(super) fn stmt(&self, def: &Name, stmt: &Stmt) -> bool {
        let Some(first) = stmt.binders.first() else { return true };
        self.of(def).is_some_and(|it| it.stmts.has(first.var.0 as usize))
    }

    pub(super) fn var(&self, def: &Name, var: Var) -> bool {
        self.of(def).is_some_and(|it| it.vars.has(var.0 as usize))
    }
}

/// The search.
pub(super) struct Mark<'a, 'p> {
    parts: Vec<&'a Parts<'p>>,
    live: Live,
    work: Vec<Node>,
    /// The calls of each definition that are needed: the caller and the arguments.
    calls: BTreeMap<usize, Vec<(usize, &'p [Atom])>>,
    unread: Unread,
}

impl<'a, 'p> Mark<'a, 'p> {
    pub(super) fn new(parts: &'a BTreeMap<Name, Parts<'p>>, unread: Unread) -> Mark<'a, 'p> {
        let numbers = parts.keys().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        let defs = parts.iter().map(|_| Needed::default()).collect();
        let (live, parts) = (Live { numbers, defs }, parts.values().collect());
        Mark { parts, live, work: Vec::new(), calls: BTreeMap::new(), unread }
    }

    fn number(&self, name: &Name) -> Option<usize> {
        self.live.numbers.get(name).copied()
    }

    /// A definition that is called from outside: all its parameters and results are needed.
    pub(super) fn entry(&mut self, name: &Name) {
        let Some(def) = self.number(name) else { return };
        let parts = self.parts[def];
        self.need(Node::Def(def));
        for binder in &parts.def.params {
            self.need(Node::Var(def, binder.var));
        }
        for at in 0..parts.def.results.len() {
            self.need(Node::Result(def, at));
        }
    }

    pub(super) fn finish(mut self) -> Live {
        loop {
            while let Some(node) = self.work.pop() {
                match node {
                    Node::Def(def) => self.def(def),
                    Node::Result(def, at) => self.result(def, at),
                    Node::Stmt(def, first) => self.stmt(def, first),
                    Node::Var(def, var) => self.var(def, var),
                }
            }
            self.keep_forms();
            if self.work.is_empty() {
                return self.live;
            }
        }
    }

    fn need(&mut self, node: Node) {
        let defs = &mut self.live.defs;
        let is_new = match node {
            Node::Def(def) => !std::mem::replace(&mut defs[def].itself, true),
            Node::Result(def, at) => defs[def].results.insert(at),
            Node::Stmt(def, first) => defs[def].stmts.insert(first.0 as usize),
            Node::Var(def, var) => defs[def].vars.insert(var.0 as usize),
        };
        if is_new {
            self.work.push(node);
        }
    }

    fn atom(&mut self, def: usize, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.need(Node::Var(def, *var));
        }
    }

    fn sizes(&mut self, def: usize, sizes: &[Size]) {
        for var in sizes.iter().flat_map(Size::vars) {
            self.need(Node::Var(def, var));
        }
    }

    fn def(&mut self, def: usize) {
        for first in &self.parts[def].roots {
            self.need(Node::Stmt(def, *first));
        }
    }

    fn result(&mut self, number: usize, at: usize) {
        let def = self.parts[number].def;
        self.atom(number, &def.body.results[at]);
        for var in def.results[at].ty.size_vars() {
            // A size that is an earlier result, or a parameter.
            match def.results.iter().position(|it| it.var == var) {
                Some(earlier) => self.need(Node::Result(number, earlier)),
                None => self.need(Node::Var(number, var)),
            }
        }
    }

    fn type_(&mut self, def: usize, ty: &Type) {
        for var in ty.size_vars() {
            self.need(Node::Var(def, var));
        }
    }

    fn var(&mut self, def: usize, var: Var) {
        let parts = self.parts[def];
        let Some((place, ty)) = parts.places.get(var) else { return };
        self.type_(def, ty);
        match *place {
            Place::Param => {
                let params = &parts.def.params;
                let Some(at) = params.iter().position(|it| it.var == var) else { return };
                for (caller, args) in self.calls.get(&def).cloned().unwrap_or_default() {
                    self.atom(caller, &args[at]);
                }
            }
            Place::Inside(stmt) => self.whole(def, stmt),
            Place::Elem(stmt, at) => {
                self.whole(def, stmt);
                if let Op::Control(
                    ControlOp::Fold { arrays, .. } | ControlOp::Scan { arrays, .. },
                ) = &stmt.op
                {
                    self.atom(def, &arrays[at]);
                }
            }
            Place::State(stmt, at) => {
                self.whole(def, stmt);
                if let Some((inits, body)) = loop_parts(&stmt.op) {
                    self.atom(def, &inits[at]);
                    self.atom(def, &body.results[at]);
                }
            }
            Place::Result(stmt, at) => {
                self.whole(def, stmt);
                self.stmt_result(def, stmt, at);
            }
        }
    }

    fn whole(&mut self, def: usize, stmt: &Stmt) {
        if let Some(first) = stmt.binders.first() {
            self.need(Node::Stmt(def, first.var));
        }
    }

    /// What one result of a statement needs, besides the statement.
    fn stmt_result(&mut self, def: usize, stmt: &Stmt, at: usize) {
        let (state, _) = loop_binders(&stmt.op);
        if let Op::Function(FunctionOp::Call { def: callee, .. }) = &stmt.op {
            if let Some(callee) = self.number(callee) {
                self.need(Node::Result(callee, at));
            }
        } else if at < state.len() {
            self.need(Node::Var(def, state[at].var));
        } else if let Op::Control(ControlOp::While { body, .. }) = &stmt.op {
            // The number of steps is no result of the body.
            if at > state.len() {
                self.atom(def, &body.results[at - 1]);
            }
        } else if let Op::Control(ControlOp::Fold { step, .. }) = &stmt.op {
            self.atom(def, &step.body.results[at]);
        } else if matches!(
            stmt.op,
            Op::Control(ControlOp::If { .. } | ControlOp::Match { .. } | ControlOp::Build { .. })
        ) {
            for (_, block) in walk::blocks(&stmt.op) {
                self.atom(def, &block.results[at]);
            }
        }
    }

    /// What a statement needs, whichever of its results is.
    fn stmt(&mut self, def: usize, first: Var) {
        let parts = self.parts[def];
        if let Some(parent) = parts.parents.get(first) {
            self.need(Node::Stmt(def, *parent));
        }
        let Some(stmt) = parts.stmts.get(&first).copied() else { return };
        match &stmt.op {
            Op::Control(ControlOp::If { cond, .. }) => self.atom(def, cond),
            Op::Control(ControlOp::Match { value, .. }) => self.atom(def, value),
            Op::Control(ControlOp::Build { sizes, .. }) => self.sizes(def, sizes),
            Op::Control(ControlOp::Fold { .. } | ControlOp::Scan { .. }) => {}
            Op::Control(ControlOp::Iterate { count, .. }) => self.atom(def, count),
            Op::Control(ControlOp::While { cond, .. }) => {
                cond.results.iter().for_each(|it| self.atom(def, it))
            }
            Op::Array(ArrayOp::Filter { array, predicate }) => {
                self.atom(def, array);
                predicate.body.results.iter().for_each(|it| self.atom(def, it));
                stmt.binders.iter().for_each(|it| self.need(Node::Var(def, it.var)));
            }
            Op::Function(FunctionOp::Call { def: callee, types, sizes, args }) => {
                self.sizes(def, sizes);
                types.iter().for_each(|it| self.type_(def, it));
                let Some(callee) = self.number(callee) else { return };
                self.need(Node::Def(callee));
                self.calls.entry(callee).or_default().push((def, args));
                for (param, arg) in self.parts[callee].def.params.iter().zip(args) {
                    if self.live.defs[callee].vars.has(param.var.0 as usize) {
                        self.atom(def, arg);
                    }
                }
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::Array(_)
            | Op::Function(_)
            | Op::Derive(_)
            | Op::Delta(_) => {
                if let Op::Derive(DeriveOp::OfDefinition { def: differentiated, .. }) = &stmt.op {
                    self.entry(differentiated);
                }
                for var in walk::free_vars_op(&stmt.op) {
                    self.need(Node::Var(def, var));
                }
                stmt.binders.iter().for_each(|it| self.type_(def, &it.ty));
            }
        }
    }

    /// Statements have a result, and loops over arrays an array, even if nobody needs them; under
    /// [`Unread::Bare`], what stands there for it is up to `bare.rs`.
    fn keep_forms(&mut self) {
        for def in 0..self.parts.len() {
            for (first, stmt) in &self.parts[def].stmts {
                let live = &self.live.defs[def];
                if !live.stmts.has(first.0 as usize) {
                    continue;
                }
                let is_live = |it: Var| live.vars.has(it.0 as usize);
                let (state, elems) = loop_binders(&stmt.op);
                let no_array = !elems.is_empty() && !elems.iter().any(|it| is_live(it.var));
                let no_result = !stmt.binders.iter().chain(state).any(|it| is_live(it.var));
                // The number of steps of a `while` comes with arrays only.
                let counted = stmt.binders.get(state.len()..).unwrap_or(&[]);
                if let (Op::Control(ControlOp::While { .. }), [count, collected @ ..]) =
                    (&stmt.op, counted)
                    && is_live(count.var)
                    && !collected.iter().any(|it| is_live(it.var))
                {
                    self.need(Node::Var(def, collected[0].var));
                    continue;
                }
                if no_array {
                    self.need(Node::Var(def, elems[0].var));
                }
                if no_result && !(self.unread == Unread::Bare && bare::can_be(stmt)) {
                    self.need(Node::Var(def, *first));
                }
            }
        }
    }
}

/// The initial values and the body of a loop with a state.
fn loop_parts(op: &Op) -> Option<(&[Atom], &Block)> {
    if let Op::Control(ControlOp::Fold { inits, step, .. } | ControlOp::Scan { inits, step, .. }) =
        op
    {
        Some((inits, &step.body))
    } else if let Op::Control(
        ControlOp::Iterate { inits, body, .. } | ControlOp::While { inits, body, .. },
    ) = op
    {
        Some((inits, body))
    } else {
        None
    }
}
