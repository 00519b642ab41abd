//! Control flow, memory, calls, boxes, checks: code without vectors.

use ir::Prim;
use loops::{
    Acc, Arm, Atom, Choice, Func, How, Kernel, Kind, Loop, Node, Phi, State, Value, While,
};

use crate::build::{BOOL, BOX, Build, INT, REAL, REALS, at, int, module, times, v};
use crate::run::{Arg, Host, Outcome, WAYS, Want, run};

fn ok(results: Vec<Vec<f64>>) -> Outcome {
    Outcome { code: 0, values: vec![], results }
}

fn check(func: Func, cases: &[(Vec<Arg>, Vec<f64>)], want: Want) {
    check_all(vec![func], cases, want);
}

fn check_all(funcs: Vec<Func>, cases: &[(Vec<Arg>, Vec<f64>)], want: Want) {
    let module = module(funcs);
    let calls: Vec<Vec<Arg>> = cases.iter().map(|it| it.0.clone()).collect();
    let wants = vec![vec![want]; calls.len()];
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &wants);
        for (found, (args, expected)) in found.into_iter().zip(cases) {
            assert_eq!(found, ok(vec![expected.clone()]), "{way:?} {args:?}");
        }
    }
}

#[test]
fn state_is_assigned_all_at_once() {
    // Fibonacci by swapping: (a, b) = (b, a + b).
    let mut b = Build::new("fib");
    let n = b.param(INT);
    let (i, x, y, x1, y1) = (b.fresh(INT), b.fresh(INT), b.fresh(INT), b.fresh(INT), b.fresh(INT));
    let mut sum = int(0);
    let body = b.block(|b| sum = b.prim(INT, Prim::Add, &[v(x), v(y)]));
    b.push(Node::Loop(Box::new(Loop {
        var: i,
        count: v(n),
        kind: Kind::Seq,
        state: vec![
            State { var: x, init: int(0), next: v(y), last: x1 },
            State { var: y, init: int(1), next: sum, last: y1 },
        ],
        accs: vec![],
        body,
    })));
    let func = b.finish(vec![v(x1)]);
    let cases = [(0, 0.0), (1, 1.0), (10, 55.0), (50, 12586269025.0), (-3, 0.0)];
    check(func, &cases.map(|(n, f)| (vec![Arg::Int(n)], vec![f])), Want::Int);
}

#[test]
fn while_runs_until_its_condition_fails() {
    // The number of steps of the Collatz sequence.
    let mut b = Build::new("collatz");
    let n = b.param(INT);
    let [x, steps, x1, steps1] = [INT; 4].map(|ty| b.fresh(ty));
    let mut cond = int(0);
    let before = b.block(|b| cond = b.prim(BOOL, Prim::Ne, &[v(x), int(1)]));
    let (mut next, mut more) = (int(0), int(0));
    let body = b.block(|b| {
        let half = b.prim(INT, Prim::Div, &[v(x), int(2)]);
        let odd = b.prim(INT, Prim::Rem, &[v(x), int(2)]);
        let odd = b.prim(BOOL, Prim::Eq, &[odd, int(1)]);
        let res = b.fresh(INT);
        let mut up = int(0);
        let then = b.block(|b| {
            up = b.prim(INT, Prim::Mul, &[v(x), int(3)]);
            up = b.prim(INT, Prim::Add, &[up, int(1)]);
        });
        let results = vec![Phi { var: res, then: up, otherwise: half }];
        b.push(Node::If { cond: odd, then, otherwise: vec![], results });
        next = v(res);
        more = b.prim(INT, Prim::Add, &[v(steps), int(1)]);
    });
    b.push(Node::While(Box::new(While {
        state: vec![
            State { var: x, init: v(n), next, last: x1 },
            State { var: steps, init: int(0), next: more, last: steps1 },
        ],
        before,
        cond,
        body,
    })));
    let func = b.finish(vec![v(steps1)]);
    let cases = [(1, 0.0), (6, 8.0), (27, 111.0)];
    check(func, &cases.map(|(n, f)| (vec![Arg::Int(n)], vec![f])), Want::Int);
}

#[test]
fn a_loop_written_out_has_literal_indices_and_registers() {
    // The sum of the squares 0 .. 4, through a small array.
    let mut b = Build::new("squares");
    let x = b.param(REAL);
    let array = b.alloc(REALS, int(5));
    let i = b.fresh(INT);
    let body = b.block(|b| {
        let r = b.real(Prim::ToReal, &[v(i)]);
        let r = b.real(Prim::Mul, &[r, r]);
        b.store(array, at(i), r, How::Set);
    });
    let unroll = |var, accs, body| {
        let (count, kind, state) = (int(5), Kind::Unroll, vec![]);
        Node::Loop(Box::new(Loop { var, count, kind, state, accs, body }))
    };
    b.push(unroll(i, vec![], body));
    let (j, sum) = (b.fresh(INT), b.fresh(REAL));
    let mut y = v(x);
    let body = b.block(|b| y = b.load(array, at(j)));
    b.push(unroll(
        j,
        vec![Acc { var: sum, how: How::Add, init: v(x), value: y, once: false }],
        body,
    ));
    let func = b.finish(vec![v(sum)]);
    check(func, &[(vec![Arg::Real(0.5)], vec![30.5])], Want::Real);
}

