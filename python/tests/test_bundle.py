"""The bundle adjustment of the examples: what was seen from a truth is explained.

It has 2,000 observations, and 30,000 with `COTAN_BUNDLE=all`, which takes some twenty seconds.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

import cotan

EXAMPLE = Path(__file__).parent.parent / "examples" / "bundle_adjustment.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("bundle_adjustment", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


def test_bundle_adjustment_converges(example):
    cameras, points, seen = example.problem(4, 30, 110)
    module = cotan.compile(example.PROGRAM)
    jacobian = cotan.jacobian(module.residuals, (0, 1), sparse=True)(cameras, points, *seen)
    assert jacobian.shape == (220, 126) and jacobian.nnz == 220 * 12
    # Against central differences along one direction.
    direction = np.random.default_rng(1).standard_normal(126)
    at = lambda t: (cameras + t * direction[:36].reshape(4, 9), points + t * direction[36:].reshape(30, 3))  # noqa: E731
    up, down = (np.ravel(module.residuals(*at(t), *seen)) for t in (1e-5, -1e-5))
    np.testing.assert_allclose(jacobian @ direction, (up - down) / 2e-5, rtol=1e-6, atol=1e-8)
    found = example.solve(cameras, points, seen, ftol=1e-12)
    assert found.success and found.cost < 1e-10 * np.sum(seen[2] ** 2)


@pytest.mark.parametrize("sizes", [(49, 7500, 30000) if os.environ.get("COTAN_BUNDLE") == "all" else (10, 400, 2000)])
def test_bundle_adjustment_reaches_the_noise(example, sizes):
    noise = 1e-3
    cameras, points, seen = example.problem(*sizes, noise=noise)
    found = example.solve(cameras, points, seen, ftol=1e-6)
    assert found.success
    # The sum of the squares of n numbers with a normal distribution is off by sqrt(2 / n) of it.
    expected = example.expected_cost(*sizes, noise)
    assert abs(found.cost / expected - 1.0) < 4.0 * np.sqrt(noise**2 / expected)
    # What is left has next to nothing of any column of the Jacobian in it: nothing more can be explained.
    columns = np.sqrt(found.jac.power(2).sum(axis=0))
    assert np.max(np.abs(found.jac.T @ found.fun) / columns) < 0.02 * noise
