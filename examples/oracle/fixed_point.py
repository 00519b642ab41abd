"""Facts for fixed_point.cot: Kepler's equation by bisection, derivatives by differences."""

from math import cos, sin, sqrt

from differences import derivative, fact, gradient, second


def root(g, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if g(middle) > 0 else (middle, high)
    return (low + high) / 2


def anomaly(e, m):
    x = root(lambda x: x - e * sin(x) - m, m - 1, m + 1)
    return x - (x - e * sin(x) - m) / (1 - e * cos(x))


def position(m, e=0.6):
    x = anomaly(e, m)
    return [cos(x) - e, sqrt(1 - e * e) * sin(x)]


g = gradient(lambda p: anomaly(*p), [0.6, 1.1])
fact("anomaly", anomaly(0.6, 1.1))
fact("derivatives through the loop", tuple(g))
fact("derivatives by the implicit function theorem", tuple(g))
acceleration = second(lambda m: anomaly(0.6, m), 1.1)
fact("second derivative in the time", acceleration)
fact("second derivative by the implicit function theorem", acceleration)
fact("speed on the ellipse", [derivative(lambda m, i=i: position(m)[i], 1.1) for i in range(2)])
fact("the prelude has such a definition", tuple(g))
fact("the cosine has one fixed point", root(lambda x: x - cos(x), 0, 1))
