"""The programs in PyTorch, run eagerly. Each function takes the inputs as tensors and gives value
and gradient, both functions of nothing. A loop of a million small steps is not written for it."""

import math

import torch


def arrays(results):
    if isinstance(results, torch.Tensor):
        return [results.detach().numpy()]
    return [array for it in results for array in arrays(it)]


def phases(program, inputs, threads):
    write = PROGRAMS.get(program)
    if write is None:
        return None
    torch.set_num_threads(threads)
    value, gradient = write({name: torch.from_numpy(it) for name, it in inputs.items()})

    def without_recording():
        with torch.no_grad():
            return value()

    return {"value": without_recording, "gradient": gradient}


def active(given, *names):
    """The inputs that are differentiated by."""
    return [given[it].requires_grad_() for it in names]


def value_and_grad(value, by):
    def run():
        res = value()
        return [res.detach(), *torch.autograd.grad(res, by)]

    return run


def elementwise(given):
    a, b, c, d, e = by = active(given, "a", "b", "c", "d", "e")

    def value():
        return torch.exp(-((a * b + c) ** 2)) * torch.tanh(d) + e

    return value, lambda: torch.autograd.grad(value().sum(), by)


def logsumexp(given):
    (x,) = by = active(given, "x")

    def value():
        return torch.logsumexp(x, 1).sum()

    return value, value_and_grad(value, by)


def rotate_rows(given):
    q, v = by = active(given, "q", "v")
    t = given["t"]

    def value():
        u, s = q[:3], q[3]
        along = 2 * (v @ u)[:, None] * u
        turned = torch.linalg.cross(u.expand_as(v), v)
        return ((along + (s * s - u @ u) * v + 2 * s * turned) * t).sum()

    return value, value_and_grad(value, by)


def rotate_columns(given):
    q, vx, vy, vz = by = active(given, "q", "v.x", "v.y", "v.z")
    tx, ty, tz = given["t.x"], given["t.y"], given["t.z"]

    def value():
        x, y, z, s = q
        along, kept = 2 * (x * vx + y * vy + z * vz), s * s - (x * x + y * y + z * z)
        rx = along * x + kept * vx + 2 * s * (y * vz - z * vy)
        ry = along * y + kept * vy + 2 * s * (z * vx - x * vz)
        rz = along * z + kept * vz + 2 * s * (x * vy - y * vx)
        return (rx * tx + ry * ty + rz * tz).sum()

    return value, value_and_grad(value, by)


def matmul(given):
    a, b = by = active(given, "a", "b")
    dc = given["dc"]

    def value():
        return a @ b

    # Written down as what the way back is: recording would compute the product as well.
    def gradient():
        with torch.no_grad():
            return dc @ b.T, a.T @ dc

    return value, gradient


def gather(given):
    (x,) = by = active(given, "x")
    at, dy = given["at"], given["dy"]

    def value():
        return x[at]

    def gradient():
        with torch.no_grad():
            return torch.zeros_like(x).index_add_(0, at, dy)

    return value, gradient


def mixture(given):
    alpha, mu, q, l = by = active(given, "alpha", "mu", "q", "l")
    x, gamma, m = given["x"], given["gamma"], int(given["m"])
    (n, d), k = x.shape, len(alpha)
    # Column by column.
    columns, rows = torch.triu_indices(d, d, 1)
    big_n = d + m + 1
    multi = d * (d - 1) / 4 * math.log(math.pi) + sum(
        math.lgamma(big_n / 2 - j / 2) for j in range(d)
    )
    constant = big_n * d * (math.log(gamma) - math.log(2) / 2) - multi

    def value():
        exp_q, sum_q = torch.exp(q), q.sum(1)
        factor = torch.diag_embed(exp_q).index_put(
            (torch.arange(k)[:, None], rows, columns), l
        )
        w = torch.einsum("kij,nkj->nki", factor, x[:, None] - mu)
        beta = alpha + sum_q - 0.5 * (w**2).sum(2)
        prior = gamma**2 / 2 * ((exp_q**2).sum() + (l**2).sum()) - m * sum_q.sum()
        scale = -n * d / 2 * math.log(2 * math.pi)
        points = torch.logsumexp(beta, 1).sum() - n * torch.logsumexp(alpha, 0)
        return scale + points + k * constant - prior

    return value, value_and_grad(value, by)


