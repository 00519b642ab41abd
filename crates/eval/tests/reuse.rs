//! Buffers are written over only when nobody else sees them.

mod common;

use common::*;
use eval::Value;

#[track_caller]
fn check(text: &str, expected: &[Value]) {
    let found = main(text, &[], vec![reals(&[1.0, 2.0])]).expect(text);
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| assert_equal(found, expected));
}

#[test]
fn a_value_that_is_used_later_is_kept() {
    let text = "def main(x0: [2]Real) -> (x1: [2]Real, x2: [2]Real, x3: [2]Real) {
        x4: [2]Real = add x0 x0
        x5: [2]Real = mul x4 x4
        x6: [2]Real = sub x5 x4
        give x4, x5, x6 }";
    check(text, &[reals(&[2.0, 4.0]), reals(&[4.0, 16.0]), reals(&[2.0, 12.0])]);
}

#[test]
fn both_branches_may_use_a_value_up() {
    for (cond, expected) in [("true", [3.0, 4.0]), ("false", [4.0, 8.0])] {
        let text = format!("def main(x0: [2]Real) -> (x1: [2]Real) {{
            x2: [2]Real = add x0 x0
            x3: [2]Real = if {cond} {{ x4: [2]Real = add x2 1.0 x5: [2]Real = slice x4 0 [0] [2] x10: [2]Real = sub x5 x0 x11: [2]Real = add x10 1.0 give x11 }}
                else {{ x6: [2]Real = mul x2 2.0 give x6 }}
            give x3 }}");
        check(&text, &[reals(&expected)]);
    }
}

#[test]
fn loops_do_not_use_up_what_is_outside() {
    let text = "def main(x0: [2]Real) -> (x1: [2]Real, x2: [2]Real, x3: Real) {
        x4: [2]Real = add x0 1.0
        x5: [2]Real = iterate x6 < 3 (x7: [2]Real = x4) { x8: [2]Real = add x4 x7 give x8 }
        x9: [2]Real = while (x10: [2]Real = x4) {
            x11: Real = sum 0 x10
            x12: Bool = lt x11 20.0
            give x12
        } do {
            x13: [2]Real = add x10 x10
            give x13
        }
        x14: Real = fold (x15: Real = 0.0) (x16: Real = x4, x17: Real = x4) {
            x18: Real = mul x16 x17
            x19: Real = add x15 x18
            give x19
        }
        give x5, x9, x14 }";
    check(text, &[reals(&[8.0, 12.0]), reals(&[8.0, 12.0]), Value::Real(13.0)]);
}

#[test]
fn states_are_exchanged_at_once() {
    let text = "def main(x0: [2]Real) -> (x1: [2]Real, x2: [2]Real) {
        x3: [2]Real = mul x0 10.0
        x4: [2]Real, x5: [2]Real = iterate x6 < 3 (x7: [2]Real = x0, x8: [2]Real = x3) { give x8, x7 }
        give x4, x5 }";
    check(text, &[reals(&[10.0, 20.0]), reals(&[1.0, 2.0])]);
}

#[test]
fn rows_share_their_matrix_without_changing_it() {
    let text = "def main(x0: [2]Real) -> (x1: [2][2]Real, x2: [2]Real, x3: [3][2]Real) {
        x4: [2][2]Real = replicate [2] x0
        x5: [2]Real = index x4 (1)
        x6: [2]Real = add x5 1.0
        x7: [1]Int = array Int (0)
        x8: [1]Real = array Real (5.0)
        x9: [2]Real = index x4 (0)
        x10: [2]Real = scatter x9 (x7) x8
        x11: [3][2]Real = build (x12 < 3) { x13: [2]Real = index x4 (0) x14: [2]Real = mul x13 2.0 give x14 }
        x15: [2]Real = add x10 x6
        give x4, x15, x11 }";
    let doubled: &[f64] = &[2.0, 4.0];
    let expected = [
        matrix(&[&[1.0, 2.0], &[1.0, 2.0]]),
        reals(&[8.0, 5.0]),
        matrix(&[doubled, doubled, doubled]),
    ];
    check(text, &expected);
}

#[test]
fn arguments_and_captured_values_stay_as_they_are() {
    let text = "def double(x0: [2]Real) -> (x1: [2]Real) { x2: [2]Real = add x0 x0 give x2 }
    def main(x0: [2]Real) -> (x1: [2]Real, x2: [2]Real, x3: [2]Real) {
        x4: [2]Real = add x0 1.0
        x5: [2]Real = call double(x4)
        x6: (Real) -> [2]Real = lambda (x7: Real) { x8: [2]Real = mul x4 x7 give x8 }
        x9: [2]Real = apply x6 (2.0)
        x10: [2]Real = apply x6 (3.0)
        give x5, x9, x10 }";
    check(text, &[reals(&[4.0, 6.0]), reals(&[4.0, 6.0]), reals(&[6.0, 9.0])]);
}
