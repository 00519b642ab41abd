"""Facts for newton_root.cot: bisection in exact fractions, derivatives in closed form."""

from math import cos, sqrt

from differences import derivative, fact, second


def bisect(f, low, high):
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return (low + high) / 2


def count(step):
    x, k = 4.0, 0
    while abs(x**5 - 3) > 1e-12:
        x, k = step(x), k + 1
    return k


def halley(x):
    f, d1, d2 = x**5 - 3, 5 * x**4, 20 * x**3
    return x - 2 * f * d1 / (2 * d1 * d1 - f * d2)


def bring(a):
    x = bisect(lambda x: x**5 - x - a, 1.0, 2.0)
    return x - (x**5 - x - a) / (5 * x**4 - 1)


fact("the square root of two", sqrt(2))
fact("cosine and line", bisect(lambda x: x - cos(x), 0, 1))
fact("Halley needs fewer steps", (count(lambda x: x - (x**5 - 3) / (5 * x**4)), count(halley)))
fact("derivatives of the cube root", (2 ** (-2 / 3) / 3, -2 / 9 * 2 ** (-5 / 3), 10 / 27 * 2 ** (-8 / 3)))
fact("derivatives of a root without a formula", (bring(1.0), derivative(bring, 1.0), second(bring, 1.0)))
