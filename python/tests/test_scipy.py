"""SciPy's solvers take functions and derivatives as they are: a recipe for each."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares, minimize, root

import cotan

T = np.linspace(0.0, 3.0, 40)
TRUE = np.array([2.0, 0.7, 0.5])
Y = TRUE[0] * np.exp(-TRUE[1] * T) + TRUE[2]

FIT = cotan.compile("""
--- What a decay with an offset misses at each time.
def residuals(p: [3]Real, t: [n]Real, y: [n]Real): [n]Real =
  build i < n => p[0] * exp(-p[1] * t[i]) + p[2] - y[i]
def loss(p: [3]Real, t: [n]Real, y: [n]Real): Real = { let r = residuals(p, t, y); dot(r, r) }
""")


def test_minimize():
    found = minimize(cotan.value_and_grad(FIT.loss), np.ones(3), args=(T, Y), jac=True, method="BFGS", tol=1e-12)
    np.testing.assert_allclose(found.x, TRUE, rtol=1e-5)


def test_minimize_by_newton():
    found = minimize(
        FIT.loss, TRUE + 0.1, args=(T, Y), method="trust-exact",
        jac=cotan.grad(FIT.loss), hess=cotan.hessian(FIT.loss), tol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(found.x, TRUE, rtol=1e-5)


def test_minimize_by_products_with_the_hessian():
    hvp = cotan.hvp(FIT.loss)
    found = minimize(
        FIT.loss, TRUE + 0.1, args=(T, Y), method="trust-ncg", tol=1e-12,
        jac=cotan.grad(FIT.loss), hessp=lambda p, v, t, y: hvp(p, t, y, v),
    )  # fmt: skip
    np.testing.assert_allclose(found.x, TRUE, rtol=1e-5)


def test_least_squares():
    found = least_squares(FIT.residuals, np.ones(3), jac=cotan.jacobian(FIT.residuals), args=(T, Y))
    np.testing.assert_allclose(found.x, TRUE, rtol=1e-6)


def test_root():
    f = cotan.expr("\\x => [x[0] * x[0] + x[1] - 3.0, x[0] - x[1] * x[1] + 1.0]")
    found = root(f, np.array([1.0, 1.0]), jac=cotan.jacobian(f))
    a, b = found.x
    assert found.success
    np.testing.assert_allclose([a * a + b - 3.0, a - b * b + 1.0], 0.0, atol=1e-9)


def test_solve_ivp():
    robertson = cotan.compile("""
def rate(t: Real, y: [3]Real): [3]Real = {
  let slow = 0.04 * y[0];
  let back = 1e4 * y[1] * y[2];
  let fast = 3e7 * y[1] * y[1];
  [back - slow, slow - back - fast, fast]
}
""")
    found = solve_ivp(
        robertson.rate, (0.0, 40.0), np.array([1.0, 0.0, 0.0]), method="BDF",
        jac=cotan.jacobian(robertson.rate, "y"), rtol=1e-8, atol=1e-12,
    )  # fmt: skip
    # Hairer and Wanner, Solving Ordinary Differential Equations II, at t = 40.
    np.testing.assert_allclose(found.y[:, -1], [0.7158270688, 9.185534765e-6, 0.2841637458], rtol=1e-5)


def test_structures_as_vectors():
    m = cotan.compile("""
type Decay = { height: Real, rate: Real, offset: Real }
def loss(p: Decay, t: [n]Real, y: [n]Real): Real =
  sum(build i < n => { let r = p.height * exp(-p.rate * t[i]) + p.offset - y[i]; r * r })
""")
    x0, unravel = cotan.ravel(m.Decay(1.0, 1.0, 1.0))
    fun = cotan.on_vector(cotan.value_and_grad(m.loss), unravel)
    found = minimize(fun, x0, args=(T, Y), jac=True, method="BFGS", tol=1e-12)
    fitted = unravel(found.x)
    assert isinstance(fitted, m.Decay)
    np.testing.assert_allclose([fitted.height, fitted.rate, fitted.offset], TRUE, rtol=1e-5)


def test_a_traced_function():
    @cotan.function
    def loss(p, t, y):
        return np.sum((p[0] * np.exp(-p[1] * t) + p[2] - y) ** 2)

    found = minimize(cotan.value_and_grad(loss), np.ones(3), args=(T, Y), jac=True, method="BFGS", tol=1e-12)
    np.testing.assert_allclose(found.x, TRUE, rtol=1e-5)
