"""Facts for rotate_vec_by_quat.cot: a rotation is done by Hamilton's product q v q*."""

from math import sqrt

from differences import along, fact, gradient, hvp

Q0, V0 = [1.1, 2.2, 3.3, 4.4], [5.5, 6.6, 7.7]


def times(p, q):
    """Hamilton's product of quaternions [x, y, z, w]."""
    a, b, c, d = p
    e, f, g, h = q
    return [
        d * e + a * h + b * g - c * f,
        d * f - a * g + b * h + c * e,
        d * g + a * f - b * e + c * h,
        d * h - a * e - b * f - c * g,
    ]


def rotate(q, v):
    return times(times(q, [*v, 0.0]), [-q[0], -q[1], -q[2], q[3]])[:3]


def length(v):
    return sqrt(sum(x * x for x in v))


# The Delta of the right-hand side of the figure, as sums of scaled variables, in its order.
DELTA = """
x1 = 5.5 qy + 2.2 vx; x2 = 6.6 qx + 1.1 vy; x3 = 1 x2 + -1 x1
x4 = 7.7 qx + 1.1 vz; x5 = 5.5 qz + 3.3 vx; x6 = 1 x5 + -1 x4
x7 = 6.6 qz + 3.3 vy; x8 = 7.7 qy + 2.2 vz; x9 = 1 x8 + -1 x7
x11 = 2 qw; x12 = -4.84 x11 + 8.8 x3; x13 = 9.68 x11 + 8.8 x6; x14 = -4.84 x11 + 8.8 x9
x15 = 3.3 qz + 3.3 qz; x16 = 2.2 qy + 2.2 qy; x17 = 1.1 qx + 1.1 qx
x18 = 1 x17 + 1 x16; x19 = 1 x18 + 1 x15; x20 = 4.4 qw + 4.4 qw; x21 = 1 x20 + -1 x19
x22 = 7.7 x21 + 2.42 vz; x23 = 6.6 x21 + 2.42 vy; x24 = 5.5 x21 + 2.42 vx
x25 = 7.7 qz + 3.3 vz; x26 = 6.6 qy + 2.2 vy; x27 = 5.5 qx + 1.1 vx
x28 = 1 x27 + 1 x26; x29 = 1 x28 + 1 x25; x31 = 2 x29
x32 = 3.3 x31 + 91.96 qz; x33 = 2.2 x31 + 91.96 qy; x34 = 1.1 x31 + 91.96 qx
x35 = 1 x32 + 1 x22; x36 = 1 x33 + 1 x23; x37 = 1 x34 + 1 x24
x38 = 1 x35 + 1 x12; x39 = 1 x36 + 1 x13; x40 = 1 x37 + 1 x14
"""


def delta(result, variables):
    """What each variable contributes to the result, as the paper evaluates it: the last Let first."""
    lets = [let.split(" = ") for line in DELTA.strip().splitlines() for let in line.split("; ")]
    contribution = {result: 1.0}
    for name, terms in reversed(lets):
        for term in terms.split(" + "):
            factor, variable = term.split()
            before = contribution.get(variable, 0.0)
            contribution[variable] = before + float(factor) * contribution.get(name, 0.0)
    return [contribution[it] for it in variables]


both = Q0 + V0
turned = lambda p: rotate(p[:4], p[4:])
fact("the rotated vector", rotate(Q0, V0))
fact("the seven derivatives of the figure", gradient(lambda p: turned(p)[0], both))
fact("what the Delta of the figure evaluates to", delta("x40", ["qx", "qy", "qz", "qw", "vx", "vy", "vz"]))
pulled = gradient(lambda p: turned(p)[0] - 2 * turned(p)[1] + 0.5 * turned(p)[2], both)
fact("the cotangent of a vector", pulled[4:] + pulled[:4])
fact("the tangent of a turn", [along(lambda q, i=i: rotate(q, V0)[i], Q0, [0.1, -0.2, 0.3, 0.4]) for i in range(3)])
fact("the length of the result", gradient(lambda p: length(turned(p)), both))
fact("the Hessian of a component along a direction", hvp(lambda q: rotate(q, V0)[2], Q0, [1, 0.3, -1, 3]))
