// Loads, stores, gathers, conversions, masks, integers and reductions against plain loops.
#include <stdio.h>
static int failures;
#define CHECK(c) \
    do { \
        if (!(c)) { \
            failures++; \
            printf("line %d\n", __LINE__); \
        } \
    } while (0)
#define M (4 * CT_W)

static void memory(void) {
    real x[M], y[M], z[M];
    int64_t k[M], l[M];
    for (int i = 0; i < M; i++) x[i] = (real)(i * i - 7), k[i] = (i * 7 + 3) % M;
    vr v = ct_load(x + 1);
    vn w = ct_int_load(k + 1);
    ct_store(y + 3, v), ct_int_store(l + 3, w);
    for (int i = 0; i < CT_W; i++) CHECK(y[i + 3] == x[i + 1] && l[i + 3] == k[i + 1] && v[i] == x[i + 1]);
    vr step = ct_load_step(x, 3), gathered = ct_gather(x, w), reversed = ct_reverse(v);
    vn steps = ct_int_load_step(k, 3), picked = ct_int_gather(k, w), turned = ct_int_reverse(w);
    for (int i = 0; i < CT_W; i++) {
        CHECK(step[i] == x[3 * i] && gathered[i] == x[k[i + 1]] && reversed[i] == v[CT_W - 1 - i]);
        CHECK(steps[i] == k[3 * i] && picked[i] == k[k[i + 1]] && turned[i] == w[CT_W - 1 - i]);
        CHECK(ct_iota()[i] == i);
    }
    vr back = ct_load_step(x + CT_W, -1);
    vn backs = ct_int_load_step(k + CT_W, -1);
    ct_store_step(z + CT_W, -1, v), ct_int_store_step(l + CT_W, -1, w);
    for (int i = 0; i < CT_W; i++) {
        CHECK(back[i] == x[CT_W - i] && backs[i] == k[CT_W - i]);
        CHECK(z[CT_W - i] == v[i] && l[CT_W - i] == w[i]);
    }
    for (int n = 0; n <= CT_W; n++) {
        for (int i = 0; i < M; i++) y[i] = z[i] = -1, l[i] = -1;
        vr part = ct_load_n(x, n, ct_set(9));
        vn ints = ct_int_load_n(k, n, ct_set_n(9));
        ct_store_n(y, n, v), ct_int_store_n(l, n, w), ct_store_step_n(z, 3, n, v);
        vr part3 = ct_load_step_n(x, 3, n, ct_set(9)), partg = ct_gather_n(x, w, n, ct_set(9));
        for (int i = 0; i < CT_W; i++) {
            CHECK(part[i] == (i < n ? x[i] : 9) && ints[i] == (i < n ? k[i] : 9));
            CHECK(y[i] == (i < n ? v[i] : -1) && l[i] == (i < n ? w[i] : -1));
            CHECK(z[3 * i] == (i < n ? v[i] : -1) && z[3 * i + 1] == -1);
            CHECK(part3[i] == (i < n ? x[3 * i] : 9) && partg[i] == (i < n ? x[k[i + 1]] : 9));
        }
    }
    for (int i = 0; i < M; i++) y[i] = 0;
    ct_scatter_add(y, ct_set_n(2), ct_set(1)), ct_scatter(y, ct_iota() + 3, v);
    CHECK(y[2] == CT_W && y[3] == v[0] && y[CT_W + 2] == v[CT_W - 1]);
}

static void masks(void) {
    vr x = ct_real(ct_iota()), y = ct_set(1.5);
    vb less = (vb)(x < y);
    vr chosen = ct_select(less, x, y);
    vn ints = ct_int_select(less, ct_iota(), ct_set_n(-1));
    for (int i = 0; i < CT_W; i++) CHECK(chosen[i] == (i < 1.5 ? i : 1.5) && ints[i] == (i < 1.5 ? i : -1));
    CHECK(ct_any(less) && (CT_W == 2 || !ct_all(less)) && ct_all((vb)(x >= 0)) && !ct_any((vb)(x < 0)));
    for (int i = 0; i < CT_W; i++) CHECK(ct_any((vb)(x == (real)i)) && !ct_all((vb)(x != (real)i)));
}

