//! What derivatives cost, counted by the interpreter.
//!
//! Forward mode does a constant factor more work than the program: the claim in the header of
//! `crates/ad/src/forward.rs`, checked at n, 2n and 4n. `grad` has so many tangents
//! for every number, and values once for thirty-two of them.
//! By the tape, a gradient costs a constant factor more than the program, and so does the gradient
//! program that `bulk` makes.
//!
//! The examples are measured, too. Those that have a size say so in their header: in
//! `-- scaled function: F` and `-- scaled at: X, Y` the variable `n` is the size. What is not
//! scaled is taken from `-- function:` and `-- at:`.

#![allow(clippy::disallowed_methods, reason = "the examples are read from files")]

mod kept;
mod length;

use crate::common::choices;
use crate::common::sources::{Source, arguments, examples, numbers};
use cotan::{Answer, Backend, Compiled, Compiler, Options, Via};

fn compile(text: &str, via: Via) -> Compiled {
    Compiler::new(Options { via, backend: Backend::Interp, ..Options::default() })
        .compile("cost.cot", text)
        .unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)))
}

fn run(program: &mut Compiled, expression: &str) -> Answer {
    let answer = program.eval(expression, &[]);
    answer.unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)))
}

fn work(text: &str, expression: &str) -> u64 {
    work_via(text, expression, Via::Forward)
}

fn work_via(text: &str, expression: &str, via: Via) -> u64 {
    run(&mut compile(text, via), expression).cost().total()
}

/// Programs of an array, and the factor that one run of forward mode may cost at most.
const PROGRAMS: [(&str, &str, f64); 6] = [
    ("elementwise", "def f(x: [n]Real): Real = sum(exp(-(x * x)) * tanh(x))", 4.0),
    (
        "element by element",
        "def f(x: [n]Real): Real = sum(build i < n => sin(x[i]) * x[n - 1 - i])",
        4.0,
    ),
    ("logsumexp", "def f(x: [n]Real): Real = logsumexp(x)", 4.0),
    ("fold", "def f(x: [n]Real): Real = fold(\\s, y => s * y + sin(s), 1.0, x)", 4.0),
    (
        "while",
        "def f(x: [n]Real): Real = while(\\p => p.1 < n, \\p => (p.0 + x[p.1] * p.0, p.1 + 1), (1.0, 0)).0",
        4.0,
    ),
    (
        "recursion",
        "def f(x: [n]Real): Real = g(x, 0)\ndef g(x: [n]Real, i: Int): Real = if i == n then 0.0 else x[i] * cos(g(x, i + 1))",
        4.0,
    ),
];

#[test]
fn one_pass_costs_a_constant_factor_at_every_size() {
    for (name, text, factor) in PROGRAMS {
        for n in [100, 200, 400] {
            let x = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
            let made = work(text, &format!("sum{x}"));
            let primal = work(text, &format!("f{x}"));
            let run = work(text, &format!("jvp(f)({x}, {x})"));
            let ratio = (run as f64 - 2.0 * made as f64) / (primal as f64 - made as f64);
            assert!(ratio <= factor, "{name} at {n}: one run costs {ratio:.2} times the program");
        }
    }
}

#[test]
fn a_gradient_costs_one_pass_for_every_number() {
    let (_, text, factor) = PROGRAMS[0];
    let at = |n: u64| {
        let x = format!("(build i < {n} => 0.001 * real(i))");
        (work(text, &format!("f{x}")), work(text, &format!("grad(f){x}")))
    };
    let (primal, gradient) = at(50);
    assert!(gradient as f64 <= factor * 50.0 * primal as f64, "{gradient} against {primal}");
    let (_, twice) = at(100);
    let growth = twice as f64 / gradient as f64;
    assert!((3.0..5.0).contains(&growth), "twice the size costs {growth:.2} times as much");
}

#[test]
fn a_gradient_by_the_tape_costs_a_constant_factor_at_every_size() {
    for (name, text, _) in PROGRAMS {
        for n in [100, 200, 400] {
            let x = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
            let cost = |expression: &str| work_via(text, expression, Via::Tape) as f64;
            let made = cost(&format!("sum{x}"));
            let (primal, gradient) = (cost(&format!("f{x}")), cost(&format!("grad(f){x}")));
            let ratio = (gradient - made) / (primal - made);
            assert!(ratio <= 6.0, "{name} at {n}: a gradient costs {ratio:.2} times the program");
        }
    }
}

