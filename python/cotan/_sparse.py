"""Sparse Jacobians and Hessians as matrices of SciPy; how they are found is Rust's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._function import Function


class SparseJacobian:
    """The Jacobian or the Hessian of a function as a matrix of SciPy, in compressed rows.

    A row is a real of the result, a column a real of the arguments, both in the order of `cotan.ravel`.
    Where each element of the result reads a few elements of the arguments, its entries come from one call;
    else the pattern is found by a run of the interpreter, at the first call and when it does not hold any
    more, and a few directions give all entries.
    """

    def __init__(self, f: Function, operator: str, names: list[str]) -> None:
        self._function, self._operator, self._by = f, operator, names
        self._core = f.sparse(operator, names)
        self.__name__ = f"{operator}({f.__name__})"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from scipy.sparse import csr_array

        values, (columns, starts, shape) = self._core(*args, **kwargs)
        if self._function.single:
            values = values.astype(np.float32)
        return csr_array((values, columns, starts), shape=shape)

    def pattern(self, *args: Any, **kwargs: Any) -> Any:
        """The entries that may be other than zero for these arguments, as a matrix of ones."""
        from scipy.sparse import csr_array

        columns, starts, shape = self._core.pattern(*args, **kwargs)
        return csr_array((np.ones(columns.size), columns, starts), shape=shape)

    def __reduce__(self) -> Any:
        return SparseJacobian, (self._function, self._operator, self._by)

    def __repr__(self) -> str:
        return f"<cotan sparse {self.__name__} by {', '.join(self._by)}>"
