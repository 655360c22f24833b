// Slots that make programs: compiling, storing, loading; and what a loaded program tells about itself.
#include "tenon/backend/launch.h"
#include "tenon/pjrt/compile_options.h"
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/executable.h"
#include "tenon/pjrt/processes.h"
#include "tenon/support/compile_stop.h"
#include "tenon/support/hash.h"
#include "tenon/support/library_version.h"
#include "tenon/support/proto.h"

#include <algorithm>
#include <cstring>

struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};
struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace tenon::pjrt {
namespace {

// Fields of a stored program.
constexpr uint32_t kVersionField = 1, kOptionsField = 2, kProgramField = 3, kChecksumField = 4;

int64_t checksum(std::string_view options, std::string_view program) {
  return static_cast<int64_t>(stableHash(program, stableHash(options)));
}

// Whether some device of the assignment is another process's.
bool spansProcesses(PJRT_Client &client, const backend::CompileOptions &options) {
  return std::any_of(options.deviceAssignment.begin(), options.deviceAssignment.end(), [&](int32_t id) {
    const PJRT_Device *device = client.lookup(id);
    return device && !device->isHere();
  });
}

// Whether each of the program's devices is of a process of its own. As all processes say it.
bool areApart(PJRT_Client &client, const backend::CompileOptions &options) {
  std::vector<bool> isSeen(client.processes->nodes().size());
  return std::ranges::none_of(options.deviceAssignment, [&](int32_t id) {
    const PJRT_Device *device = client.lookup(id);
    if (!device)
      return false;
    auto process = static_cast<size_t>(device->description.processIndex);
    bool wasSeen = isSeen[process];
    isSeen[process] = true;
    return wasSeen;
  });
}

// Processes that compile for different processors, or were told to do so differently, would run different programs.
Status checkSameTarget(const PJRT_Client &client) {
  const std::vector<runtime::Node> &nodes = client.processes->nodes();
  for (size_t i = 1; i < nodes.size(); ++i)
    if (nodes[i].cpuLevel != nodes[0].cpuLevel)
      return failedPrecondition(
          "programs over several processes need all of them to compile for the same processor, but " +
          runtime::nodeName(0, nodes[0]) + " does for " + nodes[0].cpuLevel + ", " +
          runtime::nodeName(static_cast<runtime::Peer>(i), nodes[i]) + " for " + nodes[i].cpuLevel);
  return {};
}

// Programs over several processes are cut into those of single devices: none of the processes has whole arrays.
void askForProcesses(PJRT_Client &client, backend::CompileOptions &options) {
  if (backend::isUnpartitioned(options))
    backend::setDefault(options, "partition", "required");
  backend::setDefault(options, "shared_memory", false);
  if (areApart(client, options))
    backend::setDefault(options, "group_memory", false);
  backend::askForOverlap(client.processes->nodes(), options);
}

// What jaxlib makes of the callback of jax.debug.inspect_array_sharding (its inspect_sharding.h): what it is told, and
// itself, as the bytes of the call's configuration.
struct ToldSharding {
  const char *sharding;
  size_t size;
  const char *error; // set by the callback, as the next two, after a failure
  void *scratch;
  void (*freeError)(ToldSharding *);
};
struct ShardingCallback {
  void (*call)(void *data, ToldSharding *told);
  void *data;
};

Status tellSharding(std::string_view asking, std::string_view sharding) {
  ShardingCallback callback;
  if (asking.size() != sizeof callback)
    return invalidArgument("a call of InspectSharding has no callback");
  std::memcpy(&callback, asking.data(), sizeof callback);
  ToldSharding told{sharding.data(), sharding.size(), nullptr, nullptr, nullptr};
  callback.call(callback.data, &told);
  if (!told.error)
    return {};
  Status failed = invalidArgument(std::string("inspect_array_sharding: ") + told.error);
  told.freeError(&told);
  return failed;
}

// The options as a backend of GPUs takes them, which knows those of this process by their numbers here.
backend::CompileOptions withOrdinals(PJRT_Client *client, const Platform &platform, backend::CompileOptions options) {
  if (!client || platform.devices.empty())
    return options;
  std::vector<int32_t> here;
  for (int32_t id : options.deviceAssignment)
    if (const PJRT_Device *device = client->lookup(id); device && device->isHere())
      here.push_back(device->ordinal());
    else if (!device)
      here.push_back(id); // which there is not
  options.deviceAssignment = std::move(here);
  return options;
}

// `client`: null where the devices are not known yet.
StatusOr<CompiledProgramRef> compile(const Platform &platform, PJRT_Client *client, const PJRT_Program &program,
                                     std::string_view optionBytes) {
  std::string_view format(program.format, program.format_size);
  if (format != "mlir")
    return unimplemented("programs in format '" + std::string(format) + "' are not supported, only 'mlir'");
  TENON_ASSIGN_OR_RETURN(backend::CompileOptions options, parseCompileOptions(optionBytes));
  options.openLayouts = true; // the results' buffers say how they lie
  options.inspectSharding = tellSharding;
  const bool spans = client && spansProcesses(*client, options);
  if (spans) {
    TENON_RETURN_IF_ERROR(client->processes->status());
    TENON_RETURN_IF_ERROR(checkSameTarget(*client));
    if (platform.devices.empty()) // GPUs have no memory in common anyway
      askForProcesses(*client, options);
  }
  CompileStop stop(spans ? client->processes->stop() : std::stop_token());
  auto executable =
      platform.backend->compile({program.code, program.code_size}, withOrdinals(client, platform, options));
  if (spans)
    TENON_RETURN_IF_ERROR(client->processes->status()); // which ends compiling
  TENON_RETURN_IF_ERROR(executable.status());
  return makeCompiledProgram(*std::move(executable), std::move(options), std::string(optionBytes));
}

// Gives the program its devices: those of its assignment, or the first ones of this process.
StatusOr<PJRT_LoadedExecutable *> load(PJRT_Client *client, CompiledProgramRef program) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  const backend::CompileOptions &options = program->options;
  for (int replica = 0; replica < options.numReplicas; ++replica)
    for (int partition = 0; partition < options.numPartitions; ++partition) {
      size_t place = static_cast<size_t>(replica) * options.numPartitions + partition;
      size_t number = static_cast<size_t>(replica) + static_cast<size_t>(partition) * options.numReplicas;
      bool isOpen = options.deviceAssignment.empty(), exists = number < client->localDevices.size();
      PJRT_Device *device = !isOpen  ? client->lookup(options.deviceAssignment[place])
                            : exists ? client->localDevices[number]
                                     : nullptr;
      if (!device)
        return invalidArgument(
            "the program is to run on device " +
            (isOpen ? std::to_string(number) + " of this process" : std::to_string(options.deviceAssignment[place])) +
            ", there are " + std::to_string(isOpen ? client->localDevices.size() : client->devices.size()) +
            " devices");
      int32_t id = device->description.id;
      if (std::find(loaded->deviceIds.begin(), loaded->deviceIds.end(), id) != loaded->deviceIds.end())
        return invalidArgument("the device assignment names device " + std::to_string(id) + " twice");
      loaded->deviceIds.push_back(id);
      if (!device->isHere())
        continue;
      loaded->devices.push_back(device);
      loaded->logicalIds.push_back({replica, partition});
    }
  if (loaded->spansProcesses() && program->isUnpartitioned)
    return unimplemented("the program computes whole arrays, which needs all of its devices in one process: nothing "
                         "has cut it into parts for its devices");
  loaded->client = client;
  loaded->program = std::move(program);
  return loaded.release();
}

Status clientCompile(PJRT_Client_Compile_Args &args) {
  CompilingActivity activity(*args.client);
  TENON_ASSIGN_OR_RETURN(CompiledProgramRef program, compile(*args.client->platform, args.client, *args.program,
                                                             {args.compile_options, args.compile_options_size}));
  TENON_ASSIGN_OR_RETURN(args.executable, load(args.client, program));
  return {};
}

// The code is for this machine; a topology only counts its devices.
Status compileForTopology(PJRT_Compile_Args &args) {
  TENON_ASSIGN_OR_RETURN(CompiledProgramRef program, compile(*args.topology->platform, nullptr, *args.program,
                                                             {args.compile_options, args.compile_options_size}));
  args.executable = new PJRT_Executable{std::move(program)};
  return {};
}

// The same program with other options: only its placement may differ.
StatusOr<CompiledProgramRef> withOptions(CompiledProgramRef program, std::string_view optionBytes) {
  if (optionBytes.empty() || optionBytes == program->serializedOptions)
    return program;
  TENON_ASSIGN_OR_RETURN(backend::CompileOptions options, parseCompileOptions(optionBytes));
  if (options.numReplicas != program->options.numReplicas || options.numPartitions != program->options.numPartitions)
    return invalidArgument("a program compiled for " + std::to_string(program->options.numReplicas) + " replicas x " +
                           std::to_string(program->options.numPartitions) + " partitions cannot be loaded for " +
                           std::to_string(options.numReplicas) + " x " + std::to_string(options.numPartitions));
  return makeCompiledProgram(program->executable, std::move(options), std::string(optionBytes));
}

Status clientLoad(PJRT_Client_Load_Args &args) {
  TENON_ASSIGN_OR_RETURN(CompiledProgramRef program,
                         withOptions(args.executable->program, {args.compile_options, args.compile_options_size}));
  TENON_ASSIGN_OR_RETURN(args.loaded_executable, load(args.client, program));
  return {};
}

Status serialize(PJRT_Executable_Serialize_Args &args) {
  const CompiledProgram &program = *args.executable->program;
  TENON_ASSIGN_OR_RETURN(std::string bytes, program.executable->serialize());
  ProtoWriter writer;
  writer.bytes(kVersionField, libraryVersion());
  writer.bytes(kOptionsField, program.serializedOptions);
  writer.bytes(kProgramField, bytes);
  writer.integer(kChecksumField, checksum(program.serializedOptions, bytes));
  args.serialized_executable = new PJRT_SerializedExecutable{writer.take()};
  args.serialized_bytes = args.serialized_executable->bytes.data();
  args.serialized_bytes_size = args.serialized_executable->bytes.size();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable *executable) { delete executable; };
  return {};
}

