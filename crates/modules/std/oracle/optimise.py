"""The facts of `std.optimise`: minima by SciPy, polished with mpmath, their derivatives by the implicit
function theorem and by central differences with 40 digits; steps of Adam by the formulas of the paper."""

import mpmath as mp
import scipy.optimize as so

mp.mp.dps = 40


def show(v):
    if isinstance(v, (list, tuple, mp.matrix)):
        return "[" + ", ".join(show(x) for x in v) + "]"
    return mp.nstr(mp.mpf(v), 14)


def difference(f, x, h=mp.mpf("1e-10")):
    """The derivative, with 20 digits."""
    return (f(x + h) - f(x - h)) / (2 * h)


def second(f, x, h=mp.mpf("1e-10")):
    return (f(x + h) - 2 * f(x) + f(x - h)) / h**2


# Logistic regression with a ridge.
POINTS = [(0.5, 1), (1.5, 0), (-1.0, 0), (2.0, 1), (-0.5, 1), (-2.0, 0)]


def logistic(ridge, w):
    margin = lambda p: (w[0] + w[1] * p[0]) * (1 if p[1] else -1)
    return sum(mp.log(1 + mp.exp(-margin(p))) for p in POINTS) + ridge * (w[0] ** 2 + w[1] ** 2)


def logistic_fit(ridge):
    start = so.minimize(lambda w: float(logistic(ridge, w)), [0.0, 0.0], tol=1e-12).x
    slope = lambda a, b: [mp.diff(lambda t: logistic(ridge, [t, b]), a), mp.diff(lambda t: logistic(ridge, [a, t]), b)]
    return list(mp.findroot(slope, [mp.mpf(x) for x in start]))


fit = logistic_fit(mp.mpf("0.1"))
print("logistic", show(fit), show(logistic(mp.mpf("0.1"), fit)))
print("  by ridge", show([difference(lambda r: logistic_fit(r)[i], mp.mpf("0.1")) for i in range(2)]))
print("  twice", show(second(lambda r: logistic_fit(r)[1], mp.mpf("0.1"))))

# A decaying exponential with an offset through five points.
TIMES = [0, 1, 2, 3, 4]
HEIGHTS = [mp.mpf(x) for x in ["3.1", "2.1", "1.4", "1.2", "0.9"]]


def decay_fit(last):
    y = HEIGHTS[:-1] + [last]
    residuals = lambda x: [x[0] * mp.exp(-x[1] * t) + x[2] - v for t, v in zip(TIMES, y)]
    start = so.least_squares(lambda x: [float(r) for r in residuals(x)], [1.0, 1.0, 0.0], xtol=1e-14).x

    def slope(*x):
        r = residuals(x)
        rows = [(mp.exp(-x[1] * t), -t * x[0] * mp.exp(-x[1] * t), 1) for t in TIMES]
        return [sum(a * row[i] for a, row in zip(r, rows)) for i in range(3)]

    x = mp.findroot(slope, [mp.mpf(v) for v in start])
    return list(x), sum(r * r for r in residuals(x)) / 2


x, cost = decay_fit(HEIGHTS[-1])
print("decay", show(x), show(cost))
print("  by last", show([difference(lambda v: decay_fit(v)[0][i], HEIGHTS[-1]) for i in range(3)]))
print("  twice", show(second(lambda v: decay_fit(v)[0][1], HEIGHTS[-1])))
print("  cost by last", show(difference(lambda v: decay_fit(v)[1], HEIGHTS[-1])))


# Three steps of Adam for cosh(a x) + x y + y^2 from (1, 2).
def adam(a, rate):
    x, m, v = [mp.mpf(1), mp.mpf(2)], [mp.mpf(0)] * 2, [mp.mpf(0)] * 2
    b1, b2 = mp.mpf("0.9"), mp.mpf("0.999")
    for t in range(1, 4):
        g = [a * mp.sinh(a * x[0]) + x[1], x[0] + 2 * x[1]]
        m = [b1 * p + (1 - b1) * q for p, q in zip(m, g)]
        v = [b2 * p + (1 - b2) * q * q for p, q in zip(v, g)]
        step = lambda p, q: p / (1 - b1**t) / (mp.sqrt(q / (1 - b2**t)) + mp.mpf("1e-8"))
        x = [p - rate * step(q, r) for p, q, r in zip(x, m, v)]
    return x


a, rate = mp.mpf("0.5"), mp.mpf("0.1")
print("adam", show(adam(a, rate)))
print("  by a", show([difference(lambda a: adam(a, rate)[i], a) for i in range(2)]))
print("  by a twice", show(second(lambda a: adam(a, rate)[0], a)))
print("  by rate", show([difference(lambda r: adam(a, r)[i], rate) for i in range(2)]))
