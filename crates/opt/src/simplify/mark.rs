//! From what is needed to what that needs, through a whole program, each thing once.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{Atom, Block, Op, Size, Stmt, Type, Var, walk};

use super::live::{Parts, Place, loop_binders};

/// Something that may be needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// A definition.
    Def(Name),
    /// A result of a definition.
    Result(Name, usize),
    /// A statement of a definition, by its first result.
    Stmt(Name, Var),
    /// A variable of a definition.
    Var(Name, Var),
}

/// What is needed.
pub(super) struct Live(BTreeSet<Node>);

impl Live {
    pub(super) fn def(&self, name: &Name) -> bool {
        self.0.contains(&Node::Def(name.clone()))
    }

    pub(super) fn result(&self, def: &Name, at: usize) -> bool {
        self.0.contains(&Node::Result(def.clone(), at))
    }

    pub(super) fn stmt(&self, def: &Name, stmt: &Stmt) -> bool {
        let first = stmt.binders.first();
        first.is_none_or(|it| self.0.contains(&Node::Stmt(def.clone(), it.var)))
    }

    pub(super) fn var(&self, def: &Name, var: Var) -> bool {
        self.0.contains(&Node::Var(def.clone(), var))
    }
}

/// The search.
pub(super) struct Mark<'a, 'p> {
    parts: &'a BTreeMap<Name, Parts<'p>>,
    live: BTreeSet<Node>,
    work: Vec<Node>,
    /// The calls of each definition that are needed: the caller and the arguments.
    calls: BTreeMap<Name, Vec<(Name, &'p [Atom])>>,
}

impl<'a, 'p> Mark<'a, 'p> {
    pub(super) fn new(parts: &'a BTreeMap<Name, Parts<'p>>) -> Mark<'a, 'p> {
        Mark { parts, live: BTreeSet::new(), work: Vec::new(), calls: BTreeMap::new() }
    }

    /// A definition that is called from outside: all its parameters and results are needed.
    pub(super) fn entry(&mut self, name: &Name) {
        let Some(parts) = self.parts.get(name) else { return };
        self.need(Node::Def(name.clone()));
        for binder in &parts.def.params {
            self.need(Node::Var(name.clone(), binder.var));
        }
        for at in 0..parts.def.results.len() {
            self.need(Node::Result(name.clone(), at));
        }
    }

    pub(super) fn finish(mut self) -> Live {
        loop {
            while let Some(node) = self.work.pop() {
                match node {
                    Node::Def(name) => self.def(&name),
                    Node::Result(name, at) => self.result(&name, at),
                    Node::Stmt(name, first) => self.stmt(&name, first),
                    Node::Var(name, var) => self.var(&name, var),
                }
            }
            self.keep_forms();
            if self.work.is_empty() {
                return Live(self.live);
            }
        }
    }

    fn need(&mut self, node: Node) {
        if self.live.insert(node.clone()) {
            self.work.push(node);
        }
    }

    fn atom(&mut self, def: &Name, atom: &Atom) {
        if let Atom::Var(var) = atom {
            self.need(Node::Var(def.clone(), *var));
        }
    }

    fn sizes(&mut self, def: &Name, sizes: &[Size]) {
        for var in sizes.iter().flat_map(Size::vars) {
            self.need(Node::Var(def.clone(), var));
        }
    }

    fn def(&mut self, name: &Name) {
        let parts = &self.parts[name];
        for first in &parts.roots {
            self.need(Node::Stmt(name.clone(), *first));
        }
    }

    fn result(&mut self, name: &Name, at: usize) {
        let def = self.parts[name].def;
        self.atom(name, &def.body.results[at]);
        for var in def.results[at].ty.size_vars() {
            // A size that is an earlier result, or a parameter.
            match def.results.iter().position(|it| it.var == var) {
                Some(earlier) => self.need(Node::Result(name.clone(), earlier)),
                None => self.need(Node::Var(name.clone(), var)),
            }
        }
    }

    fn type_(&mut self, name: &Name, ty: &Type) {
        for var in ty.size_vars() {
            self.need(Node::Var(name.clone(), var));
        }
    }

    fn var(&mut self, name: &Name, var: Var) {
        let Some((place, ty)) = self.parts[name].places.get(&var) else { return };
        self.type_(name, ty);
        match *place {
            Place::Param => {
                let params = &self.parts[name].def.params;
                let Some(at) = params.iter().position(|it| it.var == var) else { return };
                for (caller, args) in self.calls.get(name).cloned().unwrap_or_default() {
                    self.atom(&caller, &args[at]);
                }
            }
            Place::Inside(stmt) => self.whole(name, stmt),
            Place::Elem(stmt, at) => {
                self.whole(name, stmt);
                if let Op::Fold { arrays, .. } | Op::Scan { arrays, .. } = &stmt.op {
                    self.atom(name, &arrays[at]);
                }
            }
            Place::State(stmt, at) => {
                self.whole(name, stmt);
                if let Some((inits, body)) = loop_parts(&stmt.op) {
                    self.atom(name, &inits[at]);
                    self.atom(name, &body.results[at]);
                }
            }
            Place::Result(stmt, at) => {
                self.whole(name, stmt);
                self.stmt_result(name, stmt, at);
            }
        }
    }

    fn whole(&mut self, name: &Name, stmt: &Stmt) {
        if let Some(first) = stmt.binders.first() {
            self.need(Node::Stmt(name.clone(), first.var));
        }
    }

