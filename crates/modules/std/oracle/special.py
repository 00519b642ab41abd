"""The facts of `std.special`: prints the tests, with numbers by mpmath with 40 digits."""

from mpmath import mp, mpf

mp.dps = 40


def lit(v):
    v = mp.mpmathify(v)
    if mp.isnan(v):
        return "nan"
    s = mp.nstr(v, 17)
    return s if ("." in s or "e" in s) else s + ".0"


arr = lambda l: "[" + ", ".join(l) + "]"
r = lambda x: mpf(x)
ncdf = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
import scipy.special as ss

nq = lambda p: (
    mp.findroot(lambda x: mp.log(ncdf(x)) - mp.log(p), mpf(float(ss.ndtri(float(p)))))
    if p <= 0.5
    else -nq(1 - p)
)
lb = lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
P = lambda a, x: mp.gammainc(a, 0, x, regularized=True)
Q = lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)
I = lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)
one = {
    "log1mexp": (
        lambda x: mp.log(1 - mp.exp(x)),
        [-1e-10, -0.1, -0.69, -0.7, -5.0, -50.0],
        [-0.1, -0.7, -5.0],
    ),
    "log_sigmoid": (lambda x: -mp.log(1 + mp.exp(-x)), [-700.0, -1.0, 0.0, 2.0, 40.0], [-1.0, 2.0]),
    "logit": (lambda p: mp.log(p / (1 - p)), [1e-10, 0.25, 0.5, 0.999], [0.25, 0.9]),
    "erfc": (mp.erfc, [-3.0, 0.0, 0.3, 0.5, 1.0, 3.9, 4.1], [-1.0, 0.3, 2.0, 5.0]),
    "erfcx": (
        lambda x: mp.exp(x * x) * mp.erfc(x),
        [-3.0, 0.0, 0.3, 0.5, 1.0, 3.9, 4.1, 10.0, 1000.0],
        [-1.0, 0.3, 2.0, 5.0],
    ),
    "erfinv": (mp.erfinv, [-0.5, 1e-20, 0.1, 0.84, 0.86], [-0.5, 0.1, 0.9]),
    "erfcinv": (
        lambda y: nq(1 - y / 2) / mp.sqrt(2) if y >= 1 else -nq(y / 2) / mp.sqrt(2),
        [1e-8, 0.1, 0.9, 1.5, 1.99],
        [0.1, 0.9, 1.5],
    ),
    "normal_cdf": (ncdf, [-35.0, -5.0, -1.0, 0.0, 0.7, 3.0], [-5.0, -1.0, 0.7]),
    "normal_log_cdf": (
        lambda x: mp.log(ncdf(x)),
        [-1000.0, -35.0, -1.1, -0.9, 0.0, 2.0, 9.0],
        [-1.1, 0.5, 3.0],
    ),
    "normal_quantile": (nq, [1e-20, 0.01, 0.3, 0.6, 0.99], [0.01, 0.3, 0.9]),
}
two = {
    "logaddexp": (
        lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
        [(0.5, -1.0), (2.0, 2.0), (1000.0, 999.0), (-1000.0, -1001.0), (0.0, -50.0)],
        [(0.5, -1.0), (1000.0, 999.0)],
    ),
    "logsubexp": (
        lambda x, y: mp.log(mp.exp(x) - mp.exp(y)),
        [(0.5, -1.0), (1000.0, 999.0), (0.0, -1e-10), (0.0, -50.0)],
        [(0.5, -1.0), (1000.0, 999.0)],
    ),
    "xlogy": (lambda x, y: x * mp.log(y), [(2.0, 3.0), (0.0, 2.0)], [(2.0, 3.0)]),
    "xlog1py": (
        lambda x, y: x * mp.log(1 + y),
        [(2.0, 3.0), (2.0, 1e-20), (0.0, 2.0)],
        [(2.0, 3.0)],
    ),
    "lbeta": (
        lb,
        [(0.5, 2.5), (1e-5, 3.0), (3.0, 50.0), (30.0, 50.0), (1e6, 2e6), (2.0, 1e10)],
        [(0.5, 2.5), (3.0, 50.0), (30.0, 12.0)],
    ),
    "beta": (mp.beta, [(0.5, 2.5), (3.0, 50.0), (30.0, 12.0)], [(0.5, 2.5)]),
    "lchoose": (
        lambda n, k: mp.log(mp.binomial(n, k)),
        [(10.0, 3.0), (1000.0, 500.0), (5.5, 2.5)],
        [(10.0, 3.0)],
    ),
    "gammainc": (
        P,
        [
            (0.5, 0.1),
            (0.5, 3.0),
            (3.0, 1.0),
            (3.0, 8.0),
            (30.0, 25.0),
            (30.0, 40.0),
            (1000.0, 990.0),
            (1e-3, 0.5),
        ],
        [(0.5, 0.3), (3.0, 8.0), (30.0, 25.0)],
    ),
    "gammaincc": (
        Q,
        [
            (0.5, 0.1),
            (0.5, 3.0),
            (3.0, 1.0),
            (3.0, 8.0),
            (30.0, 25.0),
            (30.0, 90.0),
            (1000.0, 1100.0),
            (0.5, 600.0),
        ],
        [(0.5, 0.3), (3.0, 8.0), (30.0, 40.0)],
    ),
}
three = {
    "betainc": (
        I,
        [
            (0.5, 0.5, 0.1),
            (2.0, 3.0, 0.4),
            (2.0, 3.0, 0.9),
            (30.0, 10.0, 0.7),
            (0.1, 5.0, 0.01),
            (500.0, 600.0, 0.45),
        ],
        [(2.0, 3.0, 0.4), (0.5, 1.5, 0.7), (12.0, 5.0, 0.7)],
    )
}
t = """
---------------- tests ----------------

-- Facts by mpmath with 40 digits.

-- Whether all are equal up to some roundings.
def near(x: [n]Real, y: [n]Real): Bool =
  all(build i < n => abs(x[i] - y[i]) <= 450.0 * epsilon * abs(y[i]))

"""
for k, (f, x, d) in one.items():
    t += 'test "%s" =\n  near(map(%s, %s), %s)\n\n' % (
        k,
        k,
        arr(map(repr, x)),
        arr([lit(f(r(v))) for v in x]),
    )
    t += (
        'test "derivatives of %s" =\n map(\\x => (grad(%s)(x), grad(grad(%s))(x)), %s)\n ~= [%s]\n\n'
        % (
            k,
            k,
            k,
            arr(map(repr, d)),
            ", ".join("(%s, %s)" % (lit(mp.diff(f, r(v))), lit(mp.diff(f, r(v), 2))) for v in d),
        )
    )


