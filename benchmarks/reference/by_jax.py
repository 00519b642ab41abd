"""The programs in JAX: compiled by `jax.jit`, and waited for by `block_until_ready`; without that
one times the dispatch only. Each function takes the inputs and gives value and gradient, both
functions of the arrays that are listed last."""

import math

import jax
import jax.numpy as jnp
import numpy
from jax.scipy.special import logsumexp as log_sum_exp

jax.config.update("jax_enable_x64", True)


def arrays(results):
    return [numpy.asarray(it) for it in jax.tree_util.tree_leaves(results)]


def phases(program, inputs, threads):
    write = PROGRAMS.get(program)
    if write is None:
        return None
    value, gradient, names = write(inputs)
    given = [jax.device_put(inputs[it]) for it in names]
    fast_value, fast_gradient = jax.jit(value), jax.jit(gradient)
    return {
        "value": lambda: jax.block_until_ready(fast_value(*given)),
        "gradient": lambda: jax.block_until_ready(fast_gradient(*given)),
    }


def elementwise(_):
    def value(a, b, c, d, e):
        return jnp.exp(-((a * b + c) ** 2)) * jnp.tanh(d) + e

    gradient = jax.grad(lambda *given: value(*given).sum(), argnums=(0, 1, 2, 3, 4))
    return value, gradient, ["a", "b", "c", "d", "e"]


def logsumexp(_):
    def value(x):
        return log_sum_exp(x, axis=1).sum()

    return value, jax.value_and_grad(value), ["x"]


def rotate(v, q):
    u, s = q[:3], q[3]
    along = 2 * (v @ u)[:, None] * u
    return along + (s * s - u @ u) * v + 2 * s * jnp.cross(u, v)


def rotate_rows(_):
    def value(q, v, t):
        return (rotate(v, q) * t).sum()

    return value, jax.value_and_grad(value, argnums=(0, 1)), ["q", "v", "t"]


def rotate_columns(_):
    def value(q, vx, vy, vz, tx, ty, tz):
        x, y, z, s = q
        along, kept = 2 * (x * vx + y * vy + z * vz), s * s - (x * x + y * y + z * z)
        rx = along * x + kept * vx + 2 * s * (y * vz - z * vy)
        ry = along * y + kept * vy + 2 * s * (z * vx - x * vz)
        rz = along * z + kept * vz + 2 * s * (x * vy - y * vx)
        return (rx * tx + ry * ty + rz * tz).sum()

    names = ["q", "v.x", "v.y", "v.z", "t.x", "t.y", "t.z"]
    return value, jax.value_and_grad(value, argnums=(0, 1, 2, 3)), names


def matmul(_):
    def value(a, b, dc):
        return a @ b

    def gradient(a, b, dc):
        return jax.vjp(jnp.matmul, a, b)[1](dc)

    return value, gradient, ["a", "b", "dc"]


def gather(_):
    def value(x, at, dy):
        return x[at]

    def gradient(x, at, dy):
        return jax.vjp(lambda x: x[at], x)[1](dy)

    return value, gradient, ["x", "at", "dy"]


def rk4(inputs):
    steps = int(inputs["steps"])

    def change(r, s):
        x, y = s
        return jnp.stack([r[0] * x - r[1] * x * y, r[3] * x * y - r[2] * y])

    def value(rates, start, h):
        def step(s, _):
            k1 = change(rates, s)
            k2 = change(rates, s + h / 2 * k1)
            k3 = change(rates, s + h / 2 * k2)
            k4 = change(rates, s + h * k3)
            return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jax.lax.scan(step, start, None, length=steps)[0].sum()

    return value, jax.value_and_grad(value, argnums=(0, 1)), ["rates", "start", "h"]


