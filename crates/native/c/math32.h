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
    return F(sel)(MASK(x == 0) | MASK(y == 0), V(0.0), x * y);
}

//@ rem_f: rem_d
CT_INLINE T F(rem)(T x, T y) { return THROUGH2(rem, x, y); }

//@ exp_f: exp_d
CT_INLINE T F(exp)(T x) { return THROUGH(exp, x); }

//@ log_f: log_d
CT_INLINE T F(log)(T x) { return THROUGH(log, x); }

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

//@ cosh_f: cosh_d
CT_INLINE T F(cosh)(T x) { return THROUGH(cosh, x); }

//@ tanh_f: tanh_d
CT_INLINE T F(tanh)(T x) { return THROUGH(tanh, x); }

//@ asinh_f: asinh_d
CT_INLINE T F(asinh)(T x) { return THROUGH(asinh, x); }

//@ acosh_f: acosh_d
CT_INLINE T F(acosh)(T x) { return THROUGH(acosh, x); }

//@ atanh_f: atanh_d
CT_INLINE T F(atanh)(T x) { return THROUGH(atanh, x); }

//@ erf_f: erf_d
CT_INLINE T F(erf)(T x) { return THROUGH(erf, x); }

//@ sigmoid_f: sigmoid_d
CT_INLINE T F(sigmoid)(T x) { return THROUGH(sigmoid, x); }

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
