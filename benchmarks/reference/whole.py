"""Whole runs of the programs in `examples/whole`, beside JAX.

    python benchmarks/reference/whole.py COTAN [NAME...]

COTAN is the command, a release build. Every time is that of a process from its start to its last number, the
median of five, on one processor: cold with an empty cache for compiled code, warm with what the run before
left there, both for Cotan and for JAX. By itself `cotan run` interprets for as long as a compiler would take, so the
third column has `--backend native`, warm. The last column is a second run in a process of JAX that is warm
already, without start, tracing and compiling. Results are compared before anything is printed: a program whose
numbers differ is reported and has no times. Random draws are other draws, and compared roughly.

Prints a table in Markdown; needs JAX.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
# Where the numbers that JAX gives stand among those that `cotan run` prints, and how near they are to be.
COMPARED = {
    "fit": (range(0, 4), 1e-8),
    "heat": ([5, 15, 25, 35, 45], 1e-6),
    "camera": (range(0, 4), 1e-7),
    "double_pendulum": ([20], 1e-8),
    "transformer": ([0, 1], 1e-8),
    "hamiltonian": (range(0, 4), 0.1),
}


def timed(command, environment):
    """Seconds of the clock, and what was printed."""
    began = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=ROOT)
    seconds = time.perf_counter() - began
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return seconds, ran.stdout


def cold_and_warm(command, environment):
    """Medians of five runs with an empty folder for compiled code, and with a full one."""
    cold, warm, said = [], [], ""
    for _ in range(5):
        folder = tempfile.mkdtemp()
        full = [it.replace("CACHE", folder) for it in command]
        kept = {key: value.replace("CACHE", folder) for key, value in environment.items()}
        cold.append(timed(full, kept)[0])
        seconds, said = timed(full, kept)
        warm.append(seconds)
        shutil.rmtree(folder)
    return statistics.median(cold), statistics.median(warm), said


def differ(ours, theirs, tolerance):
    return any(abs(a - b) > tolerance * max(abs(b), 1e-3) for a, b in zip(ours, theirs))


def main():
    cotan, names = sys.argv[1], sys.argv[2:] or list(COMPARED)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    print("| program | Cotan, cold | warm | native, warm | JAX, cold | warm | JAX, again |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        program = f"examples/whole/{name}.cot"
        cold, warm, said = cold_and_warm([cotan, "run", program], {"XDG_CACHE_HOME": "CACHE"})
        native = cold_and_warm([cotan, "run", program, "--backend", "native"], {"XDG_CACHE_HOME": "CACHE"})[1]
        worker = [sys.executable, "benchmarks/reference/whole_by_jax.py", name, "CACHE"]
        jax_cold, jax_warm, answer = cold_and_warm(worker, {"JAX_PLATFORMS": "cpu"})
        places, tolerance = COMPARED[name]
        printed = [float(it) for it in NUMBER.findall(said)]
        theirs = json.loads(answer)
        ours = [printed[it] for it in places]
        if differ(ours, theirs["result"], tolerance):
            print(f"| {name} | differs: {ours} and {theirs['result']} | | | | | |")
            continue
        times = [cold, warm, native, jax_cold, jax_warm, theirs["again"]]
        print(f"| {name} | " + " | ".join(f"{it:.4f} s" for it in times) + " |", flush=True)


main()
