// Vectors rotated by a quaternion: a structure of arrays.
#include "harness.h"

static size_t n;
static const real *q, *vx, *vy, *vz, *tx, *ty, *tz;
static real *total, *also_total, *dq, *dvx, *dvy, *dvz;

void setup(void) {
    n = size("v.x", 0);
    q = reals("q");
    vx = reals("v.x"), vy = reals("v.y"), vz = reals("v.z");
    tx = reals("t.x"), ty = reals("t.y"), tz = reals("t.z");
    total = value_result(1);
    also_total = gradient_result(1), dq = gradient_result(4);
    dvx = gradient_result(n), dvy = gradient_result(n), dvz = gradient_result(n);
}

static real forward(size_t n, real ux, real uy, real uz, real s, const real *restrict vx,
                    const real *restrict vy, const real *restrict vz, const real *restrict tx,
                    const real *restrict ty, const real *restrict tz) {
    real kept = s * s - (ux * ux + uy * uy + uz * uz), res = 0;
    for (size_t i = 0; i < n; i++) {
        real uv = ux * vx[i] + uy * vy[i] + uz * vz[i], ut = ux * tx[i] + uy * ty[i] + uz * tz[i];
        real vt = vx[i] * tx[i] + vy[i] * ty[i] + vz[i] * tz[i];
        real cx = uy * vz[i] - uz * vy[i], cy = uz * vx[i] - ux * vz[i];
        real cz = ux * vy[i] - uy * vx[i];
        res += 2 * uv * ut + kept * vt + 2 * s * (cx * tx[i] + cy * ty[i] + cz * tz[i]);
    }
    return res;
}

static real reverse(size_t n, real ux, real uy, real uz, real s, const real *restrict vx,
                    const real *restrict vy, const real *restrict vz, const real *restrict tx,
                    const real *restrict ty, const real *restrict tz, real *restrict dvx,
                    real *restrict dvy, real *restrict dvz, real *restrict dq) {
    real kept = s * s - (ux * ux + uy * uy + uz * uz), res = 0, ds = 0, dx = 0, dy = 0, dz = 0;
    for (size_t i = 0; i < n; i++) {
        real uv = 2 * (ux * vx[i] + uy * vy[i] + uz * vz[i]);
        real ut = 2 * (ux * tx[i] + uy * ty[i] + uz * tz[i]);
        real vt = vx[i] * tx[i] + vy[i] * ty[i] + vz[i] * tz[i];
        real cx = vy[i] * tz[i] - vz[i] * ty[i], cy = vz[i] * tx[i] - vx[i] * tz[i];
        real cz = vx[i] * ty[i] - vy[i] * tx[i];
        real spin = ux * cx + uy * cy + uz * cz;
        res += uv * ut / 2 + kept * vt + 2 * s * spin;
        dvx[i] = ut * ux + kept * tx[i] + 2 * s * (ty[i] * uz - tz[i] * uy);
        dvy[i] = ut * uy + kept * ty[i] + 2 * s * (tz[i] * ux - tx[i] * uz);
        dvz[i] = ut * uz + kept * tz[i] + 2 * s * (tx[i] * uy - ty[i] * ux);
        dx += uv * tx[i] + ut * vx[i] - 2 * vt * ux + 2 * s * cx;
        dy += uv * ty[i] + ut * vy[i] - 2 * vt * uy + 2 * s * cy;
        dz += uv * tz[i] + ut * vz[i] - 2 * vt * uz + 2 * s * cz;
        ds += 2 * s * vt + 2 * spin;
    }
    dq[0] = dx, dq[1] = dy, dq[2] = dz, dq[3] = ds;
    return res;
}

void value(void) { *total = forward(n, q[0], q[1], q[2], q[3], vx, vy, vz, tx, ty, tz); }

void gradient(void) {
    *also_total = reverse(n, q[0], q[1], q[2], q[3], vx, vy, vz, tx, ty, tz, dvx, dvy, dvz, dq);
}
