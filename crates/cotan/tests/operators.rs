//! Derivative operators run by the interpreter by every method, on programs of the core
//! language. Facts are closed forms, given in the comments.

mod nested;

use std::sync::Arc;

use base::Name;
use eval::{
    Array, Derive, Evaluator, Fault, Limits, Mismatch, Mode, Precision, RunError, Tolerance, Value,
    equal,
};
use ir::signature::taped_of;
use ir::{Binder, Def, Lambda, Program, Spans};

struct Derivatives;

impl Derive for Derivatives {
    fn forward_lambda(
        &self,
        program: &Program,
        captured: &[Binder],
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        ad::forward_lambda(program, captured, lambda, next_var, spans)
    }

    fn def(&self, program: &Program, name: &Name) -> Option<Def> {
        let Some((base, mask)) = taped_of(name) else {
            return ad::forward_def(program, name);
        };
        Some(ad::tape_def(program, &ad::forward_def(program, base)?, mask))
    }

    fn reverse_lambda(
        &self,
        program: &Program,
        captured: (&[Binder], &[bool]),
        lambda: &Lambda,
        next_var: u32,
        spans: &Spans,
    ) -> (Lambda, u32, Spans) {
        ad::tape_lambda(program, captured, lambda, next_var, spans)
    }
}

/// The results by forward mode, after a look at whether reverse mode has the same.
fn run(text: &str, sizes: &[i64], args: Vec<Value>) -> Result<Vec<Value>, RunError> {
    let forward = run_via(Mode::Forward, text, sizes, args.clone());
    let tape = run_via(Mode::Reverse, text, sizes, args);
    match (&forward, &tape) {
        (Ok(forward), Ok(tape)) => assert_close(tape, forward),
        (Err(forward), Err(tape)) => assert_eq!(forward.fault, tape.fault),
        _ => panic!("forward gives {forward:?}\ntape gives {tape:?}"),
    }
    forward
}

fn run_via(
    mode: Mode,
    text: &str,
    sizes: &[i64],
    args: Vec<Value>,
) -> Result<Vec<Value>, RunError> {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}\n{text}"));
    let limits = Limits { memory: 1 << 30, precision: Precision::F64, mode };
    let mut evaluator = Evaluator::new(Arc::new(program), Box::new(Derivatives), limits);
    evaluator.call(&Name::new("main"), sizes, args)
}

#[track_caller]
fn check(text: &str, sizes: &[i64], args: Vec<Value>, expected: &[Value]) {
    assert_close(&run(text, sizes, args).unwrap_or_else(|it| panic!("{it:?}")), expected);
}

#[track_caller]
fn assert_close(found: &[Value], expected: &[Value]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let close = Tolerance::close(Precision::F64);
        let same = equal(found, expected, close, &mut 0).expect("no functions");
        assert!(same, "found {found:?}\nexpected {expected:?}");
    }
}

fn real(x: f64) -> Value {
    Value::Real(x)
}

fn reals(data: &[f64]) -> Value {
    Value::array(Array::reals(data.to_vec()))
}

fn matrix(n: usize, m: usize, data: &[f64]) -> Value {
    let data = array::Buffer::Real(data.to_vec());
    Value::from(array::Dense { shape: vec![n, m], data })
}

fn tuple(parts: &[Value]) -> Value {
    Value::tuple(parts.to_vec())
}

/// Of f(x) = sum of x^3 + x0*x1: gradient, Hessian, products, values.
const CUBES: &str = "def f[x0](x1: [x0]Real) -> (x2: Real) {
    x3: [x0]Real = mul x1 x1
    x4: [x0]Real = mul x3 x1
    x5: Real = sum 0 x4
    x6: Real = index x1 (0)
    x7: Real = index x1 (1)
    x8: Real = mul x6 x7
    x9: Real = add x5 x8
    give x9 }
def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [x0]Real, x4: (Real, [x0]Real), x5: [x0][x0]Real, x6: [x0]Real, x7: Real, x8: [x0]Real, x9: [x0]Real) {
    x10: ([x0]Real) -> Real = lambda (x11: [x0]Real) { x12: Real = call f[x0](x11) give x12 }
    x13: [x0]Real = grad 0 x10 (x1)
    x14: (Real, [x0]Real) = value_and_grad 0 x10 (x1)
    x15: [x0][x0]Real = hessian 0 x10 (x1)
    x16: [x0]Real = hvp 0 x10 (x1, x2)
    x17: Real = jvp 0 x10 (x1, x2)
    x18: [x0]Real = vjp 0 x10 (x1, 2.0)
    x19: [x0]Real = jacobian 0 x10 (x1)
    give x13, x14, x15, x16, x17, x18, x19 }";

