#include "tenon/pjrt/client.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/process_copies.h"
#include "tenon/pjrt/processes.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tenon::pjrt {
namespace {

constexpr int kMaxDevices = 4096, kMaxProcesses = 4096;

void (*clientHook)() = nullptr;

// The value of XLA's flag for the number of its CPU devices; nothing where it is not set.
std::optional<std::string_view> xlaDeviceCount() {
  constexpr std::string_view kFlag = "--xla_force_host_platform_device_count=", kSpaces = " \t\n";
  const char *flags = std::getenv("XLA_FLAGS");
  std::optional<std::string_view> value;
  std::string_view rest(flags ? flags : "");
  while (!rest.empty()) {
    size_t end = std::min(rest.find_first_of(kSpaces), rest.size());
    if (std::string_view flag = rest.substr(0, end); flag.starts_with(kFlag))
      value = flag.substr(kFlag.size());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return value;
}

StatusOr<int> numDevicesFromEnvironment() {
  std::string name = "TENON_NUM_DEVICES";
  const char *text = std::getenv(name.c_str());
  std::optional<std::string_view> given;
  if (text && *text) {
    given = text;
  } else {
    given = xlaDeviceCount();
    name = "--xla_force_host_platform_device_count in XLA_FLAGS";
  }
  if (!given)
    return 1;
  int count = 0;
  auto [end, error] = std::from_chars(given->begin(), given->end(), count);
  if (error != std::errc() || end != given->end() || count < 1 || count > kMaxDevices)
    return invalidArgument(name + " is '" + std::string(*given) + "'; expected a number from 1 to " +
                           std::to_string(kMaxDevices));
  return count;
}

struct ClientOptions {
  std::string_view platform = "cpu";
  int devices = 0; // 0: as many as the environment says
  ProcessPlace place;
};

// JAX adds those of a process's place in a distributed program.
Status readOptions(const PJRT_Client_Create_Args &args, ClientOptions &options) {
  auto read = [](const PJRT_NamedValue &option, int64_t least, int64_t most, int &value) {
    if (option.int64_value < least || option.int64_value > most)
      return invalidArgument("client option " + std::string(option.name, option.name_size) + " is " +
                             std::to_string(option.int64_value) + "; expected " + std::to_string(least) + " to " +
                             std::to_string(most));
    value = static_cast<int>(option.int64_value);
    return Status();
  };
  int partition = 0; // a name of a group of processes, which they need not know
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue &option = args.create_options[i];
    std::string_view name(option.name, option.name_size);
    bool integer = option.type == PJRT_NamedValue_kInt64;
    if (name == "platform" && option.type == PJRT_NamedValue_kString)
      options.platform = {option.string_value, option.value_size};
    else if (name == "num_devices" && integer)
      TENON_RETURN_IF_ERROR(read(option, 1, kMaxDevices, options.devices));
    else if (name == "num_nodes" && integer)
      TENON_RETURN_IF_ERROR(read(option, 1, kMaxProcesses, options.place.count));
    else if (name == "node_id" && integer)
      TENON_RETURN_IF_ERROR(read(option, 0, kMaxProcesses - 1, options.place.self));
    else if (name == "partition_index" && integer)
      TENON_RETURN_IF_ERROR(read(option, 0, INT_MAX, partition));
    else
      return invalidArgument("unknown client option '" + std::string(name) + "'");
  }
  if (options.place.self >= options.place.count)
    return invalidArgument("client option node_id is " + std::to_string(options.place.self) + ", of " +
                           std::to_string(options.place.count) + " processes");
  return {};
}

void addMemories(PJRT_Client &client, PJRT_Device &device) {
  int id = device.description.id;
  for (int kind = 0; kind < kNumMemoryKinds; ++kind) {
    Memory &memory = device.memories[kind];
    memory.id = id * kNumMemoryKinds + kind;
    memory.kind = static_cast<MemoryKind>(kind);
    memory.device = &device;
    std::string name = memoryKindName(memory.kind);
    const std::string &platform = client.platform->name;
    memory.debugString = std::string(platform == "cpu" ? "TenonCpuMemory" : "TenonCudaMemory") +
                         "(id=" + std::to_string(memory.id) + ", kind=" + name + ")";
    memory.toString = platform + ":" + std::to_string(id) + ":" + name;
    device.memoryPointers[kind] = &memory;
    client.memoryPointers.push_back(&memory);
  }
}

// Those of one process, behind those of the processes before it.
void addDevices(PJRT_Client &client, int64_t count, int process) {
  for (int64_t local = 0; local < count; ++local) {
    auto id = static_cast<int>(client.devices.size());
    PJRT_Device &device = client.devices.emplace_back(*client.platform, id);
    device.client = &client;
    device.description.processIndex = process;
    client.devicePointers.push_back(&device);
    client.topology.pointers.push_back(&device.description);
    device.localId = process == client.processIndex() ? static_cast<int>(local) : -1;
    device.memoryPointers.fill(nullptr);
    if (!device.isHere())
      continue;
    if (!client.platform->devices.empty())
      device.gpu = client.platform->devices[static_cast<size_t>(local)];
    addMemories(client, device);
    client.localDevices.push_back(&device);
  }
}

// GPUs are as many as there are, or the first of them; the CPU is as many as the environment says.
StatusOr<int> countDevices(const Platform &platform, const ClientOptions &options) {
  const auto gpus = static_cast<int>(platform.devices.size());
  if (gpus > 0 && options.devices > gpus)
    return invalidArgument("client option num_devices is " + std::to_string(options.devices) + ", there are " +
                           std::to_string(gpus) + " GPUs");
  if (options.devices > 0)
    return options.devices;
  return gpus > 0 ? StatusOr<int>(gpus) : numDevicesFromEnvironment();
}

// ", devices of 2 processes: 4, 4". A program over processes is another one for another spread of the same devices.
std::string describeSpread(const std::vector<runtime::Node> &nodes) {
  std::string text = ", devices of " + std::to_string(nodes.size()) + " processes:";
  for (const runtime::Node &node : nodes)
    text += (&node == nodes.data() ? " " : ", ") + std::to_string(node.devices);
  return text;
}

Status create(PJRT_Client_Create_Args &args) {
  ClientOptions options;
  TENON_RETURN_IF_ERROR(readOptions(args, options));
  auto client = std::make_unique<PJRT_Client>();
  TENON_ASSIGN_OR_RETURN(client->platform, findPlatform(options.platform));
  TENON_ASSIGN_OR_RETURN(int numDevices, countDevices(*client->platform, options));
  TENON_ASSIGN_OR_RETURN(client->processes, startProcesses(args, *client->platform, options.place, numDevices));
  client->launches = std::make_shared<LaunchRegistry>();
  if (client->processes) {
    client->failure.emplace(*client->processes);
    client->processes->setLocalMeetings([launches = client->launches] { return launches->meetings(); });
    client->copies = std::make_shared<ProcessCopies>(client->processes->transport(), client->stop.get_token());
  }
  client->version = client->platform->version;
  if (client->processes)
    client->version += describeSpread(client->processes->nodes());
  client->topology.platform = client->platform;
  if (client->processes)
    for (size_t process = 0; process < client->processes->nodes().size(); ++process)
      addDevices(*client, client->processes->nodes()[process].devices, static_cast<int>(process));
  else
    addDevices(*client, numDevices, 0);
  if (clientHook)
    clientHook();
  args.client = client.release();
  return {};
}

// Replicas first, as XLA's CPU client does: device = replica + partition * replicas. They are this process's devices
// where there are as many.
Status defaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args &args) {
  if (args.num_replicas < 1 || args.num_partitions < 1)
    return invalidArgument("a device assignment needs at least one replica and one partition");
  size_t count = static_cast<size_t>(args.num_replicas) * args.num_partitions;
  if (count > args.client->devices.size())
    return invalidArgument("the program needs " + std::to_string(count) + " devices, there are " +
                           std::to_string(args.client->devices.size()));
  if (args.default_assignment_size < count)
    return invalidArgument("the space for the device assignment is too small");
  const PJRT_Client &client = *args.client;
  const auto &devices = count <= client.localDevices.size() ? client.localDevices : client.devicePointers;
  for (int replica = 0; replica < args.num_replicas; ++replica)
    for (int partition = 0; partition < args.num_partitions; ++partition)
      args.default_assignment[replica * args.num_partitions + partition] =
          devices[static_cast<size_t>(replica) + static_cast<size_t>(partition) * args.num_replicas]->description.id;
  return {};
}

