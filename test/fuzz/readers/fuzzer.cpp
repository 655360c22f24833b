// libFuzzer's entry to the function TENON_READER.
#include "test/fuzz/readers/readers.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon::fuzz::TENON_READER({reinterpret_cast<const char *>(data), size});
  return 0;
}
