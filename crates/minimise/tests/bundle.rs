//! A small bundle adjustment that is made up: cameras that see points, found again from where they are seen.
//! The Schur complement and the whole normal equations go the same way.

use minimise::{
    Block, Bundle, Found, Stop, Why, bundle, bundle_gauss_newton, gauss_newton, levenberg_marquardt,
};
use real::{Real, jacobian};

const OF: Bundle = Bundle { cameras: 3, camera_reals: 4, points: 7, point_reals: 3 };

/// Where a camera sees a point: turned around its axis by `camera[3]`, from the place `camera[..3]`.
fn seen<R: Real>(camera: &[R], point: &[R]) -> Vec<R> {
    let at: Vec<R> = (0..3).map(|it| point[it] - camera[it]).collect();
    let (sin, cos) = (camera[3].sin(), camera[3].cos());
    let depth = at[2] + R::of(5.0);
    vec![(cos * at[0] - sin * at[1]) / depth, (sin * at[0] + cos * at[1]) / depth]
}

/// The truth: cameras, then points, on no line and no plane.
fn truth() -> Vec<f64> {
    let reals = OF.cameras * OF.camera_reals + OF.points * OF.point_reals;
    (0..reals).map(|it| 0.6 * (1.7 * it as f64 + 0.3).sin()).collect()
}

/// Not every camera sees every point.
fn pairs() -> Vec<(usize, usize)> {
    let all = (0..OF.cameras).flat_map(|camera| (0..OF.points).map(move |it| (camera, it)));
    all.filter(|(camera, point)| (camera + 2 * point) % 5 != 0).collect()
}

fn parts<R>(x: &[R], camera: usize, point: usize) -> (&[R], &[R]) {
    let (cameras, points) = x.split_at(OF.cameras * OF.camera_reals);
    (&cameras[camera * 4..camera * 4 + 4], &points[point * 3..point * 3 + 3])
}

/// What is seen against the truth, and a weak wish of every camera and point to stay near it, which holds
/// the whole in its place.
fn residuals<R: Real>(x: &[R]) -> Vec<R> {
    let truth = truth();
    let mut res = Vec::new();
    for (camera, point) in pairs() {
        let (c, p) = parts(x, camera, point);
        let (true_c, true_p) = parts(&truth, camera, point);
        let there = seen(true_c, true_p);
        res.extend(seen(c, p).into_iter().zip(there).map(|(here, there)| here - R::of(there)));
    }
    res.extend(x.iter().zip(truth).map(|(x, truth)| R::of(0.01) * (*x - R::of(truth))));
    res
}

fn blocks(x: &[f64]) -> Vec<Block> {
    let truth = truth();
    let mut res = Vec::new();
    for (camera, point) in pairs() {
        let (c, p) = parts(x, camera, point);
        let (true_c, true_p) = parts(&truth, camera, point);
        let there = seen(true_c, true_p);
        let residuals = seen(c, p).iter().zip(&there).map(|(here, there)| here - there).collect();
        let both: Vec<f64> = c.iter().chain(p).copied().collect();
        let rows = rows(&both, |it| seen(&it[..4], &it[4..]));
        let by_camera = rows.iter().flat_map(|it| it[..4].to_vec()).collect();
        let by_point = rows.iter().flat_map(|it| it[4..].to_vec()).collect();
        let (camera, point) = (Some(camera), Some(point));
        res.push(Block { camera, point, residuals, by_camera, by_point });
    }
    let wish = |x: &[f64], truth: &[f64]| -> (Vec<f64>, Vec<f64>) {
        let n = x.len();
        let by = (0..n * n).map(|it| if it / n == it % n { 0.01 } else { 0.0 }).collect();
        (x.iter().zip(truth).map(|(x, truth)| 0.01 * (x - truth)).collect(), by)
    };
    let start = OF.cameras * OF.camera_reals;
    for (at, (x, truth)) in x[..start].chunks(4).zip(truth.chunks(4)).enumerate() {
        let (residuals, by_camera) = wish(x, truth);
        let by_point = Vec::new();
        res.push(Block { camera: Some(at), point: None, residuals, by_camera, by_point });
    }
    for (at, (x, truth)) in x[start..].chunks(3).zip(truth[start..].chunks(3)).enumerate() {
        let (residuals, by_point) = wish(x, truth);
        let by_camera = Vec::new();
        res.push(Block { camera: None, point: Some(at), residuals, by_camera, by_point });
    }
    res
}

