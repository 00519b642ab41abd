//! Checks the laws on random programs until it is stopped, and saves each find, shrunk.
//!
//! ```text
//! cargo run --release -p cotan-generate --example hunt -- --seed 0 --out finds
//! ```
//! Options: `--seed N` the first seed, `--count N` how many (else it goes on), `--size N` the size
//! of all (else from 1 to 40 again and again), `--dialect first-order|source` of all (else every fourth is of
//! first order), `--out FOLDER` where finds go.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::exit,
    reason = "a front end of its own: arguments in, progress and files out"
)]

#[path = "../tests/laws/mod.rs"]
mod laws;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use ir::{Dialect, Program};
use laws::Find;

/// Programs between two lines of progress.
const PROGRESS: u64 = 500;

struct Options {
    seed: u64,
    count: Option<u64>,
    size: Option<usize>,
    dialect: Option<Dialect>,
    out: Option<PathBuf>,
}

fn options() -> Option<Options> {
    let mut res = Options { seed: 0, count: None, size: None, dialect: None, out: None };
    let mut args = std::env::args().skip(1);
    while let Some(key) = args.next() {
        let value = args.next()?;
        match key.as_str() {
            "--seed" => res.seed = value.parse().ok()?,
            "--count" => res.count = Some(value.parse().ok()?),
            "--size" => res.size = Some(value.parse().ok()?),
            "--dialect" if value == "first-order" => res.dialect = Some(Dialect::FirstOrder),
            "--dialect" if value == "source" => res.dialect = Some(Dialect::Source),
            "--out" => res.out = Some(PathBuf::from(value)),
            _ => return None,
        }
    }
    Some(res)
}

fn main() {
    let Some(options) = options() else {
        println!(
            "hunt [--seed N] [--count N] [--size N] [--dialect first-order|source] [--out FOLDER]"
        );
        std::process::exit(2);
    };
    if options.out.is_some() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let start = Instant::now();
    let (mut reached, mut refused, mut finds) = (BTreeMap::new(), BTreeMap::new(), 0);
    let mut slowest = (0.0, 0);
    let last = options.count.map_or(u64::MAX, |count| options.seed.saturating_add(count));
    for seed in options.seed..last {
        let turn = if seed % 4 == 0 { Dialect::FirstOrder } else { Dialect::Source };
        let dialect = options.dialect.unwrap_or(turn);
        let size = options.size.unwrap_or(1 + seed as usize % 40);
        let before = Instant::now();
        match find(seed, size, dialect) {
            Ok(found) => {
                *reached.entry(found.reached).or_insert(0u64) += 1;
                if let Some(reason) = found.refusal {
                    *refused.entry(reason).or_insert(0u64) += 1;
                }
            }
            Err((find, program)) => {
                finds += 1;
                println!("seed {seed}, size {size}, {dialect:?}: {}", find.law);
                println!("{}", find.detail.lines().next().unwrap_or(""));
                save(&options, seed, dialect, &find, program);
            }
        }
        let seconds = before.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, seed);
        }
        if (seed + 1 - options.seed) % PROGRESS == 0 {
            let n = seed + 1 - options.seed;
            let rate = n as f64 / start.elapsed().as_secs_f64();
            println!(
                "{n} programs, {rate:.0} a second, {finds} finds, {reached:?}, refused {refused:?}, slowest {slowest:?}"
            );
        }
    }
}

fn find(
    seed: u64,
    size: usize,
    dialect: Dialect,
) -> Result<laws::Checked, (Find, Option<Program>)> {
    let make = || generate::program(seed, size, dialect);
    let Ok(program) = std::panic::catch_unwind(make) else {
        let detail = String::new();
        return Err((Find { law: "the generator does not panic", detail }, None));
    };
    laws::check(seed, &program, dialect).map_err(|it| (it, Some(program)))
}

/// Shrinks the program as long as the same law is broken, and writes it down.
fn save(options: &Options, seed: u64, dialect: Dialect, find: &Find, program: Option<Program>) {
    let (Some(folder), Some(program)) = (&options.out, program) else { return };
    let mut breaks =
        |it: &Program| laws::check(seed, it, dialect).is_err_and(|other| other.is_like(find));
    let small = generate::shrink(program, &mut breaks);
    let detail = match laws::check(seed, &small, dialect) {
        Err(find) => find.detail,
        Ok(_) => String::new(),
    };
    let arguments = generate::arguments(seed, &small);
    let comment = |text: &str| text.lines().map(|it| format!("# {it}\n")).collect::<String>();
    let text = format!(
        "# A random program breaks the law: {}.\n# Seed {seed}, dialect {dialect:?}.\n# At {:?} {:?}.\n{}-- input\n{small}-- law\n{}\n",
        find.law,
        arguments.sizes,
        arguments.values,
        comment(&detail),
        find.law,
    );
    let path = folder.join(format!("{seed}.case"));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    match written {
        Ok(()) => println!("saved as {}", path.display()),
        Err(error) => println!("{}: {error}", path.display()),
    }
}
