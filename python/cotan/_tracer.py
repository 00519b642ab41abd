"""Values of a traced function: operations on them write the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _scope
from ._error import Error
from ._scope import Block, Scope

#: Kinds of numbers, the more general ones later.
KINDS = ("bool", "int", "real")
_DTYPES = {"b": "bool", "i": "int", "u": "int", "f": "real"}
Shape = tuple[int, ...]


class Tracer:
    """A number or an array that is not known yet; it has a kind and a shape, as NumPy's arrays have.

    Operators, NumPy's functions and indexing work on it, and are written into the program.
    """

    __slots__ = ("block", "kind", "scope", "shape", "text")
    __array_priority__ = 1000

    def __init__(self, scope: Scope, block: Block, text: str, kind: str, shape: Shape) -> None:
        self.scope, self.block, self.text = scope, block, text
        self.kind, self.shape = kind, shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the elements would be in NumPy."""
        return np.dtype({"real": np.float64, "int": np.int64, "bool": np.bool_}[self.kind])

    @property
    def T(self) -> Tracer:
        """The array with its dimensions the other way around."""
        from ._arrays import transpose

        return transpose(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[it] for it in range(len(self)))

    def __getitem__(self, index: Any) -> Tracer:
        from ._indexing import indexed

        return indexed(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise Error("traced arrays do not change: make a new one by `cotan.build`, `where` or `scatter`")

    def __bool__(self) -> bool:
        return bool(_scope.no_value("`if`, `while`, `and`, `or` or `not`"))

    def __float__(self) -> float:
        return float(_scope.no_value("`float`"))

    def __int__(self) -> int:
        return int(_scope.no_value("`int`"))

    def __index__(self) -> int:
        return int(_scope.no_value("`range` or an index of a Python list"))

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        array: np.ndarray = _scope.no_value("a function that makes NumPy arrays")
        return array

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ._ufuncs import call

        return call(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from . import _products, _reductions  # noqa: F401
        from ._registry import call

        return call(func, args, kwargs)

    def __repr__(self) -> str:
        return f"<traced {self.kind} {self.text} of shape {self.shape}>"

    def __hash__(self) -> int:
        return id(self)

    def astype(self, dtype: Any, **_: Any) -> Tracer:
        """The elements as numbers of another kind."""
        kind = _DTYPES.get(np.dtype(dtype).kind)
        if kind is None:
            raise Error(f"there are no arrays of {dtype}")
        return cast(self, kind)


def _operator(ufunc: np.ufunc) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forth(self: Tracer, other: Any) -> Any:
        return ufunc(self, other)

    def back(self: Tracer, other: Any) -> Any:
        return ufunc(other, self)

    return forth, back


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "and": np.logical_and, "or": np.logical_or,
}.items():  # fmt: skip
    _forth, _back = _operator(_ufunc)
    setattr(Tracer, f"__{_name}__", _forth)
    setattr(Tracer, f"__r{_name}__", _back)
for _name, _ufunc in {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}.items():  # fmt: skip
    setattr(Tracer, f"__{_name}__", _operator(_ufunc)[0])
for _name, _ufunc in {
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.logical_not,
}.items():  # fmt: skip
    setattr(Tracer, f"__{_name}__", lambda self, _ufunc=_ufunc: _ufunc(self))
for _name in [
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "max",
    "min",
    "argmax",
    "argmin",
    "all",
    "any",
    "reshape",
    "ravel",
    "transpose",
    "squeeze",
    "cumsum",
    "dot",
    "clip",
    "take",
    "flatten",
    "trace",
]:
    _function = getattr(np, {"flatten": "ravel"}.get(_name, _name))

    def _method(self: Tracer, *args: Any, _function: Any = _function, **kwargs: Any) -> Any:
        return _function(self, *args, **kwargs)

    setattr(Tracer, _name, _method)


def reshape(self: Tracer, *shape: Any, **kwargs: Any) -> Any:
    """As `numpy.ndarray.reshape`: sizes may be given one by one."""
    return np.reshape(self, shape[0] if len(shape) == 1 else shape, **kwargs)


def transpose(self: Tracer, *axes: Any) -> Any:
    """As `numpy.ndarray.transpose`."""
    axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return np.transpose(self, axes or None)


Tracer.reshape, Tracer.transpose = reshape, transpose  # type: ignore[attr-defined]


def operand(x: Any, what: str = "an operation") -> Tracer:
    """Anything as a value of the function that is traced."""
    scope = _scope.current(what)
    if isinstance(x, Tracer):
        if x.scope is not scope:
            raise Error(f"{what} uses a value of another traced function, which has ended")
        if not scope.block.sees(x.block):
            raise Error(f"{what} uses a value outside of the `build`, loop or branch that it belongs to")
        return x
    if isinstance(x, (bool, np.bool_)):
        return literal("true" if x else "false", "bool")
    if isinstance(x, (int, np.integer)):
        if not -(2**63) <= x < 2**63:
            raise Error(f"an `Int` has 64 bits, and {x} needs more")
        return literal(f"({int(x)})" if x < 0 else f"{int(x)}", "int")
    if isinstance(x, (float, np.floating)):
        return literal(real_text(float(x)), "real")
    if isinstance(x, (list, tuple)) and any(isinstance(it, Tracer) for it in _leaves(x)):
        from ._arrays import stack

        return stack([operand(it, what) for it in x])
    array = x if isinstance(x, np.ndarray) else np.asarray(x)
    if array.dtype.kind not in _DTYPES:
        raise Error(f"{what} takes numbers and arrays of them, not {type(x).__name__}")
    if array.ndim == 0:
        return operand(array.item(), what)
    text = scope.constant(array)
    root = scope.block
    while root.outer is not None:
        root = root.outer
    return Tracer(scope, root, text, _DTYPES[array.dtype.kind], array.shape)


def _leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, (list, tuple)):
        for it in x:
            yield from _leaves(it)
    else:
        yield x


