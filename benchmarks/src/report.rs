//! The results: for people, for programs, and as pictures.

mod data;
mod plot;
mod section;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use crate::contender::{Contender, Entry};
use crate::latency::Latency;
use crate::measure::{Outcome, Table};
use crate::memory::Memory;
use crate::overhead::Calls;
use crate::patterns::Patterns;
use crate::problem::{Bar, Phase, Rival};
use crate::process::Seconds;

pub use section::with_section;
pub use text::{digits, markdown, overhead, summary, time};

/// Everything that was measured.
pub struct Results {
    pub tables: Vec<Table>,
    pub memory: Option<Memory>,
    pub latency: Vec<Latency>,
    pub calls: Option<Calls>,
    pub patterns: Option<Patterns>,
    /// The Python that the frameworks ran in.
    pub python: Option<PathBuf>,
}

impl Table {
    pub fn outcome(&self, contender: Contender, threads: usize, phase: Phase) -> Option<&Outcome> {
        let entry = Entry { contender, threads };
        self.rows.iter().find(|it| it.entry == entry).map(|it| &it.outcomes[phase as usize])
    }

    fn seconds(&self, contender: Contender, threads: usize, phase: Phase) -> Option<Seconds> {
        match self.outcome(contender, threads, phase)? {
            Outcome::Measured(seconds) => Some(*seconds),
            Outcome::Missing(_) | Outcome::Failed(_) | Outcome::Wrong(_) => None,
        }
    }

    /// Seconds as they count: at one thread those that the process used, so that other programs
    /// on the machine do not count; at more those of the clock.
    pub fn counted(&self, contender: Contender, threads: usize, phase: Phase) -> Option<f64> {
        let seconds = self.seconds(contender, threads, phase)?;
        Some(if threads == 1 { seconds.used } else { seconds.wall })
    }

    /// Who is meant by a bar of this problem.
    fn rival(&self, rival: Rival) -> Option<Contender> {
        self.rows.iter().map(|it| it.entry.contender).find(|it| it.is(rival))
    }

    /// Cotan's time and the one it is compared with, at one thread.
    fn compared(&self, bar: &Bar) -> (Option<f64>, Option<f64>) {
        let phase = if bar.rival == Rival::Primal { Phase::Value } else { bar.phase };
        let other = self.rival(bar.rival).and_then(|it| self.counted(it, 1, phase));
        (self.counted(Contender::Cotan, 1, bar.phase), other)
    }

    /// Seconds of the clock at one thread and at two, of what takes long enough to be split.
    pub fn two_threads(&self, phase: Phase) -> Option<(f64, f64)> {
        let one = self.seconds(Contender::Cotan, 1, phase)?.wall;
        let two = self.seconds(Contender::Cotan, 2, phase)?.wall;
        (one > LONG).then_some((one, two))
    }
}

/// Seconds from which on a second thread has to pay.
pub const LONG: f64 = 5e-3;
/// How much it has to pay.
pub const LEAST_SPEEDUP: f64 = 1.7;

/// Writes all files.
pub fn write(results: &Results) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [
        ("RESULTS.md", markdown(results)),
        ("results.json", format!("{:#}\n", data::json(results))),
        ("ratios.svg", plot::ratios(results)),
        ("threads.svg", plot::threads(results)),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), content).map_err(|error| format!("{name}: {error}"))?;
        eprintln!("wrote {name}");
    }
    Ok(())
}
