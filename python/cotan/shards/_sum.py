"""Functions that are sums over shards, and their derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .._derivatives import GaussNewton, gauss_newton
from .._error import Error
from .._function import Argnums, Function, argument_names
from .._traced import Traced, function
from ._data import Sharded
from ._engine import Engine, chosen
from ._order import Failure

Summand = Function | Traced | GaussNewton


def sum(f: Callable[..., Any], over: Mapping[str, Any], n: int = 1024, *, engine: Engine | str | None = None) -> Sum:
    """The sum of a function over shards of data, as a function of its other parameters.

    f: a function of a program, or a Python function, which is traced. What it gives is added part by part:
       numbers, arrays, tuples and records.
    over: the data by parameter: an array, the path of a `.npy`, `.parquet` or `.zarr` file, a source such as
          `cotan.shards.parquet`, a function from the number of a shard to its rows, or a structure of these.
    n: the number of shards. The rows are cut into so many ranges that differ by one row at most. The sum
       depends on it by rounding, and on nothing else.
    engine: `local`, `mpi`, `ray`, or one that was made by hand. Without it, `mpi` under `mpirun` and Slurm, and
            `local` elsewhere.

    Empty shards are not evaluated. Under MPI all processes must call it, and the sum, in the same order.
    """
    engine = chosen(engine)
    return Sum(engine.together(lambda: Shards(f, over, n)), engine)


class Shards:
    """What is added, and over which data; it can be pickled."""

    def __init__(self, f: Callable[..., Any], over: Mapping[str, Any], n: int) -> None:
        self.f: Summand = f if isinstance(f, (Function, Traced, GaussNewton)) else function(f)
        self.params = self.f.params
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise Error(f"the number of shards is a positive integer, not {n!r}")
        unknown = [it for it in over if it not in self.params]
        if unknown:
            raise Error(f"`{self.f.__name__}` has no parameter `{unknown[0]}`: it has {', '.join(self.params)}")
        if not over:
            raise Error("`over` is empty: it says which parameters are cut into shards")
        self.data = [Sharded(name, it) for name, it in over.items()]
        self.n = n
        self.rows = _rows(self.data)
        #: The parameters that are left.
        self.free = [it for it in self.params if it not in over]

    def of(self, f: Summand) -> Shards:
        """Another function over the same data."""
        made = object.__new__(Shards)
        made.__dict__.update(self.__dict__)
        made.f, made.params = f, f.params
        names = [it.name for it in self.data]
        made.free = [it for it in made.params if it not in names]
        return made

    def work(self, values: list[Any]) -> Work:
        """The sum for values of the other parameters."""
        return Work(self, values)


class Work:
    """One evaluation of a sum."""

    def __init__(self, shards: Shards, values: list[Any]) -> None:
        self.shards, self.values, self.n = shards, values, shards.n
        self.name = shards.f.__name__

    def shard(self, number: int) -> Any:
        """The value of a shard; nothing if it is empty, and a failure if it raises."""
        return self._tried(number, is_wanted=False)

    def whole(self, total: Any) -> Any:
        """The total; if all shards are empty, what the function gives for no rows."""
        return self._tried(0, is_wanted=True) if total is None else total

    def _tried(self, number: int, *, is_wanted: bool) -> Any:
        try:
            return self._value(number, is_wanted=is_wanted)
        except Exception as error:
            return Failure(number, error)

    def _value(self, number: int, *, is_wanted: bool) -> Any:
        rows = self.shards.rows
        lo, hi = (0, 0) if rows is None else (number * rows // self.n, (number + 1) * rows // self.n)
        if rows is not None and lo == hi and not is_wanted:
            return None
        data = {it.name: it(number, lo, hi) for it in self.shards.data}
        if rows is None and not is_wanted and all(_is_empty(it) for it in data.values()):
            return None
        values = iter(self.values)
        return self.shards.f(*(data[it] if it in data else next(values) for it in self.shards.params))

    def range(self, number: int) -> str:
        """Which rows a shard has, as messages say it."""
        rows = self.shards.rows
        if rows is None:
            return f"shard {number} of {self.n}"
        lo, hi = number * rows // self.n, (number + 1) * rows // self.n
        return f"shard {number} of {self.n}, with the rows from {lo} to {hi - 1}"


class Sum:
    """A sum over shards: a function of the parameters that are no data, with derivatives as any other.

    `cotan.value_and_grad`, `grad`, `hvp`, `jvp`, `vjp`, `hessian`, `jacobian` and `gauss_newton` of it are sums
    over the same shards.
    """

    def __init__(self, shards: Shards, engine: Engine) -> None:
        self._shards, self._engine = shards, engine
        self.__name__ = f"sum of {shards.f.__name__}"

    @property
    def params(self) -> list[str]:
        """The names of its parameters."""
        return list(self._shards.free)

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return self._shards.f.single

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        work = self._shards.work(self._bound(args, kwargs))
        found = self._engine.total(work)
        if isinstance(found, Failure):
            if found.shard is not None:
                found.error.add_note(f"This happened in {work.range(found.shard)}.")
            raise found.error
        return found

    def derived(self, operator: str, argnums: Argnums) -> Sum:
        """The sum of the derivatives of its shards, by these of its parameters."""
        names = argument_names(argnums, self.params, self.__name__)
        unknown = [it for it in names if it not in self.params]
        if unknown:
            raise Error(f"the {self.__name__} has no parameter `{unknown[0]}`: it has {', '.join(self.params)}")
        by: Argnums = names[0] if isinstance(argnums, (int, str)) else names
        f = self._shards.f
        made: Summand = gauss_newton(f, by) if operator == "gauss_newton" else f.derived(operator, by)
        return Sum(self._shards.of(made), self._engine)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        try:
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            bound = inspect.Signature([inspect.Parameter(it, kind) for it in self.params]).bind(*args, **kwargs)
        except TypeError as error:
            raise Error(f"the {self.__name__}: {error}") from error
        return [bound.arguments[it] for it in self.params]

    def __repr__(self) -> str:
        data = ", ".join(it.name for it in self._shards.data)
        return f"<cotan {self.__name__}({', '.join(self.params)}) over {self._shards.n} shards of {data}>"


def _rows(data: list[Sharded]) -> int | None:
    """How many rows all data has; none where only the shards know."""
    known = [(it.name, source.rows) for it in data for source in it.sources if source.rows is not None]
    for name, rows in known:
        if rows != known[0][1]:
            raise Error(f"`{known[0][0]}` has {known[0][1]} rows and `{name}` has {rows}: they must be as many")
    return known[0][1] if known else None


def _is_empty(value: Any) -> bool:
    shape = getattr(value, "shape", None)
    return len(value) == 0 if shape is None and hasattr(value, "__len__") else bool(shape and shape[0] == 0)
