//! A contender in a process of its own: reads inputs, then obeys the lines of standard input.
//!
//! ```text
//! run value FOLDER       runs once, writes the results to FOLDER/value.0.npy, ...
//! time gradient 10       runs ten times, answers with the seconds of the clock and of the process
//! ```
//! `reference/harness.c` and `reference/worker.py` do the same for C and for the frameworks.

mod by_cotan;
mod by_gemm;

pub use by_cotan::ByCotan;

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;

use crate::npy;
use crate::problem::{Phase, Program, Real};

/// Something that runs a program on inputs it was given before.
pub trait Worker {
    /// Runs, and throws the results away.
    fn run(&mut self, phase: Phase) -> Result<(), String>;

    /// Runs; the results as the reference orders them.
    fn results(&mut self, phase: Phase) -> Result<Vec<Vec<f64>>, String>;
}

/// Serves the contender that the words name: `cotan mixture f64 1 FOLDER`.
pub fn serve(words: &[String]) -> Result<(), String> {
    let [contender, program, real, threads, folder] = words else {
        return Err("usage: worker cotan|gemm PROGRAM f64|f32 THREADS FOLDER".to_string());
    };
    let mut all = Program::ALL.into_iter().chain(Program::PATTERNS);
    let program = all.find(|it| it.name() == program);
    let program = program.ok_or("no such program")?;
    let real = Real::from_name(real).ok_or("f64 or f32, please")?;
    let threads: usize = threads.parse().map_err(|_| "a number of threads, please")?;
    let folder = Path::new(folder);
    let made: Result<Box<dyn Worker>, String> = match contender.as_str() {
        "cotan" => ByCotan::new(program, real, threads, folder).map(boxed),
        "gemm" => by_gemm::ByGemm::new(folder).map(boxed),
        other => Err(format!("nobody is called `{other}`")),
    };
    match made {
        Ok(mut worker) => {
            answer("ready")?;
            obey(&mut *worker, real)
        }
        Err(complaint) => answer(&format!("error {}", one_line(&complaint))),
    }
}

/// What Cotan gives for the inputs of a folder; for tests.
#[cfg(test)]
pub fn results_of_cotan(
    program: Program,
    real: Real,
    folder: &Path,
    phase: Phase,
) -> Result<Vec<Vec<f64>>, String> {
    ByCotan::new(program, real, 1, folder)?.results(phase)
}

/// As [`results_of_cotan`], of the `gemm` crate.
#[cfg(test)]
pub fn results_of_gemm(folder: &Path, phase: Phase) -> Result<Vec<Vec<f64>>, String> {
    by_gemm::ByGemm::new(folder)?.results(phase)
}

fn boxed<T: Worker + 'static>(worker: T) -> Box<dyn Worker> {
    Box::new(worker)
}

fn obey(worker: &mut dyn Worker, real: Real) -> Result<(), String> {
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let done = obey_line(worker, real, &line);
        answer(&done.unwrap_or_else(|complaint| format!("error {}", one_line(&complaint))))?;
    }
    Ok(())
}

fn obey_line(worker: &mut dyn Worker, real: Real, line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.splitn(3, ' ').collect();
    let [verb, phase, rest] = words[..] else { return Err(format!("not understood: {line}")) };
    let phase = Phase::ALL.into_iter().find(|it| it.name() == phase).ok_or("no such phase")?;
    if verb == "run" {
        for (index, result) in worker.results(phase)?.iter().enumerate() {
            let path = Path::new(rest).join(format!("{}.{index}.npy", phase.name()));
            let bytes = npy::of_reals(&[result.len()], result, real);
            fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        return Ok("ok".to_string());
    }
    let count: usize = rest.parse().map_err(|_| "how often?")?;
    let (clock, used) = (Instant::now(), ProcessTime::now());
    for _ in 0..count {
        worker.run(phase)?;
    }
    let (clock, used) = (clock.elapsed().as_secs_f64(), used.elapsed().as_secs_f64());
    Ok(format!("ok {clock:.9} {used:.9}"))
}

fn answer(line: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}
