//! The document.

use std::fmt::Write;

use super::{LEAST_SPEEDUP, Results};
use crate::contender::{Contender, Entry};
use crate::latency::{self, Latency};
use crate::machine;
use crate::measure::{Outcome, Table};
use crate::memory::{self, Memory};
use crate::overhead::Calls;
use crate::patterns;
use crate::problem::{Bar, Phase, Rival};

const HEAD: &str = "\
# Results of the benchmarks

Written by `cargo run --release --manifest-path benchmarks/Cargo.toml`; [the readme](README.md) says what is measured and how.
";

/// All results as a document.
pub fn markdown(results: &Results) -> String {
    let mut out = format!("{HEAD}\n- date: {}\n", machine::date());
    let mut add = |text: String| out.push_str(&text);
    add(format!("- machine: {}; load {}\n", machine::processor(), machine::load()));
    for (name, version) in machine::contenders(results.python.as_deref()) {
        add(format!("- {name}: {version}\n"));
    }
    if let Some(it) = &results.patterns {
        add(patterns::markdown(it));
    }
    add(bars(&results.tables));
    add(two_threads(&results.tables));
    if let Some(it) = &results.memory {
        add(peak_memory(it));
    }
    if !results.latency.is_empty() {
        add(source_to_code(&results.latency));
    }
    if let Some(it) = &results.calls {
        add(overhead(it));
    }
    add(all_times(&results.tables));
    add("\n## Pictures\n\n![Times of the others by those of Cotan](ratios.svg)\n".to_string());
    add("\n![What a second thread brings](threads.svg)\n".to_string());
    out
}

/// Cotan and who it is compared with, a few words each; for progress.
pub fn summary(table: &Table) -> String {
    let mut out = table.problem.title();
    for row in &table.rows {
        let Entry { contender, threads } = row.entry;
        let [value, gradient] = [0, 1].map(|it| cell(&row.outcomes[it], threads));
        write!(out, "\n  {:<8} {threads}  {value:>12}  {gradient:>12}", contender.name())
            .expect("a string takes everything");
        for outcome in &row.outcomes {
            if let Outcome::Wrong(why) | Outcome::Failed(why) = outcome {
                write!(out, "\n    {why}").expect("a string takes everything");
            }
        }
    }
    out
}

fn bars(tables: &[Table]) -> String {
    let mut out =
        "\n## Bars\n\nTime of Cotan divided by that of the other, one thread.\n\n".to_string();
    out += &line(&["program", "what", "Cotan", "other", "time", "ratio", "bar", "reached"]);
    out += &line(&["---", "---", "---:", "---", "---:", "---:", "---:", "---"]);
    let (mut n_reached, mut n_all) = (0, 0);
    for table in tables {
        for bar in table.problem.bars() {
            n_all += 1;
            let (cells, reached) = bar_row(table, &bar);
            n_reached += usize::from(reached);
            out += &line(&cells);
        }
    }
    out + &format!("\n{n_reached} of {n_all} are reached.\n")
}

fn bar_row(table: &Table, bar: &Bar) -> (Vec<String>, bool) {
    let (ours, other) = table.compared(bar);
    let ratio = ours.zip(other).map(|(ours, other)| ours / other);
    let reached = ratio.is_some_and(|it| it <= bar.most);
    let name = match bar.rival {
        Rival::Primal => "its value",
        Rival::Reference | Rival::Jax | Rival::Torch => {
            table.rival(bar.rival).map_or("-", Contender::name)
        }
    };
    let verdict = match ratio {
        Some(_) if reached => "yes".to_string(),
        Some(_) => "**no**".to_string(),
        None => why_not(table, bar),
    };
    let cells = vec![
        table.problem.title(),
        bar.phase.name().to_string(),
        ours.map_or_else(dash, time),
        name.to_string(),
        other.map_or_else(dash, time),
        ratio.map_or_else(dash, digits),
        format!("{}", bar.most),
        verdict,
    ];
    (cells, reached)
}

/// Why a ratio is not known.
fn why_not(table: &Table, bar: &Bar) -> String {
    let rival = table.rival(bar.rival);
    let both = [Some(Contender::Cotan), rival].into_iter().flatten();
    let words = both.filter_map(|it| {
        let why = match table.outcome(it, 1, bar.phase)? {
            Outcome::Measured(_) => return None,
            Outcome::Missing(why) => why.clone(),
            Outcome::Failed(_) => "failed".to_string(),
            Outcome::Wrong(_) => "wrong result".to_string(),
        };
        Some(format!("{}: {why}", it.name()))
    });
    format!("not measured ({})", words.collect::<Vec<String>>().join("; "))
}

fn two_threads(tables: &[Table]) -> String {
    let mut out =
        "\n## Two threads\n\nCotan, time of the clock, where one thread takes over 5 ms.\n\n"
            .to_string();
    out += &line(&["program", "what", "1 thread", "2 threads", "faster", "bar", "reached"]);
    out += &line(&["---", "---", "---:", "---:", "---:", "---:", "---"]);
    for table in tables {
        for phase in Phase::ALL {
            let Some((one, two)) = table.two_threads(phase) else { continue };
            let verdict = if one / two >= LEAST_SPEEDUP { "yes" } else { "**no**" };
            out += &line(&[
                table.problem.title(),
                phase.name().to_string(),
                time(one),
                time(two),
                digits(one / two),
                LEAST_SPEEDUP.to_string(),
                verdict.to_string(),
            ]);
        }
    }
    out
}

