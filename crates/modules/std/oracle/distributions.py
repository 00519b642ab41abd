"""The facts of `std.distributions`: prints the tests, with numbers by mpmath that scipy.stats agrees with."""

from mpmath import mp, mpf
import scipy.stats as st, numpy as np, sys

mp.dps = 40
log, lg, pi, exp = mp.log, mp.loggamma, mp.pi, mp.exp


def lit(v):
    s = mp.nstr(mp.mpmathify(v), 17)
    return s if ("." in s or "e" in s or "n" in s) else s + ".0"


sig = lambda a: 1 / (1 + exp(-a))
lch = lambda n, k: lg(n + 1) - lg(k + 1) - lg(n - k + 1)
# name: (discrete arguments, points of real arguments, textbook formula, scipy's)
D = {
    "normal_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (-40.0, 0.0, 1.0)],
        lambda y, m, s: -(((y - m) / s) ** 2) / 2 - log(s) - log(2 * pi) / 2,
        lambda y, m, s: st.norm.logpdf(y, m, s),
    ),
    "student_t_lpdf": (
        [],
        [(1.3, 4.0, 0.5, 2.0), (30.0, 1e6, 0.0, 1.5), (1e30, 2.0, 0.0, 1.0)],
        lambda y, n, m, s: (
            lg((n + 1) / 2)
            - lg(n / 2)
            - log(n * pi) / 2
            - log(s)
            - (n + 1) / 2 * log(1 + ((y - m) / s) ** 2 / n)
        ),
        lambda y, n, m, s: st.t.logpdf(y, n, m, s),
    ),
    "cauchy_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (1e8, 0.0, 1.0), (1e30, 0.0, 1.0)],
        lambda y, m, s: -log(pi * s * (1 + ((y - m) / s) ** 2)),
        lambda y, m, s: st.cauchy.logpdf(y, m, s),
    ),
    "laplace_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (-3.0, 1.0, 0.5)],
        lambda y, m, s: -log(2 * s) - abs(y - m) / s,
        lambda y, m, s: st.laplace.logpdf(y, m, s),
    ),
    "logistic_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (-3.0, 1.0, 0.5)],
        lambda y, m, s: -(y - m) / s - log(s) - 2 * log(1 + exp(-(y - m) / s)),
        lambda y, m, s: st.logistic.logpdf(y, m, s),
    ),
    "uniform_lpdf": (
        [],
        [(1.3, 0.5, 2.0)],
        lambda y, a, b: -log(b - a) + 0 * y,
        lambda y, a, b: st.uniform.logpdf(y, a, b - a),
    ),
    "lognormal_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (1e-5, 0.0, 1.0)],
        lambda y, m, s: -(((log(y) - m) / s) ** 2) / 2 - log(s) - log(2 * pi) / 2 - log(y),
        lambda y, m, s: st.lognorm.logpdf(y, s, 0, np.exp(m)),
    ),
    "exponential_lpdf": (
        [],
        [(1.3, 0.5), (0.25, 3.0)],
        lambda y, b: log(b) - b * y,
        lambda y, b: st.expon.logpdf(y, 0, 1 / b),
    ),
    "gamma_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (2.5, 3.5, 0.75)],
        lambda y, a, b: a * log(b) + (a - 1) * log(y) - b * y - lg(a),
        lambda y, a, b: st.gamma.logpdf(y, a, 0, 1 / b),
    ),
    "inv_gamma_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (0.25, 3.5, 0.75)],
        lambda y, a, b: a * log(b) - (a + 1) * log(y) - b / y - lg(a),
        lambda y, a, b: st.invgamma.logpdf(y, a, 0, b),
    ),
    "weibull_lpdf": (
        [],
        [(1.3, 0.5, 2.0), (0.25, 3.5, 0.75)],
        lambda y, a, s: log(a / s) + (a - 1) * log(y / s) - (y / s) ** a,
        lambda y, a, s: st.weibull_min.logpdf(y, a, 0, s),
    ),
    "half_normal_lpdf": (
        [],
        [(1.3, 2.0), (0.25, 0.5)],
        lambda y, s: log(2 / pi) / 2 - log(s) - (y / s) ** 2 / 2,
        lambda y, s: st.halfnorm.logpdf(y, 0, s),
    ),
    "half_cauchy_lpdf": (
        [],
        [(1.3, 2.0), (0.25, 0.5)],
        lambda y, s: log(2 / pi) - log(s) - log(1 + (y / s) ** 2),
        lambda y, s: st.halfcauchy.logpdf(y, 0, s),
    ),
    "beta_lpdf": (
        [],
        [(0.3, 0.5, 2.0), (0.75, 30.0, 12.0)],
        lambda y, a, b: (a - 1) * log(y) + (b - 1) * log(1 - y) - lg(a) - lg(b) + lg(a + b),
        lambda y, a, b: st.beta.logpdf(y, a, b),
    ),
    "bernoulli_lpmf": (
        [(1,), (0,)],
        [(0.3,)],
        lambda y, t: log(t) if y else log(1 - t),
        lambda y, t: st.bernoulli.logpmf(y, t),
    ),
    "bernoulli_logit_lpmf": (
        [(1,), (0,)],
        [(0.3,), (-40.0,)],
        lambda y, a: -log(1 + exp(-a)) if y else -log(1 + exp(a)),
        lambda y, a: st.bernoulli.logpmf(y, 1 / (1 + np.exp(-a))),
    ),
    "binomial_lpmf": (
        [(3, 10), (0, 4), (400, 1000)],
        [(0.3,)],
        lambda k, n, t: lch(n, k) + k * log(t) + (n - k) * log(1 - t),
        lambda k, n, t: st.binom.logpmf(k, n, t),
    ),
    "binomial_logit_lpmf": (
        [(3, 10), (0, 4), (400, 1000)],
        [(-0.7,)],
        lambda k, n, a: lch(n, k) - k * log(1 + exp(-a)) - (n - k) * log(1 + exp(a)),
        lambda k, n, a: st.binom.logpmf(k, n, 1 / (1 + np.exp(-a))),
    ),
    "poisson_lpmf": (
        [(0,), (7,)],
        [(2.5,)],
        lambda k, l: k * log(l) - l - lg(k + 1),
        lambda k, l: st.poisson.logpmf(k, l),
    ),
    "poisson_log_lpmf": (
        [(0,), (7,)],
        [(0.75,)],
        lambda k, a: k * a - exp(a) - lg(k + 1),
        lambda k, a: st.poisson.logpmf(k, np.exp(a)),
    ),
    "neg_binomial_2_lpmf": (
        [(0,), (7,)],
        [(2.5, 0.5), (2.5, 1e6)],
        lambda k, m, p: lg(k + p) - lg(k + 1) - lg(p) + k * log(m / (m + p)) + p * log(p / (m + p)),
        lambda k, m, p: st.nbinom.logpmf(k, p, p / (m + p)),
    ),
    "neg_binomial_2_log_lpmf": (
        [(0,), (7,)],
        [(0.75, 0.5), (0.75, 1e6)],
        lambda k, e, p: (
            lg(k + p)
            - lg(k + 1)
            - lg(p)
            - k * log(1 + p * exp(-e))
            - p * log(1 + exp(e) / p)
        ),
        lambda k, e, p: st.nbinom.logpmf(k, p, p / (np.exp(e) + p)),
    ),
}
t = """---------------- tests ----------------

-- Facts: values by scipy.stats and, to more digits, by the textbook formulas in mpmath; derivatives of
-- first and second order by mpmath's differences with 40 digits.

"""
for k, (disc, pts, f, sp) in D.items():
    lines = []
    for dd in disc or [()]:
        for p in pts:
            v = f(*dd, *map(mpf, p))
            s = sp(*dd, *p)
            if abs(v - s) > 1e-7 * max(1, abs(v)):
                print("SCIPY DISAGREES", k, dd, p, v, s)
            n = len(p)
            g = lambda *a: f(*dd, *a)
            P = tuple(map(mpf, p))

            def df(*o):
                return lit(
                    mp.chop(
                        mp.diff(g, P if n > 1 else P[0], tuple(o) if n > 1 else o[0]),
                        tol=mpf(10) ** -18,
                    )
                )

            e = lambda *idx: [sum(1 for i in idx if i == j) for j in range(n)]
            gr = [df(*e(i)) for i in range(n)]
            H = [[df(*e(i, j)) for j in range(n)] for i in range(n)]
            tu = lambda l: "(" + ", ".join(l) + ")" if len(l) > 1 else l[0]
            names = ["a", "b", "c", "d"][:n]
            fn = (
                k
                if not dd
                else "\\%s => %s(%s)" % (", ".join(names), k, ", ".join(list(map(str, dd)) + names))
            )
            args = ", ".join(map(repr, p))
            call = "%s(%s)" % (k, ", ".join(list(map(str, dd)) + list(map(repr, p))))
            lines.append(
                "(%s, grad(%s)(%s), hessian(%s)(%s)) ~= (%s, %s, %s)"
                % (call, fn, args, fn, args, lit(v), tu(gr), tu([tu(r) for r in H]))
            )
    t += 'test "%s" = %s\n\n' % (k, " && ".join("(%s)" % l if False else l for l in lines))


