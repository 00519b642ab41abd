"""NumPy's functions that rearrange arrays, on traced values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._control import where as _where
from ._error import Error
from ._registry import FUNCTIONS, numpy_function
from ._tracer import Shape, Tracer, broadcast_shape, build, element, joined, made, operand
from ._ufuncs import apply


def axes_of(x: Tracer, axis: Any) -> list[int]:
    if axis is None:
        return list(range(x.ndim))
    given = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    if any(not -x.ndim <= it < x.ndim for it in given):
        raise Error(f"there is no axis {axis} of an array of {x.ndim} dimensions")
    return sorted({int(it) % x.ndim for it in given})


@numpy_function(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Tracer:
    """As `numpy.where` with three arguments."""
    if x is None or y is None:
        raise Error("`where` of a condition alone has a size that is not known")
    return _where(condition, x, y)


@numpy_function(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Tracer:
    """As `numpy.clip`."""
    x = operand(a, "`clip`")
    x = x if a_min is None else apply("maximum", [x, operand(a_min, "`clip`")])
    return x if a_max is None else apply("minimum", [x, operand(a_max, "`clip`")])


@numpy_function(np.transpose)
def transpose(a: Any, axes: Any = None) -> Tracer:
    """As `numpy.transpose`."""
    x = operand(a, "`transpose`")
    order = list(range(x.ndim))[::-1] if axes is None else [int(it) % x.ndim for it in axes]
    if sorted(order) != list(range(x.ndim)):
        raise Error(f"{axes} is no order of {x.ndim} axes")
    if order == list(range(x.ndim)):
        return x
    shape = tuple(x.shape[it] for it in order)
    if order == [1, 0]:
        return made(f"transpose({x.text})", x.kind, shape)

    def body(at: list[str]) -> str:
        return f"{x.text}[{', '.join(at[order.index(it)] for it in range(x.ndim))}]"

    return build(shape, body, x.kind)


@numpy_function(np.moveaxis)
def moveaxis(a: Any, source: int, destination: int) -> Tracer:
    """As `numpy.moveaxis` of one axis."""
    x = operand(a, "`moveaxis`")
    order = [it for it in range(x.ndim) if it != source % x.ndim]
    order.insert(destination % x.ndim, source % x.ndim)
    return transpose(x, order)


@numpy_function(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Tracer:
    """As `numpy.swapaxes`."""
    x = operand(a, "`swapaxes`")
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transpose(x, order)


def reshaped(x: Tracer, shape: Shape) -> Tracer:
    if x.shape == shape:
        return x
    if not x.shape:
        return build(shape, lambda at: x.text, x.kind)
    if not shape:
        return made(f"{x.text}[{', '.join('0' for _ in x.shape)}]", x.kind, ())
    return made(f"reshape({x.text}, {', '.join(str(it) for it in shape)})", x.kind, shape)


@numpy_function(np.reshape)
def reshape(a: Any, shape: Any, order: str = "C") -> Tracer:
    """As `numpy.reshape`."""
    x = operand(a, "`reshape`")
    sizes = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
    if sizes.count(-1) == 1:
        known = math.prod(it for it in sizes if it != -1)
        sizes[sizes.index(-1)] = x.size // known if known else 0
    if order != "C" or math.prod(sizes) != x.size:
        raise Error(f"an array of shape {x.shape} cannot be reshaped to {shape}")
    return reshaped(x, tuple(int(it) for it in sizes))


@numpy_function(np.ravel)
def ravel(a: Any, order: str = "C") -> Tracer:
    """As `numpy.ravel`."""
    return reshape(a, -1, order)


@numpy_function(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Tracer:
    """As `numpy.squeeze`."""
    x = operand(a, "`squeeze`")
    gone = [it for it, n in enumerate(x.shape) if n == 1] if axis is None else axes_of(x, axis)
    if any(x.shape[it] != 1 for it in gone):
        raise Error(f"an axis of an array of shape {x.shape} that is not 1 cannot be left out")
    return reshaped(x, tuple(n for it, n in enumerate(x.shape) if it not in gone))


@numpy_function(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Tracer:
    """As `numpy.expand_dims`."""
    x = operand(a, "`expand_dims`")
    axes = [axis] if isinstance(axis, int) else list(axis)
    n = x.ndim + len(axes)
    places, sizes = {it % n for it in axes}, iter(x.shape)
    return reshaped(x, tuple(1 if it in places else next(sizes) for it in range(n)))


@numpy_function(np.atleast_1d)
def atleast_1d(a: Any) -> Tracer:
    """As `numpy.atleast_1d`."""
    x = operand(a)
    return x if x.shape else reshaped(x, (1,))


@numpy_function(np.broadcast_to)
def broadcast_to(array: Any, shape: Any) -> Tracer:
    """As `numpy.broadcast_to`."""
    x = operand(array, "`broadcast_to`")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if np.broadcast_shapes(x.shape, shape) != shape:
        raise Error(f"an array of shape {x.shape} cannot be broadcast to {shape}")
    return x if x.shape == shape else build(shape, lambda at: element(x, shape, at), x.kind)


@numpy_function(np.concatenate)
def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Tracer:
    """As `numpy.concatenate`."""
    xs = joined([operand(it, "`concatenate`") for it in arrays])
    if axis is None:
        xs, axis = [ravel(it) for it in xs], 0
    if not all(it.shape for it in xs) or len({it.ndim for it in xs}) != 1:
        raise Error("arrays with the same number of dimensions, at least one, are put together")
    (at,) = axes_of(xs[0], axis)
    rests = {it.shape[:at] + it.shape[at + 1 :] for it in xs}
    if len(rests) != 1:
        raise Error(f"arrays of shapes {', '.join(str(it.shape) for it in xs)} do not fit together")
    fronts = [moveaxis(it, at, 0) for it in xs]
    res = fronts[0]
    for it in fronts[1:]:
        shape = (res.shape[0] + it.shape[0], *it.shape[1:])
        res = made(f"concat({res.text}, {it.text})", it.kind, shape)
    return moveaxis(res, 0, at)


@numpy_function(np.stack)
def stack(arrays: Sequence[Any], axis: int = 0) -> Tracer:
    """As `numpy.stack`."""
    xs = joined([operand(it, "`stack`") for it in arrays])
    if len({it.shape for it in xs}) != 1:
        raise Error(f"arrays of different shapes cannot be stacked: {', '.join(str(it.shape) for it in xs)}")
    res = made(f"[{', '.join(it.text for it in xs)}]", xs[0].kind, (len(xs), *xs[0].shape))
    return moveaxis(res, 0, axis)


@numpy_function(np.vstack)
def vstack(tup: Sequence[Any]) -> Tracer:
    """As `numpy.vstack`."""
    return concatenate([it if it.ndim > 1 else reshaped(it, (1, it.size)) for it in map(operand, tup)])


@numpy_function(np.hstack)
def hstack(tup: Sequence[Any]) -> Tracer:
    """As `numpy.hstack`."""
    xs = [atleast_1d(it) for it in tup]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


@numpy_function(np.flip)
def flip(m: Any, axis: Any = None) -> Tracer:
    """As `numpy.flip`."""
    x = operand(m, "`flip`")
    axes = axes_of(x, axis)
    return x[tuple(slice(None, None, -1) if it in axes else slice(None) for it in range(x.ndim))]


@numpy_function(np.take)
def take(a: Any, indices: Any, axis: Any = None) -> Tracer:
    """As `numpy.take`."""
    x = operand(a, "`take`")
    if axis is None:
        return ravel(x)[indices]
    (at,) = axes_of(x, axis)
    return x[(*([slice(None)] * at), indices)]


@numpy_function(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """As `numpy.diff`."""
    x: Any = operand(a, "`diff`")
    (at,) = axes_of(x, axis)
    for _ in range(n):
        before = tuple(slice(None, -1) if it == at else slice(None) for it in range(x.ndim))
        after = tuple(slice(1, None) if it == at else slice(None) for it in range(x.ndim))
        x = x[after] - x[before]
    return x


@numpy_function(np.zeros_like)
def zeros_like(a: Any, dtype: Any = None, **_: Any) -> np.ndarray:
    """As `numpy.zeros_like`: an array of Python."""
    return np.zeros(a.shape, dtype or a.dtype)


@numpy_function(np.ones_like)
def ones_like(a: Any, dtype: Any = None, **_: Any) -> np.ndarray:
    """As `numpy.ones_like`: an array of Python."""
    return np.ones(a.shape, dtype or a.dtype)


@numpy_function(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Any:
    """As `numpy.full_like`."""
    return broadcast_to(operand(fill_value), a.shape)


FUNCTIONS[np.shape] = lambda a: a.shape
FUNCTIONS[np.ndim] = lambda a: a.ndim
FUNCTIONS[np.size] = lambda a: a.size
FUNCTIONS[np.result_type] = lambda *a: np.result_type(*(it.dtype if isinstance(it, Tracer) else it for it in a))
FUNCTIONS[np.broadcast_arrays] = lambda *a: [broadcast_to(it, broadcast_shape([operand(x) for x in a])) for it in a]
