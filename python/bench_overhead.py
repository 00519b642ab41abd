"""What a call costs: a scalar gradient, one of 1,000 numbers, and a value, beside other systems.

    python bench_overhead.py

Each number is the median over many rounds, in microseconds of the time that this process was given, so that
other programs on the machine count little. JAX, PyTorch and autograd are measured where they are installed;
JAX compiled and blocked, PyTorch as it is.
"""

import importlib.util
import statistics
import time

import numpy as np

import cotan


def microseconds(call, seconds=0.5):
    """The time of a call: the median over rounds that take a hundredth of the time each."""
    call()
    n, rounds = 1, []
    while True:
        start = time.process_time()
        for _ in range(n):
            call()
        took = time.process_time() - start
        if took < seconds / 100:
            n *= 2
            continue
        rounds.append(took / n)
        if len(rounds) * took > seconds:
            return 1e6 * statistics.median(rounds)


def with_cotan():
    m = cotan.compile("""
def scalar(x: Real): Real = sin(x) * x
def vector(x: [n]Real): Real = sum(x * x * x)
""")
    scalar, vector = cotan.grad(m.scalar), cotan.grad(m.vector)
    x = np.linspace(0.0, 1.0, 1000)
    return lambda: m.scalar(0.5), lambda: scalar(0.5), lambda: vector(x)


def with_traced():
    scalar = cotan.grad(lambda x: np.sin(x) * x)
    vector = cotan.grad(lambda x: np.sum(x * x * x))
    f = cotan.function(lambda x: np.sin(x) * x)
    x = np.linspace(0.0, 1.0, 1000)
    return lambda: f(0.5), lambda: scalar(0.5), lambda: vector(x)


def with_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(lambda x: jnp.sin(x) * x)
    scalar = jax.jit(jax.grad(lambda x: jnp.sin(x) * x))
    vector = jax.jit(jax.grad(lambda x: jnp.sum(x * x * x)))
    x = np.linspace(0.0, 1.0, 1000)
    return (
        lambda: f(0.5).block_until_ready(),
        lambda: scalar(0.5).block_until_ready(),
        lambda: vector(x).block_until_ready(),
    )


def with_torch():
    import torch

    def gradient(f, x):
        x.grad = None
        f(x).backward()
        return x.grad

    a = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    x = torch.linspace(0.0, 1.0, 1000, dtype=torch.float64, requires_grad=True)
    return (
        lambda: torch.sin(a) * a,
        lambda: gradient(lambda it: torch.sin(it) * it, a),
        lambda: gradient(lambda it: torch.sum(it * it * it), x),
    )


def with_autograd():
    import autograd
    import autograd.numpy as anp

    scalar = autograd.grad(lambda x: anp.sin(x) * x)
    vector = autograd.grad(lambda x: anp.sum(x * x * x))
    x = np.linspace(0.0, 1.0, 1000)
    return lambda: np.sin(0.5) * 0.5, lambda: scalar(0.5), lambda: vector(x)


SYSTEMS = {
    "cotan": with_cotan,
    "cotan, traced": with_traced,
    "jax": with_jax,
    "torch": with_torch,
    "autograd": with_autograd,
}


def main():
    """Prints a row for each system."""
    print(f"{'microseconds':16}{'value':>12}{'gradient':>12}{'of 1,000':>12}")
    for name, system in SYSTEMS.items():
        if importlib.util.find_spec(name.split(",")[0]) is None:
            continue
        row = [microseconds(it) for it in system()]
        print(f"{name:16}" + "".join(f"{it:12.2f}" for it in row))


if __name__ == "__main__":
    main()
