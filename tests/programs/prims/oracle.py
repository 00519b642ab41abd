"""Writes the test programs of the primitives; the facts come from mpmath at 60 digits.

    pip install mpmath && python3 oracle.py && cotan fmt *.cot

One file per primitive. Files with a line `-- By hand:` below are texts without an oracle:
integers, comparisons, Booleans, whose facts follow from the definition.
"""

import math
import pathlib
import re

from mpmath import mp, mpf

mp.dps = 60
HERE = pathlib.Path(__file__).parent

# The comparisons a file may need, each with the names it builds on.
HELPERS = {
    "exact": """\
-- Equal up to `tol`, relative to the expected number.
def exact(a: Real, b: Real, tol: Real): Bool = a == b || abs(a - b) <= tol * abs(b)
""",
    "near": """\
-- Equal up to `tol`, relative to the expected number or 1.
def near(a: Real, b: Real, tol: Real): Bool = a == b || abs(a - b) <= tol * max(1.0, abs(b))
""",
    "exact1": """\
def exact1(a: [n]Real, b: [n]Real, tol: Real): Bool =
  fold(\\ok, (x, y) => ok && exact(x, y, tol), true, zip(a, b))
""",
    "near1": """\
def near1(a: [n]Real, b: [n]Real, tol: Real): Bool =
  fold(\\ok, (x, y) => ok && near(x, y, tol), true, zip(a, b))
""",
}


def lit(x):
    """A number as a Cotan literal that reads back to the same double."""
    x = float(x)
    if math.isinf(x):
        return "infinity" if x > 0 else "-infinity"
    return re.sub(r"e([+-])0*(\d+)", lambda m: "e" + m[1].replace("+", "") + m[2], repr(x))


def row(xs):
    return "[" + ", ".join(lit(x) for x in xs) + "]"


def rounded(f, x):
    return float(f(mpf(x)))


def derivative(f, x, n):
    """The n-th derivative at x by mpmath."""
    return float(mp.diff(f, mpf(x), n)) + 0.0


# name: (function, points, loose value comparison, specials: (point, expectation))
# An expectation is a number, "nan", "zero-" (minus zero) or "zero+".
inf = math.inf
third = 1 / 3
REAL = {
    "exp": (mp.exp, [-20.5, -1.0, 0.0, 0.5, 1.0, 10.25], [(0.0, 1), (inf, inf), (-inf, 0), (710.0, inf), (-746.0, 0)]),
    "log": (mp.log, [1e-10, 0.1, 0.5, 1.0, 2.0, 1e10], [(0.0, -inf), (inf, inf), (-1.0, "nan"), (1.0, 0)]),
    "log1p": (mp.log1p, [-0.9, -1e-15, 0.0, 1e-20, 0.5, 1e5], [(-1.0, -inf), (inf, inf), (-2.0, "nan"), (-0.0, "zero-")]),
    "expm1": (mp.expm1, [-20.0, -0.5, -1e-15, 0.0, 1e-20, 2.0], [(inf, inf), (-inf, -1), (-0.0, "zero-")]),
    "sin": (mp.sin, [-2.5, -0.5, 0.0, 1.0, math.pi, 100.0, 1e6], [(-0.0, "zero-"), (inf, "nan")]),
    "cos": (mp.cos, [-2.5, -0.5, 0.0, 1.0, math.pi / 2, 100.0, 1e6], [(0.0, 1), (inf, "nan")]),
    "tan": (mp.tan, [-1.5, -0.5, 0.0, 1.0, 4.0], [(-0.0, "zero-"), (inf, "nan")]),
    "asin": (mp.asin, [-0.9, -0.5, 0.0, 1e-9, 0.3, 0.99], [(1.0, math.pi / 2), (-1.0, -math.pi / 2), (1.5, "nan"), (-0.0, "zero-")]),
    "acos": (mp.acos, [-0.9, -0.5, 0.0, 0.3, 0.99], [(1.0, 0), (-1.0, math.pi), (1.5, "nan")]),
    "atan": (mp.atan, [-30.0, -0.5, 0.0, 1.0, 1e8], [(inf, math.pi / 2), (-inf, -math.pi / 2), (-0.0, "zero-")]),
    "sinh": (mp.sinh, [-5.0, -0.5, 0.0, 1e-8, 1.0, 20.0], [(inf, inf), (-inf, -inf), (-0.0, "zero-")]),
    "cosh": (mp.cosh, [-5.0, -0.5, 0.0, 1e-8, 1.0, 20.0], [(0.0, 1), (inf, inf), (-inf, inf)]),
    "tanh": (mp.tanh, [-3.0, -0.5, 0.0, 1e-8, 1.0, 15.0], [(inf, 1), (-inf, -1), (-0.0, "zero-"), (400.0, 1)]),
    "asinh": (mp.asinh, [-1e8, -3.0, -0.5, 0.0, 1e-8, 1.0, 1e8], [(inf, inf), (-inf, -inf), (-0.0, "zero-")]),
    "acosh": (mp.acosh, [1.001, 1.5, 3.0, 1e8], [(1.0, 0), (0.5, "nan"), (inf, inf)]),
    "atanh": (mp.atanh, [-0.99, -0.5, 0.0, 1e-8, 0.3, 0.9], [(1.0, inf), (-1.0, -inf), (2.0, "nan"), (-0.0, "zero-")]),
    "sqrt": (mp.sqrt, [1e-10, 0.25, 2.0, 100.0, 1e10], [(0.0, 0), (-0.0, "zero-"), (inf, inf), (-1.0, "nan")]),
    "erf": (mp.erf, [-3.0, -0.5, 0.0, 1e-8, 0.8, 1.5, 4.0], [(inf, 1), (-inf, -1), (-0.0, "zero-")]),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), [0.1, 0.5, 1.0, 1.5, 2.0, 3.7, 20.0, 1e5, -0.5, -2.3], [(0.0, inf), (inf, inf), (-1.0, inf)]),
    "digamma": (mp.digamma, [0.1, 0.5, 1.0, 2.5, 6.0, 20.0, 1e5, -0.5, -2.3], [(inf, inf)]),
    "sigmoid": (mp.sigmoid if hasattr(mp, "sigmoid") else (lambda x: 1 / (1 + mp.exp(-x))), [-30.0, -1.0, 0.0, 0.5, 3.0, 30.0], [(inf, 1), (-inf, 0), (800.0, 1), (-800.0, 0)]),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), [-30.0, -1.0, 0.0, 0.5, 3.0, 30.0], [(inf, inf), (-inf, 0), (800.0, 800), (-800.0, 0)]),
}
LOOSE = {"erf": 1e-13, "lgamma": 1e-13, "digamma": 1e-12, "sigmoid": 1e-14, "softplus": 1e-14, "tan": 1e-14}

