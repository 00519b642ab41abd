"""Programs as modules: what a text defines, as attributes."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from typing import Any

from ._cotan import Program
from ._error import Error
from ._function import Function
from ._values import Declared, classes_of


class Module:
    """A program: its definitions are functions, its records and data types are classes.

    They are attributes, `module.loss`, and items, `module["loss"]`. Those of the program hide what a
    module has by itself: `source`, `options`, `definitions` and `expr`.
    """

    def __init__(self, source: str, name: str, options: dict[str, Any], **files: Any) -> None:
        self.source = source
        self.options = options
        self.__name__ = name
        self._program = Program(source, name, **options, **files)
        # The files that it imports are part of it: where a pickle is opened, they need not be there.
        found, texts = self._program.imported()
        self._made = (source, name, tuple(sorted(options.items())), (tuple(found), tuple(texts)))
        declared = self._program.declared()
        classes = classes_of(declared, self)
        self._program.set_classes(classes)
        functions: dict[str, Any] = {}
        for defined, params, result, doc in self._program.definitions():
            core = self._program.function(defined)
            made = Function(core, self, ("def", defined), doc=doc, types=(params, result))
            functions[defined] = made
        #: The functions by name, in the order of the text.
        self.definitions: dict[str, Function] = functions
        self._known = {**classes, **functions}
        self.__dict__.update(self._known)
        prelude = [it for _, it, cases, is_prelude in declared if is_prelude for it in (it, *dict(cases))]
        self._own = [it for it in self._known if it not in prelude]
        self.__doc__ = _documentation(name, functions, declared)

    def expr(self, text: str) -> Function:
        """A function that is written as an expression in the scope of the program: `\\\\w => loss(w, 2.0)`."""
        return Function(self._program.expression(text), self, ("expr", text))

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            # The message of the compiler knows what is near.
            self._program.function(name)
        return self._known[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except Error as error:
            raise AttributeError(str(error)) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __dir__(self) -> list[str]:
        return [*self._known, "source", "options", "definitions", "expr"]

    def __repr__(self) -> str:
        return f"<cotan module {self.__name__!r} with {', '.join(self._own) or 'nothing'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._made


def compile(
    source: str,
    *,
    name: str = "program.cot",
    backend: str = "auto",
    via: str = "auto",
    real: str = "f64",
    memory: int | None = None,
    threads: int | None = None,
) -> Module:
    """Checks a program and gives it as a module.

    source: the text of the program.
    name: what messages call it.
    backend: `auto`, `native` (compiled by the C compiler of the system) or `interp`.
    via: the method of differentiation: `auto`, `bulk`, `chad`, `linmap`, `tape` or `forward`.
    real: the precision, `f64` or `f32`.
    memory: how many bytes a running program may hold.
    threads: how many threads compiled code uses; all cores if not given.

    An error in the program is a `cotan.Error`.
    """
    return Module(source, name, _options(backend, via, real, memory, threads))


def _options(
    backend: str = "auto",
    via: str = "auto",
    real: str = "f64",
    memory: int | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    return {"backend": backend, "via": via, "real": real, "memory": memory, "threads": threads}


def load(path: str | os.PathLike[str], **options: Any) -> Module:
    """As `compile`, of a file, which may import other files."""
    with open(path, encoding="utf-8") as file:
        try:
            source = file.read()
        except UnicodeDecodeError as error:
            raise Error(f"{os.fspath(path)} is not UTF-8 text: {error}") from error
    return Module(source, os.fspath(path), _options(**options), on_disk=True)


def expr(text: str, **options: Any) -> Function:
    """A function that is written as an expression: `cotan.expr("\\\\w => sum(w * w)")`."""
    return compile("", **options).expr(text)


_opening = threading.Lock()


def _again(source: str, name: str, options: tuple[tuple[str, Any], ...], imported: Any = ((), ())) -> Module:
    """The module of a text that comes out of a pickle: one for all that come, also to several threads at once,
    since two modules would have two classes for one record.
    """
    with _opening:
        return _opened(source, name, options, imported)


@functools.lru_cache(maxsize=256)
def _opened(source: str, name: str, options: tuple[tuple[str, Any], ...], imported: Any) -> Module:
    found, texts = imported
    return Module(source, name, dict(options), imported=(list(found), list(texts)))


def _documentation(name: str, functions: dict[str, Function], declared: list[Declared]) -> str:
    lines = [f"The Cotan program {name!r}.", ""]
    for kind, declaration, cases, is_prelude in declared:
        if is_prelude:
            continue
        shown = [f"{case}({', '.join(fields)})" if fields else case for case, fields in cases]
        lines += [f"{'type' if kind == 'record' else 'data'} {declaration} = {' | '.join(shown)}"]
    for function in functions.values():
        lines += ["", *str(function.__doc__).split("\n")]
    return "\n".join(lines)
