//! Programs of the ir in the paper's language, and what that has no word for.

use ad::chad::paper::from_ir::from_ir;
use ad::chad::paper::meaning::Value;
use ad::chad::paper::stages;
use base::Name;
use ir::Program;

use super::support::Mode::{Forward, Reverse};
use super::support::{Mode, Point, STAGES, assert_close, differentiated, reals};

const PROGRAMS: &str = include_str!("programs.ir");

fn program() -> Program {
    PROGRAMS.parse().expect("the text of the test is a program")
}

/// A definition at every stage, against numbers from closed forms.
fn fact(
    def: &str,
    values: Vec<Value<'static>>,
    mode: Mode,
    along: &[f64],
    value: f64,
    wanted: &[f64],
) {
    let function = from_ir(&program(), &Name::new(def)).unwrap_or_else(|it| panic!("{def}: {it}"));
    let point = Point { context: function.params, values };
    for stage in STAGES {
        let (found, derivative, _) = differentiated(&point, &function.body, mode, stage, along);
        assert_close(&format!("{def} ({stage:?})"), &found, &[value]);
        assert_close(&format!("derivative of {def} ({mode:?}, {stage:?})"), &derivative, wanted);
    }
}

/// Definitions that are called, with types and sizes of their own; functions as arguments; two results.
#[test]
fn functions_and_calls() {
    // twice(\y. x y + y, x) = x (x + 1)^2.
    let x: f64 = 1.5;
    let wanted = (x + 1.0).powi(2) + 2.0 * x * (x + 1.0);
    fact("calls", vec![Value::Real(x)], Reverse, &[1.0], x * 2.5 * 2.5, &[wanted]);
    fact("calls", vec![Value::Real(x)], Forward, &[2.0], x * 2.5 * 2.5, &[2.0 * wanted]);
}

/// Data types are sums: the area of a shape, which is a square, a rectangle or nothing.
#[test]
fn data_and_choices() {
    for (kind, area, by_x) in [(0.0, 9.0, 6.0), (1.0, 15.0, 5.0), (2.0, 1.0, 0.0)] {
        let values = vec![Value::Real(3.0), Value::Real(kind)];
        fact("area", values.clone(), Reverse, &[1.0], area, &[by_x, 0.0]);
        fact("area", values, Forward, &[1.0, 1.0], area, &[by_x]);
    }
}

/// Element by element what is said of whole arrays: the sum over i, j of m[j, i] (x_i + 2) x_{2 - i}.
#[test]
fn arrays() {
    let m = [1.0, 2.0, 3.0, -1.0, 0.5, 4.0];
    let x = [0.5, -1.0, 2.0];
    let column = |i: usize| m[i] + m[3 + i];
    let value = (0..3).map(|i| column(i) * (x[i] + 2.0) * x[2 - i]).sum::<f64>();
    let mut wanted: Vec<f64> = (0..6).map(|at| (x[at % 3] + 2.0) * x[2 - at % 3]).collect();
    wanted.extend((0..3).map(|i| column(i) * x[2 - i] + column(2 - i) * (x[2 - i] + 2.0)));
    let rows = m.chunks(3).map(reals).collect();
    let values = vec![ad::chad::paper::meaning::array(rows), reals(&x)];
    fact("arrays", values, Reverse, &[1.0], value, &wanted);
}

/// Folds, loops of so many steps and loops that end by a condition: a polynomial by Horner's rule, and
/// x (x + 0) (x + 1), which is 12 at 2, then times x as long as it is below 20, with the sum of what was.
#[test]
fn loops() {
    let (x, a) = (2.0, [1.0, -3.0, 0.5]);
    let values = vec![Value::Real(x), reals(&a)];
    fact("horner", values.clone(), Reverse, &[1.0], -1.5, &[1.0, 4.0, 2.0, 1.0]);
    fact("horner", values, Forward, &[1.0, 1.0, 0.0, 2.0], -1.5, &[7.0]);
    // 1 + y + x y with y = x^2 (x + 1), so dy = 3 x^2 + 2 x = 16.
    let (value, slope) = (1.0 + 12.0 + 24.0, 16.0 + 12.0 + 2.0 * 16.0);
    fact("powers", vec![Value::Real(x)], Reverse, &[1.0], value, &[slope]);
    fact("powers", vec![Value::Real(x)], Forward, &[0.5], value, &[0.5 * slope]);
}

/// A size is a number that has no derivative.
#[test]
fn sizes_are_values() {
    let function = from_ir(&program(), &Name::new("mean")).unwrap();
    assert_eq!(
        function.body.brief(),
        "let x3 = sum(x1) in\nlet x4 = real(size[x0]) in\nlet x5 = x3 / x4 in\nx5"
    );
}

#[test]
fn what_there_is_no_word_for_is_named() {
    let said = [
        ("collected", "`fold` that collects"),
        ("scanned", "`scan`"),
        ("recursive", "recursion (`recursive`)"),
        ("lists", "the recursive type `List`"),
        ("sorted", "`sort`"),
        ("stopped", "`stop_gradient`"),
        ("texts", "texts"),
        ("generic", "type parameters"),
        ("filtered", "a size that only running it tells"),
    ];
    for (def, what) in said {
        let found = from_ir(&program(), &Name::new(def));
        assert_eq!(found.err().as_deref(), Some(what), "{def}");
    }
    let told = stages(&program(), &Name::new("scanned"));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].1, "The paper's language has no word for `scan`.");
}

/// What `cotan stages --via chad` prints: the source, and three stages for each mode.
#[test]
fn stages_are_printed_for_both_modes() {
    let told = stages(&program(), &Name::new("product"));
    let titles: Vec<&str> = told.iter().map(|it| it.0.as_str()).collect();
    let wanted = [
        "the paper's form: source",
        "the paper's form: derivative, reverse mode",
        "the paper's form: lowered, reverse mode",
        "the paper's form: simplified, reverse mode",
        "the paper's form: derivative, forward mode",
        "the paper's form: lowered, forward mode",
        "the paper's form: simplified, forward mode",
    ];
    assert_eq!(titles, wanted);
    assert_eq!(told[0].1, "let x3 = x0 * x1 in\nx3");
    assert_eq!(told[3].1, "(x0 * x1, \\v -> ((zero, scale(x1, v)), scale(x0, v)))");
    let forward = "(x0 * x1, \\v -> plus(scale(x1, snd(fst(v))), scale(x0, snd(v))))";
    assert_eq!(told[6].1, forward);
    // The raw derivative has what Section 7.5 has: coprojections, a linear let, D^t.
    for part in ["\\v -o at[1](v)", "linear w = Dt_mul(", "x' @ fst(w)"] {
        assert!(told[1].1.contains(part), "{part} in\n{}", told[1].1);
    }
}

/// The chapter of the book shows what the tool prints of Figures 1 and 2.
#[test]
fn the_book_shows_what_is_printed() {
    let chapter = include_str!("../../../../docs/internals/chad.md");
    let shown =
        [("product", 1), ("figure_1", 0), ("figure_1", 3), ("figure_2", 0), ("figure_2", 3)];
    let texts = shown.map(|(def, at)| stages(&program(), &Name::new(def)).swap_remove(at).1);
    let missing: Vec<String> =
        texts.into_iter().filter(|it| !chapter.contains(it.as_str())).collect();
    assert!(missing.is_empty(), "not in the chapter:\n{}", missing.join("\n\n"));
}