StatusOr<CompiledProgramRef> deserialize(const Platform &platform, std::string_view bytes) {
  ProtoReader reader(bytes);
  std::string_view version, optionBytes, programBytes;
  int64_t sum = 0;
  for (ProtoField field; reader.next(field);) {
    if (field.number == kChecksumField)
      sum = field.asInt();
    if (field.wire != ProtoField::kBytes)
      continue;
    if (field.number == kVersionField)
      version = field.bytes;
    else if (field.number == kOptionsField)
      optionBytes = field.bytes;
    else if (field.number == kProgramField)
      programBytes = field.bytes;
  }
  if (!reader.ok() || version.empty())
    return invalidArgument("the serialized program is damaged, or was not made by tenon");
  if (version != libraryVersion())
    return failedPrecondition("the program was serialized by '" + std::string(version) + "', this is '" +
                              libraryVersion() + "'");
  if (sum != checksum(optionBytes, programBytes))
    return invalidArgument("the serialized program is damaged: its checksum does not match");
  TENON_ASSIGN_OR_RETURN(backend::CompileOptions options, parseCompileOptions(optionBytes));
  options.openLayouts = true; // the results' buffers say how they lie
  TENON_ASSIGN_OR_RETURN(auto executable, platform.backend->deserialize(programBytes));
  return makeCompiledProgram(std::move(executable), std::move(options), std::string(optionBytes));
}

