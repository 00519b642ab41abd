//! What is one loop, and what is memory.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    super::check(text, |it| format!("{}{}", it.items, it.plan), expected);
}

/// Who reads whom at the same index could share a loop; tests of the index are computed in place.
#[test]
fn elementwise() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Int = iota [x0]
            x4: [x0]Bool = eq x3 0
            x5: [x0]Real = exp x1
            x6: [x0]Real = select x4 x5 1.0
            x7: [x0]Real = sin x6
            give x7 }",
        expect![[r#"
            main
            i0[a] over a < x0 = eq([a], 0)
            i1[a] over a < x0 = exp(@x1[a])
            i2[a] over a < x0 = select(i0[a], i1[a], 1.0)
            i3[a] over a < x0 = sin(i2[a])
            x4 is i0[a] for a < x0
            x5 is i1[a] for a < x0
            x6 is i2[a] for a < x0
            x7 is i3[a] for a < x0
            gives i3[a] for a < x0
            c0 < x0: i1.a, i2.a, i3.a
            i0 in place, weight 1
            i1 reads @x1[a], for i2
            i2 reads [a], 0, i1[a], 1.0, for i3
            i3 as a whole reads i2[a]
        "#]],
    );
}

/// A table of all pairs reads one array along both of its axes: they are two loops.
#[test]
fn pairs() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0][x0]Real) {
            x3: [x0]Real = exp x1
            x4: [x0][x0]Real = replicate [x0] x3
            x5: [x0][x0]Real = transpose x4 (1, 0)
            x6: [x0][x0]Real = sub x4 x5
            give x6 }",
        expect![[r#"
            main
            check x0*x0 is a size of arrays
            i0[a] over a < x0 = exp(@x1[a])
            i1[a, b] over a < x0, b < x0 = sub(i0[b], i0[a])
            x3 is i0[a] for a < x0
            x4 is i0[b] for a < x0, b < x0
            x5 is i0[a] for a < x0, b < x0
            x6 is i1[a, b] for a < x0, b < x0
            gives i1[a, b] for a < x0, b < x0
            c0 < x0: i1.a
            c1 < x0: i0.a, i1.b
            i0 reads @x1[a], for i1
            i1 as a whole reads i0[b], i0[a]
        "#]],
    );
}

/// What a statement that is no nest needs is memory; what nobody reads is not computed.
#[test]
fn as_a_whole() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = exp x1
            x4: [x0]Real = sin x3
            x5: [x0]Real = sort x3
            give x5 }",
        expect![[r#"
            main
            i0[a] over a < x0 = exp(@x1[a])
            i1[a] over a < x0 = sin(i0[a])
            i2: x5: [x0]Real = sort x3, after i0
            x3 is i0[a] for a < x0
            x4 is i1[a] for a < x0
            x5 is i2[a] for a < x0
            gives i2[a] for a < x0
            c0 < x0: i0.a
            i0 as a whole reads @x1[a], for i2
            i2 as a whole
        "#]],
    );
}

/// A gather that nobody reads is there for its check, and not done if a scatter checks the same.
#[test]
fn checks() {
    check(
        "def main[x0, x1](x2: [x0]Real, x3: [x1]Int, x4: [x1]Real) -> (x5: [x0]Real) {
            x6: [x1]Real = gather x2 (x3)
            x7: [x0]Real = replicate [x0] 0.0
            x8: [x0]Real = scatter x7 (x3) x4
            give x8 }",
        expect![[r#"
            main
            i0[a] over a < x1 = gather(@x2[a] for a < x0; @x3[a])
            i1 over a < x1 = scatter(0.0 for a < x0; @x4[a], @x3[a])
            x6 is i0[a] for a < x1
            x8 is i1[a] for a < x0
            gives i1[a] for a < x0
            c0 < x1: i1.a
            i1 as a whole reads @x4[a], @x3[a]
        "#]],
    );
}

/// Where a block goes on behind a size that it computes, memory is for what is read there: not for `i0`.
#[test]
fn behind_a_size() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [x0]Real, x3: Real) {
            x4: [x0]Real = exp x1
            x5: Real = sum 0 x4
            x6: [x0]Real = sin x1
            x7: Int, x8: [x7]Real = filter x1 lambda (x9: Real) { x10: Bool = gt x9 x5 give x10 }
            x11: [x7]Real = cos x8
            x12: Real = sum 0 x11
            give x6, x12 }",
        expect![[r#"
            main
            i0[a] over a < x0 = exp(@x1[a])
            i1 over a < x0 = sum(i0[a])
            i2[a] over a < x0 = sin(@x1[a])
            i3: x7: Int, x8: [x7]Real = filter x1 lambda (x9: Real), after i1
            x4 is i0[a] for a < x0
            x5 is i1
            x6 is i2[a] for a < x0
            x7 is i3
            x8 is i3.1[a] for a < x7
            goes on
            gives i1, i2[a] for a < x0, i3, i3.1[a] for a < x7
            c0 < x0: i0.a, i1.a, i2.a
            i0 reads @x1[a], for i1
            i1 as a whole reads i0[a], for i3
            i2 as a whole reads @x1[a]
            i3 as a whole

            main, i3, block 1
            @x19 = gt(@x18, @x14)
            gives @x19

            main
            i0[a] over a < x7 = cos(@x15[a])
            i1 over a < x7 = sum(i0[a])
            x11 is i0[a] for a < x7
            x12 is i1
            gives @x4[a] for a < x0, i1
            c0 < x7: i0.a, i1.a
            i0 reads @x15[a], for i1
            i1 as a whole reads i0[a]
        "#]],
    );
}

/// What is read once, somewhere else than at its own index, is computed there if it is cheap; what is read twice is
/// memory.
#[test]
fn moved() {
    check(
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [x0]Real, x4: [x0]Real) {
            x5: [x0]Real = scale 0.5 x1
            x6: [x0]Real = reverse x5
            x7: [x0]Real = add x6 x2
            x8: [x0]Real = mul x1 x2
            x9: [x0]Real = reverse x8
            x10: [x0]Real = mul x9 x8
            give x7, x10 }",
        expect![[r#"
            main
            @x3 = last below x0
            @x4 = last below x0
            i0[a] over a < x0 = scale(0.5, @x1[a])
            i1[a] over a < x0 = add(i0[-a + @x3], @x2[a])
            i2[a] over a < x0 = mul(@x1[a], @x2[a])
            i3[a] over a < x0 = mul(i2[-a + @x4], i2[a])
            x5 is i0[a] for a < x0
            x6 is i0[-a + @x3] for a < x0
            x7 is i1[a] for a < x0
            x8 is i2[a] for a < x0
            x9 is i2[-a + @x4] for a < x0
            x10 is i3[a] for a < x0
            gives i1[a] for a < x0, i3[a] for a < x0
            c0 < x0: i1.a, i2.a, i3.a
            i0 in place, weight 1
            i1 as a whole reads 0.5, @x1[-a + @x3], @x2[a]
            i2 reads @x1[a], @x2[a], for i3
            i3 as a whole reads i2[-a + @x4], i2[a]
        "#]],
    );
}
