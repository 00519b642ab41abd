"""Traced functions: the same numbers as NumPy, and derivatives that agree with differences."""

import dataclasses

import numpy as np
import pytest
import scipy.special

import cotan

RANDOM = np.random.default_rng(1)
X = RANDOM.uniform(0.2, 0.8, 4)
M = RANDOM.uniform(0.2, 0.8, (3, 4))
T = RANDOM.uniform(0.2, 0.8, (2, 3, 4))
K = np.array([2, 0, 1, 2])

#: Functions of NumPy that give the same numbers when they are traced, with their arguments.
SAME = {
    "arithmetic": (lambda x, y: (x + y * 2 - 1 / y) ** 2 / (x - 3.0), X, X + 1.0),
    "numbers of Python": (lambda x: 2 * x + 1 - True * x, X),
    "integers": (lambda k: (k * 3 - 1) // 2 + k % 2, K),
    "true division of integers": (lambda k: k / 2, K),
    "a power of integers": (lambda k: k**2, K),
    "integers with reals": (lambda k, x: k * x, K, X),
    "broadcast a row": (lambda m, x: m + x, M, X),
    "broadcast a column": (lambda m, x: m * x[:3, None], M, X),
    "broadcast both": (lambda a, b: a[:, None] - b[None, :], X, X + 1.0),
    "broadcast ones": (lambda t, m: t * m[:, :1], T, M),
    "elementary": (lambda x: np.sin(x) * np.cos(x) + np.tan(x) + np.exp(-x) + np.log(x) + np.sqrt(x), X),
    "inverse": (lambda x: np.arcsin(x) + np.arccos(x) + np.arctan(x) + np.arctan2(x, 2.0), X),
    "hyperbolic": (lambda x: np.sinh(x) + np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arctanh(x), X),
    "logarithms": (lambda x: np.log1p(x) + np.expm1(x) + np.log2(x) + np.log10(x) + np.exp2(x), X),
    "other": (lambda x: np.hypot(x, 2.0) + np.logaddexp(x, 1.0) + np.square(x) + np.reciprocal(x), X),
    "rounding": (lambda x: np.floor(3 * x) + np.ceil(3 * x) + np.trunc(-3 * x) + np.sign(x - 0.5), X),
    "special": (lambda x: scipy.special.erf(x) + scipy.special.expit(x) + scipy.special.gammaln(x), X),
    "xlogy": (lambda x: scipy.special.xlogy(x, x) + scipy.special.psi(x), X),
    "extremes of two": (lambda x: np.maximum(x, 0.5) + np.minimum(x, 0.3) + abs(x - 0.5), X),
    "comparisons": (lambda x: (x > 0.5) & ~(x >= 0.7) | (x == X[0]), X),
    "where": (lambda x: np.where(x > 0.5, x, -x), X),
    "where broadcast": (lambda m, x: np.where(m > x, m, 0), M, X),
    "clip": (lambda x: np.clip(x, 0.4, 0.6), X),
    "not finite": (lambda x: np.isfinite(x) | np.isnan(x) | np.isinf(x), np.array([1.0, np.nan, np.inf, -np.inf])),
    "sums": (lambda t: (t.sum(), np.sum(t, axis=0), np.sum(t, axis=1), t.sum(-1), t.sum((0, 2))), T),
    "keepdims": (lambda m: m / np.sum(m, axis=1, keepdims=True), M),
    "products": (lambda m: (np.prod(m), m.prod(axis=0), m.prod(1)), M),
    "moments": (lambda m: (m.mean(), m.mean(0), np.var(m, axis=1), m.std(ddof=1)), M),
    "extremes": (lambda m: (m.max(), m.min(axis=0), np.max(m, axis=1), np.amin(m)), M),
    "positions": (lambda m: (np.argmax(m), m.argmin(axis=1), np.argmax(m, axis=0)), M),
    "all and any": (lambda m: (np.all(m > 0.3), np.any(m > 0.7, axis=0)), M),
    "norm": (lambda m: (np.linalg.norm(m), np.linalg.norm(m, axis=1)), M),
    "matrix products": (lambda m, x: (m @ x, x @ m.T, m @ m.T, x @ x, np.dot(m, x)), M, X),
    "products of stacks": (lambda t, m: (t @ m.T, m @ t[0].T, np.matmul(t, X)), T, M),
    "products of integers": (lambda k: (k @ k, np.outer(k, k)), K),
    "einsum": (lambda t, m: (np.einsum("bij,ij->b", t, m), np.einsum("ij,kj", m, m)), T, M),
    "tensordot": (lambda t, m: (np.tensordot(t, m, 2), np.tensordot(m, m, ([0], [0]))), T, M),
    "solve": (lambda m, x: np.linalg.solve(m @ m.T + np.eye(3), x[:3]), M, X),
    "trace and diag": (lambda m: (np.trace(m[:, :3]), np.diag(m[0]), np.diag(m)), M),
    "transpose": (lambda t: (t.T, np.transpose(t, (1, 0, 2)), np.swapaxes(t, 0, 2), np.moveaxis(t, 0, -1)), T),
    "reshape": (lambda t: (t.reshape(6, 4), t.reshape(-1, 2), t.ravel(), np.squeeze(t[:1])), T),
    "expand": (lambda x: (np.expand_dims(x, 0), np.broadcast_to(x, (2, 4)), x[None, :, None]), X),
    "join": (lambda m, x: (np.concatenate([m, m * 2]), np.concatenate([m, m], axis=1), np.stack([x, x])), M, X),
    "stacks": (lambda x: (np.stack([x, 2 * x], axis=1), np.vstack([x, x]), np.hstack([x, x])), X),
    "running": (lambda m: (np.cumsum(m), np.cumsum(m, axis=0), np.cumsum(m, axis=1), np.cumprod(m[0])), M),
    "sorted": (lambda m: (np.sort(m), np.sort(m, axis=0), np.argsort(m, axis=1)), M),
    "flip and diff": (lambda m: (np.flip(m), np.flip(m, 0), np.diff(m), np.diff(m, axis=0)), M),
    "indices": (lambda t: (t[0], t[1, 2], t[-1, -1, -1], t[:, 1], t[..., 2], t[1, :, 0]), T),
    "slices": (lambda m: (m[1:], m[:, ::2], m[::-1], m[1:3, 1:3], m[-2:, 0], m[:0], m[::-2, ::-1]), M),
    "positions as indices": (lambda m: (m[K], m[:, K], m[[0, 1], [2, 3]], m[[[0], [1]], [2, 3]]), M),
    "indices apart": (lambda t: (t[[0, 1], :, [1, 2]], t[:, [0, 2], [1, 2]], t[[1, 0], 1]), T),
    "negative positions": (lambda x: x[np.array([-1, 0, -2])], X),
    "traced positions": (lambda x, k: (x[k], x[k[0]], np.take(x, k)), X, K),
    "a constant of Python": (lambda x: x * np.arange(4.0) + [1.0, 2.0, 3.0, 4.0], X),
    "a list with traced numbers": (lambda x: x[:3] * [x[0], x[1], 2.0], X),
    "like": (lambda x: np.zeros_like(x) + np.ones_like(x) * np.full_like(x, 3.0), X),
    "iteration": (lambda m: sum(row.sum() * k for k, row in enumerate(m)), M),
    "ufunc reductions": (lambda m: (np.add.reduce(m), np.maximum.reduce(m, axis=1)), M),
    "a number": (lambda a: a * 2.0 + 1, 1.5),
    "nothing": (lambda x: (x[:0], x[:0].sum(), x[:0] * 2.0), X),
    "dicts": (lambda p: {"s": p["a"] + p["b"][0], "t": (p["a"],)}, {"a": X, "b": [X, X]}),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_as_numpy(name):
    f, *args = SAME[name]
    found = cotan.function(f, backend="interp")(*args)
    same(found, f(*args))


def test_compiled_as_well():
    f, *args = SAME["matrix products"]
    same(cotan.function(f)(*args), f(*args))


def same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for it in expected:
            same(found[it], expected[it])
    else:
        assert np.shape(found) == np.shape(expected)
        assert np.asarray(found).dtype.kind == np.asarray(expected).dtype.kind
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@cotan.function
def loss(model, x, y):
    """The mean square of what a layer misses."""
    hidden = np.tanh(x @ model["w"] + model["b"])
    return np.mean((hidden.sum(axis=1) - y) ** 2)


MODEL = {"w": RANDOM.normal(size=(4, 2)), "b": np.zeros(2)}


def test_derivatives_of_traced_functions():
    y = np.arange(3.0)
    value, gradient = cotan.value_and_grad(loss)(MODEL, M, y)
    hidden = np.tanh(M @ MODEL["w"])
    off = hidden.sum(axis=1) - y
    np.testing.assert_allclose(value, np.mean(off**2), rtol=1e-12)
    by_b = (2.0 / 3.0) * (off[:, None] * (1.0 - hidden**2)).sum(axis=0)
    np.testing.assert_allclose(gradient["b"], by_b, rtol=1e-12)
    assert gradient.keys() == MODEL.keys() and gradient["w"].shape == (4, 2)
    by_x = cotan.grad(loss, "x")(MODEL, M, y)
    np.testing.assert_allclose(by_x, (2 / 3) * (off[:, None] * (1 - hidden**2)) @ MODEL["w"].T, rtol=1e-12)
    cotan.check_grads(loss, (MODEL, M, y))
    cotan.check_grads(lambda x: np.sum(np.sin(x) * x), (X,), order=2)


def test_grad_of_a_python_function():
    np.testing.assert_allclose(cotan.grad(lambda x: x**3)(2.0), 12.0)
    np.testing.assert_allclose(cotan.grad(lambda x: x**3)(2), 12.0)
    np.testing.assert_allclose(cotan.grad(cotan.grad(lambda x: x**3))(2.0), 12.0)
    np.testing.assert_allclose(cotan.jacobian(lambda x: x[::-1] * 2.0)(X), 2.0 * np.eye(4)[::-1])
    np.testing.assert_allclose(cotan.hessian(lambda x: np.sum(x**3))(X), np.diag(6.0 * X))
    np.testing.assert_allclose(cotan.hvp(lambda x: np.sum(x**3))(X, X), 6.0 * X * X)
    value, tangent = cotan.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))
    assert (value, tangent) == (6.0, 23.0)
    value, pull = cotan.vjp(lambda x, y: (x * y, x), 2.0, 3.0)
    assert value == (6.0, 2.0) and pull((1.0, 10.0)) == (13.0, 2.0)
    both = cotan.jacobian(lambda p, s: p["a"] * s, (0, 1))({"a": X}, 2.0)
    same(both, ({"a": 2.0 * np.eye(4)}, X))


