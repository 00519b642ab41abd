//! The rung of the ladder: what the paper's form costs, by its interpreter, and how large its terms are.
//!
//! Families of the checklist; `crates/cotan/tests/cost.rs` has them for method `chad`, where all are linear.
//! Counts are exact, so growth is a statement about three of them.

use ad::chad::paper::meaning::{Environment, Value};
use ad::chad::paper::term::Term;

use super::support::{
    Mode, Point, Stage, assert_close, at, derivative, differentiated, filled, machine, reals,
};

/// What running a term takes, and what its gradient with it.
fn costs(point: &Point, text: &str, wanted: &[f64]) -> (u64, u64) {
    let term: Term = text.parse().unwrap_or_else(|it| panic!("{it}: {text}"));
    let mut machine = machine();
    let env = point.context.iter().zip(&point.values);
    let env = env.fold(Environment::default(), |env, it| env.with(&it.0.0, it.1.clone()));
    machine.run(&env, &term).unwrap();
    let (_, gradient, cost) = differentiated(point, &term, Mode::Reverse, Stage::Raw, &[1.0]);
    assert_close(text, &gradient, wanted);
    (machine.cost, cost)
}

/// Terms of a long family are deep.
fn deep<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    thread.spawn(f).expect("a thread").join().unwrap_or_else(|it| std::panic::resume_unwind(it))
}

/// How a gradient grows from size to size, and that the program itself grows no faster than its size.
fn growth(sizes: [usize; 3], family: impl Fn(usize) -> (u64, u64) + Send + 'static) -> [f64; 2] {
    let [one, two, three] = deep(move || sizes.map(family));
    let program = three.0 as f64 / two.0 as f64;
    let longest = sizes[2] as f64 / sizes[1] as f64;
    assert!(program <= 1.1 * longest, "the program itself grows by {program}");
    [two.1 as f64 / one.1 as f64, three.1 as f64 / two.1 as f64]
}

/// Twice the size costs nearly four times as much, and ever more nearly.
fn assert_quadratic(what: &str, [first, second]: [f64; 2]) {
    assert!(second > 3.0 && second >= first && second < 4.2, "{what}: {first} {second}");
}

fn x() -> Point {
    at(&[("x", "Real", Value::Real(1.0))])
}

fn chain(n: usize, step: impl Fn(usize) -> String) -> String {
    let lets: Vec<String> = (1..=n).map(|k| format!("let x{k} = {} in ", step(k))).collect();
    format!("let x0 = x in {}x{n}", lets.concat())
}

const SIZES: [usize; 3] = [16, 32, 64];

/// For what is linear in a large part.
const LARGE: [usize; 3] = [64, 128, 256];

#[test]
fn chains_of_lets_are_quadratic() {
    // x^(n+1) at 1.
    let powers = |n: usize| {
        let text = chain(n, |k| format!("x{} * x0", k - 1));
        costs(&x(), &text, &[n as f64 + 1.0])
    };
    assert_quadratic("powers", growth(SIZES, powers));
    let doubled = |n: usize| {
        let text = chain(n, |k| format!("x{} + x{}", k - 1, k - 1));
        costs(&x(), &text, &[2.0_f64.powi(n as i32)])
    };
    assert_quadratic("doubling", growth(SIZES, doubled));
    let fibonacci = |n: usize| {
        let text = chain(n, |k| format!("x{} + x{}", k - 1, k.saturating_sub(2)));
        let last = (1..n).fold((1.0, 2.0), |(a, b), _| (b, a + b)).1;
        costs(&x(), &text, &[last])
    };
    assert_quadratic("Fibonacci", growth(SIZES, fibonacci));
}

fn with_array(n: usize) -> Point {
    let values = reals(&vec![0.5; n]);
    at(&[("x", "Real", Value::Real(2.0)), ("xs", &format!("[{n}]Real"), values)])
}

#[test]
fn elements_in_a_loop_are_quadratic() {
    let elements = |n: usize| {
        let text = format!("sum[Real](build[{n}](i. index(xs, i)))");
        let mut wanted = vec![0.0];
        wanted.resize(n + 1, 1.0);
        costs(&with_array(n), &text, &wanted)
    };
    assert_quadratic("elements", growth(LARGE, elements));
}

