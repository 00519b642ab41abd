//! Jacobians that are known element by element: the same as by colours, and found without them.

use cotan::{Argument, Backend, Compiler, Options, Precision, Program, Shaped, Sparse, Via};

use crate::library::message;

fn options() -> Options {
    Options { backend: Backend::Interp, ..Options::default() }
}

/// The sparse Jacobian of `f`, which is compared with the dense one of the same program, column by column.
#[track_caller]
fn checked(text: &str, arguments: &[Argument], n_entries: usize) -> Sparse {
    let program = Program::with_options("elements.cot", text, options()).unwrap();
    let f = program.function("f").unwrap();
    let found = f.sparse_jacobian().call(arguments);
    let found = found.unwrap_or_else(|it| panic!("{text}\n{}", message(&it)));
    let pattern = f.sparse_jacobian().pattern(arguments).unwrap();
    assert_eq!(pattern.starts(), &found.starts[..]);
    // Directions, one at a time.
    let mut compiled = Compiler::new(options()).compile("elements.cot", text).unwrap();
    let by_run = compiled.sparsity("f", arguments, &[]).unwrap();
    assert_eq!(by_run.n_columns(), found.n_columns, "{text}");
    assert_eq!(by_run.parameters, pattern.parameters, "{text}");
    for row in 0..found.n_rows() {
        let (columns, _) = found.row(row);
        assert!(columns.windows(2).all(|it| it[0] < it[1]), "{text}: {columns:?}");
        assert!(by_run.row(row).iter().all(|it| columns.contains(it)), "{text}: row {row}");
    }
    assert_eq!(found.values.len(), n_entries, "{text}");
    found
}

fn reals(name: &str, data: &[f64]) -> Argument {
    Argument::reals(name, &[data.len()], data)
}

#[test]
fn elements_read_a_few_elements() {
    let x = [reals("x", &[2.0, 3.0, 5.0])];
    let each = "def f(x: [n]Real): [n]Real = map(\\e => e * e, x)";
    assert_eq!(checked(each, &x, 3).values, [4.0, 6.0, 10.0]);
    let whole = "def f(x: [n]Real): [n]Real = x * x + 1.0";
    assert_eq!(checked(whole, &x, 3).values, [4.0, 6.0, 10.0]);
    let near = "def f(x: [n+1]Real): [n]Real = x[1..n + 1] - x[0..n] * x[0..n]";
    assert_eq!(checked(near, &x, 4).values, [-4.0, 1.0, -6.0, 1.0]);
    // Both are read at once, in an order that only running tells.
    let turned = "def f(x: [n]Real): [n]Real = build i < n => x[n - 1 - i] * x[i]";
    assert_eq!(checked(turned, &x, 5).values, [5.0, 2.0, 6.0, 5.0, 2.0]);
    let first = "def f(x: [n]Real): [n]Real = { let a = x[0]; build i < n => a * x[i] }";
    assert_eq!(checked(first, &x, 5).values, [4.0, 3.0, 2.0, 5.0, 2.0]);
    let twice = "def f(x: [n]Real): [n]Real = { let y = x * x; build i < n => y[i] * y[0] }";
    assert_eq!(checked(twice, &x, 5).values, [32.0, 36.0, 24.0, 100.0, 40.0]);
    let both = "def f(x: [n]Real): [2*n]Real = concat(x * x, build i < n => x[0])";
    assert_eq!(checked(both, &x, 6).values, [4.0, 6.0, 10.0, 1.0, 1.0, 1.0]);
}

#[test]
fn reads_in_branches_are_not_there_where_the_branch_is_not_taken() {
    let x = [reals("x", &[2.0, 3.0, 5.0])];
    let band = "def f(x: [n]Real): [n]Real =
          build i < n => if i == 0 then x[0] else x[i] * x[i - 1]";
    assert_eq!(checked(band, &x, 5).values, [1.0, 3.0, 2.0, 5.0, 3.0]);
    let edges = "def f(x: [n]Real): [n]Real =
          build i < n => (if i == 0 then 0.0 else x[i - 1]) + (if i == n - 1 then 0.0 else x[i + 1])";
    assert_eq!(checked(edges, &x, 4).values, [1.0; 4]);
}

