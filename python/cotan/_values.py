"""What values of declared types are in Python: records, and data with constructors for `match`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

#: `record` or `data`, the name, the constructors with their fields, and whether it is of the prelude.
Declared = tuple[str, str, list[tuple[str, list[str]]], bool]


class Record:
    """A record: its fields are attributes and, as in a dict, items.

    Classes of records come from a program: `module.Ball(x=1.0, y=2.0)`. They work in `match` by name and
    by position. Functions take them, and dicts and dataclasses with the same fields.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    #: The module that declares it, and its name there.
    _declared: ClassVar[tuple[Any, str]]

    def __init__(self, *args: Any, **fields: Any) -> None:
        names = self.__match_args__
        name = type(self).__name__
        if len(args) > len(names):
            raise TypeError(f"{name} has {len(names)} fields, and {len(args)} values were given")
        given = dict(zip(names, args, strict=False))
        twice = [it for it in fields if it in given]
        unknown = [it for it in fields if it not in names]
        missing = [it for it in names if it not in given and it not in fields]
        for wrong, what in ((twice, "was given twice"), (unknown, "is no field"), (missing, "is missing")):
            if wrong:
                raise TypeError(f"{name}: `{wrong[0]}` {what}; its fields are {', '.join(names)}")
        given |= fields
        for it in names:
            object.__setattr__(self, it, given[it])

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("records do not change; `replace` gives another one")

    def replace(self, **fields: Any) -> Any:
        """The same record with other values for these fields."""
        return type(self)(**{**_as_dict(self), **fields})

    def asdict(self) -> dict[str, Any]:
        """Its fields as a dict."""
        return _as_dict(self)

    def keys(self) -> tuple[str, ...]:
        """The names of its fields, so that `dict(record)` works."""
        return self.__match_args__

    def __getitem__(self, name: str) -> Any:
        if name not in self.__match_args__:
            raise KeyError(name)
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _same(values_of(self), values_of(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in _as_dict(self).items())
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self)._declared, values_of(self))


class Constructed:
    """A value of a data type: made by one of its constructors, taken apart by `match`.

    A constructor is a class, and the data type is their common base: for `data Shape = Circle(Real) |
    Point`, `module.Circle(2.0)` is a `module.Shape`, and `case module.Circle(radius):` matches it.
    """

    __slots__ = ("fields",)
    #: Of a constructor; a data type has none.
    _n_fields: ClassVar[int | None] = None
    #: The module that declares it, and its name there.
    _declared: ClassVar[tuple[Any, str]]
    __match_args__: ClassVar[tuple[str, ...]] = ()
    fields: tuple[Any, ...]

    def __init__(self, *fields: Any) -> None:
        n = self._n_fields
        if n is None:
            raise TypeError(f"{type(self).__name__} is a type: its values are made by its constructors")
        if len(fields) != n:
            raise TypeError(f"{type(self).__name__} has {n} fields, and {len(fields)} values were given")
        object.__setattr__(self, "fields", fields)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("values of data types do not change")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _same(self.fields, other.fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(repr(it) for it in self.fields)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self)._declared, self.fields)


def values_of(record: Record) -> tuple[Any, ...]:
    """The values of its fields in order; a function, so that a field may have any name."""
    return tuple(getattr(record, it) for it in type(record).__match_args__)


def _as_dict(record: Record) -> dict[str, Any]:
    return dict(zip(type(record).__match_args__, values_of(record), strict=True))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


def _remake(declared: tuple[Any, str], values: tuple[Any, ...]) -> Any:
    module, name = declared
    return getattr(module, name)(*values)


def classes_of(declared: list[Declared], module: Any) -> dict[str, type]:
    """A class for each record, each data type and each constructor that a program declares."""
    made: dict[str, type] = {}
    for kind, name, cases, _ in declared:
        if kind == "record":
            (_, fields), *_ = cases
            slots = tuple(fields)
            body: dict[str, Any] = {"__slots__": slots, "__match_args__": slots, "_declared": (module, name)}
            body |= {"__module__": module.__name__, "__doc__": f"{name}({', '.join(fields)})"}
            made[name] = type(name, (Record,), body)
            continue
        base = type(name, (Constructed,), {"__slots__": (), "__module__": module.__name__, "_declared": (module, name)})
        made[name] = base
        for case, types in cases:
            made[case] = _constructor(case, types, base, module)
    return made


def _constructor(name: str, types: list[str], base: type, module: Any) -> type:
    names = tuple(f"_{at}" for at in range(len(types)))
    body: dict[str, Any] = {"__slots__": (), "__match_args__": names, "_n_fields": len(types)}
    body |= {"__module__": module.__name__, "_declared": (module, name), "__doc__": f"{name}({', '.join(types)})"}
    for at, it in enumerate(names):
        body[it] = property(_field(at))
    return type(name, (base,), body)


def _field(at: int) -> Callable[[Constructed], Any]:
    return lambda value: value.fields[at]
