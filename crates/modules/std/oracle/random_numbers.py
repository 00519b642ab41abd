"""The facts of `std.random`: prints the tests. The generator and the methods are written here a second
time from the papers, in whole numbers of Python; the generator is compared with the vectors published
with Random123 and with the package randomgen, derivatives are by mpmath."""

import math

from mpmath import mp, mpf
from randomgen import ThreeFry

mp.dps = 30
M = 2**64 - 1
ROTATIONS = [16, 42, 12, 31, 16, 32, 24, 21]


def threefry(key, counter):
    ks = [key[0], key[1], 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1]]
    x, y = (counter[0] + ks[0]) & M, (counter[1] + ks[1]) & M
    for r in range(20):
        x = (x + y) & M
        k = ROTATIONS[r % 8]
        y = ((y << k) | (y >> (64 - k))) & M
        y ^= x
        if r % 4 == 3:
            s = r // 4 + 1
            x, y = (x + ks[s % 3]) & M, (y + ks[(s + 1) % 3] + s) & M
    return x, y


# The vectors published with Random123: counter, key, result.
PUBLISHED = [
    ((0, 0), (0, 0), (0xC2B6E3A8C2C69865, 0x6F81ED42F350084D)),
    ((M, M), (M, M), (0xE02CB7C4D95D277A, 0xD06633D0893B8B68)),
    (
        (0x243F6A8885A308D3, 0x13198A2E03707344),
        (0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x263C7D30BB0F0AF1, 0x56BE8361D3311526),
    ),
]
for counter, k, result in PUBLISHED:
    assert threefry(k, counter) == result

# randomgen counts before it computes.
own = ThreeFry(key=12345 + (678 << 64), counter=0, number=2, width=64)
for i in range(1, 9):
    for half in threefry((12345, 678), (i, 0)):
        assert int(own.random_raw()) == half, i


def signed(x):
    return x - 2**64 if x >= 2**63 else x


DRAW, SPLIT, FOLD, RETRY = 0, 1, 2, 3
key = lambda seed: (0, seed & M)
child = lambda k, i, purpose: threefry(k, (i & M, purpose))
fraction = lambda bits: (bits >> 11) * 2.0**-53
uniform_at = lambda k, i: fraction(threefry(k, (i, DRAW))[0])


def gaussian(first, second):
    return math.sqrt(-2 * math.log1p(-fraction(first))) * math.cos(2 * math.pi * fraction(second))


def gamma_draw(k, a):
    d = a - 1 / 3
    c = 1 / math.sqrt(9 * d)
    for i in range(1000):
        z = gaussian(*threefry(k, (i, RETRY)))
        u = 1 - fraction(threefry(k, (i, RETRY + 1))[0])
        v = (1 + c * z) ** 3
        if v > 0 and math.log(u) < 0.5 * z * z + d - d * v + d * math.log(v):
            return d * v


def log_gamma_draw(k, a):
    if a >= 1:
        return math.log(gamma_draw(k, a))
    return math.log(gamma_draw(k, a + 1)) + math.log1p(-uniform_at(k, 0)) / a


def gamma(k, a, n):
    return [math.exp(log_gamma_draw(child(k, i, DRAW), a)) for i in range(n)]


def beta(k, a, b, n):
    res = []
    for i in range(n):
        own = child(k, i, DRAW)
        x = math.exp(log_gamma_draw(child(own, 0, SPLIT), a))
        y = math.exp(log_gamma_draw(child(own, 1, SPLIT), b))
        res.append(x / (x + y))
    return res


def great_integers(k, low, high, n):
    """Where there are more than 2^32: as many bits as it takes, again until they are in range."""
    bits = (1 << (high - low - 1).bit_length()) - 1
    res = []
    for i in range(n):
        own, j = child(k, i, DRAW), 0
        while (x := threefry(own, (j, RETRY))[0] & bits) >= high - low:
            j += 1
        res.append(low + x)
    return res


def poisson(k, mean, n):
    res = []
    for i in range(n):
        own = child(k, i, DRAW)
        if mean < 10:
            # Knuth: how many factors until the product is below.
            p, count = 1.0, 0
            while True:
                p *= 1 - uniform_at(own, count)
                if p <= math.exp(-mean):
                    break
                count += 1
            res.append(count)
            continue
        slam, loglam = math.sqrt(mean), math.log(mean)
        b = 0.931 + 2.53 * slam
        a = -0.059 + 0.02483 * b
        invalpha = 1.1239 + 1.1328 / (b - 3.4)
        vr = 0.9277 - 3.6224 / (b - 2)
        for j in range(1000):
            first, second = threefry(own, (j, DRAW))
            u, v = fraction(first) - 0.5, 1 - fraction(second)
            us = 0.5 - abs(u)
            kk = math.floor((2 * a / us + b) * u + mean + 0.43)
            if us >= 0.07 and v <= vr:
                break
            if kk < 0 or (us < 0.013 and v > us):
                continue
            left = math.log(v) + math.log(invalpha) - math.log(a / (us * us) + b)
            if left <= -mean + kk * loglam - math.lgamma(kk + 1):
                break
        res.append(kk)
    return res


