"""The facts of `std.quadrature`, by SciPy and mpmath."""

import mpmath as mp
import numpy as np
from scipy.integrate import simpson, trapezoid

mp.mp.dps = 30
x = np.array([0.0, 0.5, 1.5, 2.0, 2.25, 4.0])
y = np.cos(x)
print("trapezoid", repr(trapezoid(y, x=x)))
print("simpson, even and odd", repr(simpson(y, x=x)), repr(simpson(y[:5], x=x[:5])))
step = 1e-3
row = []
for i in range(6):
    e = np.eye(6)[i]
    f = lambda k: simpson(np.cos(x), x=x + k * step * e)
    row.append((8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * step))
print("  by places", [f"{v:.10g}" for v in row])
nodes, weights = np.polynomial.legendre.leggauss(20)
print("legendre 20", repr(nodes[:3].tolist()), repr(weights[:3].tolist()))
show = lambda v: mp.nstr(v, 15)
f = lambda p, x: mp.exp(-p * x) * mp.sin(3 * x)
F = lambda p: mp.quad(lambda x: f(p, x), [0, 1, 2])
print("integral", show(F(mp.mpf("0.5"))), show(mp.diff(F, 0.5)), show(mp.diff(F, 0.5, 2)))
print("  by the bounds", show(-f(mp.mpf("0.5"), 0)), show(f(mp.mpf("0.5"), 2)))
print("logarithm", show(mp.quad(lambda x: mp.log(x), [0, 1])))
G = lambda p: mp.quad(lambda x: mp.exp(-p * x) / mp.sqrt(1 + x), [1, mp.inf])
print("to infinity", show(G(mp.mpf(2))), show(mp.diff(G, 2)), show(mp.diff(G, 2, 2)))
