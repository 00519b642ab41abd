//! Reverse mode: what is computed with [`Var`]s is recorded on their [`Tape`], which gives cotangents back.
//!
//! Paper: Krawiec et al., Figure 9 and Section 4: a Delta is a node with the numbers of its operands and the
//! partials by them, so what is used twice is recorded once. Constants are on no tape and cost nothing.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::functions::{binary_functions, partials, unary_functions};
use crate::real::Real;

/// What is recorded. Nothing is global: every tape is its own, and a thread may have many.
#[derive(Debug, Default)]
pub struct Tape<S = f64> {
    nodes: RefCell<Vec<Node<S>>>,
    /// How many inputs there are; they are no operations.
    n_inputs: Cell<u32>,
    /// Memory for cotangents, which is used again.
    cotangents: RefCell<Vec<S>>,
}

/// An operation: its operands, and the partials by them.
#[derive(Clone, Copy, Debug)]
struct Node<S> {
    operands: [u32; 2],
    partials: [S; 2],
}

/// No operand.
const NOTHING: u32 = u32::MAX;

/// From here on numbers are those of inputs.
const INPUTS: u32 = 1 << 31;

/// A number that is recorded, or a constant.
#[derive(Clone, Copy, Debug)]
pub struct Var<'t, S = f64> {
    tape: Option<&'t Tape<S>>,
    at: u32,
    /// The number.
    pub value: S,
}

impl<S: Real> Tape<S> {
    /// An empty tape.
    pub fn new() -> Tape<S> {
        let (nodes, cotangents) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        Tape { nodes, n_inputs: Cell::new(0), cotangents }
    }

    /// A number to differentiate by.
    pub fn input(&self, value: S) -> Var<'_, S> {
        let at = INPUTS + self.n_inputs.get();
        assert!(at < NOTHING, "a tape has fewer than 2^31 inputs");
        self.n_inputs.set(self.n_inputs.get() + 1);
        Var { tape: Some(self), at, value }
    }

    /// Forgets what is recorded and keeps the memory, for the next function.
    pub fn clear(&mut self) {
        self.nodes.get_mut().clear();
        self.n_inputs.set(0);
    }

    /// How many operations are recorded.
    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.nodes.borrow().is_empty()
    }

    /// The cotangents of these inputs, given those of some results.
    pub fn pull_back(&self, results: &[(Var<'_, S>, S)], inputs: &[Var<'_, S>]) -> Vec<S> {
        let nodes = self.nodes.borrow();
        // Inputs behind operations.
        let mut cotangents = self.cotangents.borrow_mut();
        cotangents.clear();
        cotangents.resize(nodes.len() + self.n_inputs.get() as usize, S::zero());
        let place = |at: u32| match at.checked_sub(INPUTS) {
            Some(input) => nodes.len() + input as usize,
            None => at as usize,
        };
        for (result, cotangent) in results {
            if result.is_on(self) {
                cotangents[place(result.at)] += *cotangent;
            }
        }
        for (at, node) in nodes.iter().enumerate().rev() {
            let cotangent = cotangents[at];
            if cotangent.is_zero() {
                continue;
            }
            for (operand, partial) in node.operands.iter().zip(node.partials) {
                if *operand != NOTHING && !partial.is_zero() {
                    cotangents[place(*operand)] += partial * cotangent;
                }
            }
        }
        let of = |it: &Var<'_, S>| match it.is_on(self) {
            true => cotangents[place(it.at)],
            false => S::zero(),
        };
        inputs.iter().map(of).collect()
    }

    fn push(&self, value: S, operands: [u32; 2], partials: [S; 2]) -> Var<'_, S> {
        let mut nodes = self.nodes.borrow_mut();
        let at = nodes.len();
        assert!(at < INPUTS as usize, "a tape holds fewer than 2^31 operations");
        nodes.push(Node { operands, partials });
        Var { tape: Some(self), at: at as u32, value }
    }
}

impl<'t, S: Real> Var<'t, S> {
    fn is_on(&self, tape: &Tape<S>) -> bool {
        self.tape.is_some_and(|it| std::ptr::eq(it, tape))
    }

