//! The structure of Jacobians is seen through branches, loops and calls: numbers by hand, and what they cost.

use super::{answer, compile_via, stage};
use cotan::{Style, Via};

/// A function that goes element by element, and its derivative by hand.
struct Elementwise {
    name: &'static str,
    text: &'static str,
    derivative: fn(f64) -> f64,
    /// How many operations an element may take.
    cost: u64,
}

/// `y * sin(y)`, so often: the product of `sin(y) + y * cos(y)` on the way.
fn repeated(count: usize, mut y: f64) -> f64 {
    let mut derivative = 1.0;
    for _ in 0..count {
        derivative *= y.sin() + y * y.cos();
        y *= y.sin();
    }
    derivative
}

const ELEMENTWISE: &[Elementwise] = &[
    Elementwise {
        name: "a loop for each element",
        text: "def f(x: [n]Real): [n]Real = build i < n => iterate(5, \\y => y * sin(y), x[i])",
        derivative: |x| repeated(5, x),
        cost: 45,
    },
    Elementwise {
        name: "a loop of a map",
        text: "def f(x: [n]Real): [n]Real = iterate(5, \\y => map(\\z => z * sin(z), y), x)",
        derivative: |x| repeated(5, x),
        cost: 45,
    },
    Elementwise {
        name: "as many steps as it takes",
        text: "def f(x: [n]Real): [n]Real =
            build i < n => while(\\y => y > 0.1, \\y => y * sin(y), x[i])",
        derivative: |x| {
            let (mut y, mut steps) = (x, 0);
            while y > 0.1 {
                y *= y.sin();
                steps += 1;
            }
            repeated(steps, x)
        },
        cost: 45,
    },
    Elementwise {
        name: "a polynomial by Horner's rule",
        text: "def f(x: [n]Real): [n]Real =
            build i < n => fold(\\sum, c => sum * x[i] + c, 0.0, [2.0, 3.0, 4.0])",
        derivative: |x| 4.0 * x + 3.0,
        cost: 45,
    },
    Elementwise {
        name: "a recursive function",
        text: "def g(x: Real, depth: Int): Real =
            if depth == 0 then x else { let y = g(x, depth - 1); y * sin(y) }
        def f(x: [n]Real): [n]Real = build i < n => g(x[i], 5)",
        derivative: |x| repeated(5, x),
        cost: 80,
    },
    Elementwise {
        name: "a branch with a loop",
        text: "def f(x: [n]Real): [n]Real =
            build i < n => if x[i] > 0.5 then iterate(4, \\y => y * sin(y), x[i]) else 3.0 * x[i]",
        derivative: |x| if x > 0.5 { repeated(4, x) } else { 3.0 },
        cost: 45,
    },
    Elementwise {
        name: "a sum type",
        text: "data Size = Large(Real) | Small
        def size(x: Real): Size = if x > 0.5 then Large(x * x) else Small
        def f(x: [n]Real): [n]Real =
            map(\\y => match size(y) { Large(z) => z * sin(z), Small => 3.0 * y }, x)",
        derivative: |x| if x > 0.5 { 2.0 * x * repeated(1, x * x) } else { 3.0 },
        cost: 45,
    },
    Elementwise {
        name: "a clause, which says something else than its function",
        text: "def g(x: Real): Real = x * x with jvp(x, dx) = 3.0 * x * dx
        def f(x: [n]Real): [n]Real = build i < n => iterate(2, g, x[i])",
        derivative: |x| 9.0 * x * x * x,
        cost: 45,
    },
    Elementwise {
        name: "a recursive function that is given the array and a position",
        text: "def g(x: [n]Real, at: Int, depth: Int): Real =
            if depth == 0 then x[at] else { let y = g(x, at, depth - 1); y * sin(y) }
        def f(x: [n]Real): [n]Real = build i < n => g(x, i, 5)",
        derivative: |x| repeated(5, x),
        cost: 90,
    },
    Elementwise {
        name: "roots of equations, by a clause for a function that captured the array",
        text: "def f(x: [n]Real): [n]Real = build i < n => root(\\y => y * y - x[i] - 1.0, 1.0)",
        derivative: |x| 0.5 / (x + 1.0).sqrt(),
        cost: 150,
    },
    Elementwise {
        name: "a clause that calls its own function on tangents",
        text: "def half(x: Real): Real = 0.5 * x with jvp(x, dx) = half(dx)
        def f(x: [n]Real): [n]Real = build i < n => iterate(3, \\y => half(y) * sin(y), x[i])",
        derivative: |mut x| {
            let mut derivative = 1.0;
            for _ in 0..3 {
                derivative *= 0.5 * (x.sin() + x * x.cos());
                x *= 0.5 * x.sin();
            }
            derivative
        },
        cost: 60,
    },
];

