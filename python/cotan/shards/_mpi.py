"""Shards by processes of MPI, all of which run the same script.

Each process evaluates a range of shards. Sums of nodes go up the tree from process to process, and the total
comes back to all, so that their optimisers take the same steps and nothing else has to be sent. What fails in
one process fails in all.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._error import Error
from .._tree import as_array, flatten, is_array
from ._engine import Threads
from ._order import Failure, Node, added, joined, middle, nodes

if TYPE_CHECKING:
    from ._sum import Work


class Mpi:
    """Processes that `mpirun` or Slurm started, by mpi4py.

    comm: the processes that take part, all of them if not given.
    workers: threads of each process that evaluate shards.
    """

    def __init__(self, comm: Any = None, workers: int = 1) -> None:
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise Error(
                "this process is one of several, and they find one another by mpi4py, which is not installed: "
                'pip install mpi4py, or choose engine="local"'
            ) from error
        # Of its own, so that its messages are not mixed up with others.
        self._comm = (MPI.COMM_WORLD if comm is None else comm).Dup()
        self._least = MPI.MIN
        self._threads = Threads(workers)
        _end_together(self._comm)

    @property
    def rank(self) -> int:
        """The number of this process."""
        return int(self._comm.rank)

    @property
    def size(self) -> int:
        """How many processes there are."""
        return int(self._comm.size)

    def total(self, work: Work) -> Any:
        """The sum of all shards, which every process gets."""
        if not self._agree(_digest(work)):
            raise self._in_step(
                Error(
                    "processes ask for a sum at different points: each must come to the same arguments, "
                    "so seed random numbers alike and read the same files"
                )
            )
        root = (0, work.n)
        own = self._range(work.n, self.rank)
        inside = nodes(root, own, max(1, work.n // (8 * self._threads.workers * self.size)))
        found = self._threads.evaluate(work, inside)
        for node in nodes(root, own, work.n):
            found[node] = joined(node, found)
        res = self._up(root, work.n, found)
        # With fewer shards than processes the first process may have none.
        first = self._owner(0, work.n)
        if self.rank == first:
            res = _portable(work.whole(res))
        res = self._comm.bcast(res, first)
        if isinstance(res, Failure):
            self._in_step(res.error)
        return res

    def together(self, make: Callable[[], Any]) -> Any:
        """What this gives; if it raises in one process, all raise what the first of them raised."""
        try:
            res = make()
        except Exception as error:
            res = Failure(self.rank, error)
        failure = _portable(res) if isinstance(res, Failure) else None
        failures = [it for it in self._comm.allgather(failure) if it is not None]
        if failures:
            raise self._in_step(failures[0].error)
        return res

    def _range(self, n: int, rank: int) -> Node:
        return rank * n // self.size, (rank + 1) * n // self.size

    def _owner(self, shard: int, n: int) -> int:
        """The process that evaluates a shard."""
        return ((shard + 1) * self.size - 1) // n

    def _up(self, node: Node, n: int, found: dict[Node, Any]) -> Any:
        """The sum of a node, in the process that has its first shard; nothing elsewhere."""
        first, last = self._owner(node[0], n), self._owner(node[1] - 1, n)
        if not first <= self.rank <= last:
            return None
        if first == last:
            return found[node]
        cut = middle(node)
        other = self._owner(cut, n)
        left = self._up((node[0], cut), n, found)
        right = self._up((cut, node[1]), n, found)
        if other != first:
            if self.rank == other:
                self._comm.send(_portable(right), first)
                return None
            if self.rank == first:
                right = self._comm.recv(source=other)
        return added(left, right) if self.rank == first else None

    def _agree(self, number: int) -> bool:
        """Whether all processes have the same number."""
        least = np.empty(2, np.int64)
        self._comm.Allreduce(np.array([number, -number], np.int64), least, self._least)
        return bool(least[0] == -least[1])

    def _in_step(self, error: Exception) -> Exception:
        """Notes that all processes raise this."""
        error._cotan_in_step = True  # type: ignore[attr-defined]
        return error


def _digest(work: Work) -> int:
    """A number that differs, almost surely, where the arguments of a sum do."""
    res = zlib.crc32(repr((work.n, work.name)).encode())
    for leaf in flatten(work.values)[0]:
        if is_array(leaf):
            array = np.ascontiguousarray(as_array(leaf))
            res = zlib.crc32(array.data if array.size else b"", res)
        else:
            res = zlib.crc32(repr(leaf).encode(), res)
    return res


def _portable(value: Any) -> Any:
    """A failure that can be sent: of an exception that cannot be pickled, its text."""
    if not isinstance(value, Failure):
        return value
    try:
        pickle.loads(pickle.dumps(value.error))
    except Exception:
        return Failure(value.shard, Error(f"{type(value.error).__name__}: {value.error}"))
    return value


def _end_together(comm: Any) -> None:
    """How the job ends by an exception that nobody catches: one that all processes raise is shown by the first
    of them, and each ends with status 1; after any other the processes that wait for this one are ended too.
    """
    before = sys.excepthook
    if getattr(before, "_cotan_shards", False):
        return

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        it: BaseException | None = error
        while it is not None:
            if getattr(it, "_cotan_in_step", False):
                if comm.rank == 0:
                    before(kind, error, trace)
                return
            it = it.__cause__ or it.__context__
        before(kind, error, trace)
        sys.stderr.flush()
        comm.Abort(1)

    hook._cotan_shards = True  # type: ignore[attr-defined]
    sys.excepthook = hook
