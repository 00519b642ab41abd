"""Derives the polynomials of math.h: minimax by Remez exchange in 60 digits.

Kept so that a coefficient can be checked or a degree changed; nothing runs it.
Needs mpmath. `python3 derive.py [name]` prints for each polynomial the weighted error
as a power of two and its coefficients, lowest first, rounded to the element type.
"""
import struct
import sys
from mpmath import mp, mpf, log, exp, sin, cos, sqrt, pi, atan, asin, sinh, cosh, erf, erfc, cos, lu_solve, matrix, atanh, quad, taylor

mp.dps = 60


def remez(f, weight, low, high, count, rounds=14):
    """The polynomial of `count` coefficients that minimises the greatest weight * |p - f|."""
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * (count + 1))) for i in range(count + 1)]
    size = 40 * (count + 1)
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * (i + mpf(1) / 2) / size) for i in range(size)]
    values = [(x, f(x), weight(x)) for x in grid]
    best = None
    for _ in range(rounds):
        a = matrix(count + 1, count + 1)
        b = matrix(count + 1, 1)
        for i, x in enumerate(nodes):
            for j in range(count):
                a[i, j] = x**j
            a[i, count] = (-1) ** i / weight(x)
            b[i] = f(x)
        solution = lu_solve(a, b)
        c = [solution[j] for j in range(count)]
        error = [(mp.polyval(c[::-1], x) - y) * w for x, y, w in values]
        worst = max(abs(e) for e in error)
        if best is None or worst < best[0]:
            best = (worst, c)
        # One extremum from each run of equal sign, then the run of greatest ones.
        peaks = []
        for i, e in enumerate(error):
            if peaks and (error[peaks[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) < count + 1:
            break
        nodes = [grid[i] for i in peaks]
        if abs(worst - abs(solution[count])) < worst * mpf("1e-3"):
            break
    return best


def even(f, first, order=40):
    """The function g with f(x) = first terms + x^first * g(x^2), by its series: no cancellation."""
    series = taylor(f, 0, order)
    return lambda z: sum(series[k] * z ** ((k - first) // 2) for k in range(first, order + 1, 2))


def power(f, first, order=40):
    series = taylor(f, 0, order)
    return lambda x: sum(series[k] * x ** (k - first) for k in range(first, order + 1))


HALF_LN2 = log(2) / 2 * mpf("1.0001")
S_MAX = (sqrt(2) - 1) / (sqrt(2) + 1) * mpf("1.0001")  # of log: f / (2 + f) at sqrt(2)
T_MAX = sqrt(2) - 1  # of atan: tan(pi / 8)
asin_series = lambda z: sum(mp.binomial(2 * n, n) / mpf(4) ** n / (2 * n + 1) * z ** (n - 1) for n in range(1, 90))
atan_series = lambda z: sum((-1) ** n / mpf(2 * n + 1) * z ** (n - 1) for n in range(1, 70))
log_series = lambda z: sum(2 / mpf(2 * n + 1) * z ** (n - 1) for n in range(1, 40))
log_series5 = lambda z: sum(2 / mpf(2 * n + 1) * z ** (n - 2) for n in range(2, 40))
one = lambda x: mpf(1)
tiny = mpf("1e-12")


def over_x(f):
    return lambda z: f(sqrt(z)) / sqrt(z) if z > 0 else mpf(0)


POLYNOMIALS = {
    # name: (type, function, weight, low, high, count)
    "exp (e^r-1-r)/r^2": ("d", power(exp, 2), lambda r: abs(r) + tiny, -HALF_LN2, HALF_LN2, 11),
    "exp10 (e^r-1-r)/r^2": ("d", power(exp, 2), lambda r: r * r + tiny, -HALF_LN2, HALF_LN2, 10),
    "log 2/3.. in s^2": ("d", log_series, lambda z: z, tiny, S_MAX**2, 7),
    "log 2/5.. in s^2 (pow)": ("d", log_series5, lambda z: z * z, tiny, S_MAX**2, 8),
    "sin to pi/2": ("d", even(sin, 3, 60), lambda z: z * sqrt(z) / sin(sqrt(z)), tiny, (pi / 2 * mpf("1.00001")) ** 2, 8),
    "sin to pi/4": ("d", even(sin, 3), lambda z: z, tiny, (pi / 4 * mpf("1.0001")) ** 2, 6),
    "cos to pi/4": ("d", even(cos, 4), lambda z: z * z, tiny, (pi / 4 * mpf("1.0001")) ** 2, 6),
    "asin": ("d", asin_series, lambda z: z, tiny, mpf("0.2501"), 13),
    "atan": ("d", atan_series, lambda z: z, tiny, T_MAX**2 * mpf("1.001"), 11),
    "sinh": ("d", even(sinh, 3), lambda z: z, tiny, HALF_LN2**2, 5),
    "cosh": ("d", even(cosh, 2), lambda z: z, tiny, HALF_LN2**2, 5),
    "erf small": ("d", even(erf, 1, 90), lambda z: sqrt(z) / erf(sqrt(z)), tiny, mpf(1), 12),
    "erf large -log(erfc)": ("d", lambda x: -log(erfc(x)), lambda x: erfc(x), mpf(1), mpf("5.95"), 16),
    "expf": ("f", power(exp, 2), lambda r: r * r + tiny, -HALF_LN2, HALF_LN2, 5),
    "expm1f": ("f", power(exp, 2), lambda r: abs(r) + tiny, -HALF_LN2, HALF_LN2, 6),
    "logf 2/3.. in s^2": ("f", log_series, lambda z: z, tiny, S_MAX**2, 3),
    "sinf to pi/2": ("f", even(sin, 3, 60), lambda z: z * sqrt(z) / sin(sqrt(z)), tiny, (pi / 2 * mpf("1.0001")) ** 2, 4),
}


def rounded(c, kind):
    if kind == "d":
        return repr(float(c))
    return repr(struct.unpack("f", struct.pack("f", float(c)))[0])


if __name__ == "__main__":
    for name, (kind, f, weight, low, high, count) in POLYNOMIALS.items():
        if len(sys.argv) > 1 and not name.startswith(sys.argv[1]):
            continue
        worst, c = remez(f, weight, low, high, count)
        print(f"{name}: 2^{float(log(worst, 2)):.1f}")
        print("   ", ", ".join(rounded(it, kind) for it in c), flush=True)
