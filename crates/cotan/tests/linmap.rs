//! Method `linmap`: what its maps become, and what they cost.
//!
//! That its derivatives are right, `bulk.rs` says for all programs, and `crates/generate/tests/maps/mod.rs` for maps.
//!
//! `UPDATE_EXPECT=1` rewrites the stages.

mod structure;

use cotan::{Answer, Backend, Compiled, Compiler, Options, Style, Via};
use expect_test::expect;

fn compile(text: &str) -> Compiled {
    compile_via(text, Via::Linmap)
}

fn compile_via(text: &str, via: Via) -> Compiled {
    let options = Options { via, backend: Backend::Interp, ..Options::default() };
    let program = Compiler::new(options).compile("maps.cot", text);
    program.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

/// The stages of `f`: titles and texts.
fn stages(text: &str) -> Vec<(String, String)> {
    let text = compile(text).stages("f", &[], &[]);
    let text = text.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
    let split = |it: &str| it.split_once('\n').map(|(a, b)| (a.to_string(), b.trim().to_string()));
    text.split("-- ").skip(1).filter_map(split).collect()
}

fn stage(text: &str, title: &str) -> String {
    let all = stages(text);
    let found = all.iter().find(|it| it.0 == title);
    found.unwrap_or_else(|| panic!("no stage `{title}`")).1.clone()
}

fn work(text: &str, expression: &str) -> u64 {
    answer(text, expression).cost().total()
}

fn answer(text: &str, expression: &str) -> Answer {
    let answer = compile(text).eval(expression, &[]);
    answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)))
}

/// The example of Section 6 of the paper; the variable of `x` is `x0`.
const F2: &str = "def f(x: Real): Real = { let y = x * x; let z = x + y; y * z }";

