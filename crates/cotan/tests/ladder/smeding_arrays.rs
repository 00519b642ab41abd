//! Smeding and Vakar, section 8, figure 13: arrays in the place of the map and of the cotangent.
//!
//! ```text
//! D5[R] = (R, (Int, R -o (State -> State)))
//! State = (Array R, Array (R -o (State -> State), R))
//! ```
//! The state is used linearly, so its arrays can be changed in place; the owner of a value in Rust
//! is what a linear type is there. Every backpropagator takes constant time.

use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term};

pub(crate) struct Arrays {
    inputs: usize,
    counter: Counter,
    /// From 1, as in `Wrap5`: the loop of `ResolveState` ends at 0.
    next_id: usize,
}

/// R -o (State -> State).
pub(crate) type Backpropagator = Rc<dyn Fn(f64) -> Update>;
pub(crate) type Update = Box<dyn FnOnce(State) -> State>;

pub(crate) struct State {
    cotangents: Vec<f64>,
    calls: Vec<(Backpropagator, f64)>,
}

impl State {
    /// StateAlloc.
    fn alloc(inputs: usize, next_id: usize, counter: &Counter) -> State {
        counter.add(inputs + next_id);
        let identity: Backpropagator = Rc::new(|_| Box::new(|state| state));
        State { cotangents: vec![0.0; inputs], calls: vec![(identity, 0.0); next_id] }
    }

    /// ResolveState.
    fn resolve(mut self, counter: &Counter) -> Vec<f64> {
        for id in (1..self.calls.len()).rev() {
            counter.add(1);
            let (f, a) = self.calls[id].clone();
            self = f(a)(self);
        }
        self.cotangents
    }
}

/// StagedCall.
fn staged_call((id, f): (usize, Backpropagator), z: f64, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |mut state| {
        counter.add(2);
        let call = &mut state.calls[id];
        *call = (f, call.1 + z);
        state
    })
}

/// InputCot.
fn input_cotangent(index: usize, z: f64, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |mut state| {
        counter.add(2);
        state.cotangents[index] += z;
        state
    })
}

fn compose(f: Update, g: Update, counter: &Counter) -> Update {
    let counter = counter.clone();
    Box::new(move |state| {
        counter.add(1);
        g(f(state))
    })
}

impl Arrays {
    fn tagged(&mut self, value: f64, f: Backpropagator) -> (f64, (usize, Backpropagator)) {
        let id = self.next_id;
        self.next_id += 1;
        (value, (id, f))
    }
}

impl Domain for Arrays {
    type Num = (f64, (usize, Backpropagator));

    fn constant(&mut self, value: f64) -> Self::Num {
        let counter = self.counter.clone();
        let identity = move |_| -> Update {
            counter.add(1);
            Box::new(|state| state)
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

impl Rung for Arrays {
    fn new(inputs: usize, counter: Counter) -> Arrays {
        Arrays { inputs, counter, next_id: 1 }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        let counter = self.counter.clone();
        let inject = move |z| {
            counter.add(1);
            input_cotangent(index, z, &counter)
        };
        self.tagged(value, Rc::new(inject))
    }

    fn gradient(self, (_, (_, d)): Self::Num) -> Vec<f64> {
        let state = State::alloc(self.inputs, self.next_id, &self.counter);
        d(1.0)(state).resolve(&self.counter)
    }
}
