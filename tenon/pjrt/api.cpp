#include "tenon/pjrt/api.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/executable.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/host_transfers.h"

#include <cstring>

namespace tenon::pjrt {
namespace {

// Frameworks send portable artifacts of this version of StableHLO, or of their own if that is older. The importer reads
// newer ones, but from 1.16 on collectives may name their groups by axes of a mesh, which is not supported.
constexpr int64_t kStablehloVersion[] = {1, 15, 0};
constexpr int64_t kStablehloMinimumVersion[] = {0, 9, 0};

template <size_t N> PJRT_NamedValue listAttribute(const char *name, const int64_t (&numbers)[N]) {
  PJRT_NamedValue value = attribute(name, int64_t{0});
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = numbers;
  value.value_size = N;
  return value;
}

Status pluginAttributes(PJRT_Plugin_Attributes_Args &args) {
  static const PJRT_NamedValue attributes[] = {
      attribute("xla_version", int64_t{2}),
      listAttribute("stablehlo_current_version", kStablehloVersion),
      listAttribute("stablehlo_minimum_version", kStablehloMinimumVersion),
  };
  args.attributes = attributes;
  args.num_attributes = std::size(attributes);
  return {};
}

PJRT_Api build(PJRT_Extension_Base *more) {
  PJRT_Api api{};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
  api.extension_start = layoutsExtension(
      shardingsExtension(memoryDescriptionsExtension(streamExtension(crossHostTransfersExtension(more)))));
  TENON_PJRT_SLOT(api, PJRT_Plugin_Initialize, [](PJRT_Plugin_Initialize_Args &) -> Status { return {}; });
  TENON_PJRT_SLOT(api, PJRT_Plugin_Attributes, pluginAttributes);
  fillErrorSlots(api);
  fillEventSlots(api);
  fillClientSlots(api);
  fillDeviceSlots(api);
  fillTopologySlots(api);
  fillBufferSlots(api);
  fillBufferCopySlots(api);
  fillBufferCreateSlots(api);
  fillTransferSlots(api);
  fillExecutableSlots(api);
  fillCompileSlots(api);
  fillExecuteSlots(api);
  fillStreamSlots(api);
  return api;
}

} // namespace

const PJRT_Api *makeApi(BackendFactory factory, PJRT_Extension_Base *more) {
  setBackendFactory(factory);
  static const PJRT_Api api = build(more);
  return &api;
}

} // namespace tenon::pjrt
