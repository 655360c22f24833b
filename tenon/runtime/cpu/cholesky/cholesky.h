// The Cholesky factorization of one real matrix, shared among threads. LAPACK libraries, whose own threads stay off
// (lapack_library.h), take twice as long on one thread.
#pragma once

#include "tenon/runtime/core/thread_pool.h"

#include <cstdint>

namespace tenon::runtime::cholesky {

// What potrf does, apart from rounding: one triangle of a column-major matrix becomes its factor, and the other is
// neither read nor written. Gives the order of the first leading minor that is not positive definite, or 0. The bits of
// the factor do not depend on the number of threads. `work` has room for workElements(n) and is aligned to 64 bytes.
template <typename Real> int64_t factor(ThreadPool &pool, bool lower, int64_t n, Real *a, int64_t stride, Real *work);
template <typename Real> int64_t workElements(int64_t n);

} // namespace tenon::runtime::cholesky
