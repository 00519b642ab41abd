//! Derivatives against closed forms, at every stage: raw, lowered, simplified.

use std::collections::BTreeSet;

use ad::chad::paper::dependence::{numbered, rows, sets};
use ad::chad::paper::forward::forward;
use ad::chad::paper::meaning::Environment;
use ad::chad::paper::meaning::Value::{Real, Unit};
use ad::chad::paper::meaning::pair;
use ad::chad::paper::reverse::reverse;
use ad::chad::paper::term::Term;

use super::support::Mode::{Forward, Reverse};
use super::support::{Point, at, fact, machine, reals};

/// Figure 1a: `w = cos(2 x^2)`.
pub(crate) const FIGURE_1A: &str =
    "let y = 2.0 * x in let z = x * y in let w = cos(z) in ((y, z), w)";
/// Figure 1b.
pub(crate) const FIGURE_1B: &str =
    "let y = x1 * x4 + 2.0 * x2 in let z = y * x3 in let w = z + x4 in sin(w)";
/// Figure 2a.
pub(crate) const FIGURE_2A: &str = "let f = \\z: Real -> x * z + 1.0 in
    let zs = build[3](i. x) in let ys = map(z. f(z); zs) in ys";
/// Figure 2b.
pub(crate) const FIGURE_2B: &str = "let f = \\x2i: Real -> x1 * x2i in
    let ys = map(z. f(z); x2) in let w = sum[Real](ys) in w";

#[test]
fn figure_1() {
    let point = at(&[("x", "Real", Real(0.7))]);
    let value = [1.4, 0.98, 0.98_f64.cos()];
    let slope = -0.98_f64.sin() * 2.8;
    fact(&point, FIGURE_1A, Forward, &[1.0], &value, &[2.0, 2.8, slope]);
    fact(&point, FIGURE_1A, Reverse, &[1.0, 2.0, 3.0], &value, &[2.0 + 5.6 + 3.0 * slope]);
    let [x1, x2, x3, x4] = [0.3, 0.5, 0.7, 1.1];
    let point = [("x1", x1), ("x2", x2), ("x3", x3), ("x4", x4)];
    let point = at(&point.map(|it| (it.0, "Real", Real(it.1))));
    let y = x1 * x4 + 2.0 * x2;
    let w: f64 = y * x3 + x4;
    let c = w.cos();
    let gradient = [x4 * x3 * c, 2.0 * x3 * c, y * c, (x1 * x3 + 1.0) * c];
    fact(&point, FIGURE_1B, Reverse, &[1.0], &[w.sin()], &gradient);
    let along = [1.0, -1.0, 0.5, 2.0];
    let tangent = gradient.iter().zip(along).map(|(x, y)| x * y).sum();
    fact(&point, FIGURE_1B, Forward, &along, &[w.sin()], &[tangent]);
}

#[test]
fn figure_2() {
    let point = at(&[("x", "Real", Real(0.7))]);
    fact(&point, FIGURE_2A, Forward, &[1.0], &[1.49; 3], &[1.4; 3]);
    fact(&point, FIGURE_2A, Reverse, &[1.0, 2.0, 3.0], &[1.49; 3], &[8.4]);
    let values = reals(&[1.0, 2.0, -3.0, 0.5, 4.0]);
    let point = at(&[("x1", "Real", Real(0.7)), ("x2", "[5]Real", values)]);
    let wanted = [6.75, 1.05, 1.05, 1.05, 1.05, 1.05];
    fact(&point, FIGURE_2B, Reverse, &[1.5], &[3.15], &wanted);
    let along = [2.0, 1.0, 0.0, 0.0, 0.0, -1.0];
    fact(&point, FIGURE_2B, Forward, &along, &[3.15], &[9.0]);
}

/// `2 (λy. y y) x + 7 x + 3` of the reference code, and a function that captures and is captured.
#[test]
fn section_2_5_functions() {
    let point = at(&[("x", "Real", Real(3.0))]);
    let text = "2.0 * (\\y: Real -> y * y)(x) + 7.0 * x + 3.0";
    fact(&point, text, Reverse, &[1.0], &[42.0], &[19.0]);
    fact(&point, text, Forward, &[1.0], &[42.0], &[19.0]);
    let point = at(&[("x", "Real", Real(1.5))]);
    let text = "(\\g: (Real -> Real) -> g(x) * g(2.0 * x))(\\y: Real -> x * y + y)";
    fact(&point, text, Reverse, &[1.0], &[28.125], &[60.0]);
    fact(&point, text, Forward, &[1.0], &[28.125], &[60.0]);
    // A function that gives a function, and functions in a pair: (x y + y, x + y) at y = 2 x.
    let text = "let addTo = \\a: Real -> \\b: Real -> x * a + b in
        let both = (addTo(2.0 * x), \\b: Real -> x + b) in (fst(both)(2.0 * x), snd(both)(2.0 * x))";
    fact(&point, text, Reverse, &[1.0, 10.0], &[7.5, 4.5], &[8.0 + 30.0]);
    fact(&point, text, Forward, &[1.0], &[7.5, 4.5], &[8.0, 3.0]);
}

