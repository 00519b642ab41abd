"""The standard library's linear algebra beside NumPy and SciPy, which call LAPACK.

    python benchmarks/reference/linalg.py COTAN [BEFORE]

COTAN is the command, a release build; BEFORE is another one to compare with, such as that of an older commit. A process
makes a matrix by a formula and calls a function some times, another one many times more: the difference of what they
take of a processor is the time of the calls, and does not depend on what else the machine does. One thread. All are
measured in turns, three times; the median of the times, and of the ratios within a turn.

Prints a table in Markdown and writes `benchmarks/LINALG.md`; needs NumPy and SciPy.
"""

import datetime
import importlib.metadata
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TURNS = 3
# How often a function is called at a size: some times, and many times.
COUNTS = {100: (100, 2100), 500: (5, 55)}
SLOW = {100: (20, 220), 500: (2, 22)}
# What a function is called with and a number of its result, and the same by NumPy or SciPy. `x` is a matrix
# that is another one in every step, `g` a matrix that is not.
CALLS = {
    "cholesky": ("positive", "cholesky(x)[1, 1]", "np.linalg.cholesky(p)"),
    "solve_lower_matrix": (
        "strong",
        "solve_lower_matrix(x, g)[1, 1]",
        "sl.solve_triangular(l, a, lower=True, check_finite=False)",
    ),
    "solve_upper_matrix": (
        "strong",
        "solve_upper_matrix(x, g)[1, 1]",
        "sl.solve_triangular(u, a, check_finite=False)",
    ),
    "lu": ("general", "{ let (_, l, u) = lu(x); l[1, 0] + u[1, 1] }", "sl.lu(a, p_indices=True, check_finite=False)"),
    "solve": ("general", "solve(x, g[0])[1]", "np.linalg.solve(a, a[0])"),
    "inverse": ("general", "inverse(x)[1, 1]", "np.linalg.inv(a)"),
    "qr": ("general", "{ let (q, r) = qr(x); q[1, 1] + r[1, 1] }", "np.linalg.qr(a)"),
    "eigh": ("positive", "{ let (w, v) = eigh(x); w[1] + v[1, 1] }", "np.linalg.eigh(p)"),
    "svd": ("general", "{ let (u, s, v) = svd(x); u[1, 1] + s[1] + v[1, 1] }", "np.linalg.svd(a)"),
}
PROGRAM = """
def general(n: Int): [n][n]Real =
  build i < n, j < n => real((i * 7919 + j * 10473 + i * j * 31) % 1009) / 1009.0 - 0.5
def positive(n: Int): [n][n]Real =
  build i < n, j < n => real(i * j % 101) / 101.0 + if i == j then real(n) else 0.0
def strong(n: Int): [n][n]Real =
  build i < n, j < n => general(n)[i, j] + if i == j then 10.0 * sqrt(real(n)) else 0.0
def main(count: Int): Real = {
  let (g, m) = (general(SIZE), MATRIX(SIZE));
  iterate(count, \\t => { let x = build i < SIZE, j < SIZE => m[i, j] + t * 1e-30; CALL }, 0.0)
}
"""
BY_NUMPY = """
import sys
import numpy as np
import scipy.linalg as sl
size = int(sys.argv[1])
i, j = np.arange(size)[:, None], np.arange(size)[None, :]
a = ((i * 7919 + j * 10473 + i * j * 31) % 1009) / 1009 - 0.5
p = ((i * j) % 101) / 101 + np.where(i == j, size, 0)
strong = a + np.where(i == j, 10 * np.sqrt(size), 0)
l, u = np.tril(strong), np.triu(strong)
for _ in range(int(sys.argv[2])): CALL
"""


def spent(command):
    """Seconds of the processor that a command takes."""
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **one})
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(command, counts):
    """Seconds of a call."""
    few, many = counts
    return max(spent(command(many)) - spent(command(few)), 1e-9) / (many - few)


def by_cotan(cotan, path):
    return lambda count: [cotan, "run", path, "--arg", f"count={count}", "--backend", "native", "--threads", "1"]


def by_numpy(call, size):
    return lambda count: [sys.executable, "-c", BY_NUMPY.replace("CALL", call), str(size), str(count)]


def row(size, name, cotans, folder):
    """The median time of NumPy, and of each command, each with its median ratio."""
    matrix, call, other = CALLS[name]
    counts = (SLOW if name in ("eigh", "svd") else COUNTS)[size]
    text = PROGRAM.replace("SIZE", str(size)).replace("MATRIX", matrix).replace("CALL", call)
    path = folder / f"{name}_{size}.cot"
    path.write_text(f"import std.linalg ({name})\n{text}")
    commands = [by_numpy(other, size), *(by_cotan(it, path) for it in cotans)]
    # What is called first waits for the C compiler.
    for command in commands:
        spent(command(1))
    turns = [[measured(command, counts) for command in commands] for _ in range(TURNS)]
    times = [statistics.median(it) for it in zip(*turns)]
    ratios = [statistics.median(turn[at] / turn[0] for turn in turns) for at in range(len(commands))]
    return times, ratios


def main():
    cotans = sys.argv[1:3]
    if not cotans:
        sys.exit(__doc__)
    version = subprocess.run([cotans[0], "--version"], capture_output=True, text=True).stdout.strip()
    libraries = ", ".join(f"{it} {importlib.metadata.version(it)}" for it in ["numpy", "scipy"])
    before = ["before", "ratio before"] if len(cotans) > 1 else []
    head = ["function", "n", "NumPy, SciPy", "Cotan", "ratio", "reached", *before]
    lines = [
        "# Linear algebra beside NumPy",
        "",
        "Written by `python benchmarks/reference/linalg.py COTAN BEFORE`: milliseconds of a processor that a call takes,"
        " by one thread, the median of three turns, and the median ratio to NumPy or SciPy within a turn.",
        "The bar is 1.5.",
        "",
        f"- date: {datetime.date.today()}",
        f"- machine: {os.cpu_count()} threads; load {os.getloadavg()[0]:.2f}",
        f"- {version}; {libraries}",
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * 4 + "---|" + "---:|" * len(before),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in CALLS:
            for size in COUNTS:
                times, ratios = row(size, name, cotans, pathlib.Path(folder))
                reached = "yes" if ratios[1] <= 1.5 else "**no**"
                cells = [f"`{name}`", str(size), f"{times[0] * 1e3:.3f}", f"{times[1] * 1e3:.3f}", f"{ratios[1]:.2f}", reached]
                if before:
                    cells += [f"{times[2] * 1e3:.3f}", f"{ratios[2]:.2f}"]
                lines.append("| " + " | ".join(cells) + " |")
                print(lines[-1], flush=True)
    (ROOT / "benchmarks/LINALG.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
