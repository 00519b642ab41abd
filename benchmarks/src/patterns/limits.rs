//! What the machine gives at most, as C reaches it in the same run (`reference/limits.c`,
//! `reference/stream.c`), and what follows for a program.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use super::needs::Needs;
use crate::contender::Roster;
use crate::effort::Effort;
use crate::inputs::{self, Data, Input};
use crate::measure::patience;
use crate::problem::{Phase, Real};
use crate::process::Process;
use crate::report::digits;

/// Seconds that one of each takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// An addition or a multiplication, if it waits for nothing.
    pub operation: f64,
    /// An operation that waits for the one before.
    pub link: f64,
    /// A byte that is moved, by how many bytes are gone through again and again; the least first.
    pub bytes: Vec<(f64, f64)>,
    /// A byte from memory while a second thread does the same.
    pub shared_byte: f64,
}

/// The least time of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    pub seconds: f64,
    /// What takes it.
    pub by: &'static str,
}

impl Limit {
    /// Whether it is memory and not what is computed.
    pub fn is_bytes(self) -> bool {
        self.by == BYTES_MOVED
    }
}

/// What takes the time of a program that does little but move numbers.
const BYTES_MOVED: &str = "bytes";

impl Machine {
    /// The longest of what a program needs.
    pub fn limit(&self, needs: Needs) -> Limit {
        // From the nearest cache that may hold it.
        let fitting = self.bytes.iter().rev().find(|it| it.0 <= needs.set);
        let byte = fitting.or(self.bytes.first()).map_or(0.0, |it| it.1);
        longest(needs, [self.operation, byte, self.link])
    }

    /// The same for two threads.
    pub fn limit_of_two(&self, needs: Needs) -> Limit {
        let memory = self.bytes.last().map_or(0.0, |it| it.0);
        let one = self.limit(needs);
        if needs.set < memory {
            return Limit { seconds: one.seconds / 2.0, ..one };
        }
        longest(needs, [self.operation / 2.0, self.shared_byte / 2.0, self.link / 2.0])
    }
}

fn longest(needs: Needs, [operation, byte, link]: [f64; 3]) -> Limit {
    let all = [
        Limit { seconds: needs.operations * operation, by: "operations" },
        Limit { seconds: needs.bytes * byte, by: BYTES_MOVED },
        Limit { seconds: needs.chain * link, by: "chain" },
    ];
    all.into_iter().fold(all[0], |most, it| if it.seconds > most.seconds { it } else { most })
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = |seconds: f64| digits(1e-9 / seconds);
        write!(
            f,
            "{} Gflop/s, {} ns a link of a chain",
            giga(self.operation),
            digits(1e9 * self.link)
        )?;
        for (set, seconds) in &self.bytes {
            write!(f, ", {} GB/s of {} KiB", giga(*seconds), set / 1024.0)?;
        }
        write!(f, ", {} GB/s each of two threads", giga(self.shared_byte))
    }
}

/// Sizes of arrays that are gone through: within each cache and beyond them.
const SETS: [usize; 4] = [24 << 10, 768 << 10, 8 << 20, 128 << 20];

/// Measures them one after the other.
pub fn measure(roster: &Roster, effort: Effort, folder: &Path) -> Result<Machine, String> {
    /// As the C file has them.
    const OPERATIONS: f64 = 64.0 * 100_000.0;
    let place = folder.join("limits");
    fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let start = |name: &str, set: usize| {
        let numbers = Data::Ints(vec![(set / 8) as i64]);
        inputs::write(&[Input { name: "n", shape: vec![], data: numbers }], Real::F64, &place)?;
        let mut command = Command::new(roster.reference(name, Real::F64)?);
        command.arg(&place);
        Process::start(command, patience(effort)).map_err(|it| format!("{name}: {it:?}"))
    };
    let mut chain = start("limits", 0)?;
    let operation = used(&mut chain, Phase::Value, effort)? / (2.0 * OPERATIONS);
    let link = used(&mut chain, Phase::Gradient, effort)? / OPERATIONS;
    let mut bytes: Vec<(f64, f64)> = Vec::new();
    for set in SETS {
        let mut process = start("stream", set)?;
        let read = used(&mut process, Phase::Value, effort)? / BYTES;
        let copied = used(&mut process, Phase::Gradient, effort)? / BYTES;
        bytes.push((set as f64, read.min(copied)));
    }
    let pair = [start("stream", SETS[3])?, start("stream", SETS[3])?];
    let shared = thread::scope(|scope| {
        let both = pair.map(|mut it| scope.spawn(move || of_the_clock(&mut it, effort)));
        both.map(|it| it.join().map_err(|_| "a thread ended".to_string())?)
            .into_iter()
            .collect::<Result<Vec<f64>, String>>()
    })?;
    let shared_byte = shared.iter().sum::<f64>() / (2.0 * BYTES);
    Ok(Machine { operation, link, bytes, shared_byte })
}

/// What a run of the stream moves, as the C file has it.
const BYTES: f64 = (128 << 20) as f64;

fn rounds(effort: Effort) -> usize {
    if effort == Effort::Quick { 1 } else { 11 }
}

/// The least of some runs: the machine gives no more.
fn used(process: &mut Process, phase: Phase, effort: Effort) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..rounds(effort) {
        let seconds = process.time(phase, 1, patience(effort)).map_err(|it| format!("{it:?}"))?;
        least = least.min(seconds.used);
    }
    Ok(least)
}

fn of_the_clock(process: &mut Process, effort: Effort) -> Result<f64, String> {
    let seconds = process.time(Phase::Value, rounds(effort), patience(effort));
    seconds.map(|it| it.wall).map_err(|it| format!("{it:?}"))
}

#[cfg(test)]
mod tests {
    use super::{Limit, Machine};
    use crate::patterns::needs::Needs;

    const MACHINE: fn() -> Machine = || Machine {
        operation: 1.0,
        link: 4.0,
        bytes: vec![(100.0, 0.5), (1000.0, 2.0), (10_000.0, 8.0)],
        shared_byte: 12.0,
    };

    #[test]
    fn the_limit_is_the_longest_of_what_is_needed() {
        let limit = |operations, bytes, set, chain| {
            MACHINE().limit(Needs { operations, bytes, set, chain })
        };
        assert_eq!(limit(10.0, 4.0, 4.0, 2.0), Limit { seconds: 10.0, by: "operations" });
        assert_eq!(limit(10.0, 4.0, 4.0, 3.0), Limit { seconds: 12.0, by: "chain" });
        // The same bytes, from further and further away.
        assert_eq!(limit(0.0, 60.0, 60.0, 0.0), Limit { seconds: 30.0, by: BYTES_MOVED });
        assert_eq!(limit(0.0, 60.0, 999.0, 0.0).seconds, 30.0);
        assert_eq!(limit(0.0, 60.0, 1000.0, 0.0).seconds, 120.0);
        assert_eq!(limit(0.0, 60.0, 1e9, 0.0).seconds, 480.0);
    }

    #[test]
    fn two_threads_share_memory_and_nothing_else() {
        let limit = |set| {
            let needs = Needs { operations: 10.0, bytes: 60.0, set, chain: 0.0 };
            MACHINE().limit_of_two(needs).seconds
        };
        assert_eq!(limit(1000.0), 60.0);
        assert_eq!(limit(1e9), 360.0);
    }
}
