"""What the package costs, as a page: size, import, calls beside other systems, derivatives that are kept.

    python python/bench_report.py WHEEL benchmarks/PYTHON.md

The package of the wheel is installed in this Python, and JAX, PyTorch and autograd where they are to be
compared. It takes two minutes, and five with `--bundle`, which solves the bundle adjustment of the examples too.
"""

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

import bench_overhead
import cotan
from bench_overhead import microseconds

EXAMPLES = Path(__file__).parent / "examples"
OTHERS = ("numpy", "jax", "torch", "autograd")


def is_there(name):
    return importlib.util.find_spec(name) is not None


def table(head, rows):
    """A table of Markdown; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(it)} |" for it in (head, rule, *rows)]


def machine():
    """Where it was measured."""
    cpu = platform.processor() or "unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((it.split(":")[1].strip() for it in info.read_text().splitlines() if "model name" in it), cpu)
    return f"{cpu}, {os.cpu_count()} threads; load {os.getloadavg()[0]:.1f}"


def seconds_of_import(name, after=""):
    """The time that a new process takes for an import: the least of several, since other programs only add."""
    text = f"import time\n{after}\nstart = time.process_time()\nimport {name}\nprint(time.process_time() - start)"
    runs = [subprocess.run([sys.executable, "-c", text], capture_output=True, check=True, text=True) for _ in range(5)]
    return min(float(it.stdout) for it in runs)


def size(wheel):
    """Of a wheel, and of what it becomes."""
    installed = sum(it.file_size for it in zipfile.ZipFile(wheel).infolist())
    return f"The wheel has {wheel.stat().st_size / 1e6:.1f} MB, and {installed / 1e6:.1f} MB when it is installed."


def imports():
    """How long imports take."""
    rows = [["cotan, after NumPy", f"{seconds_of_import('cotan', 'import numpy'):.3f}"]]
    rows += [[it, f"{seconds_of_import(it):.3f}"] for it in ("cotan", *OTHERS) if is_there(it)]
    return table(["import", "seconds"], rows)


def calls():
    """What calls cost, beside other systems."""
    rows = []
    for name, system in bench_overhead.SYSTEMS.items():
        if is_there(name.split(",")[0]):
            rows.append([name, *(f"{microseconds(it):.2f}" for it in system())])
        else:
            rows.append([name, *["not measured"] * 3])
    return table(["microseconds", "value", "gradient", "gradient of 1,000 numbers"], rows)


def kept():
    """A pull-back of compiled code, which runs again, and one of a run that the interpreter keeps."""
    text = "def f(x: [n]Real): [n]Real = build i < n => sin(x[i]) * exp(x[i]) / (1.0 + x[i] * x[i])"
    rows = []
    for n in (10, 1_000, 100_000):
        x, v = np.linspace(0.0, 1.0, n), np.ones(n)
        row = [f"{n:,}"]
        for options in ({}, {"backend": "interp"}):
            f = cotan.compile(text, **options).f
            row.append(f"{microseconds(lambda f=f, x=x: cotan.vjp(f, x)):.1f}")
            pull = cotan.vjp(f, x)[1]
            row.append(f"{microseconds(lambda pull=pull, v=v: pull(v)):.1f}")
        rows.append(row)
    return table(["numbers", "compiled: `vjp`", "its pull-back", "kept: `vjp`", "its pull-back"], rows)


def bundle():
    """The bundle adjustment of the examples."""
    sys.path.insert(0, str(EXAMPLES))
    import bundle_adjustment as example

    sizes, noise = (49, 7500, 30000), 1e-3
    cameras, points, seen = example.problem(*sizes, noise=noise)
    residuals = cotan.compile(example.PROGRAM).residuals
    jacobian = cotan.jacobian(residuals, ("cameras", "points"), sparse=True)
    start = time.process_time()
    jacobian(cameras, points, *seen)
    first = time.process_time() - start
    each = microseconds(lambda: jacobian(cameras, points, *seen)) / 1e3
    value = microseconds(lambda: residuals(cameras, points, *seen)) / 1e3
    start, real = time.process_time(), time.perf_counter()
    found = example.solve(cameras, points, seen, ftol=1e-6)
    took, real = time.process_time() - start, time.perf_counter() - real
    expected = example.expected_cost(*sizes, noise)
    return table(
        ["30,000 observations, 49 cameras, 7,500 points", ""],
        [
            ["residuals, ms", f"{value:.1f}"],
            ["sparse Jacobian with 720,000 entries, ms", f"{each:.1f}"],
            ["the first one, which is compiled or found in the cache, s", f"{first:.2f}"],
            ["`least_squares`, processor seconds", f"{took:.1f}"],
            ["`least_squares`, real seconds", f"{real:.1f}"],
            ["Jacobians that it asked for", f"{found.njev}"],
            ["cost at the start", f"{0.5 * np.sum(residuals(cameras, points, *seen) ** 2):.4e}"],
            ["cost at the end", f"{found.cost:.4e}"],
            ["cost that the noise leaves on average", f"{expected:.4e}"],
        ],
    )


def page(wheel, with_bundle):
    """All of it."""
    versions = [f"{it} {importlib.metadata.version(it)}" for it in OTHERS if is_there(it)]
    res = ["# Results of the Python package", ""]
    res += ["Written by `python python/bench_report.py WHEEL benchmarks/PYTHON.md"]
    res[-1] += " --bundle`." if with_bundle else "`."
    res += ["Times are those that the process was given by the system, if nothing else is said.", ""]
    res += [f"- date: {time.strftime('%Y-%m-%d', time.gmtime())}", f"- machine: {machine()}"]
    res += [f"- Python {platform.python_version()}, {', '.join(versions)}", ""]
    res += ["## Size and import", "", size(wheel), "Imports are the least of five, each in a new process.", ""]
    res += [*imports(), "", "## Calls", ""]
    res += ["JAX is compiled and blocked, PyTorch eager; each number is the median of many rounds.", ""]
    res += [*calls(), "", "## Derivatives that are kept", ""]
    res += ["Microseconds of `cotan.vjp`, which gives the value, and of the pull-back that it gives."]
    res += ["That of a compiled function runs it again; that of an interpreted one goes through the run it kept.", ""]
    res += kept()
    if with_bundle:
        res += ["", "## Bundle adjustment", "", "`python/examples/bundle_adjustment.py`:", "", *bundle()]
    return "\n".join(res) + "\n"


def main():
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--bundle", action="store_true")
    given = parser.parse_args()
    given.page.write_text(page(given.wheel, given.bundle))


if __name__ == "__main__":
    main()
