"""Facts for whole/fit.cot: certified by NIST (Statistical Reference Datasets, Misra1a), and the fit by
SciPy with another last volume."""

import numpy as np
from scipy.optimize import least_squares

from differences import derivative, fact

PRESSURE = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
VOLUME = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78])


def fit(last):
    y = np.append(VOLUME[:-1], last)
    model = lambda b: b[0] * (1 - np.exp(-b[1] * 1e-4 * PRESSURE)) - y
    slopes = lambda b: np.stack([1 - np.exp(-b[1] * 1e-4 * PRESSURE), b[0] * 1e-4 * PRESSURE * np.exp(-b[1] * 1e-4 * PRESSURE)], 1)
    b = least_squares(model, [250.0, 5.0], slopes, xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac").x
    # Newton's steps with exact second derivatives, to the last digit.
    for _ in range(5):
        r, j, e = model(b), slopes(b), np.exp(-b[1] * 1e-4 * PRESSURE)
        bend = np.array([[0, r @ (1e-4 * PRESSURE * e)], [0, r @ (-b[0] * (1e-4 * PRESSURE) ** 2 * e)]])
        bend[1, 0] = bend[0, 1]
        b = b - np.linalg.solve(j.T @ j + bend, j.T @ r)
    return b * [1, 1e-4]


assert abs(fit(81.78)[0] / 238.94212918 - 1) < 1e-9
fact("certified parameters", [238.94212918, 5.5015643181e-4])
fact("certified deviations", [2.7070075241, 7.2668688436e-6])
fact("certified sum of squares", 0.12455138894)
fact("the limit by the last volume", float(derivative(lambda t: fit(t)[0], 81.78)))
