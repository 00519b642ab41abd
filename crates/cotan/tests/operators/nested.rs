//! Derivatives inside of derivatives, and of functions that are values.

use super::{check, real};

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
fn a_function_without_reals_may_capture_some_and_be_differentiated() {
    // The inner function is one of integers, but a gradient in it sees x.
    let text = "def main(x0: Real) -> (x1: Real) {
        x2: (Real) -> Real = lambda (x3: Real) {
            x4: (Int) -> Int = lambda (x5: Int) {
                x6: (Real) -> Real = lambda (x7: Real) { x8: Real = mul x3 x7 give x8 }
                x9: Real = grad 0 x6 (1.0)
                x10: Int = int x9
                give x10
            }
            x11: Int = jvp 0 x4 (5, 0)
            x12: Int = apply x4 (x11)
            x13: Real = real x12
            x14: Real = mul x3 x13
            give x14
        }
        x15: Real = grad 0 x2 (x0)
        give x15 }";
    // x * int(x) at 3.5: the integer has no derivative.
    check(text, &[], vec![real(3.5)], &[real(3.0)]);
}
