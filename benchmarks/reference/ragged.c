// The strictly lower part of a matrix times many vectors: triangular loops.
#include "harness.h"

#include <string.h>

static size_t n, d;
static const real *l, *u;
static real *total, *also_total, *dl, *du;

void setup(void) {
    l = reals("l"), u = reals("u");
    n = size("u", 0), d = size("u", 1);
    total = value_result(1);
    also_total = gradient_result(1), dl = gradient_result(d * d), du = gradient_result(n * d);
}

static inline real row(const real *restrict l, const real *restrict u, size_t r) {
    real res = 0;
    for (size_t c = 0; c < r; c++) res += l[c] * u[c];
    return res;
}

void value(void) {
    real res = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < d; r++) {
            real y = row(l + r * d, u + i * d, r);
            res += y * y;
        }
    *total = res;
}

void gradient(void) {
    real res = 0;
    memset(dl, 0, d * d * sizeof(real));
    memset(du, 0, n * d * sizeof(real));
    for (size_t i = 0; i < n; i++) {
        const real *restrict ui = u + i * d;
        real *restrict dui = du + i * d;
        for (size_t r = 0; r < d; r++) {
            const real *restrict lr = l + r * d;
            real *restrict dlr = dl + r * d;
            real y = row(lr, ui, r), dy = 2 * y;
            res += y * y;
            for (size_t c = 0; c < r; c++) {
                dlr[c] += dy * ui[c];
                dui[c] += dy * lr[c];
            }
        }
    }
    *also_total = res;
}
