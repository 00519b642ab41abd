//! Arguments and names that nobody should give: each has an answer or an error, and nothing panics.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Argument, Backend, Data, Function, Options, Precision, Program, Report, Shaped};

const BACKENDS: [Backend; 2] = [Backend::Interp, Backend::Native];

fn functions(text: &str, name: &str) -> Vec<Function> {
    let function = Program::new(text).unwrap().function(name).unwrap();
    BACKENDS.map(|it| function.backend(it)).to_vec()
}

fn fails<T>(it: Result<T, Report>) {
    let Err(report) = it else { panic!("an error was expected") };
    let text = report.to_string();
    assert!(!report.codes().is_empty());
    for word in ["--arg", "--via", "--backend", "--memory", "doctor", "compiler bug"] {
        assert!(!text.contains(word), "{text}");
    }
}

/// Parameters that are called like operators, definitions or what derivatives add.
#[test]
fn names_of_parameters_hide_nothing() {
    let text = "
        def f(f: Real, grad: Real): Real = f * grad * grad
        def g((a, b): (Real, Real), x0: Real): Real = a * b * x0
        def h(x: Real, dx: Real, dx_: Real, dy: Real): Real = x * dx * dx_ * dy
        def dy: Real = 10.0
        def k(x: Real): Real = dy * x
    ";
    for f in functions(text, "f") {
        assert_eq!(f.params(), ["f", "grad"]);
        assert_eq!(f.grad().call((2.0, 3.0)).unwrap().to_text(), "(9.0, 12.0)");
        assert_eq!(f.grad().wrt(["grad"]).call((2.0, 3.0)).unwrap().to_text(), "12.0");
        let by_name = [Argument::real("grad", 3.0), Argument::real("f", 2.0)];
        assert_eq!(f.grad().call(&by_name).unwrap().to_text(), "(9.0, 12.0)");
        // f grad^2 by grad twice: 2 f.
        let twice = f.grad().wrt(["grad"]).grad().wrt(["grad"]);
        assert_eq!(twice.call((2.0, 3.0)).unwrap().to_text(), "4.0");
    }
    for g in functions(text, "g") {
        assert_eq!(g.params(), ["x0_", "x0"]);
        assert_eq!(g.grad().call(((2.0, 3.0), 5.0)).unwrap().to_text(), "((15.0, 10.0), 6.0)");
    }
    for h in functions(text, "h") {
        assert_eq!(h.jvp().wrt(["x"]).params(), ["x", "dx", "dx_", "dy", "dx__"]);
        assert_eq!(h.jvp().wrt(["x"]).call((2.0, 3.0, 5.0, 7.0, 0.5)).unwrap().to_text(), "52.5");
        assert_eq!(h.vjp().wrt(["dy"]).params().last().unwrap(), "dy_");
        assert_eq!(h.vjp().wrt(["dy"]).call((2.0, 3.0, 5.0, 7.0, 0.5)).unwrap().to_text(), "15.0");
        assert_eq!(
            h.jvp().call((1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0)).unwrap().to_text(),
            "10.0"
        );
    }
    let program = Program::new(text).unwrap();
    // The cotangent hides no definition.
    let k = program.expression("\\x => dy * x").unwrap().vjp();
    assert_eq!(k.call((1.0, 2.0)).unwrap().to_text(), "20.0");
    assert_eq!(program.function("k").unwrap().vjp().call((1.0, 2.0)).unwrap().to_text(), "20.0");
    // A derivative of a derivative, with directions: d/dx of 2 x dx along 1.
    let square = program.expression("\\x => x * x").unwrap();
    let twice = square.jvp().jvp().wrt(["x"]);
    assert_eq!(twice.params(), ["x", "dx", "dx_"]);
    assert_eq!(twice.call((3.0, 5.0, 1.0)).unwrap().to_text(), "10.0");
    assert!(program.expression("\\if => if").is_err());
    fails(square.grad().wrt(["if"]).call((1.0,)));
    fails(square.grad().wrt([""]).call((1.0,)));
}

#[test]
fn parameters_without_reals_are_not_differentiated_by() {
    let text = "def f(x: Real, i: Int, b: Bool): Real = if b then x * real(i) else x";
    for f in functions(text, "f") {
        for operator in [Function::grad, Function::jacobian, Function::hessian, Function::vjp] {
            fails(operator(&f).wrt(["i"]).call((2.0, 3, true)));
            fails(operator(&f).wrt(["x", "b"]).call((2.0, 3, true)));
        }
        fails(f.wrt(["i"]).linearise((2.0, 3, true)));
        assert_eq!(f.grad().wrt(["x"]).call((2.0, 3, true)).unwrap().to_text(), "3.0");
    }
}

