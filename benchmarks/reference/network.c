// A network with one hidden layer: the mean cross entropy, and one step of gradient descent.
#include "harness.h"

#include <string.h>

static size_t n, p, h, c;
static const real *w1, *b1, *w2, *b2, *x, *rate;
static const int64_t *class;
static real *total, *also_total, *next_w1, *next_b1, *next_w2, *next_b2;
static real *hidden, *scores, *dhidden;

void setup(void) {
    n = size("x", 0), p = size("x", 1), h = size("b1", 0), c = size("b2", 0);
    w1 = reals("w1"), b1 = reals("b1"), w2 = reals("w2"), b2 = reals("b2"), x = reals("x");
    rate = reals("rate"), class = ints("class");
    total = value_result(1);
    also_total = gradient_result(1);
    next_w1 = gradient_result(p * h), next_b1 = gradient_result(h);
    next_w2 = gradient_result(h * c), next_b2 = gradient_result(c);
    hidden = scratch(n * h), scores = scratch(n * c), dhidden = scratch(n * h);
}

// y = x w + b, row by row.
static void affine(size_t n, size_t k, size_t m, const real *restrict x, const real *restrict w,
                   const real *restrict b, real *restrict y) {
    for (size_t i = 0; i < n; i++) {
        memcpy(y + i * m, b, m * sizeof(real));
        for (size_t q = 0; q < k; q++) {
            real it = x[i * k + q];
            for (size_t j = 0; j < m; j++) y[i * m + j] += it * w[q * m + j];
        }
    }
}

// w' = w - rate * x^T dy, b' = b - rate * (sum of rows of dy).
static void descend(size_t n, size_t k, size_t m, real rate, const real *restrict x,
                    const real *restrict dy, const real *restrict w, const real *restrict b,
                    real *restrict next_w, real *restrict next_b) {
    memcpy(next_w, w, k * m * sizeof(real));
    memcpy(next_b, b, m * sizeof(real));
    for (size_t i = 0; i < n; i++) {
        for (size_t q = 0; q < k; q++) {
            real it = rate * x[i * k + q];
            for (size_t j = 0; j < m; j++) next_w[q * m + j] -= it * dy[i * m + j];
        }
        for (size_t j = 0; j < m; j++) next_b[j] -= rate * dy[i * m + j];
    }
}

// The mean loss; leaves the cotangents of the scores in their place.
static real forward(void) {
    affine(n, p, h, x, w1, b1, hidden);
    for (size_t i = 0; i < n * h; i++) hidden[i] = hidden[i] > 0 ? hidden[i] : 0;
    affine(n, h, c, hidden, w2, b2, scores);
    real res = 0;
    for (size_t i = 0; i < n; i++) {
        real *s = scores + i * c, most = s[0], sum = 0, own = s[class[i]];
        for (size_t j = 1; j < c; j++) most = s[j] > most ? s[j] : most;
        for (size_t j = 0; j < c; j++) {
            s[j] = exp(s[j] - most);
            sum += s[j];
        }
        res += most + log(sum) - own;
        for (size_t j = 0; j < c; j++) s[j] = (s[j] / sum - (j == (size_t)class[i])) / (real)n;
    }
    return res / (real)n;
}

void value(void) { *total = forward(); }

void gradient(void) {
    *also_total = forward();
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < h; q++) {
            real sum = 0;
            for (size_t j = 0; j < c; j++) sum += scores[i * c + j] * w2[q * c + j];
            dhidden[i * h + q] = hidden[i * h + q] > 0 ? sum : 0;
        }
    descend(n, h, c, *rate, hidden, scores, w2, b2, next_w2, next_b2);
    descend(n, p, h, *rate, x, dhidden, w1, b1, next_w1, next_b1);
}
