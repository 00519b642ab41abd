"""Facts for newton_least_squares.cot: exact fractions, and Gauss-Newton instead of Newton."""

from fractions import Fraction
from math import exp

from differences import fact, gradient, hessian

TIMES = [0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0]
READINGS = [8.1, 6.2, 5.1, 4.2, 3.1, 2.4, 2.1]


def det(m):
    if not m:
        return 1
    return sum((-1) ** j * m[0][j] * det([r[:j] + r[j + 1 :] for r in m[1:]]) for j in range(len(m)))


def solve(a, b):
    """Cramer's rule in exact arithmetic"""
    a = [[Fraction(x) for x in row] for row in a]
    column = lambda j: [row[:j] + [Fraction(y)] + row[j + 1 :] for row, y in zip(a, b)]
    return [float(det(column(j)) / det(a)) for j in range(len(b))]


def misfit(p, readings=READINGS):
    return 0.5 * sum((p[0] + p[1] * exp(-p[2] * t) - y) ** 2 for t, y in zip(TIMES, readings))


def fit(readings):
    p = [1.8, 6.0, 0.4]
    for _ in range(15):
        r = [p[0] + p[1] * exp(-p[2] * t) - y for t, y in zip(TIMES, readings)]
        j = [[1.0, exp(-p[2] * t), -t * p[1] * exp(-p[2] * t)] for t in TIMES]
        a = [[sum(row[u] * row[v] for row in j) for v in range(3)] for u in range(3)]
        b = [sum(row[u] * e for row, e in zip(j, r)) for u in range(3)]
        p = [x - s for x, s in zip(p, solve(a, b))]
    return p


p0 = [1.8, 6.0, 0.4]
fact("linear equations", solve([[0, 2, 1], [1, -1, 3], [4, 0.5, -2]], [1, 2, 3]))
fact("gradient", gradient(misfit, p0))
h = hessian(misfit, p0)
fact("hessian", h)
fact("one step", [x - s for x, s in zip(p0, solve(h, gradient(misfit, p0)))])
fact("best fit", fit(READINGS))
fact("how the fitted rate depends on each reading", gradient(lambda y: fit(y)[2], READINGS))
