"""The part of the package that is Rust."""

from typing import Any, final

from typing_extensions import disjoint_base

__all__ = ["Core", "Linearised", "Program", "Sparse", "after_fork", "explain"]

@final
class Program:
    """A program that checks."""

    def __new__(
        cls,
        text: str,
        name: str,
        *,
        on_disk: bool = False,
        imported: tuple[list[tuple[str, str, str, str]], list[tuple[str, str]]] | None = None,
        backend: str = "auto",
        via: str = "auto",
        real: str = "f64",
        memory: int | None = None,
        threads: int | None = None,
    ) -> Program: ...
    def imported(self, /) -> tuple[list[tuple[str, str, str, str]], list[tuple[str, str]]]:
        """The files that it imports: who imports, path, name and key of each, and texts by their keys."""

    def set_classes(self, /, classes: dict[str, type]) -> None:
        """Gives it the classes of its declared types."""

    def definitions(self, /) -> list[tuple[str, list[tuple[str, str]], str, str]]:
        """What it defines, in the order of the text."""

    def declared(self, /) -> list[tuple[str, str, list[tuple[str, list[str]]], bool]]:
        """The types that it declares."""

    def function(self, /, name: str) -> Core:
        """A definition as a function."""

    def expression(self, /, text: str) -> Core:
        """An expression as a function."""

    def stages(self, /, name: str, wrt: list[str]) -> str:
        """A definition and its derivative after every pass."""

@disjoint_base
class Core:
    """A function or a derivative of one; Python puts names and documentation on top of it."""

    def __new__(cls, of: Core) -> Core: ...
    @property
    def params(self, /) -> list[str]:
        """The names of its parameters."""

    def types(self, /) -> tuple[list[tuple[str, str]], str]:
        """Its parameters with their types, and the type of its result."""

    def derived(self, /, operator: str, wrt: list[str]) -> Core:
        """Its derivative by an operator and these parameters."""

    def linearised(self, /, *args: Any) -> Linearised:
        """Runs it once and keeps what its derivative there needs."""

    def sparse(self, /, operator: str, wrt: list[str]) -> Sparse:
        """Its Jacobian or Hessian by these parameters, as a sparse matrix."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...

@final
class Linearised:
    """A function at a point: it has run once, and what its derivative needs of that run is kept."""

    def value(self, /) -> Any:
        """The value of the function."""

    def jvp(self, /, *directions: Any) -> Any:
        """The tangent of the value for a direction of each parameter."""

    def vjp(self, /, cotangent: Any) -> Any:
        """The cotangents of the parameters for one of the value."""

@final
class Sparse:
    """A matrix of derivatives that may be asked for at many points."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The entries, and where they are."""

    def pattern(self, /, *args: Any, **kwargs: Any) -> Any:
        """Where entries may be other than zero."""

def explain(code: str) -> str:
    """The page of an error code."""

def after_fork() -> None:
    """Forgets the watcher: a process that was forked off has none."""
