//! One run of everything: the problems, memory and latency; then the report.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::contender::{Roster, entries};
use crate::effort::Effort;
use crate::latency;
use crate::measure;
use crate::memory;
use crate::overhead;
use crate::patterns;
use crate::problem::Problem;
use crate::report::{self, Results};

/// Measures the programs of these names, or all; only a full run of all is written down.
pub fn run(names: &[String], effort: Effort) -> Result<(), String> {
    let chosen =
        |it: &Problem| names.is_empty() || names.iter().any(|name| name == it.program.name());
    let problems: Vec<Problem> = Problem::all().into_iter().filter(chosen).collect();
    if problems.is_empty() {
        return Err("no program has such a name; look into `benchmarks/programs`".to_string());
    }
    let folder = Folder::new()?;
    let roster = Roster::new(&folder.0);
    let is_whole = names.is_empty();
    let steps = problems.len() + if is_whole { 4 } else { 0 };
    let progress = Progress::new(steps);
    let mut tables = Vec::new();
    for problem in &problems {
        progress.next(&problem.title());
        let place = folder.0.join(problem.key());
        let table = measure::measure(problem, entries(problem), &roster, effort, &place, &|it| {
            progress.say(it)
        })
        .map_err(|complaint| format!("{}: {complaint}", problem.title()))?;
        fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
        progress.print(&report::summary(&table));
        tables.push(table);
    }
    let (mut memory, mut latency, mut calls, mut patterns) = (None, Vec::new(), None, None);
    if is_whole {
        progress.next("peak memory");
        memory = Some(memory::measure(&roster, effort, &folder.0)?);
        progress.next("from source to loaded code");
        latency = latency::measure(effort, &folder.0, &|it| progress.say(it))?;
        progress.next("overhead of a call");
        calls = Some(overhead::measure(effort, &|it| progress.say(it))?);
        progress.next("patterns");
        let (found, own) = patterns::measure(&tables, &latency, &roster, effort, &folder.0)?;
        patterns = Some(found);
        tables.extend(own);
    }
    progress.finish();
    let python = roster.python().map(Path::to_path_buf);
    let results = Results { tables, memory, latency, calls, patterns, python };
    println!("{}", report::markdown(&results));
    if !is_whole || effort == Effort::Quick {
        return Ok(());
    }
    report::write(&results)?;
    results.patterns.map_or(Ok(()), |it| it.complaint())
}

/// A folder for files that are needed meanwhile; it is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("cotan-benchmarks-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is in a folder for what may be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A line that says how far everything is.
struct Progress {
    bar: ProgressBar,
    title: Cell<String>,
}

impl Progress {
    fn new(steps: usize) -> Progress {
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("[{elapsed}] {pos}/{len} {wide_msg}");
        bar.set_style(style.expect("the template is right"));
        bar.enable_steady_tick(Duration::from_millis(500));
        Progress { bar, title: Cell::default() }
    }

    fn next(&self, title: &str) {
        self.bar.inc(1);
        self.title.set(title.to_string());
        self.say("");
    }

    fn say(&self, what: &str) {
        let title = self.title.take();
        self.bar.set_message(format!("{title}: {what}"));
        self.title.set(title);
    }

    /// Something to keep, also if nobody looks at a terminal.
    fn print(&self, text: &str) {
        match self.bar.is_hidden() {
            true => eprintln!("{text}"),
            false => self.bar.println(text),
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
