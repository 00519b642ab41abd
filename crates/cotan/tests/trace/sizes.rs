//! Sizes that stay symbolic: one trace for all of them.

use cotan::Shaped;
use cotan::trace::{Array, Real, build, fold, trace};

use crate::trace::{numbers, traced, ways};

/// `sum_i x_i^2` and the sum of products of neighbours, whose gradients are `2 x_i` and the neighbours of `x_i`.
#[test]
fn nothing_one_and_many() {
    let squares = traced(&["x"], |x: Array<1>| build(x.len(), |i| x.row(i) * x.row(i)).sum());
    let cycle = traced(&["x"], |x: Array<1>| {
        let n = x.len();
        fold(n, Real::from(0.0), |sum, i| sum + x.row(i) * x.row((i + 1) % n))
    });
    for n in [0_usize, 1, 7] {
        let x: Vec<f64> = (0..n).map(|it| it as f64 - 2.0).collect();
        let twice: Vec<f64> = x.iter().map(|it| 2.0 * it).collect();
        let neighbours: Vec<f64> = (0..n).map(|i| x[(i + 1) % n] + x[(i + n - 1) % n]).collect();
        for (way, _) in ways(&squares) {
            assert_eq!(numbers(&way, (x.as_slice(),)), [x.iter().map(|it| it * it).sum::<f64>()]);
            assert_eq!(numbers(&way.grad(), (x.as_slice(),)), twice);
        }
        for (way, _) in ways(&cycle) {
            assert_eq!(numbers(&way.grad(), (x.as_slice(),)), neighbours);
        }
    }
}

#[test]
fn sizes_of_matrices_without_rows() {
    let f = traced(&["m"], |m: Array<2>| (m.len(), m.size(1), m.transpose().len(), m.sum()));
    let empty = Shaped::<f64>::new(&[0, 2], Vec::new());
    assert_eq!(numbers(&f, (empty,)), [0.0, 2.0, 2.0, 0.0, 0.0]);
}

/// What a size is computed to be is known to the checker, so these arrays fit each other.
#[test]
fn sizes_are_computed() {
    let f = trace(|x: Array<1>| {
        let n = x.len();
        let steps = build(n - 1, |i| x.row(i + 1) - x.row(i));
        let twice = build(2 * n, |i| x.row(i / 2));
        (steps + x.slice(1, n)).sum() + (twice * x.concat(x)).sum()
    });
    // (4, 10) and 1 + 4 + 5 + ... of x = (1, 2, 4): twice = 1 1 2 2 4 4, x x = 1 2 4 1 2 4.
    assert_eq!(numbers(&f.unwrap(), ([1.0, 2.0, 4.0],)), [1.0 + 2.0 + 2.0 + 4.0 + 37.0]);
}

/// Two parameters whose sizes the program demands to be equal: other ones are refused when it is called.
#[test]
fn sizes_are_inferred_from_uses() {
    let f = traced(&["x", "w"], |x: Array<2>, w: Array<1>| x.matvec(w).sum());
    let x = [[1.0, 2.0]];
    assert_eq!(numbers(&f, (x, [3.0, 4.0])), [11.0]);
    assert_eq!(f.call((x, [3.0])).unwrap_err().codes(), ["E0623"]);
}
