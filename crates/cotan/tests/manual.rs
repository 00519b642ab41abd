//! The parts of the book that are generated from the sources, and the book's list of pages.
//! `BLESS=1 cargo test -p cotan --test all manual::` writes them anew.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and a panic is its way to fail"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::ast;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Compares the text between the two marks of a page with what it should be, or writes it there.
fn generated(page: &str, from: &str, expected: &str) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (start, end) =
        (format!("<!-- generated from {from} -->\n"), "<!-- end of generated text -->");
    let before = text.find(&start).unwrap_or_else(|| panic!("{page}: no line `{start}`"));
    let before = before + start.len();
    let after = before + text[before..].find(end).unwrap_or_else(|| panic!("{page}: no `{end}`"));
    let expected = format!("\n{}\n\n", expected.trim());
    if text[before..after] == expected {
        return;
    }
    if std::env::var("BLESS").is_ok_and(|it| it == "1") {
        fs::write(&path, format!("{}{expected}{}", &text[..before], &text[after..])).unwrap();
    } else {
        panic!("{page} is not what {from} says; write it anew with BLESS=1");
    }
}

/// A table of the definitions of a module: what each is called with, and its documentation.
fn table_of_definitions(source: &str) -> String {
    let (module, errors) = syntax::parse(base::FileId(0), source);
    assert!(errors.is_empty(), "{errors:?}");
    let mut res = String::from("| definition | meaning |\n|---|---|\n");
    for item in &module.items {
        let (doc, span, body) = match item {
            ast::Item::Def(it) => (&it.doc, it.span, Some(it.body.span)),
            ast::Item::Type(it) => (&it.doc, it.span, None),
            ast::Item::Data(it) => (&it.doc, it.span, None),
            ast::Item::Import(_)
            | ast::Item::Test(_)
            | ast::Item::Bench(_)
            | ast::Item::Plot(_) => continue,
        };
        let text = match body {
            Some(body) => {
                source[span.start as usize..body.start as usize].trim_end_matches(['=', ' ', '\n'])
            }
            None => &source[span.range()],
        };
        let text = text.strip_prefix("def ").unwrap_or(text).replace('|', "\\|");
        writeln!(res, "| `{text}` | {} |", doc.join(" ")).unwrap();
    }
    res
}

#[test]
fn the_table_of_primitives() {
    generated("docs/language/primitives.md", "crates/ir/src/prim.rs", &ir::prim::manual());
}

#[test]
fn the_table_of_methods() {
    let page = "docs/command_line.md";
    generated(page, "crates/cotan/src/method.rs", &cotan::manual_of_methods());
}

#[test]
fn the_table_of_back_ends() {
    let page = "docs/command_line.md";
    generated(page, "crates/cotan/src/backend.rs", &cotan::manual_of_back_ends());
}

#[test]
fn the_table_of_builtins() {
    let table = table_of_definitions(check::INTRINSICS);
    generated("docs/language/builtins.md", "crates/check/src/intrinsics.cot", &table);
}

#[test]
fn the_table_of_the_prelude() {
    let table = table_of_definitions(check::PRELUDE);
    generated("docs/language/prelude.md", "crates/check/src/prelude.cot", &table);
}

/// The pages of a folder of the book, sorted, with their titles.
fn pages(folder: &str) -> Vec<(String, String)> {
    let mut res: Vec<(String, String)> = fs::read_dir(root().join("docs").join(folder))
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).unwrap();
            let title = text.lines().next().unwrap_or("").trim_start_matches("# ").to_string();
            (name, title)
        })
        .collect();
    res.sort();
    res
}

#[test]
fn the_list_of_error_codes() {
    let codes = pages("errors").into_iter().filter(|(name, _)| name.starts_with('E'));
    let list: Vec<String> = codes.map(|(name, title)| format!("- [{title}]({name})")).collect();
    generated("docs/errors/README.md", "the pages in docs/errors/", &list.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut missing = Vec::new();
    for folder in ["", "tutorial/", "language/", "library/", "internals/", "errors/"] {
        for (name, title) in pages(folder) {
            let line = format!("[{title}]({folder}{name})");
            if name != "SUMMARY.md" && !summary.contains(&line) {
                missing.push(line);
            }
        }
    }
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list\n{}", missing.join("\n"));
}

#[test]
fn the_readme_shows_an_example_and_what_it_prints() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let example = fs::read_to_string(root().join("examples/throw.cot")).unwrap();
    // The first lines of an example are for the tests of the examples.
    let (_, program) = example.split_once("\n\n").unwrap();
    assert!(readme.contains(&format!("```cotan\n{program}```")), "not the program of throw.cot");

    let mut compiled = cotan::Compiler::default().compile("throw.cot", &example).ok().unwrap();
    let printed = compiled.call("main", &[]).ok().unwrap().to_text();
    assert_shown(&readme, "run examples/throw.cot", &printed);
    let hessian = "hessian(range)(0.7, 0.005)";
    let printed = compiled.eval(hessian, &[]).ok().unwrap().to_text();
    assert_shown(&readme, &format!("'{hessian}'"), &printed);
}

/// What stands below a command is what it prints, but for last digits, which depend on the machine.
fn assert_shown(text: &str, command: &str, printed: &str) {
    let (_, rest) = text.split_once(&format!("{command}\n")).unwrap();
    let shown = rest.lines().next().unwrap();
    let numbers = |it: &str| -> Vec<f64> {
        let parts = it.split(['(', ')', '[', ']', ',', ' ']).filter(|it| !it.is_empty());
        parts.map(|it| it.parse().unwrap()).collect()
    };
    let (shown, printed) = (numbers(shown), numbers(printed));
    assert_eq!(shown.len(), printed.len());
    for (shown, printed) in shown.iter().zip(&printed) {
        let difference = (shown - printed).abs();
        assert!(difference <= 1e-13 * printed.abs(), "{command} prints {printed}, not {shown}");
    }
}

/// Operators that occur in a test of a derivative.
const OPERATORS: [&str; 6] = ["grad(", "jvp(", "vjp(", "jacobian(", "hessian(", "hvp("];

#[test]
fn every_construct_has_a_test_of_its_value_and_of_its_derivative() {
    let mut failures = Vec::new();
    for (name, _) in pages("language").iter().filter(|(name, _)| name != "builtins.md") {
        let text = fs::read_to_string(root().join("docs/language").join(name)).unwrap();
        let blocks = text.split("```cotan\n").skip(1).filter_map(|it| it.split("```").next());
        let programs: String = blocks.collect();
        let tests: Vec<&str> = programs.split("\ntest \"").skip(1).collect();
        let derivative = |test: &&&str| OPERATORS.iter().any(|it| test.contains(it));
        let n_derivatives = tests.iter().filter(derivative).count();
        if n_derivatives == 0 || n_derivatives == tests.len() {
            failures.push(format!("{name}: {n_derivatives} of {} tests", tests.len()));
        }
    }
    // The page of the derivative operators has nothing but derivatives.
    failures.retain(|it| !it.starts_with("derivative_operators.md"));
    assert!(failures.is_empty(), "test values and derivatives in\n{}", failures.join("\n"));
}
