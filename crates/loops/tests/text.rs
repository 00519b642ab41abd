//! What a module looks like, and what is wrong with some.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use expect_test::{Expect, expect};
use ir::Prim;
use loops::{
    Acc, Atom, Func, How, Kind, Loop, Module, Node, Scalar, State, Term, Type, Value, Var, verify,
};

const INT: Type = Type::Scalar(Scalar::Int);
const REAL: Type = Type::Scalar(Scalar::Real);

/// The scalar product of two arrays.
fn dot(kind: Kind) -> Func {
    let mut func = Func::new("dot".into());
    let n = func.fresh(INT);
    let [x, y] = [(); 2].map(|()| func.fresh(Type::Array(Scalar::Real)));
    func.params = vec![n, x, y];
    let (i, sum) = (func.fresh(INT), func.fresh(REAL));
    let [p, q, r] = [(); 3].map(|()| func.fresh(REAL));
    let at = vec![Term { index: Atom::Var(i), stride: Atom::Int(1) }];
    let body = vec![
        Node::Let { var: p, value: Value::Load { array: x, at: at.clone() } },
        Node::Let { var: q, value: Value::Load { array: y, at } },
        Node::Let { var: r, value: Value::Prim(Prim::Mul, vec![Atom::Var(p), Atom::Var(q)]) },
    ];
    let acc =
        Acc { var: sum, how: How::Add, init: Atom::Real(0.0), value: Atom::Var(r), once: false };
    let it = Loop { var: i, count: Atom::Var(n), kind, state: vec![], accs: vec![acc], body };
    func.body = vec![Node::Loop(Box::new(it))];
    func.results = vec![Atom::Var(sum)];
    func
}

fn wrong(change: impl FnOnce(&mut Func), message: Expect) {
    let mut func = dot(Kind::Vector);
    change(&mut func);
    let module = Module { funcs: vec![func], ..Module::default() };
    message.assert_eq(&verify(&module).unwrap_err());
}

fn the_loop(func: &mut Func) -> &mut Loop {
    let Node::Loop(it) = &mut func.body[0] else { panic!("no loop") };
    it
}

