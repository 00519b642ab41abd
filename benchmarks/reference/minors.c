// A determinant by expansion along the first row: rows and columns that are left, not copies.
#include "harness.h"

#include <string.h>

enum { MOST = 16 };

static size_t n;
static const real *a;
static real *total, *also_total, *da;

void setup(void) {
    a = reals("a"), n = size("a", 0);
    total = value_result(1);
    also_total = gradient_result(1), da = gradient_result(n * n);
}

// The determinant of the rows from `row` on and of these columns.
static real det(size_t row, const size_t *columns) {
    size_t m = n - row;
    if (m == 1) return a[row * n + columns[0]];
    real res = 0;
    for (size_t c = 0; c < m; c++) {
        size_t rest[MOST];
        for (size_t j = 0; j < m - 1; j++) rest[j] = columns[j < c ? j : j + 1];
        real term = a[row * n + columns[c]] * det(row + 1, rest);
        res += c % 2 ? -term : term;
    }
    return res;
}

// The same, and `by` times its derivative is added.
static real det_back(size_t row, const size_t *columns, real by) {
    size_t m = n - row;
    if (m == 1) {
        da[row * n + columns[0]] += by;
        return a[row * n + columns[0]];
    }
    real res = 0;
    for (size_t c = 0; c < m; c++) {
        size_t rest[MOST];
        for (size_t j = 0; j < m - 1; j++) rest[j] = columns[j < c ? j : j + 1];
        real sign = c % 2 ? -1 : 1, factor = a[row * n + columns[c]];
        real minor = det_back(row + 1, rest, by * sign * factor);
        da[row * n + columns[c]] += by * sign * minor;
        res += sign * factor * minor;
    }
    return res;
}

void value(void) {
    size_t all[MOST];
    for (size_t j = 0; j < n; j++) all[j] = j;
    *total = det(0, all);
}

void gradient(void) {
    size_t all[MOST];
    for (size_t j = 0; j < n; j++) all[j] = j;
    memset(da, 0, n * n * sizeof(real));
    *also_total = det_back(0, all, 1);
}
