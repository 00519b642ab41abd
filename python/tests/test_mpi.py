"""Sums over shards by processes of MPI: the same bits, and an end together."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

pytest.importorskip("mpi4py")
MPIRUN = shutil.which("mpirun", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
if MPIRUN is None:
    pytest.skip("there is no mpirun", allow_module_level=True)

#: More processes than cores are wanted here, also by root in a container.
LENIENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}

HEAD = """
import os, pathlib, sys
import numpy as np
import cotan
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", 0))
place = pathlib.Path({place!r})
def say(*what):
    with open(place / f"said.{{rank}}", "a") as file:
        print(*what, file=file)
m = cotan.compile('''
def loss(p: [3]Real, t: [n]Real, y: [n]Real): Real =
  sum(build i < n => (p[0] * exp(-p[1] * t[i]) + p[2] - y[i]) ** 2.0)
def look(w: [m]Real, at: [n]Int): Real = sum(build i < n => w[at[i]])
''')
t = np.linspace(0.0, 3.0, 1001)
y = 2.0 * np.exp(-0.7 * t) + 0.5 + 0.01 * np.sin(40.0 * t)
"""


def started(place, n, script, ending="exit $s"):
    """A job of so many processes; each writes its exit status beside what it says."""
    file = place / "script.py"
    file.write_text(HEAD.format(place=str(place)) + textwrap.dedent(script))
    shell = f'"{sys.executable}" "{file}"; s=$?; echo $s > "{place}/status.$OMPI_COMM_WORLD_RANK"; {ending}'
    return subprocess.Popen(
        [MPIRUN, "-n", str(n), "sh", "-c", shell],
        env=os.environ | LENIENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(place, n, script, status=0, ending="exit $s"):
    """What each process of a job says, and what all print."""
    job = started(place, n, script, ending)
    out, err = job.communicate(timeout=400)
    assert job.returncode == status, out + err
    said = [place / f"said.{it}" for it in range(n)]
    return [it.read_text() if it.exists() else "" for it in said], out + err


FIT = """
    from scipy.optimize import minimize
    for n in (16, 13, 3):
        total = cotan.shards.sum(m.loss, over={"t": t, "y": y}, n=n)
        found = minimize(cotan.value_and_grad(total), np.ones(3), jac=True, tol=1e-10)
        say(found.x.tobytes().hex(), found.nit, found.nfev)
        say(cotan.hvp(total)(found.x, np.ones(3)).tobytes().hex())
        say(total(np.zeros(3)).hex())
