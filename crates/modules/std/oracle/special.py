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
value = lambda k, x: lit(one[k][0](r(x)))
slopes = [lit(mp.diff(one["normal_log_cdf"][0], r(-35.0), n)) for n in (1, 2)]
t += f"""-- Facts that reals of 32 bits do not hold: numbers that they cannot tell from 0 or from 1.
test "far out, in reals of 64 bits" =
  epsilon > 1e-10
    || near(map(erfc, [10.0, 26.0]), [{value("erfc", 10.0)}, {value("erfc", 26.0)}])
      && near(map(erfinv, [-0.9999, 0.999999]), [{value("erfinv", -0.9999)}, {value("erfinv", 0.999999)}])
      && near([erfcinv(1e-100), normal_quantile(1e-300)], [{value("erfcinv", 1e-100)}, {value("normal_quantile", 1e-300)}])
      && (grad(normal_log_cdf)(-35.0), grad(grad(normal_log_cdf))(-35.0)) ~= ({", ".join(slopes)})

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
