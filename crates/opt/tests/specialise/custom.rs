//! Instances of definitions with derivatives of their own have instances of these.

use expect_test::expect;

use super::check;

const SCALED: &str = "
    def scaled<a>[x0](x1: [x0]Real, x2: a) -> (x3: [x0]Real) { give x1 }
    def \"scaled.vjp\"<a>[x0](x1: [x0]Real, x2: a, x3: [x0]Real) -> (x4: ([x0]Real, a)) {
        x5: ([x0]Real, a) = tuple (x3, x2)
        give x5 }
    def \"scaled.jvp\"<a>[x0](x1: [x0]Real, x2: a, x3: [x0]Real, x4: a) -> (x5: [x0]Real) { give x3 }
    custom scaled vjp \"scaled.vjp\" jvp \"scaled.jvp\"";

#[test]
fn instances_of_rules() {
    check(
        &format!(
            "{SCALED}
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {{
                x3: [x0]Real = call scaled<Int>[x0](x1, 1)
                x4: [x0]Real = call scaled<Bool>[x0](x3, true)
                give x4 }}"
        ),
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x3: [x0]Real = call scaled[x0](x1, 1)
              x4: [x0]Real = call scaled_1[x0](x3, true)
              give x4
            }

            def scaled[x0](x1: [x0]Real, x2: Int) -> (x3: [x0]Real) {
              give x1
            }

            def "scaled.jvp"[x0](x1: [x0]Real, x2: Int, x3: [x0]Real, x4: Int) -> (x5: [x0]Real) {
              give x3
            }

            def "scaled.jvp_1"[x0](x1: [x0]Real, x2: Bool, x3: [x0]Real, x4: Bool) -> (x5: [x0]Real) {
              give x3
            }

            def "scaled.vjp"[x0](x1: [x0]Real, x2: Int, x3: [x0]Real) -> (x4: ([x0]Real, Int)) {
              x5: ([x0]Real, Int) = tuple (x3, x2)
              give x5
            }

            def "scaled.vjp_1"[x0](x1: [x0]Real, x2: Bool, x3: [x0]Real) -> (x4: ([x0]Real, Bool)) {
              x5: ([x0]Real, Bool) = tuple (x3, x2)
              give x5
            }

            def scaled_1[x0](x1: [x0]Real, x2: Bool) -> (x3: [x0]Real) {
              give x1
            }

            custom scaled vjp "scaled.vjp" jvp "scaled.jvp"
            custom scaled_1 vjp "scaled.vjp_1" jvp "scaled.jvp_1"
        "#]],
    );
}

/// A rule may call the definition that it belongs to.
#[test]
fn rules_that_call_their_definition() {
    check(
        "def f(x0: Real) -> (x1: Real) { x2: Real = exp x0 give x2 }
        def \"f.vjp\"(x0: Real, x1: Real) -> (x2: Real) {
            x3: Real = call f(x0)
            x4: Real = mul x3 x1
            give x4 }
        custom f vjp \"f.vjp\"
        def main(x0: Real) -> (x1: Real) { x2: Real = call f(x0) give x2 }",
        expect![[r#"
            def f(x0: Real) -> (x1: Real) {
              x2: Real = exp x0
              give x2
            }

            def "f.vjp"(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = call f(x0)
              x4: Real = mul x3 x1
              give x4
            }

            def main(x0: Real) -> (x1: Real) {
              x2: Real = call f(x0)
              give x2
            }

            custom f vjp "f.vjp"
        "#]],
    );
}

#[test]
fn rules_at_types_with_sizes_take_the_sizes_first() {
    check(
        &format!(
            "{SCALED}
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {{
                x3: [x0]Real = call scaled<[x0]Real>[x0](x1, x1)
                give x3 }}"
        ),
        expect![[r#"
            def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
              x3: [x0]Real = call scaled[x0, x0](x1, x1)
              give x3
            }

            def scaled[x0, x1](x2: [x1]Real, x3: [x0]Real) -> (x4: [x1]Real) {
              give x2
            }

            def "scaled.jvp"[x0, x1](x2: [x1]Real, x3: [x0]Real, x4: [x1]Real, x5: [x0]Real) -> (x6: [x1]Real) {
              give x4
            }

            def "scaled.vjp"[x0, x1](x2: [x1]Real, x3: [x0]Real, x4: [x1]Real) -> (x5: ([x1]Real, [x0]Real)) {
              x6: ([x1]Real, [x0]Real) = tuple (x4, x3)
              give x6
            }

            custom scaled vjp "scaled.vjp" jvp "scaled.jvp"
        "#]],
    );
}

/// What the function captured has a tangent in the instance of the rule, along which it is differentiated.
#[test]
fn tangents_of_functions() {
    check(
        "
        def at(x0: (Real) -> Real, x1: Real) -> (x2: Real) { x3: Real = apply x0 (x1) give x3 }
        def \"at.jvp\"(x0: (Real) -> Real, x1: Real, x2: (Real) -> Real, x3: Real) -> (x4: Real) {
            x5: Real = apply x2 (x1)
            give x5 }
        custom at jvp \"at.jvp\"
        def main(x0: Real, x1: Real) -> (x2: Real) {
            x3: (Real) -> Real = lambda (x4: Real) { x5: Real = mul x4 x0 give x5 }
            x6: Real = call at(x3, x1)
            give x6 }",
        expect![[r#"
            def at(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = mul x1 x0
              give x3
            }

            def "at.jvp"(x0: Real, x1: Real, x2: Real, x3: Real) -> (x4: Real) {
              x5: Real = derivative jvp "at.jvp.apply" (x1) (x0, x2)
              give x5
            }

            def "at.jvp.apply"(x0: Real, x1: Real) -> (x3: Real) {
              x2: Real = mul x0 x1
              give x2
            }

            def main(x0: Real, x1: Real) -> (x2: Real) {
              x3: Real = call at(x0, x1)
              give x3
            }

            custom at jvp "at.jvp"
        "#]],
    );
}