# What happens at the edges of the domain and at kinks, per primitive.
EDGES = {
    "log": ['test "the derivative at 0 is infinite" = grad(\\x => log(x))(0.0) == infinity'],
    "log1p": ['test "the derivative at -1 is infinite" = grad(\\x => log1p(x))(-1.0) == infinity'],
    "sqrt": [
        'test "the derivative at 0 is infinite" = grad(\\x => sqrt(x))(0.0) == infinity',
        'test "the derivative at 0 along a zero direction is 0" = jvp(\\x => sqrt(x))(0.0, 0.0) == 0.0',
        'test "the square of the root is smooth away from 0" = grad(\\x => sqrt(x) ** 2.0)(2.0) ~= 1.0',
    ],
    "asin": ['test "the derivative at 1 is infinite" = grad(\\x => asin(x))(1.0) == infinity'],
    "acos": ['test "the derivative at 1 is infinite" = grad(\\x => acos(x))(1.0) == -infinity'],
    "acosh": ['test "the derivative at 1 is infinite" = grad(\\x => acosh(x))(1.0) == infinity'],
    "atanh": ['test "the derivative at 1 is infinite" = grad(\\x => atanh(x))(1.0) == infinity'],
    "tanh": ['test "no NaN when saturated" = grad(\\x => tanh(x))(1000.0) == 0.0'],
    "exp": ['test "every derivative is exp" = grad(\\x => grad(\\y => grad(\\z => exp(z))(y))(x))(1.5) ~= exp(1.5)'],
    "sigmoid": ['test "no NaN when saturated" = grad(\\x => sigmoid(x))(-1000.0) == 0.0 && grad(\\x => sigmoid(x))(1000.0) == 0.0'],
    "softplus": ['test "no NaN when saturated" = grad(\\x => softplus(x))(-1000.0) == 0.0 && grad(\\x => softplus(x))(1000.0) == 1.0'],
    "sin": ['test "the fourth derivative is sin again" = grad(\\x => grad(\\y => grad(\\z => grad(\\w => sin(w))(z))(y))(x))(0.7) ~= sin(0.7)'],
    "lgamma": ['test "the derivative is digamma" = grad(\\x => lgamma(x))(2.5) ~= digamma(2.5)'],
    "digamma": ['test "the derivative is the trigamma function" = grad(\\x => digamma(x))(1.0) ~= pi * pi / 6.0'],
}


def special(name, x, want):
    call = f"{name}({lit(x)})"
    if want == "nan":
        return f"is_nan({call})"
    if want == "zero-":
        return f"1.0 / {call} == -infinity"
    if want == "zero+":
        return f"1.0 / {call} == infinity"
    return f"{call} == {lit(want)}" if want in (0, 1, -1, inf, -inf, 800) else f"{call} ~= {lit(want)}"


