"""Facts for particles.cot. Near the given velocities the number of steps does not change, so
derivatives are taken at that number."""

from differences import fact, flat, gradient, mixed, rows, unit

PLACES = [[1.0, 0.2], [-0.8, 0.9], [-0.5, -1.1], [0.9, -0.7]]
VELOCITIES = [[0.0, 0.3], [-0.2, 0.0], [0.1, -0.1], [0.1, 0.0]]


def spread(place):
    n = len(place)
    cx, cy = sum(p[0] for p in place) / n, sum(p[1] for p in place) / n
    return sum((p[0] - cx) ** 2 + (p[1] - cy) ** 2 for p in place) / n


def collapse(velocities, steps=None):
    x, v, t = [list(p) for p in PLACES], rows(list(velocities), 2), 0.0
    while round(t / 0.05) < steps if steps else spread(x) > 0.5 and t < 10.0:
        force = [[0.0, 0.0] for _ in x]
        for i, p in enumerate(x):
            for q in x:
                dx, dy = q[0] - p[0], q[1] - p[1]
                s = (dx * dx + dy * dy + 0.1) ** -1.5
                force[i][0] += dx * s
                force[i][1] += dy * s
        v = [[a + 0.05 * b for a, b in zip(p, q)] for p, q in zip(v, force)]
        x = [[a + 0.05 * b for a, b in zip(p, q)] for p, q in zip(x, v)]
        t += 0.05
    return x, t


def final_spread(velocities):
    return spread(collapse(velocities, STEPS)[0])


v0 = flat(VELOCITIES)
STEPS = round(collapse(v0)[1] / 0.05)
fact("time of collapse", collapse(v0)[1])
fact("final spread", spread(collapse(v0)[0]))
fact("gradient in the first velocities", rows(gradient(final_spread, v0), 2))
fact("second derivative along the first velocities", [mixed(final_spread, v0, unit(8, i), v0) for i in (2, 3)])
