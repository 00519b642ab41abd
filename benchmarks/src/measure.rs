//! Measures one problem: all contenders compute it, results are compared, then they take turns.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::contender::{Entry, Roster};
use crate::effort::Effort;
use crate::inputs;
use crate::npy;
use crate::problem::{Phase, Problem, Real};
use crate::process::{Process, Seconds, Silence};

/// What became of a contender in one phase.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Medians of a run.
    Measured(Seconds),
    /// It does not take part.
    Missing(String),
    /// It failed.
    Failed(String),
    /// It gave another result than the reference; not timed.
    Wrong(String),
}

/// What a contender reached.
pub struct Row {
    pub entry: Entry,
    /// In the order of [`Phase::ALL`].
    pub outcomes: [Outcome; 2],
}

/// What all reached for one problem.
pub struct Table {
    pub problem: Problem,
    pub rows: Vec<Row>,
}

/// How long to wait for one answer.
pub fn patience(effort: Effort) -> Duration {
    Duration::from_secs(match effort {
        Effort::Full => 60,
        Effort::Quick => 20,
    })
}

/// Seconds for one contender in one phase.
fn budget(effort: Effort) -> f64 {
    match effort {
        Effort::Full => 1.0,
        Effort::Quick => 0.02,
    }
}

/// Batches of one contender, at most.
fn most_rounds(effort: Effort) -> usize {
    match effort {
        Effort::Full => 31,
        Effort::Quick => 3,
    }
}

impl From<Silence> for Outcome {
    fn from(silence: Silence) -> Outcome {
        match silence {
            Silence::Missing(why) => Outcome::Missing(why),
            Silence::Failed(why) => Outcome::Failed(why),
        }
    }
}

/// A contender that is on its way.
struct Runner {
    entry: Entry,
    process: Result<Process, Silence>,
    outcomes: Vec<Outcome>,
}

