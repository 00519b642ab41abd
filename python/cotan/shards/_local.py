"""Shards by threads of this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._engine import Threads, cores
from ._order import joined, nodes

if TYPE_CHECKING:
    from ._sum import Work


class Local:
    """Threads of this process; Python's lock is released while a shard is evaluated."""

    def __init__(self, workers: int | None = None) -> None:
        self._threads = Threads(cores() if workers is None else workers)

    def total(self, work: Work) -> Any:
        """The sum of all shards."""
        root = (0, work.n)
        # More nodes than threads, so that none waits long for the others at the end.
        at_most = max(1, work.n // (8 * self._threads.workers))
        found = self._threads.evaluate(work, nodes(root, root, at_most))
        return work.whole(joined(root, found))

    def together(self, make: Callable[[], Any]) -> Any:
        """What this gives."""
        return make()
