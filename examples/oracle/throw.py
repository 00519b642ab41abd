"""Facts for throw.cot: the derivative by a complex step, exact to rounding."""

from cmath import cos, sin, sqrt

from differences import fact

STEP = 1e-30


def distance(angle, drag):
    x, y, vx, vy = 0.0, 0.0, 30.0 * cos(angle), 30.0 * sin(angle)
    while y.real >= 0.0:
        speed = sqrt(vx * vx + vy * vy)
        x, y, vx, vy = (
            x + 0.01 * vx,
            y + 0.01 * vy,
            vx - 0.01 * drag * speed * vx,
            vy - 0.01 * (9.81 + drag * speed * vy),
        )
    return x - y * vx / vy


fact("how far it flies", distance(0.7, 0.005).real)
by_angle = distance(0.7 + STEP * 1j, 0.005).imag / STEP
by_drag = distance(0.7, 0.005 + STEP * 1j).imag / STEP
fact("and how that depends on angle and drag", (by_angle, by_drag))