static void conversions(void) {
    const double inf = __builtin_inf();
    double from[] = {0.0, -0.0, 1.9, -1.9, 9.2e18, -9.2e18, 1e19, -1e19, inf, -inf, __builtin_nan(""), 9223372036854775808.0, -9223372036854775808.0, 4503599627370497.0, 1e-300, 123456789.75};
    for (int i = 0; i < 16; i++) {
        real x = (real)from[i];
        int64_t expected = x >= (real)9223372036854775808.0 ? INT64_MAX
            : x <= (real)-9223372036854775808.0 ? INT64_MIN
            : x == x ? (int64_t)x : 0;
        CHECK(ct_int1(x) == expected && ct_int(ct_set(x))[CT_W - 1] == expected);
    }
    int64_t ints[] = {0, 1, -1, INT64_MAX, INT64_MIN, (1LL << 53) + 1, -(1LL << 53) - 1, 4294967296, -4294967297, (1LL << 62) + 513, 123456789012345678};
    for (int i = 0; i < 11; i++) {
        real expected = (real)(double)ints[i];
        CHECK(ct_real1(ints[i]) == expected && ct_real(ct_set_n(ints[i]))[0] == expected);
    }
}

static void integers(void) {
    int64_t some[] = {0, 1, -1, 7, -7, 2, -2, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            int64_t a = some[i], b = some[j];
            vn x = ct_set_n(a), y = ct_set_n(b);
            CHECK(ct_int_add(x, y)[1] == ct_int_add1(a, b) && ct_int_sub(x, y)[1] == ct_int_sub1(a, b));
            CHECK(ct_int_mul(x, y)[1] == ct_int_mul1(a, b) && ct_int_neg(x)[1] == ct_int_neg1(a));
            CHECK(ct_int_min(x, y)[1] == (a < b ? a : b) && ct_int_max(x, y)[1] == (a > b ? a : b));
            CHECK(ct_int_lt(x, y)[1] == -(a < b) && ct_int_le(x, y)[1] == -(a <= b));
            CHECK(ct_int_gt(x, y)[1] == -(a > b) && ct_int_ge(x, y)[1] == -(a >= b));
            CHECK(ct_int_eq(x, y)[CT_W - 1] == -(a == b) && ct_int_ne(x, y)[CT_W - 1] == -(a != b));
            CHECK(ct_int_abs(x)[1] == ct_int_abs1(a) && ct_int_sign(x)[1] == (a > 0) - (a < 0));
            if (b != 0) CHECK(ct_int_div(x, y)[0] == ct_int_div1(a, b) && ct_int_rem(x, y)[0] == ct_int_rem1(a, b));
        }
    CHECK(ct_int_div1(7, 2) == 3 && ct_int_div1(-7, 2) == -4 && ct_int_div1(7, -2) == -4);
    CHECK(ct_int_rem1(-7, 2) == 1 && ct_int_rem1(7, -2) == -1 && ct_int_div1(INT64_MIN, -1) == INT64_MIN);
    CHECK(ct_int_pow1(3, 4) == 81 && ct_int_pow1(2, 64) == 0 && ct_int_pow1(0, 0) == 1);
    CHECK(ct_int_sum(ct_iota()) == CT_W * (CT_W - 1) / 2);
}

static void reductions(void) {
    real x[CT_W], y[CT_W], z[CT_W];
    for (int i = 0; i < CT_W; i++) x[i] = y[i] = z[i] = (real)1 / (real)(i + 3);
    vr v = ct_load(x);
    for (int n = CT_W / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) y[i] += y[i + n], z[i] *= z[i + n];
    CHECK(ct_sum(v) == y[0] && ct_product(v) == z[0]);
    CHECK(ct_greatest(v) == x[0] && ct_least(v) == x[CT_W - 1]);
    v[CT_W - 1] = (real)__builtin_nan("");
    CHECK(ct_greatest(v) != ct_greatest(v) && ct_least(v) != ct_least(v));
}

int main(void) {
    memory(), masks(), conversions(), integers(), reductions();
    if (!failures) puts("ok");
    return 0;
}
