//! A copy of a body for some of the steps of its loop, with what is known there made use of.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{
    Acc, Atom, Block, Func, How, Loop, Node, Phi, Place, Scalar, State, Term, Type, Value, Var,
};

use super::sums::Facts;

/// Whether a body can be copied: arithmetic, elements, loops and branches of it.
pub(super) fn can_be_copied(block: &Block) -> bool {
    block.iter().all(|node| match node {
        Node::Let { .. } | Node::Store { .. } | Node::Check { .. } => true,
        Node::Loop(it) => can_be_copied(&it.body),
        Node::If { then, otherwise, .. } => can_be_copied(then) && can_be_copied(otherwise),
        Node::Scope(block) => can_be_copied(block),
        // An array belongs to the step that allocates it, and calls may take long anyway.
        Node::Alloc { .. } | Node::Chunks(_) | Node::While(_) | Node::Switch { .. } => false,
        Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Kernel(_) => false,
    })
}

/// A copy in the making.
pub(super) struct Copy<'a> {
    pub(super) func: &'a mut Func,
    pub(super) facts: &'a mut Facts,
    /// What variables of the body are in the copy.
    pub(super) values: BTreeMap<Var, Atom>,
    /// The variable of the loop, as a sum where it is part of a place.
    pub(super) parts: (Var, Vec<Atom>),
}

impl Copy<'_> {
    pub(super) fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.values.get(&var).copied().unwrap_or(atom),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => atom,
        }
    }

    fn array(&self, array: Var) -> Var {
        match self.atom(Atom::Var(array)) {
            Atom::Var(var) => var,
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => array,
        }
    }

    fn place(&self, at: &Place) -> Place {
        let mut res = Place::new();
        for Term { index, stride } in at {
            let stride = self.atom(*stride);
            match *index == Atom::Var(self.parts.0) {
                true => res.extend(self.parts.1.iter().map(|it| Term { index: *it, stride })),
                false => res.push(Term { index: self.atom(*index), stride }),
            }
        }
        res
    }

    fn fresh(&mut self, var: Var) -> Var {
        let ty = self.func.ty(var);
        let new = self.func.fresh(ty);
        self.values.insert(var, Atom::Var(new));
        new
    }

    pub(super) fn block(&mut self, block: &Block) -> Block {
        let mut res = Block::new();
        block.iter().for_each(|it| self.node(it, &mut res));
        res
    }

    fn node(&mut self, node: &Node, into: &mut Block) {
        match node {
            Node::Let { var, value } => {
                let value = self.value(value);
                match known(self.func, self.facts, &value) {
                    Some(atom) => {
                        self.values.insert(*var, atom);
                    }
                    None => {
                        let var = self.fresh(*var);
                        self.facts.note(var, &value);
                        into.push(Node::Let { var, value });
                    }
                }
            }
            Node::Store { array, at, value, how } => {
                let (array, at, how) = (self.array(*array), self.place(at), *how);
                let value = self.atom(*value);
                if !is_neutral(how, value) {
                    into.push(Node::Store { array, at, value, how });
                }
            }
            Node::Check { holds, site, values } => {
                let (holds, site) = (self.atom(*holds), *site);
                if holds != Atom::Bool(true) {
                    let values = values.iter().map(|it| self.atom(*it)).collect();
                    into.push(Node::Check { holds, site, values });
                }
            }
            Node::Loop(it) => self.counted(it, into),
            Node::If { cond, then, otherwise, results } => match self.atom(*cond) {
                Atom::Bool(holds) => {
                    let block = if holds { then } else { otherwise };
                    block.iter().for_each(|it| self.node(it, into));
                    for phi in results {
                        let value = self.atom(if holds { phi.then } else { phi.otherwise });
                        self.values.insert(phi.var, value);
                    }
                }
                cond @ (Atom::Var(_) | Atom::Int(_) | Atom::Real(_)) => {
                    let (then, otherwise) = (self.block(then), self.block(otherwise));
                    let mut phis = Vec::new();
                    for phi in results {
                        let (then, otherwise) = (self.atom(phi.then), self.atom(phi.otherwise));
                        phis.push(Phi { var: self.fresh(phi.var), then, otherwise });
                    }
                    into.push(Node::If { cond, then, otherwise, results: phis });
                }
            },
            Node::Scope(block) => {
                let block = self.block(block);
                into.push(Node::Scope(block));
            }
            Node::Alloc { .. } | Node::Chunks(_) | Node::While(_) | Node::Switch { .. } => {}
            Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Kernel(_) => {}
        }
    }

    fn counted(&mut self, it: &Loop, into: &mut Block) {
        let count = self.atom(it.count);
        let inits: Vec<Atom> = it.state.iter().map(|state| self.atom(state.init)).collect();
        let starts: Vec<Atom> = it.accs.iter().map(|acc| self.atom(acc.init)).collect();
        let var = self.fresh(it.var);
        self.facts.tame.insert(var);
        self.facts.counts(var, count);
        let names: Vec<Var> = it.state.iter().map(|state| self.fresh(state.var)).collect();
        let body = self.block(&it.body);
        let mut state = Vec::new();
        for ((old, var), init) in it.state.iter().zip(names).zip(inits) {
            let next = self.atom(old.next);
            state.push(State { var, init, next, last: self.fresh(old.last) });
        }
        let mut accs = Vec::new();
        for (old, init) in it.accs.iter().zip(starts) {
            let value = self.atom(old.value);
            match is_neutral(old.how, value) {
                // It combines nothing.
                true => {
                    self.values.insert(old.var, init);
                }
                false => {
                    let (var, how, once) = (self.fresh(old.var), old.how, false);
                    accs.push(Acc { var, how, init, value, once });
                }
            }
        }
        let kind = it.kind;
        into.push(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Atom(atom) => Value::Atom(self.atom(*atom)),
            Value::Prim(prim, args) => {
                Value::Prim(*prim, args.iter().map(|it| self.atom(*it)).collect())
            }
            Value::ScaleAdd(a, b, c) => {
                Value::ScaleAdd(self.atom(*a), self.atom(*b), self.atom(*c))
            }
            Value::Load { array, at } => {
                Value::Load { array: self.array(*array), at: self.place(at) }
            }
            Value::Part { array, at } => {
                Value::Part { array: self.array(*array), at: self.place(at) }
            }
        }
    }
}

