//! Smeding and Vakar, sections 9.1 to 9.3: backpropagators as data, written down in the forward run.
//!
//! ```text
//! D[R]    = (R, Int)
//! Contrib = [(Int, R)]
//! ```
//! The cotangents of the inputs stand in the array of calls already (9.1), a backpropagator is the
//! list of its calls (9.2), and the list of an identifier is known in the forward run (9.3): the
//! array of lists is a tape. Backwards, the factor of each contribution is multiplied with the
//! cotangent of the entry; section 9.2 forgets to say so in "replacing (cb', a') with (cb, a' + a)".

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term};

pub(crate) struct Contributions {
    inputs: usize,
    counter: Counter,
    /// For each identifier, its operands with the partial derivatives by them.
    tape: Vec<Contrib>,
}

type Contrib = Vec<(usize, Factor)>;

impl Contributions {
    fn record(&mut self, contrib: Contrib) -> usize {
        self.tape.push(contrib);
        self.tape.len() - 1
    }
}

impl Domain for Contributions {
    type Num = (f64, usize);

    fn constant(&mut self, value: f64) -> Self::Num {
        (value, self.record(Vec::new()))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let contrib = terms.iter().map(|it| (it.operand.1, it.factor)).collect();
        (value, self.record(contrib))
    }
}

impl Rung for Contributions {
    fn new(inputs: usize, counter: Counter) -> Contributions {
        Contributions { inputs, counter, tape: Vec::new() }
    }

    fn input(&mut self, _: usize, value: f64) -> Self::Num {
        (value, self.record(Vec::new()))
    }

    fn gradient(self, (_, result): Self::Num) -> Vec<f64> {
        let mut cotangents = vec![0.0; self.tape.len()];
        cotangents[result] = 1.0;
        for (id, contrib) in self.tape.iter().enumerate().rev() {
            self.counter.add(1);
            for (target, factor) in contrib {
                self.counter.add(1);
                cotangents[*target] += factor.scale(cotangents[id], &self.counter);
            }
        }
        // The inputs are the first identifiers.
        cotangents.truncate(self.inputs);
        cotangents
    }
}
