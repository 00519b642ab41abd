"""NumPy's products of matrices and their like, on traced values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import ravel
from ._error import Error
from ._registry import numpy_function
from ._tracer import Shape, Tracer, build, build_text, joined, made, operand
from ._ufuncs import apply


@numpy_function(np.linalg.solve)
def solve(a: Any, b: Any) -> Tracer:
    """As `numpy.linalg.solve` of one matrix and a vector."""
    x, y = joined([operand(a, "`solve`"), operand(b, "`solve`")], "real")
    if x.ndim != 2 or x.shape[0] != x.shape[1] or y.shape != x.shape[:1]:
        raise Error(f"`solve` is traced for a square matrix and a vector, not for {x.shape} and {y.shape}")
    return made(f"solve({x.text}, {y.text})", "real", y.shape)


@numpy_function(np.matmul)
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


@numpy_function(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """As `numpy.dot` of at most two dimensions."""
    x, y = operand(a, "`dot`"), operand(b, "`dot`")
    if not x.shape or not y.shape:
        return apply("multiply", [x, y])
    if y.ndim > 2:
        raise Error("`dot` is traced for at most two dimensions: use `einsum`")
    return matmul(x, y)


@numpy_function(np.inner, np.vdot)
def inner(a: Any, b: Any) -> Tracer:
    """As `numpy.inner` of vectors."""
    return matmul(ravel(operand(a)), ravel(operand(b)))


@numpy_function(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Tracer:
    """As `numpy.outer`."""
    return einsum("i,j->ij", ravel(operand(a)), ravel(operand(b)))


@numpy_function(np.einsum)
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


@numpy_function(np.tensordot)
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


@numpy_function(np.trace)
def trace(a: Any) -> Tracer:
    """As `numpy.trace` of a matrix."""
    return einsum("ii->", a)


@numpy_function(np.diag, np.diagonal)
def diag(v: Any) -> Tracer:
    """As `numpy.diag` on the main diagonal."""
    x = operand(v, "`diag`")
    if x.ndim == 2:
        n = min(x.shape)
        return build((n,), lambda at: f"{x.text}[{at[0]}, {at[0]}]", x.kind)
    zero = {"real": "0.0", "int": "0", "bool": "false"}[x.kind]
    n = x.shape[0]
    return build((n, n), lambda at: f"if {at[0]} == {at[1]} then {x.text}[{at[0]}] else {zero}", x.kind)
