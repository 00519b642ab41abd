"""What runs the shards of a sum, and how one is chosen."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

from .._error import Error
from ._order import Failure, Node, evaluated

if TYPE_CHECKING:
    from ._sum import Work


class Engine(Protocol):
    """Evaluates shards and adds them."""

    def total(self, work: Work) -> Any:
        """The sum of all shards, in the order of the tree; a failure if one failed."""

    def together(self, make: Callable[[], Any]) -> Any:
        """What this gives; if it raises in one process, all raise the same."""


#: Variables that tell a process of how many it is one: Open MPI, MPICH and Intel, MVAPICH, Slurm's steps.
_LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")


def chosen(engine: Engine | str | None) -> Engine:
    """The engine of a name; without one, MPI where this process is one of several, else threads."""
    if engine is None:
        engine = "mpi" if any(os.environ.get(it, "1") != "1" for it in _LAUNCHED) else "local"
    return _named(engine) if isinstance(engine, str) else engine


@functools.cache
def _named(name: str) -> Engine:
    match name:
        case "local":
            from ._local import Local

            return Local()
        case "mpi":
            from ._mpi import Mpi

            return Mpi()
        case "ray":
            from ._ray import Ray

            return Ray()
    raise Error(f"there is no engine `{name}`: choose one of local, mpi, ray")


class Threads:
    """Threads of this process that evaluate nodes of the tree."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise Error("at least one worker is needed")
        self.workers = workers
        self._pool: ThreadPoolExecutor | None = None
        self._making = threading.Lock()

    def evaluate(self, work: Work, nodes: Sequence[Node]) -> dict[Node, Any]:
        """The sum of each node. After a failure only shards before it are evaluated, so that the failure that
        is found is that of the first shard, however many threads there are.
        """
        lock, first = threading.Lock(), work.n

        def shard(it: int) -> Any:
            nonlocal first
            if it > first:
                return None
            found = work.shard(it)
            if isinstance(found, Failure):
                with lock:
                    first = min(first, it)
            return found

        if self.workers == 1 or len(nodes) < 2:
            # In this thread, where Ctrl-C stops a call at once.
            return {it: evaluated(it, shard) for it in nodes}
        with self._making:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.workers, "cotan-shards")
            pool = self._pool
        tasks = [pool.submit(evaluated, it, shard) for it in nodes]
        try:
            return {node: task.result() for node, task in zip(nodes, tasks, strict=True)}
        finally:
            first = -1
            for task in tasks:
                task.cancel()

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self.workers,)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
