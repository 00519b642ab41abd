"""Ctrl-C stops a call, and nothing else."""

import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
    import os, signal, sys, threading, time
    # Who starts the tests in the background may have it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import cotan
    m = cotan.compile("def endless(x: Real): Real = while(\\\\y => y > 0.0, \\\\y => y + 1.0, x)\\n"
                      "def twice(x: Real): Real = 2.0 * x", backend={backend!r})
    assert m.endless(-1.0) == -1.0
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        m.endless(1.0)
    except KeyboardInterrupt:
        print("stopped")
    assert m.twice(2.0) == 4.0 and m.endless(-2.0) == -2.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("as before")
"""


@pytest.mark.parametrize("backend", ["auto", "interp"])
def test_ctrl_c(backend):
    script = textwrap.dedent(SCRIPT.format(backend=backend))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("stopped\nas before\n", "", 0)


def test_without_a_compiler():
    script = """
        import warnings
        import cotan
        m = cotan.compile("def f(x: Real): Real = x * x")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = cotan.grad(m.f)(3.0), m.f(2.0)
        print(found, len(said), said[0].category.__name__)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60,
        env={"PATH": "/nowhere", "CC": "/nowhere/cc"},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("(6.0, 4.0) 1 RuntimeWarning\n", "")


def test_processes_that_are_forked():
    script = """
        import multiprocessing
        import numpy as np
        import cotan
        m = cotan.compile("def loss(w: [n]Real): Real = dot(w, w)")
        gradient = cotan.grad(m.loss)
        big = np.ones(200_000)
        gradient(big)
        for how in ("fork", "spawn"):
            with multiprocessing.get_context(how).Pool(2) as pool:
                found = pool.map(gradient, [big * k for k in range(3)])
            print([float(it[0]) for it in found])
    """
    script = textwrap.dedent(script)
    script = "def main():\n" + textwrap.indent(script, "    ") + "\nif __name__ == '__main__':\n    main()\n"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[0.0, 2.0, 4.0]\n[0.0, 2.0, 4.0]\n", "")
