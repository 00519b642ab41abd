//! The most memory that a gradient needs: the Gaussian mixture with a million points.

use std::fs;
use std::path::Path;

use crate::contender::{Contender, Entry, Roster};
use crate::effort::Effort;
use crate::inputs::{self, Data};
use crate::measure::patience;
use crate::problem::{Phase, Problem};
use crate::process::{Process, Silence};

/// What was found.
pub struct Memory {
    pub title: String,
    /// Bytes of the input.
    pub input: u64,
    /// The most bytes that the process held while it computed, or why that is not known.
    pub peak: Result<u64, String>,
}

/// What may be needed besides the input.
pub const ALLOWED: u64 = 256 << 20;

/// Runs one gradient in a process of its own.
pub fn measure(roster: &Roster, effort: Effort, folder: &Path) -> Result<Memory, String> {
    let problem = Problem::of_memory(effort);
    let place = folder.join("memory");
    fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let inputs = inputs::inputs(&problem);
    inputs::write(&inputs, problem.real, &place)?;
    let numbers = |it: &Data| match it {
        Data::Reals(data) => data.len(),
        Data::Ints(data) => data.len(),
    };
    let input = inputs.iter().map(|it| 8 * numbers(&it.data) as u64).sum();
    drop(inputs);
    let peak = peak(&problem, roster, effort, &place);
    fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    Ok(Memory { title: problem.title(), input, peak })
}

fn peak(problem: &Problem, roster: &Roster, effort: Effort, place: &Path) -> Result<u64, String> {
    let words = |silence| match silence {
        Silence::Missing(why) | Silence::Failed(why) => why,
    };
    let entry = Entry { contender: Contender::Cotan, threads: 2 };
    let command = roster.command(entry, problem, place)?;
    let mut process = Process::start(command, patience(effort)).map_err(words)?;
    let (status, refs) =
        (format!("/proc/{}/status", process.id()), format!("/proc/{}/clear_refs", process.id()));
    // Forgets what reading the files took.
    fs::write(refs, "5").map_err(|error| error.to_string())?;
    process.time(Phase::Gradient, 1, patience(effort)).map_err(words)?;
    let status = fs::read_to_string(status).map_err(|error| error.to_string())?;
    held(&status)
}

/// The most bytes that a process held at once, by its status.
pub fn held(status: &str) -> Result<u64, String> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kib = line.and_then(|it| it.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map(|it| 1024 * it).ok_or_else(|| "the system does not tell".to_string())
}