def bundle(given):
    cameras, points, weights = given["cameras"], given["points"], given["weights"]
    camera_of, point_of, features = given["camera_of"], given["point_of"], given["features"]

    def rotate(r, x):
        theta2 = r.dot(r)
        theta = torch.sqrt(torch.where(theta2 != 0, theta2, 1.0))
        a = r / theta
        turned = (
            x * torch.cos(theta)
            + torch.linalg.cross(a, x) * torch.sin(theta)
            + a * a.dot(x) * (1 - torch.cos(theta))
        )
        return torch.where(theta2 != 0, turned, x + torch.linalg.cross(r, x))

    def residual(z, feature):
        seen = rotate(z[:3], z[11:14] - z[3:6])
        flat = seen[:2] / seen[2]
        r2 = flat.dot(flat)
        lens = 1 + z[9] * r2 + z[10] * r2 * r2
        return z[14] * (z[6] * flat * lens + z[7:9] - feature)

    def observed():
        return torch.cat([cameras[camera_of], points[point_of], weights[:, None]], 1)

    def value():
        return torch.func.vmap(residual)(observed(), features), 1 - weights**2

    def gradient():
        rows = torch.func.vmap(torch.func.jacrev(residual))(observed(), features)
        return rows, -2 * weights

    return value, gradient


def lstm(given):
    main, extra = by = active(given, "main", "extra")
    state, text = given["state"], given["text"]
    layers, b, steps = len(main) // 2, main.shape[1] // 4, len(text) - 1

    def value():
        weights, rows, total = main.reshape(2 * layers, 4, b), list(state), 0.0
        for t in range(steps):
            below = text[t] * extra[0]
            for i in range(layers):
                weight, bias, hidden = weights[2 * i], weights[2 * i + 1], rows[2 * i]
                forget = torch.sigmoid(below * weight[0] + bias[0])
                ingate = torch.sigmoid(hidden * weight[1] + bias[1])
                outgate = torch.sigmoid(below * weight[2] + bias[2])
                change = torch.tanh(hidden * weight[3] + bias[3])
                cell = rows[2 * i + 1] * forget + ingate * change
                below = outgate * torch.tanh(cell)
                rows[2 * i], rows[2 * i + 1] = below, cell
            y = below * extra[1] + extra[2]
            total = total + text[t + 1].dot(y - torch.log(2 + torch.exp(y).sum()))
        return -total / (steps * b)

    return value, value_and_grad(value, by)


def kmeans(given):
    (centres,) = active(given, "centres")
    points, ones = given["points"], torch.ones_like(centres)

    def value():
        return ((points[:, None] - centres) ** 2).sum(2).min(1).values.sum()

    def gradient():
        cost = value()
        (slope,) = torch.autograd.grad(cost, centres, create_graph=True)
        (curvature,) = torch.autograd.grad(slope, centres, ones)
        return cost.detach(), slope.detach(), curvature

    return value, gradient


def network(given):
    w1, b1, w2, b2 = by = active(given, "w1", "b1", "w2", "b2")
    x, classes, rate = given["x"], given["class"], given["rate"]

    def value():
        scores = torch.relu(x @ w1 + b1) @ w2 + b2
        return torch.nn.functional.cross_entropy(scores, classes)

    def gradient():
        loss = value()
        slopes = torch.autograd.grad(loss, by)
        with torch.no_grad():
            return loss, [it - rate * slope for it, slope in zip(by, slopes)]

    return value, gradient


PROGRAMS = {
    "elementwise": elementwise,
    "logsumexp": logsumexp,
    "rotate_records": rotate_rows,
    "rotate_rows": rotate_rows,
    "rotate_columns": rotate_columns,
    "matmul": matmul,
    "gather": gather,
    "mixture": mixture,
    "bundle": bundle,
    "lstm": lstm,
    "kmeans": kmeans,
    "network": network,
}
