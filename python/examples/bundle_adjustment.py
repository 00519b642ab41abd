"""Bundle adjustment by `scipy.optimize.least_squares`, with the sparse Jacobian of a Cotan program.

    python python/examples/bundle_adjustment.py [CAMERAS POINTS OBSERVATIONS]

Cameras are nine numbers: rotation (3), translation (3), focal length, radial distortion (2). What they see is
made up: cameras and points are moved from a truth and have to explain what was seen from there, with some noise.
How well they can is known before: a least-squares fit leaves the noise of as many residuals as there are more
than unknowns.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import cotan

PROGRAM = """
def cross(a: [3]Real, b: [3]Real): [3]Real =
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

--- Rodrigues' formula: `x` turned about the axis `r` by the length of `r`.
def rotate(r: [3]Real, x: [3]Real): [3]Real = {
  let theta2 = dot(r, r);
  if theta2 != 0.0 then {
    let theta = sqrt(theta2);
    let axis = r / theta;
    x * cos(theta) + cross(axis, x) * sin(theta) + axis * (dot(axis, x) * (1.0 - cos(theta)))
  } else
    x + cross(r, x)
}

def project(camera: [9]Real, point: [3]Real): [2]Real = {
  let seen = rotate(camera[0..3], point) + camera[3..6];
  let flat = [seen[0] / seen[2], seen[1] / seen[2]];
  let r2 = dot(flat, flat);
  camera[6] * (1.0 + camera[7] * r2 + camera[8] * r2 * r2) * flat
}

def residuals(
  cameras: [n][9]Real,
  points: [m][3]Real,
  camera_of: [k]Int,
  point_of: [k]Int,
  features: [k][2]Real,
): [k][2]Real =
  build i < k => project(cameras[camera_of[i]], points[point_of[i]]) - features[i]
"""


def problem(
    n_cameras: int, n_points: int, n: int, noise: float = 0.0
) -> tuple[np.ndarray, np.ndarray, tuple[Any, ...]]:
    """Cameras and points to begin with, and what was seen from the true ones, with some noise."""
    random = np.random.default_rng(0)
    cameras = np.zeros((n_cameras, 9))
    cameras[:, :3] = random.uniform(-0.3, 0.3, (n_cameras, 3))
    away = np.array([0.0, 0.0, 5.0])
    cameras[:, 3:6] = random.uniform(-0.5, 0.5, (n_cameras, 3)) + away
    cameras[:, 6] = random.uniform(0.9, 1.1, n_cameras)
    points = random.uniform(-1.0, 1.0, (n_points, 3))
    # Every point is seen by several cameras.
    point_of = np.arange(n) % n_points
    camera_of = (np.arange(n) // n_points + random.integers(0, n_cameras, n_points)[point_of]) % n_cameras
    nothing = np.zeros((n, 2))
    features = cotan.compile(PROGRAM).residuals(cameras, points, camera_of, point_of, nothing)
    features = features + noise * random.standard_normal(features.shape)
    start = cameras + 0.01 * random.standard_normal(cameras.shape), points + 0.01 * random.standard_normal(points.shape)
    return *start, (camera_of, point_of, features)


def solve(cameras: np.ndarray, points: np.ndarray, seen: tuple[Any, ...], **options: Any) -> Any:
    """The cameras and points that explain best what was seen, as SciPy's result."""
    module = cotan.compile(PROGRAM)
    jacobian = cotan.jacobian(module.residuals, ("cameras", "points"), sparse=True)

    def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[: cameras.size].reshape(cameras.shape), x[cameras.size :].reshape(points.shape)

    def fun(x: np.ndarray) -> np.ndarray:
        return np.ravel(module.residuals(*split(x), *seen))

    def jac(x: np.ndarray) -> Any:
        return jacobian(*split(x), *seen)

    x0 = np.concatenate([cameras.ravel(), points.ravel()])
    return least_squares(fun, x0, jac=jac, x_scale="jac", method="trf", tr_solver="lsmr", **options)


def expected_cost(n_cameras: int, n_points: int, n: int, noise: float) -> float:
    """Half of the sum of squares that noise leaves on average. Seven of the unknowns explain nothing: where the
    whole stands, how it is turned and how large it is."""
    return 0.5 * noise**2 * (2 * n - (9 * n_cameras + 3 * n_points - 7))


def main() -> None:
    sizes = [int(it) for it in sys.argv[1:4]] or [49, 7500, 30000]
    noise = 1e-3
    cameras, points, seen = problem(*sizes, noise=noise)
    begin = time.perf_counter()
    found = solve(cameras, points, seen, ftol=1e-4, verbose=2)
    took = time.perf_counter() - begin
    off = np.sqrt(2.0 * found.cost / found.fun.size)
    print(f"{found.message} {found.njev} Jacobians, {took:.1f} s")
    print(f"cost {found.cost:.4e}, by the noise {expected_cost(*sizes, noise):.4e}")
    print(f"points are seen {off:.2e} from where they were, with noise of {noise:.0e}")


if __name__ == "__main__":
    main()
