// What the machine gives at most: multiplications with additions that wait for nothing (value), and one
// chain of them in which each waits for the one before (gradient).
#include "harness.h"

// As wide as there is, whatever the compiler prefers.
#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif

enum { SUMS = 64, ROUNDS = 100000 };

static real *sums, *chain;

void setup(void) { sums = value_result(SUMS), chain = gradient_result(1); }

void value(void) {
    real by = (real)0.999, all[SUMS];
    for (int i = 0; i < SUMS; i++) all[i] = i;
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < SUMS; i++) all[i] = all[i] * by + by;
    for (int i = 0; i < SUMS; i++) sums[i] = all[i];
}

void gradient(void) {
    real x = 1;
    for (int k = 0; k < SUMS * ROUNDS; k++) x = x * (real)0.999 + (real)0.5;
    *chain = x;
}
