"""The programs of `examples/whole` in JAX, each as a person would write it there.

    python whole_by_jax.py NAME [FOLDER]

Prints one JSON object: some numbers of the result, the seconds of the run from tracing to the last number,
and those of a second run in the same process. In FOLDER, compiled code is kept from one process to the next.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy

jax.config.update("jax_enable_x64", True)


def levenberg_marquardt(residuals, x, tolerance, steps):
    """Damped least squares, as `std.optimise` has it."""
    jacobian = jax.jacfwd(residuals)

    def go_on(state):
        _, r, j, damping, k = state
        return (jnp.abs(r @ j).max() > tolerance) & (damping < 1e15) & (k < steps)

    def step(state):
        x, r, j, damping, k = state
        damped = jnp.diag(jnp.sqrt(damping * jnp.maximum((j * j).sum(0), 1e-30)))
        move = jnp.linalg.lstsq(jnp.concatenate([damped, j]), jnp.concatenate([jnp.zeros(len(x)), -r]))[0]
        there = residuals(x + move)
        better = there @ there < r @ r
        return jax.lax.cond(
            better,
            lambda: (x + move, there, jacobian(x + move), jnp.maximum(0.1 * damping, 1e-15), k + 1),
            lambda: (x, r, j, 4 * damping, k + 1),
        )

    start = (x, residuals(x), jacobian(x), jnp.asarray(1e-3), 0)
    return jax.lax.while_loop(go_on, step, start)[0]


def fit():
    pressure = jnp.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
    volume = jnp.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78])

    def residuals(b):
        return b[0] * (1 - jnp.exp(-b[1] * pressure)) - volume

    @jax.jit
    def run(zero):
        b = levenberg_marquardt(residuals, zero + jnp.array([500.0, 0.0001]), 1e-9, 200)
        r, j = residuals(b), jax.jacfwd(residuals)(b)
        return jnp.concatenate([b, jnp.sqrt(jnp.diag(jnp.linalg.inv(j.T @ j) * (r @ r) / 12))])

    return run


def heat():
    i = jnp.arange(50)

    def later(u):
        def step(u, _):
            out = jnp.pad(u, 1)
            return u + 0.25 * (out[:-2] - 2 * u + out[2:]), None

        return jax.lax.scan(step, u, None, length=40)[0]

    @jax.jit
    def run(zero):
        truth = jnp.where((i >= 10) & (i < 20), 1.0, jnp.where(i == 35, 3.0, 0.0))
        measured = zero + later(truth) + 0.001 * jnp.sin(7.0 * i * i)

        def misfit(u):
            gap, slopes = later(u) - measured, jnp.diff(u)
            return gap @ gap + 1e-4 * slopes @ slopes

        # The misfit is quadratic: Newton's method is one system, by conjugate gradients.
        times = jax.linearize(jax.grad(misfit), measured)[1]
        move = jax.scipy.sparse.linalg.cg(times, -jax.grad(misfit)(measured), tol=1e-12, maxiter=2000)[0]
        return (measured + move)[jnp.array([5, 15, 25, 35, 45])]

    return run


def camera():
    i = jnp.arange(20)
    board = jnp.stack([0.1 * (i % 5), 0.1 * (i // 5), 0.0 * i], 1)
    truth = jnp.array([800.0, 320, 240, -0.2, 0.3, 0.2, 0.1, -0.2, -0.15, 1.2, -0.4, 0.3, -0.1, -0.1, -0.2, 1.0, 0.2, -0.5, 0.2, -0.25, -0.1, 1.1])

    def turned(r, x):
        angle = jnp.sqrt(r @ r)
        axis = r / angle
        return x * jnp.cos(angle) + jnp.cross(axis, x) * jnp.sin(angle) + axis * (axis @ x) * (1 - jnp.cos(angle))

    def pictures(s):
        def pixel(pose, x):
            p = turned(pose[:3], x) + pose[3:]
            xy = p[:2] / p[2]
            return s[1:3] + s[0] * (1 + s[3] * (xy @ xy)) * xy

        return jax.vmap(lambda pose: jax.vmap(lambda x: pixel(pose, x))(board))(s[4:].reshape(3, 6))

    @jax.jit
    def run(zero):
        v, n, k = jnp.meshgrid(jnp.arange(3), i, jnp.arange(2), indexing="ij")
        seen = pictures(truth) + 0.2 * jnp.sin(37.0 * n * n + 11 * v + 5 * k)
        start = (zero + 0.9 * truth).at[0].set(600.0).at[3].set(0.0)
        return levenberg_marquardt(lambda s: (pictures(s) - seen).ravel(), start, 1e-7, 100)[:4]

    return run


def double_pendulum():
    def motion(u, s):
        a, b, v, w = s
        c = jnp.cos(a - b)
        forces = jnp.array([u - 2 * 9.81 * jnp.sin(a) - w * w * jnp.sin(a - b), v * v * jnp.sin(a - b) - 9.81 * jnp.sin(b)])
        return jnp.concatenate([s[2:], jnp.linalg.solve(jnp.array([[2.0, c], [c, 1.0]]), forces)])

    def effort(torques):
        def step(s, k):
            now, later, h = torques[k // 4], torques[jnp.minimum((k + 1) // 4, 19)], 0.025
            a = motion(now, s)
            b = motion(now, s + 0.5 * h * a)
            c = motion(now, s + 0.5 * h * b)
            d = motion(later, s + h * c)
            return s + h / 6 * (a + 2 * b + 2 * c + d), None

        miss = jax.lax.scan(step, jnp.zeros(4), jnp.arange(80))[0] - jnp.array([0.8, 0.8, 0.0, 0.0])
        return 100 * miss @ miss + 0.001 * torques @ torques

    # JAX's own BFGS gives up here far from the minimum, so people call SciPy with compiled gradients.
    both = jax.jit(jax.value_and_grad(effort))

    def run(zero):
        from scipy.optimize import minimize

        options = {"gtol": 1e-7, "ftol": 0.0, "maxiter": 300}
        return minimize(both, zero + numpy.zeros(20), jac=True, method="L-BFGS-B", options=options).fun

    return run


def transformer():
    k, i = jnp.meshgrid(jnp.arange(16), jnp.arange(6), indexing="ij")
    words = (7 * k * k + 3 * k * i + i * i) % 5

    def normalised(x):
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)

    def scores(w, word):
        size = lambda shape: shape[0] * shape[1] * (shape[2] if len(shape) > 2 else 1)
        part = lambda at, *shape: w[at : at + size(shape)].reshape(shape)
        x = part(0, 5, 8)[word] + part(40, 6, 8)
        q, k, v = (jnp.einsum("nd,hde->hne", x, part(at, 2, 8, 4)) for at in (88, 152, 216))
        mix = jax.nn.softmax(jnp.einsum("hne,hme->hnm", q, k) / 2, axis=-1)
        x = normalised(x + jnp.einsum("hnm,hme,hed->nd", mix, v, part(280, 2, 4, 8)))
        x = normalised(x + jax.nn.relu(x @ part(344, 8, 16)) @ part(472, 16, 8))
        return x @ part(600, 8, 5)

    def loss(w):
        logs = jax.nn.log_softmax(jax.vmap(lambda word: scores(w, word))(words))
        return -jnp.take_along_axis(logs, words[:, ::-1, None], 2).mean()

    @jax.jit
    def run(zero):
        def step(state, t):
            w, m, v = state
            g = jax.grad(loss)(w)
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            return (w - 0.01 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v), None

        w = zero + 0.3 * jnp.sin(jnp.arange(640.0) ** 2)
        end = jax.lax.scan(step, (w, jnp.zeros(640), jnp.zeros(640)), jnp.arange(1.0, 101.0))[0][0]
        return jnp.array([loss(w), loss(end)])

    return run


def hamiltonian():
    doses, deaths = jnp.array([-0.86, -0.3, -0.05, 0.73]), jnp.array([0.0, 1.0, 3.0, 5.0])

    def log_density(q):
        logits = q[0] + q[1] * doses
        return (deaths * logits - 5 * jax.nn.softplus(logits)).sum() - q @ q / 200

    def leap(at, _):
        q, p = at
        p = p + 0.15 * jax.grad(log_density)(q)
        q = q + 0.3 * p
        return (q, p + 0.15 * jax.grad(log_density)(q)), None

    def draw(q, key):
        push, luck = jax.random.split(key)
        p = jax.random.normal(push, (2,))
        to, r = jax.lax.scan(leap, (q, p), None, length=25)[0]
        energy = lambda q, p: 0.5 * p @ p - log_density(q)
        q = jnp.where(jnp.log(jax.random.uniform(luck)) < energy(q, p) - energy(to, r), to, q)
        return q, q

    @jax.jit
    def run(zero):
        draws = jax.lax.scan(draw, zero + jnp.array([0.0, 5.0]), jax.random.split(jax.random.key(1), 4000))[1]
        return jnp.concatenate([draws.mean(0), draws.std(0)])

    return run


PROGRAMS = {it.__name__: it for it in (fit, heat, camera, double_pendulum, transformer, hamiltonian)}


def main():
    if len(sys.argv) > 2:
        jax.config.update("jax_compilation_cache_dir", sys.argv[2])
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    began = time.process_time()
    run = PROGRAMS[sys.argv[1]]()
    # What the compiler cannot know: without it, a program without input is a constant.
    zero = numpy.zeros(())
    result = jax.block_until_ready(run(zero))
    first = time.process_time() - began
    began = time.process_time()
    jax.block_until_ready(run(zero))
    again = time.process_time() - began
    print(json.dumps({"result": jnp.atleast_1d(result).tolist(), "first": first, "again": again}))


main()
