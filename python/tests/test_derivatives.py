"""Derivatives: facts from closed forms, and the conventions of JAX."""

import numpy as np
import pytest

import cotan

PROGRAM = """
def f(x: Real, y: Real): Real = x * x * sin(y)
def polar(p: [2]Real): [2]Real = [p[0] * cos(p[1]), p[0] * sin(p[1])]
def quadratic(x: [n]Real, a: [n][n]Real, k: Int): Real = 0.5 * dot(x, matvec(a, x)) * real(k)
def mixed(x: [n]Real, s: Real): ([n]Real, Real) = (s * x, s * sum(x))
"""
A = np.array([[2.0, 1.0], [1.0, 3.0]])
X = np.array([0.5, -1.5])


@pytest.fixture(scope="module", params=["auto", "interp", "forward", "tape"])
def m(request):
    if request.param in ("forward", "tape"):
        return cotan.compile(PROGRAM, via=request.param)
    return cotan.compile(PROGRAM, backend=request.param)


def test_gradients(m):
    close(cotan.grad(m.f)(3.0, 0.5), 6.0 * np.sin(0.5))
    close(cotan.grad(m.f, 1)(3.0, 0.5), 9.0 * np.cos(0.5))
    close(cotan.grad(m.f, -1)(3.0, 0.5), 9.0 * np.cos(0.5))
    close(cotan.grad(m.f, "y")(3.0, 0.5), 9.0 * np.cos(0.5))
    value, gradient = cotan.value_and_grad(m.quadratic)(X, A, 2)
    close(value, X @ A @ X)
    close(gradient, 2.0 * A @ X)


def test_several_arguments(m):
    dx, dy = 6.0 * np.sin(0.5), 9.0 * np.cos(0.5)
    close(cotan.grad(m.f, (0, 1))(3.0, 0.5), (dx, dy))
    close(cotan.grad(m.f, ("y", "x"))(3.0, 0.5), (dy, dx))
    one = cotan.grad(m.f, (0,))(3.0, 0.5)
    assert isinstance(one, tuple) and len(one) == 1
    close(one[0], dx)
    value, (gy, gx) = cotan.value_and_grad(m.f, [1, 0])(3.0, 0.5)
    close((value, gx, gy), (9.0 * np.sin(0.5), dx, dy))


def test_jacobians(m):
    r, t = 2.0, 0.3
    expected = np.array([[np.cos(t), -r * np.sin(t)], [np.sin(t), r * np.cos(t)]])
    for jacobian in (cotan.jacobian, cotan.jacfwd, cotan.jacrev):
        close(jacobian(m.polar)(np.array([r, t])), expected)
    by_x, by_s = cotan.jacobian(m.mixed, (0, 1))(X, 2.0)[0]
    close(by_x, 2.0 * np.eye(2))
    close(by_s, X)
    of_sum = cotan.jacobian(m.mixed, (0, 1))(X, 2.0)[1]
    close(of_sum, (np.array([2.0, 2.0]), X.sum()))


def test_second_derivatives(m):
    close(cotan.hessian(m.quadratic)(X, A, 1), A)
    close(cotan.hvp(m.quadratic)(X, A, 1, np.array([1.0, 2.0])), A @ [1.0, 2.0])
    (xx, xy), (yx, yy) = cotan.hessian(m.f, (0, 1))(3.0, 0.5)
    close((xx, xy, yx, yy), (2.0 * np.sin(0.5), 6.0 * np.cos(0.5), 6.0 * np.cos(0.5), -9.0 * np.sin(0.5)))
    (yy2, yx2), (_, xx2) = cotan.hessian(m.f, (1, 0))(3.0, 0.5)
    close((yy2, yx2, xx2), (yy, yx, xx))
    close(cotan.grad(cotan.grad(m.f))(3.0, 0.5), 2.0 * np.sin(0.5))
    close(cotan.jacobian(cotan.grad(m.quadratic))(X, A, 1), A)


def test_jvp_vjp_and_linearize(m):
    value, tangent = cotan.jvp(m.f, (3.0, 0.5), (1.0, 10.0))
    close((value, tangent), (9.0 * np.sin(0.5), 6.0 * np.sin(0.5) + 90.0 * np.cos(0.5)))
    value, pull = cotan.vjp(m.polar, np.array([2.0, 0.0]))
    close(value, np.array([2.0, 0.0]))
    (back,) = pull(np.array([1.0, 1.0]))
    close(back, np.array([1.0, 2.0]))
    value, push = cotan.linearize(m.f, 3.0, 0.5)
    close(push(1.0, 0.0), 6.0 * np.sin(0.5))
    (dx, ds) = cotan.vjp(m.mixed, X, 2.0)[1]((np.array([1.0, 0.0]), 3.0))
    close((dx, ds), (np.array([8.0, 6.0]), X[0] + 3.0 * X.sum()))