def tup(p):
    return "(" + ", ".join(map(repr, p)) + ")"


for D in (two, three):
    for k, (f, x, d) in D.items():
        nv = len(x[0])
        names = ", ".join("xyz"[:nv]) if nv == 2 else "x, y, z"
        t += 'test "%s" =\n  near(map(\\(%s) => %s(%s), [%s]), %s)\n\n' % (
            k,
            names,
            k,
            names,
            ", ".join(map(tup, x)),
            arr([lit(f(*map(r, v))) for v in x]),
        )
        rows = []
        for v in d:
            g = []
            H = []
            for i in range(nv):
                o = [0] * nv
                o[i] = 1
                g.append(lit(mp.diff(f, tuple(map(r, v)), tuple(o))))
                row = []
                for j in range(nv):
                    o = [0] * nv
                    o[i] += 1
                    o[j] += 1
                    row.append(lit(mp.diff(f, tuple(map(r, v)), tuple(o))))
                H.append("(" + ", ".join(row) + ")")
            rows.append("((%s), (%s))" % (", ".join(g), ", ".join(H)))
        t += (
            'test "derivatives of %s" =\n map(\\(%s) => (grad(%s)(%s), hessian(%s)(%s)), [%s])\n ~= [%s]\n\n'
            % (k, names, k, names, k, names, ", ".join(map(tup, d)), ", ".join(rows))
        )


# Great shapes, by integrals of the densities over the logarithm and the logarithm of the odds.
def tail(log_density):
    """The integral from 0 to where the density is e^-100 of that at 0, on the side where it falls."""
    end = mpf(10) ** -15
    while log_density(-end) > -100:
        end *= 2
    return mp.quad(lambda h: mp.exp(log_density(-h)), mp.linspace(0, end, 9))


def great_gamma(a, x):
    scale = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
    if x < a:
        return scale * tail(lambda h: a * h - x * mp.expm1(h))
    return 1 - scale * tail(lambda h: -a * h - x * mp.expm1(-h))


def great_beta(a, b, x):
    if x > a / (a + b):
        return 1 - great_beta(b, a, 1 - x)
    scale = mp.exp(a * mp.log(x) + b * mp.log1p(-x) - lb(a, b))
    return scale * tail(lambda h: a * h - (a + b) * mp.log1p(x * mp.expm1(h)))