def unary(name):
    f, points, specials = REAL[name]
    tol = LOOSE.get(name, 4e-15)
    how = "near1" if name in ("lgamma", "digamma") else "exact1"
    first = [derivative(f, x, 1) for x in points]
    second = [derivative(f, x, 2) for x in points]
    smooth = [i for i, x in enumerate(points) if abs(second[i]) < 1e6 and abs(first[i]) < 1e6]
    inner = [points[i] for i in smooth]
    out = [f"-- `{name}`: facts by mpmath (oracle.py).\n"]
    out.append(f"def points: [{len(points)}]Real = {row(points)}\n")
    out.append(f'test "values" =\n  {how}({name}(points), {row([rounded(f, x) for x in points])}, {lit(tol)})\n')
    out.append(f'test "value of a scalar" = exact({name}({lit(points[1])}), {lit(rounded(f, points[1]))}, {lit(max(tol, 1e-13))})\n')
    out.append(f'test "values at the edges" =\n  ' + "\n    && ".join([special(name, x, w) for x, w in specials] + [f"is_nan({name}(nan))"]) + "\n")
    d1 = lit(1e-10 if name in ("lgamma", "digamma", "tan", "acosh", "asin", "acos", "atanh") else 1e-12)
    out.append(f'test "first derivative" =\n  near1(map(\\x => grad(\\y => {name}(y))(x), points), {row(first)}, {d1})\n')
    out.append(
        f'test "second derivative" =\n  near1(map(\\x => grad(\\y => grad(\\z => {name}(z))(y))(x), {row(inner)}),\n'
        f"    {row([second[i] for i in smooth])}, 1e-9)\n"
    )
    out.append(f'test "gradient on an array" =\n  near1(grad(\\v => sum({name}(v)))(points), {row(first)}, {d1})\n')
    out.append(f'test "jvp on an array" =\n  near1(jvp(\\v => {name}(v))(points, 2.0 * (points * 0.0 + 1.0)), {row([2 * d for d in first])}, {d1})\n')
    out.append(
        f'test "hvp on an array" = {{\n  let x = {row(inner)};\n'
        f"  near1(hvp(\\v => sum({name}(v)))(x, x * 0.0 + 1.0),\n    {row([second[i] for i in smooth])}, 1e-9)\n}}\n"
    )
    out.append(f'test "on a matrix" = {name}([[{lit(points[1])}], [{lit(points[-1])}]]) == [[{name}({lit(points[1])})], [{name}({lit(points[-1])})]]\n')
    out.append(f'test "on an empty array" = length({name}([1.0][0..0])) == 0 && length(grad(\\v => sum({name}(v)))([1.0][0..0])) == 0\n')
    out.extend(line + "\n" for line in EDGES.get(name, []))
    write(name, out)


# name: (how it is written, mp function, points, whether x and y are both differentiated)
BINARY = {
    "add": ("x + y", lambda x, y: x + y, [(1.5, -2.25), (0.0, 0.0), (1e10, 1e-5)]),
    "sub": ("x - y", lambda x, y: x - y, [(1.5, -2.25), (0.0, 0.0), (1e10, 1e-5)]),
    "mul": ("x * y", lambda x, y: x * y, [(1.5, -2.25), (0.0, 3.0), (-4.0, 0.0)]),
    "div": ("x / y", lambda x, y: x / y, [(1.5, -2.25), (0.0, 3.0), (-4.0, 7.0)]),
    "rem": ("x % y", lambda x, y: x - y * mp.floor(x / y), [(7.25, 2.0), (-7.25, 2.0), (7.25, -2.0), (-7.25, -2.0)]),
    "pow": ("x ** y", lambda x, y: mp.power(x, y), [(1.5, -2.25), (2.0, 3.0), (0.3, 0.5), (7.0, 0.0)]),
    "min": ("min(x, y)", lambda x, y: min(x, y), [(1.5, -2.25), (-3.0, 3.0)]),
    "max": ("max(x, y)", lambda x, y: max(x, y), [(1.5, -2.25), (-3.0, 3.0)]),
    "atan2": ("atan2(x, y)", lambda x, y: mp.atan2(x, y), [(1.0, 2.0), (1.5, -2.25), (-1.5, -0.25), (-3.0, 4.0)]),
}


