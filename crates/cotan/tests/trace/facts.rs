//! Values and gradients by closed forms and central differences.

use cotan::trace::{
    Array, Bool, Int, Real, Structure, build, call, call_with, cond, constant, data, fixed_point,
    grad, hessian, hvp, iota, iterate, jacobian, jvp, replicate, root, stack, stop_gradient, trace,
    value_and_grad, vector_minimiser, vjp,
};
use cotan::{Argument, Backend, Precision, Program};

use crate::trace::{
    assert_close, assert_gives, assert_gradient, assert_scalar, numbers, traced, ways,
};

/// Of `sum_i (x_i . w - y_i)^2` the gradient by `w` is `2 X^T (X w - y)`.
#[test]
fn least_squares() {
    let f = traced(&["x", "w", "y"], |x: Array<2>, w: Array<1>, y: Array<1>| {
        build(x.len(), |i| ((x.row(i) * w).sum() - y.at([i])).pow(2.0)).sum()
    });
    let x = [[1.0, 2.0], [3.0, 4.0]];
    let inputs = (x, [1.0, -1.0], [0.0, 1.0]);
    // The residuals are -1 and -2.
    assert_gives(&f, inputs, &[5.0]);
    assert_gradient(&f, inputs, &[-2.0, 2.0, -4.0, 4.0, -14.0, -20.0, 2.0, 4.0]);
    for precision in [Precision::F64, Precision::F32] {
        let by_w = f.grad().wrt(["w"]).backend(Backend::Native).precision(precision);
        assert_eq!(numbers(&by_w, inputs), [-14.0, -20.0]);
    }
}

#[test]
fn numbers_stand_on_either_side() {
    assert_scalar(|x: Real| 2.0 * x + 1.0 - 3.0 / x, 2.0, 3.5, 2.75);
    assert_scalar(|x: Real| (1.0 - x) * (x / 4.0) % 5.0, 2.0, 4.5, -0.75);
    assert_scalar(|x: Real| -(x * -0.5) + f64::MIN_POSITIVE, 3.0, 1.5, 0.5);
    let f = traced(&["v", "k"], |v: Array<1>, k: Real| (2.0 - v * k + 1.0 / v - v / k).sum());
    // 0.5 and -2.5 at v = (1, 2), k = 2; by v it is -k - 1 / v^2 - 1 / k, by k -v + v / k^2.
    assert_gives(&f, ([1.0, 2.0], 2.0), &[0.5 - 2.5]);
    assert_gradient(&f, ([1.0, 2.0], 2.0), &[-3.5, -2.75, -2.25]);
}

#[test]
fn integers_are_those_of_cotan() {
    let f = traced(&["n"], |n: Int| (n / 2, n % 3, 7 - n, n * n + 1_i64, -n, n.pow(2), n.real()));
    assert_gives(&f, (-7_i64,), &[-4.0, 2.0, 14.0, 50.0, 7.0, 49.0, -7.0]);
    let f = traced(&["v"], |v: Array<1, Int>| (v + 1, 2 * v - v, (v.real() * 0.5).sum(), v.sum()));
    let v = [Argument::json("v", "[1, 2, 4]")];
    assert_gives(&f, v.as_slice(), &[2.0, 3.0, 5.0, 1.0, 2.0, 4.0, 3.5, 7.0]);
    let f = traced(&[], || Int::from(i64::MIN));
    assert_eq!(f.call(()).unwrap().to_text(), i64::MIN.to_string());
}

#[test]
fn arrays_of_truth_values() {
    let f = traced(&["m", "x"], |m: Array<1, Bool>, x: Array<1>| {
        let flipped = m.map(|it| !it);
        (m.select(x, 0.0).sum() * x.row(1), call::<Int>("count", m), flipped.row(0), m.row(2))
    });
    let inputs =
        [Argument::json("m", "[true, false, true]"), Argument::json("x", "[2.0, 3.0, 5.0]")];
    let text = f.backend(Backend::Interp).call(inputs.as_slice()).unwrap().to_text();
    assert_eq!(text, "(21.0, 2, false, true)");
    let by_x = traced(&["m", "x"], |m: Array<1, Bool>, x: Array<1>| m.select(x * x, x).sum());
    for (way, tolerance) in ways(&by_x) {
        let found = numbers(&way.grad().wrt(["x"]), inputs.as_slice());
        assert_close(&found, &[4.0, 1.0, 10.0], tolerance);
    }
}

