"""What sums over shards cost: strong and weak scaling on this machine, and a model for many.

    python bench_shards.py          needs mpi4py and mpirun

A logistic loss with its gradient over rows of 16 numbers. Times are the least of many rounds, since other
programs on the machine only add to them; on a busy machine the scaling says little. The model adds the time of the
shards that a process has, a message up each level of the tree over processes, and a broadcast down.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import time

import numpy as np

import cotan

SOURCE = """
def loss(w: [k]Real, x: [n][k]Real, y: [n]Real): Real =
  sum(build i < n => softplus(-y[i] * dot(w, x[i])))
"""
COLUMNS = 16
ROWS = 400_000
SHARDS = 256
LENIENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def least(call, rounds=40, clock=time.perf_counter):
    """The least time of a call, in seconds."""
    call()
    times = []
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def data(rows):
    """Rows that are made shard by shard, so that processes hold theirs only."""
    made = {}

    def of(shard):
        if shard not in made:
            random = np.random.default_rng(shard)
            n = (shard + 1) * rows // SHARDS - shard * rows // SHARDS
            made[shard] = random.standard_normal((n, COLUMNS)), np.sign(random.standard_normal(n))
        return made[shard]

    return {"x": lambda it: of(it)[0], "y": lambda it: of(it)[1]}


def measured(rows, engine, clock=time.perf_counter):
    """The time of a loss and its gradient over so many rows."""
    m = cotan.compile(SOURCE, threads=1)
    total = cotan.value_and_grad(cotan.shards.sum(m.loss, over=data(rows), n=SHARDS, engine=engine))
    w = np.linspace(-1.0, 1.0, COLUMNS)
    return least(lambda: total(w), clock=clock)


def messages(comm):
    """The time of a broadcast with its way back, for vectors of these lengths."""
    found = {}
    for n in (1, 1_000, 100_000):
        vector = np.zeros(n)

        def both_ways(vector=vector):
            if comm.rank == 0:
                comm.recv(source=1)
            elif comm.rank == 1:
                comm.send((0.0, vector), 0)
            comm.bcast((0.0, vector))

        found[n] = least(both_ways, 200)
    return found


def in_process():
    """What one process of a job measures; the first prints it."""
    engine = cotan.shards.Mpi()
    found = {"strong": measured(ROWS, engine), "weak": measured(ROWS // 2 * engine.size, engine)}
    if engine.size == 2:
        found["messages"] = messages(engine._comm)
    if engine.rank == 0:
        print(json.dumps(found))


def job(ranks):
    """Runs this script by so many processes."""
    command = [shutil.which("mpirun"), "-n", str(ranks), sys.executable, __file__, "process"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | LENIENT)
    return json.loads(done.stdout)


def main():
    """Prints the tables."""
    before = os.getloadavg()[0]
    threads = {it: measured(ROWS, cotan.shards.Local(it)) for it in (1, 2)}
    ranks = {it: job(it) for it in (1, 2)}
    # Of the time that this process was given, so that other programs count little.
    shard = measured(ROWS, cotan.shards.Local(1), time.process_time) / SHARDS
    load = f"load {before:.1f} before and {os.getloadavg()[0]:.1f} after"
    print(f"{load}; a shard of {ROWS // SHARDS} rows takes {1e6 * shard:.0f} us\n")
    print("| | 1 | 2 | speed-up |\n|---|---:|---:|---:|")
    rows = {
        "strong, threads": threads,
        "strong, processes": {it: ranks[it]["strong"] for it in ranks},
        "weak, processes": {it: ranks[it]["weak"] for it in ranks},
    }
    for name, times in rows.items():
        ratio = times[1] / times[2] * (2 if name.startswith("weak") else 1)
        print(f"| {name} | {1e3 * times[1]:.1f} ms | {1e3 * times[2]:.1f} ms | {ratio:.2f} |")
    hop = {int(n): it for n, it in ranks[2]["messages"].items()}
    print("\n| numbers | up and down one level |\n|---|---:|")
    for n, it in hop.items():
        print(f"| {n} | {1e6 * it:.0f} us |")
    print("\n| processes | shards of each | gradient of 1,000 numbers | efficiency | of 100,000 numbers | efficiency |")
    print("|---:|---:|---:|---:|---:|---:|")
    shards = 65_536
    for power in range(0, 13, 2):
        n = 2**power
        own, levels = shards // n, math.log2(n)
        times = [own * shard + levels * hop[it] for it in (1_000, 100_000)]
        row = " | ".join(f"{1e3 * it:,.2f} ms | {100 * own * shard / it:.0f} %" for it in times)
        print(f"| {n:,} | {own:,} | {row} |")


if __name__ == "__main__":
    in_process() if "process" in sys.argv else main()
