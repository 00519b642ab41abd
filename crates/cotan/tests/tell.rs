//! What programs say while they run: `trace` and `report`, by every method and back end.
//!
//! How often something is said is a fact about the program as it is written; values are small integers,
//! so that every way to compute them gives the same bits.

use std::sync::{Arc, Mutex};

use cotan::{Argument, Backend, Compiled, Compiler, Options, Precision, Program, Saying, Via};

use crate::common::choices;

/// All ways to run: a tape is only interpreted.
fn ways() -> Vec<Options> {
    let mut res = Vec::new();
    for via in choices::all() {
        for backend in [Backend::Interp, Backend::Native, Backend::Auto] {
            if choices::is_compiled(via) || backend == Backend::Interp {
                res.push(Options { via, backend, ..Options::default() });
            }
        }
    }
    res
}

fn compiled(text: &str, options: Options) -> (Compiled, Arc<Mutex<Vec<String>>>) {
    let program = Compiler::new(options).compile("said.cot", text).expect("it checks");
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = lines.clone();
    program
        .stop_handle()
        .set_listener(Arc::new(move |it| into.lock().expect("nobody fails").push(it.to_string())));
    (program, lines)
}

/// What evaluating an expression gives and says.
fn said(text: &str, expression: &str, options: Options) -> (String, Vec<String>) {
    let (mut program, lines) = compiled(text, options);
    let answer = program.eval(expression, &[]);
    let answer =
        answer.unwrap_or_else(|it| panic!("{options:?}: {}", it.render(cotan::Style::Plain)));
    let lines = lines.lock().expect("nobody fails").clone();
    (answer.to_text(), lines)
}

/// Forward mode in compiled code runs the function once more, for its errors.
fn runs_once_more(options: Options) -> bool {
    options.via == Via::Forward && options.backend != Backend::Interp
}

/// All ways give this value, and say these lines in this order.
fn all_say(text: &str, expression: &str, value: &str, expected: &[&str]) {
    for options in ways() {
        let (answer, lines) = said(text, expression, options);
        assert_eq!(answer, value, "{options:?}");
        assert_eq!(lines, expected, "{expression} by {options:?}");
    }
}

/// Ways that run once give this gradient by one real; forward mode says tangents, the others cotangents.
fn both_say(text: &str, expression: &str, value: &str, forward: &[&str], back: &[&str]) {
    for options in ways().into_iter().filter(|it| !runs_once_more(*it)) {
        let expected = if options.via == Via::Forward { forward } else { back };
        let (answer, lines) = said(text, expression, options);
        assert_eq!(answer, value, "{options:?}");
        assert_eq!(lines, expected, "{expression} by {options:?}");
    }
}

const SQUARE: &str = r#"
def f(x: Real): Real = {
  let y = trace("y", x * x);
  3.0 * y
}
"#;

#[test]
fn a_value_is_told_where_it_is_computed() {
    all_say(SQUARE, "f(2.0)", "12.0", &["y = 4.0"]);
}

#[test]
fn its_cotangent_on_the_way_back_and_its_tangent_on_the_way_there() {
    let forward = ["y = 4.0", "tangent of y = 4.0"];
    both_say(SQUARE, "grad(f)(2.0)", "12.0", &forward, &["y = 4.0", "cotangent of y = 3.0"]);
    all_say(SQUARE, "jvp(f)(2.0, 0.5)", "6.0", &["y = 4.0", "tangent of y = 2.0"]);
}

#[test]
fn forward_mode_says_it_in_every_run() {
    let text = r#"def f(x: [n]Real): Real = trace("s", sum(x))"#;
    // The interpreter makes one run in all directions.
    for (backend, n_runs) in [(Backend::Interp, 1), (Backend::Native, 4)] {
        let options = Options { via: Via::Forward, backend, ..Options::default() };
        let (_, lines) = said(text, "grad(f)([1.0, 2.0, 3.0])", options);
        let count = |line: &str| lines.iter().filter(|it| *it == line).count();
        assert_eq!((count("s = 6.0"), count("tangent of s = 1.0")), (n_runs, 3), "{lines:?}");
    }
}

#[test]
fn arrays_are_told_whole() {
    let text = r#"def f(x: [n]Real): Real = sum(trace("x", 2.0 * x) * x)"#;
    let value = "[4.0, 8.0]";
    for options in ways().into_iter().filter(|it| it.via != Via::Forward) {
        let (answer, lines) = said(text, "grad(f)([1.0, 2.0])", options);
        assert_eq!((answer.as_str(), lines.len()), (value, 2), "{options:?}: {lines:?}");
        assert_eq!(lines, ["x = [2.0, 4.0]", "cotangent of x = [1.0, 2.0]"], "{options:?}");
    }
    all_say(text, "f([])", "0.0", &["x = []"]);
    all_say(text, "f([3.0])", "18.0", &["x = [6.0]"]);
}

