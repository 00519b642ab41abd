"""Derivatives without differentiation rules, and the facts the examples are tested by.

Every derivative in `examples/*.cot` is compared with a number from here: a central difference
of order twelve, taken at the step size where it is steady. Plain Python, no packages.

    fact("name of the test", value)

prints a fact in Cotan notation; `check.py` compares all of them with the texts of the examples.
"""

WEIGHTS = (
    (1, 6 / 7), (2, -15 / 56), (3, 5 / 63), (4, -1 / 56), (5, 1 / 385), (6, -1 / 5544),
)
FACTS = []


def slope(f, h):
    """The derivative at 0 of a function of one number; truncation is of order h**12."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in WEIGHTS) / h


def steady(estimate, tolerance=2e-10):
    """The estimate at the step where it changes least from one step to the next smaller one."""
    estimates = []
    for k in range(10):
        try:
            estimates.append(estimate(0.1 * 0.6**k))
        except (ArithmeticError, ValueError):
            estimates.clear()
    changes = [(abs(a - b), b) for a, b in zip(estimates, estimates[1:])]
    change, best = min(c for c in changes if c[0] == c[0])
    assert change <= tolerance * max(0.01, abs(best)), f"unsteady difference: {best}, {change}"
    return best


def derivative(f, x):
    """f'(x)"""
    return steady(lambda h: slope(lambda t: f(x + t), h))


def second(f, x):
    """f''(x)"""
    return steady(lambda h: slope(lambda s: slope(lambda t: f(x + s + t), h), h))


def moved(x, t, dx):
    """x + t dx for lists of numbers"""
    return [a + t * b for a, b in zip(x, dx)]


def unit(n, i):
    """The i-th basis vector"""
    return [1.0 if j == i else 0.0 for j in range(n)]


def along(f, x, dx):
    """The derivative of a number f(x) in the direction dx"""
    return steady(lambda h: slope(lambda t: f(moved(x, t, dx)), h))


def gradient(f, x):
    """All partial derivatives of a number f(x), x a list"""
    return [along(f, x, unit(len(x), i)) for i in range(len(x))]


def jacobian(f, x):
    """Rows: results of f, columns: elements of x"""
    return [gradient(lambda y, i=i: f(y)[i], x) for i in range(len(f(x)))]


def mixed(f, x, u, v):
    """The second derivative in the directions u and v"""
    both = lambda s, t: f(moved(moved(x, s, u), t, v))
    return steady(lambda h: slope(lambda s: slope(lambda t: both(s, t), h), h))


def hvp(f, x, v):
    """The Hessian times v"""
    return [mixed(f, x, unit(len(x), i), v) for i in range(len(x))]


def hessian(f, x):
    """All second derivatives"""
    n = len(x)
    return [[mixed(f, x, unit(n, i), unit(n, j)) for j in range(n)] for i in range(n)]


def flat(value):
    """The numbers of nested lists and tuples, in order"""
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def rows(numbers, width):
    """A flat list as a list of rows"""
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


def show(value):
    """A value in Cotan notation: lists as arrays, tuples as tuples, 12 digits"""
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    mantissa, e, exponent = f"{value:.12g}".partition("e")
    mantissa = mantissa if "." in mantissa else mantissa + ".0"
    return mantissa + (f"e{int(exponent)}" if e else "")


def fact(test, value):
    """Record and print what the test of this name has to find on the right of its last `~=`."""
    FACTS.append((test, value))
    print(f"{test}:\n  {show(value)}")
