//! Vector loops: every number of lanes that are left, every form of access and of accumulation.
//! All numbers are small integers, so that sums are exact in any order and in 32 bits.

use ir::Prim;
use loops::{Atom, How, Kind, Value};

use crate::build::{BOOL, BOOLS, Build, INT, INTS, REALS, at, int, module, times, v};
use crate::run::{Arg, Host, WAYS, Want, run};

/// Around the widths of vectors, and several of them.
pub(crate) const COUNTS: [i64; 12] = [-1, 0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 1000];

pub(crate) fn numbers(n: usize, f: impl Fn(i64) -> i64) -> Vec<f64> {
    (0..n as i64).map(|i| f(i) as f64).collect()
}

/// Runs a function for every count in every way; `expected` gives arguments after the count, and
/// results.
pub(crate) fn check(
    funcs: Vec<loops::Func>,
    wants: impl Fn(usize) -> Vec<Want>,
    expected: impl Fn(usize) -> (Vec<Arg>, Vec<Vec<f64>>),
) {
    let module = module(funcs);
    let mut calls = Vec::new();
    let mut list = Vec::new();
    let mut results = Vec::new();
    for count in COUNTS {
        let n = count.max(0) as usize;
        let (mut args, result) = expected(n);
        args.insert(0, Arg::Int(count));
        calls.push(args);
        list.push(wants(n));
        results.push(result);
    }
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &list);
        for (k, found) in found.into_iter().enumerate() {
            assert_eq!(found.code, 0);
            assert_eq!(found.results, results[k], "{way:?} count {}", COUNTS[k]);
        }
    }
}

#[test]
fn elements_side_by_side() {
    let mut b = Build::new("sides");
    let (n, x, k) = (b.param(INT), b.param(REALS), b.param(INTS));
    let (reals, ints, bools) = (b.alloc(REALS, v(n)), b.alloc(INTS, v(n)), b.alloc(BOOLS, v(n)));
    b.lanes(v(n), |b, i| {
        let x = b.load(x, vec![times(v(i), int(1)), times(int(1), int(2))]);
        let y = b.real(Prim::ToReal, &[v(i)]);
        let y = b.real(Prim::Mul, &[y, Atom::Real(3.0)]);
        let sum = b.real(Prim::Sub, &[x, y]);
        b.store(reals, at(i), sum, How::Set);
        let k = b.load(k, at(i));
        let next = b.prim(INT, Prim::Add, &[v(i), int(5)]);
        let k = b.prim(INT, Prim::Mul, &[k, next]);
        b.store(ints, at(i), k, How::Set);
        let low = b.prim(BOOL, Prim::Lt, &[k, int(100)]);
        let odd = b.prim(INT, Prim::Rem, &[k, int(2)]);
        let odd = b.prim(BOOL, Prim::Eq, &[odd, int(1)]);
        let both = b.prim(BOOL, Prim::Or, &[low, odd]);
        b.store(bools, at(i), both, How::Set);
    });
    let last = b.alloc(BOOLS, v(n));
    b.lanes(v(n), |b, i| {
        let it = b.load(bools, at(i));
        let it = b.prim(BOOL, Prim::Not, &[it]);
        b.store(last, at(i), it, How::Set);
    });
    let func = b.finish(vec![v(reals), v(ints), v(bools), v(last)]);
    let k = |i: i64| (i * 7) % 11 - 4;
    let product = move |i: i64| k(i) * (i + 5);
    let holds = move |i: i64| product(i) < 100 || product(i).rem_euclid(2) == 1;
    check(
        vec![func],
        |n| vec![Want::Reals(n), Want::Ints(n), Want::Bools(n), Want::Bools(n)],
        |n| {
            let args = vec![
                Arg::Reals(numbers(n + 2, |i| i * i % 50)),
                Arg::Ints((0..n as i64).map(k).collect()),
            ];
            let results = vec![
                numbers(n, |i| (i + 2) * (i + 2) % 50 - 3 * i),
                numbers(n, product),
                numbers(n, |i| i64::from(holds(i))),
                numbers(n, |i| i64::from(!holds(i))),
            ];
            (args, results)
        },
    );
}

