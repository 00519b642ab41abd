// The vector layer of generated code: GNU C vectors of the width the machine has.
//
// Format of this file, of math.h and of math32.h: sections. A line `//@ name: a b c` begins the
// section `name`, which needs the sections a, b, c. Text before the first section is for readers
// only. The back end pastes what a program needs, in the order of the files (`src/library.rs`);
// the sections of math.h and math32.h are templates, math.h says how they are read.
//
// Types and names. The generated C says `real`, `vr`, `vn`, `vb`, `CT_W`, `ct_exp(x)` for a
// vector and `ct_exp1(x)` for a scalar, and is the same text for f64 and f32; the section
// `generic` maps these names to the families
//     _d   vd, CT_WD doubles     masks and bits vl, CT_WD int64
//     _d1  double                masks and bits int64_t
//     _f   vf, CT_WF floats      masks and bits vi, CT_WF int32
//     _f1  float                 masks and bits int32_t
// A mask is 0 or -1 in each lane. `vn` are as many int64 as a `vr` has lanes: `vl`, or in f32
// the twice as wide `vw`, which compilers split; arithmetic on it is by operators, comparison
// and selection by functions, since gcc compares such wide vectors lane by lane otherwise.
//
// Must be compiled with -ffp-contract=off -fno-math-errno -fno-trapping-math, and for f32 with
// -Wno-psabi (gcc notes that the ABI of 128-byte parameters once changed; all of them are
// inlined). No header of intrinsics: immintrin.h alone takes gcc 400 ms.

//@ base:
#include <stdint.h>
#include <string.h>
#ifdef CT_F32
typedef float real;
#else
typedef double real;
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define CT_BYTES 64
#elif defined(__AVX2__)
#define CT_BYTES 32
#else
#define CT_BYTES 16
#endif
#define CT_WD (CT_BYTES / 8)
#define CT_WF (CT_BYTES / 4)
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__AVX512F__)
#define CT_FMA 1
#else
#define CT_FMA 0
#endif
// Builtins of gcc for x86, by the width of vectors; without them, for other compilers and machines, there
// are plain loops. CT_PLAIN is for tests of those.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CT_PLAIN)
#define CT_X86 CT_BYTES
#else
#define CT_X86 0
#endif
#ifdef CT_QUICK
// Compiled soon, and slow: one copy of everything that is used.
#define CT_INLINE static inline __attribute__((unused))
#define CT_COLD CT_INLINE
#else
#define CT_INLINE static inline __attribute__((always_inline, unused))
#define CT_COLD static __attribute__((noinline, cold, unused))
#endif
typedef double vd __attribute__((vector_size(CT_BYTES)));
typedef int64_t vl __attribute__((vector_size(CT_BYTES)));
typedef uint64_t ct_vu __attribute__((vector_size(CT_BYTES)));
// The same at any address.
typedef double ct_vd_at __attribute__((vector_size(CT_BYTES), aligned(8), may_alias));
typedef int64_t ct_vl_at __attribute__((vector_size(CT_BYTES), aligned(8), may_alias));
// The types that the builtins of gcc name.
typedef long long ct_vll __attribute__((vector_size(CT_BYTES)));

//@ scalar_d: base
CT_INLINE double ct_set_d1(double x) { return x; }
CT_INLINE int64_t ct_bits_d1(double x) {
    int64_t k;
    memcpy(&k, &x, 8);
    return k;
}
CT_INLINE double ct_from_bits_d1(int64_t k) {
    double x;
    memcpy(&x, &k, 8);
    return x;
}
CT_INLINE double ct_sel_d1(int64_t m, double x, double y) { return m ? x : y; }
CT_INLINE int ct_any_d1(int64_t m) { return m != 0; }
CT_INLINE int ct_any_nan_d1(double x) { return __builtin_expect(x != x, 0); }
CT_INLINE double ct_abs_d1(double x) { return __builtin_fabs(x); }
CT_INLINE double ct_copysign_d1(double x, double y) { return __builtin_copysign(x, y); }
CT_INLINE double ct_sqrt_d1(double x) { return __builtin_sqrt(x); }
CT_INLINE double ct_floor_d1(double x) { return __builtin_floor(x); }
CT_INLINE double ct_ceil_d1(double x) { return __builtin_ceil(x); }
// x * y + z, rounded once.
CT_INLINE double ct_fma_d1(double x, double y, double z) { return __builtin_fma(x, y, z); }
// x * y + z, rounded once or twice, whichever is fast.
CT_INLINE double ct_ma_d1(double x, double y, double z) {
    return CT_FMA ? __builtin_fma(x, y, z) : x * y + z;
}
// x, but at most or at least c; NaN stays.
CT_INLINE double ct_at_most_d1(double x, double c) { return c < x ? c : x; }
CT_INLINE double ct_at_least_d1(double x, double c) { return c > x ? c : x; }
CT_INLINE double ct_real_d1(int64_t k) { return (double)k; }
CT_INLINE int64_t ct_int_d1(double x) {
    if (x >= 9223372036854775808.0) return INT64_MAX;
    if (x < -9223372036854775808.0) return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}