/// A hundred thousand numbers take one run of the function with one tangent beside it, where the matrix
/// would have ten thousand million elements.
#[test]
fn diagonals_are_seen_through_loops_branches_and_calls() {
    let n = 100_000;
    for Elementwise { name, text, derivative, cost } in ELEMENTWISE {
        let text = format!(
            "{text}
            def diagonal(x: [n]Real): [n]Real = {{ let j = jacobian(f)(x); build i < n => j[i][i] }}
            def total(n: Int): Real = sum(diagonal(build i < n => 1e-5 * real(i)))"
        );
        let found = answer(&text, &format!("total({n})"));
        let expected: f64 = (0..n).map(|at| derivative(1e-5 * at as f64)).sum();
        let number: f64 = found.to_text().parse().expect("a number");
        assert!((number - expected).abs() <= 1e-9 * expected.abs(), "{name}: {number} {expected}");
        assert!(found.cost().total() <= cost * n, "{name}: {}", found.cost().total());
        // It runs once; both sides of a branch do where it became a selection.
        let sines = found.cost().counts.get("sin").copied().unwrap_or(0);
        assert!(sines <= 5 * n, "{name}: {sines}");
        assert!(stage(&text, "Jacobian, its structure").contains('\\'), "{name}");
    }
}

/// The second derivative of `y * sin(y)`, so often.
fn bent(count: usize, mut y: f64) -> f64 {
    let (mut first, mut second) = (1.0, 0.0);
    for _ in 0..count {
        let slope = y.sin() + y * y.cos();
        second = (2.0 * y.cos() - y * y.sin()) * first * first + slope * second;
        first *= slope;
        y *= y.sin();
    }
    second
}

/// The gradient of a sum over elements goes element by element, so the hessian is a diagonal: a hundred
/// thousand numbers take one run of the gradient.
#[test]
fn hessians_of_sums_are_diagonals() {
    let n = 100_000;
    let cases = [
        ("a map", "sum(map(\\y => y * sin(y), x))", 1, 20),
        ("a loop", "sum(build i < n => iterate(3, \\y => y * sin(y), x[i]))", 3, 90),
        ("a loop of a map", "sum(iterate(3, \\y => map(\\z => z * sin(z), y), x))", 3, 90),
        ("a recursive function", "sum(build i < n => g(x[i], 3))", 3, 180),
    ];
    for (name, body, count, cost) in cases {
        let text = format!(
            "def g(x: Real, depth: Int): Real =
                if depth == 0 then x else {{ let y = g(x, depth - 1); y * sin(y) }}
            def f(x: [n]Real): Real = {body}
            def diagonal(x: [n]Real): [n]Real = {{ let h = hessian(f)(x); build i < n => h[i][i] }}
            def total(n: Int): Real = sum(diagonal(build i < n => 1e-5 * real(i)))"
        );
        let found = answer(&text, &format!("total({n})"));
        let expected: f64 = (0..n).map(|at| bent(count, 1e-5 * at as f64)).sum();
        let number: f64 = found.to_text().parse().expect("a number");
        assert!((number - expected).abs() <= 1e-9 * expected.abs(), "{name}: {number} {expected}");
        assert!(found.cost().total() <= cost * n, "{name}: {}", found.cost().total());
        assert!(
            found.cost().counts["sin"] <= count as u64 * n,
            "{name}: {:?}",
            found.cost().counts
        );
        // Whole matrices, with nothing beside the diagonal.
        for n in [0, 1, 3] {
            let at = format!("hessian(f)(build i < {n} => 0.4 + 0.25 * real(i))");
            let found = numbers(&answer(&text, &at).to_text());
            let expected = |row: usize, column: usize| match row == column {
                true => bent(count, 0.4 + 0.25 * row as f64),
                false => 0.0,
            };
            let close = |(at, it): (usize, &f64)| {
                let wanted = expected(at / n, at % n);
                (it - wanted).abs() <= 1e-12 * wanted.abs()
            };
            assert!(
                found.len() == n * n && found.iter().enumerate().all(close),
                "{name}: {found:?}"
            );
        }
    }
}

