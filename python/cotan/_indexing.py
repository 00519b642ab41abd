"""Indices and slices of traced arrays, as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._error import Error
from ._tracer import Shape, Tracer, broadcast_shape, build, element, made, operand

#: How one dimension of the array is read: from a place of the result to an index.
Reader = Callable[[list[str]], str]


def indexed(x: Tracer, index: Any) -> Tracer:
    """A part of an array."""
    items = _complete(x, index if isinstance(index, tuple) else (index,))
    arrays = [operand(it, "an index") for it in items if _is_position(it)]
    for it in arrays:
        if it.kind != "int":
            what = "a mask" if it.kind == "bool" else "an array of reals"
            raise Error(f"{what} cannot be an index of a traced array: its result has no size that is known")
    together = broadcast_shape(arrays) if arrays else ()
    outer, readers, where = _plan(x, items, together)
    shape = tuple(outer)
    if all(isinstance(it, (int, np.integer)) for it in items) or (not shape and arrays):
        return made(f"{x.text}[{', '.join(it([]) for it in readers)}]", x.kind, ())
    whole = [isinstance(it, slice) and it == slice(None) for it in items]
    leading = whole.index(True) if True in whole else len(items)
    if all(whole[leading:]) and not together and not any(isinstance(it, slice) or it is None for it in items[:leading]):
        return made(f"{x.text}[{', '.join(it([]) for it in readers[:leading])}]", x.kind, shape)
    del where
    return build(shape, lambda at: f"{x.text}[{', '.join(it(at) for it in readers)}]", x.kind)


def _is_position(item: Any) -> bool:
    return not isinstance(item, slice) and item is not None


def _complete(x: Tracer, index: tuple[Any, ...]) -> list[Any]:
    """The index with a slice for each dimension that it leaves out."""
    n_used = sum(1 for it in index if it is not None and it is not Ellipsis)
    if n_used > x.ndim:
        raise IndexError(f"{n_used} indices for an array of {x.ndim} dimensions")
    if sum(1 for it in index if it is Ellipsis) > 1:
        raise IndexError("an index has one ellipsis at most")
    rest = [slice(None)] * (x.ndim - n_used)
    items: list[Any] = []
    for it in index:
        items += rest if it is Ellipsis else [it]
    return items if any(it is Ellipsis for it in index) else items + rest


def _plan(x: Tracer, items: list[Any], together: Shape) -> tuple[list[int], list[Reader], int]:
    """The shape of the result, and for each dimension of the array how it is read."""
    positions = [at for at, it in enumerate(items) if _is_position(it)]
    arrays = [at for at in positions if not isinstance(items[at], (int, np.integer))]
    # As in NumPy: arrays that are apart put their dimensions in front, others where the first one is.
    apart = bool(arrays) and positions != list(range(positions[0], positions[-1] + 1))
    outer: list[int] = list(together) if apart else []
    start = 0
    readers: list[Reader] = []
    dimension = 0
    placed = apart
    for item in items:
        if item is None:
            outer.append(1)
            continue
        size = x.shape[dimension]
        if isinstance(item, slice):
            first, last, step = item.indices(size)
            readers.append(_stepped(len(outer), first, step))
            outer.append(len(range(first, last, step)))
        else:
            if not placed:
                start, placed = len(outer), True
                outer += together
            readers.append(_position(item, size, together, start))
        dimension += 1
    return outer, readers, start


def _stepped(at: int, first: int, step: int) -> Reader:
    if (first, step) == (0, 1):
        return lambda i: i[at]
    if step == 1:
        return lambda i: f"{i[at]} + {first}"
    return lambda i: f"{first} + {i[at]} * {step}" if step > 0 else f"{first} - {i[at]} * {-step}"


def _position(item: Any, size: int, together: Shape, start: int) -> Reader:
    if isinstance(item, (int, np.integer)):
        if not -size <= item < size:
            raise IndexError(f"index {item} is out of bounds for a dimension of {size}")
        text = str(int(item) % size)
        return lambda i: text
    given = item if isinstance(item, Tracer) else np.asarray(item)
    if isinstance(given, np.ndarray):
        if given.size and (given.min() < -size or given.max() >= size):
            raise IndexError(f"an index is out of bounds for a dimension of {size}")
        given = np.where(given < 0, given + size, given)
    positions = operand(given, "an index")
    return lambda i: element(positions, together, i[start : start + len(together)])
