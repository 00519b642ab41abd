"""Facts for logistic_regression.cot."""

from math import exp, log

from differences import fact, gradient, hessian, hvp

STUDENTS = [
    [-1.9, 0.3], [-1.4, -1.2], [-0.8, 1.1], [-0.5, -0.4], [-0.1, 0.6],
    [0.2, -0.9], [0.6, 0.8], [1.0, -0.3], [1.3, 0.5], [1.6, -0.5],
]
PASSED = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]


def chance(w, x):
    return 1 / (1 + exp(-(w[0] * x[0] + w[1] * x[1] + w[2])))


def loss(w):
    total = 0.0
    for x, y in zip(STUDENTS, PASSED):
        p = chance(w, x)
        total -= log(p) if y else log(1 - p)
    return total / 10 + 0.025 * sum(v * v for v in w)


def by_hand(w):
    g = [0.05 * v for v in w]
    for x, y in zip(STUDENTS, PASSED):
        r = (chance(w, x) - y) / 10
        g = [g[0] + r * x[0], g[1] + r * x[1], g[2] + r]
    return g


def fit(steps):
    w = [0.0, 0.0, 0.0]
    for _ in range(steps):
        w = [a - 0.8 * b for a, b in zip(w, by_hand(w))]
    return w


w0 = [0.5, -0.25, 0.1]
w = fit(100)
fact("loss", loss(w0))
fact("gradient", gradient(loss, w0))
fact("hessian", hessian(loss, w0))
fact("gradient descent", fit(25))
fact("the Hessian times a vector", hvp(loss, w0, [1.0, -2.0, 0.5]))
fact("nearly all students are classified",
     sum((chance(w, x) > 0.5) == bool(y) for x, y in zip(STUDENTS, PASSED)) / 10)
