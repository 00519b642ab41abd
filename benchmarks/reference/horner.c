// A polynomial at many points; the way back is a second recurrence beside the first.
#include "harness.h"

static size_t n, k;
static const real *c, *x;
static real *total, *also_total, *dc, *dx, *powers;

void setup(void) {
    c = reals("c"), x = reals("x");
    k = size("c", 0), n = size("x", 0);
    total = value_result(1);
    also_total = gradient_result(1), dc = gradient_result(k), dx = gradient_result(n);
    powers = scratch(k);
}

enum { BLOCK = 64 };

void value(void) {
    real res = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        real p[BLOCK] = {0};
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < m; i++) p[i] = p[i] * x[at + i] + c[j];
        for (size_t i = 0; i < m; i++) res += p[i];
    }
    *total = res;
}

void gradient(void) {
    real res = 0;
    for (size_t j = 0; j < k; j++) powers[j] = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK;
        real p[BLOCK] = {0}, dp[BLOCK] = {0}, power[BLOCK];
        for (size_t i = 0; i < BLOCK; i++) power[i] = i < m;
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < m; i++) {
                dp[i] = dp[i] * x[at + i] + p[i];
                p[i] = p[i] * x[at + i] + c[j];
            }
        for (size_t i = 0; i < m; i++) res += p[i], dx[at + i] = dp[i];
        for (size_t j = k; j-- > 0;) {
            real sum = 0;
            for (size_t i = 0; i < m; i++) {
                sum += power[i];
                power[i] *= x[at + i];
            }
            powers[j] += sum;
        }
    }
    *also_total = res;
    for (size_t j = 0; j < k; j++) dc[j] = powers[j];
}