/// `sin(a) b` of each row: blocks, symmetric to the bit; and what one number does to all.
#[test]
fn hessians_have_blocks() {
    let text = "def f(x: [n][2]Real, s: Real): Real =
            s * s * sum(build i < n => iterate(2, \\y => [y[0], 0.5 * y[1] * y[0]], x[i])[1])";
    // s^2 b a^2 / 4 at a = 2, b = 3, s = 1: by a, b and s.
    let found = answer(text, "hessian(f)([[2.0, 3.0]], 1.0)").to_text();
    assert_eq!(numbers(&found), [1.5, 1.0, 6.0, 1.0, 0.0, 2.0, 6.0, 2.0, 6.0], "{found}");
}

/// Whole matrices, at sizes where nothing and one thing is to be seen.
#[test]
fn small_matrices_are_right_to_the_last_zero() {
    for Elementwise { name, text, derivative, .. } in ELEMENTWISE {
        for n in [0, 1, 3] {
            let at = |row: usize| 0.3 + 0.25 * row as f64;
            let found =
                answer(text, &format!("jacobian(f)(build i < {n} => 0.3 + 0.25 * real(i))"));
            let found = numbers(&found.to_text());
            let rows = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
            let expected = rows.map(|it| if it.0 == it.1 { derivative(at(it.0)) } else { 0.0 });
            let expected: Vec<f64> = expected.collect();
            let close = |it: (&f64, &f64)| (it.0 - it.1).abs() <= 1e-12 * it.1.abs();
            assert!(
                found.len() == n * n && found.iter().zip(&expected).all(close),
                "{name} at {n}: {found:?} {expected:?}"
            );
        }
    }
}

fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|it: char| "[](), ".contains(it)).filter(|it| !it.is_empty());
    parts.map(|it| it.parse().expect("a number")).collect()
}

/// Each row of a matrix goes through a loop by itself: blocks on the diagonal, a tangent for each column of a
/// block. `(a, b)` to `(a + 2 b, b)` twice has the derivative `[[1, 4], [0, 1]]`.
#[test]
fn blocks_are_seen_through_loops() {
    let text = "def f(x: [n][2]Real): [n][2]Real =
            build i < n => iterate(2, \\y => [y[0] + 2.0 * y[1], y[1]], x[i])
        def g(x: [n][2]Real): [n][2]Real = build i < n =>
            while(\\y => y[0] < 2.5, \\y => [y[0] + 2.0 * y[1], y[1]], x[i])
        def entries(n: Int): Real = {
            let j = jacobian(g)(build i < n, k < 2 => 0.5);
            sum(build i < n => j[i][0][i][1])
        }";
    let block = |row: usize, column: usize| match (row, column) {
        (0, 0) => "[[1.0, 4.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]",
        (1, 1) => "[[0.0, 0.0], [1.0, 4.0]], [[0.0, 0.0], [0.0, 1.0]]",
        _ => "",
    };
    let expected = format!("[[{}], [{}]]", block(0, 0), block(1, 1));
    let at = "(build i < 2, j < 2 => 0.5)";
    for f in ["f", "g"] {
        assert_eq!(answer(text, &format!("jacobian({f})({at})")).to_text(), expected, "{f}");
        let none = answer(text, &format!("jacobian({f})(build i < 0, j < 2 => 1.0)"));
        assert_eq!(none.to_text(), "[]", "{f}");
    }
    let (small, large) = (answer(text, "entries(1000)"), answer(text, "entries(2000)"));
    assert_eq!([small.to_text(), large.to_text()], ["4000.0", "8000.0"]);
    let costs = [small, large].map(|it| it.cost().total());
    assert!(costs[0] <= 150 * 1000 && costs[1] <= 2 * costs[0] + 20, "{costs:?}");
}

