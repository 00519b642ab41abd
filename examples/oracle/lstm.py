"""Facts for lstm.cot."""

from math import cos, exp, log, sin, tanh

from differences import fact, flat, gradient, mixed, rows

MAIN = [[2.0 * sin(12 * i + j) for j in range(12)] for i in range(4)]
EXTRA = [[1.5 * cos(3 * i + j) for j in range(3)] for i in range(3)]
STATE = [[cos(i * j + 1) for j in range(3)] for i in range(4)]
TEXT = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]


def sigmoid(x):
    return 1 / (1 + exp(-x))


def loss(main, extra):
    state = [list(row) for row in STATE]
    layers, b, total = len(main) // 2, len(extra[0]), 0.0
    for t in range(len(TEXT) - 1):
        h = [TEXT[t][j] * extra[0][j] for j in range(b)]
        for i in range(layers):
            w, bias, hid, cell = main[2 * i], main[2 * i + 1], state[2 * i], state[2 * i + 1]
            for j in range(b):
                f = sigmoid(h[j] * w[j] + bias[j])
                g = sigmoid(hid[j] * w[b + j] + bias[b + j])
                o = sigmoid(h[j] * w[2 * b + j] + bias[2 * b + j])
                change = tanh(hid[j] * w[3 * b + j] + bias[3 * b + j])
                cell[j] = cell[j] * f + g * change
                hid[j] = o * tanh(cell[j])
            h = hid
        y = [h[j] * extra[1][j] + extra[2][j] for j in range(b)]
        lse = log(2 + sum(map(exp, y)))
        total += sum(TEXT[t + 1][j] * (y[j] - lse) for j in range(b))
    return -total / ((len(TEXT) - 1) * b)


def of_flat(v):
    return loss(rows(v[:48], 12), rows(v[48:], 3))


start = flat(MAIN) + flat(EXTRA)
g = gradient(of_flat, start)
fact("loss", of_flat(start))
fact("gradient in the input and output weights", rows(g[48:], 3))
fact("gradient in the biases of the second layer", g[36:48])
fact("derivative along the weights themselves", sum(a * b for a, b in zip(g, start[:48])))
fact("curvature along the biases of the second layer",
     mixed(lambda b: loss(MAIN[:3] + [b], EXTRA), MAIN[3], [1] * 12, [1] * 12))
fact("one step of descent", of_flat([a - 2 * b for a, b in zip(start, g)]))
