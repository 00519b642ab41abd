"""Facts for quaternion.cot: rotations are done with matrices and with Rodrigues' formula."""

from math import cos, sin, sqrt

from differences import derivative, fact, gradient, hvp, second

STARS = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [0.48, 0.6, 0.64]]
SEEN = [[0.31, 0.82, 0.47], [-0.88, 0.08, 0.47], [0.47, 0.05, 0.88], [-0.08, 0.43, 0.90]]


def normalise(q):
    s = sqrt(sum(v * v for v in q))
    return [v / s for v in q]


def matrix(q):
    w, x, y, z = normalise(q)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def misfit(q):
    m = matrix(q)
    turned = [[sum(a * b for a, b in zip(row, star)) for row in m] for star in STARS]
    return sum((a - b) ** 2 for t, s in zip(turned, SEEN) for a, b in zip(t, s))


def attitude(steps):
    q = [1.0, 0.0, 0.0, 0.0]
    for _ in range(steps):
        q = normalise([a - 0.05 * b for a, b in zip(q, gradient(misfit, q))])
    return q


def spinning(t):
    a, v, angle = [0.0, 0.6, 0.8], [1.0, 2.0, 3.0], 2 * t
    turned = [a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0]]
    along = sum(p * q for p, q in zip(a, v))
    return [v[i] * cos(angle) + turned[i] * sin(angle) + a[i] * along * (1 - cos(angle)) for i in range(3)]


q0 = [0.8, 0.1, -0.4, 0.3]
fact("misfit", misfit(q0))
fact("the gradient is a quaternion", gradient(misfit, q0))
fact("attitude after ten steps", attitude(10))
fact("speed of a spinning point", [derivative(lambda t, i=i: spinning(t)[i], 0.7) for i in range(3)])
fact("acceleration of a spinning point", [second(lambda t, i=i: spinning(t)[i], 0.7) for i in range(3)])
fact("a Hessian of a record", hvp(misfit, q0, [1, 0, 0, 2]))
