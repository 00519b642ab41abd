//! Back end `native` against the interpreter on all examples, programs and code blocks of the book: both
//! agree.
//!
//! `CASE=part_of_a_name` runs some of the programs. Of long programs that are no examples every fifth question
//! is asked; with `COTAN_NATIVE=all` all of them are.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

use crate::common::collected;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::collected::Case;
use crate::common::found::Found;
use crate::common::methods::difference;
use cotan::{
    Argument, BACK_ENDS, Backend, Compiled, Compiler, Effort, Options, Precision, Style, Via,
};

/// How far the back ends may be apart, relative to the greatest number of the answer.
fn tolerance(case: &Case) -> f64 {
    match case.precision {
        Precision::F64 => 1e-12,
        Precision::F32 => 1e-5,
    }
}

/// The questions below are asked of back end `native`; those of `instant` are in `tests/instant.rs`.
#[test]
fn every_back_end_that_compiles_is_asked() {
    let compiled = BACK_ENDS.iter().filter(|it| it.compiles()).map(|it| it.backend);
    assert_eq!(
        compiled.collect::<Vec<_>>(),
        [Backend::Instant, Backend::Native],
        "ask the new one too"
    );
}

/// What a back end says to a question.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Value(String),
    Error(String),
    /// By `native`: why.
    Refused(String),
    Panic(String),
}

fn ask(program: &mut Compiled, constant: &str) -> Said {
    let answer = catch_unwind(AssertUnwindSafe(|| program.call(constant, &[])));
    match answer {
        Ok(Ok(answer)) => Said::Value(answer.value_json()),
        Ok(Err(report)) if report.codes().contains(&"E0637") => {
            let text = report.render(Style::Plain);
            let label = text.lines().find_map(|it| it.split_once("^ ")).map(|it| it.1);
            match label.unwrap_or("nothing is said") {
                // C that does not compile is a fault of ours.
                it if it.contains("C compiler") => Said::Panic(it.to_string()),
                it => Said::Refused(it.to_string()),
            }
        }
        Ok(Err(report)) => Said::Error(report.codes().join(", ")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Said::Panic(text.lines().next().unwrap_or_default().chars().take(300).collect())
        }
    }
}

/// How much the C compiler optimises changes nothing, and is most of the time. Of what is neither an
/// example nor written for loops, two thirds are drafts, which take a third of it.
fn compile(case: &Case, text: &str, backend: Backend) -> Compiled {
    let for_loops = case.name.starts_with("bulk/") || !case.name.contains('/');
    let is_draft = !for_loops && !case.text.len().is_multiple_of(3);
    compile_with(case, text, backend, if is_draft { Effort::Fitting } else { Effort::Quick })
}

