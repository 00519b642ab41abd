// Every element but the first times a neighbour, again and again, and the way back.
#include "harness.h"

#include <string.h>

static size_t n, steps;
static const real *x, *y;
static real *total, *also_total, *dx, *dy, *states, *other;

void setup(void) {
    x = reals("x"), y = reals("y");
    n = size("x", 0), steps = (size_t)*ints("steps");
    total = value_result(1);
    also_total = gradient_result(1), dx = gradient_result(n), dy = gradient_result(n);
    states = scratch((steps + 1) * n), other = scratch(2 * n);
}

static void step(const real *restrict from, real *restrict into) {
    into[0] = from[0];
    for (size_t i = 1; i < n; i++) into[i] = from[i] * y[i - 1];
}

static real sum(const real *of) {
    real res = 0;
    for (size_t i = 0; i < n; i++) res += of[i];
    return res;
}

void value(void) {
    real *from = other, *into = other + n;
    memcpy(from, x, n * sizeof(real));
    for (size_t k = 0; k < steps; k++) {
        step(from, into);
        real *last = from;
        from = into, into = last;
    }
    *total = sum(from);
}

void gradient(void) {
    memcpy(states, x, n * sizeof(real));
    for (size_t k = 0; k < steps; k++) step(states + k * n, states + (k + 1) * n);
    *also_total = sum(states + steps * n);
    for (size_t i = 0; i < n; i++) dx[i] = 1, dy[i] = 0;
    for (size_t k = steps; k-- > 0;) {
        const real *restrict state = states + k * n;
        real *restrict to = dx, *restrict neighbour = dy;
        for (size_t i = 1; i < n; i++) {
            neighbour[i - 1] += state[i] * to[i];
            to[i] *= y[i - 1];
        }
    }
}