def mixture(inputs):
    (n, d), k, m = inputs["x"].shape, len(inputs["alpha"]), int(inputs["m"])
    # Column by column.
    columns, rows = numpy.triu_indices(d, 1)

    def constant(gamma):
        big_n = d + m + 1
        multi = d * (d - 1) / 4 * math.log(math.pi) + sum(
            math.lgamma(big_n / 2 - j / 2) for j in range(d)
        )
        return big_n * d * (jnp.log(gamma) - math.log(2) / 2) - multi

    def value(alpha, mu, q, l, x, gamma):
        exp_q, sum_q = jnp.exp(q), q.sum(1)
        factor = jax.vmap(jnp.diag)(exp_q).at[:, rows, columns].set(l)
        w = jnp.einsum("kij,nkj->nki", factor, x[:, None] - mu)
        beta = alpha + sum_q - 0.5 * (w**2).sum(2)
        prior = gamma**2 / 2 * ((exp_q**2).sum() + (l**2).sum()) - m * sum_q.sum()
        scale = -n * d / 2 * math.log(2 * math.pi)
        points = log_sum_exp(beta, axis=1).sum() - n * log_sum_exp(alpha)
        return scale + points + k * constant(gamma) - prior

    names = ["alpha", "mu", "q", "l", "x", "gamma"]
    return value, jax.value_and_grad(value, argnums=(0, 1, 2, 3)), names


def bundle(_):
    def rotate(r, x):
        theta2 = r @ r
        # Twice, so that no derivative of the root at zero is taken.
        theta = jnp.sqrt(jnp.where(theta2 != 0, theta2, 1.0))
        a = r / theta
        turned = (
            x * jnp.cos(theta)
            + jnp.cross(a, x) * jnp.sin(theta)
            + a * (a @ x) * (1 - jnp.cos(theta))
        )
        return jnp.where(theta2 != 0, turned, x + jnp.cross(r, x))

    def residual(z, feature):
        seen = rotate(z[:3], z[11:14] - z[3:6])
        flat = seen[:2] / seen[2]
        r2 = flat @ flat
        lens = 1 + z[9] * r2 + z[10] * r2 * r2
        return z[14] * (z[6] * flat * lens + z[7:9] - feature)

    def observed(cameras, points, weights, camera_of, point_of):
        return jnp.concatenate([cameras[camera_of], points[point_of], weights[:, None]], 1)

    def value(cameras, points, weights, camera_of, point_of, features):
        z = observed(cameras, points, weights, camera_of, point_of)
        return jax.vmap(residual)(z, features), 1 - weights**2

    def gradient(cameras, points, weights, camera_of, point_of, features):
        z = observed(cameras, points, weights, camera_of, point_of)
        return jax.vmap(jax.jacrev(residual))(z, features), -2 * weights

    names = ["cameras", "points", "weights", "camera_of", "point_of", "features"]
    return value, gradient, names


def lstm(inputs):
    (n_rows, width), steps = inputs["main"].shape, len(inputs["text"]) - 1
    layers, b = n_rows // 2, width // 4

    def value(main, extra, state, text):
        def layer(i, below, hidden, cell):
            weight, bias = main[2 * i].reshape(4, b), main[2 * i + 1].reshape(4, b)
            forget = jax.nn.sigmoid(below * weight[0] + bias[0])
            ingate = jax.nn.sigmoid(hidden * weight[1] + bias[1])
            outgate = jax.nn.sigmoid(below * weight[2] + bias[2])
            change = jnp.tanh(hidden * weight[3] + bias[3])
            cell = cell * forget + ingate * change
            return outgate * jnp.tanh(cell), cell

        def step(state, given):
            now, target = given
            below, rows = now * extra[0], []
            for i in range(layers):
                below, cell = layer(i, below, state[2 * i], state[2 * i + 1])
                rows += [below, cell]
            y = below * extra[1] + extra[2]
            return jnp.stack(rows), target @ (y - jnp.log(2 + jnp.exp(y).sum()))

        return -jax.lax.scan(step, state, (text[:-1], text[1:]))[1].sum() / (steps * b)

    names = ["main", "extra", "state", "text"]
    return value, jax.value_and_grad(value, argnums=(0, 1)), names


def kmeans(_):
    def value(centres, points):
        return ((points[:, None] - centres) ** 2).sum(2).min(1).sum()

    def gradient(centres, points):
        both = jax.value_and_grad(lambda c: value(c, points))
        (cost, slope), (_, curvature) = jax.jvp(both, (centres,), (jnp.ones_like(centres),))
        return cost, slope, curvature

    return value, gradient, ["centres", "points"]


