// Vectors rotated by a quaternion: an array of structures.
#include "harness.h"

typedef struct {
    real x, y, z;
} Vec3;

static size_t n;
static const real *q;
static const Vec3 *v, *t;
static real *total, *also_total, *dq;
static Vec3 *dv;

void setup(void) {
    n = size("v", 0);
    q = reals("q"), v = (const Vec3 *)reals("v"), t = (const Vec3 *)reals("t");
    total = value_result(1);
    also_total = gradient_result(1), dq = gradient_result(4);
    dv = (Vec3 *)gradient_result(3 * n);
}

static inline real inner(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline Vec3 cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static real forward(size_t n, Vec3 u, real s, const Vec3 *restrict v, const Vec3 *restrict t) {
    real kept = s * s - inner(u, u), res = 0;
    for (size_t i = 0; i < n; i++)
        res += 2 * inner(u, v[i]) * inner(u, t[i]) + kept * inner(v[i], t[i]) +
               2 * s * inner(cross(u, v[i]), t[i]);
    return res;
}

static real reverse(size_t n, Vec3 u, real s, const Vec3 *restrict v, const Vec3 *restrict t,
                    Vec3 *restrict dv, real *restrict dq) {
    real kept = s * s - inner(u, u), res = 0, ds = 0, dx = 0, dy = 0, dz = 0;
    for (size_t i = 0; i < n; i++) {
        Vec3 p = v[i], o = t[i], turned = cross(p, o), back = cross(o, u);
        real up = 2 * inner(u, p), ut = 2 * inner(u, o), pt = inner(p, o);
        real spin = inner(u, turned);
        res += up * ut / 2 + kept * pt + 2 * s * spin;
        dv[i].x = ut * u.x + kept * o.x + 2 * s * back.x;
        dv[i].y = ut * u.y + kept * o.y + 2 * s * back.y;
        dv[i].z = ut * u.z + kept * o.z + 2 * s * back.z;
        dx += up * o.x + ut * p.x - 2 * pt * u.x + 2 * s * turned.x;
        dy += up * o.y + ut * p.y - 2 * pt * u.y + 2 * s * turned.y;
        dz += up * o.z + ut * p.z - 2 * pt * u.z + 2 * s * turned.z;
        ds += 2 * s * pt + 2 * spin;
    }
    dq[0] = dx, dq[1] = dy, dq[2] = dz, dq[3] = ds;
    return res;
}

void value(void) { *total = forward(n, (Vec3){q[0], q[1], q[2]}, q[3], v, t); }
void gradient(void) { *also_total = reverse(n, (Vec3){q[0], q[1], q[2]}, q[3], v, t, dv, dq); }
