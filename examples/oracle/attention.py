"""Facts for attention.cot."""

from math import cos, exp, sin, sqrt

from differences import fact, flat, gradient, hvp, rows

QUERIES = [[sin(2 * i + j) for j in range(2)] for i in range(4)]
KEYS = [[cos(3 * i - j) for j in range(2)] for i in range(4)]
VALUES = [[sin(i * j + i + 1) for j in range(3)] for i in range(4)]


def attention(queries, keys):
    result = []
    for i, q in enumerate(queries):
        es = [exp(sum(a * b for a, b in zip(q, k)) / sqrt(len(q))) for k in keys[: i + 1]]
        result.append([e / sum(es) for e in es] + [0.0] * (len(keys) - i - 1))
    return result


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def loss(v):
    total = 0.0
    for row in matmul(attention(rows(v[:8], 2), rows(v[8:], 2)), VALUES):
        m = sum(row) / 3
        s = sqrt(sum((x - m) ** 2 for x in row) / 3 + 1e-5)
        a, b, c = [(x - m) / s for x in row]
        total += (a - 0.5 * b + 0.25 * c) ** 2
    return total


start = flat(QUERIES) + flat(KEYS)
fact("attention", attention(QUERIES, KEYS))
row = attention(QUERIES, KEYS)[1]
fact("the future does not count", [[w, 0.0, 0.0] for w in row])
fact("loss", loss(start))
g = gradient(loss, start)
fact("gradient", (rows(g[:8], 2), rows(g[8:], 2)))
fact("second derivative", rows(hvp(lambda k: loss(start[:8] + k), start[8:], start[:8]), 2)[2:])
out = []
for h in range(2):
    projected = matmul(VALUES, [[sin(6 * h + 2 * i + j) for j in range(2)] for i in range(3)])
    out += matmul(attention(projected, projected), projected)[3]
fact("two heads", out)