/// Measures a problem by some contenders, of which the first one is right; `say` hears what happens. The folder is for files that are needed meanwhile.
pub fn measure(
    problem: &Problem,
    entries: Vec<Entry>,
    roster: &Roster,
    effort: Effort,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Table, String> {
    let inputs = folder.join("inputs");
    fs::create_dir_all(&inputs).map_err(|error| error.to_string())?;
    inputs::write(&inputs::inputs(problem), problem.real, &inputs)?;
    let start = |entry: Entry| {
        say(&format!("{} with {} starts", entry.contender.name(), threads(entry)));
        let command = roster.command(entry, problem, &inputs).map_err(Silence::Missing);
        let process = command.and_then(|it| Process::start(it, patience(effort)));
        Runner { entry, process, outcomes: Vec::new() }
    };
    let mut runners: Vec<Runner> = entries.into_iter().map(start).collect();
    for phase in Phase::ALL {
        compare(problem.real, phase, &mut runners, effort, folder, say)?;
        take_turns(phase, &mut runners, effort, say);
    }
    let row = |it: Runner| {
        let outcomes = it.outcomes.try_into().expect("there is one for each phase");
        Row { entry: it.entry, outcomes }
    };
    Ok(Table { problem: problem.clone(), rows: runners.into_iter().map(row).collect() })
}

fn threads(entry: Entry) -> String {
    if entry.threads == 1 { "1 thread".to_string() } else { format!("{} threads", entry.threads) }
}

/// Lets everybody compute once. Who is right has an outcome to be filled in afterwards.
fn compare(
    real: Real,
    phase: Phase,
    runners: &mut [Runner],
    effort: Effort,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<(), String> {
    let mut wanted = None;
    for runner in runners {
        let name = runner.entry.contender.name();
        say(&format!("{name} computes the {}", phase.name()));
        let found = runner.results(phase, effort, folder);
        let unmeasured = Outcome::Measured(Seconds { wall: f64::NAN, used: f64::NAN });
        runner.outcomes.push(match (&wanted, found) {
            (None, Ok(found)) => {
                wanted = Some(found);
                unmeasured
            }
            (None, Err(silence)) => return Err(format!("no reference: {silence:?}")),
            (Some(wanted), Ok(found)) => match difference(real, wanted, &found) {
                Some(complaint) => Outcome::Wrong(complaint),
                None => unmeasured,
            },
            (Some(_), Err(silence)) => silence.into(),
        });
    }
    Ok(())
}

/// What is wrong with results, if anything is: relative to the greatest number of each array.
pub fn difference(real: Real, wanted: &[Vec<f64>], found: &[Vec<f64>]) -> Option<String> {
    if wanted.len() != found.len() {
        return Some(format!("{} results instead of {}", found.len(), wanted.len()));
    }
    wanted.iter().zip(found).enumerate().find_map(|(index, (wanted, found))| {
        if wanted.len() != found.len() {
            return Some(format!(
                "result {index} has {} numbers instead of {}",
                found.len(),
                wanted.len()
            ));
        }
        let most = wanted.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
        let bound = real.tolerance() * most;
        // Not the other way round: NaN is far from everything.
        let is_far = |(a, b): (&f64, &f64)| !((a - b).abs() <= bound || a == b);
        let place = wanted.iter().zip(found).position(is_far)?;
        let (wanted, found) = (wanted[place], found[place]);
        Some(format!("number {place} of result {index} is {found}, not {wanted}"))
    })
}

impl Runner {
    fn results(
        &mut self,
        phase: Phase,
        effort: Effort,
        folder: &Path,
    ) -> Result<Vec<Vec<f64>>, Silence> {
        let process = self.process.as_mut().map_err(|it| it.clone())?;
        let results = folder.join("results");
        let failed = |error: std::io::Error| Silence::Failed(error.to_string());
        fs::create_dir_all(&results).map_err(failed)?;
        let ran = process.run(phase, &results, patience(effort));
        if let Err(silence) = ran {
            // It may still be at it.
            self.process = Err(silence.clone());
            return Err(silence);
        }
        let mut res = Vec::new();
        loop {
            let path = results.join(format!("{}.{}.npy", phase.name(), res.len()));
            if !path.exists() {
                break;
            }
            res.push(npy::read_reals(&path).map_err(Silence::Failed)?);
        }
        fs::remove_dir_all(&results).map_err(failed)?;
        Ok(res)
    }
}

/// What the runs of one contender are.
struct Plan {
    /// Runs in a batch.
    batch: usize,
    rounds: usize,
    times: Vec<Seconds>,
}

/// Seconds of a batch: long against the clock's steps.
const BATCH: f64 = 4e-3;

/// Times all that are right. They take turns, so that a busy moment of the machine hits all of
/// them.
fn take_turns(phase: Phase, runners: &mut [Runner], effort: Effort, say: &dyn Fn(&str)) {
    let mut plans: Vec<Option<Plan>> =
        runners.iter_mut().map(|it| it.plan(phase, effort)).collect();
    for round in 0..most_rounds(effort) {
        for (runner, plan) in runners.iter_mut().zip(&mut plans) {
            let Some(plan) = plan.as_mut().filter(|it| round < it.rounds) else { continue };
            say(&format!(
                "{} {}, round {}",
                runner.entry.contender.name(),
                phase.name(),
                round + 1
            ));
            if let Some(seconds) = runner.time(phase, plan.batch, effort) {
                plan.times.push(seconds);
            }
        }
    }
    for (runner, plan) in runners.iter_mut().zip(plans) {
        if let (Some(plan), Some(Outcome::Measured(seconds))) = (plan, runner.outcomes.last_mut()) {
            let wall = median(plan.times.iter().map(|it| it.wall).collect());
            let used = median(plan.times.iter().map(|it| it.used).collect());
            *seconds = Seconds { wall, used };
        }
    }
}

impl Runner {
    /// Finds how many runs make a batch, and how many batches there is time for.
    fn plan(&mut self, phase: Phase, effort: Effort) -> Option<Plan> {
        let Some(Outcome::Measured(_)) = self.outcomes.last() else { return None };
        let mut batch = 1;
        loop {
            let seconds = self.time(phase, batch, effort)?;
            let whole = seconds.wall * batch as f64;
            if whole >= BATCH {
                let affordable = (budget(effort) / whole) as usize;
                // The one above counts too, and it was warm.
                let least = if whole > 2.0 { 0 } else { 3 };
                return Some(Plan {
                    batch,
                    rounds: affordable.clamp(least, most_rounds(effort)),
                    // The first run has warmed up before.
                    times: vec![seconds],
                });
            }
            batch *= 2;
        }
    }

    /// One batch; a failure is its last outcome.
    fn time(&mut self, phase: Phase, batch: usize, effort: Effort) -> Option<Seconds> {
        let process = self.process.as_mut().ok()?;
        match process.time(phase, batch, patience(effort)) {
            Ok(seconds) => Some(seconds),
            Err(silence) => {
                self.process = Err(silence.clone());
                self.outcomes.pop();
                self.outcomes.push(silence.into());
                None
            }
        }
    }
}

/// NaN of nothing.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
