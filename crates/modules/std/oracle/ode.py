"""The facts of `std.ode`: solutions by Taylor series of mpmath, derivatives by central differences of
them; Robertson's reaction by Radau of SciPy."""

import mpmath as mp
from scipy.integrate import solve_ivp

mp.mp.dps = 30
H = mp.mpf("1e-7")


def swing(mu, x=2, v=0, t=2):
    """The oscillator of van der Pol."""
    f = lambda _, y: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]
    return mp.odefun(f, 0, [mp.mpf(x), mp.mpf(v)])(t)


show = lambda v: [mp.nstr(x, 14) for x in v]
mid, low, high = swing(mp.mpf(1)), swing(1 - H), swing(1 + H)
print("swing", show(mid))
print("  by mu", show((b - a) / (2 * H) for a, b in zip(low, high)))
print("  by mu twice", show((b - 2 * m + a) / H**2 for a, m, b in zip(low, mid, high)))
print("  position by x", show([(swing(1, 2 + H)[0] - swing(1, 2 - H)[0]) / (2 * H)]))
print("  position by v", show([(swing(1, 2, H)[0] - swing(1, 2, -H)[0]) / (2 * H)]))


def robertson(_, y):
    slow, fast, third = 0.04 * y[0], 3e7 * y[1] ** 2, 1e4 * y[1] * y[2]
    return [third - slow, slow - third - fast, fast]


print("robertson", solve_ivp(robertson, (0, 40), [1, 0, 0], "Radau", rtol=1e-12, atol=1e-14).y[:, -1].tolist())
