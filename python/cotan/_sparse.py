"""Sparse Jacobians: the pattern from the program, a few directions for all columns, CSR as the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._error import Error
from ._function import Function
from ._module import Module
from ._tree import as_array, flatten, is_array

#: The definition that a pattern is asked of.
_TARGET = "sparse_target"


class SparseJacobian:
    """The Jacobian of a function as a matrix of SciPy, in compressed rows.

    A row is a real of the result, a column a real of the argument, both in the order of `cotan.ravel`. The
    pattern is found by a run of the interpreter, at the first call and when it does not hold any more:
    each call compares the product of the matrix and a random vector with the directional derivative.
    """

    def __init__(self, f: Function, operator: str, name: str) -> None:
        params, _ = f._typed()
        kind, text = f._path[0]
        if kind != "def" or len(f._path) > 1:
            raise Error("sparse derivatives are those of definitions: give the expression a name by `def`")
        call = f"{text}({', '.join(it for it, _ in params)})"
        if operator == "hessian":
            call = f"grad(\\{name} => {call})({name})"
        typed = ", ".join(f"{it}: {ty}" for it, ty in params)
        source, file, options, (found, texts) = f._module._made
        source = f"{source}\ndef {_TARGET}({typed}) = {call}\n"
        self._module = Module(source, file, dict(options), imported=(list(found), list(texts)))
        self._by, self._params = name, [it for it, _ in params]
        self.__name__ = f"{operator}({text})"
        names = ", ".join(self._params)
        inner = f"\\{name} => {_TARGET}({names})"
        batch = "{ let f = %s; build c < length(seeds) => f(seeds[c]) }"
        push, pull = (f"\\{names}, seeds => {batch % f'{it}({inner})({name})'}" for it in ("jvp", "vjp"))
        self._forth, self._back = self._module.expr(push), self._module.expr(pull)
        self._value = self._module[_TARGET]
        self._known: dict[Any, _Pattern] = {}
        self._random = np.random.default_rng(0)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from scipy.sparse import csr_array

        given = self._given(args, kwargs)
        sizes = tuple(np.shape(as_array(it)) for it in flatten(list(given.values()))[0] if is_array(it))
        pattern = self._known.get(sizes)
        values = None if pattern is None else self._checked(pattern, given)
        if values is None:
            pattern = self._known[sizes] = _Pattern(self._module._program.pattern(_TARGET, given, [self._by]))
            values = self._checked(pattern, given)
        if pattern is None or values is None:
            raise Error("the pattern of this Jacobian does not hold where it was found")
        return csr_array((values, pattern.columns, pattern.starts), shape=pattern.shape)

    def pattern(self, *args: Any, **kwargs: Any) -> Any:
        """The entries that may be other than zero for these arguments, as a matrix of ones."""
        from scipy.sparse import csr_array

        found = _Pattern(self._module._program.pattern(_TARGET, self._given(args, kwargs), [self._by]))
        return csr_array((np.ones(found.columns.size), found.columns, found.starts), shape=found.shape)

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._params):
            raise Error(f"it takes {len(self._params)} arguments ({', '.join(self._params)}), not {len(args)}")
        given = {**dict(zip(self._params, args, strict=False)), **kwargs}
        wrong = [it for it in self._params if it not in given] or [it for it in given if it not in self._params]
        if wrong:
            raise Error(f"`{wrong[0]}` is missing or unknown: the arguments are {', '.join(self._params)}")
        return {it: given[it] for it in self._params}

    def _checked(self, pattern: _Pattern, given: dict[str, Any]) -> np.ndarray | None:
        """The entries, if they and no others are there."""
        n = pattern.shape[1]
        probe = self._random.standard_normal(n)
        if pattern.side == "columns":
            seeds = np.zeros((pattern.n_colours + 1, n))
            seeds[pattern.colours, np.arange(n)] = 1.0
            seeds[-1] = probe
            found = self._through(self._forth, given, seeds, given[self._by])
            values = found[pattern.colours[pattern.columns], pattern.rows]
            expected = found[-1]
        else:
            seeds = np.zeros((pattern.n_colours, pattern.shape[0]))
            seeds[pattern.colours, np.arange(pattern.shape[0])] = 1.0
            found = self._through(self._back, given, seeds, self._value(*given.values()))
            values = found[pattern.colours[pattern.rows], pattern.columns]
            expected = self._through(self._forth, given, probe[None], given[self._by])[0]
        product = np.zeros(pattern.shape[0])
        scale = np.zeros(pattern.shape[0])
        np.add.at(product, pattern.rows, values * probe[pattern.columns])
        np.add.at(scale, pattern.rows, np.abs(values * probe[pattern.columns]))
        accuracy = 1e-3 if self._value.single else 1e-9
        holds = np.abs(product - expected) <= accuracy * (scale + np.abs(expected)) + 1e-300
        return values if np.all(holds | ~np.isfinite(expected)) else None

    def _through(self, map_: Function, given: dict[str, Any], seeds: np.ndarray, like: Any) -> np.ndarray:
        """A linear map of all seeds at once, each a structure as this."""
        found = map_(*given.values(), _batched(seeds, like))
        leaves = [as_array(it) for it in flatten(found)[0]]
        leaves = [it.reshape(len(seeds), int(np.prod(it.shape[1:], dtype=int))) for it in leaves]
        return np.concatenate([it for it in leaves if it.dtype.kind == "f"], axis=1)

    def __repr__(self) -> str:
        return f"<cotan sparse {self.__name__} by {self._by}>"


class _Pattern:
    """A pattern with colours."""

    def __init__(self, found: Any) -> None:
        (self.starts, self.columns, n_columns), (self.side, self.colours, self.n_colours) = found
        self.shape = (self.starts.size - 1, n_columns)
        self.rows = np.repeat(np.arange(self.shape[0]), np.diff(self.starts))


def _batched(seeds: np.ndarray, like: Any) -> Any:
    """A structure whose reals are arrays with one more dimension in front, a row of seeds for each."""
    leaves, rebuild = flatten(np.asarray(like) if isinstance(like, list) else like)
    made: list[Any] = []
    at = 0
    for leaf in leaves:
        shape = np.shape(as_array(leaf))
        size = int(np.prod(shape, dtype=int))
        if not (isinstance(leaf, float) or (is_array(leaf) and as_array(leaf).dtype.kind in "fiu")):
            raise Error("a sparse derivative is by real numbers, arrays, tuples and records of them")
        made.append(seeds[:, at : at + size].reshape(len(seeds), *shape))
        at += size
    return rebuild(made)
