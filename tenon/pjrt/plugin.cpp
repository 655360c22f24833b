// libpjrt_tenon.so: what frameworks load.
#include "tenon/backend/backend.h"
#include "tenon/pjrt/api.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/python_bridge.h"

namespace {

const PJRT_Api *pluginApi() {
  using namespace tenon::pjrt;
  return makeApi(tenon::backend::defaultBackend,
                 ffiExtension(customPartitionerExtension(profilerExtension(tenonExtension(nullptr)))));
}

} // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  tenon::pjrt::setClientHook([] {
    tenon::pjrt::bridgeSignals();
    tenon::pjrt::bridgePython(pluginApi());
  });
  return pluginApi();
}