#[test]
fn a_gradient_program_costs_a_constant_factor_at_every_size() {
    for (name, text, _) in PROGRAMS {
        for n in [100, 200, 400] {
            let x = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
            for via in [Via::Bulk, Via::Chad] {
                let cost = |expression: &str| work_via(text, expression, via) as f64;
                let made = cost(&format!("sum{x}"));
                let (primal, gradient) = (cost(&format!("f{x}")), cost(&format!("grad(f){x}")));
                let ratio = (gradient - made) / (primal - made);
                // The step of the fold has three operations; its derivative has cos, two products, two
                // sums and the saving besides.
                let most = if name == "fold" { 5.5 } else { BULK };
                assert!(ratio <= most, "{name} at {n} via {via:?}: {ratio:.2} times the program");
            }
        }
    }
}

/// Loops that capture an array: a derivative that copied it at every step would cost n times n.
const CAPTURING: [(&str, &str); 4] = [
    ("fold", "def f(x: [n]Real): Real = fold(\\s, i => s + x[i] * x[n - 1 - i], 0.0, iota(n))"),
    (
        "fold in build",
        "def f(x: [n]Real): Real = sum(build k < 3 => fold(\\s, i => s * 0.5 + x[i] * x[k], 0.0, iota(n)))",
    ),
    (
        "while",
        "def f(x: [n]Real): Real = while(\\p => p.1 < n, \\p => (p.0 * 0.5 + x[p.1], p.1 + 1), (0.0, 0)).0",
    ),
    (
        "recursion",
        "def f(x: [n]Real): Real = g(x, 0)\ndef g(x: [n]Real, i: Int): Real = if i == n then 1.0 else x[i] + 0.5 * g(x, i + 1)",
    ),
];

#[test]
fn gradient_programs_of_loops_that_capture_arrays_are_linear() {
    for (name, text) in CAPTURING {
        for via in [Via::Bulk, Via::Chad] {
            is_linear(name, via, |n| {
                let x = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
                (text.to_string(), format!("grad(f){x}"))
            });
        }
    }
}

/// A family of programs, by its size: a text and an expression. Neither operations nor bytes moved may
/// grow faster than the size.
fn is_linear(name: &str, via: Via, family: impl Fn(usize) -> (String, String)) {
    is_linear_from(100, name, via, family);
}

/// A family of programs, by its size, where operations and bytes moved are linear from some size on.
fn is_linear_from(n: usize, name: &str, via: Via, family: impl Fn(usize) -> (String, String)) {
    let at = |n: usize| {
        let (text, expression) = family(n);
        let mut program = compile(&text, via);
        let cost = run(&mut program, &expression).cost();
        (cost.total() as f64, cost.bytes as f64)
    };
    let ((small, moved), (large, more)) = (at(n), at(4 * n));
    let grown = |what: &str, from: f64, to: f64| {
        assert!(
            to <= 4.1 * from,
            "{name} via {via:?}: {from} {what}, and {to} at four times the size"
        );
    };
    grown("operations", small, large);
    grown("bytes", moved, more);
}

