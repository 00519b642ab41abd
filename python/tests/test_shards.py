"""Sums over shards: the same bits whoever evaluates them, and the unsharded value up to rounding."""

import itertools
import math
import pathlib
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg

import cotan
from cotan.shards._order import Failure, added, evaluated, joined, nodes

SOURCE = """
type Pair = { a: Real, b: Real }
def residuals(p: [3]Real, t: [n]Real, y: [n]Real): [n]Real =
  build i < n => p[0] * exp(-p[1] * t[i]) + p[2] - y[i]
def loss(p: [3]Real, t: [n]Real, y: [n]Real): Real = { let r = residuals(p, t, y); 0.5 * dot(r, r) }
def squares(p: Pair, x: [n][2]Real): Pair = Pair { a: p.a * sum(build i < n => x[i][0]), b: p.b * real(n) }
def count(k: Int, x: [n]Real): Int = k * n
def look(w: [m]Real, at: [n]Int): Real = sum(build i < n => w[at[i]])
def shape(x: [n]Real): [n]Real = x
def truth(x: [n]Real): Bool = sum(x) > 0.0
def pairs(d: (([n]Real), ([n]Real)), w: Real): Real = match d { (x, y) => w * dot(x, y) }
"""
M = cotan.compile(SOURCE)
RANDOM = np.random.default_rng(7)
T = np.linspace(0.0, 3.0, 1000)
Y = 2.0 * np.exp(-0.7 * T) + 0.5 + 0.01 * RANDOM.standard_normal(T.size)
P = np.array([1.5, 0.9, 0.3])
ENGINES = [cotan.shards.Local(it) for it in (1, 2, 3, 8)]


def exact(x):
    """All bits of a structure."""
    return cotan.ravel(x)[0].tobytes()


def over(engine=None, n=13, f=None):
    return cotan.shards.sum(f or M.loss, over={"t": T, "y": Y}, n=n, engine=engine or "local")


