"""The bundle adjustment of the examples, at a small size: what was seen from a truth is explained."""

import importlib.util
from pathlib import Path

import numpy as np

import cotan

EXAMPLE = Path(__file__).parent.parent / "examples" / "bundle_adjustment.py"


def test_bundle_adjustment_converges():
    spec = importlib.util.spec_from_file_location("bundle_adjustment", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
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
