//! `--json` prints exactly one object, and reals read back to the same bits.

use crate::*;

#[test]
fn the_hessian_of_the_issue() {
    eval_json("hessian(\\x => x[0]*x[0]*x[1])([2.0, 3.0])")
        .exits(0)
        .prints("{\"type\":\"[2][2]Real\",\"value\":[[6.0,4.0],[4.0,0.0]]}");
}

#[test]
fn every_kind_of_value() {
    let file = file(
        "kinds.cot",
        "type Point = { x: Real, y: Real }\n\
         type Model<n> = { w: [n]Real, b: Real }\n\
         data Tree<a> = Leaf | Node(Tree<a>, a, Tree<a>)\n",
    );
    for (expression, ty, value) in [
        ("1 + 1", "Int", "2"),
        ("-3", "Int", "-3"),
        ("6.0", "Real", "6.0"),
        ("1e300 * 10.0", "Real", "1e301"),
        ("1e300 * 1e300", "Real", "\"Infinity\""),
        ("-1e300 * 1e300", "Real", "\"-Infinity\""),
        ("0.0 / 0.0", "Real", "\"NaN\""),
        ("-0.0", "Real", "-0.0"),
        ("0.1 + 0.2", "Real", "0.30000000000000004"),
        ("true && false", "Bool", "false"),
        ("\"a\\\"b\\n\"", "String", "\"a\\\"b\\n\""),
        ("()", "()", "[]"),
        ("(1, 2.0)", "(Int, Real)", "[1,2.0]"),
        ("[1, 2, 3]", "[3]Int", "[1,2,3]"),
        ("[[1.0], [2.0]]", "[2][1]Real", "[[1.0],[2.0]]"),
        (
            "[(1, [2.0, 3.0]), (4, [5.0, 6.0])]",
            "[2](Int, [2]Real)",
            "[[1,[2.0,3.0]],[4,[5.0,6.0]]]",
        ),
        ("Point { x: 1.0, y: 2.0 }", "Point", "{\"x\":1.0,\"y\":2.0}"),
        ("[Point { x: 1.0, y: 2.0 }]", "[1]Point", "[{\"x\":1.0,\"y\":2.0}]"),
        ("Model { w: [1.0, 2.0], b: 3.0 }", "Model<2>", "{\"w\":[1.0,2.0],\"b\":3.0}"),
        (
            "Node(Leaf, 1, Leaf)",
            "Tree<Int>",
            "{\"tag\":\"Node\",\"fields\":[{\"tag\":\"Leaf\",\"fields\":[]},1,{\"tag\":\"Leaf\",\"fields\":[]}]}",
        ),
        ("filter(\\x => x > 1.0, [1.0, 2.0, 3.0])", "[2]Real", "[2.0,3.0]"),
        ("filter(\\x => x > 9.0, [1.0, 2.0, 3.0])", "[0]Real", "[]"),
        ("build i < 0, j < 3 => 1.0", "[0][3]Real", "[]"),
    ] {
        cotan(&["eval", &file, expression, "--json"])
            .exits(0)
            .prints(&format!("{{\"type\":{:?},\"value\":{value}}}", ty));
    }
}

#[test]
fn text_is_cotan_syntax() {
    let file = file("text.cot", "type Point = { x: Real, y: Real }\n");
    for (expression, text) in [
        ("Point { x: 1.0, y: -2.5 }", "Point { x: 1.0, y: -2.5 }"),
        ("[(1, true), (2, false)]", "[(1, true), (2, false)]"),
        ("Some(Cons(1.0, Nil))", "Some(Cons(1.0, Nil))"),
        ("None", "None"),
        ("\"quote \\\" and \\\\\"", "\"quote \\\" and \\\\\""),
        ("0.0 / 0.0", "nan"),
        ("-1.0 / 0.0", "-infinity"),
        ("()", "()"),
    ] {
        cotan(&["eval", &file, expression]).exits(0).prints(text);
    }
}

#[test]
fn f32_rounds_and_prints_short() {
    cotan(&["eval", &empty(), "0.1 + 0.2", "--real", "f32"]).exits(0).prints("0.3");
    cotan(&["eval", &empty(), "16777216.0 + 1.0", "--real", "f32"]).exits(0).prints("16777216.0");
}

#[test]
fn a_function_has_no_printed_form() {
    eval_json("\\x => x + 1.0").exits(1).says("[E0633]");
    eval_json("(1, \\x => x + 1.0)").exits(1).says("[E0633]");
}

#[test]
fn failures_under_json_are_one_object_too() {
    let ran = eval_json("1 +").exits(1);
    assert!(ran.out.starts_with("{\"error\":[{\"code\":\"E01"), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1);
    assert!(ran.err.contains("error[E01"));
    let ran = eval_json("[1, 2, 3][7]").exits(1);
    assert!(ran.out.starts_with("{\"error\":[{\"code\":\"E06"), "{}", ran.out);
}

#[test]
fn an_expression_may_start_with_a_dash() {
    cotan(&["eval", &empty(), "-1.5"]).exits(0).prints("-1.5");
}

#[test]
fn operations_are_counted_on_request() {
    let program = file("count.cot", "def main = sum(exp([1.0, 2.0, 3.0]) * 2.0)\n");
    let ran = cotan(&["run", &program, "--cost"]).exits(0);
    let ran = ran.says(" 3 exp").says(" 3 mul").says("operations");
    assert!(!ran.out.contains("operations"), "{}", ran.out);
}
