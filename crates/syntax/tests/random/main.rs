//! Random texts, the same in every run: nothing panics, and what can be formatted keeps its
//! tree and its comments and stays as it is when formatted again.

mod writer;

use base::render::{Style, render};
use base::{FileId, SourceMap};
use syntax::dump::{dump, dump_expr, dump_type};
use testing::{Random, texts};
use writer::Writer;

/// All that must hold for a text.
fn check(text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("random", text);
    let (module, diagnostics) = syntax::parse(file, text);
    let tree = dump(&module);
    render(&diagnostics, &sources, Style::Plain);
    for it in &diagnostics {
        assert!(it.title.chars().count() <= 60, "{}", it.title);
    }
    dump_expr(&syntax::parse_expr(file, text).0);
    dump_type(&syntax::parse_type(file, text).0);
    match syntax::format(text) {
        Err(errors) => assert_eq!(errors.is_empty(), diagnostics.is_empty()),
        Ok(once) => {
            let (again, _) = syntax::parse(FileId(0), &once);
            assert_eq!(tree, dump(&again), "--- text\n{text}\n--- formatted\n{once}");
            let comments = |it: &syntax::ast::Module| {
                it.comments.iter().map(|it| it.text.clone()).collect::<Vec<_>>()
            };
            assert_eq!(comments(&module), comments(&again), "{text}\n---\n{once}");
            let twice = syntax::format(&once).expect("a formatted text is well formed");
            assert_eq!(once, twice, "--- text\n{text}\n");
            assert!(once.lines().all(|it| it.trim_end() == it), "{once:?}");
            assert!(!once.contains("\n\n\n"), "{once:?}");
        }
    }
}

#[test]
fn token_soup() {
    let mut random = Random::new(1);
    for _ in 0..5_000 {
        check(&texts::token_soup(&mut random, 26));
    }
}

#[test]
fn random_bytes() {
    let mut random = Random::new(42);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

fn program(seed: u64, comments: usize) -> String {
    let random = Random::new(seed);
    let mut writer = Writer { random, out: String::new(), comments };
    for _ in 0..1 + writer.random.below(3) {
        writer.item();
    }
    writer.out
}

#[test]
fn programs() {
    let mut understood = 0;
    for seed in 1..800 {
        let text = program(seed, [0, 2, 20][seed as usize % 3]);
        check(&text);
        understood += usize::from(syntax::format(&text).is_ok());
    }
    assert!(understood > 760, "only {understood} of the texts are well formed");
}

#[test]
fn broken_programs() {
    let mut random = Random::new(7);
    let programs: Vec<String> = (1..800).map(|seed| program(seed, 2)).collect();
    for text in &programs {
        check(&texts::changed(&mut random, text, &programs));
    }
}
