"""Facts for kmeans.cot: the Newton step is found as a step of Lloyd's algorithm."""

from differences import fact, flat, gradient, hvp, rows

POINTS = [
    [0.1, 0.2], [0.4, -0.1], [-0.3, 0.3], [0.2, 0.5],
    [3.0, 0.1], [3.4, 0.4], [2.7, -0.2], [3.1, 0.6],
    [1.4, 2.9], [1.8, 3.3], [1.1, 3.0], [1.6, 2.6],
]


def distance2(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def cost(c):
    return sum(min(distance2(p, c) for c in rows(c, 2)) for p in POINTS)


def nearest(p, centres):
    return min(range(len(centres)), key=lambda j: distance2(p, centres[j]))


def lloyd(centres):
    groups = [[p for p in POINTS if nearest(p, centres) == j] for j in range(len(centres))]
    return [[sum(xs) / len(xs) for xs in zip(*group)] for group in groups]


centres = [[0.5, 0.6], [2.5, 0.5], [1.2, 2.2]]
start = flat(centres)
fact("cost", cost(start))
fact("gradient", rows(gradient(cost, start), 2))
fact("the diagonal of the Hessian counts the points",
     [[round(x, 9) for x in row] for row in rows(hvp(cost, start, [1.0] * 6), 2)])
fact("a Newton step moves each centre to the mean of its points", lloyd(centres))
fact("clusters", [nearest(p, centres) for p in POINTS])
for _ in range(10):
    centres = lloyd(centres)
fact("final cost", cost(flat(centres)))
