//! Derivative operators become operators of definitions.

use expect_test::expect;

use crate::check;

/// What the function captured stands in front, and the sizes it mentions are sizes.
#[test]
fn captured_values_stand_in_front() {
    check(
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [x0]Real) {
            x4: ([x0]Real) -> Real = lambda (x5: [x0]Real) {
                x6: [x0]Real = mul x1 x5
                x7: Real = sum 0 x6
                give x7
            }
            x8: [x0]Real = grad 0 x4 (x2)
            give x8 }",
        expect![[r#"
            def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [x0]Real) {
              x4: [x0]Real = derivative grad main_lambda[x0] (x1) (x2)
              give x4
            }

            def main_lambda[x0](x1: [x0]Real, x2: [x0]Real) -> (x5: Real) {
              x3: [x0]Real = mul x1 x2
              x4: Real = sum 0 x3
              give x4
            }
        "#]],
    );
}

/// Tuples of parameters are taken apart, and put together again.
#[test]
fn several_parameters_stand_side_by_side() {
    check(
        "def main(x0: (Real, Int), x1: (Real, Int), x2: Real) -> (x3: Real, x4: (Real, (Real, Int))) {
            x5: (Real, Int) -> Real = lambda (x6: Real, x7: Int) { x8: Real = mul x6 x2 give x8 }
            x9: Real = jvp 0 x5 (x0, x1)
            x10: (Real, (Real, Int)) = value_and_grad 0 x5 (x2, 3)
            give x9, x10 }",
        expect![[r#"
            def main(x0: (Real, Int), x1: (Real, Int), x2: Real) -> (x3: Real, x4: (Real, (Real, Int))) {
              x5: Real = proj x0 0
              x6: Int = proj x0 1
              x7: Real = proj x1 0
              x8: Int = proj x1 1
              x9: Real = derivative jvp main_lambda (x2) (x5, x6, x7, x8)
              x10: Real, x11: Real, x12: Int = derivative value_and_grad main_lambda (x2) (x2, 3)
              x13: (Real, Int) = tuple (x11, x12)
              x14: (Real, (Real, Int)) = tuple (x10, x13)
              give x9, x14
            }

            def main_lambda(x0: Real, x1: Real, x2: Int) -> (x4: Real) {
              x3: Real = mul x1 x0
              give x3
            }
        "#]],
    );
}

/// Every real of the result is replaced by the tuple of the parameters.
#[test]
fn jacobians_are_zipped_at_the_reals() {
    check(
        "def main[x0](x1: Real, x2: [x0]Real) -> (x3: (Int, [x0](Real, [x0]Real))) {
            x4: (Real, [x0]Real) -> (Int, [x0]Real) = lambda (x5: Real, x6: [x0]Real) {
                x7: [x0]Real = mul x5 x6
                x8: (Int, [x0]Real) = tuple (1, x7)
                give x8
            }
            x9: (Int, [x0](Real, [x0]Real)) = jacobian 0 x4 (x1, x2)
            give x9 }",
        expect![[r#"
            def main[x0](x1: Real, x2: [x0]Real) -> (x3: (Int, [x0](Real, [x0]Real))) {
              x4: (Int, [x0]Real), x5: (Int, [x0][x0]Real) = derivative jacobian main_lambda[x0] () (x1, x2)
              x6: Int = proj x4 0
              x7: Int = proj x5 0
              x8: [x0]Real = proj x4 1
              x9: [x0][x0]Real = proj x5 1
              x10: [x0](Real, [x0]Real) = tuple 1 (x8, x9)
              x11: (Int, [x0](Real, [x0]Real)) = tuple (x6, x10)
              give x11
            }

            def main_lambda[x0](x1: Real, x2: [x0]Real) -> (x5: (Int, [x0]Real)) {
              x3: [x0]Real = mul x1 x2
              x4: (Int, [x0]Real) = tuple (1, x3)
              give x4
            }
        "#]],
    );
}

/// A row for each parameter, and in it a tuple of all of them for each real.
#[test]
fn hessians_of_several_parameters() {
    check(
        "def main[x0](x1: Real, x2: [x0]Real) -> (x3: ((Real, [x0]Real), [x0](Real, [x0]Real))) {
            x4: (Real, [x0]Real) -> Real = lambda (x5: Real, x6: [x0]Real) {
                x7: [x0]Real = mul x5 x6
                x8: Real = sum 0 x7
                give x8
            }
            x9: ((Real, [x0]Real), [x0](Real, [x0]Real)) = hessian 0 x4 (x1, x2)
            give x9 }",
        expect![[r#"
            def main[x0](x1: Real, x2: [x0]Real) -> (x3: ((Real, [x0]Real), [x0](Real, [x0]Real))) {
              x4: Real, x5: [x0]Real, x6: [x0]Real, x7: [x0][x0]Real = derivative hessian main_lambda[x0] () (x1, x2)
              x8: (Real, [x0]Real) = tuple (x4, x5)
              x9: [x0](Real, [x0]Real) = tuple 1 (x6, x7)
              x10: ((Real, [x0]Real), [x0](Real, [x0]Real)) = tuple (x8, x9)
              give x10
            }

            def main_lambda[x0](x1: Real, x2: [x0]Real) -> (x5: Real) {
              x3: [x0]Real = mul x1 x2
              x4: Real = sum 0 x3
              give x4
            }
        "#]],
    );
}

/// An operator inside of a function that another one differentiates: what the inner function
/// captured of the outer one is constant for the inner operator only.
#[test]
fn operators_nest() {
    check(
        "def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) {
                x4: (Real) -> Real = lambda (x5: Real) { x6: Real = mul x3 x5 give x6 }
                x7: Real = grad 0 x4 (x3)
                give x7
            }
            x8: Real = grad 0 x2 (x0)
            give x8 }",
        expect![[r#"
            def main(x0: Real) -> (x1: Real) {
              x2: Real = derivative grad main_lambda () (x0)
              give x2
            }

            def main_lambda(x0: Real) -> (x2: Real) {
              x1: Real = derivative grad main_lambda_1 (x0) (x0)
              give x1
            }

            def main_lambda_1(x0: Real, x1: Real) -> (x3: Real) {
              x2: Real = mul x0 x1
              give x2
            }
        "#]],
    );
}

/// A function that the differentiated one captured is part of the instance.
#[test]
fn captured_functions() {
    check(
        "def apply(x0: (Real) -> Real, x1: Real) -> (x2: Real) { x3: Real = apply x0 (x1) give x3 }
        def slope(x0: (Real) -> Real, x1: Real) -> (x2: Real) {
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = call apply(x0, x4) give x5 }
            x6: Real = grad 0 x3 (x1)
            give x6 }
        def main(x0: Real, x1: Real) -> (x2: Real) {
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = mul x0 x4 give x5 }
            x6: Real = call slope(x3, x1)
            give x6 }",
        expect![[r#"
            def apply(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = mul x0 x1
              give x3
            }

            def main(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = call slope(x0, x1)
              give x3
            }

            def slope(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = derivative grad slope_lambda (x0) (x1)
              give x3
            }

            def slope_lambda(x0: Real, x1: Real) -> (x3: Real) {
              x2: Real = call apply(x0, x1)
              give x2
            }
        "#]],
    );
}

/// One of several functions: an operator for each.
#[test]
fn chosen_functions() {
    check(
        "def main(x0: Bool, x1: Real) -> (x2: Real) {
            x3: (Real) -> Real = if x0 {
                x4: (Real) -> Real = lambda (x5: Real) { x6: Real = sin x5 give x6 }
                give x4
            } else {
                x7: (Real) -> Real = lambda (x8: Real) { x9: Real = mul x8 x1 give x9 }
                give x7
            }
            x10: Real = grad 0 x3 (x1)
            give x10 }",
        expect![[r#"
            data Choice_1 = Choice_1_0() | Choice_1_1(Real)

            def main(x0: Bool, x1: Real) -> (x2: Real) {
              x5: Choice_1 = if x0 {
                x3: Choice_1 = con Choice_1 Choice_1_0()
                give x3
              } else {
                x4: Choice_1 = con Choice_1 Choice_1_1(x1)
                give x4
              }
              x9: Real = match x5 {
                Choice_1_0() {
                  x6: Real = derivative grad main_lambda () (x1)
                  give x6
                }
                Choice_1_1(x7: Real) {
                  x8: Real = derivative grad main_lambda_1 (x7) (x1)
                  give x8
                }
              }
              give x9
            }

            def main_lambda(x0: Real) -> (x2: Real) {
              x1: Real = sin x0
              give x1
            }

            def main_lambda_1(x0: Real, x1: Real) -> (x3: Real) {
              x2: Real = mul x1 x0
              give x2
            }
        "#]],
    );
}

/// An integer argument stays one, though it is a size that the function captured.
#[test]
fn sizes_as_arguments_stay() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: (Real, Int)) {
            x3: (Real, Int) -> Real = lambda (x4: Real, x5: Int) {
                x6: Real = index x1 (x5)
                x7: Real = mul x4 x6
                give x7
            }
            x8: (Real, Int) = grad 0 x3 (1.0, x0)
            give x8 }",
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: (Real, Int)) {
              x3: Real, x4: Int = derivative grad main_lambda[x0] (x1) (1.0, x0)
              x5: (Real, Int) = tuple (x3, x4)
              give x5
            }

            def main_lambda[x0](x1: [x0]Real, x2: Real, x3: Int) -> (x6: Real) {
              x4: Real = index x1 (x3)
              x5: Real = mul x2 x4
              give x5
            }
        "#]],
    );
}

#[test]
fn jacobians_of_sum_types_are_refused() {
    check(
        "data Option<a> = None() | Some(a)
        def main(x0: Real) -> (x1: Option<Real>) {
            x2: (Real) -> Option<Real> = lambda (x3: Real) {
                x4: Option<Real> = con Option<Real> Some(x3)
                give x4
            }
            x5: Option<Real> = jacobian 0 x2 (x0)
            give x5 }",
        expect!["refused: jacobian of a sum type or of nothing"],
    );
}

/// Dual values are those of another method.
#[test]
fn operators_at_a_level_are_refused() {
    check(
        "def main(x0: (Real, Real)) -> (x1: (Real, Real)) {
            x2: ((Real, Real)) -> (Real, Real) = lambda (x3: (Real, Real)) { give x3 }
            x4: (Real, Real) = grad 1 x2 (x0)
            give x4 }",
        expect!["refused: derivative operator grad"],
    );
}
