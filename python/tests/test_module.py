"""What a module shows: signatures, documentation, errors; and what survives a pickle."""

import importlib.metadata
import inspect
import pickle
import pydoc
import re
import threading

import numpy as np
import pytest

import cotan

PROGRAM = """
type Ball = { x: Real, v: Real }
data Shape = Circle(Real) | Point
--- How far off.
--- Squared.
def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0
def energy(b: Ball): Real = b.x * b.v
def pick(xs: [n]Real, i: Int): Real = xs[i]
def source(x: Real): Real = x
"""
W = np.array([1.0, 2.0])


@pytest.fixture(scope="module")
def m():
    return cotan.compile(PROGRAM)


def test_help(m):
    signature = inspect.signature(m.loss)
    assert str(signature) == "(w: [n]Real, y: Real) -> Real"
    assert m.loss.__doc__ == "loss(w: [n]Real, y: Real): Real\n\nHow far off.\nSquared."
    assert m.loss.__name__ == "loss"
    page = pydoc.render_doc(m.loss, renderer=pydoc.plaintext)
    assert "loss(w: [n]Real, y: Real): Real" in page and "How far off." in page
    page = pydoc.render_doc(m, renderer=pydoc.plaintext)
    assert "data Shape = Circle(Real) | Point" in page and "How far off." in page
    assert repr(m.loss) == "<cotan function loss(w: [n]Real, y: Real): Real>"
    assert repr(cotan.grad(m.loss)) == "<cotan function grad(loss)(w: [n]Real, y: Real): [n]Real>"
    assert "loss" in dir(m) and "loss" in m and "Ball" in list(m) and "loss" in repr(m)
    assert m.source(2.0) == 2.0 and m["source"](2.0) == 2.0


def test_stages(m):
    text = m.loss.stages()
    assert text.startswith("-- source") and "def loss" in text
    with pytest.raises(cotan.Error, match="only definitions"):
        cotan.expr("\\x => x * 2.0").stages()


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("E0622", lambda m: m.loss(np.zeros((2, 2)), 1.0)),
        ("E0622", lambda m: m.loss(1.0, 1.0)),
        ("E0622", lambda m: m.pick(W, 1.5)),
        ("E0622", lambda m: m.pick(W, np.array([1, 2]))),
        ("E0622", lambda m: m.loss("text", 1.0)),
        ("E0622", lambda m: m.energy({"x": 1.0})),
        ("E0622", lambda m: m.energy({"x": 1.0, "v": 1.0, "w": 1.0})),
        ("E0622", lambda m: m.energy(m.Circle(1.0))),
        ("E0621", lambda m: m.loss(W)),
        ("E0620", lambda m: m.loss(W, 1.0, z=2.0)),
        ("E0601", lambda m: m.pick(W, 2)),
        ("E0632", lambda m: m["los"]),
        ("E0301", lambda m: cotan.compile("def f(x: Real): Int = x")),
        ("E0201", lambda m: m.expr("\\x => y")(1.0)),
        (None, lambda m: m.loss(W, 1.0, 2.0)),
        (None, lambda m: m.loss(None, 1.0)),
        (None, lambda m: m.loss(object(), 1.0)),
        (None, lambda m: m.loss(np.array(["a"]), 1.0)),
        (None, lambda m: m.loss(np.array([1j]), 1.0)),
        (None, lambda m: m.pick(W, 2**70)),
        (None, lambda m: m.pick(W, np.array(2**63, dtype="u8"))),
        (None, lambda m: m.energy({1: 1.0})),
        (None, lambda m: cotan.compile("", backend="fast")),
        (None, lambda m: cotan.compile("", via="magic")),
        (None, lambda m: cotan.compile("", real="f16")),
        (None, lambda m: cotan.compile("", threads=0)),
        (None, lambda m: cotan.explain("E9999")),
    ],
)
def test_errors_say_what_is_wrong(m, code, wrong):
    with pytest.raises(cotan.Error) as error:
        wrong(m)
    assert error.value.code == code
    text = str(error.value)
    assert (f"[{code}]" in text) if code else text
    assert not re.search("--[a-z]", text), "options of the command line are no help here"
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.code) == (text, code)


def test_an_error_has_its_place(m):
    with pytest.raises(cotan.Error) as error:
        cotan.compile("def f(x: Real): Int = x", name="wrong.cot")
    (complaint,) = error.value.diagnostics
    assert (complaint["file"], complaint["line"]) == ("wrong.cot", 1)
    assert "wrong.cot:1" in str(error.value)
    assert "types do not agree" in cotan.explain(error.value.code)
    with pytest.raises(AttributeError, match="did you mean"):
        m.los  # noqa: B018


def test_pickles(m):
    f = pickle.loads(pickle.dumps(m.loss))
    assert f(W, 1.0) == 4.0 and f.__doc__ == m.loss.__doc__
    for made in (cotan.grad(m.loss), cotan.grad(m.loss, (0,)), cotan.grad(m.loss, (1, 0)), m.expr("\\w => sum(w)")):
        again = pickle.loads(pickle.dumps(made))
        args = (W, 1.0)[: len(made.params)]
        np.testing.assert_equal(again(*args), made(*args))
    ball = pickle.loads(pickle.dumps(m.Ball(1.0, 2.0)))
    assert m.energy(ball.asdict()) == 2.0 and repr(ball) == "Ball(x=1.0, v=2.0)"
    module = pickle.loads(pickle.dumps(m))
    assert module.source(1.0) == 1.0 and module.loss(W, 1.0) == 4.0


@cotan.function
def traced(x):
    """A traced function of this file."""
    return np.sum(x * x)


def test_files_import_files(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "ball.cot").write_text("pub def twice(x: Real): Real = 2.0 * x")
    (tmp_path / "main.cot").write_text('import "lib/ball.cot"\ndef f(x: Real): Real = ball.twice(x) * x')
    m = cotan.load(tmp_path / "main.cot")
    assert cotan.grad(m.f)(3.0) == 12.0
    kept = pickle.dumps(m.f)
    (tmp_path / "lib" / "ball.cot").unlink()
    assert pickle.loads(kept)(3.0) == 18.0
    with pytest.raises(cotan.Error, match="E0211"):
        cotan.load(tmp_path / "main.cot")
    with pytest.raises(cotan.Error, match="E0211"):
        cotan.compile('import "ball.cot"')
    assert cotan.compile("import std.linalg (det)\ndef f(a: [2][2]Real): Real = det(a)").f(np.eye(2)) == 1.0


def test_pickles_of_traced_functions():
    assert pickle.loads(pickle.dumps(traced)) is traced
    again = pickle.loads(pickle.dumps(cotan.grad(traced)))
    np.testing.assert_array_equal(again(W), 2.0 * W)


def test_threads_share_a_function(m):
    gradient = cotan.grad(m.loss)
    found = [None] * 8

    def work(at):
        found[at] = [gradient(W * k, float(at)).tolist() for k in range(20)]

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    for at in range(8):
        assert found[at] == [[2.0 * (3.0 * k - at)] * 2 for k in range(20)]


def test_the_package_knows_its_version():
    assert cotan.__version__ == importlib.metadata.version("cotan")
    assert "__version__" not in vars(cotan), "it is looked up when somebody asks"
