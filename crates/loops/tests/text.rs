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
    let acc = Acc { var: sum, how: How::Add, init: Atom::Real(0.0), value: Atom::Var(r) };
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
        expect!["function 0, dot: a loop to be written out has no literal count"],
    );
    wrong(
        |it| the_loop(it).accs[0].how = How::Set,
        expect!["function 0, dot: `Set` accumulates nothing"],
    );
}