//@ vector_d: scalar_d
CT_INLINE vd ct_set_d(double x) { return x - (vd){0}; }
CT_INLINE vl ct_set_l(int64_t k) { return k - (vl){0}; }
CT_INLINE vl ct_bits_d(vd x) { return (vl)x; }
CT_INLINE vd ct_from_bits_d(vl k) { return (vd)k; }
// A sum, though no bit is in both: of `|` gcc makes `((x ^ y) & m) ^ y`, and of that, where x is 0, two
// divisions if y is one. Of the sum it makes what it is.
CT_INLINE vd ct_sel_d(vl m, vd x, vd y) { return (vd)((m & (vl)x) + (~m & (vl)y)); }
CT_INLINE vl ct_sel_l(vl m, vl x, vl y) { return (m & x) + (~m & y); }
CT_INLINE int ct_any_d(vl m) {
#if CT_X86 == 64
    return __builtin_ia32_cvtq2mask512((ct_vll)m) != 0;
#elif CT_X86 == 32
    return __builtin_ia32_movmskpd256((vd)m) != 0;
#elif CT_X86 == 16
    return __builtin_ia32_movmskpd((vd)m) != 0;
#else
    int64_t r = 0;
    for (int i = 0; i < CT_WD; i++) r |= m[i];
    return r != 0;
#endif
}
CT_INLINE int ct_all_d(vl m) { return !ct_any_d(~m); }
// Whether a lane is not a number, which is not expected.
CT_INLINE int ct_any_nan_d(vd x) {
#if CT_X86 == 64
    return __builtin_expect(__builtin_ia32_cmppd512_mask(x, x, 3, -1, 4) != 0, 0);
#else
    return __builtin_expect(ct_any_d((vl)(x != x)), 0);
#endif
}
CT_INLINE vd ct_abs_d(vd x) { return (vd)((vl)x & INT64_MAX); }
CT_INLINE vd ct_copysign_d(vd x, vd y) {
    return (vd)(((vl)x & INT64_MAX) | ((vl)y & INT64_MIN));
}
CT_INLINE vd ct_sqrt_d(vd x) {
#if CT_X86 == 64
    return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_sqrtpd256(x);
#elif CT_X86 == 16
    return __builtin_ia32_sqrtpd(x);
#else
    for (int i = 0; i < CT_WD; i++) x[i] = __builtin_sqrt(x[i]);
    return x;
#endif
}
CT_INLINE vd ct_fma_d(vd x, vd y, vd z) {
#if CT_X86 == 64
    return __builtin_ia32_vfmaddpd512_mask(x, y, z, -1, 4);
#elif CT_X86 == 32 && CT_FMA
    return __builtin_ia32_vfmaddpd256(x, y, z);
#elif CT_X86 == 16 && CT_FMA
    return __builtin_ia32_vfmaddpd(x, y, z);
#else
    for (int i = 0; i < CT_WD; i++) z[i] = __builtin_fma(x[i], y[i], z[i]);
    return z;
#endif
}
// The instructions of x86 give the second operand if either is NaN.
CT_INLINE vd ct_at_most_d(vd x, vd c) {
#if CT_X86 == 64
    return __builtin_ia32_minpd512_mask(c, x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_minpd256(c, x);
#elif CT_X86 == 16
    return __builtin_ia32_minpd(c, x);
#else
    return ct_sel_d((vl)(c < x), c, x);
#endif
}
CT_INLINE vd ct_at_least_d(vd x, vd c) {
#if CT_X86 == 64
    return __builtin_ia32_maxpd512_mask(c, x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_maxpd256(c, x);
#elif CT_X86 == 16
    return __builtin_ia32_maxpd(c, x);
#else
    return ct_sel_d((vl)(c > x), c, x);
#endif
}
CT_INLINE vd ct_ma_d(vd x, vd y, vd z) { return CT_FMA ? ct_fma_d(x, y, z) : x * y + z; }
// Without an instruction for it: the nearest whole number by adding 2^52, then a step down.
CT_INLINE vd ct_floor_d(vd x) {
#if CT_X86 == 64
    return __builtin_ia32_rndscalepd_mask(x, 9, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_roundpd256(x, 9);
#else
    vd y = ct_abs_d(x), r = (y + 0x1p52) - 0x1p52;
    r = ct_copysign_d(r, x);
    r = r - (vd)((r > x) & (vl)ct_set_d(1.0));
    return ct_sel_d(y < 0x1p52, ct_copysign_d(r, x), x);
#endif
}
CT_INLINE vd ct_ceil_d(vd x) { return -ct_floor_d(-x); }
CT_INLINE vd ct_real_d(vl k) {
#if CT_X86 == 64
    return __builtin_convertvector(k, vd);
#else
    // The halves as fractions of 2^84 and 2^52; only the last sum rounds.
    vl low = (k & 0xffffffff) | 0x4330000000000000;
    vl high = (vl)((ct_vu)k >> 32) ^ 0x4530000080000000;
    return ((vd)high - (0x1p84 + 0x1p63 + 0x1p52)) + (vd)low;
#endif
}
CT_INLINE vl ct_int_d(vd x) {
    vl great = x >= 9223372036854775808.0, small = x < -9223372036854775808.0;
    vd inside = ct_sel_d(~(great | small) & (x == x), x, ct_set_d(0.0));
    vl r = __builtin_convertvector(inside, vl);
    return (great & INT64_MAX) | (small & INT64_MIN) | r;
}
CT_INLINE vd ct_reverse_d(vd x) {
#if CT_WD == 8
    return __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0);
#elif CT_WD == 4
    return __builtin_shufflevector(x, x, 3, 2, 1, 0);
#else
    return __builtin_shufflevector(x, x, 1, 0);
#endif
}
CT_INLINE vl ct_reverse_l(vl x) { return (vl)ct_reverse_d((vd)x); }
// 0, 1, 2, ...
CT_INLINE vl ct_iota_l(void) {
    vl r;
    for (int i = 0; i < CT_WD; i++) r[i] = i;
    return r;
}
// Reductions over the lanes: the upper half onto the lower one, again and again.
typedef union {
    vd v;
    double s[CT_WD];
} ct_lanes_d;
CT_INLINE double ct_sum_d(vd x) {
    ct_lanes_d a = {x};
    for (int n = CT_WD / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] += a.s[i + n];
    return a.s[0];
}
CT_INLINE double ct_product_d(vd x) {
    ct_lanes_d a = {x};
    for (int n = CT_WD / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] *= a.s[i + n];
    return a.s[0];
}

//@ memory_d: vector_d
CT_INLINE vd ct_load_d(const double *p) { return *(const ct_vd_at *)p; }
CT_INLINE void ct_store_d(double *p, vd x) { *(ct_vd_at *)p = x; }
CT_INLINE vl ct_load_l(const int64_t *p) { return *(const ct_vl_at *)p; }
CT_INLINE void ct_store_l(int64_t *p, vl x) { *(ct_vl_at *)p = x; }
#if CT_X86 == 64
#define CT_FIRST(n) ((1u << (n)) - 1)
#endif
// The first n lanes, 0 <= n <= CT_WD; the others are `rest` and are not read.
CT_INLINE vd ct_load_n_d(const double *p, int64_t n, vd rest) {
#if CT_X86 == 64
    return __builtin_ia32_loadupd512_mask(p, rest, CT_FIRST(n));
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) rest[i] = p[i];
    return rest;
#endif
}
CT_INLINE vl ct_load_n_l(const int64_t *p, int64_t n, vl rest) {
    return (vl)ct_load_n_d((const double *)p, n, (vd)rest);
}
CT_INLINE void ct_store_n_d(double *p, int64_t n, vd x) {
#if CT_X86 == 64
    __builtin_ia32_storeupd512_mask(p, x, CT_FIRST(n));
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[i] = x[i];
#endif
}
CT_INLINE void ct_store_n_l(int64_t *p, int64_t n, vl x) {
#if CT_X86 == 64
    __builtin_ia32_storedqudi512_mask((long long *)p, (ct_vll)x, CT_FIRST(n));
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[i] = x[i];
#endif
}
// p[0], p[step], p[2 step], ...
#if CT_X86 == 64
// Positions of the lanes, if neighbours are so far apart.
#define CT_APART(step) ((ct_vll){0, 1, 2, 3, 4, 5, 6, 7} * (step))
#endif
CT_INLINE vd ct_load_step_d(const double *p, int64_t step) {
    // Backwards: neighbours, the other way round.
    if (__builtin_constant_p(step) && step == -1) return ct_reverse_d(ct_load_d(p - (CT_WD - 1)));
#if CT_X86 == 64
    // Pairs and triples: whole vectors, but for what is behind the last element.
    if (__builtin_constant_p(step) && step == 2) {
        vd a = ct_load_n_d(p, 8, (vd){0}), b = ct_load_n_d(p + 8, 7, (vd){0});
        return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    }
    if (__builtin_constant_p(step) && step == 3) {
        vd a = ct_load_n_d(p, 8, (vd){0}), b = ct_load_n_d(p + 8, 8, (vd){0});
        vd c = ct_load_n_d(p + 16, 6, (vd){0});
        a = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
        return __builtin_shufflevector(a, c, 0, 1, 2, 3, 4, 5, 10, 13);
    }
    return __builtin_ia32_gatherdiv8df((vd){0}, p, CT_APART(step), -1, 8);
#else
    vd r;
    for (int i = 0; i < CT_WD; i++) r[i] = p[i * step];
    return r;
#endif
}
CT_INLINE vl ct_load_step_l(const int64_t *p, int64_t step) {
    if (__builtin_constant_p(step) && step == -1) return ct_reverse_l(ct_load_l(p - (CT_WD - 1)));
    vl r;
    for (int i = 0; i < CT_WD; i++) r[i] = p[i * step];
    return r;
}
CT_INLINE void ct_store_step_d(double *p, int64_t step, vd x) {
    if (__builtin_constant_p(step) && step == -1) {
        ct_store_d(p - (CT_WD - 1), ct_reverse_d(x));
        return;
    }
#if CT_X86 == 64
    __builtin_ia32_scatterdiv8df(p, -1, CT_APART(step), x, 8);
#else
    for (int i = 0; i < CT_WD; i++) p[i * step] = x[i];
#endif
}
#if CT_X86 == 64
// The first n of these vectors are the first columns of eight rows. A scatter takes a write for every
// element; turned in registers there is one for every row. By builtins, since GCC 12 makes some
// permutations wrong.
#define CT_EVEN(x, y) __builtin_ia32_unpcklpd512_mask(x, y, (vd){0}, -1)
#define CT_ODD(x, y) __builtin_ia32_unpckhpd512_mask(x, y, (vd){0}, -1)
#define CT_PAIRS(x, y, which) __builtin_ia32_shuf_f64x2_mask(x, y, which, (vd){0}, -1)
typedef double ct_vh __attribute__((vector_size(32)));
CT_INLINE void ct_store_half_d(double *p, int n, ct_vh x) {
    __builtin_ia32_storeupd256_mask(p, x, (unsigned char)CT_FIRST(n));
}
// Two rows of four.
CT_INLINE void ct_store_two_d(double *p, int64_t step, int n, vd x, vd y, ct_vll which) {
    vd two = __builtin_ia32_vpermt2varpd512_mask(which, x, y, -1);
    ct_store_half_d(p, n, __builtin_ia32_extractf64x4_mask(two, 0, (ct_vh){0}, -1));
    ct_store_half_d(p + 2 * step, n, __builtin_ia32_extractf64x4_mask(two, 1, (ct_vh){0}, -1));
}
CT_INLINE void ct_store_rows4_d(double *p, int64_t step, int n, vd x0, vd x1, vd x2, vd x3) {
    const ct_vll low = {0, 1, 8, 9, 2, 3, 10, 11}, high = {4, 5, 12, 13, 6, 7, 14, 15};
    vd a = CT_EVEN(x0, x1), b = CT_ODD(x0, x1), c = CT_EVEN(x2, x3), d = CT_ODD(x2, x3);
    ct_store_two_d(p, step, n, a, c, low);
    ct_store_two_d(p + step, step, n, b, d, low);
    ct_store_two_d(p + 4 * step, step, n, a, c, high);
    ct_store_two_d(p + 5 * step, step, n, b, d, high);
}
// Four rows of eight, every other one, of two columns each.
CT_INLINE void ct_store_four_d(double *p, int64_t step, int n, vd x0, vd x1, vd x2, vd x3) {
    vd a = CT_PAIRS(x0, x1, 0x88), b = CT_PAIRS(x0, x1, 0xdd);
    vd c = CT_PAIRS(x2, x3, 0x88), d = CT_PAIRS(x2, x3, 0xdd);
    ct_store_n_d(p, n, CT_PAIRS(a, c, 0x88));
    ct_store_n_d(p + 2 * step, n, CT_PAIRS(b, d, 0x88));
    ct_store_n_d(p + 4 * step, n, CT_PAIRS(a, c, 0xdd));
    ct_store_n_d(p + 6 * step, n, CT_PAIRS(b, d, 0xdd));
}
CT_INLINE void ct_store_rows8_d(double *p, int64_t step, int n, vd x0, vd x1, vd x2, vd x3, vd x4, vd x5,
                                vd x6, vd x7) {
    ct_store_four_d(p, step, n, CT_EVEN(x0, x1), CT_EVEN(x2, x3), CT_EVEN(x4, x5), CT_EVEN(x6, x7));
    ct_store_four_d(p + step, step, n, CT_ODD(x0, x1), CT_ODD(x2, x3), CT_ODD(x4, x5), CT_ODD(x6, x7));
}
#endif
CT_INLINE void ct_store_step_l(int64_t *p, int64_t step, vl x) {
    if (__builtin_constant_p(step) && step == -1) {
        ct_store_l(p - (CT_WD - 1), ct_reverse_l(x));
        return;
    }
    for (int i = 0; i < CT_WD; i++) p[i * step] = x[i];
}
CT_INLINE vd ct_load_step_n_d(const double *p, int64_t step, int64_t n, vd rest) {
#if CT_X86 == 64
    return __builtin_ia32_gatherdiv8df(rest, p, CT_APART(step), CT_FIRST(n), 8);
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) rest[i] = p[i * step];
    return rest;
#endif
}
CT_INLINE vl ct_load_step_n_l(const int64_t *p, int64_t step, int64_t n, vl rest) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) rest[i] = p[i * step];
    return rest;
}
CT_INLINE void ct_store_step_n_d(double *p, int64_t step, int64_t n, vd x) {
#if CT_X86 == 64
    __builtin_ia32_scatterdiv8df(p, CT_FIRST(n), CT_APART(step), x, 8);
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[i * step] = x[i];
#endif
}
CT_INLINE void ct_store_step_n_l(int64_t *p, int64_t step, int64_t n, vl x) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[i * step] = x[i];
}
// p[index[0]], p[index[1]], ...
CT_INLINE vd ct_gather_d(const double *p, vl index) {
#if CT_X86 == 64
    return __builtin_ia32_gatherdiv8df((vd){0}, p, (ct_vll)index, -1, 8);
#else
    vd r;
    for (int i = 0; i < CT_WD; i++) r[i] = p[index[i]];
    return r;
#endif
}
CT_INLINE vl ct_gather_l(const int64_t *p, vl index) {
#if CT_X86 == 64
    return (vl)__builtin_ia32_gatherdiv8di((ct_vll){0}, (const long long *)p, (ct_vll)index, -1, 8);
#else
    vl r;
    for (int i = 0; i < CT_WD; i++) r[i] = p[index[i]];
    return r;
#endif
}
CT_INLINE vd ct_gather_n_d(const double *p, vl index, int64_t n, vd rest) {
#if CT_X86 == 64
    return __builtin_ia32_gatherdiv8df(rest, p, (ct_vll)index, CT_FIRST(n), 8);
#else
    for (int i = 0; i < CT_WD; i++)
        if (i < n) rest[i] = p[index[i]];
    return rest;
#endif
}
CT_INLINE vl ct_gather_n_l(const int64_t *p, vl index, int64_t n, vl rest) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) rest[i] = p[index[i]];
    return rest;
}
// Lane by lane in order, so that a later lane wins, or all add up, where indices are equal.
CT_INLINE void ct_scatter_d(double *p, vl index, vd x) {
    for (int i = 0; i < CT_WD; i++) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_l(int64_t *p, vl index, vl x) {
    for (int i = 0; i < CT_WD; i++) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_add_d(double *p, vl index, vd x) {
    for (int i = 0; i < CT_WD; i++) p[index[i]] += x[i];
}
CT_INLINE void ct_scatter_n_d(double *p, vl index, int64_t n, vd x) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_n_l(int64_t *p, vl index, int64_t n, vl x) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_add_n_d(double *p, vl index, int64_t n, vd x) {
    for (int i = 0; i < CT_WD; i++)
        if (i < n) p[index[i]] += x[i];
}

//@ scalar_f: base
CT_INLINE float ct_set_f1(float x) { return x; }
CT_INLINE int32_t ct_bits_f1(float x) {
    int32_t k;
    memcpy(&k, &x, 4);
    return k;
}
CT_INLINE float ct_from_bits_f1(int32_t k) {
    float x;
    memcpy(&x, &k, 4);
    return x;
}
CT_INLINE float ct_sel_f1(int32_t m, float x, float y) { return m ? x : y; }
CT_INLINE int ct_any_f1(int32_t m) { return m != 0; }
CT_INLINE int ct_any_nan_f1(float x) { return __builtin_expect(x != x, 0); }
CT_INLINE float ct_abs_f1(float x) { return __builtin_fabsf(x); }
CT_INLINE float ct_copysign_f1(float x, float y) { return __builtin_copysignf(x, y); }
CT_INLINE float ct_sqrt_f1(float x) { return __builtin_sqrtf(x); }
CT_INLINE float ct_floor_f1(float x) { return __builtin_floorf(x); }
CT_INLINE float ct_ceil_f1(float x) { return __builtin_ceilf(x); }
CT_INLINE float ct_fma_f1(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CT_INLINE float ct_ma_f1(float x, float y, float z) {
    return CT_FMA ? __builtin_fmaf(x, y, z) : x * y + z;
}
CT_INLINE float ct_at_most_f1(float x, float c) { return c < x ? c : x; }
CT_INLINE float ct_at_least_f1(float x, float c) { return c > x ? c : x; }
// As the interpreter: to the nearest double, then to the nearest float.
CT_INLINE float ct_real_f1(int64_t k) { return (float)(double)k; }
CT_INLINE int64_t ct_int_f1(float x) {
    if (x >= 9223372036854775808.0f) return INT64_MAX;
    if (x < -9223372036854775808.0f) return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}

//@ vector_f: scalar_f vector_d
typedef float vf __attribute__((vector_size(CT_BYTES)));
typedef int32_t vi __attribute__((vector_size(CT_BYTES)));
typedef uint32_t ct_vv __attribute__((vector_size(CT_BYTES)));
typedef int64_t vw __attribute__((vector_size(2 * CT_BYTES)));
typedef float ct_half_f __attribute__((vector_size(CT_BYTES / 2)));
typedef float ct_vf_at __attribute__((vector_size(CT_BYTES), aligned(4), may_alias));
typedef int64_t ct_vw_at __attribute__((vector_size(2 * CT_BYTES), aligned(8), may_alias));
typedef union {
    vf v;
    float s[CT_WF];
    ct_half_f h[2];
} ct_lanes_f;
typedef union {
    vw v;
    vl h[2];
    int64_t s[CT_WF];
} ct_lanes_w;
CT_INLINE vf ct_set_f(float x) { return x - (vf){0}; }
CT_INLINE vw ct_set_w(int64_t k) { return k - (vw){0}; }
CT_INLINE vi ct_bits_f(vf x) { return (vi)x; }
CT_INLINE vf ct_from_bits_f(vi k) { return (vf)k; }
CT_INLINE vf ct_sel_f(vi m, vf x, vf y) { return (vf)((m & (vi)x) + (~m & (vi)y)); }
CT_INLINE int ct_any_f(vi m) { return ct_any_d((vl)m | ((vl)m << 32)); }
CT_INLINE int ct_all_f(vi m) { return !ct_any_f(~m); }
CT_INLINE int ct_any_nan_f(vf x) {
#if CT_X86 == 64
    return __builtin_expect(__builtin_ia32_cmpps512_mask(x, x, 3, -1, 4) != 0, 0);
#else
    return __builtin_expect(ct_any_f((vi)(x != x)), 0);
#endif
}
CT_INLINE vf ct_abs_f(vf x) { return (vf)((vi)x & INT32_MAX); }
CT_INLINE vf ct_copysign_f(vf x, vf y) {
    return (vf)(((vi)x & INT32_MAX) | ((vi)y & INT32_MIN));
}
CT_INLINE vf ct_sqrt_f(vf x) {
#if CT_X86 == 64
    return __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_sqrtps256(x);
#elif CT_X86 == 16
    return __builtin_ia32_sqrtps(x);
#else
    for (int i = 0; i < CT_WF; i++) x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}
CT_INLINE vf ct_fma_f(vf x, vf y, vf z) {
#if CT_X86 == 64
    return __builtin_ia32_vfmaddps512_mask(x, y, z, -1, 4);
#elif CT_X86 == 32 && CT_FMA
    return __builtin_ia32_vfmaddps256(x, y, z);
#elif CT_X86 == 16 && CT_FMA
    return __builtin_ia32_vfmaddps(x, y, z);
#else
    for (int i = 0; i < CT_WF; i++) z[i] = __builtin_fmaf(x[i], y[i], z[i]);
    return z;
#endif
}
CT_INLINE vf ct_at_most_f(vf x, vf c) {
#if CT_X86 == 64
    return __builtin_ia32_minps512_mask(c, x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_minps256(c, x);
#elif CT_X86 == 16
    return __builtin_ia32_minps(c, x);
#else
    return ct_sel_f((vi)(c < x), c, x);
#endif
}
CT_INLINE vf ct_at_least_f(vf x, vf c) {
#if CT_X86 == 64
    return __builtin_ia32_maxps512_mask(c, x, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_maxps256(c, x);
#elif CT_X86 == 16
    return __builtin_ia32_maxps(c, x);
#else
    return ct_sel_f((vi)(c > x), c, x);
#endif
}
CT_INLINE vf ct_ma_f(vf x, vf y, vf z) { return CT_FMA ? ct_fma_f(x, y, z) : x * y + z; }
CT_INLINE vf ct_floor_f(vf x) {
#if CT_X86 == 64
    return __builtin_ia32_rndscaleps_mask(x, 9, x, -1, 4);
#elif CT_X86 == 32
    return __builtin_ia32_roundps256(x, 9);
#else
    vf y = ct_abs_f(x), r = (y + 0x1p23f) - 0x1p23f;
    r = ct_copysign_f(r, x);
    r = r - (vf)((r > x) & (vi)ct_set_f(1.0f));
    return ct_sel_f(y < 0x1p23f, ct_copysign_f(r, x), x);
#endif
}
CT_INLINE vf ct_ceil_f(vf x) { return -ct_floor_f(-x); }
// The halves as doubles, and back.
CT_INLINE vd ct_low_f(vf x) {
    ct_lanes_f a = {x};
    return __builtin_convertvector(a.h[0], vd);
}
CT_INLINE vd ct_high_f(vf x) {
    ct_lanes_f a = {x};
    return __builtin_convertvector(a.h[1], vd);
}
CT_INLINE vf ct_join_f(vd low, vd high) {
    ct_lanes_f a;
    a.h[0] = __builtin_convertvector(low, ct_half_f);
    a.h[1] = __builtin_convertvector(high, ct_half_f);
    return a.v;
}
CT_INLINE vw ct_join_w(vl low, vl high) {
    ct_lanes_w a;
    a.h[0] = low;
    a.h[1] = high;
    return a.v;
}
// Masks of floats from masks of int64, and back.
CT_INLINE vi ct_mask_of_w(vw m) { return __builtin_convertvector(m, vi); }
CT_INLINE vw ct_mask_to_w(vi m) { return __builtin_convertvector(m, vw); }
CT_INLINE vw ct_sel_w(vi m, vw x, vw y) {
    vw k = ct_mask_to_w(m);
    return (k & x) | (~k & y);
}
CT_INLINE vf ct_real_f(vw k) {
    ct_lanes_w a = {k};
    return ct_join_f(ct_real_d(a.h[0]), ct_real_d(a.h[1]));
}
CT_INLINE vw ct_int_f(vf x) { return ct_join_w(ct_int_d(ct_low_f(x)), ct_int_d(ct_high_f(x))); }
CT_INLINE vf ct_reverse_f(vf x) {
    ct_lanes_f a = {x};
    return ct_join_f(ct_reverse_d(__builtin_convertvector(a.h[1], vd)),
                     ct_reverse_d(__builtin_convertvector(a.h[0], vd)));
}
CT_INLINE vw ct_reverse_w(vw x) {
    ct_lanes_w a = {x};
    return ct_join_w(ct_reverse_l(a.h[1]), ct_reverse_l(a.h[0]));
}
CT_INLINE vw ct_iota_w(void) { return ct_join_w(ct_iota_l(), ct_iota_l() + CT_WD); }
CT_INLINE float ct_sum_f(vf x) {
    ct_lanes_f a = {x};
    for (int n = CT_WF / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] += a.s[i + n];
    return a.s[0];
}
CT_INLINE float ct_product_f(vf x) {
    ct_lanes_f a = {x};
    for (int n = CT_WF / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] *= a.s[i + n];
    return a.s[0];
}

//@ memory_f: vector_f memory_d
CT_INLINE vf ct_load_f(const float *p) { return *(const ct_vf_at *)p; }
CT_INLINE void ct_store_f(float *p, vf x) { *(ct_vf_at *)p = x; }
CT_INLINE vw ct_load_w(const int64_t *p) { return *(const ct_vw_at *)p; }
CT_INLINE void ct_store_w(int64_t *p, vw x) { *(ct_vw_at *)p = x; }
CT_INLINE vf ct_load_n_f(const float *p, int64_t n, vf rest) {
#if CT_X86 == 64
    return __builtin_ia32_loadups512_mask(p, rest, CT_FIRST(n));
#else
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[i];
    return rest;
#endif
}
CT_INLINE vw ct_load_n_w(const int64_t *p, int64_t n, vw rest) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[i];
    return rest;
}
CT_INLINE void ct_store_n_f(float *p, int64_t n, vf x) {
#if CT_X86 == 64
    __builtin_ia32_storeups512_mask(p, x, CT_FIRST(n));
#else
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[i] = x[i];
#endif
}
CT_INLINE void ct_store_n_w(int64_t *p, int64_t n, vw x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[i] = x[i];
}
CT_INLINE vf ct_load_step_f(const float *p, int64_t step) {
    if (__builtin_constant_p(step) && step == -1) return ct_reverse_f(ct_load_f(p - (CT_WF - 1)));
    vf r;
    for (int i = 0; i < CT_WF; i++) r[i] = p[i * step];
    return r;
}
CT_INLINE vw ct_load_step_w(const int64_t *p, int64_t step) {
    if (__builtin_constant_p(step) && step == -1) return ct_reverse_w(ct_load_w(p - (CT_WF - 1)));
    vw r;
    for (int i = 0; i < CT_WF; i++) r[i] = p[i * step];
    return r;
}
CT_INLINE void ct_store_step_f(float *p, int64_t step, vf x) {
    if (__builtin_constant_p(step) && step == -1) {
        ct_store_f(p - (CT_WF - 1), ct_reverse_f(x));
        return;
    }
    for (int i = 0; i < CT_WF; i++) p[i * step] = x[i];
}
CT_INLINE void ct_store_step_w(int64_t *p, int64_t step, vw x) {
    if (__builtin_constant_p(step) && step == -1) {
        ct_store_w(p - (CT_WF - 1), ct_reverse_w(x));
        return;
    }
    for (int i = 0; i < CT_WF; i++) p[i * step] = x[i];
}
CT_INLINE vf ct_load_step_n_f(const float *p, int64_t step, int64_t n, vf rest) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[i * step];
    return rest;
}
CT_INLINE vw ct_load_step_n_w(const int64_t *p, int64_t step, int64_t n, vw rest) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[i * step];
    return rest;
}
CT_INLINE void ct_store_step_n_f(float *p, int64_t step, int64_t n, vf x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[i * step] = x[i];
}
CT_INLINE void ct_store_step_n_w(int64_t *p, int64_t step, int64_t n, vw x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[i * step] = x[i];
}
CT_INLINE vf ct_gather_f(const float *p, vw index) {
#if CT_X86 == 64
    ct_lanes_w k = {index};
    ct_lanes_f r;
    r.h[0] = __builtin_ia32_gatherdiv16sf((ct_half_f){0}, p, (ct_vll)k.h[0], -1, 4);
    r.h[1] = __builtin_ia32_gatherdiv16sf((ct_half_f){0}, p, (ct_vll)k.h[1], -1, 4);
    return r.v;
#else
    vf r;
    for (int i = 0; i < CT_WF; i++) r[i] = p[index[i]];
    return r;
#endif
}
CT_INLINE vw ct_gather_w(const int64_t *p, vw index) {
    ct_lanes_w k = {index};
    return ct_join_w(ct_gather_l(p, k.h[0]), ct_gather_l(p, k.h[1]));
}
CT_INLINE vf ct_gather_n_f(const float *p, vw index, int64_t n, vf rest) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[index[i]];
    return rest;
}
CT_INLINE vw ct_gather_n_w(const int64_t *p, vw index, int64_t n, vw rest) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) rest[i] = p[index[i]];
    return rest;
}
CT_INLINE void ct_scatter_f(float *p, vw index, vf x) {
    for (int i = 0; i < CT_WF; i++) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_w(int64_t *p, vw index, vw x) {
    for (int i = 0; i < CT_WF; i++) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_add_f(float *p, vw index, vf x) {
    for (int i = 0; i < CT_WF; i++) p[index[i]] += x[i];
}
CT_INLINE void ct_scatter_n_f(float *p, vw index, int64_t n, vf x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_n_w(int64_t *p, vw index, int64_t n, vw x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[index[i]] = x[i];
}
CT_INLINE void ct_scatter_add_n_f(float *p, vw index, int64_t n, vf x) {
    for (int i = 0; i < CT_WF; i++)
        if (i < n) p[index[i]] += x[i];
}

//@ int:
// Int of the language: wraps; division rounds down. By 0 it gives 0: a check comes before, but
// lanes and operands that are not chosen are computed too.
CT_INLINE int64_t ct_int_div1(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return (int64_t)(0 - (uint64_t)x);
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}
CT_INLINE int64_t ct_int_rem1(int64_t x, int64_t y) {
    if (y == -1 || y == 0) return 0;
    int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
// y >= 0
CT_INLINE int64_t ct_int_pow1(int64_t x, int64_t y) {
    uint64_t base = (uint64_t)x, res = 1;
    for (; y > 0; y >>= 1, base *= base)
        if (y & 1) res *= base;
    return (int64_t)res;
}
CT_INLINE int64_t ct_int_add1(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }
CT_INLINE int64_t ct_int_sub1(int64_t x, int64_t y) { return (int64_t)((uint64_t)x - (uint64_t)y); }
CT_INLINE int64_t ct_int_mul1(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }
// Shifts by the amount modulo 64.
CT_INLINE int64_t ct_int_bit_and1(int64_t x, int64_t y) { return x & y; }
CT_INLINE int64_t ct_int_bit_or1(int64_t x, int64_t y) { return x | y; }
CT_INLINE int64_t ct_int_bit_xor1(int64_t x, int64_t y) { return x ^ y; }
CT_INLINE int64_t ct_int_shift_left1(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x << (y & 63));
}
CT_INLINE int64_t ct_int_shift_right1(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x >> (y & 63));
}
CT_INLINE int64_t ct_int_neg1(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
CT_INLINE int64_t ct_int_abs1(int64_t x) { return x < 0 ? ct_int_neg1(x) : x; }
CT_INLINE int64_t ct_int_sign1(int64_t x) { return (x > 0) - (x < 0); }
CT_INLINE int64_t ct_int_min1(int64_t x, int64_t y) { return x < y ? x : y; }
CT_INLINE int64_t ct_int_max1(int64_t x, int64_t y) { return x > y ? x : y; }

//@ generic: int
// The names that generated code uses, for either type of reals.
#ifdef CT_F32
#define CT_R(name) ct_##name##_f
#define CT_R1(name) ct_##name##_f1
#define CT_N(name) ct_##name##_w
#define CT_W CT_WF
typedef vf vr;
typedef vw vn;
typedef vi vb;
typedef ct_vv ct_vb_unsigned;
typedef uint64_t ct_vn_unsigned __attribute__((vector_size(2 * CT_BYTES)));
#else
#define CT_R(name) ct_##name##_d
#define CT_R1(name) ct_##name##_d1
#define CT_N(name) ct_##name##_l
#define CT_W CT_WD
typedef vd vr;
typedef vl vn;
typedef vl vb;
typedef ct_vu ct_vn_unsigned;
#endif
#define ct_set CT_R(set)
#define ct_set_n CT_N(set)
#define ct_iota CT_N(iota)
#define ct_load CT_R(load)
#define ct_store CT_R(store)
#define ct_load_n CT_R(load_n)
#define ct_store_n CT_R(store_n)
#define ct_load_step CT_R(load_step)
#define ct_store_step CT_R(store_step)
#define ct_load_step_n CT_R(load_step_n)
#define ct_store_step_n CT_R(store_step_n)
#define ct_gather CT_R(gather)
#define ct_gather_n CT_R(gather_n)
#define ct_scatter CT_R(scatter)
#define ct_scatter_n CT_R(scatter_n)
#define ct_scatter_add CT_R(scatter_add)
#define ct_scatter_add_n CT_R(scatter_add_n)
#define ct_int_load CT_N(load)
#define ct_int_store CT_N(store)
#define ct_int_load_n CT_N(load_n)
#define ct_int_store_n CT_N(store_n)
#define ct_int_load_step CT_N(load_step)
#define ct_int_store_step CT_N(store_step)
#define ct_int_load_step_n CT_N(load_step_n)
#define ct_int_store_step_n CT_N(store_step_n)
#define ct_int_gather CT_N(gather)
#define ct_int_gather_n CT_N(gather_n)
#define ct_int_scatter CT_N(scatter)
#define ct_int_scatter_n CT_N(scatter_n)
#define ct_select CT_R(sel)
#define ct_select1 CT_R1(sel)
#define ct_int_select CT_N(sel)
#define ct_any CT_R(any)
#define ct_any_nan CT_R(any_nan)
#define ct_all CT_R(all)
#define ct_fma CT_R(fma)
#define ct_ma CT_R(ma)
#define ct_fma1 CT_R1(fma)
#define ct_ma1 CT_R1(ma)
#define ct_abs CT_R(abs)
#define ct_abs1 CT_R1(abs)
#define ct_copysign CT_R(copysign)
#define ct_copysign1 CT_R1(copysign)
#define ct_sqrt CT_R(sqrt)
#define ct_sqrt1 CT_R1(sqrt)
#define ct_floor CT_R(floor)
#define ct_floor1 CT_R1(floor)
#define ct_ceil CT_R(ceil)
#define ct_ceil1 CT_R1(ceil)
#define ct_sum CT_R(sum)
#define ct_product CT_R(product)
#define ct_reverse CT_R(reverse)
#define ct_int_reverse CT_N(reverse)
#define ct_real CT_R(real)
#define ct_real1 CT_R1(real)
#define ct_int CT_R(int)
#define ct_int1 CT_R1(int)
// Masks of Ints: of the width of reals, as those of reals. Arithmetic wraps.
#ifdef CT_F32
#define CT_INT_COMPARE(name, op)                                             \
    CT_INLINE vb ct_int_##name(vn x, vn y) {                                 \
        ct_lanes_w a = {x}, b = {y};                                         \
        return ct_mask_of_w(ct_join_w((vl)(a.h[0] op b.h[0]), (vl)(a.h[1] op b.h[1]))); \
    }
#else
#define CT_INT_COMPARE(name, op) \
    CT_INLINE vb ct_int_##name(vn x, vn y) { return (vb)(x op y); }
#endif
CT_INT_COMPARE(lt, <)
CT_INT_COMPARE(le, <=)
CT_INT_COMPARE(gt, >)
CT_INT_COMPARE(ge, >=)
CT_INT_COMPARE(eq, ==)
CT_INT_COMPARE(ne, !=)
CT_INLINE vn ct_int_add(vn x, vn y) { return (vn)((ct_vn_unsigned)x + (ct_vn_unsigned)y); }
CT_INLINE vn ct_int_sub(vn x, vn y) { return (vn)((ct_vn_unsigned)x - (ct_vn_unsigned)y); }
CT_INLINE vn ct_int_mul(vn x, vn y) { return (vn)((ct_vn_unsigned)x * (ct_vn_unsigned)y); }
CT_INLINE vn ct_int_bit_and(vn x, vn y) { return x & y; }
CT_INLINE vn ct_int_bit_or(vn x, vn y) { return x | y; }
CT_INLINE vn ct_int_bit_xor(vn x, vn y) { return x ^ y; }
CT_INLINE vn ct_int_shift_left(vn x, vn y) {
    return (vn)((ct_vn_unsigned)x << (ct_vn_unsigned)(y & 63));
}
CT_INLINE vn ct_int_shift_right(vn x, vn y) {
    return (vn)((ct_vn_unsigned)x >> (ct_vn_unsigned)(y & 63));
}
CT_INLINE vn ct_int_neg(vn x) { return (vn)(0 - (ct_vn_unsigned)x); }
CT_INLINE vn ct_int_min(vn x, vn y) { return ct_int_select(ct_int_lt(x, y), x, y); }
CT_INLINE vn ct_int_max(vn x, vn y) { return ct_int_select(ct_int_gt(x, y), x, y); }
CT_INLINE vn ct_int_abs(vn x) { return ct_int_max(x, ct_int_neg(x)); }
CT_INLINE vn ct_int_sign(vn x) {
    return ct_int_max(ct_int_min(x, ct_set_n(1)), ct_set_n(-1));
}
CT_INLINE vn ct_int_div(vn x, vn y) {
    for (int i = 0; i < CT_W; i++) x[i] = ct_int_div1(x[i], y[i]);
    return x;
}
CT_INLINE vn ct_int_rem(vn x, vn y) {
    for (int i = 0; i < CT_W; i++) x[i] = ct_int_rem1(x[i], y[i]);
    return x;
}
// By the same positive number in all lanes, a literal: towards minus infinity, as above. One that is a power of
// two is shifted and masked.
CT_INLINE vn ct_int_div_by(vn x, int64_t y) {
    if ((y & (y - 1)) == 0) return x >> __builtin_ctzll((unsigned long long)y);
    for (int i = 0; i < CT_W; i++) x[i] = ct_int_div1(x[i], y);
    return x;
}
CT_INLINE vn ct_int_rem_by(vn x, int64_t y) {
    if ((y & (y - 1)) == 0) return x & (y - 1);
    for (int i = 0; i < CT_W; i++) x[i] = ct_int_rem1(x[i], y);
    return x;
}
CT_INLINE vn ct_int_pow(vn x, vn y) {
    for (int i = 0; i < CT_W; i++) x[i] = ct_int_pow1(x[i], y[i]);
    return x;
}
CT_INLINE int64_t ct_int_sum(vn x) {
    int64_t r = 0;
    for (int i = 0; i < CT_W; i++) r = ct_int_add1(r, x[i]);
    return r;
}
CT_INLINE int64_t ct_int_product(vn x) {
    int64_t r = 1;
    for (int i = 0; i < CT_W; i++) r = ct_int_mul1(r, x[i]);
    return r;
}