/// By central differences, so that the blocks owe nothing to what the dense Jacobian is made by.
fn rows(x: &[f64], f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let n = f(x).len();
    let mut res = vec![vec![0.0; x.len()]; n];
    for at in 0..x.len() {
        let moved = |by: f64| {
            let mut x = x.to_vec();
            x[at] += by;
            f(&x)
        };
        let (up, down) = (moved(1e-5), moved(-1e-5));
        (0..n).for_each(|row| res[row][at] = (up[row] - down[row]) / 2e-5);
    }
    res
}

fn dense(x: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    (residuals(x), jacobian(residuals, x))
}

fn start() -> Vec<f64> {
    truth().iter().enumerate().map(|(at, it)| it + 0.1 * (2.3 * at as f64).cos()).collect()
}

#[test]
fn the_truth_is_found_by_blocks() {
    // The wishes are weak, so that a gradient of 1e-8 would be far from the truth still.
    let stop = Stop { gradient: 1e-13, ..Stop::default() };
    for search in [bundle, bundle_gauss_newton] {
        let found = search(blocks, &OF, &start(), &stop);
        let off = found.x.iter().zip(truth()).map(|(x, truth)| (x - truth).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6, "{found:?}");
        assert!(found.value < 1e-14);
    }
}

#[test]
fn blocks_and_the_whole_matrix_go_the_same_way() {
    let stop = Stop { steps: 4, ..Stop::default() };
    let same = |by_blocks: Found, whole: Found| {
        assert_eq!(by_blocks.trace.len(), whole.trace.len());
        for (one, other) in by_blocks.trace.iter().zip(&whole.trace) {
            assert!((one.0 - other.0).abs() <= 1e-7 * other.0.abs(), "{one:?} {other:?}");
        }
        for (one, other) in by_blocks.x.iter().zip(&whole.x) {
            assert!((one - other).abs() < 1e-6, "{one} {other}");
        }
    };
    let start = start();
    same(bundle(blocks, &OF, &start, &stop), levenberg_marquardt(dense, &start, &stop));
    // The last steps of this method are at the noise of the differences already.
    let stop = Stop { steps: 2, ..stop };
    same(bundle_gauss_newton(blocks, &OF, &start, &stop), gauss_newton(dense, &start, &stop));
}

fn failure(found: &Found) -> String {
    assert_eq!(found.why, Why::Failed);
    found.failure.as_ref().map(|it| it.to_string()).unwrap_or_default()
}

#[test]
fn what_does_not_fit_is_told() {
    let stop = Stop::default();
    let found = bundle(blocks, &OF, &[0.0; 3], &stop);
    assert!(failure(&found).starts_with("3 reals are not those of"), "{found:?}");
    let change = |f: fn(&mut Block)| {
        move |x: &[f64]| {
            let mut all = blocks(x);
            f(&mut all[0]);
            all
        }
    };
    let found = bundle(change(|it| it.camera = Some(9)), &OF, &start(), &stop);
    assert_eq!(failure(&found), "there is no camera 9, there are 3");
    let found = bundle(change(|it| it.by_point.truncate(5)), &OF, &start(), &stop);
    assert_eq!(failure(&found), "2 residuals have 6 derivatives by a point, not 5");
}

#[test]
fn nothing_to_adjust_is_an_end() {
    let of = Bundle { cameras: 0, camera_reals: 6, points: 0, point_reals: 3 };
    let found = bundle(|_: &[f64]| Vec::<Block>::new(), &of, &[], &Stop::default());
    assert_eq!((found.why, found.value), (Why::Gradient, 0.0));
    // Points alone, each by itself: the nearest to its wish.
    let of = Bundle { cameras: 0, camera_reals: 6, points: 2, point_reals: 1 };
    let pull = |x: &[f64]| -> Vec<Block> {
        let block = |at: usize| Block {
            camera: None,
            point: Some(at),
            residuals: vec![x[at] - at as f64 - 1.0],
            by_camera: Vec::new(),
            by_point: vec![1.0],
        };
        vec![block(0), block(1)]
    };
    let found = bundle(pull, &of, &[0.0, 0.0], &Stop::default());
    assert!((found.x[0] - 1.0).abs() < 1e-6 && (found.x[1] - 2.0).abs() < 1e-6, "{found:?}");
}
