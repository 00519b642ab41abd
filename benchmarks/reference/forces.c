// Energy and forces of particles that repel each other, all pairs.
#include "harness.h"

static size_t n;
static const real *x;
static real *total, *also_total, *dx, *px, *py, *pz;

void setup(void) {
    x = reals("x"), n = size("x", 0);
    total = value_result(1);
    also_total = gradient_result(1), dx = gradient_result(3 * n);
    px = scratch(n), py = scratch(n), pz = scratch(n);
}

// By columns, so that neighbours are next to each other.
static void turn(void) {
    for (size_t i = 0; i < n; i++) px[i] = x[3 * i], py[i] = x[3 * i + 1], pz[i] = x[3 * i + 2];
}

void value(void) {
    turn();
    real res = 0;
    for (size_t i = 0; i < n; i++) {
        real sum = 0;
        for (size_t j = 0; j < n; j++) {
            real a = px[i] - px[j], b = py[i] - py[j], c = pz[i] - pz[j];
            real square = a * a + b * b + c * c + (real)0.01;
            sum += i == j ? 0 : (real)0.5 / sqrt(square);
        }
        res += sum;
    }
    *total = res;
}

// A pair counts twice, and so does its force: once for each of both.
void gradient(void) {
    turn();
    real res = 0;
    for (size_t i = 0; i < n; i++) {
        real sum = 0, fx = 0, fy = 0, fz = 0;
        for (size_t j = 0; j < n; j++) {
            real a = px[i] - px[j], b = py[i] - py[j], c = pz[i] - pz[j];
            real square = a * a + b * b + c * c + (real)0.01;
            real inverse = i == j ? 0 : 1 / sqrt(square);
            real force = inverse / square;
            sum += inverse / 2;
            fx -= a * force, fy -= b * force, fz -= c * force;
        }
        res += sum;
        dx[3 * i] = fx, dx[3 * i + 1] = fy, dx[3 * i + 2] = fz;
    }
    *also_total = res;
}