# several
def lse(x):
    return log(sum(exp(v) for v in x))


x = [0.5, -1.0, 2.0]
sm = [exp(mpf(v) - lse(x)) for v in x]
t += (
    'test "categorical_logit_lpmf" =\n (categorical_logit_lpmf(1, [0.5, -1.0, 2.0]), grad(\\x => categorical_logit_lpmf(1, x))([0.5, -1.0, 2.0])) ~= (%s, [%s]) && hessian(\\x => categorical_logit_lpmf(1, x))([0.5, -1.0, 2.0]) ~= [%s]\n\n'
    % (
        lit(mpf(x[1]) - lse(x)),
        ", ".join(lit((1 if i == 1 else 0) - sm[i]) for i in range(3)),
        ", ".join(
            "[" + ", ".join(lit(sm[i] * sm[j] - (sm[i] if i == j else 0)) for j in range(3)) + "]"
            for i in range(3)
        ),
    )
)
t += """test "categorical_lpmf" =
  (categorical_lpmf(1, [0.25, 0.125, 0.625]), grad(\\x => categorical_lpmf(1, x))([0.25, 0.125, 0.625])) ~= (%s, [0.0, 8.0, 0.0])
    && hessian(\\x => categorical_lpmf(1, x))([0.25, 0.125, 0.625]) ~= [[0.0, 0.0, 0.0], [0.0, -64.0, 0.0], [0.0, 0.0, 0.0]]
    && categorical_lpmf(0, [0.0, 1.0]) == -infinity

""" % lit(log(mpf(1) / 8))


