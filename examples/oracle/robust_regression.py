"""Facts for robust_regression.cot."""

from math import log

from differences import fact, gradient, hessian

XS = [0.5 * i for i in range(9)]
YS = [1.1, 1.4, 2.1, 6.0, 3.0, 3.4, 4.1, 0.5, 5.1]


def squared(r):
    return r * r / 2


def huber(r):
    return r * r / 2 if abs(r) <= 0.5 else 0.5 * (abs(r) - 0.25)


def cauchy(r):
    return 0.125 * log(1 + 4 * r * r)


def cost(penalty):
    return lambda p: sum(penalty(p[0] + p[1] * x - y) for x, y in zip(XS, YS))


def slope(p):
    """The gradient of Huber's loss: clipped residuals"""
    rs = [max(-0.5, min(0.5, p[0] + p[1] * x - y)) for x, y in zip(XS, YS)]
    return [sum(rs), sum(r * x for r, x in zip(rs, XS))]


p0 = [0.9, 0.85]
fact("costs", [cost(f)(p0) for f in (squared, huber, cauchy)])
fact("gradient of Huber's loss", slope(p0))
fact("gradient of Cauchy's loss", gradient(cost(cauchy), p0))
near = [x for x, y in zip(XS, YS) if abs(p0[0] + p0[1] * x - y) <= 0.5]
fact("the Hessian of Huber's loss counts only what is near",
     [[float(len(near)), sum(near)], [sum(near), sum(x * x for x in near)]])
fact("hessian of Cauchy's loss", hessian(cost(cauchy), p0))
p = [0.0, 0.0]
for _ in range(10):
    p = [a - 0.02 * b for a, b in zip(p, slope(p))]
fact("descent", p)
