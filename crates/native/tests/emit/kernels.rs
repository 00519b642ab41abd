//! Primitives at their corners, and the functions of the runtime.

use ir::Prim;
use loops::{Atom, How, Kernel, Matrix, Node, Type};

use crate::build::{BOOL, BOOLS, Build, INT, INTS, REAL, REALS, at, int, module, v};
use crate::run::{Arg, Host, WAYS, Want, run};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Bits, but all NaN are one.
fn bits(xs: &[f64]) -> Vec<u64> {
    xs.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

/// Applies a primitive of two Reals or two Ints to all pairs, one by one and in a vector loop.
fn table(prim: Prim, from: Type, to: Type, x: Arg, y: Arg, expected: &[f64]) {
    let len = expected.len();
    let want = match to {
        INT => Want::Ints(len),
        BOOL => Want::Bools(len),
        _ => Want::Reals(len),
    };
    let out_type = match to {
        INT => INTS,
        BOOL => BOOLS,
        _ => REALS,
    };
    for kind in [loops::Kind::Seq, loops::Kind::Vector] {
        let mut b = Build::new("table");
        let array = if from == INT { INTS } else { REALS };
        let (n, x_param, y_param) = (b.param(INT), b.param(array), b.param(array));
        let out = b.alloc(out_type, v(n));
        b.repeat(kind, v(n), |b, i| {
            let (x, y) = (b.load(x_param, at(i)), b.load(y_param, at(i)));
            let arity = prim.arity();
            let z = b.prim(to, prim, &[x, y][..arity]);
            b.store(out, at(i), z, How::Set);
            vec![]
        });
        let module = module(vec![b.finish(vec![v(out)])]);
        for way in WAYS {
            let calls = [vec![Arg::Int(len as i64), x.clone(), y.clone()]];
            let found = run(&module, &way, Host::None, &calls, &[vec![want]]);
            assert_eq!(bits(&found[0].results[0]), bits(expected), "{prim:?} {kind:?} {way:?}");
        }
    }
}

fn reals(xs: &[f64]) -> Arg {
    Arg::Reals(xs.to_vec())
}

fn ints(xs: &[i64]) -> Arg {
    Arg::Ints(xs.to_vec())
}

#[test]
fn least_and_greatest_of_nan_and_zeros() {
    // The first operand wins between equals, NaN wins always.
    let x = reals(&[1.0, 2.0, NAN, 3.0, 0.0, -0.0, -INF]);
    let y = reals(&[2.0, 1.0, 5.0, NAN, -0.0, 0.0, INF]);
    table(Prim::Min, REAL, REAL, x.clone(), y.clone(), &[1.0, 1.0, NAN, NAN, 0.0, -0.0, -INF]);
    table(Prim::Max, REAL, REAL, x, y, &[2.0, 2.0, NAN, NAN, 0.0, -0.0, INF]);
}

#[test]
fn rounding_sign_and_remainder() {
    let x = [0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.0, NAN, INF];
    let one = || (reals(&x), reals(&[1.0; 9]));
    let case = |prim, expected: &[f64]| {
        let (x, y) = one();
        table(prim, REAL, REAL, x, y, expected);
    };
    case(Prim::Round, &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.0, NAN, INF]);
    case(Prim::Floor, &[0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 0.0, NAN, INF]);
    case(Prim::Sign, &[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0, NAN, 1.0]);
    let (x, y) = ([7.0, -7.0, 7.0, -7.0], [4.0, 4.0, -4.0, -4.0]);
    table(Prim::Rem, REAL, REAL, reals(&x), reals(&y), &[3.0, 1.0, -1.0, -3.0]);
    let (x, y) = ([0.0, INF, NAN, 0.0, 2.0], [INF, 0.0, 0.0, -5.0, 4.0]);
    table(Prim::Scale, REAL, REAL, reals(&x), reals(&y), &[0.0, 0.0, 0.0, 0.0, 8.0]);
}

#[test]
fn conversion_to_int_saturates() {
    let x = [1.9, -1.9, 1e30, -1e30, NAN, INF, -INF];
    let (great, small) = (i64::MAX as f64, i64::MIN as f64);
    let expected = [1.0, -1.0, great, small, 0.0, great, small];
    table(Prim::ToInt, REAL, INT, reals(&x), reals(&[0.0; 7]), &expected);
}