#[test]
fn special_reals_are_kept() {
    let f = traced(&[], || {
        (Real::from(f64::NAN), Real::from(f64::NEG_INFINITY), Real::from(1e300), Real::from(-0.0))
    });
    assert_eq!(f.call(()).unwrap().to_text(), "(nan, -infinity, 1e300, -0.0)");
}

/// `sum_k gather(x, p)_k c_k`: a position that is read twice counts twice.
#[test]
fn gather_and_scatter() {
    let f = traced(&["x"], |x: Array<1>| {
        let positions = data::<Int, i64>(&[2, 0, 2]);
        (x.gather(positions) * Array::from([1.0, 10.0, 100.0])).sum()
    });
    assert_gives(&f, ([1.0, 2.0, 3.0],), &[313.0]);
    assert_gradient(&f, ([1.0, 2.0, 3.0],), &[10.0, 0.0, 101.0]);
    // The squares of (1, 2 + 3 + 4).
    let f = traced(&["b", "v"], |b: Array<1>, v: Array<1>| {
        b.scatter(data::<Int, i64>(&[1, 1]), v).pow(2.0).sum()
    });
    assert_gives(&f, ([1.0, 2.0], [3.0, 4.0]), &[82.0]);
    assert_gradient(&f, ([1.0, 2.0], [3.0, 4.0]), &[2.0, 18.0, 18.0, 18.0]);
}

#[test]
fn slices_and_rearranging() {
    let f = traced(&["x"], |x: Array<1>| {
        let n = x.len();
        let steps = x.slice(1, n) - x.slice(0, n - 1);
        (steps * steps).sum() + (x.skip(2) * 10.0).sum() + x.first(1).sum() + x.reverse().row(0)
    });
    // (3, 5), (20, 100), 1, 9 with x = (1, 4, 9).
    assert_gives(&f, ([1.0, 4.0, 9.0],), &[9.0 + 25.0 + 90.0 + 1.0 + 9.0]);
    assert_gradient(&f, ([1.0, 4.0, 9.0],), &[-6.0 + 1.0, 6.0 - 10.0, 10.0 + 10.0 + 1.0]);
    let f = traced(&["m"], |m: Array<2>| {
        let t = m.transpose();
        let flat = t.flatten();
        (flat.reshape([2, 3]).row(1).sum(), t.row(0).concat(t.row(1)), m.matmul(t), m.sum())
    });
    let m = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    // The columns in a row are 1 4 2 5 3 6.
    let wanted = [14.0, 1.0, 4.0, 2.0, 5.0, 14.0, 32.0, 32.0, 77.0, 5.0, 7.0, 9.0];
    assert_gives(&f, (m,), &wanted);
}

#[test]
fn reductions_and_arrays_of_structures() {
    let f = traced(&["x"], |x: Array<1>| {
        let (squares, rest) = build(x.len(), |i| {
            let it = x.row(i);
            (it * it, (it + 1.0, [it * 2.0, it * i.real()]))
        });
        let (plus, [twice, times]) = rest;
        let sorted = x.sort();
        let chosen = x.gt(1.5).select(x, 0.0);
        let parts = (squares.sum(), plus.product(), twice.maximum(), times.minimum());
        (parts, sorted, chosen, x.argmax(), x.argmin(), x.map(|it| it.exp()).sum())
    });
    let e = std::f64::consts::E;
    let wanted = [14.0, 24.0, 6.0, 0.0, 1.0, 2.0, 3.0, 3.0, 0.0, 2.0, 0.0, 1.0];
    let exps = e * e * e + e + e * e;
    assert_gives(&f, ([3.0, 1.0, 2.0],), &[&wanted[..], &[exps]].concat());
    let f = traced(&["x"], |x: Array<1>| {
        (
            x.filter(|it| it.gt(0.0)).pow(2.0).sum(),
            replicate(2, (x, Int::from(1))).0.sum(),
            iota(3).sum(),
        )
    });
    assert_gives(&f, ([3.0, -1.0],), &[9.0, 6.0, -2.0, 3.0]);
    let f = traced(&["x", "y"], |x: Real, y: Real| stack([x, y, x * y]).dot(stack([y, x, x])));
    // 2 x y + x^2 y
    assert_gives(&f, (3.0, 5.0), &[75.0]);
    assert_gradient(&f, (3.0, 5.0), &[10.0 + 30.0, 6.0 + 9.0]);
}