def network(inputs):
    def value(w1, b1, w2, b2, x, classes, rate):
        hidden = jax.nn.relu(x @ w1 + b1)
        scores = hidden @ w2 + b2
        own = jnp.take_along_axis(scores, classes[:, None], 1)[:, 0]
        return (log_sum_exp(scores, axis=1) - own).mean()

    def gradient(w1, b1, w2, b2, x, classes, rate):
        net = (w1, b1, w2, b2)
        loss, slopes = jax.value_and_grad(lambda net: value(*net, x, classes, rate))(net)
        return loss, [it - rate * slope for it, slope in zip(net, slopes)]

    return value, gradient, ["w1", "b1", "w2", "b2", "x", "class", "rate"]


def shifted(inputs):
    steps = int(inputs["steps"])

    def value(x, y):
        def step(x, _):
            return jnp.concatenate([x[:1], x[1:] * y[:-1]]), None

        return jax.lax.scan(step, x, None, length=steps)[0].sum()

    return value, jax.value_and_grad(value, argnums=(0, 1)), ["x", "y"]


def ragged(_):
    def value(l, u):
        return ((u @ jnp.tril(l, -1).T) ** 2).sum()

    return value, jax.value_and_grad(value, argnums=(0, 1)), ["l", "u"]


def joined(inputs):
    n, k = len(inputs["x"]), int(inputs["k"])

    def value(x, w):
        edge = jnp.full(n, x[0]) if k > 0 else jnp.zeros(n)
        return jnp.concatenate([edge, x * x, x[::-1] * 0.5])

    def gradient(x, w):
        return jax.vjp(lambda x: value(x, w), x)[1](w)

    return value, gradient, ["x", "w"]


def horner(_):
    def value(c, x):
        step = lambda p, a: (p * x + a, None)
        return jax.lax.scan(step, jnp.zeros_like(x), c)[0].sum()

    return value, jax.value_and_grad(value, argnums=(0, 1)), ["c", "x"]


def minors(inputs):
    n = len(inputs["a"])

    # Of many matrices at once: all minors of one size.
    def det(a):
        m = a.shape[-1]
        if m == 1:
            return a[:, 0, 0]
        rest = numpy.array([[j for j in range(m) if j != c] for c in range(m)])
        parts = jnp.moveaxis(a[:, 1:, rest], 2, 1).reshape(-1, m - 1, m - 1)
        signs = numpy.where(numpy.arange(m) % 2 == 0, 1.0, -1.0)
        return (signs * a[:, 0] * det(parts).reshape(-1, m)).sum(1)

    def value(a):
        return det(a.reshape(1, n, n))[0]

    return value, jax.value_and_grad(value), ["a"]


def pushforward(inputs):
    steps = int(inputs["steps"])

    def value(r, x):
        step = lambda x, _: (r * x * (1 - x), None)
        return jax.lax.scan(step, x, None, length=steps)[0]

    def gradient(r, x):
        return jax.jvp(lambda r: value(r, x), (r,), (jnp.ones_like(r),))[1]

    return value, gradient, ["r", "x"]


def directions(inputs):
    steps = int(inputs["steps"])

    def value(x):
        s = (x * x).sum()
        scale = jax.lax.scan(lambda r, _: (0.5 * (r + 2 / r), None), 1.0, None, length=steps)[0]
        far = lambda r: jnp.abs(r * r - s) > 1e-12 * s
        return scale * jax.lax.while_loop(far, lambda r: 0.5 * (r + s / r), s)

    return value, jax.jacfwd(value), ["x"]


def forces(inputs):
    apart = ~numpy.eye(len(inputs["x"]), dtype=bool)

    def value(x):
        square = ((x[:, None] - x[None]) ** 2).sum(2) + 0.01
        return jnp.where(apart, 0.5 / jnp.sqrt(square), 0.0).sum()

    return value, jax.value_and_grad(value), ["x"]


PROGRAMS = {
    "elementwise": elementwise,
    "logsumexp": logsumexp,
    "rotate_records": rotate_rows,
    "rotate_rows": rotate_rows,
    "rotate_columns": rotate_columns,
    "matmul": matmul,
    "gather": gather,
    "rk4": rk4,
    "mixture": mixture,
    "bundle": bundle,
    "lstm": lstm,
    "kmeans": kmeans,
    "network": network,
    "shifted": shifted,
    "ragged": ragged,
    "joined": joined,
    "horner": horner,
    "minors": minors,
    "pushforward": pushforward,
    "directions": directions,
    "forces": forces,
}