#[test]
fn comparison_with_nan_is_false() {
    let (x, y) = ([1.0, NAN, 2.0, 0.0], [NAN, NAN, 2.0, -0.0]);
    table(Prim::Lt, REAL, BOOL, reals(&x), reals(&y), &[0.0; 4]);
    table(Prim::Eq, REAL, BOOL, reals(&x), reals(&y), &[0.0, 0.0, 1.0, 1.0]);
    table(Prim::Ne, REAL, BOOL, reals(&x), reals(&y), &[1.0, 1.0, 0.0, 0.0]);
    table(Prim::IsNan, REAL, BOOL, reals(&x), reals(&y), &[0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn ints_wrap_and_divide_downwards() {
    let (max, min) = (i64::MAX, i64::MIN);
    let same = |x: i64| x as f64;
    let (x, y) = ([max, min, 5], [1, -1, -7]);
    table(Prim::Add, INT, INT, ints(&x), ints(&y), &[same(min), same(max), -2.0]);
    table(Prim::Sub, INT, INT, ints(&[min, 3]), ints(&[1, 5]), &[same(max), -2.0]);
    table(Prim::Mul, INT, INT, ints(&[max, min, -3]), ints(&[2, -1, 5]), &[-2.0, same(min), -15.0]);
    table(Prim::Neg, INT, INT, ints(&[min, 3]), ints(&[0, 0]), &[same(min), -3.0]);
    table(Prim::Abs, INT, INT, ints(&[min, -3]), ints(&[0, 0]), &[same(min), 3.0]);
    table(Prim::Sign, INT, INT, ints(&[min, 0, 9]), ints(&[0; 3]), &[-1.0, 0.0, 1.0]);
    let (x, y) = ([7, -7, 7, -7, min, 6], [2, 2, -2, -2, -1, -3]);
    let quotients = [3.0, -4.0, -4.0, 3.0, same(min), -2.0];
    table(Prim::Div, INT, INT, ints(&x), ints(&y), &quotients);
    table(Prim::Rem, INT, INT, ints(&x), ints(&y), &[1.0, 1.0, -1.0, -1.0, 0.0, 0.0]);
    table(
        Prim::Pow,
        INT,
        INT,
        ints(&[3, 0, 2, -1]),
        ints(&[4, 0, 64, 63]),
        &[81.0, 1.0, 0.0, -1.0],
    );
    table(Prim::Max, INT, INT, ints(&[3, -9]), ints(&[4, -10]), &[4.0, -9.0]);
    table(Prim::Le, INT, BOOL, ints(&[3, 4, 5]), ints(&[4, 4, 4]), &[1.0, 1.0, 0.0]);
}

#[test]
fn sorting_is_stable_with_nan_last() {
    for (sort, len) in [(true, 5), (false, 5), (true, 100), (false, 100)] {
        let mut b = Build::new("sorted");
        let (n, from) = (b.param(INT), b.param(REALS));
        let into = b.alloc(if sort { REALS } else { INTS }, v(n));
        b.push(Node::Kernel(if sort {
            Kernel::Sort { from, into, len: v(n) }
        } else {
            Kernel::Argsort { from, into, len: v(n) }
        }));
        let module = module(vec![b.finish(vec![v(into)])]);
        // Five: NaN, 0, -0, -1, inf. A hundred: i * 37 mod 10, ten times each.
        let (x, sorted, positions): (Vec<f64>, Vec<f64>, Vec<f64>) = if len == 5 {
            let x = vec![NAN, 0.0, -0.0, -1.0, INF];
            (x, vec![-1.0, 0.0, -0.0, INF, NAN], vec![3.0, 1.0, 2.0, 4.0, 0.0])
        } else {
            let x: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 10)).collect();
            // i * 37 = d modulo 10 for i = 3 d modulo 10.
            let position = |k: i32| f64::from(3 * (k / 10) % 10 + 10 * (k % 10));
            let sorted = (0..100).map(|k| f64::from(k / 10)).collect();
            (x, sorted, (0..100).map(position).collect())
        };
        for way in WAYS {
            let want = if sort { Want::Reals(len) } else { Want::Ints(len) };
            let calls = [vec![Arg::Int(len as i64), Arg::Reals(x.clone())]];
            let found = run(&module, &way, Host::None, &calls, &[vec![want]]);
            let expected = if sort { &sorted } else { &positions };
            assert_eq!(bits(&found[0].results[0]), bits(expected), "{way:?} {sort}");
        }
    }
}

#[test]
fn matrix_products_of_any_layout() {
    // a is m by k and b is k by n, transposed or not; c = a b or c += a b.
    let a_at = |i: i64, l: i64| (i * 3 + l * 5) % 7 - 3;
    let b_at = |l: i64, j: i64| (l * 2 + j * 3) % 5 - 2;
    for (m, n, k) in [(1, 1, 1), (3, 5, 4), (17, 9, 23), (8, 33, 16), (40, 40, 40), (2, 3, 0)] {
        for (a_turned, b_turned, add) in
            [(false, false, false), (true, false, true), (false, true, false), (true, true, true)]
        {
            let mut b = Build::new("product");
            let (x, y, old) = (b.param(REALS), b.param(REALS), b.param(REALS));
            let c = b.alloc(REALS, int(m * n + 1));
            let (from_at, into_at, len) = (vec![], at(1), int(m * n));
            b.push(Node::Kernel(Kernel::Copy { from: old, from_at, into: c, into_at, len }));
            let matrix = |array, start: i64, rows: i64, columns: i64| Matrix {
                array,
                at: at(start),
                rows: int(rows),
                columns: int(columns),
            };
            let first = if a_turned { matrix(x, 0, 1, m) } else { matrix(x, 0, k, 1) };
            let second = if b_turned { matrix(y, 0, 1, k) } else { matrix(y, 0, n, 1) };
            b.push(Node::Kernel(Kernel::Product {
                m: int(m),
                n: int(n),
                k: int(k),
                a: first,
                b: second,
                c: matrix(c, 1, n, 1),
                add,
                scaled: a_turned,
            }));
            let part = b.fresh(REALS);
            b.push(Node::Let { var: part, value: loops::Value::Part { array: c, at: at(1) } });
            let module = module(vec![b.finish(vec![v(part)])]);
            let dense = |rows: i64, columns: i64, f: &dyn Fn(i64, i64) -> i64| {
                let place = |p| f(p / columns.max(1), p % columns.max(1)) as f64;
                Arg::Reals((0..rows * columns).map(place).collect())
            };
            let x = if a_turned { dense(k, m, &|l, i| a_at(i, l)) } else { dense(m, k, &a_at) };
            let y = if b_turned { dense(n, k, &|j, l| b_at(l, j)) } else { dense(k, n, &b_at) };
            let expected: Vec<f64> = (0..m * n)
                .map(|p| {
                    let sum: i64 = (0..k).map(|l| a_at(p / n, l) * b_at(l, p % n)).sum();
                    (sum + if add { p } else { 0 }) as f64
                })
                .collect();
            let calls = [vec![x, y, dense(m, n, &|i, j| i * n + j)]];
            for way in WAYS {
                let want = Want::Reals((m * n) as usize);
                let found = run(&module, &way, Host::None, &calls, &[vec![want]]);
                assert_eq!(found[0].results[0], expected, "{way:?} {m} {n} {k}");
            }
        }
    }
}

#[test]
fn a_scaled_product_has_no_nan_from_zeros() {
    let mut b = Build::new("scaled");
    let (x, y) = (b.param(REALS), b.param(REALS));
    let c = b.alloc(REALS, int(4));
    b.push(Node::Kernel(Kernel::Fill {
        array: c,
        at: vec![],
        len: int(4),
        value: Atom::Real(1.0),
    }));
    let matrix = |array| Matrix { array, at: vec![], rows: int(2), columns: int(1) };
    b.push(Node::Kernel(Kernel::Product {
        m: int(2),
        n: int(2),
        k: int(2),
        a: matrix(x),
        b: matrix(y),
        c: matrix(c),
        add: true,
        scaled: true,
    }));
    let module = module(vec![b.finish(vec![v(c)])]);
    // [0 2; 3 inf] [inf 1; 5 0] + 1 with 0 inf = 0
    let calls = [vec![Arg::Reals(vec![0.0, 2.0, 3.0, INF]), Arg::Reals(vec![INF, 1.0, 5.0, 0.0])]];
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &[vec![Want::Reals(4)]]);
        assert_eq!(found[0].results[0], [11.0, 1.0, INF, 4.0], "{way:?}");
    }
}
