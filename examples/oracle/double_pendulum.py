"""Facts for whole/double_pendulum.cot: the same torques by BFGS of SciPy with gradients of JAX, and the
equations of motion from the Lagrangian."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

from differences import fact

jax.config.update("jax_enable_x64", True)


def lagrangian(a, v):
    kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * jnp.cos(a[0] - a[1])
    return kinetic + 9.81 * (2 * jnp.cos(a[0]) + jnp.cos(a[1]))


def motion(u, s):
    a, v = s[:2], s[2:]
    mass = jax.hessian(lagrangian, 1)(a, v)
    turned = jax.jvp(lambda a: jax.grad(lagrangian, 1)(a, v), (a,), (v,))[1]
    force = jax.grad(lagrangian)(a, v) + jnp.array([u, 0.0]) - turned
    return jnp.concatenate([v, jnp.linalg.solve(mass, force)])


def end(torques):
    def step(s, k):
        # The torque at the end of a step is that of the next one, as a right side in time has it.
        now, later = torques[k // 4], torques[jnp.minimum((k + 1) // 4, 19)]
        h = 0.025
        a = motion(now, s)
        b = motion(now, s + 0.5 * h * a)
        c = motion(now, s + 0.5 * h * b)
        d = motion(later, s + h * c)
        return s + h / 6 * (a + 2 * b + 2 * c + d), None

    return jax.lax.scan(step, jnp.zeros(4), jnp.arange(80))[0]


GOAL = jnp.array([0.8, 0.8, 0.0, 0.0])


@jax.jit
def effort(torques):
    return 100 * ((end(torques) - GOAL) ** 2).sum() + 0.001 * (torques**2).sum()


slope, curvature = jax.jit(jax.grad(effort)), jax.jit(jax.hessian(effort))
x = minimize(effort, np.zeros(20), jac=slope, method="BFGS", options={"gtol": 1e-6}).x
for _ in range(4):
    x = x - np.linalg.solve(curvature(x), slope(x))
assert abs(slope(x)).max() < 1e-11 and np.linalg.eigvalsh(curvature(x)).min() > 0
fact("accelerations", motion(1.5, jnp.array([0.3, -0.2, 0.5, 0.7]))[2:].tolist())
fact("the effort, and its slope, without torques", [float(effort(np.zeros(20))), float(slope(np.zeros(20))[0])])
fact("the least effort", float(effort(x)))