def slopes_of(f, v):
    """The derivatives of first and of second order, one after the other."""
    n = len(v)
    step = [a * mpf(10) ** -16 for a in v]
    at = lambda *o: f(*(a + k * h for a, k, h in zip(v, o, step)))
    e = lambda *idx: [sum(k for i, k in idx if i == j) for j in range(n)]
    first = [(at(*e((i, 1))) - at(*e((i, -1)))) / (2 * step[i]) for i in range(n)]
    second = []
    for i in range(n):
        for j in range(i, n):
            if i == j:
                d = (at(*e((i, 1))) - 2 * at(*e()) + at(*e((i, -1)))) / step[i] ** 2
            else:
                corners = [k * l * at(*e((i, k), (j, l))) for k in (1, -1) for l in (1, -1)]
                d = sum(corners) / (4 * step[i] * step[j])
            second.append(d)
    return first, second


mp.dps = 70
great = {
    "gammainc": (
        great_gamma,
        [(1048576.0, 1049600.0), (1048576.0, 1044480.0), (5e8, 5e8), (1e10, 1e10)],
        [(1048576.0, 1049600.0), (4096.0, 4000.0)],
    ),
    "betainc": (
        great_beta,
        [
            (1048576.0, 1048576.0, 0.50048828125),
            (1e10, 1e10, 0.5),
            (30.0, 1073741824.0, 2.0**-25),
            (4194304.0, 3.0, 1 - 2.0**-21),
            (2.0, 1e10, 2.0**-32),
        ],
        [(4096.0, 8192.0, 0.328125), (4194304.0, 3.0, 1 - 2.0**-20)],
    ),
}
for k, (f, x, d) in great.items():
    nv = len(x[0])
    names = ", ".join("xyz"[:nv])
    pairs = [(i, j) for i in range(nv) for j in range(i, nv)]
    t += 'test "%s of great shapes" =\n  near(map(\\(%s) => %s(%s), [%s]), %s)\n\n' % (
        k,
        names,
        k,
        names,
        ", ".join(map(tup, x)),
        arr([lit(f(*map(r, v))) for v in x]),
    )
    for order in (0, 1):
        rows = [slopes_of(f, tuple(map(r, v)))[order] for v in d]
        if order == 0:
            what, parts = "grad", arr("g.%d" % i for i in range(nv))
        else:
            what, parts = "hessian", arr("g.%d.%d" % ij for ij in pairs)
        t += (
            'test "%s derivatives of %s of great shapes" =\n  all(map(\\((%s), facts) => { let g = %s(%s)(%s); near(%s, facts) }, [%s]))\n\n'
            % (
                ("first", "second")[order],
                k,
                names,
                what,
                k,
                names,
                parts,
                ", ".join("(%s, %s)" % (tup(v), arr(map(lit, row))) for v, row in zip(d, rows)),
            )
        )
