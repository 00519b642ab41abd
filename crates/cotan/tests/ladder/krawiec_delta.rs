//! Krawiec et al., section 6, figures 7 and 8: vectors are described, and built once at the end.
//!
//! ```text
//! D2[R] = R x Delta
//! ```
//! Nothing of the size of the input is made for an operation, but `eval_2` does not see which
//! parts of a Delta term are shared, and evaluates them as often as they are used.

use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term, scale};

pub(crate) struct Unshared {
    inputs: usize,
    counter: Counter,
}

#[derive(Clone)]
pub(crate) enum Delta {
    Zero,
    OneHot(usize),
    Scale(f64, Rc<Delta>),
    Add(Rc<Delta>, Rc<Delta>),
}

impl Unshared {
    /// Adds the vector that `u` describes, times `x`, to `sum`.
    fn eval(&self, x: f64, u: &Delta, sum: &mut [f64]) {
        if self.counter.is_over() {
            return;
        }
        self.counter.add(1);
        match u {
            Delta::Zero => {}
            Delta::OneHot(i) => sum[*i] += x,
            Delta::Scale(y, u) => self.eval(scale(x, *y), u, sum),
            Delta::Add(u1, u2) => {
                self.eval(x, u1, sum);
                self.eval(x, u2, sum);
            }
        }
    }
}

impl Domain for Unshared {
    type Num = (f64, Rc<Delta>);

    fn constant(&mut self, value: f64) -> Self::Num {
        (value, Rc::new(Delta::Zero))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let scaled = |term: &Term<'_, Self::Num>| match term.factor {
            Factor::One => term.operand.1.clone(),
            Factor::Times(y) => Rc::new(Delta::Scale(y, term.operand.1.clone())),
        };
        let sum = terms.iter().map(scaled).reduce(|u1, u2| Rc::new(Delta::Add(u1, u2)));
        (value, sum.expect("an operation depends on something"))
    }
}

impl Rung for Unshared {
    fn new(inputs: usize, counter: Counter) -> Unshared {
        Unshared { inputs, counter }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        (value, Rc::new(Delta::OneHot(index)))
    }

    fn gradient(self, (_, u): Self::Num) -> Vec<f64> {
        self.counter.add(self.inputs);
        let mut sum = vec![0.0; self.inputs];
        self.eval(1.0, &u, &mut sum);
        sum
    }
}
