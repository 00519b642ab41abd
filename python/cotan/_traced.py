"""Python functions that are traced: run once with values that write a program, then called as that."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ._error import Error
from ._function import Argnums, Function, argument_names
from ._module import Module, compile
from ._scope import is_tracing, safe_name, tracing
from ._tracer import Shape, Tracer, literal, operand
from ._tree import Rebuild, as_array, flatten, is_array, structure

_KINDS = {"f": "real", "i": "int", "u": "int", "b": "bool"}
_TYPES = {"real": "Real", "int": "Int", "bool": "Bool"}
Unpack = Callable[..., Any]


def function(f: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A decorator: the function is traced when it is called, and runs as a Cotan program.

    It is traced once for each choice of shapes and kinds of its arguments. What is not a number, an array
    or a structure of them, such as a text, is a constant of the program. Loops and branches of Python run
    while it is traced; those that depend on values are `cotan.fold`, `cotan.while_loop`, `cotan.cond`,
    `cotan.where` and `cotan.build`. Options are those of `cotan.compile`.
    """
    if f is None:
        return lambda it: Traced(it, options)
    return Traced(f, options)


class Program:
    """A traced function for one choice of shapes: the program, and how arguments and results are made."""

    def __init__(self, f: Callable[..., Any], args: dict[str, Any], options: dict[str, Any]) -> None:
        self.leaves: dict[str, list[str]] = {}
        self.rebuilds: dict[str, Rebuild] = {}
        taken: set[str] = set()
        typed: list[str] = []
        with tracing() as scope:
            values = {}
            for name, value in args.items():
                found, rebuild = flatten(value)
                made, names = [], []
                for leaf in found:
                    described = describe(leaf)
                    if described is None:
                        made.append(leaf)
                        continue
                    kind, shape = described
                    own = safe_name(name, taken.__contains__)
                    taken.add(own)
                    names.append(own)
                    typed.append(f"{own}: {''.join(f'[{it}]' for it in shape)}{_TYPES[kind]}")
                    made.append(literal(own, kind, shape))
                self.leaves[name], self.rebuilds[name] = names, _with_statics(found, rebuild)
                values[name] = rebuild(made)
            result = f(**values)
            leaves, rebuild = flatten(result)
            if not leaves:
                raise Error("a traced function gives a number, an array or a structure of them, not nothing")
            outs = [operand(it, "the result") for it in leaves]
            text = scope.block.text(_tuple([it.text for it in outs]))
            self.constants = [it for _, it in scope.constants]
            for name, array in scope.constants:
                typed.append(f"{name}: {''.join(f'[{it}]' for it in array.shape)}{_TYPES[_KINDS[array.dtype.kind]]}")
        lets = text.replace("; let ", ";\n  let ") if len(text) > 80 else text
        self.source = f"def traced({', '.join(typed)}) = {lets}\n" if typed else f"def traced = {lets}\n"
        self.module: Module = compile(self.source, name=f"<{getattr(f, '__name__', 'traced')}>", **options)
        self.function: Function = self.module["traced"]
        self.n_results = len(outs)
        self.rebuild = rebuild

    def unpack(self, found: Any, leaf: Callable[[Any], Any] = lambda it: it) -> Any:
        """The result as the function gives it."""
        parts = [found] if self.n_results == 1 else list(found)
        return self.rebuild([leaf(it) for it in parts])

    def by(self, names: Sequence[str], single: bool) -> Unpack:
        """How something by these arguments gets their structure; it comes in the order of the parameters."""
        ordered = [it for it in self.leaves if it in names]
        counts = [len(self.leaves[it]) for it in ordered]
        if not sum(counts):
            raise Error(f"there is nothing to differentiate by in `{', '.join(names)}`")

        def unpack(found: Any, leaf: Callable[[Any], Any] = lambda it: it) -> Any:
            parts = [found] if sum(counts) == 1 else list(found)
            made, at = {}, 0
            for name, count in zip(ordered, counts, strict=True):
                made[name] = self.rebuilds[name]([leaf(it) for it in parts[at : at + count]])
                at += count
            return made[names[0]] if single else tuple(made[it] for it in names)

        return unpack


