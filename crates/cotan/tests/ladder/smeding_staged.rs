//! Smeding and Vakar, section 6, figures 7 to 9: calls of backpropagators are staged.
//!
//! ```text
//! D3_c[R]      = (R, (Int, R -o Staged c))
//! D3_c[A -> B] = D3_c[A] -> Int -> (D3_c[B], Int)
//! Staged c     = (c, Map Int (R -o Staged c, R))
//! ```
//! Calls of one backpropagator are added up, since `f x + f y = f (x + y)`, and made once all of
//! them are known: from the highest identifier down. But every `Staged` holds a value of type c.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ladder::rung::{Counter, Domain, Factor, Rung, Term};

pub(crate) struct Stages {
    inputs: usize,
    counter: Counter,
    next_id: usize,
}

/// R -o Staged c.
pub(crate) type Backpropagator = Rc<dyn Fn(f64) -> Staged>;

/// What stands for `c + f1 a1 + ... + fn an`.
pub(crate) struct Staged {
    c: Vec<f64>,
    calls: BTreeMap<usize, (Backpropagator, f64)>,
}

impl Staged {
    fn init(c: Vec<f64>, counter: &Counter) -> Staged {
        counter.add(c.len());
        Staged { c, calls: BTreeMap::new() }
    }

    fn zero(inputs: usize, counter: &Counter) -> Staged {
        Staged::init(vec![0.0; inputs], counter)
    }

    /// StagedCall.
    fn call(id: usize, f: &Backpropagator, z: f64, inputs: usize, counter: &Counter) -> Staged {
        let mut res = Staged::zero(inputs, counter);
        counter.tree(0);
        res.calls.insert(id, (f.clone(), z));
        res
    }

    /// +Staged. The smaller map goes into the greater one.
    fn plus(self, other: Staged, counter: &Counter) -> Staged {
        let (small, mut great) =
            if self.calls.len() < other.calls.len() { (self, other) } else { (other, self) };
        counter.add(small.c.len());
        great.c.iter_mut().zip(small.c).for_each(|(x, y)| *x += y);
        for (id, (f, a)) in small.calls {
            counter.tree(great.calls.len());
            great.calls.entry(id).or_insert((f, 0.0)).1 += a;
        }
        great
    }

    /// ResolveStaged.
    fn resolve(mut self, counter: &Counter) -> Vec<f64> {
        loop {
            counter.tree(self.calls.len());
            let Some((_, (f, a))) = self.calls.pop_last() else { return self.c };
            self = f(a).plus(self, counter);
        }
    }
}

impl Stages {
    fn tagged(&mut self, value: f64, f: Backpropagator) -> (f64, (usize, Backpropagator)) {
        let id = self.next_id;
        self.next_id += 1;
        (value, (id, f))
    }
}

impl Domain for Stages {
    type Num = (f64, (usize, Backpropagator));

    fn constant(&mut self, value: f64) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let zero = move |_| {
            counter.add(1);
            Staged::zero(inputs, &counter)
        };
        self.tagged(value, Rc::new(zero))
    }

    fn primal((value, _): &Self::Num) -> f64 {
        *value
    }

    fn op(&mut self, value: f64, terms: &[Term<'_, Self::Num>]) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let calls: Vec<(Factor, usize, Backpropagator)> =
            terms.iter().map(|it| (it.factor, it.operand.1.0, it.operand.1.1.clone())).collect();
        let backpropagator = move |z: f64| {
            counter.add(1);
            let staged = calls.iter().map(|(factor, id, d)| {
                Staged::call(*id, d, factor.scale(z, &counter), inputs, &counter)
            });
            let sum = staged.reduce(|x, y| x.plus(y, &counter));
            sum.expect("an operation depends on something")
        };
        self.tagged(value, Rc::new(backpropagator))
    }
}

impl Rung for Stages {
    fn new(inputs: usize, counter: Counter) -> Stages {
        Stages { inputs, counter, next_id: 0 }
    }

    fn input(&mut self, index: usize, value: f64) -> Self::Num {
        let (inputs, counter) = (self.inputs, self.counter.clone());
        let inject = move |z| {
            counter.add(1);
            let mut onehot = vec![0.0; inputs];
            onehot[index] = z;
            Staged::init(onehot, &counter)
        };
        self.tagged(value, Rc::new(inject))
    }

    fn gradient(self, (_, (_, d)): Self::Num) -> Vec<f64> {
        d(1.0).resolve(&self.counter)
    }
}