def ordered(y, eta, *cuts):
    low = sig(cuts[y - 1] - eta) if y > 0 else 0
    high = sig(cuts[y] - eta) if y < len(cuts) else 1
    return log(high - low)


def near_nothing(v):
    return lit(mp.chop(v, tol=mpf(10) ** -18))


rows = []
for y, eta, cuts in [
    (0, 0.3, (-1.0, 0.5, 2.0)),
    (1, 0.3, (-1.0, 0.5, 2.0)),
    (3, 0.3, (-1.0, 0.5, 2.0)),
    (2, -30.0, (-1.0, 0.5, 2.0)),
    (1, 40.0, (-1.0, 0.5, 2.0)),
]:
    at = tuple(map(mpf, (eta,) + cuts))
    f = lambda *v: ordered(y, *v)
    e = lambda *idx: tuple(sum(1 for i in idx if i == j) for j in range(4))
    mp.dps = 60
    v, g = f(*at), [mp.diff(f, at, e(i)) for i in range(4)]
    h = [[mp.diff(f, at, e(i, j)) for j in range(4)] for i in range(4)]
    mp.dps = 40
    rows.append(
        "((%d, %r, [%s]), (%s, (%s, [%s]), [%s]))"
        % (
            y,
            eta,
            ", ".join(map(repr, cuts)),
            lit(v),
            near_nothing(g[0]),
            ", ".join(map(near_nothing, g[1:])),
            ", ".join("[" + ", ".join(map(near_nothing, row)) + "]" for row in h),
        )
    )
