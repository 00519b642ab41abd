//! Patterns of Jacobians, known by hand; random ones are in `crates/generate/tests/laws/sparsity.rs`.

use cotan::{Argument, Compiler, Options, Via};

use crate::common::choices;
use crate::library::message;

/// The pattern of a definition: for each real of the result the numbers of the reals it depends on.
fn pattern(text: &str, arguments: &[Argument], wrt: &[&str]) -> Vec<Vec<u32>> {
    let mut rows = Vec::new();
    // By `tape` derivatives inside are recorded as wholes; by `auto` they are resolved before.
    for via in [Via::Auto, Via::Bulk] {
        let options = Options { via, ..Options::default() };
        let mut program = Compiler::new(options).compile("pattern.cot", text).unwrap();
        let found = program.sparsity("f", arguments, wrt);
        let found = found.unwrap_or_else(|it| panic!("{text}\n{}", message(&it)));
        rows = (0..found.n_rows()).map(|it| found.row(it).to_vec()).collect();
        assert_eq!(found.starts().last(), Some(&found.n_entries()));
    }
    rows
}

fn reals(name: &str, sizes: &[usize]) -> Argument {
    let n = sizes.iter().product();
    Argument::owned_reals(name, sizes, (0..n).map(|it| 0.5 + it as f64).collect())
}

