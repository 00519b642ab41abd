// What memory gives at most: `n` numbers that are read (value) or copied (gradient) again and again, until
// BYTES are moved. How many they are says which cache they come from.
#include "harness.h"

enum { BYTES = 128 << 20, SUMS = 64 };

static size_t n;
static real *sums, *copy, *from;

void setup(void) {
    n = (size_t)*ints("n") / SUMS * SUMS;
    sums = value_result(SUMS), copy = gradient_result(n / 2), from = scratch(n);
    for (size_t i = 0; i < n; i++) from[i] = (real)i;
}

void value(void) {
    real all[SUMS] = {0};
    for (size_t moved = 0; moved < BYTES; moved += n * sizeof(real))
        for (size_t i = 0; i < n; i += SUMS)
            for (size_t j = 0; j < SUMS; j++) all[j] += from[i + j];
    for (int j = 0; j < SUMS; j++) sums[j] = all[j];
}

// Half of them, so that both arrays together are as many bytes.
void gradient(void) {
    for (size_t moved = 0; moved < BYTES; moved += n * sizeof(real)) {
        real *restrict to = copy;
        for (size_t i = 0; i < n / 2; i++) to[i] = from[i] + 1;
    }
}
