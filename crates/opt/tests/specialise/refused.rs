//! What is refused, and why.

use expect_test::expect;

use crate::check;

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
        "data Stored = Stored((Real) -> Real)
        def main(x0: Stored) -> (x1: Real) { give 1.0 }",
        expect!["refused: a function is passed in or out: Stored"],
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