#[test]
fn every_operator_on_a_function_of_a_vector() {
    // x = (1, 2, 3): gradient 3x^2 + (x1, x0, 0) = (5, 13, 27); Hessian diag(6x) + E01 + E10.
    let gradient = reals(&[5.0, 13.0, 27.0]);
    let hessian = matrix(3, 3, &[6.0, 1.0, 0.0, 1.0, 12.0, 0.0, 0.0, 0.0, 18.0]);
    let expected = [
        gradient.clone(),
        tuple(&[real(38.0), gradient.clone()]),
        hessian,
        reals(&[8.0, 25.0, 18.0]),
        real(5.0 + 26.0 + 27.0),
        reals(&[10.0, 26.0, 54.0]),
        gradient,
    ];
    let args = vec![reals(&[1.0, 2.0, 3.0]), reals(&[1.0, 2.0, 1.0])];
    check(CUBES, &[3], args, &expected);
}

#[test]
fn every_operator_one_level_up() {
    // The derivative along a line x + t v of every operator, at t = 0, v = (1, 2, 1):
    // g' = H v; Hessian' = diag(6v); hvp' = 6 v v; jvp' = v H v; vjp' = 2 H v.
    let inner = CUBES.replace("def main", "def all");
    let text = format!("{inner}
    def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: ([x0]Real, (Real, [x0]Real), [x0][x0]Real, [x0]Real, Real, [x0]Real, [x0]Real)) {{
        x10: (Real) -> ([x0]Real, (Real, [x0]Real), [x0][x0]Real, [x0]Real, Real, [x0]Real, [x0]Real) = lambda (x11: Real) {{
            x12: [x0]Real = mul x11 x2
            x13: [x0]Real = add x1 x12
            x14: [x0]Real, x15: (Real, [x0]Real), x16: [x0][x0]Real, x17: [x0]Real, x18: Real, x19: [x0]Real, x20: [x0]Real = call all[x0](x13, x2)
            x21: ([x0]Real, (Real, [x0]Real), [x0][x0]Real, [x0]Real, Real, [x0]Real, [x0]Real) = tuple (x14, x15, x16, x17, x18, x19, x20)
            give x21
        }}
        x22: ([x0]Real, (Real, [x0]Real), [x0][x0]Real, [x0]Real, Real, [x0]Real, [x0]Real) = jvp 0 x10 (0.0, 1.0)
        give x22 }}");
    let hv = reals(&[8.0, 25.0, 18.0]);
    let expected = tuple(&[
        hv.clone(),
        tuple(&[real(5.0 + 26.0 + 27.0), hv.clone()]),
        matrix(3, 3, &[6.0, 0.0, 0.0, 0.0, 12.0, 0.0, 0.0, 0.0, 6.0]),
        reals(&[6.0, 24.0, 6.0]),
        real(8.0 + 50.0 + 18.0),
        reals(&[16.0, 50.0, 36.0]),
        hv,
    ]);
    let args = vec![reals(&[1.0, 2.0, 3.0]), reals(&[1.0, 2.0, 1.0])];
    check(&text, &[3], args, &[expected]);
}

#[test]
fn jacobians_put_the_structure_of_the_argument_at_every_real() {
    // f(x, y) = ([x*y0, x*y1], (x, 7)): d/dx = (y, (1, 0)), d/dy = (x I, (0, 0)).
    let text =
        "def main(x0: Real, x1: [2]Real) -> (x2: ([2](Real, [2]Real), ((Real, [2]Real), Int))) {
        x3: (Real, [2]Real) -> ([2]Real, (Real, Int)) = lambda (x4: Real, x5: [2]Real) {
            x6: [2]Real = mul x4 x5
            x7: (Real, Int) = tuple (x4, 7)
            x8: ([2]Real, (Real, Int)) = tuple (x6, x7)
            give x8
        }
        x9: ([2](Real, [2]Real), ((Real, [2]Real), Int)) = jacobian 0 x3 (x0, x1)
        give x9 }";
    let found = run(text, &[], vec![real(3.0), reals(&[4.0, 5.0])]).unwrap();
    let Value::Tuple(parts) = &found[0] else { panic!("{found:?}") };
    let Value::Array(rows) = &parts[0] else { panic!("{found:?}") };
    let row = |i: usize, expected: Value| {
        assert!(equal(&rows.row(1, i), &expected, Tolerance::Exact, &mut 0).unwrap(), "{rows:?}");
    };
    row(0, tuple(&[real(4.0), reals(&[3.0, 0.0])]));
    row(1, tuple(&[real(5.0), reals(&[0.0, 3.0])]));
    let expected = tuple(&[tuple(&[real(1.0), reals(&[0.0, 0.0])]), Value::Int(0)]);
    assert!(equal(&parts[1], &expected, Tolerance::Exact, &mut 0).unwrap(), "{found:?}");
}