/// The families in which pull-backs with dense environments, lists of copowers or derivatives of bodies
/// that run twice would be quadratic or exponential.
#[test]
fn pull_backs_cost_what_they_contribute() {
    let lets = |first: &str, step: &dyn Fn(usize) -> String, n: usize| {
        let lets: String = (1..=n).map(|k| format!("let x{k} = {}; ", step(k))).collect();
        format!("def f(x0: Real): Real = {{ {first}{lets}x{n} }}")
    };
    let chain = |k: usize| format!("0.9 * x{} * x0", k - 1);
    is_linear("let chain", Via::Chad, |n| (lets("", &chain, n), "grad(f)(1.01)".to_string()));
    let doubling = |k: usize| format!("0.5 * (x{0} + x{0})", k - 1);
    is_linear("doubling", Via::Chad, |n| (lets("", &doubling, n), "grad(f)(1.01)".to_string()));
    let fibonacci = |k: usize| format!("0.6 * (x{} + x{})", k - 1, k.saturating_sub(2));
    is_linear("fibonacci", Via::Chad, |n| (lets("", &fibonacci, n), "grad(f)(1.0)".to_string()));
    is_linear("projections of a wide tuple", Via::Chad, |n| {
        let parts: Vec<String> = (0..n).map(|k| format!("x * {k}.0")).collect();
        let sum: Vec<String> = (0..n).map(|k| format!("sin(p.{k})")).collect();
        let text = format!(
            "def f(x: Real): Real = {{ let p = ({}); {} }}",
            parts.join(", "),
            sum.join(" + ")
        );
        (text, "grad(f)(0.3)".to_string())
    });
    is_linear_from(60, "nested closures", Via::Chad, |n| {
        let closures: String =
            (1..=n).map(|k| format!("let f{k} = \\x => f{}(x) + a; ", k - 1)).collect();
        let text = format!("def f(a: Real): Real = {{ let f0 = \\x => a * x; {closures}f{n}(a) }}");
        (text, "grad(f)(0.3)".to_string())
    });
    let array = "build i < 100 => 0.01 * real(i)";
    is_linear("a captured array, mapped over", Via::Chad, |n| {
        let text = "def f(w: [m]Real, x: [n]Real): Real = sum(map(\\y => y * w[7], x))";
        let x = format!("({array}, build i < {n} => 0.01 * real(i))");
        (text.to_string(), format!("grad(f){x}"))
    });
    is_linear("a function that is called in every step", Via::Chad, |n| {
        let text = "def g(w: [m]Real, i: Int): Real = if i > 3 then w[i] * w[0] else w[1]
            def f(w: [m]Real): Real = fold(\\s, i => s * 0.5 + g(w, i - 100 * (i / 100)), 0.0, iota(N))";
        (text.replace('N', &n.to_string()), format!("grad(f)({array})"))
    });
    is_linear("a build in a build", Via::Chad, |n| {
        let text = "def f(x: [n]Real): Real = sum(build i < n => fold(\\s, y => s + y * x[i], 0.0,
            build j < 3 => fold(\\s, y => s + y * x[i], 0.0, build k < 3 => x[i] * real(j + k))))";
        (text.to_string(), format!("grad(f)(build i < {n} => 0.01 * real(i))"))
    });
}

/// The rung of the ladder that `crates/ad/tests/paper/cost.rs` has for the paper's form: all parts of a tuple of
/// n numbers. The chapter shows both counts side by side.
#[test]
fn projections_cost_what_they_contribute() {
    let count = |n: usize| {
        let types = vec!["Real"; n].join(", ");
        let parts: Vec<String> = (0..n).map(|k| format!("exp(sin(p.{k}))")).collect();
        let text = format!("def f(p: ({types})): Real = {}", parts.join(" + "));
        let zeros = vec!["0.0"; n].join(", ");
        work_via(&text, &format!("grad(f)(({zeros}))"), Via::Chad)
    };
    let counts = [64, 128, 256].map(count);
    assert!(counts[2] <= 2 * counts[1] && counts[1] <= 2 * counts[0], "{counts:?}");
    let row = format!("| method `chad` | {} | {} | {} |", counts[0], counts[1], counts[2]);
    let chapter = include_str!("../../../docs/internals/chad.md");
    assert!(chapter.contains(&row), "not in the chapter: {row}");
}

/// Functions that only running tells: one that holds an array and is called often, and many that hold a
/// number and one another. By a cotangent of the whole function for every call, each would cost n times n.
const HOLDING: [(&str, &str); 6] = [
    (
        "called in a loop",
        "def f(w: [n]Real): Real = { let h = held(w); fold(\\s, i => s + at(h, i), 0.0, iota(n)) }",
    ),
    ("mapped", "def f(w: [n]Real): Real = { let h = held(w); sum(map(\\i => at(h, i), iota(n))) }"),
    (
        "recursion",
        "def f(w: [n]Real): Real = g(held(w), n)
        def g(h: Held, i: Int): Real = if i == 0 then 0.0 else match h { Held(k) => k(i - 1) + g(h, i - 1) }",
    ),
    (
        "a function in functions",
        "def f(w: [n]Real): Real = sum(map(iterate(5, \\k => \\i => 2.0 * k(i), \\i => w[i]), iota(n)))",
    ),
    (
        "continuations",
        "def f(w: [n]Real): Real = g(w, n, \\r => r)
        def g(w: [n]Real, i: Int, k: Real -> Real): Real =
            if i == 0 then k(0.0) else { let x = w[i - 1]; g(w, i - 1, \\r => k(0.5 * r + x)) }",
    ),
    (
        "a list of functions",
        "def f(w: [n]Real): Real = total(fold(\\l, v => Cons(\\x => 0.5 * x + v, l), Nil, w), 1.0)
        def total(l: List<Real -> Real>, x: Real): Real = match l { Nil => x, Cons(k, rest) => total(rest, k(x)) }",
    ),
];