fn compile_with(case: &Case, text: &str, backend: Backend, effort: Effort) -> Compiled {
    let via = if backend == Backend::Native { case.via } else { Via::Auto };
    let options = Options { precision: case.precision, via, backend, effort, ..Options::default() };
    let program = Compiler::new(options).compile(&case.name, text);
    program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

/// Questions of one program that are compiled at once: each time the C compiler is called takes a
/// tenth of a second.
const AT_ONCE: usize = 32;

/// A question, its name among the definitions, and what the interpreter said.
type Asked = (String, Said);

impl Found {
    fn compare(&mut self, case: &Case) {
        let questions = case.questions.iter().enumerate();
        let defs: String = questions.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
        let text = format!("{}{defs}", case.text);
        let mut interp = compile(case, &text, Backend::Interp);
        let names = (0..case.questions.len()).map(|i| format!("question{i}"));
        let said = names.map(|it| (it.clone(), ask(&mut interp, &it)));
        let (values, rest): (Vec<Asked>, Vec<Asked>) =
            said.partition(|it| matches!(it.1, Said::Value(_)));
        for group in values.chunks(AT_ONCE) {
            self.group(case, &text, group);
        }
        if !rest.is_empty() {
            let mut native = compile(case, &text, Backend::Native);
            for (name, said) in rest {
                let found = ask(&mut native, &name);
                self.one(case, &name, said, found);
            }
        }
    }

    /// What is made in a hurry, since nobody calls it often.
    fn compare_drafts(&mut self, case: &Case) {
        let questions = case.questions.iter().enumerate();
        let defs: String = questions.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
        let text = format!("{}{defs}", case.text);
        let mut interp = compile(case, &text, Backend::Interp);
        let mut native = compile_with(case, &text, Backend::Native, Effort::Fitting);
        for name in (0..case.questions.len()).map(|i| format!("question{i}")) {
            let (said, found) = (ask(&mut interp, &name), ask(&mut native, &name));
            self.one(case, &name, said, found);
        }
    }

    /// What the C compiler optimised has the same bits as what it did not.
    fn compare_efforts(&mut self, case: &Case) {
        let parts = case.questions.join(", ");
        let text = format!("{}\ndef all_questions = ({parts}, 0)", case.text);
        let [quick, full] = [Effort::Quick, Effort::Full]
            .map(|it| ask(&mut compile_with(case, &text, Backend::Native, it), "all_questions"));
        match (quick, full) {
            (Said::Value(a), Said::Value(b)) if a == b => self.agreed += 1,
            (Said::Refused(_), Said::Refused(_)) => {}
            (a, b) => self.wrong.push(format!("{}: {a:?}, optimised {b:?}", case.name)),
        }
    }

    /// All at once, or each half by itself until it is clear which are to blame.
    fn group(&mut self, case: &Case, text: &str, group: &[Asked]) {
        match group {
            [] => {}
            [(name, said)] => {
                let found = ask(&mut compile(case, text, Backend::Native), name);
                self.one(case, name, said.clone(), found);
            }
            [..] if at_once(case, text, group) => self.agreed += group.len(),
            [..] => {
                let (first, second) = group.split_at(group.len() / 2);
                self.group(case, text, first);
                self.group(case, text, second);
            }
        }
    }

    fn one(&mut self, case: &Case, name: &str, interp: Said, native: Said) {
        let number: usize = name["question".len()..].parse().expect("as it was made");
        let mut say = |it: String| {
            self.wrong.push(format!("{}: {}\n  {it}", case.name, case.questions[number]));
        };
        match (interp, native) {
            (_, Said::Panic(text)) => say(format!("panic: {text}")),
            (_, Said::Refused(reason)) => self.refuse(reason, &case.name),
            (Said::Value(a), Said::Value(b)) => match difference(&a, &b, tolerance(case)) {
                None => self.agreed += 1,
                Some(it) => say(format!("{it}\n  interp {a}\n  native {b}")),
            },
            (Said::Error(a), Said::Error(b)) if a == b => self.agreed += 1,
            (Said::Value(it), Said::Error(error)) => say(format!("{error} instead of {it}")),
            (Said::Error(error), Said::Value(it)) => say(format!("{it} instead of {error}")),
            (Said::Error(a), Said::Error(b)) => say(format!("{b} instead of {a}")),
            (Said::Refused(it) | Said::Panic(it), _) => say(format!("by interp: {it}")),
        }
    }
}

/// Whether a tuple of all these questions agrees.
fn at_once(case: &Case, text: &str, group: &[(String, Said)]) -> bool {
    let names: Vec<&str> = group.iter().map(|it| it.0.as_str()).collect();
    let parts = names.join(", ");
    // A tuple has at least two parts.
    let text = format!("{text}\ndef all_questions = ({parts}, 0)");
    let mut native = compile(case, &text, Backend::Native);
    let Said::Value(found) = ask(&mut native, "all_questions") else { return false };
    let Ok(serde_json::Value::Array(found)) = serde_json::from_str(&found) else { return false };
    let agrees = |(said, found): (&(String, Said), &serde_json::Value)| {
        let Said::Value(said) = &said.1 else { return false };
        let said: serde_json::Value = serde_json::from_str(said).expect("our own JSON");
        difference(&said.to_string(), &found.to_string(), tolerance(case)).is_none()
    };
    group.iter().zip(&found).all(agrees)
}

fn each(cases: Vec<Case>, compare: fn(&mut Found, &Case)) -> Found {
    let look = |case: &Case| {
        let mut found = Found::default();
        compare(&mut found, case);
        found
    };
    Found::together(collected::each(cases, look))
}

/// Fails if anything is wrong; `--nocapture` shows what was refused.
#[allow(clippy::print_stdout, reason = "for whoever looks at it")]
fn report(found: Found, least: usize) {
    let agreed = found.agreed;
    println!("{agreed} agree\n{}", found.report(least));
}

fn is_whole() -> bool {
    std::env::var("COTAN_NATIVE").is_ok_and(|it| it == "all")
}

#[test]
fn native_agrees_with_the_interpreter() {
    report(
        each(collected::thinned(collected::all(), is_whole()), Found::compare),
        if is_whole() { 2700 } else { 1200 },
    );
}

/// The examples, with a few of their questions.
fn some(questions: usize) -> Vec<Case> {
    let mut cases = collected::examples();
    cases.iter_mut().for_each(|it| it.questions.truncate(questions));
    cases
}

#[test]
fn efforts_agree() {
    report(each(some(2), Found::compare_efforts), 20);
}

#[test]
fn drafts_agree_with_the_interpreter() {
    report(each(some(1), Found::compare_drafts), 20);
}

/// By forward mode, which takes a run for each real, against what the interpreter does by `auto`.
#[test]
fn forward_mode_agrees_with_the_interpreter() {
    let mut cases = collected::all();
    // Where derivatives are most of it, and everywhere else a few of the programs.
    cases.retain(|it| it.name.starts_with("reverse/") || it.text.len().is_multiple_of(7));
    cases.iter_mut().for_each(|it| it.via = Via::Forward);
    report(
        each(collected::thinned(cases, is_whole()), Found::compare),
        if is_whole() { 450 } else { 200 },
    );
}

#[test]
fn native_agrees_with_the_interpreter_in_single_precision() {
    let mut cases = some(2);
    cases.iter_mut().for_each(|it| it.precision = Precision::F32);
    report(each(cases, Found::compare), 40);
}

/// Long code is compiled in parts that call each other: values and gradients are those of the interpreter,
/// whose method is another one.
#[test]
fn code_in_parts_agrees_with_the_interpreter() {
    let lets = |k: usize| -> String {
        (0..120).map(|j| format!("let x = sin(x * 0.{}5) + y;\n", 1 + (j + k) % 9)).collect()
    };
    let def = |k: usize| {
        let lets = lets(k);
        format!(
            "def r{k}(n: Int, x: Real, y: Real): Real =
               if n == 0 then x else {{\n{lets}r{k}(n - 1, x, y)\n}}\n"
        )
    };
    let n_defs = 8;
    let defs: String = (0..n_defs).map(def).collect();
    let calls: Vec<String> = (0..n_defs).map(|k| format!("r{k}(2, x, y)")).collect();
    let text = format!(
        "{defs}def value(x: Real, y: Real): Real = {}
         def main(x: Real, y: Real): (Real, (Real, Real)) = value_and_grad(value)(x, y)",
        calls.join(" + ")
    );
    let point = [Argument::real("x", 0.3), Argument::real("y", 0.01)];
    let answer = |via, backend, effort| {
        let options = Options { via, backend, effort, ..Options::default() };
        let mut program = Compiler::new(options).compile("parts.cot", &text).expect("well typed");
        let answer = program.call("main", &point).expect("it runs").value_json();
        (program, answer)
    };
    let interpreted = answer(Via::Tape, Backend::Interp, Effort::Fitting).1;
    let (mut program, compiled) = answer(Via::Bulk, Backend::Native, Effort::Quick);
    let stages = program.stages("main", &[], &[]).expect("there is such a definition");
    let parts = stages.split(" lines in ").nth(1).and_then(|it| it.split_once(" parts"));
    assert!(parts.is_some_and(|it| it.0.parse::<usize>().is_ok_and(|it| it > 2)), "one part");
    assert_eq!(difference(&interpreted, &compiled, 1e-10), None, "{interpreted} {compiled}");
}