/// Towards minus infinity, as scalars do, whether they are shifted or divided.
#[test]
fn integers_divided_by_what_is_known() {
    for by in [1, 2, 3, 8, 10, 1 << 40] {
        let mut b = Build::new("divided");
        let (n, k) = (b.param(INT), b.param(INTS));
        let (parts, rests) = (b.alloc(INTS, v(n)), b.alloc(INTS, v(n)));
        b.lanes(v(n), |b, i| {
            let k = b.load(k, at(i));
            let part = b.prim(INT, Prim::Div, &[k, int(by)]);
            b.store(parts, at(i), part, How::Set);
            let rest = b.prim(INT, Prim::Rem, &[k, int(by)]);
            b.store(rests, at(i), rest, How::Set);
        });
        let func = b.finish(vec![v(parts), v(rests)]);
        let k = |i: i64| (i * 7) % 41 - 20;
        check(
            vec![func],
            |n| vec![Want::Ints(n), Want::Ints(n)],
            |n| {
                let args = vec![Arg::Ints((0..n as i64).map(k).collect())];
                let parts = numbers(n, |i| k(i).div_euclid(by));
                (args, vec![parts, numbers(n, |i| k(i).rem_euclid(by))])
            },
        );
    }
}

#[test]
fn sums_and_extremes() {
    // Once with a tiny body, which is unrolled, and once with a function in it, which is not.
    for long in [false, true] {
        let mut b = Build::new("accs");
        let (n, x, k) = (b.param(INT), b.param(REALS), b.param(INTS));
        let results = b.repeat(Kind::Vector, v(n), |b, i| {
            let mut x = b.load(x, at(i));
            if long {
                x = b.real(Prim::Floor, &[x]);
                x = b.real(Prim::Round, &[x]);
            }
            let k = b.load(k, at(i));
            let even = b.prim(BOOL, Prim::Ge, &[k, int(-4)]);
            vec![
                (How::Add, Atom::Real(2.0), x),
                (How::Max, Atom::Real(-9.0), x),
                (How::Min, Atom::Real(9.0), x),
                (How::Add, int(1), k),
                (How::Max, int(-100), k),
                (How::Min, int(100), k),
                (How::Mul, Atom::Bool(true), even),
                (How::Add, int(0), v(i)),
                (How::Add, Atom::Real(0.0), Atom::Real(1.0)),
            ]
        });
        let func = b.finish(results);
        let (x, k) = (|i: i64| (i * 5) % 17 - 8, |i: i64| (i * 7) % 11 - 4);
        let wants = [
            Want::Real,
            Want::Real,
            Want::Real,
            Want::Int,
            Want::Int,
            Want::Int,
            Want::Bool,
            Want::Int,
            Want::Real,
        ];
        check(
            vec![func],
            |_| wants.to_vec(),
            |n| {
                let xs = || (0..n as i64).map(x);
                let ks = || (0..n as i64).map(k);
                let results = [
                    2 + xs().sum::<i64>(),
                    xs().max().unwrap_or(-9).max(-9),
                    xs().min().unwrap_or(9).min(9),
                    1 + ks().sum::<i64>(),
                    ks().max().unwrap_or(-100),
                    ks().min().unwrap_or(100),
                    1,
                    (0..n as i64).sum(),
                    n as i64,
                ];
                let args = vec![Arg::Reals(numbers(n, x)), Arg::Ints(ks().collect())];
                (args, results.iter().map(|it| vec![*it as f64]).collect())
            },
        );
    }
}

