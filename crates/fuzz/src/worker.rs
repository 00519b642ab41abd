//! One process that makes inputs and tries them, one after the other, and tells whoever watches it
//! which one it is at: a line for each on standard output, the input itself in a file.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a front end: it talks to the process that watches it"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::corpus::Corpus;
use crate::make::make;
use crate::shrink::shrink;
use crate::target::{Find, Kind, Tally, count, remember_panics, run};

/// What a worker is to do.
pub struct Work {
    /// What is done with inputs.
    pub kind: Kind,
    /// The seed of the run.
    pub seed: u64,
    /// The first input.
    pub from: u64,
    /// The one after the last.
    pub to: u64,
    /// Where finds go.
    pub out: PathBuf,
    /// Where the input is that is tried.
    pub current: PathBuf,
}

/// How many smaller inputs are tried to make a find smaller.
fn tries(kind: Kind) -> usize {
    match kind {
        Kind::Text | Kind::Check => 2000,
        Kind::Evaluate => 1000,
        Kind::Compile | Kind::Build => 120,
    }
}

/// Inputs after which the cache of compiled code is emptied.
const CLEARED: u64 = 64;

/// Tries all inputs. Prints `at N` before each, `find TEXT` for each find, and `tally N TEXT` for all
/// counts in the end.
pub fn work(work: &Work) {
    remember_panics();
    let corpus = Corpus::read();
    let mut tally = Tally::new();
    let mut known = BTreeSet::new();
    for number in work.from..work.to {
        println!("at {number}");
        // A text is made again where it is needed: making it does not fail.
        let note = |case: &Case| {
            if work.kind != Kind::Text {
                let _ = fs::write(&work.current, case.to_text());
            }
        };
        let made = std::panic::catch_unwind(|| make(work.kind, work.seed, number, &corpus, &note));
        let (case, outcome) = match made {
            Ok(case) => {
                note(&case);
                let outcome = run(work.kind, &case, &mut tally);
                (case, outcome)
            }
            // A candidate did not check or evaluate without a panic: it stands in the file.
            Err(_) => {
                let text = fs::read_to_string(&work.current).unwrap_or_default();
                let case = Case::parse(&text);
                let outcome = run(Kind::Check, &case, &mut tally);
                let outcome = outcome.and_then(|()| run(Kind::Evaluate, &case, &mut tally));
                (case, outcome)
            }
        };
        count(&mut tally, work.kind.name(), 1);
        if let Err(find) = outcome {
            println!("find {}", find.symptom);
            if known.insert(find.symptom.clone()) {
                keep(work, number, &case, &find);
            }
        }
        if matches!(work.kind, Kind::Compile | Kind::Build) && number % CLEARED == 0 {
            clear_cache();
        }
    }
    for (what, n) in &tally {
        println!("tally {n} {what}");
    }
}

/// Shrinks a find and writes it down, unless somebody has found the same before.
fn keep(work: &Work, number: u64, case: &Case, find: &Find) {
    let path = work.out.join(format!("{}.cot", file_name(&find.symptom)));
    if path.exists() {
        return;
    }
    save(&path, work, number, case, find);
    let mut tally = Tally::new();
    let mut last = find.clone();
    let mut fails = |it: &Case| {
        let _ = fs::write(&work.current, it.to_text());
        println!("at {number}");
        let found = run(work.kind, it, &mut tally).err();
        let same = found.filter(|it| it.symptom == find.symptom);
        let is_same = same.is_some();
        last = same.unwrap_or_else(|| last.clone());
        is_same
    };
    let small = shrink(case, tries(work.kind), &mut fails);
    save(&path, work, number, &small, &last);
}

/// Writes a find: the case, and what is known of it behind it.
pub fn save(path: &Path, work: &Work, number: u64, case: &Case, find: &Find) {
    let comment: String = find.detail.lines().take(40).map(|it| format!("-- {it}\n")).collect();
    let text = format!(
        "{}\n-- found: {}\n-- by: {}, seed {}, number {number}\n{comment}",
        case.to_text().trim_end(),
        find.symptom,
        work.kind.name(),
        work.seed,
    );
    let _ = fs::create_dir_all(&work.out);
    let _ = fs::write(path, text);
}

/// A symptom as the name of a file.
pub fn file_name(symptom: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
    symptom.chars().map(plain).take(120).collect()
}

/// Runs a kept case again; tells what is found.
pub fn again(kind: Kind, path: &Path) -> Option<Find> {
    remember_panics();
    let text = fs::read_to_string(path).unwrap_or_default();
    run(kind, &Case::parse(&text), &mut Tally::new()).err()
}

/// Makes a kept case smaller, while it shows the same.
pub fn smaller(kind: Kind, path: &Path) -> Option<(Case, Find)> {
    let find = again(kind, path)?;
    let case = Case::parse(&fs::read_to_string(path).unwrap_or_default());
    let mut fails = |it: &Case| {
        run(kind, it, &mut Tally::new()).is_err_and(|other| other.symptom == find.symptom)
    };
    Some((shrink(&case, 2000, &mut fails), find))
}

/// The cache is a folder of the worker's own, which would grow without end.
fn clear_cache() {
    if let Ok(folder) = std::env::var("XDG_CACHE_HOME")
        && folder.contains("cotan-fuzz-cache")
    {
        let _ = fs::remove_dir_all(Path::new(&folder).join("cotan"));
    }
}