const LOOPS: &str = r#"
def iterated(x: Real): Real = iterate(7, \y => report(3, "y", y * x), 1.0)

def folded(xs: [n]Real): Real = fold(\p, x => report(2, "p", p * x), 1.0, xs)

def searched(x: Real): Real = while(\y => y < 100.0, \y => report(1, "y", y * x), x)

def counted(x: Real): Real = iterate(4, \y => {
  let _ = report(2, "twice", 2.0 * y);
  y * x
}, 1.0)
"#;

#[test]
fn loops_report_every_so_many_steps() {
    all_say(LOOPS, "iterated(2.0)", "128.0", &["[3] y = 8.0", "[6] y = 64.0"]);
    let xs = "folded([2.0, 3.0, 5.0, 7.0])";
    all_say(LOOPS, xs, "210.0", &["[2] p = 6.0", "[4] p = 210.0"]);
    let steps = ["[1] y = 16.0", "[2] y = 64.0", "[3] y = 256.0"];
    all_say(LOOPS, "searched(4.0)", "256.0", &steps);
    // Nobody needs what is reported.
    all_say(LOOPS, "counted(3.0)", "81.0", &["[2] twice = 6.0", "[4] twice = 54.0"]);
}

#[test]
fn a_derivative_reports_what_the_function_does_and_no_more() {
    let steps = ["[3] y = 8.0", "[6] y = 64.0"];
    let say = |expression, value, expected: &[&str]| {
        both_say(LOOPS, expression, value, expected, expected);
    };
    say("grad(iterated)(2.0)", "448.0", &steps);
    // A tape of a tape runs the function twice.
    for options in ways().into_iter().filter(|it| !runs_once_more(*it) && it.via != Via::Tape) {
        let (answer, lines) = said(LOOPS, "grad(grad(iterated))(2.0)", options);
        assert_eq!((answer.as_str(), lines), ("1344.0", steps.map(String::from).to_vec()));
    }
    let gradient = "grad(folded)([2.0, 3.0, 5.0, 7.0])";
    for options in ways().into_iter().filter(|it| it.via != Via::Forward) {
        let (answer, lines) = said(LOOPS, gradient, options);
        assert_eq!(answer, "[105.0, 70.0, 42.0, 30.0]");
        assert_eq!(lines, ["[2] p = 6.0", "[4] p = 210.0"], "{options:?}");
    }
    // 4 x^3 at x = 3.
    say("grad(counted)(3.0)", "108.0", &["[2] twice = 6.0", "[4] twice = 54.0"]);
    say("grad(searched)(4.0)", "256.0", &["[1] y = 16.0", "[2] y = 64.0", "[3] y = 256.0"]);
}

#[test]
fn steps_that_run_again_say_nothing_again() {
    let text = r#"
def f(x: Real): Real = iterate(9, \y => trace("y", report(3, "r", x * checkpoint(2, y))), 1.0)
def g(x: Real): Real =
  iterate(9, \y => report(3, "r", x * checkpoint(6, checkpoint(2, y))), 1.0)
"#;
    for options in ways().into_iter().filter(|it| it.via != Via::Forward) {
        let (answer, lines) = said(text, "grad(f)(2.0)", options);
        assert_eq!(answer, "2304.0");
        let count = |start: &str| lines.iter().filter(|it| it.starts_with(start)).count();
        let counts = (count("[3] r"), count("["), count("y = "), count("cotangent of y = "));
        assert_eq!(counts, (1, 3, 9, 9), "{options:?}: {lines:?}");
        let (answer, lines) = said(text, "grad(g)(2.0)", options);
        assert_eq!(answer, "2304.0");
        assert_eq!(lines, ["[3] r = 8.0", "[6] r = 64.0", "[9] r = 512.0"], "{options:?}");
    }
}