#[test]
fn recursion_and_boxes() {
    // A list of n, n-1, .., 1 and the sum of it; an empty list has tag 0.
    let mut list = Build::new("list'");
    let n = list.param(INT);
    let more = list.prim(BOOL, Prim::Gt, &[v(n), int(0)]);
    let res = list.fresh(BOX);
    let (mut cell, mut empty) = (v(res), v(res));
    let then = list.block(|b| {
        let less = b.prim(INT, Prim::Sub, &[v(n), int(1)]);
        let rest = b.fresh(BOX);
        b.push(Node::Call { func: 0, args: vec![less], results: vec![rest] });
        let head = b.real(Prim::ToReal, &[v(n)]);
        let var = b.fresh(BOX);
        b.push(Node::Make { var, tag: 1, fields: vec![head, v(rest)] });
        cell = v(var);
    });
    let otherwise = list.block(|b| {
        let var = b.fresh(BOX);
        b.push(Node::Make { var, tag: 0, fields: vec![] });
        empty = v(var);
    });
    let results = vec![Phi { var: res, then: cell, otherwise: empty }];
    list.push(Node::If { cond: more, then, otherwise, results });
    let mut list = list.finish(vec![v(res)]);
    list.recursive = true;

    let mut total = Build::new("total");
    let it = total.param(BOX);
    let [head, sum] = [REAL; 2].map(|ty| total.fresh(ty));
    let rest = total.fresh(BOX);
    let mut value = v(head);
    let body = total.block(|b| {
        let tail = b.fresh(REAL);
        b.push(Node::Call { func: 1, args: vec![v(rest)], results: vec![tail] });
        value = b.real(Prim::Add, &[v(head), v(tail)]);
    });
    total.push(Node::Switch {
        value: v(it),
        arms: vec![
            Arm { tag: 0, fields: vec![], body: vec![] },
            Arm { tag: 1, fields: vec![head, rest], body },
        ],
        otherwise: vec![],
        results: vec![Choice {
            var: sum,
            arms: vec![Atom::Real(0.0), value],
            otherwise: Atom::Real(-1.0),
        }],
    });
    let mut total = total.finish(vec![v(sum)]);
    total.recursive = true;

    let mut main = Build::new("main");
    let n = main.param(INT);
    let (all, sum) = (main.fresh(BOX), main.fresh(REAL));
    main.push(Node::Call { func: 0, args: vec![v(n)], results: vec![all] });
    main.push(Node::Call { func: 1, args: vec![v(all)], results: vec![sum] });
    let main = main.finish(vec![v(sum)]);
    let module = module(vec![list, total, main]);
    for way in WAYS {
        let calls = [0, 100, 10_000_000].map(|n| vec![Arg::Int(n)]);
        let found = run(&module, &way, Host::None, &calls, &vec![vec![Want::Real]; 3]);
        assert_eq!(found[0], ok(vec![vec![0.0]]), "{way:?}");
        assert_eq!(found[1], ok(vec![vec![5050.0]]), "{way:?}");
        assert_eq!(found[2].code, 2, "too deep: {way:?}");
    }
}

#[test]
fn checks_scopes_memory_and_stop() {
    // A scope inside of a loop frees what it allocates; too large an array fails with its bytes.
    let mut b = Build::new("scopes");
    let (n, len) = (b.param(INT), b.param(INT));
    let positive = b.prim(BOOL, Prim::Ge, &[v(n), int(0)]);
    b.push(Node::Check { holds: positive, site: 7, values: vec![v(n), int(3)] });
    let (i, sum) = (b.fresh(INT), b.fresh(REAL));
    let mut value = v(sum);
    let body = b.block(|b| {
        let inner = b.block(|b| {
            let array = b.alloc(REALS, v(len));
            let (at, len) = (vec![], v(len));
            b.push(Node::Kernel(Kernel::Fill { array, at, len, value: Atom::Real(1.5) }));
            value = b.load(array, vec![times(v(i), int(1)), times(int(2), int(3))]);
        });
        b.push(Node::Scope(inner));
    });
    b.push(Node::Loop(Box::new(Loop {
        var: i,
        count: v(n),
        kind: Kind::Seq,
        state: vec![],
        accs: vec![Acc { var: sum, how: How::Add, init: Atom::Real(0.0), value, once: false }],
        body,
    })));
    let module = module(vec![b.finish(vec![v(sum)])]);
    let calls = [(1000, 4096), (-2, 5), (1, 1 << 40), (1, i64::MAX)]
        .map(|(n, len)| vec![Arg::Int(n), Arg::Int(len)]);
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &vec![vec![Want::Real]; 4]);
        assert_eq!(found[0], ok(vec![vec![1500.0]]), "{way:?}");
        assert_eq!((found[1].code, &found[1].values), (1007, &vec![-2, 3]));
        assert_eq!(found[2].code, 1);
        assert!(found[2].values[0] >= 1 << 42);
        assert_eq!((found[3].code, &found[3].values), (1, &vec![i64::MAX]));
        let found = run(&module, &way, Host::Stopping, &calls[..1], &[vec![Want::Real]]);
        assert_eq!(found[0].code, 3);
    }
}

#[test]
fn several_results_and_moves() {
    let mut b = Build::new("pair");
    let x = b.param(REAL);
    let y = b.bind(REAL, Value::Atom(v(x)));
    let z = b.bind(REAL, Value::ScaleAdd(v(x), v(x), Atom::Real(-1.0)));
    let pair = b.finish(vec![z, y]);
    let mut b = Build::new("difference");
    let x = b.param(REAL);
    let (p, q) = (b.fresh(REAL), b.fresh(REAL));
    b.push(Node::Call { func: 0, args: vec![v(x)], results: vec![p, q] });
    let d = b.real(Prim::Sub, &[v(p), v(q)]);
    let func = b.finish(vec![d]);
    check_all(vec![pair, func], &[(vec![Arg::Real(3.0)], vec![5.0])], Want::Real);
}
