// The QR factorization of one real matrix, and the orthogonal factor from its reflectors, shared among threads. LAPACK
// libraries, whose own threads stay off (lapack_library.h), take longer on one thread, too.
#pragma once

#include "tenon/runtime/core/thread_pool.h"

#include <cstdint>

namespace tenon::runtime::qr {

// What geqrf does, apart from rounding, for finite elements: a column-major m by n matrix without gaps becomes R with
// the reflectors below its diagonal. The bits do not depend on the number of threads. `work` has room for
// workElements(m, n).
template <typename Real> void factor(ThreadPool &pool, int64_t m, int64_t n, Real *a, Real *tau, Real *work);
// What orgqr does: the first n columns of the product of k reflectors, k <= n <= m, in their place.
template <typename Real>
void formFactor(ThreadPool &pool, int64_t m, int64_t n, int64_t k, Real *a, const Real *tau, Real *work);
template <typename Real> int64_t workElements(int64_t m, int64_t n);

// Whether these take less time than LAPACK libraries: the loops are those of a newer machine, and the matrix has
// neither few columns nor so many rows that it is read more often than it is computed with.
bool isFaster(int64_t m, int64_t n);

} // namespace tenon::runtime::qr