def binary(name):
    text, f, points = BINARY[name]
    out = [f"-- `{text}`: facts by mpmath (oracle.py).\n", f"def f(x: Real, y: Real): Real = {text}\n"]

    def part(i, j, x, y):
        return float(mp.diff(f, (mpf(x), mpf(y)), (i, j))) + 0.0

    for x, y in points:
        at = f"{lit(x)}, {lit(y)}"
        hess = [[part(2, 0, x, y), part(1, 1, x, y)], [part(1, 1, x, y), part(0, 2, x, y)]]
        hess = [[0.0 if abs(v) < 1e-12 else v for v in r] for r in hess]
        out.append(f'test "value at {at}" = exact(f({at}), {lit(float(f(mpf(x), mpf(y))))}, 4e-15)\n')
        out.append(f'test "gradient at {at}" = {{\n  let (dx, dy) = grad(f)({at});\n  near(dx, {lit(part(1, 0, x, y))}, 1e-12) && near(dy, {lit(part(0, 1, x, y))}, 1e-12)\n}}\n')
        out.append(f'test "hessian at {at}" = {{\n  let h = hessian(\\v => f(v[0], v[1]))([{at}]);\n  near1(flatten(h), {row(hess[0] + hess[1])}, 1e-10)\n}}\n')
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    n = len(points)
    gx, gy = [part(1, 0, x, y) for x, y in points], [part(0, 1, x, y) for x, y in points]
    out.append(
        f'test "gradient of two arrays" = {{\n  let (dx, dy) = grad(\\x, y => sum({text}))({row(xs)}, {row(ys)});\n'
        f"  near1(dx, {row(gx)}, 1e-12) && near1(dy, {row(gy)}, 1e-12)\n}}\n"
    )
    x0, y0 = points[0]
    out.append(
        f'test "a scalar with an array" = {{\n  let (dx, dy) = grad(\\x, y => sum({text}))({lit(x0)}, [{lit(y0)}, {lit(y0)}, {lit(y0)}]);\n'
        f"  near(dx, {lit(3 * gx[0])}, 1e-12) && near1(dy, {row([gy[0]] * 3)}, 1e-12)\n}}\n"
    )
    out.append(
        f'test "an array with a scalar" = {{\n  let (dx, dy) = grad(\\x, y => sum({text}))([{lit(x0)}, {lit(x0)}, {lit(x0)}], {lit(y0)});\n'
        f"  near1(dx, {row([gx[0]] * 3)}, 1e-12) && near(dy, {lit(3 * gy[0])}, 1e-12)\n}}\n"
    )
    out.append(f'test "empty arrays" = {{\n  let (dx, dy) = grad(\\x, y => sum({text}))([1.0][0..0], [1.0][0..0]);\n  length(dx) == 0 && length(dy) == 0\n}}\n')
    out.extend(line + "\n" for line in BINARY_EDGES[name])
    write(name, out)


