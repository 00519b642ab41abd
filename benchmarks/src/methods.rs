//! The reverse methods beside each other: gradients of the programs of the table, in one process.
//!
//! A method runs where it can: compiled if it gives code, in the interpreter if it does not. The sizes are
//! such that a tape in the interpreter ends too.

use std::fs;
use std::path::Path;

use cotan::Via;
use cpu_time::ThreadTime;

use crate::effort::Effort;
use crate::inputs;
use crate::machine;
use crate::problem::{Phase, Problem, Program, Real};
use crate::report::{digits, time};
use crate::worker::{ByCotan, Worker};

/// The programs with sizes.
fn problems() -> [Problem; 6] {
    let of = |program, sizes: &[usize]| Problem { program, sizes: sizes.to_vec(), real: Real::F64 };
    [
        of(Program::Elementwise, &[10_000]),
        of(Program::LogSumExp, &[100, 100]),
        of(Program::RotateRows, &[2_000]),
        of(Program::Rk4, &[2_000]),
        of(Program::Mixture, &[10, 5, 200]),
        of(Program::Lstm, &[2, 64]),
    ]
}

/// The first is what the others are compared with.
const METHODS: [Via; 4] = [Via::Bulk, Via::Chad, Via::Linmap, Via::Tape];

/// Batches of a method.
fn rounds(effort: Effort) -> usize {
    match effort {
        Effort::Full => 21,
        Effort::Quick => 1,
    }
}

/// Seconds of one batch.
const BATCH: f64 = 4e-3;

/// A method on a program.
struct Runner {
    worker: ByCotan,
    /// Runs in a batch.
    count: usize,
    seconds: Vec<f64>,
}

/// Measures all; a full run writes `METHODS.md`.
pub fn run(effort: Effort, folder: &Path) -> Result<(), String> {
    let table = table(effort, folder)?;
    println!("{}", table.trim());
    if effort == Effort::Quick {
        return Ok(());
    }
    let mut text = format!("{HEAD}\n- date: {}\n", machine::date());
    text += &format!("- machine: {}; load {}\n", machine::processor(), machine::load());
    for (name, version) in machine::ours() {
        text += &format!("- {name}: {version}\n");
    }
    text += &format!("\n{table}\n{WHY}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("METHODS.md");
    fs::write(&path, text).map_err(|error| format!("METHODS.md: {error}"))
}

const HEAD: &str = "# The methods beside each other

Written by `cargo run --release --manifest-path benchmarks/Cargo.toml -- methods`: the time of a thread for one \
gradient, the median over batches in which the methods take turns.
`bulk`, `chad` and `linmap` are compiled, `tape` runs in the interpreter, so it only shows what code is worth.
";

const WHY: &str = "Where a program has no loop with a state, or its step is arithmetic alone, the three give nearly \
the same code.
`chad` is slower on the LSTM: it computes the partial derivatives of a step on the way back, from what the step \
kept, and takes the exponentials of `sigmoid` and `tanh` again there.
`bulk` computes them where the step itself runs, which shares them; it keeps as many arrays.
";

/// The gradient of each program by each method.
fn table(effort: Effort, folder: &Path) -> Result<String, String> {
    let names: Vec<String> = METHODS.iter().map(|it| it.name().to_string()).collect();
    let ratios = METHODS[1..].iter().map(|it| format!("{} / bulk", it.name()));
    let heads: Vec<String> =
        ["program".to_string()].into_iter().chain(names).chain(ratios).collect();
    let rule: Vec<&str> =
        heads.iter().map(|it| if it == "program" { "---" } else { "---:" }).collect();
    let mut out = format!("| {} |\n| {} |\n", heads.join(" | "), rule.join(" | "));
    for problem in problems() {
        eprintln!("{}", problem.title());
        let medians = measure(&problem, effort, &folder.join(problem.key()))
            .map_err(|complaint| format!("{}: {complaint}", problem.title()))?;
        let times = medians.iter().map(|it| time(*it));
        let ratios = medians[1..].iter().map(|it| digits(it / medians[0]));
        let cells: Vec<String> = [problem.title()].into_iter().chain(times).chain(ratios).collect();
        out += &format!("| {} |\n", cells.join(" | "));
    }
    Ok(out)
}

/// The median seconds of each method.
fn measure(problem: &Problem, effort: Effort, place: &Path) -> Result<Vec<f64>, String> {
    fs::create_dir_all(place).map_err(|error| error.to_string())?;
    inputs::write(&inputs::inputs(problem), problem.real, place)?;
    let mut runners = Vec::new();
    let mut wanted: Option<Vec<Vec<f64>>> = None;
    for via in METHODS {
        let mut worker = ByCotan::by_method(problem.program, place, via)?;
        let found = worker.results(Phase::Gradient)?;
        let wanted = wanted.get_or_insert_with(|| found.clone());
        if let Some(complaint) = crate::measure::difference(problem.real, wanted, &found) {
            return Err(format!("{} differs: {complaint}", via.name()));
        }
        let once = timed(&mut worker, 1)?;
        let count = (BATCH / once).clamp(1.0, 1e6) as usize;
        runners.push(Runner { worker, count, seconds: Vec::new() });
    }
    for _ in 0..rounds(effort) {
        for it in &mut runners {
            it.seconds.push(timed(&mut it.worker, it.count)?);
        }
    }
    Ok(runners.into_iter().map(|it| median(it.seconds)).collect())
}

/// Seconds of this thread for one gradient.
fn timed(worker: &mut ByCotan, count: usize) -> Result<f64, String> {
    let start = ThreadTime::now();
    for _ in 0..count {
        worker.run(Phase::Gradient)?;
    }
    Ok(start.elapsed().as_secs_f64() / count as f64)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
