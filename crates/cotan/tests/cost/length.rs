//! How long derivatives by method `chad` are, before anything is simplified; part of `cost.rs`.

use cotan::{Compiled, Via};

use super::{compile, run};

/// Vákár and Smeding, Corollary 7.2: the derivative is as long as the program, times a constant, before
/// anything is simplified. Lines count, and words, so that a long list of variables is no single line; a type
/// is a word, as types are no part of the paper's terms.
#[test]
fn pull_backs_are_as_long_as_the_program() {
    for (name, family) in LONG {
        let sizes = [10, 20, 40].map(|n| raw_size(&family(n)));
        for (what, at) in [("lines", 0), ("words", 1)] {
            let [source, small] = [sizes[0].0[at], sizes[0].1[at]];
            assert!(small > 10.0, "{name}: {small} {what} of {source}");
            assert!(small <= 8.0 * source, "{name}: {small} {what} of {source}");
            for (larger, times) in [(sizes[1].1[at], 2.0), (sizes[2].1[at], 4.0)] {
                let bound = 1.05 * times * small;
                assert!(larger <= bound, "{name}: {small} {what}, and {larger} at {times} times n");
            }
        }
    }
}

/// What is in the environment of a block is handed to its pull-back and given back, so it counts wherever it
/// is handed through, as a coprojection of the paper does when it is written out. Here the innermost of n loops
/// mentions the state of all others: n times n / 2 variables are handed through, in lines as many as before.
#[test]
fn pull_backs_are_as_long_as_the_environments_that_they_are_handed() {
    let family = |n: usize| {
        let product: Vec<String> = (1..=n).map(|k| format!("s{k}")).collect();
        let step =
            |it: String, k: usize| format!("fold(\\s{k}, i{k} => sin(s{k}) + {it}, x, iota(3))");
        let inner = format!("({})", product.join(" * "));
        format!("def f(x: Real): Real = {}", (1..=n).fold(inner, step))
    };
    let [small, large] = [10, 40].map(|n| raw_size(&family(n)).1);
    assert!(large[0] <= 4.2 * small[0], "{} lines, and {}", small[0], large[0]);
    // A variable that is handed through a loop is a state, what it begins with, a result and given back.
    for (n, size) in [(10.0, small), (40.0, large)] {
        let bound = 9.0 * n * n / 2.0 + 165.0 * n;
        assert!(size[1] <= bound, "{} words at {n}, where {bound} are expected", size[1]);
    }
}

/// The lines and words of a definition, and of its pull-back as it is made.
fn raw_size(text: &str) -> ([f64; 2], [f64; 2]) {
    let stages = compile(text, Via::Chad).stages("f", &[], &[]);
    let stages = stages.unwrap_or_else(|it| panic!("{}", it.render(cotan::Style::Plain)));
    let size = |title: &str| {
        let behind = stages.split_once(title).map(|it| it.1).unwrap_or_default();
        let stage = behind.split("\n-- ").next().unwrap_or_default();
        [stage.lines().count() as f64, stage.split_whitespace().count() as f64]
    };
    (size("-- source"), size("-- values and pull-backs"))
}

/// A program of n parts.
type Family = fn(usize) -> String;

/// Programs that grow: one thing after the other, and one thing in the other.
const LONG: &[(&str, Family)] = &[
    ("lets", |n| {
        let lets: String = (1..=n).map(|k| format!("let x{k} = sin(x{}) * x0; ", k - 1)).collect();
        format!("def f(x0: Real): Real = {{ {lets}x{n} }}")
    }),
    ("branches", |n| {
        nested(n, |inner, k| {
            format!("{{ let y = sin(x) * x; if y > 0.{k} then y * {inner} else y }}")
        })
    }),
    ("matches", |n| {
        nested(n, |inner, k| {
            format!("match held(x - {k}.0) {{ Some(y{k}) => y{k} * {inner}, None => sin(x) }}")
        }) + "\ndef held(x: Real): Option<Real> = if x > 0.0 then Some(x * x) else None"
    }),
    ("functions", |n| {
        nested(n, |inner, k| format!("{{ let f = \\z{k} => sin(z{k}) * {inner}; f(x) }}"))
    }),
    ("folds in folds", |n| {
        nested(n, |inner, k| format!("fold(\\s{k}, i{k} => sin(s{k}) * {inner}, x, iota(3))"))
    }),
    ("scans in folds", |n| {
        nested(n, |inner, k| {
            let scan = format!("scan(\\t{k}, i{k} => sin(t{k}) * {inner}, x, iota(3))");
            format!("fold(\\s{k}, y{k} => s{k} * y{k}, x, {scan})")
        })
    }),
    ("builds in folds", |n| {
        nested(n, |inner, k| {
            let build = format!("build i{k} < 3 => cos(real(i{k}) * {inner})");
            format!("fold(\\s{k}, y{k} => sin(s{k}) * y{k}, x, {build})")
        })
    }),
    ("whiles in iterates", |n| {
        nested(n, |inner, k| {
            let grown =
                format!("while(\\s{k} => s{k} < 2.0, \\s{k} => s{k} * 1.5 + {inner} ** 2.0, x)");
            format!("iterate(3, \\t{k} => sin(t{k}) * {grown}, x)")
        })
    }),
    ("recursion in folds", |n| {
        nested(n, |inner, k| {
            format!("fold(\\s{k}, i{k} => sin(s{k}) * g({inner}, i{k}), x, iota(3))")
        }) + "\ndef g(x: Real, i: Int): Real = if i == 0 then x else sin(x) * g(x * 0.5, i - 1)"
    }),
    ("functions in folds", |n| {
        nested(n, |inner, k| {
            let own = format!("let g{k} = \\z{k} => sin(z{k}) * {inner}; g{k}(s{k})");
            format!("fold(\\s{k}, i{k} => {{ {own} }}, x, iota(3))")
        })
    }),
];

/// A definition whose body is in itself n times.
fn nested(n: usize, step: fn(String, usize) -> String) -> String {
    format!("def f(x: Real): Real = {}", (1..=n).fold("x".to_string(), step))
}

/// What came up through many loops is one value, and still the right one: against central differences.
#[test]
fn gradients_through_deep_nests_are_right() {
    let text =
        nested(6, |inner, k| format!("fold(\\s{k}, i{k} => cos(s{k}) * {inner}, x, iota(2))"));
    let at = |x: f64, program: &mut Compiled| -> f64 {
        run(program, &format!("f({x:?})")).to_text().trim().parse().unwrap()
    };
    let mut program = compile(&text, Via::Chad);
    let (x, h) = (0.3, 1e-5);
    let difference = (at(x + h, &mut program) - at(x - h, &mut program)) / (2.0 * h);
    let gradient: f64 = run(&mut program, "grad(f)(0.3)").to_text().trim().parse().unwrap();
    assert!((gradient - difference).abs() < 1e-8, "{gradient}, and {difference} by differences");
    assert!(gradient.abs() > 0.1, "{gradient}");
}
