//! Starts workers, watches them, and adds up what they say. A worker that dies or does not get on has
//! found something: its input is shrunk by processes of one input each, and another worker goes on
//! behind it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a front end: it starts processes, looks at the clock and prints"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::corpus::Corpus;
use crate::make::make;
use crate::shrink::shrink;
use crate::stuck::{LOOK, Stuck};
use crate::target::{Find, Kind, Tally, count};
use crate::worker::{Work, file_name, save};

/// What to run.
pub struct Plan {
    /// How many inputs of each kind.
    pub inputs: Vec<(Kind, u64)>,
    /// The seed of the run.
    pub seed: u64,
    /// When to stop at the latest.
    pub until: Option<Instant>,
    /// How many workers at a time.
    pub workers: usize,
    /// Where finds go.
    pub out: PathBuf,
}

/// What a run gave.
#[derive(Default)]
pub struct Figures {
    /// Counts.
    pub tally: Tally,
    /// Symptoms, and how often each was seen.
    pub finds: BTreeMap<String, u64>,
}

/// Kibibytes of addresses that a worker may have: a program that wants more dies, and that is found.
const ADDRESSES: u64 = 12 << 20;

/// How long an input may keep a processor busy: nothing that is meant to end takes a tenth of that.
fn patience(kind: Kind) -> Duration {
    match kind {
        Kind::Text | Kind::Check | Kind::Evaluate => Duration::from_secs(60),
        Kind::Compile | Kind::Build => Duration::from_secs(300),
    }
}

/// Inputs that are shrunk by processes: each try may take all the patience there is.
const TRIES: usize = 40;

/// Inputs that one process tries.
fn portion(kind: Kind) -> u64 {
    match kind {
        Kind::Text => 20_000,
        Kind::Check => 1_000,
        // Counts of a portion that is cut short are lost.
        Kind::Evaluate => 100,
        Kind::Compile | Kind::Build => 16,
    }
}

/// Runs a plan.
pub fn supervise(plan: &Plan) -> Figures {
    // Portions of all kinds in turn, so that a run that is cut short has seen them all.
    let mut portions: Vec<(f64, Kind, u64, u64)> = Vec::new();
    for (kind, n) in &plan.inputs {
        let size = portion(*kind).min(n.div_ceil(plan.workers as u64).max(1));
        for from in (0..*n).step_by(size as usize) {
            let share = from as f64 / *n as f64;
            portions.push((share, *kind, from, (from + size).min(*n)));
        }
    }
    portions.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let queue = Mutex::new(portions);
    let figures = Mutex::new(Figures::default());
    let _ = fs::create_dir_all(&plan.out);
    std::thread::scope(|scope| {
        for slot in 0..plan.workers {
            let (queue, figures) = (&queue, &figures);
            scope.spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(|it| it.into_inner()).pop();
                    let Some((_, kind, from, to)) = next.filter(|_| !plan.is_over()) else { break };
                    Slot { plan, slot, figures }.portion(kind, from, to);
                }
            });
        }
    });
    figures.into_inner().unwrap_or_else(|it| it.into_inner())
}

impl Plan {
    /// Sets how many inputs of a kind there are.
    pub fn set(&mut self, kind: Kind, n: u64) {
        for it in self.inputs.iter_mut().filter(|it| it.0 == kind) {
            it.1 = n;
        }
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|it| Instant::now() >= it)
    }
}

/// A place for one worker at a time.
struct Slot<'a> {
    plan: &'a Plan,
    slot: usize,
    figures: &'a Mutex<Figures>,
}

/// How a worker ended.
enum End {
    Done,
    /// At this input, in this way.
    Broken(u64, String),
    /// The time of the whole run is over; the next input would have been this one.
    Over,
}