#[test]
fn functions_as_data_cost_what_they_contribute() {
    let held = "data Held = Held(Int -> Real)
        def held(w: [n]Real): Held = if n > 0 then Held(\\i => w[i] * w[i]) else Held(\\i => 0.0)
        def at(h: Held, i: Int): Real = match h { Held(k) => k(i) }";
    for (name, text) in HOLDING {
        for via in choices::that_make_programs() {
            is_linear(name, via, |n| {
                let w = format!("(build i < {n} => 0.001 * real(i) + 0.1)");
                (format!("{held}\n{text}"), format!("grad(f){w}"))
            });
        }
    }
}

/// A branch that is not taken and an argument that is not used cost nothing but their zeros.
#[test]
fn what_does_not_contribute_costs_its_zeros_at_most() {
    let text = "def g(x: Real, w: [n]Real): Real =
        if x > 0.0 then x * x else fold(\\s, y => s + sin(y) * x, 0.0, w)";
    let cost = |n: u64| {
        let w = format!("build i < {n} => 0.01 * real(i)");
        let call = |what: &str| work_via(text, &format!("{what}(2.0, {w})"), Via::Chad) as f64;
        (call("g"), call("grad(g)"))
    };
    let ((small, gradient), (large, larger)) = (cost(100), cost(400));
    // Both make the array; the gradient has one of its own for the zeros.
    assert!(larger - gradient <= 2.0 * (large - small), "{small} {gradient}, {large} {larger}");
}

/// `sin` has `cos` as derivative, and a round of the loop one `sin`: nothing of the loop is differentiated
/// that a clause stands for. It runs once for the value, and once in the clause. Forward mode is not asked:
/// there a function runs on dual numbers wherever it is applied, also where only its value counts.
#[test]
fn loops_behind_a_clause_are_not_differentiated() {
    let text = "
        def settled(g: Real -> Real, n: Int, x0: Real): Real = iterate(n, \\x => x - g(x), x0)
        with jvp(g, n, x0, dg, _, _) = {
          let x = settled(g, n, x0);
          -dg(x) / jvp(g)(x, 1.0)
        }
        def f(a: Real, n: Int): Real = settled(\\y => sin(y) - a, n, 0.5)";
    let methods = choices::all().filter(|it| *it != Via::Forward);
    for (via, n) in methods.flat_map(|it| [100, 200, 400].map(|n| (it, n))) {
        let cost =
            |text: &str| run(&mut compile(text, via), &format!("grad(\\a => f(a, {n}))(0.3)"));
        let count = |answer: &Answer, prim: &str| answer.cost().counts.get(prim).copied();
        let by_clause = cost(text);
        let (sines, cosines) = (count(&by_clause, "sin"), count(&by_clause, "cos"));
        assert!(sines <= Some(2 * n + 4), "{via:?} at {n}: {sines:?} times sin");
        assert!(cosines <= Some(4), "{via:?} at {n}: {cosines:?} times cos");
        // The counter tells the difference.
        let body = text.split("with").next().unwrap_or_default();
        let through = cost(&format!("{body}{}", &text[text.find("def f").unwrap_or(0)..]));
        assert!(count(&through, "cos") >= Some(n), "{via:?} at {n} through the loop");
    }
}

#[test]
fn constants_are_not_differentiated() {
    let text = "def heavy(n: Int): Real = sum(build i < n => sin(real(i)))\ndef f(x: Real): Real = x * heavy(1000)";
    let (primal, run) = (work(text, "f(2.0)"), work(text, "jvp(f)(2.0, 1.0)"));
    assert!(run <= primal + 20, "{run} against {primal}: the constant part ran as duals");
}

/// What an example may cost: one run of forward mode is at most `run` times the program, and
/// a gradient by the tape at most `gradient` times the program and `input` for each of its numbers.
struct Bound {
    example: &'static str,
    /// The size to start from; twice and four times as much are measured as well.
    n: u64,
    run: f64,
    gradient: f64,
    input: f64,
}

const fn bound(example: &'static str, n: u64) -> Bound {
    Bound { example, n, run: 4.0, gradient: 6.0, input: 4.0 }
}

