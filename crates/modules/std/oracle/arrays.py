"""The facts of `std.arrays`, by NumPy: prints the numbers of its tests."""

import numpy as np

x = np.array([3.0, -1.0, 2.0, 2.0, 7.5, -1.0])
show = lambda name, v: print(name, np.asarray(v).tolist())

show("roll 2", np.roll(x, 2))
show("roll -1", np.roll(x, -1))
show("roll 8", np.roll(x, 8))
show("pad", np.pad(x[:3], (2, 1), constant_values=9.0))
show("diff", np.diff(x))
show("split", np.split(x, 3))
show("cumprod", np.cumprod(x))
show("cummax", np.maximum.accumulate(x))
show("cummin", np.minimum.accumulate(x))
s = np.sort(x)
at = [-5.0, -1.0, 0.0, 2.0, 3.0, 7.5, 8.0]
show("searchsorted left", np.searchsorted(s, at, side="left"))
show("searchsorted right", np.searchsorted(s, at, side="right"))
show("unique", np.unique(x))
show("unique ints", np.unique([4, 1, 4, -2, 1]))
data = [0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1.1, -0.5, np.nan, 0.6, 0.30000000000000004]
inside = np.array([d for d in data if not np.isnan(d)])
show("histogram", np.histogram(inside, bins=10, range=(0.0, 1.0))[0])
far = np.histogram([1.5e38, -0.5e38, 3e38, -3e38, 2e38], bins=3, range=(-3e38, 3e38))[0]
near = np.histogram([0.0, 3.5e-323, 4.9e-323], bins=10, range=(0.0, 4.9e-323))[0]
show("histogram between far bounds", far)
show("histogram between near bounds", near)
show("bincount", np.bincount([0, 3, 1, 3, 3], minlength=5))
base, p, v = np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2, 2]), np.array([5.0, -4.0, 9.0, 7.0])
b = base.copy()
b[p] = v
show("set", b)
for name, op in [("max", np.maximum), ("min", np.minimum), ("product", np.multiply)]:
    b = base.copy()
    op.at(b, p, v)
    show(name, b)
rng = np.random.default_rng(1)
p, v = rng.integers(0, 5, 12), np.round(rng.normal(size=12), 2)
show("positions", p)
show("values", v)
for name, op in [("max", np.maximum), ("min", np.minimum), ("product", np.multiply)]:
    b = np.zeros(6) + 0.5
    op.at(b, p, v)
    show("many " + name, b)
b = np.zeros(6) + 0.5
b[p] = v
show("many set", b)
