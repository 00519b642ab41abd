//! The results, for people and for programs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::crates::contender::Notes;
use crate::crates::problem::Problem;
use crate::machine;

/// What one contender reached.
pub struct Row {
    pub name: String,
    /// For a gradient.
    pub seconds: f64,
    /// For a value.
    pub value_seconds: Option<f64>,
    pub notes: Notes,
}

/// What all reached for one problem.
pub struct Table {
    pub problem: Problem,
    pub rows: Vec<Row>,
}

/// Whom all others are compared with: the beginning of a name and the head of the column.
const RIVALS: [(&str, &str); 4] = [
    ("Rust by hand", "/ by hand"),
    ("num-dual", "/ num-dual"),
    ("echidna", "/ echidna"),
    ("reverse", "/ reverse"),
];

impl Table {
    fn seconds_of(&self, rival: &str) -> Option<f64> {
        self.rows.iter().find(|it| it.name.starts_with(rival)).map(|it| it.seconds)
    }

    fn ratios(&self, row: &Row) -> Vec<(&'static str, Option<f64>)> {
        let ratio = |rival| self.seconds_of(rival).map(|it| row.seconds / it);
        RIVALS.iter().map(|(rival, head)| (*head, ratio(rival))).collect()
    }

    fn ns_per_operation(&self, row: &Row) -> f64 {
        row.seconds * 1e9 / self.problem.operations() as f64
    }
}

/// `1.23 us`, three digits.
pub fn time(seconds: f64) -> String {
    let units = [(1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s")];
    let fitting = units.iter().rev().find(|it| seconds >= it.0).unwrap_or(&units[0]);
    format!("{} {}", digits(seconds / fitting.0), fitting.1)
}

/// Three significant digits; two of what is below one.
fn digits(number: f64) -> String {
    let decimals = (2.0 - number.log10().floor()).clamp(0.0, 6.0) as usize;
    let decimals = if number < 1.0 { decimals.saturating_sub(1) } else { decimals };
    format!("{number:.decimals$}")
}

fn cell<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_string(), show)
}

fn bytes_per_contribution(notes: &Notes) -> Option<f64> {
    let tape = notes.tape?;
    Some(tape.bytes as f64 / tape.contributions as f64)
}

fn work_ratio(notes: &Notes) -> Option<f64> {
    notes.counted.map(|(value, gradient)| gradient as f64 / value as f64)
}

const HEAD: &str = "\
# Results against Rust crates

Written by `cargo run --release --manifest-path benchmarks/Cargo.toml -- crates`; [the readme](README.md) says what the columns mean.
";

/// All tables as a document.
pub fn markdown(tables: &[Table]) -> String {
    let mut out = format!("{HEAD}\n- date: {}\n", machine::date());
    let (processor, load) = (machine::processor(), machine::load());
    writeln!(out, "- machine: {processor}; load {load}").expect("a string takes everything");
    for (name, version) in machine::versions() {
        writeln!(out, "- {name}: {version}").expect("a string takes everything");
    }
    for table in tables {
        out += &section(table);
    }
    out
}

fn section(table: &Table) -> String {
    let mut heads = vec!["", "gradient"];
    heads.extend(RIVALS.iter().map(|it| it.1));
    heads.extend(["ns / operation", "value", "work", "bytes / contribution"]);
    let rule: Vec<&str> =
        heads.iter().map(|it| if it.is_empty() { "---" } else { "---:" }).collect();
    let mut out = format!("\n## {}\n\n", table.problem.title());
    out += &line(&heads);
    out += &line(&rule);
    for row in &table.rows {
        let mut cells = vec![row.name.clone(), time(row.seconds)];
        cells.extend(table.ratios(row).into_iter().map(|it| cell(it.1, digits)));
        cells.push(digits(table.ns_per_operation(row)));
        cells.push(cell(row.value_seconds, time));
        cells.push(cell(work_ratio(&row.notes), digits));
        cells.push(cell(bytes_per_contribution(&row.notes), digits));
        out += &line(&cells);
    }
    out
}

fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn as_json(tables: &[Table]) -> Value {
    let versions: serde_json::Map<String, Value> =
        machine::versions().into_iter().map(|(name, it)| (name, it.into())).collect();
    let rows = tables.iter().flat_map(|table| table.rows.iter().map(|row| row_json(table, row)));
    json!({
        "date": machine::date(),
        "machine": machine::processor(),
        "load": machine::load(),
        "versions": versions,
        "rows": rows.collect::<Vec<Value>>(),
    })
}

fn row_json(table: &Table, row: &Row) -> Value {
    let tape = row.notes.tape.map(
        |it| json!({ "contributions": it.contributions, "bytes": it.bytes, "wholes": it.wholes }),
    );
    json!({
        "program": table.problem.name(),
        "n": table.problem.n,
        "contender": row.name,
        "gradient_seconds": row.seconds,
        "value_seconds": row.value_seconds,
        "operations": table.problem.operations(),
        "counted_value_gradient": row.notes.counted.map(|(value, gradient)| [value, gradient]),
        "tape": tape,
    })
}

/// Writes the document and the data beside each other.
pub fn write(text: &str, tables: &[Table]) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = format!("{:#}\n", as_json(tables));
    for (name, content) in [("CRATES.md", text), ("crates.json", &data)] {
        fs::write(folder.join(name), content).map_err(|error| format!("{name}: {error}"))?;
        eprintln!("wrote {name}");
    }
    Ok(())
}
