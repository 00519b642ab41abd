//! Loops: over rows, and over anything else.

use base::Span;
use ir::{Atom, Binder, Block, Loop, Size, Type, Var};

use super::Why;
use super::class::{Class, plain};
use super::walk::Walk;

/// So often a loop is walked until its state stays what it is.
const MOST_ROUNDS: usize = 8;

impl<'p> Walk<'p> {
    pub(super) fn build(
        &mut self,
        (sizes, indices): (&[Size], &[Var]),
        body: &'p Block,
        at: Option<Span>,
    ) -> Vec<Class<'p>> {
        let mut over = None;
        for (axis, (size, index)) in sizes.iter().zip(indices).enumerate() {
            let class = match self.is_rows(size) {
                true => Class::Number,
                false if self.varies_by_part(size) => return vec![Class::mixed(Why::Size, at)],
                false if self.varies(size) => Class::Row,
                false => Class::Whole,
            };
            if class == Class::Number && over.replace(axis).is_some() {
                return vec![Class::mixed(Why::OtherRow, at)];
            }
            self.bind(*index, class);
        }
        let found = self.block(body);
        let Some(axis) = over else {
            return found.iter().map(|it| it.within(sizes.len(), at)).collect();
        };
        found.iter().map(|it| it.each(&mut |it| row(it, axis, at))).collect()
    }

    pub(super) fn fold(
        &mut self,
        (inits, arrays): (&[Atom], &[Atom]),
        step: &'p Loop,
        at: Option<Span>,
    ) -> Vec<Class<'p>> {
        let arrays = self.all(arrays);
        if arrays.iter().any(|it| !is_over_rows(it)) {
            self.elements(&arrays, step, at);
            let n_states = step.state.len();
            let found = self.settled(inits, &step.state, at, |it| it.block(&step.body));
            let further = |(i, it): (usize, &Class<'p>)| match i < n_states {
                true => it.clone(),
                false => it.within(1, at),
            };
            return found.iter().enumerate().map(further).collect();
        }
        for it in &step.elems {
            self.bind(it.var, Class::Row);
        }
        let inits = self.all(inits);
        let mut states = Vec::new();
        for it in &step.state {
            let state = self.state(&it.ty);
            self.bind(it.var, state.clone());
            states.push(state);
        }
        let found = self.block(&step.body);
        let one = |(i, it): (usize, &Class<'p>)| match (states.get(i), inits.get(i)) {
            (Some(state), Some(init)) => total(init, state, it, at),
            _ => it.each(&mut |it| row(it, 0, at)),
        };
        found.iter().enumerate().map(one).collect()
    }

    pub(super) fn scan(
        &mut self,
        (inits, arrays): (&[Atom], &[Atom]),
        step: &'p Loop,
        at: Option<Span>,
    ) -> Vec<Class<'p>> {
        let arrays = self.all(arrays);
        if arrays.iter().all(is_over_rows) {
            return vec![Class::mixed(Why::Order, at); step.state.len()];
        }
        self.elements(&arrays, step, at);
        let found = self.settled(inits, &step.state, at, |it| it.block(&step.body));
        found.iter().map(|it| it.within(1, at)).collect()
    }

    /// Elements of arrays that are not over rows.
    fn elements(&mut self, arrays: &[Class<'p>], step: &'p Loop, at: Option<Span>) {
        for (binder, array) in step.elems.iter().zip(arrays) {
            let elem = array.each(&mut |it| match it {
                Class::Rows(0) => Class::mixed(Why::OtherRow, at),
                Class::Rows(axis) => Class::Rows(axis - 1),
                it => it.clone(),
            });
            self.bind(binder.var, elem);
        }
    }

    /// The results of a loop whose state is walked until it stays what it is.
    pub(super) fn settled(
        &mut self,
        inits: &[Atom],
        state: &'p [Binder],
        at: Option<Span>,
        mut step: impl FnMut(&mut Self) -> Vec<Class<'p>>,
    ) -> Vec<Class<'p>> {
        let mut states = self.all(inits);
        for _ in 0..MOST_ROUNDS {
            for (binder, class) in state.iter().zip(&states) {
                self.bind(binder.var, class.clone());
            }
            let mut found = step(self);
            let next: Vec<Class<'p>> =
                states.iter().zip(&found).map(|(a, b)| a.join(b, at)).collect();
            if next == states {
                // What it gives may be what it began with.
                found.splice(..states.len().min(found.len()), next);
                return found;
            }
            states = next;
        }
        vec![Class::mixed(Why::State, at); states.len()]
    }

    /// A state of its own for each part of a tuple.
    fn state(&mut self, ty: &Type) -> Class<'p> {
        match ty {
            Type::Tuple(parts) => Class::Parts(parts.iter().map(|it| self.state(it)).collect()),
            Type::Real | Type::Int | Type::Bool | Type::String | Type::Array(..) => {
                Class::State(self.next_state())
            }
            Type::Function(..) | Type::Var(_) | Type::Data(..) | Type::Dual(_) => {
                Class::State(self.next_state())
            }
            Type::Delta | Type::Tape(_) => Class::State(self.next_state()),
        }
    }
}

fn is_over_rows(array: &Class<'_>) -> bool {
    let mut leaves = Vec::new();
    array.leaves(&mut leaves);
    !leaves.is_empty() && leaves.iter().all(|it| **it == Class::Rows(0))
}

/// The array of what a body gives for each row.
fn row<'p>(class: &Class<'p>, axis: usize, at: Option<Span>) -> Class<'p> {
    match plain(std::slice::from_ref(class), Why::OtherRow, at) {
        Class::Mixed(blame) => Class::Mixed(blame),
        _ => Class::Rows(axis),
    }
}

/// The last state of a loop over rows: a sum if it begins with zero and each row adds something.
fn total<'p>(
    init: &Class<'p>,
    state: &Class<'p>,
    after: &Class<'p>,
    at: Option<Span>,
) -> Class<'p> {
    match (init, state, after) {
        (Class::Parts(a), Class::Parts(b), Class::Parts(c)) if a.len() == b.len() => {
            Class::Parts(a.iter().zip(b).zip(c).map(|((a, b), c)| total(a, b, c, at)).collect())
        }
        (Class::Zero, Class::Parts(b), Class::Parts(c)) => {
            Class::Parts(b.iter().zip(c).map(|(b, c)| total(&Class::Zero, b, c, at)).collect())
        }
        (_, _, Class::Mixed(blame)) => Class::Mixed(blame.clone()),
        (Class::Zero, state, after) if state == after => Class::Sum,
        (Class::Whole, state, after) if state == after => Class::mixed(Why::Constant, at),
        _ => Class::mixed(Why::State, at),
    }
}
