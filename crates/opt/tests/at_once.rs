//! Programs before and after `at_once`.

use expect_test::{Expect, expect};
use ir::{Dialect, Program};
use opt::at_once;

fn check(text: &str, expected: Expect) {
    let made = after(text).1;
    let new: Vec<String> = made.defs.values().map(|it| it.to_string()).collect();
    let is_new = |it: &&String| it.contains("at_once");
    expected.assert_eq(&new.iter().filter(is_new).cloned().collect::<Vec<_>>().join("\n"));
}

/// What goes there keeps something, and what goes back takes it.
fn stays(text: &str) {
    let (before, after) = after(text);
    assert_eq!(before, after, "{after}");
}

fn after(text: &str) -> (Program, Program) {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}"));
    let made = at_once(&program);
    ir::verify(&made, Dialect::Bulk).unwrap_or_else(|it| panic!("{it}\n{made}"));
    (program, made)
}

/// `a` times the first half and the second half: what is kept, and the way there.
const TREE: &str = r#"
data "f.kept" = "f.kept.0"(Int) | "f.kept.1"(Real, Real, "f.kept", "f.kept")
def "f.fwd"(x0: Int, x1: [4]Real) -> (x2: Real, x3: "f.kept") origin derivative {
    x4: Bool = lt x0 4
    x5: Real, x6: "f.kept" = if x4 {
        x7: Int = add x0 1
        x8: Real = index x1 (x0)
        x9: Real, x10: "f.kept" = call "f.fwd"(x7, x1)
        x11: Real, x12: "f.kept" = call "f.fwd"(x7, x1)
        x13: Real = mul x8 x9
        x14: Real = add x13 x11
        x15: "f.kept" = con "f.kept" "f.kept.1"(x8, x11, x10, x12)
        give x14, x15
    } else {
        x16: Real = index x1 (0)
        x17: "f.kept" = con "f.kept" "f.kept.0"(0)
        give x16, x17
    }
    give x5, x6
}"#;

