//! Vector loops with memory of their own, loops inside, checks, calls and branches; chunks.

use ir::Prim;
use loops::{Atom, ChunkAcc, Chunks, How, Kernel, Kind, Loop, Node, Phi, State, Value, Var};

use crate::build::{BOOL, Build, INT, INTS, REAL, REALS, at, int, module, times, v};
use crate::run::{Arg, Host, WAYS, Want, run};
use crate::vectors::{check, numbers};

fn fill(b: &mut Build, array: Var, len: Atom, value: Atom) {
    b.push(Node::Kernel(Kernel::Fill { array, at: vec![], len, value }));
}

#[test]
fn loops_and_arrays_inside_of_lanes() {
    // A histogram of m digits for each lane, in an array of its own; once small, once in the arena.
    for size in [3, 200] {
        let mut b = Build::new("inside");
        let (n, m) = (b.param(INT), b.param(INT));
        let out = b.alloc(REALS, v(n));
        b.lanes(v(n), |b, i| {
            let own = b.alloc(REALS, int(size));
            fill(b, own, int(size), Atom::Real(0.0));
            // The state is a vector: d = (2 d + i) mod 3.
            let (j, digit, last) = (b.fresh(INT), b.fresh(INT), b.fresh(INT));
            let mut next = int(0);
            let body = b.block(|b| {
                let d = b.prim(INT, Prim::Mul, &[v(digit), int(2)]);
                let d = b.prim(INT, Prim::Add, &[d, v(i)]);
                next = b.prim(INT, Prim::Rem, &[d, int(3)]);
                b.store(own, at(next), Atom::Real(1.0), How::Add);
            });
            b.push(Node::Loop(Box::new(Loop {
                var: j,
                count: v(m),
                kind: Kind::Seq,
                state: vec![State { var: digit, init: int(1), next, last }],
                accs: vec![],
                body,
            })));
            let copy = b.alloc(REALS, int(size));
            let (from_at, into_at) = (at(1), at(0));
            b.push(Node::Kernel(Kernel::Copy {
                from: own,
                from_at,
                into: copy,
                into_at,
                len: int(2),
            }));
            let total = b.repeat(Kind::Seq, int(2), |b, j| {
                let x = b.load(copy, at(j));
                let w = b.real(Prim::ToReal, &[v(j)]);
                let w = b.real(Prim::Add, &[w, Atom::Real(1.0)]);
                vec![(How::Add, Atom::Real(0.0), b.real(Prim::Mul, &[x, w]))]
            });
            let seen = b.load(own, at(v(last)));
            let sum = b.bind(REAL, Value::ScaleAdd(seen, Atom::Real(100.0), total[0]));
            b.store(out, at(i), sum, How::Set);
        });
        let func = b.finish(vec![v(out)]);
        check(
            vec![func],
            |n| vec![Want::Reals(n)],
            |n| {
                let one = |i: i64| {
                    let (mut d, mut counts) = (1, [0; 3]);
                    for _ in 0..7 {
                        d = (2 * d + i) % 3;
                        counts[d as usize] += 1;
                    }
                    counts[1] + 2 * counts[2] + 100 * counts[d as usize]
                };
                (vec![Arg::Int(7)], vec![numbers(n, one)])
            },
        );
    }
}

#[test]
fn arrays_with_lanes_are_combined_outside() {
    let mut b = Build::new("columns");
    let (n, x, index) = (b.param(INT), b.param(REALS), b.param(INTS));
    let sums = b.fresh(REALS);
    b.push(Node::Alloc { array: sums, len: int(4), lanes: Some(How::Add) });
    fill(&mut b, sums, int(4), Atom::Real(10.0));
    b.lanes(v(n), |b, i| {
        b.repeat(Kind::Seq, int(3), |b, j| {
            let x = b.load(x, vec![times(v(i), int(3)), times(v(j), int(1))]);
            b.store(sums, at(j), x, How::Add);
            vec![]
        });
        let k = b.load(index, at(i));
        b.store(sums, at(k), Atom::Real(1.0), How::Add);
    });
    b.store(sums, at(3), Atom::Real(0.5), How::Add);
    let first = b.load(sums, at(0));
    let copy = b.alloc(REALS, int(4));
    let (from_at, into_at, len) = (vec![], vec![], int(4));
    b.push(Node::Kernel(Kernel::Copy { from: sums, from_at, into: copy, into_at, len }));
    let func = b.finish(vec![first, v(copy)]);
    let (x, k) = (|i: i64| i * 5 % 13 - 6, |i: i64| i * 3 % 4);
    check(
        vec![func],
        |_| vec![Want::Real, Want::Reals(4)],
        |n| {
            let mut sums = [10.0, 10.0, 10.0, 10.5];
            for i in 0..n as i64 {
                for j in 0..3 {
                    sums[j as usize] += x(3 * i + j) as f64;
                }
                sums[k(i) as usize] += 1.0;
            }
            let args =
                vec![Arg::Reals(numbers(3 * n, x)), Arg::Ints((0..n as i64).map(k).collect())];
            (args, vec![vec![sums[0]], sums.to_vec()])
        },
    );
}

