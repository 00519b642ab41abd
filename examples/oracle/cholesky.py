"""Facts for cholesky.cot: determinants and inverses by cofactors, no factorisation."""

from math import exp, log, pi, sqrt

from differences import along, fact, flat, gradient, hessian, rows

SPD = [[4.0, 1.2, -0.8], [1.2, 3.0, 0.5], [-0.8, 0.5, 2.0]]
PLACES = [0.0, 0.4, 1.1, 1.7, 2.5, 3.0]
HEIGHTS = [0.1, 0.5, 0.9, 1.0, 0.5, 0.2]


def eliminate(a, b):
    """Determinant and solution by elimination with pivots"""
    m, d, n = [list(r) + [y] for r, y in zip(a, b)], 1.0, len(b)
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(m[r][c]))
        if p != c:
            m[c], m[p], d = m[p], m[c], -d
        d *= m[c][c]
        for r in range(n):
            if r != c:
                s = m[r][c] / m[c][c]
                m[r] = [x - s * y for x, y in zip(m[r], m[c])]
    return d, [m[r][n] / m[r][r] for r in range(n)]


def log_normal(mean, covariance, x):
    u = [a - b for a, b in zip(x, mean)]
    d, v = eliminate(covariance, u)
    return -0.5 * (sum(a * b for a, b in zip(u, v)) + log(d) + len(x) * log(2 * pi))


def evidence(theta):
    scale, size, noise = map(exp, theta)
    k = [[size**2 * exp(-0.5 * ((a - b) / scale) ** 2) + (noise**2 if a == b else 0) for b in PLACES] for a in PLACES]
    return log_normal([0.0] * 6, k, HEIGHTS)


l10, l20 = SPD[1][0] / 2, SPD[2][0] / 2
l11 = sqrt(SPD[1][1] - l10 * l10)
l21 = (SPD[2][1] - l20 * l10) / l11
t0, m0, x0 = [0.0, -0.2, -1.5], [0.1, 0.2, 0.3], [1.0, -1.0, 0.5]
fact("factor", [[2.0, 0.0, 0.0], [l10, l11, 0.0], [l20, l21, sqrt(SPD[2][2] - l20 * l20 - l21 * l21)]])
fact("log density", log_normal(m0, SPD, x0))
fact("gradient in the mean", gradient(lambda m: log_normal(m, SPD, x0), m0))
fact("gradient in the hyperparameters", gradient(evidence, t0))
fact("hessian in the hyperparameters", hessian(evidence, t0))
fact("derivative of the log determinant in a direction",
     along(lambda a: log(eliminate(rows(a, 3), [0] * 3)[0]), flat(SPD), [1, 0, 0, 0, 1, 0, 0, 0, 1]))
