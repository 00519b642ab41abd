//! Krawiec et al., section 5, figures 5 and 6: every real carries its derivative by all inputs.
//!
//! ```text
//! D1_S[R] = R x dS, with S = R^a
//! ```
//! One run finds the whole gradient, but an addition in the program has become one of vectors.

use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term, scale};

pub(crate) struct Vectors {
    inputs: usize,
    counter: Counter,
}

/// A value of type dS.
pub(crate) type Tangent = Rc<Vec<f64>>;

impl Vectors {
    /// The product of a real and a vector.
    fn times(&self, factor: Factor, ds: &Tangent) -> Tangent {
        match factor {
            Factor::One => ds.clone(),
            Factor::Times(x) => {
                self.counter.add(self.inputs);
                Rc::new(ds.iter().map(|it| scale(x, *it)).collect())
            }
        }
    }

    /// The sum of two vectors.
    fn plus(&self, x: &Tangent, y: &Tangent) -> Tangent {
        self.counter.add(self.inputs);
        Rc::new(x.iter().zip(y.iter()).map(|(x, y)| x + y).collect())
    }
}

impl Domain for Vectors {
    type Num = (f64, Tangent);

    fn constant(&mut self, value: f64) -> Self::Num {
        self.counter.add(self.inputs);
        (value, Rc::new(vec![0.0; self.inputs]))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let (first, rest) = terms.split_first().expect("an operation depends on something");
        let start = self.times(first.factor, &first.operand.1);
        let ds = rest.iter().fold(start, |sum, term| {
            let ds = self.times(term.factor, &term.operand.1);
            self.plus(&sum, &ds)
        });
        (value, ds)
    }
}

impl Rung for Vectors {
    fn new(inputs: usize, counter: Counter) -> Vectors {
        Vectors { inputs, counter }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        self.counter.add(self.inputs);
        let mut onehot = vec![0.0; self.inputs];
        onehot[index] = 1.0;
        (value, Rc::new(onehot))
    }

    fn gradient(self, (_, ds): Self::Num) -> Vec<f64> {
        ds.to_vec()
    }
}