def test_check_grads(m):
    cotan.check_grads(m.f, (3.0, 0.5), order=2)
    cotan.check_grads(m.polar, (np.array([2.0, 0.3]),))
    cotan.check_grads(m.quadratic, (X, A, 2))
    cotan.check_grads(m.mixed, (X, 2.0))


def test_check_grads_finds_what_is_wrong():
    text = "def f(x: Real): Real = x * x\nwith jvp(x, dx) = x * dx\n"
    wrong = cotan.compile(text)
    with pytest.raises(AssertionError):
        cotan.check_grads(wrong.f, (3.0,))


def test_wrong_arguments_of_operators(m):
    for wrong in (5, "z", (), ("x", "x"), -3):
        with pytest.raises(cotan.Error):
            cotan.grad(m.f, wrong)(1.0, 2.0)
    with pytest.raises(cotan.Error) as error:
        cotan.grad(m.polar)(np.array([1.0, 2.0]))
    assert error.value.code == "E0501"
    with pytest.raises(cotan.Error):
        cotan.grad(3.0)
    with pytest.raises(cotan.Error, match="tangent"):
        cotan.jvp(m.f, (1.0, 2.0), (1.0,))


def close(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            close(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
        assert np.shape(found) == np.shape(expected)


KEPT = [{"backend": "interp"}, {"via": "tape"}, {"via": "forward"}, {}]


@pytest.mark.parametrize("options", KEPT, ids=str)
def test_pull_backs_and_linear_maps(options, monkeypatch):
    m = cotan.compile("def f(a: Real, x: [n]Real): [n]Real = build i < n => sin(a * x[i])", **options)
    x, v = np.array([0.5, 1.0, 2.0]), np.array([1.0, -1.0, 3.0])
    value, pull = cotan.vjp(m.f, 1.5, x)
    same, push = cotan.linearize(m.f, 1.5, x)
    if options:
        # The run that was made is enough.
        monkeypatch.setattr(cotan.Function, "derived", None)
        monkeypatch.setattr(cotan.Function, "__call__", None)
    np.testing.assert_allclose(value, np.sin(1.5 * x), rtol=1e-14)
    np.testing.assert_allclose(same, value)
    for scale in (1.0, 2.0):
        by_a, by_x = pull(scale * v)
        np.testing.assert_allclose(by_a, scale * (v * x * np.cos(1.5 * x)).sum(), rtol=1e-13)
        np.testing.assert_allclose(by_x, scale * v * 1.5 * np.cos(1.5 * x), rtol=1e-13)
        expected = (scale * x + 1.5 * v) * np.cos(1.5 * x)
        np.testing.assert_allclose(push(scale, v), expected, rtol=1e-13)
    with pytest.raises(cotan.Error, match="2 arguments, 1 tangents"):
        push(1.0)


def test_a_pull_back_by_one_argument_is_a_tuple():
    m = cotan.compile("def f(x: Real): Real = x * x", backend="interp")
    value, pull = cotan.vjp(m.f, 3.0)
    assert (value, pull(1.0)) == (9.0, (6.0,))


@pytest.mark.parametrize("options", [{}, {"backend": "interp"}, {"via": "tape"}])
def test_a_derivative_stays_at_its_point(options):
    m = cotan.compile(
        """
type P<n> = { x: [n]Real }
def f(x: [n]Real, p: P<n>): [n]Real = x * x * p.x
def g(x: [n]Real): [n]Real = x * x
""",
        **options,
    )
    # The array is used again for something else, by itself and inside of other values.
    x, y = np.array([3.0, 4.0]), np.array([1.0, 1.0])
    _, pull = cotan.vjp(m.f, x, m.P(x=y))
    _, push = cotan.linearize(m.g, x)
    x[:], y[:] = 0.0, 0.0
    by_x, by_p = pull(np.ones(2))
    close((by_x, by_p.x), (np.array([6.0, 8.0]), np.array([9.0, 16.0])))
    close(push(np.ones(2)), np.array([6.0, 8.0]))
