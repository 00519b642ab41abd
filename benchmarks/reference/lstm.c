// The long short-term memory: all steps with what they leave behind, then all steps back.
#include "harness.h"

#include <string.h>

static size_t l, b, c;
static const real *main_, *extra, *state, *text;
static real *total, *also_total, *dmain, *dextra;
static real *current, *kept, *outs, *dstate;

// Of one layer in one step: `b` numbers each.
enum { INPUT, HIDDEN, CELL, FORGET, INGATE, OUTGATE, CHANGE, SQUASHED, KEPT };

void setup(void) {
    l = size("main", 0) / 2, b = size("main", 1) / 4, c = size("text", 0);
    main_ = reals("main"), extra = reals("extra"), state = reals("state"), text = reals("text");
    total = value_result(1);
    also_total = gradient_result(1);
    dmain = gradient_result(8 * l * b), dextra = gradient_result(3 * b);
    current = scratch(2 * l * b), dstate = scratch(2 * l * b);
    kept = scratch(c * l * KEPT * b), outs = scratch(c * 2 * b);
}

static inline real sigmoid(real x) { return 1 / (1 + exp(-x)); }

// One layer; `keep` gets what the way back needs.
static inline void layer(size_t b, const real *restrict weight, const real *restrict bias,
                         const real *restrict input, real *restrict hidden, real *restrict cell,
                         real *restrict keep) {
    for (size_t j = 0; j < b; j++) {
        real f = sigmoid(input[j] * weight[j] + bias[j]);
        real g = sigmoid(hidden[j] * weight[b + j] + bias[b + j]);
        real o = sigmoid(input[j] * weight[2 * b + j] + bias[2 * b + j]);
        real ch = tanh(hidden[j] * weight[3 * b + j] + bias[3 * b + j]);
        real next = cell[j] * f + g * ch, squashed = tanh(next);
        keep[INPUT * b + j] = input[j], keep[HIDDEN * b + j] = hidden[j];
        keep[CELL * b + j] = cell[j], keep[FORGET * b + j] = f, keep[INGATE * b + j] = g;
        keep[OUTGATE * b + j] = o, keep[CHANGE * b + j] = ch, keep[SQUASHED * b + j] = squashed;
        cell[j] = next;
        hidden[j] = o * squashed;
    }
}

// `dhidden` comes in as that of the new hidden state and goes out as that of the old one;
// `dinput` is set, the others are added to.
static inline void layer_back(size_t b, const real *restrict weight, const real *restrict keep,
                              real *restrict dinput, real *restrict dhidden, real *restrict dcell,
                              real *restrict dweight, real *restrict dbias) {
    const real *input = keep + INPUT * b, *hidden = keep + HIDDEN * b, *cell = keep + CELL * b;
    const real *forget = keep + FORGET * b, *ingate = keep + INGATE * b;
    const real *outgate = keep + OUTGATE * b, *change = keep + CHANGE * b;
    const real *squashed = keep + SQUASHED * b;
    for (size_t j = 0; j < b; j++) {
        real f = forget[j], g = ingate[j], o = outgate[j], ch = change[j], sq = squashed[j];
        real dnext = dcell[j] + dhidden[j] * o * (1 - sq * sq);
        real df = dnext * cell[j] * f * (1 - f), dg = dnext * ch * g * (1 - g);
        real dout = dhidden[j] * sq * o * (1 - o), dch = dnext * g * (1 - ch * ch);
        dweight[j] += df * input[j], dbias[j] += df;
        dweight[b + j] += dg * hidden[j], dbias[b + j] += dg;
        dweight[2 * b + j] += dout * input[j], dbias[2 * b + j] += dout;
        dweight[3 * b + j] += dch * hidden[j], dbias[3 * b + j] += dch;
        dinput[j] = df * weight[j] + dout * weight[2 * b + j];
        dhidden[j] = dg * weight[b + j] + dch * weight[3 * b + j];
        dcell[j] = dnext * f;
    }
}

// All steps; `stride` is 0 if nothing has to be kept from one step to the next.
static real forward(size_t stride) {
    real sum = 0;
    memcpy(current, state, 2 * l * b * sizeof(real));
    for (size_t t = 0; t + 1 < c; t++) {
        real *keep = kept + t * stride * l * KEPT * b, *y = outs + t * stride * 2 * b;
        real *share = y + b, *input = y;
        for (size_t j = 0; j < b; j++) input[j] = text[t * b + j] * extra[j];
        const real *below = input;
        for (size_t i = 0; i < l; i++) {
            real *hidden = current + 2 * i * b;
            layer(b, main_ + 8 * i * b, main_ + (8 * i + 4) * b, below, hidden, hidden + b,
                  keep + i * KEPT * b);
            below = hidden;
        }
        real exps = 2, score = 0, ones = 0;
        const real *target = text + (t + 1) * b;
        for (size_t j = 0; j < b; j++) {
            y[j] = below[j] * extra[b + j] + extra[2 * b + j];
            share[j] = exp(y[j]);
            exps += share[j];
            score += target[j] * y[j];
            ones += target[j];
        }
        for (size_t j = 0; j < b; j++) share[j] = target[j] - ones * share[j] / exps;
        sum += score - ones * log(exps);
    }
    return -sum / (real)((c - 1) * b);
}

void value(void) { *total = forward(0); }

void gradient(void) {
    *also_total = forward(1);
    memset(dmain, 0, 8 * l * b * sizeof(real));
    memset(dextra, 0, 3 * b * sizeof(real));
    memset(dstate, 0, 2 * l * b * sizeof(real));
    real scale = -1 / (real)((c - 1) * b), *top = dstate + 2 * (l - 1) * b;
    real dinput[b];
    for (size_t t = c - 1; t-- > 0;) {
        const real *keep = kept + t * l * KEPT * b, *share = outs + t * 2 * b + b;
        const real *last = keep + (l - 1) * KEPT * b;
        for (size_t j = 0; j < b; j++) {
            real dy = scale * share[j];
            real hidden = last[OUTGATE * b + j] * last[SQUASHED * b + j];
            dextra[b + j] += dy * hidden;
            dextra[2 * b + j] += dy;
            top[j] += dy * extra[b + j];
        }
        for (size_t i = l; i-- > 0;) {
            real *dhidden = dstate + 2 * i * b;
            layer_back(b, main_ + 8 * i * b, keep + i * KEPT * b, dinput, dhidden, dhidden + b,
                       dmain + 8 * i * b, dmain + (8 * i + 4) * b);
            // The layer below gets it on top of what its own next step gave.
            if (i > 0)
                for (size_t j = 0; j < b; j++) dstate[2 * (i - 1) * b + j] += dinput[j];
        }
        for (size_t j = 0; j < b; j++) dextra[j] += dinput[j] * text[t * b + j];
    }
}
