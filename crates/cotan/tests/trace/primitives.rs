//! Every row of the one table of primitives can be traced, of scalars and of arrays.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use cotan::Backend;
use cotan::trace::{Array, Bool, Int, Real, data, differ, equal, stack, trace};
use ir::prim::Prim;

use crate::trace::{assert_close, numbers};

/// The name of each row that works on arrays too, what is traced, and its value at x = 0.5, y = 1.5.
macro_rules! reals {
    ($x:ident, $y:ident) => {
        vec![
            ("add", $x + $y, 2.0),
            ("sub", $x - $y, -1.0),
            ("mul", $x * $y, 0.75),
            ("div", $x / $y, 1.0 / 3.0),
            ("rem", -$y % 1.0, 0.5),
            ("pow", $x.pow($y), 0.5_f64.powf(1.5)),
            ("neg", -$x, -0.5),
            ("abs", (-$x).abs(), 0.5),
            ("sign", (-$x).sign(), -1.0),
            ("min", $x.min($y), 0.5),
            ("max", $x.max(2.0), 2.0),
            ("exp", $x.exp(), 0.5_f64.exp()),
            ("log", $x.log(), 0.5_f64.ln()),
            ("log1p", $x.log1p(), 1.5_f64.ln()),
            ("expm1", $x.expm1(), 0.5_f64.exp_m1()),
            ("sin", $x.sin(), 0.5_f64.sin()),
            ("cos", $x.cos(), 0.5_f64.cos()),
            ("tan", $x.tan(), 0.5_f64.tan()),
            ("asin", $x.asin(), PI / 6.0),
            ("acos", $x.acos(), PI / 3.0),
            ("atan", $x.atan(), 0.5_f64.atan()),
            ("atan2", $x.atan2($y), (1.0_f64 / 3.0).atan()),
            ("sinh", $x.sinh(), 0.5_f64.sinh()),
            ("cosh", $x.cosh(), 0.5_f64.cosh()),
            ("tanh", $x.tanh(), 0.5_f64.tanh()),
            ("asinh", $x.asinh(), 0.5_f64.asinh()),
            ("acosh", $y.acosh(), 1.5_f64.acosh()),
            ("atanh", $x.atanh(), 0.5_f64.atanh()),
            ("sqrt", $x.sqrt(), 0.5_f64.sqrt()),
            ("floor", $x.floor(), 0.0),
            ("ceil", $x.ceil(), 1.0),
            ("round", $y.round(), 2.0),
            ("erf", $x.erf(), 0.5204998778130465),
            ("lgamma", $x.lgamma(), 0.5 * PI.ln()),
            // -euler's constant - 2 log 2
            ("digamma", $x.digamma(), -0.5772156649015329 - 2.0 * 2.0_f64.ln()),
            ("polygamma", $x.polygamma(1), PI * PI / 2.0),
            ("sigmoid", $x.sigmoid(), 1.0 / (1.0 + (-0.5_f64).exp())),
            ("softplus", $x.softplus(), (1.0 + 0.5_f64.exp()).ln()),
            ("real", ($y * 2.0).int().real(), 3.0),
            ("int", (-$y).int().real(), -1.0),
            ("lt", $x.lt($y).select($x, 0.0), 0.5),
            ("le", $x.le($x).select($x, 0.0), 0.5),
            ("gt", $x.gt($y).select($x, 0.0), 0.0),
            ("ge", $x.ge($y).select($x, 0.0), 0.0),
            ("is_nan", ($x / 0.0 * 0.0).is_nan().select($y, $x), 1.5),
            ("select", $y.gt(1.0).select($x, $y), 0.5),
            ("bit_and", ($y * 8.0).int().bit_and(10).real(), 8.0),
            ("bit_or", ($y * 8.0).int().bit_or(3).real(), 15.0),
            ("bit_xor", ($y * 8.0).int().bit_xor(5).real(), 9.0),
            ("shift_left", ($y * 8.0).int().shift_left(2).real(), 48.0),
            ("shift_right", ($y * 8.0).int().shift_right(2).real(), 3.0),
        ]
    };
}

fn scalars(x: Real, y: Real) -> Vec<(&'static str, Real, f64)> {
    let mut res = reals!(x, y);
    let (yes, no) = (Bool::from(true), x.gt(y));
    res.push(("eq", equal(x, 0.5).select(y, x), 1.5));
    res.push(("ne", differ(x, 0.5).select(y, x), 0.5));
    res.push(("and", (yes & no).select(y, x), 0.5));
    res.push(("or", (yes | no).select(y, x), 1.5));
    res.push(("not", (!no).select(y, x), 1.5));
    res
}

fn arrays(x: Array<1>, y: Array<1>) -> Vec<(&'static str, Array<1>, f64)> {
    reals!(x, y)
}

#[test]
fn every_row_of_the_table() {
    let (mut names, mut wanted) = (BTreeSet::new(), Vec::new());
    let f = trace(|x: Real, y: Real| {
        let rows = scalars(x, y);
        names.extend(rows.iter().map(|it| it.0));
        wanted.extend(rows.iter().map(|it| it.2));
        stack(rows.into_iter().map(|it| it.1))
    });
    let table = Prim::all().map(Prim::row).filter(|it| !it.notation.is_empty());
    let table: BTreeSet<&str> = table.map(|it| it.name).collect();
    assert_eq!(names, table);
    let f = f.unwrap();
    for backend in [Backend::Interp, Backend::Native] {
        assert_close(&numbers(&f.backend(backend), (0.5, 1.5)), &wanted, 1e-12);
    }
}

#[test]
fn and_of_arrays() {
    let mut wanted = Vec::new();
    let f = trace(|x: Array<1>, y: Array<1>| {
        let rows = arrays(x, y);
        wanted.extend(rows.iter().flat_map(|it| [it.2, it.2]));
        stack(rows.into_iter().map(|it| it.1))
    });
    let found = numbers(&f.unwrap(), ([0.5, 0.5], [1.5, 1.5]));
    assert_close(&found, &wanted, 1e-12);
}

#[test]
fn integers_too() {
    let f = trace(|n: Int| {
        let v = data::<Int, i64>(&[3, -4]) * n;
        (v.abs(), v.sign(), v.min(1), v.max(n), (v.lt(0).select(v, n), n.abs().max(3).pow(2)))
    });
    let wanted = [6.0, 8.0, 1.0, -1.0, 1.0, -8.0, 6.0, 2.0, 2.0, -8.0, 9.0];
    assert_close(&numbers(&f.unwrap(), (2_i64,)), &wanted, 0.0);
}
