"""The cell magic `%%cotan` of notebooks."""

from __future__ import annotations

import sys
from typing import Any

from ._error import Error
from ._module import Module, compile


def load_ipython_extension(ipython: Any) -> None:
    """Called by `%load_ext cotan`."""
    ipython.register_magic_function(lambda line, cell: _cell(ipython, line, cell), "cell", "cotan")


def _cell(ipython: Any, line: str, cell: str) -> Module | None:
    """`%%cotan` puts what the cell defines into the notebook; `%%cotan name` makes a module of that name."""
    name = line.strip()
    if name and not name.isidentifier():
        print(f"`%%cotan {name}`: this is no name for a module", file=sys.stderr)
        return None
    try:
        module = compile(cell, name=name or "cell.cot")
    except Error as error:
        print(error, file=sys.stderr)
        return None
    ipython.push({name: module} if name else {it: module[it] for it in module})
    return module
