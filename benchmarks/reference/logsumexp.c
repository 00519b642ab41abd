// The logarithm of the sum of the exponentials of each row, added up.
#include "harness.h"

static size_t n, m;
static const real *x;
static real *total, *also_total, *dx, *buffer;

void setup(void) {
    n = size("x", 0), m = size("x", 1);
    x = reals("x");
    total = value_result(1);
    also_total = gradient_result(1), dx = gradient_result(n * m);
    buffer = scratch(m);
}

// The result of one row; leaves the exponentials and gives their sum.
static real row(size_t m, const real *restrict x, real *restrict exponentials, real *sum) {
    real most = x[0], s = 0;
    for (size_t j = 1; j < m; j++) most = x[j] > most ? x[j] : most;
    for (size_t j = 0; j < m; j++) {
        real it = exp(x[j] - most);
        exponentials[j] = it;
        s += it;
    }
    *sum = s;
    return most + log(s);
}

void value(void) {
    real res = 0, sum;
    for (size_t i = 0; i < n; i++) res += row(m, x + i * m, buffer, &sum);
    *total = res;
}

void gradient(void) {
    real res = 0, sum;
    for (size_t i = 0; i < n; i++) {
        real *restrict to = dx + i * m;
        res += row(m, x + i * m, to, &sum);
        real factor = 1 / sum;
        for (size_t j = 0; j < m; j++) to[j] *= factor;
    }
    *also_total = res;
}
