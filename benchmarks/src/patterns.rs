//! Patterns of programs beside C by hand, value and gradient: one table, with bars and with how far it is to
//! what the machine gives at most.
//!
//! The limit of a pattern is the longest of three: its operations if none waits for another one, the bytes
//! that it moves if they come from memory, and its longest chain of operations that wait for each other. What
//! the machine gives of each is measured in the same run (`reference/limits.c`, `reference/stream.c`).

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::contender::{Contender, Entry, Roster};
use crate::effort::Effort;
use crate::machine;
use crate::measure::{Outcome, Table, measure, median, patience};
use crate::problem::{Phase, Problem, Program, Real};
use crate::process::Process;
use crate::report::{digits, time};
use crate::suite::Folder;

/// What a phase of a pattern needs at least.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Needs {
    /// Additions, multiplications and the like; a division or a square root counts as eight.
    operations: f64,
    /// To and from memory beyond the second-level cache.
    bytes: f64,
    /// Operations in the longest chain.
    chain: f64,
}

/// Seconds that one of each takes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Machine {
    operation: f64,
    byte: f64,
    link: f64,
}

/// Measures the patterns of these names, or all; a full run of all writes `PATTERNS.md`.
pub fn run(names: &[String], effort: Effort) -> Result<(), String> {
    let folder = Folder::new()?;
    let roster = Roster::new(&folder.0);
    let limits = limits(&roster, effort, &folder.0)?;
    let is_chosen = |it: &Problem| names.is_empty() || names.iter().any(|n| n == it.program.name());
    let problems = Problem::patterns().into_iter().chain(others()).filter(is_chosen);
    let mut rows = String::new();
    let (mut reached, mut all) = (0, 0);
    for problem in problems {
        eprintln!("{}", problem.title());
        let place = folder.0.join(problem.key());
        let entries =
            [Contender::C, Contender::Cotan].map(|contender| Entry { contender, threads: 1 });
        let table = measure(&problem, entries.to_vec(), &roster, effort, &place, &|_| {})
            .map_err(|complaint| format!("{}: {complaint}", problem.title()))?;
        fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
        for phase in Phase::ALL {
            let Some(bar) = bar(problem.program, phase) else { continue };
            let (line, holds) = line(&table, phase, bar, limits);
            rows += &line;
            all += 1;
            reached += usize::from(holds);
        }
    }
    let table = format!("{COLUMNS}{rows}\n{reached} of {all} are reached.\n");
    println!("{table}");
    if effort == Effort::Quick || !names.is_empty() {
        return Ok(());
    }
    let mut text = format!("{HEAD}\n- date: {}\n", machine::date());
    text += &format!("- machine: {}; load {}\n", machine::processor(), machine::load());
    for (name, version) in machine::ours() {
        text += &format!("- {name}: {version}\n");
    }
    text += &format!(
        "- at most: {} ns an operation, {} ns a byte, {} ns a link of a chain\n\n{table}",
        digits(1e9 * limits.operation),
        digits(1e9 * limits.byte),
        digits(1e9 * limits.link),
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("PATTERNS.md");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    eprintln!("wrote PATTERNS.md");
    Ok(())
}

const HEAD: &str = "# Patterns beside C by hand

Written by `cargo run --release --manifest-path benchmarks/Cargo.toml -- patterns`: time of the process, one \
thread, the median over batches in which both take turns.
[The readme](README.md) says what the programs are; `src/patterns.rs` says what the limits are made of.
";

const COLUMNS: &str = "| pattern | what | Cotan | C | ratio | bar | reached | limit | by the limit |\n\
    | --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n";

/// Programs of the other table that have a bar here too.
fn others() -> [Problem; 3] {
    let of = |program, sizes: &[usize]| Problem { program, sizes: sizes.to_vec(), real: Real::F64 };
    [
        of(Program::Rk4, &[1_000_000]),
        of(Program::KMeans, &[10, 10_000, 8]),
        of(Program::Bundle, &[49, 7776, 31_843]),
    ]
}

/// The most that Cotan may take, as a part of what C takes.
fn bar(program: Program, phase: Phase) -> Option<f64> {
    match program {
        Program::Shifted | Program::Horner | Program::Forces => Some(1.0),
        Program::Ragged | Program::Joined => Some(1.1),
        Program::Directions | Program::Pushforward => Some(1.2),
        Program::Minors => Some(1.5),
        Program::Rk4 => (phase == Phase::Gradient).then_some(1.0),
        Program::KMeans | Program::Bundle => (phase == Phase::Gradient).then_some(0.5),
        Program::Elementwise | Program::LogSumExp | Program::RotateRecords => None,
        Program::RotateColumns | Program::RotateRows | Program::MatMul => None,
        Program::Gather | Program::Jacobian | Program::Mixture => None,
        Program::Lstm | Program::Network => None,
    }
}

/// What a pattern needs at least; nothing where nobody has counted.
fn needs(problem: &Problem, phase: Phase) -> Option<Needs> {
    let size = |at: usize| problem.sizes[at] as f64;
    let of = |operations, bytes, chain| Some(Needs { operations, bytes, chain });
    match (problem.program, phase) {
        (Program::Shifted, Phase::Value) => of(size(0) * size(1), 0.0, 0.0),
        // The states are written and read.
        (Program::Shifted, Phase::Gradient) => {
            let points = size(0) * size(1);
            of(4.0 * points, 16.0 * points, 0.0)
        }
        (Program::Ragged, Phase::Value) => {
            of(size(0) * size(0) * size(1), 8.0 * size(0) * size(1), 0.0)
        }
        (Program::Ragged, Phase::Gradient) => {
            of(3.0 * size(0) * size(0) * size(1), 16.0 * size(0) * size(1), 0.0)
        }
        (Program::Joined, Phase::Value) => of(2.0 * size(0), 32.0 * size(0), 0.0),
        (Program::Joined, Phase::Gradient) => of(4.0 * size(0), 40.0 * size(0), 0.0),
        (Program::Horner, Phase::Value) => of(2.0 * size(0) * size(1), 0.0, 0.0),
        (Program::Horner, Phase::Gradient) => of(6.0 * size(0) * size(1), 0.0, 0.0),
        // A product and a sum for every element of the first row of every minor.
        (Program::Minors, phase) => {
            let mut calls = 1.0;
            let mut operations = 0.0;
            for m in (2..=problem.sizes[0]).rev() {
                calls *= m as f64;
                operations += 2.0 * calls;
            }
            of(operations * if phase == Phase::Value { 1.0 } else { 3.0 }, 0.0, 0.0)
        }
        (Program::Pushforward, Phase::Value) => of(3.0 * size(0), 0.0, 2.0 * size(0)),
        (Program::Pushforward, Phase::Gradient) => of(8.0 * size(0), 0.0, 2.0 * size(0)),
        // A division in each link.
        (Program::Directions, Phase::Value) => of(10.0 * size(1), 0.0, 5.0 * size(1)),
        (Program::Directions, Phase::Gradient) => of(10.0 * size(1), 0.0, 5.0 * size(1)),
        (Program::Forces, Phase::Value) => of(25.0 * size(0) * size(0), 0.0, 0.0),
        (Program::Forces, Phase::Gradient) => of(40.0 * size(0) * size(0), 0.0, 0.0),
        (_, _) => None,
    }
}

/// A line of the table, and whether the bar is reached.
fn line(table: &Table, phase: Phase, bar: f64, machine: Machine) -> (String, bool) {
    let seconds = |contender| table.counted(contender, 1, phase);
    let (ours, c) = (seconds(Contender::Cotan), seconds(Contender::C));
    let holds = matches!((ours, c), (Some(ours), Some(c)) if ours <= bar * c);
    let shown = |it: Option<f64>| it.map_or("-".to_string(), time);
    let failure = match table.outcome(Contender::Cotan, 1, phase) {
        Some(Outcome::Failed(why) | Outcome::Wrong(why) | Outcome::Missing(why)) => {
            why.replace('|', "/")
        }
        Some(Outcome::Measured(_)) | None => String::new(),
    };
    let limit = needs(&table.problem, phase).map(|it| {
        let times =
            [it.operations * machine.operation, it.bytes * machine.byte, it.chain * machine.link];
        times.into_iter().fold(0.0, f64::max)
    });
    let part = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => digits(x / y),
        (_, _) => "-".to_string(),
    };
    let verdict =
        if holds { "yes".to_string() } else { format!("**no** {failure}").trim().to_string() };
    let cells = [
        table.problem.title(),
        phase.name().to_string(),
        shown(ours),
        shown(c),
        part(ours, c),
        digits(bar),
        verdict,
        shown(limit),
        part(ours, limit),
    ];
    (format!("| {} |\n", cells.join(" | ")), holds)
}

/// What the machine gives at most, as C reaches it.
fn limits(roster: &Roster, effort: Effort, folder: &Path) -> Result<Machine, String> {
    /// As the C files have them.
    const OPERATIONS: f64 = 64.0 * 100_000.0;
    const BYTES: f64 = 8.0 * (8 << 20) as f64;
    let rounds = if effort == Effort::Quick { 1 } else { 11 };
    let measured = |name: &str, phase: Phase| {
        let mut command = Command::new(roster.reference(name, Real::F64)?);
        command.arg(folder);
        let silent = |it| format!("{name}: {it:?}");
        let mut process = Process::start(command, patience(effort)).map_err(silent)?;
        let mut times = Vec::new();
        for _ in 0..rounds {
            times.push(process.time(phase, 1, patience(effort)).map_err(silent)?.used);
        }
        Ok::<f64, String>(median(times))
    };
    Ok(Machine {
        operation: measured("limits", Phase::Value)? / (2.0 * OPERATIONS),
        link: measured("limits", Phase::Gradient)? / OPERATIONS,
        byte: measured("stream", Phase::Value)? / BYTES,
    })
}
