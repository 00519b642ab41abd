"""Where the data of shards comes from: arrays, files, or a function of the shard.

Whatever it is, only the rows of a shard are read, when they are needed, and let go afterwards.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from .._error import Error
from .._tree import flatten, lists_as_arrays


class Source(Protocol):
    """Rows that are asked for by shard and range."""

    @property
    def rows(self) -> int | None:
        """How many there are; none where only the shards know."""

    def __call__(self, shard: int, lo: int, hi: int) -> Any: ...


class Rows:
    """Of something with a shape that can be sliced: an array of NumPy, Zarr or HDF5, a tensor."""

    def __init__(self, array: Any) -> None:
        self.array, self.rows = array, int(array.shape[0])

    def __call__(self, shard: int, lo: int, hi: int) -> Any:
        return self.array[lo:hi]


class Mapped:
    """Of a file that holds an array row by row. Each shard maps its own part of the file, so that what stays
    in memory is bounded by a shard and not by what was read before.
    """

    def __init__(self, path: str, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.path, self.offset, self.dtype, self.shape = path, offset, dtype, shape
        self.rows = shape[0]

    def __call__(self, shard: int, lo: int, hi: int) -> Any:
        shape = (hi - lo, *self.shape[1:])
        if 0 in shape:
            return np.zeros(shape, self.dtype)
        row = int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize
        return np.memmap(self.path, self.dtype, "r", self.offset + lo * row, shape)


class PerShard:
    """Of a function that gives the rows of a shard by its number."""

    rows: int | None = None

    def __init__(self, give: Callable[[int], Any]) -> None:
        self.give = give

    def __call__(self, shard: int, lo: int, hi: int) -> Any:
        return self.give(shard)


class Parquet:
    """Of a column of a Parquet file; of its row groups those are read that have rows of the shard."""

    def __init__(self, path: str, column: str) -> None:
        self.path, self.column = path, column
        file = self._opened()
        if column not in file.schema_arrow.names:
            raise Error(f"{path} has no column `{column}`: it has {', '.join(file.schema_arrow.names)}")
        groups = [file.metadata.row_group(it).num_rows for it in range(file.num_row_groups)]
        self.starts = [0, *np.cumsum(groups).tolist()]
        self.rows = self.starts[-1]

    def __call__(self, shard: int, lo: int, hi: int) -> Any:
        first = int(np.searchsorted(self.starts, lo, "right")) - 1
        last = int(np.searchsorted(self.starts, hi, "left"))
        groups = list(range(first, last)) if lo < hi else []
        table = self._opened().read_row_groups(groups, columns=[self.column])
        column = table.column(0).slice(lo - self.starts[first] if groups else 0, hi - lo)
        return _of_arrow(column.combine_chunks())

    def _opened(self) -> Any:
        return _library("pyarrow.parquet", "pyarrow").ParquetFile(self.path)


def parquet(path: str | os.PathLike[str], column: str) -> Source:
    """A column of a Parquet file, read by pyarrow. Lists of one length are rows of a matrix."""
    return Parquet(os.fspath(path), column)


def zarr(path: str | os.PathLike[str], name: str | None = None) -> Source:
    """An array in a Zarr store, read by zarr; `name` is that of an array in a group."""
    opened = _library("zarr", "zarr").open(os.fspath(path), mode="r")
    return Rows(opened if name is None else opened[name])


class Sharded:
    """The value of a parameter, shard by shard: a structure whose leaves have sources."""

    def __init__(self, name: str, given: Any) -> None:
        leaves, self.rebuild = flatten(lists_as_arrays(given))
        self.name = name
        self.sources = [source(name, it) for it in leaves]

    def __call__(self, shard: int, lo: int, hi: int) -> Any:
        return self.rebuild([it(shard, lo, hi) for it in self.sources])


def source(name: str, given: Any) -> Source:
    """The source that a value stands for: a path by its ending, an array, a function."""
    if isinstance(given, (str, os.PathLike)):
        return _file(name, os.fspath(given))
    if isinstance(given, (Rows, Mapped, PerShard, Parquet)):
        return given
    if isinstance(given, np.memmap) and _is_whole_file(given):
        return Mapped(str(given.filename), given.offset, given.dtype, given.shape)
    if callable(given):
        return PerShard(given)
    is_sliced = all(hasattr(given, it) for it in ("shape", "dtype", "__getitem__")) and not hasattr(given, "iloc")
    array = given if is_sliced else np.asarray(given)
    if len(array.shape) == 0:
        raise Error(f"`{name}` has no rows that shards could be made of: {type(given).__name__}")
    return Rows(array)


def _is_whole_file(array: np.memmap[Any, Any]) -> bool:
    """Whether its rows can be found in its file by their numbers; those of a part of a map cannot."""
    base: Any = array.base
    is_map = isinstance(base, mmap.mmap) and array.filename is not None
    return bool(is_map and array.ndim and array.flags.c_contiguous)


def _file(name: str, path: str) -> Source:
    match os.path.splitext(path.rstrip("/"))[1]:
        case ".npy":
            return _npy(path)
        case ".parquet":
            return parquet(path, name)
        case ".zarr":
            return zarr(path)
    raise Error(f"`{name}`: {path} ends neither in .npy nor in .parquet nor in .zarr")


def _npy(path: str) -> Source:
    mapped = np.load(path, mmap_mode="r")
    if mapped.ndim and mapped.flags.c_contiguous and mapped.size:
        return Mapped(path, mapped.offset, mapped.dtype, mapped.shape)
    if not mapped.ndim:
        raise Error(f"{path} has no rows that shards could be made of")
    return Rows(mapped)


def _of_arrow(column: Any) -> np.ndarray:
    kind = str(column.type)
    if column.null_count:
        raise Error("a column with missing values cannot be given")
    if not kind.startswith(("list", "large_list", "fixed_size_list")):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    flat = np.asarray(column.flatten().to_numpy(zero_copy_only=False))
    if len(column) and flat.size % len(column):
        raise Error("lists of a column have different lengths, so they are no rows of a matrix")
    return flat.reshape(len(column), flat.size // len(column) if len(column) else 0)


def _library(module: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Error(f"such data is read by {package}, which is not installed: pip install {package}") from error
