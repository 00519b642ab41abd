//! Patterns of programs beside C by hand and JAX, value and gradient: one table, with what they have to reach
//! and how far it is to what the machine gives at most.

mod bars;
mod first;
mod limits;
mod needs;
mod rows;
mod why;

use std::fs;
use std::path::Path;

use crate::contender::{Contender, Entry, Roster, reference};
use crate::effort::Effort;
use crate::latency;
use crate::machine;
use crate::measure::{self, Table};
use crate::problem::{Phase, Problem};
use crate::report;
use crate::suite::Folder;

use bars::{Against, compared};
pub use limits::Machine;
pub use rows::{Row, markdown};

/// Everything that was measured of patterns.
pub struct Patterns {
    pub rows: Vec<Row>,
    pub machine: Machine,
}

impl Patterns {
    /// An error if a bar is missed and no sentence says why.
    pub fn complaint(&self) -> Result<(), String> {
        rows::complaint(&self.rows)
    }
}

/// Measures the patterns of these names, or all; a full run of all writes its section of `RESULTS.md`.
pub fn run(names: &[String], effort: Effort) -> Result<(), String> {
    let folder = Folder::new()?;
    let roster = Roster::new(&folder.0);
    let is_chosen = |it: &Problem| names.is_empty() || names.iter().any(|n| n == it.program.name());
    let problems: Vec<Problem> =
        Problem::all().into_iter().chain(Problem::patterns()).filter(is_chosen).collect();
    if problems.is_empty() {
        return Err("no program has such a name; look into `benchmarks/programs`".to_string());
    }
    let mut tables = Vec::new();
    let mut pairs = Vec::new();
    for problem in &problems {
        eprintln!("{}", problem.title());
        let table = measured(problem, chosen(problem), &roster, effort, &folder.0)?;
        let is_long =
            |it| table.counted(Contender::Cotan, 1, it).is_some_and(|it| it > report::LONG);
        if Phase::ALL.into_iter().any(is_long) {
            let both = [1, 2].map(|threads| Entry { contender: Contender::Cotan, threads });
            pairs.push(measured(problem, both.to_vec(), &roster, effort, &folder.0)?);
        }
        tables.push(table);
    }
    let others = if names.is_empty() {
        Others {
            first: first::measure(&roster, effort, &folder.0)?,
            // Once each: a run of everything has medians.
            latency: latency::measure(Effort::Quick, &folder.0, &|it| eprintln!("{it}"))?,
        }
    } else {
        Others::default()
    };
    let machine = limits::measure(&roster, effort, &folder.0)?;
    let tables: Vec<&Table> = tables.iter().collect();
    let rows = rows::rows(&tables, &pairs.iter().collect::<Vec<&Table>>(), &others, &machine);
    let patterns = Patterns { rows, machine };
    let section = markdown(&patterns);
    println!("{}", section.trim());
    if effort == Effort::Quick {
        return Ok(());
    }
    if !names.is_empty() {
        return patterns.complaint();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    let complaint = |error: std::io::Error| format!("{}: {error}", path.display());
    let old = fs::read_to_string(&path).map_err(complaint)?;
    fs::write(&path, report::with_section(&old, &section)).map_err(complaint)?;
    eprintln!("wrote a section of RESULTS.md");
    patterns.complaint()
}

/// Measures what a run of everything has not measured yet.
pub fn measure(
    known: &[Table],
    latency: &[latency::Latency],
    roster: &Roster,
    effort: Effort,
    folder: &Path,
) -> Result<(Patterns, Vec<Table>), String> {
    let mut own = Vec::new();
    for problem in Problem::patterns() {
        let mut entries = chosen(&problem);
        entries.push(Entry { contender: Contender::Cotan, threads: 2 });
        own.push(measured(&problem, entries, roster, effort, folder)?);
    }
    let first = first::measure(roster, effort, folder)?;
    let others = Others { first, latency: latency.to_vec() };
    let machine = limits::measure(roster, effort, folder)?;
    let tables: Vec<&Table> = known.iter().chain(&own).collect();
    let rows = rows::rows(&tables, &tables, &others, &machine);
    Ok((Patterns { rows, machine }, own))
}

/// What is no time of a program.
#[derive(Default)]
struct Others {
    first: Vec<first::First>,
    latency: Vec<latency::Latency>,
}

/// Who is measured: the reference and JAX only where something is said of them. The first one is right.
fn chosen(problem: &Problem) -> Vec<Entry> {
    let one = |contender| Entry { contender, threads: 1 };
    let with = |against| Phase::ALL.into_iter().any(|it| compared(problem, it, against));
    let mut res = Vec::new();
    if with(Against::C) || with(Against::Jax) || with(Against::Before) {
        res.push(one(reference(problem)));
        res.push(one(Contender::Cotan));
        res.push(one(Contender::Jax));
    } else {
        res.push(one(Contender::Cotan));
    }
    res
}

fn measured(
    problem: &Problem,
    entries: Vec<Entry>,
    roster: &Roster,
    effort: Effort,
    folder: &Path,
) -> Result<Table, String> {
    let place = folder.join(problem.key());
    let table = measure::measure(problem, entries, roster, effort, &place, &|_| {})
        .map_err(|complaint| format!("{}: {complaint}", problem.title()))?;
    fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    Ok(table)
}

/// When and where a table was measured, as lines of a list.
fn provenance(machine: &Machine) -> String {
    let mut res = format!("- date: {}\n", machine::date());
    res += &format!("- machine: {}; load {}\n", machine::processor(), machine::load());
    for (name, version) in machine::ours() {
        res += &format!("- {name}: {version}\n");
    }
    if cfg!(debug_assertions) {
        res +=
            "- by a library of the profile `dev`: compiling and products of matrices take longer\n";
    }
    res + &format!("- at most: {machine}\n")
}
