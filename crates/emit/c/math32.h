// Functions on reals, 32 bits: templates as in math.h. What is frequent is computed in 32 bits,
// the rest through 64 bits (THROUGH), where its error is 0.5 ulp.

//@ mode_f1: scalar_f
#define VEC 0
#define T float
#define E float
#define K int32_t
#define U uint32_t
#define F(name) ct_##name##_f1
#define V(c) (c##f)
#define MASK(c) (-(int32_t)(c))
#define LEFT(x, n) ((int32_t)((uint32_t)(x) << (n)))
#define THROUGH(name, x) ((float)ct_##name##_d1((double)(x)))
#define THROUGH2(name, x, y) ((float)ct_##name##_d1((double)(x), (double)(y)))

//@ mode_f: vector_f
#define VEC 1
#define T vf
#define E float
#define K vi
#define U ct_vv
#define F(name) ct_##name##_f
#define V(c) (c##f - (vf){0})
#define MASK(c) ((vi)(c))
#define LEFT(x, n) ((vi)((ct_vv)(x) << (n)))
#define THROUGH(name, x) ct_join_f(ct_##name##_d(ct_low_f(x)), ct_##name##_d(ct_high_f(x)))
#define THROUGH2(name, x, y) \
    ct_join_f(ct_##name##_d(ct_low_f(x), ct_low_f(y)), ct_##name##_d(ct_high_f(x), ct_high_f(y)))

//@ min_f:
CT_INLINE T F(min)(T x, T y) { return F(sel)(MASK(x <= y) | MASK(x != x), x, y); }

//@ max_f:
CT_INLINE T F(max)(T x, T y) { return F(sel)(MASK(x >= y) | MASK(x != x), x, y); }

//@ least_f: min_f1
#if VEC
CT_INLINE E F(least)(T x) {
    ct_lanes_f a = {x};
    for (int n = CT_WF / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] = ct_min_f1(a.s[i], a.s[i + n]);
    return a.s[0];
}
#endif

//@ greatest_f: max_f1
#if VEC
CT_INLINE E F(greatest)(T x) {
    ct_lanes_f a = {x};
    for (int n = CT_WF / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) a.s[i] = ct_max_f1(a.s[i], a.s[i + n]);
    return a.s[0];
}
#endif

//@ round_f:
// The summand is the float below one half.
CT_INLINE T F(round)(T x) { return F(copysign)(F(floor)(F(abs)(x) + 0x1.fffffep-2f), x); }

//@ sign_f:
CT_INLINE T F(sign)(T x) {
    T r = F(sel)(MASK(x > 0), V(1.0), F(sel)(MASK(x < 0), V(-1.0), V(0.0)));
    return F(sel)(MASK(x != x), x, r);
}

//@ scale_f:
CT_INLINE T F(scale)(T x, T y) {
#if CT_FMA
    T r = F(fma)(x, y, V(0.0));
    if (!F(any_nan)(r)) return r;
#endif
    return F(sel)(MASK(x == 0) | MASK(y == 0), V(0.0), x * y);
}

//@ scale_add_f: scale_f
CT_INLINE T F(scale_add)(T x, T y, T z) {
#if CT_FMA
    T r = F(fma)(x, y, z);
    if (!F(any_nan)(r)) return r;
#endif
    return F(scale)(x, y) + z;
}

//@ rem_f: rem_d
CT_INLINE T F(rem)(T x, T y) { return THROUGH2(rem, x, y); }

//@ ldexp_f:
// x * 2^n for a whole n from -200 to 200, rounded once.
CT_INLINE T F(ldexp)(T x, T n) {
#if VEC && CT_X86 == 64
    return __builtin_ia32_scalefps512_mask(x, n, x, -1, 4);
#else
    U k = (U)F(bits)(n + 0x1.8p23f) - 0x4b400000, half = (k + 1024) >> 1;
    return x * F(from_bits)(LEFT(half - 385, 23)) * F(from_bits)(LEFT(k - half + 639, 23));
#endif
}

//@ exp_half_f: poly ldexp_f
// exp(c) / 2^halved for c of moderate size. As exp_d, of degree 6.
CT_INLINE T F(exp_half)(T c, float halved) {
    T n = F(ma)(c, V(1.442695), V(0x1.8p23)) - 0x1.8p23f;
    T r = F(ma)(n, V(-0.693359375), c);
    r = F(ma)(n, V(2.12194440e-4), r);
    T y = r * r;
    T p = CT_POLY5(r, y, 0.5, 0.166665181517601, 0.04166620597243309, 0.00836888700723648,
        0.0013950378634035587);
    return F(ldexp)(1.0f + F(ma)(p, y, r), n - halved);
}

//@ exp_f: exp_half_f
// 1.0 ulp.
CT_INLINE T F(exp)(T x) {
    return F(exp_half)(F(at_least)(F(at_most)(x, V(90.0)), V(-105.0)), 0.0f);
}

//@ log_f: poly
// As log_d. 1.0 ulp.
CT_INLINE T F(log_normal)(T x, T scaled) {
    K i = F(bits)(x), e = (K)(((U)i - 0x3f3504f3 + 0x3f800000) >> 23);
    T m = F(from_bits)((K)((U)i - ((U)e << 23) + 0x3f800000)), f = m - 1.0f;
    T k = F(from_bits)(e | 0x4b000000) - scaled;
    T s = f / (2.0f + f), z = s * s, h = 0.5f * f * f;
    T p = z * CT_POLY3(z, (z * z), 0.6666677594184875, 0.39977532625198364, 0.2987200617790222);
    T t = F(ma)(s, h + p, k * -2.12194440e-4f);
    return F(ma)(k, V(0.693359375), f - (h - t));
}
CT_COLD T F(log_any)(T x) {
    K tiny = MASK(x < 0x1p-126f);
    T r = F(log_normal)(F(sel)(tiny, x * 0x1p24f, x), F(sel)(tiny, V(8388759.0), V(8388735.0)));
    T inf = F(from_bits)(F(bits)(V(0.0)) | 0x7f800000);
    T odd = F(sel)(MASK(x == 0), -inf, F(sel)(MASK(x < 0), inf - inf, x));
    return F(sel)(MASK(x > 0) & MASK(x < inf), r, odd);
}
CT_INLINE T F(log)(T x) {
    K odd = MASK(F(bits)(x) < 0x00800000) | MASK(F(bits)(x) > 0x7f7fffff);
    if (__builtin_expect(F(any)(odd), 0)) return F(log_any)(x);
    return F(log_normal)(x, V(8388735.0));
}

//@ log1p_f: log1p_d
CT_INLINE T F(log1p)(T x) { return THROUGH(log1p, x); }

//@ expm1_f: expm1_d
CT_INLINE T F(expm1)(T x) { return THROUGH(expm1, x); }

//@ sin_f: sin_d
CT_INLINE T F(sin)(T x) { return THROUGH(sin, x); }

//@ cos_f: cos_d
CT_INLINE T F(cos)(T x) { return THROUGH(cos, x); }

//@ tan_f: tan_d
CT_INLINE T F(tan)(T x) { return THROUGH(tan, x); }

//@ asin_f: asin_d
CT_INLINE T F(asin)(T x) { return THROUGH(asin, x); }

//@ acos_f: acos_d
CT_INLINE T F(acos)(T x) { return THROUGH(acos, x); }

//@ atan_f: atan_d
CT_INLINE T F(atan)(T x) { return THROUGH(atan, x); }

//@ sinh_f: sinh_d
CT_INLINE T F(sinh)(T x) { return THROUGH(sinh, x); }

//@ cosh_f: exp_half_f
// With h = exp(x) / 2: h + 1 / (4 h). 1.6 ulp.
CT_INLINE T F(cosh)(T x) {
    T h = F(exp_half)(F(at_most)(F(abs)(x), V(90.0)), 1.0f);
    return h + 0.25f / h;
}

//@ expm1_parts_f: poly
// As expm1_parts_d.
CT_INLINE T F(expm1_parts)(T c, T *s) {
    T n = F(ma)(c, V(1.442695), V(0x1.8p23)) - 0x1.8p23f;
    T r = F(ma)(n, V(-0.693359375), c);
    r = F(ma)(n, V(2.12194440e-4), r);
    T y = r * r;
    T p = CT_POLY6(r, y, 0.5, 0.1666666716337204, 0.04166635498404503, 0.008333273231983185,
        0.001394100720062852, 0.00019914140284527093);
    *s = F(from_bits)(LEFT((U)F(bits)(n + 0x1.8p23f) + 127, 23));
    return F(ma)(p, y, r);
}

//@ tanh_f: expm1_parts_f
// As tanh_d. 2.5 ulp.
CT_INLINE T F(tanh)(T x) {
    T s, p = F(expm1_parts)(F(at_most)(F(abs)(x) * 2.0f, V(20.0)), &s);
    T t = F(ma)(s, p, s - 1.0f);
    return F(copysign)(t / (t + 2.0f), x);
}

//@ asinh_f: asinh_d
CT_INLINE T F(asinh)(T x) { return THROUGH(asinh, x); }

//@ acosh_f: acosh_d
CT_INLINE T F(acosh)(T x) { return THROUGH(acosh, x); }

//@ atanh_f: atanh_d
CT_INLINE T F(atanh)(T x) { return THROUGH(atanh, x); }

//@ erf_f: erf_d
CT_INLINE T F(erf)(T x) { return THROUGH(erf, x); }

//@ exp_near_f: poly ldexp_f
// As exp_near_d. 0.8 ulp.
CT_INLINE T F(exp_near)(T x) {
    T c = F(at_least)(x, V(-105.0)), n = F(ma)(c, V(1.442695), V(0x1.8p23)) - 0x1.8p23f;
    T a = F(ma)(n, V(-0.693359375), c), b = n * -2.12194440e-4f, r = a - b, y = r * r;
    T p = CT_POLY5(r, y, 0.5, 0.166665181517601, 0.04166620597243309, 0.00836888700723648,
        0.0013950378634035587);
    return F(ldexp)(1.0f + (r + F(ma)(p, y, (a - r) - b)), n);
}

//@ sigmoid_f: exp_near_f
// As sigmoid_d. 1.95 ulp.
CT_INLINE T F(sigmoid)(T x) {
    T e = F(exp_near)(-F(abs)(x)), d = 1.0f + e, dl = (1.0f - d) + e;
    K below = MASK(x < 0);
    T q = F(sel)(below, e, V(1.0)) / d;
    return F(ma)(q * -dl, F(sel)(below, 1.0f - q, q), q);
}

//@ sigmoids_f: exp_near_f
// As sigmoid_f, twice, of one exponential. 1.3 ulp.
CT_INLINE void F(sigmoids)(T x, T *plus, T *minus) {
    T e = F(exp_near)(-F(abs)(x)), d = 1.0f + e, dl = (1.0f - d) + e, q = 1.0f / d, r = e / d;
    K below = MASK(x < 0);
    T great = F(ma)(q * -dl, q, q), small = F(ma)(r * -dl, 1.0f - r, r);
    *plus = F(sel)(below, small, great), *minus = F(sel)(below, great, small);
}

//@ tanh_slope_f: expm1_parts_f
// As tanh_slope_d, with a division for each. 1.3 and 3.3 ulp.
CT_INLINE void F(tanh_slope)(T x, T *value, T *slope) {
    T a = F(abs)(x) * -2.0f, s, p = F(expm1_parts)(F(at_least)(a, V(-87.0)), &s);
    T e = F(ma)(s, p, s), u = F(ma)(-s, p, 1.0f - s);
    T d = 1.0f + e, dl = (1.0f - d) + e, q = 1.0f / d;
    T k = F(ma)(q * -dl, q, q);
    *value = F(copysign)(u / d - u * q * q * dl, x);
    *slope = F(sel)(MASK(a < -87.0f), V(0.0), 4.0f * e * (k * k));
}

//@ softplus_f: softplus_d
CT_INLINE T F(softplus)(T x) { return THROUGH(softplus, x); }

//@ lgamma_f: lgamma_d
CT_INLINE T F(lgamma)(T x) { return THROUGH(lgamma, x); }

//@ digamma_f: digamma_d
CT_INLINE T F(digamma)(T x) { return THROUGH(digamma, x); }

//@ atan2_f: atan2_d
CT_INLINE T F(atan2)(T x, T y) { return THROUGH2(atan2, x, y); }

//@ pow_f: pow_d
CT_INLINE T F(pow)(T x, T y) { return THROUGH2(pow, x, y); }

//@ polygamma_f: polygamma_d1
#if VEC
CT_COLD T F(polygamma)(vw n, T x) {
    for (int i = 0; i < CT_WF; i++) x[i] = (float)ct_polygamma_d1(n[i], (double)x[i]);
    return x;
}
#else
CT_INLINE T F(polygamma)(int64_t n, T x) { return (float)ct_polygamma_d1(n, (double)x); }
#endif
