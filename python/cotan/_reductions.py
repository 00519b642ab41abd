"""NumPy's reductions, running sums and sorting, on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import axes_of, moveaxis, ravel, reshaped
from ._error import Error
from ._registry import FUNCTIONS, numpy_function
from ._tracer import Shape, Tracer, build_text, cast, joined, made, operand
from ._ufuncs import apply


def _reduced(name: str, x: Tracer, axis: Any, keepdims: bool, kind: str, *, rows: bool = False) -> Tracer:
    """A reduction over some axes; those that add rows need no index for what is in front."""
    axes = axes_of(x, axis)
    kept = [it for it in range(x.ndim) if it not in axes]
    shape = tuple(x.shape[it] for it in kept)
    if rows and axes == list(range(len(axes))):
        text = x.text
        for _ in axes:
            text = f"{name}({text})"
    else:

        def body(at: list[str]) -> str:
            index = dict(zip(kept, at, strict=True))
            return _nested(name, x, axes, index)

        text = build_text(shape, body)
    res = made(text, kind, shape)
    return reshaped(res, tuple(1 if it in axes else n for it, n in enumerate(x.shape))) if keepdims else res


def _nested(name: str, x: Tracer, axes: list[int], index: dict[int, str]) -> str:
    if not axes:
        return f"{x.text}[{', '.join(index[it] for it in range(x.ndim))}]" if x.ndim else x.text
    first, *rest = axes
    inner = build_text((x.shape[first],), lambda at: _nested(name, x, rest, {**index, first: at[0]}))
    return f"{name}({inner})"


@numpy_function(np.sum)
def sum_(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.sum`."""
    (x,) = joined([operand(a, "`sum`")], "int")
    return _reduced("sum", x, axis, bool(keepdims is True), x.kind, rows=True)


@numpy_function(np.prod)
def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.prod`."""
    (x,) = joined([operand(a, "`prod`")], "int")
    return _reduced("product", x, axis, bool(keepdims is True), x.kind, rows=True)


def _extreme(name: str, what: str) -> Callable[..., Tracer]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
        (x,) = joined([operand(a, what)], "int")
        if any(x.shape[it] == 0 for it in axes_of(x, axis)):
            raise ValueError(f"{what} of an array without elements")
        return _reduced(name, x, axis, bool(keepdims is True), x.kind)

    return reduce


FUNCTIONS[np.max] = FUNCTIONS[np.amax] = _extreme("maximum", "`max`")
FUNCTIONS[np.min] = FUNCTIONS[np.amin] = _extreme("minimum", "`min`")


def _truth(name: str) -> Callable[..., Tracer]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
        x = cast(operand(a, f"`{name}`"), "bool")
        return _reduced(name, x, axis, bool(keepdims is True), "bool")

    return reduce


FUNCTIONS[np.all], FUNCTIONS[np.any] = _truth("all"), _truth("any")


def _position(name: str) -> Callable[..., Tracer]:
    def find(a: Any, axis: Any = None, out: Any = None) -> Tracer:
        (x,) = joined([operand(a, f"`{name}`")], "int")
        if axis is None:
            return made(f"{name}({ravel(x).text})", "int", ())
        return along(x, axis, lambda row: f"{name}({row})", "int", ())

    return find


FUNCTIONS[np.argmax], FUNCTIONS[np.argmin] = _position("argmax"), _position("argmin")


def along(x: Tracer, axis: int, row: Callable[[str], str], kind: str, own: Shape | None = None) -> Tracer:
    """A function of each row along an axis, which gives a row of that length or, with `own`, a number."""
    (at,) = axes_of(x, axis)
    last = moveaxis(x, at, -1)
    outer = last.shape[:-1]
    shape = outer + (last.shape[-1:] if own is None else own)

    def body(i: list[str]) -> str:
        return row(f"{last.text}[{', '.join(i)}]" if i else last.text)

    res = made(build_text(outer, body), kind, shape)
    return moveaxis(res, -1, at) if own is None else res


def _count(x: Tracer, axis: Any) -> int:
    return math.prod(x.shape[it] for it in axes_of(x, axis))


@numpy_function(np.mean)
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.mean`."""
    x = cast(operand(a, "`mean`"), "real")
    return apply("true_divide", [sum_(x, axis, keepdims=keepdims), operand(float(_count(x, axis)))])


@numpy_function(np.var)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = False) -> Any:
    """As `numpy.var`."""
    x = cast(operand(a, "`var`"), "real")
    off = apply("subtract", [x, mean(x, axis, keepdims=True)])
    return sum_(off * off, axis, keepdims=keepdims) / float(_count(x, axis) - ddof)  # type: ignore[operator]


@numpy_function(np.std)
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = False) -> Any:
    """As `numpy.std`."""
    return np.sqrt(var(a, axis, ddof=ddof, keepdims=keepdims))


@numpy_function(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """As `numpy.linalg.norm` of vectors, and of matrices without `ord`."""
    if ord not in (None, 2) or (ord == 2 and axis is None and operand(x).ndim > 1):
        raise Error("`norm` is traced for vectors, and for matrices without `ord`")
    a = cast(operand(x, "`norm`"), "real")
    return np.sqrt(sum_(a * a, axis, keepdims=keepdims))  # type: ignore[operator]


@numpy_function(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tracer:
    """As `numpy.cumsum`."""
    return _scanned(a, axis, "+", "0")


@numpy_function(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tracer:
    """As `numpy.cumprod`."""
    return _scanned(a, axis, "*", "1")


def _scanned(a: Any, axis: Any, sign: str, start: str) -> Tracer:
    (x,) = joined([operand(a, "a running sum")], "int")
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    start = f"{start}.0" if x.kind == "real" else start
    return along(x, axis, lambda row: f"scan(\\a, b => a {sign} b, {start}, {row})", x.kind)


@numpy_function(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None) -> Tracer:
    """As `numpy.sort`."""
    (x,) = joined([operand(a, "`sort`")], "int")
    return along(x, axis, lambda row: f"sort({row})", x.kind)


@numpy_function(np.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Tracer:
    """As `numpy.argsort`."""
    (x,) = joined([operand(a, "`argsort`")], "int")
    return along(x, axis, lambda row: f"argsort({row})", "int")
