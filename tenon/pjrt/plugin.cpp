// libpjrt_tenon.so: what frameworks load.
#include "tenon/backend/registry.h"
#include "tenon/pjrt/api.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/python_bridge.h"

namespace {

tenon::StatusOr<tenon::backend::Backend *> backendOf(std::string_view platform) {
  return tenon::backend::backendOf(std::string(platform));
}

const PJRT_Api *pluginApi() {
  using namespace tenon::pjrt;
  return makeApi(backendOf, ffiExtension(customPartitionerExtension(profilerExtension(tenonExtension(nullptr)))));
}

} // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi() {
  tenon::pjrt::setClientHook([] {
    tenon::pjrt::bridgeSignals();
    tenon::pjrt::bridgePython(pluginApi());
  });
  return pluginApi();
}