def by_numpy(p):
    """Value and gradient, in closed form."""
    e = np.exp(-p[1] * T)
    r = p[0] * e + p[2] - Y
    jacobian = np.stack([e, -p[0] * T * e, np.ones_like(T)], axis=1)
    return 0.5 * math.fsum(r * r), jacobian.T @ r, jacobian.T @ jacobian


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 64, 1000, 1500])
def test_the_tree_depends_on_the_number_of_shards_only(n):
    words = [f"{it}" for it in range(n)]
    whole = evaluated((0, n), lambda it: Text(words[it]))
    for parts in range(1, 6):
        cuts = [it * n // parts for it in range(parts + 1)]
        for at_most in (1, 4, n):
            found = {
                node: evaluated(node, lambda it: Text(words[it]))
                for lo, hi in itertools.pairwise(cuts)
                for node in nodes((0, n), (lo, hi), at_most)
            }
            assert sorted(found) == list(found)
            assert joined((0, n), found) == whole


class Text(float):
    """A number that remembers how it was added."""

    def __new__(cls, text):
        made = float.__new__(cls, 0.0)
        made.text = text
        return made

    def __add__(self, other):
        return Text(f"({self.text}+{other.text})")

    def __eq__(self, other):
        return self.text == other.text


@pytest.mark.parametrize("n", [1, 2, 5, 13, 64])
def test_value_gradient_and_products_are_those_of_the_whole(n):
    value, gradient, normal = by_numpy(P)
    found, by_p = cotan.value_and_grad(over(n=n))(P)
    assert found == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(by_p, gradient, rtol=1e-10)
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(cotan.gauss_newton(over(n=n, f=M.residuals))(P, v), normal @ v, rtol=1e-10)
    step = 1e-5
    differences = (by_numpy(P + step * v)[1] - by_numpy(P - step * v)[1]) / (2 * step)
    np.testing.assert_allclose(cotan.hvp(over(n=n))(P, v), differences, rtol=1e-6)
    np.testing.assert_allclose(cotan.hessian(over(n=n))(P) @ v, differences, rtol=1e-6)
    np.testing.assert_allclose(cotan.jvp(over(n=n), (P,), (v,))[1], gradient @ v, rtol=1e-10)


@pytest.mark.parametrize("operator", ["value", "value_and_grad", "hvp", "gauss_newton"])
def test_the_same_bits_by_any_number_of_threads(operator):
    found = set()
    for engine in ENGINES:
        total = over(engine, f=M.residuals if operator == "gauss_newton" else None)
        f = total if operator == "value" else getattr(cotan, operator)(total)
        found.add(exact(f(P, P) if operator in ("hvp", "gauss_newton") else f(P)))
    assert len(found) == 1


METHODS = [("native", it) for it in ("bulk", "chad", "linmap")]
METHODS += [("interp", it) for it in ("bulk", "chad", "linmap", "tape", "forward")]


@pytest.mark.parametrize(("backend", "via"), METHODS)
@pytest.mark.parametrize("real", ["f64", "f32"])
def test_every_method_and_back_end(backend, real, via):
    m = cotan.compile(SOURCE, backend=backend, real=real, via=via)
    close = {"rtol": 1e-10} if real == "f64" else {"rtol": 2e-3, "atol": 2e-3}
    found = {exact(cotan.value_and_grad(over(it, f=m.loss, n=5))(P)) for it in ENGINES[:2]}
    assert len(found) == 1
    np.testing.assert_allclose(np.frombuffer(found.pop())[1:], by_numpy(P)[1], **close)


def test_empty_shards_and_data():
    many = cotan.shards.sum(M.loss, over={"t": T[:3], "y": Y[:3]}, n=10)
    assert many(P) == pytest.approx(M.loss(P, T[:3], Y[:3]), rel=1e-14)
    nothing = cotan.shards.sum(M.loss, over={"t": T[:0], "y": Y[:0]}, n=4)
    value, gradient = cotan.value_and_grad(nothing)(P)
    assert (value, gradient.tolist()) == (0.0, [0.0, 0.0, 0.0])
    one = cotan.shards.sum(M.loss, over={"t": T[:1], "y": Y[:1]}, n=1)
    assert one(P) == M.loss(P, T[:1], Y[:1])
    some = {"t": lambda k: T[: 3 * (k == 1)], "y": lambda k: Y[: 3 * (k == 1)]}
    assert cotan.shards.sum(M.loss, over=some, n=3)(P) == M.loss(P, T[:3], Y[:3])


def test_structures_and_integers():
    x = np.arange(14.0).reshape(7, 2)
    total = cotan.shards.sum(M.squares, over={"x": x}, n=3)
    assert total(M.Pair(a=2.0, b=3.0)) == M.Pair(a=84.0, b=21.0)
    assert cotan.grad(cotan.shards.sum(M.loss, over={"t": T, "y": Y}), "p")(p=P).shape == (3,)
    assert cotan.shards.sum(M.count, over={"x": T}, n=9)(2) == 2000
    pair = cotan.shards.sum(M.pairs, over={"d": (T, [1.0] * T.size)}, n=9)
    assert pair(2.0) == pytest.approx(2.0 * T.sum(), rel=1e-13)


def test_python_functions_are_traced():
    total = cotan.shards.sum(lambda w, x: np.sum(np.sin(w * x)), over={"x": T}, n=7)
    assert total(0.5) == pytest.approx(math.fsum(np.sin(0.5 * T)), rel=1e-13)
    assert cotan.grad(total)(0.5) == pytest.approx(math.fsum(T * np.cos(0.5 * T)), rel=1e-13)
    products = cotan.gauss_newton(cotan.shards.sum(lambda w, x: np.sin(w * x), over={"x": T}, n=7))
    assert products(0.5, 2.0) == pytest.approx(2.0 * math.fsum((T * np.cos(0.5 * T)) ** 2), rel=1e-13)


def test_data_from_files(tmp_path):
    np.save(tmp_path / "t.npy", T)
    np.save(tmp_path / "y.npy", Y)
    expected = exact(over()(P))
    paths = {"t": tmp_path / "t.npy", "y": str(tmp_path / "y.npy")}
    assert exact(cotan.shards.sum(M.loss, over=paths, n=13)(P)) == expected
    mapped = {it: np.load(path, mmap_mode="r") for it, path in paths.items()}
    assert exact(cotan.shards.sum(M.loss, over=mapped, n=13)(P)) == expected
    # A part of a map is not the file.
    part = {it: array[100:900] for it, array in mapped.items()}
    own = {"t": T[100:900], "y": Y[100:900]}
    assert cotan.shards.sum(M.loss, over=part, n=3)(P) == cotan.shards.sum(M.loss, over=own, n=3)(P)
    bounds = [it * T.size // 13 for it in range(14)]
    given = {"t": lambda k: T[bounds[k] : bounds[k + 1]], "y": lambda k: Y[bounds[k] : bounds[k + 1]]}
    assert exact(cotan.shards.sum(M.loss, over=given, n=13)(P)) == expected
    columns = np.asfortranarray(np.arange(14.0).reshape(7, 2))
    np.save(tmp_path / "x.npy", columns)
    found = cotan.shards.sum(M.squares, over={"x": tmp_path / "x.npy"}, n=3)(M.Pair(a=2.0, b=3.0))
    assert found == M.Pair(a=84.0, b=21.0)


def test_data_from_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"t": T, "y": Y, "row": pa.array(list(np.stack([T, Y], 1)), pa.list_(pa.float64()))})
    parquet.write_table(table, tmp_path / "d.parquet", row_group_size=77)
    file = str(tmp_path / "d.parquet")
    assert exact(cotan.shards.sum(M.loss, over={"t": file, "y": file}, n=13)(P)) == exact(over()(P))
    rows = cotan.shards.sum(M.squares, over={"x": cotan.shards.parquet(file, "row")}, n=13)
    assert rows(M.Pair(a=1.0, b=1.0)).a == pytest.approx(T.sum(), rel=1e-13)
    with pytest.raises(cotan.Error, match="no column `z`: it has t, y, row"):
        cotan.shards.parquet(file, "z")