const OFTEN: &str = r#"
def each(xs: [n]Real): [n]Real = build i < n => trace("x", xs[i])
def same(n: Int): [n]Int = build i < n => trace("one", 1)
def three: [3]Int = build i < 3 => trace("one", 1)
def table: [2][3]Int = build i < 2, j < 3 => trace("t", i * j)
def twice(x: Real): Real = trace("x", x) + trace("x", x)
def long(x: Real): Real = {
  let a = sin(x) + cos(x) + tanh(x); let b = sin(a) + cos(a) + tanh(a);
  let c = sin(b) + cos(b) + tanh(b); let d = sin(c) + cos(c) + tanh(c);
  trace("d", 0.0 * d * d)
}
def calls(x: Real): Real = long(x) + long(x)
def unused(x: Real): Real = { let _ = trace("x", x); 1.0 }
def either(x: Real): Real = if x > 0.0 then trace("more", x) else trace("less", x)
def all_of(xs: [n]Real): [n]Real = build i < n => either(xs[i])
def nested(n: Int): Int = sum(build i < n => iterate(i, \k => trace("k", k + 1), 0))
def first(xs: [n]Real): Real = (build i < n => trace("x", xs[i]))[0]
def in_vain(xs: [n]Real): Real = { let _ = build i < n => trace("x", xs[i]); 0.0 }
"#;

/// All ways say so many lines with these beginnings, in any order.
fn all_count(expression: &str, expected: &[(&str, usize)]) {
    for options in ways() {
        let (_, lines) = said(OFTEN, expression, options);
        for (start, count) in expected {
            let found = lines.iter().filter(|it| it.starts_with(start)).count();
            assert_eq!(found, *count, "{start:?} of {expression} by {options:?}: {lines:?}");
        }
        let all: usize = expected.iter().map(|it| it.1).sum();
        assert_eq!(lines.len(), all, "{expression} by {options:?}: {lines:?}");
    }
}

#[test]
fn as_often_as_the_program_says() {
    all_count("each([1.0, 2.0, 3.0])", &[("x = 1.0", 1), ("x = 2.0", 1), ("x = 3.0", 1)]);
    all_count("each([])", &[]);
    all_count("same(4)", &[("one = 1", 4)]);
    all_count("same(0)", &[]);
    all_count("three", &[("one = 1", 3)]);
    all_count("table", &[("t = 0", 4), ("t = 1", 1), ("t = 2", 1)]);
    all_count("twice(2.0)", &[("x = 2.0", 2)]);
    all_count("calls(1.0)", &[("d = 0.0", 2)]);
    all_count("unused(2.0)", &[("x = 2.0", 1)]);
    all_count("either(2.0)", &[("more", 1)]);
    all_count("all_of([1.0, -1.0, 2.0])", &[("more", 2), ("less = -1.0", 1)]);
    all_count("nested(4)", &[("k = 1", 3), ("k = 2", 2), ("k = 3", 1)]);
    all_count("first([1.0, 2.0])", &[("x = 1.0", 1), ("x = 2.0", 1)]);
    all_count("in_vain([1.0, 2.0])", &[("x = 1.0", 1), ("x = 2.0", 1)]);
}

#[test]
fn as_often_in_gradients() {
    let gradient = r"grad(\xs => sum(each(xs)))([1.0, 2.0, 3.0])";
    for options in ways().into_iter().filter(|it| it.via != Via::Forward) {
        let (answer, lines) = said(OFTEN, gradient, options);
        let count = |start: &str| lines.iter().filter(|it| it.starts_with(start)).count();
        assert_eq!(answer, "[1.0, 1.0, 1.0]");
        assert_eq!(
            (count("x = "), count("cotangent of x = 1.0")),
            (3, 3),
            "{options:?}: {lines:?}"
        );
    }
}

#[test]
fn parts_of_a_tuple_are_told_one_by_one() {
    let text = r#"def f(x: Real): (Real, [2]Int) = trace("p", (x, [1, 2]))"#;
    all_say(text, "f(0.5)", "(0.5, [1, 2])", &["p.0 = 0.5", "p.1 = [1, 2]"]);
}

#[test]
fn single_precision_is_told_as_it_is() {
    for backend in [Backend::Interp, Backend::Native] {
        let precision = Precision::F32;
        let options = Options { backend, precision, ..Options::default() };
        let (_, lines) = said(SQUARE, "f(0.1)", options);
        assert_eq!(lines, ["y = 0.010000001"], "{backend:?}");
    }
}

#[test]
fn sum_types_are_told_by_the_interpreter() {
    let text = r#"
data Shape = Dot | Circle(Real)
def f(r: Real): Real = match trace("s", Circle(r)) { Dot => 0.0, Circle(r) => r }
"#;
    for backend in [Backend::Interp, Backend::Auto] {
        let (_, lines) = said(text, "f(2.0)", Options { backend, ..Options::default() });
        assert_eq!(lines, ["s = Circle(2.0)"]);
    }
    let (mut program, _) =
        compiled(text, Options { backend: Backend::Native, ..Options::default() });
    let refused = program.eval("f(2.0)", &[]).expect_err("it is refused");
    let told = refused.render(cotan::Style::Plain);
    assert!(told.contains("neither number nor truth value"), "{told}");
}

