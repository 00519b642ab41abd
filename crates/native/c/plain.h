//@ real: needs base
#ifdef CT_F32
typedef float real;
#else
typedef double real;
#endif

//@ vector: needs real
#define CT_W 1

//@ scale: needs real
CT_INLINE real ct_scale1(real x, real y) { return x == 0 || y == 0 ? 0 : x * y; }

//@ scalar: needs real scale
// The meaning of primitives on reals, one at a time, by the functions of the C library.
#include <math.h>
#ifdef CT_F32
#define CT_LIBM(name) name##f
#else
#define CT_LIBM(name) name
#endif
CT_INLINE real ct_min1(real x, real y) { return x <= y || x != x ? x : y; }
CT_INLINE real ct_max1(real x, real y) { return x >= y || x != x ? x : y; }
CT_INLINE real ct_sign1(real x) { return x > 0 ? 1 : x < 0 ? -1 : x != x ? x : 0; }
CT_INLINE real ct_abs1(real x) { return CT_LIBM(fabs)(x); }
CT_INLINE real ct_floor1(real x) { return CT_LIBM(floor)(x); }
CT_INLINE real ct_ceil1(real x) { return CT_LIBM(ceil)(x); }
CT_INLINE real ct_round1(real x) { return CT_LIBM(round)(x); }
CT_INLINE real ct_sqrt1(real x) { return CT_LIBM(sqrt)(x); }
CT_INLINE real ct_fma1(real x, real y, real z) { return CT_LIBM(fma)(x, y, z); }
CT_INLINE real ct_rem1(real x, real y) { return x - y * ct_floor1(x / y); }
CT_INLINE int64_t ct_to_int1(real x) {
  if (x != x) return 0;
  if (x >= (real)9223372036854775808.0) return INT64_MAX;
  if (x <= (real)-9223372036854775808.0) return INT64_MIN;
  return (int64_t)x;
}
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
