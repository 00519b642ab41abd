//! The one fuzz program: changes shipped programs at random and has them go through everything that
//! Cotan does. The seed is printed, and can be given.
//!
//! ```text
//! cargo run --release -p cotan-fuzz -- --seed 7 --texts 1000000 --out finds
//! ```
//! Options: `--seed N` (a fresh one if it is not given), `--minutes M` or `--seconds S` at most,
//! `--texts N`, `--checks N`, `--evaluations N`, `--compiled N` how many of each, `--workers N`,
//! `--out FOLDER` where finds go. `--again KIND FILE` runs a find again,
//! `--shrink KIND FILE` makes it smaller. Exit status 1 if anything is
//! found.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a front end of its own: arguments in, progress and files out"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fuzz::supervise::{Figures, Plan, supervise};
use fuzz::target::{KINDS, Kind};
use fuzz::worker::{self, Work};

/// What is run unless it is said: as much as a minute allows.
const DEFAULT: [(Kind, u64); 5] = [
    (Kind::Text, 20_000),
    (Kind::Check, 2_000),
    (Kind::Evaluate, 2_000),
    (Kind::Compile, 25),
    (Kind::Build, 20),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["--worker", kind, seed, from, to, out, current] => {
            let number = |it: &str| it.parse::<u64>().unwrap_or(0);
            let Some(kind) = kind_of(kind) else { return usage() };
            worker::work(&Work {
                kind,
                seed: number(seed),
                from: number(from),
                to: number(to),
                out: PathBuf::from(out),
                current: PathBuf::from(current),
            });
            ExitCode::SUCCESS
        }
        ["--again", kind, file] => {
            let Some(kind) = kind_of(kind) else { return usage() };
            match worker::again(kind, Path::new(file)) {
                Some(find) => {
                    println!("{}\n{}", find.symptom, find.detail);
                    ExitCode::FAILURE
                }
                None => ExitCode::SUCCESS,
            }
        }
        ["--shrink", kind, file] => {
            let Some(kind) = kind_of(kind) else { return usage() };
            match worker::smaller(kind, Path::new(file)) {
                Some((case, find)) => {
                    println!("{}\n-- found: {}", case.to_text().trim_end(), find.symptom);
                    ExitCode::FAILURE
                }
                None => ExitCode::SUCCESS,
            }
        }
        options => match plan(options) {
            Some(plan) => whole_run(&plan),
            None => usage(),
        },
    }
}

fn usage() -> ExitCode {
    println!(
        "fuzz [--seed N] [--minutes M | --seconds S] [--texts N] [--checks N] [--evaluations N] \
         [--compiled N] [--workers N] [--out FOLDER]\nfuzz --again KIND FILE\nfuzz --shrink KIND FILE"
    );
    ExitCode::from(2)
}

fn kind_of(name: &str) -> Option<Kind> {
    KINDS.into_iter().find(|it| it.name() == name)
}

fn plan(options: &[&str]) -> Option<Plan> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos() as u64);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let out = std::env::temp_dir().join("cotan-finds");
    let mut plan =
        Plan { inputs: DEFAULT.to_vec(), seed: now % 1_000_000_007, until: None, workers, out };
    for pair in options.chunks(2) {
        let [key, value] = pair else { return None };
        let number = value.parse::<u64>();
        let end = |seconds: u64| Some(Instant::now() + Duration::from_secs(seconds));
        match *key {
            "--seed" => plan.seed = number.ok()?,
            "--minutes" => plan.until = end(60 * number.ok()?),
            "--seconds" => plan.until = end(number.ok()?),
            "--texts" => plan.set(Kind::Text, number.ok()?),
            "--checks" => plan.set(Kind::Check, number.ok()?),
            "--evaluations" => plan.set(Kind::Evaluate, number.ok()?),
            // Eight programs are compiled together, and one of ten inputs is built.
            "--compiled" => {
                let n = number.ok()?;
                plan.set(Kind::Compile, (n * 9 / 10).div_ceil(7));
                plan.set(Kind::Build, n.div_ceil(40));
            }
            "--workers" => plan.workers = usize::try_from(number.ok()?).ok()?.max(1),
            "--out" => plan.out = PathBuf::from(value),
            _ => return None,
        }
    }
    Some(plan)
}

fn whole_run(plan: &Plan) -> ExitCode {
    println!("seed {}", plan.seed);
    let start = Instant::now();
    let figures = supervise(plan);
    print_figures(&figures, start.elapsed());
    if figures.finds.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nfound, kept in {}:", plan.out.display());
    for (symptom, n) in &figures.finds {
        println!("{n:>9}  {symptom}");
    }
    ExitCode::FAILURE
}

/// The table for the book.
fn print_figures(figures: &Figures, took: Duration) {
    let of = |what: &str| figures.tally.get(what).copied().unwrap_or(0);
    println!("| what | how many |\n|---|---|");
    println!("| texts parsed and formatted | {} |", of("text"));
    println!("| texts checked | {} |", of("check"));
    println!("| of these well typed, checked strictly too | {} |", of("well typed"));
    println!("| definitions printed stage by stage | {} |", of("stages"));
    println!("| expressions evaluated by all methods | {} |", of("evaluated"));
    println!("| comparisons of methods and back ends | {} |", of("evaluations"));
    println!("| benches run | {} |", of("benches"));
    println!("| programs compiled | {} |", of("compiled"));
    println!("| runs of the C compiler | {} |", of("C compilations"));
    println!("| exported functions called from C | {} |", of("called from C"));
    for (what, n) in figures.tally.iter().filter(|it| it.0.starts_with("explained")) {
        println!("| {what} | {n} |");
    }
    println!("| unexplained | {} |", figures.finds.values().sum::<u64>());
    println!("| seconds | {} |", took.as_secs());
}
