"""Facts for hidden_markov.cot: everything is summed over all 2**7 paths of hidden states."""

from itertools import product
from math import exp, log

from differences import fact, flat, gradient, hessian, rows

SEEN = [0, 1, 2, 2, 1, 0, 2]


def softmax(xs):
    total = sum(map(exp, xs))
    return [exp(x) / total for x in xs]


def paths(p):
    start, move, emit = softmax(p[0:2]), [softmax(r) for r in rows(p[2:6], 2)], [softmax(r) for r in rows(p[6:12], 3)]
    for path in product(range(2), repeat=7):
        chance = start[path[0]]
        for a, b in zip(path, path[1:]):
            chance *= move[a][b]
        for state, symbol in zip(path, SEEN):
            chance *= emit[state][symbol]
        yield path, chance


def likelihood(p):
    return log(sum(chance for _, chance in paths(p)))


p0 = flat([[0.3, -0.1], [0.8, -0.5, -0.2, 0.6], [1.0, 0.2, -0.7, -0.9, 0.1, 0.8]])
total = exp(likelihood(p0))
fact("log likelihood, against the sum over all paths", likelihood(p0))
fact("posterior, against the sum over all paths",
     [[sum(c for path, c in paths(p0) if path[t] == i) / total for i in range(2)] for t in range(7)])
g = gradient(likelihood, p0)
fact("gradient in the scores", (g[0:2], rows(g[2:6], 2), rows(g[6:12], 3)))
fact("curvature in the first scores", hessian(lambda s: likelihood(s + p0[2:]), p0[:2]))
