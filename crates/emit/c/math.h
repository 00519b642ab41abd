// Functions on reals, 64 bits; math32.h has those on 32 bits. Our own: every coefficient is
// derived by derive.py, errors are measured by tests/math.rs, docs/internals/vector-math.md
// has the table.
//
// Every section is a template in C, pasted once for vectors and once for scalars, with these
// macros (sections `mode_d1`, `mode_d`, ...) before it and `mode_end` behind:
//     T K U E   the reals, integers and unsigned integers of the family, and one element
//     F(name)   the name in the family: ct_name_d or ct_name_d1
//     V(c)      a constant in all lanes; operators take constants as they are
//     MASK(x < y)  the mask of a comparison
//     VEC       1 for vectors, 0 for scalars
// So a lane of a vector has the same bits as the scalar function. A need of `name` is meant for
// the same family, a need of `name1` for the scalar one.
//
// Sums that are nearly exact are written h = a + b, e = (a - h) + b with |a| >= |b|: e is what
// the sum lost. Each function says its greatest error in units in the last place (ulp).

//@ mode_d1: scalar_d
#define VEC 0
#define T double
#define E double
#define K int64_t
#define U uint64_t
#define F(name) ct_##name##_d1
#define V(c) (c)
#define MASK(c) (-(int64_t)(c))
#define LEFT(x, n) ((int64_t)((uint64_t)(x) << (n)))

//@ mode_d: vector_d
#define VEC 1
#define T vd
#define E double
#define K vl
#define U ct_vu
#define F(name) ct_##name##_d
#define V(c) ((c) - (vd){0})
#define MASK(c) ((vl)(c))
#define LEFT(x, n) ((vl)((ct_vu)(x) << (n)))

//@ mode_end:
#undef VEC
#undef T
#undef E
#undef K
#undef U
#undef F
#undef V
#undef MASK
#undef LEFT
#undef THROUGH
#undef THROUGH2

//@ poly:
// Polynomials, lowest coefficient first, two of them at a time: as many operations as by
// Horner's rule and one more, at half the latency. y = x * x.
#define CT_PAIR(x, a, b) F(ma)(x, V(b), V(a))
#define CT_POLY1(x, y, a) V(a)
#define CT_POLY2(x, y, a, b) CT_PAIR(x, a, b)
#define CT_POLY3(x, y, a, b, ...) F(ma)(CT_POLY1(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY4(x, y, a, b, ...) F(ma)(CT_POLY2(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY5(x, y, a, b, ...) F(ma)(CT_POLY3(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY6(x, y, a, b, ...) F(ma)(CT_POLY4(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY7(x, y, a, b, ...) F(ma)(CT_POLY5(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY8(x, y, a, b, ...) F(ma)(CT_POLY6(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY9(x, y, a, b, ...) F(ma)(CT_POLY7(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY10(x, y, a, b, ...) F(ma)(CT_POLY8(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY11(x, y, a, b, ...) F(ma)(CT_POLY9(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY12(x, y, a, b, ...) F(ma)(CT_POLY10(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY13(x, y, a, b, ...) F(ma)(CT_POLY11(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY14(x, y, a, b, ...) F(ma)(CT_POLY12(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY16(x, y, a, b, ...) F(ma)(CT_POLY14(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))
#define CT_POLY18(x, y, a, b, ...) F(ma)(CT_POLY16(x, y, __VA_ARGS__), y, CT_PAIR(x, a, b))

//@ err_d:
// x * y - p, exact, where p = x * y as rounded; without fused multiply-add by Dekker's halves.
CT_INLINE T F(err)(T x, T y, T p) {
#if CT_FMA
    return F(ma)(x, y, -p);
#else
    T a = x * 134217729.0, b = y * 134217729.0;
    T xh = a - (a - x), yh = b - (b - y), xl = x - xh, yl = y - yh;
    return ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
#endif
}

//@ residual_d: err_d
// x - q * d, exact, where q is x / d nearly.
CT_INLINE T F(residual)(T x, T q, T d) {
#if CT_FMA
    return F(ma)(-q, d, x);
#else
    T p = q * d;
    return (x - p) - F(err)(q, d, p);
#endif
}

//@ min_d:
// The lesser; NaN if either is.
CT_INLINE T F(min)(T x, T y) { return F(sel)(MASK(x <= y) | MASK(x != x), x, y); }

//@ max_d:
// The greater; NaN if either is.
CT_INLINE T F(max)(T x, T y) { return F(sel)(MASK(x >= y) | MASK(x != x), x, y); }

//@ least_d: min_d1
#if VEC
// The least lane, by halves; NaN if any is.
CT_INLINE E F(least)(T x) {
    ct_lanes_d a = {x};
    for (int n = CT_WD / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] = ct_min_d1(a.s[i], a.s[i + n]);
    return a.s[0];
}
#endif

//@ greatest_d: max_d1
#if VEC
// The greatest lane, by halves; NaN if any is.
CT_INLINE E F(greatest)(T x) {
    ct_lanes_d a = {x};
    for (int n = CT_WD / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] = ct_max_d1(a.s[i], a.s[i + n]);
    return a.s[0];
}
#endif

//@ round_d:
// The nearest whole number, halves away from zero: the summand is the double below one half.
CT_INLINE T F(round)(T x) {
    return F(copysign)(F(floor)(F(abs)(x) + 0x1.fffffffffffffp-2), x);
}

//@ sign_d:
CT_INLINE T F(sign)(T x) {
    T r = F(sel)(MASK(x > 0), V(1.0), F(sel)(MASK(x < 0), V(-1.0), V(0.0)));
    return F(sel)(MASK(x != x), x, r);
}

//@ scale_d:
// x * y, but 0 if either is 0. Where that is another number, the product is none: 0 * inf. Adding 0
// makes no difference but to -0, which 0 times a negative number is.
CT_INLINE T F(scale)(T x, T y) {
#if CT_FMA
    T r = F(fma)(x, y, V(0.0));
    if (!F(any_nan)(r)) return r;
#endif
    return F(sel)(MASK(x == 0) | MASK(y == 0), V(0.0), x * y);
}

//@ scale_add_d: scale_d
// The same plus z, rounded once.
CT_INLINE T F(scale_add)(T x, T y, T z) {
#if CT_FMA
    T r = F(fma)(x, y, z);
    if (!F(any_nan)(r)) return r;
#endif
    return F(scale)(x, y) + z;
}

