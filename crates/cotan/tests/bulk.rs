//! Methods `bulk` and `chad` against `tape` on all examples, programs and code blocks of the book: where
//! one accepts a program, both agree, and what it refuses is listed. Both refuse the same, since what is
//! in the way is in the way of passes before them.
//!
//! `CASE=part_of_a_name` runs some of the programs. `UPDATE_EXPECT=1` rewrites the list.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

#[path = "common/collected.rs"]
mod collected;
#[path = "common/found.rs"]
mod found;
#[allow(dead_code, reason = "not every test compares all methods")]
#[path = "common/methods.rs"]
mod methods;
#[allow(dead_code, reason = "not every test takes the headers apart")]
#[path = "common/examples.rs"]
mod sources;

use std::panic::{AssertUnwindSafe, catch_unwind};

use collected::{Case, wanted};
use cotan::{Backend, Compiled, Compiler, Options, Precision, Style, Via};
use expect_test::expect;
use found::Found;
use methods::difference;

/// How far the methods may be apart, relative to the greatest number of the answer.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F64 => 1e-10,
        Precision::F32 => 1e-4,
    }
}

/// What one method says to a question.
enum Said {
    Value(String),
    Error(String),
    /// By a method that does not accept every program: why.
    Refused(String),
    Panic(String),
}

fn ask(program: &mut Compiled, constant: &str) -> Said {
    let answer = catch_unwind(AssertUnwindSafe(|| program.call(constant, &[])));
    match answer {
        Ok(Ok(answer)) => Said::Value(answer.to_text()),
        Ok(Err(report)) if report.codes().contains(&"E0635") => {
            let text = report.render(Style::Plain);
            let label = text.lines().find_map(|it| it.split_once("^ ")).map(|it| it.1);
            Said::Refused(label.unwrap_or("nothing is said").to_string())
        }
        Ok(Err(report)) => Said::Error(report.codes().join(", ")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Said::Panic(text.lines().next().unwrap_or_default().chars().take(300).collect())
        }
    }
}

/// Asks `tape` and another method all questions of a program.
fn compare(case: &Case, via: Via) -> Found {
    let mut found = Found::default();
    let defs = case.questions.iter().enumerate();
    let defs: String = defs.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
    let text = format!("{}{defs}", case.text);
    let mut programs = [Via::Tape, via].map(|via| {
        let options = Options {
            precision: case.precision,
            via,
            backend: Backend::Interp,
            ..Options::default()
        };
        let program = Compiler::new(options).compile(&case.name, &text);
        program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
    });
    for (i, question) in case.questions.iter().enumerate() {
        let mut say = |it: &str| found.wrong.push(format!("{}: {question}\n  {it}", case.name));
        let [tape, other] = programs.each_mut().map(|it| ask(it, &format!("question{i}")));
        match (tape, other) {
            (_, Said::Panic(text)) => say(&format!("panic: {text}")),
            (_, Said::Refused(reason)) => found.refuse(reason, &case.name),
            (Said::Value(tape), Said::Value(other)) => {
                match difference(&tape, &other, tolerance(case.precision)) {
                    None => found.agreed += 1,
                    Some(it) => say(&format!("{it}\n  tape {tape}\n  {} {other}", via.name())),
                }
            }
            (Said::Error(tape), Said::Error(other)) if tape == other => found.agreed += 1,
            (Said::Value(it), Said::Error(error)) => say(&format!("{error} instead of {it}")),
            (Said::Error(error), Said::Value(it)) => say(&format!("{it} instead of {error}")),
            (Said::Error(tape), Said::Error(other)) => say(&format!("{other} instead of {tape}")),
            (Said::Refused(it) | Said::Panic(it), _) => say(&format!("by tape: {it}")),
        }
    }
    found
}

#[test]
fn bulk_agrees_with_tape() {
    agrees_with_tape(Via::Bulk);
}

#[test]
fn chad_agrees_with_tape() {
    agrees_with_tape(Via::Chad);
}

fn agrees_with_tape(via: Via) {
    let found = Found::together(collected::each(collected::all(), |it| compare(it, via)));
    let report = found.report(2700);
    if wanted().is_empty() {
        // All are of higher order but the first: there, only running tells of which order the
        // derivative is.
        expect![[r#"
        2 refused: a definition is differentiated inside of itself
          reverse/operators_inside
        14 refused: a function is stored in a sum type or an array
          language/closures_in_data, reverse/closures, reverse/corners, reverse/evaluator, reverse/operators_inside
        1 refused: church is recursive and gives a function
          reverse/closures
        3 refused: nested_lambda_1 is recursive and gives a function
          peers/horde_ad_fold
        3 refused: polynomial is recursive and gives a function
          reverse/closures
        1 refused: power_lambda_1 is recursive and gives a function
          language/higher_order
        7 refused: the steps of a loop give different functions
          language/closures_in_data, hazards/deep, reverse/corners, reverse/depth, reverse/folds, reverse/loops, docs/functions
        4 refused: types or functions nest too deep
          reverse/operators_inside, reverse/recursion
    "#]]
        .assert_eq(&report);
    }
}