class Stage:
    """A traced function after some operators: what is called, and how its result is made."""

    def __init__(self, program: Program, operators: Sequence[tuple[str, tuple[str, ...], bool]]) -> None:
        self.program = program
        self.core: Function = program.function
        unpack: Unpack = program.unpack
        for operator, names, single in operators:
            wrt = [leaf for it in program.leaves if it in names for leaf in program.leaves[it]]
            self.core = self.core.derived(operator, wrt[0] if len(wrt) == 1 else wrt)
            unpack = _after(operator, unpack, program.by(names, single))
        self.unpack = unpack


def _after(operator: str, before: Unpack, by: Unpack) -> Unpack:
    """How the result of an operator is made, from that of the function before it and its arguments."""
    match operator:
        case "jvp":
            return before
        case "value_and_grad":
            return lambda found, leaf=lambda it: it: (leaf(found[0]), by(found[1], leaf))
        case "jacobian":
            return lambda found, leaf=lambda it: it: before(found, lambda part: by(part, leaf))
        case "hessian":
            return lambda found, leaf=lambda it: it: by(found, lambda part: by(part, leaf))
    return by


class Traced:
    """A Python function as a Cotan program, or a derivative of one."""

    def __init__(
        self,
        f: Callable[..., Any],
        options: dict[str, Any],
        operators: tuple[tuple[str, tuple[str, ...], bool], ...] = (),
        programs: dict[Any, Program] | None = None,
    ) -> None:
        functools.update_wrapper(self, f)
        self.__name__: str = getattr(f, "__name__", "traced")
        self.__qualname__: str = getattr(f, "__qualname__", self.__name__)
        self._f, self._options, self._operators = f, options, operators
        self._signature = inspect.signature(f)
        kinds = {it.kind for it in self._signature.parameters.values()}
        if kinds - {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
            raise Error(f"`{self.__name__}` cannot be traced: its parameters must have names of their own")
        self._params = list(self._signature.parameters)
        self._programs: dict[Any, Program] = {} if programs is None else programs
        self._stages: dict[Any, Stage] = {}

    @property
    def params(self) -> list[str]:
        """The names of its parameters, and behind them those of directions and cotangents."""
        res = list(self._params)
        for operator, names, _ in self._operators:
            own = names if operator in ("jvp", "hvp") else ["y"] if operator == "vjp" else []
            for it in own:
                res.append(safe_name(f"d{it}", res.__contains__))
        return res

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return bool(self._options.get("real") == "f32")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            if self._operators:
                raise Error("derivatives inside of a traced function cannot be traced: use a Cotan program")
            return self._f(*args, **kwargs)
        own, extra = self._bound(args, kwargs)
        stage = self._stage(own)
        values = [leaf for it in own.values() for leaf in _values(it)]
        found = stage.core(*values, *stage.program.constants, *self._directions(extra))
        return stage.unpack(found)

    def derived(self, operator: str, argnums: Argnums) -> Traced:
        """The derivative by an operator of the language, by these arguments."""
        names = argument_names(argnums, self._params, self.__name__)
        unknown = [it for it in names if it not in self._params]
        if unknown:
            raise Error(f"`{self.__name__}` has no parameter `{unknown[0]}`: it has {', '.join(self._params)}")
        step = (operator, tuple(names), isinstance(argnums, (int, str)))
        return Traced(self._f, self._options, (*self._operators, step), self._programs)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The Cotan program that it becomes for such arguments."""
        return self._stage(self._bound(args, kwargs)[0]).program.source

    def stages(self, *args: Any, **kwargs: Any) -> str:
        """The program for such arguments and its derivative after every pass of the compiler."""
        return self._stage(self._bound(args, kwargs)[0]).program.function.stages()

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """The arguments of the function by name, and those that its derivatives take besides."""
        n = len(self._params)
        extra = list(args[n:])
        if len(extra) != self._n_directions():
            given = f"{len(args)} were given"
            if len(extra) > self._n_directions() or self._n_directions():
                raise Error(f"`{self.__name__}` takes {n + self._n_directions()} arguments here, and {given}")
        try:
            bound = self._signature.bind(*args[:n], **kwargs)
        except TypeError as error:
            raise Error(f"`{self.__name__}`: {error}") from error
        bound.apply_defaults()
        own = dict(bound.arguments)
        for _, names, _ in self._operators:
            own |= {it: _floating(own[it]) for it in names}
        return own, extra

    def _n_directions(self) -> int:
        taken = (len(names) if it in ("jvp", "hvp") else int(it == "vjp") for it, names, _ in self._operators)
        return sum(taken)

    def _directions(self, extra: list[Any]) -> list[Any]:
        """Directions by their leaves, and the cotangent as the program gives its result."""
        res: list[Any] = []
        for operator, names, _ in self._operators:
            if operator in ("jvp", "hvp"):
                given, extra = extra[: len(names)], extra[len(names) :]
                ordered = [given[names.index(it)] for it in self._params if it in names]
                res += [leaf for it in ordered for leaf in _values(_floating(it))]
            elif operator == "vjp":
                leaves = _values(_floating(extra[0]))
                res.append(leaves[0] if len(leaves) == 1 else tuple(leaves))
                extra = extra[1:]
        return res

    def _stage(self, args: dict[str, Any]) -> Stage:
        key = tuple(structure(it, describe) for it in args.values())
        try:
            found = self._stages.get(key)
        except TypeError as error:
            raise Error(f"an argument of `{self.__name__}` can be no constant of a program: {error}") from error
        if found is None:
            program = self._programs.get(key)
            if program is None:
                # Of threads that trace it at once, all use what the first of them has made.
                program = self._programs.setdefault(key, Program(self._f, args, self._options))
            found = self._stages.setdefault(key, Stage(program, self._operators))
        return found

    def __repr__(self) -> str:
        made = self.__name__
        for operator, *_ in self._operators:
            made = f"{operator}({made})"
        return f"<cotan traced function {made}{self._signature}>"

    def __reduce__(self) -> Any:
        if not self._operators:
            return self.__qualname__
        head = Traced(self._f, self._options, self._operators[:-1])
        operator, names, single = self._operators[-1]
        of: Any = _named(self.__module__, self.__qualname__) if not self._operators[:-1] else head
        return _derived, (of, operator, names[0] if single else names)


def _derived(of: Traced, operator: str, argnums: Argnums) -> Traced:
    return of.derived(operator, argnums)


def _named(module: str, name: str) -> Any:
    import importlib

    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def describe(leaf: Any) -> tuple[str, Shape] | None:
    """Kind and shape of a number or an array; none of what is a constant of the program."""
    if isinstance(leaf, bool):
        return "bool", ()
    if isinstance(leaf, int):
        return "int", ()
    if isinstance(leaf, float):
        return "real", ()
    if isinstance(leaf, Tracer):
        raise Error("a value of a traced function has left it")
    if is_array(leaf):
        array = as_array(leaf)
        if array.dtype.kind not in _KINDS:
            raise Error(f"there are no arrays of {array.dtype} in Cotan")
        return _KINDS[array.dtype.kind], array.shape
    return None


def _values(x: Any) -> list[Any]:
    return [it for it in flatten(x)[0] if describe(it) is not None]


def _floating(x: Any) -> Any:
    """Integers of Python as reals: by them something is differentiated."""
    leaves, rebuild = flatten(x)
    return rebuild([float(it) if type(it) is int else it for it in leaves])


def _with_statics(found: list[Any], rebuild: Rebuild) -> Rebuild:
    """Makes a structure of its numbers and arrays; the rest is what it was."""

    def whole(values: list[Any]) -> Any:
        given = iter(values)
        return rebuild([it if describe(it) is None else next(given) for it in found])

    if all(describe(it) is not None for it in found):
        return rebuild
    return whole


def _tuple(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
