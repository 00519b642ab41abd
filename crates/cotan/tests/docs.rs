//! Runs the code blocks of README.md and the book, by every method of differentiation.
//!
//! A block marked `cotan` is a whole program: it checks, its tests pass and its `main`, if there
//! is one, runs. A block marked `cotan-error E0301` fails with that code, or warns with it, when it
//! is checked or run. Arguments of `main` may follow in the mark: `cotan x=[1.0,2.0]`.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::methods::{METHODS, disagreements};
use cotan::{
    Argument, ArgumentData, Backend, Compiler, Options, Precision, Report, Style, TestOutcome, Via,
};

/// A marked block of a document.
struct Block {
    /// `docs/tutorial.md:12`
    place: String,
    /// The words after the backquotes.
    mark: Vec<String>,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn documents(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            documents(&path, into);
        } else if path.extension().is_some_and(|it| it == "md") {
            into.push(path);
        }
    }
}

/// The Cotan blocks of one document.
fn blocks(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let mut res: Vec<Block> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(mark) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let content: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| !line.trim_start().starts_with("```"))
            .map(|line| line.get(indent..).unwrap_or(""))
            .collect();
        let mark: Vec<String> = mark.split_whitespace().map(str::to_string).collect();
        if mark.first().is_some_and(|it| it.starts_with("cotan")) {
            let place = format!("{name}:{}", index + 1);
            res.push(Block { place, mark, text: content.join("\n") + "\n" });
        }
    }
    res
}

/// The arguments of a mark, `name=json`.
fn arguments(words: &[String]) -> Vec<Argument> {
    words
        .iter()
        .map(|word| {
            let (name, value) = word.split_once('=').expect("name=json");
            let data = ArgumentData::Json(value.as_bytes().to_vec());
            Argument { name: name.to_string(), origin: "its value".into(), data }
        })
        .collect()
}

/// Programs in documents are small; those that show a limit should reach it soon.
const MEMORY: u64 = 256 << 20;

/// Checks a program, runs its tests and its `main`, if it has one or should fail for having none;
/// gives the warnings.
fn run(text: &str, arguments: &[Argument], code: &str, via: Via) -> Result<Report, Report> {
    let options = Options { memory: MEMORY, via, backend: Backend::Interp, ..Options::default() };
    let mut compiled = Compiler::new(options).compile("example.cot", text)?;
    for index in 0..compiled.n_tests() {
        if let TestOutcome::Failed(report) = compiled.run_test(index).outcome {
            return Err(report);
        }
    }
    for index in 0..compiled.n_plots() {
        compiled.plot(index)?;
    }
    if compiled.has_def("main") || code == "E0632" {
        compiled.call("main", arguments)?;
    }
    if code == "E0513" && !compiled.strict().is_empty() {
        return Err(compiled.strict());
    }
    if code == "E0514" && !compiled.additive("x").1.is_empty() {
        return Err(compiled.additive("x").1);
    }
    Ok(compiled.warnings().clone())
}

/// What is wrong with a block, if anything.
fn complaint(block: &Block) -> Option<String> {
    let methods =
        METHODS.into_iter().filter(|via| block.mark.get(1).is_none_or(|it| fails(it, *via)));
    methods.into_iter().find_map(|via| complaint_via(block, via))
}

/// Whether a program can fail with a code by a method: only what records can record too much.
fn fails(code: &str, via: Via) -> bool {
    code != "E0613" || via == Via::Tape
}

fn complaint_via(block: &Block, via: Via) -> Option<String> {
    let place = format!("{} via {via:?}", block.place);
    match (block.mark[0].as_str(), block.mark.get(1)) {
        ("cotan", _) => {
            let report = run(&block.text, &arguments(&block.mark[1..]), "", via).err()?;
            Some(format!("{place}: this block fails\n{}", report.render(Style::Plain)))
        }
        ("cotan-error", Some(code)) => {
            match run(&block.text, &arguments(&block.mark[2..]), code, via) {
                Err(report) if report.codes().contains(&code.as_str()) => None,
                Ok(it) if it.render(Style::Plain).contains(&format!("[{code}]")) => None,
                Ok(_) => Some(format!("{place}: this block should fail with {code}")),
                Err(report) => Some(format!(
                    "{place}: this block should fail with {code}, but fails with\n{}",
                    report.render(Style::Plain)
                )),
            }
        }
        (mark, _) => Some(format!("{place}: no such mark as `{mark}`")),
    }
}

fn all_documents() -> Vec<PathBuf> {
    let mut res: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]
        .iter()
        .map(|it| root().join(it))
        .filter(|it| it.exists())
        .collect();
    documents(&root().join("docs"), &mut res);
    res
}

