"""Facts for expression_tree.cot: the formula is written out."""

from math import exp, sin

from differences import fact, gradient, hessian


def energy(v):
    x, y, z = v
    return x * (y + 2) + sin(x * y) ** 3 + exp(-z if y > 0 else z) * x


v0 = [0.7, 1.3, 0.4]
fact("value", energy(v0))
fact("gradient of the evaluator", gradient(energy, v0))
fact("the other branch", gradient(lambda v: energy([v[0], v[1], v[2]]), [0.7, -0.2, 0.4]))
fact("Hessian of the evaluator", hessian(energy, v0))