/// Of `f = sum(sin(x)^2 y)`, against central differences.
#[test]
fn central_differences_agree() {
    let f = traced(&["x"], |x: Array<1>| {
        let y = build(x.len(), |i| (x.row(i) * i.real()).cos());
        (x.sin() * x.sin() * y).sum() / (1.0 + x.dot(x)).sqrt()
    });
    let point = vec![0.3, -0.7, 1.1];
    let h = 1e-6;
    let at = |point: Vec<f64>| numbers(&f.backend(Backend::Interp), (point,))[0];
    let moved = |i: usize, by: f64| {
        let mut moved = point.clone();
        moved[i] += by;
        at(moved)
    };
    let differences: Vec<f64> = (0..3).map(|i| (moved(i, h) - moved(i, -h)) / (2.0 * h)).collect();
    let found = numbers(&f.grad(), (point.clone(),));
    assert_close(&found, &differences, 1e-8);
}

/// Inner derivatives by closed forms; the outer derivative goes through them.
#[test]
fn derivatives_inside_of_a_trace() {
    // x d/dy (x y^2) at y = 2 is 4 x^2.
    assert_scalar(|x: Real| x * grad(|y: Real| x * y * y, Real::from(2.0)), 3.0, 36.0, 24.0);
    let f = traced(&["x"], |x: Array<1>| {
        let cube = |it: Array<1>| (it * it * it).sum();
        let (value, gradient) = value_and_grad(cube, x);
        let pushed = jvp(|it: Array<1>| it * it, x, gradient);
        let pulled = vjp(|it: Array<1>| it * it, x, gradient);
        let second = hvp(cube, x, x);
        (value, gradient, pushed, pulled, (second, hessian(cube, x)), jacobian(|it| it * 2.0, x))
    });
    let wanted = [9.0, 3.0, 12.0, 6.0, 48.0, 6.0, 48.0, 6.0, 24.0];
    let matrices = [6.0, 0.0, 0.0, 12.0, 2.0, 0.0, 0.0, 2.0];
    assert_gives(&f, ([1.0, 2.0],), &[&wanted[..], &matrices[..]].concat());
    assert_scalar(|x: Real| x * stop_gradient(x * x), 3.0, 27.0, 9.0);
    let f = traced(&["x", "y"], |x: Real, y: Real| {
        let (dx, dy) = grad(|(a, b): (Real, Real)| a * a * b, (x, y));
        dx * dy
    });
    // 2 x y x^2 = 2 x^3 y
    assert_gradient(&f, (2.0, 3.0), &[72.0, 16.0]);
}

/// The root of `y^2 = x` is the square root of `x`; the least place of `(y - x)^2` is `x`, where `y = y / 2 + x`
/// holds for `2 x`.
#[test]
fn solutions_depend_on_what_closures_capture() {
    assert_scalar(|x: Real| root(|y| y * y - x, Real::from(1.0)), 4.0, 2.0, 0.25);
    let f = traced(&["x"], |x: Array<1>| {
        let least = vector_minimiser(|y| (y - x).dot(y - x), x * 0.0);
        let fixed = fixed_point(|y| y / 2.0 + x.row(0), Real::from(0.0));
        least.sum() * fixed
    });
    // (x0 + x1) 2 x0
    assert_gives(&f, ([3.0, 1.0],), &[24.0]);
    assert_gradient(&f, ([3.0, 1.0],), &[14.0, 6.0]);
}

#[test]
fn definitions_are_called() {
    let text = "
        def area(width: Real, height: Real): Real = width * height
        def swap((x, y): (Real, Real)): (Real, (Real, Real)) = (y, (x, y))
        def v1: Real = 2.0
        def traced: Real = 3.0
    ";
    let program = Program::new(text).unwrap();
    let f = program.trace_named(&["x"], |x: Array<1>| {
        let (second, (first, _)): (Real, (Real, Real)) = call("swap", ((x.row(0), x.row(1)),));
        let norm: Real = call("norm", x);
        let two: Real = constant("v1");
        let three: Real = constant("traced");
        call::<Real>("area", (first, second)) + norm * two * three
    });
    let f = f.unwrap();
    assert_close(&numbers(&f, ([3.0, 4.0],)), &[42.0], 1e-12);
    assert_close(&numbers(&f.grad(), ([3.0, 4.0],)), &[4.0 + 3.6, 3.0 + 4.8], 1e-12);
}

struct Line {
    slope: Real,
    offset: Real,
}

impl Structure for Line {
    type Parts = (Real, Real);

    fn apart(&self) -> (Real, Real) {
        (self.slope, self.offset)
    }

    fn together((slope, offset): (Real, Real)) -> Line {
        Line { slope, offset }
    }
}

