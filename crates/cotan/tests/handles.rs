//! Handles: functions and their derivatives as values that threads share.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Argument, Backend, Compiler, Function, Options, Program, Style, Via};

const TEXT: &str = "
    def loss(w: [n]Real, x: [n]Real, y: Real): Real = (dot(w, x) - y) ** 2.0
    def polar(r: Real, t: Real): [2]Real = [r * cos(t), r * sin(t)]
    def pick(x: [n]Real, i: Int): Real = x[i]
";

fn program() -> Program {
    Program::new(TEXT).unwrap()
}

fn is_shared<T: Send + Sync + Clone>(_: &T) {}

/// Closed forms: the gradient of (w.x - y)^2 by w is 2 (w.x - y) x, by y it is -2 (w.x - y).
#[test]
fn gradients_of_all_parameters_and_of_some() {
    let loss = program().function("loss").unwrap();
    is_shared(&loss);
    is_shared(&program());
    let point = ([1.0, 2.0], [3.0, 4.0], 1.0);
    assert_eq!(loss.call(point).unwrap().as_real(), Some(100.0));
    for backend in [Backend::Interp, Backend::Auto] {
        for via in Via::all() {
            let loss = loss.backend(backend).via(via);
            let by_w = loss.grad().wrt(["w"]).call(point).unwrap();
            assert_eq!(by_w.to_text(), "[60.0, 80.0]");
            let both = loss.grad().wrt(["w", "y"]).call(point).unwrap();
            assert_eq!(both.to_text(), "([60.0, 80.0], -20.0)");
            let all = loss.value_and_grad().call(point).unwrap();
            assert_eq!(all.to_text(), "(100.0, ([60.0, 80.0], [20.0, 40.0], -20.0))");
        }
    }
}

#[test]
fn every_derivative_has_a_handle() {
    let polar = program().function("polar").unwrap();
    let close = |function: &Function, inputs: &[f64], expected: &[f64]| {
        let names = function.params();
        let named = names.iter().zip(inputs).map(|(name, it)| Argument::real(name, *it));
        let named: Vec<Argument> = named.collect();
        let (_, found) = function.call(named.as_slice()).unwrap().as_reals().unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} for {expected}");
        }
    };
    assert_eq!(polar.jvp().params(), ["r", "t", "dr", "dt"]);
    // d(r cos t, r sin t) = (cos t, sin t) dr + r (-sin t, cos t) dt
    close(&polar.jvp(), &[2.0, 0.0, 3.0, 5.0], &[3.0, 10.0]);
    close(&polar.jvp().wrt(["t"]), &[2.0, 0.0, 5.0], &[0.0, 10.0]);
    close(&polar.jacobian().wrt(["t"]), &[2.0, 0.0], &[0.0, 2.0]);
    let pulled = polar.vjp().call((2.0, 0.0, [7.0, 11.0])).unwrap();
    assert_eq!(pulled.to_text(), "(7.0, 22.0)");
    // r cos t: its second derivative by r and t is -sin t.
    let x = program().expression("\\r, t => polar(r, t)[0]").unwrap();
    assert_eq!(x.hessian().wrt(["t"]).call((2.0, 0.0)).unwrap().as_real(), Some(-2.0));
    assert_eq!(x.hvp().wrt(["t"]).call((2.0, 0.0, 3.0)).unwrap().as_real(), Some(-6.0));
    assert_eq!(
        x.grad().wrt(["t"]).grad().wrt(["t"]).call((2.0, 0.0)).unwrap().as_real(),
        Some(-2.0)
    );
}

/// More threads than cores call one handle, by compiled code and by interpreters.
#[test]
fn threads_share_a_handle() {
    let loss = program().function("loss").unwrap();
    for backend in [Backend::Interp, Backend::Auto] {
        let gradient = loss.backend(backend).grad().wrt(["w"]);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let gradient = gradient.clone();
                scope.spawn(move || {
                    for call in 0..50 {
                        let n = 1 + (thread + call) % 7;
                        let (w, x) = (vec![1.0; n], vec![2.0; n]);
                        let (_, found) = gradient.call((w, x, 1.0)).unwrap().as_reals().unwrap();
                        // 2 (2 n - 1) 2
                        assert_eq!(found, vec![4.0 * (2.0 * n as f64 - 1.0); n]);
                    }
                });
            }
        });
    }
}

