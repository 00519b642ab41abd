//! What people do with the library: calls again and again, arrays in and out.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

mod bundle;
mod elements;
mod patterns;
mod sets;
mod sparse;

use crate::common::choices;
use cotan::{
    Argument, ArgumentData, Backend, Compiled, Compiler, Options, Precision, Report, Style, Via,
};

const TEXT: &str = "
    type Line = { slope: Real, offset: Real }
    def product(x: Real, y: Real): Real = x * y
    def dot_and_gradient(x: [n]Real, y: [n]Real): (Real, ([n]Real, [n]Real)) =
      value_and_grad(\\a, b => sum(a * b))(x, y)
    def scaled(m: [r][c]Real, k: Real): [r][c]Real = map(\\row => k * row, m)
    def lines(x: [n]Real): [n]Line = map(\\s => Line { slope: s, offset: 2.0 * s }, x)
    def depth(n: Int): Int = if n == 0 then 0 else 1 + depth(n - 1)
    def adder(x: Real): Real -> Real = \\y => x + y
";

fn program(precision: Precision) -> Compiled {
    let options = Options { precision, ..Options::default() };
    Compiler::new(options).compile("library.cot", TEXT).unwrap()
}

fn message(report: &Report) -> String {
    report.render(Style::Plain)
}

#[test]
fn a_definition_can_be_called_again_with_other_arguments() {
    let mut program = program(Precision::F64);
    for i in 0..100 {
        let x = f64::from(i);
        let arguments = [Argument::real("x", x), Argument::real("y", x + 1.0)];
        assert_eq!(program.call("product", &arguments).unwrap().as_real(), Some(x * (x + 1.0)));
    }
    for n in [0, 1, 5, 3] {
        let x = Argument::owned_reals("x", &[n], vec![2.0; n]);
        let y = Argument::reals("y", &[n], &vec![3.0; n]);
        let answer = program.call("dot_and_gradient", &[x, y]).unwrap();
        assert_eq!(answer.type_text(), format!("(Real, ([{n}]Real, [{n}]Real))"));
        assert_eq!(answer.slices(), [&[6.0 * n as f64][..], &vec![3.0; n], &vec![2.0; n]]);
    }
}

#[test]
fn calls_and_expressions_can_alternate() {
    let mut program = program(Precision::F64);
    for _ in 0..3 {
        let arguments = [Argument::real("x", 2.0), Argument::real("y", 3.0)];
        assert_eq!(program.call("product", &arguments).unwrap().as_real(), Some(6.0));
        let sum = program.eval("product(x, y) + 1.0", &arguments).unwrap();
        assert_eq!(sum.as_real(), Some(7.0));
    }
}