#[test]
fn strides_gathers_and_scatters() {
    let mut b = Build::new("spread");
    let (n, x, index, m) = (b.param(INT), b.param(REALS), b.param(INTS), b.param(INT));
    let (out, counts, sums) = (b.alloc(REALS, v(n)), b.alloc(REALS, int(5)), b.alloc(INTS, int(2)));
    let back = b.alloc(REALS, v(n));
    for (array, len) in [(counts, 5), (sums, 2)] {
        for k in 0..len {
            let zero = if array == counts { Atom::Real(0.0) } else { int(0) };
            b.store(array, at(k), zero, How::Set);
        }
    }
    let top = b.prim(INT, Prim::Sub, &[v(n), int(1)]);
    b.lanes(v(n), |b, i| {
        let k = b.load(index, at(i));
        let far = b.load(x, vec![times(v(i), v(m)), times(int(1), int(1))]);
        let three = b.prim(INT, Prim::Mul, &[v(i), int(3)]);
        let third = b.load(x, at(three));
        let anywhere = b.load(x, vec![times(k, int(2)), times(int(1), int(1))]);
        let sum = b.real(Prim::Add, &[far, third]);
        let sum = b.real(Prim::Add, &[sum, anywhere]);
        b.store(out, at(i), sum, How::Set);
        b.store(counts, at(k), Atom::Real(1.0), How::Add);
        // All lanes add to one place; the last lane wins another.
        b.store(sums, at(0), k, How::Add);
        b.store(sums, at(1), v(i), How::Set);
        // From behind.
        let place = b.prim(INT, Prim::Sub, &[top, v(i)]);
        b.store(back, at(place), sum, How::Set);
    });
    let func = b.finish(vec![v(out), v(counts), v(sums), v(back)]);
    let k = |i: i64| (i * i + 1) % 5;
    let x = |i: i64| i * 7 % 23;
    let sum = move |i: i64| x(3 * i + 1) + x(3 * i) + x(2 * k(i) + 1);
    check(
        vec![func],
        |n| vec![Want::Reals(n), Want::Reals(5), Want::Ints(2), Want::Reals(n)],
        |n| {
            let indices: Vec<i64> = (0..n as i64).map(k).collect();
            let count = |j: i64| indices.iter().filter(|it| **it == j).count() as i64;
            let results = vec![
                numbers(n, sum),
                numbers(5, count),
                vec![indices.iter().sum::<i64>() as f64, n.saturating_sub(1) as f64],
                numbers(n, |i| sum(n as i64 - 1 - i)),
            ];
            let args =
                vec![Arg::Reals(numbers(3 * n + 20, x)), Arg::Ints(indices.clone()), Arg::Int(3)];
            (args, results)
        },
    );
}

#[test]
fn parts_that_begin_elsewhere_in_every_lane() {
    // Rows of three: their scalar product with the first row, and twice the row back.
    let mut b = Build::new("rows");
    let (n, x) = (b.param(INT), b.param(REALS));
    let out = b.alloc(REALS, v(n));
    let len = b.prim(INT, Prim::Mul, &[v(n), int(3)]);
    let twice = b.alloc(REALS, len);
    b.lanes(v(n), |b, i| {
        let at_row = vec![times(v(i), int(3))];
        let row = b.fresh(REALS);
        b.push(loops::Node::Let { var: row, value: Value::Part { array: x, at: at_row.clone() } });
        let target = b.fresh(REALS);
        b.push(loops::Node::Let { var: target, value: Value::Part { array: twice, at: at_row } });
        let sum = b.repeat(Kind::Unroll, int(3), |b, j| {
            let (p, q) = (b.load(row, at(j)), b.load(x, at(j)));
            let double = b.real(Prim::Add, &[p, p]);
            b.store(target, at(j), double, How::Set);
            let product = b.real(Prim::Mul, &[p, q]);
            vec![(How::Add, Atom::Real(0.0), product)]
        });
        b.store(out, at(i), sum[0], How::Set);
    });
    let func = b.finish(vec![v(out), v(twice)]);
    let x = |i: i64| i * 5 % 13 - 6;
    check(
        vec![func],
        |n| vec![Want::Reals(n), Want::Reals(3 * n)],
        |n| {
            let dot = |i: i64| (0..3).map(|j| x(3 * i + j) * x(j)).sum();
            let results = vec![numbers(n, dot), numbers(3 * n, |i| 2 * x(i))];
            (vec![Arg::Reals(numbers(3 * n, x))], results)
        },
    );
}

