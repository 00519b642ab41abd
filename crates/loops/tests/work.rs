//! How much a run does, counted by hand.

use ir::Prim;
use loops::{Atom, Func, Kind, Loop, Module, Node, Scalar, State, Type, Value, Var, While, work};

const INT: Type = Type::Scalar(Scalar::Int);

fn counted(var: Var, count: Atom, body: Vec<Node>) -> Node {
    let (state, accs) = Default::default();
    Node::Loop(Box::new(Loop { var, count, kind: Kind::Seq, state, accs, body }))
}

fn plus(var: Var, a: Atom, b: Atom) -> Node {
    Node::Let { var, value: Value::Prim(Prim::Add, vec![a, b]) }
}

/// `main() { a = 2 + 3; call f(a) }`, where `f(n)` does this.
fn module(f: impl FnOnce(&mut Func, Var) -> Vec<Node>) -> Module {
    let mut callee = Func::new("f".into());
    let n = callee.fresh(INT);
    callee.params = vec![n];
    callee.body = f(&mut callee, n);
    let mut main = Func::new("main".into());
    let a = main.fresh(INT);
    main.body = vec![
        plus(a, Atom::Int(2), Atom::Int(3)),
        Node::Call { func: 1, args: vec![Atom::Var(a)], results: Vec::new() },
    ];
    Module { funcs: vec![main, callee], entries: vec![0], ..Module::default() }
}

#[test]
fn loops_count_by_sizes_that_are_handed_on() {
    let module = module(|func, n| {
        let [i, j, x, y] = [(); 4].map(|()| func.fresh(INT));
        let inner = counted(j, Atom::Var(i), vec![plus(y, Atom::Var(j), Atom::Int(1))]);
        vec![counted(i, Atom::Var(n), vec![plus(x, Atom::Var(i), Atom::Int(1)), inner])]
    });
    // One addition, then five steps of one and, as in the last of them, four.
    assert_eq!(work(&module, 0), Some(1 + 5 * (1 + 4)));
}

#[test]
fn nothing_is_known_of_conditions_and_recursion() {
    let endless = module(|_, _| {
        let (state, before, body): (Vec<State>, _, _) = Default::default();
        vec![Node::While(Box::new(While { state, before, cond: Atom::Bool(true), body }))]
    });
    assert_eq!(work(&endless, 0), None);
    let recursive =
        module(|_, n| vec![Node::Call { func: 1, args: vec![Atom::Var(n)], results: Vec::new() }]);
    assert_eq!(work(&recursive, 0), None);
}
