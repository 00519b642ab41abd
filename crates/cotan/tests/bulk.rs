//! Methods `bulk`, `chad` and `linmap` against `tape` on all examples, programs and code blocks of the
//! book: where they accept a program, all agree, and what they refuse is listed. All refuse the same, since
//! what is in the way is in the way of passes before them.
//!
//! Of programs that ask much every fifth question is asked; with `COTAN_BULK=all` every one.
//!
//! `CASE=part_of_a_name` runs some of the programs. `UPDATE_EXPECT=1` rewrites the list.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use crate::common::collected;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::choices::that_make_programs;
use crate::common::collected::{Case, wanted};
use crate::common::found::Found;
use crate::common::methods::difference;
use cotan::{Backend, Compiled, Compiler, Options, Precision, Style, Via};
use expect_test::expect;

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

/// Asks all methods all questions of a program: what each of those says that make programs.
fn compare(case: &Case) -> Vec<Found> {
    let mut found: Vec<Found> = that_make_programs().map(|_| Found::default()).collect();
    let defs = case.questions.iter().enumerate();
    let defs: String = defs.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
    let text = format!("{}{defs}", case.text);
    let compiled = |via| {
        let options = Options {
            precision: case.precision,
            via,
            backend: Backend::Interp,
            ..Options::default()
        };
        let program = Compiler::new(options).compile(&case.name, &text);
        program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
    };
    let mut tape = compiled(Via::Tape);
    let mut others: Vec<Compiled> = that_make_programs().map(compiled).collect();
    for (i, question) in case.questions.iter().enumerate() {
        let tape = ask(&mut tape, &format!("question{i}"));
        for (program, found) in others.iter_mut().zip(&mut found) {
            let own = ask(program, &format!("question{i}"));
            compare_answers(case, question, &tape, own, found);
        }
    }
    found
}

fn compare_answers(case: &Case, question: &str, tape: &Said, own: Said, found: &mut Found) {
    let mut say = |it: &str| found.wrong.push(format!("{}: {question}\n  {it}", case.name));
    match (tape, own) {
        (_, Said::Panic(text)) => say(&format!("panic: {text}")),
        (_, Said::Refused(reason)) => found.refuse(reason, &case.name),
        (Said::Value(tape), Said::Value(own)) => {
            match difference(tape, &own, tolerance(case.precision)) {
                None => found.agreed += 1,
                Some(it) => say(&format!("{it}\n  tape {tape}\n  not  {own}")),
            }
        }
        (Said::Error(tape), Said::Error(own)) if *tape == own => found.agreed += 1,
        (Said::Value(it), Said::Error(error)) => say(&format!("{error} instead of {it}")),
        (Said::Error(error), Said::Value(it)) => say(&format!("{it} instead of {error}")),
        (Said::Error(tape), Said::Error(own)) => say(&format!("{own} instead of {tape}")),
        (Said::Refused(it) | Said::Panic(it), _) => say(&format!("by tape: {it}")),
    }
}

/// Programs of which some derivatives are refused.
const REFUSED: [&str; 2] = ["reverse/operators_inside", "reverse/recursion"];

#[test]
fn programs_of_derivatives_agree_with_tape() {
    let mut all: Vec<Vec<Found>> = that_make_programs().map(|_| Vec::new()).collect();
    let is_whole = std::env::var("COTAN_BULK").is_ok_and(|it| it == "all");
    // What is refused stays among what is asked.
    let (mut refused, others): (Vec<Case>, Vec<Case>) =
        collected::all().into_iter().partition(|it| REFUSED.contains(&it.name.as_str()));
    refused.extend(collected::thinned(others, is_whole));
    for found in collected::each(refused, compare) {
        all.iter_mut().zip(found).for_each(|(all, it)| all.push(it));
    }
    let reports =
        all.into_iter().map(|it| Found::together(it).report(if is_whole { 2700 } else { 1000 }));
    let reports: Vec<String> = reports.collect();
    let report = reports[0].clone();
    // What is in the way of one is in the way of the others.
    for (via, other) in that_make_programs().zip(&reports) {
        assert_eq!(*other, report, "{via:?}");
    }
    if wanted().is_empty() {
        // In the first, only running tells of which order the derivative is; in the other, types grow.
        expect![[r#"
            5 refused: a definition is differentiated inside of itself
              reverse/operators_inside
            1 refused: types or functions nest too deep
              reverse/recursion
        "#]]
        .assert_eq(&report);
    }
}
