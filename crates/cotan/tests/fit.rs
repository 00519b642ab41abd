//! Fits whose parameters are a struct: nothing names a field for the minimiser's sake.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::minimise::{Stop, Why, lbfgs, levenberg_marquardt, newton_cg};
use cotan::{Argument, Backend, Cotan, Options, Program};

/// Two peaks on a curved ground: eleven parameters, and a count that does not vary.
const TEXT: &str = "
    type Peak = { height: Real, place: Real, width: Real, skew: Real }
    type Model = { first: Peak, second: Peak, ground: [3]Real, degree: Int }
    def peak(p: Peak, x: Real): Real = {
      let at = (x - p.place) / p.width;
      p.height * (1.0 + p.skew * at * at * at) * exp(-0.5 * at * at)
    }
    def curve(m: Model, x: Real): Real =
      peak(m.first, x) + peak(m.second, x) + m.ground[0] + m.ground[1] * x + m.ground[2] * x * x
    def residuals(m: Model, x: [n]Real, y: [n]Real): [n]Real = build i < n => curve(m, x[i]) - y[i]
    def loss(m: Model, x: [n]Real, y: [n]Real): Real = {
      let r = residuals(m, x, y);
      0.5 * sum(r * r)
    }
    def partial(m: Model, x: [n]Real, y: [n]Real): Real = loss(m, x, y) + x[n + m.degree]
";

#[derive(Clone, Debug, PartialEq, Cotan)]
struct Peak {
    height: f64,
    // Another order than in the program.
    skew: f64,
    place: f64,
    width: f64,
}

#[derive(Clone, Debug, PartialEq, Cotan)]
struct Model {
    degree: i64,
    ground: [f64; 3],
    first: Peak,
    second: Peak,
}

fn truth() -> Model {
    Model {
        degree: 2,
        ground: [0.3, -0.1, 0.02],
        first: Peak { height: 2.0, skew: 0.1, place: -1.5, width: 0.6 },
        second: Peak { height: 1.2, skew: -0.2, place: 1.8, width: 0.9 },
    }
}

fn start() -> Model {
    Model {
        degree: 2,
        ground: [0.0, 0.0, 0.0],
        first: Peak { height: 1.5, skew: 0.0, place: -1.2, width: 0.8 },
        second: Peak { height: 1.0, skew: 0.0, place: 1.5, width: 0.7 },
    }
}

/// The curve by Rust's own numbers.
fn data() -> (Vec<f64>, Vec<f64>) {
    let peak = |p: &Peak, x: f64| {
        let at = (x - p.place) / p.width;
        p.height * (1.0 + p.skew * at * at * at) * (-0.5 * at * at).exp()
    };
    let Model { ground, first, second, .. } = truth();
    let x: Vec<f64> = (0..60).map(|it| -4.0 + 8.0 * f64::from(it) / 59.0).collect();
    let ground = |x: f64| ground[0] + ground[1] * x + ground[2] * x * x;
    let y = x.iter().map(|x| peak(&first, *x) + peak(&second, *x) + ground(*x)).collect();
    (x, y)
}

fn near(found: &Model, to: &Model, by: f64) {
    let (found, to) = (reals(found), reals(to));
    assert_eq!(found.len(), 11);
    let off = found.iter().zip(&to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < by, "{found:?} is {off} from {to:?}");
}

fn reals(it: &Model) -> Vec<f64> {
    cotan::ToData::to_data(it).ravel()
}

#[test]
fn eleven_parameters_in_a_struct_are_found() {
    let program = Program::new(TEXT).unwrap();
    let (x, y) = data();
    let stop = Stop { gradient: 1e-10, value: 0.0, ..Stop::default() };
    let fit = program.function("loss").unwrap().fit(&start(), (&x, &y));
    let fitted = fit.run(|f, start| lbfgs(f, start, &stop)).unwrap();
    near(&fitted.point, &truth(), 1e-6);
    assert_eq!(fitted.point.degree, 2);
    assert!(reals(&fitted.gradient).iter().all(|it| it.abs() < 1e-6));
    // Other minimisers, without the C compiler, which takes longer than all else here.
    let interpreted = |name: &str| program.function(name).unwrap().backend(Backend::Interp);
    let fit = interpreted("loss").fit(&fitted.point, (&x, &y));
    let again = fit.run(|f, start| newton_cg(f, f, start, &stop)).unwrap();
    near(&again.point, &truth(), 1e-7);
    let fit = interpreted("residuals").fit(&start(), (&x, &y));
    let squares = fit.run(|f, start| levenberg_marquardt(f, start, &stop)).unwrap();
    near(&squares.point, &truth(), 1e-8);
}

