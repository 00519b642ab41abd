"""Facts for bundle_adjustment.cot."""

from math import cos, sin, sqrt

from differences import fact, flat, gradient, hvp, jacobian, rows

CAMERAS = [
    [0.1, -0.2, 0.3, 0.5, 0.1, -4.0, 1.2, 0.05, -0.03, 0.02, -0.01],
    [0.0, 0.0, 0.0, -0.4, 0.2, -5.0, 1.1, 0.0, 0.1, -0.05, 0.02],
]
POINTS = [[0.3, -0.2, 0.4], [-0.6, 0.5, 0.1], [0.8, 0.7, -0.3]]
WEIGHTS = [0.9, 1.1, 1.0, 0.8, 0.95]
SEEN = [(0, 0, 0.1, -0.1), (0, 1, -0.3, 0.0), (1, 0, 0.2, 0.05), (1, 1, 0.0, 0.2), (1, 2, 0.3, 0.25)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def project(camera, point):
    r, (f, u0, v0, k1, k2) = camera[0:3], camera[6:11]
    x = [a - b for a, b in zip(point, camera[3:6])]
    theta2 = sum(a * a for a in r)
    if theta2 != 0:
        theta = sqrt(theta2)
        a = [v / theta for v in r]
        along, turned = sum(p * q for p, q in zip(a, x)), cross(a, x)
        x = [x[i] * cos(theta) + turned[i] * sin(theta) + a[i] * along * (1 - cos(theta)) for i in range(3)]
    else:
        x = [p + q for p, q in zip(x, cross(r, x))]
    p, q = x[0] / x[2], x[1] / x[2]
    s = p * p + q * q
    s = 1 + k1 * s + k2 * s * s
    return [f * p * s + u0, f * q * s + v0]


def residuals(cameras, points, weights):
    errors = []
    for w, (c, p, u, v) in zip(weights, SEEN):
        x, y = project(cameras[c], points[p])
        errors.append([w * (x - u), w * (y - v)])
    return errors, [1 - w * w for w in weights]


def error(cameras, points, weights):
    return 0.5 * sum(r * r for r in flat(residuals(cameras, points, weights)))


fact("residuals", tuple(residuals(CAMERAS, POINTS, WEIGHTS)))
fact("block of the Jacobian for a camera", jacobian(lambda c: project(c, POINTS[1]), CAMERAS[0]))
fact("block of the Jacobian for a camera that is not turned",
     jacobian(lambda c: project(c, POINTS[2]), CAMERAS[1])[0])
g = gradient(lambda v: error(CAMERAS, rows(v[:9], 3), v[9:]), flat(POINTS) + WEIGHTS)
fact("gradient in the points and weights", (rows(g[:9], 3), g[9:]))
fact("the Hessian times a direction of the points", rows(
    hvp(lambda x: error(CAMERAS, rows(x, 3), WEIGHTS), flat(POINTS), [1, 0, -1, 0.5, 0.5, 0.5, 0, 2, 0]), 3))