    /// What one result of a statement needs, besides the statement.
    fn stmt_result(&mut self, name: &Name, stmt: &Stmt, at: usize) {
        let (state, _) = loop_binders(&stmt.op);
        if let Op::Call { def, .. } = &stmt.op {
            self.need(Node::Result(def.clone(), at));
        } else if at < state.len() {
            self.need(Node::Var(name.clone(), state[at].var));
        } else if let Op::While { body, .. } = &stmt.op {
            // The number of steps is no result of the body.
            if at > state.len() {
                self.atom(name, &body.results[at - 1]);
            }
        } else if let Op::Fold { step, .. } = &stmt.op {
            self.atom(name, &step.body.results[at]);
        } else if matches!(stmt.op, Op::If { .. } | Op::Match { .. } | Op::Build { .. }) {
            for (_, block) in walk::blocks(&stmt.op) {
                self.atom(name, &block.results[at]);
            }
        }
    }

    /// What a statement needs, whichever of its results is.
    fn stmt(&mut self, name: &Name, first: Var) {
        let parts = &self.parts[name];
        if let Some(parent) = parts.parents.get(&first) {
            self.need(Node::Stmt(name.clone(), *parent));
        }
        let Some(stmt) = parts.stmts.get(&first).copied() else { return };
        match &stmt.op {
            Op::If { cond, .. } => self.atom(name, cond),
            Op::Match { value, .. } => self.atom(name, value),
            Op::Build { sizes, .. } => self.sizes(name, sizes),
            Op::Fold { .. } | Op::Scan { .. } => {}
            Op::Iterate { count, .. } => self.atom(name, count),
            Op::While { cond, .. } => cond.results.iter().for_each(|it| self.atom(name, it)),
            Op::Filter { array, predicate } => {
                self.atom(name, array);
                predicate.body.results.iter().for_each(|it| self.atom(name, it));
                stmt.binders.iter().for_each(|it| self.need(Node::Var(name.clone(), it.var)));
            }
            Op::Call { def, types, sizes, args } => {
                self.need(Node::Def(def.clone()));
                self.sizes(name, sizes);
                types.iter().for_each(|it| self.type_(name, it));
                self.calls.entry(def.clone()).or_default().push((name.clone(), args));
                let params = self.parts.get(def).map_or(&[][..], |it| &it.def.params);
                for (param, arg) in params.iter().zip(args) {
                    if self.live.contains(&Node::Var(def.clone(), param.var)) {
                        self.atom(name, arg);
                    }
                }
            }
            Op::Copy(_)
            | Op::Prim(..)
            | Op::Size(_)
            | Op::Tuple { .. }
            | Op::Proj { .. }
            | Op::Con { .. }
            | Op::Lambda(_)
            | Op::Apply(..)
            | Op::Array { .. }
            | Op::Index { .. }
            | Op::Slice { .. }
            | Op::Reduce { .. }
            | Op::Argmax(_)
            | Op::Argmin(_)
            | Op::Gather { .. }
            | Op::Scatter { .. }
            | Op::Replicate { .. }
            | Op::Iota(_)
            | Op::Transpose { .. }
            | Op::Reshape { .. }
            | Op::Reverse(_)
            | Op::Concat(_)
            | Op::Sort(_)
            | Op::Argsort(_)
            | Op::Sized { .. }
            | Op::Equal(..)
            | Op::Close(..)
            | Op::StopGradient(_)
            | Op::Lift { .. }
            | Op::Primal { .. }
            | Op::Derive { .. }
            | Op::Derivative { .. }
            | Op::Combine(_)
            | Op::Zeros(_)
            | Op::Strip(_)
            | Op::Tangent { .. }
            | Op::Pair { .. }
            | Op::Pullback { .. } => {
                if let Op::Derivative { def, .. } = &stmt.op {
                    self.entry(def);
                }
                for var in walk::free_vars_op(&stmt.op) {
                    self.need(Node::Var(name.clone(), var));
                }
                stmt.binders.iter().for_each(|it| self.type_(name, &it.ty));
            }
        }
    }

    /// Statements have a result, and loops over arrays an array, even if nobody needs them.
    fn keep_forms(&mut self) {
        let parts = self.parts;
        for (name, it) in parts {
            for (first, stmt) in &it.stmts {
                if !self.live.contains(&Node::Stmt(name.clone(), *first)) {
                    continue;
                }
                let is_live = |it: Var| self.live.contains(&Node::Var(name.clone(), it));
                let (state, elems) = loop_binders(&stmt.op);
                let no_array = !elems.is_empty() && !elems.iter().any(|it| is_live(it.var));
                let no_result = !stmt.binders.iter().chain(state).any(|it| is_live(it.var));
                // The number of steps of a `while` comes with arrays only.
                let counted = stmt.binders.get(state.len()..).unwrap_or(&[]);
                if let (Op::While { .. }, [count, collected @ ..]) = (&stmt.op, counted)
                    && is_live(count.var)
                    && !collected.iter().any(|it| is_live(it.var))
                {
                    self.need(Node::Var(name.clone(), collected[0].var));
                    continue;
                }
                if no_array {
                    self.need(Node::Var(name.clone(), elems[0].var));
                }
                if no_result {
                    self.need(Node::Var(name.clone(), *first));
                }
            }
        }
    }
}

/// The initial values and the body of a loop with a state.
fn loop_parts(op: &Op) -> Option<(&[Atom], &Block)> {
    if let Op::Fold { inits, step, .. } | Op::Scan { inits, step, .. } = op {
        Some((inits, &step.body))
    } else if let Op::Iterate { inits, body, .. } | Op::While { inits, body, .. } = op {
        Some((inits, body))
    } else {
        None
    }
}
