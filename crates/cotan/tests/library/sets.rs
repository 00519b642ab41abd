//! Patterns of Jacobians by method `chad`, whose (co)tangents are sets: forward they are rows, in reverse columns.
//! Numbers known by hand are in `patterns.rs`; random programs are compared with the tape in
//! `crates/generate/tests/laws/sparsity.rs`.

use std::sync::Arc;

use ad::chad::{Way, dependence};
use base::Name;
use cotan::dev::{Part, passes_of_source};
use cotan::{Argument, Compiler, Options};
use eval::{Array, Evaluator, Limits, Mode, NoDerivatives, Pattern, Precision, Value};
use ir::Program;

/// Programs of an array of four reals, and the pipeline that brings them into first order.
const PROGRAMS: &[(&str, &str)] = &[
    ("before_sets", "def f(x: [n]Real): [n]Real = map(\\e => sin(e) * e, x)"),
    ("before_sets", "def f(x: [4]Real): [3]Real = build i < 3 => x[i] * x[i + 1]"),
    ("before_sets", "def f(x: [n]Real): [n]Real = scan(\\a, b => a * b, 1.0, x)"),
    ("before_sets", "def f(x: [n]Real): Real = product(x)"),
    ("before_sets", "def f(x: [n]Real): Real = maximum(x) * x[0]"),
    ("before_sets", "def f(x: [n]Real): [n]Real = sort(0.0 - x)"),
    ("before_sets", "def f(x: [n]Real): [n]Real = map(\\e => floor(e) + stop_gradient(e), x)"),
    (
        "before_sets",
        "def f(x: [n]Real): [n]Real = map(\\e => if e > 1.0 then e * x[0] else x[3], x)",
    ),
    (
        "before_sets",
        "def f(x: [n]Real): Real =
           while(\\p => p.1 < 3, \\p => (p.0 + x[p.1] * p.0, p.1 + 1), (1.0, 0)).0",
    ),
    (
        "before_sets",
        "def f(x: [n]Real): Real = g(x, 2)
         def g(x: [n]Real, i: Int): Real = if i == 0 then x[3] else x[i] * g(x, i - 1)",
    ),
    (
        "before_sets",
        "def last(xs: List<Real>): Real =
           match xs { Nil => 0.0, Cons(x, Nil) => x * x, Cons(_, rest) => last(rest) }
         def f(x: [4]Real): (Real, Real) = (last(Cons(x[0], Cons(x[2], Nil))), x[1])",
    ),
    (
        "before_sets",
        "def each(fs: List<Real -> Real>, a: Real): (Real, Real) = match fs {
           Cons(f, Cons(g, _)) => (g(a), f(a)),
           _ => (0.0, 0.0),
         }
         def f(x: [4]Real): (Real, Real) =
           each(Cons(\\a => a * a, Cons(\\a => a + x[1], Nil)), x[0])",
    ),
    (
        "mixed",
        "def valley(x: [4]Real): Real =
           sum(build i < 3 => 100.0 * (x[i + 1] - x[i] * x[i]) ** 2.0 + (1.0 - x[i]) ** 2.0)
         def f(x: [4]Real): [4]Real = grad(valley)(x)",
    ),
];

fn rows(pattern: &Pattern) -> Vec<Vec<u32>> {
    let rows = pattern.starts.windows(2);
    rows.map(|it| pattern.columns[it[0]..it[1]].to_vec()).collect()
}

/// An evaluator of the definition that moves sets, and its name.
fn moving(program: &Program, way: Way) -> (Evaluator, Name) {
    let (made, name) = dependence(program, &Name::new("f"), &[true], way)
        .unwrap_or_else(|it| panic!("{}", it.reason));
    ir::verify(&made, ir::Dialect::Delta).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (evaluator(made), name)
}

fn evaluator(program: Program) -> Evaluator {
    let limits = Limits { memory: 1 << 28, precision: Precision::F64, mode: Mode::Reverse };
    Evaluator::new(Arc::new(program), Box::new(NoDerivatives), limits)
}

#[test]
fn sets_that_go_forward_and_sets_that_go_back_say_the_same() {
    for (pipeline, text) in PROGRAMS {
        let compiler = Compiler::new(Options::default());
        let mut compiled = compiler.compile("sets.cot", text).unwrap();
        let part = Part::named(pipeline).unwrap();
        let flat = passes_of_source(&compiled, Some("f"), &[part], &mut |_| {}).unwrap();
        let program: Program = flat.parse().unwrap();
        let data = vec![0.5, 1.5, 2.5, 3.5];
        let x = [Value::array(Array::reals(data.clone()))];
        let sizes = vec![4; program.defs[&Name::new("f")].size_params.len()];
        let n_results = program.defs[&Name::new("f")].results.len();

        let (mut forward, name) = moving(&program, Way::Forward);
        let found = forward.sets((&name, n_results), &sizes, &x, &x).unwrap();
        assert_eq!(found.inputs, [4], "{text}");

        let results = evaluator(program.clone()).call(&Name::new("f"), &sizes, x.to_vec());
        let (mut reverse, name) = moving(&program, Way::Reverse);
        let columns = reverse.sets((&name, n_results), &sizes, &x, &results.unwrap()).unwrap();
        let columns = rows(&columns);
        assert_eq!(columns.len(), 4, "{text}");
        for (row, set) in (0u32..).zip(rows(&found)) {
            let holding = (0u32..).zip(&columns).filter(|it| it.1.contains(&row));
            let transposed: Vec<u32> = holding.map(|it| it.0).collect();
            assert_eq!(set, transposed, "{text}, row {row}");
        }

        // And so says the library.
        let argument = Argument::owned_reals("x", &[4], data);
        let said = compiled.sparsity("f", &[argument], &[]).unwrap();
        assert_eq!((said.starts(), said.columns()), (&found.starts[..], &found.columns[..]));
    }
}