# The derivative of the quantile of the gamma distribution by its shape, and its second one.
P = lambda a, x: mp.gammainc(a, 0, x, regularized=True)


def quantile_slope(a, x):
    pdf = mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))
    return -mp.diff(lambda t: P(t, x), a) / pdf


def quantile_curvature(a, x):
    """The quantile at a fixed probability, solved for and differenced."""
    p = P(mpf(a), mpf(x))
    q = lambda t: mp.findroot(lambda y: P(t, y) - p, mpf(x))
    h = mpf("1e-6")
    return (q(a + h) - 2 * q(a) + q(a - h)) / (h * h)


reals = lambda xs: "[" + ", ".join(repr(float(x)) for x in xs) + "]"
ints = lambda xs: "[" + ", ".join(str(int(x)) for x in xs) + "]"
pair = lambda p: f"({signed(p[0])}, {signed(p[1])})"

if __name__ == "__main__":
    print('test "the published vectors" =')
    for counter, k, result in PUBLISHED:
        print(
            f"  threefry(Key {{ high: {signed(k[0])}, low: {signed(k[1])} }}, "
            f"{signed(counter[0])}, {signed(counter[1])}) == {pair(result)}"
        )
    k = key(42)
    print("split", [pair(child(k, i, SPLIT)) for i in range(3)], "fold_in 7", pair(child(k, 7, FOLD)))
    print("uniform", reals(uniform_at(k, i) for i in range(4)))
    print("normal", reals(gaussian(*threefry(k, (i, DRAW))) for i in range(4)))
    print("integers -3 4", ints(-3 + (threefry(k, (i, DRAW))[0] >> 1) % 7 for i in range(8)))
    for low, high in ((-(2**63), 2**63 - 1), (-5 * 10**18, 5 * 10**18), (0, 2**32 + 1)):
        print("integers", low, high, ints(great_integers(k, low, high, 4)))
    words = [signed(threefry(k, (i, DRAW))[0]) for i in range(8)]
    print("permutation", ints(sorted(range(8), key=lambda i: words[i])))
    w = [math.exp(x) for x in (0.5, -1.0, 2.0)]
    reach = [sum(w[: i + 1]) / sum(w) for i in range(3)]
    print("categorical", ints(next(j for j in range(3) if uniform_at(k, i) < reach[j]) for i in range(10)))
    print("categorical infinite", ints(0 if uniform_at(k, i) < 0.5 else 2 for i in range(8)))
    print("gamma 2.5", reals(gamma(k, 2.5, 3)), "gamma 0.3", reals(gamma(k, 0.3, 3)))
    print("beta 2 0.5", reals(beta(k, 2.0, 0.5, 3)))
    print("poisson 3.5", ints(poisson(k, 3.5, 10)), "poisson 50", ints(poisson(k, 50.0, 10)))
    g = gamma(k, 2.5, 3)
    print("d gamma 2.5", reals(quantile_slope(2.5, x) for x in g))
    print("d2 gamma 2.5", reals(quantile_curvature(2.5, x) for x in g))
    # Below 1: g(a + 1) * u ** (1 / a).
    a, res = 0.3, []
    for i in range(3):
        own = child(k, i, DRAW)
        x, u = gamma_draw(own, a + 1), 1 - uniform_at(own, 0)
        scale = u ** (1 / a)
        res.append(quantile_slope(a + 1, x) * scale - x * scale * math.log(u) / a**2)
    print("d gamma 0.3", reals(res))
    # d beta(2, 0.5) by a: x (1 - x) d log gamma(a).
    by_a, by_b = [], []
    for i, x in enumerate(beta(k, 2.0, 0.5, 3)):
        own = child(k, i, DRAW)
        one, other = child(own, 0, SPLIT), child(own, 1, SPLIT)
        ga = gamma_draw(one, 2.0)
        by_a.append(x * (1 - x) * quantile_slope(2.0, ga) / ga)
        gb, u = gamma_draw(other, 1.5), 1 - uniform_at(other, 0)
        by_b.append(-x * (1 - x) * (quantile_slope(1.5, gb) / gb - math.log(u) / 0.5**2))
    print("d beta by a", reals(by_a), "by b", reals(by_b))
