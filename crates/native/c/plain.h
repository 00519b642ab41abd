//@ plain:
// Stands in for math.h: the functions of the C library, one lane at a time.
#include <math.h>
#ifdef CT_F32
#define CT_LIBM(name) name##f
#else
#define CT_LIBM(name) name
#endif
CT_INLINE real ct_scale1(real x, real y) { return x == 0 || y == 0 ? 0 : x * y; }
CT_INLINE real ct_min1(real x, real y) { return x <= y || x != x ? x : y; }
CT_INLINE real ct_max1(real x, real y) { return x >= y || x != x ? x : y; }
CT_INLINE real ct_sign1(real x) { return x > 0 ? 1 : x < 0 ? -1 : x != x ? x : 0; }
CT_INLINE real ct_round1(real x) { return CT_LIBM(round)(x); }
CT_INLINE real ct_rem1(real x, real y) { return x - y * ct_floor1(x / y); }
CT_INLINE real ct_exp1(real x) { return CT_LIBM(exp)(x); }
CT_INLINE real ct_log1(real x) { return CT_LIBM(log)(x); }
CT_INLINE real ct_log1p1(real x) { return CT_LIBM(log1p)(x); }
CT_INLINE real ct_expm11(real x) { return CT_LIBM(expm1)(x); }
CT_INLINE real ct_sin1(real x) { return CT_LIBM(sin)(x); }
CT_INLINE real ct_cos1(real x) { return CT_LIBM(cos)(x); }
CT_INLINE real ct_tan1(real x) { return CT_LIBM(tan)(x); }
CT_INLINE real ct_asin1(real x) { return CT_LIBM(asin)(x); }
CT_INLINE real ct_acos1(real x) { return CT_LIBM(acos)(x); }
CT_INLINE real ct_atan1(real x) { return CT_LIBM(atan)(x); }
CT_INLINE real ct_atan21(real x, real y) { return CT_LIBM(atan2)(x, y); }
CT_INLINE real ct_sinh1(real x) { return CT_LIBM(sinh)(x); }
CT_INLINE real ct_cosh1(real x) { return CT_LIBM(cosh)(x); }
CT_INLINE real ct_tanh1(real x) { return CT_LIBM(tanh)(x); }
CT_INLINE real ct_asinh1(real x) { return CT_LIBM(asinh)(x); }
CT_INLINE real ct_acosh1(real x) { return CT_LIBM(acosh)(x); }
CT_INLINE real ct_atanh1(real x) { return CT_LIBM(atanh)(x); }
CT_INLINE real ct_erf1(real x) { return CT_LIBM(erf)(x); }
CT_INLINE real ct_lgamma1(real x) { return CT_LIBM(lgamma)(x); }
CT_INLINE real ct_pow1(real x, real y) { return CT_LIBM(pow)(x, y); }
CT_INLINE real ct_sigmoid1(real x) {
  real e = CT_LIBM(exp)(-ct_abs1(x));
  return x != x ? x : x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
CT_INLINE real ct_softplus1(real x) {
  return x != x ? x : (x > 0 ? x : 0) + CT_LIBM(log1p)(CT_LIBM(exp)(-ct_abs1(x)));
}
CT_INLINE real ct_digamma1(real x) { return x; } // to be replaced by those of vmath
CT_INLINE real ct_polygamma1(int64_t n, real x) { return n ? x : x; }
#define CT_LANES(name) CT_INLINE vr ct_##name(vr x) { for (int i = 0; i < CT_W; i++) x[i] = ct_##name##1(x[i]); return x; }
#define CT_LANES2(name) CT_INLINE vr ct_##name(vr x, vr y) { for (int i = 0; i < CT_W; i++) x[i] = ct_##name##1(x[i], y[i]); return x; }
CT_LANES(sign)
CT_LANES(round)
CT_LANES(exp)
CT_LANES(log)
CT_LANES(log1p)
CT_LANES(expm1)
CT_LANES(sin)
CT_LANES(cos)
CT_LANES(tan)
CT_LANES(asin)
CT_LANES(acos)
CT_LANES(atan)
CT_LANES(sinh)
CT_LANES(cosh)
CT_LANES(tanh)
CT_LANES(asinh)
CT_LANES(acosh)
CT_LANES(atanh)
CT_LANES(erf)
CT_LANES(lgamma)
CT_LANES(sigmoid)
CT_LANES(softplus)
CT_LANES(digamma)
CT_LANES2(scale)
CT_LANES2(min)
CT_LANES2(max)
CT_LANES2(rem)
CT_LANES2(atan2)
CT_LANES2(pow)
CT_INLINE vr ct_polygamma(vn n, vr x) { for (int i = 0; i < CT_W; i++) x[i] = ct_polygamma1(n[i], x[i]); return x; }
