// A signal between an edge and its mirror image, written where it belongs.
#include "harness.h"

static size_t n;
static int64_t k;
static const real *x, *w;
static real *all, *dx;

void setup(void) {
    x = reals("x"), w = reals("w"), k = *ints("k");
    n = size("x", 0);
    all = value_result(3 * n), dx = gradient_result(n);
}

void value(void) {
    real *restrict to = all;
    real edge = k > 0 ? x[0] : 0;
    for (size_t i = 0; i < n; i++) to[i] = edge;
    for (size_t i = 0; i < n; i++) to[n + i] = x[i] * x[i];
    for (size_t i = 0; i < n; i++) to[2 * n + i] = x[n - 1 - i] / 2;
}

void gradient(void) {
    real *restrict to = dx;
    for (size_t i = 0; i < n; i++) to[i] = 2 * x[i] * w[n + i] + w[3 * n - 1 - i] / 2;
    if (k > 0) {
        real edge = 0;
        for (size_t i = 0; i < n; i++) edge += w[i];
        to[0] += edge;
    }
}
