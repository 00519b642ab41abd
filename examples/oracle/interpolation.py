"""Facts for interpolation.cot: the smooth curve by Hermite's basis polynomials."""

from bisect import bisect_right

from differences import derivative, fact, gradient, hvp

PLACES = [2.0, 0.5, 3.7, 1.2, 5.0, 2.9]
HEIGHTS = [1.0, 0.3, -0.4, 0.9, 0.6, 0.2]
PROBES = [0.8, 2.4, 3.1, 4.5]


def linear(table, at):
    (a, p), (b, q) = next((l, r) for l, r in zip(table, table[1:]) if l[0] <= at <= r[0])
    return p + (q - p) * (at - a) / (b - a)


def slope(t, i):
    """The slope of the parabola through three neighbours, by Lagrange's formula"""
    if i in (0, len(t) - 1):
        a, b = (t[0], t[1]) if i == 0 else (t[-2], t[-1])
        return (b[1] - a[1]) / (b[0] - a[0])
    (a, p), (b, q), (c, r) = t[i - 1 : i + 2]
    return (p * (b - c) / ((a - b) * (a - c)) + q * (2 * b - a - c) / ((b - a) * (b - c))
            + r * (b - a) / ((c - a) * (c - b)))


def smooth(places, heights, at):
    t = sorted(zip(places, heights))
    i = max(0, min(len(t) - 2, bisect_right([x for x, _ in t], at) - 1))
    h = t[i + 1][0] - t[i][0]
    s = (at - t[i][0]) / h
    return ((2 * s**3 - 3 * s**2 + 1) * t[i][1] + (s**3 - 2 * s**2 + s) * h * slope(t, i)
            + (3 * s**2 - 2 * s**3) * t[i + 1][1] + (s**3 - s**2) * h * slope(t, i + 1))


def misfit(heights):
    return sum((smooth(PLACES, heights, p) - 0.5) ** 2 for p in PROBES)


table = sorted(zip(PLACES, HEIGHTS))
fact("straight lines", [linear(table, p) for p in PROBES])
fact("smooth curve", [smooth(PLACES, HEIGHTS, p) for p in PROBES])
fact("the slope of the curve", [derivative(lambda p: smooth(PLACES, HEIGHTS, p), p) for p in PROBES])
fact("gradient in the heights", gradient(misfit, HEIGHTS))
fact("gradient in the places", gradient(lambda x: sum(smooth(x, HEIGHTS, p) for p in PROBES), PLACES))
fact("curvature in the heights", hvp(misfit, HEIGHTS, [1, 0, 0, 1, 0, -1]))
ordered = [(i / 5, y) for i, y in enumerate(sorted(HEIGHTS))]
fact("quantiles", [linear(ordered, q) for q in (0.1, 0.5, 0.75)])
