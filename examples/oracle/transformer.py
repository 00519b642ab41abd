"""Facts for whole/transformer.cot: the same network and the same steps of Adam in JAX."""

import jax
import jax.numpy as jnp
import numpy as np

from differences import fact

jax.config.update("jax_enable_x64", True)
k, i = np.meshgrid(np.arange(16), np.arange(6), indexing="ij")
WORDS = (7 * k * k + 3 * k * i + i * i) % 5


def normalised(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def scores(w, word):
    part = lambda at, *shape: w[at : at + int(np.prod(shape))].reshape(shape)
    x = part(0, 5, 8)[word] + part(40, 6, 8)
    q, k, v = (jnp.einsum("nd,hde->hne", x, part(at, 2, 8, 4)) for at in (88, 152, 216))
    mix = jax.nn.softmax(jnp.einsum("hne,hme->hnm", q, k) / 2, axis=-1)
    x = normalised(x + jnp.einsum("hnm,hme,hed->nd", mix, v, part(280, 2, 4, 8)))
    x = normalised(x + jax.nn.relu(x @ part(344, 8, 16)) @ part(472, 16, 8))
    return x @ part(600, 8, 5)


def loss(w):
    logs = jax.nn.log_softmax(jax.vmap(lambda word: scores(w, word))(WORDS))
    return -jnp.take_along_axis(logs, WORDS[:, ::-1, None], 2).mean()


@jax.jit
def step(state, t):
    w, m, v = state
    g = jax.grad(loss)(w)
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 0.01 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v


def trained(steps):
    state = START, jnp.zeros(640), jnp.zeros(640)
    for t in range(1, steps + 1):
        state = step(state, float(t))
    return state[0]


START = 0.3 * jnp.sin(jnp.arange(640.0) ** 2)
fact("before training", float(loss(START)))
fact("a part of the gradient", jax.grad(loss)(START)[88:91].tolist())
fact("after ten steps", float(loss(trained(10))))
fact("after a hundred steps", float(loss(trained(100))))
