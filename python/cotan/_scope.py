"""The program that a traced function becomes: blocks of `let`, one for each value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._error import Error

#: Names that what is emitted uses, so that no parameter may hide them; and the keywords.
RESERVED = frozenset(
    [
        "def",
        "let",
        "if",
        "then",
        "else",
        "match",
        "build",
        "type",
        "data",
        "test",
        "bench",
        "true",
        "false",
        "pi",
        "infinity",
        "nan",
        "sum",
        "product",
        "maximum",
        "minimum",
        "argmax",
        "argmin",
        "gather",
        "scatter",
        "iota",
        "transpose",
        "reshape",
        "flatten",
        "concat",
        "fold",
        "scan",
        "iterate",
        "while",
        "sort",
        "argsort",
        "map",
        "zip",
        "stop_gradient",
        "polygamma",
        "pow",
        "abs",
        "sign",
        "min",
        "max",
        "exp",
        "log",
        "log1p",
        "expm1",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "sqrt",
        "floor",
        "ceil",
        "round",
        "erf",
        "lgamma",
        "digamma",
        "sigmoid",
        "softplus",
        "real",
        "int",
        "is_nan",
        "select",
        "dot",
        "matmul",
        "matvec",
        "vecmat",
        "any",
        "all",
        "solve",
        "replicate",
        "reverse",
        "grad",
        "jvp",
        "vjp",
        "jacobian",
        "hessian",
        "hvp",
        "linearise",
        "traced",
    ]
)

_running = threading.local()


class Block:
    """A block of the program: where values are computed."""

    def __init__(self, outer: Block | None) -> None:
        self.outer = outer
        self.lines: list[str] = []

    def sees(self, other: Block) -> bool:
        """Whether values of another block can be used here."""
        here: Block | None = self
        while here is not None:
            if here is other:
                return True
            here = here.outer
        return False

    def text(self, result: str) -> str:
        """The block as an expression."""
        return f"{{ {' '.join(self.lines)} {result} }}" if self.lines else result


class Scope:
    """A function that is being traced."""

    def __init__(self) -> None:
        self.block = Block(None)
        self.count = 0
        #: Arrays of Python that the function uses: further parameters.
        self.constants: list[tuple[str, np.ndarray]] = []
        self._known: dict[int, str] = {}

    def fresh(self, letter: str) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{letter}{self.count}"

    def let(self, text: str) -> str:
        """Computes a value here, and gives its name."""
        name = self.fresh("v")
        self.block.lines.append(f"let {name} = {text};")
        return name

    def constant(self, array: np.ndarray) -> str:
        """The name of the parameter that an array becomes."""
        if id(array) not in self._known:
            name = self.fresh("c")
            self._known[id(array)] = name
            # Kept, so that no other array gets its number.
            self.constants.append((name, array))
        return self._known[id(array)]

    @contextmanager
    def inner(self) -> Iterator[Block]:
        """A block inside of the current one."""
        outer = self.block
        self.block = Block(outer)
        try:
            yield self.block
        finally:
            self.block = outer


@contextmanager
def tracing() -> Iterator[Scope]:
    """A new scope, for as long as a function is traced in this thread."""
    before = getattr(_running, "scope", None)
    _running.scope = Scope()
    try:
        yield _running.scope
    finally:
        _running.scope = before


def current(what: str) -> Scope:
    """The scope of the function that is traced in this thread."""
    scope: Scope | None = getattr(_running, "scope", None)
    if scope is None:
        raise Error(f"{what} works inside of a function that is traced: decorate it by `@cotan.function`")
    return scope


def is_tracing() -> bool:
    """Whether a function is traced in this thread."""
    return getattr(_running, "scope", None) is not None


def safe_name(name: str, taken: Callable[[str], bool]) -> str:
    """A name of Cotan that is like a name of Python."""
    name = "".join(it if it.isascii() and (it.isalnum() or it == "_") else "_" for it in name)
    if not name[:1].isalpha() or not name[:1].islower():
        name = f"x{name}"
    while name in RESERVED or (name[0] in "vci" and name[1:].isdigit()) or taken(name):
        name += "_"
    return name


def no_value(what: str) -> Any:
    """Refuses what needs the numbers of a value that has none yet."""
    raise Error(
        f"{what} needs the value of a traced number, which is not known while the function is traced: "
        "use `cotan.where` or `cotan.cond` for branches, `cotan.while_loop`, `cotan.fold` or "
        "`cotan.build` for loops"
    )