/// One element in each step of a fold: each step adds up a whole environment, with an array of zeros but one.
#[test]
fn elements_in_a_fold_are_quadratic() {
    let elements = |n: usize| {
        let text = format!("iterate({n}; s i. s + index(xs, i); x)");
        costs(&with_array(n), &text, &vec![1.0; n + 1])
    };
    assert_quadratic("elements in a fold", growth(LARGE, elements));
}

/// Of a tuple of n numbers, in halves of halves, the path to each and its type.
fn paths(n: usize, path: &str) -> (Vec<String>, String) {
    if n == 1 {
        return (vec![path.to_string()], "Real".to_string());
    }
    let (mut all, left) = paths(n / 2, &format!("fst({path})"));
    let (more, right) = paths(n - n / 2, &format!("snd({path})"));
    all.extend(more);
    (all, format!("({left} * {right})"))
}

/// A sum in halves of halves, so that a path to a summand is short.
fn halves(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        _ => {
            let (one, other) = parts.split_at(parts.len() / 2);
            format!("({} + {})", halves(one), halves(other))
        }
    }
}

/// Section 7.5, the rule of projections: the cotangent of a part is one of the whole tuple, with zeros in it.
/// The paths are what makes the program longer than n. The chapter has the counts, beside those of method `chad`,
/// which `crates/cotan/tests/cost.rs` counts.
#[test]
fn projections_of_a_wide_tuple_are_quadratic() {
    let projections = |n: usize| {
        let (parts, ty) = paths(n, "p");
        let parts: Vec<String> = parts.iter().map(|it| format!("exp(sin({it}))")).collect();
        let values = vec![0.0; n];
        let value = filled(&ty.parse().unwrap(), &mut &values[..]);
        costs(&at(&[("p", &ty, value)]), &halves(&parts), &vec![1.0; n])
    };
    assert_quadratic("projections", growth(LARGE, projections));
    let counts = deep(move || LARGE.map(|n| projections(n).1));
    let row = format!("| the paper's form | {} | {} | {} |", counts[0], counts[1], counts[2]);
    let chapter = include_str!("../../../../docs/internals/chad.md");
    assert!(chapter.contains(&row), "not in the chapter: {row}");
}

#[test]
fn a_captured_array_is_paid_for_by_every_element() {
    // The function captures all of `xs`, and uses one element of it.
    let captured = |n: usize| {
        let text = "sum[Real](map(z. z * index(xs, 0); xs))";
        let mut wanted = vec![0.0, 0.5 * (n as f64 + 1.0)];
        wanted.resize(n + 1, 0.5);
        costs(&with_array(n), text, &wanted)
    };
    assert_quadratic("captured", growth(LARGE, captured));
}

#[test]
fn calls_of_a_function_are_quadratic() {
    // f captures x and is called n times: a copower of n pairs, each a whole environment.
    let calls = |n: usize| {
        let text = chain(n, |k| format!("f(x{})", k - 1));
        let text = format!("let f = \\z: Real -> z * x in {text}");
        costs(&x(), &text, &[n as f64 + 1.0])
    };
    assert_quadratic("calls", growth([32, 64, 128], calls));
}

/// f_k(z) = f_{k-1}(z) + x one after the other, so f_n(x) = (n + 1) x: each is called by all behind it, with an
/// environment that has all of them.
#[test]
fn closures_in_a_row_are_worse_than_quadratic() {
    let closures = |n: usize| {
        let lets = (1..=n).map(|k| format!("let f{k} = \\z: Real -> f{}(z) + x in ", k - 1));
        let lets: String = lets.collect();
        let text = format!("let f0 = \\z: Real -> z in {lets}f{n}(x)");
        costs(&x(), &text, &[n as f64 + 1.0])
    };
    let [first, second] = growth(SIZES, closures);
    assert!(first > 4.0 && second > first, "{first} {second}");
}

