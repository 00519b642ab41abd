"""The coefficients and the facts of `std.bessel`, by mpmath: prints the tables, then the tests."""

from mpmath import mp, mpf

mp.dps = 40


def cheb(f, eps=mpf(10) ** -18, N=64):
    N = mpf(N)
    n = int(N)
    xs = [mp.cos(mp.pi * (k + mpf(1) / 2) / n) for k in range(n)]
    ys = [f(x) for x in xs]
    c = [
        2 / N * sum(ys[k] * mp.cos(mp.pi * j * (k + mpf(1) / 2) / n) for k in range(n))
        for j in range(n)
    ]
    c[0] /= 2
    m = max(abs(v) for v in c)
    while abs(c[-1]) < eps * m:
        c.pop()
    return c


def small(g):
    return lambda t: g(mp.sqrt(32 * (t + 1)))  # t = x^2/32 - 1 on x in [0,8]


def large(g):
    return lambda t: g(8 / mp.sqrt((t + 1) / 2))  # t = 2 (8/x)^2 - 1


chi0 = lambda x: x - mp.pi / 4
chi1 = lambda x: x - 3 * mp.pi / 4
sc = lambda x: mp.sqrt(mp.pi * x / 2)


def P(nu):
    c = chi0 if nu == 0 else chi1
    return lambda x: sc(x) * (mp.besselj(nu, x) * mp.cos(c(x)) + mp.bessely(nu, x) * mp.sin(c(x)))


def Q(nu):
    c = chi0 if nu == 0 else chi1
    return lambda x: (
        sc(x) * (mp.bessely(nu, x) * mp.cos(c(x)) - mp.besselj(nu, x) * mp.sin(c(x))) * x / 8
    )


mp.dps = 50
T = {
    "j0_small": cheb(small(lambda x: mp.besselj(0, x))),
    "j1_small": cheb(small(lambda x: mp.besselj(1, x) / x)),
    "y0_small": cheb(small(lambda x: mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x))),
    "y1_small": cheb(
        small(lambda x: (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x)
    ),
    "p0": cheb(large(P(0))),
    "q0": cheb(large(Q(0))),
    "p1": cheb(large(P(1))),
    "q1": cheb(large(Q(1))),
    "i0_small": cheb(lambda t: (lambda x: mp.exp(-x) * mp.besseli(0, x))(4 * (t + 1))),
    "i1_small": cheb(lambda t: (lambda x: mp.exp(-x) * mp.besseli(1, x) / x)(4 * (t + 1))),
    "i0_large": cheb(
        lambda t: (lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(0, x))(16 / (t + 1))
    ),
    "i1_large": cheb(
        lambda t: (lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x))(16 / (t + 1))
    ),
}
for k, c in T.items():
    print(k, len(c), *[mp.nstr(v, 18) for v in c])

mp.dps = 40
xs = [0.0, 0.001, 0.5, 2.0, 5.0, 7.99, 8.01, 20.0, 100.0, -3.0, -12.0]
pos = [0.001, 0.5, 2.0, 5.0, 7.99, 8.01, 20.0, 100.0]
# Reals of 32 bits hold no exponentials of 100.
smaller = [80.0 if x == 100.0 else x for x in xs]
F = {
    "bessel_j0": (lambda x: mp.besselj(0, x), xs),
    "bessel_j1": (lambda x: mp.besselj(1, x), xs),
    "bessel_y0": (lambda x: mp.bessely(0, x), pos),
    "bessel_y1": (lambda x: mp.bessely(1, x), pos),
    "bessel_i0": (lambda x: mp.besseli(0, x), smaller),
    "bessel_i1": (lambda x: mp.besseli(1, x), smaller),
    "bessel_i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), xs + [3000.0]),
    "bessel_i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), xs + [3000.0]),
}


def lit(v):
    s = mp.nstr(v, 17)
    return s if ("." in s or "e" in s) else s + ".0"


arr = lambda l: "[" + ", ".join(l) + "]"
t = """---------------- tests ----------------

-- Facts by mpmath with 40 digits.

-- A function and its first two derivatives at some places.
def derivatives(f: Real -> Real, xs: [n]Real): ([n]Real, [n]Real, [n]Real) =
  (map(f, xs), map(grad(f), xs), map(grad(grad(f)), xs))

-- Whether all are within a few roundings of what they should be, or of 1.
def near(x: [n]Real, y: [n]Real): Bool =
  all(build i < n => abs(x[i] - y[i]) <= 18.0 * epsilon * max(1.0, abs(y[i])))

"""


def d(f, x, n):
    if x == 0 and n > 0:
        return mp.chop(
            mp.diff(f, mpf(0), n, h=mpf(10) ** -8)
            if False
            else mp.taylor(f, 0, n)[n] * mp.factorial(n)
        )
    return mp.diff(f, mpf(x), n) if n else f(mpf(x))


for k, (f, x) in F.items():
    t += 'test "%s" =\n  near(map(%s, %s), %s)\n\n' % (
        k,
        k,
        arr(map(repr, x)),
        arr([lit(f(mpf(v))) for v in x]),
    )
for k, (f, x) in F.items():
    pts = [0.5, 3.0, -2.0, 12.0] if "y" not in k[7:] else [0.5, 3.0, 12.0]
    t += 'test "derivatives of %s" =\n  derivatives(%s, %s)\n    ~= (%s, %s, %s)\n\n' % (
        k,
        k,
        arr(map(repr, pts)),
        *[arr([lit(d(f, v, n)) for v in pts]) for n in range(3)],
    )
t += """-- Closed forms: the coefficients of the power series.
test "derivatives at 0" =
  (grad(bessel_j0)(0.0), grad(grad(bessel_j0))(0.0), grad(grad(grad(bessel_j0)))(0.0)) ~= (0.0, -0.5, 0.0)
    && (grad(bessel_j1)(0.0), grad(grad(bessel_j1))(0.0), grad(grad(grad(bessel_j1)))(0.0)) ~= (0.5, 0.0, -0.375)
    && (grad(bessel_i0)(0.0), grad(grad(bessel_i0))(0.0)) ~= (0.0, 0.5)
    && (grad(bessel_i1)(0.0), grad(grad(bessel_i1))(0.0), grad(grad(grad(bessel_i1)))(0.0)) ~= (0.5, 0.0, 0.375)

test "where there is no number" =
  is_nan(bessel_y0(-1.0))
    && is_nan(bessel_y1(-1.0))
    && bessel_y0(0.0) == -infinity
    && bessel_y1(0.0) == -infinity
    && is_nan(bessel_j0(nan))
    && is_nan(bessel_i0(nan))

test "without overflow" = bessel_i0(1000.0) == infinity && grad(bessel_i1e)(1000.0) < 0.0
"""
print(t)
