"""NumPy's functions of each element, and SciPy's, on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._error import Error
from ._tracer import KINDS, Tracer, cast, elementwise, joined, operand, real_text

#: Functions of reals that Cotan has, by the name that NumPy or SciPy has for them.
_REAL = {
    "exp": "exp", "log": "log", "log1p": "log1p", "expm1": "expm1", "sin": "sin", "cos": "cos",
    "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "sqrt": "sqrt", "erf": "erf", "gammaln": "lgamma", "psi": "digamma",
    "expit": "sigmoid",
}  # fmt: skip
#: Functions of reals by a formula.
_FORMULAS: dict[str, Callable[..., str]] = {
    "exp2": lambda x: f"pow(2.0, {x})",
    "log2": lambda x: f"(log({x}) * {real_text(1.0 / math.log(2.0))})",
    "log10": lambda x: f"(log({x}) * {real_text(1.0 / math.log(10.0))})",
    "reciprocal": lambda x: f"(1.0 / {x})",
    "hypot": lambda x, y: f"sqrt({x} * {x} + {y} * {y})",
    "logaddexp": lambda x, y: f"(max({x}, {y}) + softplus(-abs({x} - {y})))",
    "radians": lambda x: f"({x} * {real_text(math.pi / 180.0)})",
    "degrees": lambda x: f"({x} * {real_text(180.0 / math.pi)})",
    "erfc": lambda x: f"(1.0 - erf({x}))",
    "log_expit": lambda x: f"(-softplus(-{x}))",
    "true_divide": lambda x, y: f"({x} / {y})",
    "divide": lambda x, y: f"({x} / {y})",
}
_FORMULAS["deg2rad"], _FORMULAS["rad2deg"] = _FORMULAS["radians"], _FORMULAS["degrees"]
#: Functions of reals and of integers.
_NUMBERS: dict[str, Callable[..., str]] = {
    "add": lambda x, y: f"({x} + {y})",
    "subtract": lambda x, y: f"({x} - {y})",
    "multiply": lambda x, y: f"({x} * {y})",
    "remainder": lambda x, y: f"({x} % {y})",
    "mod": lambda x, y: f"({x} % {y})",
    "power": lambda x, y: f"({x} ** {y})",
    "float_power": lambda x, y: f"({x} ** {y})",
    "square": lambda x: f"({x} * {x})",
    "negative": lambda x: f"(-{x})",
    "positive": lambda x: f"{x}",
    "absolute": lambda x: f"abs({x})",
    "fabs": lambda x: f"abs({x})",
    "sign": lambda x: f"sign({x})",
    "minimum": lambda x, y: f"min({x}, {y})",
    "maximum": lambda x, y: f"max({x}, {y})",
}
#: Functions that round, which integers do not need.
_ROUND = {"floor": "floor", "ceil": "ceil"}
_COMPARE = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=",
}  # fmt: skip
_LOGIC: dict[str, Callable[..., str]] = {
    "logical_and": lambda x, y: f"({x} && {y})",
    "logical_or": lambda x, y: f"({x} || {y})",
    "logical_xor": lambda x, y: f"({x} != {y})",
    "logical_not": lambda x: f"(!{x})",
}
_LOGIC |= {"bitwise_and": _LOGIC["logical_and"], "bitwise_or": _LOGIC["logical_or"]}
_LOGIC |= {"invert": _LOGIC["logical_not"], "bitwise_xor": _LOGIC["logical_xor"]}
#: What reductions by these functions are called.
_REDUCTIONS: dict[str, Callable[..., Any]] = {"add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min}
_REDUCTIONS |= {"logical_and": np.all, "logical_or": np.any}


def call(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy or SciPy of traced values."""
    name = ufunc.__name__
    if method == "reduce" and name in _REDUCTIONS:
        kwargs.setdefault("axis", 0)
        options = {k: v for k, v in kwargs.items() if k in ("axis", "keepdims")}
        return _REDUCTIONS[name](*inputs, **options)
    if method == "outer" and name == "multiply":
        return np.outer(*inputs)
    if method != "__call__":
        raise Error(f"`{name}.{method}` cannot be traced")
    if kwargs.pop("out", None) is not None:
        raise Error(f"`{name}` cannot write into an array that exists: traced arrays do not change")
    if set(kwargs) - {"dtype", "casting"}:
        raise Error(f"`{name}` with `{next(iter(kwargs))}` cannot be traced")
    if name == "matmul":
        from ._products import matmul

        return matmul(*inputs)
    return apply(name, [operand(it, f"`{name}`") for it in inputs])


def apply(name: str, xs: list[Tracer]) -> Tracer:
    """A function of each element by its name."""
    if name in _REAL:
        return elementwise(lambda *it: f"{_REAL[name]}({', '.join(it)})", joined(xs, "real"), "real")
    if name in _FORMULAS:
        return elementwise(_FORMULAS[name], joined(xs, "real"), "real")
    if name in _NUMBERS:
        least = "real" if name in ("float_power", "fabs") else "int"
        xs = joined(xs, least)
        if name == "positive":
            return xs[0]
        return elementwise(_NUMBERS[name], xs, xs[0].kind)
    if name == "floor_divide":
        xs = joined(xs, "int")
        if xs[0].kind == "int":
            return elementwise(lambda x, y: f"({x} / {y})", xs, "int")
        return elementwise(lambda x, y: f"floor({x} / {y})", xs, "real")
    if name in _ROUND:
        (x,) = joined(xs, "int")
        return x if x.kind == "int" else elementwise(lambda it: f"{_ROUND[name]}({it})", [x], "real")
    if name == "trunc":
        (x,) = joined(xs, "int")
        return x if x.kind == "int" else elementwise(lambda it: f"(sign({it}) * floor(abs({it})))", [x], "real")
    if name in _COMPARE:
        sign = _COMPARE[name]
        xs = _booleans_as_numbers(xs) if sign not in ("==", "!=") else joined(xs)
        whole = sign not in ("==", "!=")
        return elementwise(lambda x, y: f"({x} {sign} {y})", xs, "bool", vectorised=whole)
    if name in _LOGIC:
        if any(it.kind != "bool" for it in xs) and not name.startswith("logical"):
            raise Error(f"`{name}` of integers cannot be traced")
        return elementwise(_LOGIC[name], [cast(it, "bool") for it in xs], "bool", vectorised=False)
    if name in ("isnan", "isinf", "isfinite"):
        return _finite(name, joined(xs, "real")[0])
    if name == "xlogy":
        return elementwise(
            lambda x, y: f"(if {x} == 0.0 then 0.0 else {x} * log({y}))", joined(xs, "real"), "real",
            vectorised=False,
        )  # fmt: skip
    raise Error(f"`{name}` cannot be traced: Cotan has no such function")


def _booleans_as_numbers(xs: list[Tracer]) -> list[Tracer]:
    return joined(xs, KINDS[1])


def _finite(name: str, x: Tracer) -> Tracer:
    if name == "isnan":
        return elementwise(lambda it: f"is_nan({it})", [x], "bool")
    if name == "isinf":
        return elementwise(lambda it: f"(abs({it}) >= infinity)", [x], "bool")
    return elementwise(lambda it: f"(abs({it}) < infinity)", [x], "bool")
