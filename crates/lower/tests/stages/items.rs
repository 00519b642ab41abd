//! What statements become: views, items, and items that are no nests.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    super::check(text, |it| it.items.clone(), expected);
}

/// What only shows elements in another order is no item.
#[test]
fn views_move_nothing() {
    check(
        "def main[x0](x1: [x0][3]Real) -> (x2: [2][x0]Real) {
            x3: [3][x0]Real = transpose x1 (1, 0)
            x4: [3][x0]Real = reverse x3
            x5: [2][x0]Real = slice x4 0 [1] [3]
            x6: [2][x0]Real = exp x5
            give x6 }",
        expect![[r#"
            main
            check 2*x0 is a size of arrays
            check 0 <= 1 <= 3 <= 3
            i0[a, b] over a < 2, b < x0 = exp(@x1[b, -a + 2 + -1])
            x6 is i0[a, b] for a < 2, b < x0
            gives i0[a, b] for a < 2, b < x0
        "#]],
    );
}

/// An axis along which nothing varies is left out, and what is the same is done once.
#[test]
fn invariant_and_repeated() {
    check(
        "def main[x0, x1](x2: [x0]Real) -> (x3: [x1][x0]Real, x4: [x0]Real) {
            x5: [x1][x0]Real = replicate [x1] x2
            x6: [x1][x0]Real = sin x5
            x7: [x0]Real = sin x2
            give x6, x7 }",
        expect![[r#"
            main
            check x0*x1 is a size of arrays
            check 0 <= x1
            i0[a] over a < x0 = sin(@x2[a])
            x6 is i0[b] for a < x1, b < x0
            x7 is i0[a] for a < x0
            gives i0[b] for a < x1, b < x0, i0[a] for a < x0
        "#]],
    );
}

/// A sum of products is a product of matrices; nobody computes the products any more.
#[test]
fn a_contraction() {
    check(
        "def main[x0, x1, x2](x3: [x0][x1]Real, x4: [x1][x2]Real) -> (x5: [x0][x2]Real) {
            x6: [x2][x0][x1]Real = replicate [x2] x3
            x7: [x0][x2][x1]Real = transpose x6 (1, 0, 2)
            x8: [x2][x1]Real = transpose x4 (1, 0)
            x9: [x0][x2][x1]Real = replicate [x0] x8
            x10: [x0][x2][x1]Real = mul x7 x9
            x11: [x0][x2]Real = sum 2 x10
            give x11 }",
        expect![[r#"
            main
            check x0*x1*x2 is a size of arrays
            check x0*x2 is a size of arrays
            i0[a, b, c] over a < x0, b < x2, c < x1 = mul(@x3[a, c], @x4[c, b])
            i1[a, b] over a < x0, b < x2, c < x1 = product(@x3[a, c], @x4[c, b]), a by b over c
            x10 is i0[a, b, c] for a < x0, b < x2, c < x1
            x11 is i1[a, b] for a < x0, b < x2
            gives i1[a, b] for a < x0, b < x2
        "#]],
    );
}

/// Elements that can be anywhere are read and added to; a scatter is done after those who read what it overwrites.
#[test]
fn gather_and_scatter() {
    check(
        "def main[x0, x1](x2: [x0]Real, x3: [x1]Int) -> (x4: [x0]Real) {
            x5: [x1]Bool = ge x3 0
            x6: [x1]Real = gather x2 (x3) where x5
            x7: [x0]Real = replicate [x0] 0.0
            x8: [x0]Real = scatter x7 (x3) x6
            give x8 }",
        expect![[r#"
            main
            i0[a] over a < x1 = ge(@x3[a], 0)
            i1[a] over a < x1 = gather(@x2[a] for a < x0; @x3[a], i0[a])
            i2 over a < x1 = scatter(0.0 for a < x0; i1[a], @x3[a])
            x5 is i0[a] for a < x1
            x6 is i1[a] for a < x1
            x8 is i2[a] for a < x0
            gives i2[a] for a < x0
        "#]],
    );
}

/// A branch is an item that needs what it reads as a whole, and its blocks have items of their own.
#[test]
fn control_flow() {
    check(
        "def main[x0](x1: [x0]Real, x2: Bool) -> (x3: Real) {
            x4: [x0]Real = exp x1
            x5: Real = if x2 {
                x6: Real = sum 0 x4
                give x6
            } else {
                give 1.0
            }
            give x5 }",
        expect![[r#"
            main
            i0[a] over a < x0 = exp(@x1[a])
            i1: x5: Real = if x2, after i0
            x4 is i0[a] for a < x0
            x5 is i1
            gives i1

            main, i1, block 1
            i0 over a < x0 = sum(@x3[a])
            x6 is i0
            gives i0

            main, i1, block 2
            gives 1.0
        "#]],
    );
}

/// What goes to one place from everywhere is added up, and added there once, if there is anything.
#[test]
fn a_scatter_to_one_place() {
    check(
        "def main[x0, x1](x2: [x0]Real, x3: [x1]Real, x4: Int) -> (x5: [x0]Real) {
            x6: [x1]Int = replicate [x1] x4
            x7: [x0]Real = scatter x2 (x6) x3
            give x7 }",
        expect![[r#"
            main
            @x5 = any of x1
            i0 over a < x1 = sum(@x3[a])
            i1 over a < 1 = scatter(@x2[a] for a < x0; i0, @x4, @x5)
            x7 is i1[a] for a < x0
            gives i1[a] for a < x0
        "#]],
    );
}

/// A size that a statement computes has to be there before others use it: that ends a stretch.
#[test]
fn stretches() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: Real) {
            x3: Int, x4: [x3]Real = filter x1 lambda (x5: Real) { x6: Bool = gt x5 0.0 give x6 }
            x7: [x3]Real = replicate [x3] 2.0
            x8: [x3]Real = pow x4 x7
            x9: Real = sum 0 x8
            give x9 }",
        expect![[r#"
            main
            i0: x3: Int, x4: [x3]Real = filter x1 lambda (x5: Real)
            x3 is i0
            x4 is i0.1[a] for a < x3
            goes on
            gives i0, i0.1[a] for a < x3

            main, i0, block 1
            @x6 = gt(@x5, 0.0)
            gives @x6

            main
            check 0 <= x3
            i0[a] over a < x3 = pow(@x2[a], 2.0)
            i1 over a < x3 = sum(i0[a])
            x8 is i0[a] for a < x3
            x9 is i1
            gives i1
        "#]],
    );
}

/// Rows side by side are one item for all of them.
#[test]
fn rows() {
    check(
        "def main[x0](x1: [x0]Real, x2: [x0]Real) -> (x3: [2][x0]Real) {
            x4: [x0]Real = sin x1
            x5: [2][x0]Real = array [x0]Real (x4, x2)
            give x5 }",
        expect![[r#"
            main
            check 2*x0 is a size of arrays
            i0[a] over a < x0 = sin(@x1[a])
            i1 over a < x0 = rows(i0[a], @x2[a]) of 2
            x4 is i0[a] for a < x0
            x5 is i1[a, b] for a < 2, b < x0
            gives i1[a, b] for a < 2, b < x0
        "#]],
    );
}

/// Parts of a larger array are meant for where it will be.
#[test]
fn parts() {
    check(
        "def main[x0](x1: [x0]Real) -> (x2: [2*x0]Real) {
            x3: [x0]Real = sin x1
            x4: [x0]Real = cos x1
            x5: [2*x0]Real = concat (x3, x4)
            give x5 }",
        expect![[r#"
            main
            check 2*x0 is a size of arrays
            i0[a] over a < x0 = sin(@x1[a]), in @x5
            i1[a] over a < x0 = cos(@x1[a]), in @x6
            i2: x5: [2*x0]Real = concat (x3, x4), after i0, i1
            x3 is i0[a] for a < x0
            x4 is i1[a] for a < x0
            x5 is i2[a] for a < 2*x0
            gives i2[a] for a < 2*x0
        "#]],
    );
}

/// What is known before any nest runs comes first: a quotient of scalars with its check, an index that is
/// one, and that there is a greatest element.
#[test]
fn what_comes_before() {
    check(
        "def main[x0](x1: [x0]Real, x2: Int) -> (x3: Real, x4: Int) {
            x5: Int = div x0 x2
            x6: Real = index x1 (x5)
            x7: Int = argmax x1
            give x6, x7 }",
        expect![[r#"
            main
            check div(@x0, @x2) has a value
            @x4 = div(@x0, @x2)
            check 0 <= @x4 < x0
            @x8 = @x1[@x4]
            check 0 < x0
            i0 over a < x0 = maximum(@x1[a])
            i1[a] over a < x0 = eq(@x1[a], i0)
            i2[a] over a < x0 = is_nan(@x1[a])
            i3[a] over a < x0 = or(i1[a], i2[a])
            i4[a] over a < x0 = select(i3[a], [a], 9223372036854775807)
            i5 over a < x0 = minimum(i4[a])
            x7 is i5
            gives @x8, i5
        "#]],
    );
}

/// What is new is written alone, unless a loop goes through all elements anyway.
#[test]
fn one_element_is_written_where_no_loop_goes_through_all() {
    let items = |rest: &str| -> String {
        let text = format!(
            "def main[x0](x1: [x0]Real, x2: [x0]Real, x3: Int) -> (x4: [x0]Real) {{
                x5: [x0]Real = iterate x6 < x3 (x7: [x0]Real = x1) {{
                    x8: [x0]Int = iota [x0]
                    x9: [x0]Bool = eq x8 1
                    x10: [x0]Real = select x9 0.5 x7
                    {rest} }}
                give x5 }}"
        );
        super::stages(&text, None).stretches.iter().map(|it| it.items.clone()).collect()
    };
    let given = items("give x10");
    assert!(given.contains("update(") && !given.contains("select("), "{given}");
    let swept = items("x11: [x0]Real = mul x10 x2\n give x11");
    assert!(swept.contains("select(") && !swept.contains("update("), "{swept}");
}

/// What was multiplied with the old rows for nothing but a sum is added up before a row is written, and the products
/// are no array.
#[test]
fn products_with_what_is_overwritten_are_no_arrays() {
    let text = "def main[x0, x1](x2: [x0][x1]Real, x3: [x1]Real) -> (x4: [x0][x1]Real) {
        x5: [x0][x1]Real = iterate x6 < x0 (x7: [x0][x1]Real = x2) {
            x8: [x0][x1]Real = replicate [x0] x3
            x9: [x0][x1]Real = mul x7 x8
            x10: [x0]Real = sum 1 x9
            x11: [x1][x0]Real = transpose x7 (1, 0)
            x12: [x1][x0]Real = replicate [x1] x10
            x13: [x1][x0]Real = mul x11 x12
            x14: [x1]Real = sum 1 x13
            x15: [x0]Int = iota [x0]
            x16: [x0]Bool = eq x15 x6
            x17: [x1][x0]Bool = replicate [x1] x16
            x18: [x0][x1]Bool = transpose x17 (1, 0)
            x19: [x0][x1]Real = replicate [x0] x14
            x20: [x0][x1]Real = select x18 x19 x7
            give x20 }
        give x5 }";
    let stretches = super::stages(text, None).stretches;
    let all: String = stretches.iter().map(|it| it.items.clone() + &it.schedule).collect();
    assert!(all.contains("update("), "{all}");
    // The sums, and the array with its new row; no product is in memory.
    let in_memory = all.lines().filter(|it| it.ends_with("in memory")).count();
    let products = all.lines().filter(|it| it.contains(" = mul(")).count();
    assert_eq!((products, in_memory), (2, 2), "{all}");
}
