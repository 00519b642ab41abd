"""The order of a sum: a tree over the shards that depends on their number only.

A node is a range of shards. It is cut at the largest power of two that is smaller than it, so that ranges of
equal processes are nodes as a whole. Whoever evaluates which shards, the same numbers are added in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._error import Error
from .._tree import flatten, is_array

#: The first shard of a range, and the one after its last.
Node = tuple[int, int]


@dataclass
class Failure:
    """What a shard raised, in the place of its value."""

    #: None if it is about several.
    shard: int | None
    error: Exception


def middle(node: Node) -> int:
    """Where a node of more than one shard is cut."""
    lo, hi = node
    return lo + (1 << ((hi - lo - 1).bit_length() - 1))


def nodes(root: Node, within: Node, at_most: int) -> list[Node]:
    """The largest nodes of a tree that are inside of a range and have at most so many shards, in order."""
    (lo, hi), (first, last) = root, within
    if hi <= first or last <= lo:
        return []
    if first <= lo and hi <= last and (hi - lo <= at_most or hi - lo == 1):
        return [root]
    cut = middle(root)
    return nodes((lo, cut), within, at_most) + nodes((cut, hi), within, at_most)


def evaluated(node: Node, shard: Callable[[int], Any]) -> Any:
    """The sum of a node, shard by shard; at most as many values are held as the tree is high."""
    lo, hi = node
    if hi - lo == 1:
        return shard(lo)
    cut = middle(node)
    left = evaluated((lo, cut), shard)
    return added(left, evaluated((cut, hi), shard))


def joined(node: Node, found: Mapping[Node, Any]) -> Any:
    """The sum of a node from those of nodes below it."""
    if node in found:
        return found[node]
    cut = middle(node)
    return added(joined((node[0], cut), found), joined((cut, node[1]), found))


def added(left: Any, right: Any) -> Any:
    """The sum of two values, part by part. Nothing, which empty shards give, adds nothing; of failures the one
    of the first shard stays.
    """
    if left is None or (isinstance(right, Failure) and not isinstance(left, Failure)):
        return right
    if right is None or isinstance(left, Failure):
        return left
    if type(left) is float and type(right) is float:
        return left + right
    ours, rebuild = flatten(left)
    theirs, _ = flatten(right)
    if type(left) is not type(right) or len(ours) != len(theirs):
        return Failure(None, Error("shards give values of different structure, which cannot be added"))
    try:
        return rebuild([_leaf(a, b) for a, b in zip(ours, theirs, strict=True)])
    except Error as error:
        return Failure(None, error)


def _leaf(a: Any, b: Any) -> Any:
    if is_array(a) and is_array(b):
        if np.shape(a) != np.shape(b):
            raise Error(f"shards give arrays of the shapes {np.shape(a)} and {np.shape(b)}, which cannot be added")
        if a.dtype != np.bool_:
            return a + b
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a + b
    raise Error(f"{type(a).__name__} cannot be added: a sum over shards is one of numbers")