#[test]
fn gradients_of_sums_and_arrays_of_tuples() {
    // A list of pairs (weight, value) folded to the sum of products.
    let text = "data List = Nil() | Cons((Real, Int), [2]Real, List)
    def total(x0: List) -> (x1: Real) {
        x2: Real = match x0 {
            Nil() { give 0.0 }
            Cons(x3: (Real, Int), x4: [2]Real, x5: List) {
                x6: Real = proj x3 0
                x7: Real = product 0 x4
                x8: Real = mul x6 x7
                x9: Real = call total(x5)
                x10: Real = add x8 x9
                give x10
            }
        }
        give x2 }
    def main(x0: Real) -> (x1: List, x2: [2](Real, Real)) {
        x3: List = con List Nil()
        x4: (Real, Int) = tuple (x0, 3)
        x5: [2]Real = array Real (4.0, 5.0)
        x6: List = con List Cons(x4, x5, x3)
        x7: List = con List Cons(x4, x5, x6)
        x8: (List) -> Real = lambda (x9: List) { x10: Real = call total(x9) give x10 }
        x11: List = grad 0 x8 (x7)
        x12: [2](Real, Real) = tuple 1 (x5, x5)
        x13: ([2](Real, Real)) -> Real = lambda (x14: [2](Real, Real)) {
            x15: [2]Real = proj x14 0
            x16: [2]Real = proj x14 1
            x17: [2]Real = mul x15 x16
            x18: [2]Real = mul x17 x16
            x19: Real = sum 0 x18
            give x19
        }
        x20: [2](Real, Real) = grad 0 x13 (x12)
        give x11, x20 }";
    let found = run(text, &[], vec![real(2.0)]).unwrap();
    let Value::Data(first) = &found[0] else { panic!("{found:?}") };
    let same = |x: &Value, y: Value| {
        assert!(equal(x, &y, Tolerance::Exact, &mut 0).unwrap(), "{x:?} {y:?}");
    };
    // The discrete part of the derivative is zero.
    same(&first.fields[0], tuple(&[real(20.0), Value::Int(0)]));
    same(&first.fields[1], reals(&[10.0, 8.0]));
    let Value::Array(pairs) = &found[1] else { panic!("{found:?}") };
    // d(x y^2) = (y^2, 2 x y)
    same(&pairs.row(1, 0), tuple(&[real(16.0), real(32.0)]));
    same(&pairs.row(1, 1), tuple(&[real(25.0), real(50.0)]));
}

#[test]
fn directions_of_another_shape_are_refused() {
    let text = "def main[x0, x1](x2: [x0]Real, x3: [x1]Real) -> (x4: Real) {
        x5: ([x0]Real) -> Real = lambda (x6: [x0]Real) { x7: Real = sum 0 x6 give x7 }
        x8: Real = jvp 0 x5 (x2, x3)
        give x8 }";
    let error = run(text, &[2, 3], vec![reals(&[1.0; 2]), reals(&[1.0; 3])]).unwrap_err();
    let sizes = Mismatch::Sizes { value: vec![2], given: vec![3] };
    assert_eq!(error.fault, Fault::Tangent(sizes));
    assert_eq!(error.to_diagnostic(base::Span::default()).code.0, "E0611");
    let text = "data Choice = Left(Real) | Right(Real)
    def main(x2: Real) -> (x4: Real) {
        x0: Choice = con Choice Left(x2)
        x1: Choice = con Choice Right(x2)
        x5: (Choice) -> Real = lambda (x6: Choice) { x7: Real = match x6 { Left(x8: Real) { give x8 } Right(x9: Real) { give x9 } } give x7 }
        x10: Real = jvp 0 x5 (x0, x1)
        give x10 }";
    let error = run(text, &[], vec![real(1.0)]).unwrap_err();
    let names = Mismatch::Constructor { value: Name::new("Left"), given: Name::new("Right") };
    assert_eq!(error.fault, Fault::Tangent(names));
}

