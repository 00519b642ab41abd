"""Cotan: a typed functional array language that differentiates its programs.

    import cotan

    m = cotan.compile("def loss(w: [n]Real): Real = sum((w - 3.0) * (w - 3.0))")
    m.loss(np.zeros(2))                     # 18.0
    cotan.grad(m.loss)(np.zeros(2))         # array([-6., -6.])

`compile`, `load` and `expr` make functions of Cotan programs, `function` makes them of Python functions,
and `grad`, `value_and_grad`, `jacobian`, `hessian`, `hvp`, `jvp`, `vjp` and `linearize` differentiate both.
`cotan.shards` adds them up over data on many machines.
"""

import os as _os
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ._control import build, cond, fold, iterate, scan, scatter, stop_gradient, where, while_loop
from ._cotan import after_fork as _after_fork
from ._cotan import explain
from ._derivatives import (
    check_grads,
    gauss_newton,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from ._error import Error
from ._function import Function
from ._magic import load_ipython_extension
from ._module import Module, compile, expr, load
from ._traced import Traced, function
from ._tree import on_vector, ravel
from ._values import Constructed, Record

if _TYPE_CHECKING:
    from . import shards

    __version__: str

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork)

__all__ = [
    "Constructed",
    "Error",
    "Function",
    "Module",
    "Record",
    "Traced",
    "build",
    "check_grads",
    "compile",
    "cond",
    "explain",
    "expr",
    "fold",
    "function",
    "gauss_newton",
    "grad",
    "hessian",
    "hvp",
    "iterate",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "load",
    "load_ipython_extension",
    "on_vector",
    "ravel",
    "scan",
    "scatter",
    "shards",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "where",
    "while_loop",
]


def __getattr__(name: str) -> _Any:
    # What many do not need does not make the import longer.
    if name == "shards":
        import importlib

        return importlib.import_module(".shards", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