#[test]
fn patterns_of_jacobians_are_those_known_by_hand() {
    let x = |n: usize| [reals("x", &[n])];
    let each = "def f(x: [n]Real): [n]Real = map(\\e => sin(e) * e, x)";
    assert_eq!(pattern(each, &x(3), &[]), [[0], [1], [2]]);
    let stencil = "def f(x: [n+2]Real): [n]Real = build i < n => x[i] - 2.0 * x[i + 1] + x[i + 2]";
    assert_eq!(pattern(stencil, &x(5), &[]), [[0, 1, 2], [1, 2, 3], [2, 3, 4]]);
    let twice = "def step(x: [n]Real): [n]Real =
          build i < n => 0.5 * (x[if i == 0 then 0 else i - 1] + x[i])
        def f(x: [n]Real): [n]Real = iterate(2, step, x)";
    assert_eq!(pattern(twice, &x(4), &[]), [vec![0], vec![0, 1], vec![0, 1, 2], vec![1, 2, 3]]);
    let gather = "def f(x: [n]Real): [3]Real = { let at = [2, 0, 2]; build k < 3 => x[at[k]] }";
    assert_eq!(pattern(gather, &x(3), &[]), [[2], [0], [2]]);
    let sums = "def f(x: [n]Real): [n]Real = scan(\\a, b => a + b, 0.0, x)";
    assert_eq!(pattern(sums, &x(3), &[]), [vec![0], vec![0, 1], vec![0, 1, 2]]);
    let one = "def f(x: [n]Real): Real = fold(\\a, b => a * b, 1.0, x)";
    assert_eq!(pattern(one, &x(4), &[]), [[0, 1, 2, 3]]);
    let none = "def f(x: [n]Real): [n]Real = map(\\e => floor(e) + stop_gradient(e), x)";
    assert_eq!(pattern(none, &x(2), &[]), [[0u32; 0]; 2]);
    let product = "def f(a: [n][m]Real, x: [m]Real): [n]Real = build i < n => dot(a[i], x)";
    let both = [reals("a", &[2, 3]), reals("x", &[3])];
    assert_eq!(pattern(product, &both, &[]), [[0, 1, 2, 6, 7, 8], [3, 4, 5, 6, 7, 8]]);
    assert_eq!(pattern(product, &both, &["x"]), [[0, 1, 2]; 2]);
    assert_eq!(pattern(product, &both, &["a"]), [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn patterns_are_those_of_a_call_and_not_of_its_reals() {
    // Which way it goes matters, that a factor is zero does not.
    let branch = "def f(x: Real, y: Real): Real = if x > 1.0 then x * y else x";
    let at = |x: f64| pattern(branch, &[Argument::real("x", x), Argument::real("y", 0.0)], &[]);
    assert_eq!((at(2.0), at(0.5)), (vec![vec![0, 1]], vec![vec![0]]));
    let larger = "def f(x: Real, y: Real): Real = max(x, y)";
    let both = [Argument::real("x", 1.0), Argument::real("y", 2.0)];
    assert_eq!(pattern(larger, &both, &[]), [[0, 1]]);
    let list = "def last(xs: List<Real>): Real =
          match xs { Nil => 0.0, Cons(x, Nil) => x * x, Cons(_, rest) => last(rest) }
        def f(x: [3]Real): (Real, Real) = (last(Cons(x[0], Cons(x[2], Nil))), x[1])";
    assert_eq!(pattern(list, &[reals("x", &[3])], &[]), [[2], [1]]);
    let chosen = "def each(fs: List<Real -> Real>, a: Real): (Real, Real) = match fs {
          Cons(f, Cons(g, _)) => (g(a), f(a)),
          _ => (0.0, 0.0),
        }
        def f(x: [2]Real): (Real, Real) =
          each(Cons(\\a => a * a, Cons(\\a => a + x[1], Nil)), x[0])";
    assert_eq!(pattern(chosen, &[reals("x", &[2])], &[]), [vec![0, 1], vec![0]]);
}

#[test]
fn patterns_of_derivatives_are_sparse_where_they_are_resolved() {
    let text = "def valley(x: [n+1]Real): Real =
          sum(build i < n => 100.0 * (x[i + 1] - x[i] * x[i]) ** 2.0 + (1.0 - x[i]) ** 2.0)
        def f(x: [n+1]Real): [n+1]Real = grad(valley)(x)";
    // The Hessian of a sum over neighbours has three diagonals.
    assert_eq!(
        pattern(text, &[reals("x", &[4])], &[]),
        [vec![0, 1], vec![0, 1, 2], vec![1, 2, 3], vec![2, 3]]
    );
    // Reads and sums under a condition: of a gradient by any method that makes a program of it.
    let masked = "def energy(x: [n]Real): Real =
          sum(build i < n => if i == 0 then 0.0 else x[i] * x[i - 1] ** 2.0)
        def f(x: [n]Real): [n]Real = grad(energy)(x)";
    for via in choices::that_make_programs().chain([Via::Auto]) {
        let options = Options { via, ..Options::default() };
        let mut program = Compiler::new(options).compile("pattern.cot", masked).unwrap();
        let found = program.sparsity("f", &[reals("x", &[4])], &[]).unwrap();
        let rows: Vec<&[u32]> = (0..4).map(|it| found.row(it)).collect();
        // x0^2 x1 + x1^2 x2 + x2^2 x3: the last element is nowhere squared.
        let wanted: [&[u32]; 4] = [&[0, 1], &[0, 1, 2], &[1, 2, 3], &[2]];
        assert_eq!(rows, wanted, "{via:?}");
    }
    let taped = Compiler::new(Options { via: Via::Tape, ..Options::default() });
    let mut taped = taped.compile("pattern.cot", text).unwrap();
    assert_eq!(taped.sparsity("f", &[reals("x", &[4])], &[]).unwrap().n_entries(), 16);
    // A clause may depend on all that it takes, whatever the body does.
    let clause = "def own(x: [n]Real): [n]Real = x * 2.0 with vjp(x, dy) = build i < n => sum(dy)
        def f(x: [n]Real): [n]Real = own(x)";
    assert_eq!(pattern(clause, &[reals("x", &[2])], &[]), [[0, 1]; 2]);
}

#[test]
fn patterns_are_printed_and_drawn() {
    let text = "def f(x: [n+1]Real, k: Int, y: [n]Real): [n]Real =
          build i < n => (x[i] + x[i + 1]) * y[k * i]";
    let mut program = Compiler::new(Options::default()).compile("p.cot", text).unwrap();
    let k = Argument::json("k", "0");
    let found = program.sparsity("f", &[reals("x", &[3]), k, reals("y", &[2])], &[]).unwrap();
    let said = "2 rows by 5 columns (x 3, y 2)\n6 entries may be other than zero, 60.000 %\n\
                at most 3 in a row and 2 in a column\n\n**.|*.\n.**|*.\n";
    assert_eq!(found.to_text(), said);
    assert_eq!(
        found.to_json(),
        r#"{"rows":2,"columns":5,"parameters":[{"name":"x","columns":3},{"name":"y","columns":2}],"starts":[0,3,6],"indices":[0,1,3,1,2,3]}"#
    );
    let svg = found.to_svg();
    assert!(svg.contains("<path d=\"M0 0h2v1h-2zM3 0h1v1h-1zM1 1h3v1h-3z\"/>"), "{svg}");
    assert!(svg.contains("<path d=\"M3 0v2\" stroke"), "{svg}");
    // Of a large one, many entries are one square, and there is no picture of characters.
    let text = "def f(x: [n]Real): [n]Real = x * x";
    let mut program = Compiler::new(Options::default()).compile("p.cot", text).unwrap();
    let large = program.sparsity("f", &[reals("x", &[2000])], &[]).unwrap();
    assert_eq!(large.n_entries(), 2000);
    assert!(large.to_text().ends_with("at most 1 in a row and 1 in a column\n"));
    assert!(large.to_svg().contains("M499 499h1v1h-1z") && !large.to_svg().contains("M500 "));
}
