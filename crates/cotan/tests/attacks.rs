//! Arguments and names that nobody should give: each has an answer or an error, and nothing panics.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use cotan::trace::{Array, Int, Real, build, call, replicate, trace};
use cotan::{Argument, Backend, Data, Function, Options, Precision, Program, Report, Shaped, Via};

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
    assert_eq!(by_value.hessian().hessian().call((1.5,)).unwrap().to_text(), "0.0");
}

/// A method that does not accept a program, a back end that does not run it, a limit that is reached: said
/// in the words of the library.
#[test]
fn options_are_not_those_of_the_command_line() {
    let text = "def f(x: [n]Real): Real = sum(build i < 1000000 => x[0] * real(i))";
    let tight = Options { memory: 1 << 20, backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("tight.cot", text, tight).unwrap();
    fails(program.function("f").unwrap().call(([1.0],)));
    fails(program.function("f").unwrap().via(Via::Tape).grad().call(([1.0],)));
    let native = program.function("f").unwrap().backend(Backend::Native);
    fails(native.via(Via::Tape).grad().call(([1.0],)));
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

/// What belongs to a program lives as long as it is used, wherever the program went.
#[test]
fn programs_may_be_dropped() {
    for backend in BACKENDS {
        let program = Program::new("def f(x: [n]Real): Real = sum(x * x)").unwrap();
        let f = program.function("f").unwrap().backend(backend);
        let prepared = f.grad().prepare(([1.0, 2.0],)).unwrap();
        let linearised = f.linearise(([1.0, 2.0],)).unwrap();
        let answer = f.grad().call(([3.0],)).unwrap();
        drop(program);
        let gradient = f.grad();
        drop(f);
        let thread = std::thread::spawn(move || gradient.call(([4.0],)).unwrap().to_text());
        assert_eq!(thread.join().unwrap(), "[8.0]");
        assert_eq!(prepared.call().unwrap().to_text(), "[2.0, 4.0]");
        assert_eq!(linearised.vjp((1.0,)).unwrap().to_text(), "[2.0, 4.0]");
        assert_eq!(answer.to_text(), "[6.0]");
    }
}

/// A panic of code that is not ours leaves nothing behind: not in a trace, not in a program that threads share.
#[test]
fn panics_of_others_pass_through() {
    let panics = || trace(|x: Real| -> Real { panic!("ours, after {:?}", x.sin()) });
    assert!(catch_unwind(panics).is_err());
    let inner = |x: Array<1>| x.map(|_: Real| -> Real { panic!("ours, inside of a block") });
    assert!(catch_unwind(|| trace(inner)).is_err());
    let f = trace(|x: Real| x * x).unwrap();
    assert_eq!(f.grad().call((3.0,)).unwrap().as_real(), Some(6.0));
    struct Bad;
    impl cotan::ToData for Bad {
        fn to_data(&self) -> Data<'_> {
            panic!("no data")
        }
    }
    for f in functions("def f(x: Real): Real = x * x", "f") {
        let f = f.grad();
        for _ in 0..3 {
            assert!(catch_unwind(AssertUnwindSafe(|| f.call((Bad,)))).is_err());
            assert_eq!(f.call((3.0,)).unwrap().as_real(), Some(6.0));
        }
    }
    // A tape whose function panics is nobody's afterwards.
    let broken = || real::grad(|x| if x[0].value > 0.0 { panic!("ours") } else { x[0] }, &[1.0]);
    assert!(catch_unwind(broken).is_err());
    assert_eq!(real::grad(|x| x[0] * x[0], &[3.0]), [6.0]);
}

/// Sizes that no machine has, depths that no stack has, and no numbers at all, in traced functions.
#[test]
fn traces_of_any_size() {
    let ramp = trace(|n: Int, x: Real| build(n, |i| i.real() * x).sum()).unwrap();
    let same = trace(|n: Int, x: Real| replicate(n, x).sum()).unwrap();
    let down =
        Program::new("def down(n: Int, x: Real): Real = if n == 0 then x else x * down(n - 1, x)");
    let deep = down.unwrap().trace(|n: Int, x: Real| call::<Real>("down", (n, x))).unwrap();
    for backend in BACKENDS {
        for f in [&ramp, &same] {
            let f = f.backend(backend);
            for n in [i64::MAX, isize::MAX as i64 / 8, -1, i64::MIN] {
                fails(f.call((n, 1.0)));
                fails(f.grad().wrt(["x1"]).call((n, 1.0)));
            }
            assert_eq!(f.call((0, 1.0)).unwrap().as_real(), Some(0.0));
            assert_eq!(f.grad().wrt(["x1"]).call((0, 1.0)).unwrap().as_real(), Some(0.0));
            assert!(f.call((2, f64::NAN)).unwrap().as_real().unwrap().is_nan());
        }
        let deep = deep.backend(backend);
        assert_eq!(deep.grad().wrt(["x1"]).call((2, 3.0)).unwrap().as_real(), Some(27.0));
        fails(deep.call((-1, 1.0)));
    }
}

/// A trace inside of a trace, a value that went out of one, and one that another thread made.
#[test]
fn traces_do_not_mix() {
    let outer = trace(|x: Real| {
        let inner = trace(|y: Real| y * y);
        assert!(inner.is_ok());
        let wrong = trace(|y: Real| y * x);
        assert_eq!(wrong.err().unwrap().codes(), ["E0660"]);
        x * 2.0
    });
    assert_eq!(outer.unwrap().grad().call((5.0,)).unwrap().as_real(), Some(2.0));
    // Operations outside of any trace are nothing, and are told of where they come in.
    let lost = Real::from(2.0).sin() * 3.0;
    fails(trace(|x: Real| x * lost));
    let traces = std::thread::scope(|scope| {
        let one = |k: f64| scope.spawn(move || trace(|x: Real| x * k).unwrap());
        [one(2.0), one(3.0)].map(|it| it.join().unwrap())
    });
    assert_eq!(traces.map(|it| it.grad().call((1.0,)).unwrap().as_real()), [Some(2.0), Some(3.0)]);
}
