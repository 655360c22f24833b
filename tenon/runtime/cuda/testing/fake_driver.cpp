// A library like libcuda.so.1, of which nothing works but asking for functions: for tests of opening it.
#include <cstdint>
#include <cstring>

extern "C" {

static int fails() { return 999; }
static int cuInit(unsigned) { return 0; }
static int cuDeviceGetCount(int *count) { return *count = 3, 0; }

// As the real one: success, the function, and a status. What names begin with cu is there, but for FAKE_LACKS.
__attribute__((visibility("default"))) int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t,
                                                               int *status) {
  *status = 0;
  bool isThere =
      (version == 12000 || version == 12040) && std::strncmp(name, "cu", 2) == 0 && std::strcmp(name, FAKE_LACKS) != 0;
  *function = !isThere                                     ? nullptr
              : std::strcmp(name, "cuInit") == 0           ? reinterpret_cast<void *>(&cuInit)
              : std::strcmp(name, "cuDeviceGetCount") == 0 ? reinterpret_cast<void *>(&cuDeviceGetCount)
                                                           : reinterpret_cast<void *>(&fails);
  return isThere ? 0 : 500;
}
}
