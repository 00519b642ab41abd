"""The standard library's linear algebra beside NumPy and SciPy, which call LAPACK.

    python benchmarks/reference/linalg.py COTAN [--only 'NAME;...']

COTAN is the command, a release build. `cotan bench` measures a function of arrays that were made before, and its
pull-back; a process with NumPy measures the same function of the same arrays in the same way: batches of calls of at
least some milliseconds, the median of all. One thread. The two take turns, three times; the table has the median of
the times, and of the ratios within a turn.

Writes `benchmarks/LINALG.md`, but for `--only`, which prints some rows; needs NumPy and SciPy.
"""

import datetime
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TURNS = 3
SECONDS = 0.5
BAR = 1.5
SIZES = (100, 500)
# Matrices of a batch have so many rows.
SMALL = 8
# What Cotan calls with which arguments, the cotangent of the result, and the same call of NumPy or SciPy.
CALLS = {
    "cholesky": ("cholesky", "p", "a", "np.linalg.cholesky(p)"),
    "solve_lower": ("solve_lower", "s, v", "v", "sl.solve_triangular(s, v, lower=True, check_finite=False)"),
    "solve_upper": ("solve_upper", "s, v", "v", "sl.solve_triangular(s, v, check_finite=False)"),
    "solve_lower_matrix": (
        "solve_lower_matrix",
        "s, a",
        "a",
        "sl.solve_triangular(s, a, lower=True, check_finite=False)",
    ),
    "solve_upper_matrix": ("solve_upper_matrix", "s, a", "a", "sl.solve_triangular(s, a, check_finite=False)"),
    "lu": ("lu", "a", "(replicate(SIZE, 0), a, a)", "sl.lu(a, p_indices=True, check_finite=False)"),
    "solve": ("solve", "a, v", "v", "np.linalg.solve(a, v)"),
    "solve_matrix": ("solve_matrix", "a, p", "a", "np.linalg.solve(a, p)"),
    "inverse": ("inverse", "a", "a", "np.linalg.inv(a)"),
    "det": ("det", "a", "1.0", "np.linalg.det(a)"),
    "logdet": ("logdet", "a", "1.0", "np.linalg.slogdet(a)"),
    "qr": ("qr", "a", "(a, a)", "np.linalg.qr(a)"),
    "lstsq": ("lstsq", "concat(a, p), concat(v, v)", "v", "np.linalg.lstsq(h, b)"),
    "eigh": ("eigh", "p", "(v, a)", "np.linalg.eigh(p)"),
    "svd": ("svd", "a", "(a, v, a)", "np.linalg.svd(a)"),
    "expm": ("expm", "a", "a", "sl.expm(a)"),
    "norm_1": ("norm_1", "a", "1.0", "np.linalg.norm(a, 1)"),
    "norm_inf": ("norm_inf", "a", "1.0", "np.linalg.norm(a, np.inf)"),
    "norm_frobenius": ("norm_frobenius", "a", "1.0", "np.linalg.norm(a)"),
    "norm_2": ("norm_2", "a", "1.0", "np.linalg.norm(a, 2)"),
}
# The same of a batch of small matrices, as many as have the numbers of one matrix of the size.
CALLS |= {
    "map(solve, ..)": (r"\x, y => map(solve, x, y)", "many, vectors", "vectors", "np.linalg.solve(many, vectors[..., None])"),
    "map(cholesky, ..)": (r"\x => map(cholesky, x)", "many", "many", "np.linalg.cholesky(many)"),
    "map(inverse, ..)": (r"\x => map(inverse, x)", "many", "many", "np.linalg.inv(many)"),
    "map(det, ..)": (r"\x => map(det, x)", "many", "vectors[0.., 0]", "np.linalg.det(many)"),
    "map(eigh, ..)": (r"\x => map(eigh, x)", "many", "zip(vectors, many)", "np.linalg.eigh(many)"),
    "map(svd, ..)": (r"\x => map(svd, x)", "many", "build i < COUNT => (many[i], vectors[i], many[i])", "np.linalg.svd(many)"),
}
# The matrices: of any numbers, positive definite, with a strong diagonal, and a batch of symmetric ones with one.
BY_COTAN = """
import std.linalg (NAME)
def general(n: Int): [n][n]Real =
  build i < n, j < n => real((i * 7919 + j * 10473 + i * j * 31) % 1009) / 1009.0 - 0.5
def batch(count: Int): [count][SMALL][SMALL]Real = build b < count, i < SMALL, j < SMALL => {
  let at = (b * SMALL + max(i, j)) * SMALL + min(i, j);
  general(SIZE)[at / SIZE, at % SIZE] + if i == j then real(SMALL) else 0.0
}
"""
# A point is written in place: names of definitions in it are computed before.
POINTS = {
    "a": "general(SIZE)",
    "p": "(build i < SIZE, j < SIZE => real(i * j % 101) / 101.0 + if i == j then real(SIZE) else 0.0)",
    "s": "(build i < SIZE, j < SIZE => general(SIZE)[i, j] + if i == j then 10.0 * sqrt(real(SIZE)) else 0.0)",
    "v": "general(SIZE)[0]",
    "many": "batch(COUNT)",
    "vectors": "(build b < COUNT, i < SMALL => general(SIZE)[b % SIZE, i])",
}
BY_NUMPY = """
import statistics
import sys
import time
import numpy as np
import scipy.linalg as sl
def measured(SIZE):
    COUNT = SIZE * SIZE // SMALL**2
    i, j = np.arange(SIZE)[:, None], np.arange(SIZE)[None, :]
    a = ((i * 7919 + j * 10473 + i * j * 31) % 1009) / 1009 - 0.5
    p = ((i * j) % 101) / 101 + np.where(i == j, SIZE, 0)
    s = a + np.where(i == j, 10 * np.sqrt(SIZE), 0)
    v = a[0]
    h, b = np.concatenate([a, p]), np.concatenate([v, v])
    many = a.reshape(-1)[: COUNT * SMALL * SMALL].reshape(COUNT, SMALL, SMALL)
    many = np.tril(many) + np.tril(many, -1).transpose(0, 2, 1) + SMALL * np.eye(SMALL)
    vectors = a[np.arange(COUNT) % SIZE, :SMALL]
    call = lambda: CALL
    call()
    start, batch, found = time.perf_counter(), 1, []
    while not found or time.perf_counter() - start < SECONDS:
        begin = time.perf_counter()
        for _ in range(batch):
            call()
        whole = time.perf_counter() - begin
        if whole < 2e-3:
            batch *= 2
        else:
            found.append(whole / batch)
    return statistics.median(found)
for size in sys.argv[1:]:
    print(measured(int(size)))
"""