Status lookupDevice(PJRT_Client_LookupDevice_Args &args) {
  args.device = args.client->lookup(args.id);
  return args.device ? Status() : invalidArgument("no device has id " + std::to_string(args.id));
}

Status lookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args &args) {
  const std::vector<PJRT_Device *> &devices = args.client->localDevices;
  if (args.local_hardware_id < 0 || static_cast<size_t>(args.local_hardware_id) >= devices.size())
    return invalidArgument("no device has local hardware id " + std::to_string(args.local_hardware_id));
  args.addressable_device = devices[static_cast<size_t>(args.local_hardware_id)];
  return {};
}

} // namespace

void setClientHook(void (*hook)()) { clientHook = hook; }

runtime::Device *deviceOf(PJRT_Memory *memory) {
  const Memory *own = asMemory(memory);
  return own->kind == MemoryKind::kDevice ? own->device->gpu : nullptr;
}

std::string remoteName(const PJRT_Device &device) {
  int process = device.description.processIndex;
  return "device " + std::to_string(device.description.id) + ", which " +
         runtime::nodeName(process, device.client->processes->nodes()[static_cast<size_t>(process)]) + " has";
}

StatusOr<PJRT_Memory *> chooseMemory(PJRT_Client *client, PJRT_Memory *memory, PJRT_Device *device) {
  if (memory)
    return memory;
  if (device && !device->isHere())
    return invalidArgument("nothing can be put on " + remoteName(*device));
  if (device)
    return device->defaultMemory();
  return invalidArgument("neither a memory nor a device was given");
}

void fillClientSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Client_Create, create);
  TENON_PJRT_SLOT(api, PJRT_Client_Destroy, [](PJRT_Client_Destroy_Args &args) -> Status {
    delete args.client;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_PlatformName, [](PJRT_Client_PlatformName_Args &args) -> Status {
    args.platform_name = args.client->platform->name.c_str();
    args.platform_name_size = args.client->platform->name.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_ProcessIndex, [](PJRT_Client_ProcessIndex_Args &args) -> Status {
    args.process_index = args.client->processIndex();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_PlatformVersion, [](PJRT_Client_PlatformVersion_Args &args) -> Status {
    args.platform_version = args.client->version.c_str();
    args.platform_version_size = args.client->version.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_Devices, [](PJRT_Client_Devices_Args &args) -> Status {
    args.devices = args.client->devicePointers.data();
    args.num_devices = args.client->devicePointers.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_AddressableDevices, [](PJRT_Client_AddressableDevices_Args &args) -> Status {
    args.addressable_devices = args.client->localDevices.data();
    args.num_addressable_devices = args.client->localDevices.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_LookupDevice, lookupDevice);
  TENON_PJRT_SLOT(api, PJRT_Client_LookupAddressableDevice, lookupAddressableDevice);
  TENON_PJRT_SLOT(api, PJRT_Client_AddressableMemories, [](PJRT_Client_AddressableMemories_Args &args) -> Status {
    args.addressable_memories = args.client->memoryPointers.data();
    args.num_addressable_memories = args.client->memoryPointers.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Client_DefaultDeviceAssignment, defaultDeviceAssignment);
  TENON_PJRT_SLOT(api, PJRT_Client_TopologyDescription, [](PJRT_Client_TopologyDescription_Args &args) -> Status {
    args.topology = &args.client->topology;
    return {};
  });
  // Who lives is known here without the framework (runtime/control), which aborts if this call fails.
  TENON_PJRT_SLOT(api, PJRT_Client_UpdateGlobalProcessInfo,
                  [](PJRT_Client_UpdateGlobalProcessInfo_Args &) -> Status { return {}; });
  // Devices read host memory directly, so mapping is nothing to do.
  TENON_PJRT_SLOT(api, PJRT_Client_DmaMap, [](PJRT_Client_DmaMap_Args &) -> Status { return {}; });
  TENON_PJRT_SLOT(api, PJRT_Client_DmaUnmap, [](PJRT_Client_DmaUnmap_Args &) -> Status { return {}; });
}

} // namespace tenon::pjrt
