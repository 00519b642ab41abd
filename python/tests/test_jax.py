"""The same functions and conventions as JAX, where that is installed."""

import numpy as np
import pytest

import cotan

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
jax.config.update("jax_enable_x64", True)

RANDOM = np.random.default_rng(2)
W, B = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=2)
X = RANDOM.normal(size=(5, 3))


def layers(np, model, x):
    hidden = np.tanh(x @ model["w"] + model["b"])
    return np.mean(np.log(1.0 + np.exp(hidden)), axis=0), np.sum(hidden**2)


def ours(model, x):
    return layers(np, model, x)


def theirs(model, x):
    return layers(jnp, model, x)


def same(found, expected):
    found, expected = jax.tree.flatten(found), jax.tree.flatten(expected)
    assert found[1] == expected[1]
    for a, b in zip(found[0], expected[0], strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("argnums", [0, 1, (0,), (0, 1), (1, 0)])
def test_structures_of_derivatives(argnums):
    model = {"w": W, "b": B}
    options = {"backend": "interp"}
    f = cotan.function(ours, **options)
    loss = cotan.function(lambda model, x: ours(model, x)[1], **options)
    their_loss = jax.jit(lambda model, x: theirs(model, x)[1])
    same(cotan.jacobian(f, argnums)(model, X), jax.jacobian(theirs, argnums)(model, X))
    same(cotan.grad(loss, argnums)(model, X), jax.grad(their_loss, argnums)(model, X))
    same(cotan.value_and_grad(loss, argnums)(model, X), jax.value_and_grad(their_loss, argnums)(model, X))
    same(cotan.hessian(loss, argnums)(model, X), jax.hessian(their_loss, argnums)(model, X))


def test_products():
    model = {"w": W, "b": B}
    tangents = ({"w": W + 1.0, "b": B * 2.0}, X - 1.0)
    f = cotan.function(ours, backend="interp")
    same(cotan.jvp(f, (model, X), tangents), jax.jvp(theirs, (model, X), tangents))
    value, pull = cotan.vjp(f, model, X)
    their_value, their_pull = jax.vjp(theirs, model, X)
    same(value, their_value)
    same(pull((B, 2.0)), their_pull((jnp.asarray(B), jnp.asarray(2.0))))
    value, push = cotan.linearize(f, model, X)
    same(push(*tangents), jax.linearize(theirs, model, X)[1](*tangents))
