"""Structures: tuples, lists, dicts, records and data, whose leaves are numbers and arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._error import Error
from ._values import Constructed, Record, values_of

Rebuild = Callable[[list[Any]], Any]


def parts(x: Any) -> tuple[list[Any], Rebuild] | None:
    """What a structure is made of, and how one of its kind is made of others; none of a leaf."""
    made: Any = type(x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return list(x), lambda it: made(*it)
    if isinstance(x, (tuple, list)):
        return list(x), made
    if isinstance(x, Mapping):
        keys = list(x)
        return [x[it] for it in keys], lambda it: dict(zip(keys, it, strict=True))
    if isinstance(x, Constructed):
        return list(x.fields), lambda it: made(*it)
    if isinstance(x, Record):
        return list(values_of(x)), lambda it: made(*it)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        names = [it.name for it in dataclasses.fields(x)]
        return [getattr(x, it) for it in names], lambda it: made(**dict(zip(names, it, strict=True)))
    return None


def flatten(x: Any) -> tuple[list[Any], Rebuild]:
    """All leaves in order, and how a structure of this kind is made of as many others."""
    found = parts(x)
    if found is None:
        return [x], lambda it: it[0]
    inner, rebuild = found
    flat = [flatten(it) for it in inner]
    counts = [len(leaves) for leaves, _ in flat]

    def whole(leaves: list[Any]) -> Any:
        at, made = 0, []
        for (_, part), count in zip(flat, counts, strict=True):
            made.append(part(leaves[at : at + count]))
            at += count
        return rebuild(made)

    return [leaf for leaves, _ in flat for leaf in leaves], whole


def structure(x: Any, leaf: Callable[[Any], Any]) -> Any:
    """What two structures of one kind have in common, as a key of dicts; leaves that `leaf` says nothing
    about are part of it.
    """
    found = parts(x)
    if found is None:
        described = leaf(x)
        return (x,) if described is None else described
    names = tuple(x) if isinstance(x, Mapping) else ()
    return (type(x), names, *(structure(it, leaf) for it in found[0]))


def is_array(x: Any) -> bool:
    """Whether it is no structure but something that NumPy takes as an array."""
    return hasattr(x, "__array__") or hasattr(x, "__dlpack__")


def as_array(x: Any) -> np.ndarray:
    """A leaf as an array of NumPy, without a copy where that is possible."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return np.from_dlpack(x)
    return np.asarray(x)


def plain(x: np.ndarray, place: str) -> np.ndarray:
    """An array of any kind of numbers as one of 64 bits, or of truth values."""
    to = {"f": np.float64, "i": np.int64, "u": np.int64, "b": np.bool_}.get(x.dtype.kind)
    if to is None:
        raise Error(f"`{place}` cannot be an array of {x.dtype}: reals, integers and truth values can be given")
    if x.dtype.kind == "u" and x.size and int(x.max()) >= 2**63:
        raise Error(f"`{place}`: an Int has 64 bits and a sign, and {x.max()} needs more")
    return np.ascontiguousarray(x, dtype=to).reshape(x.shape)


def ravel(x: Any) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """All real numbers of a structure as one vector, and the function that makes a structure of one.

    Integers, truth values and texts are not in the vector: the structure that is made has those of `x`.
    A list of numbers is an array. Optimisers of SciPy want vectors:

        x0, unravel = cotan.ravel(model)
    """
    leaves, rebuild = flatten(lists_as_arrays(x))
    arrays: list[np.ndarray | None] = []
    for leaf in leaves:
        real = isinstance(leaf, float) or (is_array(leaf) and as_array(leaf).dtype.kind == "f")
        arrays.append(np.asarray(as_array(leaf), dtype=np.float64) if real else None)
    pieces = [it.ravel() for it in arrays if it is not None]
    vector = np.concatenate(pieces) if pieces else np.zeros(0)

    def unravel(flat: Any) -> Any:
        flat = np.asarray(flat)
        if flat.shape != vector.shape:
            raise Error(f"a vector of {vector.size} numbers is expected here, not the shape {flat.shape}")
        made, at = [], 0
        for leaf, array in zip(leaves, arrays, strict=True):
            if array is None:
                made.append(leaf)
                continue
            piece = flat[at : at + array.size].reshape(array.shape)
            made.append(float(piece) if array.ndim == 0 else piece)
            at += array.size
        return rebuild(made)

    return vector, unravel


def on_vector(f: Callable[..., Any], unravel: Callable[[Any], Any]) -> Callable[..., Any]:
    """`f` as a function whose first argument is a vector, for optimisers that want one.

    `unravel` comes from `cotan.ravel`. Structures in what `f` gives become vectors too; of a tuple, such
    as the value and the gradient, each part by itself.
    """

    def flat(x: Any) -> Any:
        return x if parts(x) is None else ravel(x)[0]

    def call(vector: Any, *args: Any, **kwargs: Any) -> Any:
        found = f(unravel(vector), *args, **kwargs)
        return tuple(flat(it) for it in found) if type(found) is tuple else flat(found)

    return call


def lists_as_arrays(x: Any) -> Any:
    """A structure in which lists of numbers are arrays, and so leaves."""
    if isinstance(x, list):
        array = _numbers(x)
        if array is not None:
            return array
    found = parts(x)
    if found is None:
        return x
    inner, rebuild = found
    return rebuild([lists_as_arrays(it) for it in inner])


def _numbers(x: list[Any]) -> np.ndarray | None:
    try:
        array = np.asarray(x)
    except ValueError:
        return None
    return array if array.dtype.kind in "fiub" else None