/// Section 7.5, the rule of functions: the pull-back of a body runs once for the argument and once for what is
/// captured, so one inside of another runs twice as often.
#[test]
fn nested_closures_are_exponential() {
    // (λz. (λz. .. + x) z + x) x = (n + 1) x.
    let nested = |n: usize| {
        let (open, close): (String, String) = ("(\\z: Real -> ".repeat(n), " + x)(z)".repeat(n));
        let text = format!("let z = x in {open}z{close}");
        costs(&x(), &text, &[n as f64 + 1.0])
    };
    let all: Vec<u64> = deep(move || (4..=9).map(|n| nested(n).1).collect());
    for two in all.windows(2) {
        assert!(two[1] as f64 / two[0] as f64 > 1.8, "one more closure does not double: {all:?}");
    }
    assert!(nested(8).0 < 3 * nested(4).0, "the program itself is linear");
}

/// Each level computes the values below it again on the way back: the square of the depth, and not two to the
/// power of it, since a pull-back of a body is run once.
#[test]
fn nested_builds_are_quadratic_in_their_depth() {
    let nested = |n: usize| {
        let (open, close) = ("sum[Real](build[1](i. ".repeat(n), "))".repeat(n));
        costs(&x(), &format!("{open}sin(x){close}"), &[1.0_f64.cos()])
    };
    let [first, second] = growth(SIZES, nested);
    assert!(second > 3.0 && second < 4.2 && second >= first, "{first} {second}");
}

#[test]
fn what_is_not_used_is_paid_for() {
    let unused = |n: usize| {
        let mut wanted = vec![1.0];
        wanted.resize(n + 1, 0.0);
        costs(&with_array(n), "x", &wanted)
    };
    let [(small, one), (same, other)] = [64, 512].map(unused);
    assert_eq!(small, same);
    assert!(other > 7 * one, "{one} {other}");
}

/// What it is called, and its program of some length.
type Family = (&'static str, fn(usize) -> String);

/// Corollary 7.2: what one more level adds to a derivative is always the same.
#[test]
fn corollary_7_2_no_code_explosion() {
    let families: [Family; 6] = [
        ("lets", |n| chain(n, |k| format!("x{} * x0", k - 1))),
        ("functions", |n| {
            let lets = (1..=n).map(|k| format!("let f{k} = \\z: Real -> f{}(z) + x in ", k - 1));
            format!("let f0 = \\z: Real -> z in {}f{n}(x)", lets.collect::<String>())
        }),
        ("nested functions", |n| {
            let open: String = (0..n).map(|k| format!("(\\z{k}: Real -> z{k} * ")).collect();
            format!("{open}x{}", ")(x)".repeat(n))
        }),
        ("cases", |n| {
            let open: String = (0..n).map(|k| format!("case(lt(x, 2.0); u{k}. ")).collect();
            let close: String = (0..n).map(|k| format!("; w{k}. x)")).collect();
            format!("{open}x * x{close}")
        }),
        ("maps", |n| {
            let open: String = (0..n).map(|k| format!("sum[Real](map(z{k}. z{k} * ")).collect();
            format!("{open}x{}", "; build[2](i. x)))".repeat(n))
        }),
        ("loops", |n| {
            let open: String = (0..n).map(|k| format!("iterate(2; z{k} i{k}. z{k} * ")).collect();
            format!("{open}x{}", "; x)".repeat(n))
        }),
    ];
    for (name, family) in families {
        for mode in [Mode::Forward, Mode::Reverse] {
            let size = move |n: usize| {
                let term: Term = family(n).parse().unwrap();
                let raw = derivative(&x().context, &term, mode, Stage::Raw);
                assert!(raw.size() <= 24 * term.size(), "{name}: {} {}", raw.size(), term.size());
                raw.size()
            };
            let [one, two, three] = deep(move || [8, 16, 32].map(size));
            assert_eq!(three - two, 2 * (two - one), "{name} ({mode:?}) is not linear");
        }
    }
}

/// The corollary counts a coprojection as one. Written out, as lowering does, it is as long as the environment.
#[test]
fn corollary_7_2_needs_coprojections_as_one() {
    let size = |n: usize| {
        let term: Term = chain(n, |k| format!("x{} * x0", k - 1)).parse().unwrap();
        derivative(&x().context, &term, Mode::Reverse, Stage::Lowered).size()
    };
    let [one, two, three] = deep(move || [16, 32, 64].map(size));
    assert!(2 * (three - two) > 5 * (two - one), "{one} {two} {three}");
}
