"""Sparse Jacobians and Hessians: the same entries as the dense ones."""

import os
import pickle
import subprocess

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.sparse import csr_array, issparse, load_npz

import cotan

PROGRAM = """
type Pair = { a: [n]Real, b: Real }
def band(x: [n]Real): [n]Real = build i < n => if i == 0 then x[0] else x[i] * x[i - 1] + sin(x[i])
def arrow(x: [n]Real): [n]Real = build i < n => if i == 0 then sum(x * x) else x[i] * x[i]
def gathered(x: [n]Real, k: [m]Int): [m]Real = build i < m => x[k[i]] ** 2.0
def branching(x: [n]Real): [n]Real = build i < n => if x[0] > 0.0 then x[i] else x[0] * x[n - 1 - i]
def matrix(w: [n][m]Real): ([n]Real, Real) = (map(sum, w * w), w[0, 0])
def by_record(p: Pair<n>): [n]Real = p.a * p.b
def energy(x: [n]Real): Real = sum((x[1..n] - x[0..n - 1]) ** 4.0)
def masked(x: [n]Real): Real = sum(build i < n => if i == 0 then 0.0 else (x[i] - x[i - 1]) ** 4.0)
def pointed(x: [n]Real): Real = x[0] * sum(x * x)
def product(x: [n]Real, y: [n]Real): [n]Real = x * y
def nothing(x: [n]Real): [2]Real = [0.0, 1.0]
""".replace("type Pair =", "type Pair<n> =")
X = np.array([0.3, -0.5, 0.7, 1.1, 0.2])


@pytest.fixture(scope="module")
def m():
    return cotan.compile(PROGRAM, backend="interp")


def same(found, dense):
    assert issparse(found) and found.format == "csr"
    np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["band", "arrow", "branching", "nothing"])
@pytest.mark.parametrize("n", [5, 1])
def test_the_same_as_dense(m, name, n):
    same(cotan.jacobian(m[name], sparse=True)(X[:n]), cotan.jacobian(m[name])(X[:n]))


def test_only_what_may_be_other_than_zero_is_there(m):
    assert cotan.jacobian(m.band, sparse=True)(X).nnz == 9
    assert cotan.jacobian(m.nothing, sparse=True)(X).nnz == 0
    assert cotan.jacobian(m.band, sparse=True).pattern(X).sum() == 9


def test_positions_that_are_data(m):
    jacobian = cotan.jacobian(m.gathered, sparse=True)
    for k in ([0, 0, 4], [4, 3, 2], [1, 1, 1]):
        k = np.array(k)
        expected = np.zeros((3, 5))
        expected[np.arange(3), k] = 2.0 * X[k]
        same(jacobian(X, k), expected)
    same(jacobian(X, np.zeros(0, dtype=int)), np.zeros((0, 5)))


def test_a_pattern_that_changes(m):
    jacobian = cotan.jacobian(m.branching, sparse=True)
    same(jacobian(X), np.eye(5))
    assert jacobian(X).nnz == 5
    same(jacobian(-X), cotan.jacobian(m.branching)(-X))


def test_structures(m):
    w = np.arange(6.0).reshape(2, 3)
    expected = np.zeros((3, 6))
    expected[0, :3], expected[1, 3:], expected[2, 0] = 2.0 * w[0], 2.0 * w[1], 1.0
    same(cotan.jacobian(m.matrix, sparse=True)(w), expected)
    found = cotan.jacobian(m.by_record, sparse=True)(m.Pair(np.array([1.0, 2.0]), 3.0))
    same(found, np.array([[3.0, 0.0, 1.0], [0.0, 3.0, 2.0]]))


def test_hessians(m):
    found = cotan.hessian(m.energy, sparse=True)(X)
    same(found, cotan.hessian(m.energy)(X))
    assert found.nnz == 13
    same(cotan.hessian(m.masked, sparse=True)(X), cotan.hessian(m.masked)(X))


def test_star_colouring_of_an_arrow(m):
    dense = cotan.hessian(m.pointed)(X)
    found = cotan.hessian(m.pointed, sparse=True)(X)
    same(found, dense)
    assert found.nnz == 13


def test_several_arguments_stand_side_by_side(m):
    x, y = X[:3], X[1:4]
    found = cotan.jacobian(m.product, (0, 1), sparse=True)(x, y)
    same(found, np.hstack([np.diag(y), np.diag(x)]))
    same(cotan.jacobian(m.product, "y", sparse=True)(x, y=y), np.diag(x))


def test_expressions_and_derivatives(m):
    same(cotan.jacobian(m.expr("\\x => map(\\e => e * e, x)"), sparse=True)(X), np.diag(2.0 * X))
    same(cotan.jacobian(cotan.grad(m.energy), sparse=True)(X), cotan.hessian(m.energy)(X))


def test_pickles(m):
    jacobian = pickle.loads(pickle.dumps(cotan.jacobian(m.band, sparse=True)))
    same(jacobian(X), cotan.jacobian(m.band)(X))
    assert repr(jacobian) == "<cotan sparse jacobian(band) by x>"


def test_what_is_refused(m):
    with pytest.raises(cotan.Error, match="functions of a Cotan program"):
        cotan.jacobian(lambda x: x, sparse=True)
    with pytest.raises(cotan.Error, match="no parameter"):
        cotan.jacobian(m.band, "y", sparse=True)
    with pytest.raises(cotan.Error, match="takes 1 arguments"):
        cotan.jacobian(m.band, sparse=True)(X, X)
    with pytest.raises(cotan.Error, match="no reals"):
        cotan.jacobian(m.gathered, "k", sparse=True)(X, np.array([0]))


def test_files_of_the_command_are_those_of_scipy(tmp_path):
    """The ZIP archive that `cotan jacobian --sparse -o` writes, with the same content by SciPy."""
    command = os.environ.get("COTAN_COMMAND")
    if command is None:
        pytest.skip("COTAN_COMMAND names the program")
    (tmp_path / "band.cot").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", X)
    at = ["band.cot", "band", "--arg", "x=@x.npy", "--sparse", "-o", "J.npz"]
    subprocess.run([command, "jacobian", *at], cwd=tmp_path, check=True)
    module = cotan.compile(PROGRAM, backend="interp")
    same(csr_array(load_npz(tmp_path / "J.npz")), cotan.jacobian(module.band)(X))


def test_least_squares():
    m = cotan.compile("""
def residuals(x: [n]Real): [2*n]Real = {
  let steps = build i < n => if i == 0 then x[0] - 1.0 else x[i] - 0.5 * x[i - 1];
  concat(steps, x * x - 0.25)
}
""")
    x0 = np.linspace(1.0, 0.1, 60)
    dense = least_squares(m.residuals, x0, jac=cotan.jacobian(m.residuals))
    sparse = least_squares(m.residuals, x0, jac=cotan.jacobian(m.residuals, sparse=True), tr_solver="lsmr")
    np.testing.assert_allclose(sparse.cost, dense.cost, rtol=1e-8)
    np.testing.assert_allclose(sparse.x, dense.x, atol=1e-4)
