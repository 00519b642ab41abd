//! Reverse mode: what is computed with [`Var`]s is recorded on their [`Tape`], which gives cotangents back.
//!
//! Paper: Krawiec et al., Figure 9 and Section 4: a Delta is a node with the numbers of its operands and the
//! partials by them, so what is used twice is recorded once. Constants are on no tape and cost nothing.

use std::cell::{Cell, RefCell};

use crate::real::Real;
use crate::var::Var;

/// What is recorded. Nothing is global: every tape is its own, and a thread may have many.
#[derive(Debug, Default)]
pub struct Tape<S = f64> {
    record: RefCell<Record<S>>,
    /// How many inputs there are; they are no operations.
    n_inputs: Cell<u32>,
    /// Memory for cotangents, which is used again. All are 0 between sweeps.
    cotangents: RefCell<Vec<S>>,
    /// Memory for the inputs of [`Tape::value_and_grad`], which is used again. There is nothing in it.
    spare: Vec<Slot<S>>,
}

/// As large as a [`Var`], and on no tape: a tape with variables in it could not go to another thread.
type Slot<S> = (Option<&'static ()>, Place, S);

/// Operations, one after the other. A sum takes a third of the memory of a product, and what is on the way
/// of memory is what a tape costs.
#[derive(Debug, Default)]
struct Record<S> {
    /// The operands of each operation.
    operands: Vec<[Operand; 2]>,
    /// The partials by those operands that have one, in the same order.
    partials: Vec<S>,
}

/// Where an operand is recorded, and whether the partial by it is 1 and therefore left out: a [`Place`] times
/// two, plus one if it has a partial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operand(i32);

/// Operations count from 0 upwards, inputs from -1 downwards: one addition finds either.
pub(crate) type Place = i32;

/// No operand.
const NOTHING: Operand = Operand(i32::MIN);

/// How many inputs and how many operations there can be.
const MOST: usize = (1 << 30) - 1;

/// A partial derivative.
#[derive(Clone, Copy)]
pub(crate) enum Partial<S> {
    One,
    Is(S),
}

/// Whose cotangents are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Those of all inputs in order, as nearly everybody does: they are read where they lie, once.
    AllInputs,
    /// Those of some inputs, in any order.
    Inputs,
    /// Those of numbers that were computed, too: they are kept until the end of the sweep.
    Computed,
}

impl Asked {
    fn of<S: Real>(tape: &Tape<S>, asked: &[Var<'_, S>]) -> Asked {
        let mut are_all = asked.len() == tape.n_inputs.get() as usize;
        for (it, place) in asked.iter().zip((Place::MIN..0).rev()) {
            let is_on = it.is_on(tape);
            if is_on && it.at >= 0 {
                return Asked::Computed;
            }
            are_all &= is_on && it.at == place;
        }
        if are_all { Asked::AllInputs } else { Asked::Inputs }
    }
}

impl<S: Real> Tape<S> {
    /// An empty tape.
    pub fn new() -> Tape<S> {
        let record = Record { operands: Vec::new(), partials: Vec::new() };
        let (record, cotangents) = (RefCell::new(record), RefCell::new(Vec::new()));
        Tape { record, n_inputs: Cell::new(0), cotangents, spare: Vec::new() }
    }

    /// An empty tape that has memory for so many operations.
    pub fn with_capacity(operations: usize) -> Tape<S> {
        let record = Record {
            operands: Vec::with_capacity(operations),
            partials: Vec::with_capacity(operations),
        };
        Tape { record: RefCell::new(record), ..Tape::new() }
    }

    /// A number to differentiate by.
    pub fn input(&self, value: S) -> Var<'_, S> {
        Var { tape: Some(self), at: self.first_of_inputs(1), value }
    }

