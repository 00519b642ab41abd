//! What is refused, and why.

use expect_test::expect;

use crate::check;

/// Where the functions of a loop differ from step to step, there is no end of them.
#[test]
fn other_functions_in_loops_are_refused() {
    check(
        "def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { give x3 }
            x4: (Real) -> Real = iterate x5 < 3 (x6: (Real) -> Real = x2) {
                x7: (Real) -> Real = lambda (x8: Real) { x9: Real = apply x6 (x8) x10: Real = sin x9 give x10 }
                give x7
            }
            x11: Real = apply x4 (x0)
            give x11 }",
        expect!["refused: the steps of a loop give different functions"],
    );
}

/// A recursive definition that gives a function would have to know which, before it is made.
#[test]
fn recursive_functions_are_refused() {
    check(
        "def power(x0: Int) -> (x1: (Real) -> Real) {
            x2: Bool = eq x0 0
            x3: (Real) -> Real = if x2 {
                x4: (Real) -> Real = lambda (x5: Real) { give x5 }
                give x4
            } else {
                x6: Int = sub x0 1
                x7: (Real) -> Real = call power(x6)
                give x7
            }
            give x3 }
        def main(x0: Int) -> (x1: Real) {
            x2: (Real) -> Real = call power(x0)
            x3: Real = apply x2 (2.0)
            give x3 }",
        expect!["refused: power is recursive and gives a function"],
    );
}

/// A function that nests one more with every call has no end of instances.
#[test]
fn endless_instances_are_refused() {
    check(
        "def down(x0: Int, x1: (Real) -> Real) -> (x2: Real) {
            x3: Bool = eq x0 0
            x4: Real = if x3 { x5: Real = apply x1 (1.0) give x5 } else {
                x6: Int = sub x0 1
                x7: (Real) -> Real = lambda (x8: Real) { x9: Real = apply x1 (x8) x10: Real = sin x9 give x10 }
                x11: Real = call down(x6, x7)
                give x11
            }
            give x4 }
        def main(x0: Int) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { give x3 }
            x4: Real = call down(x0, x2)
            give x4 }",
        expect!["refused: types or functions nest too deep"],
    );
}

#[test]
fn polymorphic_recursion_is_refused() {
    check(
        "def nest<a>(x0: Int, x1: a) -> (x2: Int) {
            x3: Bool = eq x0 0
            x4: Int = if x3 { give 0 } else {
                x5: Int = sub x0 1
                x6: (a, a) = tuple (x1, x1)
                x7: Int = call nest<(a, a)>(x5, x6)
                give x7
            }
            give x4 }
        def main(x0: Int) -> (x1: Int) { x2: Int = call nest<Int>(x0, 1) give x2 }",
        expect!["refused: types or functions nest too deep"],
    );
}

#[test]
fn functions_at_the_entry_are_refused() {
    check(
        "def main(x0: (Real) -> Real) -> (x1: Real) { x2: Real = apply x0 (1.0) give x2 }",
        expect!["refused: a function is passed in or out: (Real) -> Real"],
    );
    check(
        "def main<a>(x0: a) -> (x1: a) { give x0 }",
        expect!["refused: main has type parameters"],
    );
    check(
        "def other(x0: Real) -> (x1: Real) { give x0 }",
        expect!["refused: there is no definition main"],
    );
}

#[test]
fn functions_in_sum_types_are_refused() {
    check(
        "data Option<a> = None() | Some(a)
        def main(x0: Real) -> (x1: Real) {
            x2: (Real) -> Real = lambda (x3: Real) { x4: Real = sin x3 give x4 }
            x5: Option<(Real) -> Real> = con Option<(Real) -> Real> Some(x2)
            x6: Real = match x5 {
                None() { give x0 }
                Some(x7: (Real) -> Real) { x8: Real = apply x7 (x0) give x8 }
            }
            give x6 }",
        expect!["refused: a function is stored in a sum type or an array"],
    );
}
