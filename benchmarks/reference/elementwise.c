// exp(-(a*b+c)^2)*tanh(d)+e, and the gradient of the sum.
#include "harness.h"

static size_t n;
static const real *a, *b, *c, *d, *e;
static real *y, *da, *db, *dc, *dd, *de;

void setup(void) {
    n = size("a", 0);
    a = reals("a"), b = reals("b"), c = reals("c"), d = reals("d"), e = reals("e");
    y = value_result(n);
    da = gradient_result(n), db = gradient_result(n), dc = gradient_result(n);
    dd = gradient_result(n), de = gradient_result(n);
}

static void forward(size_t n, const real *restrict a, const real *restrict b,
                    const real *restrict c, const real *restrict d, const real *restrict e,
                    real *restrict y) {
    for (size_t i = 0; i < n; i++) {
        real s = a[i] * b[i] + c[i];
        y[i] = exp(-s * s) * tanh(d[i]) + e[i];
    }
}

static void reverse(size_t n, const real *restrict a, const real *restrict b,
                    const real *restrict c, const real *restrict d, real *restrict da,
                    real *restrict db, real *restrict dc, real *restrict dd, real *restrict de) {
    for (size_t i = 0; i < n; i++) {
        real s = a[i] * b[i] + c[i], bell = exp(-s * s), t = tanh(d[i]);
        real ds = -2 * s * bell * t;
        da[i] = ds * b[i];
        db[i] = ds * a[i];
        dc[i] = ds;
        dd[i] = bell * (1 - t * t);
        de[i] = 1;
    }
}

void value(void) { forward(n, a, b, c, d, e, y); }
void gradient(void) { reverse(n, a, b, c, d, da, db, dc, dd, de); }