"""


def test_the_same_bits_by_any_number_of_processes(tmp_path):
    found = set()
    for ranks in (1, 2, 3, 4):
        place = tmp_path / str(ranks)
        place.mkdir()
        found |= set(run(place, ranks, FIT)[0])
    alone = tmp_path / "alone"
    alone.mkdir()
    script = alone / "script.py"
    script.write_text(HEAD.format(place=str(alone)) + textwrap.dedent(FIT))
    subprocess.run([sys.executable, str(script)], check=True, timeout=400)
    found.add((alone / "said.0").read_text())
    assert len(found) == 1
    # It is the minimum: the gradient, in closed form, is zero there.
    x = np.frombuffer(bytes.fromhex(found.pop().split()[0]))
    t = np.linspace(0.0, 3.0, 1001)
    r = x[0] * np.exp(-x[1] * t) + x[2] - (2.0 * np.exp(-0.7 * t) + 0.5 + 0.01 * np.sin(40.0 * t))
    by = np.stack([np.exp(-x[1] * t), -x[0] * t * np.exp(-x[1] * t), np.ones_like(t)])
    assert np.abs(2.0 * by @ r).max() < 1e-5


def test_the_script_of_the_readme(tmp_path):
    readme = pathlib.Path(__file__).parents[2] / "README.md"
    (script,) = re.findall(r"^```python\n(.*?)^```$", readme.read_text(), re.M | re.S)
    assert script.count("\n") <= 15
    (tmp_path / "fit.py").write_text(script)
    alone = [sys.executable, "fit.py"]
    said = [
        subprocess.run(
            it, cwd=tmp_path, env=os.environ | LENIENT, check=True, capture_output=True, text=True, timeout=400
        ).stdout.splitlines()
        for it in (alone, [MPIRUN, "-n", "4", *alone])
    ]
    assert said[1] == said[0] * 4
    np.testing.assert_allclose(eval(said[0][0]), [2.0, 0.7, 0.5], rtol=1e-6)


def test_a_fault_in_one_shard_ends_all_with_one_message(tmp_path):
    script = """
        at = np.zeros(160, np.int64)
        at[75] = 9
        total = cotan.shards.sum(m.look, over={"at": at}, n=16)
        say("before")
        cotan.value_and_grad(total)(np.zeros(3))
        say("after")
    """
    # By the first status that is not 0, `mpirun` would end the others before theirs is written.
    said, shown = run(tmp_path, 4, script, ending="exit 0")
    assert said == ["before\n"] * 4
    assert shown.count("error[E0601]") == 1
    assert shown.count("This happened in shard 7 of 16, with the rows from 70 to 79.") == 1
    assert [(tmp_path / f"status.{it}").read_text() for it in range(4)] == ["1\n"] * 4


def test_a_fault_that_is_caught_leaves_all_in_step(tmp_path):
    script = """
        at = np.zeros(160, np.int64)
        at[75] = 9
        total = cotan.shards.sum(m.look, over={"at": at}, n=16)
        try:
            total(np.zeros(3))
        except cotan.Error as error:
            say(error.code)
        say(total(np.ones(10)))
        def give(shard):
            if shard == 2:
                raise FileNotFoundError("part-2")
            return at[:1]
        try:
            cotan.shards.sum(m.look, over={"at": give}, n=4)(np.ones(3))
        except FileNotFoundError as error:
            say(error)
        try:
            cotan.shards.sum(m.look, over={"at": str(place / f"of-{rank % 2}.npy")}, n=4)
        except FileNotFoundError as error:
            say(pathlib.Path(error.filename).name)
    """
    np.save(tmp_path / "of-0.npy", np.zeros(4, np.int64))
    said, _ = run(tmp_path, 3, script)
    assert said == ["E0601\n160.0\npart-2\nof-1.npy\n"] * 3


def test_points_that_differ_between_processes_are_an_error(tmp_path):
    script = """
        total = cotan.shards.sum(m.loss, over={"t": t, "y": y}, n=16)
        total(np.full(3, float(rank == 2)))
    """
    _, shown = run(tmp_path, 3, script, status=1)
    assert shown.count("processes ask for a sum at different points") == 1


def test_an_exception_in_one_process_ends_the_job(tmp_path):
    script = """
        total = cotan.shards.sum(m.loss, over={"t": t, "y": y}, n=16)
        total(np.ones(3))
        if rank == 1:
            raise ValueError("only here")
        total(np.ones(3))
    """
    _, shown = run(tmp_path, 3, script, status=1)
    assert shown.count("ValueError: only here") == 1


def test_a_process_that_is_killed_ends_the_job(tmp_path):
    script = """
        import time
        total = cotan.shards.sum(m.loss, over={"t": t, "y": y}, n=16)
        total(np.ones(3))
        (place / f"pid.{rank}").write_text(str(os.getpid()))
        while True:
            total(np.ones(3))
    """
    job = started(tmp_path, 3, script)
    try:
        pid = tmp_path / "pid.1"
        while not (pid.exists() and pid.read_text()):
            assert job.poll() is None
            time.sleep(0.05)
        start = time.monotonic()
        os.kill(int(pid.read_text()), 9)
        out, err = job.communicate(timeout=60)
    finally:
        job.kill()
    assert time.monotonic() - start < 10
    assert job.returncode != 0
    assert "exit" in out + err


def test_more_processes_than_shards_and_than_rows(tmp_path):
    script = """
        for rows in (1001, 2, 0):
            total = cotan.shards.sum(m.loss, over={"t": t[:rows], "y": y[:rows]}, n=2)
            value, gradient = cotan.value_and_grad(total)(np.ones(3))
            say(value.hex(), gradient.tobytes().hex(), gradient.any())
    """
    several, one = tmp_path / "several", tmp_path / "one"
    several.mkdir()
    one.mkdir()
    said, _ = run(several, 4, script)
    alone, _ = run(one, 1, script)
    assert set(said) == set(alone)
    value, _, is_other = alone[0].splitlines()[-1].split()
    assert (float.fromhex(value), is_other) == (0.0, "False")