/// By central differences of the loss, in the order of the Rust struct.
#[test]
fn the_gradient_is_the_struct_of_slopes() {
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("fit.cot", TEXT, options).unwrap();
    let (x, y) = data();
    let fit = program.function("loss").unwrap().fit(&start(), (&x, &y));
    let stop = Stop { steps: 0, ..Stop::default() };
    let fitted = fit.run(|f, start| lbfgs(f, start, &stop)).unwrap();
    let loss = program.function("loss").unwrap();
    let loss = |it: &Model| loss.call((it, &x, &y)).unwrap().get::<f64>().unwrap();
    let (slopes, here) = (reals(&fitted.gradient), fit.start());
    for at in 0..here.len() {
        let moved = |by: f64| {
            let mut reals = here.clone();
            reals[at] += by;
            loss(&fit.point(&reals).unwrap())
        };
        let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((slope - slopes[at]).abs() < 1e-6 * slope.abs().max(1.0), "{at}: {slope}");
    }
}

#[test]
fn what_the_program_says_ends_the_fit() {
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("fit.cot", TEXT, options).unwrap();
    let (x, y) = data();
    let fit = program.function("partial").unwrap().fit(&start(), (&x, &y));
    let failure = fit.run(|f, start| lbfgs(f, start, &Stop::default())).unwrap_err();
    let report = failure.reason().downcast_ref::<cotan::Report>().expect("a report");
    assert!(report.to_string().contains("out of bounds"), "{report}");
    // Data of another length, and too few of it.
    let fit = program.function("loss").unwrap().fit(&start(), (&x, &y[1..]));
    assert!(fit.run(|f, start| lbfgs(f, start, &Stop::default())).is_err());
    let fit = program.function("loss").unwrap().fit(&start(), (&x,));
    assert!(fit.run(|f, start| lbfgs(f, start, &Stop::default())).is_err());
}

#[test]
fn data_may_have_names() {
    let options = Options { backend: Backend::Interp, ..Options::default() };
    let program = Program::with_options("fit.cot", TEXT, options).unwrap();
    let (x, y) = data();
    let named = [Argument::reals("y", &[60], &y), Argument::reals("x", &[60], &x)];
    let fit = program.function("loss").unwrap().fit(&truth(), named);
    let fitted = fit.run(|f, start| newton_cg(f, f, start, &Stop::default())).unwrap();
    near(&fitted.point, &truth(), 1e-12);
}

#[test]
fn handles_of_vectors_are_taken_as_they_are() {
    let program = Program::new("def f(x: [n]Real): Real = sum((x - 3.0) ** 2.0) + product(x)");
    let f = program.unwrap().function("f").unwrap();
    let stop = Stop::default();
    // 2 (x - 3) + x = 0
    let found = lbfgs(f.value_and_grad(), &[1.0, 1.0], &stop);
    assert!(found.x.iter().all(|it| (it - 2.0).abs() < 1e-7), "{found:?}");
    let found = newton_cg(f.value_and_grad(), f.hvp(), &[1.0, 1.0], &stop);
    assert!(found.x.iter().all(|it| (it - 2.0).abs() < 1e-7), "{found:?}");
    // Without its gradient there is nothing to go by.
    assert_eq!(lbfgs(f, &[1.0, 1.0], &stop).why, Why::Failed);
}

/// A camera that is turned around its axis, in another order than in the program.
#[derive(Clone, Debug, PartialEq, Cotan)]
struct Camera {
    angle: f64,
    place: [f64; 3],
}

/// Where a camera sees a point against where it is seen, and a weak wish of both to stay where they are, which
/// holds the whole in its place.
const SEEN: &str = "
    type Camera = { place: [3]Real, angle: Real }
    def gap(camera: Camera, point: [3]Real, seen: [2]Real, home: Camera, near: [3]Real): [9]Real = {
      let (x, y) = (point[0] - camera.place[0], point[1] - camera.place[1]);
      let depth = point[2] - camera.place[2] + 5.0;
      [ (cos(camera.angle) * x - sin(camera.angle) * y) / depth - seen[0],
        (sin(camera.angle) * x + cos(camera.angle) * y) / depth - seen[1],
        0.01 * (camera.place[0] - home.place[0]), 0.01 * (camera.place[1] - home.place[1]),
        0.01 * (camera.place[2] - home.place[2]), 0.01 * (camera.angle - home.angle),
        0.01 * (point[0] - near[0]), 0.01 * (point[1] - near[1]), 0.01 * (point[2] - near[2]) ]
    }
";

