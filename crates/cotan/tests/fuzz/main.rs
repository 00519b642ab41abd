//! Fuzzing inside the tests: seeded, deterministic, bounded by a number of rounds that takes
//! about a minute of one core in all. Any input must give a result or diagnostics: no panic, no
//! hang, no overflow. A failure prints the seed and the input.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test reads files, and a panic is its way to fail"
)]

mod generate;
mod mutate;
mod random;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use base::{Diagnostic, FileId};
use cotan::{Compiler, Options, Style};
use random::Random;

/// Rounds of each target: in all about a minute of one core in the dev profile.
const PARSER_ROUNDS: u64 = 75_000;
const CHECKER_ROUNDS: u64 = 8_000;
const NPY_ROUNDS: u64 = 4_000_000;

/// The programs that are mutated.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|it| it.extension().is_some_and(|it| it == "cot"))
        .collect();
    paths.sort();
    let texts: Vec<String> = paths.iter().map(|it| fs::read_to_string(it).unwrap()).collect();
    assert!(!texts.is_empty(), "no examples to mutate: this test cannot fail");
    texts
}

/// A program that is almost right, or no program at all.
fn program(random: &mut Random, corpus: &[String]) -> String {
    match random.below(8) {
        0 => mutate::token_soup(random),
        1..=3 => generate::program(random),
        4 => {
            let program = generate::program(random);
            mutate::text(random, &program, corpus)
        }
        _ => {
            let example = random.pick(corpus).clone();
            let part = mutate::some_items(random, &example);
            mutate::text(random, &part, corpus)
        }
    }
}

/// Runs `target` on inputs made from seeds `0..rounds`; a panic is reported with its input.
fn fuzz<I>(
    rounds: u64,
    mut make: impl FnMut(&mut Random) -> I,
    show: impl Fn(&I) -> String,
    target: impl Fn(&I),
) {
    for seed in 0..rounds {
        let input = make(&mut Random::new(seed));
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| target(&input)));
        assert!(outcome.is_ok(), "seed {seed}:\n{}", show(&input));
    }
}

/// Labels lie in the text and between characters, and titles say something.
fn diagnostics_are_sound(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.title.is_empty());
        for label in diagnostic.labels.iter().filter(|it| it.span.file == FileId(0)) {
            assert!(text.get(label.span.range()).is_some(), "{diagnostic:?}");
        }
    }
}

#[test]
fn any_text_parses_and_formats() {
    let corpus = corpus();
    fuzz(
        PARSER_ROUNDS,
        |random| program(random, &corpus),
        String::clone,
        |text| {
            let (_, diagnostics) = syntax::parse(FileId(0), text);
            diagnostics_are_sound(text, &diagnostics);
            match cotan::format("fuzz.cot", text) {
                Ok(once) => {
                    assert!(diagnostics.is_empty(), "a wrong program was formatted");
                    let twice = cotan::format("fuzz.cot", &once).expect("formatted text parses");
                    assert_eq!(once, twice, "formatting is idempotent");
                }
                Err(report) => assert!(!report.is_empty()),
            }
        },
    );
}

#[test]
fn any_text_checks() {
    let corpus = corpus();
    let compiler = Compiler::new(Options::default());
    fuzz(
        CHECKER_ROUNDS,
        |random| program(random, &corpus),
        String::clone,
        |text| {
            if let Err(report) = compiler.compile("fuzz.cot", text) {
                assert!(!report.codes().is_empty(), "refused without an error");
                assert!(report.render(Style::Plain).contains(report.codes()[0]));
            }
        },
    );
}

#[test]
fn any_bytes_are_an_array_or_an_error() {
    fuzz(
        NPY_ROUNDS,
        mutate::npy,
        |bytes| format!("{bytes:?}"),
        |bytes| {
            if let Ok(array) = array::read(bytes) {
                let again = array::read(&array::write(&array)).expect("what we write we read");
                assert_eq!(again.shape, array.shape);
                assert_eq!(again.data.len(), array.data.len());
            }
        },
    );
}

#[test]
fn the_same_seed_gives_the_same_input() {
    let corpus = corpus();
    for seed in 0..100 {
        let text = |seed| program(&mut Random::new(seed), &corpus);
        assert_eq!(text(seed), text(seed));
    }
}
