"""Derivatives, with the names and the order of arguments that users of JAX know."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._error import Error
from ._function import Argnums, Function
from ._sparse import SparseJacobian
from ._traced import Traced, function
from ._tree import ravel
from ._values import Constructed, Record, values_of

Differentiable = Callable[..., Any]


def _of(f: Differentiable) -> Any:
    if isinstance(f, (Function, Traced)) or hasattr(f, "derived"):
        # A sum over shards has derivatives of its own.
        return f
    if callable(f):
        made: Traced = function(f)
        return made
    raise Error(f"a function is expected here, not {type(f).__name__}")


def grad(f: Differentiable, argnums: Argnums = 0) -> Any:
    """The gradient of a function that gives a real number.

    argnums: the argument to differentiate by, an index or a name; of several, a tuple of gradients comes.
    A Python function is traced first, as by `cotan.function`.
    """
    return _of(f).derived("grad", argnums)


def value_and_grad(f: Differentiable, argnums: Argnums = 0) -> Any:
    """The value and the gradient of a function that gives a real number, in one run.

    `scipy.optimize.minimize(cotan.value_and_grad(loss), x0, jac=True)` takes it as it is.
    """
    return _of(f).derived("value_and_grad", argnums)


def jacobian(f: Differentiable, argnums: Argnums = 0, *, sparse: bool = False) -> Any:
    """All partial derivatives: a row for each number of the result.

    The compiler goes forwards or backwards, whichever costs less.
    sparse: the result is one matrix of `scipy.sparse` in compressed rows, by all of `argnums` side by side.
    """
    if sparse:
        return _sparse(f, "jacobian", argnums)
    return _of(f).derived("jacobian", argnums)


#: The same as `jacobian`: the compiler chooses the direction.
jacfwd = jacobian
#: The same as `jacobian`: the compiler chooses the direction.
jacrev = jacobian


def hessian(f: Differentiable, argnums: Argnums = 0, *, sparse: bool = False) -> Any:
    """All second derivatives of a function that gives a real number.

    sparse: the result is one matrix of `scipy.sparse` in compressed rows, by all of `argnums` side by side.
    """
    if sparse:
        return _sparse(f, "hessian", argnums)
    return _of(f).derived("hessian", argnums)


def _sparse(f: Differentiable, operator: str, argnums: Argnums) -> SparseJacobian:
    if not isinstance(f, Function):
        raise Error("sparse derivatives are those of functions of a Cotan program, by `cotan.compile` or `cotan.expr`")
    names = f.names(argnums)
    unknown = [it for it in names if it not in f.params]
    if unknown:
        raise Error(f"`{f.__name__}` has no parameter `{unknown[0]}`: it has {', '.join(f.params)}")
    return SparseJacobian(f, operator, [it for it in f.params if it in names])


def hvp(f: Differentiable, argnums: Argnums = 0) -> Any:
    """The Hessian times a direction: takes the arguments of `f`, then a direction for each of `argnums`.

    `scipy.optimize.minimize(..., hessp=cotan.hvp(loss))` takes it as it is.
    """
    return _of(f).derived("hvp", argnums)


class GaussNewton:
    """The product of a direction with a Jacobian and then with its transpose: a push forwards, a pull back."""

    def __init__(self, f: Function | Traced, argnums: Argnums) -> None:
        self._f, self._argnums = f, argnums
        self._push, self._pull = f.derived("jvp", argnums), f.derived("vjp", argnums)
        self.__name__ = f"gauss_newton({f.__name__})"

    @property
    def params(self) -> list[str]:
        """The names of its parameters."""
        return self._push.params

    @property
    def single(self) -> bool:
        """Whether it computes in single precision."""
        return self._f.single

    def __call__(self, *args: Any) -> Any:
        n = len(self._f.params)
        return self._pull(*args[:n], self._push(*args))

    def derived(self, operator: str, argnums: Argnums) -> Any:
        """There is none: it is a product for solvers."""
        raise Error(f"`{self.__name__}` has no derivatives: differentiate the residuals")

    def __reduce__(self) -> tuple[Any, ...]:
        return GaussNewton, (self._f, self._argnums)


def gauss_newton(f: Differentiable, argnums: Argnums = 0) -> Any:
    """The Gauss-Newton matrix of residuals times a direction: takes the arguments of `f`, then a direction for
    each of `argnums`.

    It is the Hessian of half the sum of their squares without the second derivatives of the residuals, so that
    it is never negative. Solvers that want products take it in the place of `hvp`.
    """
    made: Any = _of(f)
    return GaussNewton(made, argnums) if isinstance(made, (Function, Traced)) else made.derived("gauss_newton", argnums)


def jvp(f: Differentiable, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of `f` and its directional derivative, for a tangent of each argument."""
    made = _of(f)
    _same_number(primals, tangents)
    push = made.derived("jvp", range(len(primals)))
    return made(*primals), push(*primals, *tangents)


