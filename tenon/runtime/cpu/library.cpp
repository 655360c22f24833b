#include "tenon/runtime/cpu/library.h"

#include "tenon/runtime/core/service.h"
#include "tenon/runtime/core/transfer.h"
#include "tenon/runtime/cpu/fft.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/linear_algebra.h"
#include "tenon/runtime/cpu/shape_assertion.h"

namespace tenon::runtime {

namespace {

const LapackLibrary *lapackOrNull() {
  StatusOr<const LapackLibrary *> library = LapackLibrary::get();
  return library.ok() ? *library : nullptr;
}

} // namespace

void registerCpuLibrary() {
  static const bool done = [] {
    registerTransfers();
    registerLibrary("fft", makeFftService);
    registerLibrary("shape_assertion", makeShapeAssertion);
    // LAPACK is looked for when the first program that wants it is loaded.
    registerLibrary("cholesky", [](const program::Service &service) { return makeCholesky(service, lapackOrNull()); });
    registerLibrary("triangular_solve",
                    [](const program::Service &service) { return makeTriangularSolve(service, lapackOrNull()); });
    registerLapack();
    return true;
  }();
  (void)done;
}

} // namespace tenon::runtime