#[test]
fn literal_counts_are_written_out_or_short() {
    // The sum of x[i] + i and its greatest term, for several literal counts in one function.
    let counts = [0, 1, 3, 4, 5, 20, 70];
    let mut b = Build::new("literal");
    let (_, x) = (b.param(INT), b.param(REALS));
    let mut results = Vec::new();
    for count in counts {
        results.extend(b.repeat(Kind::Vector, int(count), |b, i| {
            let y = b.load(x, at(i));
            let k = b.real(Prim::ToReal, &[v(i)]);
            let sum = b.real(Prim::Add, &[y, k]);
            vec![(How::Add, Atom::Real(0.0), sum), (How::Max, Atom::Real(-1.0), sum)]
        }));
    }
    let func = b.finish(results);
    let term = |i: i64| i * 3 % 7 + i;
    check(
        vec![func],
        |_| vec![Want::Real; 14],
        |_| {
            let mut results = Vec::new();
            for count in counts {
                results.push(vec![(0..count).map(term).sum::<i64>() as f64]);
                results.push(vec![(0..count).map(term).max().unwrap_or(-1) as f64]);
            }
            (vec![Arg::Reals(numbers(70, |i| i * 3 % 7))], results)
        },
    );
}

/// In either order, of vectors and of scalars, a function and its derivative come from one call. At 0
/// and far out all of them are known.
#[test]
fn functions_with_their_derivatives() {
    let mut b = Build::new("both");
    let (n, x) = (b.param(INT), b.param(REALS));
    let results: Vec<_> = (0..5).map(|_| b.alloc(REALS, v(n))).collect();
    b.lanes(v(n), |b, i| {
        let x = b.load(x, at(i));
        let plus = b.real(Prim::Sigmoid, &[x]);
        let less = b.real(Prim::Neg, &[x]);
        let minus = b.real(Prim::Sigmoid, &[less]);
        // One of three cannot be in a pair.
        let again = b.real(Prim::Neg, &[less]);
        let again = b.real(Prim::Sigmoid, &[again]);
        let cosh = b.real(Prim::Cosh, &[x]);
        let square = b.real(Prim::Mul, &[cosh, cosh]);
        let slope = b.real(Prim::Div, &[Atom::Real(1.0), square]);
        let tanh = b.real(Prim::Tanh, &[x]);
        for (array, value) in results.iter().zip([plus, minus, again, tanh, slope]) {
            b.store(*array, at(i), value, How::Set);
        }
    });
    let mut func = b.finish(results.iter().map(|it| v(*it)).collect());
    loops::pairs(&mut func);
    let module_of = module(vec![func.clone()]);
    let options = emit::EmitOptions { real: emit::Precision::F64, vector: true, draft: false };
    let text = emit::emit(&module_of, &options);
    for (name, there) in
        [("sigmoids", true), ("tanh_slope", true), ("cosh", false), ("tanh", false)]
    {
        assert_eq!(text.contains(&format!(" ct_{name}(")), there, "{name}\n{text}");
    }
    let x = |i: i64| (i % 3 - 1) * 1000;
    check(
        vec![func],
        |n| vec![Want::Reals(n); 5],
        |n| {
            let pick = |far: [f64; 3]| (0..n).map(|i| far[i % 3]).collect();
            let up = [0.0, 0.5, 1.0];
            let all = [up, [1.0, 0.5, 0.0], up, [-1.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
            (vec![Arg::Reals(numbers(n, x))], all.map(pick).to_vec())
        },
    );
}