impl Slot<'_> {
    fn portion(&self, kind: Kind, from: u64, to: u64) {
        let mut from = from;
        while from < to {
            let folder = std::env::temp_dir();
            let name = format!("cotan-fuzz-{}-{}", std::process::id(), self.slot);
            let work = Work {
                kind,
                seed: self.plan.seed,
                from,
                to,
                out: self.plan.out.clone(),
                current: folder.join(format!("{name}.cot")),
            };
            let end = self.watch(&work);
            let (at, symptom) = match end {
                End::Done | End::Over => {
                    let _ = fs::remove_file(&work.current);
                    return;
                }
                End::Broken(at, symptom) => (at, symptom),
            };
            self.with(|it| {
                *it.finds.entry(symptom.clone()).or_default() += 1;
                // What was counted before died with the worker.
                count(&mut it.tally, kind.name(), at + 1 - from);
            });
            self.keep(&work, at, &symptom);
            from = at + 1;
        }
    }

    fn with(&self, change: impl FnOnce(&mut Figures)) {
        change(&mut self.figures.lock().unwrap_or_else(|it| it.into_inner()));
    }

    fn watch(&self, work: &Work) -> End {
        let mut child = match start(&work_words(work), self.slot) {
            Ok(child) => child,
            Err(error) => return End::Broken(work.from, format!("no worker starts: {error}")),
        };
        let lines = lines_of(&mut child);
        let mut at = work.from;
        let (mut finished, mut stuck) = (false, Stuck::default());
        loop {
            let line = lines.recv_timeout(LOOK);
            if line.is_ok() {
                stuck.gets_on();
            }
            match line {
                Ok(line) => match line.split_once(' ') {
                    Some(("at", number)) => {
                        at = number.parse().unwrap_or(at);
                        if self.plan.is_over() {
                            let _ = child.kill();
                            let _ = child.wait();
                            self.with(|it| count(&mut it.tally, work.kind.name(), at - work.from));
                            return End::Over;
                        }
                    }
                    Some(("find", symptom)) => {
                        self.with(|it| *it.finds.entry(symptom.to_string()).or_default() += 1);
                    }
                    Some(("tally", rest)) => {
                        finished = true;
                        if let Some((n, what)) = rest.split_once(' ') {
                            let n = n.parse().unwrap_or(0);
                            self.with(|it| count(&mut it.tally, what, n));
                        }
                    }
                    Some(_) | None => {}
                },
                Err(RecvTimeoutError::Timeout) => {
                    if stuck.for_longer_than(patience(work.kind), child.id()) {
                        let _ = child.kill();
                        let _ = child.wait();
                        return End::Broken(at, format!("hang in {}", work.kind.name()));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return match child.wait() {
                        Ok(status) if status.success() && finished => End::Done,
                        Ok(status) => {
                            End::Broken(at, format!("death in {}: {status}", work.kind.name()))
                        }
                        Err(error) => End::Broken(at, error.to_string()),
                    };
                }
            }
        }
    }

    /// Keeps the input that a worker did not survive, smaller if possible.
    fn keep(&self, work: &Work, at: u64, symptom: &str) {
        let case = match work.kind {
            Kind::Text => make(work.kind, work.seed, at, &Corpus::read(), &|_| {}),
            Kind::Check | Kind::Evaluate | Kind::Compile | Kind::Build => {
                Case::parse(&fs::read_to_string(&work.current).unwrap_or_default())
            }
        };
        let name = format!("{}_{}_{at}", file_name(symptom), work.kind.name());
        let path = work.out.join(format!("{name}.cot"));
        let find = Find { symptom: symptom.to_string(), detail: String::new() };
        save(&path, work, at, &case, &find);
        let mut fails = |it: &Case| self.dies(work, it) && !self.plan.is_over();
        let tries = if self.plan.is_over() { 0 } else { TRIES };
        let small = shrink(&case, tries, &mut fails);
        save(&path, work, at, &small, &find);
    }

    /// Whether a process does not survive a case, or does not end.
    fn dies(&self, work: &Work, case: &Case) -> bool {
        if fs::write(&work.current, case.to_text()).is_err() {
            return false;
        }
        let words =
            ["--again", work.kind.name(), &work.current.display().to_string()].map(str::to_string);
        let Ok(mut child) = start(&words, self.slot) else { return false };
        let lines = lines_of(&mut child);
        let mut stuck = Stuck::default();
        loop {
            match lines.recv_timeout(LOOK) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if stuck.for_longer_than(patience(work.kind) / 4, child.id()) {
                        let _ = child.kill();
                        let _ = child.wait();
                        return true;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return child.wait().is_ok_and(|it| it.code().is_none());
                }
            }
        }
    }
}

fn work_words(work: &Work) -> Vec<String> {
    let Work { kind, seed, from, to, out, current } = work;
    let words = ["--worker", kind.name()].map(str::to_string);
    let numbers = [seed, from, to].map(|it| it.to_string());
    let paths = [out, current].map(|it| it.display().to_string());
    words.into_iter().chain(numbers).chain(paths).collect()
}

/// Starts this program again, with less memory and a cache of its own.
fn start(words: &[String], slot: usize) -> std::io::Result<Child> {
    let name = format!("cotan-fuzz-cache-{}-{slot}", std::process::id());
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {ADDRESSES}; ulimit -c 0; exec \"$0\" \"$@\""))
        .arg(std::env::current_exe()?)
        .args(words)
        .env("XDG_CACHE_HOME", std::env::temp_dir().join(name))
        // We watch it ourselves, and not by the clock on the wall.
        .env("COTAN_CC_TIMEOUT", "6000")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

/// The lines that a process prints, as they come.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let (send, receive) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receive
}