small = [(1e-10, 0.1), (1e-16, 0.1), (0.01, 1.005)]
t += 'test "gammaincc of small shapes" =\n  near(map(\\(x, y) => gammaincc(x, y), [%s]), %s)\n\n' % (
    ", ".join(map(tup, small)),
    arr([lit(Q(*map(r, v))) for v in small]),
)
small_beta = [(5.0, 2.0**-30, 0.875), (2.0**-30, 5.0, 0.125), (0.25, 2.0**-30, 0.5)]
t += 'test "betainc of small shapes" =\n  near(map(\\(x, y, z) => betainc(x, y, z), [%s]), %s)\n\n' % (
    ", ".join(map(tup, small_beta)),
    arr([lit(I(*map(r, v))) for v in small_beta]),
)
ql = lambda a, x: slopes_of(Q, (a, x))
bl = lambda *v: slopes_of(I, v)
g, b = ql(r(2.0**-30), r(0.125)), bl(r(5.0), r(2.0**-30), r(0.875))
t += """test "derivatives of small shapes" = {
  let (qa, qx) = grad(gammaincc)(%r, 0.125);
  let ((qaa, qax), (_, qxx)) = hessian(gammaincc)(%r, 0.125);
  let (ia, ib, ix) = grad(betainc)(5.0, %r, 0.875);
  near([qa, qx, qaa, qax, qxx], [%s]) && near([ia, ib, ix], [%s])
}

""" % (2.0**-30, 2.0**-30, 2.0**-30, ", ".join(map(lit, g[0] + g[1])), ", ".join(map(lit, b[0])))
rise = lambda *v: slopes_of(mp.beta, v)
bg, bh = rise(r(1000.0), r(2.0**-30))
cg, ch = slopes_of(two["lchoose"][0], (r(65536.0), r(2.0)))
t += """test "derivatives of beta functions of great and small numbers" = {
  let (a, b) = grad(beta)(1000.0, %r);
  let ((aa, ab), (_, bb)) = hessian(lbeta)(1000.0, %r);
  let (n, k) = grad(lchoose)(65536.0, 2.0);
  near([a, b, aa, ab, bb, n, k], [%s])
}

""" % (
    2.0**-30,
    2.0**-30,
    ", ".join(map(lit, bg + slopes_of(lb, (r(1000.0), r(2.0**-30)))[1] + cg)),
)
far = [1e6, 1e7, 1e8]
slope = lambda x, n: mp.diff(one["erfcx"][0], r(x), n)
t += 'test "derivatives of erfcx far out" =\n  near(map(grad(erfcx), %s), %s) && near(map(grad(grad(erfcx)), %s), %s)\n\n' % (
    arr(map(repr, far)),
    arr([lit(-1 / mp.sqrt(mp.pi) * (1 / r(x) ** 2 - 3 / (2 * r(x) ** 4))) for x in far]),
    arr(map(repr, far)),
    arr([lit(2 / mp.sqrt(mp.pi) * (1 / r(x) ** 3 - 3 / r(x) ** 5)) for x in far]),
)
more = [(1e12, 1e12 - 3e6), (1e18, 1e18 + 1e9), (12.0, 1e-10)]
more_beta = [(1e10, 1e10, 0.49998), (1e15, 1e15, 0.5), (20.0, 1e15, 2.5e-14)]
in_64 = "&& near([%s], [%s]) && near([%s], [%s])" % (
    ", ".join("gammainc" + tup(v) for v in more),
    ", ".join(lit(great_gamma(*map(r, v)) if v[0] > 100 else P(*map(r, v))) for v in more),
    ", ".join("betainc" + tup(v) for v in more_beta),
    ", ".join(lit(great_beta(*map(r, v))) for v in more_beta),
)
mp.dps = 40
value = lambda k, x: lit(one[k][0](r(x)))
slopes = [lit(mp.diff(one["normal_log_cdf"][0], r(-35.0), n)) for n in (1, 2)]
t += f"""-- Facts that reals of 32 bits do not hold: numbers that they cannot tell from 0 or from 1.
test "far out, in reals of 64 bits" =
  epsilon > 1e-10
    || near(map(erfc, [10.0, 26.0]), [{value("erfc", 10.0)}, {value("erfc", 26.0)}])
      && near(map(erfinv, [-0.9999, 0.999999]), [{value("erfinv", -0.9999)}, {value("erfinv", 0.999999)}])
      && near([erfcinv(1e-100), normal_quantile(1e-300)], [{value("erfcinv", 1e-100)}, {value("normal_quantile", 1e-300)}])
      && (grad(normal_log_cdf)(-35.0), grad(grad(normal_log_cdf))(-35.0)) ~= ({", ".join(slopes)})
      {in_64}

"""
t += """test "ends" =
  log1mexp(0.0) == -infinity
    && log1mexp(-infinity) == 0.0
    && logaddexp(-infinity, -infinity) == -infinity
    && logaddexp(-infinity, 3.0) == 3.0
    && logsubexp(3.0, 3.0) == -infinity
    && logsubexp(3.0, -infinity) == 3.0
    && (xlogy(0.0, 0.0), xlog1py(0.0, -1.0)) == (0.0, 0.0)
    && (erfinv(1.0), erfinv(-1.0), erfcinv(0.0)) == (infinity, -infinity, infinity)
    && (normal_quantile(0.0), normal_quantile(1.0)) == (-infinity, infinity)
    && (gammainc(2.0, 0.0), gammaincc(2.0, 0.0)) == (0.0, 1.0)
    && (gammainc(2.0, infinity), gammaincc(2.0, infinity)) == (1.0, 0.0)
    && (gammainc(infinity, 2.0), gammaincc(infinity, 2.0)) == (0.0, 1.0)
    && (erfc(infinity), normal_cdf(-infinity), normal_log_cdf(infinity)) == (0.0, 0.0, 0.0)
    && (lchoose(5.0, 0.0), lchoose(5.0, 5.0)) == (0.0, 0.0)
    && (betainc(2.0, 3.0, 0.0), betainc(2.0, 3.0, 1.0)) == (0.0, 1.0)

test "where there is no number" =
  is_nan(erfinv(1.5))
    && is_nan(erfinv(nan))
    && is_nan(normal_quantile(-0.1))
    && is_nan(gammainc(-1.0, 2.0))
    && is_nan(gammainc(1.0, nan))
    && is_nan(betainc(1.0, 2.0, 1.5))
    && is_nan(betainc(nan, 2.0, 0.5))

test "derivatives at a tie" = grad(logaddexp)(1.0, 1.0) == (0.5, 0.5)

test "a derivative where the count is 0" = {
  let (_, dy) = grad(xlogy)(0.0, 0.0);
  dy == 0.0
}
"""
print(t)