#[test]
fn wrong_arguments() {
    let text = "
        def f(x: [n]Real, k: Int): Real = sum(x) * real(k)
        def sized(n: Int, x: [n]Real): Real = sum(x)
        def square(a: [n][n]Real): [n]Real = build i < n => a[i, i]
        def nothing: Real = 1.5
    ";
    for f in functions(text, "f") {
        fails(f.call(()));
        fails(f.call(([1.0],)));
        fails(f.call(([1.0], 1, 2)));
        fails(f.call((1.0, 1)));
        fails(f.call(([1.0], f64::NAN)));
        fails(f.call(([1.0], 1.0)));
        fails(f.call((["a"], 1)));
        fails(f.call(([[1.0]], 1)));
        fails(f.call(((1.0, 2.0), 1)));
        fails(f.call((Data::List(vec![Data::Real(1.0), Data::Bool(true)]), 1)));
        fails(f.call((Shaped::new(&[usize::MAX], vec![1.0]), 1)));
        fails(f.call((Shaped::new(&[usize::MAX, usize::MAX], vec![1.0]), 1)));
        fails(f.call((Shaped::new(&[], vec![1.0]), 1)));
        fails(f.call(&[Argument::real("x", 1.0), Argument::real("x", 1.0)]));
        fails(f.call(&[Argument::json("x", "[1"), Argument::json("k", "1")]));
        fails(f.call(&[Argument::reals("x", &[3], &[1.0]), Argument::json("k", "1")]));
        let none: [f64; 0] = [];
        assert_eq!(f.call((none, 3)).unwrap().as_real(), Some(0.0));
        assert!(f.call(([f64::NAN], 3)).unwrap().as_real().unwrap().is_nan());
        assert_eq!(f.call((vec![1_i64, 2], 3)).unwrap().as_real(), Some(9.0));
        assert_eq!(f.call(([1.0_f32, 2.0], 3_usize)).unwrap().as_real(), Some(9.0));
    }
    for sized in functions(text, "sized") {
        assert_eq!(sized.call((2, [1.0, 2.0])).unwrap().as_real(), Some(3.0));
        fails(sized.call((3, [1.0, 2.0])));
        fails(sized.call((-1, [1.0, 2.0])));
        fails(sized.call((i64::MAX, [1.0, 2.0])));
        fails(sized.call((i64::MIN, Vec::<f64>::new())));
    }
    for square in functions(text, "square") {
        let of = |shape: &[usize], n: usize| square.call((Shaped::new(shape, vec![1.0; n]),));
        assert_eq!(of(&[2, 2], 4).unwrap().to_text(), "[1.0, 1.0]");
        assert_eq!(of(&[0, 0], 0).unwrap().to_text(), "[]");
        fails(of(&[2, 3], 6));
        fails(of(&[0, 3], 0));
        fails(of(&[usize::MAX, 0], 0));
        fails(of(&[4], 4));
        fails(of(&[2, 2, 1], 4));
    }
    for nothing in functions(text, "nothing") {
        assert_eq!(nothing.call(()).unwrap().as_real(), Some(1.5));
        fails(nothing.call((1.0,)));
        fails(nothing.grad().call(()));
        fails(nothing.jvp().call((1.0,)));
    }
}

#[test]
fn single_precision_rounds_what_goes_in() {
    let text = "def f(x: Real, y: [n]Real): Real = x + sum(y)";
    for f in functions(text, "f") {
        let f = f.precision(Precision::F32);
        // 1 + 2^-30 is 1 in single precision.
        let tiny = 2.0_f64.powi(-30);
        assert_eq!(f.call((1.0 + tiny, [tiny])).unwrap().as_real(), Some(1.0));
        assert_eq!(f.call((1.0 + tiny, [0.5_f32])).unwrap().as_real(), Some(1.5));
        let mut gradient = [0.0_f32; 2];
        f.grad().wrt(["y"]).call_into((1.0, [1.0_f32, 2.0]), &mut gradient).unwrap();
        assert_eq!(gradient, [1.0, 1.0]);
    }
}

#[test]
fn functions_and_texts_and_unknown_types() {
    let program = Program::new("def twice(f: Real -> Real, x: Real): Real = f(f(x))").unwrap();
    fails(program.function("twice").unwrap().call((1.0, 2.0)));
    fails(program.expression("\\x => \\y => x + y").unwrap().call((1.0,)));
    fails(program.expression("\\x => x + true").unwrap().call((1.0,)));
    fails(program.expression("sin").unwrap().call((1.0,)));
    // Compiled code has no types that the data decides.
    for backend in [Backend::Interp, Backend::Auto] {
        let same = program.expression("\\x => x").unwrap().backend(backend);
        assert_eq!(same.call((1.5,)).unwrap().to_text(), "1.5");
    }
    let by_value = program.expression("\\x: Real => x").unwrap();
    assert_eq!(by_value.wrt(["x"]).call((1.5,)).unwrap().to_text(), "1.5");
    fails(by_value.via(cotan::Via::Auto).hessian().hessian().call((1.5,)));
}

/// A method that does not accept a program, a back end that does not run it, a limit that is reached: said
/// in the words of the library.
#[test]
fn options_are_not_those_of_the_command_line() {
    let text = "def f(x: [n]Real): Real = sum(build i < 1000000 => x[0] * real(i))";
    let tight = Options { memory: 1 << 20, backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("tight.cot", text, tight).unwrap();
    fails(program.function("f").unwrap().call(([1.0],)));
    fails(program.function("f").unwrap().via(cotan::Via::Tape).grad().call(([1.0],)));
    let native = program.function("f").unwrap().backend(Backend::Native);
    fails(native.via(cotan::Via::Tape).grad().call(([1.0],)));
}

/// A list that is deeper than any stack.
#[test]
fn deep_data() {
    let text = "
        def total(l: List<Real>): Real = {
          let (_, sum) = while(
            \\(l, _) => match l { Nil => false, Cons(_, _) => true },
            \\(l, sum) => match l { Nil => (l, sum), Cons(x, rest) => (rest, sum + x) },
            (l, 0.0),
          );
          sum
        }
    ";
    struct Long(usize);
    impl cotan::ToData for Long {
        fn to_data(&self) -> Data<'_> {
            let nil = Data::Constructor("Nil".into(), vec![]);
            (0..self.0)
                .fold(nil, |rest, _| Data::Constructor("Cons".into(), vec![Data::Real(1.0), rest]))
        }
    }
    for total in functions(text, "total") {
        assert_eq!(total.call((Long(10_000),)).unwrap().as_real(), Some(10_000.0));
    }
}
