//! Loops whose steps go through all elements, as loops for each element.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{
    Atom, Block, How, Kernel, Kind, Loop, Node, Place, Scalar, State, Term, Type, Value, Var, walk,
};

use super::{Columns, Pointer};

/// A part of a state: what it is of, and which cell it is in a step.
struct Part {
    state: State,
    cell: usize,
    /// The array after the loop, if it is one of two that change places.
    last: Option<Var>,
}

impl Columns<'_> {
    /// A loop of the region, or one inside of it.
    pub(super) fn steps(&mut self, it: &Loop) -> Option<()> {
        (it.kind == Kind::Seq && it.accs.is_empty()).then_some(())?;
        let count = self.atom(it.count)?;
        (!self.is_wide(count)).then_some(())?;
        let mut parts = self.buffers(it)?;
        parts.extend(self.changed(&it.body));
        let n_cells = self.cells.len();
        let had: Vec<bool> = self.cells.iter().map(Option::is_some).collect();
        let outer = std::mem::take(&mut self.step);
        self.loops.push((it.var, count));
        self.varying.insert(it.var);
        let done = it.body.iter().try_for_each(|node| self.in_step(node));
        self.loops.pop();
        let mut body = std::mem::replace(&mut self.step, outer);
        done?;
        let mut state = Vec::new();
        for part in &mut parts {
            part.state.next = self.cells[part.cell]?;
        }
        // What a step has left in cells that are not handed on is gone with it.
        for (at, cell) in self.cells.iter_mut().enumerate() {
            if at >= n_cells || !had[at] {
                *cell = None;
            }
        }
        for part in parts {
            let last = Some(Atom::Var(part.state.last));
            match part.last {
                None => self.cells[part.cell] = last,
                Some(array) => self.after_steps(array, last),
            }
            state.push(part.state);
        }
        self.gains |= !state.is_empty();
        state.extend(self.handed_on(it.var, &mut body));
        let (var, kind, accs) = (it.var, Kind::Seq, Vec::new());
        self.step.push(Node::Loop(Box::new(Loop { var, count, kind, state, accs, body })));
        Some(())
    }

    /// Rows of which a step stores the next one are read from memory no more: what was stored is handed on.
    fn handed_on(&mut self, step: Var, body: &mut Block) -> Vec<State> {
        let by_one = |index: Var| Term { index: Atom::Var(index), stride: Atom::Int(1) };
        let next_step = body.iter().find_map(|it| match it {
            Node::Let { var, value: Value::Prim(Prim::Add, args) } => {
                (**args == [Atom::Var(step), Atom::Int(1)]).then_some(*var)
            }
            Node::Let { .. } | Node::Alloc { .. } | Node::Store { .. } | Node::Loop(_) => None,
            Node::Chunks(_) | Node::While(_) | Node::If { .. } | Node::Switch { .. } => None,
            Node::Make { .. } | Node::Both { .. } | Node::Call { .. } | Node::Check { .. } => None,
            Node::Scope(_) | Node::Kernel(_) => None,
        });
        let is_flat = !body.iter().any(|it| matches!(it, Node::Loop(_)));
        let Some(next) = next_step.filter(|_| is_flat) else { return Vec::new() };
        let (here, there) = (vec![by_one(step)], vec![by_one(next)]);
        let mut stored: BTreeMap<Var, Vec<(&Place, Atom)>> = BTreeMap::new();
        for node in body.iter() {
            if let Node::Store { array, at, value, .. } = node {
                stored.entry(*array).or_default().push((at, *value));
            }
        }
        let mut res = Vec::new();
        let mut found = Vec::new();
        for (number, node) in body.iter().enumerate() {
            let Node::Let { var, value: Value::Load { array, at } } = node else { continue };
            let Some([(place, next)]) = stored.get(array).map(Vec::as_slice) else { continue };
            let is_new = found.iter().all(|(_, it): &(usize, Var)| it != array);
            if *at == here && **place == there && is_new {
                found.push((number, *array));
                res.push((*var, *next));
            }
        }
        let arrays: Vec<Var> = found.iter().map(|it| it.1).collect();
        let mut number = 0;
        body.retain(|_| {
            number += 1;
            found.iter().all(|it| it.0 != number - 1)
        });
        let state = arrays.into_iter().zip(res).map(|(array, (var, next))| {
            let ty = self.func.ty(var);
            let (init, last) = (self.func.fresh(ty), self.func.fresh(ty));
            self.wide.extend([init, last]);
            let value = Value::Load { array, at: Vec::new() };
            self.step.push(Node::Let { var: init, value });
            State { var, init: Atom::Var(init), next, last }
        });
        state.collect()
    }

    /// The arrays of a state, of which two change places in every step: the first is read, and the second is
    /// what it becomes.
    fn buffers(&mut self, it: &Loop) -> Option<Vec<Part>> {
        let mut res = Vec::new();
        for pair in it.state.chunks(2) {
            let [first, second] = pair else { return None };
            let change_places =
                first.next == Atom::Var(second.var) && second.next == Atom::Var(first.var);
            let is_array = matches!(self.func.ty(first.var), Type::Array(_));
            (change_places && is_array && !self.is_used_outside(second.last)).then_some(())?;
            let Atom::Var(init) = first.init else { return None };
            let at = vec![self.own_term()];
            let init = self.element(init, &at)?;
            let (var, last) = self.state_of(first.var)?;
            self.cells.extend([Some(Atom::Var(var)), None]);
            let cell = self.cells.len() - 1;
            self.pointers.insert(first.var, Pointer::Cell(cell - 1));
            self.pointers.insert(second.var, Pointer::Cell(cell));
            self.cells.push(None);
            self.pointers.insert(second.last, Pointer::Cell(cell + 1));
            let state = State { var, init, next: init, last };
            res.push(Part { state, cell, last: Some(first.last) });
        }
        Some(res)
    }

    /// Names for an element of an array in a step and after all of them.
    fn state_of(&mut self, array: Var) -> Option<(Var, Var)> {
        let Type::Array(scalar) = self.func.ty(array) else { return None };
        (scalar != Scalar::Box).then_some(())?;
        let ty = Type::Scalar(scalar);
        let (var, last) = (self.func.fresh(ty), self.func.fresh(ty));
        self.wide.extend([var, last]);
        self.varying.insert(var);
        Some((var, last))
    }

    /// The array that a loop leaves behind.
    fn after_steps(&mut self, array: Var, value: Option<Atom>) {
        self.cells.push(value);
        let cell = self.cells.len() - 1;
        if self.is_used_outside(array) {
            self.before.push(Node::Alloc { array, len: self.count, lanes: None });
            self.exported.push((array, cell));
        }
        self.pointers.insert(array, Pointer::Cell(cell));
    }

    /// The cells that steps change in place, where they have a value before.
    fn changed(&mut self, body: &Block) -> Vec<Part> {
        let mut arrays = BTreeSet::new();
        walk(body, &mut |node| match node {
            Node::Store { array, .. }
            | Node::Kernel(Kernel::Fill { array, .. } | Kernel::Copy { into: array, .. }) => {
                arrays.insert(*array);
            }
            Node::Let { .. } | Node::Alloc { .. } | Node::Loop(_) | Node::Chunks(_) => {}
            Node::While(_)
            | Node::If { .. }
            | Node::Switch { .. }
            | Node::Make { .. }
            | Node::Both { .. } => {}
            Node::Call { .. } | Node::Check { .. } | Node::Scope(_) | Node::Kernel(_) => {}
        });
        let mut res: Vec<Part> = Vec::new();
        for array in arrays {
            let Some(Pointer::Cell(cell)) = self.pointers.get(&array) else { continue };
            let cell = *cell;
            let is_known = res.iter().any(|it| it.cell == cell);
            let Some(init) = self.cells[cell].filter(|_| !is_known) else { continue };
            let Some((var, last)) = self.state_of(array) else { continue };
            self.cells[cell] = Some(Atom::Var(var));
            res.push(Part { state: State { var, init, next: init, last }, cell, last: None });
        }
        res
    }

    /// A statement of a step.
    fn in_step(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Let { var, value: Value::Atom(Atom::Var(array)) }
                if self.pointers.contains_key(array) =>
            {
                let pointer = self.pointers.get(array)?.clone();
                self.pointers.insert(*var, pointer);
                Some(())
            }
            Node::Let { var, value } => self.bound(*var, value),
            Node::Scope(block) => block.iter().try_for_each(|it| self.in_step(it)),
            Node::Alloc { array, len, lanes: None } => {
                (self.is_count(*len) && !self.is_used_outside(*array)).then_some(())?;
                self.room(node, *array, *len)
            }
            Node::Kernel(_) => self.moved(node),
            Node::Loop(it) if it.kind == Kind::Vector => {
                self.is_count(it.count).then_some(())?;
                self.elements(it)
            }
            Node::Loop(it) => self.steps(it),
            Node::Store { array, at, value, how: How::Set } => {
                let [(var, len)] = self.loops[..] else { return None };
                let at = self.row_of(at, var)?;
                let sum = self.sums.get(&super::var_of(value)?).copied()?;
                let is_once = self.known.uses.get(&super::var_of(value)?) == Some(&1);
                let is_whole = self.known.lens.get(array) == Some(&len);
                let is_new = self.is_untouched(*array);
                let is_real = self.func.ty(*array) == Type::Array(Scalar::Real);
                (is_once && is_whole && is_new && is_real).then_some(())?;
                (!self.pointers.contains_key(array)).then_some(())?;
                self.add_lanes(*array, len, at, sum);
                Some(())
            }
            Node::Alloc { .. } | Node::Store { .. } | Node::Chunks(_) | Node::While(_) => None,
            Node::If { .. } | Node::Switch { .. } | Node::Make { .. } | Node::Both { .. } => None,
            Node::Call { .. } | Node::Check { .. } => None,
        }
    }

    /// The place of a step, if it is one.
    fn row_of(&self, at: &loops::Place, var: Var) -> Option<loops::Place> {
        let own = loops::Term { index: Atom::Var(var), stride: Atom::Int(1) };
        (**at == [own]).then(|| vec![own])
    }

    /// A sum over all elements for every step: lane by lane, and added up after the vector loop.
    fn add_lanes(&mut self, array: Var, len: Atom, at: loops::Place, value: Atom) {
        let lanes = self.func.fresh(Type::Array(Scalar::Real));
        self.before.push(Node::Alloc { array: lanes, len, lanes: Some(How::Add) });
        let (all, zero) = (Vec::new(), Atom::Real(0.0));
        let fill = Kernel::Fill { array: lanes, at: all, len, value: zero };
        self.before.push(Node::Kernel(fill));
        self.step.push(Node::Store { array: lanes, at, value, how: How::Add });
        self.add_up(lanes, array, len);
    }
}
