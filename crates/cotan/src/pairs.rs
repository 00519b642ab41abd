//! Functions of a camera and a point as the residuals of a bundle, which is minimised by all cameras and points
//! at once. Neither need be one: they may be users and films, or stations and days.

use std::marker::PhantomData;

use minimise::{Block, Blocks, Bundle, Failure, Found, Stop, bundle};

use crate::data::{Data, FromData, ToData};
use crate::handle::{Function, Inputs};

/// A function of a camera, a point and data that stay as they are, for each pair that is seen.
///
/// ```
/// use cotan::minimise::Stop;
///
/// #[derive(cotan::Cotan)]
/// struct Scale { factor: f64, shift: f64 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Two scales weigh three bodies; the first scale is known to be right.
/// let program = cotan::Program::new("
///     type Scale = { factor: Real, shift: Real }
///     def gap(scale: Scale, body: [1]Real, shown: Real, sure: Real): [3]Real =
///       [scale.factor * body[0] + scale.shift - shown, sure * (scale.factor - 1.0), sure * scale.shift]
/// ")?;
/// let scales = [Scale { factor: 1.1, shift: 0.1 }, Scale { factor: 1.0, shift: 0.0 }];
/// let shown = [[2.0, 3.0, 5.0], [4.5, 6.5, 10.5]];
/// let pair = |at: usize| (at / 3, at % 3, (shown[at / 3][at % 3], if at < 3 { 1.0 } else { 0.0 }));
/// let pairs = program.function("gap")?.pairs(&scales, &[[1.0_f64]; 3], (0..6).map(pair));
/// let fitted = pairs.run(&Stop::default())?;
/// assert!((fitted.cameras[1].factor - 2.0).abs() < 1e-6 && (fitted.cameras[1].shift - 0.5).abs() < 1e-6);
/// assert!((fitted.points[2][0] - 5.0).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub struct Pairs<C, P> {
    cameras: Vec<Data<'static>>,
    points: Vec<Data<'static>>,
    seen: Vec<Pair>,
    residuals: Function,
    by_camera: Function,
    by_point: Function,
    of: PhantomData<fn() -> (C, P)>,
}

/// A camera that sees a point, and the arguments behind them.
struct Pair {
    camera: usize,
    point: usize,
    data: Vec<Data<'static>>,
}

/// What came of a bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundled<C, P> {
    /// The best cameras.
    pub cameras: Vec<C>,
    /// The best points.
    pub points: Vec<P>,
    /// All that happened on the way, by vectors: cameras first, then points.
    pub found: Found,
}

impl Function {
    /// A function that gives an array of residuals of a camera and a point, its first two parameters, for pairs
    /// of them: the number of a camera, the number of a point, and the other arguments, in order. All reals of
    /// cameras and points vary.
    pub fn pairs<C: ToData + FromData, P: ToData + FromData, D: Inputs>(
        &self,
        cameras: &[C],
        points: &[P],
        seen: impl IntoIterator<Item = (usize, usize, D)>,
    ) -> Pairs<C, P> {
        let pair = |(camera, point, inputs): (usize, usize, D)| {
            let mut data = Vec::new();
            inputs.each(&mut |it| data.push(it.into_owned()));
            Pair { camera, point, data }
        };
        let params = self.params();
        let by = |at: usize| self.jacobian().wrt(params.get(at).map(String::as_str));
        Pairs {
            cameras: cameras.iter().map(|it| it.to_data().into_owned()).collect(),
            points: points.iter().map(|it| it.to_data().into_owned()).collect(),
            seen: seen.into_iter().map(pair).collect(),
            residuals: self.clone(),
            by_camera: by(0),
            by_point: by(1),
            of: PhantomData,
        }
    }
}

impl<C: ToData + FromData, P: ToData + FromData> Pairs<C, P> {
    /// How many cameras and points there are, and their reals. Those of a kind have as many as the first.
    pub fn bundle(&self) -> Bundle {
        let reals = |all: &[Data<'_>]| all.first().map_or(0, |it| it.ravel().len());
        Bundle {
            cameras: self.cameras.len(),
            camera_reals: reals(&self.cameras),
            points: self.points.len(),
            point_reals: reals(&self.points),
        }
    }

    /// The reals of the starting point: cameras first, then points.
    pub fn start(&self) -> Vec<f64> {
        self.cameras.iter().chain(&self.points).flat_map(Data::ravel).collect()
    }

    /// Minimises half of the sum of the squares of all residuals. If a call fails, that ends it, and the reason
    /// is the [`Report`](crate::Report).
    pub fn run(&self, stop: &Stop) -> Result<Bundled<C, P>, Failure> {
        let found = bundle(self, &self.bundle(), &self.start(), stop);
        if let Some(failure) = found.failure {
            return Err(failure);
        }
        let of = self.bundle();
        let (cameras, points) = found.x.split_at(of.cameras * of.camera_reals);
        Ok(Bundled {
            cameras: like(&self.cameras, cameras)?,
            points: like(&self.points, points)?,
            found,
        })
    }

    fn block(&self, x: &[f64], pair: &Pair) -> Result<Block, Failure> {
        let of = self.bundle();
        let halves = x.split_at_checked(of.cameras * of.camera_reals);
        let (cameras, points) = halves.unwrap_or((x, &[]));
        let camera = one(&self.cameras, cameras, of.camera_reals, pair.camera, "camera")?;
        let point = one(&self.points, points, of.point_reals, pair.point, "point")?;
        let call = |f: &Function| {
            let all = [&camera, &point].into_iter().chain(&pair.data);
            f.call(all.map(ToData::to_data).collect::<Vec<Data<'_>>>()).map_err(Failure::new)
        };
        Ok(Block {
            camera: Some(pair.camera),
            point: Some(pair.point),
            residuals: call(&self.residuals)?.get().map_err(Failure::new)?,
            by_camera: rows::<C>(&call(&self.by_camera)?)?,
            by_point: rows::<P>(&call(&self.by_point)?)?,
        })
    }
}

impl<C: ToData + FromData, P: ToData + FromData> Blocks for &Pairs<C, P> {
    fn at(&mut self, x: &[f64]) -> Result<Vec<Block>, Failure> {
        self.seen.iter().map(|it| self.block(x, it)).collect()
    }
}

/// The reals of a Jacobian, row by row, in the order of the Rust type.
fn rows<T: ToData + FromData>(jacobian: &crate::Answer) -> Result<Vec<f64>, Failure> {
    let rows: Vec<T> = jacobian.get().map_err(Failure::new)?;
    Ok(rows.iter().flat_map(|it| it.to_data().ravel()).collect())
}

/// One of these, with its part of the reals.
fn one(
    all: &[Data<'static>],
    reals: &[f64],
    count: usize,
    at: usize,
    what: &str,
) -> Result<Data<'static>, Failure> {
    let missing = || Failure::new(format!("there is no {what} {at}, there are {}", all.len()));
    let start = all.get(at).ok_or_else(missing)?;
    let own = reals.get(at * count..(at + 1) * count).unwrap_or_default();
    let other = |_| Failure::new(format!("{what} {at} has not as many reals as {what} 0"));
    start.unravel(own).map_err(other)
}

/// All of these, with these reals.
fn like<T: FromData>(all: &[Data<'static>], reals: &[f64]) -> Result<Vec<T>, Failure> {
    let count = reals.len().checked_div(all.len()).unwrap_or(0);
    let made = (0..all.len()).map(|at| {
        let data = one(all, reals, count, at, "element")?;
        T::from_data(data).map_err(|it| Failure::new(it.to_string()))
    });
    made.collect()
}