/// A call waits for no other: while one runs that never ends, others of the same handle come and go.
#[test]
fn a_call_waits_for_no_other() {
    let text = "def halve(x: Real): Real = while(\\y => y > 1.0, \\y => y * 0.5, x)";
    for backend in [Backend::Interp, Backend::Native] {
        let stop = cotan::Stop::default();
        let halve = Program::new(text).unwrap().function("halve").unwrap().backend(backend);
        assert_eq!(halve.call((4.0,)).unwrap().as_real(), Some(1.0));
        let (endless, others) = (halve.stopped_by(&stop), &halve);
        std::thread::scope(|scope| {
            let endless = scope.spawn(move || endless.call((f64::INFINITY,)));
            let threads = (0..7).map(|_| {
                scope
                    .spawn(|| (0..20).all(|_| others.call((6.0,)).unwrap().as_real() == Some(0.75)))
            });
            assert!(threads.collect::<Vec<_>>().into_iter().all(|it| it.join().unwrap()));
            assert!(!endless.is_finished());
            stop.ask();
            assert_eq!(endless.join().unwrap().unwrap_err().codes(), ["E0614"]);
        });
    }
}

#[test]
fn what_is_wrong_is_an_error() {
    let program = program();
    let codes = |it: Result<cotan::Answer, cotan::Report>| it.unwrap_err().codes();
    assert_eq!(program.function("los").err().unwrap().codes(), ["E0632"]);
    let loss = program.function("loss").unwrap();
    assert_eq!(codes(loss.grad().wrt(["v"]).call(([1.0], [1.0], 1.0))), ["E0620"]);
    assert!(!codes(loss.call(([1.0], [1.0]))).is_empty());
    assert!(!codes(loss.call(([1.0], [1.0], 1.0, 1.0))).is_empty());
    assert!(!codes(loss.call(([1.0], [1.0, 2.0], 1.0))).is_empty());
    assert!(!codes(program.expression("\\x => y").unwrap().call((1.0,))).is_empty());
    assert!(program.expression("\\x =>").is_err());
    let pick = program.function("pick").unwrap();
    assert_eq!(pick.call(([1.0, 2.0], 1_i64)).unwrap().as_real(), Some(2.0));
    let error = pick.call(([1.0, 2.0], 2_i64)).unwrap_err();
    assert_eq!(error.codes(), ["E0601"]);
    assert!(error.render(Style::Plain).contains("x[i]"));
    let error: &(dyn std::error::Error + Send + Sync) = &error;
    assert!(error.to_string().contains("E0601"), "{error}");
}

/// A definition over the reals of any type is run at `Real` by its name, and at other types by an expression
/// that says so. What it gets unseen is shown to nobody.
#[test]
fn definitions_over_any_reals_are_run_by_name() {
    let text = "
        type Point = { x: Real, y: Real }
        def scale(k: Real, x: a): a = map_reals(\\r => k * r, x)
        def again(again, x) = scale(again, scale(again, x))
    ";
    let program = Program::new(text).unwrap();
    let scale = program.function("scale").unwrap();
    assert_eq!(scale.params(), ["k", "x"]);
    let point = program.expression("\\k, x, y => scale(k, Point { x, y }).y").unwrap();
    for backend in [Backend::Interp, Backend::Native] {
        for via in Via::all().filter(|it| *it != Via::Tape) {
            let (scale, point) = (scale.backend(backend).via(via), point.backend(backend).via(via));
            assert_eq!(scale.call((2.0, 3.0)).unwrap().as_real(), Some(6.0));
            assert_eq!(scale.grad().call((2.0, 3.0)).unwrap().to_text(), "(3.0, 2.0)");
            assert_eq!(point.grad().call((2.0, 3.0, 5.0)).unwrap().to_text(), "(5.0, 0.0, 2.0)");
            assert!(scale.call((2.0, [3.0, 4.0])).is_err());
        }
    }
    let mut compiled = Compiler::new(Options::default()).compile("scale.cot", text).unwrap();
    assert_eq!(compiled.type_of("scale").as_deref(), Some("(Real, a) -> a"));
    let arguments = [Argument::real("k", 2.0), Argument::real("x", 3.0)];
    assert_eq!(compiled.call("scale", &arguments).unwrap().as_real(), Some(6.0));
    assert!(compiled.gradcheck("scale", &arguments, &[], 1).unwrap().holds());
    // 4 x of a parameter that is called as the definition is.
    assert!(compiled.gradcheck("again", &[], &[], 2).unwrap().holds());
}
