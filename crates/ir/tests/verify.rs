//! Each invariant of `verify.rs` has a program here that breaks it.

use base::Name;
use expect_test::{Expect, expect};
use ir::{Dialect, Program, verify};

fn check(text: &str, dialect: Dialect, expected: Expect) {
    let program: Program = text.parse().expect("the text of the test is a program");
    let message = verify(&program, dialect).map_or_else(|it| it.to_string(), |()| "fine".into());
    expected.assert_eq(&message);
}

/// A definition with this body, whose result is an `Int`.
fn body(body: &str, expected: Expect) {
    let text = format!(
        "data Option<a> = None() | Some(a)\n\
         def g<a>[x0](x1: [x0]a) -> (x2: Int) {{ give x0 }}\n\
         def f[x0](x1: [x0]Real, x2: Int, x3: Option<Int>) -> (x4: Int) {{ {body} }}"
    );
    check(&text, Dialect::Source, expected);
}

#[test]
fn v1_bound_before_use() {
    body("x5: Int = add x2 x9 give 0", expect!["V1 at f, x5: Int = add x2 x9: x9 is not in scope"]);
    body(
        "x5: Int = if true { x6: Int = copy 1 give x6 } else { give 2 } x7: Int = copy x6 give 0",
        expect!["V1 at f, x7: Int = copy x6: x6 is not in scope"],
    );
    body("give x9", expect!["V1 at f, the results of a block: x9 is not in scope"]);
}

#[test]
fn v2_unique_binders() {
    body("x2: Int = copy 1 give 0", expect!["V2 at f, its parameters: x2 is bound twice"]);
    check(
        "def f(x0: Int) -> (x5: Int) next 3 { give x0 }",
        Dialect::Source,
        expect!["V2 at f, its parameters: x5 is not below 3"],
    );
}

#[test]
fn v3_sizes_in_scope() {
    body(
        "x5: Int = size [x1] give 0",
        expect!["V3 at f, x5: Int = size [x1]: the size x1 is no Int"],
    );
    body(
        "x5: [x7]Int = build (x6 < 2) { x7: Int = copy 3 x8: [x7]Int = iota [x7] give x8 } give 0",
        expect!["V4 at f, x5: [x7]Int = build (x6 < 2) {: x5 is of type [2][x7]Int"],
    );
    body(
        "x5: [2][x7]Int = build (x6 < 2) { x7: Int = copy 3 x8: [x7]Int = iota [x7] give x8 } give 0",
        expect!["V3 at f, x5: [2][x7]Int = build (x6 < 2) {: the size x7 is not in scope"],
    );
    check(
        "def f(x0: Int) -> (x1: [x2]Int) { x2: Int = copy 3 x3: [x2]Int = iota [x2] give x3 }",
        Dialect::Source,
        expect!["V3 at f, its results: the size x2 is not in scope"],
    );
}

