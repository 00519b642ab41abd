//! Levenberg-Marquardt on residuals of pairs, such as those of cameras and points in bundle adjustment.
//!
//! Every residual depends on at most one camera and one point, so the normal equations have a block for each
//! camera, each point and each pair that is seen, and no other. Points are eliminated one by one (the Schur
//! complement; Triggs, McLauchlan, Hartley and Fitzgibbon, Bundle Adjustment, 2000, Section 6.1), which leaves
//! equations of the cameras alone.

use crate::cholesky::Cholesky;
use crate::marquardt::{Equations, damped};
use crate::objective::{Failure, Guard, Outcome};
use crate::vector::dot;
use crate::{Found, Stop, gauss, marquardt};

/// How many cameras and points there are, and how many reals each has. A vector of all reals has the
/// cameras first, then the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The number of cameras.
    pub cameras: usize,
    /// The reals of a camera.
    pub camera_reals: usize,
    /// The number of points.
    pub points: usize,
    /// The reals of a point.
    pub point_reals: usize,
}

/// Residuals that depend on a camera and a point, or on one of them only.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The camera.
    pub camera: Option<usize>,
    /// The point.
    pub point: Option<usize>,
    /// The residuals.
    pub residuals: Vec<f64>,
    /// Their derivatives by the reals of the camera, a row for each; none without a camera.
    pub by_camera: Vec<f64>,
    /// Their derivatives by the reals of the point, a row for each; none without a point.
    pub by_point: Vec<f64>,
}

/// Residuals in blocks, with their derivatives.
pub trait Blocks {
    /// All blocks at a point.
    fn at(&mut self, x: &[f64]) -> Result<Vec<Block>, Failure>;
}

impl Outcome<Vec<Block>> for Vec<Block> {
    fn outcome(self) -> Result<Vec<Block>, Failure> {
        Ok(self)
    }
}

impl<R: Outcome<Vec<Block>>, F: FnMut(&[f64]) -> R> Blocks for F {
    fn at(&mut self, x: &[f64]) -> Result<Vec<Block>, Failure> {
        self(x).outcome()
    }
}

/// Minimises half of the sum of the squares of residuals in blocks. A step costs as much as there are blocks,
/// and the cube of the reals of all cameras; the points may be many. A block that does not fit the bundle ends
/// the search with [`Why::Failed`](crate::Why::Failed).
pub fn bundle(f: impl Blocks, of: &Bundle, x: &[f64], stop: &Stop) -> Found {
    normal(f, of, |equations| marquardt::search(x, stop, equations))
}

/// As [`bundle`], by the method of Gauss and Newton, see [`gauss_newton`](crate::gauss_newton): something has to
/// hold the whole scene, such as residuals of single cameras, since it may be moved without any change else.
pub fn bundle_gauss_newton(f: impl Blocks, of: &Bundle, x: &[f64], stop: &Stop) -> Found {
    normal(f, of, |equations| gauss::search(x, stop, equations))
}

/// Runs a search on the normal equations of blocks that may fail.
fn normal(
    mut f: impl Blocks,
    of: &Bundle,
    search: impl FnOnce(&mut dyn FnMut(&[f64]) -> Normal) -> Found,
) -> Found {
    let mut guard = Guard::default();
    let found = search(&mut |x| {
        let blocks = guard.call(|| {
            of.fits_point(x)?;
            let blocks = f.at(x)?;
            blocks.iter().try_for_each(|it| of.fits(it))?;
            Ok(blocks)
        });
        match blocks {
            Some(blocks) => Normal::of(of, &blocks, x.len()),
            None => Normal::nothing(of, x.len()),
        }
    });
    guard.tell(found)
}

impl Bundle {
    fn reals(&self) -> Option<usize> {
        let cameras = self.cameras.checked_mul(self.camera_reals)?;
        cameras.checked_add(self.points.checked_mul(self.point_reals)?)
    }

    /// Where the reals of a point begin.
    fn start_of(&self, point: usize) -> usize {
        self.cameras * self.camera_reals + point * self.point_reals
    }

    fn fits_point(&self, x: &[f64]) -> Result<(), Failure> {
        if self.reals() == Some(x.len()) {
            return Ok(());
        }
        Err(Failure::new(format!("{} reals are not those of {self:?}", x.len())))
    }

    fn fits(&self, block: &Block) -> Result<(), Failure> {
        let Block { camera, point, residuals, by_camera, by_point } = block;
        let side = |what: &str, at: &Option<usize>, count: usize, reals: usize, by: &[f64]| {
            if at.is_some_and(|it| it >= count) {
                return Err(format!("there is no {what} {}, there are {count}", at.unwrap_or(0)));
            }
            let wanted = if at.is_some() { residuals.len() * reals } else { 0 };
            match by.len() == wanted {
                true => Ok(()),
                false => Err(format!(
                    "{} residuals have {wanted} derivatives by a {what}, not {}",
                    residuals.len(),
                    by.len()
                )),
            }
        };
        side("camera", camera, self.cameras, self.camera_reals, by_camera)
            .and_then(|()| side("point", point, self.points, self.point_reals, by_point))
            .map_err(Failure::new)
    }
}

/// A matrix, row by row.
type Matrix = Vec<Vec<f64>>;

