//! Choices and loops of the program, and those of Rust.

use cotan::trace::{
    Array, Bool, Int, Real, build, cond, differ, equal, fold, iterate, scan, while_,
};

use crate::trace::{assert_gives, assert_gradient, assert_scalar, numbers, traced};

#[test]
fn a_choice_computes_one_branch() {
    let root = |x: Real| cond(x.gt(0.0), || x.sqrt(), || Real::from(0.0));
    assert_scalar(root, 4.0, 2.0, 0.25);
    // The branch that is not taken would give an infinite derivative.
    assert_scalar(root, 0.0, 0.0, 0.0);
    let f = traced(&["x", "n"], |x: Array<1>, n: Int| {
        cond(n.lt(x.len()) & n.ge(0), || (x.row(n), n), || (Real::from(-1.0), x.len()))
    });
    assert_gives(&f, ([5.0, 7.0], 1_i64), &[7.0, 1.0]);
    assert_gives(&f, ([5.0, 7.0], 2_i64), &[-1.0, 2.0]);
}

#[test]
fn conditions_are_combined() {
    let f = traced(&["a", "b"], |a: Int, b: Int| {
        let both = equal(a, b) | !a.le(3) | (differ(a, 1) & Bool::from(true) & b.gt(7));
        (both.select(Real::from(1.0), 0.0), cond(both, || a, || b))
    });
    assert_gives(&f, (1_i64, 9_i64), &[0.0, 9.0]);
    assert_gives(&f, (2_i64, 9_i64), &[1.0, 2.0]);
    assert_gives(&f, (4_i64, 0_i64), &[1.0, 4.0]);
}

/// Horner: 2 x^2 + 1 at 3 is 19, its derivative 12, by the coefficients (9, 3, 1).
#[test]
fn a_fold_has_a_state() {
    let f = traced(&["c", "x"], |c: Array<1>, x: Real| {
        fold(c.len(), Real::from(0.0), |sum, i| sum * x + c.row(i))
    });
    assert_gives(&f, ([2.0, 0.0, 1.0], 3.0), &[19.0]);
    assert_gradient(&f, ([2.0, 0.0, 1.0], 3.0), &[9.0, 3.0, 1.0, 12.0]);
    let f = traced(&["x"], |x: Array<1>| {
        let (a, (b, n)) = fold(3, (x, (Real::from(1.0), Int::from(0))), |(a, (b, n)), i| {
            (a * 2.0, (b * a.sum(), n + i))
        });
        (a, b, n)
    });
    // The sums of a are 3, 6, 12.
    assert_gives(&f, ([1.0, 2.0],), &[8.0, 16.0, 216.0, 3.0]);
}

#[test]
fn scans_give_all_states() {
    let f = traced(&["x"], |x: Array<1>| {
        let (sums, products) = scan(x.len(), (Real::from(0.0), Real::from(1.0)), |(s, p), i| {
            (s + x.row(i), p * x.row(i))
        });
        (sums, products)
    });
    assert_gives(&f, ([2.0, 3.0, 4.0],), &[2.0, 5.0, 9.0, 2.0, 6.0, 24.0]);
    let f =
        traced(&["x"], |x: Array<1>| scan(x.len(), Real::from(0.0), |sum, i| sum + x.row(i)).sum());
    assert_gradient(&f, ([1.0, 1.0, 1.0],), &[3.0, 2.0, 1.0]);
}

#[test]
fn loops_whose_ends_are_computed() {
    // 3^4 = 81 is below 100, so the value is 3^5.
    let power = |x: Real| while_(x, |y| y.lt(100.0), |y| x * y);
    assert_scalar(power, 3.0, 243.0, 405.0);
    assert_scalar(|x: Real| iterate(20, x, |y| 0.5 * (y + x / y)), 4.0, 2.0, 0.25);
    let f = traced(&["n"], |n: Int| {
        let even = |m: Int| equal(m % 2, 0);
        let start = (n, Int::from(0));
        while_(
            start,
            |(m, _)| differ(m, 1),
            |(m, steps)| (cond(even(m), || m / 2, || 3 * m + 1), steps + 1),
        )
        .1
    });
    assert_gives(&f, (6_i64,), &[8.0]);
}

#[test]
fn the_control_flow_of_rust_is_static() {
    fn power(x: Real, n: u32) -> Real {
        match n {
            0 => Real::from(1.0),
            n if n % 2 == 0 => power(x * x, n / 2),
            n => x * power(x, n - 1),
        }
    }
    assert_scalar(|x: Real| power(x, 10), 2.0, 1024.0, 5120.0);
}

#[test]
fn closures_nest_and_capture() {
    let f = traced(&["a", "b"], |a: Array<2>, b: Array<2>| {
        build(a.len(), |i| {
            let row = a.row(i);
            build(b.size(1), |j| {
                let column = build(b.len(), |k| b.at([k, j]));
                cond(i.le(j), || row.dot(column), || row.sum() * Real::from(0.0))
            })
        })
    });
    let a = [[1.0, 2.0], [3.0, 4.0]];
    assert_gives(&f, (a, a), &[7.0, 10.0, 0.0, 22.0]);
    let total = traced(&["a"], |a: Array<2>| {
        build(a.len(), |i| build(a.size(1), |j| a.at([i, j]) * a.at([j, i])).sum()).sum()
    });
    // sum_ij a_ij a_ji, whose gradient is twice the transpose.
    assert_gradient(&total, (a,), &[2.0, 6.0, 4.0, 8.0]);
    assert_eq!(numbers(&total, (a,)), [1.0 + 12.0 + 16.0]);
}