#[test]
fn zero_directions_meet_infinite_partials_without_nan() {
    // d/dx sqrt(x) at 0 is infinite; along y alone it does not matter.
    let text = "def main(x0: Real) -> (x1: (Real, Real)) {
        x2: (Real, Real) -> Real = lambda (x3: Real, x4: Real) { x5: Real = sqrt x3 x6: Real = mul x4 2.0 x7: Real = add x5 x6 give x7 }
        x8: (Real, Real) = grad 0 x2 (x0, 1.0)
        give x8 }";
    check(text, &[], vec![real(0.0)], &[tuple(&[real(f64::INFINITY), real(2.0)])]);
}

#[test]
fn arguments_without_reals_have_derivatives_without_reals() {
    let text = "def main[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real, x4: Int, x5: (Real, Int), x6: [x0][x0]Real) {
        x7: ([x0]Real) -> Real = lambda (x8: [x0]Real) { x9: Real = sum 0 x8 give x9 }
        x10: [x0]Real = grad 0 x7 (x1)
        x11: (Int) -> Real = lambda (x12: Int) { x13: Real = real x12 give x13 }
        x14: Int = grad 0 x11 (x2)
        x15: (Real, Int) = value_and_grad 0 x11 (x2)
        x16: [x0][x0]Real = hessian 0 x7 (x1)
        give x10, x14, x15, x16 }";
    let found = run(text, &[0], vec![reals(&[]), Value::Int(5)]).unwrap();
    let expected = [reals(&[]), Value::Int(0), tuple(&[real(5.0), Value::Int(0)])];
    for (found, expected) in found.iter().zip(&expected) {
        assert!(equal(found, expected, Tolerance::Exact, &mut 0).unwrap(), "{found:?}");
    }
}

/// The derivative of sin(x * x) and its own derivative.
const TWICE: &str = "def main(x0: Real) -> (x1: Real) {
    x2: (Real) -> Real = lambda (x3: Real) {
        x4: (Real) -> Real = lambda (x5: Real) {
            x6: Real = mul x5 x3
            x7: Real = sin x6
            give x7 }
        x8: Real = grad 0 x4 (x3)
        give x8 }
    x9: Real = grad 0 x2 (x0)
    give x9 }";

#[test]
fn an_evaluator_takes_all_its_code_with_it() {
    let program: Arc<Program> = Arc::new(TWICE.parse().unwrap());
    let ir::Op::Function(ir::FunctionOp::Lambda(lambda)) =
        &program.defs[&Name::new("main")].body.stmts[0].op
    else {
        panic!("the first statement is a lambda");
    };
    for mode in [Mode::Forward, Mode::Reverse] {
        let limits = Limits { memory: 1 << 30, precision: Precision::F64, mode };
        let mut evaluator = Evaluator::new(program.clone(), Box::new(Derivatives), limits);
        // x cos(x * y) at y = x, then by both: cos(x * x) - 2 x * x sin(x * x).
        let found = evaluator.call(&Name::new("main"), &[], vec![real(0.5)]).unwrap();
        assert_close(&found, &[real(0.25f64.cos() - 0.5 * 0.25f64.sin())]);
        drop(evaluator);
        assert_eq!(Arc::strong_count(lambda), 1, "{mode:?}");
    }
}

#[test]
fn errors_of_a_function_without_reals_are_errors_of_its_derivatives() {
    // No method has a run to make for the reals of an empty array; the function runs all the same.
    for operator in ["grad", "value_and_grad", "hessian", "jacobian"] {
        let result = match operator {
            "value_and_grad" => "(Real, [0]Real)",
            "hessian" => "[0][0]Real",
            _ => "[0]Real",
        };
        let text = format!(
            "def main(x0: [0]Real) -> (x1: {result}) {{
            x2: ([0]Real) -> Real = lambda (x3: [0]Real) {{ x4: Real = index x3 (0) give x4 }}
            x5: {result} = {operator} 0 x2 (x0)
            give x5 }}"
        );
        let error = run(&text, &[], vec![reals(&[])]).unwrap_err();
        assert_eq!(error.fault, Fault::Index { index: 0, size: 0, axis: 0 }, "{operator}");
    }
}
