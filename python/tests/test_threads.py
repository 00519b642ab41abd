"""Many threads at once, with Python's lock and, where Python was built without one, without."""

import os
import pickle
import subprocess
import sys
import sysconfig
import textwrap
import threading

import numpy as np
import pytest

import cotan

PROGRAM = """
type Ball = { x: Real, v: Real }
def loss(w: [n]Real, y: Real): Real = (sum(w * w) - y) ** 2.0
def energy(b: Ball): Real = b.x * b.v
"""
N_THREADS = 8
W = np.arange(1.0, 5.0)


def has_lock():
    """Whether Python's lock is on; it always is where Python was built with one."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def at_once(work):
    """What so many threads get that begin together."""
    before, begin = has_lock(), threading.Barrier(N_THREADS, timeout=60)
    found = [None] * N_THREADS

    def run(at):
        begin.wait()
        try:
            found[at] = work(at)
        except BaseException as error:
            found[at] = error

    threads = [threading.Thread(target=run, args=(at,)) for at in range(N_THREADS)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert has_lock() == before
    return found


@pytest.mark.parametrize(
    "options",
    [{}, {"backend": "interp"}, {"via": "tape"}, {"via": "forward"}, {"via": "chad"}, {"via": "linmap"}],
    ids=str,
)
def test_one_function_is_called_by_all(options):
    """Also for the first time, when it is compiled."""
    gradient = cotan.grad(cotan.compile(PROGRAM, **options).loss)
    found = at_once(lambda at: [gradient(W * k, float(at)) for k in range(30)])
    for at in range(N_THREADS):
        for k in range(30):
            # 2 (w.w - y) 2 w, where w is k (1, 2, 3, 4): all of it is whole numbers, without rounding.
            np.testing.assert_array_equal(found[at][k], 4.0 * (30.0 * k * k - at) * k * W)


def test_a_traced_function_is_traced_by_all():
    def f(x):
        return np.sum(x * x * x)

    gradient = cotan.grad(cotan.function(f))
    for at, it in enumerate(at_once(lambda at: gradient(W + at))):
        np.testing.assert_allclose(it, 3.0 * (W + at) ** 2, rtol=1e-15)


def test_a_sum_over_shards_is_asked_for_by_all():
    m = cotan.compile("def loss(w: Real, x: [n]Real): Real = sum(w * x)", threads=1)
    x = np.arange(1000.0)
    engine = cotan.shards.Local(2)
    total = cotan.value_and_grad(cotan.shards.sum(m.loss, over={"x": x}, n=16, engine=engine))
    assert at_once(lambda at: total(float(at))) == [(499500.0 * at, 499500.0) for at in range(N_THREADS)]


def test_pickles_that_are_opened_at_once_are_of_one_module():
    m = cotan.compile(PROGRAM + "def only_here(x: Real): Real = x")
    text = pickle.dumps(m.Ball(x=1.0, v=2.0))
    found = at_once(lambda at: pickle.loads(text))
    assert len({type(it) for it in found}) == 1
    assert all(it == found[0] for it in found)


def test_a_dict_may_change_while_it_is_read():
    """It is what it was at some time: a record, or one with a field too many."""
    energy = cotan.compile(PROGRAM).energy
    ball = {"x": 2.0, "v": 3.0}

    def work(at):
        for k in range(2000):
            if at == 0:
                ball[f"more{k % 7}"] = 1.0
                ball.pop(f"more{k % 7}")
                continue
            try:
                assert energy(ball) == 6.0
            except cotan.Error as error:
                assert "more" in str(error)

    assert at_once(work) == [None] * N_THREADS


def test_modules_are_asked_about_by_all():
    m = cotan.compile(PROGRAM)
    texts = at_once(lambda at: (m.loss.stages(), m.expr(f"\\x => loss([x], {at}.0)")(2.0)))
    assert len({it[0] for it in texts}) == 1
    assert [it[1] for it in texts] == [(4.0 - at) ** 2 for at in range(N_THREADS)]


def test_the_import_leaves_the_lock_off():
    """In a process of its own: what other tests import may switch it on."""
    script = """
        import sys
        import numpy as np
        import cotan, cotan.shards
        f = cotan.grad(cotan.compile("def f(x: [n]Real): Real = sum(x * x)").f)
        assert f(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
        print(getattr(sys, "_is_gil_enabled", lambda: True)())
    """
    variables = {name: it for name, it in os.environ.items() if name != "PYTHON_GIL"}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120)
    assert done.returncode == 0, done.stderr
    is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert done.stdout.strip() == str(not is_free)
