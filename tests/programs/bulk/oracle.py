"""Facts of the programs in this folder: central differences with 100 digits.

    pip install mpmath
    python3 oracle.py             compares every fact with the test of its name
    python3 oracle.py --write     puts facts into the place of `?` on the right of a test
    cotan fmt *.cot

The functions are written anew in Python, with loops and lists.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from differences import exp, fact, grad, hessian, hvp, log, main, mpf, reals, sin, sqrt  # noqa: E402

# loops.cot


def power_of_matrix(p):
    m, v = p
    for _ in range(3):
        v = [sum(a * b for a, b in zip(row, v)) for row in m]
    return sum(v)


def sums_in_a_product(xs):
    s, p = mpf(0), mpf(1)
    for x in xs:
        s += x
        p *= s
    return p


def mixed_neighbours(x):
    s = x
    for i in range(3):
        s = [s[j] * x[i] + s[(j + 1) % 3] for j in range(3)]
    return sum(s)


def swapped(x):
    total = mpf(0)
    for k in range(2):
        s = x
        for _ in range(2):
            s = [s[1 - j] * x[j] + x[k] for j in range(2)]
        total += sum(s)
    return total


def loop_in_loop(x):
    y = x
    while y < 100:
        z = y
        while z < 2 * y:
            z *= x
        y = z + x
    return y


def fold_in_fold(m):
    total = mpf(0)
    for k in range(2):
        s = mpf(1)
        for row in m:
            p = s + m[k][0]
            for x in row:
                p *= x
            s += p
        total += s
    return total


def alternating(x):
    total = mpf(0)
    for i in range(3):
        s = mpf(1)
        for j in range(3):
            s = s * x[j] if (i + j) % 2 == 0 else s + x[i]
        total += s
    return total


fact("loops", "a fold that captures a matrix", grad(power_of_matrix, (reals([0.5, 1], [0.25, 2]), reals(1, 2))))
fact("loops", "a tuple as state", grad(sums_in_a_product, reals(1, 2, 3)))
fact("loops", "a tuple as state, second derivative", hessian(sums_in_a_product, reals(1, 2, 3)))
fact("loops", "an array as state", grad(mixed_neighbours, reals(0.5, 1, 2)))
fact("loops", "an array as state, in a build", grad(swapped, reals(0.5, 1.5)))
fact("loops", "a loop in a loop", grad(loop_in_loop, mpf(1.7)))
fact("loops", "a fold in a fold in a build", grad(fold_in_fold, reals([2, 3], [0.5, 4])))
fact("loops", "a condition in a loop in a build", grad(alternating, reals(2, 3, 5)))

# calls.cot


def halves(x):
    if len(x) < 2:
        return x[0] if x else mpf(1)
    k = len(x) // 2
    return halves(x[:k]) * (halves(x[k:]) + 1)


def grown(depth, x):
    if depth == 0:
        return sin(x)
    left, right = grown(depth - 1, x), grown(depth - 1, 2 * x)
    return x * left + depth * left * right


def near(a, b):
    return mpf(0) if a == b else sqrt(abs(a - b))


HALVES = reals(0.5, 1.5, 2, -1, 3)
fact("calls", "over smaller arrays", grad(halves, HALVES))
fact("calls", "over smaller arrays, second derivative", hessian(halves, HALVES))
fact("calls", "through a tree that grows", grad(lambda x: grown(3, x), mpf(0.3)))
fact("calls", "through a tree that grows, second derivative", grad(lambda x: grad(lambda y: grown(2, y), x), mpf(0.3)))
fact(
    "calls",
    "calls of calls in a build",
    grad(lambda x: sum(near(v**2, near(v, mpf(1))) for v in x), reals(2, 5)),
)

# nested.cot


def energy(x):
    return sum((x[i + 1] - x[i] ** 2) ** 2 for i in range(len(x) - 1))


def residual(p, t):
    return [p[0] * sin(p[1] * t), p[0] * p[1]]


def sum_of_jacobians(p):
    return sum(sum(grad(lambda q: sum(residual(q, t)), p)) for t in (0, 1))


def product(xs):
    res = mpf(1)
    for x in xs:
        res *= x
    return res


def levels(x):
    def inner(y):
        return sum(g**2 for g in grad(lambda z: product(z) * sum(x), y))

    return sum(grad(inner, x))


def newton(a):
    x = mpf(4)
    while x * x > a + mpf(0.1):
        x -= (x * x - a) / (2 * x)
    return x


E3 = reals(1, 2, 0.5)
fact("nested", "Jacobians at every position, differentiated", grad(sum_of_jacobians, reals(2, 0.5)))
fact("nested", "reverse over reverse", grad(lambda x: sum(g**2 for g in grad(energy, x)), E3))
fact("nested", "a Hessian", hessian(energy, E3))
fact("nested", "three levels of arrays", grad(levels, reals(1, 2, 3)))
fact("nested", "a gradient in a while in a gradient", grad(newton, mpf(4)))

# mixture.cot

POINTS = reals([0.2, 0.1], [-0.4, 0.5], [2.1, 1.8], [1.7, 2.4])


def density(p):
    weights, means, widths = p[0:2], [p[2:4], p[4:6]], p[6:8]

    def component(x, c):
        z = [(a - b) * exp(-widths[c]) for a, b in zip(x, means[c])]
        return exp(weights[c] - 2 * widths[c] - sum(v * v for v in z) / 2)

    total = sum(log(component(x, 0) + component(x, 1)) for x in POINTS)
    return total - len(POINTS) * log(exp(weights[0]) + exp(weights[1]))


START = reals(0.1, -0.2, 0.1, 0, 1.8, 2.1, -0.3, 0.2)
DIRECTION = reals(1, -1, 0.5, 2, -0.5, 0, 1.5, 1)
fact("mixture", "the log density", density(START))
fact("mixture", "its gradient", grad(density, START))
fact("mixture", "its Hessian", hessian(density, START))
fact("mixture", "the Hessian times a vector", hvp(density, START, DIRECTION))

if __name__ == "__main__":
    sys.exit(main(pathlib.Path(__file__).resolve().parent, "--write" in sys.argv[1:]))
