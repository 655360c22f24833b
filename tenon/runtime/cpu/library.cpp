#include "tenon/runtime/cpu/library.h"

#include "tenon/runtime/core/service.h"
#include "tenon/runtime/cpu/fft.h"
#include "tenon/runtime/cpu/lapack.h"

namespace tenon::runtime {

void registerCpuLibrary() {
  static const bool done = [] {
    registerLibrary("fft", makeFftService);
    registerLapack();
    return true;
  }();
  (void)done;
}

} // namespace tenon::runtime
