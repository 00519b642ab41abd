//! What a call costs besides what it computes: a function of one number, called through handles.

use std::hint::black_box;
use std::time::Instant;

use cotan::{Backend, Function, Program, Report};
use cpu_time::ThreadTime;

use crate::effort::Effort;

/// What a way to call took.
pub struct Overhead {
    pub way: &'static str,
    /// Seconds of a call for the value and for the gradient.
    pub seconds: [f64; 2],
    /// Seconds that it may take; none if nothing is asked.
    pub bar: Option<f64>,
}

/// Threads that call at once.
pub struct Throughput {
    /// What they do with results.
    pub way: &'static str,
    pub threads: usize,
    /// Calls of all threads in a second of the clock.
    pub calls: f64,
    /// Seconds of a thread for one call, whatever else the machine does: as much as alone if threads share
    /// nothing that they write to.
    pub seconds: f64,
}

/// Everything about calls.
pub struct Calls {
    pub overheads: Vec<Overhead>,
    pub throughputs: Vec<Throughput>,
}

/// Seconds that a prepared call may take.
const MOST_PREPARED: f64 = 150e-9;
/// Seconds that any other call may take.
const MOST_UNPREPARED: f64 = 300e-9;

const TEXT: &str = "def f(x: Real): Real = x * x + 3.0 * x";

/// Measures all ways to call.
pub fn measure(effort: Effort, say: &dyn Fn(&str)) -> Result<Calls, String> {
    let told = |report: Report| report.to_string();
    let f = Program::new(TEXT).and_then(|it| it.function("f")).map_err(told)?;
    let native = f.backend(Backend::Native);
    let interpreted = f.backend(Backend::Interp);
    let mut overheads = Vec::new();
    for way in WAYS {
        say(way.name);
        let of = if way.is_native { &native } else { &interpreted };
        let value = (way.time)(of, effort).map_err(told)?;
        let gradient = (way.time)(&of.grad(), effort).map_err(told)?;
        overheads.push(Overhead { way: way.name, seconds: [value, gradient], bar: way.bar });
    }
    let mut throughputs = Vec::new();
    for (way, call) in SHARED {
        say(way);
        for threads in [1, 2] {
            let measured = throughput(&native.grad(), (way, call), threads, effort);
            throughputs.push(measured.map_err(told)?);
        }
    }
    Ok(Calls { overheads, throughputs })
}

/// A way to call a function.
struct Way {
    name: &'static str,
    is_native: bool,
    bar: Option<f64>,
    time: fn(&Function, Effort) -> Result<f64, Report>,
}

const WAYS: [Way; 6] = [
    Way {
        name: "prepared",
        is_native: true,
        bar: Some(MOST_PREPARED),
        time: |f, effort| {
            let call = f.prepare((2.0,))?;
            timed(effort, || call.call().map(drop))
        },
    },
    Way {
        name: "prepared, argument changed, into memory of the caller",
        is_native: true,
        bar: None,
        time: |f, effort| {
            let mut call = f.prepare((2.0,))?;
            let mut result = 0.0;
            timed(effort, || {
                call.set(0, black_box(3.0))?;
                call.call_into(&mut result)
            })
        },
    },
    Way {
        name: "unprepared",
        is_native: true,
        bar: Some(MOST_UNPREPARED),
        time: |f, effort| timed(effort, || f.call((black_box(2.0),)).map(drop)),
    },
    Way {
        name: "unprepared, into memory of the caller",
        is_native: true,
        bar: Some(MOST_UNPREPARED),
        time: |f, effort| {
            let mut result = 0.0;
            timed(effort, || f.call_into((black_box(2.0),), &mut result))
        },
    },
    Way {
        name: "interpreter, prepared",
        is_native: false,
        bar: None,
        time: |f, effort| {
            let call = f.prepare((2.0,))?;
            timed(effort, || call.call().map(drop))
        },
    },
    Way {
        name: "interpreter, unprepared",
        is_native: false,
        bar: None,
        time: |f, effort| timed(effort, || f.call((black_box(2.0),)).map(drop)),
    },
];

/// Calls in a batch: some milliseconds.
const BATCH: u32 = 10_000;

/// The median over batches of the time of this thread for one call.
fn timed(effort: Effort, mut call: impl FnMut() -> Result<(), Report>) -> Result<f64, Report> {
    let rounds = match effort {
        Effort::Full => 41,
        Effort::Quick => 1,
    };
    call()?;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let start = ThreadTime::now();
        for _ in 0..BATCH {
            call()?;
        }
        seconds.push(start.elapsed().as_secs_f64() / f64::from(BATCH));
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// What threads do with a handle that they share.
type Shared = (&'static str, fn(&Function) -> Result<(), Report>);

const SHARED: [Shared; 2] = [
    ("an answer each", |f| f.call((black_box(2.0),)).map(drop)),
    ("into memory of the caller", |f| f.call_into((black_box(2.0),), &mut 0.0)),
];

/// Threads that share a handle.
fn throughput(
    f: &Function,
    (way, call): Shared,
    threads: usize,
    effort: Effort,
) -> Result<Throughput, Report> {
    let batches = match effort {
        Effort::Full => 100,
        Effort::Quick => 1,
    };
    call(f)?;
    let start = Instant::now();
    let seconds = std::thread::scope(|scope| {
        let work = || -> Result<f64, Report> {
            let start = ThreadTime::now();
            (0..batches * BATCH).try_for_each(|_| call(f))?;
            Ok(start.elapsed().as_secs_f64())
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let all = running.into_iter().map(|it| it.join().expect("nothing panics"));
        all.sum::<Result<f64, Report>>()
    })?;
    let calls = f64::from(batches * BATCH) * threads as f64;
    let by_clock = calls / start.elapsed().as_secs_f64();
    Ok(Throughput { way, threads, calls: by_clock, seconds: seconds / calls })
}
