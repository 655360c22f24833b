// libpjrt_tenon.so: what frameworks load.
#include "tenon/client/client.h"
#include "tenon/pjrt/api.h"
#include "tenon/pjrt/extensions.h"

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  return tenon::pjrt::makeApi(tenon::client::defaultBackend,
                              tenon::pjrt::ffiExtension(tenon::pjrt::tenonExtension(nullptr)));
}