Status deserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args &args) {
  TENON_ASSIGN_OR_RETURN(
      CompiledProgramRef program,
      deserialize(*args.client->platform, {args.serialized_executable, args.serialized_executable_size}));
  if (args.overridden_serialized_compile_options) {
    std::string_view options{args.overridden_serialized_compile_options,
                             args.overridden_serialized_compile_options_size};
    TENON_ASSIGN_OR_RETURN(program, withOptions(std::move(program), options));
  }
  TENON_ASSIGN_OR_RETURN(args.loaded_executable, load(args.client, program));
  return {};
}

Status compileOptions(PJRT_Executable_GetCompileOptions_Args &args) {
  args.serialized_compile_options = new PJRT_SerializedCompileOptions{args.executable->program->serializedOptions};
  args.serialized_bytes = args.serialized_compile_options->bytes.data();
  args.serialized_bytes_size = args.serialized_compile_options->bytes.size();
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions *options) { delete options; };
  return {};
}

Status deviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args &args) {
  const backend::CompileOptions &options = args.executable->program->options;
  args.serialized_device_assignment = new PJRT_DeviceAssignmentSerialized{
      serializeDeviceAssignment(options.numReplicas, options.numPartitions, args.executable->deviceIds)};
  args.serialized_bytes = args.serialized_device_assignment->bytes.data();
  args.serialized_bytes_size = args.serialized_device_assignment->bytes.size();
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized *serialized) { delete serialized; };
  return {};
}

void fillLoadedSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_Destroy, [](PJRT_LoadedExecutable_Destroy_Args &args) -> Status {
    delete args.executable;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_GetExecutable,
                  [](PJRT_LoadedExecutable_GetExecutable_Args &args) -> Status {
                    args.executable = new PJRT_Executable{args.loaded_executable->program};
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_AddressableDevices,
                  [](PJRT_LoadedExecutable_AddressableDevices_Args &args) -> Status {
                    args.addressable_devices = args.executable->devices.data();
                    args.num_addressable_devices = args.executable->devices.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_AddressableDeviceLogicalIds,
                  [](PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args &args) -> Status {
                    args.addressable_device_logical_ids = args.executable->logicalIds.data();
                    args.num_addressable_device_logical_ids = args.executable->logicalIds.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_GetDeviceAssignment, deviceAssignment);
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_Delete, [](PJRT_LoadedExecutable_Delete_Args &args) -> Status {
    args.executable->deleted = true;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_IsDeleted, [](PJRT_LoadedExecutable_IsDeleted_Args &args) -> Status {
    args.is_deleted = args.executable->deleted;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_Fingerprint, [](PJRT_LoadedExecutable_Fingerprint_Args &args) -> Status {
    const std::string &fingerprint = args.executable->program->executable->program().fingerprint;
    args.executable_fingerprint = fingerprint.c_str();
    args.executable_fingerprint_size = fingerprint.size();
    return {};
  });
}

} // namespace

void fillCompileSlots(PJRT_Api &api) {
  fillLoadedSlots(api);
  TENON_PJRT_SLOT(api, PJRT_Client_Compile, clientCompile);
  TENON_PJRT_SLOT(api, PJRT_Compile, compileForTopology);
  TENON_PJRT_SLOT(api, PJRT_Client_Load, clientLoad);
  TENON_PJRT_SLOT(api, PJRT_Executable_Serialize, serialize);
  // JAX 0.10.1 passes no load_options, which nobody here reads.
  TENON_PJRT_SLOT_SINCE(
      api, PJRT_Executable_DeserializeAndLoad,
      PJRT_STRUCT_SIZE(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options_size),
      deserializeAndLoad);
  TENON_PJRT_SLOT(api, PJRT_Executable_GetCompileOptions, compileOptions);
}

} // namespace tenon::pjrt
