// k-means: the cost, its gradient and the diagonal of its Hessian in one pass over the points.
#include "harness.h"

#include <string.h>

static size_t n, d, k;
static const real *points, *centres;
static real *total, *also_total, *slope, *curvature;

void setup(void) {
    n = size("points", 0), d = size("points", 1), k = size("centres", 0);
    points = reals("points"), centres = reals("centres");
    total = value_result(1);
    also_total = gradient_result(1), slope = gradient_result(k * d);
    curvature = gradient_result(k * d);
}

static inline real distance2(size_t d, const real *restrict a, const real *restrict b) {
    real res = 0;
    for (size_t j = 0; j < d; j++) res += (a[j] - b[j]) * (a[j] - b[j]);
    return res;
}

static inline size_t nearest(size_t d, size_t k, const real *restrict point,
                             const real *restrict centres, real *least) {
    size_t res = 0;
    real best = distance2(d, point, centres);
    for (size_t j = 1; j < k; j++) {
        real it = distance2(d, point, centres + j * d);
        if (it < best) best = it, res = j;
    }
    *least = best;
    return res;
}

void value(void) {
    real res = 0, least;
    for (size_t i = 0; i < n; i++) {
        nearest(d, k, points + i * d, centres, &least);
        res += least;
    }
    *total = res;
}

void gradient(void) {
    real res = 0, least;
    memset(slope, 0, k * d * sizeof(real));
    memset(curvature, 0, k * d * sizeof(real));
    for (size_t i = 0; i < n; i++) {
        const real *point = points + i * d;
        size_t j = nearest(d, k, point, centres, &least);
        res += least;
        for (size_t c = 0; c < d; c++) {
            slope[j * d + c] += 2 * (centres[j * d + c] - point[c]);
            curvature[j * d + c] += 2;
        }
    }
    *also_total = res;
}