#[test]
fn who_stops_a_run_hears_how_far_it_was() {
    for backend in [Backend::Interp, Backend::Native] {
        let text = r#"
def f(x: Real): Real =
  while(\y => y > 0.0, \y => report(1000, "y", report(1000000000, "z", y + x)), 1.0)
"#;
        let options = Options { backend, ..Options::default() };
        let (mut program, lines) = compiled(text, options);
        let (stop, into) = (program.stop_handle(), lines.clone());
        program.stop_handle().set_listener(Arc::new(move |it| {
            into.lock().expect("nobody fails").push(it.to_string());
            stop.ask();
        }));
        program.call("f", &[Argument::real("x", 1.0)]).expect_err("it is stopped");
        let lines = lines.lock().expect("nobody fails").clone();
        let last = lines.last().expect("something was said");
        assert_eq!(lines[0], "[1000] y = 1001.0");
        assert!(last.contains("] z = ") && last.ends_with(", the last"), "{backend:?}: {last}");
    }
}

#[test]
fn an_error_ends_with_the_last_report() {
    let text = r#"
def f(xs: [n]Real): Real = iterate(n + 1, \(i, y) => (i + 1, report(5, "y", y + xs[i])), (0, 0.0)).1
def main = f(build i < 7 => 1.0)
"#;
    for options in ways() {
        let (mut program, lines) = compiled(text, options);
        program.call("main", &[]).expect_err("an index is too large");
        let lines = lines.lock().expect("nobody fails").clone();
        assert_eq!(lines, ["[5] y = 5.0", "[7] y = 7.0, the last"], "{options:?}");
    }
}

#[test]
fn memory_that_is_short_does_not_say_things_twice() {
    let text = r#"
def step(k: Real, u: [n]Real): [n]Real = build i < n => u[i] + k * (u[(i + 1) % n] - u[i])
def f(k: Real): Real =
  sum(iterate(20000, \u => { let v = step(k, u); let _ = report(4000, "u", v[0]); v }, build i < 64 => 1.0))
def slope(k: Real): Real = grad(f)(k)
"#;
    for backend in [Backend::Interp, Backend::Native] {
        let options = Options { backend, via: Via::Bulk, memory: 1 << 20, ..Options::default() };
        let (mut program, lines) = compiled(text, options);
        program.call("slope", &[Argument::real("k", 0.25)]).expect("it fits with checkpoints");
        let lines = lines.lock().expect("nobody fails").clone();
        let expected: Vec<String> = (1..=5).map(|it| format!("[{}] u = 1.0", it * 4000)).collect();
        assert_eq!(lines, expected, "{backend:?}");
    }
}

#[test]
fn calls_at_once_do_not_mix_what_they_say() {
    let text = r#"def f(x: Real): Real = iterate(100, \y => report(10, "y", y + x), 0.0)"#;
    let program = Program::new(text).expect("it checks");
    let counts = Arc::new(Mutex::new(Vec::new()));
    let into = counts.clone();
    program.stop_handle().set_listener(Arc::new(move |it| {
        assert_eq!(it.saying, Saying::Report);
        into.lock().expect("nobody fails").push((it.value.to_string(), it.count));
    }));
    let f = program.function("f").expect("it is there");
    std::thread::scope(|scope| {
        for x in 1..=4 {
            let f = f.clone();
            scope.spawn(move || f.call((f64::from(x),)).expect("it runs"));
        }
    });
    let counts = counts.lock().expect("nobody fails");
    for x in 1..=4 {
        for count in (10..=100).step_by(10) {
            let line = (format!("{:?}", f64::from(x) * count as f64), count);
            assert!(counts.contains(&line), "{line:?}");
        }
    }
    assert_eq!(counts.len(), 40);
}

#[test]
fn exported_c_says_it_by_itself() {
    let program = Compiler::new(Options::default()).compile("said.cot", SQUARE).expect("it checks");
    let exported = program.export_c("said", &[]).expect("it is exported");
    let source = |name: &str| {
        let found = exported.files.iter().find(|it| it.0 == name);
        found.unwrap_or_else(|| panic!("{:?}", exported.functions)).1.clone()
    };
    assert!(source("said_f.c").contains("fprintf(stderr"));
}
