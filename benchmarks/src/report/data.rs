//! The results for programs.

use serde_json::{Map, Value, json};

use super::Results;
use crate::machine;
use crate::measure::{self, Outcome, Table};
use crate::overhead::{Overhead, Throughput};
use crate::patterns::Row;
use crate::problem::{Bar, Phase};

/// Everything as one object.
pub fn json(results: &Results) -> Value {
    let versions: Map<String, Value> = machine::contenders(results.python.as_deref())
        .into_iter()
        .map(|(name, it)| (name, it.into()))
        .collect();
    let times = results.tables.iter().flat_map(times).collect::<Vec<Value>>();
    let bars = results.tables.iter().flat_map(bars).collect::<Vec<Value>>();
    let memory = results.memory.as_ref().map(|it| {
        json!({ "problem": it.title, "input_bytes": it.input, "peak_bytes": it.peak.as_ref().ok() })
    });
    let latency = results.latency.iter().map(|it| {
        let seconds = it.seconds.as_ref().ok();
        json!({
            "example": it.example,
            "cold_seconds": seconds.map(|it| it.0),
            "cached_seconds": seconds.map(|it| it.1),
        })
    });
    let calls = results.calls.as_ref().map(|it| {
        let overhead = |it: &Overhead| {
            json!({
                "way": it.way,
                "value_seconds": it.seconds[0],
                "gradient_seconds": it.seconds[1],
                "bar_seconds": it.bar,
            })
        };
        let throughput = |it: &Throughput| {
            json!({
                "way": it.way,
                "threads": it.threads,
                "calls_in_a_second": it.calls,
                "seconds_of_a_thread": it.seconds,
            })
        };
        json!({
            "overheads": it.overheads.iter().map(overhead).collect::<Vec<Value>>(),
            "throughputs": it.throughputs.iter().map(throughput).collect::<Vec<Value>>(),
        })
    });
    let patterns =
        results.patterns.as_ref().map(|it| it.rows.iter().map(pattern).collect::<Vec<Value>>());
    json!({
        "date": machine::date(),
        "machine": machine::processor(),
        "load": machine::load(),
        "versions": versions,
        "bars": bars,
        "times": times,
        "memory": memory,
        "latency": latency.collect::<Vec<Value>>(),
        "calls": calls,
        "patterns": patterns,
    })
}

fn pattern(row: &Row) -> Value {
    json!({
        "pattern": row.title,
        "what": row.what,
        "seconds": row.ours,
        "c_seconds": row.c,
        "jax_seconds": row.jax,
        "ratio": row.ratio(),
        "bar": row.most,
        "reached": row.is_reached(),
        "limit_seconds": row.limit.map(|it| it.seconds),
        "limited_by": row.limit.map(|it| it.by),
    })
}

fn times(table: &Table) -> Vec<Value> {
    let each = |row: &measure::Row| Phase::ALL.map(|phase| time(table, row, phase));
    table.rows.iter().flat_map(each).collect()
}

fn time(table: &Table, row: &measure::Row, phase: Phase) -> Value {
    let mut object = json!({
        "problem": table.problem.key(),
        "phase": phase.name(),
        "contender": row.entry.contender.name(),
        "threads": row.entry.threads,
    });
    let (key, value) = match &row.outcomes[phase as usize] {
        Outcome::Measured(it) => {
            object["clock_seconds"] = json!(it.wall);
            ("process_seconds", json!(it.used))
        }
        Outcome::Missing(why) => ("missing", json!(why)),
        Outcome::Failed(why) => ("failed", json!(why)),
        Outcome::Wrong(why) => ("wrong", json!(why)),
    };
    object[key] = value;
    object
}

fn bars(table: &Table) -> Vec<Value> {
    let each = |bar: Bar| {
        let (ours, other) = table.compared(&bar);
        let ratio = ours.zip(other).map(|(ours, other)| ours / other);
        json!({
            "problem": table.problem.key(),
            "phase": bar.phase.name(),
            "rival": table.rival(bar.rival).map(|it| it.name()),
            "ratio": ratio,
            "bar": bar.most,
            "reached": ratio.map(|it| it <= bar.most),
        })
    };
    table.problem.bars().into_iter().map(each).collect()
}
