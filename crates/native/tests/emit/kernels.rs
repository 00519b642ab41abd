//! Primitives at their corners, and the functions of the runtime.

use ir::Prim;
use loops::{Atom, Func, How, Kernel, Kind, Matrix, Node, Type, Value};

use crate::build::{BOOL, BOOLS, Build, INT, INTS, REAL, REALS, at, int, module, v};
use crate::run::{Arg, Host, WAYS, Want, run, run_entries};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Bits, but all NaN are one.
fn bits(xs: &[f64]) -> Vec<u64> {
    xs.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

/// A primitive of one or two Reals or Ints, operands, and what it gives for each pair of them.
struct Row {
    prim: Prim,
    from: Type,
    to: Type,
    x: Arg,
    y: Arg,
    expected: Vec<f64>,
}

fn row(prim: Prim, from: Type, to: Type, x: Arg, y: Arg, expected: &[f64]) -> Row {
    Row { prim, from, to, x, y, expected: expected.to_vec() }
}

impl Row {
    fn want(&self) -> Want {
        let len = self.expected.len();
        match self.to {
            INT => Want::Ints(len),
            BOOL => Want::Bools(len),
            Type::Scalar(_) | Type::Array(_) => Want::Reals(len),
        }
    }

    fn func(&self, kind: Kind) -> Func {
        let out_type = match self.to {
            INT => INTS,
            BOOL => BOOLS,
            Type::Scalar(_) | Type::Array(_) => REALS,
        };
        let mut b = Build::new(self.prim.name());
        let array = if self.from == INT { INTS } else { REALS };
        let (n, x, y) = (b.param(INT), b.param(array), b.param(array));
        let out = b.alloc(out_type, v(n));
        b.repeat(kind, v(n), |b, i| {
            let (x, y) = (b.load(x, at(i)), b.load(y, at(i)));
            let z = b.prim(self.to, self.prim, &[x, y][..self.prim.arity()]);
            b.store(out, at(i), z, How::Set);
            vec![]
        });
        b.finish(vec![v(out)])
    }
}

/// All rows, one by one and in a vector loop.
fn table(rows: &[Row]) {
    let funcs = |kind| rows.iter().map(move |it| it.func(kind));
    let mut module = module(funcs(Kind::Seq).chain(funcs(Kind::Vector)).collect());
    module.entries = (0..2 * rows.len()).collect();
    let rows = || rows.iter().chain(rows);
    let calls: Vec<Vec<Arg>> = rows()
        .map(|it| vec![Arg::Int(it.expected.len() as i64), it.x.clone(), it.y.clone()])
        .collect();
    let wants: Vec<Vec<Want>> = rows().map(|it| vec![it.want()]).collect();
    for way in WAYS {
        let found = run_entries(&module, &way, Host::None, &module.entries, &calls, &wants);
        for (k, (found, row)) in found.iter().zip(rows()).enumerate() {
            assert_eq!(bits(&found.results[0]), bits(&row.expected), "{:?} {k} {way:?}", row.prim);
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
fn reals_at_their_corners() {
    // The first operand wins between equals, NaN wins always.
    let x = reals(&[1.0, 2.0, NAN, 3.0, 0.0, -0.0, -INF]);
    let y = reals(&[2.0, 1.0, 5.0, NAN, -0.0, 0.0, INF]);
    let least = [1.0, 1.0, NAN, NAN, 0.0, -0.0, -INF];
    let greatest = [2.0, 2.0, NAN, NAN, 0.0, -0.0, INF];
    let mut rows = vec![
        row(Prim::Min, REAL, REAL, x.clone(), y.clone(), &least),
        row(Prim::Max, REAL, REAL, x, y, &greatest),
    ];
    let x = [0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.0, NAN, INF];
    let one = |prim, expected: &[f64]| row(prim, REAL, REAL, reals(&x), reals(&[1.0; 9]), expected);
    rows.push(one(Prim::Round, &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.0, NAN, INF]));
    rows.push(one(Prim::Floor, &[0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 0.0, NAN, INF]));
    rows.push(one(Prim::Sign, &[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0, NAN, 1.0]));
    let two = |prim, to, x: &[f64], y: &[f64], expected: &[f64]| {
        row(prim, REAL, to, reals(x), reals(y), expected)
    };
    let (x, y) = ([7.0, -7.0, 7.0, -7.0], [4.0, 4.0, -4.0, -4.0]);
    rows.push(two(Prim::Rem, REAL, &x, &y, &[3.0, 1.0, -1.0, -3.0]));
    let (x, y) = ([0.0, INF, NAN, 0.0, 2.0], [INF, 0.0, 0.0, -5.0, 4.0]);
    rows.push(two(Prim::Scale, REAL, &x, &y, &[0.0, 0.0, 0.0, 0.0, 8.0]));
    // Conversion saturates.
    let (great, small) = (i64::MAX as f64, i64::MIN as f64);
    let x = [1.9, -1.9, 1e30, -1e30, NAN, INF, -INF];
    let expected = [1.0, -1.0, great, small, 0.0, great, small];
    rows.push(two(Prim::ToInt, INT, &x, &[0.0; 7], &expected));
    let (x, y) = ([1.0, NAN, 2.0, 0.0], [NAN, NAN, 2.0, -0.0]);
    rows.push(two(Prim::Lt, BOOL, &x, &y, &[0.0; 4]));
    rows.push(two(Prim::Eq, BOOL, &x, &y, &[0.0, 0.0, 1.0, 1.0]));
    rows.push(two(Prim::Ne, BOOL, &x, &y, &[1.0, 1.0, 0.0, 0.0]));
    rows.push(two(Prim::IsNan, BOOL, &x, &y, &[0.0, 1.0, 0.0, 0.0]));
    table(&rows);
}

#[test]
fn ints_wrap_and_divide_downwards() {
    let (max, min) = (i64::MAX, i64::MIN);
    let (great, small) = (max as f64, min as f64);
    let two = |prim, x: &[i64], y: &[i64], expected: &[f64]| {
        row(prim, INT, INT, ints(x), ints(y), expected)
    };
    let (x, y) = ([7, -7, 7, -7, min, 6], [2, 2, -2, -2, -1, -3]);
    table(&[
        two(Prim::Add, &[max, min, 5], &[1, -1, -7], &[small, great, -2.0]),
        two(Prim::Sub, &[min, 3], &[1, 5], &[great, -2.0]),
        two(Prim::Mul, &[max, min, -3], &[2, -1, 5], &[-2.0, small, -15.0]),
        two(Prim::Neg, &[min, 3], &[0, 0], &[small, -3.0]),
        two(Prim::Abs, &[min, -3], &[0, 0], &[small, 3.0]),
        two(Prim::Sign, &[min, 0, 9], &[0; 3], &[-1.0, 0.0, 1.0]),
        two(Prim::Div, &x, &y, &[3.0, -4.0, -4.0, 3.0, small, -2.0]),
        two(Prim::Rem, &x, &y, &[1.0, 1.0, -1.0, -1.0, 0.0, 0.0]),
        two(Prim::Pow, &[3, 0, 2, -1], &[4, 0, 64, 63], &[81.0, 1.0, 0.0, -1.0]),
        two(Prim::BitAnd, &[12, -1, min], &[10, 5, max], &[8.0, 5.0, 0.0]),
        two(Prim::BitOr, &[12, -8, 0], &[10, 3, 0], &[14.0, -5.0, 0.0]),
        two(Prim::BitXor, &[12, -1, min], &[10, 5, -1], &[6.0, -6.0, great]),
        two(Prim::ShiftLeft, &[3, 1, 1, -1], &[4, 63, 65, -1], &[48.0, small, 2.0, small]),
        two(Prim::ShiftRight, &[48, -1, -1, min], &[4, 63, 64, -1], &[3.0, 1.0, -1.0, 1.0]),
        two(Prim::Max, &[3, -9], &[4, -10], &[4.0, -9.0]),
        row(Prim::Le, INT, BOOL, ints(&[3, 4, 5]), ints(&[4, 4, 4]), &[1.0, 1.0, 0.0]),
    ]);
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
fn many_constants_are_a_table() {
    let strange = [NAN, -0.0, INF, -INF, -1.5];
    let values: Vec<f64> =
        (0..200).map(|i| strange.get(i).copied().unwrap_or(i as f64 / 8.0)).collect();
    let mut b = Build::new("table");
    let n = b.param(INT);
    let (reals, ints) = (b.alloc(REALS, v(n)), b.alloc(INTS, v(n)));
    for (i, x) in values.iter().enumerate() {
        // The places from 50 to 59 are left to the end, so the first 50 are too few for a table.
        if !(50..60).contains(&i) {
            b.store(reals, at(int(i as i64)), Atom::Real(*x), How::Set);
        }
    }
    for i in 0..200 {
        b.store(ints, at(int(i)), int(if i == 0 { i64::MIN } else { -i }), How::Set);
    }
    for (i, x) in values.iter().enumerate().take(60).skip(50) {
        b.store(reals, at(int(i as i64)), Atom::Real(*x), How::Set);
    }
    let module = module(vec![b.finish(vec![v(reals), v(ints)])]);
    let wanted: Vec<f64> =
        (0..200).map(|i| if i == 0 { i64::MIN as f64 } else { -f64::from(i) }).collect();
    for way in WAYS {
        let text = emit::emit(&module, &way);
        assert!(text.contains("table2[]") && !text.contains("table3"), "{way:?}");
        let calls = [vec![Arg::Int(200)]];
        let wants = [vec![Want::Reals(200), Want::Ints(200)]];
        let found = run(&module, &way, Host::None, &calls, &wants);
        assert_eq!(bits(&found[0].results[0]), bits(&values), "{way:?}");
        assert_eq!(bits(&found[0].results[1]), bits(&wanted), "{way:?}");
    }
}

/// c = a b or c += a b, with matrices that are turned or not, sizes as parameters.
fn product((a_turned, b_turned): (bool, bool)) -> Func {
    let mut b = Build::new("product");
    let [m, n, k] = [INT; 3].map(|ty| v(b.param(ty)));
    let [x, y, old] = [REALS; 3].map(|ty| b.param(ty));
    let len = b.prim(INT, Prim::Mul, &[m, n]);
    let more = b.prim(INT, Prim::Add, &[len, int(1)]);
    let c = b.alloc(REALS, more);
    let (from_at, into_at) = (vec![], at(1));
    b.push(Node::Kernel(Kernel::Copy { from: old, from_at, into: c, into_at, len }));
    let matrix = |array, start: i64, rows, columns| Matrix { array, at: at(start), rows, columns };
    b.push(Node::Kernel(Kernel::Product {
        m,
        n,
        k,
        a: if a_turned { matrix(x, 0, int(1), m) } else { matrix(x, 0, k, int(1)) },
        b: if b_turned { matrix(y, 0, int(1), k) } else { matrix(y, 0, n, int(1)) },
        c: matrix(c, 1, n, int(1)),
        add: a_turned,
        scaled: b_turned,
    }));
    let part = b.fresh(REALS);
    b.push(Node::Let { var: part, value: Value::Part { array: c, at: at(1) } });
    b.finish(vec![v(part)])
}

fn dense(rows: i64, columns: i64, f: impl Fn(i64, i64) -> i64) -> Arg {
    Arg::Reals((0..rows * columns).map(|p| f(p / columns, p % columns) as f64).collect())
}

#[test]
fn matrix_products_of_any_layout() {
    let a_at = |i: i64, l: i64| (i * 3 + l * 5) % 7 - 3;
    let b_at = |l: i64, j: i64| (l * 2 + j * 3) % 5 - 2;
    let layouts = [(false, false), (true, false), (false, true), (true, true)];
    let mut module = module(layouts.map(product).to_vec());
    module.entries = vec![0, 1, 2, 3];
    let (mut entries, mut calls, mut wants, mut expected) = (vec![], vec![], vec![], vec![]);
    let shapes = [(1, 1, 1), (3, 5, 4), (17, 9, 23), (8, 33, 16), (40, 40, 40), (2, 3, 0)];
    // Long rows, few and more.
    let long = [(10, 10, 130), (5, 6, 67), (16, 13, 300), (2, 40, 128), (1, 3, 65)];
    for (m, n, k) in shapes.into_iter().chain(long) {
        for (entry, (a_turned, b_turned)) in layouts.into_iter().enumerate() {
            let x = if a_turned { dense(k, m, |l, i| a_at(i, l)) } else { dense(m, k, a_at) };
            let y = if b_turned { dense(n, k, |j, l| b_at(l, j)) } else { dense(k, n, b_at) };
            entries.push(entry);
            let sizes = [m, n, k].map(Arg::Int);
            calls.push([&sizes[..], &[x, y, dense(m, n, |i, j| i * n + j)]].concat());
            wants.push(vec![Want::Reals((m * n) as usize)]);
            let element = |p: i64| {
                let sum: i64 = (0..k).map(|l| a_at(p / n, l) * b_at(l, p % n)).sum();
                (sum + if a_turned { p } else { 0 }) as f64
            };
            expected.push((0..m * n).map(element).collect::<Vec<f64>>());
        }
    }
    for way in WAYS {
        let found = run_entries(&module, &way, Host::None, &entries, &calls, &wants);
        for (k, found) in found.iter().enumerate() {
            assert_eq!(found.results[0], expected[k], "{way:?} {:?}", &calls[k][..3]);
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

#[test]
fn truth_values_go_in_and_choose() {
    // x where the mask holds and it is not turned, else y; Reals, Ints and Bools.
    let mut b = Build::new("choose");
    let (n, turned, mask) = (b.param(INT), b.param(BOOL), b.param(BOOLS));
    let (reals, ints, bools) = (b.alloc(REALS, v(n)), b.alloc(INTS, v(n)), b.alloc(BOOLS, v(n)));
    b.lanes(v(n), |b, i| {
        let holds = b.load(mask, at(i));
        let holds = b.prim(BOOL, Prim::Ne, &[holds, v(turned)]);
        let x = b.real(Prim::ToReal, &[v(i)]);
        let x = b.real(Prim::Select, &[holds, x, Atom::Real(-1.0)]);
        b.store(reals, at(i), x, How::Set);
        let k = b.prim(INT, Prim::Select, &[holds, int(-1), v(i)]);
        b.store(ints, at(i), k, How::Set);
        let low = b.prim(BOOL, Prim::Lt, &[v(i), int(5)]);
        let both = b.prim(BOOL, Prim::Select, &[holds, low, Atom::Bool(true)]);
        b.store(bools, at(i), both, How::Set);
    });
    let module = module(vec![b.finish(vec![v(reals), v(ints), v(bools)])]);
    let mask: Vec<bool> = (0..19).map(|i| i % 3 == 0).collect();
    let calls =
        [false, true].map(|turned| vec![Arg::Int(19), Arg::Bool(turned), Arg::Bools(mask.clone())]);
    let wants = vec![vec![Want::Reals(19), Want::Ints(19), Want::Bools(19)]; 2];
    for way in WAYS {
        let found = run(&module, &way, Host::None, &calls, &wants);
        for (found, turned) in found.iter().zip([false, true]) {
            let each = |f: &dyn Fn(bool, i32) -> i32| -> Vec<f64> {
                (0..19).map(|i| f64::from(f(mask[i as usize] != turned, i))).collect()
            };
            assert_eq!(found.results[0], each(&|holds, i| if holds { i } else { -1 }));
            assert_eq!(found.results[1], each(&|holds, i| if holds { -1 } else { i }));
            assert_eq!(found.results[2], each(&|holds, i| i32::from(!holds || i < 5)));
        }
    }
}
