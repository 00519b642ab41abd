"""Facts for rk4.cot."""

from differences import fact, gradient, hessian, jacobian

COUNTED = [[1.9, 0.8], [2.8, 1.3], [2.2, 2.6], [0.9, 2.4]]


def solve(f, y, t, steps):
    h = t / steps
    move = lambda y, s, k: [a + s * b for a, b in zip(y, k)]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(move(y, h / 2, k1))
        k3 = f(move(y, h / 2, k2))
        k4 = f(move(y, h, k3))
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y


def hunt(r):
    return lambda y: [r[0] * y[0] - r[1] * y[0] * y[1], r[3] * y[0] * y[1] - r[2] * y[1]]


def populations(rates):
    states, y = [], [1.2, 0.9]
    for _ in range(4):
        y = solve(hunt(rates), y, 1.0, 5)
        states.append(y)
    return states


def misfit(rates):
    return sum((a - b) ** 2 for p, q in zip(populations(rates), COUNTED) for a, b in zip(p, q))


r0 = [0.9, 0.6, 0.7, 0.5]
fact("exponential growth", solve(lambda y: y, [1.0], 1.0, 20)[0])
fact("populations", populations(r0))
fact("gradient in the rates", gradient(misfit, r0))
fact("sensitivity of the final state", jacobian(lambda r: populations(r)[3], r0))
fact("second derivatives in the rates", hessian(misfit, r0)[0])
fact("sensitivity to the start", jacobian(lambda y: solve(hunt(r0), y, 2.0, 10), [1.2, 0.9]))
