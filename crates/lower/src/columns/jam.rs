//! Several elements side by side: a loop inside of a vector loop hands its state from step to step, and each
//! step waits for the one before. The steps of other elements do not, and fill the time.
//!
//! The elements are dealt out to as many stretches of the same length, of which one element each goes into a
//! step; so the elements of a vector are neighbours. Those that are left go by themselves.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{
    Acc, Atom, Block, Func, How, Kind, Loop, Node, Place, Scalar, State, Term, Type, Value, Var,
};

use super::var_of;
use crate::tuning::{LEAST_STRETCH, MOST_REGISTERS};

/// The loop with several elements in a step, where that is worth the while.
pub(super) fn jam(func: &mut Func, it: Loop) -> Block {
    let n = 1i64 << (MOST_REGISTERS / registers(&it.body).max(1)).clamp(1, 8).ilog2();
    if n == 1 {
        return vec![Node::Loop(Box::new(it))];
    }
    let mut nodes = Block::new();
    let mut int = |func: &mut Func, prim: Prim, args: &[Atom]| {
        let is_bool = [Prim::Ge, Prim::And].contains(&prim);
        let ty = if is_bool { Scalar::Bool } else { Scalar::Int };
        let var = func.fresh(Type::Scalar(ty));
        nodes.push(Node::Let { var, value: Value::Prim(prim, args.to_vec()) });
        Atom::Var(var)
    };
    let mut is_long = int(func, Prim::Ge, &[it.count, Atom::Int(n * LEAST_STRETCH)]);
    // What the steps of a loop read again and again is read before it: where there are steps.
    for count in counts(&it.body) {
        let is_some = int(func, Prim::Ge, &[count, Atom::Int(1)]);
        is_long = int(func, Prim::And, &[is_long, is_some]);
    }
    let stretch = int(func, Prim::Div, &[it.count, Atom::Int(n)]);
    let stretch = int(func, Prim::Select, &[is_long, stretch, Atom::Int(0)]);
    let starts: Vec<Atom> =
        (1..=n).map(|at| int(func, Prim::Mul, &[stretch, Atom::Int(at)])).collect();
    let end = starts[starts.len() - 1];
    let left = int(func, Prim::Sub, &[it.count, end]);
    let firsts = starts[..starts.len() - 1].iter().map(|it| Some(*it));
    let firsts: Vec<Option<Atom>> = [None].into_iter().chain(firsts).collect();
    let first = Jam::new(func, &it, firsts).counted(&it, stretch);
    let mut rest = Jam::new(func, &it, vec![Some(end)]).counted(&it, left);
    for ((acc, first), own) in rest.accs.iter_mut().zip(&first.accs).zip(&it.accs) {
        acc.init = Atom::Var(first.var);
        acc.var = own.var;
    }
    nodes.extend([first, rest].map(|it| Node::Loop(Box::new(it))));
    nodes
}

/// How often the loops of a step run, each number once.
fn counts(block: &Block) -> Vec<Atom> {
    let mut res: Vec<Atom> = Vec::new();
    for node in block {
        if let Node::Loop(it) = node
            && !res.contains(&it.count)
        {
            res.push(it.count);
        }
    }
    res
}

/// About how many registers an element takes in the loops of a step.
fn registers(block: &Block) -> usize {
    let of_loop = |node: &Node| match node {
        Node::Loop(it) => {
            let is_load = |it: &&Node| matches!(it, Node::Let { value: Value::Load { .. }, .. });
            let own = it.state.len() + it.body.iter().filter(is_load).count();
            Some(own.max(registers(&it.body)))
        }
        Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } | Node::Chunks(_) => None,
        Node::While(_)
        | Node::If { .. }
        | Node::Switch { .. }
        | Node::Make { .. }
        | Node::Both { .. } => None,
        Node::Call { .. } | Node::Check { .. } | Node::Scope(_) | Node::Kernel(_) => None,
    };
    block.iter().filter_map(of_loop).max().unwrap_or(0)
}

