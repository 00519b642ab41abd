// Hares and lynxes by the classical Runge-Kutta method, and the way back through all steps.
#include "harness.h"

typedef struct {
    real x, y;
} State;

static size_t steps;
static real h;
static const real *rates, *start;
static real *total, *also_total, *drates, *dstart;
static State *states;

void setup(void) {
    steps = (size_t)*ints("steps");
    h = *reals("h");
    rates = reals("rates"), start = reals("start");
    total = value_result(1);
    also_total = gradient_result(1), drates = gradient_result(4), dstart = gradient_result(2);
    states = (State *)scratch(2 * steps);
}

static inline State change(const real *r, State s) {
    return (State){r[0] * s.x - r[1] * s.x * s.y, r[3] * s.x * s.y - r[2] * s.y};
}

static inline State along(State s, real h, State d) {
    return (State){s.x + h * d.x, s.y + h * d.y};
}

static inline State step(const real *r, real h, State s) {
    State k1 = change(r, s), k2 = change(r, along(s, h / 2, k1));
    State k3 = change(r, along(s, h / 2, k2)), k4 = change(r, along(s, h, k3));
    return (State){s.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
                   s.y + h / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y)};
}

// The cotangent of `s` for the cotangent `d` of the change at `s`; adds to those of the rates.
static inline State change_back(const real *r, State s, State d, real *dr) {
    dr[0] += s.x * d.x;
    dr[1] -= s.x * s.y * d.x;
    dr[2] -= s.y * d.y;
    dr[3] += s.x * s.y * d.y;
    real dxy = r[3] * d.y - r[1] * d.x;
    return (State){r[0] * d.x + dxy * s.y, dxy * s.x - r[2] * d.y};
}

static inline State step_back(const real *r, real h, State s, State d, real *dr) {
    State k1 = change(r, s), s2 = along(s, h / 2, k1);
    State k2 = change(r, s2), s3 = along(s, h / 2, k2);
    State k3 = change(r, s3), s4 = along(s, h, k3);
    State d4 = change_back(r, s4, (State){h / 6 * d.x, h / 6 * d.y}, dr);
    State d3 = change_back(r, s3, (State){h / 3 * d.x + h * d4.x, h / 3 * d.y + h * d4.y}, dr);
    State d2 = change_back(
        r, s2, (State){h / 3 * d.x + h / 2 * d3.x, h / 3 * d.y + h / 2 * d3.y}, dr);
    State d1 = change_back(
        r, s, (State){h / 6 * d.x + h / 2 * d2.x, h / 6 * d.y + h / 2 * d2.y}, dr);
    return (State){d.x + d1.x + d2.x + d3.x + d4.x, d.y + d1.y + d2.y + d3.y + d4.y};
}

void value(void) {
    State s = {start[0], start[1]};
    for (size_t i = 0; i < steps; i++) s = step(rates, h, s);
    *total = s.x + s.y;
}

void gradient(void) {
    State s = {start[0], start[1]}, d = {1, 1};
    real r[4] = {rates[0], rates[1], rates[2], rates[3]}, dr[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < steps; i++) {
        states[i] = s;
        s = step(r, h, s);
    }
    *also_total = s.x + s.y;
    for (size_t i = steps; i-- > 0;) d = step_back(r, h, states[i], d, dr);
    for (size_t i = 0; i < 4; i++) drates[i] = dr[i];
    dstart[0] = d.x, dstart[1] = d.y;
}