//@ rem_d:
CT_INLINE T F(rem)(T x, T y) { return x - y * F(floor)(x / y); }

//@ ldexp_d:
// x * 2^n for a whole n from -1100 to 1100, rounded once: two steps, the first one exact.
CT_INLINE T F(ldexp)(T x, T n) {
#if VEC && CT_X86 == 64
    return __builtin_ia32_scalefpd512_mask(x, n, x, -1, 4);
#else
    U k = (U)F(bits)(n + 0x1.8p52) - 0x4338000000000000, half = (k + 4096) >> 1;
    return x * F(from_bits)(LEFT(half - 1025, 52)) * F(from_bits)(LEFT(k - half + 3071, 52));
#endif
}

//@ exp_reduce_d:
// x = n ln 2 + r + lo with |r| <= ln(2) / 2; n times the first part of ln 2 is exact.
CT_INLINE T F(exp_reduce)(T x, T *n, T *lo) {
    *n = F(ma)(x, V(1.4426950408889634), V(0x1.8p52)) - 0x1.8p52;
    T a = F(ma)(*n, V(-0x1.62e42fee00000p-1), x), b = *n * 0x1.a39ef35793c76p-33, r = a - b;
    *lo = (a - r) - b;
    return r;
}

//@ exp_d: poly ldexp_d
// 2^n times a polynomial of degree 11 in r = x - n ln 2. 1.1 ulp.
CT_INLINE T F(exp)(T x) {
    T c = F(at_least)(F(at_most)(x, V(710.0)), V(-746.0));
    T n = F(ma)(c, V(1.4426950408889634), V(0x1.8p52)) - 0x1.8p52;
    T r = F(ma)(n, V(-0x1.62e42fee00000p-1), c);
    r = F(ma)(n, V(-0x1.a39ef35793c76p-33), r);
    T y = r * r;
    T p = CT_POLY10(r, y, 0.5000000000000012, 0.166666666666667, 0.04166666666651541,
        0.008333333333307292, 0.0013888888947017047, 0.00019841269917195414,
        2.480148994194976e-05, 2.7557216463194963e-06, 2.7631280218174793e-07,
        2.511781197412525e-08);
    return F(ldexp)(1.0 + F(ma)(p, y, r), n);
}

//@ expm1_poly_d: poly
// e^r - 1 - r for |r| <= ln(2) / 2.
CT_INLINE T F(expm1_poly)(T r) {
    T y = r * r;
    return y * CT_POLY11(r, y, 0.5, 0.16666666666666677, 0.0416666666666667,
        0.008333333333321615, 0.0013888888888866945, 0.00019841269886159183,
        2.4801587360396962e-05, 2.7557244181410585e-06, 2.755724286560789e-07,
        2.5109045022840513e-08, 2.092441683651887e-09);
}

//@ expm1_d: exp_reduce_d expm1_poly_d
// s (e^r - 1) + (s - 1) with s = 2^n, halved so that s does not overflow. 0.8 ulp.
CT_INLINE T F(expm1)(T x) {
    T c = F(at_least)(F(at_most)(x, V(710.0)), V(-40.0)), n, lo;
    T r = F(exp_reduce)(c, &n, &lo);
    T p = F(expm1_poly)(r) + lo;
    T s = F(from_bits)(LEFT((U)F(bits)(n + 0x1.8p52) + 1022, 52));
    T a = s - 0.5, b = s * r, h = a + b, e = (a - h) + b;
    return F(sel)(MASK(F(abs)(x) < 0x1p-60), x, (h + F(ma)(s, p, e)) * 2.0);
}

