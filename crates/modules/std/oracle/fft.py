"""The facts of `std.fft`, by NumPy."""

import numpy as np


def show(v):
    return "[" + ", ".join(f"{float(x):.14g}" for x in np.atleast_1d(v)) + "]"


for n in [6, 17, 35]:
    j = np.arange(n)
    z = np.fft.fft(np.sin(j * j) + 1j * np.cos(3.0 * j))
    print("fft", n, show(z.real[:4]), show(z.imag[:4]), "last", show(z.real[-1]), show(z.imag[-1]))

x = np.array([1.0, 2.0, 4.0, -1.0, 0.5, 3.0, 2.5])
z = np.fft.rfft(x)
print("rfft", show(z.real), show(z.imag))

# The power at frequency 2 and its gradient, 2 Re(conj(z) dz).
w = np.exp(-2j * np.pi * 2 * np.arange(7) / 7)
print("power", show(abs(z[2]) ** 2), show(2 * (np.conj(z[2]) * w).real))
print("  row of the Hessian", show(2 * (np.conj(w[1]) * w).real))
print("convolve", show(np.convolve(x, [0.5, -1.0, 2.0])))