/// What a camera sees, by Rust's own numbers.
fn seen(camera: &Camera, point: &[f64; 3]) -> [f64; 2] {
    let at = [0, 1, 2].map(|it| point[it] - camera.place[it]);
    let (sin, cos) = camera.angle.sin_cos();
    let depth = at[2] + 5.0;
    [(cos * at[0] - sin * at[1]) / depth, (sin * at[0] + cos * at[1]) / depth]
}

/// Cameras and points on no line and no plane, moved by this much.
fn scene(moved: f64) -> (Vec<Camera>, Vec<[f64; 3]>) {
    let real = |it: usize| 0.6 * (1.7 * it as f64 + 0.3).sin() + moved * (2.3 * it as f64).cos();
    let three = |it: usize| [real(it), real(it + 1), real(it + 2)];
    let cameras = (0..3).map(|it| Camera { angle: real(4 * it), place: three(4 * it + 1) });
    (cameras.collect(), (0..7).map(|it| three(12 + 3 * it)).collect())
}

/// Cameras and points are found again from where they are seen, which is the truth because it leaves no gap. The
/// gradient at the start is that of central differences.
#[test]
fn a_bundle_is_found_by_handles() {
    let (cameras, points) = scene(0.0);
    let all = (0..21).map(|it| (it / 7, it % 7)).filter(|(c, p)| (c + 2 * p) % 5 != 0);
    let all: Vec<_> = all
        .map(|(c, p)| (c, p, (seen(&cameras[c], &points[p]), cameras[c].clone(), points[p])))
        .collect();
    let start = scene(0.05);
    let program = Program::new(SEEN).unwrap();
    for backend in [Backend::Native, Backend::Interp] {
        let gap = program.function("gap").unwrap().backend(backend);
        let pairs = gap.pairs(&start.0, &start.1, all.clone());
        let stop = Stop { gradient: 1e-12, value: 0.0, ..Stop::default() };
        let fitted = pairs.run(&stop).unwrap();
        assert!(fitted.found.value < 1e-20, "{:?}", fitted.found.trace);
        for (found, camera) in fitted.cameras.iter().zip(&cameras) {
            let off = [0, 1, 2].map(|it| (found.place[it] - camera.place[it]).abs());
            assert!(off.iter().all(|it| *it < 1e-6), "{found:?}, {camera:?}");
            assert!((found.angle - camera.angle).abs() < 1e-6, "{found:?}, {camera:?}");
        }
        for (found, point) in fitted.points.iter().zip(&points) {
            let off = [0, 1, 2].map(|it| (found[it] - point[it]).abs());
            assert!(off.iter().all(|it| *it < 1e-6), "{found:?}, {point:?}");
        }
        let here = pairs.start();
        let at = |x: &[f64]| {
            let none = Stop { steps: 0, ..Stop::default() };
            cotan::minimise::bundle(&pairs, &pairs.bundle(), x, &none)
        };
        let gradient = at(&here).gradient;
        for it in [0, 3, 11, 12, 32] {
            let moved = |by: f64| {
                let mut x = here.clone();
                x[it] += by;
                at(&x).value
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[it]).abs() < 1e-7, "{it}: {slope}, {}", gradient[it]);
        }
    }
}

/// Pairs of nothing, of what is not there, and of what the program does not take.
#[test]
fn a_bundle_that_does_not_fit_is_told() {
    let (cameras, points) = scene(0.0);
    let program = Program::new(SEEN).unwrap();
    let gap = program.function("gap").unwrap().backend(Backend::Interp);
    let data = ([0.0; 2], cameras[0].clone(), points[0]);
    let told = |camera: usize, point: usize, points: &[Vec<f64>]| {
        let pairs = gap.pairs(&cameras, points, [(camera, point, data.clone())]);
        pairs.run(&Stop::default()).unwrap_err().to_string()
    };
    let vectors: Vec<Vec<f64>> = points.iter().map(|it| it.to_vec()).collect();
    assert_eq!(told(3, 0, &vectors), "there is no camera 3, there are 3");
    assert_eq!(told(0, 7, &vectors), "there is no point 7, there are 7");
    let uneven = [vec![1.0; 3], vec![1.0; 2]];
    assert!(told(0, 1, &uneven).starts_with("17 reals are not those of"));
    let none = gap.pairs::<Camera, [f64; 3], ()>(&cameras, &points, []).run(&Stop::default());
    assert_eq!(none.unwrap().cameras, cameras);
    let short = gap.pairs(&cameras, &points, [(0, 0, ([0.0; 2],))]);
    assert!(short.run(&Stop::default()).is_err());
    assert!(cotan::minimise::Blocks::at(&mut &short, &[]).is_err());
}
