"""The one exception: what is wrong, as the compiler shows it."""

from __future__ import annotations

import json
from typing import Any


class Error(Exception):
    """Something that is wrong with a program, with how it was called, or with what it did.

    `str` of it is the message as the command line shows it. `code` is the code of the first complaint,
    such as `"E0622"`, which `cotan.explain` explains; it is `None` for what the Python package itself
    complains about. `diagnostics` is a list with all complaints: code, title, place, labels and help.
    """

    def __init__(self, message: str, diagnostics: str | None = None) -> None:
        super().__init__(message)
        self._json = diagnostics
        self.diagnostics: list[dict[str, Any]] = json.loads(diagnostics) if diagnostics else []

    @property
    def code(self) -> str | None:
        """The code of the first error."""
        codes = [it["code"] for it in self.diagnostics if it["severity"] == "error"]
        return codes[0] if codes else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self._json)