/// Both calls know their cotangents, and what they add to goes from the first to the second.
#[test]
fn a_sum_of_calls_keeps_nothing() {
    let back = r#"
def "f.rev"(x0: "f.kept", x1: Real, x2: [4]Real) -> (x3: [4]Real) origin derivative {
    x4: [4]Real = match x0 {
        "f.kept.0"(x5: Int) {
            x6: [4]Real = scatter x2 (x5) x1
            give x6
        }
        "f.kept.1"(x7: Real, x13: Real, x8: "f.kept", x9: "f.kept") {
            x14: [4]Real = scatter x2 (3) x13
            x10: Real = mul x7 x1
            x11: [4]Real = call "f.rev"(x9, x1, x14)
            x12: [4]Real = call "f.rev"(x8, x10, x11)
            give x12
        }
    }
    give x4
}
def main(x0: [4]Real) -> (x1: Real, x2: [4]Real) origin derivative {
    x3: Real, x4: "f.kept" = call "f.fwd"(0, x0)
    x5: [4]Real = replicate [4] 0.0
    x6: [4]Real = call "f.rev"(x4, 1.0, x5)
    give x3, x6
}"#;
    check(
        &format!("{TREE}{back}"),
        expect![[r#"
        def "f.fwd.at_once"(x0: Int, x1: [4]Real, x18: Real, x19: [4]Real) -> (x2: Real, x20: [4]Real) origin derivative {
          x4: Bool = lt x0 4
          x5: Real, x26: [4]Real = if x4 {
            x7: Int = add x0 1
            x8: Real = index x1 (x0)
            x21: Real = mul x8 x18
            x9: Real, x24: [4]Real = call "f.fwd.at_once"(x7, x1, x21, x19)
            x11: Real, x22: [4]Real = call "f.fwd.at_once"(x7, x1, x18, x24)
            x13: Real = mul x8 x9
            x14: Real = add x13 x11
            x23: [4]Real = scatter x22 (3) x11
            give x14, x23
          } else {
            x16: Real = index x1 (0)
            x25: [4]Real = scatter x19 (0) x18
            give x16, x25
          }
          give x5, x26
        }
        def main(x0: [4]Real) -> (x1: Real, x2: [4]Real) origin derivative {
          x5: [4]Real = replicate [4] 0.0
          x3: Real, x6: [4]Real = call "f.fwd.at_once"(0, x0, 1.0, x5)
          give x3, x6
        }"#]],
    );
}

/// The cotangent of the first call is made of the value of the second; that of all of them is made of the
/// value.
#[test]
fn cotangents_that_depend_on_values_wait() {
    let back = |first: &str, all: &str| {
        format!(
            r#"{TREE}
def "f.rev"(x0: "f.kept", x1: Real, x2: [4]Real) -> (x3: [4]Real) origin derivative {{
    x4: [4]Real = match x0 {{
        "f.kept.0"(x5: Int) {{
            x6: [4]Real = scatter x2 (x5) x1
            give x6
        }}
        "f.kept.1"(x7: Real, x13: Real, x8: "f.kept", x9: "f.kept") {{
            x10: Real = mul {first} x1
            x11: [4]Real = call "f.rev"(x9, x1, x2)
            x12: [4]Real = call "f.rev"(x8, x10, x11)
            give x12
        }}
    }}
    give x4
}}
def main(x0: [4]Real) -> (x1: Real, x2: [4]Real) origin derivative {{
    x3: Real, x4: "f.kept" = call "f.fwd"(0, x0)
    x5: [4]Real = replicate [4] 0.0
    x6: [4]Real = call "f.rev"(x4, {all}, x5)
    give x3, x6
}}"#
        )
    };
    stays(&back("x13", "1.0"));
    stays(&back("x7", "x3"));
    let (before, after) = after(&back("x7", "1.0"));
    assert_ne!(before, after);
}

/// What is told is told in an order.
#[test]
fn what_is_told_stays() {
    let back = |value: &str| {
        format!(
            r#"{TREE}
def "f.rev"(x0: "f.kept", x1: Real, x2: [4]Real) -> (x3: [4]Real) origin derivative {{
    x4: [4]Real = match x0 {{
        "f.kept.0"(x5: Int) {{
            x13: Real = {value}
            x6: [4]Real = scatter x2 (x5) x13
            give x6
        }}
        "f.kept.1"(x7: Real, x8: Real, x9: "f.kept", x10: "f.kept") {{
            x11: [4]Real = call "f.rev"(x10, x1, x2)
            x12: [4]Real = call "f.rev"(x9, x1, x11)
            give x12
        }}
    }}
    give x4
}}
def main(x0: [4]Real) -> (x1: Real, x2: [4]Real) origin derivative {{
    x3: Real, x4: "f.kept" = call "f.fwd"(0, x0)
    x5: [4]Real = replicate [4] 0.0
    x6: [4]Real = call "f.rev"(x4, 1.0, x5)
    give x3, x6
}}"#
        )
    };
    stays(&back("trace_back \"x\" x1"));
    let (before, after) = after(&back("mul 2.0 x1"));
    assert_ne!(before, after);
}

/// What goes back reads what it adds to.
#[test]
fn what_is_read_is_no_sum() {
    let back = r#"
def "f.rev"(x0: "f.kept", x1: Real, x2: [4]Real) -> (x3: [4]Real) origin derivative {
    x4: [4]Real = match x0 {
        "f.kept.0"(x5: Int) {
            x6: [4]Real = scatter x2 (x5) x1
            give x6
        }
        "f.kept.1"(x7: Real, x13: Real, x8: "f.kept", x9: "f.kept") {
            x10: [4]Real = call "f.rev"(x9, x1, x2)
            x11: Real = index x10 (0)
            x12: [4]Real = call "f.rev"(x8, x11, x10)
            give x12
        }
    }
    give x4
}
def main(x0: [4]Real) -> (x1: Real, x2: [4]Real) origin derivative {
    x3: Real, x4: "f.kept" = call "f.fwd"(0, x0)
    x5: [4]Real = replicate [4] 0.0
    x6: [4]Real = call "f.rev"(x4, 1.0, x5)
    give x3, x6
}"#;
    stays(&format!("{TREE}{back}"));
}

/// Two loops are one, forwards; what the first one collected is at hand.
#[test]
fn a_loop_of_calls_goes_back_in_every_step() {
    check(
        r#"
data "f.kept"<; x0> = "f.kept.0"() | "f.kept.1"([x0]Real, [x0]Real, [x0]"f.kept"<; x0>)
def "f.fwd"[x0](x1: Int, x2: [x0]Real) -> (x3: Real, x4: "f.kept"<; x0>) origin derivative {
    x5: Bool = equal x1 0
    x6: Real, x7: "f.kept"<; x0> = if x5 {
        x8: "f.kept"<; x0> = con "f.kept"<; x0> "f.kept.0"()
        give 1.0, x8
    } else {
        x9: Int = sub x1 1
        x10: Real, x11: [x0]Real, x12: [x0]"f.kept"<; x0> = fold (x13: Real = 0.0) (x14: Real = x2) {
            x15: Real, x16: "f.kept"<; x0> = call "f.fwd"[x0](x9, x2)
            x17: Real = mul x14 x15
            x18: Real = add x13 x17
            give x18, x15, x16
        }
        x19: "f.kept"<; x0> = con "f.kept"<; x0> "f.kept.1"(x2, x11, x12)
        give x10, x19
    }
    give x6, x7
}
def "f.rev"[x0](x1: "f.kept"<; x0>, x2: Real, x3: [x0]Real, x30: Real) -> (x4: [x0]Real, x31: Real) origin derivative {
    x5: [x0]Real, x32: Real = match x1 {
        "f.kept.0"() { give x3, x30 }
        "f.kept.1"(x6: [x0]Real, x7: [x0]Real, x8: [x0]"f.kept"<; x0>) {
            x9: [x0]Real = reverse x6
            x10: [x0]Real = reverse x7
            x11: [x0]"f.kept"<; x0> = reverse x8
            x12: [x0]Real, x33: Real = fold (x13: [x0]Real = x3, x34: Real = x30) (x14: Real = x9, x15: Real = x10, x16: "f.kept"<; x0> = x11) {
                x17: Real = scale x15 x2
                x18: Real = scale x14 x2
                x36: [x0]Real = scatter x13 (0) x17
                x19: [x0]Real, x35: Real = call "f.rev"[x0](x16, x18, x36, x34)
                x37: Real = add x17 x35
                give x19, x37
            }
            give x12, x33
        }
    }
    give x5, x32
}
def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: [x0]Real, x9: Real) origin derivative {
    x5: Real, x6: "f.kept"<; x0> = call "f.fwd"[x0](3, x1)
    x7: [x0]Real = replicate [x0] 0.0
    x8: [x0]Real, x10: Real = call "f.rev"[x0](x6, x2, x7, 0.0)
    give x5, x8, x10
}"#,
        expect![[r#"
            def "f.fwd.at_once"[x0](x1: Int, x2: [x0]Real, x20: Real, x21: [x0]Real, x22: Real) -> (x3: Real, x23: [x0]Real, x24: Real) origin derivative {
              x5: Bool = equal x1 0
              x6: Real, x41: [x0]Real, x42: Real = if x5 {
                give 1.0, x21, x22
              } else {
                x9: Int = sub x1 1
                x10: Real, x28: [x0]Real, x36: Real = fold (x13: Real = 0.0, x29: [x0]Real = x21, x37: Real = x22) (x14: Real = x2, x30: Real = x2) {
                  x34: Real = scale x30 x20
                  x15: Real, x39: [x0]Real, x38: Real = call "f.fwd.at_once"[x0](x9, x2, x34, x29, x37)
                  x17: Real = mul x14 x15
                  x18: Real = add x13 x17
                  x33: Real = scale x15 x20
                  x35: [x0]Real = scatter x39 (0) x33
                  x40: Real = add x33 x38
                  give x18, x35, x40
                }
                give x10, x28, x36
              }
              give x6, x41, x42
            }
            def main[x0](x1: [x0]Real, x2: Real) -> (x3: Real, x4: [x0]Real, x9: Real) origin derivative {
              x7: [x0]Real = replicate [x0] 0.0
              x5: Real, x8: [x0]Real, x10: Real = call "f.fwd.at_once"[x0](3, x1, x2, x7, 0.0)
              give x5, x8, x10
            }"#]],
    );
}
