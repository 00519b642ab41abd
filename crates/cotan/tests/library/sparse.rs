//! Sparse Jacobians and Hessians: entries known by hand, and the same as the dense ones by every method.

use cotan::{Argument, Backend, Data, Options, Precision, Program, Shaped, Sparse, Via};

use crate::library::message;

const TEXT: &str = "
    type Pair<n> = { a: [n]Real, b: Real }
    data Shape = Circle(Real) | Dot
    def band(x: [n]Real): [n]Real =
      build i < n => if i == 0 then x[0] else x[i] * x[i - 1] + sin(x[i])
    def arrow(x: [n]Real): [n]Real = build i < n => if i == 0 then sum(x * x) else x[i] * x[i]
    def gathered(x: [n]Real, k: [m]Int): [m]Real = build i < m => x[k[i]] * x[k[i]] + x[0]
    def branching(x: [n]Real): [n]Real =
      build i < n => if x[0] > 0.0 then x[i] else x[0] * x[n - 1 - i]
    def matrix(w: [n][m]Real): ([n]Real, Real) = (map(sum, w * w), w[0, 0])
    def record(p: Pair<n>): [n]Real = p.a * p.b
    def pairs(p: [n](Real, Real)): [n](Real, Real) = map(\\(a, b) => (a * b, b), p)
    def both(x: [n]Real, k: Int, y: [n]Real): [n]Real = build i < n => x[i] * y[(i + k) % n]
    def nothing(x: [n]Real): [2]Real = [0.0, 1.0]
    def energy(x: [n]Real): Real = x[0] * sum(x * x) + sum(map(\\e => e ** 4.0, x))
    def chain(x: [n+1]Real): Real = sum(build i < n => (x[i + 1] - x[i]) ** 4.0)
    def masked(x: [n]Real): Real =
      sum(build i < n => if i == 0 then 0.0 else x[i] * x[i - 1] * x[i - 1])
    def table(w: [n][m]Real): Real = w[0, 1] * sum(map(sum, w * w))
    def area(s: Shape): [1]Real = match s { Circle(r) => [r * r], Dot => [0.0] }
    def seeds0(at: [n]Real, length: [n]Real): [n]Real = at * length
";

fn program(options: Options) -> Program {
    Program::with_options("sparse.cot", TEXT, options).unwrap()
}

fn interpreted() -> Program {
    program(Options { backend: Backend::Interp, ..Options::default() })
}

fn reals(name: &str, data: &[f64]) -> Argument {
    Argument::reals(name, &[data.len()], data)
}

#[track_caller]
fn same(found: &Sparse, expected: &[Vec<f64>], accuracy: f64) {
    assert_eq!(found.starts.len(), expected.len() + 1);
    assert_eq!(found.starts.last(), Some(&found.values.len()));
    for (row, expected) in expected.iter().enumerate() {
        let (columns, _) = found.row(row);
        assert!(columns.windows(2).all(|it| it[0] < it[1]), "row {row}: {columns:?}");
        let dense = &found.to_dense()[row];
        assert_eq!(dense.len(), expected.len());
        for (it, expected) in dense.iter().zip(expected) {
            let error = (it - expected).abs();
            assert!(error <= accuracy * (1.0 + expected.abs()), "{dense:?} {expected:?}");
        }
    }
}

