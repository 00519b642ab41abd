"""The functions of NumPy that are traced: other files put them here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._error import Error

Own = TypeVar("Own", bound=Callable[..., Any])

FUNCTIONS: dict[Any, Callable[..., Any]] = {}


def call(func: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy of traced values."""
    found = FUNCTIONS.get(func)
    name = getattr(func, "__name__", str(func))
    if found is None:
        raise Error(f"`numpy.{name}` cannot be traced: write it by `cotan.build` and reductions")
    try:
        return found(*args, **kwargs)
    except TypeError as error:
        raise Error(f"`numpy.{name}` with these arguments cannot be traced: {error}") from error


def numpy_function(*functions: Any) -> Callable[[Own], Own]:
    """Says which functions of NumPy one of ours stands for."""

    def register(own: Own) -> Own:
        for it in functions:
            FUNCTIONS[it] = own
        return own

    return register
