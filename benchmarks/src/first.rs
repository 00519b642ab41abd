//! To a first result: every example from the start of `cotan run` to its end, with an empty cache, in a build as it
//! comes and in one that has instant code.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::effort::Effort;
use crate::machine;
use crate::report::time;

/// Seconds that it may take.
const BAR: f64 = 0.25;

/// Why a program takes longer with instant code, by samples of a processor clock: `perf`, parts of a process.
const WHY: [(&str, &str); 2] = [
    (
        "camera.cot",
        "1 % is its own code, 6 % the system, the rest our passes, a fifth of them memory",
    ),
    (
        "double_pendulum.cot",
        "18 % is its own code, 2 % sines, the rest our passes, a fifth of them memory",
    ),
];

/// The folders of programs, from that of the repository.
const FOLDERS: [&str; 2] = ["examples", "examples/whole"];

/// A build of the command.
struct Build {
    name: &'static str,
    features: &'static [&'static str],
}

const BUILDS: [Build; 2] = [
    Build { name: "default", features: &[] },
    Build { name: "instant", features: &["--features", "instant"] },
];

/// What a program took by each build, or why that is not known.
struct Row {
    program: String,
    seconds: [Result<f64, String>; BUILDS.len()],
}

/// Measures all; a full run writes `FIRST.md`.
pub fn run(effort: Effort, folder: &Path) -> Result<(), String> {
    let commands = [built(&BUILDS[0])?, built(&BUILDS[1])?];
    let repeats = match effort {
        Effort::Full => 5,
        Effort::Quick => 1,
    };
    let mut rows = Vec::new();
    for path in programs()? {
        let program = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        eprintln!("{program}");
        let seconds = [0, 1].map(|it: usize| median(&commands[it], &path, folder, repeats));
        rows.push(Row { program, seconds });
    }
    let text = table(&rows);
    println!("{}", text.trim());
    match effort {
        Effort::Quick => Ok(()),
        Effort::Full => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("FIRST.md");
            fs::write(path, text).map_err(|error| error.to_string())
        }
    }
}

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    folder.canonicalize().unwrap_or(folder)
}

/// The command, built now. Each build has a folder of its own, so that neither is made again.
fn built(build: &Build) -> Result<PathBuf, String> {
    eprintln!("building the command: {}", build.name);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/first").join(build.name);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "-p", "cotan-cli"]).args(build.features);
    cargo.arg("--manifest-path").arg(root().join("Cargo.toml")).arg("--target-dir").arg(&target);
    let status = cargo.status().map_err(|error| error.to_string())?;
    match status.success() {
        true => Ok(target.join("release/cotan")),
        false => Err(format!("the command is not built: {status}")),
    }
}

fn programs() -> Result<Vec<PathBuf>, String> {
    let mut res = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(root().join(folder)).map_err(|error| error.to_string())?;
        let paths = entries.filter_map(|it| it.ok().map(|it| it.path()));
        let mut paths: Vec<PathBuf> =
            paths.filter(|it| it.extension().is_some_and(|it| it == "cot")).collect();
        paths.sort();
        res.extend(paths);
    }
    Ok(res)
}

/// The median of several runs, each with an empty cache.
fn median(command: &Path, program: &Path, folder: &Path, repeats: usize) -> Result<f64, String> {
    let mut seconds = Vec::new();
    for _ in 0..repeats {
        let cache = folder.join("cache");
        if cache.exists() {
            fs::remove_dir_all(&cache).map_err(|error| error.to_string())?;
        }
        seconds.push(once(command, program, &cache)?);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// Seconds of the clock: nobody waits for a processor.
fn once(command: &Path, program: &Path, cache: &Path) -> Result<f64, String> {
    let mut command = Command::new(command);
    command.arg("run").arg(program).env("COTAN_CACHE", cache);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = Instant::now();
    let output = command.output().map_err(|error| error.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    let why = || said.lines().next().unwrap_or("it fails and says nothing").to_string();
    if output.status.success() { Ok(seconds) } else { Err(why()) }
}

fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "# To a first result\n\n\
         Written by `cargo run --release --manifest-path benchmarks/Cargo.toml -- first`: seconds of the clock from \
         the start of `cotan run` to its end, with an empty cache for compiled code, the median of five.\n\
         The bar is {}.\n\n- date: {}\n- machine: {}; {}\n\n",
        time(BAR),
        machine::date(),
        machine::processor(),
        machine::load(),
    );
    out += "| program | default | reached | `--features instant` | reached |\n|---|---:|---|---:|---|\n";
    for Row { program, seconds } in rows {
        out += &format!("| {program} |");
        for it in seconds {
            out += &match it {
                Ok(it) => {
                    format!(" {} | {} |", time(*it), if *it <= BAR { "yes" } else { "**no**" })
                }
                Err(why) => format!(" – | not measured ({why}) |"),
            };
        }
        out += "\n";
    }
    for (at, build) in BUILDS.iter().enumerate() {
        let reaches = |it: &&Row| it.seconds[at].as_ref().is_ok_and(|it| *it <= BAR);
        let missing = rows.iter().filter(|it| !reaches(it)).map(|it| it.program.as_str());
        let missing: Vec<&str> = missing.collect();
        let told = match missing.is_empty() {
            true => "all reach the bar".to_string(),
            false => format!(
                "{} of {} reach the bar, and these do not: {}",
                rows.len() - missing.len(),
                rows.len(),
                missing.join(", ")
            ),
        };
        out += &format!("\n{}: {told}.\n", build.name);
    }
    let has_missed = |name: &str| {
        let its = |it: &&Row| it.program.ends_with(name);
        rows.iter().find(its).is_some_and(|it| !it.seconds[1].as_ref().is_ok_and(|it| *it <= BAR))
    };
    for (name, why) in WHY.into_iter().filter(|it| has_missed(it.0)) {
        out += &format!("\nWith instant code, {name}: {why}.\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_misses_the_bar_is_told() {
        let row = |name: &str, seconds| Row { program: name.to_string(), seconds };
        let rows = [
            row("quick", [Ok(0.1), Ok(0.05)]),
            row("slow", [Ok(1.0), Ok(0.25)]),
            row("odd", [Err("no".to_string()), Ok(0.2)]),
        ];
        let text = table(&rows);
        assert!(text.contains("| **no** | 250 ms | yes |"), "{text}");
        assert!(
            text.contains("default: 1 of 3 reach the bar, and these do not: slow, odd."),
            "{text}"
        );
        assert!(text.contains("instant: all reach the bar."), "{text}");
    }

    #[test]
    fn there_are_programs_of_both_folders() {
        let found = programs().expect("the folders are there");
        let wholes = found.iter().filter(|it| it.parent().is_some_and(|it| it.ends_with("whole")));
        let wholes = wholes.count();
        assert!(wholes > 0 && wholes < found.len(), "{found:?}");
    }
}