#[test]
fn a_struct_is_a_tuple() {
    let f = trace(|line: Line, x: Array<1>| {
        let steeper = Line { slope: line.slope * 2.0, offset: line.offset };
        let lines =
            build(x.len(), |i| Line { slope: steeper.slope * x.row(i), offset: line.offset });
        let (slopes, offsets) = lines;
        (slopes * offsets).sum()
    });
    let line = [Argument::json("x0", "[2.0, 3.0]"), Argument::json("x1", "[1.0, 5.0]")];
    // 2 slope sum(x) offset
    assert_gives(&f.clone().unwrap(), line.as_slice(), &[72.0]);
    assert_gradient(&f.unwrap(), line.as_slice(), &[36.0, 24.0, 12.0, 12.0]);
}

#[derive(Structure)]
#[cotan(record)]
struct Ball {
    height: Real,
    #[cotan(name = "trail")]
    behind: Array<1>,
}

/// `h + sum(trail)`, three times with twice the height and half the trail: `8 h + sum(trail) / 8`.
#[test]
fn a_struct_is_a_record_of_the_program() {
    let text = "
        type Ball<n> = { height: Real, trail: [n]Real }
        def lift(b: Ball<n>): Ball<n> = Ball { height: 2.0 * b.height, trail: 0.5 * b.trail }
        def total(b: Ball<n>): Real = b.height + sum(b.trail)
    ";
    let program = Program::new(text).unwrap();
    let f = program.trace(|ball: Ball| {
        let lifted = iterate(3, ball, |it| call::<Ball>("lift", it));
        let kept = cond(lifted.height.gt(0.0), || Ball { ..lifted }, || Ball { ..lifted });
        let (heights, _) = build(2, |_| Ball { ..kept });
        call::<Real>("total", kept) + heights.sum() * 0.0
    });
    let f = f.unwrap();
    let ball = [Argument::json("x0", r#"{"height": 3.0, "trail": [1.0, 7.0]}"#)];
    for (way, tolerance) in ways(&f) {
        assert_close(&numbers(&way, ball.as_slice()), &[25.0], tolerance);
        let gradient = way.grad().call(ball.as_slice()).unwrap();
        assert_eq!(gradient.to_text(), "Ball { height: 8.0, trail: [0.125, 0.125] }");
    }
}

/// A struct of structs, one of a single field without a name: (2 slope + offset) sum(x)^2.
#[test]
fn derived_structs_nest() {
    #[derive(Clone, Structure)]
    struct Slanted {
        slope: Real,
        offset: Real,
    }
    #[derive(Clone, Structure)]
    struct Weights(Array<1>);
    #[derive(Structure)]
    struct Model {
        line: Slanted,
        weights: Weights,
    }
    let f = trace(|model: Model| {
        let Model { line, weights } = iterate(2, model, |it| Model {
            line: Slanted { slope: it.line.slope, offset: it.line.offset + it.line.slope },
            weights: it.weights,
        });
        line.offset * weights.0.sum() * weights.0.sum()
    });
    let model = [Argument::json("x0", "[[3.0, 4.0], [1.0, 2.0]]")];
    assert_gives(&f.clone().unwrap(), model.as_slice(), &[90.0]);
    assert_gradient(&f.unwrap(), model.as_slice(), &[18.0, 9.0, 60.0, 60.0]);
}

/// A closure over a traced value for a definition of one's own: `w (w x^2)^2 = w^3 x^4`.
#[test]
fn definitions_take_closures() {
    let text = "
        def twice(f: Real -> Real, x: Real): Real = f(f(x))
        def at_two(f: (Real, Int) -> Real): Real = f(2.0, 2)
    ";
    let program = Program::new(text).unwrap();
    let f = program.trace(|w: Real, x: Real| {
        let square: Real = call_with("twice", |it: Real| w * it * it, x);
        let nothing: Real = call_with("at_two", |it: Real, n: Int| it - n.real(), ());
        square + nothing
    });
    let (w, x) = (2.0_f64, 1.5_f64);
    let expected = [3.0 * w.powi(2) * x.powi(4), 4.0 * w.powi(3) * x.powi(3)];
    assert_gives(&f.clone().unwrap(), (w, x), &[w.powi(3) * x.powi(4)]);
    assert_gradient(&f.unwrap(), (w, x), &expected);
    let none = program.trace(|x: Real| call_with::<Real, _, _>("no name", |it: Real| it, x));
    assert!(none.unwrap_err().to_string().contains("no name"));
}
