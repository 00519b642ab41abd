"""Facts for neural_network.cot: training uses backpropagation written by hand."""

from math import cos, exp, log1p, sin, tanh

from differences import fact, gradient, hvp, rows

INPUTS = [[0, 0], [0, 1], [1, 0], [1, 1]]
TARGETS = [0, 1, 1, 0]


def hidden(p, x):
    return [tanh(w[0] * x[0] + w[1] * x[1] + b) for w, b in zip(rows(p[:8], 2), p[8:12])]


def predict(p, x):
    return sum(w * h for w, h in zip(p[12:16], hidden(p, x))) + p[16]


def loss(p):
    total = 0.0
    for x, y in zip(INPUTS, TARGETS):
        z = predict(p, x)
        total += log1p(exp(z)) - y * z
    return total / 4


def by_hand(p):
    g = [0.0] * 17
    for x, y in zip(INPUTS, TARGETS):
        r = (1 / (1 + exp(-predict(p, x))) - y) / 4
        for i, h in enumerate(hidden(p, x)):
            back = r * p[12 + i] * (1 - h * h)
            g[2 * i] += back * x[0]
            g[2 * i + 1] += back * x[1]
            g[8 + i] += back
            g[12 + i] += r * h
        g[16] += r
    return g


def train(p, steps):
    velocity = [0.0] * 17
    for _ in range(steps):
        velocity = [a + 0.8 * b for a, b in zip(by_hand(p), velocity)]
        p = [a - 0.5 * b for a, b in zip(p, velocity)]
    return p


p0 = [sin(i + 1) for i in range(8)] + [0.1, -0.2, 0.3, 0.0] + [cos(3 * i) for i in range(4)] + [0.05]
g = gradient(loss, p0)
assert max(abs(a - b) for a, b in zip(g, by_hand(p0))) < 1e-12
fact("loss before training", loss(p0))
fact("gradient of the network", g)
fact("loss after ten steps", loss(train(p0, 10)))
fact("curvature along the gradient", sum(a * b for a, b in zip(hvp(loss, p0, g)[12:], g[12:])))
print([predict(train(p0, 60), x) for x in INPUTS])