def test_build_and_loops():
    same(cotan.function(lambda x: cotan.build(4, lambda i: x[3 - i] * i))(X), X[::-1] * np.arange(4))
    same(cotan.function(lambda m: cotan.build((2, 3), lambda i, j: m[j, i]))(M), M[:, :2].T)
    pairs = cotan.function(lambda x: cotan.build(4, lambda i: {"a": x[i], "b": i}))(X)
    same(pairs, {"a": X, "b": np.arange(4)})
    same(cotan.function(lambda x: cotan.fold(lambda s, v: s * v + 1, 0, x))(X), _horner(X))
    same(cotan.function(lambda x: cotan.scan(lambda s, v: s + v, 0.0, x))(X), np.cumsum(X))
    state = cotan.function(lambda x, k: cotan.fold(lambda s, v: (s[0] + v[0], s[1] + v[1]), (0.0, 0), (x, k)))(X, K)
    same(state, (X.sum(), K.sum()))
    same(cotan.function(lambda x: cotan.iterate(3, lambda s: s * 2.0, x))(X), 8.0 * X)
    root = cotan.function(lambda a: cotan.while_loop(lambda y: abs(y * y - a) > 1e-12, lambda y: (y + a / y) / 2, a))
    same(root(2.0), np.sqrt(2.0))
    np.testing.assert_allclose(cotan.grad(root)(2.0), 0.5 / np.sqrt(2.0), rtol=1e-6)
    branch = cotan.function(lambda x, y: cotan.cond(x > 0, lambda a: a * 2, lambda a: -a * 3.0, x + y))
    assert branch(1.0, 2.0) == 6.0 and branch(-1.0, 2.0) == -3.0
    same(cotan.function(lambda x: cotan.scatter(np.zeros(3), K, x))(X), np.bincount(K, X, 3))
    assert cotan.grad(lambda x: x * cotan.stop_gradient(x))(3.0) == 3.0


