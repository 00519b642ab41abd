//! The table: rows from what was measured, and how they are printed.

use super::bars::{Against, BEFORE, MOST_OF_LATER, MOST_OF_MOVED, MOST_OF_ONE_THREAD, NEAR, bars};
use super::first::First;
use super::limits::{Limit, Machine};
use super::needs::{is_one_chain, needs};
use super::why::{WHY_FIRST, why, why_two};
use super::{Others, Patterns, provenance};
use crate::contender::{Contender, reference};
use crate::latency::{self, Latency};
use crate::measure::{Outcome, Table};
use crate::problem::Phase;
use crate::report::{digits, time};

/// A time, what it is compared with, and what it has to reach.
pub struct Row {
    /// The pattern with its size.
    pub title: String,
    pub what: &'static str,
    pub ours: Option<f64>,
    /// C by hand, or the `gemm` crate.
    pub c: Option<f64>,
    pub jax: Option<f64>,
    pub against: Against,
    pub other: Option<f64>,
    /// The most that `ours` may be, as a part of `other`.
    pub most: f64,
    pub limit: Option<Limit>,
    /// Why a bar is missed; empty where nobody knows.
    pub why: String,
}

impl Row {
    pub fn ratio(&self) -> Option<f64> {
        Some(self.ours? / self.other?)
    }

    pub fn is_reached(&self) -> bool {
        self.ratio().is_some_and(|it| it <= self.most)
    }

    /// The time as a part of what the machine takes at least.
    pub fn by_the_limit(&self) -> Option<f64> {
        Some(self.ours? / self.limit?.seconds)
    }

    fn is_near(&self) -> bool {
        self.by_the_limit().is_some_and(|it| it <= NEAR)
    }

    /// Whether a bar is missed and nobody says why.
    pub fn is_silent(&self) -> bool {
        !self.is_reached() && !self.is_near() && self.why.is_empty()
    }

    fn cells(&self) -> Vec<String> {
        let shown = |it: Option<f64>| it.map_or("-".to_string(), time);
        let part = |it: Option<f64>| it.map_or("-".to_string(), digits);
        let (verdict, why) = if self.is_reached() {
            ("yes", "")
        } else if self.is_near() {
            ("at the limit", "")
        } else {
            ("**no**", self.why.as_str())
        };
        let limit = self.limit.map(|it| format!("{} ({})", time(it.seconds), it.by));
        vec![
            self.title.clone(),
            self.what.to_string(),
            shown(self.ours),
            shown(self.c),
            shown(self.jax),
            name(self.against).to_string(),
            part(self.ratio()),
            digits(self.most),
            verdict.to_string(),
            limit.unwrap_or("-".to_string()),
            part(self.by_the_limit()),
            why.to_string(),
        ]
    }
}

fn name(against: Against) -> &'static str {
    match against {
        Against::C => "C",
        Against::Jax => "JAX",
        Against::Value => "its value",
        Against::Before => "28 ms, as before",
        Against::OneThread => "one thread",
        Against::LaterCall => "a later call",
        Against::Seconds => "250 ms",
    }
}

/// All rows: of programs, of pairs of threads, and of what is no time of a program.
pub(super) fn rows(
    tables: &[&Table],
    pairs: &[&Table],
    others: &Others,
    machine: &Machine,
) -> Vec<Row> {
    // Whoever is compared with others first, then derivatives by their values.
    let of = |wanted: fn(Against) -> bool| {
        let each = move |it: &&Table| of_table(it, wanted, machine);
        tables.iter().flat_map(each).collect::<Vec<Row>>()
    };
    let mut res = of(|it| it != Against::Value);
    res.extend(of(|it| it == Against::Value));
    let phases = |it: &&Table| Phase::ALL.map(|phase| of_threads(it, phase, machine));
    res.extend(pairs.iter().flat_map(phases).flatten());
    res.extend(others.first.iter().map(of_first));
    res.extend(of_latency(&others.latency));
    res
}