/// One line for every example; those without a size have 0.
const BOUNDS: [Bound; 28] = [
    bound("attention", 4),
    bound("black_scholes", 0),
    bound("bundle_adjustment", 5),
    bound("cholesky", 4),
    bound("convolution", 4),
    bound("expression_tree", 4),
    bound("fixed_point", 0),
    bound("gaussian_mixture", 8),
    bound("hidden_markov", 6),
    bound("histogram", 8),
    bound("interpolation", 6),
    bound("kalman", 8),
    bound("kmeans", 12),
    bound("logistic_regression", 10),
    bound("lstm", 5),
    bound("minimise", 8),
    bound("monte_carlo", 40),
    bound("neural_network", 4),
    bound("newton_least_squares", 7),
    bound("newton_root", 4),
    bound("particles", 4),
    bound("pendulum", 2),
    bound("quaternion", 4),
    bound("rk4", 5),
    bound("robust_regression", 9),
    bound("rotate_vec_by_quat", 0),
    bound("throw", 0),
    bound("tree_library", 6),
];

/// What an example costs at one size, without making its function and its arguments.
struct Measured {
    value: f64,
    derivative: f64,
    /// The numbers of the arguments.
    reals: f64,
}

/// The text of an example with definitions of what is to be measured, as functions of the size.
fn measurable(source: &Source) -> String {
    let function = source.optional("scaled function").unwrap_or(source.header("function"));
    let at = source.optional("scaled at").unwrap_or(source.header("at"));
    let names: Vec<String> = (0..arguments(at).len()).map(|it| format!("argument{it}")).collect();
    let point = if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
    let listed = names.join(", ");
    let made = format!("let measured = {function}; let {point} = ({at});");
    format!(
        "{}
        def measured_point(n: Int) = ({at})
        def measured_start(n: Int) = {{ {made} 0.0 }}
        def measured_value(n: Int) = {{ {made} measured({listed}) }}
        def measured_run(n: Int) = {{ {made} jvp(measured)({point}, {point}) }}
        def measured_gradient(n: Int) = {{ {made} grad(measured)({listed}) }}",
        source.text
    )
}

fn measure(source: &Source, derivative: &str, n: u64, via: Via) -> Measured {
    let mut program = compile(&measurable(source), via);
    let reals = numbers(&run(&mut program, &format!("measured_point({n})")).to_text()).len() as f64;
    let mut cost =
        |what: &str| run(&mut program, &format!("measured_{what}({n})")).cost().total() as f64;
    let start = cost("start");
    Measured { value: cost("value") - start, derivative: cost(derivative) - start, reals }
}

/// Measures all examples at all their sizes; `excess` is the text of a complaint.
fn check_examples(
    derivative: &str,
    via: Via,
    excess: impl Fn(&Bound, &Measured) -> Option<String>,
) {
    let sources = examples();
    let names: Vec<&str> = sources.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, BOUNDS.map(|it| it.example), "one bound for every example");
    let mut wrong = Vec::new();
    for (source, bound) in sources.iter().zip(&BOUNDS) {
        let scaled = source.optional("scaled function").or(source.optional("scaled at"));
        assert_eq!(scaled.is_some(), bound.n > 0, "{}: a size, or none", source.name);
        let factors: &[u64] = if bound.n > 0 { &[1, 2, 4] } else { &[0] };
        for n in factors.iter().map(|it| it * bound.n) {
            let complaint = excess(bound, &measure(source, derivative, n, via));
            wrong.extend(complaint.map(|it| format!("{} at {n}: {it}", source.name)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn one_pass_over_an_example_costs_a_constant_factor() {
    check_examples("run", Via::Forward, |bound, it| {
        let ratio = it.derivative / it.value;
        (ratio > bound.run).then(|| format!("one run costs {ratio:.2} times the program"))
    });
}

#[test]
fn a_gradient_of_an_example_costs_a_constant_factor() {
    check_examples("gradient", Via::Tape, |bound, it| {
        let most = bound.gradient * it.value + bound.input * it.reals;
        let (found, value, reals) = (it.derivative, it.value, it.reals);
        (found > most).then(|| {
            let ratio = (found - bound.input * reals) / value;
            format!("{found} against {value}, {reals} numbers: {ratio:.2} times the program")
        })
    });
}

/// The most that a gradient program may cost, compared with the program.
const BULK: f64 = 5.0;

#[test]
fn a_gradient_program_of_an_example_costs_a_constant_factor() {
    for via in [Via::Bulk, Via::Chad] {
        check_examples("gradient", via, |_, it| {
            let ratio = it.derivative / it.value;
            (ratio > BULK).then(|| format!("via {via:?} a gradient costs {ratio:.2} times"))
        });
    }
}