//@ log_core_d: poly
// log(u + c) + k ln 2 for a normal u > 0 and a c far below it: m 2^e with m about 1,
// s = (m - 1) / (m + 1), and the series of 2 atanh(s).
CT_INLINE T F(log_core)(T u, T c, T k) {
    K i = F(bits)(u), e = (K)(((U)i - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52);
    T m = F(from_bits)((K)((U)i - ((U)e << 52) + 0x3ff0000000000000)), f = m - 1.0;
    // 2^-e / m, to a few digits; 0 for the greatest e
    T d = F(from_bits)(LEFT(2047 - e, 52)) * F(ma)(f, F(ma)(f, V(0.5), V(-0.5)), V(0.5));
    k = k + (F(from_bits)(e | 0x4330000000000000) - (0x1p52 + 1023.0));
    T s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
    T p = z * CT_POLY7(z, (z * z), 0.6666666666666734, 0.3999999999941404, 0.2857142874254363,
        0.22222198555825506, 0.18183565294844956, 0.15314024141070828, 0.14796229614780054);
    T t = F(ma)(s, h + p, F(ma)(k, V(0x1.a39ef35793c76p-33), c * d));
    return F(ma)(k, V(0x1.62e42fee00000p-1), f - (h - t));
}

//@ log_d: poly
// As log_core, without the correction. Subnormal, infinite and other special arguments go
// another way. 0.8 ulp.
CT_INLINE T F(log_normal)(T x, T scaled) {
    K i = F(bits)(x), e = (K)(((U)i - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52);
    T m = F(from_bits)((K)((U)i - ((U)e << 52) + 0x3ff0000000000000)), f = m - 1.0;
    T k = F(from_bits)(e | 0x4330000000000000) - scaled;
    T s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
    T p = z * CT_POLY7(z, (z * z), 0.6666666666666734, 0.3999999999941404, 0.2857142874254363,
        0.22222198555825506, 0.18183565294844956, 0.15314024141070828, 0.14796229614780054);
    T t = F(ma)(s, h + p, k * 0x1.a39ef35793c76p-33);
    return F(ma)(k, V(0x1.62e42fee00000p-1), f - (h - t));
}
CT_COLD T F(log_any)(T x) {
    K tiny = MASK(x < 0x1p-1022);
    T r = F(log_normal)(F(sel)(tiny, x * 0x1p54, x), F(sel)(tiny, V(0x1p52 + 1077.0), V(0x1p52 + 1023.0)));
    T odd = F(sel)(MASK(x == 0), V(-__builtin_inf()), F(sel)(MASK(x < 0), V(__builtin_nan("")), x));
    return F(sel)(MASK(x > 0) & MASK(x < __builtin_inf()), r, odd);
}
CT_INLINE T F(log)(T x) {
    K odd = MASK(F(bits)(x) < 0x0010000000000000) | MASK(F(bits)(x) > 0x7fefffffffffffff);
    if (__builtin_expect(F(any)(odd), 0)) return F(log_any)(x);
    return F(log_normal)(x, V(0x1p52 + 1023.0));
}

//@ log1p_d: log_core_d
// log of 1 + x as the sum of two doubles. 0.9 ulp.
CT_INLINE T F(log1p)(T x) {
    T u = 1.0 + x, a = u - x, c = (x - (u - a)) + (1.0 - a);
    T r = F(log_core)(u, c, V(0.0));
    T odd = F(sel)(MASK(x == -1.0), V(-__builtin_inf()), F(sel)(MASK(x < 0), V(__builtin_nan("")), x));
    r = F(sel)(MASK(x > -1.0) & MASK(x < __builtin_inf()), r, odd);
    return F(sel)(MASK(F(abs)(x) < 0x1p-60), x, r);
}

//@ pi_reduce_d:
// x - h pi as r + lo, for h a multiple of a half and |x| below CT_PI_LIMIT_D; with fused
// multiply-add pi in three full parts, else in four whose products with h are exact.
#ifndef CT_PI_LIMIT_D
#define CT_PI_LIMIT_D (CT_FMA ? 1e9 : 4e6)
#endif
CT_INLINE T F(pi_reduce)(T x, T h, T *lo) {
#if CT_FMA
    T a = F(ma)(-h, V(0x1.921fb54442d18p+1), x), p = h * 0x1.1a62633145c07p-53, r = a - p;
    T pl = F(ma)(h, V(0x1.1a62633145c07p-53), -p);
    *lo = ((a - r) - p) - F(ma)(h, V(-0x1.f1976b7ed8fbcp-109), pl);
    return r;
#else
    T a = x - h * 0x1.921fb54400000p+1;
    T p = h * 0x1.0b4611a400000p-33, b = a - p, e = (a - b) - p;
    T q = h * 0x1.13198a2c00000p-64, r = b - q;
    *lo = (e + ((b - r) - q)) - h * 0x1.01b839a25204ap-95;
    return r;
#endif
}

//@ pi_rest_d: pi_reduce_d
// x - h pi as one number. With fused multiply-add the first difference is exact, and each product after
// it is: three steps, where the pair takes six, one after the other.
CT_INLINE T F(pi_rest)(T x, T h) {
#if CT_FMA
    T a = F(ma)(-h, V(0x1.921fb54442d18p+1), x);
    return F(ma)(-h, V(-0x1.f1976b7ed8fbcp-109), F(ma)(-h, V(0x1.1a62633145c07p-53), a));
#else
    T lo, r = F(pi_reduce)(x, h, &lo);
    return r + lo;
#endif
}

//@ sin_half_turn_d: poly err_d
// sin r for |r| <= pi / 2: r + r t by an odd polynomial of degree 17. Near pi / 2 each rounding
// of t and of r t counts: the last coefficient comes last, and r t is not rounded. Beyond 1.5 it may be
// above 1 by a rounding.
CT_INLINE T F(sin_open)(T r) {
    T z = r * r;
    T p = CT_POLY7(z, (z * z), 0.008333333333333194, -0.00019841269841209218,
        2.75573192111371e-06, -2.5052106872772504e-08, 1.6058939703820902e-10,
        -7.642991422315828e-13, 2.7211741384180156e-15);
    T t = z * F(ma)(z, p, V(-0.16666666666666666));
#if CT_FMA
    return F(ma)(r, t, r);
#else
    T q = r * t, h = r + q;
    return h + (((r - h) + q) + F(err)(r, t, q));
#endif
}
// The same, and no sine is above 1.
CT_INLINE T F(sin_half_turn)(T r) {
    return F(at_most)(F(at_least)(F(sin_open)(r), V(-1.0)), V(1.0));
}

//@ sin_d: pi_rest_d sin_half_turn_d
// The sine of x - n pi with the sign of n's parity; libm beyond the limit. 1.9 ulp.
extern double sin(double);
CT_COLD T F(sin_great)(T x, T r) {
#if VEC
    for (int i = 0; i < CT_WD; i++)
        if (!(__builtin_fabs(x[i]) <= CT_PI_LIMIT_D)) r[i] = sin(x[i]);
    return r;
#else
    return (void)r, sin(x);
#endif
}
CT_INLINE T F(sin)(T x) {
    T a = F(abs)(x);
#if !VEC
    // Nothing to reduce. A scalar is mostly a step of a recurrence, which waits for the step before:
    // the branch does not. The bits are those of the lanes.
    if (a <= 1.5) return F(from_bits)(F(bits)(F(sin_open)(a)) ^ (F(bits)(x) & INT64_MIN));
#endif
    T t = F(ma)(a, V(0.3183098861837907), V(0x1.8p52));
    T r = F(pi_rest)(a, t - 0x1.8p52);
    r = F(from_bits)(F(bits)(F(sin_half_turn)(r)) ^ LEFT(F(bits)(t), 63) ^ (F(bits)(x) & INT64_MIN));
    return __builtin_expect(F(any)(MASK(a > CT_PI_LIMIT_D)), 0) ? F(sin_great)(x, r) : r;
}

//@ cos_d: pi_rest_d sin_half_turn_d
// As sin, with x - (n + 1/2) pi. 1.9 ulp.
extern double cos(double);
CT_COLD T F(cos_great)(T x, T r) {
#if VEC
    for (int i = 0; i < CT_WD; i++)
        if (!(__builtin_fabs(x[i]) <= CT_PI_LIMIT_D)) r[i] = cos(x[i]);
    return r;
#else
    return (void)r, cos(x);
#endif
}
CT_INLINE T F(cos)(T x) {
    T a = F(abs)(x), t = F(ma)(a, V(0.3183098861837907), V(-0.5)) + 0x1.8p52;
    T r = F(pi_rest)(a, (t - 0x1.8p52) + 0.5);
    r = F(from_bits)(F(bits)(F(sin_half_turn)(r)) ^ (~LEFT(F(bits)(t), 63) & INT64_MIN));
    r = F(sel)(MASK(a < 0x1p-27), V(1.0), r);
    return __builtin_expect(F(any)(MASK(a > CT_PI_LIMIT_D)), 0) ? F(cos_great)(x, r) : r;
}

//@ tan_d: pi_reduce_d residual_d poly
// Sine over cosine of x - n pi / 2, or the other way round, both as sums of two. 0.8 ulp.
extern double tan(double);
CT_COLD T F(tan_great)(T x, T r) {
#if VEC
    for (int i = 0; i < CT_WD; i++)
        if (!(__builtin_fabs(x[i]) <= CT_PI_LIMIT_D)) r[i] = tan(x[i]);
    return r;
#else
    return (void)r, tan(x);
#endif
}
CT_INLINE T F(tan)(T x) {
    T t = F(ma)(x, V(0.6366197723675814), V(0x1.8p52)), lo;
    T r = F(pi_reduce)(x, (t - 0x1.8p52) * 0.5, &lo), z = r * r, y = z * z, h = 0.5 * z;
    T p = CT_POLY6(z, y, -0.16666666666666632, 0.008333333333322415, -0.00019841269829808385,
        2.7557313692111275e-06, -2.505075814427027e-08, 1.5896797271059733e-10);
    T q = CT_POLY6(z, y, 0.0416666666666666, -0.0013888888888874125, 2.480158728948315e-05,
        -2.7557314352599146e-07, 2.0875723308496393e-09, -1.1359649599333436e-11);
    T a = F(ma)(r * z, p, lo * (1.0 - h)), s = r + a, sl = (r - s) + a;
    T w = 1.0 - h, b = ((1.0 - w) - h) + F(ma)(y, q, -(r * lo)), c = w + b, cl = (w - c) + b;
    K odd = -(F(bits)(t) & 1);
    T n = F(sel)(odd, c, s), nl = F(sel)(odd, cl, sl), d = F(sel)(odd, -s, c), dl = F(sel)(odd, -sl, cl);
    T inverse = 1.0 / d, quotient = n * inverse;
    T rest = F(residual)(n, quotient, d) + (nl - quotient * dl);
    T res = F(sel)(MASK(F(abs)(x) < 0x1p-30), x, F(ma)(rest, inverse, quotient));
    return __builtin_expect(F(any)(MASK(F(abs)(x) > CT_PI_LIMIT_D)), 0) ? F(tan_great)(x, res) : res;
}

//@ asin_core_d: poly residual_d
// For |x| <= 1/2: s = |x|; else s + rest of the root of z = (1 - |x|) / 2, since then
// asin |x| = pi / 2 - 2 asin s. Gives s, and in `tail` what asin(s) is more.
CT_INLINE T F(asin_core)(T x, K *great, T *tail) {
    T a = F(abs)(x);
    *great = MASK(a > 0.5);
    T z = F(sel)(*great, 0.5 - 0.5 * a, a * a), s = F(sel)(*great, F(sqrt)(z), a);
    T rest = F(residual)(z, s, s) * 0.5 / (s + 0x1p-1000);
    T p = CT_POLY13(z, (z * z), 0.16666666666666763, 0.0749999999997009, 0.04464285717529356,
        0.030381942674954737, 0.022372215914152907, 0.017351595366530543, 0.013981019981868518,
        0.011397282315848837, 0.01078937601945866, 0.0036719948275384007, 0.02179107487554195,
        -0.021117282083710522, 0.03270249114404014);
    *tail = F(ma)(s * z, p, F(sel)(*great, rest, V(0.0)));
    return s;
}

//@ asin_d: asin_core_d
// 0.8 ulp.
CT_INLINE T F(asin)(T x) {
    K great;
    T tail, s = F(asin_core)(x, &great, &tail);
    T h = 0x1.921fb54442d18p+0 - 2.0 * s, e = (0x1.921fb54442d18p+0 - h) - 2.0 * s;
    T r = h + (e + (0x1.1a62633145c07p-54 - 2.0 * tail));
    return F(copysign)(F(sel)(great, r, s + tail), x);
}

//@ acos_d: asin_core_d
// pi / 2 - asin x, or 0 or pi and twice the asin of the root; the sum is nearly exact. 0.8 ulp.
CT_INLINE T F(acos)(T x) {
    K great, below = MASK(x < 0);
    T tail, s = F(asin_core)(x, &great, &tail);
    K flip = (great ^ below) & INT64_MIN;
    s = F(from_bits)(F(bits)(F(sel)(great, s + s, s)) ^ flip);
    tail = F(from_bits)(F(bits)(F(sel)(great, tail + tail, tail)) ^ flip);
    T c = F(sel)(great, F(sel)(below, V(0x1.921fb54442d18p+1), V(0.0)), V(0x1.921fb54442d18p+0));
    T cl = F(sel)(great, F(sel)(below, V(0x1.1a62633145c07p-53), V(0.0)), V(0x1.1a62633145c07p-54));
    T h = c - s, e = (c - h) - s;
    return h + (e + (cl - tail));
}

//@ atan_core_d: poly residual_d
// c + atan(n / d) for |n / d| <= tan(pi / 8); n, d, c are sums of two.
CT_INLINE T F(atan_core)(T n, T nl, T d, T dl, T c, T cl) {
    T inverse = 1.0 / d, q = n * inverse;
    T ql = (F(residual)(n, q, d) + (nl - q * dl)) * inverse, z = q * q;
    T p = CT_POLY11(z, (z * z), -0.333333333333332, 0.19999999999953663, -0.1428571428020393,
        0.11111110783805038, -0.09090897766746009, 0.07692060355472786, -0.0666310538400143,
        0.0584789688866016, -0.050393286795193684, 0.038064903718358724, -0.017907291518518664);
    T tail = F(ma)(q * z, p, ql), h = c + q, e = (c - h) + q;
    return h + (e + (cl + tail));
}

//@ atan_d: atan_core_d
// By three thirds: x, pi/4 + atan((x - 1) / (x + 1)), pi/2 - atan(1 / x). 0.8 ulp.
CT_INLINE T F(atan)(T x) {
    T a = F(abs)(x);
    a = F(at_most)(a, V(1e290));
    K mid = MASK(a > 0.41421356237309503), great = MASK(a > 2.414213562373095);
    T n = F(sel)(mid, a - 1.0, a), d = F(sel)(mid, a + 1.0, V(1.0));
    mid &= ~great;
    T nl = F(sel)(mid, a - (n + 1.0), V(0.0)), dl = F(sel)(mid, a - (d - 1.0), V(0.0));
    n = F(sel)(great, V(-1.0), n), d = F(sel)(great, a, d);
    T c = F(sel)(great, V(0x1.921fb54442d18p+0), F(sel)(mid, V(0x1.921fb54442d18p-1), V(0.0)));
    T cl = F(sel)(great, V(0x1.1a62633145c07p-54), F(sel)(mid, V(0x1.1a62633145c07p-55), V(0.0)));
    return F(copysign)(F(atan_core)(n, nl, d, dl, c, cl), x);
}

//@ atan2_d: atan_core_d
// The angle of (x, y), y being the ordinate: as atan of |y| / |x|, then away from pi if x < 0.
// 0.9 ulp.
CT_INLINE T F(atan2)(T y, T x) {
    T a = F(abs)(y), b = F(abs)(x);
    // Infinite ones become 1 and the others 0; then clear of overflow and underflow.
    K yi = MASK(a == __builtin_inf()), xi = MASK(b == __builtin_inf());
    a = F(sel)(yi, V(1.0), F(sel)(xi, V(0.0), a)), b = F(sel)(xi, V(1.0), F(sel)(yi, V(0.0), b));
    T most = F(sel)(MASK(a > b), a, b);
    T by = F(sel)(MASK(most > 0x1p900), V(0x1p-100), F(sel)(MASK(most < 0x1p-900), V(0x1p120), V(1.0)));
    a = a * by, b = F(sel)(MASK(most == 0), V(1.0), b * by);
    K mid = MASK(a > b * 0.41421356237309503), great = MASK(a * 0.41421356237309503 > b);
    mid &= ~great;
    T n = F(sel)(great, -b, F(sel)(mid, a - b, a)), d = F(sel)(great, a, F(sel)(mid, a + b, b));
    // What n and d lost, by the sum of two in any order.
    T t = n - a, nl = (a - (n - t)) - (b + t);
    T u = d - a, dl = (a - (d - u)) + (b - u);
    nl = F(sel)(mid, nl, V(0.0)), dl = F(sel)(mid, dl, V(0.0));
    K back = F(bits)(x) & INT64_MIN;
    K left = MASK(F(copysign)(V(1.0), x) < 0);
    n = F(from_bits)(F(bits)(n) ^ back), nl = F(from_bits)(F(bits)(nl) ^ back);
    T c = F(sel)(great, V(0x1.921fb54442d18p+0),
        F(sel)(mid, F(sel)(left, V(0x1.2d97c7f3321d2p+1), V(0x1.921fb54442d18p-1)),
            F(sel)(left, V(0x1.921fb54442d18p+1), V(0.0))));
    T cl = F(sel)(great, V(0x1.1a62633145c07p-54),
        F(sel)(mid, F(sel)(left, V(0x1.a79394c9e8a0ap-54), V(0x1.1a62633145c07p-55)),
            F(sel)(left, V(0x1.1a62633145c07p-53), V(0.0))));
    T r = F(copysign)(F(atan_core)(n, nl, d, dl, c, cl), y);
    return F(sel)(MASK(x != x) | MASK(y != y), x + y, r);
}

//@ hyper_d: exp_reduce_d err_d ldexp_d poly
// For 0 <= x <= 711, x = n ln 2 + r: sinh x = 2^n (a cosh r + b sinh r) with a, b =
// (1 -+ 2^-2n) / 2, if `odd`; else a, b are exchanged, and it is cosh x.
CT_INLINE T F(hyper)(T x, K odd) {
    T n, lo, r = F(exp_reduce)(x, &n, &lo), z = r * r, y = z * z;
    T few = F(at_most)(n, V(30.0));
    T down = F(from_bits)((K)((0x43380000000003fe - (U)F(bits)(0x1.8p52 + (few + few))) << 52));
    T a = F(sel)(odd, 0.5 - down, 0.5 + down), b = F(sel)(odd, 0.5 + down, 0.5 - down);
    T s = CT_POLY5(z, y, 0.16666666666666677, 0.008333333333321615, 0.00019841269886159183,
        2.7557244181410585e-06, 2.5109045022840526e-08);
    T c = CT_POLY5(z, y, 0.5000000000000013, 0.04166666666651429, 0.0013888888947259852,
        2.480148972441446e-05, 2.763134918454108e-07);
    T p = b * r, pl = F(err)(b, r, p), h = a + p, e = (a - h) + p;
    return F(ldexp)(h + (e + (pl + F(ma)(b, F(ma)(r * z, s, lo), a * (z * c)))), n);
}

//@ sinh_d: hyper_d
// 0.9 ulp.
CT_INLINE T F(sinh)(T x) {
    T a = F(abs)(x);
    K great = MASK(a > 711.0);
    T r = F(hyper)(F(at_most)(a, V(711.0)), MASK(a == a));
    r = F(sel)(great, V(__builtin_inf()), F(sel)(MASK(a < 0x1p-30), a, r));
    return F(copysign)(r, x);
}

//@ cosh_d: hyper_d
// 0.9 ulp.
CT_INLINE T F(cosh)(T x) {
    T a = F(abs)(x);
    K great = MASK(a > 711.0);
    return F(sel)(great, V(__builtin_inf()), F(hyper)(F(at_most)(a, V(711.0)), MASK(a != a)));
}

//@ expm1_parts_d: expm1_poly_d
// p and s = 2^n with e^c = s + s p, for c of moderate size.
CT_INLINE T F(expm1_parts)(T c, T *s) {
    T n = F(ma)(c, V(1.4426950408889634), V(0x1.8p52)) - 0x1.8p52;
    T r = F(ma)(n, V(-0x1.62e42fee00000p-1), c);
    r = F(ma)(n, V(-0x1.a39ef35793c76p-33), r);
    *s = F(from_bits)(LEFT((U)F(bits)(n + 0x1.8p52) + 1023, 52));
    return r + F(expm1_poly)(r);
}

//@ tanh_d: expm1_parts_d
// t / (t + 2) with t = e^(2|x|) - 1. 2.5 ulp.
CT_INLINE T F(tanh)(T x) {
    T s, p = F(expm1_parts)(F(at_most)(F(abs)(x) * 2.0, V(40.0)), &s);
    T t = F(ma)(s, p, s - 1.0);
    return F(copysign)(t / (t + 2.0), x);
}

//@ asinh_d: log_core_d
// log(1 + (|x| + x^2 / (1 + root of 1 + x^2))); beyond 2^28 log |x| + log 2. 1.0 ulp.
CT_INLINE T F(asinh)(T x) {
    T a = F(abs)(x);
    K great = MASK(a > 0x1p28);
    T b = F(sel)(great, V(1.0), a), y = b * b;
    T w = y / (1.0 + F(sqrt)(1.0 + y)), v = b + w, low = (b - v) + w;
    T u = 1.0 + v, t = u - v, c = ((v - (u - t)) + (1.0 - t)) + low;
    u = F(sel)(great, a, u), c = F(sel)(great, V(0.0), c);
    T r = F(log_core)(u, c, F(sel)(great, V(1.0), V(0.0)));
    r = F(sel)(MASK(a < 0x1p-30) | MASK(a == __builtin_inf()) | MASK(a != a), a, r);
    return F(copysign)(r, x);
}

//@ acosh_d: log_core_d err_d residual_d
// log(1 + (t + root of 2 t + t^2)) with t = x - 1; beyond 2^28 log x + log 2. 1.5 ulp.
CT_INLINE T F(acosh)(T x) {
    K great = MASK(x > 0x1p28);
    T b = F(sel)(great, V(2.0), x), t = b - 1.0, tl = (b - t) - 1.0;
    T d = 2.0 + t, dl = t - (d - 2.0), w = t * d, wl = F(err)(t, d, w) + (t * dl + tl * (d + t));
    T s = F(sqrt)(w), sl = (F(residual)(w, s, s) + wl) * 0.5 / (s + 0x1p-1000);
    // s >= t
    T v = s + t, low = ((s - v) + t) + (sl + tl);
    T u = 1.0 + v, q = u - v, c = ((v - (u - q)) + (1.0 - q)) + low;
    u = F(sel)(great, x, u), c = F(sel)(great, V(0.0), c);
    T r = F(log_core)(u, c, F(sel)(great, V(1.0), V(0.0)));
    r = F(sel)(MASK(x == 1.0), V(0.0), F(sel)(MASK(x < 1.0), V(__builtin_nan("")), r));
    return F(sel)(MASK(x == __builtin_inf()) | MASK(x != x), x, r);
}

//@ atanh_d: log_core_d residual_d
// log(1 + 2 |x| / (1 - |x|)) / 2. 1.0 ulp.
CT_INLINE T F(atanh)(T x) {
    T a = F(abs)(x);
    K inside = MASK(a < 1.0);
    T b = F(sel)(inside, a, V(0.5)), d = 1.0 - b, dl = (1.0 - d) - b;
    T inverse = 1.0 / d, v = 2.0 * b * inverse;
    T low = (F(residual)(2.0 * b, v, d) - v * dl) * inverse;
    T most = F(sel)(MASK(v > 1.0), v, V(1.0)), least = F(sel)(MASK(v > 1.0), V(1.0), v);
    T u = most + least, c = ((most - u) + least) + low;
    T r = 0.5 * F(log_core)(u, c, V(0.0));
    T odd = F(sel)(MASK(a == 1.0), V(__builtin_inf()), F(sel)(MASK(a > 1.0), V(__builtin_nan("")), x));
    r = F(sel)(inside, F(sel)(MASK(a < 0x1p-30), a, r), odd);
    return F(copysign)(r, x);
}

//@ erf_d: poly err_d exp_d
// Below 1 an odd polynomial; else 1 - e^-q with q = -log(erfc |x|) as a polynomial. 1.6 ulp.
CT_INLINE T F(erf)(T x) {
    T a = F(abs)(x), z = a * a;
    K great = MASK(a >= 1.0);
    T p = CT_POLY10(z, (z * z), 0.11283791670944185,
        -0.02686617064311162, 0.0052239776061198916, -0.0008548325929387381,
        0.00012055293579177031, -1.4924712346984202e-05, 1.644713213622594e-06,
        -1.620631813139815e-07, 1.3710999411374696e-08, -7.779504015341154e-10);
    p = F(ma)(z, p, V(-0.3761263890318352));
    T q0 = a * 1.1283791670955126, ql = F(err)(a, V(1.1283791670955126), q0);
    p = q0 + F(ma)(a, F(ma)(z, p, V(7.090812237613888e-18)), ql);
    if (F(any)(great)) {
        T b = F(at_most)(a, V(5.95));
        T q = CT_POLY18(b, (b * b), 5.132957368544047e-07, 1.1283739912142494, 0.6366440572092711,
            0.1027022842794734, -0.018988032073514703, -0.0004135497374224932,
            0.0019189588293048701, -0.0007730533412320642, 0.0001365604443103236,
            1.9520802158037046e-05, -2.253211712523371e-05, 8.57855993419012e-06,
            -2.114749104206776e-06, 3.6955651804601766e-07, -4.5932054578559245e-08,
            3.889908868953614e-09, -2.0202846100076425e-10, 4.864950196355565e-12);
        p = F(sel)(great, 1.0 - F(exp)(-q), p);
    }
    return F(copysign)(p, x);
}

//@ pow_d: poly err_d residual_d ldexp_d
// e^(y log |x|): the logarithm and the product as sums of two doubles. 1.0 ulp.
CT_INLINE T F(pow)(T x, T y) {
    T a = F(abs)(x), inf = V(__builtin_inf());
    K tiny = MASK(a < 0x1p-1022);
    K i = F(bits)(F(sel)(tiny, a * 0x1p54, a));
    K e = (K)(((U)i - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52);
    T m = F(from_bits)((K)((U)i - ((U)e << 52) + 0x3ff0000000000000));
    T k = F(from_bits)(e | 0x4330000000000000) - F(sel)(tiny, V(0x1p52 + 1077.0), V(0x1p52 + 1023.0));
    // s = (m - 1) / (m + 1), z = s^2, log m = 2 s + s z (2/3 + z p(z))
    T f = m - 1.0, d = m + 1.0, dl = m - (d - 1.0), inverse = 1.0 / d, s = f * inverse;
    T sl = (F(residual)(f, s, d) - s * dl) * inverse;
    T z = s * s, zl = F(ma)(s + s, sl, F(err)(s, s, z));
    T w = z * CT_POLY8(z, (z * z), 0.3999999999999998, 0.28571428571445123, 0.22222222217534057,
        0.18181818870615477, 0.15384556850114872, 0.1333631823536069, 0.1167480169657227,
        0.11989154976214154);
    T c = 0x1.5555555555555p-1 + w, cl = ((0x1.5555555555555p-1 - c) + w) + 0x1.5555555555555p-55;
    T u = z * c, ul = F(err)(z, c, u) + F(ma)(z, cl, zl * c);
    T v = s * u, low = F(err)(s, u, v) + F(ma)(s, ul, sl * u);
    T g = k * 0x1.62e42fefa3800p-1, gl = k * 0x1.ef35793c76730p-45;
    T h = g + 2.0 * s, hl = (g - h) + 2.0 * s, l = h + v, ll = (h - l) + v;
    ll = (ll + gl) + (hl + (F(ma)(V(2.0), sl, low)));
    T lh = l + ll;
    ll = (l - lh) + ll;
    // Beyond 2^70 no exponent makes a difference.
    T b = F(sel)(MASK(F(abs)(y) > 0x1p70), F(copysign)(V(0x1p70), y), y);
    T p = b * lh, pl = F(ma)(b, ll, F(err)(b, lh, p));
    K wide = MASK(F(abs)(p) > 800.0);
    p = F(sel)(wide, F(copysign)(V(800.0), p), p), pl = F(sel)(wide, V(0.0), pl);
    T n = F(ma)(p, V(1.4426950408889634), V(0x1.8p52)) - 0x1.8p52;
    T r = F(ma)(n, V(-0x1.62e42fee00000p-1), p);
    r = r + F(ma)(n, V(-0x1.a39ef35793c76p-33), pl);
    T rr = r * r;
    T q = CT_POLY10(r, rr, 0.5000000000000012, 0.166666666666667, 0.04166666666651541,
        0.008333333333307292, 0.0013888888947017047, 0.00019841269917195414,
        2.480148994194976e-05, 2.7557216463194963e-06, 2.7631280218174793e-07,
        2.511781197412525e-08);
    T res = F(ldexp)(1.0 + F(ma)(q, rr, r), n);
    // Special arguments.
    K down = MASK(y < 0);
    res = F(sel)(MASK(a == 0), F(sel)(down, inf, V(0.0)), res);
    res = F(sel)(MASK(a == __builtin_inf()), F(sel)(down, V(0.0), inf), res);
    T half = y * 0.5;
    K whole = MASK(F(floor)(y) == y), odd = whole & MASK(F(floor)(half) != half);
    res = F(from_bits)(F(bits)(res) ^ (odd & F(bits)(x) & INT64_MIN));
    res = F(sel)(MASK(x < 0) & ~whole & MASK(a != __builtin_inf()), V(__builtin_nan("")), res);
    res = F(sel)(MASK(x != x), x, F(sel)(MASK(y != y), y, res));
    return F(sel)(MASK(y == 0) | MASK(x == 1.0), V(1.0), res);
}

//@ exp_near_d: exp_reduce_d ldexp_d poly
// e^x for x <= 0 with what the reduction lost. 0.8 ulp.
CT_INLINE T F(exp_near)(T x) {
    T n, lo, r = F(exp_reduce)(F(at_least)(x, V(-746.0)), &n, &lo), y = r * r;
    T p = CT_POLY10(r, y, 0.5000000000000012, 0.166666666666667, 0.04166666666651541,
        0.008333333333307292, 0.0013888888947017047, 0.00019841269917195414,
        2.480148994194976e-05, 2.7557216463194963e-06, 2.7631280218174793e-07,
        2.511781197412525e-08);
    return F(ldexp)(1.0 + (r + F(ma)(p, y, lo)), n);
}

//@ sigmoid_d: exp_near_d
// e over 1 + e with e = e^-|x|, or 1 over it, corrected by what 1 + e lost; the factor by which
// that counts is 1 / (1 + e), which is q or 1 - q. 1.9 ulp.
CT_INLINE T F(sigmoid)(T x) {
    T e = F(exp_near)(-F(abs)(x)), d = 1.0 + e, dl = (1.0 - d) + e;
    K below = MASK(x < 0);
    T q = F(sel)(below, e, V(1.0)) / d;
    return F(ma)(q * -dl, F(sel)(below, 1.0 - q, q), q);
}

//@ sigmoids_d: exp_near_d residual_d
// sigmoid(x) and sigmoid(-x): 1 / (1 + e) and e / (1 + e) by one division, whose result is q + t. 1.4 ulp.
CT_INLINE void F(sigmoids)(T x, T *plus, T *minus) {
    T e = F(exp_near)(-F(abs)(x)), d = 1.0 + e, dl = (1.0 - d) + e, q = 1.0 / d;
    T t = q * (F(residual)(V(1.0), q, d) - q * dl);
    K below = MASK(x < 0);
    T great = q + t, small = F(ma)(e, q, e * t);
    *plus = F(sel)(below, small, great), *minus = F(sel)(below, great, small);
}

//@ tanh_slope_d: expm1_parts_d residual_d
// tanh x and its derivative: (1 - e) / (1 + e) and 4 e / (1 + e)^2 with e = e^(-2|x|), which is
// s + s p with s = 2^n. 0 from where cosh(x)^2 is infinite. 1.5 and 3.1 ulp.
CT_INLINE void F(tanh_slope)(T x, T *value, T *slope) {
    T a = F(abs)(x) * -2.0, s, p = F(expm1_parts)(F(at_least)(a, V(-708.0)), &s);
    T e = F(ma)(s, p, s), u = F(ma)(-s, p, 1.0 - s);
    T d = 1.0 + e, dl = (1.0 - d) + e, q = 1.0 / d, v = u * q;
    *value = F(copysign)(F(ma)(F(residual)(u, v, d) - v * dl, q, v), x);
    T k = q + q * (F(residual)(V(1.0), q, d) - q * dl);
    *slope = F(sel)(MASK(a < -708.0), V(0.0), 4.0 * e * (k * k));
}

//@ softplus_d: exp_d log1p_d
// max(x, 0) + log(1 + e^-|x|). 1.5 ulp.
CT_INLINE T F(softplus)(T x) {
    return F(sel)(MASK(x < 0), V(0.0), x) + F(log1p)(F(exp)(-F(abs)(x)));
}

//@ lgamma_d: lgamma_d1
// Lane by lane, by the C library.
#if VEC
CT_COLD T F(lgamma)(T x) {
    for (int i = 0; i < CT_WD; i++) x[i] = ct_lgamma_d1(x[i]);
    return x;
}
#else
extern double lgamma_r(double, int *);
CT_COLD T F(lgamma)(T x) {
    int sign;
    return lgamma_r(x, &sign);
}
#endif

//@ bernoulli_d:
#if !VEC
// Bernoulli numbers B2, B4, ..., B24.
static const double ct_bernoulli[12] __attribute__((unused)) = {
    1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0,
    -3617.0 / 510.0, 43867.0 / 798.0, -174611.0 / 330.0, 854513.0 / 138.0, -236364091.0 / 2730.0};
#endif

//@ power_d:
#if !VEC
// x^n by squaring.
CT_COLD double ct_power_d1(double x, int64_t n) {
    double res = 1.0;
    uint64_t k = n < 0 ? -(uint64_t)n : (uint64_t)n;
    for (; k > 0; k >>= 1, x *= x)
        if (k & 1) res *= x;
    return n < 0 ? 1.0 / res : res;
}
#endif

//@ cot_pi_d: round_d tan_d
#if !VEC
// cot(pi x), exact at its zeros.
CT_COLD double ct_cot_pi_d1(double x) {
    const double pi = 3.141592653589793;
    double r = x - ct_round_d1(x), a = ct_abs_d1(r);
    return a < 0.25 ? 1.0 / ct_tan_d1(pi * r) : ct_copysign_d1(ct_tan_d1(pi * (0.5 - a)), r);
}
#endif

//@ hurwitz_d: bernoulli_d power_d
#if !VEC
// The sum of (x + k)^-s over k >= 0, for x above -100 that is no pole, and 2 <= s <= 151: the
// first terms, smallest first, and the Euler-Maclaurin formula for the rest.
CT_COLD double ct_hurwitz_d1(int64_t s, double x) {
    double y = x, terms[192], order = (double)s;
    int count = 0;
    for (; y < 12.0 + order / 2.0; y += 1.0) terms[count++] = ct_power_d1(y, -s);
    double power = ct_power_d1(y, -s), rest = y * power / (order - 1.0) + 0.5 * power;
    double factor = order * power / y;
    for (int i = 0; i < 12; i++) {
        double k = 2.0 * (i + 1);
        factor /= i == 0 ? 2.0 : (k - 1.0) * k;
        rest += ct_bernoulli[i] * factor;
        factor *= (order + k - 1.0) * (order + k) / (y * y);
    }
    while (count > 0) rest += terms[--count];
    return rest;
}
#endif

//@ digamma_d: digamma_d1 bernoulli_d log_d cot_pi_d hurwitz_d
// The recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18); by
// reflection below 0, by Taylor's series near the positive root.
#if VEC
CT_COLD T F(digamma)(T x) {
    for (int i = 0; i < CT_WD; i++) x[i] = ct_digamma_d1(x[i]);
    return x;
}
#else
CT_COLD double ct_digamma_d1(double x) {
    const double pi = 3.141592653589793, root = 1.4616321449683623, root_low = 9.549995429965697e-17;
    if (x != x || x == __builtin_inf()) return x;
    if (x == 0.0) return ct_copysign_d1(__builtin_inf(), -x);
    if (x < 0.0) {
        if (x == ct_floor_d1(x)) return __builtin_nan("");
        return ct_digamma_d1(1.0 - x) - pi * ct_cot_pi_d1(x);
    }
    if (ct_abs_d1(x - root) < 0.1) {
        double d = (x - root) - root_low, res = 0.0;
        for (int n = 16; n >= 1; n--) {
            double zeta = ct_hurwitz_d1(n + 1, root);
            res = (res + (n % 2 == 1 ? zeta : -zeta)) * d;
        }
        return res;
    }
    double y = x, shift = 0.0;
    for (; y < 10.0; y += 1.0) shift += 1.0 / y;
    double inverse = 1.0 / (y * y), series = 0.0;
    for (int i = 11; i >= 0; i--) series = (series + ct_bernoulli[i] / (2.0 * (i + 1))) * inverse;
    return ct_log_d1(y) - 0.5 / y - series - shift;
}
#endif

//@ polygamma_d: polygamma_d1 digamma_d hurwitz_d cot_pi_d lgamma_d log_d exp_d
// The derivative of order n of digamma; as the interpreter.
#if VEC
CT_COLD T F(polygamma)(K n, T x) {
    for (int i = 0; i < CT_WD; i++) x[i] = ct_polygamma_d1(n[i], x[i]);
    return x;
}
#else
// n! times zeta(n + 1, x) for large n, by logarithms: the terms near the pole dominate.
CT_COLD double ct_polygamma_high_d1(int64_t n, double x) {
    double order = (double)n, log_factorial = ct_lgamma_d1(order + 1.0);
    double begin = x < 0.0 ? ct_floor_d1(-x) - 8.0 : 0.0, sum = 0.0;
    if (begin < 0.0) begin = 0.0;
    for (int k = 0; k < 4000; k++) {
        double y = x + begin + k;
        double magnitude = ct_exp_d1(log_factorial - (order + 1.0) * ct_log_d1(ct_abs_d1(y)));
        sum += y < 0.0 && n % 2 == 0 ? -magnitude : magnitude;
        if (magnitude <= ct_abs_d1(sum) * 1e-17 && y > 0.0) return sum;
    }
    double y = x + begin + 4000.0;
    return sum + ct_exp_d1(ct_lgamma_d1(order) - order * ct_log_d1(y - 0.5));
}
// psi_n(x) = (-1)^n psi_n(1 - x) - pi d^n/dx^n cot(pi x), a polynomial in the cotangent.
CT_COLD double ct_polygamma_reflected_d1(int64_t n, double x, double factorial) {
    const double pi = 3.141592653589793;
    double cot = ct_cot_pi_d1(x), p[64] = {0.0, 1.0}, next[64], sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        memset(next, 0, sizeof next);
        for (int64_t k = 1; k <= i + 1; k++) {
            double derivative = -pi * p[k] * (double)k;
            next[k - 1] += derivative;
            next[k + 1] += derivative;
        }
        memcpy(p, next, sizeof p);
    }
    for (int64_t k = n + 1; k >= 0; k--) sum = sum * cot + p[k];
    return -factorial * ct_hurwitz_d1(n + 1, 1.0 - x) - pi * sum;
}
CT_COLD double ct_polygamma_d1(int64_t n, double x) {
    if (n == 0) return ct_digamma_d1(x);
    if (n < 0 || x != x || x == -__builtin_inf()) return __builtin_nan("");
    if (x == __builtin_inf()) return 0.0;
    if (x <= 0.0 && x == ct_floor_d1(x)) return n % 2 == 1 ? __builtin_inf() : __builtin_nan("");
    double sign = n % 2 == 1 ? 1.0 : -1.0, factorial = 1.0;
    if (n > 150 || (n > 60 && x < -50.0)) return sign * ct_polygamma_high_d1(n, x);
    for (int64_t k = 1; k <= n; k++) factorial *= (double)k;
    if (x < 0.0 && n <= 60) return ct_polygamma_reflected_d1(n, x, factorial);
    return sign * factorial * ct_hurwitz_d1(n + 1, x);
}
#endif
