"""Functions of programs, and their derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._cotan import Core
from ._error import Error

if TYPE_CHECKING:
    from ._module import Module

#: How a function was made: a definition or an expression of a module, then operators.
Path = tuple[tuple[Any, ...], ...]
Argnums = int | str | Sequence[int | str]


class Function(Core):
    """A function of a program, or a derivative of one, that is called with numbers and NumPy arrays.

    `help` and `inspect.signature` show its types. Arguments come in their order or by name. The call
    itself is Rust's; the lock of Python is released while it runs.
    """

    def __new__(cls, core: Core, *args: Any, **kwargs: Any) -> Function:
        return Core.__new__(cls, core)  # type: ignore[return-value]

    def __init__(
        self,
        core: Core,
        module: Module,
        *path: tuple[Any, ...],
        doc: str = "",
        types: tuple[list[tuple[str, str]], str] | None = None,
    ) -> None:
        self._module = module
        self._path: Path = path
        self._types = types
        self._text = doc
        self.__name__ = _name(path)
        self.__qualname__ = self.__name__
        self.__module__ = module.__name__

    @property
    def __signature__(self) -> inspect.Signature:
        params, result = self._typed()
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        made = [inspect.Parameter(name, kind, annotation=_Type(ty)) for name, ty in params]
        return inspect.Signature(made, return_annotation=_Type(result))

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return bool(dict(self._module._made[2])["real"] == "f32")

    def stages(self, argnums: Argnums | None = None) -> str:
        """The definition and its derivative after every pass of the compiler, as `cotan stages` prints it."""
        kind, name = self._path[0]
        if kind != "def":
            raise Error("only definitions of a program have stages: give the expression a name by `def`")
        names = [] if argnums is None else self.names(argnums)
        return self._module._program.stages(name, names)

    def names(self, argnums: Argnums) -> list[str]:
        """The names of these parameters."""
        return argument_names(argnums, self.params, self.__name__)

    def derived(self, operator: str, argnums: Argnums) -> Function:
        """The derivative by an operator of the language, by these arguments."""
        names = self.names(argnums)
        ordered = [it for it in self.params if it in names]
        unknown = [it for it in names if it not in ordered]
        core = Core.derived(self, operator, ordered + unknown)
        made = Function(core, self._module, *self._path, (operator, tuple(names)))
        is_in_order = isinstance(argnums, (int, str)) or (len(names) > 1 and names == ordered)
        if is_in_order or operator == "jvp":
            return made
        return Arranged(made, operator, [names.index(it) for it in ordered])

    def _typed(self) -> tuple[list[tuple[str, str]], str]:
        if self._types is None:
            self._types = self.types()
        return self._types

    def __repr__(self) -> str:
        head = str(self.__doc__).split("\n", 1)[0]
        return f"<cotan function {head}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return remake, (self._module, self._path)


def argument_names(argnums: Argnums, known: list[str], what: str) -> list[str]:
    """The names of arguments that are given by index or by name."""
    given = [argnums] if isinstance(argnums, (int, str)) else list(argnums)
    names = []
    for it in given:
        if isinstance(it, str):
            names.append(it)
        elif -len(known) <= it < len(known):
            names.append(known[it])
        else:
            raise Error(f"there is no argument {it}: `{what}` has {len(known)}, {', '.join(known)}")
    if not names:
        raise Error("a derivative is by one argument at least: `argnums` is empty")
    if len(set(names)) != len(names):
        raise Error(f"an argument is named twice: {', '.join(names)}")
    return names


class Arranged(Function):
    """A derivative whose parts come in the order that was asked for, in a tuple also if there is one."""

    def __new__(cls, of: Function, *args: Any) -> Arranged:
        return Core.__new__(cls, of)  # type: ignore[return-value]

    def __init__(self, of: Function, operator: str, order: list[int]) -> None:
        super().__init__(of, of._module, *of._path, doc=of._text, types=of._types)
        self._operator = operator
        self._order = order

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = super().__call__(*args, **kwargs)
        if self._operator == "value_and_grad":
            return found[0], self._arranged(found[1], 1)
        return self._arranged(found, 2 if self._operator == "hessian" else 1)

    def _arranged(self, found: Any, depth: int) -> Any:
        if depth == 0:
            return found
        parts = found if len(self._order) > 1 else (found,)
        placed = zip(self._order, parts, strict=True)
        return tuple(self._arranged(it, depth - 1) for _, it in sorted(placed, key=lambda it: it[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        return remake, (self._module, (*self._path[:-1], (*self._path[-1], "tuple")))


class _Documentation:
    """The documentation of the class, and of each function its own."""

    def __get__(self, function: Function | None, owner: type) -> str:
        if function is None:
            return _CLASS
        params, result = function._typed()
        shown = ", ".join(f"{name}: {ty}" for name, ty in params)
        head = f"{function.__name__}({shown}): {result}"
        return f"{head}\n\n{function._text}" if function._text else head


_CLASS = str(Function.__doc__)
Function.__doc__ = Arranged.__doc__ = _Documentation()  # type: ignore[assignment]


class _Type(str):
    """A type of Cotan as an annotation: shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def remake(module: Module, path: Path) -> Function:
    """A function that comes out of a pickle."""
    (kind, name), *operators = path
    made: Function = module[name] if kind == "def" else module.expr(name)
    for operator, names, *form in operators:
        made = made.derived(operator, names if form or len(names) > 1 else names[0])
    return made


def _name(path: Path) -> str:
    (kind, name), *operators = path
    made = name if kind == "def" else "expr"
    for operator, *_ in operators:
        made = f"{operator}({made})"
    return made
