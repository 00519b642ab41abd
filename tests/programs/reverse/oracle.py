"""Facts of the programs in this folder: central differences with 100 digits.

    pip install mpmath
    python3 oracle.py             compares every fact with the test of its name
    python3 oracle.py --write     puts facts into the place of `?` on the right of a test
    cotan fmt *.cot

The functions are written anew in Python, with loops and lists where the programs have recursion.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from differences import cos, exp, fact, flat, grad, hessian, hvp, jacobian, jvp, log, main, mpf, reals, sin, sqrt, tanh, vjp  # noqa: E402

# evaluator.cot


def sample(x, y, c=mpf(1.5)):
    t = x * sin(y)
    return t**3 + (c * y if x > 0 else 7)


X, Y = reals(0.8, 0.3)
fact("evaluator", "by the environment", grad(lambda p: sample(*p), [X, Y]))
fact("evaluator", "on the other branch", grad(lambda p: sample(*p), [-X, Y]))
by_constant = grad(lambda c: sample(X, Y, c), mpf(1.5))
fact(
    "evaluator",
    "by the program: numbers in the place of numbers, zero in the place of integers",
    [0, 0, 0, 0, 0, by_constant, 0, 0.0],
)
both = grad(lambda p: p[0] * p[2] ** 2, [mpf(2), X, Y])
fact("evaluator", "by the program and the environment", [both[0], 0, 0, both[1:]])
fact(
    "evaluator",
    "the second derivative along a direction",
    hvp(lambda p: sample(*p), [X, Y], [1, -2]),
)

# closures.cot

KS = reals(1, 2, 3)


def waves_in_a_row(p):
    y = p[1]
    for k in p[0]:
        y = sin(k * y)
    return y


def network(w, x):
    return sin(w[2] * (tanh(w[0] * x) + (w[1] * x) ** 2 * w[0]))


fact("closures", "map of closures over a list", grad(lambda p: sum(sin(k * p[1]) for k in p[0]), (KS, mpf(0.4))))
fact("closures", "the composition of a list of closures", grad(waves_in_a_row, (KS, mpf(0.4))))
W = reals(0.3, 0.7, 1.1)
fact("closures", "closures in data, by what they hold", grad(lambda p: network(*p), (W, mpf(0.9))))
fact("closures", "closures in data, the second derivative", hessian(lambda w: network(w, mpf(0.9)), W))

# recursion.cot


def chebyshev(n, x):
    before, now = mpf(1), x
    for _ in range(n - 1):
        before, now = now, 2 * x * now - before
    return now


def wood(p):
    (a, b, c), d = p
    e = d + 1
    return 1 + sin(e * a) * (1 + sin((e + 1) * b) * (e + 1)) * sin(e * c) * e


def around(p):
    x, y = p
    while True:
        if x > 50:
            return x * y
        x, y = 1.5 * x, y + sin(x)
        if x > 50:
            return x + y
        x, y = x + y, 0.5 * y
        if x > 50:
            return x - y * y
        x, y = x * 1.25, y + 0.1


def fibonacci(n, x):
    a, b = x, x
    for _ in range(n - 1):
        a, b = b, b + x * a
    return b


fact("recursion", "their second derivative", grad(lambda x: grad(lambda y: chebyshev(5, y), x), mpf(0.6)))
fact("recursion", "by trees of forests", grad(wood, (reals(0.3, 0.7, 1.1), mpf(0.5))))
fact("recursion", "a circle of three", grad(around, reals(1.3, 0.4)))
fact("recursion", "two calls", grad(lambda x: fibonacci(7, x), mpf(0.5)))

# loops.cot


def collatz(y):
    while y < 40:
        y = 1.75 * y if int(y) % 2 == 0 else 3 * y + 1
    return y


def bisect(p):
    a, b = p
    while b - a > 0.01:
        m = (a + b) / 2
        a, b = (a, m) if m * m - 2 > 0 else (m, b)
    return [a, b]


def spiral(x):
    s = x
    while s[0] < 100:
        s = [s[1] * s[0], s[1] + 0.1 * x[0]]
    return s[0]


def capped(p):
    k, x = p
    y = x
    while y < 10 * k:
        y = y * k + x
    return y


def nested_loop(x):
    y = x
    while y < 100:
        z = y
        while z < 2 * y:
            z = z * x
        y = z + x
    return y


def powers(y):
    z = y
    while z < 50:
        z = z * y + 1
    return z


fact("loops", "real numbers in the manner of Collatz", [collatz(mpf(0.3)), grad(collatz, mpf(0.3))])
fact("loops", "bisection knows its end points only", jacobian(bisect, reals(1, 2)))
fact("loops", "a loop over an array", grad(spiral, reals(1.5, 2)))
fact("loops", "a captured number in condition and step", grad(capped, reals(1.5, 2)))
fact("loops", "a loop in a loop", grad(nested_loop, mpf(1.7)))
fact("loops", "the second derivative of a loop", grad(lambda x: grad(powers, x), mpf(2)))

# array_results.cot


def wide(p):
    return [sin(p[0] * i) * p[1] for i in range(7)]


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def tangled(x):
    return exp(x[0] * x[1]) + sin(x[1] * x[2]) / (1 + x[0] * x[0])


fact("array_results", "an array as result", vjp(wide, reals(0.3, 2), list(range(7))))
fact("array_results", "a wide Jacobian", jacobian(wide, reals(0.3, 2)))
R = reals(1.2, 0.7, -0.4)
fact("array_results", "the Hessian of Rosenbrock's function", hessian(rosenbrock, R))
fact("array_results", "the Hessian times a vector", hvp(rosenbrock, R, [1, -2, 0.5]))
fact("array_results", "a Hessian", hessian(tangled, reals(0.3, 0.7, 1.1)))

# arrays.cot

fact("arrays", "logsumexp", grad(lambda x: log(sum(map(exp, x))), reals(0.3, 1.7, -0.4)))
fact(
    "arrays",
    "build reads where it likes",
    grad(lambda x: sum(x[i] * x[(i + j) % 3] for i in range(3) for j in range(2)), reals(1, 2, 3)),
)

# folds.cot


def statistics(xs):
    mean = sum(xs) / len(xs)
    return mean * sum((x - mean) ** 2 for x in xs) * len(xs)


def power_of_matrix(p):
    (a, b), v = p
    for _ in range(3):
        v = [sum(x * y for x, y in zip(a, v)), sum(x * y for x, y in zip(b, v))]
    return sum(v)


def fold_in_fold(m):
    s = mpf(1)
    for row in m:
        s = s + s * row[0] * row[1]
    return s


def fold_with_sine(xs):
    s = mpf(1)
    for x in xs:
        s = s * x + sin(s)
    return s


def sums_times_products(xs):
    a, b, res = mpf(0), mpf(1), mpf(0)
    for x in xs:
        a, b = a + x, b * x
        res += a * b
    return res


fact("folds", "a tuple as state", grad(statistics, reals(1, 2, 6)))
M = reals([0.5, 1], [0.25, 2])
fact("folds", "an array as state, with captured matrix", grad(power_of_matrix, (M, reals(1, 2))))
fact("folds", "a fold in a fold", grad(fold_in_fold, reals([2, 3], [0.5, 4])))
fact("folds", "the second derivative of a fold", hessian(fold_with_sine, reals(0.5, 2)))
fact("folds", "scan with a tuple as state", grad(sums_times_products, reals(2, 3, 4)))

# nested.cot


def product(xs):
    res = mpf(1)
    for x in xs:
        res *= x
    return res


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def penalty(w, v, x):
    g = grad(lambda y: dot(v, [tanh(dot(row, y)) for row in w]), x)
    return (sqrt(dot(g, g)) - 1) ** 2


def sextic(x, y, z):
    return x * x * y * y * z * z


def derivatives_at_each_other(f, x):
    """d/dx (d/dy (d/dz f(x, y, z) at z = y) at y = x)"""
    return grad(lambda x: grad(lambda y: grad(lambda z: f(x, y, z), y), x), x)


def chain(a):
    return grad(lambda b: a * (a * b * b) * b, a)


def with_operator(k):
    return grad(lambda x: k * x * grad(lambda y: k * x * y * y, x), k)


W, V, P = reals([0.5, -0.3], [0.8, 0.2]), reals(1.2, -0.7), reals(0.4, 0.9)
AB = reals(0.5, 1.5)
fact("nested", "a sum of derivatives of three levels", derivatives_at_each_other(sextic, mpf(2)) + 1)
fact(
    "nested",
    "three levels, each at the point of the one outside",
    derivatives_at_each_other(lambda x, y, z: sin(x * y * z), mpf(0.7)),
)
fact(
    "nested",
    "three levels, a mixture of operators",
    2 * derivatives_at_each_other(lambda x, y, z: exp(x * y) * z**3, mpf(0.5)),
)
fact(
    "nested",
    "grad of jvp",
    grad(lambda x: sum(jvp(lambda y: [b * b * a for a, b in zip(x, y)], x, [1, 2])), reals(3, 4)),
)
fact(
    "nested",
    "jvp of grad",
    jvp(lambda x: grad(lambda y: product(y) * sum(x), x), reals(2, 3, 4), [1, 0, -1]),
)
fact(
    "nested",
    "vjp in vjp",
    vjp(lambda x: vjp(lambda y: [y[0] * y[1], sin(y[0])], x, [1, 2]), reals(0.3, 0.7), [10, 100]),
)
fact(
    "nested",
    "the Hessian of a function with a gradient in it",
    hessian(lambda x: sum(g**2 for g in grad(lambda y: product(y) * dot(y, y), x)), AB),
)
fact("nested", "hvp in grad", grad(lambda x: sum(hvp(lambda y: product(y) ** 2, x, [1, 2])), AB))
fact(
    "nested",
    "a Jacobian in a gradient",
    grad(lambda x: sum(flat(jacobian(lambda y: [v * v * sum(y) for v in y], x))), reals(1, 2)),
)
fact(
    "nested",
    "a Hessian in a gradient",
    grad(lambda x: sum(flat(hessian(lambda y: product(y) * y[0], x))), reals(2, 3, 4)),
)
fact(
    "nested",
    "value_and_grad in a gradient",
    grad(lambda x: sum(v**3 for v in x) * sum(grad(lambda y: sum(v**3 for v in y), x)), reals(1, 2)),
)
fact("nested", "a gradient penalty, by everything", grad(lambda p: penalty(*p), (W, V, P)))
fact("nested", "the Hessian of a gradient penalty", hessian(lambda v: penalty(W, v, P), V))
fact("nested", "a chain of closures, some active outside, some inside", grad(chain, mpf(1.5)))
fact("nested", "a function from outside that is active there", grad(with_operator, mpf(1.2)))

# operators_inside.cot


def descend(f, x, steps):
    for _ in range(steps):
        x = [a - b / 10 for a, b in zip(x, grad(f, x))]
    return x


def bowl(c, x):
    return (x[0] - c[0]) ** 2 + 3 * (x[1] - c[1]) ** 2 + product(x)


def taylor_of_exponential(p):
    x, k = p
    return 1 + k * x + (k * x) ** 2 / 2 + (k * x) ** 3 / 6


def scanned(k):
    first = grad(lambda y: y * y * k, mpf(0.5))
    return first + grad(lambda y: first * y * y * k, mpf(2))


def grown(k):
    x = mpf(1)
    while x < 50:
        x = x + grad(lambda y: k * y * y, x)
    return x


def tower(x, k):
    return grad(lambda y: grad(lambda z: sin(k * z) * z, y) * y, x)


def force(k, x):
    return -grad(lambda y: k * y * y, x) - k * grad(lambda y: cos(k * y), x)


def leapfrog(s):
    q, p, k = s
    for _ in range(4):
        p = p - 0.05 * k * sin(q)
        q = q + 0.1 * p
        p = p - 0.05 * k * sin(q)
    return [q, p]


def line_search(k):
    x = 2 - grad(lambda x: k * x * x, mpf(2)) / 10
    return k * x * x - 4 * k


fact(
    "operators_inside",
    "a gradient descent, differentiated by its data",
    grad(lambda c: sum(descend(lambda x: bowl(c, x), reals(1, 1), 5)), reals(0.3, 0.7)),
)
fact(
    "operators_inside",
    "a gradient descent, differentiated by its start",
    jacobian(lambda x: descend(lambda y: y[0] ** 4 + y[1] ** 4 + product(y), x, 3), reals(0.5, -0.4)),
)
fact(
    "operators_inside",
    "a derivative of computed order",
    grad(lambda k: grad(lambda x: grad(lambda y: exp(k * y), x), mpf(0.3)), mpf(2)),
)
fact(
    "operators_inside",
    "a Taylor polynomial, differentiated by the point and by the function",
    grad(taylor_of_exponential, reals(0.5, 2)),
)
fact("operators_inside", "in build", grad(lambda a: sum(grad(lambda x, i=i: a * x**i, a) for i in range(4)), mpf(1.5)))
fact(
    "operators_inside",
    "in build, by an array",
    grad(lambda x: sum(sum(grad(lambda y, i=i: y[i] * dot(y, y), x)) for i in range(3)), reals(1, 2, 3)),
)
fact("operators_inside", "in scan", grad(scanned, mpf(3)))
fact("operators_inside", "in while", grad(grown, mpf(0.5)))
fact("operators_inside", "in recursion", tower(mpf(0.4), mpf(1.5)))
fact("operators_inside", "in recursion, differentiated", grad(lambda p: tower(*p), reals(0.4, 1.5)))
fact("operators_inside", "functions in data, whose gradient is taken", grad(lambda p: force(*p), reals(1.5, 0.4)))
fact(
    "operators_inside",
    "the end of a simulation, by its start and by a constant of nature",
    jacobian(leapfrog, reals(0.8, 0.1, 1.3)),
)
fact(
    "operators_inside",
    "a gradient by tangents, differentiated",
    grad(lambda x: sum(g**2 for g in grad(lambda y: product(y) * sum(y), x)), reals(0.5, 1.5, -1)),
)
fact("operators_inside", "value_and_grad of a function passed on", grad(line_search, mpf(3)))

if __name__ == "__main__":
    sys.exit(main(pathlib.Path(__file__).resolve().parent, "--write" in sys.argv[1:]))
