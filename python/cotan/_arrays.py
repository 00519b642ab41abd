"""NumPy's functions of whole arrays on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._control import where as _where
from ._error import Error
from ._tracer import Shape, Tracer, broadcast_shape, build, build_text, cast, element, joined, made, operand
from ._ufuncs import apply

_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


def call(func: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy of traced values."""
    found = _FUNCTIONS.get(func)
    name = getattr(func, "__name__", str(func))
    if found is None:
        raise Error(f"`numpy.{name}` cannot be traced: write it by `cotan.build` and reductions")
    try:
        return found(*args, **kwargs)
    except TypeError as error:
        raise Error(f"`numpy.{name}` with these arguments cannot be traced: {error}") from error


def _numpy(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        for it in functions:
            _FUNCTIONS[it] = own
        return own

    return register


def _axes(x: Tracer, axis: Any) -> list[int]:
    if axis is None:
        return list(range(x.ndim))
    given = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    if any(not -x.ndim <= it < x.ndim for it in given):
        raise Error(f"there is no axis {axis} of an array of {x.ndim} dimensions")
    return sorted({int(it) % x.ndim for it in given})


def _reduced(name: str, x: Tracer, axis: Any, keepdims: bool, kind: str, *, rows: bool = False) -> Tracer:
    """A reduction over some axes; those that add rows need no index for what is in front."""
    axes = _axes(x, axis)
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
    return _reshaped(res, tuple(1 if it in axes else n for it, n in enumerate(x.shape))) if keepdims else res


def _nested(name: str, x: Tracer, axes: list[int], index: dict[int, str]) -> str:
    if not axes:
        return f"{x.text}[{', '.join(index[it] for it in range(x.ndim))}]" if x.ndim else x.text
    first, *rest = axes
    inner = build_text((x.shape[first],), lambda at: _nested(name, x, rest, {**index, first: at[0]}))
    return f"{name}({inner})"


@_numpy(np.sum)
def sum_(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.sum`."""
    (x,) = joined([operand(a, "`sum`")], "int")
    return _reduced("sum", x, axis, bool(keepdims is True), x.kind, rows=True)


@_numpy(np.prod)
def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.prod`."""
    (x,) = joined([operand(a, "`prod`")], "int")
    return _reduced("product", x, axis, bool(keepdims is True), x.kind, rows=True)


def _extreme(name: str, what: str) -> Callable[..., Tracer]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
        (x,) = joined([operand(a, what)], "int")
        if any(x.shape[it] == 0 for it in _axes(x, axis)):
            raise ValueError(f"{what} of an array without elements")
        return _reduced(name, x, axis, bool(keepdims is True), x.kind)

    return reduce


_FUNCTIONS[np.max] = _FUNCTIONS[np.amax] = _extreme("maximum", "`max`")
_FUNCTIONS[np.min] = _FUNCTIONS[np.amin] = _extreme("minimum", "`min`")


def _truth(name: str) -> Callable[..., Tracer]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
        x = cast(operand(a, f"`{name}`"), "bool")
        return _reduced(name, x, axis, bool(keepdims is True), "bool")

    return reduce


_FUNCTIONS[np.all], _FUNCTIONS[np.any] = _truth("all"), _truth("any")


def _position(name: str) -> Callable[..., Tracer]:
    def find(a: Any, axis: Any = None, out: Any = None) -> Tracer:
        (x,) = joined([operand(a, f"`{name}`")], "int")
        if axis is None:
            return made(f"{name}({ravel(x).text})", "int", ())
        return _along(x, axis, lambda row: f"{name}({row})", "int", ())

    return find


_FUNCTIONS[np.argmax], _FUNCTIONS[np.argmin] = _position("argmax"), _position("argmin")


def _along(x: Tracer, axis: int, row: Callable[[str], str], kind: str, own: Shape | None = None) -> Tracer:
    """A function of each row along an axis, which gives a row of that length or, with `own`, a number."""
    (at,) = _axes(x, axis)
    last = moveaxis(x, at, -1)
    outer = last.shape[:-1]
    shape = outer + (last.shape[-1:] if own is None else own)

    def body(i: list[str]) -> str:
        return row(f"{last.text}[{', '.join(i)}]" if i else last.text)

    res = made(build_text(outer, body), kind, shape)
    return moveaxis(res, -1, at) if own is None else res


def _count(x: Tracer, axis: Any) -> int:
    return math.prod(x.shape[it] for it in _axes(x, axis))


@_numpy(np.mean, np.average)
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Tracer:
    """As `numpy.mean`."""
    x = cast(operand(a, "`mean`"), "real")
    return apply("true_divide", [sum_(x, axis, keepdims=keepdims), operand(float(_count(x, axis)))])


@_numpy(np.var)
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = False) -> Any:
    """As `numpy.var`."""
    x = cast(operand(a, "`var`"), "real")
    off = apply("subtract", [x, mean(x, axis, keepdims=True)])
    return sum_(off * off, axis, keepdims=keepdims) / float(_count(x, axis) - ddof)  # type: ignore[operator]


@_numpy(np.std)
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = False) -> Any:
    """As `numpy.std`."""
    return np.sqrt(var(a, axis, ddof=ddof, keepdims=keepdims))


@_numpy(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """As `numpy.linalg.norm` of vectors, and of matrices without `ord`."""
    if ord not in (None, 2) or (ord == 2 and axis is None and operand(x).ndim > 1):
        raise Error("`norm` is traced for vectors, and for matrices without `ord`")
    a = cast(operand(x, "`norm`"), "real")
    return np.sqrt(sum_(a * a, axis, keepdims=keepdims))  # type: ignore[operator]


@_numpy(np.linalg.solve)
def solve(a: Any, b: Any) -> Tracer:
    """As `numpy.linalg.solve` of one matrix and a vector."""
    x, y = joined([operand(a, "`solve`"), operand(b, "`solve`")], "real")
    if x.ndim != 2 or x.shape[0] != x.shape[1] or y.shape != x.shape[:1]:
        raise Error(f"`solve` is traced for a square matrix and a vector, not for {x.shape} and {y.shape}")
    return made(f"solve({x.text}, {y.text})", "real", y.shape)


@_numpy(np.matmul)
def matmul(a: Any, b: Any) -> Tracer:
    """As `numpy.matmul`."""
    x, y = joined([operand(a, "`matmul`"), operand(b, "`matmul`")], "int")
    if not x.shape or not y.shape:
        raise Error("`matmul` takes arrays, not numbers")
    inner = y.shape[-2] if y.ndim > 1 else y.shape[0]
    if x.shape[-1] != inner:
        raise Error(f"arrays of shapes {x.shape} and {y.shape} cannot be multiplied: {x.shape[-1]} is not {inner}")
    names = {(1, 1): "dot", (2, 1): "matvec", (1, 2): "vecmat", (2, 2): "matmul"}
    shape = x.shape[:-1] + (y.shape[-1:] if y.ndim > 1 else ())
    if x.kind == "real" and (x.ndim, y.ndim) in names:
        shape = shape if x.ndim > 1 or y.ndim > 1 else ()
        return made(f"{names[x.ndim, y.ndim]}({x.text}, {y.text})", "real", shape)
    batch = "abcdefgh"
    if max(x.ndim, y.ndim) - 2 > len(batch):
        raise Error("arrays of so many dimensions cannot be multiplied")
    return _batched(x, y)


def _batched(x: Tracer, y: Tracer) -> Tracer:
    """A product for each place of the dimensions in front, which are broadcast."""
    left = x.shape[:-2] if x.ndim > 1 else ()
    right = y.shape[:-2] if y.ndim > 1 else ()
    outer = np.broadcast_shapes(left, right)
    own = (x.shape[-2:-1] if x.ndim > 1 else ()) + (y.shape[-1:] if y.ndim > 1 else ())

    def place(shape: Shape, at: list[str]) -> list[str]:
        at = at[len(outer) - len(shape) : len(outer)]
        return ["0" if n == 1 else i for n, i in zip(shape, at, strict=True)]

    def body(at: list[str]) -> str:
        row = at[len(outer) : len(outer) + 1] if x.ndim > 1 else []
        column = at[-1:] if y.ndim > 1 else []

        def product(k: list[str]) -> str:
            first = ", ".join([*place(left, at), *row, *k])
            second = ", ".join([*place(right, at), *k, *column])
            return f"{x.text}[{first}] * {y.text}[{second}]"

        return f"sum({build_text((x.shape[-1],), product)})"

    return build(outer + own, body, x.kind)


@_numpy(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """As `numpy.dot` of at most two dimensions."""
    x, y = operand(a, "`dot`"), operand(b, "`dot`")
    if not x.shape or not y.shape:
        return np.multiply(x, y)  # type: ignore[call-overload]
    if y.ndim > 2:
        raise Error("`dot` is traced for at most two dimensions: use `einsum`")
    return matmul(x, y)


@_numpy(np.inner, np.vdot)
def inner(a: Any, b: Any) -> Tracer:
    """As `numpy.inner` of vectors."""
    return matmul(ravel(operand(a)), ravel(operand(b)))


@_numpy(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Tracer:
    """As `numpy.outer`."""
    return einsum("i,j->ij", ravel(operand(a)), ravel(operand(b)))


@_numpy(np.einsum)
def einsum(subscripts: str, *operands: Any, optimize: Any = False) -> Tracer:
    """As `numpy.einsum`, with letters for all dimensions."""
    xs = joined([operand(it, "`einsum`") for it in operands], "int")
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if "." in subscripts or len(terms) != len(xs):
        raise Error(f"`einsum` is traced with a term for each array and without dots, not as {subscripts!r}")
    sizes: dict[str, int] = {}
    for term, x in zip(terms, xs, strict=True):
        if len(term) != x.ndim:
            raise Error(f"`einsum`: {term!r} is given for an array of {x.ndim} dimensions")
        for letter, size in zip(term, x.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise Error(f"`einsum`: {letter!r} is both {sizes[letter]} and {size}")
    if not arrow:
        result = "".join(sorted(it for it in sizes if given.count(it) == 1))
    if any(it not in sizes for it in result) or len(set(result)) != len(result):
        raise Error(f"`einsum`: {result!r} is no choice of the dimensions of {given!r}")
    summed = [it for it in sizes if it not in result]

    def body(at: list[str]) -> str:
        return _summed(dict(zip(result, at, strict=True)), summed)

    def _summed(index: dict[str, str], left: list[str]) -> str:
        if not left:
            return " * ".join(
                f"{x.text}[{', '.join(index[it] for it in term)}]" if term else x.text
                for term, x in zip(terms, xs, strict=True)
            )
        first, *rest = left
        return f"sum({build_text((sizes[first],), lambda at: _summed({**index, first: at[0]}, rest))})"

    return build(tuple(sizes[it] for it in result), body, xs[0].kind)


@_numpy(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tracer:
    """As `numpy.tensordot`."""
    x, y = operand(a, "`tensordot`"), operand(b, "`tensordot`")
    if isinstance(axes, int):
        axes = (list(range(x.ndim - axes, x.ndim)), list(range(axes)))
    first, second = ([it] if isinstance(it, int) else list(it) for it in axes)
    letters = "abcdefghijklmnopqrstuvwxyz"
    left, right = list(letters[: x.ndim]), list(letters[x.ndim : x.ndim + y.ndim])
    for i, j in zip(first, second, strict=True):
        right[j] = left[i]
    result = [it for it in [*left, *right] if not (it in left and it in right)]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(result)}", x, y)


@_numpy(np.trace)
def trace(a: Any) -> Tracer:
    """As `numpy.trace` of a matrix."""
    return einsum("ii->", a)


@_numpy(np.diag, np.diagonal)
def diag(v: Any) -> Tracer:
    """As `numpy.diag` on the main diagonal."""
    x = operand(v, "`diag`")
    if x.ndim == 2:
        n = min(x.shape)
        return build((n,), lambda at: f"{x.text}[{at[0]}, {at[0]}]", x.kind)
    zero = {"real": "0.0", "int": "0", "bool": "false"}[x.kind]
    n = x.shape[0]
    return build((n, n), lambda at: f"if {at[0]} == {at[1]} then {x.text}[{at[0]}] else {zero}", x.kind)


@_numpy(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Tracer:
    """As `numpy.where` with three arguments."""
    if x is None or y is None:
        raise Error("`where` of a condition alone has a size that is not known")
    return _where(condition, x, y)


@_numpy(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
    """As `numpy.clip`."""
    x = operand(a, "`clip`")
    x = x if a_min is None else np.maximum(x, a_min)  # type: ignore[call-overload]
    return x if a_max is None else np.minimum(x, a_max)  # type: ignore[call-overload]


@_numpy(np.transpose)
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


@_numpy(np.moveaxis)
def moveaxis(a: Any, source: int, destination: int) -> Tracer:
    """As `numpy.moveaxis` of one axis."""
    x = operand(a, "`moveaxis`")
    order = [it for it in range(x.ndim) if it != source % x.ndim]
    order.insert(destination % x.ndim, source % x.ndim)
    return transpose(x, order)


@_numpy(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Tracer:
    """As `numpy.swapaxes`."""
    x = operand(a, "`swapaxes`")
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return transpose(x, order)


def _reshaped(x: Tracer, shape: Shape) -> Tracer:
    if x.shape == shape:
        return x
    if not x.shape:
        return build(shape, lambda at: x.text, x.kind)
    if not shape:
        return made(f"{x.text}[{', '.join('0' for _ in x.shape)}]", x.kind, ())
    return made(f"reshape({x.text}, {', '.join(str(it) for it in shape)})", x.kind, shape)


@_numpy(np.reshape)
def reshape(a: Any, shape: Any, order: str = "C") -> Tracer:
    """As `numpy.reshape`."""
    x = operand(a, "`reshape`")
    sizes = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
    if sizes.count(-1) == 1:
        known = math.prod(it for it in sizes if it != -1)
        sizes[sizes.index(-1)] = x.size // known if known else 0
    if order != "C" or math.prod(sizes) != x.size:
        raise Error(f"an array of shape {x.shape} cannot be reshaped to {shape}")
    return _reshaped(x, tuple(int(it) for it in sizes))


@_numpy(np.ravel)
def ravel(a: Any, order: str = "C") -> Tracer:
    """As `numpy.ravel`."""
    return reshape(a, -1, order)


@_numpy(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Tracer:
    """As `numpy.squeeze`."""
    x = operand(a, "`squeeze`")
    gone = [it for it, n in enumerate(x.shape) if n == 1] if axis is None else _axes(x, axis)
    if any(x.shape[it] != 1 for it in gone):
        raise Error(f"an axis of an array of shape {x.shape} that is not 1 cannot be left out")
    return _reshaped(x, tuple(n for it, n in enumerate(x.shape) if it not in gone))


@_numpy(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Tracer:
    """As `numpy.expand_dims`."""
    x = operand(a, "`expand_dims`")
    axes = [axis] if isinstance(axis, int) else list(axis)
    n = x.ndim + len(axes)
    places, sizes = {it % n for it in axes}, iter(x.shape)
    return _reshaped(x, tuple(1 if it in places else next(sizes) for it in range(n)))


@_numpy(np.atleast_1d)
def atleast_1d(a: Any) -> Tracer:
    """As `numpy.atleast_1d`."""
    x = operand(a)
    return x if x.shape else _reshaped(x, (1,))


@_numpy(np.broadcast_to)
def broadcast_to(array: Any, shape: Any) -> Tracer:
    """As `numpy.broadcast_to`."""
    x = operand(array, "`broadcast_to`")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if np.broadcast_shapes(x.shape, shape) != shape:
        raise Error(f"an array of shape {x.shape} cannot be broadcast to {shape}")
    return x if x.shape == shape else build(shape, lambda at: element(x, shape, at), x.kind)


@_numpy(np.concatenate)
def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Tracer:
    """As `numpy.concatenate`."""
    xs = joined([operand(it, "`concatenate`") for it in arrays])
    if axis is None:
        xs, axis = [ravel(it) for it in xs], 0
    if not all(it.shape for it in xs) or len({it.ndim for it in xs}) != 1:
        raise Error("arrays with the same number of dimensions, at least one, are put together")
    (at,) = _axes(xs[0], axis)
    rests = {it.shape[:at] + it.shape[at + 1 :] for it in xs}
    if len(rests) != 1:
        raise Error(f"arrays of shapes {', '.join(str(it.shape) for it in xs)} do not fit together")
    fronts = [moveaxis(it, at, 0) for it in xs]
    res = fronts[0]
    for it in fronts[1:]:
        shape = (res.shape[0] + it.shape[0], *it.shape[1:])
        res = made(f"concat({res.text}, {it.text})", it.kind, shape)
    return moveaxis(res, 0, at)


@_numpy(np.stack)
def stack(arrays: Sequence[Any], axis: int = 0) -> Tracer:
    """As `numpy.stack`."""
    xs = joined([operand(it, "`stack`") for it in arrays])
    if len({it.shape for it in xs}) != 1:
        raise Error(f"arrays of different shapes cannot be stacked: {', '.join(str(it.shape) for it in xs)}")
    res = made(f"[{', '.join(it.text for it in xs)}]", xs[0].kind, (len(xs), *xs[0].shape))
    return moveaxis(res, 0, axis)


@_numpy(np.vstack)
def vstack(tup: Sequence[Any]) -> Tracer:
    """As `numpy.vstack`."""
    return concatenate([it if it.ndim > 1 else _reshaped(it, (1, it.size)) for it in map(operand, tup)])


@_numpy(np.hstack)
def hstack(tup: Sequence[Any]) -> Tracer:
    """As `numpy.hstack`."""
    xs = [atleast_1d(it) for it in tup]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


@_numpy(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tracer:
    """As `numpy.cumsum`."""
    return _scanned(a, axis, "+", "0")


@_numpy(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Tracer:
    """As `numpy.cumprod`."""
    return _scanned(a, axis, "*", "1")


def _scanned(a: Any, axis: Any, sign: str, start: str) -> Tracer:
    (x,) = joined([operand(a, "a running sum")], "int")
    x, axis = (ravel(x), 0) if axis is None else (x, axis)
    start = f"{start}.0" if x.kind == "real" else start
    return _along(x, axis, lambda row: f"scan(\\a, b => a {sign} b, {start}, {row})", x.kind)


@_numpy(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None) -> Tracer:
    """As `numpy.sort`."""
    (x,) = joined([operand(a, "`sort`")], "int")
    return _along(x, axis, lambda row: f"sort({row})", x.kind)


@_numpy(np.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Tracer:
    """As `numpy.argsort`."""
    (x,) = joined([operand(a, "`argsort`")], "int")
    return _along(x, axis, lambda row: f"argsort({row})", "int")


@_numpy(np.flip)
def flip(m: Any, axis: Any = None) -> Tracer:
    """As `numpy.flip`."""
    x = operand(m, "`flip`")
    axes = _axes(x, axis)
    return x[tuple(slice(None, None, -1) if it in axes else slice(None) for it in range(x.ndim))]


@_numpy(np.take)
def take(a: Any, indices: Any, axis: Any = None) -> Tracer:
    """As `numpy.take`."""
    x = operand(a, "`take`")
    if axis is None:
        return ravel(x)[indices]
    (at,) = _axes(x, axis)
    return x[(*([slice(None)] * at), indices)]


@_numpy(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """As `numpy.diff`."""
    x: Any = operand(a, "`diff`")
    (at,) = _axes(x, axis)
    for _ in range(n):
        before = tuple(slice(None, -1) if it == at else slice(None) for it in range(x.ndim))
        after = tuple(slice(1, None) if it == at else slice(None) for it in range(x.ndim))
        x = x[after] - x[before]
    return x


@_numpy(np.zeros_like)
def zeros_like(a: Any, dtype: Any = None, **_: Any) -> np.ndarray:
    """As `numpy.zeros_like`: an array of Python."""
    return np.zeros(a.shape, dtype or a.dtype)


@_numpy(np.ones_like)
def ones_like(a: Any, dtype: Any = None, **_: Any) -> np.ndarray:
    """As `numpy.ones_like`: an array of Python."""
    return np.ones(a.shape, dtype or a.dtype)


@_numpy(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Any:
    """As `numpy.full_like`."""
    return broadcast_to(operand(fill_value), a.shape)


_FUNCTIONS[np.shape] = lambda a: a.shape
_FUNCTIONS[np.ndim] = lambda a: a.ndim
_FUNCTIONS[np.size] = lambda a: a.size
_FUNCTIONS[np.result_type] = lambda *a: np.result_type(*(it.dtype if isinstance(it, Tracer) else it for it in a))
_FUNCTIONS[np.broadcast_arrays] = lambda *a: [broadcast_to(it, broadcast_shape([operand(x) for x in a])) for it in a]