fn of_table(table: &Table, wanted: fn(Against) -> bool, machine: &Machine) -> Vec<Row> {
    let mut res = Vec::new();
    let needs_of_value = needs(&table.problem, Phase::Value);
    for phase in Phase::ALL {
        let time = |contender, phase| table.counted(contender, 1, phase);
        let needs = needs(&table.problem, phase);
        for (against, most) in bars(&table.problem, phase) {
            if !wanted(against) {
                continue;
            }
            let (c, jax) = (time(reference(&table.problem), phase), time(Contender::Jax, phase));
            let (other, most) = match against {
                Against::C => (c, most),
                Against::Jax => (jax, most),
                Against::Before => (Some(BEFORE), most),
                Against::Value => {
                    // As the table has it for the value on this machine.
                    let is_moving = machine.limit(needs_of_value).is_bytes();
                    let most = if is_moving { MOST_OF_MOVED } else { most };
                    (time(Contender::Cotan, Phase::Value), most)
                }
                Against::OneThread | Against::LaterCall | Against::Seconds => (None, most),
            };
            let ours = time(Contender::Cotan, phase);
            res.push(Row {
                title: table.problem.title(),
                what: phase.name(),
                ours,
                c,
                jax,
                against,
                other,
                most,
                limit: Some(machine.limit(needs)),
                why: reason(table, phase, against, ours.is_some() && other.is_some()),
            });
        }
    }
    res
}

/// Why a bar is missed, or why nothing is known.
fn reason(table: &Table, phase: Phase, against: Against, is_measured: bool) -> String {
    if is_measured {
        return why(&table.problem, phase, against).unwrap_or_default().to_string();
    }
    let rival = if against == Against::Jax { Contender::Jax } else { reference(&table.problem) };
    let outcome = |it| match table.outcome(it, 1, phase)? {
        Outcome::Measured(_) => None,
        Outcome::Failed(why) | Outcome::Wrong(why) | Outcome::Missing(why) => {
            Some(format!("{}: {}", it.name(), why.replace('|', "/")))
        }
    };
    let words: Vec<String> = [Contender::Cotan, rival].into_iter().filter_map(outcome).collect();
    if words.is_empty() { "not measured".to_string() } else { words.join("; ") }
}

/// Two threads beside one, by the clock. A chain of steps has nothing for a second thread, and no row.
fn of_threads(table: &Table, phase: Phase, machine: &Machine) -> Option<Row> {
    if is_one_chain(table.problem.program) {
        return None;
    }
    let (one, two) = table.two_threads(phase)?;
    let limit = Some(machine.limit_of_two(needs(&table.problem, phase)));
    Some(Row {
        title: table.problem.title(),
        what: if phase == Phase::Value { "value, two threads" } else { "gradient, two threads" },
        ours: Some(two),
        c: None,
        jax: None,
        against: Against::OneThread,
        other: Some(one),
        most: MOST_OF_ONE_THREAD,
        limit,
        why: why_two(&table.problem, phase).unwrap_or_default().to_string(),
    })
}

fn of_first(it: &First) -> Row {
    Row {
        title: it.title.clone(),
        what: "gradient, first call",
        ours: Some(it.first),
        c: None,
        jax: None,
        against: Against::LaterCall,
        other: Some(it.later),
        most: MOST_OF_LATER,
        limit: None,
        why: WHY_FIRST.to_string(),
    }
}

/// The slowest of all examples.
fn of_latency(all: &[Latency]) -> Option<Row> {
    let seconds = all.iter().filter_map(|it| Some((it, it.seconds.as_ref().ok()?.0)));
    let (slowest, cold) = seconds.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Row {
        title: format!("`{}`, the slowest of {} examples", slowest.example, all.len()),
        what: "source to loaded code",
        ours: Some(cold),
        c: None,
        jax: None,
        against: Against::Seconds,
        other: Some(latency::MOST_COLD),
        most: 1.0,
        limit: None,
        why: "the C compiler takes most of it".to_string(),
    })
}

const HEADS: [&str; 12] = [
    "pattern",
    "what",
    "Cotan",
    "C",
    "JAX",
    "by",
    "ratio",
    "bar",
    "reached",
    "limit",
    "by the limit",
    "why not",
];

