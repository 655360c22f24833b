// glibc's libmvec: within 4 ULP, a nanosecond a value. Compiled for AVX2, as its functions of four doubles are. For
// other architectures glibc 2.36 has none: there they are its functions of single doubles, which are no further off.
#include "test/accuracy/functions.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TENON_VECTOR_FUNCTION(name)                                                                                    \
  extern "C" __m256d _ZGVdN4v_##name(__m256d);                                                                         \
  void tenon::accuracy::fast::name(const double *x, double *y, size_t count) {                                         \
    for (size_t i = 0; i < count; i += 4)                                                                              \
      _mm256_storeu_pd(y + i, _ZGVdN4v_##name(_mm256_loadu_pd(x + i)));                                                \
  }
#else
#include <cmath>

#define TENON_VECTOR_FUNCTION(name)                                                                                    \
  void tenon::accuracy::fast::name(const double *x, double *y, size_t count) {                                         \
    for (size_t i = 0; i < count; ++i)                                                                                 \
      y[i] = std::name(x[i]);                                                                                          \
  }
#endif

TENON_VECTOR_FUNCTION(acos)
TENON_VECTOR_FUNCTION(acosh)
TENON_VECTOR_FUNCTION(asin)
TENON_VECTOR_FUNCTION(asinh)
TENON_VECTOR_FUNCTION(atan)
TENON_VECTOR_FUNCTION(atanh)
TENON_VECTOR_FUNCTION(cbrt)
TENON_VECTOR_FUNCTION(cos)
TENON_VECTOR_FUNCTION(cosh)
TENON_VECTOR_FUNCTION(erf)
TENON_VECTOR_FUNCTION(erfc)
TENON_VECTOR_FUNCTION(exp)
TENON_VECTOR_FUNCTION(expm1)
TENON_VECTOR_FUNCTION(log)
TENON_VECTOR_FUNCTION(log1p)
TENON_VECTOR_FUNCTION(sin)
TENON_VECTOR_FUNCTION(sinh)
TENON_VECTOR_FUNCTION(tan)
TENON_VECTOR_FUNCTION(tanh)