t += """test "ordered_logistic_lpmf" = all(map(
  \\((y, eta, cuts), facts) => (
    ordered_logistic_lpmf(y, eta, cuts),
    grad(\\eta, cuts => ordered_logistic_lpmf(y, eta, cuts))(eta, cuts),
    hessian(\\v => ordered_logistic_lpmf(y, v[0], v[1..]))(concat([eta], cuts)),
  ) ~= facts,
  [%s],
))

test "probabilities of ordered categories add up to 1" =
  sum(build y < 4 => exp(ordered_logistic_lpmf(y, 0.3, [-1.0, 0.5, 2.0]))) ~= 1.0

""" % ", ".join(rows)
th, al = [0.2, 0.3, 0.5], [1.5, 0.5, 3.0]
v = (
    lg(mpf(5))
    - sum(lg(mpf(a)) for a in al)
    + sum((mpf(a) - 1) * log(mpf(q)) for a, q in zip(al, th))
)
assert abs(v - st.dirichlet.logpdf(th, al)) < 1e-9
t += """test "dirichlet_lpdf" = {
  let (dtheta, dalpha) = grad(dirichlet_lpdf)([0.2, 0.3, 0.5], [1.5, 0.5, 3.0]);
  dirichlet_lpdf([0.2, 0.3, 0.5], [1.5, 0.5, 3.0]) ~= %s
    && dtheta ~= [2.5, -5.0 / 3.0, 4.0]
    && dalpha ~= [%s]
    && hessian(\\a => dirichlet_lpdf([0.2, 0.3, 0.5], a))([1.5, 0.5, 3.0])
      ~= [%s]
}

""" % (
    lit(v),
    ", ".join(lit(mp.digamma(5) - mp.digamma(mpf(a)) + log(mpf(q))) for a, q in zip(al, th)),
    ", ".join(
        "["
        + ", ".join(lit(mp.psi(1, 5) - (mp.psi(1, mpf(al[i])) if i == j else 0)) for j in range(3))
        + "]"
        for i in range(3)
    ),
)
L = np.array([[2.0, 0, 0], [0.5, 1.5, 0], [-1.0, 0.25, 0.75]])
y = np.array([1.0, -2.0, 0.5])
mu = np.array([0.5, 0.25, -1.0])
S = L @ L.T


def mvn(y, mu, Lf):
    n = 3
    Lm = mp.matrix(3, 3)
    for i in range(3):
        for j in range(i + 1):
            Lm[i, j] = Lf[i][j]
    z = mp.lu_solve(Lm, mp.matrix([y[i] - mu[i] for i in range(3)]))
    return (
        -sum(q * q for q in z) / 2 - sum(log(Lm[i, i]) for i in range(3)) - mpf(3) / 2 * log(2 * pi)
    )


M = lambda a: [mpf(float(q)) for q in a]
v = mvn(M(y), M(mu), [M(r) for r in L])
assert abs(v - st.multivariate_normal.logpdf(y, mu, S)) < 1e-9
h = mpf(10) ** -12


def dmu(i):
    def g(tt):
        m = M(mu)
        m[i] += tt
        return mvn(M(y), m, [M(r) for r in L])

    return mp.diff(g, 0)


def dL(i, j, n=1):
    def g(tt):
        l = [M(r) for r in L]
        l[i][j] += tt
        return mvn(M(y), M(mu), l)

    return mp.diff(g, 0, n)


gm = [dmu(i) for i in range(3)]
Pm = -np.linalg.inv(S)
t += """def factor: [3][3]Real = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 0.25, 0.75]]

test "multi_normal_cholesky_lpdf" = {
  let (y, mu) = ([1.0, -2.0, 0.5], [0.5, 0.25, -1.0]);
  let (dy, dmu, dl) = grad(multi_normal_cholesky_lpdf)(y, mu, factor);
  multi_normal_cholesky_lpdf(y, mu, factor) ~= %s
    && dmu ~= [%s]
    && dy ~= -dmu
    && dl
      ~= [%s]
    && hessian(\\mu => multi_normal_cholesky_lpdf(y, mu, factor))(mu)
      ~= [%s]
    && hessian(\\d => multi_normal_cholesky_lpdf(y, mu, factor + diag([0.0, 0.0, d])))(0.0) ~= %s
}

""" % (
    lit(v),
    ", ".join(map(lit, gm)),
    ", ".join(
        "[" + ", ".join(lit(dL(i, j)) if j <= i else "0.0" for j in range(3)) + "]"
        for i in range(3)
    ),
    ", ".join("[" + ", ".join(repr(float(q)) for q in r) + "]" for r in Pm),
    lit(dL(2, 2, 2)),
)
Sm = mp.matrix([[mpf(float(q)) for q in row] for row in S])
Pi = Sm**-1
zv = mp.matrix([mpf(float(q - w)) for q, w in zip(y, mu)])
Az = Pi * zv
assert abs(v - (-(zv.T * Az)[0] / 2 - log(mp.det(Sm)) / 2 - mpf(3) / 2 * log(2 * pi))) < mpf(10) ** -30
by_sigma = (Az * Az.T - Pi) / 2


