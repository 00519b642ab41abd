//! `cotan::program!`: definitions and derivatives as typed Rust functions.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::Shaped;

cotan::program!(
    "tests/macros/pendulum.cot",
    grad(energy),
    grad(energy, s) as force,
    hvp(energy, s)
);

cotan::program!(
    mod kinds = r#"
        type Box<a> = { it: a, self: Int }
        data Maybe = No | Yes(Real)
        data Stack<a> = Empty | Push(a, Stack<a>)
        --- Twice each.
        def twice(x: [n]Real): [n]Real = 2.0 * x
        def add(a: [n][m]Real, b: [n][m]Real): [n][m]Real = build i < n, j < m => a[i, j] + b[i, j]
        def mixed(n: Int, b: Bool, p: (Real, [k]Int)): (Bool, (Int, Real), [k]Bool) =
          (!b, (n + 1, 2.0 * p.0), map(\it => it > 0, p.1))
        def boxed(b: Box<[n]Real>): Box<Real> = Box { it: sum(b.it), self: b.self + 1 }
        def root(x: Real): Maybe = if x < 0.0 then No else Yes(sqrt(x))
        def or(m: Maybe, x: Real): Real = match m { No => x, Yes(y) => y }
        def top(s: Stack<Int>): Int = match s { Empty => 0, Push(x, _) => x }
        def push(s: Stack<Int>, x: Int): Stack<Int> = Push(x, s)
        def many(a: Real, b: Real, c: Real, d: Real, e: Real, f: Real, g: Real, h: Real, i: Real): Real =
          a + 2.0 * b + 3.0 * c + 4.0 * d + 5.0 * e + 6.0 * f + 7.0 * g + 8.0 * h + 9.0 * i
        def super(crate: Real): Real = crate
        def move(fn: Real): Real = fn * fn
        def origin = (0.0, [1.0, 2.0])
        def apply(f: Real -> Real, x: Real): Real = f(x)
        def id(x: a): a = x
        def at(x: [n]Real, i: Int): Real = x[i]
        def rows(x: [n][m]Real): [n]Real = map(\row => sum(row * row), x)
    "#,
    grad(r#move),
    jacobian(rows),
    jvp(rows),
    vjp(rows),
    value_and_grad(many),
    hessian(r#move) as curvature,
);

cotan::program!(
    mod single = "
        type Pair<n> = { a: Real, b: [n]Real }
        data Maybe = No | Yes(Real)
        def scaled(p: Pair<n>, by: Real): Pair<n> = Pair { a: by * p.a, b: map(\\x => by * x, p.b) }
        def square(m: [n][k]Real): [n][k]Real = map(\\row => row * row, m)
        def third(x: Real): Real = x / 3.0
        def positive(x: Real): Maybe = if x > 0.0 then Yes(x) else No
    ",
    f32,
    grad(third),
);

/// A third is rounded to single precision on the way, and Rust divides the same.
#[test]
fn single_precision_is_asked_for() {
    use single::{Maybe, Pair};
    let third: f32 = single::third(1.0).unwrap();
    assert_eq!(third, 1.0_f32 / 3.0);
    assert_eq!(single::grad_third(1.0_f32).unwrap(), 1.0_f32 / 3.0);
    let pair = Pair { a: 0.1_f32, b: vec![0.3_f32, 0.7] };
    let by = Pair { a: 3.0 * 0.1_f32, b: vec![3.0 * 0.3_f32, 3.0 * 0.7] };
    assert_eq!(single::scaled(&pair, 3.0).unwrap(), by);
    let squares = single::square(&Shaped::new(&[1, 2], vec![0.1_f32, 0.2])).unwrap();
    assert_eq!(squares.elements(), [0.1_f32 * 0.1, 0.2 * 0.2]);
    assert_eq!(single::positive(0.1).unwrap(), Maybe::Yes(0.1_f32));
}

#[test]
fn a_file_is_a_module_with_its_name() {
    use pendulum::{State, energy, force, grad_energy, hvp_energy};
    let state = State { angle: 0.5, speed: 2.0 };
    let (mass, length) = (1.5, 0.8);
    let expected =
        0.5 * mass * (length * 2.0_f64).powi(2) + mass * 9.81 * length * (1.0 - 0.5_f64.cos());
    assert!((energy(mass, length, &state).unwrap() - expected).abs() < 1e-12);
    let slope = mass * 9.81 * length * 0.5_f64.sin();
    let by_state = force(mass, length, &state).unwrap();
    assert!((by_state.angle - slope).abs() < 1e-12);
    assert!((by_state.speed - mass * length * length * 2.0).abs() < 1e-12);
    let (by_mass, _, same) = grad_energy(mass, length, &state).unwrap();
    assert!((by_mass - expected / mass).abs() < 1e-12);
    assert_eq!(same, by_state);
    let along = State { angle: 1.0, speed: 0.0 };
    let bent = hvp_energy(mass, length, &state, &along).unwrap();
    assert!((bent.angle - mass * 9.81 * length * 0.5_f64.cos()).abs() < 1e-12);
    assert_eq!(bent.speed, 0.0);
}

#[test]
fn numbers_arrays_and_tuples_are_rusts_own() {
    assert_eq!(kinds::twice(&[1.0, 2.5]).unwrap(), [2.0, 5.0]);
    assert_eq!(kinds::twice(&[]).unwrap(), [0.0; 0]);
    let a = Shaped::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let sum = kinds::add(&a, &a).unwrap();
    assert_eq!((sum.shape(), sum.elements()), (&[2, 3][..], &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0][..]));
    let mixed = kinds::mixed(3, true, (1.5, &[1, -1])).unwrap();
    assert_eq!(mixed, (false, (4, 3.0), vec![true, false]));
    assert_eq!(kinds::origin().unwrap(), (0.0, vec![1.0, 2.0]));
    assert_eq!(kinds::many(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0).unwrap(), 45.0);
    let (value, slopes) =
        kinds::value_and_grad_many(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0).unwrap();
    assert_eq!((value, slopes), (10.0, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)));
}

