"""The facts of `std.linalg`: a weighted sum of results along a line of arguments, and its first and second
derivative, by mpmath with 60 digits; and what NumPy says on larger matrices."""

import numpy as np
from mpmath import mp, mpf, matrix

mp.dps = 60
A = [[2.5, 0.5, -0.25], [1.0, 3.0, 0.75], [-0.5, 0.25, 1.5]]
E = [[0.5, -1.0, 0.25], [0.75, 0.5, -0.5], [1.0, 0.25, -0.75]]
T = [[2.5, 0.5, -0.25], [1.0, 3.0, 0.75], [-0.5, 0.25, 1.5], [0.5, -2.0, 1.0]]
TE = E + [[0.25, 0.5, 1.0]]
B = [1.0, -2.0, 0.5, 3.0]
BE = [0.5, 1.0, -1.5, 0.25]
M = lambda x: matrix([[mpf(y) for y in r] for r in x])


def sym(a):
    return (a + a.T) / 2


w2 = lambda x: sum(
    mp.sin(1 + 3 * i + 5 * j) * x[i, j] for i in range(x.rows) for j in range(x.cols)
)
w1 = lambda x: sum(mp.cos(2 + 3 * i) * x[i] for i in range(len(x)))


def low(a):
    return matrix(a.rows, a.cols) + matrix(
        [[a[i, j] if j <= i else 0 for j in range(a.cols)] for i in range(a.rows)]
    )


def chol(a):
    return mp.cholesky(sym(a))


def lu(a):
    n = a.rows
    a = a.copy()
    p = list(range(n))
    L = mp.eye(n)
    for c in range(n):
        piv = max(range(c, n), key=lambda i: abs(a[i, c]))
        if piv != c:
            for j in range(n):
                a[c, j], a[piv, j] = a[piv, j], a[c, j]
            for j in range(c):
                L[c, j], L[piv, j] = L[piv, j], L[c, j]
            p[c], p[piv] = p[piv], p[c]
        for i in range(c + 1, n):
            f = a[i, c] / a[c, c]
            L[i, c] = f
            for j in range(c, n):
                a[i, j] -= f * a[c, j]
    return p, L, a


def qr(a):
    q, r = mp.qr(a, mode="skinny")
    n = r.cols
    S = mp.diag([1 if r[i, i] >= 0 else -1 for i in range(n)])
    return q[:, :n] * S, S * r[:n, :]


def signs(v):
    v = v.copy()
    for j in range(v.cols):
        k = max(range(v.rows), key=lambda i: abs(v[i, j]))
        if v[k, j] < 0:
            for i in range(v.rows):
                v[i, j] = -v[i, j]
    return v


def eigh(a):
    w, v = mp.eigsy(sym(a))
    return w, signs(v)


def svd(a):
    u, s, vt = mp.svd_r(a)
    v = vt.T
    v2 = signs(v)
    u = u.copy()
    for j in range(v.cols):
        if v2[0, j] * v[0, j] < 0:
            for i in range(u.rows):
                u[i, j] = -u[i, j]
    return u, s, v2


def line(f, h=mpf(10) ** -15):
    y0, yp, ym = f(mpf(0)), f(h), f(-h)
    return [mp.nstr(v, 17) for v in (y0, (yp - ym) / (2 * h), (yp - 2 * y0 + ym) / h**2)]


a, e, t, te = M(A), M(E), M(T), M(TE)
b, be = matrix(B[:3]), matrix(BE[:3])
b4, be4 = matrix(B), matrix(BE)
tb = M([r[:2] for r in TE[:3]])
tbe = M([r[1:] for r in T[:3]])
out = {
    "solve_lower": line(lambda x: w1(mp.lu_solve(low(a + x * e), b + x * be))),
    "solve_upper": line(lambda x: w1(mp.lu_solve(low((a + x * e).T).T, b + x * be))),
    "solve": line(lambda x: w1(mp.lu_solve(a + x * e, b + x * be))),
    "solve_lower_matrix": line(lambda x: w2(low(a + x * e) ** -1 * (tb + x * tbe))),
    "solve_upper_matrix": line(lambda x: w2(low((a + x * e).T).T ** -1 * (tb + x * tbe))),
    "solve_matrix": line(lambda x: w2((a + x * e) ** -1 * (tb + x * tbe))),
    "cholesky": line(lambda x: w2(chol(a + x * e))),
    "lu": line(lambda x: (lambda p, l, u: w2(l) + 2 * w2(u))(*lu(a + x * e))),
    "inverse": line(lambda x: w2((a + x * e) ** -1)),
    "det": line(lambda x: mp.det(a + x * e)),
    "logdet": line(lambda x: mp.log(abs(mp.det(a + x * e)))),
    "qr": line(lambda x: (lambda q, r: w2(q) + 2 * w2(r))(*qr(t + x * te))),
    "lstsq": line(
        lambda x: w1(mp.lu_solve((t + x * te).T * (t + x * te), (t + x * te).T * (b4 + x * be4)))
    ),
    "eigh": line(lambda x: (lambda w, v: w1(w) + 2 * w2(v))(*eigh(a + x * e))),
    "svd": line(lambda x: (lambda u, s, v: w2(u) + 2 * w1(s) + 3 * w2(v))(*svd(t + x * te))),
    "expm": line(lambda x: w2(mp.expm(a + x * e))),
    "norm_1": line(lambda x: max(sum(abs((t + x * te)[i, j]) for i in range(4)) for j in range(3))),
    "norm_inf": line(
        lambda x: max(sum(abs((t + x * te)[i, j]) for j in range(3)) for i in range(4))
    ),
    "norm_frobenius": line(
        lambda x: mp.sqrt(sum((t + x * te)[i, j] ** 2 for j in range(3) for i in range(4)))
    ),
    "norm_2": line(lambda x: svd(t + x * te)[1][0]),
}
for k, v in out.items():
    print(k, *v)

i, j = np.indices((40, 40)).astype(float)
covariance = 1 / (1 + abs(i - j)) + (i == j)
general = np.sin(i * i + 3 * j) + 2 * (i == j)
print("logdet of covariance(40)", np.linalg.slogdet(covariance)[1])
print("logdet of general(40, 40)", np.linalg.slogdet(general)[1])
print("det of general(20, 20)", np.linalg.det(general[:20, :20]))
print("eigenvalues of covariance(7)", np.linalg.eigvalsh(covariance[:7, :7]))
print("singular values of general(9, 6)", np.linalg.svd(general[:9, :6])[1])
print("eigenvalues of covariance(40)", np.linalg.eigvalsh(covariance)[[0, 20, 39]])
print("singular values of general(30, 20)", np.linalg.svd(general[:30, :20])[1])
wilkinson = (abs(i - 10) * (i == j) + (abs(i - j) == 1))[:21, :21]
print("eigenvalues of wilkinson(21)", np.linalg.eigvalsh(wilkinson)[[0, 19, 20]])
print("singular values of Hilbert's matrix", np.linalg.svd((1 / (1 + i + j))[:10, :10])[1])
