//! Repeats what is measured and takes medians.

use cpu_time::ThreadTime;

use crate::crates::contender::Contender;
use crate::effort::Effort;

impl Effort {
    /// Seconds that one gradient may take.
    pub fn longest(self) -> f64 {
        match self {
            Effort::Full => 8.0,
            Effort::Quick => 0.3,
        }
    }

    /// Seconds for one contender.
    fn budget(self) -> f64 {
        match self {
            Effort::Full => 1.5,
            Effort::Quick => 0.05,
        }
    }

    /// Batches of one contender, at most.
    fn rounds(self) -> usize {
        match self {
            Effort::Full => 41,
            Effort::Quick => 5,
        }
    }
}

/// Seconds of a batch: long against the clock's steps.
const BATCH: f64 = 2e-3;

/// What the runs of one contender are.
struct Plan {
    /// Runs in a batch.
    batch: usize,
    rounds: usize,
    /// Seconds of one run, for each batch.
    times: Vec<f64>,
}

/// The median time of a run of each contender; none where `run` says that there is nothing to
/// run. Contenders take turns, so that a busy moment of the machine hits all of them.
pub fn medians(
    contenders: &mut [Box<dyn Contender>],
    effort: Effort,
    mut run: impl FnMut(&mut dyn Contender) -> bool,
) -> Vec<Option<f64>> {
    let mut plans: Vec<Option<Plan>> = Vec::new();
    for it in contenders.iter_mut() {
        plans.push(run(&mut **it).then(|| plan(effort, || run(&mut **it))));
    }
    for round in 0..effort.rounds() {
        for (it, plan) in contenders.iter_mut().zip(&mut plans) {
            if let Some(plan) = plan.as_mut().filter(|it| round < it.rounds) {
                plan.times.push(time(plan.batch, || run(&mut **it)));
            }
        }
    }
    plans.into_iter().map(|it| it.map(|it| median(it.times))).collect()
}

/// Finds how many runs make a batch, and how many batches there is time for.
fn plan(effort: Effort, mut run: impl FnMut() -> bool) -> Plan {
    let mut batch = 1;
    loop {
        let seconds = time(batch, &mut run);
        let whole = seconds * batch as f64;
        if whole >= BATCH {
            let rounds = (effort.budget() / whole).ceil() as usize;
            return Plan { batch, rounds: rounds.clamp(3, effort.rounds()), times: Vec::new() };
        }
        batch *= 2;
    }
}

/// Seconds of one of `n` runs.
fn time(n: usize, mut run: impl FnMut() -> bool) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..n {
        std::hint::black_box(run());
    }
    start.elapsed().as_secs_f64() / n as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
