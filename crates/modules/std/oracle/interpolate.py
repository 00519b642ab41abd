"""The facts of `std.interpolate`, by SciPy: values, slopes and second derivatives, and how values change
with the points, by central differences of curves that are linear in them or smooth."""

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

X = np.array([0.0, 1.0, 2.5, 3.0, 4.5])
Y = np.array([1.0, 2.0, 1.5, 3.0, 3.75])
AT = [-0.5, 0.0, 0.4, 1.7, 2.5, 4.0, 5.0]


def show(v):
    return "[" + ", ".join(f"{x:.13g}" for x in np.atleast_1d(v)) + "]"


def by_points(make, at, h=1e-4):
    """By each height, with four values, so that the error is of order h^4."""
    row = []
    for i in range(len(Y)):
        e = np.eye(len(Y))[i] * h
        f = lambda k: float(make(Y + k * e)(at))
        row.append((8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h))
    return row


MAKE = {
    "natural": lambda y: CubicSpline(X, y, bc_type="natural"),
    "clamped": lambda y: CubicSpline(X, y, bc_type=((1, 0.5), (1, -1.0))),
    "pchip": lambda y: PchipInterpolator(X, y),
}
for name, make in MAKE.items():
    c = make(Y)
    print(name, show(c(AT)))
    print("  slopes", show(c(X, 1)))
    print("  at 1.7", show(c(1.7, 1)), show(c(1.7, 2)))
    print("  at 4.0 by heights", show(by_points(make, 4.0)))
two = PchipInterpolator([0.0, 2.0], [1.0, 5.0])
print("two points", two(0.5))
X6, Y6 = np.array([0, 1, 2, 3, 4, 5.0]), np.array([0, 0.1, 3, 3, 2, 8.0])
print("pchip with turns", show(PchipInterpolator(X6, Y6)(X6, 1)))
