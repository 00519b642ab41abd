//! Sparse Jacobians of bundle adjustment as the library gives them, in compressed rows, of the residuals
//! alone: against C by hand and JAX's `vmap` of the Jacobian of an observation, in one run.

use std::fs;
use std::num::NonZeroUsize;

use cotan::{Argument, Backend, Options, Program, Report, Sparse, SparseJacobian, Style};
use cpu_time::ProcessTime;

use crate::contender::{Contender, Entry, Roster};
use crate::effort::Effort;
use crate::inputs::{self, Data};
use crate::measure::{difference, patience};
use crate::npy;
use crate::problem::{Phase, Problem, Program as Which, Real};
use crate::process::{Process, Silence};

/// Seconds that the pattern may take, once.
const MOST_PATTERN: f64 = 0.2;
/// How much longer than C a Jacobian may take.
const MOST_OF_C: f64 = 1.3;
/// How much longer than a Jacobian JAX has to take.
const LEAST_OF_JAX: f64 = 5.0;

/// Measures, and prints a table.
pub fn run(effort: Effort) -> Result<(), String> {
    let (sizes, rounds) = match effort {
        Effort::Full => (vec![161, 48_126, 200_000], 15),
        Effort::Quick => (vec![5, 20, 60], 1),
    };
    let problem = Problem { program: Which::Bundle, sizes, real: Real::F64 };
    let folder = std::env::temp_dir().join(format!("cotan-sparse-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let res = measured(&problem, &folder, effort, rounds);
    // What stays is in a folder for what may be removed.
    let _ = fs::remove_dir_all(&folder);
    res
}

fn measured(
    problem: &Problem,
    folder: &std::path::Path,
    effort: Effort,
    rounds: usize,
) -> Result<(), String> {
    let given = inputs::inputs(problem);
    inputs::write(&given, problem.real, folder)?;
    let arguments: Vec<Argument> = given.iter().map(argument).collect();
    let jacobian = jacobian()?;
    let mut found = Sparse::default();
    // The first call compiles.
    jacobian.call_into(&arguments[..], &mut found).map_err(told)?;
    let once = jacobian_again(&jacobian, &arguments)?;
    let roster = Roster::new(folder);
    let start = |contender| {
        let command = roster.command(Entry { contender, threads: 1 }, problem, folder);
        Process::start(command.map_err(Silence::Missing)?, patience(effort))
    };
    let mut c = start(Contender::C).map_err(|it| format!("{it:?}"))?;
    let mut jax = start(Contender::Jax);
    let results = folder.join("results");
    fs::create_dir_all(&results).map_err(|error| error.to_string())?;
    c.run(Phase::Gradient, &results, patience(effort)).map_err(|it| format!("{it:?}"))?;
    let mut wanted = npy::read_reals(&results.join("gradient.0.npy"))?;
    wanted.extend(npy::read_reals(&results.join("gradient.1.npy"))?);
    if let Some(complaint) = difference(problem.real, &[wanted], &[found.values.clone()]) {
        return Err(format!("the entries are not those of C: {complaint}"));
    }
    let (mut ours, mut by_c, mut by_jax) = (Vec::new(), Vec::new(), Vec::new());
    if let Ok(jax) = &mut jax {
        // It compiles.
        let _ = jax.time(Phase::Gradient, 1, patience(effort));
    }
    for _ in 0..rounds {
        let before = ProcessTime::now();
        jacobian.call_into(&arguments[..], &mut found).map_err(told)?;
        ours.push(before.elapsed().as_secs_f64());
        let time = c.time(Phase::Gradient, 1, patience(effort)).map_err(|it| format!("{it:?}"))?;
        by_c.push(time.used);
        if let Ok(jax) = &mut jax
            && let Ok(time) = jax.time(Phase::Gradient, 1, patience(effort))
        {
            by_jax.push(time.used);
        }
    }
    let [ours, by_c, by_jax] = [ours, by_c, by_jax].map(median);
    println!("{}", table(problem, &found, once, [ours, by_c, by_jax]));
    Ok(())
}

fn table(problem: &Problem, found: &Sparse, once: f64, [ours, c, jax]: [f64; 3]) -> String {
    let verdict = |holds: bool| if holds { "yes" } else { "**no**" };
    let line = |what: &str, time: f64, ratio: String, bar: String, holds: bool| {
        format!("| {what} | {:.1} ms | {ratio} | {bar} | {} |\n", 1e3 * time, verdict(holds))
    };
    let (rows, columns, n) = (found.n_rows(), found.n_columns, found.values.len());
    let mut res = format!(
        "{}: {rows} rows, {columns} columns, {n} entries, one thread, time of the process\n\n\
         | what | time | ratio | bar | reached |\n|---|---|---|---|---|\n",
        problem.title()
    );
    let seconds = format!("{MOST_PATTERN} s");
    res += &line("pattern, once", once, "-".to_owned(), seconds, once <= MOST_PATTERN);
    let ratio = ours / c;
    res += &line("Jacobian", ours, "1".to_owned(), "-".to_owned(), true);
    let most = format!("ours at most {MOST_OF_C}");
    res += &line("C by hand", c, format!("ours {ratio:.2}"), most, ratio <= MOST_OF_C);
    let least = format!("at least {LEAST_OF_JAX}");
    match jax.is_nan() {
        true => res += &format!("| JAX | not measured | - | {least} | - |\n"),
        false => {
            let ratio = jax / ours;
            res += &line("JAX", jax, format!("{ratio:.1}"), least, ratio >= LEAST_OF_JAX);
        }
    }
    res
}

fn jacobian() -> Result<SparseJacobian, String> {
    let options = Options {
        memory: 16 << 30,
        backend: Backend::Native,
        threads: NonZeroUsize::new(1),
        ..Options::default()
    };
    let text = include_str!("../programs/bundle.cot");
    let program = Program::with_options("bundle.cot", text, options).map_err(told)?;
    let residuals = program.function("value").map_err(told)?;
    Ok(residuals.wrt(["cameras", "points", "weights"]).sparse_jacobian())
}

/// Seconds that the pattern takes, when the code is there.
fn jacobian_again(jacobian: &SparseJacobian, arguments: &[Argument]) -> Result<f64, String> {
    let times = (0..3).map(|_| {
        let before = ProcessTime::now();
        jacobian.pattern(arguments).map_err(told)?;
        Ok(before.elapsed().as_secs_f64())
    });
    Ok(median(times.collect::<Result<Vec<f64>, String>>()?))
}

fn argument(of: &inputs::Input) -> Argument {
    match &of.data {
        Data::Reals(data) => Argument::reals(of.name, &of.shape, data),
        Data::Ints(data) => Argument::data(of.name, data),
    }
}

/// NaN of nothing.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn told(report: Report) -> String {
    report.render(Style::Plain)
}