/// What the entries are, by hand.
fn band(x: &[f64]) -> Vec<Vec<f64>> {
    let n = x.len();
    let entry = |i: usize, j: usize| match (i, j) {
        (0, 0) => 1.0,
        (i, j) if i > 0 && j == i => x[i - 1] + x[i].cos(),
        (i, j) if i > 0 && j + 1 == i => x[i],
        _ => 0.0,
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

#[test]
fn every_method_and_back_end_gives_the_same_entries() {
    let x = [0.3, -0.5, 0.7, 1.1, 0.2];
    for via in Via::all() {
        for (backend, precision, accuracy) in [
            (Backend::Interp, Precision::F64, 1e-14),
            (Backend::Auto, Precision::F64, 1e-14),
            (Backend::Interp, Precision::F32, 1e-6),
        ] {
            let program = program(Options { via, backend, precision, ..Options::default() });
            let jacobian = program.function("band").unwrap().sparse_jacobian();
            for n in [5, 1, 0, 3] {
                let found = jacobian.call((&x[..n],));
                let found = found.unwrap_or_else(|it| panic!("{via:?} {}", message(&it)));
                same(&found, &band(&x[..n]), accuracy);
                assert_eq!(found.values.len(), (2 * n).saturating_sub(1));
            }
        }
    }
}

#[test]
fn both_directions_and_nothing_at_all() {
    let program = interpreted();
    let jacobian = |name: &str| program.function(name).unwrap().sparse_jacobian();
    let arrow = jacobian("arrow").call(([1.0, 2.0, 3.0],)).unwrap();
    let expected = [vec![2.0, 4.0, 6.0], vec![0.0, 4.0, 0.0], vec![0.0, 0.0, 6.0]];
    same(&arrow, &expected, 1e-14);
    assert_eq!(arrow.values.len(), 5);
    let nothing = jacobian("nothing").call(([1.0, 2.0],)).unwrap();
    assert_eq!((&nothing.starts[..], nothing.n_columns), (&[0, 0, 0][..], 2));
    assert!(nothing.values.is_empty());
}

#[test]
fn positions_and_branches_may_change_between_calls() {
    let program = interpreted();
    let gathered = program.function("gathered").unwrap().sparse_jacobian();
    let x = [0.3, -0.5, 0.7];
    for k in [vec![0, 0, 2], vec![2, 1, 0], vec![1, 1, 1], vec![]] {
        let found = gathered.call((&x, &k)).unwrap();
        let row = |it: &i64| {
            let mut row = vec![0.0; 3];
            row[*it as usize] += 2.0 * x[*it as usize];
            row[0] += 1.0;
            row
        };
        same(&found, &k.iter().map(row).collect::<Vec<Vec<f64>>>(), 1e-14);
    }
    let branching = program.function("branching").unwrap().sparse_jacobian();
    let unit = [vec![1.0, 0.0], vec![0.0, 1.0]];
    same(&branching.call(([1.0, 2.0],)).unwrap(), &unit, 0.0);
    // The rows are x0 x1 and x0 x0.
    let other = [vec![2.0, -1.0], vec![-2.0, 0.0]];
    same(&branching.call(([-1.0, 2.0],)).unwrap(), &other, 0.0);
    same(&branching.call(([1.0, 2.0],)).unwrap(), &unit, 0.0);
}

#[test]
fn arguments_and_results_of_any_form_but_sum_types() {
    let program = interpreted();
    let jacobian = |name: &str| program.function(name).unwrap().sparse_jacobian();
    let w = Shaped::new(&[2, 3], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let expected = [
        vec![0.0, 2.0, 4.0, 0.0, 0.0, 0.0],
        vec![0.0, 0.0, 0.0, 6.0, 8.0, 10.0],
        vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ];
    same(&jacobian("matrix").call((w,)).unwrap(), &expected, 1e-14);
    let fields = vec![reals("a", &[1.0, 2.0]), Argument::real("b", 3.0)];
    let found = jacobian("record").call([Argument::parts("p", fields)]).unwrap();
    same(&found, &[vec![3.0, 0.0, 1.0], vec![0.0, 3.0, 2.0]], 1e-14);
    // Part by part: rows a b of both, then b of both; columns alike.
    let pairs = Argument::parts("p", vec![reals("0", &[1.0, 2.0]), reals("1", &[3.0, 4.0])]);
    let expected = [
        vec![3.0, 0.0, 1.0, 0.0],
        vec![0.0, 4.0, 0.0, 2.0],
        vec![0.0, 0.0, 1.0, 0.0],
        vec![0.0, 0.0, 0.0, 1.0],
    ];
    same(&jacobian("pairs").call([pairs]).unwrap(), &expected, 1e-14);
    let circle = Data::Constructor("Circle".into(), vec![Data::Real(2.0)]);
    let refused = jacobian("area").call((circle,)).unwrap_err();
    assert_eq!(refused.codes(), ["E0638"], "{}", message(&refused));
}

#[test]
fn by_some_parameters_or_by_all_that_have_reals() {
    let program = interpreted();
    let both = program.function("both").unwrap();
    let (x, y) = ([2.0, 3.0], [5.0, 7.0]);
    let all = [vec![7.0, 0.0, 0.0, 2.0], vec![0.0, 5.0, 3.0, 0.0]];
    same(&both.sparse_jacobian().call((x, 1, y)).unwrap(), &all, 1e-14);
    let by_y = [vec![0.0, 2.0], vec![3.0, 0.0]];
    same(&both.wrt(["y"]).sparse_jacobian().call((x, 1, y)).unwrap(), &by_y, 1e-14);
    for (wrt, said) in [("k", "has no reals"), ("z", "`z`")] {
        let refused = both.wrt([wrt]).sparse_jacobian().call((x, 1, y)).unwrap_err();
        assert!(message(&refused).contains(said), "{}", message(&refused));
    }
    // Names that the made text uses itself.
    let found = program.function("seeds0").unwrap().sparse_jacobian().call((x, y)).unwrap();
    same(&found, &[vec![5.0, 0.0, 2.0, 0.0], vec![0.0, 7.0, 0.0, 3.0]], 1e-14);
}

#[test]
fn hessians_are_symmetric_to_the_entry() {
    let program = interpreted();
    let x = [0.5, -1.0, 2.0, 0.25];
    let energy = program.function("energy").unwrap().sparse_hessian().call((x,)).unwrap();
    // d2/dxi dxj of x0 |x|^2 + sum x^4.
    let entry = |i: usize, j: usize| match (i, j) {
        (0, 0) => 6.0 * x[0] + 12.0 * x[0] * x[0],
        (0, k) | (k, 0) => 2.0 * x[k],
        (i, j) if i == j => 2.0 * x[0] + 12.0 * x[i] * x[i],
        _ => 0.0,
    };
    let expected: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| entry(i, j)).collect()).collect();
    same(&energy, &expected, 1e-13);
    assert_eq!(energy.values.len(), 10);
    let chain = program.function("chain").unwrap().sparse_hessian().call((x,)).unwrap();
    let curve = |i: usize| 12.0 * (x[i + 1] - x[i]).powi(2);
    let entry = |i: usize, j: usize| match (i, j) {
        (i, j) if i == j => {
            [i.checked_sub(1), (i < 3).then_some(i)].iter().flatten().map(|k| curve(*k)).sum()
        }
        (i, j) if i.abs_diff(j) == 1 => -curve(i.min(j)),
        _ => 0.0,
    };
    let expected: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| entry(i, j)).collect()).collect();
    same(&chain, &expected, 1e-13);
    assert_eq!(chain.values.len(), 10);
}