/// An error that names the rows whose bars are missed while `why.rs` says nothing of them.
pub(super) fn complaint(rows: &[Row]) -> Result<(), String> {
    let silent = rows.iter().filter(|it| it.is_silent());
    let named: Vec<String> =
        silent.map(|it| format!("{}, {}, by {}", it.title, it.what, name(it.against))).collect();
    match named.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "`patterns/why.rs` does not say why these are missed: {}",
            named.join("; ")
        )),
    }
}

/// The section of the document.
pub fn markdown(patterns: &Patterns) -> String {
    let mut out = "\n## Patterns\n\n".to_string();
    out += "Time of Cotan divided by that of the other, one thread where nothing else is said; \
        `-- patterns` measures these rows alone.\n";
    out += "The limit is what the machine takes at least, and for what.\n\n";
    out += &provenance(&patterns.machine);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    out += "\n";
    out += &line(&HEADS.map(str::to_string));
    let is_number =
        |it: &str| !["pattern", "what", "by", "reached", "limit", "why not"].contains(&it);
    out += &line(&HEADS.map(|it| if is_number(it) { "---:" } else { "---" }.to_string()));
    for row in &patterns.rows {
        out += &line(&row.cells());
    }
    let reached = patterns.rows.iter().filter(|it| it.is_reached()).count();
    out + &format!("\n{reached} of {} are reached.\n", patterns.rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Entry;
    use crate::measure;
    use crate::problem::{Problem, Program, Real};
    use crate::process::Seconds;

    fn machine() -> Machine {
        Machine { operation: 1e-12, link: 1e-12, bytes: vec![(1.0, 1e-12)], shared_byte: 1e-12 }
    }

    /// A pattern for which C takes a second in both phases.
    fn table(ours: [Outcome; 2]) -> Table {
        let problem = Problem { program: Program::Joined, sizes: vec![10], real: Real::F64 };
        let row = |contender, outcomes| {
            let entry = Entry { contender, threads: 1 };
            measure::Row { entry, outcomes }
        };
        let c = [took(1.0), took(1.0)];
        Table { problem, rows: vec![row(Contender::C, c), row(Contender::Cotan, ours)] }
    }

    fn took(seconds: f64) -> Outcome {
        Outcome::Measured(Seconds { wall: seconds, used: seconds })
    }

    #[test]
    fn a_reason_stands_only_where_a_bar_is_missed() {
        let table = table([took(1.05), took(2.0)]);
        let rows = rows(&[&table], &[], &Others::default(), &machine());
        let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
        let seen = |row: usize| [5, 6, 8].map(|it| cells[row][it].clone());
        assert_eq!(seen(0), ["C", "1.05", "yes"]);
        assert_eq!(seen(1), ["C", "2.00", "**no**"]);
        assert_eq!(seen(2), ["its value", "1.90", "yes"]);
        assert_eq!([0, 1, 2].map(|it| cells[it][11].is_empty()), [true, false, true]);
    }

    #[test]
    fn who_misses_a_bar_without_a_reason_is_named() {
        // Three times C, and three times its value.
        let table = table([took(1.0), took(3.0)]);
        let mut rows = rows(&[&table], &[], &Others::default(), &machine());
        rows.iter_mut().for_each(|it| it.why.clear());
        let missed = complaint(&rows).expect_err("two are missed");
        assert!(missed.contains("gradient, by C; "), "{missed}");
        assert!(missed.ends_with("gradient, by its value"), "{missed}");
        rows.iter_mut().for_each(|it| it.why = "a reason".to_string());
        assert_eq!(complaint(&rows), Ok(()));
    }

    #[test]
    fn what_failed_says_so() {
        let table = table([took(1.0), Outcome::Failed("out | in".into())]);
        let rows = rows(&[&table], &[], &Others::default(), &machine());
        assert_eq!(rows[1].why, "Cotan: out / in");
        assert!(!rows[1].is_reached());
    }

    #[test]
    fn who_is_at_the_limit_needs_no_reason() {
        let table = table([took(1.0), took(2.0)]);
        let mut slow = machine();
        slow.operation = 1.9 / 60.0;
        let rows = rows(&[&table], &[], &Others::default(), &slow);
        let cells = rows[1].cells();
        assert_eq!([&cells[8], &cells[9], &cells[11]], ["at the limit", "1.90 s (operations)", ""]);
    }
}