#[test]
fn positions_are_data_and_may_be_the_same() {
    let text = "def f(x: [n]Real, k: [m]Int, l: [m]Int): [m]Real =
          build i < m => x[k[i]] * x[l[i]]";
    let ints = |name: &str, text: &str| Argument::json(name, text);
    let x = reals("x", &[2.0, 3.0, 5.0]);
    let found = checked(text, &[x.clone(), ints("k", "[2,0,1]"), ints("l", "[0,0,2]")], 5);
    // 5 2, 2 2, 3 5: the second is a square.
    assert_eq!(found.columns[..], [0, 2, 0, 1, 2]);
    assert_eq!(found.values, [5.0, 2.0, 4.0, 5.0, 3.0]);
    checked(text, &[x, ints("k", "[]"), ints("l", "[]")], 0);
    let program = Program::with_options("elements.cot", text, options()).unwrap();
    let jacobian = program.function("f").unwrap().sparse_jacobian();
    let mut found = Sparse::default();
    for (k, columns) in [([0, 1], [0, 1]), ([1, 2], [1, 2]), ([0, 1], [0, 1])] {
        jacobian.call_into(([1.0, 1.0, 1.0], k, k), &mut found).unwrap();
        assert_eq!((&found.columns[..], &found.values[..]), (&columns[..], &[2.0, 2.0][..]));
    }
    // A position that is not there is the fault of the program, and is said as such.
    let wrong = jacobian.call(([1.0], [4], [0])).unwrap_err();
    assert_eq!(wrong.codes(), ["E0601"], "{}", message(&wrong));
}

#[test]
fn rows_and_numbers_of_several_parameters() {
    let text = "def f(a: [n][2]Real, k: [m]Int, s: Real, w: [m]Real): ([m][2]Real, [m]Real) = (
          build i < m => a[k[i]] * w[i] * s,
          build i < m => w[i] * w[i],
        )";
    let arguments = [
        Argument::reals("a", &[2, 2], &[2.0, 3.0, 5.0, 7.0]),
        Argument::json("k", "[1,0]"),
        Argument::real("s", 11.0),
        reals("w", &[13.0, 17.0]),
    ];
    // Rows of a row of a: both of its numbers are read, also where one is not needed.
    let found = checked(text, &arguments, 18);
    let expected = [
        [0.0, 0.0, 143.0, 0.0, 65.0, 55.0, 0.0],
        [0.0, 0.0, 0.0, 143.0, 91.0, 77.0, 0.0],
        [187.0, 0.0, 0.0, 0.0, 34.0, 0.0, 22.0],
        [0.0, 187.0, 0.0, 0.0, 51.0, 0.0, 33.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 26.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 34.0],
    ];
    assert_eq!(found.to_dense(), expected);
}

#[test]
fn every_method_back_end_and_precision() {
    let text = "def f(x: [n]Real, k: [m]Int): [m]Real =
          build i < m => if k[i] == 0 then sin(x[0]) else x[k[i]] * x[k[i] - 1]";
    let expected = [2.0f64.cos(), 5.0, 3.0];
    for via in Via::all() {
        for (backend, precision, accuracy) in [
            (Backend::Interp, Precision::F64, 1e-15),
            (Backend::Auto, Precision::F64, 1e-15),
            (Backend::Interp, Precision::F32, 1e-6),
            (Backend::Auto, Precision::F32, 1e-6),
        ] {
            let options = Options { via, backend, precision, ..Options::default() };
            let program = Program::with_options("elements.cot", text, options).unwrap();
            let jacobian = program.function("f").unwrap().sparse_jacobian();
            let found = jacobian.call(([2.0, 3.0, 5.0], [0, 2])).unwrap();
            assert_eq!(found.columns[..], [0, 1, 2]);
            let close =
                |(it, expected): (&f64, &f64)| (it - expected).abs() <= accuracy * expected.abs();
            assert!(found.values.iter().zip(&expected).all(close), "{via:?} {found:?}");
        }
    }
}

#[test]
fn what_is_not_made_of_elements_takes_the_other_way() {
    let x = [reals("x", &[2.0, 3.0, 5.0])];
    let sums = "def f(x: [n]Real): [n]Real = scan(\\a, b => a + b, 0.0, x)";
    assert_eq!(checked(sums, &x, 6).values, [1.0; 6]);
    let by_value = "def f(x: [n]Real): [n]Real = build i < n => if x[i] > 2.5 then x[0] else x[i]";
    assert_eq!(checked(by_value, &x, 3).columns[..], [0, 0, 0]);
    let loops =
        "def f(x: [n][2]Real): [n]Real = build i < n => sum(build j < 2 => x[i, j] * x[i, j])";
    let x = [Argument::reals("x", &[1, 2], &[2.0, 3.0])];
    assert_eq!(checked(loops, &x, 2).values, [4.0, 6.0]);
    let shaped = Shaped::new(&[0, 2], Vec::<f64>::new());
    let program = Program::with_options("elements.cot", loops, options()).unwrap();
    let found = program.function("f").unwrap().sparse_jacobian().call((shaped,)).unwrap();
    assert_eq!((found.n_rows(), found.n_columns), (0, 0));
}