def along(tt):
    A = Sm + tt * mp.matrix([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    return -(zv.T * (A**-1 * zv))[0] / 2 - log(mp.det(A)) / 2


t += """test "multi_normal_lpdf" = {
  let (y, mu) = ([1.0, -2.0, 0.5], [0.5, 0.25, -1.0]);
  let sigma = %s;
  let (dy, dmu, dsigma) = grad(multi_normal_lpdf)(y, mu, sigma);
  multi_normal_lpdf(y, mu, sigma) ~= %s
    && dmu ~= [%s]
    && dy ~= -dmu
    && dsigma ~= [%s]
    && hessian(\\mu => multi_normal_lpdf(y, mu, sigma))(mu) ~= [%s]
    && hessian(\\d => multi_normal_lpdf(y, mu, sigma + [[0.0, 0.0, d], [0.0, 0.0, 0.0], [d, 0.0, 0.0]]))(0.0) ~= %s
}

""" % (
    repr(S.tolist()),
    lit(v),
    ", ".join(map(lit, gm)),
    ", ".join("[" + ", ".join(lit(by_sigma[i, j]) for j in range(3)) + "]" for i in range(3)),
    ", ".join("[" + ", ".join(repr(float(q)) for q in r) + "]" for r in Pm),
    lit(mp.diff(along, 0, 2)),
)
# lkj: K = 2 closed form; K = 3 by integration of det^(eta-1)
eta = mpf("2.5")
r = mpf("0.6")
v2 = (eta - 1) * log(1 - r * r) - log(mp.beta(mpf(1) / 2, eta))
f2 = lambda e: (e - 1) * log(1 - r * r) - log(mp.beta(mpf(1) / 2, e))
t += """-- Closed forms: of a correlation 0.6, the power of a beta distribution; and the volume of the
-- correlation matrices of size 3, pi^2 / 2.
test "lkj_corr_cholesky_lpdf" = {
  let l = [[1.0, 0.0], [0.6, 0.8]];
  let f = \\eta => lkj_corr_cholesky_lpdf(l, eta);
  (f(2.5), grad(f)(2.5), hessian(f)(2.5)) ~= (%s, %s, %s)
    && grad(\\l => lkj_corr_cholesky_lpdf(l, 2.5))(l) ~= [[0.0, 0.0], [0.0, 3.0 / 0.8]]
    && lkj_corr_cholesky_lpdf(identity(3), 1.0) ~= -log(pi * pi / 2.0)
    && grad(\\l => lkj_corr_cholesky_lpdf(l, 1.5))(identity(3))
      ~= [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
}

""" % (lit(f2(eta)), lit(mp.diff(f2, eta)), lit(mp.diff(f2, eta, 2)))
t += """test "outside of the support" =
  uniform_lpdf(3.0, 0.0, 1.0) == -infinity
    && lognormal_lpdf(-1.0, 0.0, 1.0) == -infinity
    && exponential_lpdf(-1.0, 1.0) == -infinity
    && gamma_lpdf(-1.0, 1.0, 1.0) == -infinity
    && inv_gamma_lpdf(0.0, 1.0, 1.0) == -infinity
    && weibull_lpdf(-1.0, 1.0, 1.0) == -infinity
    && half_normal_lpdf(-1.0, 1.0) == -infinity
    && half_cauchy_lpdf(-1.0, 1.0) == -infinity
    && beta_lpdf(1.5, 1.0, 1.0) == -infinity
    && bernoulli_lpmf(2, 0.5) == -infinity
    && bernoulli_logit_lpmf(-1, 0.5) == -infinity
    && binomial_lpmf(5, 4, 0.5) == -infinity
    && binomial_logit_lpmf(-1, 4, 0.5) == -infinity
    && poisson_lpmf(-1, 0.5) == -infinity
    && poisson_log_lpmf(-1, 0.5) == -infinity
    && neg_binomial_2_lpmf(-1, 0.5, 1.0) == -infinity
    && categorical_logit_lpmf(2, [0.0, 0.0]) == -infinity
    && neg_binomial_2_log_lpmf(-1, 0.5, 1.0) == -infinity
    && categorical_lpmf(2, [0.5, 0.5]) == -infinity
    && ordered_logistic_lpmf(3, 0.0, [0.0, 1.0]) == -infinity
    && ordered_logistic_lpmf(-1, 0.0, [0.0, 1.0]) == -infinity
    && dirichlet_lpdf([-0.5, 1.5], [1.0, 1.0]) == -infinity
    && dirichlet_lpdf([0.5, 0.51], [1.0, 1.0]) == -infinity

test "at the ends of the support" =
  gamma_lpdf(0.0, 1.0, 2.0) ~= log(2.0)
    && gamma_lpdf(0.0, 2.0, 2.0) == -infinity
    && gamma_lpdf(0.0, 0.5, 2.0) == infinity
    && weibull_lpdf(0.0, 1.0, 2.0) ~= -log(2.0)
    && beta_lpdf(0.0, 1.0, 1.0) == 0.0
    && bernoulli_lpmf(0, 0.0) == 0.0
    && (binomial_lpmf(0, 5, 0.0), binomial_lpmf(5, 5, 1.0)) == (0.0, 0.0)
    && (binomial_logit_lpmf(0, 5, -infinity), poisson_log_lpmf(0, -infinity)) == (0.0, 0.0)
    && poisson_lpmf(0, 0.0) == 0.0
    && dirichlet_lpdf([0.0, 1.0], [1.0, 1.0]) ~= 0.0

test "no distribution" =
  is_nan(normal_lpdf(0.0, 0.0, -1.0))
    && is_nan(student_t_lpdf(0.0, 0.0, 0.0, 1.0))
    && is_nan(uniform_lpdf(0.0, 1.0, 0.0))
    && is_nan(lognormal_lpdf(-1.0, 0.0, 0.0))
    && is_nan(gamma_lpdf(1.0, -1.0, 1.0))
    && is_nan(half_normal_lpdf(-1.0, -1.0))
    && is_nan(beta_lpdf(0.5, 0.0, 1.0))
    && is_nan(bernoulli_lpmf(1, 1.5))
    && is_nan(binomial_lpmf(1, -2, 0.5))
    && is_nan(poisson_lpmf(1, -2.0))
    && is_nan(dirichlet_lpdf([0.5, 0.5], [1.0, 0.0]))
    && is_nan(multi_normal_cholesky_lpdf([1.0], [1.0], [[-1.0]]))
    && is_nan(multi_normal_lpdf([1.0, 2.0], [0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]))
    && is_nan(categorical_lpmf(0, [0.5, 0.6]))
    && is_nan(neg_binomial_2_log_lpmf(1, 0.5, -1.0))
    && is_nan(ordered_logistic_lpmf(1, 0.0, [1.0, 1.0]))
    && is_nan(lkj_corr_cholesky_lpdf([[1.0]], 0.0))

test "nothing and one" = {
  let none = build i < 0 => 1.0;
  multi_normal_cholesky_lpdf(none, none, build i < 0, j < 0 => 1.0) == 0.0
    && lkj_corr_cholesky_lpdf([[1.0]], 2.0) == 0.0
    && categorical_logit_lpmf(0, [3.0]) == 0.0
    && ordered_logistic_lpmf(0, 1.5, none) == 0.0
    && dirichlet_lpdf([1.0], [2.5]) ~= 0.0
    && multi_normal_cholesky_lpdf([1.3], [0.5], [[2.0]]) ~= normal_lpdf(1.3, 0.5, 2.0)
}

"""
t += """-- Facts that reals of 32 bits do not hold.
test "far out, in reals of 64 bits" =
  epsilon > 1e-10
    || (student_t_lpdf(1e200, 2.0, 0.0, 1.0), cauchy_lpdf(1e200, 0.0, 1.0)) ~= (%s, %s)
      && grad(\\nu, sigma => student_t_lpdf(1e200, nu, 0.0, sigma))(2.0, 1.0) ~= (%s, 2.0)
      && grad(\\sigma => cauchy_lpdf(1e200, 0.0, sigma))(1.0) ~= 1.0
      && hessian(\\sigma => student_t_lpdf(1e200, 2.0, 0.0, sigma))(1.0) ~= -2.0
      && hessian(\\sigma => cauchy_lpdf(1e200, 0.0, sigma))(1.0) ~= -1.0

""" % (
    lit(D["student_t_lpdf"][2](mpf(1e200), 2, 0, 1)),
    lit(D["cauchy_lpdf"][2](mpf(1e200), 0, 1)),
    lit(mp.diff(lambda n: D["student_t_lpdf"][2](mpf(1e200), n, 0, 1), 2)),
)
t += """test "many observations" =
  grad(\\mu => sum(map(\\y => normal_lpdf(y, mu, 2.0), [1.0, 2.0, 6.0])))(1.0) ~= 6.0 / 4.0
"""
print(t)
