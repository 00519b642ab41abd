// What memory gives at most: an array that is larger than any cache, read (value), and copied (gradient).
#include "harness.h"

enum { N = 8 << 20 };

static real *sum, *copy, *from;

void setup(void) {
    sum = value_result(1), copy = gradient_result(N), from = scratch(N);
    for (size_t i = 0; i < N; i++) from[i] = (real)i;
}

void value(void) {
    real res = 0;
    for (size_t i = 0; i < N; i++) res += from[i];
    *sum = res;
}

void gradient(void) {
    for (size_t i = 0; i < N; i++) copy[i] = from[i] + 1;
}
