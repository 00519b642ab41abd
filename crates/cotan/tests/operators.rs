//! Derivative operators run by the interpreter with forward derivatives, on programs of the core
//! language. Facts are closed forms, given in the comments.

use std::sync::Arc;

use base::Name;
use eval::{
    Array, Derive, Evaluator, Fault, Limits, Mismatch, Precision, RunError, Tolerance, Value, equal,
};
use ir::{Binder, Def, Lambda, Program, Spans};

struct Forward;

impl Derive for Forward {
    fn lambda(
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
        ad::forward_def(program, name)
    }
}

fn run(text: &str, sizes: &[i64], args: Vec<Value>) -> Result<Vec<Value>, RunError> {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}\n{text}"));
    let limits = Limits { memory: 1 << 30, precision: Precision::F64 };
    Evaluator::new(Arc::new(program), Box::new(Forward), limits).call(
        &Name::new("main"),
        sizes,
        args,
    )
}

#[track_caller]
fn check(text: &str, sizes: &[i64], args: Vec<Value>, expected: &[Value]) {
    let found = run(text, sizes, args).unwrap_or_else(|it| panic!("{it:?}"));
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

#[test]
fn a_derivative_sees_what_its_function_captured_from_another() {
    // d/dx (d/dy (x*x*y) at y=2) at x=3 is 2x = 6.
    let text = "def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) {
            x4: (Real) -> Real = lambda (x5: Real) { x6: Real = mul x3 x5 x7: Real = mul x3 x6 give x7 }
            x8: Real = grad 0 x4 (2.0)
            give x8
        }
        x9: Real = grad 0 x2 (x0)
        give x9 }";
    check(text, &[], vec![real(3.0)], &[real(6.0)]);
}

#[test]
fn no_perturbation_is_confused_with_another() {
    // d/dx (x * d/dy (x + y) at y=1) at x=1 is 1, not 2 (Siskind and Pearlmutter).
    let text = "def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) {
            x4: (Real) -> Real = lambda (x5: Real) { x6: Real = add x3 x5 give x6 }
            x7: Real = grad 0 x4 (1.0)
            x8: Real = mul x3 x7
            give x8
        }
        x9: Real = grad 0 x2 (x0)
        give x9 }";
    check(text, &[], vec![real(1.0)], &[real(1.0)]);
}

#[test]
fn three_nested_gradients() {
    // d3/dx3 x^5 = 60 x^2, by gradients of gradients of functions that call each other.
    let text = "def p(x0: Real) -> (x1: Real) { x2: Real = pow x0 5.0 give x2 }
    def p1(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) { x4: Real = call p(x3) give x4 }
        x5: Real = grad 0 x2 (x0) give x5 }
    def p2(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) { x4: Real = call p1(x3) give x4 }
        x5: Real = grad 0 x2 (x0) give x5 }
    def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) { x4: Real = call p2(x3) give x4 }
        x5: Real = grad 0 x2 (x0) give x5 }";
    check(text, &[], vec![real(1.5)], &[real(135.0)]);
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
fn functions_in_the_state_of_a_loop_are_differentiated() {
    // Composing \\y => x*y three times: x^3 * y; d/dx at x=2, y=5 is 3*4*5 = 60.
    let text = "def main(x0: Real) -> (x1: Real, x2: Real) {
        x3: (Real) -> Real = lambda (x4: Real) {
            x5: (Real) -> Real = lambda (x6: Real) { give x6 }
            x7: (Real) -> Real = iterate x8 < 3 (x9: (Real) -> Real = x5) {
                x10: (Real) -> Real = lambda (x11: Real) { x12: Real = mul x4 x11 x13: Real = apply x9 (x12) give x13 }
                give x10
            }
            x14: Real = apply x7 (5.0)
            give x14
        }
        x15: Real = grad 0 x3 (x0)
        x16: Real = hessian 0 x3 (x0)
        give x15, x16 }";
    // The second derivative is 6 x y = 60.
    check(text, &[], vec![real(2.0)], &[real(60.0), real(60.0)]);
}

#[test]
fn constant_functions_are_lifted_inside_of_derivatives() {
    // g is constant, but chosen in a loop together with an active one:
    // h(x) = d/dy [(if x > 0 then (y => x*y*y) else square)(y)] at y=3, = 6x; h'(x) = 6.
    let text = "def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) { x4: Real = mul x3 x3 give x4 }
        x5: (Real) -> Real = lambda (x6: Real) {
            x7: Bool = gt x6 0.0
            x8: (Real) -> Real = if x7 {
                x9: (Real) -> Real = lambda (x10: Real) { x11: Real = apply x2 (x10) x12: Real = mul x6 x11 give x12 }
                give x9
            } else { give x2 }
            x13: Real = grad 0 x8 (3.0)
            give x13
        }
        x14: Real = grad 0 x5 (x0)
        give x14 }";
    check(text, &[], vec![real(2.0)], &[real(6.0)]);
    check(text, &[], vec![real(-2.0)], &[real(0.0)]);
}

