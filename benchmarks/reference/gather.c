// Elements at given positions; the way back adds up.
#include "harness.h"

static size_t n, m;
static const real *x, *dy;
static const int64_t *at;
static real *y, *dx;

void setup(void) {
    n = size("x", 0), m = size("at", 0);
    x = reals("x"), dy = reals("dy"), at = ints("at");
    y = value_result(m);
    dx = gradient_result(n);
}

static void gather(size_t m, const real *restrict x, const int64_t *restrict at, real *restrict y) {
    for (size_t i = 0; i < m; i++) y[i] = x[at[i]];
}

static void scatter(size_t n, size_t m, const int64_t *restrict at, const real *restrict dy,
                    real *restrict dx) {
    for (size_t i = 0; i < n; i++) dx[i] = 0;
    for (size_t i = 0; i < m; i++) dx[at[i]] += dy[i];
}

void value(void) { gather(m, x, at, y); }
void gradient(void) { scatter(n, m, at, dy, dx); }
