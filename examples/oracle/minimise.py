"""Facts for minimise.cot: the chain is solved with exact fractions."""

from fractions import Fraction

from differences import fact, gradient, hessian


def rosenbrock(x):
    return sum(5 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def descend(x):
    g = [-20 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 10 * (x[1] - x[0] ** 2)]
    s, slope, move = 1.0, g[0] ** 2 + g[1] ** 2, lambda s: [a - s * b for a, b in zip(x, g)]
    while rosenbrock(move(s)) > rosenbrock(x) - 0.1 * s * slope:
        s /= 2
    return move(s)


def chain(w, n=5):
    """Equilibrium of the chain: -x[i-1] + 2 x[i] - x[i+1] = -w, solved by shooting"""
    w = Fraction(w).limit_denominator(1000)
    def shoot(first):
        xs = [Fraction(0), first]
        while len(xs) < n + 2:
            xs.append(2 * xs[-1] - xs[-2] + w)
        return xs
    end0, end1 = shoot(Fraction(0))[-1], shoot(Fraction(1))[-1]
    return [float(x) for x in shoot((1 - end0) / (end1 - end0))[1:-1]]


x = [-0.5, 0.8]
fact("gradient of the valley", gradient(rosenbrock, x))
fact("hessian of the valley", [[round(v, 9) + 0.0 for v in row] for row in hessian(rosenbrock, [-0.5, 0.8, 0.3])])
for _ in range(3):
    x = descend(x)
fact("three steps down", x)
fact("the chain", chain(0.1))
fact("the sag by the weight", (chain(0.2)[2] - chain(0.1)[2]) / 0.1)
