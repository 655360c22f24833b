// The emulated driver as a library like libcuda.so.1: for tests of programs that open the machine's.
#include "tenon/runtime/cuda/library.h"
#include "tenon/runtime/emulator/driver.h"

#include <cstdint>
#include <cstring>

// What programs ask for every function by. `status` may be null.
extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char *name, void **function, int,
                                                                          uint64_t, int *status) {
  static tenon::runtime::cuda::Driver driver = tenon::runtime::emulator::driver();
  if (status)
    *status = 0;
  *function = nullptr;
  for (auto [known, slot] : tenon::runtime::cuda::functionsOf(driver))
    if (std::strcmp(known, name) == 0)
      *function = *slot;
  return static_cast<int>(*function ? tenon::runtime::cuda::Result::kSuccess : tenon::runtime::cuda::Result::kNotFound);
}
