"""The facts of `std.nuts`: the posterior of the eight schools by quadrature over the mean and the spread,
given which the effects are normal; moments of a normal distribution by its formula."""

import numpy as np

effect = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
error = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
mu, log_tau = np.meshgrid(np.linspace(-25, 30, 1101), np.linspace(-9, 6, 1501), indexing="ij")
tau = np.exp(log_tau)
height = -0.5 * (mu / 5) ** 2 - np.log1p((tau / 5) ** 2) + log_tau
first = 0.0
for y, s in zip(effect, error):
    total = tau**2 + s**2
    height = height - 0.5 * (y - mu) ** 2 / total - 0.5 * np.log(total)
weight = np.exp(height - height.max())
weight /= weight.sum()
mean = lambda x: (weight * x).sum()
print("mu", mean(mu), np.sqrt(mean(mu**2) - mean(mu) ** 2))
print("tau", mean(tau), "log tau", mean(log_tau))
shrunk = (effect[0] * tau**2 + mu * error[0] ** 2) / (tau**2 + error[0] ** 2)
print("first effect", mean(shrunk))
