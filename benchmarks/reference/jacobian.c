// A function of 26 numbers through a recursion and a loop, and its Jacobian: the function runs once, with all
// tangents beside it.
#include "harness.h"

enum { N = 26 };

static size_t steps, rows;
static const real *x;
static real *results, *jacobian;

void setup(void) {
    steps = (size_t)*ints("steps"), rows = (size_t)*ints("rows");
    x = reals("x");
    results = value_result(rows), jacobian = gradient_result(rows * N);
}

static real walk(size_t i) {
    return i >= N ? 1 : cos(x[i]) * ((real)0.5 + (real)0.9 * walk(i + 1));
}

static real walk_along(size_t i, real *d) {
    if (i >= N) {
        for (size_t k = 0; k < N; k++) d[k] = 0;
        return 1;
    }
    real inner = (real)0.5 + (real)0.9 * walk_along(i + 1, d), c = cos(x[i]);
    for (size_t k = 0; k < N; k++) d[k] *= c * (real)0.9;
    d[i] -= sin(x[i]) * inner;
    return c * inner;
}

void value(void) {
    real s = walk(0);
    for (size_t k = 0; k < steps; k++) s = (real)0.9 * sin(s) + (real)0.1 * x[k % N];
    for (size_t j = 0; j < rows; j++) results[j] = s * sin((real)j) + x[j % N];
}

void gradient(void) {
    real d[N], s = walk_along(0, d);
    for (size_t t = 0; t < steps; t++) {
        real factor = (real)0.9 * cos(s);
        for (size_t k = 0; k < N; k++) d[k] *= factor;
        d[t % N] += (real)0.1;
        s = (real)0.9 * sin(s) + (real)0.1 * x[t % N];
    }
    for (size_t j = 0; j < rows; j++) {
        real factor = sin((real)j);
        for (size_t k = 0; k < N; k++) jacobian[j * N + k] = factor * d[k];
        jacobian[j * N + j % N] += 1;
    }
}
