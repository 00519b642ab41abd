"""Facts for black_scholes.cot: textbook formulas of the greeks, checked by differences."""

from math import erf, exp, log, pi, sqrt

from differences import fact, gradient


def cdf(x):
    return 0.5 * (1 + erf(x / sqrt(2)))


def pdf(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def call(s, k, r, v, t):
    d = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t))
    return s * cdf(d) - k * exp(-r * t) * cdf(d - v * sqrt(t))


s, k, r, v, t = args = [100.0, 105.0, 0.03, 0.25, 0.75]
d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt(t))
d2 = d1 - v * sqrt(t)
delta, gamma = cdf(d1), pdf(d1) / (s * v * sqrt(t))
vega, rho = s * pdf(d1) * sqrt(t), k * t * exp(-r * t) * cdf(d2)
theta = -s * pdf(d1) * v / (2 * sqrt(t)) - r * k * exp(-r * t) * cdf(d2)
vanna = -pdf(d1) * d2 / v
first = (delta, -exp(-r * t) * cdf(d2), rho, vega, -theta)
for a, b in zip(first, gradient(lambda p: call(*p), args)):
    assert abs(a - b) < 1e-8 * abs(a)
fact("price of a call", call(*args))
fact("price of a put", k * exp(-r * t) * cdf(-d2) - s * cdf(-d1))
fact("first derivatives", first)
fact("greeks", [delta, gamma, vega, theta, rho, vanna])
low, high = 0.01, 2.0
for _ in range(200):
    middle = (low + high) / 2
    low, high = (low, middle) if call(100, 100, r, middle, t) > 9.6 else (middle, high)
fact("implied volatility", low)