BINARY_EDGES = {
    "add": [
        'test "specials" = 1.0 + infinity == infinity && is_nan(infinity + -infinity) && is_nan(nan + 1.0)',
        'test "integers" = 2 + -5 == -3 && [1, 2] + [10, 20] == [11, 22] && 1 + [1, 2] == [2, 3]',
        'test "integers wrap" = 9223372036854775807 + 1 == -9223372036854775807 - 1',
    ],
    "sub": [
        'test "specials" = 1.0 - infinity == -infinity && is_nan(infinity - infinity)',
        'test "integers" = 2 - 5 == -3 && [1, 2] - [10, 20] == [-9, -18] && 1 - [1, 2] == [0, -1]',
        'test "integers wrap" = -9223372036854775807 - 2 == 9223372036854775807',
    ],
    "mul": [
        'test "specials" = is_nan(0.0 * infinity) && 2.0 * -infinity == -infinity && 1.0 / (-1.0 * 0.0) == -infinity',
        'test "the derivative does not multiply a zero by infinity" = grad(\\x => x * infinity)(1.0) == infinity && jvp(\\x => x * infinity)(1.0, 0.0) == 0.0',
        'test "both operands are the same" = grad(\\x => x * x * x)(2.0) ~= 12.0',
        'test "integers" = 7 * -3 == -21 && [1, 2] * [10, 20] == [10, 40] && 2 * [1, 2] == [2, 4]',
        'test "integers wrap" = 4611686018427387904 * 4 == 0 && 3037000500 * 3037000500 == -9223372036709301616',
    ],
    "div": [
        'test "specials" = 1.0 / 0.0 == infinity && -1.0 / 0.0 == -infinity && is_nan(0.0 / 0.0) && 1.0 / infinity == 0.0',
        'test "the derivative at a zero denominator" = grad(\\x => x / 0.0)(1.0) == infinity && grad(\\x => 1.0 / x)(0.0) == -infinity',
        'test "integers round towards minus infinity" = [7, -7, 7, -7] / [2, 2, -2, -2] == [3, -4, -4, 3]',
        'test "integers that divide" = 6 / 3 == 2 && -6 / 3 == -2 && 0 / 5 == 0',
    ],
    "rem": [
        'test "the sign is that of the divisor" = 7.5 % 2.0 == 1.5 && -7.5 % 2.0 == 0.5 && 7.5 % -2.0 == -0.5',
        'test "specials" = is_nan(1.0 % 0.0) && is_nan(infinity % 2.0)',
        'test "integers round towards minus infinity" = [7, -7, 7, -7] % [2, 2, -2, -2] == [1, 1, -1, -1]',
        'test "division and remainder belong together" = (-17 / 5) * 5 + (-17 % 5) == -17',
    ],
    "pow": [
        'test "specials" = 0.0 ** 0.0 == 1.0 && 0.0 ** 2.0 == 0.0 && 0.0 ** -1.0 == infinity && is_nan((-1.0) ** 0.5)\n    && (-2.0) ** 3.0 == -8.0 && infinity ** 0.0 == 1.0 && is_nan(nan ** 1.0)',
        'test "the other name" = pow(2.0, 10.0) == 1024.0 && pow([2.0, 3.0], 2.0) == [4.0, 9.0]',
        '-- At base 0 there is no NaN: the derivative in the exponent is 0 (the limit from the right for a\n-- positive exponent), the derivative in the base is that of the polynomial.\ntest "derivatives at base 0" =\n  grad(f)(0.0, 0.0) == (0.0, 0.0) && grad(f)(0.0, 1.0) == (1.0, 0.0)\n    && grad(f)(0.0, 2.0) == (0.0, 0.0) && grad(f)(0.0, 3.0) == (0.0, 0.0)',
        'test "an infinite slope at base 0" = grad(\\x => x ** 0.5)(0.0) == infinity',
        'test "a negative base with a constant exponent" = grad(\\x => x ** 3.0)(-2.0) ~= 12.0 && grad(\\x => x ** 2.0)(-3.0) ~= -6.0',
        'test "second derivatives of small powers at 0" = grad(\\x => grad(\\y => y ** 2.0)(x))(0.0) ~= 2.0 && grad(\\x => grad(\\y => y ** 1.0)(x))(0.0) == 0.0\n    && grad(\\x => grad(\\y => y ** 3.0)(x))(0.0) == 0.0',
        'test "third derivative of a square" = grad(\\x => grad(\\y => grad(\\z => z ** 2.0)(y))(x))(0.0) == 0.0 && grad(\\x => grad(\\y => grad(\\z => z ** 2.0)(y))(x))(3.0) == 0.0',
        'test "x to the x" = grad(\\x => x ** x)(2.0) ~= 4.0 * (log(2.0) + 1.0)',
        'test "integers" = 2 ** 10 == 1024 && (-3) ** 3 == -27 && 0 ** 0 == 1 && [2, 3] ** 2 == [4, 9]',
        'test "precedence" = -2.0 ** 2.0 == -4.0 && 2.0 ** 3.0 ** 2.0 == 512.0 && 2.0 ** -1.0 == 0.5 && 2.0 * 3.0 ** 2.0 == 18.0',
    ],
    "min": [
        'test "a tie goes to the first argument" = grad(f)(2.0, 2.0) == (1.0, 0.0)',
        'test "NaN wins" = is_nan(min(nan, 1.0)) && is_nan(min(1.0, nan))',
        'test "specials" = min(-infinity, 1.0) == -infinity && min(infinity, 1.0) == 1.0',
        'test "integers" = min(3, -2) == -2 && min([1, 5], [4, 2]) == [1, 2] && min([1, 5], 3) == [1, 3]',
    ],
    "max": [
        'test "a tie goes to the first argument" = grad(f)(2.0, 2.0) == (1.0, 0.0)',
        'test "a tie in an array" = grad(\\x, y => sum(max(x, y)))([1.0, 2.0], [1.0, 3.0]) == ([1.0, 0.0], [0.0, 1.0])',
        'test "NaN wins" = is_nan(max(nan, 1.0)) && is_nan(max(1.0, nan))',
        'test "specials" = max(-infinity, 1.0) == 1.0 && max(infinity, 1.0) == infinity',
        'test "integers" = max(3, -2) == 3 && max([1, 5], [4, 2]) == [4, 5] && max([1, 5], 3) == [3, 5]',
    ],
    "atan2": [
        'test "the four axes" = near(atan2(0.0, 1.0), 0.0, 0.0) && near(atan2(1.0, 0.0), pi / 2.0, 1e-15)\n    && near(atan2(0.0, -1.0), pi, 1e-15) && near(atan2(-1.0, 0.0), -pi / 2.0, 1e-15)',
        'test "signed zeros" = near(atan2(-0.0, -1.0), -pi, 1e-15) && 1.0 / atan2(-0.0, 1.0) == -infinity',
        'test "specials" = near(atan2(1.0, infinity), 0.0, 0.0) && is_nan(atan2(nan, 1.0))',
        'test "gradient on the axes" = grad(f)(0.0, 2.0) ~= (0.5, 0.0) && grad(f)(2.0, 0.0) ~= (0.0, -0.5)',
    ],
}


def polygamma():
    pts = [0.3, 1.0, 2.5, 10.0, 50.0]
    out = ["-- `polygamma(k, x)`: facts by mpmath (oracle.py).\n", f"def points: [{len(pts)}]Real = {row(pts)}\n"]
    for k in range(0, 5):
        vals = [float(mp.polygamma(k, mpf(x))) for x in pts]
        out.append(f'test "values, order {k}" =\n  near1(polygamma({k}, points), {row(vals)}, 1e-11)\n')
        d = [float(mp.polygamma(k + 1, mpf(x))) for x in pts]
        out.append(f'test "derivative, order {k}" =\n  near1(map(\\x => grad(\\y => polygamma({k}, y))(x), points), {row(d)}, 1e-11)\n')
    out.append('test "order 0 is digamma" = polygamma(0, 2.5) ~= digamma(2.5)\n')
    out.append(f'test "second derivative" = grad(\\x => grad(\\y => polygamma(1, y))(x))(2.5) ~= {lit(float(mp.polygamma(3, mpf(2.5))))}\n')
    out.append(f'test "third derivative of lgamma" =\n  grad(\\x => grad(\\y => grad(\\z => lgamma(z))(y))(x))(2.5) ~= {lit(float(mp.polygamma(2, mpf(2.5))))}\n')
    out.append('test "on an empty array" = length(polygamma(1, [1.0][0..0])) == 0\n')
    write("polygamma", out)


