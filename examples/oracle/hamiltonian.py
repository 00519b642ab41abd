"""Facts for whole/hamiltonian.cot: the slope and a way of the particle by hand, the posterior by quadrature."""

import numpy as np

from differences import fact

DOSES, DEATHS = np.array([-0.86, -0.3, -0.05, 0.73]), np.array([0, 1, 3, 5])


def slope(q):
    rest = DEATHS - 5 / (1 + np.exp(-(q[0] + q[1] * DOSES)))
    return np.array([rest.sum(), rest @ DOSES]) - q / 100


q, p = np.array([0.5, 6.0]), np.array([1.0, -0.5])
fact("the slope of the density", slope(q).tolist())
for _ in range(25):
    p = p + 0.15 * slope(q)
    q = q + 0.3 * p
    p = p + 0.15 * slope(q)
fact("where a push leads", q.tolist())
a, b = np.meshgrid(np.linspace(-10, 15, 2001), np.linspace(-30, 70, 4001), indexing="ij")
height = -(a * a + b * b) / 200
for dose, dead in zip(DOSES, DEATHS):
    height += dead * (a + b * dose) - 5 * np.logaddexp(0, a + b * dose)
weight = np.exp(height - height.max())
weight /= weight.sum()
print("means", (weight * a).sum(), (weight * b).sum())
print("deviations", np.sqrt((weight * a * a).sum() - (weight * a).sum() ** 2), np.sqrt((weight * b * b).sum() - (weight * b).sum() ** 2))
