"""Facts for pendulum.cot: the equations of motion as textbooks derive them."""

from math import cos, sin

from differences import fact, gradient, hessian

G = 9.81


def acceleration(a, b, v, w):
    d = a - b
    down = 3 - cos(2 * d)
    first = -3 * G * sin(a) - G * sin(a - 2 * b) - 2 * sin(d) * (w * w + v * v * cos(d))
    second = 2 * sin(d) * (2 * v * v + 2 * G * cos(a) + w * w * cos(d))
    return [first / down, second / down]


def swing(s):
    for _ in range(10):
        rate = list(s[2:]) + acceleration(*s)
        half = [x + 0.01 * r for x, r in zip(s, rate)]
        rate = half[2:] + acceleration(*half)
        s = [x + 0.02 * r for x, r in zip(s, rate)]
    return s[1]


start = [0.8, -0.3, 0.2, 0.5]
g = gradient(swing, start)
fact("accelerations, against the equations of the textbook", acceleration(*start))
fact("a single pendulum", [-G * sin(0.5), -G * sin(1.0)])
fact("swing", swing(start))
fact("sensitivity to the start", (g[:2], g[2:]))
fact("second derivatives in the first angles", hessian(lambda a: swing(a + [0.2, 0.5]), start[:2]))