def write(name, parts):
    head, *rest = parts
    text = "\n".join(rest)
    needed = {helper for helper in HELPERS if re.search(rf"\b{helper}\(", text)}
    needed |= {helper[:-1] for helper in needed if helper.endswith("1")}
    text = "\n".join([head] + [HELPERS[helper] for helper in HELPERS if helper in needed] + rest)
    (HERE / f"{name}.cot").write_text(wrapped(text.strip("\n")) + "\n")


def wrapped(text):
    """The text with its long lines broken at `&&` or a comma."""
    lines = []
    for line in text.split("\n"):
        indent = re.match(" *", line)[0] + "  "
        while len(line) > 98:
            at = line.rfind(" && ", len(indent) + 4, 96) + 1 or line.rfind(", ", len(indent), 96) + 2
            if at <= 1:
                break
            lines.append(line[:at].rstrip())
            line = indent + line[at:]
        lines.append(line)
    return "\n".join(lines)


# By hand: primitives without an oracle.
KINKS = {
    "neg": """
test "values" = -(2.5) == -2.5 && -[1.0, -2.0] == [-1.0, 2.0] && -infinity < 0.0 && is_nan(-nan)

test "minus zero" = 1.0 / -0.0 == -infinity

test "derivative" = grad(\\x => -x)(3.0) == -1.0 && grad(\\v => sum(-v))([1.0, 2.0]) == [-1.0, -1.0]

test "second derivative" = grad(\\x => grad(\\y => -y)(x))(3.0) == 0.0

test "integers" = -(7) == -7 && -[1, -2] == [-1, 2]

test "integers wrap" = -(-9223372036854775807 - 1) == -9223372036854775807 - 1

test "an empty array" = length(-[1.0][0..0]) == 0
""",
    "abs": """
test "values" = abs(-2.5) == 2.5 && abs(2.5) == 2.5 && abs([-1.0, 0.0, 3.0]) == [1.0, 0.0, 3.0]

test "specials" = abs(-infinity) == infinity && is_nan(abs(nan)) && 1.0 / abs(-0.0) == infinity

test "derivative" = grad(\\x => abs(x))(-2.0) == -1.0 && grad(\\x => abs(x))(2.0) == 1.0

test "the derivative at 0 is 0" = grad(\\x => abs(x))(0.0) == 0.0 && grad(\\x => abs(x))(-0.0) == 0.0

test "on an array" = grad(\\v => sum(abs(v)))([-1.0, 0.0, 3.0]) == [-1.0, 0.0, 1.0]

test "second derivative" = grad(\\x => grad(\\y => abs(y))(x))(-2.0) == 0.0

test "second derivative of the cube" = grad(\\x => grad(\\y => abs(y) ** 3.0)(x))(-2.0) ~= 12.0

test "integers" = abs(-7) == 7 && abs([1, -2, 0]) == [1, 2, 0]
""",
    "sign": """
test "values" = sign([-2.5, 0.0, 3.0]) == [-1.0, 0.0, 1.0] && sign(-infinity) == -1.0

test "not a number" = is_nan(sign(nan))

test "the derivative is 0 everywhere" =
  grad(\\v => sum(sign(v)))([-2.0, 0.0, 3.0]) == [0.0, 0.0, 0.0] && grad(\\x => sign(x))(1.0) == 0.0

test "as a factor" = grad(\\x => x * sign(x))(-2.0) == -1.0 && grad(\\x => x * sign(x))(0.0) == 0.0

test "second derivative" = grad(\\x => grad(\\y => y * y * sign(y))(x))(-2.0) == -2.0

test "integers" = sign([-7, 0, 9]) == [-1, 0, 1]
""",
    "floor": """
test "values" = floor([-1.5, -1.0, 0.0, 0.5, 2.0]) == [-2.0, -1.0, 0.0, 0.0, 2.0]

test "specials" =
  floor(infinity) == infinity && is_nan(floor(nan)) && 1.0 / floor(-0.0) == -infinity
    && floor(1e300) == 1e300

test "the derivative is 0 everywhere" =
  grad(\\v => sum(floor(v)))([-1.5, -1.0, 0.5]) == [0.0, 0.0, 0.0] && grad(\\x => floor(x))(2.0) == 0.0

test "the fractional part" = grad(\\x => x - floor(x))(2.75) == 1.0

test "second derivative" = grad(\\x => grad(\\y => y * y * floor(y))(x))(2.75) ~= 4.0
""",
    "ceil": """
test "values" = ceil([-1.5, -1.0, 0.0, 0.5, 2.0]) == [-1.0, -1.0, 0.0, 1.0, 2.0]

test "specials" =
  ceil(infinity) == infinity && is_nan(ceil(nan)) && 1.0 / ceil(-0.5) == -infinity

test "the derivative is 0 everywhere" =
  grad(\\v => sum(ceil(v)))([-1.5, -1.0, 0.5]) == [0.0, 0.0, 0.0] && grad(\\x => ceil(x))(2.0) == 0.0

test "second derivative" = grad(\\x => grad(\\y => y * y * ceil(y))(x))(2.75) ~= 6.0
""",
    "round": """
test "half goes away from zero" =
  round([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]) == [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]

test "values" = round([-1.2, 0.0, 0.49999999999999994, 2.7]) == [-1.0, 0.0, 0.0, 3.0]

test "specials" = round(-infinity) == -infinity && is_nan(round(nan))

test "the derivative is 0 everywhere" =
  grad(\\v => sum(round(v)))([-1.5, 0.5, 1.2]) == [0.0, 0.0, 0.0] && grad(\\x => round(x))(2.0) == 0.0

test "second derivative" = grad(\\x => grad(\\y => y * y * round(y))(x))(2.75) ~= 6.0
""",
    "scale": """
-- The product inside of derivatives: zero if either factor is zero, even against infinity or NaN.
-- It has no name in programs; it shows wherever a derivative meets a singular point.
test "a zero direction through an infinite slope" = jvp(\\x => sqrt(x))(0.0, 0.0) == 0.0

test "a zero direction through NaN" = jvp(\\x => sqrt(x))(-1.0, 0.0) == 0.0

test "a zero slope after an infinite one" = grad(\\x => sqrt(x) ** 2.0 * 0.0)(0.0) == 0.0

test "an infinite slope along a direction that is not zero" = jvp(\\x => sqrt(x))(0.0, 2.0) == infinity

test "in an array, only the zero lanes" =
  jvp(\\v => sqrt(v))([0.0, 0.0, 4.0], [0.0, 1.0, 1.0]) == [0.0, infinity, 0.25]

test "gradients: the other argument is not poisoned" =
  grad(\\x, y => sqrt(x) * y)(0.0, 3.0) == (infinity, 0.0)

test "second order" = hvp(\\v => sqrt(v[0]) + v[1] * v[1])([0.0, 1.0], [0.0, 1.0]) == [0.0, 2.0]
""",
    "to_real": """
-- `real`: from Int to Real.
test "values" = real(3) == 3.0 && real(-7) == -7.0 && real([1, 2]) == [1.0, 2.0]

test "large" = real(9007199254740993) == 9007199254740992.0

test "an Int has no derivative" = grad(\\x => x * real(3))(2.0) == 3.0

test "with respect to an Int" = grad(\\n => real(n) * 2.0)(3) == 0

test "in a build" = grad(\\x => sum(build i < 4 => real(i) * x))(1.5) == 6.0

test "an empty array" = length(real([1][0..0])) == 0
""",
    "to_int": """
-- `int`: from Real to Int, towards zero; it saturates, and NaN gives 0.
test "towards zero" = int([2.7, -2.7, 0.0, -0.3]) == [2, -2, 0, 0] && int(5.0) == 5

test "saturates" =
  int(1e30) == 9223372036854775807 && int(-1e30) == -9223372036854775807 - 1
    && int(infinity) == 9223372036854775807

test "not a number" = int(nan) == 0

test "the derivative is 0" = grad(\\x => real(int(x)))(2.5) == 0.0 && jvp(\\x => int(x))(2.5, 1.0) == 0

test "as an index" = grad(\\x => [1.0, x, 3.0][int(x)] * x)(1.5) == 3.0

test "second derivative" = grad(\\x => grad(\\y => y * y * real(int(y)))(x))(2.5) == 4.0
""",
    "lt": """
test "reals" = 1.0 < 2.0 && !(2.0 < 2.0) && !(3.0 < 2.0) && -infinity < infinity

test "zeros" = !(-0.0 < 0.0)

test "not a number" = !(nan < 1.0) && !(1.0 < nan)

test "integers" = -3 < 2 && !(2 < 2)

test "arrays" = ([1.0, 2.0, 3.0] < [2.0, 2.0, 2.0]) == [true, false, false] && ([1, 5] < 3) == [true, false]

test "as a condition" = grad(\\x => if x < 1.0 then x * x else x)(0.5) == 1.0 && grad(\\x => if x < 1.0 then x * x else x)(1.0) == 1.0

test "the derivative of a comparison" = jvp(\\x => x < 1.0)(0.5, 1.0) == false
""",
    "le": """
test "reals" = 1.0 <= 2.0 && 2.0 <= 2.0 && !(3.0 <= 2.0)

test "not a number" = !(nan <= nan)

test "integers" = -3 <= 2 && 2 <= 2 && !(3 <= 2)

test "arrays" = ([1.0, 2.0, 3.0] <= 2.0) == [true, true, false]

test "as a condition" = grad(\\x => if x <= 1.0 then x * x else x)(1.0) == 2.0
""",
    "gt": """
test "reals" = 3.0 > 2.0 && !(2.0 > 2.0) && !(1.0 > 2.0)

test "not a number" = !(nan > 1.0) && !(1.0 > nan)

test "integers" = 2 > -3 && !(2 > 2)

test "arrays" = ([1.0, 2.0, 3.0] > [2.0, 2.0, 2.0]) == [false, false, true]

test "as a condition" = grad(\\x => if x > 1.0 then x * x else x)(1.0) == 1.0 && grad(\\x => if x > 1.0 then x * x else x)(2.0) == 4.0
""",
    "ge": """
test "reals" = 3.0 >= 2.0 && 2.0 >= 2.0 && !(1.0 >= 2.0)

test "not a number" = !(nan >= nan)

test "integers" = 2 >= -3 && 2 >= 2 && !(1 >= 2)

test "arrays" = ([1, 2, 3] >= 2) == [false, true, true]

test "as a condition" = grad(\\x => if x >= 1.0 then x * x else x)(1.0) == 2.0
""",
    "eq": """
test "reals" = 1.0 == 1.0 && !(1.0 == 2.0) && 0.0 == -0.0 && infinity == infinity

test "not a number" = !(nan == nan)

test "integers, Booleans, strings, unit" = 3 == 3 && true == true && "a" == "a" && !("a" == "b") && () == ()

test "whole arrays" = [1.0, 2.0] == [1.0, 2.0] && !([1.0, 2.0] == [1.0, 3.0])

test "tuples" = (1, (2.0, "x")) == (1, (2.0, "x")) && !((1, 2) == (1, 3))

test "data" = Some(1.0) == Some(1.0) && !(Some(1.0) == None) && Cons(1, Nil) == Cons(1, Nil)

test "the derivative of a condition" = grad(\\x => if x == 2.0 then x * x else x)(2.0) == 4.0
""",
    "ne": """
test "reals" = 1.0 != 2.0 && !(1.0 != 1.0) && !(0.0 != -0.0)

test "not a number" = nan != nan

test "integers, Booleans, strings" = 3 != 4 && true != false && "a" != "b"

test "whole arrays" = [1.0, 2.0] != [1.0, 3.0] && !([1, 2] != [1, 2])

test "the derivative of a condition" = grad(\\x => if x != 2.0 then x * x else x)(2.0) == 1.0
""",
    "is_nan": """
test "values" = is_nan(nan) && is_nan(0.0 / 0.0) && !is_nan(1.0) && !is_nan(infinity) && !is_nan(-infinity)

test "arrays" = is_nan([nan, 1.0]) == [true, false]

test "a guard" = grad(\\v => sum(map(\\x => if is_nan(x) then 0.0 else x * x, v)))([nan, 3.0]) == [0.0, 6.0]
""",
    "and": """
test "table" = (true && true) == true && (true && false) == false && (false && true) == false && (false && false) == false

test "the right operand is not evaluated" = !(false && [1][7] == 0)

test "in a condition" = grad(\\x => if x > 0.0 && x < 1.0 then x * x else x)(0.5) == 1.0

test "binds tighter than or" = true || false && false
""",
    "or": """
test "table" = (true || true) == true && (true || false) == true && (false || true) == true && (false || false) == false

test "the right operand is not evaluated" = true || [1][7] == 0

test "in a condition" = grad(\\x => if x < 0.0 || x > 1.0 then x * x else x)(2.0) == 4.0
""",
    "not": """
test "table" = !false && (!true) == false && !!true

test "in a condition" = grad(\\x => if !(x > 0.0) then x * x else x)(-2.0) == -4.0
""",
    "select": """
test "scalars" = select(true, 1.0, 2.0) == 1.0 && select(false, 1, 2) == 2

test "arrays" = select([true, false, true], [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]) == [1.0, 20.0, 3.0]

test "by a comparison" = {
  let x = [-1.0, 2.0, -3.0];
  select(x > 0.0, x, 0.0 * x) == [0.0, 2.0, 0.0]
}

test "derivative" =
  grad(\\a, b => sum(select([true, false], a, b)))([1.0, 2.0], [3.0, 4.0]) == ([1.0, 0.0], [0.0, 1.0])

test "the lane that is not taken does not poison the derivative" =
  grad(\\x => sum(select(x > 0.0, sqrt(x), x * 0.0)))([0.0, 4.0]) == [0.0, 0.25]

test "second derivative" =
  hvp(\\v => sum(select(v > 0.0, v ** 3.0, v)))([1.0, -1.0], [1.0, 1.0]) ~= [6.0, 0.0]

test "empty arrays" = length(select([true][0..0], [1.0][0..0], [2.0][0..0])) == 0
""",
}

for prim in REAL:
    unary(prim)
for prim in BINARY:
    binary(prim)
polygamma()
for prim, body in KINKS.items():
    body = body.strip("\n")
    if not body.startswith("--"):
        body = f"-- `{prim}`: facts from the definition (oracle.py).\n\n" + body
    write(prim, [body])