/// By the numbers of two arrays at once: the function runs once for both.
#[test]
fn several_parameters_take_one_run() {
    let text = "def f(p: [n]Real, v: [n]Real): ([n]Real, [n]Real) =
            iterate(4, \\(p, v) => (p + 0.1 * v, v - 0.1 * sin(p)), (p, v))
        def made(n: Int): [n]Real = build i < n => 0.1 * real(i)
        def slopes(n: Int): Real = {
            let (dp, dv) = jacobian(f)(made(n), made(n));
            sum(build i < n => {
                let (pp, pv) = dp[i];
                let (vp, vv) = dv[i];
                pp[i] * vv[i] - pv[i] * vp[i]
            })
        }";
    let found = answer(text, "slopes(1000)");
    assert_eq!(found.cost().counts["sin"], 4000);
    assert!(found.cost().total() <= 150 * 1000, "{}", found.cost().total());
    // By hand: the determinant of a step is 1 + 0.01 cos(p).
    let expected: f64 = (0..1000)
        .map(|at| {
            let (mut p, mut v, mut product) = (0.1 * at as f64, 0.1 * at as f64, 1.0);
            for _ in 0..4 {
                product *= 1.0 + 0.01 * f64::cos(p);
                (p, v) = (p + 0.1 * v, v - 0.1 * p.sin());
            }
            product
        })
        .sum();
    let number: f64 = found.to_text().parse().expect("a number");
    assert!((number - expected).abs() <= 1e-9 * expected, "{number} {expected}");
}

/// What is read in a branch that is not taken may not be there.
#[test]
fn places_that_are_not_there_are_not_written() {
    let text = "def f(x: [n]Real): [4]Real = build i < 4 =>
            if n > 2 then while(\\y => y < 1.0, \\y => y + y * real(i + 1), x[2]) else 0.0
        def g(x: [n]Real): [2]Real = build i < 2 =>
            if i < n then while(\\y => y < 1.0, \\y => 2.0 * y, x[i]) else 1.0";
    let ask = |expression: &str| answer(text, expression).to_text();
    assert_eq!(
        ask("jacobian(f)([0.0, 0.0, 0.6])"),
        "[[0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 4.0], [0.0, 0.0, 5.0]]"
    );
    assert_eq!(ask("jacobian(f)([0.5])"), "[[0.0], [0.0], [0.0], [0.0]]");
    assert_eq!(ask("jacobian(g)([0.25])"), "[[4.0], [0.0]]");
    assert_eq!(ask("jacobian(g)([0.25, 0.5, 0.5])"), "[[4.0, 0.0, 0.0], [0.0, 2.0, 0.0]]");
    assert_eq!(ask("jacobian(g)(build i < 0 => 1.0)"), "[[], []]");
}

/// What depends on more than can be told has a full matrix, and it is right.
#[test]
fn what_is_not_seen_is_full() {
    let cases = [
        (
            "neighbours that meet in a loop",
            "iterate(2, \\y => build i < n => y[i] * y[(i + 1) % n], x)",
        ),
        ("a scan", "scan(\\s, y => s * y, 1.0, x)"),
        ("a permutation in a loop", "iterate(3, \\y => reverse(map(\\z => z * sin(z), y)), x)"),
        ("an order", "iterate(2, \\y => sort(map(\\z => z * sin(z), y)), x)"),
    ];
    for (name, body) in cases {
        let text = format!("def f(x: [n]Real): [n]Real = {body}");
        assert!(stage(&text, "Jacobian, its structure").contains("r0    #"), "{name}");
        let by = |via: Via| {
            let found = compile_via(&text, via).eval("jacobian(f)([0.7, 1.4, 0.9])", &[]);
            numbers(&found.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain))).to_text())
        };
        let (found, expected) = (by(Via::Linmap), by(Via::Tape));
        let close = |it: (&f64, &f64)| (it.0 - it.1).abs() <= 1e-12 * it.1.abs().max(1.0);
        assert!(found.iter().zip(&expected).all(close), "{name}: {found:?} {expected:?}");
    }
}
