"""Runs a program of one framework on request.

    python worker.py jax|torch PROGRAM THREADS FOLDER

Reads the `.npy` inputs of the folder, then obeys the lines of standard input, as `harness.c` does:

    run value FOLDER       runs once, writes the results to FOLDER/value.0.npy, ...
    time gradient 10       runs ten times, answers with the seconds of the clock and of the process
"""

import os
import sys
import time
from pathlib import Path


def pin(threads):
    """As many processors as threads; has to happen before a framework is imported."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, processors)
    os.environ["XLA_FLAGS"] = (
        f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()}"
        f" intra_op_parallelism_threads={threads}"
    )
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["JAX_PLATFORMS"] = "cpu"


def main():
    framework, program, threads, folder = sys.argv[1:]
    pin(int(threads))
    try:
        import numpy

        if framework == "jax":
            import by_jax as by
        else:
            import by_torch as by
    except ImportError as error:
        print(f"missing {error}", flush=True)
        return
    inputs = {it.stem: numpy.load(it) for it in Path(folder).glob("*.npy")}
    phases = by.phases(program, inputs, int(threads))
    if phases is None:
        print("missing this program is not written for it", flush=True)
        return
    print("ready", flush=True)
    for line in sys.stdin:
        verb, phase, rest = line.rstrip("\n").split(" ", 2)
        run = phases[phase]
        if verb == "run":
            for index, result in enumerate(by.arrays(run())):
                numpy.save(Path(rest) / f"{phase}.{index}.npy", result)
            print("ok", flush=True)
        else:
            count = int(rest)
            clock, used = time.perf_counter(), time.process_time()
            for _ in range(count):
                run()
            used = time.process_time() - used
            clock = time.perf_counter() - clock
            print(f"ok {clock:.9f} {used:.9f}", flush=True)


main()