    fn unary(self, value: S, partial: S) -> Var<'t, S> {
        match self.tape {
            Some(tape) => tape.push(value, [self.at, NOTHING], [partial, S::zero()]),
            None => Var { value, ..self },
        }
    }

    /// Variables of two tapes are no operands of one operation: that would be a derivative by nothing.
    fn binary(self, y: Var<'t, S>, value: S, by: (S, S)) -> Var<'t, S> {
        match (self.tape, y.tape) {
            (Some(tape), Some(other)) => {
                assert!(std::ptr::eq(tape, other), "the operands are recorded on different tapes");
                tape.push(value, [self.at, y.at], [by.0, by.1])
            }
            (Some(_), None) => self.unary(value, by.0),
            (None, _) => y.unary(value, by.1),
        }
    }
}

impl<S: Real> Add for Var<'_, S> {
    type Output = Self;
    fn add(self, y: Self) -> Self {
        self.binary(y, self.value + y.value, (S::one(), S::one()))
    }
}

impl<S: Real> Sub for Var<'_, S> {
    type Output = Self;
    fn sub(self, y: Self) -> Self {
        self.binary(y, self.value - y.value, (S::one(), -S::one()))
    }
}

impl<S: Real> Mul for Var<'_, S> {
    type Output = Self;
    fn mul(self, y: Self) -> Self {
        self.binary(y, self.value * y.value, (y.value, self.value))
    }
}

impl<S: Real> Div for Var<'_, S> {
    type Output = Self;
    fn div(self, y: Self) -> Self {
        let r = self.value / y.value;
        self.binary(y, r, (S::one() / y.value, -(r / y.value)))
    }
}

impl<S: Real> Neg for Var<'_, S> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(-self.value, -S::one())
    }
}

/// With numbers: `x * 2.0`.
macro_rules! with_numbers {
    ($($operator:ident $name:ident;)+) => {$(
        impl<S: Real> $operator<f64> for Var<'_, S> {
            type Output = Self;
            fn $name(self, y: f64) -> Self {
                self.$name(Self::of(y))
            }
        }
    )+};
}

with_numbers! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<S: Real> PartialEq for Var<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<S: Real> PartialOrd for Var<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<S: Real> AddAssign for Var<'_, S> {
    fn add_assign(&mut self, y: Self) {
        *self = *self + y;
    }
}

impl<S: Real> SubAssign for Var<'_, S> {
    fn sub_assign(&mut self, y: Self) {
        *self = *self - y;
    }
}

impl<S: Real> MulAssign for Var<'_, S> {
    fn mul_assign(&mut self, y: Self) {
        *self = *self * y;
    }
}

impl<S: Real> DivAssign for Var<'_, S> {
    fn div_assign(&mut self, y: Self) {
        *self = *self / y;
    }
}

macro_rules! var_unary {
    ($($name:ident, $value:expr, $partial:expr, $about:literal;)+) => {$(
        fn $name(self) -> Self {
            let r = self.value.$name();
            self.unary(r, partials::$name(self.value, r))
        }
    )+};
}

macro_rules! var_binary {
    ($($name:ident, $value:expr, $by_x:expr, $by_y:expr, $about:literal;)+) => {$(
        fn $name(self, y: Self) -> Self {
            let r = self.value.$name(y.value);
            self.binary(y, r, partials::$name(self.value, y.value, r))
        }
    )+};
}

impl<S: Real> Real for Var<'_, S> {
    fn of(value: f64) -> Self {
        Var { tape: None, at: NOTHING, value: S::of(value) }
    }

    fn value(self) -> f64 {
        self.value.value()
    }

    fn is_zero(self) -> bool {
        self.tape.is_none() && self.value.is_zero()
    }

    fn is_plain(self) -> bool {
        self.value.is_plain()
    }

    fn polygamma(self, order: i64) -> Self {
        self.unary(self.value.polygamma(order), self.value.polygamma(order + 1))
    }

    unary_functions!(var_unary);
    binary_functions!(var_binary);
}
