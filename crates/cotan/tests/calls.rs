//! Calls of handles in all ways: prepared, into memory of the caller, linearised, stopped.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{
    Argument, Backend, Call, Data, Function, Linearised, Precision, Program, Report, Shaped, Stop,
    Via,
};

const TEXT: &str = "
    type Point = { x: Real, y: Real }
    def loss(w: [n]Real, x: [n]Real, y: Real): Real = (dot(w, x) - y) ** 2.0
    def scaled(k: Int, up: Bool, x: [n]Real): ([n]Real, Int, Bool, Real) =
      (real(k) * x, k + 1, !up, if up then sum(x) else 0.0)
    def pick(x: [n]Real, i: Int): Real = x[i]
    def moved(p: Point, by: [2]Real): Point = Point { x: p.x + by[0], y: p.y * by[1] }
    def first(n: Int, x: Real): [n]Real = build i < n => x * real(i)
    def forever(x: Real): Real = while(\\y => y > 0.0, \\y => y, x)
    def named(l: Option<Real>): Real = match l { None => 0.0, Some(x) => 2.0 * x }
";

fn function(name: &str) -> Function {
    Program::new(TEXT).unwrap().function(name).unwrap()
}

fn is_shared<T: Send + Sync>(_: &T) {}

fn says<T>(it: Result<T, Report>, what: &str) {
    let Err(report) = it else { panic!("`{what}` was expected") };
    assert!(report.to_string().contains(what), "{report}");
    assert!(!report.codes().is_empty());
}

const BACKENDS: [Backend; 2] = [Backend::Interp, Backend::Native];

/// The gradient of (w.x - y)^2 by w is 2 (w.x - y) x.
#[test]
fn arguments_of_a_prepared_call_change_one_by_one() {
    for backend in BACKENDS {
        for precision in [Precision::F64, Precision::F32] {
            let gradient = function("loss").grad().wrt(["w"]);
            let gradient = gradient.backend(backend).precision(precision);
            let mut call = gradient.prepare(([1.0, 2.0], [3.0, 4.0], 1.0)).unwrap();
            is_shared::<Call>(&call);
            assert_eq!(call.call().unwrap().to_text(), "[60.0, 80.0]");
            call.set("y", 10.0).unwrap();
            assert_eq!(call.call().unwrap().to_text(), "[6.0, 8.0]");
            call.set(0, [2.0, 1.0]).unwrap();
            assert_eq!(call.call().unwrap().to_text(), "[0.0, 0.0]");
            call.set("x", vec![1.0_f32, 0.5]).unwrap();
            assert_eq!(call.call().unwrap().to_text(), "[-15.0, -7.5]");
            let mut into = [0.0; 2];
            call.call_into(&mut into).unwrap();
            assert_eq!(into, [-15.0, -7.5]);
        }
    }
}

#[test]
fn what_is_wrong_with_a_prepared_call_is_said() {
    for backend in BACKENDS {
        let mut call =
            function("loss").backend(backend).prepare(([1.0, 2.0], [3.0, 4.0], 1.0)).unwrap();
        says(call.set("weights", 1.0), "`w`, `x`, `y`");
        says(call.set(3, 1.0), "number 3");
        says(call.set("w", [1.0, 2.0, 3.0]), "give it 2 elements");
        says(call.set("w", Vec::<f64>::new()), "give it 2 elements");
        says(call.set("w", 1.0), "[n]Real");
        says(call.set("y", true), "Real");
        says(call.set("y", Shaped::new(&[2, 2], vec![1.0])), "1 elements");
        // Nothing of that has changed anything: (11 - 1)^2
        assert_eq!(call.call().unwrap().as_real(), Some(100.0));
        let mut call = function("pick").backend(backend).prepare(([1.0, 2.0], 1)).unwrap();
        assert_eq!(call.call().unwrap().as_real(), Some(2.0));
        call.set("i", 2).unwrap();
        says(call.call(), "E0601");
        says(call.set("i", 0.5), "Int");
        call.set("i", 0).unwrap();
        assert_eq!(call.call().unwrap().as_real(), Some(1.0));
        // A parameter that is a size.
        let mut call = function("first").backend(backend).prepare((3, 2.0)).unwrap();
        assert_eq!(call.call().unwrap().to_text(), "[0.0, 2.0, 4.0]");
        says(call.set("n", 4), "n");
        call.set("n", 3).unwrap();
        says(function("first").backend(backend).prepare((-3, 2.0)), "-3");
        says(function("loss").backend(backend).prepare(([1.0],)), "`x`");
    }
}

#[test]
fn records_and_data_in_prepared_calls() {
    for backend in BACKENDS {
        let point =
            |x: f64| Data::Record(vec![("x".into(), Data::Real(x)), ("y".into(), Data::Real(1.0))]);
        let moved = function("moved").backend(backend);
        let mut call = moved.prepare((point(1.0), [10.0, 2.0])).unwrap();
        call.set("p", point(5.0)).unwrap();
        let (mut x, mut y) = (0.0, 0.0_f32);
        call.call_into((&mut x, &mut y)).unwrap();
        assert_eq!((x, y), (15.0, 2.0));
        let some = |x: f64| Data::Constructor("Some".into(), vec![Data::Real(x)]);
        let mut call = function("named").backend(backend).prepare((some(1.0),)).unwrap();
        for x in 0..3 {
            call.set(0, some(f64::from(x))).unwrap();
            assert_eq!(call.call().unwrap().as_real(), Some(2.0 * f64::from(x)));
        }
        call.set("l", Data::Constructor("None".into(), vec![])).unwrap();
        assert_eq!(call.call().unwrap().as_real(), Some(0.0));
    }
}

