"""Facts for kalman.cot: no filter, but the joint Gaussian of all positions and measurements."""

from math import exp, log, pi

from differences import fact, gradient, hessian

SEEN = [0.6, 1.9, 2.4, 4.1, 4.7, 5.2, 5.1, 4.9]


def covariances(noise):
    """Of the measurements with one another, and of the last position with each of them.

    Every position is a linear function of independent sources: the start and the pushes.
    """
    swerve, error = exp(noise[0]), exp(noise[1])
    place, speed, positions = [2.0, 0.0] + [0.0] * 8, [0.0, 1.0] + [0.0] * 8, []
    for t in range(8):
        place = [p + v for p, v in zip(place, speed)]
        place[2 + t] += 0.5 * swerve
        speed[2 + t] += swerve
        positions.append(place)
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    joint = [[dot(a, b) + (error**2 if i == j else 0) for j, b in enumerate(positions)] for i, a in enumerate(positions)]
    return joint, [dot(positions[-1], b) for b in positions]


def solve(a, b):
    """Determinant and solution by elimination"""
    m, d, n = [list(r) + [y] for r, y in zip(a, b)], 1.0, len(b)
    for c in range(n):
        d *= m[c][c]
        for r in range(n):
            if r != c:
                s = m[r][c] / m[c][c]
                m[r] = [x - s * y for x, y in zip(m[r], m[c])]
    return d, [m[r][n] / m[r][r] for r in range(n)]


def log_likelihood(noise):
    d, x = solve(covariances(noise)[0], SEEN)
    return -0.5 * (sum(a * b for a, b in zip(x, SEEN)) + log(d) + 8 * log(2 * pi))


p = [-1.0, -0.5]
fact("log likelihood, against the density of all measurements at once", log_likelihood(p))
fact("gradient", gradient(log_likelihood, p))
fact("hessian", hessian(log_likelihood, p))
fact("the last position by each measurement", solve(*covariances(p))[1])
for _ in range(5):
    p = [a + 0.1 * b for a, b in zip(p, gradient(log_likelihood, p))]
fact("learning", p)
