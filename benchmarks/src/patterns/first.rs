//! The first call of a prepared function beside later ones.

use std::fs;
use std::path::Path;

use crate::contender::{Contender, Entry, Roster};
use crate::effort::Effort;
use crate::inputs;
use crate::measure::{median, patience};
use crate::problem::{Phase, Problem, Program, Real};
use crate::process::Process;

/// What calls of a gradient took.
pub struct First {
    pub title: String,
    /// Seconds of the first call and of a later one.
    pub first: f64,
    pub later: f64,
}

/// Starts a process for every first call, and measures some later ones in it.
pub fn measure(roster: &Roster, effort: Effort, folder: &Path) -> Result<Vec<First>, String> {
    let (processes, calls) = if effort == Effort::Quick { (1, 1) } else { (7, 15) };
    let mut res = Vec::new();
    for problem in problems() {
        let place = folder.join(format!("first-{}", problem.key()));
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        inputs::write(&inputs::inputs(&problem), problem.real, &place)?;
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for _ in 0..processes {
            let entry = Entry { contender: Contender::Cotan, threads: 1 };
            let command = roster.command(entry, &problem, &place)?;
            let failed = |it| format!("{}: {it:?}", problem.title());
            let mut process = Process::start(command, patience(effort)).map_err(failed)?;
            let mut call = || {
                process.time(Phase::Gradient, 1, patience(effort)).map(|it| it.used).map_err(failed)
            };
            first.push(call()?);
            for _ in 0..calls {
                later.push(call()?);
            }
        }
        fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
        let title = problem.title();
        res.push(First { title, first: median(first), later: median(later) });
    }
    Ok(res)
}

/// Short and long calls, with little and with much memory.
fn problems() -> [Problem; 3] {
    let of = |program, sizes: &[usize]| Problem { program, sizes: sizes.to_vec(), real: Real::F64 };
    [
        of(Program::Horner, &[100, 10_000]),
        of(Program::Mixture, &[10, 25, 1000]),
        of(Program::Lstm, &[2, 1024]),
    ]
}
