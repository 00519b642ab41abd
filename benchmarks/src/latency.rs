//! From source to loaded code: every example, cold and from the cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use cotan::{Backend, Compiler, Options, Report, Style};

use crate::effort::Effort;

/// What an example took.
#[derive(Clone)]
pub struct Latency {
    pub example: String,
    /// Seconds with an empty cache, and with one that has it, or why that is not known.
    pub seconds: Result<(f64, f64), String>,
}

/// Seconds that it may take with an empty cache.
pub const MOST_COLD: f64 = 0.25;
/// Seconds that it may take when the code is in the cache.
pub const MOST_CACHED: f64 = 0.02;

/// Compiles every example, each time in a new process.
pub fn measure(effort: Effort, folder: &Path, say: &dyn Fn(&str)) -> Result<Vec<Latency>, String> {
    let repeats = match effort {
        Effort::Full => 5,
        Effort::Quick => 1,
    };
    let mut res = Vec::new();
    for path in examples()? {
        let example = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        say(&example);
        let seconds = times(&path, &folder.join("cache"), repeats);
        res.push(Latency { example, seconds });
    }
    Ok(res)
}

fn examples() -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let paths = entries.filter_map(|it| it.ok().map(|it| it.path()));
    let mut res: Vec<PathBuf> =
        paths.filter(|it| it.extension().is_some_and(|it| it == "cot")).collect();
    res.sort();
    Ok(res)
}

/// Medians with an empty cache, and with a full one.
fn times(example: &Path, cache: &Path, repeats: usize) -> Result<(f64, f64), String> {
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    for _ in 0..repeats {
        if cache.exists() {
            fs::remove_dir_all(cache).map_err(|error| error.to_string())?;
        }
        cold.push(in_process(example, cache)?);
        cached.push(in_process(example, cache)?);
    }
    let median = |mut it: Vec<f64>| {
        it.sort_by(f64::total_cmp);
        it[it.len() / 2]
    };
    Ok((median(cold), median(cached)))
}

fn in_process(example: &Path, cache: &Path) -> Result<f64, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("latency").arg(example).env("COTAN_CACHE", cache);
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = || String::from_utf8_lossy(&output.stderr).trim().to_string();
    text.trim().parse().map_err(|_| complaint())
}

/// In the process that is measured: prints the seconds from the text of a file to code of its
/// `main` that can be called.
pub fn print(file: &str) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let options = Options { backend: Backend::Native, ..Options::default() };
    let words = |report: Report| {
        let text = report.render(Style::Plain);
        text.lines().next().unwrap_or_default().to_string()
    };
    let start = Instant::now();
    let mut program = Compiler::new(options).compile(file, &text).map_err(words)?;
    program.load("main").map_err(words)?;
    println!("{:.6}", start.elapsed().as_secs_f64());
    Ok(())
}
