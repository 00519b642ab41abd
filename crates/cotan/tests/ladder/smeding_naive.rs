//! Smeding and Vakar, section 5, figures 5 and 6: dual numbers with backpropagators.
//!
//! ```text
//! D1_c[R] = (R, R -o c), with c the type of the input
//! ```
//! A backpropagator is called once for each use of its number, and calls those of its operands:
//! along a chain of uses, the calls multiply.

use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term};

pub(crate) struct Naive {
    inputs: usize,
    counter: Counter,
}

/// R -o c.
pub(crate) type Backpropagator = Rc<dyn Fn(f64) -> Vec<f64>>;

impl Domain for Naive {
    type Num = (f64, Backpropagator);

    fn constant(&mut self, value: f64) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let zero = move |_| {
            counter.add(1 + inputs);
            vec![0.0; inputs]
        };
        (value, Rc::new(zero))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let calls: Vec<(Factor, Backpropagator)> =
            terms.iter().map(|it| (it.factor, it.operand.1.clone())).collect();
        let backpropagator = move |z: f64| {
            if counter.is_over() {
                return vec![0.0; inputs];
            }
            counter.add(1);
            let parts = calls.iter().map(|(factor, d)| d(factor.scale(z, &counter)));
            let sum = parts.reduce(|mut sum, part| {
                counter.add(inputs);
                sum.iter_mut().zip(part).for_each(|(x, y)| *x += y);
                sum
            });
            sum.expect("an operation depends on something")
        };
        (value, Rc::new(backpropagator))
    }
}

impl Rung for Naive {
    fn new(inputs: usize, counter: Counter) -> Naive {
        Naive { inputs, counter }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let inject = move |z| {
            counter.add(1 + inputs);
            let mut onehot = vec![0.0; inputs];
            onehot[index] = z;
            onehot
        };
        (value, Rc::new(inject))
    }

    fn gradient(self, (_, d): Self::Num) -> Vec<f64> {
        d(1.0)
    }
}
