//! Smeding and Vakar, section 7, figures 10 and 11: backpropagators change a `Staged`.
//!
//! ```text
//! D4_c[R]  = (R, (Int, R -o (Staged c -> Staged c)))
//! Staged c = (c, Map Int (R -o (Staged c -> Staged c), R))
//! ```
//! Zero is the identity and the sum is composition, so there is only one value of type c. What is
//! left of the cost is the logarithm of the map. The setters of figure 11 walk into the nested
//! tuples of the input; here they reach any of its reals in one step.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term};

pub(crate) struct Cayley {
    inputs: usize,
    counter: Counter,
    next_id: usize,
}

/// R -o (Staged c -> Staged c).
pub(crate) type Backpropagator = Rc<dyn Fn(f64) -> Update>;
pub(crate) type Update = Box<dyn FnOnce(Staged) -> Staged>;

pub(crate) struct Staged {
    c: Vec<f64>,
    calls: BTreeMap<usize, (Backpropagator, f64)>,
}

impl Staged {
    /// ResolveStaged.
    fn resolve(mut self, counter: &Counter) -> Vec<f64> {
        loop {
            counter.tree(self.calls.len());
            let Some((_, (f, a))) = self.calls.pop_last() else { return self.c };
            self = f(a)(self);
        }
    }
}

/// StagedCall.
fn staged_call((id, f): (usize, Backpropagator), z: f64, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |mut staged| {
        counter.add(1);
        counter.tree(staged.calls.len());
        staged.calls.entry(id).or_insert((f, 0.0)).1 += z;
        staged
    })
}

/// StagedMapCot of the setter of one real.
fn map_cotangent(index: usize, z: f64, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |mut staged| {
        counter.add(1);
        staged.c[index] += z;
        staged
    })
}

fn compose(f: Update, g: Update, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |staged| {
        counter.add(1);
        g(f(staged))
    })
}

impl Cayley {
    fn tagged(&mut self, value: f64, f: Backpropagator) -> (f64, (usize, Backpropagator)) {
        let id = self.next_id;
        self.next_id += 1;
        (value, (id, f))
    }
}

impl Domain for Cayley {
    type Num = (f64, (usize, Backpropagator));

    fn constant(&mut self, value: f64) -> Self::Num {
        let counter = self.counter.clone();
        let identity = move |_| -> Update {
            counter.add(1);
            Box::new(|staged| staged)
        };
        self.tagged(value, Rc::new(identity))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let counter = self.counter.clone();
        let calls: Vec<(Factor, (usize, Backpropagator))> =
            terms.iter().map(|it| (it.factor, it.operand.1.clone())).collect();
        let backpropagator = move |z: f64| {
            counter.add(1);
            let updates = calls
                .iter()
                .map(|(factor, d)| staged_call(d.clone(), factor.scale(z, &counter), &counter));
            let all = updates.reduce(|f, g| compose(f, g, &counter));
            all.expect("an operation depends on something")
        };
        self.tagged(value, Rc::new(backpropagator))
    }
}

impl Rung for Cayley {
    fn new(inputs: usize, counter: Counter) -> Cayley {
        Cayley { inputs, counter, next_id: 0 }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        let counter = self.counter.clone();
        let inject = move |z| {
            counter.add(1);
            map_cotangent(index, z, &counter)
        };
        self.tagged(value, Rc::new(inject))
    }

    fn gradient(self, (_, (_, d)): Self::Num) -> Vec<f64> {
        // StagedRunZero.
        self.counter.add(self.inputs);
        let zero = Staged { c: vec![0.0; self.inputs], calls: BTreeMap::new() };
        d(1.0)(zero).resolve(&self.counter)
    }
}