#[test]
fn all_stages_are_shown() {
    let name = |title: &str| title.split(':').next().unwrap_or_default().to_string();
    let titles: Vec<String> = stages(F2).iter().map(|it| name(&it.0)).collect();
    expect![[r#"
        source
        specialise
        flatten
        merge
        inline
        views
        accumulate
        peel
        checkpoint
        bot
        simplify
        Jacobian
        Jacobian, simplified
        Jacobian, its structure
        forward derivative
        transposed Jacobian
        gradient_maps
        drop_clauses of `f.vjp1`
        bot of `f.vjp1`
        simplify of `f.vjp1`"#]]
    .assert_eq(&titles.join("\n"));
}

#[test]
fn the_jacobian_is_written_as_the_paper_writes_it() {
    expect![[r#"
        x5 = 1
        x7 = (H(S(x0), S(x0)) . V(x5, x5))    (dx2)
        x9 = (H(1, 1) . V(x5, x7))    (dx3)
        x13 = (H(S(x3), S(x2)) . V(x7, x9))    (dx4)
        give V(x13)"#]]
    .assert_eq(&stage(F2, "Jacobian"));
}

/// One scaling, so both modes are one product.
#[test]
fn the_laws_make_one_scaling_of_it() {
    expect![[r#"
        x5 = 1
        x13 = (S(x12) . x5)    (dx4)
        give V(x13)"#]]
    .assert_eq(&stage(F2, "Jacobian, simplified"));
    expect!["bx13 += r0\nbx5 += S(x12) @ bx13"].assert_eq(&stage(F2, "transposed Jacobian"));
}

/// A movement is a map of its own, and no one-hot vector is made.
#[test]
fn movements_stay_movements() {
    let text = "def f(x: [n]Real): [n]Real = reverse(x)";
    expect![[r#"
        x4 = 1
        x5 = ({reverse _0} . x4)    (dx3)
        give V(x5)"#]]
    .assert_eq(&stage(text, "Jacobian, simplified"));
}

/// The map of the identity is a name: no statement at all, however many numbers there are.
#[test]
fn the_identity_costs_nothing() {
    let text = "def f(x: [n]Real): [n]Real = x";
    expect!["x3 = 1\ngive V(x3)"].assert_eq(&stage(text, "Jacobian, simplified"));
}

/// Pushing forwards or pulling back by it is no operation either, at a million numbers.
#[test]
fn a_million_numbers_go_through_the_identity_for_nothing() {
    let text = "def f(x: [n]Real): [n]Real = x
        def made(n: Int): [n]Real = build i < n => 0.5
        def pushed(n: Int): [n]Real = jvp(f)(made(n), made(n))
        def pulled(n: Int): [n]Real = vjp(f)(made(n))(made(n))";
    let made = work(text, "made(1000000)[7]");
    for by in ["pushed", "pulled"] {
        let cost = work(text, &format!("{by}(1000000)[7]"));
        assert!(cost <= 2 * made + 20, "{by}: {cost}, and {made} to make the numbers");
    }
}

/// The diagonal of a diagonal Jacobian is read off without a matrix: a hundred thousand numbers take a few
/// operations each, where the matrix would have ten thousand million elements.
#[test]
fn the_diagonal_of_a_jacobian_takes_no_matrix() {
    let text = "def f(x: [n]Real): [n]Real = sin(x) * exp(-x)
        def diagonal(x: [n]Real): [n]Real = { let j = jacobian(f)(x); build i < n => j[i][i] }
        def total(n: Int): Real = sum(diagonal(build i < n => 1e-5 * real(i)))";
    let n = 100_000;
    let mut program = compile(text);
    let answer = program.eval(&format!("total({n})"), &[]);
    let answer = answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
    let cost = answer.cost();
    assert!(cost.total() <= 20 * n && cost.counts["sin"] == n, "{cost:?}");
    // (cos(x) - sin(x)) exp(-x)
    let at = |i: u64| 1e-5 * i as f64;
    let expected: f64 = (0..n).map(|i| (at(i).cos() - at(i).sin()) * (-at(i)).exp()).sum();
    let found: f64 = answer.to_text().parse().expect("a number");
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
}

/// Each vector is used twice by different maps: with maps in the place of names, each step doubles the
/// work backwards.
#[test]
fn a_chain_of_vectors_takes_linear_work_backwards() {
    let chain = |n: usize| {
        let steps: String =
            (0..n).map(|at| format!("let x{} = tanh(w * x{at}) * x{at};\n", at + 1)).collect();
        let text = format!("def f(w: [m]Real, x0: [m]Real): Real = {{ {steps} sum(x{n}) }}");
        work(&text, "grad(f)([0.5, 0.25, 2.0], [1.0, 2.0, 3.0])")
    };
    let costs = [chain(8), chain(16), chain(32)];
    assert!(costs[1] <= 2 * costs[0] + 20 && costs[2] <= 2 * costs[1] + 20, "{costs:?}");
}

/// A function of the same array many times over: linear in the array, and in the number of uses.
#[test]
fn colliding_indices_take_linear_work() {
    let text = "def f(a: [n]Real): Real = sum(build i < n => a[0] * a[n - 1 - i])";
    let cost = |n: usize| work(text, &format!("sum(grad(f)(build i < {n} => 1.0 + real(i)))"));
    let costs = [cost(50), cost(100), cost(200)];
    assert!(costs[1] <= 2 * costs[0] + 20 && costs[2] <= 2 * costs[1] + 20, "{costs:?}");
}

/// The map of a function that goes element by element is a scaling, so its Jacobian is a diagonal that one run
/// gives: no product for each element of the matrix.
#[test]
fn a_diagonal_jacobian_takes_one_run() {
    let text = "def f(x: [n]Real): [n]Real = sin(x) * exp(-x)
        def g(x: [n]Real): ([n]Real, Real, [n]Real) = (2.0 * x, 1.0, x)";
    let mut program = compile(text);
    let mut ask = |expression: &str| {
        let answer = program.eval(expression, &[]);
        let answer = answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
        (answer.to_text(), answer.cost())
    };
    let n = 50;
    let (_, cost) = ask(&format!("sum(sum(jacobian(f)(build i < {n} => 0.1 * real(i))))"));
    let products = ["scale", "mul"].iter().filter_map(|it| cost.counts.get(*it)).sum::<u64>();
    assert!(products <= 5 * n && cost.counts["sin"] == n, "{:?}", cost.counts);
    // cos(0) - sin(0), and zeros elsewhere.
    assert_eq!(ask("jacobian(f)([0.0, 0.0])").0, "[[1.0, 0.0], [0.0, 1.0]]");
    let (two, one) = ("[[2.0, 0.0], [0.0, 2.0]]", "[[1.0, 0.0], [0.0, 1.0]]");
    assert_eq!(ask("jacobian(g)([3.0, 4.0])").0, format!("({two}, [0.0, 0.0], {one})"));
    assert_eq!(ask("jacobian(f)(build i < 0 => 1.0)").0, "[]");
}

/// What the map says of its matrix, before anything runs: blocks, and what is in each.
#[test]
fn the_structure_is_drawn() {
    let text = "def f(x: [n]Real, y: [n]Real, a: Real): ([n]Real, [n]Real, Real) =
        (x * y + a, build i < n => if i == 0 then exp(y[i]) else y[i] * y[i - 1], dot(x, x))";
    expect![[r#"
        x1  x2  x3
        r0    \   \   :
        r1    .   :   .
        r2    #   .   .
        (. zero, \ diagonal, : a few in each row, # full)"#]]
    .assert_eq(&stage(text, "Jacobian, its structure"));
    let text = "def f(x: [n]Real): [n]Real = scan(\\s, y => s * y, 1.0, x)";
    expect![[r#"
        x1
        r0    #
        (. zero, \ diagonal, : a few in each row, # full)"#]]
    .assert_eq(&stage(text, "Jacobian, its structure"));
}

/// Maps inside of a loop stand in the place of its body.
#[test]
fn maps_of_loops_are_shown() {
    let text = "def f(x: Real): Real = iterate(3, \\y => y * sin(y), x)";
    expect![[r#"
        x8 = 1
        x19: Real = fold (x11: Real = x8) (x18: Real = x17) {
          x16 = (S(x15) . x11)    (dx5)
          give V(x16)
        }
        give V(x19)"#]]
    .assert_eq(&stage(text, "Jacobian, simplified"));
}

/// Blocks of diagonals, bands, and matrices that are there already take one run, and no product for each
/// element of the matrix that is zero.
#[test]
fn sparse_jacobians_take_one_run() {
    let cases = [
        ("band", "def f(x: [n]Real): [n]Real = build i < n => x[i] * sin(x[(i + 1) % n])", 10),
        (
            "edges",
            "def f(x: [n]Real): [n]Real = build i < n => if i == 0 then x[i] else x[i] * x[i - 1]",
            10,
        ),
        ("blocks", "def f(x: [n]Real): ([n]Real, [n]Real) = (x * x, sin(x) + x[0])", 10),
        ("parts", "def f(x: [n]Real): [2*n]Real = concat(sin(x), reverse(x * x))", 10),
        (
            "dimensions",
            "def g(x: [n][2]Real): [2][n]Real = build i < 2, j < n => sin(x[j][i]) * x[j][i]
            def f(x: [n]Real): [2][n][n][2]Real = jacobian(g)(build i < n, j < 2 => x[i] + real(j))",
            30,
        ),
    ];
    for (name, text, factor) in cases {
        let work = |via: Via, n: u64| {
            let mut program = compile_via(text, via);
            let total = match name {
                "blocks" => "let (a, b) = j; sum(sum(a)) + sum(sum(b))",
                "dimensions" => "sum(sum(sum(sum(j))))",
                _ => "sum(sum(j))",
            };
            let at = format!("build i < {n} => 0.1 + real(i)");
            let j = if name == "dimensions" { "f" } else { "jacobian(f)" };
            let at = format!("{{ let j = {j}({at}); {total} }}");
            let answer = program.eval(&at, &[]);
            let answer = answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain)));
            let counts = answer.cost().counts;
            ["scale", "mul", "sin", "cos"].iter().filter_map(|it| counts.get(*it)).sum::<u64>()
        };
        for n in [20, 40, 80] {
            let cost = work(Via::Linmap, n);
            assert!(cost <= factor * n, "{name} at {n}: {cost} products");
        }
        assert!(work(Via::Bulk, 40) > factor * 40, "{name}: the counter tells the difference");
    }
}

/// What it does not accept it refuses, with the place and who does: the example of the page of E0635.
#[test]
fn derivatives_of_computed_order_are_refused() {
    let mut program = compile(
        "def derivative(f: Real -> Real): Real -> Real = \\x => grad(f)(x)
        def order(n: Int): Real -> Real = iterate(n, derivative, \\x => exp(2.0 * x))",
    );
    let report = program.eval("order(3)(0.0)", &[]);
    let report = report.expect_err("it is refused").render(Style::Plain);
    assert!(report.contains("E0635") && report.contains("`linmap`"), "{report}");
    assert!(report.contains("use the method `tape`"), "{report}");
}
