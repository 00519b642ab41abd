"""Shards by tasks of Ray."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._error import Error
from ._engine import Threads
from ._order import Node, joined, nodes

if TYPE_CHECKING:
    from ._sum import Shards, Work


class Ray:
    """Tasks of Ray, which one process asks for and adds. Programs go to them by their source; arrays go to
    Ray's store once for each sum, and files are read where a task runs.

    tasks: how many a sum is cut into; four for each core of the cluster if not given.
    """

    def __init__(self, tasks: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise Error("Ray is not installed: pip install ray") from error
        self._ray: Any = ray
        if not ray.is_initialized():
            ray.init()
        self._tasks = tasks or 4 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._run = ray.remote(_run)
        #: The last sum, and where it is in the store.
        self._kept: tuple[Shards, Any] | None = None

    def total(self, work: Work) -> Any:
        """The sum of all shards."""
        if self._kept is None or self._kept[0] is not work.shards:
            self._kept = work.shards, self._ray.put(work.shards)
        root = (0, work.n)
        parts = nodes(root, root, max(1, work.n // self._tasks))
        values = self._ray.put(work.values)
        asked = [self._run.remote(self._kept[1], values, it) for it in parts]
        found = dict(zip(parts, self._ray.get(asked), strict=True))
        return work.whole(joined(root, found))

    def together(self, make: Callable[[], Any]) -> Any:
        """What this gives."""
        return make()


def _run(shards: Shards, values: list[Any], node: Node) -> Any:
    """In a task: the sum of a node."""
    return Threads(1).evaluate(shards.work(values), [node])[node]
