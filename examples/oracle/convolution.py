"""Facts for convolution.cot."""

from math import cos, sin

from differences import fact, flat, gradient, hvp, rows

PICTURE = [[sin(2 * y) + cos(x * y) for x in range(6)] for y in range(6)]
KERNEL = [[0.0, 0.1, 0.0], [0.1, 0.6, 0.1], [0.0, 0.1, 0.0]]


def convolve(image, kernel):
    r, s = len(kernel), len(kernel[0])
    result = []
    for y in range(len(image) - r + 1):
        result.append([])
        for x in range(len(image[0]) - s + 1):
            window = flat([row[x : x + s] for row in image[y : y + r]])
            result[-1].append(sum(a * b for a, b in zip(window, flat(kernel))))
    return result


BLURRED = convolve(PICTURE, [[0.1, 0.2, 0.0], [0.1, 0.3, 0.1], [0.0, 0.1, 0.1]])


def loss(k):
    return sum((a - b) ** 2 for a, b in zip(flat(convolve(PICTURE, rows(k, 3))), flat(BLURRED)))


def pooled(image):
    c = convolve(rows(image, 6), KERNEL)
    blocks = [max(flat([row[x : x + 2] for row in c[y : y + 2]])) for y in (0, 2) for x in (0, 2)]
    return sum(b * b for b in blocks)


k0 = flat(KERNEL)
fact("blur", BLURRED)
fact("gradient in the kernel", rows(gradient(loss, k0), 3))
fact("gradient in the picture through pooling", rows(gradient(pooled, flat(PICTURE)), 6)[2])
fact("the Hessian of a square is constant", rows(hvp(loss, k0, [1, 0, -1] * 3), 3))
k = k0
for _ in range(5):
    k = [a - 0.008 * b for a, b in zip(k, gradient(loss, k))]
fact("gradient descent recovers some of the kernel", loss(k))
padded = [[0.0] * 8] + [[0.0] + row + [0.0] for row in PICTURE] + [[0.0] * 8]
fact("padding keeps the size", (6, convolve(padded, KERNEL)[0][0]))
fact("channels", convolve(PICTURE, [list(c) for c in zip(*KERNEL)])[3][3])