#[test]
fn records_and_data_are_generated_types() {
    use kinds::{Box, Maybe, Stack};
    let boxed = kinds::boxed(&Box { it: vec![1.0, 2.0], self_: 3 }).unwrap();
    assert_eq!(boxed, Box { it: 3.0, self_: 4 });
    assert_eq!(kinds::root(9.0).unwrap(), Maybe::Yes(3.0));
    assert_eq!(kinds::root(-9.0).unwrap(), Maybe::No);
    assert_eq!(kinds::or(&Maybe::No, 2.0).unwrap(), 2.0);
    let stack = kinds::push(&Stack::Empty, 4).unwrap();
    assert_eq!(stack, Stack::Push(4, std::boxed::Box::new(Stack::Empty)));
    assert_eq!(kinds::top(&stack).unwrap(), 4);
}

#[test]
fn words_of_rust_are_names_too() {
    assert_eq!(kinds::r#move(3.0).unwrap(), 9.0);
    assert_eq!(kinds::grad_move(3.0).unwrap(), 6.0);
    assert_eq!(kinds::curvature(3.0).unwrap(), 2.0);
    assert_eq!(kinds::super_(3.0).unwrap(), 3.0);
}

/// The rows of [[1, 2], [3, 4]] squared: 5 and 25.
#[test]
fn derivatives_have_the_types_of_the_language() {
    let x = Shaped::new(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]);
    let jacobian = kinds::jacobian_rows(&x).unwrap();
    assert_eq!(jacobian.shape(), [2, 2, 2]);
    assert_eq!(jacobian.elements(), [2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 6.0, 8.0]);
    let along = Shaped::new(&[2, 2], vec![1.0, 0.0, 0.0, 1.0]);
    assert_eq!(kinds::jvp_rows(&x, &along).unwrap(), [2.0, 8.0]);
    assert_eq!(kinds::vjp_rows(&x, &[1.0, 10.0]).unwrap().elements(), [2.0, 4.0, 60.0, 80.0]);
}

#[test]
fn what_goes_wrong_is_a_report() {
    assert_eq!(kinds::at(&[1.0, 2.0], 1).unwrap(), 2.0);
    let report = kinds::at(&[1.0, 2.0], 2).unwrap_err();
    assert!(report.to_string().contains("out of bounds"), "{report}");
    let (a, b) = (Shaped::new(&[1, 2], vec![1.0, 2.0]), Shaped::new(&[2, 1], vec![1.0, 2.0]));
    assert_eq!(kinds::add(&a, &b).unwrap_err().codes(), ["E0623"]);
    let short = Shaped::new(&[2, 2], vec![1.0]);
    assert!(kinds::rows(&short).is_err());
}

#[test]
fn the_program_itself_is_there_for_the_rest() {
    let apply = kinds::PROGRAM.expression("\\x => apply(\\y => y * y, x)").unwrap();
    assert_eq!(apply.grad().call((4.0,)).unwrap().get::<f64>().unwrap(), 8.0);
}
