//! Additive definitions: what is accepted is the sum over shards, and what is refused is so at the statement
//! that mixes them.

#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Compiler, Options, Program};

const DATA: &str = "type Pair = { a: Real, b: Real }\n\
                    data Kind = Flat | Steep(Real)\n";

/// Definitions of `f(w, x)` that are sums over the rows of `x`.
const SUMS: &[&str] = &[
    "def f(w: Real, x: [n]Real): Real = sum(x)",
    "def f(w: Real, x: [n]Real): Real = w * sum(build i < n => exp(x[i] * w)) / 2.0",
    "def f(w: Real, x: [n]Real): Real = { let r = x * w - 1.0; dot(r, r) }",
    "def f(w: Real, x: [n]Real): Real = sum(map(\\v => v * w, x)) - sum(x)",
    "def f(w: Real, x: [n]Real): Real = fold(\\s, v => s + w * v, 0.0, x)",
    "def f(w: Real, x: [n]Real): Real = fold(\\s, v => if v > w then s + v else s, 0.0, x)",
    "def f(w: Real, x: [n]Real): (Real, Real) =\n\
     fold(\\s, v => (s.0 + v, s.1 + v * v), (0.0, 0.0), x)",
    "def f(w: Real, x: [n]Real): Int = n",
    "def f(w: Real, x: [n]Real): Int = 3 * n",
    "def f(w: Real, x: [n]Real): (Real, Int) = (sum(x), length(x))",
    "def f(w: Real, x: [n]Real): Pair = Pair { a: sum(x), b: w * real(n) }",
    "def f(w: Real, x: [n]Real): Real = grad(\\v => sum(x * v * v))(w)",
    "def f(w: Real, x: [n]Real): (Real, Real) = value_and_grad(\\v => sum(sin(x * v)))(w)",
    "def f(w: Real, x: [n]Real): Real = if w > 0.0 then sum(x) else 0.0",
    "def f(w: Real, x: [n]Real): [3]Real = build j < 3 => sum(build i < n => x[i] * real(j))",
    "def f(w: Real, x: [n]Real): Real =\n\
     sum(build i < n => iterate(3, \\s => s * x[i] + w, 1.0))",
    "def f(w: Real, x: [n]Real): Real =\n\
     sum(build i < n => while(\\s => s > 1.0, \\s => s / 2.0, x[i]))",
    "def f(w: Real, x: [n]Real): Real = sum(build i < n => sum(build j < 4 => x[i] ** real(j)))",
    "def f(w: Real, x: [n]Real): Real = iterate(3, \\s => s * w + sum(x), sum(x))",
    "def f(w: Real, x: [n]Real): Real = iterate(3, \\s => s * w + sum(x), 0.0)",
    "def f(w: Real, x: [n]Real): Int = count(build i < n => x[i] > w)",
    "def power(n: Int, x: Real): Real = if n == 0 then 1.0 else x * power(n - 1, x)\n\
     def f(w: Real, x: [n]Real): Real = sum(build i < n => power(3, x[i]))",
    "def of(k: Kind, v: Real): Real = match k { Flat => 1.0, Steep(s) => s * v }\n\
     def f(w: Real, x: [n]Real): Real =\n\
     sum(build i < n => of(if x[i] > w then Flat else Steep(w), x[i]))",
    "def total(x: [m]Real): Real = sum(x)\n\
     def f(w: Real, x: [n]Real): Real = total(build i < n => w * x[i])",
    "def f(w: Real, x: [n]Real): Real = sum(transpose(build j < 2, i < n => x[i] + real(j)))[0]",
];