fn peak_memory(memory: &Memory) -> String {
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let bound = memory.input + memory::ALLOWED;
    let (peak, verdict) = match &memory.peak {
        Ok(peak) if *peak <= bound => (mib(*peak), "yes".to_string()),
        Ok(peak) => (mib(*peak), "**no**".to_string()),
        Err(why) => (dash(), format!("not measured ({why})")),
    };
    let mut out = "\n## Peak memory of a gradient\n\n".to_string();
    out += &line(&["program", "input", "peak", "bar", "reached"]);
    out += &line(&["---", "---:", "---:", "---:", "---"]);
    out + &line(&[memory.title.clone(), mib(memory.input), peak, mib(bound), verdict])
}

fn source_to_code(latencies: &[Latency]) -> String {
    let (cold, cached) = (latency::MOST_COLD, latency::MOST_CACHED);
    let mut out = format!(
        "\n## From source to loaded code\n\nBars: {} cold, {} from the cache.\n\n",
        time(cold),
        time(cached)
    );
    out += &line(&["example", "cold", "cached", "reached"]);
    out += &line(&["---", "---:", "---:", "---"]);
    for it in latencies {
        let cells = match &it.seconds {
            Ok((first, second)) => {
                let reached = *first <= cold && *second <= cached;
                let verdict = if reached { "yes" } else { "**no**" };
                [time(*first), time(*second), verdict.to_string()]
            }
            Err(why) => [dash(), dash(), format!("not measured ({why})")],
        };
        out += &line(&[vec![it.example.clone()], cells.to_vec()].concat());
    }
    out
}

/// What calls cost.
pub fn overhead(calls: &Calls) -> String {
    let mut out =
        "\n## Overhead of a call\n\nA function of one number, by handles.\n\n".to_string();
    out += &line(&["call", "value", "gradient", "bar", "reached"]);
    out += &line(&["---", "---:", "---:", "---:", "---"]);
    for it in &calls.overheads {
        let reached = it.bar.map(|bar| it.seconds.iter().all(|it| *it <= bar));
        let verdict = reached.map_or(dash(), |it| if it { "yes" } else { "**no**" }.to_string());
        let [value, gradient] = it.seconds.map(time);
        let bar = it.bar.map_or(dash(), time);
        out += &line(&[it.way.to_string(), value, gradient, bar, verdict]);
    }
    out += "\nGradients by threads that share a handle:\n\n";
    out += &line(&["results", "threads", "time of a thread", "calls in a second"]);
    out += &line(&["---", "---:", "---:", "---:"]);
    for it in &calls.throughputs {
        let calls = format!("{:.2} million", it.calls / 1e6);
        out += &line(&[it.way.to_string(), it.threads.to_string(), time(it.seconds), calls]);
    }
    out
}

const COLUMNS: [(Contender, usize); 8] = [
    (Contender::Cotan, 1),
    (Contender::Cotan, 2),
    (Contender::C, 1),
    (Contender::Gemm, 1),
    (Contender::Jax, 1),
    (Contender::Jax, 2),
    (Contender::Torch, 1),
    (Contender::Torch, 2),
];

fn all_times(tables: &[Table]) -> String {
    let mut out = "\n## All times\n\nThe number behind a name is that of threads.\n\n".to_string();
    let mut heads = vec!["program".to_string(), "what".to_string()];
    heads.extend(COLUMNS.iter().map(|(it, threads)| format!("{} {threads}", it.name())));
    out += &line(&heads);
    let rule: Vec<&str> = (0..heads.len()).map(|it| if it < 2 { "---" } else { "---:" }).collect();
    out += &line(&rule);
    for table in tables {
        for phase in Phase::ALL {
            let mut cells = vec![table.problem.title(), phase.name().to_string()];
            cells.extend(COLUMNS.iter().map(|(contender, threads)| {
                let outcome = table.outcome(*contender, *threads, phase);
                outcome.map_or_else(dash, |it| cell(it, *threads))
            }));
            out += &line(&cells);
        }
    }
    out + "\n`-`: there is none, or it was not measured.\n"
}

fn cell(outcome: &Outcome, threads: usize) -> String {
    match outcome {
        Outcome::Measured(it) => time(if threads == 1 { it.used } else { it.wall }),
        Outcome::Missing(_) => dash(),
        Outcome::Failed(_) => "failed".to_string(),
        Outcome::Wrong(_) => "wrong".to_string(),
    }
}

fn dash() -> String {
    "-".to_string()
}

fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// `1.23 us`, three digits.
pub fn time(seconds: f64) -> String {
    let units = [(1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s")];
    let fitting = units.iter().rev().find(|it| seconds >= it.0).unwrap_or(&units[0]);
    format!("{} {}", digits(seconds / fitting.0), fitting.1)
}

/// Three significant digits; two of what is below one.
pub fn digits(number: f64) -> String {
    let decimals = (2.0 - number.log10().floor()).clamp(0.0, 6.0) as usize;
    let decimals = if number < 1.0 { decimals.saturating_sub(1) } else { decimals };
    format!("{number:.decimals$}")
}