def literal(text: str, kind: str, shape: Shape = ()) -> Tracer:
    """An expression that needs no name."""
    scope = _scope.current("an operation")
    return Tracer(scope, scope.block, text, kind, shape)


def made(text: str, kind: str, shape: Shape) -> Tracer:
    """The value of an expression, under a name."""
    scope = _scope.current("an operation")
    return literal(scope.let(text), kind, shape)


def real_text(x: float) -> str:
    """A real number as Cotan writes it."""
    if x != x:
        return "nan"
    if x in (float("inf"), float("-inf")):
        return "infinity" if x > 0 else "(-infinity)"
    text = repr(x)
    mantissa, e, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    text = mantissa + (f"e{int(exponent)}" if e else "")
    return f"({text})" if text.startswith("-") else text


def cast(x: Tracer, kind: str) -> Tracer:
    """The value as numbers of another kind."""
    if x.kind == kind:
        return x
    if x.text.lstrip("(-").rstrip(")").isdigit() and kind == "real":
        return literal(real_text(float(x.text.strip("()"))), "real")
    if x.kind == "bool":
        one, zero = ("1.0", "0.0") if kind == "real" else ("1", "0")
        return elementwise(lambda c: f"(if {c} then {one} else {zero})", [x], kind, vectorised=False)
    if kind == "bool":
        zero = "0.0" if x.kind == "real" else "0"
        return elementwise(lambda a: f"({a} != {zero})", [x], kind, vectorised=False)
    return made(f"{'real' if kind == 'real' else 'int'}({x.text})", kind, x.shape)


def joined(xs: Sequence[Tracer], least: str = "bool") -> list[Tracer]:
    """Values of one kind, the most general of theirs."""
    kind = max([least, *(it.kind for it in xs)], key=KINDS.index)
    return [cast(it, kind) for it in xs]


def broadcast_shape(xs: Sequence[Tracer]) -> Shape:
    """The shape that NumPy gives arrays of different shapes."""
    try:
        return np.broadcast_shapes(*(it.shape for it in xs))
    except ValueError:
        shapes = " and ".join(str(it.shape) for it in xs)
        raise Error(f"arrays of shapes {shapes} do not go together") from None


def elementwise(template: Callable[..., str], xs: Sequence[Tracer], kind: str, *, vectorised: bool = True) -> Tracer:
    """A function of each element, of arrays as NumPy broadcasts them."""
    shape = broadcast_shape(xs)
    if not shape or (vectorised and all(it.shape in ((), shape) for it in xs)):
        return made(template(*(it.text for it in xs)), kind, shape)
    return build(shape, lambda at: template(*(element(it, shape, at) for it in xs)), kind)


def element(x: Tracer, shape: Shape, at: Sequence[str]) -> str:
    """The element of an array that belongs to a place of the shape that it is broadcast to."""
    if not x.shape:
        return x.text
    own = at[len(shape) - len(x.shape) :]
    index = ["0" if size == 1 else it for size, it in zip(x.shape, own, strict=True)]
    return f"{x.text}[{', '.join(index)}]"


def build(shape: Shape, body: Callable[[list[str]], str], kind: str) -> Tracer:
    """The array whose elements are this text of their indices."""
    return made(build_text(shape, body), kind, shape)


def build_text(shape: Shape, body: Callable[[list[str]], str]) -> str:
    """The same as an expression."""
    scope = _scope.current("an operation")
    at = [scope.fresh("i") for _ in shape]
    if not shape:
        return body(at)
    return f"(build {', '.join(f'{i} < {n}' for i, n in zip(at, shape, strict=True))} => {body(at)})"