#[test]
fn section_7_products() {
    let point = at(&[("x", "Real", Real(0.2)), ("y", "Real", Real(0.3))]);
    let text = "let z = x + y in (z, z)";
    fact(&point, text, Reverse, &[1.0, 2.0], &[0.5, 0.5], &[3.0, 3.0]);
    fact(&point, text, Forward, &[1.0, 2.0], &[0.5, 0.5], &[3.0, 3.0]);
    fact(
        &point,
        "let p = (x, y) in (snd(p), fst(p))",
        Reverse,
        &[1.0, 2.0],
        &[0.3, 0.2],
        &[2.0, 1.0],
    );
    fact(
        &point,
        "let p = (x, y) in (snd(p), fst(p))",
        Forward,
        &[1.0, 2.0],
        &[0.3, 0.2],
        &[2.0, 1.0],
    );
    fact(&point, "let u = () in x", Reverse, &[1.0], &[0.2], &[1.0, 0.0]);
}

/// The absolute value by a case; the side that is not taken gets nothing.
#[test]
fn section_11_2_sums() {
    let point = at(&[("x", "Real", Real(-2.0)), ("y", "Real", Real(5.0))]);
    let text = "let s = case(lt(x, 0.0); u. inl[Real](x * 2.0); u. inr[Real](y)) in
        case(s; a. -0.5 * a; b. b)";
    fact(&point, text, Reverse, &[1.0], &[2.0], &[-1.0, 0.0]);
    fact(&point, text, Forward, &[1.0, 1.0], &[2.0], &[-1.0]);
    let point = at(&[("x", "Real", Real(2.0)), ("y", "Real", Real(5.0))]);
    fact(&point, text, Reverse, &[1.0], &[5.0], &[0.0, 1.0]);
    fact(&point, text, Forward, &[1.0, 3.0], &[5.0], &[3.0]);
    let text = "select(lt(x, y), x * y, x)";
    fact(&point, text, Reverse, &[1.0], &[10.0], &[5.0, 2.0]);
    fact(&point, text, Forward, &[1.0, 1.0], &[10.0], &[7.0]);
    // A function in a sum: x is captured.
    let text = "let s = inl[Real](\\a: Real -> x * a) in case(s; f. f(y) + f(x); b. b)";
    fact(&point, text, Reverse, &[1.0], &[14.0], &[9.0, 2.0]);
    fact(&point, text, Forward, &[1.0, 0.0], &[14.0], &[9.0]);
}

#[test]
fn section_10_arrays() {
    let point = at(&[("xs", "[3]Real", reals(&[1.0, 2.0, -1.0]))]);
    let text = "map(x. 3.0 * x + x * x; xs)";
    fact(&point, text, Reverse, &[1.0; 3], &[4.0, 10.0, -2.0], &[5.0, 7.0, 1.0]);
    fact(&point, text, Forward, &[1.0; 3], &[4.0, 10.0, -2.0], &[5.0, 7.0, 1.0]);
    // build, indexing and sums: s_i = x_i * x_0, then their sum.
    let text = "sum[Real](build[3](i. index(xs, i) * index(xs, 0)))";
    fact(&point, text, Reverse, &[1.0], &[2.0], &[1.0 + 2.0, 1.0, 1.0]);
    fact(&point, text, Forward, &[1.0, 0.0, 0.0], &[2.0], &[3.0]);
    // Nested: sum over i, j of x_i x_j = (sum x)^2.
    let text = "sum[Real](build[3](i. sum[Real](map(x. x * index(xs, i); xs))))";
    fact(&point, text, Reverse, &[1.0], &[4.0], &[4.0; 3]);
    fact(&point, text, Forward, &[1.0, 0.0, 0.0], &[4.0], &[4.0]);
    let point = at(&[("x", "Real", Real(0.5)), ("xs", "[0]Real", reals(&[]))]);
    fact(&point, "sum[Real](map(y. x * y; xs)) + x", Reverse, &[1.0], &[0.5], &[1.0]);
    // Positions are no reals: sum of i * x for i < 3.
    let text = "sum[Real](build[4](i. real(i) * x))";
    fact(&point, text, Reverse, &[1.0], &[3.0], &[6.0]);
}

/// Appendix A: `Dmap` and `Dmap^t` against the derivative of the tuple that is the map written out.
#[test]
fn appendix_a_map_is_its_elements() {
    for n in [0, 1, 3] {
        let values: Vec<f64> = (0..n).map(|it| 0.3 + it as f64).collect();
        let ty = format!("[{n}]Real");
        let point = at(&[("a", "Real", Real(0.7)), ("xs", &ty, reals(&values))]);
        let body = |x: &str| format!("sin(a * {x}) + {x}");
        let all: Vec<f64> = values.iter().map(|x| (0.7 * x).sin() + x).collect();
        let by_a = values.iter().map(|x| (0.7 * x).cos() * x).enumerate();
        let by_a: f64 = by_a.map(|(at, it)| it * (at + 1) as f64).sum();
        let along: Vec<f64> = (1..=n).map(|it| it as f64).collect();
        let mut wanted = vec![by_a];
        wanted.extend(values.iter().zip(&along).map(|(x, v)| v * ((0.7 * x).cos() * 0.7 + 1.0)));
        fact(&point, &format!("map(x. {}; xs)", body("x")), Reverse, &along, &all, &wanted);
        let parts: Vec<String> = (0..n).map(|it| body(&format!("index(xs, {it})"))).collect();
        let written = parts.into_iter().reduce(|all, it| format!("({all}, {it})"));
        let written = written.unwrap_or_else(|| "()".into());
        fact(&point, &written, Reverse, &along, &all, &wanted);
    }
}

