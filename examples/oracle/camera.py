"""Facts for whole/camera.cot: the same pictures, by rotations and least squares of SciPy, with derivatives by
complex steps, which are exact."""

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from differences import fact

I = np.arange(20)
BOARD = np.stack([0.1 * (I % 5), 0.1 * (I // 5), 0 * I], 1)
TRUTH = np.array([800.0, 320, 240, -0.2, 0.3, 0.2, 0.1, -0.2, -0.15, 1.2, -0.4, 0.3, -0.1, -0.1, -0.2, 1.0, 0.2, -0.5, 0.2, -0.25, -0.1, 1.1])


def turned(r, x):
    angle = np.sqrt(r @ r)
    axis = r / angle
    return x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + np.outer(x @ axis, axis) * (1 - np.cos(angle))


def pictures(s):
    views = []
    for v in range(3):
        pose = s[4 + 6 * v : 10 + 6 * v]
        p = turned(pose[:3], BOARD) + pose[3:]
        xy = p[:, :2] / p[:, 2:]
        views.append(s[1:3] + s[0] * (1 + s[3] * (xy**2).sum(1, keepdims=True)) * xy)
    return np.array(views)


v, i, k = np.meshgrid(np.arange(3), I, np.arange(2), indexing="ij")
seen = pictures(TRUTH) + 0.2 * np.sin(37.0 * i * i + 11 * v + 5 * k)


def calibrated(seen):
    start = 0.9 * TRUTH
    start[0], start[3] = 600.0, 0.0
    f = lambda s: (pictures(s) - seen).ravel()
    slopes = lambda s: np.stack([f(s + 1e-30j * e).imag / 1e-30 for e in np.eye(22)], 1)
    return least_squares(f, start, slopes, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)


assert np.allclose(turned(TRUTH[4:7], BOARD), Rotation.from_rotvec(TRUTH[4:7]).apply(BOARD), atol=1e-14)


found = calibrated(seen)
fact("a corner in the third picture", pictures(TRUTH)[2, 7].tolist())
fact("the camera", found.x[:4].tolist())
fact("what is left", float(found.cost))