    /// Numbers to differentiate by.
    pub fn inputs(&self, values: &[S]) -> Vec<Var<'_, S>> {
        self.inputs_in(Vec::new(), values)
    }

    fn inputs_in<'t>(&'t self, mut memory: Vec<Var<'t, S>>, values: &[S]) -> Vec<Var<'t, S>> {
        let first = self.first_of_inputs(values.len());
        let input = |(it, value): (usize, &S)| Var {
            tape: Some(self),
            at: first - it as Place,
            value: *value,
        };
        memory.extend(values.iter().enumerate().map(input));
        memory
    }

    /// The value and the gradient of a function. What was recorded before is forgotten, and all memory is
    /// used again: for one who asks for many gradients.
    ///
    /// # Panics
    /// If the gradient has not as many places as `x` has numbers.
    pub fn value_and_grad_into(
        &mut self,
        f: impl for<'t> FnOnce(&[Var<'t, S>]) -> Var<'t, S>,
        x: &[S],
        gradient: &mut [S],
    ) -> S {
        self.clear();
        let memory = same_memory(std::mem::take(&mut self.spare));
        let inputs = self.inputs_in(memory, x);
        let result = f(&inputs);
        self.pull_back_into(&[(result, S::one())], &inputs, gradient);
        let value = result.value;
        self.spare = same_memory(inputs);
        value
    }

    /// The place of the first of so many new inputs.
    fn first_of_inputs(&self, count: usize) -> Place {
        let before = self.n_inputs.get();
        assert!(count <= MOST - before as usize, "a tape has fewer than 2^30 inputs");
        self.n_inputs.set(before + count as u32);
        -1 - before as Place
    }

    /// Forgets what is recorded and keeps the memory, for the next function.
    pub fn clear(&mut self) {
        let record = self.record.get_mut();
        record.operands.clear();
        record.partials.clear();
        self.n_inputs.set(0);
    }

    /// How many operations are recorded.
    pub fn len(&self) -> usize {
        self.record.borrow().operands.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cotangents of these inputs, given those of some results.
    pub fn pull_back(&self, results: &[(Var<'_, S>, S)], inputs: &[Var<'_, S>]) -> Vec<S> {
        let mut found = vec![S::zero(); inputs.len()];
        self.pull_back_into(results, inputs, &mut found);
        found
    }

    /// The cotangents of these inputs, given those of some results, into memory of the caller.
    ///
    /// # Panics
    /// If there are not as many places as inputs.
    pub fn pull_back_into(
        &self,
        results: &[(Var<'_, S>, S)],
        inputs: &[Var<'_, S>],
        found: &mut [S],
    ) {
        assert_eq!(inputs.len(), found.len(), "a cotangent for each input");
        let n_inputs = self.n_inputs.get() as usize;
        // If numbers panic on the way, the memory is lost, and no rest of a sweep is found in it.
        let mut cotangents = self.cotangents.take();
        let needed = n_inputs + self.len();
        if cotangents.len() < needed {
            cotangents.resize(needed, S::zero());
        }
        for (result, cotangent) in results {
            if result.is_on(self) {
                cotangents[index(n_inputs, result.at)] += *cotangent;
            }
        }
        let asked = Asked::of(self, inputs);
        match asked {
            Asked::Computed => self.record.borrow().sweep(n_inputs, &mut cotangents, |_| {}),
            Asked::AllInputs | Asked::Inputs => {
                self.record.borrow().sweep(n_inputs, &mut cotangents, |it| *it = S::zero());
            }
        }
        if asked == Asked::AllInputs {
            let places = cotangents[..n_inputs].iter_mut().rev();
            for (found, place) in found.iter_mut().zip(places) {
                *found = std::mem::replace(place, S::zero());
            }
        } else {
            for (found, input) in found.iter_mut().zip(inputs) {
                *found = match input.is_on(self) {
                    true => cotangents[index(n_inputs, input.at)],
                    false => S::zero(),
                };
            }
            let left = if asked == Asked::Computed { needed } else { n_inputs };
            cotangents[..left].fill(S::zero());
        }
        self.cotangents.replace(cotangents);
    }

    /// Part of whoever calls it: a call would pass partials through memory, which costs as much as recording
    /// them does.
    #[inline(always)]
    pub(crate) fn push(
        &self,
        value: S,
        x: (Place, Partial<S>),
        y: Option<(Place, Partial<S>)>,
    ) -> Var<'_, S> {
        let mut record = self.record.borrow_mut();
        let at = record.operands.len();
        assert!(at < MOST, "a tape holds fewer than 2^30 operations");
        let x = record.operand(x);
        let y = y.map_or(NOTHING, |it| record.operand(it));
        record.operands.push([x, y]);
        Var { tape: Some(self), at: at as Place, value }
    }
}

impl<S: Real> Record<S> {
    #[inline(always)]
    fn operand(&mut self, (at, partial): (Place, Partial<S>)) -> Operand {
        match partial {
            Partial::One => Operand(at << 1),
            Partial::Is(partial) => {
                self.partials.push(partial);
                Operand(at << 1 | 1)
            }
        }
    }

    /// From the last operation to the first: each gives its cotangent to its operands, and is `left`.
    fn sweep(&self, n_inputs: usize, cotangents: &mut [S], left: impl Fn(&mut S)) {
        let mut partials = self.partials.as_slice();
        for (at, [x, y]) in self.operands.iter().enumerate().rev() {
            let place = &mut cotangents[n_inputs + at];
            let cotangent = *place;
            left(place);
            let by_y = y.take(&mut partials);
            let by_x = x.take(&mut partials);
            if cotangent.is_zero() {
                continue;
            }
            if *y != NOTHING {
                by_y.give(cotangent, &mut cotangents[index(n_inputs, y.0 >> 1)]);
            }
            by_x.give(cotangent, &mut cotangents[index(n_inputs, x.0 >> 1)]);
        }
    }
}

impl Operand {
    /// The partial by this operand: the last of those that are left, unless it is 1.
    #[inline(always)]
    fn take<S: Real>(self, partials: &mut &[S]) -> Partial<S> {
        match (self.0 & 1, partials.split_last()) {
            (1, Some((partial, rest))) => {
                *partials = rest;
                Partial::Is(*partial)
            }
            _ => Partial::One,
        }
    }
}

impl<S: Real> Partial<S> {
    /// A partial that is 0 gives nothing, even of an infinite cotangent.
    #[inline(always)]
    fn give(self, cotangent: S, to: &mut S) {
        match self {
            Partial::One => *to += cotangent,
            Partial::Is(partial) if partial.is_zero() => {}
            Partial::Is(partial) => *to += partial * cotangent,
        }
    }
}

/// An empty list of other things in the same memory: lists of things that are as large are collected in
/// place.
fn same_memory<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map_while(|_| None).collect()
}

/// Where a cotangent is: those of inputs come first, the last input at the front.
fn index(n_inputs: usize, at: Place) -> usize {
    n_inputs.wrapping_add_signed(at as isize)
}