/// A step for several elements, in the making.
struct Jam<'a> {
    func: &'a mut Func,
    /// The number of the element before, and now.
    index: (Var, Var),
    /// Where the stretches begin.
    starts: Vec<Option<Atom>>,
    /// What variables have become in each copy.
    values: Vec<BTreeMap<Var, Atom>>,
    /// What differs from element to element.
    wide: BTreeSet<Var>,
    /// Whether the loops of the step are known to have steps themselves.
    runs: bool,
}

impl<'a> Jam<'a> {
    fn new(func: &'a mut Func, it: &Loop, starts: Vec<Option<Atom>>) -> Jam<'a> {
        let index = (it.var, func.fresh(Type::Scalar(Scalar::Int)));
        let values = starts.iter().map(|_| BTreeMap::new()).collect();
        let runs = starts.len() > 1;
        Jam { func, index, starts, values, wide: BTreeSet::from([it.var]), runs }
    }

    fn counted(mut self, it: &Loop, count: Atom) -> Loop {
        let mut body = Block::new();
        for copy in 0..self.starts.len() {
            let value = match self.starts[copy] {
                None => Atom::Var(self.index.1),
                Some(start) => {
                    let var = self.func.fresh(Type::Scalar(Scalar::Int));
                    let value = Value::Prim(Prim::Add, vec![Atom::Var(self.index.1), start]);
                    body.push(Node::Let { var, value });
                    Atom::Var(var)
                }
            };
            self.values[copy].insert(it.var, value);
        }
        it.body.iter().for_each(|node| self.node(node, &mut body));
        let mut accs = Vec::new();
        for acc in &it.accs {
            let value = self.combined(acc.how, acc.value, &mut body);
            let var = self.func.fresh(self.func.ty(acc.var));
            accs.push(Acc { var, value, ..acc.clone() });
        }
        Loop { var: self.index.1, count, kind: Kind::Vector, state: Vec::new(), accs, body }
    }

    fn atom(&self, copy: usize, atom: Atom) -> Atom {
        var_of(&atom).and_then(|it| self.values[copy].get(&it).copied()).unwrap_or(atom)
    }

    fn array(&self, copy: usize, array: Var) -> Var {
        var_of(&self.atom(copy, Atom::Var(array))).unwrap_or(array)
    }

    fn place(&self, copy: usize, at: &Place) -> Place {
        let mut res = Place::new();
        for Term { index, stride } in at {
            let stride = self.atom(copy, *stride);
            if *index == Atom::Var(self.index.0) {
                let start = self.starts[copy].map(|index| Term { index, stride });
                res.extend(start);
                res.push(Term { index: Atom::Var(self.index.1), stride });
            } else {
                res.push(Term { index: self.atom(copy, *index), stride });
            }
        }
        res
    }

    /// How often a statement is done: for each element, or once for all.
    fn copies(&self, is_wide: bool) -> usize {
        if is_wide { self.starts.len() } else { 1 }
    }

    /// A new variable of a copy, or of all.
    fn fresh(&mut self, var: Var, copy: Option<usize>) -> Var {
        let new = self.func.fresh(self.func.ty(var));
        match copy {
            Some(copy) => {
                self.values[copy].insert(var, Atom::Var(new));
            }
            None => {
                for values in &mut self.values {
                    values.insert(var, Atom::Var(new));
                }
            }
        }
        new
    }

    fn node(&mut self, node: &Node, into: &mut Block) {
        let mut is_wide = matches!(node, Node::Alloc { .. });
        node.uses(&mut |var| is_wide |= self.wide.contains(&var));
        let copies = self.copies(is_wide);
        let one = |copy: usize| is_wide.then_some(copy);
        match node {
            Node::Let { var, value } => {
                if is_wide {
                    self.wide.insert(*var);
                }
                for copy in 0..copies {
                    let value = self.value(copy, value);
                    let var = self.fresh(*var, one(copy));
                    into.push(Node::Let { var, value });
                }
            }
            Node::Alloc { array, len, lanes } => {
                self.wide.insert(*array);
                for copy in 0..copies {
                    let len = self.atom(copy, *len);
                    let array = self.fresh(*array, one(copy));
                    into.push(Node::Alloc { array, len, lanes: *lanes });
                }
            }
            Node::Store { array, at, value, how } => {
                let is_place = at.iter().any(|it| self.is_wide(it.index));
                if *how != How::Set && !is_place && !self.wide.contains(array) {
                    let value = self.combined(*how, *value, into);
                    let at = self.place(0, at);
                    into.push(Node::Store { array: self.array(0, *array), at, value, how: *how });
                    return;
                }
                for copy in 0..copies {
                    let (array, at) = (self.array(copy, *array), self.place(copy, at));
                    let value = self.atom(copy, *value);
                    into.push(Node::Store { array, at, value, how: *how });
                }
            }
            Node::Loop(it) => self.steps(it, into),
            Node::Chunks(_) | Node::While(_) | Node::If { .. } | Node::Switch { .. } => {}
            Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Check { .. } => {}
            Node::Scope(_) | Node::Kernel(_) => {}
        }
    }

    fn is_wide(&self, atom: Atom) -> bool {
        var_of(&atom).is_some_and(|it| self.wide.contains(&it))
    }

    /// One loop for all elements, with a state for each.
    fn steps(&mut self, it: &Loop, into: &mut Block) {
        let count = self.atom(0, it.count);
        let var = self.fresh(it.var, None);
        let mut state = Vec::new();
        for part in &it.state {
            self.wide.extend([part.var, part.last]);
            for copy in 0..self.starts.len() {
                let init = self.atom(copy, part.init);
                let var = self.fresh(part.var, Some(copy));
                state.push(State { var, init, next: part.next, last: part.last });
            }
        }
        let mut body = Block::new();
        let runs = std::mem::take(&mut self.runs);
        for node in &it.body {
            let is_first = runs && self.is_element(node, it);
            self.node(node, if is_first { &mut *into } else { &mut body });
        }
        self.runs = runs;
        for (at, part) in state.iter_mut().enumerate() {
            let copy = at % self.starts.len();
            part.next = self.atom(copy, part.next);
            part.last = self.fresh(part.last, Some(copy));
        }
        let (kind, accs) = (Kind::Seq, Vec::new());
        into.push(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
    }

    /// Whether a statement of a loop reads the element of an array that no step changes.
    fn is_element(&self, node: &Node, it: &Loop) -> bool {
        let Node::Let { value: Value::Load { array, at }, .. } = node else { return false };
        let own = Term { index: Atom::Var(self.index.0), stride: Atom::Int(1) };
        let is_outside = !self.wide.contains(array);
        let is_bound = it.body.iter().any(
            |node| matches!(node, Node::Let { var, value: Value::Part { .. } } if var == array),
        );
        is_outside && !is_bound && **at == [own]
    }

    /// What all copies contribute.
    fn combined(&mut self, how: How, value: Atom, into: &mut Block) -> Atom {
        let prim = match how {
            How::Set | How::Add => Prim::Add,
            How::Mul => Prim::Mul,
            How::Max => Prim::Max,
            How::Min => Prim::Min,
        };
        let mut res = self.atom(0, value);
        for copy in 1..self.starts.len() {
            let args = vec![res, self.atom(copy, value)];
            let var = self.func.fresh(self.func.atom_type(value));
            into.push(Node::Let { var, value: Value::Prim(prim, args) });
            res = Atom::Var(var);
        }
        res
    }

    fn value(&self, copy: usize, value: &Value) -> Value {
        let atom = |it: &Atom| self.atom(copy, *it);
        match value {
            Value::Atom(it) => Value::Atom(atom(it)),
            Value::Prim(prim, args) => Value::Prim(*prim, args.iter().map(atom).collect()),
            Value::ScaleAdd(a, b, c) => Value::ScaleAdd(atom(a), atom(b), atom(c)),
            Value::Load { array, at } => {
                Value::Load { array: self.array(copy, *array), at: self.place(copy, at) }
            }
            Value::Part { array, at } => {
                Value::Part { array: self.array(copy, *array), at: self.place(copy, at) }
            }
        }
    }
}
