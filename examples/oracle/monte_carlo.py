"""Facts for monte_carlo.cot."""

from math import cos, exp, log, pi, sqrt

from differences import fact, gradient, hessian


def states(n, seed):
    result = []
    for _ in range(n):
        seed = 48271 * seed % (2**31 - 1)
        result.append(seed)
    return result


def uniforms(n, seed):
    return [s / (2**31 - 1) for s in states(n, seed)]


def normals(n, seed):
    u = uniforms(2 * n, seed)
    return [sqrt(-2 * log(a)) * cos(2 * pi * b) for a, b in zip(u[::2], u[1::2])]


NORMALS = normals(40, 12345)


# The paths that pay do not change near the given parameters, so derivatives are taken for them.
PAYING = [z for z in NORMALS if 100 * exp(0.2 * z - 0.02) > 105]


def price(p):
    return sum(p[0] * exp(p[1] * z - p[1] ** 2 / 2) - 105 for z in PAYING) / 40


# In percent of the price, so that both differences have a useful step.
scaled = lambda q: price([100 * q[0], q[1]])
g, h = gradient(scaled, [1.0, 0.2]), hessian(scaled, [1.0, 0.2])
fact("the generator", states(4, 1))
fact("normal numbers", normals(3, 12345))
u = uniforms(2000, 1)
fact("pi, roughly", 4 * sum(a * a + b * b < 1 for a, b in zip(u[::2], u[1::2])) / 1000)
fact("price and its gradient", (price([100.0, 0.2]), [g[0] / 100, g[1]]))
fact("second derivatives along the paths", [[0.0, h[0][1] / 100], [h[1][0] / 100, h[1][1]]])
