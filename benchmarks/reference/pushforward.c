// The logistic map, and its derivative by the rate beside it.
#include "harness.h"

static size_t steps;
static real r, start;
static real *last, *dlast;

void setup(void) {
    steps = (size_t)*ints("steps");
    r = *reals("r"), start = *reals("x");
    last = value_result(1), dlast = gradient_result(1);
}

void value(void) {
    real x = start;
    for (size_t i = 0; i < steps; i++) x = r * x * (1 - x);
    *last = x;
}

void gradient(void) {
    real x = start, dx = 0;
    for (size_t i = 0; i < steps; i++) {
        dx = x * (1 - x) + r * (1 - 2 * x) * dx;
        x = r * x * (1 - x);
    }
    *dlast = dx;
}
