"""Facts by central differences with 100 digits; what the oracles of the folders here share.

A fact is the list of numbers on the right of the last `~=` of a test, whole numbers included.
"""

import re

from mpmath import cos, exp, log, mp, mpf, sin, sqrt, tanh

__all__ = [
    *["cos", "exp", "log", "mpf", "sin", "sqrt", "tanh"],
    *["fact", "flat", "grad", "hessian", "hvp", "jacobian", "jvp", "main", "moved", "reals", "vjp"],
]

mp.dps = 100
H = mpf(10) ** -20
NUMBER = re.compile(r"(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE]-?\d+)?|\?")
FACTS = []


# Derivatives by differences, of functions of one argument that may be nested lists and tuples.


def flat(value):
    """The numbers of nested lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def moved(value, steps):
    """The value with the next of `steps` added to each number."""
    if isinstance(value, (list, tuple)):
        return type(value)(moved(part, steps) for part in value)
    return value + next(steps)


def jvp(f, x, dx):
    """The derivative of f at x along dx, as a flat list."""
    dx = flat(dx)
    ahead, behind = flat(f(moved(x, iter([H * d for d in dx])))), flat(f(moved(x, iter([-H * d for d in dx]))))
    return [(a - b) / (2 * H) for a, b in zip(ahead, behind)]


def jacobian(f, x):
    """Rows: numbers of the result, columns: numbers of the argument."""
    n = len(flat(x))
    columns = [jvp(f, x, [mpf(i == j) for j in range(n)]) for i in range(n)]
    return [list(row) for row in zip(*columns)]


def grad(f, x):
    """The gradient of a number, in the structure of the argument."""
    (row,) = jacobian(f, x)
    return moved(x, iter([g - v for g, v in zip(row, flat(x))]))


def vjp(f, x, dy):
    """The cotangent of x for the cotangent dy, as a flat list."""
    return [sum(a * b for a, b in zip(column, flat(dy))) for column in zip(*jacobian(f, x))]


def hessian(f, x):
    return jacobian(lambda y: grad(f, y), x)


def hvp(f, x, v):
    return jvp(lambda y: grad(f, y), x, v)


def reals(*xs):
    """Numbers as a list with all digits."""
    return [reals(*x) if isinstance(x, (list, tuple)) else mpf(x) for x in xs]


def fact(program, test, value):
    """What the test of this name has to find."""
    FACTS.append((program, test, [x if type(x) is int else float(x) for x in flat(value)]))


# Comparing and writing.


def literal(x):
    """A number in Cotan notation, with 15 digits."""
    if type(x) is int:
        return str(x)
    mantissa, e, exponent = f"{x + 0.0:.15g}".partition("e")
    mantissa = mantissa if "." in mantissa else mantissa + ".0"
    return mantissa + (f"e{int(exponent)}" if e else "")


def right_side(text, name):
    """Where the right side of the last `~=` of a test stands: start and end."""
    start = text.index(f'test "{name}" =')
    end = re.compile(r"^(test|def|data|type|--)|\Z", re.M).search(text, start + 4).start()
    return text.rindex("~=", start, end) + 2, end


def differs(stated, wanted):
    """Whether the numbers of a test are not those of a fact."""
    return len(stated) != len(wanted) or any(
        abs(float(a) - b) > 1e-11 * max(1e-3, abs(b)) for a, b in zip(stated, wanted)
    )


def main(folder, write):
    """Compares all facts with the programs of a folder; the exit status says whether they agree."""
    wrong = 0
    for program, name, wanted in FACTS:
        path = folder / f"{program}.cot"
        text = path.read_text()
        start, end = right_side(text, name)
        stated = NUMBER.findall(text[start:end])
        if write and "?" in stated and len(stated) == len(wanted):
            numbers = iter(wanted)
            filled = NUMBER.sub(lambda m: literal(next(numbers)), text[start:end])
            path.write_text(text[:start] + filled + text[end:])
        elif "?" in stated or differs(stated, wanted):
            print(f"{program}: {name!r} states {stated}, the oracle gives\n  {[literal(x) for x in wanted]}")
            wrong += 1
    print(f"{len(FACTS)} facts, {wrong} wrong")
    return 1 if wrong else 0