#[test]
fn a_loop_says_what_a_step_costs() {
    let module = Module { funcs: vec![dot(Kind::Vector)], entries: vec![0], ..Module::default() };
    assert_eq!(verify(&module), Ok(()));
    expect![[r#"
        entry dot(x0: Int, x1: []Real, x2: []Real) {
          vector x3 < x0 {  // 1 operations, 16 bytes read, 0 written
            x5 = x1[x3]
            x6 = x2[x3]
            x7 = mul(x5, x6)
          }
          x4 = 0.0 + over x7
          return x4
        }

    "#]]
    .assert_eq(&module.to_string());
}

#[test]
fn variables_are_defined_once_and_before_their_use() {
    wrong(
        |it| the_loop(it).body.swap(0, 2),
        expect!["function 0, dot: x5 is used before it is defined"],
    );
    wrong(
        |it| it.results = vec![Atom::Var(Var(7))],
        expect!["function 0, dot: x7 is used outside of its block"],
    );
    wrong(
        |it| {
            let body = the_loop(it).body.clone();
            the_loop(it).body.extend(body);
        },
        expect!["function 0, dot: x5 is defined twice"],
    );
}

#[test]
fn operands_have_their_types() {
    wrong(
        |it| the_loop(it).accs[0].init = Atom::Int(0),
        expect!["function 0, dot: 0 is Int, not Real"],
    );
    wrong(
        |it| the_loop(it).count = Atom::Var(Var(1)),
        expect!["function 0, dot: x1 is []Real, not Int"],
    );
    wrong(
        |it| {
            let value = Value::Prim(Prim::Add, vec![Atom::Int(1), Atom::Real(1.0)]);
            it.body.insert(0, Node::Let { var: Var(4), value });
        },
        expect!["function 0, dot: add of wrong operands"],
    );
}

#[test]
fn loops_are_what_their_kind_says() {
    wrong(
        |it| {
            let [var, last] = [(); 2].map(|()| it.fresh(REAL));
            let state = State { var, init: Atom::Real(0.0), next: Atom::Real(0.0), last };
            the_loop(it).state.push(state);
        },
        expect!["function 0, dot: a vector loop has state"],
    );
    wrong(
        |it| the_loop(it).kind = Kind::Unroll,
        expect!["function 0, dot: a loop to be unrolled has no literal count"],
    );
    wrong(
        |it| the_loop(it).accs[0].how = How::Set,
        expect!["function 0, dot: `Set` accumulates nothing"],
    );
}

/// One of everything, as it is printed.
const EVERYTHING: &str = r#"entry 1 main(x0: Int, x1: []Real) {
  unused x2: []Bool
  x3 = alloc []Real, x0, max over lanes
  fill x3[], x0 with -inf
  x4 = x1[x0 * 2 + 1 ...]
  x5 = x4[...]
  state x6 = 1e-7
  while {
    x8 = lt(x6, NaN)
  } holds x8 {
    x9 = scale_add(x6, x6, -0.5)
    next x6 = x9
  }
  x7 = last x6
  chunks x10, x11 < x0, 16 bytes and x0 ns an element, x3 max= x12 of 4, x1 += x13 of 1 {
    x12[x10] max= x7
  }
  x1[i * 2 + j * 1] += scaled product x4[x0 + i * 1 + j * 2] x5[i * x0 + j * 1], x0 by 2 by 3
  scope {
    copy x1[] to x3[x0 * x0], 3
  }
  x14: Box, x15: []Int = call 1(x0)
  call 2()
  switch x14 {
  0(x16: Real, x17: []Bool) {
    x18 = make 3(x16, true)
  }
  else {
  }
  }
  x19 = one of x18 else 0
  unroll x20 < 3 {  // 1 operations, 8 bytes read, 8 written
    x1[x20] *= x7
  }
  x21 = 0 max over x20
  check true else 0(x0, 3)
  return x7, x15
}

entry 0 recursive f.vjp10(x0: Int) {
  x1 = make 0()
  x2 = alloc []Int, 3
  sort x2 to x2, 3
  argsort x2 to x2, 3
  return x1, x2
}

nothing() {
  return 
}

site 0 index 2 in f.vjp10 at 3:5..9
site 1 too_large in main
text 0 "a \"quoted\"\n\u{e9}"
"#;

#[test]
fn every_construct_is_read_back() {
    let module = loops::parse(EVERYTHING).unwrap();
    let without_remarks = |text: &str| {
        let lines = text.lines().map(|it| it.split("  // ").next().unwrap().to_string());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(without_remarks(&module.text()), without_remarks(EVERYTHING));
    assert_eq!(module.entries, [1, 0]);
    assert_eq!(&*module.texts[0], "a \"quoted\"\né");
}

#[test]
fn a_wrong_text_is_an_error_with_a_line() {
    for (text, message) in [
        ("f( {", "line 1: an operand is expected at `{`"),
        ("f() {\n  x0 = 1\n  x0 = 2\n  return \n}", "line 3: x0 is defined twice"),
        ("f() {\n  x1 = 1\n  return \n}", "not all variables of f have types"),
        ("f() {\n  x0 = mul(1, 2.0)\n  return \n}", "mul of wrong operands"),
        ("f() {\n  if true {\n  return \n}", "`}` is expected"),
        ("entry 1 f() {\n  return \n}", "an entry is left out"),
        ("site 1 size in f", "this is site 0"),
    ] {
        let complaint = loops::parse(text).unwrap_err();
        assert!(complaint.contains(message), "{complaint}");
    }
}

/// Any text gives a module or an error.
#[test]
fn no_text_is_too_odd() {
    let lines: Vec<&str> = EVERYTHING.lines().collect();
    for k in 0..lines.len() {
        for cut in 0..lines[k].len() {
            let Some(start) = lines[k].get(..cut) else { continue };
            let text = [&lines[..k], &[start], &lines[k + 1..]].concat().join("\n");
            let _ = loops::parse(&text);
        }
    }
    let deep = "if true {\n".repeat(100_000);
    assert!(loops::parse(&format!("f() {{\n{deep}")).is_err());
}

/// Variables that nothing defines are gone, and the others count up as they are defined.
#[test]
fn numbers_without_gaps() {
    let mut func = dot(Kind::Seq);
    let text = |func: &Func| {
        let module = Module { funcs: vec![func.clone()], entries: vec![0], ..Module::default() };
        assert_eq!(verify(&module), Ok(()));
        module.text()
    };
    func.compact();
    let before = text(&func);
    // A factor less: its variable, and the product's, are not there any more.
    let it = the_loop(&mut func);
    it.body.truncate(1);
    it.accs[0].value = Atom::Var(Var(5));
    func.fresh(INT);
    assert!(text(&func).contains("unused x6"), "{before}");
    func.compact();
    let after = text(&func);
    assert!(!after.contains("unused") && !after.contains("x6"), "{after}");
    assert_eq!(func.vars.len(), 6);
}