/// Nothing is read where the condition does not hold, and nothing is added there.
#[test]
fn hessians_of_what_is_read_under_a_condition() {
    let program = interpreted();
    let x = [2.0, 3.0, 5.0];
    let masked = program.function("masked").unwrap().sparse_hessian();
    let found = masked.call((x,)).unwrap();
    // x1 x0^2 + x2 x1^2
    let expected = [vec![6.0, 4.0, 0.0], vec![4.0, 10.0, 6.0], vec![0.0, 6.0, 0.0]];
    same(&found, &expected, 1e-13);
    assert_eq!(found.columns[..], [0, 1, 0, 1, 2, 1]);
    // A band of three diagonals without the last element of the middle one, and nothing of nothing.
    for (n, n_entries) in [(0, 0), (1, 0), (2, 3), (100, 297)] {
        let x: Vec<f64> = (0..n).map(|it| 1.0 + f64::from(it)).collect();
        assert_eq!(masked.call((x,)).unwrap().values.len(), n_entries, "{n}");
    }
    // w01 (w00^2 + w01^2), whose gradient adds at two indices.
    let w = Shaped::new(&[1, 2], vec![2.0, 3.0]);
    let found = program.function("table").unwrap().sparse_hessian().call((w,)).unwrap();
    same(&found, &[vec![6.0, 4.0], vec![4.0, 18.0]], 1e-13);
}