def vjp(f: Differentiable, *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `f` and its pull-back: from a cotangent of the value to a tuple with one of each argument."""
    made = _of(f)
    if _is_interpreted(made):
        at = made.linearised(*primals)
        return at.value(), lambda cotangent: _tuple(at.vjp(cotangent), len(primals))
    primals = _held(primals)
    pull = made.derived("vjp", range(len(primals)))

    def back(cotangent: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = pull(*primals, cotangent)
        return found

    return made(*primals), back


def linearize(f: Differentiable, *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `f` and its derivative there, a linear function of tangents."""
    made = _of(f)
    if _is_interpreted(made):
        at = made.linearised(*primals)

        def along(*tangents: Any) -> Any:
            _same_number(primals, tangents)
            return at.jvp(*tangents)

        return at.value(), along
    primals = _held(primals)
    push = made.derived("jvp", range(len(primals)))

    def forth(*tangents: Any) -> Any:
        _same_number(primals, tangents)
        return push(*primals, *tangents)

    return made(*primals), forth


def _held(value: Any) -> Any:
    """The same with arrays of its own: a derivative stays at its point, whatever becomes of the arrays given."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (tuple, list):
        return type(value)(_held(it) for it in value)
    if type(value) is dict:
        return {name: _held(it) for name, it in value.items()}
    if isinstance(value, Record):
        return type(value)(*_held(values_of(value)))
    if isinstance(value, Constructed):
        return type(value)(*_held(value.fields))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {it.name: _held(getattr(value, it.name)) for it in dataclasses.fields(value) if it.init}
        return dataclasses.replace(value, **fields)
    return value


def _is_interpreted(f: Any) -> bool:
    """Whether the interpreter runs it, so that a run of it that is kept saves the next one. What is kept is the
    interpreter's; compiled code runs from the start in less time than it takes to go through that.
    """
    if type(f) is not Function:
        return False
    options = f._module.options
    return options["backend"] == "interp" or options["via"] in ("tape", "forward")


def _tuple(found: Any, n: int) -> tuple[Any, ...]:
    return found if n > 1 else (found,)


def _same_number(primals: Sequence[Any], tangents: Sequence[Any]) -> None:
    if len(primals) != len(tangents):
        raise Error(f"a tangent for each argument is expected: {len(primals)} arguments, {len(tangents)} tangents")


def check_grads(
    f: Differentiable,
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    seed: int = 0,
) -> None:
    """Compares derivatives with differences along a random direction; raises `AssertionError` if they differ.

    fwd: `jvp` with a central difference. rev: `vjp` with `jvp`, by the adjoint law.
    order: 2 checks the gradient in the same way as well, if `f` gives a real number.
    Arguments without real numbers stay as they are.
    """
    made = _of(f)
    if made.single:
        atol, rtol, eps = atol or 2e-2, rtol or 2e-2, eps or 1e-2
    atol, rtol, eps = atol or 1e-6, rtol or 1e-6, eps or 1e-5
    random = np.random.default_rng(seed)
    by = [at for at, it in enumerate(args) if ravel(it)[0].size > 0]
    if not by:
        raise Error("there is no argument with real numbers to differentiate by")
    point, unravel = ravel(tuple(args[it] for it in by))
    direction = random.standard_normal(point.size)

    def at(vector: np.ndarray) -> list[Any]:
        all_args = list(args)
        for position, value in zip(by, unravel(vector), strict=True):
            all_args[position] = value
        return all_args

    def value(vector: np.ndarray) -> np.ndarray:
        return ravel(made(*at(vector)))[0]

    tangent = ravel(made.derived("jvp", by)(*at(point), *unravel(direction)))[0]
    if "fwd" in modes:
        difference = (value(point + eps * direction) - value(point - eps * direction)) / (2.0 * eps)
        np.testing.assert_allclose(tangent, difference, atol=atol, rtol=rtol, err_msg="jvp and differences")
    if "rev" in modes:
        result = made(*at(point))
        flat, back = ravel(result)
        weights = random.standard_normal(flat.size)
        pulled = ravel(made.derived("vjp", by)(*at(point), back(weights)))[0]
        np.testing.assert_allclose(pulled @ direction, weights @ tangent, atol=atol, rtol=rtol, err_msg="vjp and jvp")
    if order > 1:
        check_grads(made.derived("grad", by), args, order - 1, modes, atol, rtol, eps, seed)
