// Square roots by Newton's method, with all directions of the input beside the one that depends on it.
#include "harness.h"

static size_t n, steps;
static const real *x;
static real *total, *dx, *droot;

void setup(void) {
    x = reals("x"), n = size("x", 0), steps = (size_t)*ints("steps");
    total = value_result(1), dx = gradient_result(n), droot = scratch(n);
}

static real scale(void) {
    real r = 1;
    for (size_t i = 0; i < steps; i++) r = (r + 2 / r) / 2;
    return r;
}

static real squares(void) {
    real s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}

void value(void) {
    real s = squares(), root = s;
    while (fabs(root * root - s) > (real)1e-12 * s) root = (root + s / root) / 2;
    *total = scale() * root;
}

void gradient(void) {
    real s = squares(), root = s, by = scale();
    for (size_t i = 0; i < n; i++) droot[i] = 2 * x[i];
    while (fabs(root * root - s) > (real)1e-12 * s) {
        real of_root = (1 - s / (root * root)) / 2, of_s = 1 / (2 * root);
        for (size_t i = 0; i < n; i++) droot[i] = of_root * droot[i] + of_s * 2 * x[i];
        root = (root + s / root) / 2;
    }
    for (size_t i = 0; i < n; i++) dx[i] = by * droot[i];
}