def with_sizes(text, size):
    for word, number in {"SIZE": size, "COUNT": size * size // SMALL**2, "SMALL": SMALL}.items():
        text = text.replace(word, str(number))
    return text


def with_points(text):
    """The text with each name of a point in its place."""
    words = []
    for part in text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").replace("[", " [ ").split(" "):
        words.append(POINTS.get(part, part))
    return " ".join(words)


def bench(name, size):
    """The text of a file that measures a function of matrices of a size."""
    call, point, cotangent, _ = CALLS[name]
    plain = name.removeprefix("map(").removesuffix(", ..)")
    text = BY_COTAN.replace("NAME", plain)
    text += f'bench "{name}" = vjp({call})({with_points(point)})({with_points(cotangent)})\n'
    return with_sizes(text, size)


def output(command):
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **one})
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))[:200]}\n{ran.stderr}")
    return ran.stdout


def by_cotan(cotan, file):
    """Seconds of a call, and of its pull-back with it."""
    command = [cotan, "bench", file, "--json", "--threads", "1", "--backend", "native", "--seconds", str(SECONDS)]
    found = json.loads(output(command))["benches"][0]
    return found["primal"]["median"], found["derivative"]["median"]


def by_numpy(name):
    text = BY_NUMPY.replace("CALL", CALLS[name][3]).replace("SMALL", str(SMALL)).replace("SECONDS", str(SECONDS))
    return [float(it) for it in output([sys.executable, "-c", text, *map(str, SIZES)]).split()]


def rows(name, cotan, folder):
    files = []
    for size in SIZES:
        files.append(folder / f"{len(name)}_{size}.cot")
        files[-1].write_text(bench(name, size))
    turns = [(by_numpy(name), [by_cotan(cotan, it) for it in files]) for _ in range(TURNS)]
    for at, size in enumerate(SIZES):
        theirs = statistics.median(it[at] for it, _ in turns)
        value, pull = (statistics.median(it[at][part] for _, it in turns) for part in (0, 1))
        ratio = statistics.median(ours[at][0] / numpy[at] for numpy, ours in turns)
        reached = "yes" if ratio <= BAR else "**no**"
        times = [f"{it * 1e3:.3f}" for it in (theirs, value)]
        cells = [f"`{name}`", str(size), *times, f"{ratio:.2f}", reached, f"{pull / value:.1f}", WHY.get(name, "") * (ratio > BAR)]
        yield "| " + " | ".join(cells) + " |"


# Why a bar is missed, by a profile.
WHY = {
    "eigh": "a quarter are products of matrices, a quarter the product of matrix and vector for each column, which comes"
    " from the third cache; LAPACK reads half of the matrix for that, which was tried and brought a twentieth; a fifth"
    " are passes that put reflections together and take products away",
    "svd": "a third are the two products of matrix and vector for each column, a fifth products of matrices, a seventh"
    " passes that copy parts",
}


def main():
    args = sys.argv[1:]
    only = args[2].split(";") if args[1:2] == ["--only"] and len(args) == 3 else []
    if len(args) != (3 if only else 1):
        sys.exit(__doc__)
    cotan = args[0]
    version = subprocess.run([cotan, "--version"], capture_output=True, text=True).stdout.strip()
    libraries = ", ".join(f"{it} {importlib.metadata.version(it)}" for it in ["numpy", "scipy"])
    head = ["function", "n", "NumPy, SciPy", "Cotan", "ratio", "reached", "derivative by value", "why not"]
    lines = [
        "# Linear algebra beside NumPy",
        "",
        "Written by `python benchmarks/reference/linalg.py COTAN`: milliseconds of a call by one thread, the median of three"
        " turns, and the median ratio to NumPy or SciPy within a turn.",
        f"The bar is {BAR}.",
        f"A batch, `map(f, ..)`, has matrices of {SMALL} rows, as many as have the numbers of one of n rows.",
        "The derivative is the pull-back of a cotangent of all results, with the value that it needs.",
        "",
        f"- date: {datetime.date.today()}",
        f"- machine: {os.cpu_count()} threads; load {os.getloadavg()[0]:.2f}",
        f"- {version}; {libraries}",
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * 4 + "---|---:|---|",
    ]
    print("\n".join(lines[-2:]))
    with tempfile.TemporaryDirectory() as folder:
        for name in only or CALLS:
            for row in rows(name, cotan, pathlib.Path(folder)):
                lines.append(row)
                print(row, flush=True)
    if not only:
        (ROOT / "benchmarks/LINALG.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
