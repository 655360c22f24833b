// Topology descriptions: which devices there are, without a client. For compiling ahead of time.
#include "tenon/pjrt/client.h"
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/types.h"
#include "tenon/support/hash.h"
#include "tenon/support/proto.h"

#include <algorithm>
#include <string_view>

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace tenon::pjrt {
namespace {

constexpr int kMaxDevices = 4096;
// Fields of the serialised form.
constexpr uint32_t kBuildField = 1, kCountField = 2, kPlatformField = 3;

std::unique_ptr<PJRT_TopologyDescription> makeTopology(const Platform &platform, int64_t count) {
  auto topology = std::make_unique<PJRT_TopologyDescription>();
  topology->platform = &platform;
  for (int64_t id = 0; id < count; ++id)
    topology->pointers.push_back(&topology->descriptions.emplace_back(platform, static_cast<int>(id)));
  return topology;
}

Status create(PJRT_TopologyDescription_Create_Args &args) {
  int64_t count = 1;
  std::string_view platformName = "cpu";
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue &option = args.create_options[i];
    std::string_view name(option.name, option.name_size);
    if (name == "platform" && option.type == PJRT_NamedValue_kString)
      platformName = {option.string_value, option.value_size};
    else if (name == "num_devices" && option.type == PJRT_NamedValue_kInt64)
      count = option.int64_value;
    else
      return invalidArgument("unknown topology option '" + std::string(name) + "'");
  }
  if (count < 1 || count > kMaxDevices)
    return invalidArgument("topology option num_devices is " + std::to_string(count));
  TENON_ASSIGN_OR_RETURN(const Platform *platform, findPlatform(platformName));
  args.topology = makeTopology(*platform, count).release();
  return {};
}

Status serialize(PJRT_TopologyDescription_Serialize_Args &args) {
  ProtoWriter writer;
  writer.bytes(kPlatformField, args.topology->platform->name);
  writer.bytes(kBuildField, args.topology->platform->build);
  writer.integer(kCountField, static_cast<int64_t>(args.topology->pointers.size()));
  args.serialized_topology = new PJRT_SerializedTopology{writer.take()};
  args.serialized_bytes = args.serialized_topology->bytes.data();
  args.serialized_bytes_size = args.serialized_topology->bytes.size();
  args.serialized_topology_deleter = [](PJRT_SerializedTopology *topology) { delete topology; };
  return {};
}

Status deserialize(PJRT_TopologyDescription_Deserialize_Args &args) {
  ProtoReader reader({args.serialized_topology, args.serialized_topology_size});
  int64_t count = 0;
  std::string_view build, platformName;
  for (ProtoField field; reader.next(field);) {
    if (field.number == kCountField && field.wire == ProtoField::kVarint)
      count = field.asInt();
    else if (field.number == kBuildField && field.wire == ProtoField::kBytes)
      build = field.bytes;
    else if (field.number == kPlatformField && field.wire == ProtoField::kBytes)
      platformName = field.bytes;
  }
  if (!reader.ok() || count < 1 || count > kMaxDevices)
    return invalidArgument("the serialized topology is damaged");
  TENON_ASSIGN_OR_RETURN(const Platform *platform, findPlatform(platformName));
  if (build != platform->build)
    return failedPrecondition("the topology was serialized by '" + std::string(build) + "', this is '" +
                              platform->build + "'");
  args.topology = makeTopology(*platform, count).release();
  return {};
}

// A ShapeProto with the only layout we have.
Status canonicalShape(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args &args) {
  if (args.memory_space_kind_id < 0 || args.memory_space_kind_id >= kNumMemoryKinds)
    return invalidArgument("no memory kind has id " + std::to_string(args.memory_space_kind_id));
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(args.element_type, args.dims, args.num_dims, args.layout));
  ProtoWriter layout;
  layout.packed(1, type->minorToMajor);
  ProtoWriter shape;
  shape.integer(2, primitiveType(type->shape.type));
  shape.packed(3, type->shape.dims);
  shape.bytes(5, layout.take());
  shape.packed(6, std::vector<int64_t>(type->shape.dims.size(), 0));
  std::string bytes = shape.take();
  char *copy = new char[bytes.size()];
  std::copy(bytes.begin(), bytes.end(), copy);
  args.serialized_shape = copy;
  args.serialized_shape_size = bytes.size();
  args.serialized_shape_deleter = [](const char *data) { delete[] data; };
  return {};
}

// The fingerprint of the serialised form of a topology. It is part of the key of JAX's compilation cache.
uint64_t fingerprint(const PJRT_TopologyDescription &topology) {
  return stableHash(topology.platform->version + ';' + std::to_string(topology.pointers.size()));
}

} // namespace

void fillTopologySlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Create, create);
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Destroy, [](PJRT_TopologyDescription_Destroy_Args &args) -> Status {
    delete args.topology;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_PlatformName,
                  [](PJRT_TopologyDescription_PlatformName_Args &args) -> Status {
                    args.platform_name = args.topology->platform->name.c_str();
                    args.platform_name_size = args.topology->platform->name.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_PlatformVersion,
                  [](PJRT_TopologyDescription_PlatformVersion_Args &args) -> Status {
                    args.platform_version = args.topology->platform->version.c_str();
                    args.platform_version_size = args.topology->platform->version.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_GetDeviceDescriptions,
                  [](PJRT_TopologyDescription_GetDeviceDescriptions_Args &args) -> Status {
                    args.descriptions = args.topology->pointers.data();
                    args.num_descriptions = args.topology->pointers.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Serialize, serialize);
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Deserialize, deserialize);
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Attributes,
                  [](PJRT_TopologyDescription_Attributes_Args &args) -> Status {
                    args.attributes = nullptr;
                    args.num_attributes = 0;
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_Fingerprint,
                  [](PJRT_TopologyDescription_Fingerprint_Args &args) -> Status {
                    args.fingerprint = fingerprint(*args.topology);
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, canonicalShape);
  TENON_PJRT_SLOT(api, PJRT_TopologyDescription_GetMemorySpaceKindIds,
                  [](PJRT_TopologyDescription_GetMemorySpaceKindIds_Args &args) -> Status {
                    static const int ids[kNumMemoryKinds] = {0, 1, 2};
                    args.memory_space_kind_ids = ids;
                    args.num_memory_space_kind_ids = kNumMemoryKinds;
                    return {};
                  });
}

} // namespace tenon::pjrt
