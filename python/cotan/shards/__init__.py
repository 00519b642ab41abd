"""Sums over data that is cut into shards, with the same bits on any number of threads, processes or machines.

    total = cotan.shards.sum(m.loss, over={"x": "x.npy", "y": "y.npy"}, n=1024)
    scipy.optimize.minimize(cotan.value_and_grad(total), w0, jac=True)

The shards are fixed by `n`, and so is the order in which they are added. Under `mpirun` or Slurm each process
runs the same script and evaluates its part of the shards; all get the same sum.
"""

from ._data import parquet, zarr
from ._engine import Engine
from ._local import Local
from ._mpi import Mpi
from ._ray import Ray
from ._sum import Sum, sum

__all__ = ["Engine", "Local", "Mpi", "Ray", "Sum", "parquet", "sum", "zarr"]
