"""The standard library's linear algebra beside NumPy and SciPy, which call LAPACK.

    python benchmarks/reference/linalg.py COTAN [BEFORE] [--only NAME:SIZE,...]

COTAN is the command, a release build; BEFORE is another one to compare with, such as that of an older commit. A process
makes a matrix by a formula and calls a function some times, another one many times more: the difference of what they
take of a processor is the time of the calls, and does not depend on what else the machine does. One thread. All are
measured in turns, three times; the median of the times, and of the ratios within a turn.

A program that is run once is a draft at first, which ends after a number of steps: so the process that calls less often
calls often enough to take most of a second, and the draft is in both.

Prints a table in Markdown and writes `benchmarks/LINALG.md`, but for `--only`, which prints some rows; needs NumPy and SciPy.
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
# Seconds that the process which calls less often takes at least, and how many times more the other one calls.
ENOUGH = 0.8
MORE = 2
SIZES = (100, 500)
# Matrices of a batch have so many rows.
SMALL = 8
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
    "solve_matrix": ("general", "solve_matrix(x, g)[1, 1]", "np.linalg.solve(a, a)"),
    "det": ("general", "det(x)", "np.linalg.det(a)"),
    "logdet": ("general", "logdet(x)", "np.linalg.slogdet(a)"),
    "inverse": ("general", "inverse(x)[1, 1]", "np.linalg.inv(a)"),
    "qr": ("general", "{ let (q, r) = qr(x); q[1, 1] + r[1, 1] }", "np.linalg.qr(a)"),
    "lstsq": ("general", "lstsq(concat(x, g), concat(g[0], g[1]))[1]", "np.linalg.lstsq(h, b)"),
    "expm": ("general", "expm(x)[1, 1]", "sl.expm(a)"),
    "norm_1": ("general", "norm_1(x)", "np.linalg.norm(a, 1)"),
    "norm_inf": ("general", "norm_inf(x)", "np.linalg.norm(a, np.inf)"),
    "norm_frobenius": ("general", "norm_frobenius(x)", "np.linalg.norm(a)"),
    "norm_2": ("general", "norm_2(x)", "np.linalg.norm(a, 2)"),
    "eigh": ("positive", "{ let (w, v) = eigh(x); w[1] + v[1, 1] }", "np.linalg.eigh(p)"),
    "svd": ("general", "{ let (u, s, v) = svd(x); u[1, 1] + s[1] + v[1, 1] }", "np.linalg.svd(a)"),
}
# The same of a batch of small matrices, as many as have the numbers of one matrix of the size.
BATCHES = {
    "solve": ("map(solve, batch(x), vectors(x))[1, 1]", "np.linalg.solve(batch, vectors[..., None])"),
    "cholesky": ("map(cholesky, batch(x))[1, 1, 1]", "np.linalg.cholesky(batch)"),
    "inverse": ("map(inverse, batch(x))[1, 1, 1]", "np.linalg.inv(batch)"),
    "det": ("map(det, batch(x))[1]", "np.linalg.det(batch)"),
    "eigh": ("{ let r = map(eigh, batch(x)); r[1].0[1] + r[1].1[1, 1] }", "np.linalg.eigh(batch)"),
    "svd": ("{ let r = map(svd, batch(x)); r[1].1[1] + r[1].2[1, 1] }", "np.linalg.svd(batch)"),
}
CALLS |= {f"map({name}, ..)": ("general", *calls) for name, calls in BATCHES.items()}
PROGRAM = """
def general(n: Int): [n][n]Real =
  build i < n, j < n => real((i * 7919 + j * 10473 + i * j * 31) % 1009) / 1009.0 - 0.5
def positive(n: Int): [n][n]Real =
  build i < n, j < n => real(i * j % 101) / 101.0 + if i == j then real(n) else 0.0
def strong(n: Int): [n][n]Real =
  build i < n, j < n => general(n)[i, j] + if i == j then 10.0 * sqrt(real(n)) else 0.0
def batch(x: [n][n]Real): [COUNT][SMALL][SMALL]Real = build b < COUNT, i < SMALL, j < SMALL => {
  let at = (b * SMALL + max(i, j)) * SMALL + min(i, j);
  x[at / n, at % n] + if i == j then real(SMALL) else 0.0
}
def vectors(x: [n][n]Real): [COUNT][SMALL]Real = build b < COUNT, i < SMALL => x[b % n, i]
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
h, b = np.concatenate([a, a]), np.concatenate([a[0], a[1]])
batch = a.reshape(-1)[: COUNT * SMALL * SMALL].reshape(COUNT, SMALL, SMALL)
batch = np.tril(batch) + np.tril(batch, -1).transpose(0, 2, 1) + SMALL * np.eye(SMALL)
vectors = a[np.arange(COUNT) % size, :SMALL]
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


def counts_of(command):
    """How often to call: some times, and more often."""
    # What is called first waits for the C compiler.
    start = spent(command(1))
    start, few = min(start, spent(command(1))), 1
    while (taken := spent(command(few)) - start) < ENOUGH:
        few = max(few + 1, min(20 * few, int(1.2 * few * ENOUGH / max(taken, 0.01))))
    return few, (1 + MORE) * few


def measured(command, counts):
    """Seconds of a call."""
    few, many = counts
    return max(spent(command(many)) - spent(command(few)), 1e-9) / (many - few)


def with_sizes(text, size):
    for word, number in {"SIZE": size, "COUNT": size * size // SMALL**2, "SMALL": SMALL}.items():
        text = text.replace(word, str(number))
    return text


def by_cotan(cotan, path):
    return lambda count: [cotan, "run", path, "--arg", f"count={count}", "--backend", "native", "--threads", "1"]


def by_numpy(call, size):
    return lambda count: [sys.executable, "-c", with_sizes(BY_NUMPY, size).replace("CALL", call), str(size), str(count)]


def row(size, name, cotans, folder):
    """The median time of NumPy, and of each command, each with its median ratio."""
    matrix, call, other = CALLS[name]
    plain = name.removeprefix("map(").removesuffix(", ..)")
    text = with_sizes(PROGRAM.replace("MATRIX(SIZE)", f"{matrix}(SIZE)"), size).replace("CALL", call)
    path = folder / f"{'batch' if plain != name else 'one'}_{plain}_{size}.cot"
    path.write_text(f"import std.linalg ({plain})\n{text}")
    commands = [by_numpy(other, size), *(by_cotan(it, path) for it in cotans)]
    counts = [counts_of(command) for command in commands]
    turns = [[measured(*it) for it in zip(commands, counts)] for _ in range(TURNS)]
    times = [statistics.median(it) for it in zip(*turns)]
    ratios = [statistics.median(turn[at] / turn[0] for turn in turns) for at in range(len(commands))]
    return times, ratios


def main():
    args = sys.argv[1:]
    only = args[-1].split(",") if "--only" in args else []
    cotans = args[: args.index("--only")] if only else args
    if not 1 <= len(cotans) <= 2:
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
            for size in SIZES:
                if only and f"{name}:{size}" not in only:
                    continue
                times, ratios = row(size, name, cotans, pathlib.Path(folder))
                reached = "yes" if ratios[1] <= 1.5 else "**no**"
                cells = [f"`{name}`", str(size), f"{times[0] * 1e3:.3f}", f"{times[1] * 1e3:.3f}", f"{ratios[1]:.2f}", reached]
                if before:
                    cells += [f"{times[2] * 1e3:.3f}", f"{ratios[2]:.2f}"]
                lines.append("| " + " | ".join(cells) + " |")
                print(lines[-1], flush=True)
    if not only:
        (ROOT / "benchmarks/LINALG.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