/// What a program calls like a builtin is its own; derivatives are made with the builtin all the same.
#[test]
fn definitions_may_be_called_like_builtins() {
    let text = "
        def length(x: [n]Real): Real = sqrt(sum(x * x))
        def jvp(x: Real): Real = x
        def vjp(x: Real): Real = x
        def grad(x: Real): Real = 2.0 * x
        def jacobian(x: Real): Real = grad(x)
        def grad_(x: Real): Real = x
        def f(x: [n]Real): [n]Real = build i < n => grad(x[i]) * x[0]
        def g(x: [n]Real): Real = length(x) * length(x)
        def sums(x: [n]Real): [n]Real = scan(\\a, b => a + b, 0.0, x)
    ";
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("hidden.cot", text, options).unwrap();
    let of = |name: &str| program.function(name).unwrap();
    let x = [3.0, 4.0];
    // 2 xi x0
    let expected = [vec![12.0, 0.0], vec![8.0, 6.0]];
    same(&of("f").sparse_jacobian().call((x,)).unwrap(), &expected, 1e-13);
    assert_eq!(of("f").jacobian().call((x,)).unwrap().to_text(), "[[12.0, 0.0], [8.0, 6.0]]");
    let sums = of("sums").sparse_jacobian().call((x,)).unwrap();
    assert_eq!((&sums.columns[..], &sums.values[..]), (&[0, 0, 1][..], &[1.0; 3][..]));
    let hessian = of("g").sparse_hessian().call((x,)).unwrap();
    same(&hessian, &[vec![2.0, 0.0], vec![0.0, 2.0]], 1e-13);
    let gradient: Vec<f64> = of("g").grad().call((x,)).unwrap().get().unwrap();
    assert!((gradient[0] - 6.0).abs() < 1e-14 && (gradient[1] - 8.0).abs() < 1e-14);
    // Texts of the user mean what the user wrote.
    let own = program.expression("\\x => grad(x) * x").unwrap();
    assert_eq!(own.call((3.0,)).unwrap().as_real(), Some(18.0));
    assert_eq!(own.grad().call((3.0,)).unwrap().as_real(), Some(12.0));
}

/// The size of a result may be a number that is given.
#[test]
fn jacobians_of_results_as_long_as_a_parameter_says() {
    let text = "def f(x: [n]Real, k: Int): [k]Real = build i < k => x[i] * x[i]";
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("long.cot", text, options).unwrap();
    let f = program.function("f").unwrap();
    for (k, expected) in [(0, "[]"), (1, "[[4.0, 0.0]]"), (2, "[[4.0, 0.0], [0.0, 6.0]]")] {
        let found = f.jacobian().call(([2.0, 3.0], k)).unwrap();
        assert_eq!(found.to_text(), expected);
        let sparse = f.sparse_jacobian().call(([2.0, 3.0], k)).unwrap();
        assert_eq!((sparse.n_rows(), sparse.n_columns), (k as usize, 2));
    }
}

#[test]
fn derivatives_have_sparse_jacobians_too() {
    let program = interpreted();
    let gradient = program.function("chain").unwrap().grad();
    let found = gradient.sparse_jacobian().call(([0.0, 1.0],)).unwrap();
    same(&found, &[vec![12.0, -12.0], vec![-12.0, 12.0]], 1e-13);
}