def _horner(x):
    s = 0.0
    for v in x:
        s = s * v + 1
    return s


def test_nested_loops_use_outer_values():
    f = cotan.function(lambda m, x: cotan.build(3, lambda i: cotan.fold(lambda s, v: s + v * m[i].sum(), x[0], x)))
    same(f(M, X), X[0] + X.sum() * M.sum(axis=1))


def test_every_value_is_one_statement():
    def doubled(x):
        for _ in range(50):
            x = x + x
        return x

    f = cotan.function(doubled)
    assert f.source(1.0).count("let ") == 50
    assert f(1.0) == 2.0**50 and cotan.grad(f)(1.0) == 2.0**50


def test_dataclasses_and_constants():
    @dataclasses.dataclass
    class Point:
        x: float
        y: float

    f = cotan.function(lambda p, how: Point(p.x * 2, p.y) if how == "twice" else p)
    assert f(Point(1.0, 2.0), "twice") == Point(2.0, 2.0) and f(Point(1.0, 2.0), "same") == Point(1.0, 2.0)
    assert cotan.grad(lambda p: p.x * p.y)(Point(2.0, 3.0)) == Point(3.0, 2.0)


def test_what_cannot_be_traced():
    leaked = []
    wrong = {
        "cotan.cond": lambda x: x if x[0] > 0 else -x,
        "`float`": lambda x: float(x[0]),
        "known while": lambda x: list(range(x[0])),
        "do not change": lambda x: x.__setitem__(0, 1.0),
        "do not go together": lambda x: x + np.ones(3),
        "numpy.fft": lambda x: np.unwrap(x),
        "no such function": lambda x: np.rint(x),
        "a mask": lambda x: x[x > 0],
        "outside of the `build`": lambda x: (cotan.build(2, lambda i: leaked.append(x[i]) or x[i]), leaked[0] * 2)[1],
        "different shapes": lambda x: cotan.fold(lambda s, v: s * np.ones(2), 0.0, x),
        "not nothing": lambda x: (),
    }
    wrong["`numpy.unwrap` cannot be traced"] = wrong.pop("numpy.fft")
    for message, f in wrong.items():
        with pytest.raises(cotan.Error, match=message):
            cotan.function(f)(X)
    with pytest.raises(IndexError):
        cotan.function(lambda x: x[7])(X)
    with pytest.raises(cotan.Error, match="`@cotan"):
        cotan.build(3, lambda i: i)
    with pytest.raises(cotan.Error, match="another traced function"):
        cotan.function(lambda x: x + leaked[0])(X)
    with pytest.raises(cotan.Error, match="names of their own"):
        cotan.function(lambda *x: x)
    with pytest.raises(cotan.Error):
        cotan.function(lambda x: x)(1.0, 2.0)


def test_names_that_cotan_uses():
    f = cotan.function(lambda sum, let, v1, X: np.sum(sum) + let * v1 + X)
    assert f(np.ones(3), 2.0, 3.0, 4.0) == 13.0


def test_traced_functions_call_one_another():
    inner = cotan.function(lambda x: x * x)
    assert cotan.function(lambda x: inner(x) + 1.0)(3.0) == 10.0