#[test]
fn arguments_keep_their_elements_when_they_are_used_again() {
    let mut program = program(Precision::F64);
    let m = Argument::reals("m", &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    for k in [1.0, 10.0, 0.5] {
        let answer = program.call("scaled", &[m.clone(), Argument::real("k", k)]).unwrap();
        let (shape, data) = answer.as_slice().unwrap();
        assert_eq!((shape, data), (&[2, 2][..], &[k, 2.0 * k, 3.0 * k, 4.0 * k][..]));
        assert_eq!(answer.as_reals(), Some((vec![2, 2], data.to_vec())));
    }
}

#[test]
fn arrays_of_records_are_read_by_columns() {
    let mut program = program(Precision::F64);
    let answer = program.call("lines", &[Argument::reals("x", &[2], &[1.0, 2.0])]).unwrap();
    assert_eq!(answer.slices(), [[1.0, 2.0], [2.0, 4.0]]);
    assert_eq!(answer.as_slice(), None);
}

#[test]
fn reals_are_rounded_in_single_precision() {
    let mut program = program(Precision::F32);
    let arguments = [Argument::real("x", 0.1), Argument::real("y", 1.0)];
    let answer = program.call("product", &arguments).unwrap();
    assert_eq!(answer.as_real(), Some(f64::from(0.1f32)));
    let m = Argument::reals("m", &[1, 1], &[0.1]);
    let answer = program.call("scaled", &[m, Argument::real("k", 1.0)]).unwrap();
    assert_eq!(answer.slices(), [[f64::from(0.1f32)]]);
}

#[test]
fn wrong_arguments_are_told_on_every_call() {
    let mut program = program(Precision::F64);
    let good = [Argument::real("x", 2.0), Argument::real("y", 3.0)];
    for _ in 0..2 {
        let (x, y) = (good[0].clone(), good[1].clone());
        let told = |program: &mut Compiled, arguments: &[Argument]| {
            message(&program.call("product", arguments).unwrap_err())
        };
        assert!(told(&mut program, &[x.clone(), x.clone()]).contains('y'));
        assert!(told(&mut program, std::slice::from_ref(&x)).contains("`y`"));
        let z = Argument::real("z", 1.0);
        assert!(told(&mut program, &[x.clone(), y.clone(), z]).contains("`z`"));
        let array = Argument::reals("y", &[1], &[1.0]);
        assert!(told(&mut program, &[x.clone(), array]).contains("real numbers of shape (1,)"));
        assert!(program.call("product", &[y, x]).is_ok(), "in any order");
    }
}

#[test]
fn elements_that_do_not_fill_their_shape_are_refused() {
    let mut program = program(Precision::F64);
    for shape in [&[3][..], &[2, 2], &[], &[usize::MAX, 2]] {
        let x = Argument::reals("x", shape, &[1.0, 2.0]);
        assert!(matches!(x.data, ArgumentData::Array(_)));
        let report = program.call("lines", &[x]).unwrap_err();
        assert!(message(&report).contains("2 elements do not fill the shape"), "{shape:?}");
    }
}

#[test]
fn deep_recursion_runs_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(|| {
        let mut program = program(Precision::F64);
        for _ in 0..3 {
            let answer = program.call("depth", &[Argument::json("n", "20000")]).unwrap();
            assert_eq!(answer.to_text(), "20000");
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn functions_are_no_answers_on_any_call() {
    let mut program = program(Precision::F64);
    for _ in 0..2 {
        let report = program.call("adder", &[Argument::real("x", 2.0)]).unwrap_err();
        assert!(message(&report).contains("Real -> Real"));
    }
}

/// Loops that record scalars, arrays, and gradients of their own.
const RECORDING: &str = "
    def scalars(n: Int, x: Real): Real = grad(\\y => iterate(n, \\z => z * 1.0, y))(x)
    def arrays(n: Int, x: Real): Real =
      grad(\\y => sum(iterate(n, \\z => z * 1.0, replicate(3, y))))(x)
    def gradients(n: Int, x: Real): Real =
      grad(\\y => iterate(n, \\z => grad(\\w => w * z)(1.0), y))(x)
    def sizes(n: Int, x: Real): Real = grad(\\y => sum(replicate(n, y) * 1.0))(x) / real(n)
";

#[test]
fn a_tape_that_is_too_long_leaves_nothing_behind() {
    let options = Options { memory: 8 << 20, via: Via::Tape, ..Options::default() };
    let mut program = Compiler::new(options).compile("tape.cot", RECORDING).unwrap();
    // More often than the memory limit would forgive.
    for _ in 0..5 {
        for (name, slope) in [("scalars", 1.0), ("arrays", 3.0), ("gradients", 1.0)] {
            let mut call =
                |n: &str| program.call(name, &[Argument::json("n", n), Argument::real("x", 2.0)]);
            assert_eq!(call("5000").unwrap().as_real(), Some(slope), "{name}");
            let report = message(&call("10000000").unwrap_err());
            assert!(report.contains("E0613"), "{name}: {report}");
            assert!(report.contains("this loop recorded"), "{name}: {report}");
        }
        let at = |n: &str| [Argument::json("n", n), Argument::real("x", 2.0)];
        assert_eq!(program.call("sizes", &at("20000")).unwrap().as_real(), Some(1.0));
        program.call("sizes", &at("300000")).unwrap_err();
    }
}

#[test]
fn the_same_expression_is_compiled_once() {
    // As many as would take minutes if each of them were checked and compiled.
    let mut program = program(Precision::F64);
    for i in 0..2000 {
        let arguments = [Argument::real("x", f64::from(i)), Argument::real("y", 3.0)];
        let sum = program.eval("grad(\\z => product(x, z))(y) + 1.0", &arguments).unwrap();
        assert_eq!(sum.as_real(), Some(f64::from(i) + 1.0));
    }
    // Arguments of other types are another program.
    let x = Argument::reals("x", &[2], &[1.0, 2.0]);
    assert_eq!(program.eval("sum(x)", &[x]).unwrap().as_real(), Some(3.0));
    let x = Argument::reals("x", &[3], &[1.0, 2.0, 4.0]);
    assert_eq!(program.eval("sum(x)", &[x]).unwrap().as_real(), Some(7.0));
}

#[test]
fn no_limit_of_memory_is_a_limit_like_others() {
    for backend in [Backend::Auto, Backend::Interp, Backend::Native] {
        let options = Options { memory: u64::MAX, backend, ..Options::default() };
        let mut program = Compiler::new(options).compile("library.cot", TEXT).unwrap();
        let arguments = [Argument::real("x", 2.0), Argument::real("y", 3.0)];
        assert_eq!(program.call("product", &arguments).unwrap().as_real(), Some(6.0));
    }
}

#[test]
fn a_literal_of_very_many_reals() {
    // The sum of `i + 0.5` for `i` below n is n * n / 2.
    let n = 200_000_u32;
    let elements: Vec<String> = (0..n).map(|i| format!("{i}.5")).collect();
    let text = format!("def xs = [{}]\ndef f(y: Real): Real = sum(xs * y)", elements.join(", "));
    for backend in [Backend::Interp, Backend::Native] {
        let options = Options { backend, ..Options::default() };
        let mut program = Compiler::new(options).compile("literal.cot", &text).unwrap();
        let answer = program.call("f", &[Argument::real("y", 2.0)]).unwrap();
        assert_eq!(answer.as_real(), Some(f64::from(n) * f64::from(n)), "{backend:?}");
    }
}

/// What people hold on to can be sent to another thread, and dropped there.
#[test]
fn values_go_from_thread_to_thread() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Compiler>();
    is_shared::<Compiled>();
    is_shared::<cotan::Prepared>();
    is_shared::<cotan::Linearisation>();
    is_shared::<cotan::Answer>();
    is_shared::<Argument>();
    is_shared::<Report>();
    // A thread whose answers are dropped by others does not run out of memory.
    let options = Options { backend: Backend::Interp, memory: 8 << 20, ..Options::default() };
    let mut program = Compiler::new(options).compile("library.cot", TEXT).unwrap();
    for _ in 0..100 {
        let n = 1 << 16;
        let m = Argument::owned_reals("m", &[1, n], vec![1.0; n]);
        let answer = program.call("scaled", &[m, Argument::real("k", 3.0)]).unwrap();
        let sum = std::thread::spawn(move || {
            let (_, data) = answer.as_slice().unwrap();
            data.iter().sum::<f64>()
        });
        assert_eq!(sum.join().unwrap(), 3.0 * n as f64);
    }
}

#[test]
fn a_tangent_and_a_cotangent_of_another_form_are_called_so() {
    let text = "data Choice = Left(Real) | Right(Real)
        def f(c: Choice): Real = match c { Left(x) => x * x, Right(x) => x }
        def g(x: Real): Choice = if x > 0.0 then Left(x) else Right(x)
        def along = jvp(f)(Left(1.0), Right(1.0))
        def curved = hvp(f)(Left(1.0), Right(1.0))
        def back = vjp(g)(1.0)(Right(1.0))
        def back_in_a_loop = sum(map(\\x => vjp(g)(x)(Right(1.0)), [1.0, 2.0]))";
    for via in choices::all() {
        for backend in [Backend::Interp, Backend::Native] {
            if backend == Backend::Native && !choices::is_compiled(via) {
                continue; // Interpreted only.
            }
            let options = Options { via, backend, ..Options::default() };
            let mut program = Compiler::new(options).compile("forms.cot", text).unwrap();
            for (main, word) in [
                ("along", "tangent"),
                ("curved", "tangent"),
                ("back", "cotangent"),
                ("back_in_a_loop", "cotangent"),
            ] {
                let said = message(&program.call(main, &[]).unwrap_err());
                let title = format!("error[E0611]: a {word} has not the shape of its value\n");
                assert!(said.starts_with(&title), "{via:?} {backend:?} {main}: {said}");
                assert!(said.contains(&format!("its {word} ")), "{via:?} {backend:?}: {said}");
            }
        }
    }
}

/// What an editor does with `"repair"`: puts the replacements into lines and columns.
#[test]
fn repairs_in_json_are_edits_that_mend_the_text() {
    let right = "def g(n: Int): Real =\n  2.0 * real(n)\ndef f(x: Real) = grad(sin)(x)\n";
    for (wrong, n_edits) in [
        ("def g(n: Int): Real =\n  2.0 * n\ndef f(x: Real) = grad(sin)(x)\n", 2),
        ("def g(n: Int): Real =\n  2.0 * real(n)\ndef f(x: Real) = grad(sin, x)\n", 1),
        ("def g(n: Int): Real =\n  2.0 * real(n)\ndef f(x: Real) = grad(sni)(x)\n", 1),
    ] {
        let report = Compiler::new(Options::default()).compile("r.cot", wrong).err().unwrap();
        let errors: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        let edits = errors[0]["repair"]["edits"].as_array().unwrap().clone();
        assert_eq!(edits.len(), n_edits, "{errors}");
        let offset = |line: &serde_json::Value, column: &serde_json::Value| {
            let number = |it: &serde_json::Value| it.as_u64().unwrap() as usize - 1;
            let before = wrong.split_inclusive('\n').take(number(line)).map(str::len);
            before.sum::<usize>() + number(column)
        };
        let mut text = wrong.to_string();
        for edit in edits.iter().rev() {
            let from = offset(&edit["line"], &edit["column"]);
            let to = offset(&edit["end_line"], &edit["end_column"]);
            text.replace_range(from..to, edit["replacement"].as_str().unwrap());
        }
        assert_eq!(text, right, "{errors}");
    }
    let report = Compiler::new(Options::default()).compile("r.cot", "def f = y").err().unwrap();
    let errors: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert!(errors[0]["repair"].is_null() && errors[0]["code"] == "E0201", "{errors}");
}

/// A linearisation is held, called and dropped; the function runs when it is made and not again. Facts: the
/// gradient of a product of three is that of the others, and `lgamma` is what only a run computes.
#[test]
fn a_linearisation_is_a_value() {
    let text = "def f(x: [n]Real, k: Real): Real = k * fold(\\s, y => s * y, lgamma(3.0) - log(2.0) + 1.0, x)";
    for via in [Via::Auto, Via::Forward] {
        let options = Options { via, ..Options::default() };
        let mut program = Compiler::new(options).compile("library.cot", text).unwrap();
        let x = Argument::reals("x", &[3], &[2.0, 3.0, 5.0]);
        let mut at = program.linearise("f", &[x, Argument::real("k", 2.0)]).unwrap();
        assert!((at.value().as_real().unwrap() - 60.0).abs() < 1e-12);
        assert_eq!(at.value().cost().counts["lgamma"], 1);
        for c in [1.0, 0.5] {
            let cotangent = program.pull(&mut at, &Argument::real("dy", c)).unwrap();
            let expected = [vec![30.0 * c, 20.0 * c, 12.0 * c], vec![30.0 * c]];
            for (found, expected) in cotangent.slices().into_iter().zip(&expected) {
                assert!(
                    found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12),
                    "{found:?}"
                );
            }
            // Another program may be asked in between.
            assert_eq!(
                program.eval("f([c], 1.0)", &[Argument::real("c", c)]).unwrap().as_real(),
                Some(c)
            );
        }
        let along = Argument::json("dx", "[[1, 0, 1], 10]");
        let tangent = program.push(&mut at, &along).unwrap();
        assert!((tangent.as_real().unwrap() - (30.0 + 12.0 + 300.0)).abs() < 1e-12);
        let wrong = program.push(&mut at, &Argument::json("dx", "[[1, 0], 10]")).err().unwrap();
        assert!(message(&wrong).contains("E0623"), "{}", message(&wrong));
        let wrong =
            program.linearise("\\x => x && true", &[Argument::real("y", 1.0)]).err().unwrap();
        assert!(!message(&wrong).is_empty());
    }
}