#[test]
fn results_go_into_memory_of_the_caller() {
    for backend in BACKENDS {
        for precision in [Precision::F64, Precision::F32] {
            let scaled = function("scaled").backend(backend).precision(precision);
            let inputs = (3, true, [1.0, 2.0]);
            let (mut x, mut k, mut down, mut sum) = ([0.0; 2], 0_i64, true, [0.0_f32]);
            scaled.call_into(inputs, (&mut x, &mut k, &mut down, &mut sum)).unwrap();
            assert_eq!((x, k, down, sum), ([3.0, 6.0], 4, false, [3.0]));
            let mut short = vec![0.0; 3];
            let into = (&mut short, &mut k, &mut down, &mut sum);
            says(
                scaled.call_into(inputs, into),
                "memory for 2 reals at place 0 instead of 3 reals",
            );
            says(scaled.call_into(inputs, &mut x), "memory for 4 numbers and arrays instead of 1");
            let into = (&mut x, &mut sum, &mut down, &mut k);
            says(scaled.call_into(inputs, into), "1 integer at place 1 instead of 1 real");
            // Nothing in an array.
            let (mut none, none_given): ([f32; 0], [f64; 0]) = ([], []);
            let into = (&mut none, &mut k, &mut down, &mut sum);
            scaled.call_into((1, true, none_given), into).unwrap();
            assert_eq!(sum, [0.0]);
        }
        let gradient = function("loss").grad().backend(backend);
        let (mut w, mut x, mut y) = (vec![0.0; 2], vec![0.0; 2], vec![0.0; 1]);
        let mut all: Vec<&mut [f64]> = vec![&mut w, &mut x, &mut y];
        gradient.call_into(([1.0, 2.0], [3.0, 4.0], 1.0), &mut all[..]).unwrap();
        assert_eq!((w, x, y), (vec![60.0, 80.0], vec![20.0, 40.0], vec![-20.0]));
    }
}

#[test]
fn linearised_functions_are_held_and_shared() {
    for via in Via::all() {
        let loss = function("loss").via(via);
        let at = loss.linearise(([1.0, 2.0], [3.0, 4.0], 1.0)).unwrap();
        is_shared::<Linearised>(&at);
        assert_eq!(at.value().as_real(), Some(100.0));
        let by_w = loss.wrt(["w"]).linearise(([1.0, 2.0], [3.0, 4.0], 1.0)).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let (at, by_w) = (at.clone(), by_w.clone());
                scope.spawn(move || {
                    // 2 (w.x - y) (dw.x + w.dx - dy)
                    let tangent = at.jvp(([1.0, 0.0], [0.0, 1.0], 2.0)).unwrap();
                    assert_eq!(tangent.as_real(), Some(20.0 * (3.0 + 2.0 - 2.0)));
                    let cotangent = at.vjp((0.5,)).unwrap();
                    assert_eq!(cotangent.to_text(), "([30.0, 40.0], [10.0, 20.0], -10.0)");
                    assert_eq!(by_w.jvp(([1.0, 0.0],)).unwrap().as_real(), Some(60.0));
                    assert_eq!(by_w.vjp((1.0,)).unwrap().to_text(), "[60.0, 80.0]");
                });
            }
        });
        let named = [Argument::real("dy", 1.0)];
        assert_eq!(by_w.vjp(&named).unwrap().to_text(), "[60.0, 80.0]");
        says(by_w.vjp(([1.0],)), "Real");
        says(by_w.vjp(()), "`dy`");
        says(by_w.jvp(([1.0],)), "E06");
        says(loss.wrt(["v"]).linearise(([1.0], [1.0], 1.0)), "`v`");
    }
}

/// A loop without end is stopped from another thread, by every method and back end.
#[test]
fn calls_without_end_are_stopped() {
    let forever = function("forever");
    for backend in BACKENDS {
        for via in Via::all() {
            let stop = Stop::default();
            let forever = forever.backend(backend).via(via).stopped_by(&stop);
            // Not every method is compiled.
            if backend == Backend::Native && forever.grad().call((0.0,)).is_err() {
                continue;
            }
            // Compiled before: only what runs is stopped.
            forever.call((0.0,)).unwrap();
            forever.grad().call((0.0,)).unwrap();
            std::thread::scope(|scope| {
                let value = scope.spawn(|| forever.call((1.0,)));
                let gradient = scope.spawn(|| forever.grad().call((1.0,)));
                let prepared = scope.spawn(|| forever.prepare((1.0,)).unwrap().call());
                let held = scope.spawn(|| forever.linearise((1.0,)));
                stop.ask();
                for call in [value, gradient, prepared] {
                    says(call.join().unwrap(), "E0614");
                }
                says(held.join().unwrap(), "E0614");
            });
            stop.reset();
            assert_eq!(forever.call((-1.0,)).unwrap().as_real(), Some(-1.0));
        }
    }
    // All calls of a program at once.
    let program = Program::new(TEXT).unwrap();
    let (forever, stop) = (program.function("forever").unwrap(), program.stop_handle());
    std::thread::scope(|scope| {
        let call = scope.spawn(|| forever.call((1.0,)));
        stop.ask();
        says(call.join().unwrap(), "E0614");
    });
}
