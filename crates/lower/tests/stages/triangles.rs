//! Sums that count on one side of a test of two indices only.

use expect_test::expect;

use super::stages;

/// Lanes are along the vectors, and not along the rows of the triangle, whose loops are half as long then.
#[test]
fn triangles() {
    let text = "def main[x0, x1](x2: [x0][x0]Real, x3: [x1][x0]Real) -> (x5: Real, x60: [x0][x0]Real, x61: [x1][x0]Real) {
          x19: [x0]Int = iota [x0]
          x20: [x0][x0]Int = replicate [x0] x19
          x23: [x0][x0]Int = transpose x20 (1, 0)
          x24: [x0][x0]Bool = lt x20 x23
          x25: [x1][x0][x0]Real = replicate [x1] x2
          x26: [x0][x1][x0]Real = replicate [x0] x3
          x27: [x1][x0][x0]Real = transpose x26 (1, 0)
          x28: [x1][x0][x0]Real = mul x25 x27
          x29: [x1][x0][x0]Bool = replicate [x1] x24
          x30: [x1][x0][x0]Real = select x29 x28 0.0
          x31: [x1][x0]Real = sum 2 x30
          x32: [x1][x0]Real = mul x31 x31
          x33: [x1]Real = sum 1 x32
          x17: Real = sum 0 x33
          x49: [x1][x0]Real = copy x31
          x51: [x1][x0]Real = add x49 x49
          x52: [x0][x1][x0]Real = replicate [x0] x51
          x53: [x1][x0][x0]Real = transpose x52 (1, 2, 0)
          x54: [x1][x0][x0]Real = select x29 x53 0.0
          x55: [x1][x0][x0]Real = scale x27 x54
          x56: [x1][x0][x0]Real = scale x25 x54
          x63: [x1][x0]Real = sum 1 x56
          x59: [x0][x0]Real = sum 0 x55
          give x17, x59, x63
        }";
    let stages = stages(text, None);
    expect![[r#"
        chunks: c0
        vectors: c0
        from outside to inside: c0, c1, c2
        chunks c0 {
          vector c0 {
            for c2 {
              i13
            }
            for c1 {
              for c2 {
                i1
                i2
                i3
              }
              i4
              i5
              i7
              for c2 {
                i8
                i9
                i10
                i11
                i12
              }
            }
            i6
          }
        }
        i6[] in memory
        i11[a, c] in memory
        i12[b, c] in memory
        i13[b] in memory of the chunk, made at depth 2
        i3 added up in a variable
        i5 added up in a variable
        i6 added up in a variable
        i11 added up along [c], apart
        i12 added up along [b, c], apart
    "#]]
    .assert_eq(&stages.stretches[0].schedule);
    // What is added up under `c < r` is added up to `r`.
    let text = stages.loops.text();
    let loops = text.lines().filter_map(|it| it.trim().strip_prefix("for ")?.split(" {").next());
    let expected =
        ["x51 < x0", "x54 < x0", "x56 < x54", "x64 < x54", "x69 < x0", "x71 < x0", "x72 < x0"];
    assert_eq!(loops.collect::<Vec<&str>>(), expected);
}
