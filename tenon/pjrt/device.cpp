// Slots about devices, their descriptions and their memories.
#include "tenon/pjrt/client.h"
#include "tenon/pjrt/error.h"
#include "tenon/runtime/core/memory.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

// Marks host work that a profiler may show; we keep only its description.
struct PJRT_AsyncTrackingEvent {
  std::string description;
};

PJRT_DeviceDescription::PJRT_DeviceDescription(const tenon::pjrt::Platform &platform, int id)
    : platform(&platform), id(id), debugString(platform.name + ":" + std::to_string(id)),
      toString(platform.deviceClass + "(id=" + std::to_string(id) + ")") {}

namespace tenon::pjrt {

const char *memoryKindName(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::kDevice:
    return "device";
  case MemoryKind::kPinnedHost:
    return "pinned_host";
  case MemoryKind::kUnpinnedHost:
    return "unpinned_host";
  }
  return "";
}

UserData::~UserData() {
  for (Entry &entry : entries_)
    if (entry.destroy)
      entry.destroy(entry.data);
}

void *UserData::get(const void *key) {
  std::lock_guard lock(mutex_);
  for (Entry &entry : entries_)
    if (entry.key == key)
      return entry.data;
  return nullptr;
}

void UserData::set(const void *key, void *data, void (*destroy)(void *)) {
  Entry old{nullptr, nullptr, nullptr};
  {
    std::lock_guard lock(mutex_);
    auto place = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &entry) { return entry.key == key; });
    if (place == entries_.end())
      entries_.push_back({key, data, destroy});
    else
      old = std::exchange(*place, {key, data, destroy});
  }
  if (old.destroy)
    old.destroy(old.data);
}

namespace {

const PJRT_Memory_FunctionTable kMemoryFunctions = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = PJRT_Memory_STRUCT_SIZE,
    .get_user_data = [](PJRT_Memory *memory, const void *key) { return asMemory(memory)->userData.get(key); },
    .set_user_data = [](PJRT_Memory *memory, const void *key, void *data,
                        void (*destroy)(void *)) { asMemory(memory)->userData.set(key, data, destroy); },
};

void setString(const std::string &text, const char *&data, size_t &size) {
  data = text.c_str();
  size = text.size();
}

void fillDescriptionSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_Id, [](PJRT_DeviceDescription_Id_Args &args) -> Status {
    args.id = args.device_description->id;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_ProcessIndex,
                  [](PJRT_DeviceDescription_ProcessIndex_Args &args) -> Status {
                    args.process_index = args.device_description->processIndex;
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_Attributes, [](PJRT_DeviceDescription_Attributes_Args &args) -> Status {
    const std::vector<PJRT_NamedValue> &attributes = args.device_description->platform->attributes;
    args.attributes = attributes.data();
    args.num_attributes = attributes.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_Kind, [](PJRT_DeviceDescription_Kind_Args &args) -> Status {
    setString(args.device_description->platform->deviceKind, args.device_kind, args.device_kind_size);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_DebugString, [](PJRT_DeviceDescription_DebugString_Args &args) -> Status {
    setString(args.device_description->debugString, args.debug_string, args.debug_string_size);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_DeviceDescription_ToString, [](PJRT_DeviceDescription_ToString_Args &args) -> Status {
    setString(args.device_description->toString, args.to_string, args.to_string_size);
    return {};
  });
}

// A device's own memory, which nothing is kept of that has been freed.
runtime::MemoryStats statsOf(const runtime::Device &device) {
  runtime::DeviceMemoryStats own = device.memoryStats();
  runtime::MemoryStats stats;
  stats.bytesInUse = own.bytesInUse;
  stats.peakBytesInUse = own.peakBytesInUse;
  stats.largestAllocation = own.largestAllocation;
  stats.allocations = own.allocations;
  stats.physicalBytes = device.properties().memoryBytes;
  return stats;
}

// Devices of the CPU share the process's memory, so each tells the same numbers.
Status memoryStats(PJRT_Device_MemoryStats_Args &args) {
  const runtime::Device *device = args.device->gpu;
  runtime::MemoryStats stats = device ? statsOf(*device) : runtime::memoryStats();
  auto set = [](int64_t value, int64_t &field, bool &isSet) {
    field = value;
    isSet = true;
  };
  args.bytes_in_use = stats.bytesInUse;
  set(stats.peakBytesInUse, args.peak_bytes_in_use, args.peak_bytes_in_use_is_set);
  set(stats.allocations, args.num_allocs, args.num_allocs_is_set);
  set(stats.largestAllocation, args.largest_alloc_size, args.largest_alloc_size_is_set);
  set(stats.physicalBytes, args.bytes_limit, args.bytes_limit_is_set);
  set(stats.bytesInUse + stats.cachedBytes, args.pool_bytes, args.pool_bytes_is_set);
  set(stats.physicalBytes, args.bytes_reservable_limit, args.bytes_reservable_limit_is_set);
  args.bytes_reserved_is_set = args.peak_bytes_reserved_is_set = false;
  args.largest_free_block_bytes_is_set = args.peak_pool_bytes_is_set = false;
  if (args.struct_size >= PJRT_Device_MemoryStats_Args_STRUCT_SIZE)
    set(stats.peakBytesInUse, args.peak_allocated_bytes, args.peak_allocated_bytes_is_set);
  return {};
}

void fillMemorySlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Memory_Id, [](PJRT_Memory_Id_Args &args) -> Status {
    args.id = asMemory(args.memory)->id;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Memory_Kind, [](PJRT_Memory_Kind_Args &args) -> Status {
    args.kind = memoryKindName(asMemory(args.memory)->kind);
    args.kind_size = std::string_view(args.kind).size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Memory_Kind_Id, [](PJRT_Memory_Kind_Id_Args &args) -> Status {
    args.kind_id = static_cast<int>(asMemory(args.memory)->kind);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Memory_DebugString, [](PJRT_Memory_DebugString_Args &args) -> Status {
    setString(asMemory(args.memory)->debugString, args.debug_string, args.debug_string_size);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Memory_ToString, [](PJRT_Memory_ToString_Args &args) -> Status {
    setString(asMemory(args.memory)->toString, args.to_string, args.to_string_size);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Memory_AddressableByDevices, [](PJRT_Memory_AddressableByDevices_Args &args) -> Status {
    args.devices = &asMemory(args.memory)->device;
    args.num_devices = 1;
    return {};
  });
}

} // namespace

Memory::Memory() : PJRT_Memory{&kMemoryFunctions} {}

void fillDeviceSlots(PJRT_Api &api) {
  fillDescriptionSlots(api);
  fillMemorySlots(api);
  TENON_PJRT_SLOT(api, PJRT_Device_GetDescription, [](PJRT_Device_GetDescription_Args &args) -> Status {
    args.device_description = &args.device->description;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_IsAddressable, [](PJRT_Device_IsAddressable_Args &args) -> Status {
    args.is_addressable = args.device->isHere();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_LocalHardwareId, [](PJRT_Device_LocalHardwareId_Args &args) -> Status {
    args.local_hardware_id = args.device->localId;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_AddressableMemories, [](PJRT_Device_AddressableMemories_Args &args) -> Status {
    args.memories = args.device->memoryPointers.data();
    args.num_memories = args.device->isHere() ? args.device->memoryPointers.size() : 0;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_DefaultMemory, [](PJRT_Device_DefaultMemory_Args &args) -> Status {
    if (!args.device->isHere())
      return invalidArgument("there is no memory here of " + remoteName(*args.device));
    args.memory = args.device->defaultMemory();
    return {};
  });
  // The last two fields are newer than the oldest framework we serve.
  TENON_PJRT_SLOT_SINCE(api, PJRT_Device_MemoryStats,
                        PJRT_STRUCT_SIZE(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set), memoryStats);
  TENON_PJRT_SLOT(api, PJRT_Device_ClearMemoryStats, [](PJRT_Device_ClearMemoryStats_Args &) -> Status {
    return unimplemented("memory statistics cannot be cleared");
  });
  TENON_PJRT_SLOT(api, PJRT_Device_PoisonExecution, [](PJRT_Device_PoisonExecution_Args &args) -> Status {
    args.poisoned = false; // programs that have been started run to their end
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_GetAttributes, [](PJRT_Device_GetAttributes_Args &args) -> Status {
    const std::vector<PJRT_NamedValue> &attributes = args.device->client->platform->attributes;
    args.attributes = attributes.data();
    args.num_attributes = attributes.size();
    args.device_attributes = nullptr;
    args.attributes_deleter = [](PJRT_Device_Attributes *) {};
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Device_CreateAsyncTrackingEvent,
                  [](PJRT_Device_CreateAsyncTrackingEvent_Args &args) -> Status {
                    args.event = new PJRT_AsyncTrackingEvent{{args.description, args.description_size}};
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_AsyncTrackingEvent_Destroy, [](PJRT_AsyncTrackingEvent_Destroy_Args &args) -> Status {
    delete args.event;
    return {};
  });
}

} // namespace tenon::pjrt