def test_data_from_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    for name, array in (("t", T), ("y", Y)):
        zarr.save_array(str(tmp_path / f"{name}.zarr"), array)
    files = {it: tmp_path / f"{it}.zarr" for it in ("t", "y")}
    assert exact(cotan.shards.sum(M.loss, over=files, n=13)(P)) == exact(over()(P))


def test_the_fault_of_the_first_shard_is_raised():
    at = np.zeros(160, np.int64)
    at[[75, 149]] = 9, 8
    for engine in ENGINES:
        total = cotan.shards.sum(M.look, over={"at": at}, n=16, engine=engine)
        with pytest.raises(cotan.Error) as raised:
            cotan.grad(total)(np.zeros(3))
        assert raised.value.code == "E0601"
        assert raised.value.__notes__ == ["This happened in shard 7 of 16, with the rows from 70 to 79."]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cotan.shards.sum(M.loss, over={"t": T, "y": Y[1:]}), "`t` has 1000 rows and `y` has 999"),
        (lambda: cotan.shards.sum(M.loss, over={"q": T}), "`loss` has no parameter `q`: it has p, t, y"),
        (lambda: cotan.shards.sum(M.loss, over={}), "`over` is empty"),
        (lambda: cotan.shards.sum(M.loss, over={"t": T, "y": Y}, n=0), "positive integer, not 0"),
        (lambda: cotan.shards.sum(M.loss, over={"t": 1.0, "y": Y}), "`t` has no rows"),
        (lambda: cotan.shards.sum(M.loss, over={"t": "a.csv", "y": Y}), "neither in .npy nor"),
        (lambda: over(engine="cloud"), "no engine `cloud`: choose one of local, mpi, ray"),
        (lambda: cotan.shards.Local(0), "at least one worker"),
        (lambda: over()(), "missing a required argument: 'p'"),
        (lambda: cotan.grad(over(), "t"), "no parameter `t`: it has p"),
        (lambda: cotan.shards.sum(M.shape, over={"x": T}, n=3)(), r"the shapes \(333,\) and \(333,\)|\(334,\)"),
        (lambda: cotan.shards.sum(M.truth, over={"x": T}, n=3)(), "bool cannot be added"),
        (lambda: cotan.grad(cotan.gauss_newton(M.residuals)), "has no derivatives"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(cotan.Error, match=message):
        make()


def test_what_a_function_of_the_shard_raises_comes_out():
    def give(shard):
        raise FileNotFoundError(f"part-{shard}")

    with pytest.raises(FileNotFoundError, match="part-0"):
        cotan.shards.sum(M.loss, over={"t": give, "y": give}, n=4)(P)


def test_failures_win_over_values_and_the_first_over_others():
    first, second = Failure(3, ValueError()), Failure(5, ValueError())
    assert added(first, second) is first
    assert added(1.0, second) is second
    assert added(first, None) is first
    assert added(None, 2.0) == 2.0


def test_shards_run_at_the_same_time():
    both = threading.Barrier(2, timeout=20)

    def give(shard):
        both.wait()
        return T[:10]

    cotan.shards.sum(M.loss, over={"t": give, "y": lambda k: Y[:10]}, n=2, engine=cotan.shards.Local(2))(P)


def test_optimisers_take_them():
    total, residuals = over(), over(f=M.residuals)
    found = minimize(cotan.value_and_grad(total), P, jac=True, tol=1e-12)
    whole = minimize(cotan.value_and_grad(M.loss), P, args=(T, Y), jac=True, tol=1e-12)
    np.testing.assert_allclose(found.x, whole.x, rtol=1e-6)
    products = minimize(total, P, jac=cotan.grad(total), hessp=cotan.hvp(total), method="trust-ncg", tol=1e-10)
    np.testing.assert_allclose(products.x, found.x, rtol=1e-6)
    p = P.copy()
    for _ in range(30):
        normal = LinearOperator((3, 3), lambda v, p=p: cotan.gauss_newton(residuals)(p, v))
        p = p - cg(normal, cotan.grad(total)(p), rtol=1e-12)[0]
    np.testing.assert_allclose(p, found.x, rtol=1e-6)


def test_by_ray():
    pytest.importorskip("ray")
    script = """
        import sys; sys.path.insert(0, {tests!r})
        import ray
        ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        from test_shards import *
        for engine in (cotan.shards.Local(1), "ray"):
            print(exact(cotan.value_and_grad(over(engine))(P)).hex())
    """
    tests = str(pathlib.Path(__file__).parent)
    script = textwrap.dedent(script.format(tests=tests))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    one, other = done.stdout.split()
    assert one == other


def test_memory_is_bounded_by_a_shard(tmp_path):
    rows = 3_000_000
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float64, (rows, 8)).flush()
    script = """
        import resource, sys
        import cotan
        m = cotan.compile("def loss(w: [k]Real, x: [n][k]Real): Real = sum(build i < n => (dot(w, x[i]) - 1.0) ** 2.0)",
                          memory=32 * 2**20)
        w = [0.0] * 8
        total = cotan.value_and_grad(cotan.shards.sum(m.loss, over={"x": sys.argv[1]}, n=int(sys.argv[2]),
                                     engine=cotan.shards.Local(1)))
        m.loss(w, [w])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(total(w)[0], (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
    """
    script = textwrap.dedent(script)
    command = [sys.executable, "-c", script, str(tmp_path / "x.npy")]
    done = subprocess.run([*command, "256"], capture_output=True, text=True, timeout=120)
    value, grown = done.stdout.split()
    assert float(value) == rows
    # The file has 192 MB, more than the limit, and a shard less than one.
    assert int(grown) < 48 * 2**20
    whole = subprocess.run([*command, "1"], capture_output=True, text=True, timeout=120)
    # Pages of the file may be given back meanwhile, so this is less than all of it.
    assert int(whole.stdout.split()[1]) > 64 * 2**20
