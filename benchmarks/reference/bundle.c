// Bundle adjustment: residuals, and their Jacobian in compressed rows.
#include "harness.h"

enum { CAMERA = 11, POINT = 3, ROW = 15 };

static size_t p;
static const real *cameras, *points, *weights, *features;
static const int64_t *camera_of, *point_of;
static real *errors, *penalties, *rows, *penalty_rows;

void setup(void) {
    p = size("weights", 0);
    cameras = reals("cameras"), points = reals("points"), weights = reals("weights");
    features = reals("features"), camera_of = ints("camera_of"), point_of = ints("point_of");
    errors = value_result(2 * p), penalties = value_result(p);
    rows = gradient_result(2 * ROW * p), penalty_rows = gradient_result(p);
}

static inline void cross(const real *a, const real *b, real *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline real inner(const real *a, const real *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// y = R(r) x
static inline void rotate(const real *r, const real *x, real *y) {
    real theta2 = inner(r, r), turned[3];
    if (theta2 != 0) {
        real theta = sqrt(theta2), c = cos(theta), s = sin(theta);
        real a[3] = {r[0] / theta, r[1] / theta, r[2] / theta};
        real along = inner(a, x) * (1 - c);
        cross(a, x, turned);
        for (int i = 0; i < 3; i++) y[i] = x[i] * c + turned[i] * s + a[i] * along;
    } else {
        cross(r, x, turned);
        for (int i = 0; i < 3; i++) y[i] = x[i] + turned[i];
    }
}

// As `rotate`; also dy[i][j], the derivative of y[i] by r[j], and by x[j].
static inline void rotate_back(const real *r, const real *x, real *y, real dr[3][3],
                               real dx[3][3]) {
    real theta2 = inner(r, r), turned[3];
    if (theta2 != 0) {
        real theta = sqrt(theta2), c = cos(theta), s = sin(theta), over = 1 / theta;
        real a[3] = {r[0] * over, r[1] * over, r[2] * over};
        real ax = inner(a, x);
        cross(a, x, turned);
        real by_theta[3];
        for (int i = 0; i < 3; i++) {
            y[i] = x[i] * c + turned[i] * s + a[i] * ax * (1 - c);
            by_theta[i] = -x[i] * s + turned[i] * c + a[i] * ax * s;
        }
        for (int j = 0; j < 3; j++) {
            real da[3], spin[3];
            for (int i = 0; i < 3; i++) da[i] = ((i == j) - a[i] * a[j]) * over;
            cross(da, x, spin);
            real dax = inner(da, x);
            for (int i = 0; i < 3; i++)
                dr[i][j] = a[j] * by_theta[i] + spin[i] * s + (da[i] * ax + a[i] * dax) * (1 - c);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) dx[i][j] = a[i] * a[j] * (1 - c) + (i == j ? c : 0);
        dx[0][1] -= s * a[2], dx[0][2] += s * a[1], dx[1][2] -= s * a[0];
        dx[1][0] += s * a[2], dx[2][0] -= s * a[1], dx[2][1] += s * a[0];
    } else {
        cross(r, x, turned);
        for (int i = 0; i < 3; i++) y[i] = x[i] + turned[i];
        for (int j = 0; j < 3; j++) {
            real e[3] = {j == 0, j == 1, j == 2}, spin[3];
            cross(e, x, spin);
            for (int i = 0; i < 3; i++) dr[i][j] = spin[i], dx[i][j] = (i == j);
        }
        dx[0][1] -= r[2], dx[0][2] += r[1], dx[1][2] -= r[0];
        dx[1][0] += r[2], dx[2][0] -= r[1], dx[2][1] += r[0];
    }
}

static inline void residual(const real *camera, const real *point, real w, const real *feature,
                            real *error) {
    real from[3] = {point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]}, seen[3];
    rotate(camera, from, seen);
    real flat[2] = {seen[0] / seen[2], seen[1] / seen[2]};
    real r2 = flat[0] * flat[0] + flat[1] * flat[1];
    real lens = 1 + camera[9] * r2 + camera[10] * r2 * r2;
    for (int i = 0; i < 2; i++)
        error[i] = w * (camera[6] * flat[i] * lens + camera[7 + i] - feature[i]);
}

static inline void jacobian(const real *camera, const real *point, real w, const real *feature,
                            real *restrict row) {
    real from[3] = {point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]};
    real seen[3], by_r[3][3], by_x[3][3];
    rotate_back(camera, from, seen, by_r, by_x);
    real depth = 1 / seen[2], flat[2] = {seen[0] * depth, seen[1] * depth};
    real r2 = flat[0] * flat[0] + flat[1] * flat[1], f = camera[6];
    real lens = 1 + camera[9] * r2 + camera[10] * r2 * r2;
    real bend = 2 * (camera[9] + 2 * camera[10] * r2);
    for (int i = 0; i < 2; i++, row += ROW) {
        // By flat, then by seen.
        real by_flat[2] = {bend * flat[i] * flat[0], bend * flat[i] * flat[1]}, by_seen[3];
        by_flat[i] += lens;
        by_seen[0] = w * f * by_flat[0] * depth, by_seen[1] = w * f * by_flat[1] * depth;
        by_seen[2] = -(by_seen[0] * flat[0] + by_seen[1] * flat[1]);
        for (int j = 0; j < 3; j++) {
            real moved = 0, turned = 0;
            for (int m = 0; m < 3; m++) {
                turned += by_seen[m] * by_r[m][j];
                moved += by_seen[m] * by_x[m][j];
            }
            row[j] = turned, row[3 + j] = -moved, row[11 + j] = moved;
        }
        row[6] = w * flat[i] * lens;
        row[7] = i == 0 ? w : 0, row[8] = i == 1 ? w : 0;
        row[9] = w * f * flat[i] * r2, row[10] = w * f * flat[i] * r2 * r2;
        row[14] = f * flat[i] * lens + camera[7 + i] - feature[i];
    }
}

void value(void) {
    for (size_t i = 0; i < p; i++) {
        residual(cameras + CAMERA * camera_of[i], points + POINT * point_of[i], weights[i],
                 features + 2 * i, errors + 2 * i);
        penalties[i] = 1 - weights[i] * weights[i];
    }
}

void gradient(void) {
    for (size_t i = 0; i < p; i++) {
        jacobian(cameras + CAMERA * camera_of[i], points + POINT * point_of[i], weights[i],
                 features + 2 * i, rows + 2 * ROW * i);
        penalty_rows[i] = -2 * weights[i];
    }
}