/// Whether combining with a value changes nothing.
pub(super) fn is_neutral(how: How, value: Atom) -> bool {
    how == How::Add && matches!(value, Atom::Real(0.0) | Atom::Int(0))
}

/// The operand that a value is known to be.
fn known(func: &Func, facts: &Facts, value: &Value) -> Option<Atom> {
    let Value::Prim(prim, args) = value else { return None };
    match (*prim, args.as_slice()) {
        (Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne, [x, y]) => {
            // A real that is not a number is not equal to itself.
            let is_int = func.atom_type(*x) == Type::Scalar(Scalar::Int);
            is_int.then(|| facts.decide(*prim, *x, *y)).flatten().map(Atom::Bool)
        }
        (Prim::And, [Atom::Bool(true), it] | [it, Atom::Bool(true)])
        | (Prim::Or, [Atom::Bool(false), it] | [it, Atom::Bool(false)]) => Some(*it),
        (Prim::And, [Atom::Bool(false), _] | [_, Atom::Bool(false)]) => Some(Atom::Bool(false)),
        (Prim::Or, [Atom::Bool(true), _] | [_, Atom::Bool(true)]) => Some(Atom::Bool(true)),
        (Prim::Not, [Atom::Bool(it)]) => Some(Atom::Bool(!it)),
        (Prim::Select, [Atom::Bool(cond), yes, no]) => Some(if *cond { *yes } else { *no }),
        (Prim::Select, [_, Atom::Int(yes), Atom::Int(no)]) if yes == no => Some(Atom::Int(*yes)),
        (Prim::Scale, [Atom::Real(0.0), _] | [_, Atom::Real(0.0)]) => Some(Atom::Real(0.0)),
        _ => None,
    }
}

/// Takes away what nobody reads: `live` are the variables that are read behind the block.
pub(super) fn sweep(func: &Func, block: &mut Block, live: &mut BTreeSet<Var>) {
    let mut kept = Block::new();
    while let Some(mut node) = block.pop() {
        let mut defines = Vec::new();
        node.defines(&mut |var| defines.push(var));
        let is_read = defines.iter().any(|it| live.contains(it));
        if let Node::Let { var, .. } = &node
            && !is_read
            && !matches!(func.ty(*var), Type::Scalar(Scalar::Box))
        {
            continue;
        }
        if let Node::Loop(it) = &mut node {
            it.accs.retain(|acc| live.contains(&acc.var));
        }
        if let Node::If { results, .. } = &mut node {
            results.retain(|it| live.contains(&it.var));
        }
        if let Node::Chunks(it) = &mut node {
            sweep(func, &mut it.body, live);
            if it.body.is_empty() && it.accs.is_empty() {
                continue;
            }
        }
        node.uses(&mut |var| {
            live.insert(var);
        });
        node.blocks_mut().into_iter().for_each(|it| sweep(func, it, live));
        let does_nothing = match &node {
            Node::Loop(it) => it.body.is_empty() && it.state.is_empty() && it.accs.is_empty(),
            Node::If { then, otherwise, results, .. } => {
                then.is_empty() && otherwise.is_empty() && results.is_empty()
            }
            Node::Scope(block) => block.is_empty(),
            Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } | Node::Chunks(_) => false,
            Node::While(_) | Node::Switch { .. } | Node::Make { .. } | Node::Both { .. } => false,
            Node::Call { .. } | Node::Check { .. } | Node::Kernel(_) => false,
        };
        if !does_nothing {
            kept.push(node);
        }
    }
    kept.reverse();
    *block = kept;
}
