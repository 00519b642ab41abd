// The Gaussian mixture: plain loops over points, components and the columns of the triangles.
#include "harness.h"

static size_t n, d, k, t;
static const real *x, *alpha, *mu, *q, *l;
static real gamma_, m;
static real *total, *also_total, *dalpha, *dmu, *dq, *dl;
static real *exp_q, *sum_q, *beta, *u, *w;

void setup(void) {
    n = size("x", 0), d = size("x", 1), k = size("alpha", 0), t = size("l", 1);
    x = reals("x"), alpha = reals("alpha"), mu = reals("mu"), q = reals("q"), l = reals("l");
    gamma_ = *reals("gamma"), m = (real)*ints("m");
    total = value_result(1);
    also_total = gradient_result(1);
    dalpha = gradient_result(k), dmu = gradient_result(k * d), dq = gradient_result(k * d);
    dl = gradient_result(k * t);
    exp_q = scratch(k * d), sum_q = scratch(k), beta = scratch(k);
    u = scratch(k * d), w = scratch(k * d);
}

static real log_gamma_multi(size_t p, real a) {
    real res = (real)(p * (p - 1)) / 4 * log((real)M_PI);
    for (size_t j = 0; j < p; j++) res += lgamma(a - (real)j / 2);
    return res;
}

static real log_sum_exp(size_t k, const real *restrict x) {
    real most = x[0], sum = 0;
    for (size_t i = 1; i < k; i++) most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < k; i++) sum += exp(x[i] - most);
    return most + log(sum);
}

static void precompute(void) {
    for (size_t c = 0; c < k; c++) {
        sum_q[c] = 0;
        for (size_t j = 0; j < d; j++) {
            exp_q[c * d + j] = exp(q[c * d + j]);
            sum_q[c] += q[c * d + j];
        }
    }
}

// u = x - mu, w = Q u; gives the squared length of w.
static inline real transform(size_t d, const real *restrict x, const real *restrict mu,
                             const real *restrict exp_q, const real *restrict l, real *restrict u,
                             real *restrict w) {
    for (size_t j = 0; j < d; j++) {
        u[j] = x[j] - mu[j];
        w[j] = exp_q[j] * u[j];
    }
    for (size_t i = 0; i < d; i++) {
        real ui = u[i];
        for (size_t j = i + 1; j < d; j++) w[j] += *l++ * ui;
    }
    real res = 0;
    for (size_t j = 0; j < d; j++) res += w[j] * w[j];
    return res;
}

// What a point with the share `p` of a component adds to the cotangents of that component.
static inline void transform_back(size_t d, real p, const real *restrict u, const real *restrict w,
                                  const real *restrict exp_q, const real *restrict l,
                                  real *restrict dmu, real *restrict dq, real *restrict dl) {
    for (size_t j = 0; j < d; j++) {
        dmu[j] += p * exp_q[j] * w[j];
        dq[j] += p * (1 - w[j] * exp_q[j] * u[j]);
    }
    for (size_t i = 0; i < d; i++) {
        real pu = p * u[i], sum = 0;
        for (size_t j = i + 1; j < d; j++) {
            sum += *l++ * w[j];
            *dl++ -= pu * w[j];
        }
        dmu[i] += p * sum;
    }
}

// The prior and the constants; without the points.
static real rest(void) {
    real big_n = (real)(d + 1) + m, penalty = 0;
    real constant = big_n * (real)d * (log(gamma_) - log((real)2) / 2) - log_gamma_multi(d, big_n / 2);
    for (size_t c = 0; c < k; c++) {
        real squares = 0;
        for (size_t j = 0; j < d; j++) squares += exp_q[c * d + j] * exp_q[c * d + j];
        for (size_t j = 0; j < t; j++) squares += l[c * t + j] * l[c * t + j];
        penalty += gamma_ * gamma_ / 2 * squares - m * sum_q[c];
    }
    return (real)k * constant - penalty - (real)(n * d) / 2 * log(2 * (real)M_PI) -
           (real)n * log_sum_exp(k, alpha);
}

static real point(const real *restrict x) {
    for (size_t c = 0; c < k; c++) {
        real length2 = transform(d, x, mu + c * d, exp_q + c * d, l + c * t, u + c * d, w + c * d);
        beta[c] = alpha[c] + sum_q[c] - length2 / 2;
    }
    return log_sum_exp(k, beta);
}

void value(void) {
    precompute();
    real res = 0;
    for (size_t i = 0; i < n; i++) res += point(x + i * d);
    *total = res + rest();
}

void gradient(void) {
    precompute();
    real res = 0, lse = log_sum_exp(k, alpha);
    for (size_t c = 0; c < k; c++) {
        dalpha[c] = -(real)n * exp(alpha[c] - lse);
        for (size_t j = 0; j < d; j++) {
            dmu[c * d + j] = 0;
            dq[c * d + j] = m - gamma_ * gamma_ * exp_q[c * d + j] * exp_q[c * d + j];
        }
        for (size_t j = 0; j < t; j++) dl[c * t + j] = -gamma_ * gamma_ * l[c * t + j];
    }
    for (size_t i = 0; i < n; i++) {
        real at = point(x + i * d);
        res += at;
        for (size_t c = 0; c < k; c++) {
            real p = exp(beta[c] - at);
            dalpha[c] += p;
            transform_back(d, p, u + c * d, w + c * d, exp_q + c * d, l + c * t, dmu + c * d,
                           dq + c * d, dl + c * t);
        }
    }
    *also_total = res + rest();
}
