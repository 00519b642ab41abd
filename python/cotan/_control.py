"""Loops and branches of traced functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _scope
from ._error import Error
from ._tracer import KINDS, Tracer, cast, elementwise, joined, literal, made, operand
from ._tree import Rebuild, flatten

State = tuple[list[Tracer], Rebuild]


def build(n: int | tuple[int, ...], f: Callable[..., Any]) -> Any:
    """The array whose element at the indices `i, j, ...` is `f(i, j, ...)`; there are `n` of them.

    `f` may give arrays, and tuples or dicts of values, of which arrays are made one by one.
    """
    scope = _scope.current("`build`")
    sizes = (n,) if isinstance(n, int) else tuple(n)
    if any(not isinstance(it, int) or it < 0 for it in sizes):
        raise Error(f"the sizes of a `build` are integers that are known, not {n!r}")
    names = [scope.fresh("i") for _ in sizes]
    head = ", ".join(f"{i} < {it}" for i, it in zip(names, sizes, strict=True))
    with scope.inner() as block:
        leaves, rebuild = _state(f(*(literal(it, "int") for it in names)), "`build`")
        body = block.text(_tuple(leaves))
    array = made(f"build {head} => {body}" if sizes else body, "real", sizes)
    return rebuild(_columns(array, leaves, sizes))


def fold(step: Callable[[Any, Any], Any], init: Any, xs: Any) -> Any:
    """Goes through `xs` from its first element: the state becomes `step(state, x)`; gives the last one."""
    return _loop("fold", step, init, xs)


def scan(step: Callable[[Any, Any], Any], init: Any, xs: Any) -> Any:
    """As `fold`, but gives the states after each element, as arrays."""
    return _loop("scan", step, init, xs)


def iterate(count: Any, step: Callable[[Any], Any], init: Any) -> Any:
    """The step, `count` times."""
    number = operand(count, "`iterate`")
    state = _state(init, "`iterate`")

    def text(state: State) -> tuple[str, list[Tracer]]:
        pattern, body, after = _body(state, step, "`iterate`")
        return f"iterate({number.text}, \\{pattern} => {body}, {_tuple(state[0])})", after

    return _settled("iterate", state, text)


def while_loop(condition: Callable[[Any], Any], step: Callable[[Any], Any], init: Any) -> Any:
    """The step, as long as the condition holds for the state."""
    state = _state(init, "`while_loop`")

    def text(state: State) -> tuple[str, list[Tracer]]:
        pattern, body, after = _body(state, step, "`while_loop`")
        tested, test = _test(state, condition)
        return f"while(\\{tested} => {test}, \\{pattern} => {body}, {_tuple(state[0])})", after

    return _settled("while_loop", state, text)


def cond(pred: Any, then: Callable[..., Any], otherwise: Callable[..., Any], *operands: Any) -> Any:
    """`then(*operands)` if `pred` holds, else `otherwise(*operands)`; only one of them runs."""
    scope = _scope.current("`cond`")
    test = cast(operand(pred, "`cond`"), "bool")
    if test.shape:
        raise Error("the condition of `cond` is an array: `where` chooses element by element")
    branches: list[tuple[Any, list[Tracer], Rebuild]] = []
    for branch in (then, otherwise):
        with scope.inner() as block:
            leaves, rebuild = _state(branch(*operands), "`cond`")
        branches.append((block, leaves, rebuild))
    (_, first, rebuild), (_, second, _) = branches
    kinds = _common(first, second, "the branches of `cond`")
    texts = []
    for block, leaves, _ in branches:
        scope.block, before = block, scope.block
        leaves = [cast(it, kind) for it, kind in zip(leaves, kinds, strict=True)]
        texts.append(block.text(_tuple(leaves)))
        scope.block = before
    value = scope.let(f"if {test.text} then {texts[0]} else {texts[1]}")
    return rebuild(_parts(value, [it.shape for it in first], kinds))


def where(condition: Any, x: Any, y: Any) -> Tracer:
    """`x` where the condition holds, `y` elsewhere, element by element."""
    test = cast(operand(condition, "`where`"), "bool")
    a, b = joined([operand(x, "`where`"), operand(y, "`where`")])
    return elementwise(lambda c, x, y: f"(if {c} then {x} else {y})", [test, a, b], a.kind, vectorised=False)


def scatter(base: Any, positions: Any, values: Any) -> Tracer:
    """`base` with each value added at its position; values at one position add up."""
    at = operand(positions, "`scatter`")
    to, values = joined([operand(base, "`scatter`"), operand(values, "`scatter`")], "int")
    if at.kind != "int" or at.ndim != 1 or values.shape != at.shape + to.shape[1:]:
        raise Error(
            f"`scatter` takes an array, positions of shape (m,) and values of shape (m, ...): here they have "
            f"the shapes {to.shape}, {at.shape} and {values.shape}"
        )
    return made(f"scatter({to.text}, {at.text}, {values.text})", to.kind, to.shape)


def stop_gradient(x: Any) -> Any:
    """`x`, as a constant for derivatives."""
    leaves, rebuild = _state(x, "`stop_gradient`")
    return rebuild([made(f"stop_gradient({it.text})", it.kind, it.shape) for it in leaves])


def _loop(name: str, step: Callable[[Any, Any], Any], init: Any, xs: Any) -> Any:
    elements, remake = _state(xs, f"`{name}`")
    if not elements or any(not it.shape for it in elements):
        raise Error(f"`{name}` goes through arrays, not through numbers")
    n = elements[0].shape[0]
    if any(it.shape[0] != n for it in elements):
        raise Error(f"`{name}` goes through arrays of one length, not of {[it.shape[0] for it in elements]}")
    scope = _scope.current(f"`{name}`")
    through = elements[0].text if len(elements) == 1 else f"zip({', '.join(it.text for it in elements)})"

    def text(state: State) -> tuple[str, list[Tracer]]:
        names = [scope.fresh("v") for _ in elements]
        element = _pattern(names)

        def stepped(state: Any) -> Any:
            pairs = zip(names, elements, strict=True)
            return step(state, remake([literal(it, of.kind, of.shape[1:]) for it, of in pairs]))

        pattern, body, after = _body(state, stepped, f"`{name}`")
        return f"{name}(\\{pattern}, {element} => {body}, {_tuple(state[0])}, {through})", after

    return _settled(name, _state(init, f"`{name}`"), text, (n,) if name == "scan" else ())


def _settled(
    name: str, state: State, text: Callable[[State], tuple[str, list[Tracer]]], outer: tuple[int, ...] = ()
) -> Any:
    """A loop whose state is of one kind: if the step makes reals of integers, it starts with reals."""
    scope = _scope.current(f"`{name}`")
    leaves, rebuild = state
    for _ in KINDS:
        written, after = text((leaves, rebuild))
        kinds = _common(leaves, after, f"the state of `{name}` and what its step makes of it")
        if kinds == [it.kind for it in leaves]:
            if [it.kind for it in after] != kinds:
                raise Error(f"the step of `{name}` gives another kind of number than it takes")
            value = scope.let(written)
            shaped = [literal(it.text, it.kind, it.shape) for it in leaves]
            if not outer:
                return rebuild(_parts(value, [it.shape for it in shaped], kinds))
            return rebuild(_columns(literal(value, "real", outer), shaped, outer))
        leaves = [cast(it, kind) for it, kind in zip(leaves, kinds, strict=True)]
    raise Error(f"the state of `{name}` does not settle on a kind of numbers")


def _body(state: State, step: Callable[[Any], Any], what: str) -> tuple[str, str, list[Tracer]]:
    """The pattern of the state and the block of a step, with what it gives."""
    scope = _scope.current(what)
    leaves, rebuild = state
    names = [scope.fresh("v") for _ in leaves]
    with scope.inner() as block:
        given = [literal(it, of.kind, of.shape) for it, of in zip(names, leaves, strict=True)]
        after, _ = _state(step(rebuild(given)), what)
        if len(after) == len(leaves):
            after = [
                cast(it, of.kind) if KINDS.index(it.kind) < KINDS.index(of.kind) else it
                for it, of in zip(after, leaves, strict=True)
            ]
        body = block.text(_tuple(after))
    return _pattern(names), body, after


def _test(state: State, condition: Callable[[Any], Any]) -> tuple[str, str]:
    """The pattern of the state and the block of a condition."""
    scope = _scope.current("`while_loop`")
    leaves, rebuild = state
    names = [scope.fresh("v") for _ in leaves]
    with scope.inner() as block:
        given = [literal(it, of.kind, of.shape) for it, of in zip(names, leaves, strict=True)]
        holds = cast(operand(condition(rebuild(given)), "`while_loop`"), "bool")
        if holds.shape:
            raise Error("the condition of `while_loop` is an array: `numpy.any` or `numpy.all` makes one value")
        body = block.text(holds.text)
    return _pattern(names), body


def _pattern(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _common(a: list[Tracer], b: list[Tracer], what: str) -> list[str]:
    if len(a) != len(b):
        raise Error(f"{what} have different structures: {len(a)} and {len(b)} values")
    for x, y in zip(a, b, strict=True):
        if x.shape != y.shape:
            raise Error(f"{what} have different shapes: {x.shape} and {y.shape}")
    return [max(x.kind, y.kind, key=KINDS.index) for x, y in zip(a, b, strict=True)]


def _state(x: Any, what: str) -> State:
    leaves, rebuild = flatten(x)
    if not leaves:
        raise Error(f"{what} needs a value, not an empty structure")
    return [operand(it, what) for it in leaves], rebuild


def _tuple(leaves: list[Tracer]) -> str:
    return leaves[0].text if len(leaves) == 1 else f"({', '.join(it.text for it in leaves)})"


def _parts(value: str, shapes: list[tuple[int, ...]], kinds: list[str]) -> list[Tracer]:
    if len(shapes) == 1:
        return [literal(value, kinds[0], shapes[0])]
    parts = zip(kinds, shapes, strict=True)
    return [made(f"{value}.{at}", kind, shape) for at, (kind, shape) in enumerate(parts)]


def _columns(array: Tracer, leaves: list[Tracer], outer: tuple[int, ...]) -> list[Tracer]:
    """The arrays of each part of an array of tuples."""
    if len(leaves) == 1:
        return [literal(array.text, leaves[0].kind, outer + leaves[0].shape)]
    scope = _scope.current("a loop")
    res = []
    for at, leaf in enumerate(leaves):
        names = [scope.fresh("i") for _ in outer]
        head = ", ".join(f"{i} < {n}" for i, n in zip(names, outer, strict=True))
        text = f"build {head} => {array.text}[{', '.join(names)}].{at}" if outer else f"{array.text}.{at}"
        res.append(made(text, leaf.kind, outer + leaf.shape))
    return res
