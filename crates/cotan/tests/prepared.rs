//! Calls that are prepared once, by both back ends: the same numbers, however often.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads what the system counts, and a panic is its way to fail"
)]

use std::num::NonZeroUsize;

use cotan::{Argument, Backend, Compiled, Compiler, Effort, Options, Precision, Report, Style};

const TEXT: &str = "
    type Point = { x: Real, y: Real }
    data Shape<k> = Circle(Real) | Path([k]Real, Int)
    def axpy(a: Real, x: [n]Real, y: [n]Real): [n]Real = a * x + y
    def both(p: [n]Point): ([n]Real, Real) = (map(\\p => p.x * p.y, p), sum(map(\\p => p.x, p)))
    def area(s: Shape<k>): Real = match s { Circle(r) => r * r, Path(xs, times) => sum(xs) * real(times) }
    def grown(s: Shape<k>): Shape<k> = match s {
      Circle(r) => Circle(r + 1.0), Path(xs, times) => Path(xs * 2.0, times),
    }
    def texts(t: [n]String, u: String): ([n]Bool, String) = (map(\\it => it == u, t), t[0])
    def positive(x: [n]Real) = filter(\\v => v > 0.0, x)
    def endless(x: Real): Real = while(\\x => x > 0.0, \\x => x, x)
    def at(x: [n]Real, i: Int): Real = x[i]
";

