// Layouts, shardings and memory descriptions.
#include "tenon/pjrt/extensions.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/executable.h"
#include "tenon/support/strides.h"

#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"

#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

struct PJRT_Layouts_SerializedLayout {
  std::string bytes;
};

struct PJRT_MemoryDescription {
  tenon::pjrt::MemoryKind kind;
};

namespace tenon::pjrt {
namespace {

PJRT_Layouts_MemoryLayout *rowMajorLayout(size_t rank) {
  std::vector<int64_t> minorToMajor(rank);
  std::iota(minorToMajor.rbegin(), minorToMajor.rend(), 0);
  return new PJRT_Layouts_MemoryLayout{layoutText(minorToMajor)};
}

Status serializeLayout(PJRT_Layouts_MemoryLayout_Serialize_Args &args) {
  args.serialized_layout = new PJRT_Layouts_SerializedLayout{args.layout->text};
  args.serialized_bytes = args.serialized_layout->bytes.data();
  args.serialized_bytes_size = args.serialized_layout->bytes.size();
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout *layout) { delete layout; };
  return {};
}

PJRT_Layouts_Extension makeLayouts() {
  PJRT_Layouts_Extension layouts{};
  layouts.base = {PJRT_Layouts_Extension_STRUCT_SIZE, PJRT_Extension_Type_Layouts, nullptr};
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_MemoryLayout_Destroy,
                  [](PJRT_Layouts_MemoryLayout_Destroy_Args &args) -> Status {
                    delete args.layout;
                    return {};
                  });
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_MemoryLayout_Serialize, serializeLayout);
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                  [](PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args &args) -> Status {
                    args.layout = new PJRT_Layouts_MemoryLayout{layoutText(args.buffer->type->minorToMajor)};
                    return {};
                  });
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_PJRT_Client_GetDefaultLayout,
                  [](PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args &args) -> Status {
                    args.layout = rowMajorLayout(args.num_dims);
                    return {};
                  });
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
                  [](PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args &args) -> Status {
                    args.layout = rowMajorLayout(args.num_dims);
                    return {};
                  });
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                  [](PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args &args) -> Status {
                    args.num_outputs = args.executable->program->resultLayoutPointers.size();
                    args.layouts = args.executable->program->resultLayoutPointers.data();
                    return {};
                  });
  TENON_PJRT_SLOT(layouts, PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
                  [](PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args &args) -> Status {
                    args.num_parameters = args.executable->program->argumentLayoutPointers.size();
                    args.layouts = args.executable->program->argumentLayoutPointers.data();
                    return {};
                  });
  return layouts;
}

PJRT_Shardings_Extension makeShardings() {
  PJRT_Shardings_Extension shardings{};
  shardings.base = {PJRT_Shardings_Extension_STRUCT_SIZE, PJRT_Extension_Type_Shardings, nullptr};
  TENON_PJRT_SLOT(shardings, PJRT_Shardings_PJRT_Executable_ParameterShardings,
                  [](PJRT_Shardings_PJRT_Executable_ParameterShardings_Args &args) -> Status {
                    args.num_parameters = args.executable->program->argumentShardingData.size();
                    args.shardings = args.executable->program->argumentShardingData.data();
                    args.sharding_sizes = args.executable->program->argumentShardingSizes.data();
                    return {};
                  });
  TENON_PJRT_SLOT(shardings, PJRT_Shardings_PJRT_Executable_OutputShardings,
                  [](PJRT_Shardings_PJRT_Executable_OutputShardings_Args &args) -> Status {
                    args.num_outputs = args.executable->program->resultShardingData.size();
                    args.shardings = args.executable->program->resultShardingData.data();
                    args.sharding_sizes = args.executable->program->resultShardingSizes.data();
                    return {};
                  });
  return shardings;
}

PJRT_MemoryDescriptions_Extension makeMemoryDescriptions() {
  PJRT_MemoryDescriptions_Extension descriptions{};
  descriptions.base = {PJRT_MemoryDescriptions_Extension_STRUCT_SIZE, PJRT_Extension_Type_MemoryDescriptions, nullptr};
  TENON_PJRT_SLOT(descriptions, PJRT_DeviceDescription_MemoryDescriptions,
                  [](PJRT_DeviceDescription_MemoryDescriptions_Args &args) -> Status {
                    static const PJRT_MemoryDescription kinds[kNumMemoryKinds] = {
                        {MemoryKind::kDevice}, {MemoryKind::kPinnedHost}, {MemoryKind::kUnpinnedHost}};
                    static const PJRT_MemoryDescription *const pointers[kNumMemoryKinds] = {&kinds[0], &kinds[1],
                                                                                            &kinds[2]};
                    args.memory_descriptions = pointers;
                    args.num_memory_descriptions = kNumMemoryKinds;
                    args.default_memory_index = 0;
                    return {};
                  });
  TENON_PJRT_SLOT(descriptions, PJRT_MemoryDescription_Kind, [](PJRT_MemoryDescription_Kind_Args &args) -> Status {
    args.kind = memoryKindName(args.memory_description->kind);
    args.kind_size = std::string_view(args.kind).size();
    args.kind_id = static_cast<int>(args.memory_description->kind);
    return {};
  });
  return descriptions;
}

struct CallbackTargets {
  std::mutex mutex;
  std::set<std::string, std::less<>> names;
};

CallbackTargets &callbackTargets() {
  static CallbackTargets targets;
  return targets;
}

} // namespace

void markHostCallback(std::string_view target) {
  std::lock_guard lock(callbackTargets().mutex);
  callbackTargets().names.emplace(target);
}

bool isHostCallback(std::string_view target) {
  std::lock_guard lock(callbackTargets().mutex);
  return callbackTargets().names.contains(target);
}

PJRT_Extension_Base *layoutsExtension(PJRT_Extension_Base *next) {
  static PJRT_Layouts_Extension extension = makeLayouts();
  extension.base.next = next;
  return &extension.base;
}

PJRT_Extension_Base *shardingsExtension(PJRT_Extension_Base *next) {
  static PJRT_Shardings_Extension extension = makeShardings();
  extension.base.next = next;
  return &extension.base;
}

PJRT_Extension_Base *memoryDescriptionsExtension(PJRT_Extension_Base *next) {
  static PJRT_MemoryDescriptions_Extension extension = makeMemoryDescriptions();
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