#[test]
fn code_blocks_do_what_the_documents_say() {
    let blocks: Vec<Block> = all_documents().iter().flat_map(|it| blocks(it)).collect();
    let failures: Vec<String> = blocks.iter().filter_map(complaint).collect();
    assert!(failures.is_empty(), "\n{}\n{} failed", failures.join("\n"), failures.len());
    assert!(!blocks.is_empty(), "no block marked `cotan` anywhere: this test cannot fail");
    println!("{} code blocks", blocks.len());
}

#[test]
fn methods_agree_on_every_derivative_of_the_book() {
    let blocks = all_documents().into_iter().flat_map(|it| blocks(&it));
    let failures: Vec<String> = blocks
        .filter(|it| it.mark[0] == "cotan")
        .flat_map(|it| disagreements(&it.place, &it.text, Precision::F64, &[]))
        .collect();
    assert!(failures.is_empty(), "\n{}\n{} disagreements", failures.join("\n"), failures.len());
}

/// A picture that follows a block shows the plots of that block, but for those of `examples/whole`, which run
/// for long. `BLESS=1` draws them anew.
#[test]
fn pictures_are_those_of_the_programs_above_them() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    let mut n_pictures = 0;
    for path in all_documents() {
        let text = fs::read_to_string(&path).unwrap();
        let blocks = blocks(&path);
        for (index, line) in text.lines().enumerate() {
            let target = line.strip_prefix("![").and_then(|it| it.split_once("](")).map(|it| it.1);
            let Some(name) = target.and_then(|it| it.strip_suffix(')')) else { continue };
            let line_of =
                |it: &Block| it.place.rsplit(':').next().unwrap().parse::<usize>().unwrap();
            let whole = Path::new("../../examples/whole").join(name).with_extension("cot");
            if Path::new(env!("CARGO_MANIFEST_DIR")).join(whole).exists() {
                continue;
            }
            let Some(block) = blocks.iter().rev().find(|it| line_of(it) <= index) else { continue };
            let options = Options { backend: Backend::Interp, ..Options::default() };
            let mut program = Compiler::new(options).compile("example.cot", &block.text).unwrap();
            let figures: Vec<cotan::Figure> =
                (0..program.n_plots()).map(|it| program.plot(it).unwrap()).collect();
            let (drawn, file) = (cotan::figures_svg(&figures), path.with_file_name(name));
            n_pictures += 1;
            if bless {
                fs::write(&file, &drawn).unwrap();
            }
            if figures.is_empty() || fs::read_to_string(&file).ok().as_ref() != Some(&drawn) {
                failures.push(format!(
                    "{}: `{name}` is not what {} draws",
                    path.display(),
                    block.place
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}\nBLESS=1 draws them anew", failures.join("\n"));
    assert!(n_pictures > 0, "no picture anywhere: this test cannot fail");
}

#[test]
fn error_pages_show_the_fault_and_its_repair() {
    let mut failures = Vec::new();
    for path in all_documents().iter().filter(|it| it.parent().unwrap().ends_with("errors")) {
        let code = path.file_stem().unwrap().to_string_lossy().into_owned();
        let blocks = blocks(path);
        let failing = blocks.iter().any(|it| it.mark[0] == "cotan-error" && it.mark[1] == code);
        let repaired = blocks.iter().any(|it| it.mark[0] == "cotan");
        // What only the command line can do wrong is shown as a session, what only Rust can do wrong as a
        // doc test (`crates/cotan/src/trace.rs`).
        let text = fs::read_to_string(path).unwrap();
        let elsewhere = text.contains("```console") || text.contains("```rust");
        if code.starts_with('E') && !elsewhere && !(failing && repaired) {
            failures.push(format!("{}: a failing and a repaired example, please", path.display()));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_wrong_block_is_noticed() {
    let block = |mark: &str, text: &str| Block {
        place: "here".to_string(),
        mark: mark.split(' ').map(str::to_string).collect(),
        text: text.to_string(),
    };
    assert!(complaint(&block("cotan", "def main = 1 +")).is_some());
    assert!(complaint(&block("cotan", "test \"no\" = 1 == 2")).is_some());
    assert!(complaint(&block("cotan-error E0301", "def main = 1")).is_some());
    assert!(complaint(&block("cotan-error E9999", "def main = 1 +")).is_some());
    assert!(complaint(&block("cotan-nonsense", "def main = 1")).is_some());
    assert!(complaint(&block("cotan", "def main = 1\ntest \"yes\" = main == 1")).is_none());
}
