//! What a rung of the ladder is: a choice of D[R], the rest of the language is mapped over it.

use std::cell::Cell;
use std::rc::Rc;

/// A type of numbers that the evaluator runs programs with.
pub(crate) trait Domain {
    /// D[R].
    type Num: Clone;

    /// D[r], a number of the program.
    fn constant(&mut self, value: f64) -> Self::Num;

    /// The number itself.
    fn primal(num: &Self::Num) -> f64;

    /// D[op]: the value of the operation, and the operands it depends on with the partial
    /// derivative by each; at least one.
    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num;
}

/// A rung: a domain with a wrapper around it that finds gradients.
pub(crate) trait Rung: Domain {
    /// For a function of so many reals.
    fn new(inputs: usize, counter: Counter) -> Self;

    /// The dual number of an input of the function, which are numbered from 0.
    fn input(&mut self, index: usize, value: f64) -> Self::Num;

    /// The derivative of a result by every input.
    fn gradient(self, result: Self::Num) -> Vec<f64>;
}

/// An operand of an operation.
pub(crate) struct Term<'a, N> {
    pub(crate) factor: Factor,
    pub(crate) operand: &'a N,
}

/// A partial derivative.
#[derive(Clone, Copy)]
pub(crate) enum Factor {
    /// That of `x + y` by `x`: nothing is to be scaled.
    One,
    Times(f64),
}

impl Factor {
    /// The product with a tangent or cotangent; it is 0 if either is, whatever the other is.
    pub(crate) fn scale(self, z: f64, counter: &Counter) -> f64 {
        match self {
            Factor::One => z,
            Factor::Times(factor) => {
                counter.add(1);
                scale(factor, z)
            }
        }
    }
}

pub(crate) fn scale(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// Counts elementary operations on tangents and cotangents, shared by all closures of a rung.
#[derive(Clone)]
pub(crate) struct Counter {
    count: Rc<Cell<u64>>,
    budget: u64,
}

impl Counter {
    pub(crate) fn new(budget: u64) -> Counter {
        Counter { count: Rc::default(), budget }
    }

    pub(crate) fn add(&self, n: usize) {
        self.count.set(self.count.get() + n as u64);
    }

    /// An operation on a balanced tree of so many entries.
    pub(crate) fn tree(&self, entries: usize) {
        self.add(1 + (entries + 1).ilog2() as usize);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// Whether more was done than anybody wants to wait for; rungs then stop.
    pub(crate) fn is_over(&self) -> bool {
        self.count.get() > self.budget
    }
}

/// No derivatives: D[R] = R.
pub(crate) struct Plain;

impl Domain for Plain {
    type Num = f64;

    fn constant(&mut self, value: f64) -> f64 {
        value
    }

    fn primal(num: &f64) -> f64 {
        *num
    }

    fn op(&mut self, value: f64, _: &[Term<'_, f64>]) -> f64 {
        value
    }
}
