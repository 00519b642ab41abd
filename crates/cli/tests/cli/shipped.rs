//! Every subcommand on every program of the repository: no panic, no signal, and the status that the
//! program is known for.
//!
//! What runs, runs by the interpreter: the C compiler would take most of an hour. `stages` by `native`
//! and `build` go all the way to C; what compiled code gives is other tests' business
//! (`crates/cotan/tests/native.rs`).

use std::path::Path;
use std::sync::Mutex;

use crate::*;

/// What is known of a program by its folder.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// It does not check.
    Wrong,
    /// Its `main` ends in an error.
    Fails,
    /// Its tests pass.
    Good,
}

struct Program {
    path: String,
    known: Known,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn programs() -> Vec<Program> {
    let folders = ["examples", "errors", "failures", "language", "prims", "hazards", "peers"]
        .into_iter()
        .chain(["reverse", "bulk", "single"]);
    let mut res = Vec::new();
    for folder in folders {
        let (place, known) = match folder {
            "examples" => (root().join(folder), Known::Good),
            "errors" => (root().join("tests/programs/errors"), Known::Wrong),
            "failures" => (root().join("tests/programs/failures"), Known::Fails),
            other => (root().join("tests/programs").join(other), Known::Good),
        };
        for entry in std::fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "cot") {
                let text = std::fs::read_to_string(&path).unwrap();
                res.push(Program { path: path.display().to_string(), known, text });
            }
        }
    }
    res.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(res.len() > 300, "only {} programs", res.len());
    res
}

/// Runs the program and complains if it ends with another status than one of these.
fn expect(args: &[&str], statuses: &[i32], wrong: &mut Vec<String>) {
    let ran = cotan(args);
    if !ran.status.is_some_and(|it| statuses.contains(&it)) {
        let args = args.join(" ");
        let said: String = ran.err.chars().take(600).collect();
        wrong.push(format!("cotan {args}: {:?}, not one of {statuses:?}\n{said}", ran.status));
    }
}

/// Everything that can be asked of one program. Where the status depends on what the method or the law
/// says of this program, 0 and 1 are both right; a panic is 101.
fn all_of(program: &Program, folder: &str, wrong: &mut Vec<String>) {
    let path = program.path.as_str();
    let single = if path.contains("/single/") { "f32" } else { "f64" };
    // What recurses without end reaches a small limit soon; what recurses deeply needs a large one.
    let memory = if program.known == Known::Fails { "256M" } else { "4G" };
    let run = ["--backend", "interp", "--memory", memory, "--real", single];
    let with = |args: &[&'static str]| [args, &run].concat();
    let (checks, passes) = match program.known {
        Known::Wrong => (1, 1),
        Known::Fails | Known::Good => (0, 0),
    };
    expect(&["check", path], &[checks], wrong);
    expect(&["check", path, "--strict", "--json"], &[checks, 1], wrong);
    expect(&["fmt", "--check", path], if checks == 0 { &[0] } else { &[0, 1] }, wrong);
    // What fails fails by its `main`.
    if program.known != Known::Fails {
        expect(&[&["test", path], &run[..]].concat(), &[passes], wrong);
    }
    let plain_main =
        program.text.lines().any(|it| it.starts_with("def main =") || it.starts_with("def main:"));
    let main = match program.known {
        Known::Good if plain_main => 0,
        Known::Good | Known::Wrong | Known::Fails => 1,
    };
    // Recording without end takes long; it is one of the failures (`crates/cotan/tests/programs.rs`).
    if !program.text.starts_with("-- expect: E0613") {
        expect(&[&["run", path], &run[..]].concat(), &[main], wrong);
        expect(&[&["eval", path, "1.0 + 2.0"], &run[..]].concat(), &[checks], wrong);
        expect(&[&["sparsity", path, "main"], &run[..]].concat(), &[main], wrong);
    }
    expect(
        &[&["bench", path, "--seconds", "0"], &with(&["--json"])[..]].concat(),
        &[checks],
        wrong,
    );
    expect(&["build", path, "--emit", "c", "-o", folder, "--real", single], &[checks], wrong);
    for name in functions(&program.text, 1) {
        let points = ["gradcheck", path, &name, "--points", "1"];
        expect(&[&points, &run[..]].concat(), &[0, 1], wrong);
    }
    for (at, name) in functions(&program.text, 2).iter().enumerate() {
        for via in methods(program.text.len() + at) {
            // One definition by the interpreter, another by compiled code.
            let backend = if at == 0 { "native" } else { "interp" };
            let flags = ["--via", via, "--backend", backend];
            expect(&[&["stages", path, name], &flags[..]].concat(), &[0, 1], wrong);
        }
    }
}

/// The methods whose stages are printed: one that this number chooses, or all if `COTAN_SHIPPED=all` says so,
/// which takes four times as long. That no method panics on any program is also what `crates/cotan/tests/`
/// asks by running them.
fn methods(choice: usize) -> Vec<&'static str> {
    let all: Vec<&str> = cotan::Via::all().map(cotan::Via::name).collect();
    match std::env::var("COTAN_SHIPPED").is_ok_and(|it| it == "all") {
        true => all,
        false => vec![all[choice % all.len()]],
    }
}

/// The last definitions with parameters; those of the whole program are at the end.
fn functions(text: &str, n: usize) -> Vec<String> {
    let names = text.lines().filter_map(|it| it.strip_prefix("def ")?.split_once('('));
    let names =
        names.map(|it| it.0).filter(|it| it.chars().all(|it| it.is_alphanumeric() || it == '_'));
    let mut res: Vec<String> = names.map(str::to_string).collect();
    res.reverse();
    res.truncate(n);
    res
}

#[test]
fn every_subcommand_on_every_program() {
    let queue = Mutex::new(programs());
    let wrong = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (queue, wrong) = (&queue, &wrong);
            scope.spawn(move || {
                let folder =
                    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shipped{thread}"));
                let folder = folder.display().to_string();
                loop {
                    let Some(program) = queue.lock().unwrap().pop() else { break };
                    let mut found = Vec::new();
                    all_of(&program, &folder, &mut found);
                    wrong.lock().unwrap().append(&mut found);
                    let _ = std::fs::remove_dir_all(&folder);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} complaints\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_error_is_explained() {
    let pages = std::fs::read_dir(root().join("docs/errors")).unwrap();
    let names =
        pages.map(|it| it.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let mut wrong = Vec::new();
    for code in names.filter(|it| it.starts_with('E')) {
        expect(&["explain", &code], &[0], &mut wrong);
    }
    expect(&["doctor"], &[0], &mut wrong);
    expect(&["doctor", "--json"], &[0], &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