#[test]
fn v4_types() {
    body("x5: Real = add x2 1 give 0", expect!["V4 at f, x5: Real = add x2 1: x5 is of type Int"]);
    body(
        "x5: Real = add 1.0 1 give 0",
        expect!["V4 at f, x5: Real = add 1.0 1: add takes no operands Real, Int"],
    );
    body(
        "x5: [3]Real = sized x1 [3] x6: [x0]Real = add x1 x5 give 0",
        expect![[r#"V4 at f, x6: [x0]Real = add x1 x5: add: [3]Real and [x0]Real differ in size"#]],
    );
    body(
        "x5: Int, x6: Int = copy 1 give 0",
        expect!["V4 at f, x5: Int, x6: Int = copy 1: it has 1 results"],
    );
    body(
        "x5: Real = grad 0 x2 (1.0) give 0",
        expect!["V4 at f, x5: Real = grad 0 x2 (1.0): Int is no function"],
    );
    body(
        "x5: [x0]Real = if true { give x1 } else { x6: [2]Real = sized x1 [2] give x6 } give 0",
        expect![
            "V4 at f, x5: [x0]Real = if true {: result 0 of the branches has types [x0]Real and [2]Real"
        ],
    );
}

#[test]
fn v5_results() {
    body("give 1.0", expect!["V5 at f, its results: result 0 is of type Real, promised is Int"]);
    body("give", expect!["V5 at f, its results: 1 results, 0 given"]);
}

#[test]
fn v6_calls() {
    body(
        "x5: Int = call h(x2) give x5",
        expect!["V6 at f, x5: Int = call h(x2): there is no definition h"],
    );
    body(
        "x5: Int = call g<Real>(x1) give x5",
        expect![[
            r#"V6 at f, x5: Int = call g<Real>(x1): (1, 1, 1) types, sizes and arguments, not (1, 0, 1)"#
        ]],
    );
    body(
        "x5: Int = call g'11<Real>[x0](x1) give x5",
        expect!["V6 at f, x5: Int = call g'11<Real>[x0](x1): there is no definition g'11"],
    );
    body("x5: Int = call g<Real>[x0](x1) give x5", expect!["fine"]);
}

#[test]
fn v7_types_well_formed() {
    check(
        "def f(x0: Maybe) -> () { give }",
        Dialect::Source,
        expect!["V7 at f, its parameters: there is no sum type Maybe"],
    );
    check(
        "def f(x0: a) -> () { give }",
        Dialect::Source,
        expect!["V7 at f, its parameters: the type a is no parameter"],
    );
    check(
        "def f(x0: [3](() -> Int)) -> () { give }",
        Dialect::Source,
        expect!["V7 at f, its parameters: [3](() -> Int) holds functions"],
    );
    check(
        "data Pair<a, b> = Pair(a, b) def f(x0: Pair<Int>) -> () { give }",
        Dialect::Source,
        expect!["V7 at f, its parameters: Pair<Int> has a wrong number of arguments"],
    );
}

#[test]
fn v8_constructors() {
    body(
        "x5: Option<Int> = con Option<Int> Nothing() give 0",
        expect![
            "V8 at f, x5: Option<Int> = con Option<Int> Nothing(): Option<Int> has no constructor Nothing"
        ],
    );
    body(
        "x5: Int = match x3 { None() { give 0 } } give 0",
        expect!["V8 at f, x5: Int = match x3 {: the arms are not the constructors, each once"],
    );
    body(
        "x5: Int = match x3 { None() { give 0 } None() { give 1 } else { give 2 } } give 0",
        expect!["V8 at f, x5: Int = match x3 {: the arms are not the constructors, each once"],
    );
}

#[test]
fn v9_dialect() {
    check(
        "def f(x0: Real) -> (x1: Real) { x2: () -> Real = lambda () { give x0 } give x0 }",
        Dialect::FirstOrder,
        expect!["V9 at f, x2: () -> Real = lambda () {: this operation is not allowed"],
    );
    check(
        "def f<a>(x0: a) -> (x1: a) { give x0 }",
        Dialect::FirstOrder,
        expect!["V9 at f, its parameters: type parameters are not allowed"],
    );
    check(
        "def f(x0: ((Real) -> Real, Int)) -> () { give }",
        Dialect::FirstOrder,
        expect!["V9 at f, its parameters: ((Real) -> Real, Int) is not allowed"],
    );
}

/// In the dialect Bulk, a build that could be an operation on whole arrays is not allowed, nor an index
/// without indices.
#[test]
fn v9_bulk() {
    check(
        "def f[x0](x1: [x0]Real) -> (x2: [x0]Real) {
            x3: [x0]Real = build (x4 < x0) {
                x5: Real = index x1 (x4)
                x6: [2]Real = build (x7 < 2) { x8: Real = sin x5 give x8 }
                x9: Real = sum 0 x6
                give x9
            }
            give x3 }",
        Dialect::Bulk,
        expect!["V9 at f, x3: [x0]Real = build (x4 < x0) {: this operation is not allowed"],
    );
    check(
        "def f(x0: Real) -> (x1: Real) { x2: Real = index x0 () give x2 }",
        Dialect::Bulk,
        expect!["V9 at f, x2: Real = index x0 (): this operation is not allowed"],
    );
    check(
        "def f(x0: Real) -> (x1: Real) { x2: Real = derivative grad f () (x0) give x2 }",
        Dialect::Bulk,
        expect!["V9 at f, x2: Real = derivative grad f () (x0): this operation is not allowed"],
    );
    // A size depends on the index, there is control flow, there is no form for a batch.
    for body in [
        "x5: [x4]Int = iota [x4] x6: Int = sum 0 x5",
        "x5: Bool = lt x4 2 x6: Int = if x5 { give x4 } else { give 0 }",
        "x6: Int = while (x7: Int = x4) { x8: Bool = lt x7 9 give x8 } do {
            x9: Int = add x7 2 give x9 }",
        "x6: Int = argmax x1",
    ] {
        let text = format!(
            "def f[x0](x1: [x0]Real) -> (x2: [x0]Int) {{
                x3: [x0]Int = build (x4 < x0) {{ {body} give x6 }} give x3 }}"
        );
        let program: Program = text.parse().unwrap();
        assert_eq!(verify(&program, Dialect::Bulk), Ok(()), "{text}");
    }
}

