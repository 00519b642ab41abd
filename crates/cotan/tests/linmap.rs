//! Method `linmap`: what its maps become, and what they cost.
//!
//! That its derivatives are right, `bulk.rs` says for all programs, and `crates/generate/tests/maps/mod.rs` for maps.
//!
//! `UPDATE_EXPECT=1` rewrites the stages.

use cotan::{Backend, Compiled, Compiler, Options, Style, Via};
use expect_test::expect;

fn compile(text: &str) -> Compiled {
    let options = Options { via: Via::Linmap, backend: Backend::Interp, ..Options::default() };
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
    let mut program = compile(text);
    let answer = program.eval(expression, &[]);
    answer.unwrap_or_else(|it| panic!("{}", it.render(Style::Plain))).cost().total()
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
        inline
        bot
        simplify
        Jacobian
        Jacobian, simplified
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
    assert!(report.contains("--via tape"), "{report}");
}
