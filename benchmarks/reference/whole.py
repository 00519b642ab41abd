"""Whole runs of the programs in `examples/whole`, beside JAX.

    python benchmarks/reference/whole.py COTAN [NAME...]

COTAN is the command, a release build. Every time is what a process and those that it starts, a C compiler for
one, take of one processor, from the start to the last number; so it does not depend on what else the machine does. The
median of three: cold with an empty cache for compiled code, warm with what the run before
left there, both for Cotan and for JAX. By itself `cotan run` interprets for as long as a compiler would take, so the
third column has `--backend native`, warm. The last column is a second run in a process of JAX that is warm
already, without start, tracing and compiling. Results are compared before anything is printed: a program whose
numbers differ is reported and has no times. Random draws are other draws, and compared roughly.

Prints a table in Markdown, and writes `benchmarks/WHOLE.md` if all programs are measured; needs JAX.
"""

import datetime
import importlib.metadata
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

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


def spent():
    """Seconds that processes have taken that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(command, environment):
    """Seconds of the processor, and what was printed."""
    began = spent()
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=ROOT)
    seconds = spent() - began
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return seconds, ran.stdout


def cold_and_warm(command, environment):
    """Medians of three runs with an empty folder for compiled code, and with a full one."""
    cold, warm, said = [], [], ""
    for _ in range(3):
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


HEAD = (
    "# Whole programs beside JAX\n"
    "\n"
    "Written by `python benchmarks/reference/whole.py COTAN`: seconds of a processor from the start of a "
    "process to its last number, the C compiler included, the median of three.\n"
    "Cold is with an empty cache for compiled code, warm with a full one.\n"
    "By itself `cotan run` interprets for as long as a compiler would take, so the third column has "
    "`--backend native`, warm.\n"
    "The last column is a second run in a process of JAX that is warm already, without start, tracing and"
    " compiling.\n"
    "\n"
)


def machine(cotan):
    """What the times depend on, as lines."""
    info = pathlib.Path("/proc/cpuinfo")
    models = re.findall("model name\\s*: (.*)", info.read_text()) if info.exists() else []
    version = subprocess.run([cotan, "--version"], capture_output=True, text=True).stdout.strip()
    return [
        f"- date: {datetime.date.today()}",
        f"- machine: {models[0] if models else 'unknown'}, {os.cpu_count()} threads; load {os.getloadavg()[0]:.2f}",
        f"- {version}",
        f"- JAX {importlib.metadata.version('jax')}",
    ]


def main():
    cotan, names = sys.argv[1], sys.argv[2:] or list(COMPARED)
    told = [*machine(cotan), ""]

    def tell(line):
        told.append(line)
        print(line, flush=True)

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    tell("| program | Cotan, cold | warm | native, warm | JAX, cold | warm | JAX, again |")
    tell("|---|---|---|---|---|---|---|")
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
            tell(f"| {name} | differs: {ours} and {theirs['result']} | | | | | |")
            continue
        times = [cold, warm, native, jax_cold, jax_warm, theirs["again"]]
        tell(f"| {name} | " + " | ".join(f"{it:.4f} s" for it in times) + " |")
    if not sys.argv[2:]:
        (ROOT / "benchmarks/WHOLE.md").write_text(HEAD + "\n".join(told) + "\n")


main()