/// Definitions that are not, with what is pointed at and a part of what is said.
const MIXED: &[(&str, &str, &str)] = &[
    ("def f(w: Real, x: [n]Real): Real = mean(x)", "mean(x)", "after `div`"),
    ("def f(w: Real, x: [n]Real): Real = sum(x) / real(n)", "sum(x) / real(n)", "after `div`"),
    ("def f(w: Real, x: [n]Real): Real = sum(x) + w * w", "sum(x) + w * w", "once for each"),
    ("def f(w: Real, x: [n]Real): Real = exp(sum(x))", "exp(sum(x))", "after `exp`"),
    ("def f(w: Real, x: [n]Real): Real = sum(x) * sum(x)", "sum(x) * sum(x)", "after `mul`"),
    ("def f(w: Real, x: [n]Real): Real = maximum(x)", "maximum(x)", "the greatest"),
    ("def f(w: Real, x: [n]Real): Real = product(x)", "product(x)", "a product"),
    ("def f(w: Real, x: [n]Real): Real = x[0]", "x[0]", "other than the one at hand"),
    (
        "def f(w: Real, x: [n]Real): Real = sum(build i < n => x[i] * real(i))",
        "real(i)",
        "the number of a row",
    ),
    ("def f(w: Real, x: [n]Real): Real = sum(build i < n => x[n - 1 - i])", "n - 1", ""),
    (
        "def f(w: Real, x: [n]Real): Real = sum(sum(build i < n, j < n => x[i] * x[j]))",
        "build i < n, j < n => x[i] * x[j]",
        "other than the one at hand",
    ),
    (
        "def f(w: Real, x: [n]Real): Real = sum(build i < n => sum(build j < n => x[i] * x[j]))",
        "build i < n => sum(build j < n => x[i] * x[j])",
        "other than the one at hand",
    ),
    (
        "def f(w: Real, x: [n]Real): Real = sum(build i < n - 1 => x[i + 1] - x[i])",
        "build i < n - 1 => x[i + 1] - x[i]",
        "part of another size",
    ),
    ("def f(w: Real, x: [n]Real): Real = fold(\\s, v => s * 0.5 + v, 0.0, x)", "s * 0.5", "`mul`"),
    ("def f(w: Real, x: [n]Real): Real = fold(\\s, v => v, 0.0, x)", "fold", "this state"),
    ("def f(w: Real, x: [n]Real): Real = fold(\\s, v => s + v, w, x)", "fold", "once for each"),
    (
        "def f(w: Real, x: [n]Real): (Real, Real) = fold(\\s, v => (s.1 + v, s.0), (0.0, 0.0), x)",
        "fold",
        "this state",
    ),
    ("def f(w: Real, x: [n]Real): Real = sum(cumsum(x))", "cumsum(x)", "beside one another"),
    ("def f(w: Real, x: [n]Real): Real = sum(sort(x)) ", "sort(x)", "beside one another"),
    (
        "def f(w: Real, x: [n]Real): Real = if sum(x) > 0.0 then sum(x) else 0.0",
        "sum(x) > 0.0",
        "after `gt`",
    ),
    ("def f(w: Real, x: [n]Real): Real = variance(x)", "variance(x)", ""),
    ("def f(w: Real, x: [n]Real): Int = n * n", "n * n", ""),
    ("def f(w: Real, x: [n]Real): Int = n / 2", "n / 2", "after `div`"),
    (
        "def inner(x: [m]Real): Real = sum(x) * sum(x)\n\
         def f(w: Real, x: [n]Real): Real = w * inner(x)",
        "sum(x) * sum(x)",
        "after `mul`",
    ),
];

#[test]
fn sums_are_accepted_and_are_the_sum_of_shards() {
    let x: Vec<f64> = (0..7).map(|it| f64::from(it) * 0.75 - 1.0).collect();
    let mut wrong = Vec::new();
    for text in SUMS {
        let text = format!("{DATA}{text}\n");
        let compiled = Compiler::new(Options::default()).compile("f.cot", &text);
        let (lines, errors) = compiled.expect(&text).additive("f.x");
        if lines != ["`f` is additive over `x`"] {
            wrong.push(format!("{text}{}", errors.render(cotan::Style::Plain)));
            continue;
        }
        let f = Program::new(&text).expect(&text).function("f").expect(&text);
        let at = |part: &[f64]| numbers(&f.call((1.5, part)).expect(&text).to_text());
        let whole = at(&x);
        for cuts in [vec![3], vec![0, 7], vec![1, 2, 5, 5]] {
            let mut bounds = cuts.clone();
            bounds.insert(0, 0);
            bounds.push(7);
            let parts = bounds.windows(2).map(|it| at(&x[it[0]..it[1]]));
            let sum = parts.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect()).unwrap();
            for (a, b) in whole.iter().zip(&sum) {
                assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{text}{whole:?} {sum:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of a printed value.
fn numbers(text: &str) -> Vec<f64> {
    let is_number = |it: char| it.is_ascii_digit() || ".-+e".contains(it);
    let words = text.split(|it| !is_number(it)).filter_map(|it| it.parse().ok());
    words.collect()
}

#[test]
fn what_mixes_shards_is_refused_at_its_statement() {
    let mut wrong = Vec::new();
    for (text, place, said) in MIXED {
        let text = format!("{DATA}{text}\n");
        let compiled = Compiler::new(Options::default()).compile("f.cot", &text);
        let (_, errors) = compiled.expect(&text).additive("f.x");
        let shown = errors.render(cotan::Style::Plain);
        let before = &text[..text.find(place).expect(place)];
        let line = before.matches('\n').count() + 1;
        let at = format!("f.cot:{line}:{}", before.len() - before.rfind('\n').unwrap());
        for wanted in ["[E0514]: `f` is not additive over `x`", said, &at] {
            if !shown.contains(wanted) {
                wrong.push(format!("`{wanted}` is not in\n{text}{shown}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_are_said_to_be_rows() {
    let text = "def r(w: [k]Real, x: [n][k]Real, y: [n]Real): [n]Real = matvec(x, w) - y\n\
                def f(w: [k]Real, x: [n][k]Real, y: [n]Real): Real = { let v = r(w, x, y); dot(v, v) }\n\
                def g(x: Real): Real = x\n";
    let compiled = Compiler::new(Options::default()).compile("f.cot", text).unwrap();
    let (lines, errors) = compiled.additive("x");
    assert!(errors.is_empty());
    assert_eq!(lines, ["`r` gives a row for each row of `x`", "`f` is additive over `x`"]);
    let (lines, errors) = compiled.additive("w");
    assert!(lines.is_empty());
    assert!(errors.render(cotan::Style::Plain).contains("E0514"));
    let (_, errors) = compiled.additive("z");
    assert!(errors.render(cotan::Style::Plain).contains("[E0620]"));
    let (_, errors) = compiled.additive("g.x");
    assert!(errors.render(cotan::Style::Plain).contains("no array with rows"));
}