/// A loop is the composition of its steps: Horner's rule, no step at all, a condition, and a function as state,
/// which is x^3 z after three steps.
#[test]
fn loops() {
    let point = at(&[("x", "Real", Real(2.0)), ("a", "[3]Real", reals(&[1.0, -3.0, 0.5]))]);
    let horner = "iterate(3; s i. s * x + index(a, i); 0.0)";
    fact(&point, horner, Reverse, &[1.0], &[-1.5], &[1.0, 4.0, 2.0, 1.0]);
    fact(&point, horner, Forward, &[1.0, 1.0, 0.0, 2.0], &[-1.5], &[7.0]);
    for count in [0, -2] {
        let none = format!("iterate({count}; s i. s * index(a, i); x)");
        fact(&point, &none, Reverse, &[3.0], &[2.0], &[3.0, 0.0, 0.0, 0.0]);
        fact(&point, &none, Forward, &[3.0, 1.0, 1.0, 1.0], &[2.0], &[3.0]);
    }
    let x = at(&[("x", "Real", Real(2.0))]);
    let long = "while(s. lt(s, 10.0); s i. s * x; x)";
    fact(&x, long, Reverse, &[1.0], &[16.0], &[32.0]);
    fact(&x, long, Forward, &[0.5], &[16.0], &[16.0]);
    let functions = "iterate(3; f i. \\z: Real -> x * f(z); \\z: Real -> z)(x)";
    fact(&x, functions, Reverse, &[1.0], &[16.0], &[32.0]);
    fact(&x, functions, Forward, &[0.5], &[16.0], &[16.0]);
}

/// The pattern of a Jacobian by sets, in both modes.
fn depends(point: &Point, text: &str, wanted: &[&[usize]]) {
    let term: Term = text.parse().unwrap();
    let env = point.context.iter().zip(&point.values);
    let env = env.fold(Environment::default(), |env, it| env.with(&it.0.0, it.1.clone()));
    let wanted: Vec<BTreeSet<usize>> =
        wanted.iter().map(|it| it.iter().copied().collect()).collect();
    let (back, ty) = reverse(&point.context, &term).unwrap();
    assert_eq!(rows(&mut machine(), &env, (&back, &ty)).as_ref(), Ok(&wanted), "{text}");
    let (forth, _) = forward(&point.context, &term).unwrap();
    let mut next = 0;
    let inputs = point.context.iter().zip(&point.values).fold(Unit, |all, (it, value)| {
        pair(all, numbered(&it.1, value, &mut next).expect("of first order"))
    });
    let mut machine = machine();
    let (_, push) = machine.run(&env, &forth).unwrap().parts().unwrap();
    assert_eq!(sets(&machine.apply(&push, inputs).unwrap()), wanted, "{text}, forward");
}

/// What depends on what is read off the text: x, y, z have the numbers 0, 1, 2, and the elements of xs 3, 4, 5.
#[test]
fn section_11_3_dependence() {
    let xs = reals(&[1.0, 2.0, -1.0]);
    let point = at(&[
        ("x", "Real", Real(0.0)),
        ("y", "Real", Real(2.0)),
        ("z", "Real", Real(3.0)),
        ("xs", "[3]Real", xs),
    ]);
    // A product depends on a factor even where the other one is zero; a constant depends on nothing.
    depends(&point, "((x * y, sin(z)), 1.0)", &[&[0, 1], &[2], &[]]);
    // Only the branch that is taken, and only what is selected.
    depends(&point, "case(lt(x, 2.0); u. y; w. z)", &[&[1]]);
    depends(&point, "case(lt(y, 2.0); u. y; w. z)", &[&[2]]);
    depends(&point, "select(lt(x, 2.0), y, z)", &[&[1]]);
    // What a function captured.
    depends(&point, "let f = \\w: Real -> w * x in f(z)", &[&[0, 2]]);
    depends(&point, "build[3](i. index(xs, i) * index(xs, 0))", &[&[3], &[3, 4], &[3, 5]]);
    depends(&point, "map(e. e * y; xs)", &[&[1, 3], &[1, 4], &[1, 5]]);
    depends(&point, "sum[Real](xs) + z", &[&[2, 3, 4, 5]]);
    depends(&point, "iterate(2; s i. s * index(xs, i); y)", &[&[1, 3, 4]]);
    depends(&point, "build[0](i. x)", &[]);
}
