//! Operations on arrays.

use expect_test::expect;

use super::check;

/// One `combine` for the whole array; the scalar is there for every element.
#[test]
fn broadcasting() {
    check(
        "f~11",
        "def f[x5](x0: Real, x1: [x5]Real) -> (x2: [x5]Real) {
           x3: [x5]Real = mul x0 x1
           x4: [x5]Real = sub x3 x0
           give x4
         }",
        expect![[r#"
            def f~11[x5](x0: (Real, Delta), x1: [x5](Real, Delta)) -> (x2: [x5](Real, Delta)) origin derivative {
              x6: Real = proj x0 0
              x7: [x5]Real = proj x1 0
              x8: [x5]Real = mul x6 x7
              x9: Delta = proj x0 1
              x10: [x5]Delta = proj x1 1
              x11: [x5]Delta = combine (x7 x9, x6 x10)
              x3: [x5](Real, Delta) = tuple 1 (x8, x11)
              x12: [x5]Real = proj x3 0
              x13: Real = proj x0 0
              x14: [x5]Real = sub x12 x13
              x15: [x5]Delta = proj x3 1
              x16: Delta = proj x0 1
              x17: [x5]Delta = combine (1.0 x15, -1.0 x16)
              x4: [x5](Real, Delta) = tuple 1 (x14, x17)
              give x4
            }"#]],
    );
}

/// Where the scalar alone is active and its factor is one for all, its Delta is replicated.
#[test]
fn broadcasting_of_a_scalar_alone() {
    check(
        "f~10",
        "def f[x5](x0: Real, x1: [x5]Real) -> (x2: [x5]Real) {
           x4: [x5]Real = sub x1 x0
           give x4
         }",
        expect![[r#"
            def f~10[x5](x0: (Real, Delta), x1: [x5]Real) -> (x2: [x5](Real, Delta)) origin derivative {
              x6: Real = proj x0 0
              x7: [x5]Real = sub x1 x6
              x8: Delta = proj x0 1
              x9: Delta = combine (-1.0 x8)
              x10: [x5]Delta = replicate [x5] x9
              x4: [x5](Real, Delta) = tuple 1 (x7, x10)
              give x4
            }"#]],
    );
}

/// Every element of a fold brings its own Delta.
#[test]
fn folds_and_builds() {
    check(
        "f~1",
        "def f[x3](x0: [x3]Real) -> (x1: Real) {
           x4: [x3]Real = build (x5 < x3) { x6: Real = index x0 (x5) x7: Real = cos x6 give x7 }
           x8: Real = fold (x9: Real = 1.0) (x10: Real = x4) { x11: Real = mul x9 x10 give x11 }
           give x8
         }",
        expect![[r#"
            def f~1[x3](x0: [x3](Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x4: [x3](Real, Delta) = build (x5 < x3) {
                x6: (Real, Delta) = index x0 (x5)
                x12: Real = proj x6 0
                x13: Real = cos x12
                x14: Real = sin x12
                x15: Real = neg x14
                x16: Delta = proj x6 1
                x17: Delta = combine (x15 x16)
                x7: (Real, Delta) = tuple (x13, x17)
                give x7
              }
              x18: (Real, Delta) = zeros 1.0
              x8: (Real, Delta) = fold (x9: (Real, Delta) = x18) (x10: (Real, Delta) = x4) {
                x19: Real = proj x9 0
                x20: Real = proj x10 0
                x21: Real = mul x19 x20
                x22: Delta = proj x9 1
                x23: Delta = proj x10 1
                x24: Delta = combine (x20 x22, x19 x23)
                x11: (Real, Delta) = tuple (x21, x24)
                give x11
              }
              give x8
            }"#]],
    );
}

/// What only moves elements moves their Deltas with them: no `combine`.
#[test]
fn movement_and_sums() {
    check(
        "f~1",
        "def f[x3](x0: [x3][x3]Real) -> (x1: [x3]Real) {
           x4: [x3][x3]Real = transpose x0 (1, 0)
           x5: [x3][x3]Real = reverse x4
           x6: [x3]Real = sum 1 x5
           give x6
         }",
        expect![[r#"
            def f~1[x3](x0: [x3][x3](Real, Delta)) -> (x1: [x3](Real, Delta)) origin derivative {
              x4: [x3][x3](Real, Delta) = transpose x0 (1, 0)
              x5: [x3][x3](Real, Delta) = reverse x4
              x7: [x3][x3]Real = proj x5 0
              x8: [x3][x3]Delta = proj x5 1
              x9: [x3]Real = sum 1 x7
              x10: [x3]Delta = sum 1 x8
              x6: [x3](Real, Delta) = tuple 1 (x9, x10)
              give x6
            }"#]],
    );
}

/// The factor of an element is the product of those before it and those after it.
#[test]
fn product_of_an_array() {
    check(
        "f~1",
        "def f[x3](x0: [x3]Real) -> (x1: Real) { x2: Real = product 0 x0 give x2 }",
        expect![[r#"
            def f~1[x3](x0: [x3](Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x4: [x3]Real = proj x0 0
              x5: [x3]Delta = proj x0 1
              x6: Real = product 0 x4
              x11: [x3]Real, x12: [x3]Real = scan (x7: Real = 1.0, x8: Real = 1.0) (x9: Real = x4) {
                x10: Real = scale x7 x9
                give x10, x7
              }
              x13: [x3]Real = reverse x4
              x18: [x3]Real, x19: [x3]Real = scan (x14: Real = 1.0, x15: Real = 1.0) (x16: Real = x13) {
                x17: Real = scale x14 x16
                give x17, x14
              }
              x20: [x3]Real = reverse x19
              x21: [x3]Real = scale x12 x20
              x22: [x3]Delta = combine (x21 x5)
              x23: Delta = sum 0 x22
              x2: (Real, Delta) = tuple (x6, x23)
              give x2
            }"#]],
    );
}

#[test]
fn maximum_follows_the_first_greatest() {
    check(
        "f~1",
        "def f[x3](x0: [x3]Real) -> (x1: Real) { x2: Real = maximum 0 x0 give x2 }",
        expect![[r#"
            def f~1[x3](x0: [x3](Real, Delta)) -> (x1: (Real, Delta)) origin derivative {
              x4: [x3]Real = proj x0 0
              x5: [x3]Delta = proj x0 1
              x6: Real = maximum 0 x4
              x7: Int = size [x3]
              x8: Bool = gt x7 0
              x12: Delta = if x8 {
                x9: Int = argmax x4
                x10: Delta = index x5 (x9)
                give x10
              } else {
                x11: Delta = combine ()
                give x11
              }
              x2: (Real, Delta) = tuple (x6, x12)
              give x2
            }"#]],
    );
}

/// The order comes from the primal parts; the pairs are moved.
#[test]
fn sort_gathers() {
    check(
        "f~1",
        "def f[x3](x0: [x3]Real) -> (x1: [x3]Real) { x2: [x3]Real = sort x0 give x2 }",
        expect![[r#"
            def f~1[x3](x0: [x3](Real, Delta)) -> (x1: [x3](Real, Delta)) origin derivative {
              x4: [x3]Real = proj x0 0
              x5: [x3]Int = argsort x4
              x2: [x3](Real, Delta) = gather x0 (x5)
              give x2
            }"#]],
    );
}

/// Addition at positions is linear.
#[test]
fn scatter_adds_deltas() {
    check(
        "f~01",
        "def f[x3](x0: [x3]Int, x1: [x3]Real) -> (x2: [9]Real) {
           x4: [9]Real = replicate [9] 0.0
           x5: [9]Real = scatter x4 (x0) x1
           give x5
         }",
        expect![[r#"
            def f~01[x3](x0: [x3]Int, x1: [x3](Real, Delta)) -> (x2: [9](Real, Delta)) origin derivative {
              x4: [9]Real = replicate [9] 0.0
              x6: [9](Real, Delta) = zeros x4
              x7: [x3]Real = proj x1 0
              x8: [x3]Delta = proj x1 1
              x9: [9]Real = proj x6 0
              x10: [9]Delta = proj x6 1
              x11: [9]Real = scatter x9 (x0) x7
              x12: [9]Delta = scatter x10 (x0) x8
              x5: [9](Real, Delta) = tuple 1 (x11, x12)
              give x5
            }"#]],
    );
}
