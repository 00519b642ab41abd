"""Facts for histogram.cot."""

from math import floor

from differences import fact, gradient, hvp

SAMPLES = [0.3, 0.8, 1.4, 1.3, 2.7, 2.2, 3.5, 1.6]
WEIGHTS = [1.0, 0.5, 2.0, 1.5, 1.0, 3.0, 0.25, 0.75]
TARGET = [1.0, 2.0, 2.0, 2.0, 1.0]
BINS = [floor(x) for x in SAMPLES]


def smooth(xs):
    return [sum(max(0.0, 1 - abs(x - k)) for x in xs) for k in range(5)]


def distance(xs):
    return sum((a - b) ** 2 for a, b in zip(smooth(xs), TARGET))


counts = [BINS.count(b) for b in range(4)]
sums = [sum(w for w, b in zip(WEIGHTS, BINS) if b == k) for k in range(4)]
fact("counts", counts)
fact("weights", sums)
fact("profile", [s / c for s, c in zip(sums, counts)])
fact("smooth histogram", smooth(SAMPLES))
fact("gradient in the samples", [round(x, 10) for x in gradient(distance, SAMPLES)])
fact("each weight goes to its own bin", [[float(b == k) for b in BINS] for k in range(4)])
fact("Hessian times a vector", [round(x, 9) for x in hvp(distance, SAMPLES, WEIGHTS)])
xs = SAMPLES
for _ in range(3):
    xs = [a - 0.05 * b for a, b in zip(xs, gradient(distance, xs))]
fact("equalised a little", xs)
