#include "tenon/pjrt/compile_options.h"

#include "tenon/pjrt/xla_options.h"
#include "tenon/support/proto.h"

#include <algorithm>

namespace tenon::pjrt {
namespace {

using backend::CompileOptions;

Status malformed(const char *message) {
  return invalidArgument(std::string("the compile options are not a valid ") + message);
}

// Numbers of fields, by their names in XLA's messages.
enum DeviceAssignmentField : uint8_t { kReplicaCount = 1, kComputationCount = 2, kComputationDevices = 3 };
enum ComputationDeviceField : uint8_t { kReplicaDeviceIds = 1 };
enum BuildOptionsField : uint8_t {
  kNumReplicas = 4,
  kNumPartitions = 5,
  kUseSpmdPartitioning = 6,
  kUseAutoSpmdPartitioning = 7,
  kDeviceAssignment = 9,
  kAllowSpmdShardingPropagationToOutput = 12,
  kAllowSpmdShardingPropagationToParameters = 18,
  kUseShardyPartitioner = 19
};
enum OptionOverrideField : uint8_t { kStringField = 1, kBoolField = 2, kIntField = 3, kDoubleField = 4 };
enum CompileOptionsField : uint8_t {
  kParameterIsTupledArguments = 2,
  kExecutableBuildOptions = 3,
  kEnvOptionOverrides = 7
};
// Those of an entry of a map.
enum MapEntryField : uint8_t { kKey = 1, kValue = 2 };

// DeviceAssignmentProto: one list of replicas' devices for each computation (partition).
Status parseDeviceAssignment(std::string_view bytes, CompileOptions &options) {
  ProtoReader reader(bytes);
  int64_t replicas = 0, partitions = 0;
  std::vector<std::vector<int64_t>> columns;
  for (ProtoField field; reader.next(field);) {
    if (field.number == kReplicaCount) {
      replicas = field.asInt();
    } else if (field.number == kComputationCount) {
      partitions = field.asInt();
    } else if (field.number == kComputationDevices && field.wire == ProtoField::kBytes) {
      ProtoReader inner(field.bytes);
      std::vector<int64_t> &column = columns.emplace_back();
      for (ProtoField entry; inner.next(entry);)
        if (entry.number == kReplicaDeviceIds && !appendInts(entry, column))
          return malformed("DeviceAssignmentProto");
      if (!inner.ok())
        return malformed("DeviceAssignmentProto");
    }
  }
  // The assignment must list every device, so that a small message cannot claim a large grid and its memory.
  auto isWhole = [&](const auto &column) { return static_cast<int64_t>(column.size()) == replicas; };
  if (!reader.ok() || replicas < 1 || partitions < 1 || static_cast<int64_t>(columns.size()) != partitions ||
      !std::all_of(columns.begin(), columns.end(), isWhole))
    return malformed("DeviceAssignmentProto");
  options.deviceAssignment.assign(replicas * partitions, 0);
  for (int64_t partition = 0; partition < partitions; ++partition)
    for (int64_t replica = 0; replica < replicas; ++replica)
      options.deviceAssignment[replica * partitions + partition] = static_cast<int32_t>(columns[partition][replica]);
  return {};
}

Status appendBools(const ProtoField &field, std::vector<bool> &values) {
  std::vector<int64_t> numbers;
  if (!appendInts(field, numbers))
    return malformed("ExecutableBuildOptionsProto");
  values.insert(values.end(), numbers.begin(), numbers.end());
  return {};
}

// A varint field that counts something.
Status readCount(const ProtoField &field, const char *name, int32_t &count) {
  if (field.wire != ProtoField::kVarint || field.asInt() < 0 || field.asInt() > 1 << 20)
    return invalidArgument(std::string("compile option ") + name + " is out of range");
  count = static_cast<int32_t>(field.asInt());
  return {};
}

Status parseBuildOptions(std::string_view bytes, CompileOptions &options) {
  ProtoReader reader(bytes);
  Status status;
  for (ProtoField field; status.ok() && reader.next(field);) {
    switch (field.number) {
    case kNumReplicas:
      status = readCount(field, "num_replicas", options.numReplicas);
      break;
    case kNumPartitions:
      status = readCount(field, "num_partitions", options.numPartitions);
      break;
    case kUseSpmdPartitioning:
      options.useSpmdPartitioning = field.value != 0;
      break;
    case kUseAutoSpmdPartitioning:
      if (field.value != 0)
        status = unimplemented("automatic SPMD partitioning (use_auto_spmd_partitioning) is not supported");
      break;
    case kDeviceAssignment:
      status = parseDeviceAssignment(field.bytes, options);
      break;
    case kAllowSpmdShardingPropagationToOutput:
      status = appendBools(field, options.allowShardingPropagationToOutput);
      break;
    case kAllowSpmdShardingPropagationToParameters:
      status = appendBools(field, options.allowShardingPropagationToParameters);
      break;
    case kUseShardyPartitioner:
      options.useShardyPartitioner = field.value != 0;
      break;
    default:
      break;
    }
  }
  if (status.ok() && !reader.ok())
    return malformed("ExecutableBuildOptionsProto");
  return status;
}

// One entry of the map from option names to OptionOverrideProto.
Status parseOverride(std::string_view bytes, CompileOptions &options) {
  ProtoReader entry(bytes);
  std::string name;
  backend::OptionValue value;
  bool ok = true;
  for (ProtoField field; ok && entry.next(field);) {
    if (field.number == kKey)
      name = field.bytes;
    if (field.number != kValue)
      continue;
    ProtoReader inner(field.bytes);
    for (ProtoField choice; inner.next(choice);) {
      switch (choice.number) {
      case kStringField:
        value = std::string(choice.bytes);
        break;
      case kBoolField:
        value = choice.value != 0;
        break;
      case kIntField:
        value = choice.asInt();
        break;
      case kDoubleField:
        value = choice.asDouble();
        break;
      default:
        break;
      }
    }
    ok = inner.ok();
  }
  if (!ok || !entry.ok())
    return malformed("OptionOverrideProto");
  if (isXlaOption(name)) {
    Status status = checkXlaOption(name, value);
    if (status.ok() && name == "xla_dump_to")
      options.dumpTo = std::get<std::string>(value);
    return status;
  }
  options.overrides.emplace_back(std::move(name), std::move(value));
  return {};
}

Status checkConsistency(const CompileOptions &options) {
  if (options.numReplicas < 1 || options.numPartitions < 1)
    return invalidArgument("a program needs at least one replica and one partition");
  size_t count = static_cast<size_t>(options.numReplicas) * options.numPartitions;
  if (!options.deviceAssignment.empty() && options.deviceAssignment.size() != count)
    return invalidArgument("the device assignment has " + std::to_string(options.deviceAssignment.size()) +
                           " devices for " + std::to_string(options.numReplicas) + " replicas x " +
                           std::to_string(options.numPartitions) + " partitions");
  return {};
}

} // namespace

StatusOr<CompileOptions> parseCompileOptions(std::string_view bytes) {
  CompileOptions options;
  ProtoReader reader(bytes);
  Status status;
  for (ProtoField field; status.ok() && reader.next(field);) {
    switch (field.number) {
    case kParameterIsTupledArguments:
      if (field.value != 0)
        status = unimplemented("arguments passed as one tuple (parameter_is_tupled_arguments) are not supported");
      break;
    case kExecutableBuildOptions:
      status = parseBuildOptions(field.bytes, options);
      break;
    case kEnvOptionOverrides:
      status = parseOverride(field.bytes, options);
      break;
    default:
      break;
    }
  }
  if (status.ok() && !reader.ok())
    status = malformed("CompileOptionsProto");
  // Absent fields of the proto are zero.
  options.numReplicas = options.numReplicas ? options.numReplicas : 1;
  options.numPartitions = options.numPartitions ? options.numPartitions : 1;
  if (status.ok())
    status = checkConsistency(options);
  if (!status.ok())
    return status;
  return options;
}

std::string serializeDeviceAssignment(int32_t replicas, int32_t partitions, const std::vector<int32_t> &devices) {
  ProtoWriter writer;
  writer.integer(1, replicas);
  writer.integer(2, partitions);
  for (int32_t partition = 0; partition < partitions; ++partition) {
    std::vector<int64_t> column;
    for (int32_t replica = 0; replica < replicas; ++replica)
      column.push_back(devices[replica * partitions + partition]);
    ProtoWriter computation;
    computation.packed(1, column);
    writer.bytes(3, computation.take());
  }
  return writer.take();
}

} // namespace tenon::pjrt