fn compiled(backend: Backend, precision: Precision) -> Compiled {
    let threads = NonZeroUsize::new(2);
    let options = Options { backend, precision, threads, ..Options::default() };
    let program = Compiler::new(options).compile("calls.cot", TEXT);
    program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

const ALL: [(Backend, Precision); 3] = [
    (Backend::Interp, Precision::F64),
    (Backend::Native, Precision::F64),
    (Backend::Native, Precision::F32),
];

#[test]
fn many_calls_with_the_same_arguments() {
    for (backend, precision) in ALL {
        let mut program = compiled(backend, precision);
        assert_eq!(program.load("axpy").unwrap().0, backend);
        let n = 1000;
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let arguments = [
            Argument::real("a", 2.0),
            Argument::owned_reals("x", &[n as usize], x),
            Argument::owned_reals("y", &[n as usize], vec![1.0; n as usize]),
        ];
        let call = program.prepare("axpy", &arguments).unwrap();
        let answers: Vec<_> = (0..30).map(|_| program.call_prepared(&call).unwrap()).collect();
        for answer in answers {
            let (shape, data) = answer.as_slice().unwrap();
            assert_eq!(shape, [1000]);
            assert!(data.iter().enumerate().all(|(i, it)| *it == 2.0 * i as f64 + 1.0));
            assert_eq!(answer.slices(), [data]);
        }
    }
}

#[test]
fn records_by_columns() {
    for (backend, precision) in ALL {
        let mut program = compiled(backend, precision);
        let columns = || {
            vec![
                Argument::reals("y", &[3], &[4.0, 5.0, 6.0]),
                Argument::reals("x", &[3], &[1.0, 2.0, 3.0]),
            ]
        };
        let answer = program.call("both", &[Argument::parts("p", columns())]).unwrap();
        assert_eq!(answer.to_text(), "([4.0, 10.0, 18.0], 6.0)");
        assert_eq!(answer.slices(), [&[4.0, 10.0, 18.0][..], &[6.0]]);
        let mut wrong = columns();
        wrong[0] = Argument::reals("y", &[2], &[4.0, 5.0]);
        let report = program.call("both", &[Argument::parts("p", wrong)]).unwrap_err();
        assert_eq!(report.codes(), ["E0623"]);
        let wrong = vec![columns().remove(0), Argument::real("z", 1.0)];
        let report = program.call("both", &[Argument::parts("p", wrong)]).unwrap_err();
        assert_eq!(report.codes(), ["E0622"]);
    }
}

#[test]
fn sum_types_and_texts() {
    for (backend, precision) in ALL {
        let mut program = compiled(backend, precision);
        let path = Argument::json("s", r#"{"tag": "Path", "fields": [[1.5, 2.0], 3]}"#);
        let circle = Argument::json("s", r#"{"tag": "Circle", "fields": [3.0]}"#);
        let mut text = |def: &str, it: &Argument| {
            program.call(def, std::slice::from_ref(it)).unwrap().to_text()
        };
        assert_eq!(text("area", &path), "10.5");
        assert_eq!(text("area", &circle), "9.0");
        assert_eq!(text("grown", &path), "Path([3.0, 4.0], 3)");
        assert_eq!(text("grown", &circle), "Circle(4.0)");
        let texts = [Argument::json("t", r#"["a", "b", "a"]"#), Argument::json("u", r#""a""#)];
        let answer = program.call("texts", &texts).unwrap();
        assert_eq!(answer.to_text(), "([true, false, true], \"a\")");
    }
}

#[test]
fn sizes_that_only_the_run_tells() {
    for (backend, precision) in ALL {
        let mut program = compiled(backend, precision);
        let x = Argument::reals("x", &[4], &[1.0, -1.0, 0.0, 2.5]);
        let answer = program.call("positive", &[x]).unwrap();
        assert_eq!(answer.to_text(), "[1.0, 2.5]");
        assert_eq!(answer.type_text(), "[2]Real");
        let x = Argument::reals("x", &[0], &[]);
        assert_eq!(program.call("positive", &[x]).unwrap().to_text(), "[]");
    }
}

#[test]
fn errors_have_their_place() {
    for (backend, precision) in ALL {
        let mut program = compiled(backend, precision);
        let arguments = [Argument::reals("x", &[2], &[1.0, 2.0]), Argument::json("i", "2")];
        let call = program.prepare("at", &arguments).unwrap();
        let report: Report = program.call_prepared(&call).unwrap_err();
        assert_eq!(report.codes(), ["E0601"]);
        assert_eq!(report.sources.position(report.diagnostics[0].labels[0].span).0, 13);
    }
}

#[test]
fn a_running_program_is_stopped_from_another_thread() {
    let mut program = compiled(Backend::Native, Precision::F64);
    let call = program.prepare("endless", &[Argument::real("x", 1.0)]).unwrap();
    let stop = program.stop_handle();
    std::thread::scope(|scope| {
        scope.spawn(move || stop.ask());
        assert_eq!(program.call_prepared(&call).unwrap_err().codes(), ["E0614"]);
    });
    program.stop_handle().reset();
    let call = program.prepare("endless", &[Argument::real("x", -1.0)]).unwrap();
    assert_eq!(program.call_prepared(&call).unwrap().as_real(), Some(-1.0));
}

/// 0 + 1 + ... + (n - 1) by n steps of a loop.
const STEPS: &str = "def main(n: Int): Real = fold(\\s, i => s + real(i), 0.0, build i < n => i)";

#[test]
fn everything_is_compiled_that_can_be() {
    let call = |options: Options, n: i64| {
        let mut program = Compiler::new(options).compile("steps.cot", STEPS).unwrap();
        let argument = Argument::json("n", &n.to_string());
        let sum = program.call("main", &[argument]).unwrap();
        assert_eq!(sum.to_text().parse::<f64>().unwrap(), (n * (n - 1) / 2) as f64);
        assert_eq!(program.without_compiler(), None);
        sum.cost().total()
    };
    // The interpreter counts what it does, compiled code does not.
    let interp = Options { backend: Backend::Interp, ..Options::default() };
    assert!(call(interp, 10) > 10);
    assert_eq!(call(Options::default(), 10), 0);
    // What is run once is interpreted, unless that takes longer than the C compiler; a draft that takes
    // long begins anew as fast code.
    let once = Options { effort: Effort::Once, ..Options::default() };
    assert!(call(once, 10) > 10);
    assert_eq!(call(once, 20_000_000), 0);
    let native = Options { backend: Backend::Native, ..once };
    assert_eq!(call(native, 10), 0);
    assert_eq!(call(native, 10_000_000), 0);
}

/// The interpreter was not done before there was a draft: whether that is done soon or takes long enough for
/// fast code, compiled code gives the result, and nothing is interpreted anew for as long as that would take.
#[test]
fn what_a_draft_began_is_not_interpreted_again() {
    let text = "def main(n: Int): Real = iterate(n, \\x => x + 1.0, 0.0)";
    for n in [5_000_000, 7_000_000] {
        let once = Options { effort: Effort::Once, ..Options::default() };
        let mut program = Compiler::new(once).compile("steps.cot", text).unwrap();
        let found = program.call("main", &[Argument::json("n", &n.to_string())]).unwrap();
        assert_eq!(found.as_real(), Some(f64::from(n)));
        assert_eq!(found.cost().total(), 0, "{n} steps");
    }
}

/// What a call of the thread touches for the first time waits for the system, page by page.
#[cfg(target_os = "linux")]
#[test]
fn the_first_call_waits_for_few_pages() {
    let text = "def f(x: Real, n: Int): Real = {
        let xs = scan(\\s, i => 0.5 * s + x, 0.0, iota(n));
        sum(build i < n => xs[i] * xs[n - 1 - i])
    }";
    let program = cotan::Program::new(text).unwrap();
    let f = program.function("f").unwrap().backend(Backend::Native);
    // 1.6 MB, which are 390 pages of 4 KiB.
    let call = f.prepare((1.0, 200_000_i64)).unwrap();
    let before = faults();
    call.call().unwrap();
    let touched = faults() - before;
    assert!(touched < 100, "{touched} pages");
}

/// Pages that this thread had to wait for.
#[cfg(target_os = "linux")]
fn faults() -> u64 {
    let all = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // Behind the name of the thread, which is in parentheses.
    let fields = all.rsplit_once(')').unwrap().1;
    fields.split_whitespace().nth(7).unwrap().parse().unwrap()
}
