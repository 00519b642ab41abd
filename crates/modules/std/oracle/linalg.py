"""The facts of `std.linalg`: prints the numbers that stand in its tests.

Values come from numpy.linalg; gradients from the formulas of the textbooks, or from central differences with 60
digits by mpmath.
"""

import mpmath
import numpy as np

mpmath.mp.dps = 60
np.set_printoptions(precision=15, suppress=True)
A = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
B = np.array([[0.0, 2.0, 1.0], [1.0, -1.0, 3.0], [4.0, 0.5, 2.0]])
b = np.array([1.0, 2.0, 3.0])
c = np.array([2.0, 1.0, 3.0])
W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])


def show(name, value):
    print(name, "=", np.array2string(np.asarray(value), separator=", "))


def central(f, x):
    """The gradient by central differences, with enough digits that nothing is lost."""
    h = mpmath.mpf(10) ** -20
    res = np.zeros_like(x)
    for i, j in np.ndindex(x.shape):
        up, down = mpmath.matrix(x.tolist()), mpmath.matrix(x.tolist())
        up[i, j] += h
        down[i, j] -= h
        res[i, j] = float((f(up) - f(down)) / (2 * h))
    return res


def weighted(m):
    return mpmath.fsum(W[i, j] * m[i, j] for i in range(3) for j in range(3))


def lower(m):
    return mpmath.matrix([[m[i, j] if j <= i else 0 for j in range(3)] for i in range(3)])


def symmetric(m):
    return mpmath.matrix([[m[max(i, j), min(i, j)] for j in range(3)] for i in range(3)])


def solution(m, right):
    return mpmath.fsum(mpmath.lu_solve(m, mpmath.matrix(right.tolist())))


show("solve(B, b)", np.linalg.solve(B, b))
show("solve_matrix(B, A)", np.linalg.solve(B, A))
show("inverse(B)", np.linalg.inv(B))
show("det(A), det(B)", [np.linalg.det(A), np.linalg.det(B)])
show("logdet(A), logdet(B)", [np.linalg.slogdet(A)[1], np.linalg.slogdet(B)[1]])
L = np.linalg.cholesky(A)
show("cholesky(A)", L)
show("lower_solve(W, b)", np.linalg.solve(np.tril(W), b))
show("upper_solve(W, c)", np.linalg.solve(np.triu(W), c))

# d sum(x) / da = -y x^T and d sum(x) / db = y, where a^T y = 1.
x, y = np.linalg.solve(B, b), np.linalg.solve(B.T, np.ones(3))
show("grad of sum(solve)", -np.outer(y, x))
show("   by b", y)
# d sum(w * inverse(a)) / da = -inverse(a)^T w inverse(a)^T
inv = np.linalg.inv(B)
show("grad of sum(W * inverse(B))", -inv.T @ W @ inv.T)
show("grad of det(B)", np.linalg.det(B) * inv.T)
show("grad of logdet(B)", inv.T)
# d^2 logdet / da_ij da_kl = -inverse_li inverse_jk: in the direction W, twice.
show("second derivative of logdet(B) along W", -np.trace(inv @ W @ inv @ W))


show("grad of sum(W * cholesky(A))", central(lambda a: weighted(mpmath.cholesky(symmetric(a))), A))
show("grad of sum(lower_solve(W, b))", central(lambda a: solution(lower(a), b), W))
show("grad of sum(upper_solve(W, c))", central(lambda a: solution(lower(a.T).T, c), W))