#[test]
fn functions_are_lifted_at_higher_levels_too() {
    // g(y) = z*y^2 is constant in x, but captures z, which is active outside:
    // F(z) = d/dx [x * d/dy g(y) at y=3] at x=-2 is 6z, so F'(z) = 6 and F(z) = 6z.
    let text = "def main(x0: Real) -> (x1: Real, x30: Real, x31: Real) {
        x2: (Real) -> Real = lambda (x3: Real) {
            x4: (Real) -> Real = lambda (x5: Real) { x6: Real = mul x5 x5 x7: Real = mul x3 x6 give x7 }
            x8: (Real) -> Real = lambda (x9: Real) {
                x10: Bool = gt x9 0.0
                x11: (Real) -> Real = if x10 {
                    x12: (Real) -> Real = lambda (x13: Real) { x14: Real = mul x9 x13 give x14 }
                    give x12
                } else { give x4 }
                x15: Real = grad 0 x11 (3.0)
                x16: Real = mul x9 x15
                give x16
            }
            x17: Real = grad 0 x8 (-2.0)
            x18: Real = mul x17 x3
            give x18
        }
        x19: Real = apply x2 (x0)
        x20: Real = grad 0 x2 (x0)
        x21: Real = hessian 0 x2 (x0)
        give x19, x20, x21 }";
    // With the last factor: 6 z^2, 12 z, 12.
    check(text, &[], vec![real(5.0)], &[real(150.0), real(60.0), real(12.0)]);
}

#[test]
fn lifted_functions_of_functions_turn_their_arguments() {
    // slope(f) = f'(3) is constant, but chosen against an active function, inside of a derivative in
    // a derivative: d/dz d/dx [x * slope(y => z*x*y*y)] at x=2.
    let text = "def main(x0: Real) -> (x1: Real) {
        x40: ((Real) -> Real) -> Real = lambda (x41: (Real) -> Real) { x42: Real = grad 0 x41 (3.0) give x42 }
        x2: (Real) -> Real = lambda (x3: Real) {
            x8: (Real) -> Real = lambda (x9: Real) {
                x10: Bool = gt x9 100.0
                x11: ((Real) -> Real) -> Real = if x10 {
                    x12: ((Real) -> Real) -> Real = lambda (x13: (Real) -> Real) { give x9 }
                    give x12
                } else { give x40 }
                x14: (Real) -> Real = lambda (x15: Real) {
                    x16: Real = mul x15 x15 x17: Real = mul x16 x3 x18: Real = mul x17 x9 give x18 }
                x19: Real = apply x11 (x14)
                x20: Real = mul x9 x19
                give x20
            }
            x21: Real = grad 0 x8 (2.0)
            give x21
        }
        x22: Real = grad 0 x2 (x0)
        give x22 }";
    // grad at y=3 of z*x*y^2 is 6 z x; times x: 6 z x^2; d/dx at 2: 24 z; d/dz: 24.
    check(text, &[], vec![real(5.0)], &[real(24.0)]);
}

#[test]
fn stopped_functions_and_values_are_constant() {
    // d/dx x * stop(x) = x; of stop(f)(x) with f = y => x*y it is x.
    let text = "def main(x0: Real) -> (x1: Real, x2: Real) {
        x3: (Real) -> Real = lambda (x4: Real) { x5: Real = stop_gradient x4 x6: Real = mul x4 x5 give x6 }
        x7: Real = grad 0 x3 (x0)
        x8: (Real) -> Real = lambda (x9: Real) {
            x10: (Real) -> Real = lambda (x11: Real) { x12: Real = mul x9 x11 give x12 }
            x13: (Real) -> Real = stop_gradient x10
            x14: Real = apply x13 (x9)
            give x14
        }
        x15: Real = grad 0 x8 (x0)
        give x7, x15 }";
    check(text, &[], vec![real(3.0)], &[real(3.0), real(3.0)]);
}

#[test]
fn functions_that_return_derivatives_nest_at_every_level() {
    // k(a) = d/dx (x^2 * d/dy (a*y^3 * x) at y=x) at x=a:  d/dx 3 a x^5 = 15 a x^4 -> 15 a^5; its
    // derivative is 75 a^4.
    let text = "def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) {
            x4: (Real) -> Real = lambda (x5: Real) {
                x6: (Real) -> Real = lambda (x7: Real) {
                    x8: Real = pow x7 3.0
                    x9: Real = mul x3 x8
                    x10: Real = mul x9 x5
                    give x10
                }
                x11: Real = grad 0 x6 (x5)
                x12: Real = mul x5 x5
                x13: Real = mul x12 x11
                give x13
            }
            x14: Real = grad 0 x4 (x3)
            give x14
        }
        x15: Real = grad 0 x2 (x0)
        give x15 }";
    check(text, &[], vec![real(2.0)], &[real(75.0 * 16.0)]);
}

#[test]
fn directions_of_another_shape_are_refused() {
    let text = "def main[x0, x1](x2: [x0]Real, x3: [x1]Real) -> (x4: Real) {
        x5: ([x0]Real) -> Real = lambda (x6: [x0]Real) { x7: Real = sum 0 x6 give x7 }
        x8: Real = jvp 0 x5 (x2, x3)
        give x8 }";
    let error = run(text, &[2, 3], vec![reals(&[1.0; 2]), reals(&[1.0; 3])]).unwrap_err();
    let sizes = Mismatch::Sizes { value: vec![2], tangent: vec![3] };
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
    let names = Mismatch::Constructor { value: Name::new("Left"), tangent: Name::new("Right") };
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
