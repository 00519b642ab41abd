"""Facts for gaussian_mixture.cot."""

from math import exp, lgamma, log, pi, sin

from differences import fact, gradient, hessian, rows

POINTS = [
    [0.2, 0.1], [-0.4, 0.5], [0.3, -0.6], [0.0, 0.4], [2.1, 1.8], [1.7, 2.4], [2.5, 2.2], [1.9, 1.5],
]


def logsumexp(xs):
    return log(sum(exp(x) for x in xs))


def lower(q, l):
    d, rest = len(q), list(l)
    m = [[0.0] * d for _ in range(d)]
    for i in range(d):
        m[i][i] = exp(q[i])
        for j in range(i + 1, d):
            m[j][i] = rest.pop(0)
    return m


def prior(q, l, gamma, m):
    k, d = len(q), len(q[0])
    n = d + m + 1
    constant = n * d * (log(gamma) - 0.5 * log(2)) - (
        d * (d - 1) / 4 * log(pi) + sum(lgamma(n / 2 + (1 - j) / 2) for j in range(1, d + 1))
    )
    total = k * constant
    for qk, lk in zip(q, l):
        total -= gamma**2 / 2 * (sum(exp(v) ** 2 for v in qk) + sum(v * v for v in lk))
        total += m * sum(qk)
    return total


def mixture(x, alpha, mu, q, l, gamma, m):
    n, d, k = len(x), len(x[0]), len(alpha)
    total = -n * d / 2 * log(2 * pi) - n * logsumexp(alpha)
    for xi in x:
        beta = []
        for c in range(k):
            u = [a - b for a, b in zip(xi, mu[c])]
            v = [sum(a * b for a, b in zip(row, u)) for row in lower(q[c], l[c])]
            beta.append(alpha[c] + sum(q[c]) - 0.5 * sum(a * a for a in v))
        total += logsumexp(beta)
    return total + prior(q, l, gamma, m)


def density(p):
    alpha, mu, q, l = p[0:2], rows(p[2:6], 2), rows(p[6:10], 2), rows(p[10:12], 1)
    return mixture(POINTS, alpha, mu, q, l, 1.0, 0)


p0 = [0.1, -0.2, 0.1, 0.0, 1.8, 2.1, 0.3, -0.1, 0.2, 0.4, 0.5, -0.7]
g = gradient(density, p0)
fact("log density", density(p0))
fact("gradient", (g[0:2], rows(g[2:6], 2), rows(g[6:10], 2), rows(g[10:12], 1)))
fact("prior with other hyperparameters", prior([[0.3, -0.1], [0.2, 0.4]], [[0.5], [-0.7]], 1.5, 2))
h = hessian(lambda mu: density(p0[:2] + mu + p0[6:]), p0[2:6])
fact("second derivatives in the means", rows(h[1], 2))
X = [[sin(3 * i + j) for j in range(3)] for i in range(4)]
fact("three dimensions", [gradient(
    lambda l: mixture(X, [0.7], [[0.2, 0.1, 0.0]], [[0.1, 0.2, -0.3]], [l], 1.0, 0), [0.5, -0.4, 0.3])])
