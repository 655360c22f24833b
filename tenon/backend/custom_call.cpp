#include "tenon/custom_call.h"

#include "tenon/runtime/core/runtime_call.h"

extern "C" int Tenon_RegisterCustomCall(const char *target_name, void *function) {
  if (!target_name || !function)
    return 1;
  tenon::runtime::registerUntypedCall(target_name, function);
  return 0;
}