#[test]
fn v10_names() {
    check(
        "data A = X() | Y() data B = X()",
        Dialect::Source,
        expect!["V10 at B: the constructor X exists already"],
    );
    let mut program: Program = "def f() -> () { give }".parse().unwrap();
    let def = program.defs.remove(&Name::new("f")).unwrap();
    program.defs.insert(Name::new("g"), def);
    let error = verify(&program, Dialect::Source).unwrap_err();
    expect!["V10 at g: the definition is called f"].assert_eq(&error.to_string());
}

#[test]
fn v11_custom_derivatives() {
    let custom = |table: &str, expected: Expect| {
        let text = format!(
            "def f(x0: Real, x1: Int) -> (x2: Real) {{ give x0 }}\n\
             def v(x0: Real, x1: Int, x2: Real) -> (x3: (Real, Int)) \
             {{ x4: (Real, Int) = tuple (x2, 0) give x4 }}\n\
             def j(x0: Real, x1: Int, x2: Real, x3: Int) -> (x4: Real) {{ give x2 }}\n{table}"
        );
        check(&text, Dialect::Source, expected);
    };
    custom("custom f vjp v jvp j", expect!["fine"]);
    custom("custom f vjp j", expect!["V11 at custom f: j has other parameters"]);
    custom("custom f jvp v", expect!["V11 at custom f: v has other parameters"]);
    custom("custom f jvp f", expect!["V11 at custom f: f has other parameters"]);
    custom("custom f vjp w", expect!["V11 at custom f: there is no definition w"]);
    custom("custom f", expect!["V11 at custom f: neither a vjp nor a jvp"]);
    custom("custom g vjp v", expect!["V11 at custom g: there is no definition g"]);
    check(
        "def f[x0](x1: [x0]Real) -> (x2: Real) { give 0.0 }\n\
         def v[x0](x1: [x0]Real, x2: Real) -> (x3: Real) { give 0.0 }\n\
         def j(x1: [2]Real, x2: Real) -> (x3: [2]Real) { give x1 }\n\
         custom f vjp v",
        Dialect::Source,
        expect!["V11 at custom f: v has other results"],
    );
    check(
        "def f[x0](x1: [x0]Real) -> (x2: Real) { give 0.0 }\n\
         def j(x1: [2]Real, x2: Real) -> (x3: [2]Real) { give x1 }\n\
         custom f vjp j",
        Dialect::Source,
        expect!["V11 at custom f: j has other type or size parameters"],
    );
}