#[test]
fn calls_and_branches_in_lanes() {
    // A function of one lane: the number of binary digits, by recursion.
    let mut f = Build::new("digits");
    let x = f.param(INT);
    let more = f.prim(BOOL, Prim::Gt, &[v(x), int(0)]);
    let res = f.fresh(INT);
    let mut one_more = int(0);
    let then = f.block(|b| {
        let half = b.prim(INT, Prim::Div, &[v(x), int(2)]);
        let rest = b.fresh(INT);
        b.push(Node::Call { func: 0, args: vec![half], results: vec![rest] });
        one_more = b.prim(INT, Prim::Add, &[v(rest), int(1)]);
    });
    let results = vec![Phi { var: res, then: one_more, otherwise: int(0) }];
    f.push(Node::If { cond: more, then, otherwise: vec![], results });
    let mut f = f.finish(vec![v(res)]);
    f.recursive = true;

    let mut b = Build::new("branches");
    let (n, twice) = (b.param(INT), b.param(INT));
    let out = b.alloc(INTS, v(n));
    b.lanes(v(n), |b, i| {
        let digits = b.fresh(INT);
        b.push(Node::Call { func: 0, args: vec![v(i)], results: vec![digits] });
        let cond = b.prim(BOOL, Prim::Ne, &[v(twice), int(0)]);
        let res = b.fresh(INT);
        let mut double = int(0);
        let then = b.block(|b| double = b.prim(INT, Prim::Add, &[v(digits), v(digits)]));
        let results = vec![Phi { var: res, then: double, otherwise: int(7) }];
        b.push(Node::If { cond, then, otherwise: vec![], results });
        b.store(out, at(i), v(res), How::Set);
    });
    let func = b.finish(vec![v(out)]);
    let digits = |i: i64| 2 * i64::from(64 - i.leading_zeros());
    check(
        vec![f, func],
        |n| vec![Want::Ints(n)],
        |n| (vec![Arg::Int(1)], vec![numbers(n, digits)]),
    );
}

#[test]
fn a_check_fails_with_the_values_of_its_lane() {
    let mut b = Build::new("checked");
    let (n, x) = (b.param(INT), b.param(INTS));
    let out = b.alloc(INTS, v(n));
    b.lanes(v(n), |b, i| {
        let x = b.load(x, at(i));
        let holds = b.prim(BOOL, Prim::Gt, &[x, int(0)]);
        b.push(Node::Check { holds, site: 3, values: vec![x, v(i), v(n)] });
        let y = b.prim(INT, Prim::Div, &[int(100), x]);
        b.store(out, at(i), y, How::Set);
    });
    let module = module(vec![b.finish(vec![v(out)])]);
    let bad: [Option<usize>; 6] = [None, Some(0), Some(5), Some(8), Some(17), Some(18)];
    let calls = bad.map(|bad| {
        let x = (0..19).map(|i| if Some(i) == bad { -(i as i64) } else { 1 + i as i64 }).collect();
        vec![Arg::Int(19), Arg::Ints(x)]
    });
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &vec![vec![Want::Ints(19)]; 6]);
        for (found, bad) in found.iter().zip(bad) {
            match bad {
                None => assert_eq!(found.results[0], numbers(19, |i| 100 / (i + 1))),
                Some(i) => {
                    assert_eq!(found.code, 1003);
                    assert_eq!(found.values, [-(i as i64), i as i64, 19]);
                }
            }
        }
    }
}

#[test]
fn chunks_add_up_in_any_order_of_tasks() {
    // Sums of x by remainder, and x + 1; work says how many tasks there are.
    let mut b = Build::new("chunked");
    let (n, x, work) = (b.param(INT), b.param(REALS), b.param(INT));
    let (out, into) = (b.alloc(REALS, v(n)), b.alloc(REALS, int(2)));
    fill(&mut b, into, int(2), Atom::Real(1.0));
    let (start, len, array) = (b.fresh(INT), b.fresh(INT), b.fresh(REALS));
    let body = b.block(|b| {
        let own = b.alloc(REALS, v(len));
        b.lanes(v(len), |b, i| {
            let x = b.load(x, vec![times(v(start), int(1)), times(v(i), int(1))]);
            b.store(own, at(i), x, How::Set);
        });
        b.lanes(v(len), |b, i| {
            let x = b.load(own, at(i));
            let y = b.real(Prim::Add, &[x, Atom::Real(1.0)]);
            b.store(out, vec![times(v(start), int(1)), times(v(i), int(1))], y, How::Set);
            let k = b.prim(INT, Prim::Add, &[v(i), v(start)]);
            let k = b.prim(INT, Prim::Rem, &[k, int(2)]);
            b.store(array, at(k), x, How::Add);
        });
    });
    let accs = vec![ChunkAcc { array, into, len: int(2), how: How::Add }];
    let (total, bytes, work) = (v(n), int(1000), v(work));
    b.push(Node::Chunks(Box::new(Chunks { start, len, total, bytes, work, accs, body })));
    let module = module(vec![b.finish(vec![v(out), v(into)])]);
    let x = |i: i64| i * 7 % 31 - 15;
    let cases: Vec<(usize, i64)> =
        [0, 1, 31, 1000, 5000].into_iter().flat_map(|n| [(n, 1), (n, 100), (n, 10000)]).collect();
    let calls: Vec<Vec<Arg>> = cases
        .iter()
        .map(|(n, work)| vec![Arg::Int(*n as i64), Arg::Reals(numbers(*n, x)), Arg::Int(*work)])
        .collect();
    let wants: Vec<Vec<Want>> =
        cases.iter().map(|it| vec![Want::Reals(it.0), Want::Reals(2)]).collect();
    for way in WAYS {
        for host in [Host::None, Host::Reverse] {
            let found = run(&module, &way, host, &calls, &wants);
            for (found, (n, work)) in found.iter().zip(&cases) {
                let sum = |r: i64| 1 + (0..*n as i64).filter(|i| i % 2 == r).map(x).sum::<i64>();
                assert_eq!(found.code, 0);
                assert_eq!(found.results[0], numbers(*n, |i| x(i) + 1), "{way:?} {n} {work}");
                assert_eq!(found.results[1], numbers(2, sum), "{way:?} {host:?} {n} {work}");
            }
        }
    }
}