/// The normal equations by blocks.
struct Normal {
    of: Bundle,
    value: f64,
    gradient: Vec<f64>,
    /// For each camera.
    cameras: Vec<Matrix>,
    /// For each point.
    points: Vec<Matrix>,
    /// For each point, the cameras that see it: rows by the reals of the camera.
    pairs: Vec<Vec<(usize, Matrix)>>,
}

impl Normal {
    fn of(of: &Bundle, blocks: &[Block], n: usize) -> Normal {
        let (c, p) = (of.camera_reals, of.point_reals);
        let mut res = Normal {
            of: *of,
            value: 0.0,
            gradient: vec![0.0; n],
            cameras: vec![vec![vec![0.0; c]; c]; of.cameras],
            points: vec![vec![vec![0.0; p]; p]; of.points],
            pairs: vec![Vec::new(); of.points],
        };
        for Block { camera, point, residuals, by_camera, by_point } in blocks {
            res.value += 0.5 * dot(residuals, residuals);
            if let Some(camera) = *camera {
                add_products(&mut res.cameras[camera], by_camera, by_camera);
                add_slope(&mut res.gradient[camera * c..], by_camera, residuals, c);
            }
            if let Some(point) = *point {
                add_products(&mut res.points[point], by_point, by_point);
                add_slope(&mut res.gradient[of.start_of(point)..], by_point, residuals, p);
            }
            if let (Some(camera), Some(point)) = (*camera, *point) {
                let seen = &mut res.pairs[point];
                let at = seen.iter().position(|it| it.0 == camera).unwrap_or_else(|| {
                    seen.push((camera, vec![vec![0.0; p]; c]));
                    seen.len() - 1
                });
                add_products(&mut seen[at].1, by_camera, by_point);
            }
        }
        res
    }

    /// Equations of what could not be evaluated.
    fn nothing(of: &Bundle, n: usize) -> Normal {
        let (of, gradient) = (*of, vec![f64::NAN; n]);
        let (cameras, points, pairs) = (Vec::new(), Vec::new(), Vec::new());
        Normal { of, value: f64::NAN, gradient, cameras, points, pairs }
    }
}

/// `A^T B` more, where both have a row for each residual.
fn add_products(to: &mut Matrix, a: &[f64], b: &[f64]) {
    let (rows, columns) = (to.len(), to.first().map_or(0, Vec::len));
    if rows == 0 || columns == 0 {
        return;
    }
    for (a, b) in a.chunks_exact(rows).zip(b.chunks_exact(columns)) {
        for (row, a) in to.iter_mut().zip(a) {
            row.iter_mut().zip(b).for_each(|(it, b)| *it += a * b);
        }
    }
}

/// `A^T r` more.
fn add_slope(to: &mut [f64], a: &[f64], residuals: &[f64], n: usize) {
    for (a, residual) in a.chunks_exact(n.max(1)).zip(residuals) {
        to.iter_mut().zip(a).for_each(|(it, a)| *it += a * residual);
    }
}

impl Equations for Normal {
    fn value(&self) -> f64 {
        self.value
    }

    fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    fn diagonal(&self) -> Vec<f64> {
        let all = self.cameras.iter().chain(&self.points);
        all.flat_map(|it| it.iter().enumerate().map(|(at, row)| row[at])).collect()
    }

    fn step(&self, damping: f64, scale: &[f64]) -> Vec<f64> {
        let Bundle { cameras, camera_reals: c, point_reals: p, .. } = self.of;
        let n = cameras * c;
        let mut left = vec![vec![0.0; n]; n];
        let mut right: Vec<f64> = self.gradient[..n].iter().map(|it| -it).collect();
        for (camera, block) in self.cameras.iter().enumerate() {
            let at = camera * c;
            for (row, values) in damped(block.clone(), damping, &scale[at..]).iter().enumerate() {
                left[at + row][at..at + c].copy_from_slice(values);
            }
        }
        // Each point is what the cameras leave of it, put into their equations.
        let mut roots = Vec::with_capacity(self.points.len());
        for (point, block) in self.points.iter().enumerate() {
            let at = self.of.start_of(point);
            let root = Cholesky::of(damped(block.clone(), damping, &scale[at..]));
            let own: Vec<f64> = self.gradient[at..at + p].iter().map(|it| -it).collect();
            let alone = root.solve(&own);
            for (camera, pair) in &self.pairs[point] {
                for (row, by) in pair.iter().enumerate() {
                    right[camera * c + row] -= dot(by, &alone);
                    let solved = root.solve(by);
                    for (other, pair) in &self.pairs[point] {
                        for (column, by) in pair.iter().enumerate() {
                            left[camera * c + row][other * c + column] -= dot(&solved, by);
                        }
                    }
                }
            }
            roots.push((root, own));
        }
        let mut res = Cholesky::of(left).solve(&right);
        for ((root, mut own), seen) in roots.into_iter().zip(&self.pairs) {
            for (camera, pair) in seen {
                for (row, by) in pair.iter().enumerate() {
                    let step = res[camera * c + row];
                    own.iter_mut().zip(by).for_each(|(it, by)| *it -= by * step);
                }
            }
            res.extend(root.solve(&own));
        }
        res
    }
}
