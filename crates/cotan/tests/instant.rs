//! Back end `instant` against the interpreter: on all examples, programs and code blocks of the book, with loops
//! as they come and as fast code has them; what fails, fails with the same error at the same place; and limits
//! hold.
//!
//! `cargo test -p cotan --features instant --test all instant::`. `CASE=part_of_a_name` runs some of the programs.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a panic is how a test fails; it reads its programs"
)]

use crate::common::collected;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use crate::common::collected::Case;
use crate::common::found::Found;
use crate::common::methods::difference;
use cotan::{
    Argument, Backend, Compiled, Compiler, Effort, Options, Precision, Report, Style, Via,
};

/// How far the back ends may be apart, relative to the greatest number of the answer.
fn tolerance(case: &Case) -> f64 {
    match case.precision {
        Precision::F64 => 1e-12,
        Precision::F32 => 1e-5,
    }
}

/// What is said to a question.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Value(String),
    /// Codes, and where.
    Error(String),
    Refused(String),
    Panic(String),
}

fn compile(case: &Case, text: &str, backend: Backend, effort: Effort) -> Compiled {
    let via = if backend == Backend::Instant { case.via } else { Via::Auto };
    let options = Options { precision: case.precision, via, backend, effort, ..Options::default() };
    let program = Compiler::new(options).compile(&case.name, text);
    program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

fn ask(program: &mut Compiled, constant: &str) -> Said {
    match catch_unwind(AssertUnwindSafe(|| program.call(constant, &[]))) {
        Ok(Ok(answer)) => Said::Value(answer.value_json()),
        Ok(Err(report)) if report.codes().contains(&"E0637") => {
            let text = report.render(Style::Plain);
            let label = text.lines().find_map(|it| it.split_once("^ ")).map(|it| it.1);
            Said::Refused(label.unwrap_or(&text).to_string())
        }
        Ok(Err(report)) => Said::Error(report.codes().join(", ")),
        Err(_) => Said::Panic("it panics".to_string()),
    }
}

/// A program with a definition for each question, and one for all of them.
fn with_questions(case: &Case) -> String {
    let questions = case.questions.iter().enumerate();
    let defs: String = questions.map(|(i, it)| format!("\ndef question{i} = {it}")).collect();
    format!("{}{defs}", case.text)
}

impl Found {
    fn compare_instant(&mut self, case: &Case, effort: Effort) {
        let text = with_questions(case);
        let mut interp = compile(case, &text, Backend::Interp, effort);
        let mut instant = compile(case, &text, Backend::Instant, effort);
        for (k, question) in case.questions.iter().enumerate() {
            let name = format!("question{k}");
            let (said, found) = (ask(&mut interp, &name), ask(&mut instant, &name));
            let mut wrong = |it: String| {
                self.wrong.push(format!("{}: {question}\n  {it}", case.name));
            };
            match (said, found) {
                (_, Said::Panic(it)) => wrong(it),
                // All that it refuses by itself is a processor, or a fault of ours.
                (_, Said::Refused(it)) if it.contains("instant code") => wrong(it),
                (_, Said::Refused(it)) => self.refuse(it, &case.name),
                (Said::Value(a), Said::Value(b)) => match difference(&a, &b, tolerance(case)) {
                    None => self.agreed += 1,
                    Some(it) => wrong(format!("{it}\n  interp {a}\n  instant {b}")),
                },
                (a, b) if a == b => self.agreed += 1,
                (a, b) => wrong(format!("interp {a:?}\n  instant {b:?}")),
            }
        }
    }
}

fn each(cases: Vec<Case>, effort: Effort) -> Found {
    let look = |case: &Case| {
        let mut found = Found::default();
        found.compare_instant(case, effort);
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

/// Every question of examples, and every second one of what is long.
fn thinned(mut cases: Vec<Case>) -> Vec<Case> {
    for case in &mut cases {
        if case.questions.len() > 6 && case.name.contains('/') {
            let first = case.text.len() % 2;
            case.questions = case.questions.iter().skip(first).step_by(2).cloned().collect();
        }
    }
    cases
}

/// As fast code has its loops: with vectors, tiles and chunks.
#[test]
fn instant_agrees_with_the_interpreter() {
    report(each(thinned(collected::all()), Effort::Full), 1700);
}

/// Loops as they come, with steps counted.
#[test]
fn drafts_agree_with_the_interpreter() {
    let mut cases = thinned(collected::all());
    cases.retain(|it| !it.text.len().is_multiple_of(3));
    report(each(cases, Effort::Fitting), 1000);
}

#[test]
fn forward_mode_agrees_with_the_interpreter() {
    let mut cases = collected::all();
    cases.retain(|it| it.name.starts_with("reverse/") || it.text.len().is_multiple_of(7));
    cases.iter_mut().for_each(|it| it.via = Via::Forward);
    report(each(thinned(cases), Effort::Full), 200);
}

#[test]
fn instant_agrees_with_the_interpreter_in_single_precision() {
    let mut cases = collected::examples();
    cases.iter_mut().for_each(|it| it.questions.truncate(2));
    cases.iter_mut().for_each(|it| it.precision = Precision::F32);
    report(each(cases, Effort::Full), 40);
}

fn failure(name: &str, text: &str, backend: Backend, effort: Effort) -> Option<Report> {
    let options = Options { memory: 256 << 20, backend, effort, ..Options::default() };
    let mut program = Compiler::new(options).compile(name, text).ok()?;
    program.call("main", &[]).err()
}

/// What fails says the same as compiled C does, to the letter: the same code, title, place and numbers, and the
/// code is what the first line of each program expects.
#[test]
fn failures_are_those_of_compiled_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/failures");
    let (mut wrong, mut same) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).unwrap());
        let expected = text.lines().next().unwrap().trim_start_matches("-- expect: ").to_string();
        // Records are of the interpreter, and what takes too much memory there is a loop in compiled code.
        if expected == "E0613" || name.ends_with("memory.cot") {
            continue;
        }
        for effort in [Effort::Once, Effort::Quick] {
            let [found, said] = [Backend::Instant, Backend::Native]
                .map(|it| failure(&name, &text, it, effort))
                .map(|it| it.map(|it| (it.codes(), it.render(Style::Plain))));
            let is_same = match (&found, &said) {
                (Some(found), Some(said)) if found.0 == ["E0637"] => said.0 == ["E0637"],
                // How deep it gets is up to the code.
                (Some(found), Some(said)) if expected == "E0604" => {
                    found.0 == ["E0604"] && said.0 == ["E0604"]
                }
                _ => found == said,
            };
            match is_same {
                true => same += 1,
                false => wrong.push(format!("{name}, {effort:?}: {found:?}\n  {said:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(same > 80, "only {same} failures are the same");
}

/// Compiled code, by C as well, makes no array that nobody reads, and does not find out that it would be too large:
/// one of them has a length for that reason, the other is not found to be short of memory.
const UNREAD: [(&str, Option<&str>); 2] =
    [("doubled_beyond.cot", None), ("memory_by_concat.cot", Some("E0615"))];

/// By `auto`, which tries instant code first, the code is what the first line of each program expects.
#[test]
fn failures_by_auto_are_those_that_are_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/failures");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).unwrap());
        let expected = text.lines().next().unwrap().trim_start_matches("-- expect: ").to_string();
        // As above.
        if expected == "E0613" || name.ends_with("memory.cot") {
            continue;
        }
        let unread = UNREAD.iter().find(|it| name.ends_with(it.0));
        let expected = unread.map_or(Some(expected.as_str()), |it| it.1);
        let codes = failure(&name, &text, Backend::Auto, Effort::Once).map(|it| it.codes());
        let code = codes.as_ref().and_then(|it| it.first().copied());
        if code != expected {
            wrong.push(format!("{name}: {expected:?}, got {codes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn with(text: &str, effort: Effort, memory: u64) -> Compiled {
    let options = Options { memory, backend: Backend::Instant, effort, ..Options::default() };
    Compiler::new(options).compile("limits.cot", text).ok().unwrap()
}

/// A sum of n numbers by n calls; the stack of a call ends before that of the process.
#[test]
fn recursion_has_an_end_and_may_be_deep() {
    let text = "def sum_to(n: Int): Int = if n == 0 then 0 else n + sum_to(n - 1)
                def main(n: Int): Int = sum_to(n)";
    let mut program = with(text, Effort::Full, 1 << 30);
    let mut call = |n: i64| program.call("main", &[Argument::json("n", &n.to_string())]);
    for n in [0i64, 1, 1000, 100_000, 1_000_000] {
        assert_eq!(call(n).ok().unwrap().to_text(), (n * (n + 1) / 2).to_string());
    }
    assert_eq!(call(-1).unwrap_err().codes(), ["E0604"]);
}

#[test]
fn memory_has_an_end() {
    let text = "def main(n: Int): Real = { let a = build i < n => real(i); fold(\\s, x => s + x * a[0], 0.0, a) }";
    let mut program = with(text, Effort::Full, 64 << 20);
    let mut call = |n: i64| program.call("main", &[Argument::json("n", &n.to_string())]);
    assert_eq!(call(1000).ok().unwrap().to_text(), "0.0");
    let scan = "def main(n: Int): Real = { let a = scan(\\s, x => s + x, 0.0, build i < n => real(i)); a[n - 1] + a[n / 2] }";
    let mut program = with(scan, Effort::Full, 64 << 20);
    let mut call = |n: i64| program.call("main", &[Argument::json("n", &n.to_string())]);
    assert_eq!(call(10).ok().unwrap().to_text(), "60.0");
    assert_eq!(call(1 << 24).unwrap_err().codes(), ["E0603"]);
    for n in [1i64 << 31, i64::MAX / 8, i64::MAX - 1, i64::MAX] {
        let codes = call(n).unwrap_err().codes();
        assert!(codes == ["E0603"] || codes == ["E0615"], "{n}: {codes:?}");
    }
}

/// Somebody asks to stop while a loop that has no end runs: flat, with calls, and counted.
#[test]
fn loops_are_stopped() {
    let endless = "def main(x: Real): Real = while(\\y => y > 0.0, \\y => y, x)";
    let counted = "def main(x: Real): Real = fold(\\s, i => s * x + real(i), 0.0, build i < 1000000000000 => i)";
    for text in [endless, counted] {
        let mut program = with(text, Effort::Full, 1 << 30);
        let call = match program.prepare("main", &[Argument::real("x", 1.0)]) {
            Ok(call) => call,
            Err(it) => panic!("{}", it.render(Style::Plain)),
        };
        let stop = program.stop_handle();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                stop.ask();
            });
            assert_eq!(program.call_prepared(&call).err().unwrap().codes(), ["E0614"]);
        });
    }
}

/// Elementary functions are those of the interpreter, and sums are added up in its order: the same bits.
#[test]
fn bits_are_those_of_the_interpreter() {
    let text = "def main(n: Int): [4]Real = {
                  let x = build i < n => sin(real(i) * 0.37) * 3.0;
                  let e = build i < n => exp(x[i]) + lgamma(abs(x[i]) + 0.5) - tanh(x[i]);
                  [sum(e), product(build i < n => 1.0 + 0.001 * x[i]), maximum(e), e[n - 1]]
                }";
    let answer = |backend, effort, n: i64| {
        let options = Options { backend, effort, ..Options::default() };
        let mut program = match Compiler::new(options).compile("bits.cot", text) {
            Ok(it) => it,
            Err(it) => panic!("{}", it.render(Style::Plain)),
        };
        let answer = program.call("main", &[Argument::json("n", &n.to_string())]).ok().unwrap();
        answer.value_json()
    };
    for n in [1, 2, 100, 5000] {
        let interp = answer(Backend::Interp, Effort::Full, n);
        for effort in [Effort::Full, Effort::Once] {
            assert_eq!(answer(Backend::Instant, effort, n), interp, "{n} {effort:?}");
        }
    }
}

/// Which code answers is up to counts of steps: a result has the bits of instant code or of C, by its size, and the
/// same ones when C is kept already.
#[test]
fn what_answers_does_not_depend_on_what_is_there_first() {
    let text = "def main(n: Int): Real = sum(build i < n => 1.0 / real(i + 1))";
    let answer = |backend, effort, n: i64| {
        let options = Options { backend, effort, ..Options::default() };
        let mut program = Compiler::new(options).compile("counts.cot", text).ok().unwrap();
        let arguments = [Argument::json("n", &n.to_string())];
        program.call("main", &arguments).ok().unwrap().value_json()
    };
    // A moment, more than a moment, and more than C is worth.
    let mut by = Vec::new();
    for n in [1_000_000, 2_110_000, 4_230_000, 20_000_000] {
        let instant = answer(Backend::Instant, Effort::Full, n);
        let native = answer(Backend::Native, Effort::Full, n);
        assert_ne!(instant, native, "the orders of sums are the same");
        let auto = answer(Backend::Auto, Effort::Once, n);
        assert_eq!(auto, answer(Backend::Auto, Effort::Once, n), "{n}");
        assert!(auto == instant || auto == native, "{n}: {auto}, {instant}, {native}");
        by.push(auto == native);
    }
    assert_eq!(by, [false, false, false, true], "whether C answers");
}

/// C is compiled if there is time for it, and who gave it up is told that it has ended.
#[test]
fn c_is_compiled_while_instant_code_runs() {
    // Nobody has compiled it before.
    let unique = std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
    let text =
        format!("def main: Real = while(\\x => x < 40000000.0, \\x => x + 1.0, {unique}.0 * 1e-9)");
    let (said, heard) = std::sync::mpsc::channel();
    let watch = cotan::Watch::new(move |it| said.send(it).unwrap());
    let compiler = Compiler::new(Options { effort: Effort::Once, ..Options::default() });
    let mut program = compiler.watched(watch).compile("ahead.cot", &text).ok().unwrap();
    for _ in 0..2 {
        let answer = program.call("main", &[]).ok().unwrap().to_text();
        assert!(answer.starts_with("40000000."), "{answer}");
    }
    let begun = heard.try_iter().filter(|it| *it != cotan::Compiling::Ends).count();
    assert_eq!(begun, 1, "it is compiled once");
}

/// A draft that takes long begins anew, and gives the same.
#[test]
fn a_draft_that_takes_long_is_given_up() {
    let text = "def main(n: Int): Int = fold(\\s, i => s + i, 0, build i < n => i)";
    for n in [10i64, 30_000_000] {
        let mut program = with(text, Effort::Once, 1 << 30);
        let sum = program.call("main", &[Argument::json("n", &n.to_string())]).ok().unwrap();
        assert_eq!(sum.to_text(), (n * (n - 1) / 2).to_string());
    }
}
