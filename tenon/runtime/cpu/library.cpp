#include "tenon/runtime/cpu/library.h"

#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/transfer.h"
#include "tenon/runtime/cpu/element_check.h"
#include "tenon/runtime/cpu/fft.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/linear_algebra.h"
#include "tenon/runtime/cpu/shape_assertion.h"

#include <cstring>

namespace tenon::runtime {

namespace {

const LapackLibrary *lapackOrNull() {
  StatusOr<const LapackLibrary *> library = LapackLibrary::get();
  return library.ok() ? *library : nullptr;
}

// The seed of the run's random numbers, a ui64.
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeRunSeed(const program::RuntimeCall &runtimeCall) {
  if (!runtimeCall.operands.empty() ||
      runtimeCall.results != std::vector{program::Shape{program::ElementType::kUI64, {}}})
    return invalidArgument("run_seed gives a ui64, and takes nothing");
  return makeRuntimeCall([](const CallBuffers &call) -> Status {
    std::memcpy(call.results[0], &call.options.seed, sizeof call.options.seed);
    return {};
  });
}

} // namespace

void registerCpuLibrary() {
  static const bool done = [] {
    registerTransfers();
    registerCollectives();
    registerLibrary("fft", makeFftCall);
    registerLibrary("shape_assertion", makeShapeAssertion);
    registerLibrary("run_seed", makeRunSeed);
    // LAPACK is looked for when the first program that wants it is loaded.
    registerLibrary("cholesky",
                    [](const program::RuntimeCall &runtimeCall) { return makeCholesky(runtimeCall, lapackOrNull()); });
    registerLibrary("triangular_solve", [](const program::RuntimeCall &runtimeCall) {
      return makeTriangularSolve(runtimeCall, lapackOrNull());
    });
    registerLapack();
    // Targets of these names from outside go before them.
    for (const char *name : {"check.eq", "check.expect_eq", "check.expect_almost_eq", "check.expect_close"})
      registerBuiltInCustomCall(name, makeCheck, [] { return false; });
    return true;
  }();
  (void)done;
}

} // namespace tenon::runtime
