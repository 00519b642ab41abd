//! Krawiec et al., section 7, figures 9 to 11: Delta terms whose sharing is written down.
//!
//! ```text
//! D[R]      = R x Delta
//! D[A -> B] = D[A] -> M D[B]
//! ```
//! The monad M is the state of this rung: the next identifier, and a Delta for each identifier.
//! The Delta of a number is always `Zero` or `Var`, so copies of it are cheap. The map of `eval` is
//! a dense array, as section 7.3 says.

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term, scale};

pub(crate) struct Shared {
    inputs: usize,
    counter: Counter,
    next_id: usize,
    /// In order of creation.
    binds: Vec<(usize, Delta)>,
}

#[derive(Clone)]
pub(crate) enum Delta {
    Zero,
    Scale(f64, Box<Delta>),
    Add(Box<Delta>, Box<Delta>),
    Var(usize),
    Let(usize, Box<Delta>, Box<Delta>),
}

impl Shared {
    /// Gives a Delta an identifier.
    fn delta_let(&mut self, u: Delta) -> usize {
        let id = self.next_id;
        self.next_id += 1;
        self.binds.push((id, u));
        id
    }

    /// How many identifiers operations have got.
    pub(crate) fn n_lets(&self) -> usize {
        self.binds.len()
    }

    /// Adds to `sums` what `u`, times `x`, contributes to every identifier.
    fn eval(&self, x: f64, u: &Delta, sums: &mut [f64]) {
        self.counter.add(1);
        match u {
            Delta::Zero => {}
            Delta::Scale(y, u) => self.eval(scale(x, *y), u, sums),
            Delta::Add(u1, u2) => {
                self.eval(x, u1, sums);
                self.eval(x, u2, sums);
            }
            Delta::Var(id) => sums[*id] += x,
            Delta::Let(id, u1, u2) => {
                self.eval(x, u2, sums);
                // All uses of the identifier have been met. The map of the figure has no entry
                // for one without uses; here it is zero.
                if sums[*id] != 0.0 {
                    self.eval(sums[*id], u1, sums);
                }
            }
        }
    }
}

impl Domain for Shared {
    type Num = (f64, Delta);

    fn constant(&mut self, value: f64) -> Self::Num {
        (value, Delta::Zero)
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let scaled = |term: &Term<'_, Self::Num>| match term.factor {
            Factor::One => term.operand.1.clone(),
            Factor::Times(y) => Delta::Scale(y, Box::new(term.operand.1.clone())),
        };
        let sum = terms.iter().map(scaled);
        let sum = sum.reduce(|u1, u2| Delta::Add(Box::new(u1), Box::new(u2)));
        let id = self.delta_let(sum.expect("an operation depends on something"));
        (value, Delta::Var(id))
    }
}

impl Rung for Shared {
    fn new(inputs: usize, counter: Counter) -> Shared {
        Shared { inputs, counter, next_id: inputs, binds: Vec::new() }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        (value, Delta::Var(index))
    }

    fn gradient(mut self, (_, result): Self::Num) -> Vec<f64> {
        // runDelta: the latest binding is the innermost one.
        let wrap = |body, (id, u)| Delta::Let(id, Box::new(u), Box::new(body));
        let term = std::mem::take(&mut self.binds).into_iter().rev().fold(result, wrap);
        self.counter.add(self.next_id);
        let mut sums = vec![0.0; self.next_id];
        self.eval(1.0, &term, &mut sums);
        sums.truncate(self.inputs);
        sums
    }
}
