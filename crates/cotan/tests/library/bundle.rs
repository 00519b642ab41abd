//! Bundle adjustment by the Schur complement, with the sparse Jacobian of an example: what cameras see of points
//! is explained down to the noise that it was made with.
//!
//! There are 600 observations; with `COTAN_BUNDLE=all` there are 30,000, which takes some seconds.

use std::fmt::Write;

use cotan::minimise::{Block, Bundle, Found, Stop, bundle};
use cotan::{Program, Report, Shaped};
use testing::Random;

/// The reals of a camera and of a point of `examples/bundle_adjustment.cot`.
const CAMERA: usize = 11;
const POINT: usize = 3;

const NOISE: f64 = 1e-3;

/// What is seen, and where to begin.
struct Scene {
    of: Bundle,
    /// Which camera sees which point.
    pairs: Vec<(usize, usize)>,
    /// Where, without noise.
    features: Vec<f64>,
    start: Vec<f64>,
}

/// A number with the normal distribution: Box and Muller.
fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = ((random.real() + 1.0) / 2.0, std::f64::consts::PI * random.real());
    (-2.0 * radius.max(1e-300).ln()).sqrt() * angle.cos()
}

/// Cameras in front of points in a cube. Every point is seen by several cameras.
fn scene(cameras: usize, points: usize, observations: usize) -> Scene {
    let mut random = Random::new(7);
    let mut truth = Vec::new();
    for _ in 0..cameras {
        truth.extend((0..3).map(|_| 0.3 * random.real()));
        truth.extend([0.5 * random.real(), 0.5 * random.real(), -5.0 + 0.5 * random.real()]);
        truth.push(1.0 + 0.1 * random.real());
        truth.extend([0.0; 4]);
    }
    truth.extend((0..POINT * points).map(|_| random.real()));
    let firsts: Vec<usize> = (0..points).map(|_| random.below(cameras)).collect();
    let pair = |at: usize| ((at / points + firsts[at % points]) % cameras, at % points);
    let pairs: Vec<(usize, usize)> = (0..observations).map(pair).collect();
    let start = truth.iter().map(|it| it + 0.01 * normal(&mut random)).collect();
    let of = Bundle { cameras, camera_reals: CAMERA, points, point_reals: POINT };
    let mut res = Scene { of, pairs, features: vec![0.0; 2 * observations], start };
    let (seen, ..) = res.evaluated(&program(), &truth).unwrap();
    res.features = seen.iter().map(|it| it + NOISE * normal(&mut random)).collect();
    res
}

fn program() -> Program {
    Program::new(include_str!("../../../../examples/bundle_adjustment.cot")).unwrap()
}

const RESIDUALS: &str = "\\cameras: [n][11]Real, points: [m][3]Real, by: [k]Int, at: [k]Int =>
    build i < k => project(cameras[by[i]], points[at[i]])";

impl Scene {
    /// Where points are seen from, and the rows of the Jacobian.
    fn evaluated(&self, program: &Program, x: &[f64]) -> Result<(Vec<f64>, cotan::Sparse), Report> {
        let (cameras, points) = x.split_at(self.of.cameras * CAMERA);
        let cameras = Shaped::new(&[self.of.cameras, CAMERA], cameras.to_vec());
        let points = Shaped::new(&[self.of.points, POINT], points.to_vec());
        let by: Vec<i64> = self.pairs.iter().map(|it| it.0 as i64).collect();
        let at: Vec<i64> = self.pairs.iter().map(|it| it.1 as i64).collect();
        let f = program.expression(RESIDUALS)?;
        let seen = f.call((&cameras, &points, &by, &at))?.slices().concat();
        let jacobian = f.wrt(["cameras", "points"]).sparse_jacobian();
        Ok((seen, jacobian.call((cameras, points, &by, &at))?))
    }

    fn blocks(&self, program: &Program, x: &[f64]) -> Result<Vec<Block>, Report> {
        let (seen, rows) = self.evaluated(program, x)?;
        let block = |(number, (camera, point)): (usize, &(usize, usize))| {
            let own = 2 * number..2 * number + 2;
            // All numbers of the camera, then all of the point: they are read as rows.
            let numbers = |part: std::ops::Range<usize>| {
                own.clone().flat_map(|row| rows.row(row).1[part.clone()].to_vec()).collect()
            };
            Block {
                camera: Some(*camera),
                point: Some(*point),
                residuals: own.clone().map(|it| seen[it] - self.features[it]).collect(),
                by_camera: numbers(0..CAMERA),
                by_point: numbers(CAMERA..CAMERA + POINT),
            }
        };
        Ok(self.pairs.iter().enumerate().map(block).collect())
    }

    fn solved(&self) -> Found {
        let program = program();
        let stop = Stop { value: 1e-6, ..Stop::default() };
        bundle(|x: &[f64]| self.blocks(&program, x), &self.of, &self.start, &stop)
    }

    /// Half of the sum of squares that noise leaves on average: that of the residuals which there are more of
    /// than unknowns. Seven of these explain nothing: where the whole stands, how it is turned, how large it is.
    fn expected(&self) -> f64 {
        let unknowns = self.start.len() - 7;
        0.5 * NOISE * NOISE * (self.features.len() - unknowns) as f64
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "whoever tests says how much")]
fn a_bundle_is_explained_down_to_its_noise() {
    let all = std::env::var("COTAN_BUNDLE").is_ok_and(|it| it == "all");
    let (cameras, points, observations) = if all { (49, 7500, 30_000) } else { (6, 100, 600) };
    let scene = scene(cameras, points, observations);
    let found = scene.solved();
    let mut told = format!("{observations} observations\n");
    for (value, slope) in &found.trace {
        writeln!(told, "{value:.6e} {slope:.2e}").unwrap();
    }
    let expected = scene.expected();
    writeln!(told, "{:?}; by the noise {expected:.6e}", found.why).unwrap();
    // The sum of the squares of n numbers with the normal distribution is off by sqrt(2 / n) of it.
    let off = (found.value / expected - 1.0).abs() / (NOISE * NOISE / expected).sqrt();
    assert!(off < 4.0, "{told}");
    // From far above: the start is not there.
    assert!(found.trace[0].0 > 10.0 * expected, "{told}");
    assert!(found.evaluations < 30, "{told}");
}
