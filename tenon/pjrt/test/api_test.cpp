// The API itself, errors, events, clients, devices, memories, topologies.
#include "tenon/pjrt/cross_host_transfers.h"
#include "tenon/pjrt/testing/api_fixture.h"

#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"
#include "xla/pjrt/c/pjrt_c_api_stream_extension.h"

#include <atomic>

namespace tenon::pjrt {
namespace {

constexpr size_t kFirstSlot = offsetof(PJRT_Api, PJRT_Error_Destroy);
constexpr size_t kNumSlots = (sizeof(PJRT_Api) - kFirstSlot) / sizeof(void *);

void *slot(size_t index) {
  void *function;
  std::memcpy(static_cast<void *>(&function),
              reinterpret_cast<const char *>(loadApi()) + kFirstSlot + index * sizeof(void *), sizeof(void *));
  return function;
}

TEST(Api, HasEverySlot) {
  EXPECT_EQ(loadApi()->struct_size, size_t{PJRT_Api_STRUCT_SIZE});
  EXPECT_EQ(loadApi()->pjrt_api_version.major_version, PJRT_API_MAJOR);
  EXPECT_EQ(kNumSlots, 138u);
  for (size_t i = 0; i < kNumSlots; ++i)
    EXPECT_NE(slot(i), nullptr) << "slot " << i;
}

// Every call checks the size of its arguments before it reads them.
TEST(Api, RefusesShortArguments) {
  for (size_t i = 2; i < kNumSlots; ++i) { // the first two return nothing
    size_t args[512] = {sizeof(size_t)};
    Outcome outcome = take(reinterpret_cast<PJRT_Error *(*)(void *)>(slot(i))(args));
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT) << "slot " << i << ": " << outcome;
    EXPECT_NE(outcome.message.find("structure of 8 bytes"), std::string::npos) << outcome;
  }
}

TEST(Api, HasAttributes) {
  TENON_ARGS(PJRT_Plugin_Attributes, args);
  TENON_CHECK(PJRT_Plugin_Attributes, args);
  bool found = false;
  for (size_t i = 0; i < args.num_attributes; ++i)
    if (std::string(args.attributes[i].name, args.attributes[i].name_size) == "stablehlo_current_version") {
      EXPECT_EQ(args.attributes[i].type, PJRT_NamedValue_kInt64List);
      EXPECT_EQ(args.attributes[i].value_size, 3u);
      found = true;
    }
  EXPECT_TRUE(found);
}

TEST(Api, ErrorsHaveAFunctionTable) {
  TENON_ARGS(PJRT_Client_Create, args);
  setenv("TENON_NUM_DEVICES", "many", 1);
  PJRT_Error *error = loadApi()->PJRT_Client_Create(&args);
  ASSERT_NE(error, nullptr);
  const char *message;
  size_t size;
  error->vtable->message(error, &message, &size);
  EXPECT_NE(std::string(message, size).find("TENON_NUM_DEVICES is 'many'"), std::string::npos);
  EXPECT_EQ(error->vtable->get_code(error), PJRT_Error_Code_INVALID_ARGUMENT);
  TENON_ARGS(PJRT_Error_ForEachPayload, payload);
  payload.error = error;
  payload.visitor = [](const char *, size_t, const char *, size_t, void *) { FAIL() << "no payloads"; };
  TENON_CHECK(PJRT_Error_ForEachPayload, payload);
  error->vtable->destroy(error);
}

size_t countDevices() {
  TENON_ARGS(PJRT_Client_Create, create);
  TENON_CHECK(PJRT_Client_Create, create);
  TENON_ARGS(PJRT_Client_Devices, devices);
  devices.client = create.client;
  TENON_CHECK(PJRT_Client_Devices, devices);
  TENON_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = create.client;
  TENON_CHECK(PJRT_Client_Destroy, destroy);
  return devices.num_devices;
}

TEST(Api, CountsDevicesAsXlaIsTold) {
  unsetenv("TENON_NUM_DEVICES");
  EXPECT_EQ(countDevices(), 1u);
  setenv("XLA_FLAGS", " --xla_dump_to=/tmp  --xla_force_host_platform_device_count=5\t--xla_cpu_enable_fast_math=false",
         1);
  EXPECT_EQ(countDevices(), 5u);
  setenv("TENON_NUM_DEVICES", "3", 1);
  EXPECT_EQ(countDevices(), 3u);
  unsetenv("TENON_NUM_DEVICES");
  setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=all", 1);
  TENON_ARGS(PJRT_Client_Create, args);
  Outcome outcome = TENON_CALL(PJRT_Client_Create, args);
  EXPECT_FALSE(outcome.ok());
  EXPECT_NE(outcome.message.find("in XLA_FLAGS is 'all'"), std::string::npos);
  unsetenv("XLA_FLAGS");
}

Outcome createWith(const std::vector<std::pair<const char *, int64_t>> &options) {
  std::vector<PJRT_NamedValue> values;
  for (const auto &[name, value] : options) {
    PJRT_NamedValue &option = values.emplace_back();
    std::memset(&option, 0, sizeof(option));
    option.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    option.name = name;
    option.name_size = std::strlen(name);
    option.type = PJRT_NamedValue_kInt64;
    option.int64_value = value;
  }
  TENON_ARGS(PJRT_Client_Create, args);
  args.create_options = values.data();
  args.num_options = values.size();
  return TENON_CALL(PJRT_Client_Create, args);
}

TEST(Api, RefusesUnknownClientOptions) {
  setenv("TENON_NUM_DEVICES", "1", 1);
  Outcome outcome = createWith({{"speed", 0}});
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(outcome.message.find("'speed'"), std::string::npos);
}

TEST(Api, RefusesProcessesThatCannotFindEachOther) {
  setenv("TENON_NUM_DEVICES", "1", 1);
  struct {
    int64_t self, count;
    const char *message;
  } cases[] = {{0, 2, "num_nodes is 2, but the framework gives no store of keys"},
               {2, 2, "node_id is 2, of 2 processes"},
               {-1, 2, "node_id is -1; expected 0 to"},
               {0, 0, "num_nodes is 0; expected 1 to"}};
  for (const auto &[self, count, message] : cases) {
    Outcome outcome = createWith({{"node_id", self}, {"num_nodes", count}});
    EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_NE(outcome.message.find(message), std::string::npos) << outcome;
  }
}

struct Calls {
  int count = 0;
  Outcome last;
};

void record(PJRT_Error *error, void *calls) {
  ++static_cast<Calls *>(calls)->count;
  static_cast<Calls *>(calls)->last = take(error);
}

TEST(Event, TellsWaitersOnce) {
  TENON_ARGS(PJRT_Event_Create, create);
  TENON_CHECK(PJRT_Event_Create, create);
  Calls before, after;
  TENON_ARGS(PJRT_Event_OnReady, onReady);
  onReady.event = create.event;
  onReady.callback = record;
  onReady.user_arg = &before;
  TENON_CHECK(PJRT_Event_OnReady, onReady);
  EXPECT_EQ(before.count, 0);
  TENON_ARGS(PJRT_Event_Error, error);
  error.event = create.event;
  EXPECT_EQ(TENON_CALL(PJRT_Event_Error, error).code, PJRT_Error_Code_FAILED_PRECONDITION);

  TENON_ARGS(PJRT_Event_Set, set);
  set.event = create.event;
  set.error_code = PJRT_Error_Code_DATA_LOSS;
  set.error_message = "gone";
  set.error_message_size = 4;
  TENON_CHECK(PJRT_Event_Set, set);
  EXPECT_EQ(before.count, 1);
  EXPECT_EQ(before.last.code, PJRT_Error_Code_DATA_LOSS);
  onReady.user_arg = &after;
  TENON_CHECK(PJRT_Event_OnReady, onReady);
  EXPECT_EQ(after.last.message, "gone");
  EXPECT_EQ(TENON_CALL(PJRT_Event_Error, error).message, "gone");
  EXPECT_EQ(TENON_CALL(PJRT_Event_Set, set).code, PJRT_Error_Code_FAILED_PRECONDITION);
  TENON_ARGS(PJRT_Event_Destroy, destroy);
  destroy.event = create.event;
  TENON_CHECK(PJRT_Event_Destroy, destroy);
}

using ClientTest = ApiTest;

TEST_F(ClientTest, HasDevicesAndMemories) {
  ASSERT_EQ(devices.size(), 4u);
  TENON_ARGS(PJRT_Client_LookupDevice, lookup);
  lookup.client = client;
  lookup.id = 3;
  TENON_CHECK(PJRT_Client_LookupDevice, lookup);
  EXPECT_EQ(lookup.device, devices[3]);
  lookup.id = 4;
  EXPECT_EQ(TENON_CALL(PJRT_Client_LookupDevice, lookup).code, PJRT_Error_Code_INVALID_ARGUMENT);
  lookup.id = -1;
  EXPECT_FALSE(TENON_CALL(PJRT_Client_LookupDevice, lookup).ok());

  TENON_ARGS(PJRT_Client_AddressableMemories, memories);
  memories.client = client;
  TENON_CHECK(PJRT_Client_AddressableMemories, memories);
  ASSERT_EQ(memories.num_addressable_memories, 12u);
  TENON_ARGS(PJRT_Memory_Kind, kind);
  kind.memory = memories.addressable_memories[4];
  TENON_CHECK(PJRT_Memory_Kind, kind);
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "pinned_host");
  TENON_ARGS(PJRT_Memory_AddressableByDevices, by);
  by.memory = memories.addressable_memories[4];
  TENON_CHECK(PJRT_Memory_AddressableByDevices, by);
  ASSERT_EQ(by.num_devices, 1u);
  EXPECT_EQ(by.devices[0], devices[1]);
}

TEST_F(ClientTest, AssignsReplicasFirst) {
  int assignment[4] = {-1, -1, -1, -1};
  TENON_ARGS(PJRT_Client_DefaultDeviceAssignment, args);
  args.client = client;
  args.num_replicas = args.num_partitions = 2;
  args.default_assignment_size = 4;
  args.default_assignment = assignment;
  TENON_CHECK(PJRT_Client_DefaultDeviceAssignment, args);
  EXPECT_EQ(std::vector<int>(assignment, assignment + 4), (std::vector<int>{0, 2, 1, 3}));
  args.num_replicas = 3;
  EXPECT_FALSE(TENON_CALL(PJRT_Client_DefaultDeviceAssignment, args).ok());
}

std::atomic<int> destroyed{0};

TEST(Memory, KeepsUserData) {
  setenv("TENON_NUM_DEVICES", "1", 1);
  TENON_ARGS(PJRT_Client_Create, create);
  TENON_CHECK(PJRT_Client_Create, create);
  TENON_ARGS(PJRT_Client_AddressableMemories, memories);
  memories.client = create.client;
  TENON_CHECK(PJRT_Client_AddressableMemories, memories);
  PJRT_Memory *memory = memories.addressable_memories[0];
  int key1 = 0, key2 = 0, data1 = 0, data2 = 0;
  auto count = [](void *) { ++destroyed; };
  EXPECT_EQ(memory->vtable->get_user_data(memory, &key1), nullptr);
  memory->vtable->set_user_data(memory, &key1, &data1, count);
  memory->vtable->set_user_data(memory, &key2, &data2, count);
  EXPECT_EQ(memory->vtable->get_user_data(memory, &key1), &data1);
  memory->vtable->set_user_data(memory, &key1, &data2, count);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(memory->vtable->get_user_data(memory, &key1), &data2);
  TENON_ARGS(PJRT_Client_Destroy, destroy);
  destroy.client = create.client;
  TENON_CHECK(PJRT_Client_Destroy, destroy);
  EXPECT_EQ(destroyed, 3);
}

// Frameworks of PJRT 0.112 pass a structure without the last two fields.
TEST_F(ClientTest, MemoryStatsServesOlderFrameworks) {
  TENON_ARGS(PJRT_Device_MemoryStats, args);
  args.device = devices[0];
  args.struct_size = PJRT_STRUCT_SIZE(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set);
  args.peak_allocated_bytes = -77;
  TENON_CHECK(PJRT_Device_MemoryStats, args);
  EXPECT_EQ(args.peak_allocated_bytes, -77);
  args.struct_size = PJRT_Device_MemoryStats_Args_STRUCT_SIZE;
  TENON_CHECK(PJRT_Device_MemoryStats, args);
  EXPECT_GE(args.peak_allocated_bytes, 0);
}

TEST_F(ClientTest, TopologySurvivesSerialization) {
  TENON_ARGS(PJRT_Client_TopologyDescription, of);
  of.client = client;
  TENON_CHECK(PJRT_Client_TopologyDescription, of);
  TENON_ARGS(PJRT_TopologyDescription_Serialize, serialize);
  serialize.topology = of.topology;
  TENON_CHECK(PJRT_TopologyDescription_Serialize, serialize);
  std::string bytes(serialize.serialized_bytes, serialize.serialized_bytes_size);
  serialize.serialized_topology_deleter(serialize.serialized_topology);

  TENON_ARGS(PJRT_TopologyDescription_Deserialize, deserialize);
  deserialize.serialized_topology = bytes.data();
  deserialize.serialized_topology_size = bytes.size();
  TENON_CHECK(PJRT_TopologyDescription_Deserialize, deserialize);
  TENON_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, list);
  list.topology = deserialize.topology;
  TENON_CHECK(PJRT_TopologyDescription_GetDeviceDescriptions, list);
  EXPECT_EQ(list.num_descriptions, 4u);
  TENON_ARGS(PJRT_TopologyDescription_Fingerprint, first);
  first.topology = of.topology;
  TENON_CHECK(PJRT_TopologyDescription_Fingerprint, first);
  TENON_ARGS(PJRT_TopologyDescription_Fingerprint, second);
  second.topology = deserialize.topology;
  TENON_CHECK(PJRT_TopologyDescription_Fingerprint, second);
  EXPECT_EQ(first.fingerprint, second.fingerprint);
  TENON_ARGS(PJRT_TopologyDescription_Destroy, destroy);
  destroy.topology = deserialize.topology;
  TENON_CHECK(PJRT_TopologyDescription_Destroy, destroy);

  deserialize.serialized_topology_size -= 1;
  EXPECT_FALSE(TENON_CALL(PJRT_TopologyDescription_Deserialize, deserialize).ok());
}

template <typename T> const T *extension(PJRT_Extension_Type type) {
  for (PJRT_Extension_Base *at = loadApi()->extension_start; at; at = at->next)
    if (at->type == type)
      return reinterpret_cast<const T *>(at);
  return nullptr;
}

TEST_F(ClientTest, ExtensionsDescribeLayoutsAndMemories) {
  auto *layouts = extension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  ASSERT_NE(layouts, nullptr);
  int64_t dims[] = {2, 3, 4};
  TENON_ARGS(PJRT_Layouts_PJRT_Client_GetDefaultLayout, get);
  get.client = client;
  get.type = PJRT_Buffer_Type_F32;
  get.dims = dims;
  get.num_dims = 3;
  EXPECT_TRUE(take(layouts->PJRT_Layouts_PJRT_Client_GetDefaultLayout(&get)).ok());
  TENON_ARGS(PJRT_Layouts_MemoryLayout_Serialize, serialize);
  serialize.layout = get.layout;
  EXPECT_TRUE(take(layouts->PJRT_Layouts_MemoryLayout_Serialize(&serialize)).ok());
  EXPECT_EQ(std::string(serialize.serialized_bytes, serialize.serialized_bytes_size), "{2,1,0}");
  serialize.serialized_layout_deleter(serialize.serialized_layout);
  TENON_ARGS(PJRT_Layouts_MemoryLayout_Destroy, destroy);
  destroy.layout = get.layout;
  EXPECT_TRUE(take(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy)).ok());

  auto *memories = extension<PJRT_MemoryDescriptions_Extension>(PJRT_Extension_Type_MemoryDescriptions);
  ASSERT_NE(memories, nullptr);
  TENON_ARGS(PJRT_Device_GetDescription, description);
  description.device = devices[0];
  TENON_CHECK(PJRT_Device_GetDescription, description);
  TENON_ARGS(PJRT_DeviceDescription_MemoryDescriptions, list);
  list.device_description = description.device_description;
  EXPECT_TRUE(take(memories->PJRT_DeviceDescription_MemoryDescriptions(&list)).ok());
  EXPECT_EQ(list.num_memory_descriptions, 3u);
  EXPECT_NE(extension<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings), nullptr);
}

TEST_F(ClientTest, StreamsOfOthersWaitForArrays) {
  auto *streams = extension<PJRT_Stream_Extension>(PJRT_Extension_Type_Stream);
  ASSERT_NE(streams, nullptr);
  TENON_ARGS(PJRT_Get_Stream_For_External_Ready_Events, get);
  get.device = devices[0];
  EXPECT_EQ(take(streams->get_stream(&get)).code, PJRT_Error_Code_UNIMPLEMENTED);
  PJRT_Buffer *buffer = put({1, 2, 3});
  TENON_ARGS(PJRT_Wait_Until_Buffer_Ready_On_Stream, wait);
  wait.stream = 1;
  wait.buffer = buffer;
  EXPECT_TRUE(take(streams->wait_stream(&wait)).ok());
  TENON_ARGS(PJRT_Buffer_Delete, remove);
  remove.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_Delete, remove);
  EXPECT_FALSE(take(streams->wait_stream(&wait)).ok());
  destroy(buffer);
}

// Between devices of one process nothing is copied by this way, and a process that is alone has no other one.
TEST_F(ClientTest, CopiesBetweenProcessesNeedDevicesOfTwo) {
  auto *transfers = extension<PJRT_CrossHostTransfers_Extension>(PJRT_Extension_Type_CrossHostTransfers);
  ASSERT_NE(transfers, nullptr);
  PJRT_Buffer *buffer = put({1, 2, 3});
  PJRT_Event *event = nullptr;
  int64_t key = 1;
  int32_t device = 0;
  TENON_ARGS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers, send);
  send.client = client;
  send.num_buffers = 1;
  send.buffers = &buffer;
  send.dst_global_device_ids = &device;
  send.transfer_keys = &key;
  send.send_events = &event;
  auto sending = [&] { return take(transfers->PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(&send)).message; };
  size_t rank = 1;
  int64_t size = 3;
  const int64_t *sizes = &size;
  PJRT_Buffer_Type type = PJRT_Buffer_Type_F32;
  PJRT_Buffer *received = nullptr;
  TENON_ARGS(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers, receive);
  receive.client = client;
  receive.num_shapes = 1;
  receive.shape_num_dims = &rank;
  receive.num_dims = &sizes;
  receive.element_types = &type;
  receive.device = devices[1];
  receive.src_global_device_ids = &device;
  receive.transfer_keys = &key;
  receive.buffers = &received;
  auto receiving = [&] {
    return take(transfers->PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(&receive)).message;
  };
  for (const std::string &message : {sending(), receiving()})
    EXPECT_NE(message.find("device 0 is of this process"), std::string::npos) << message;
  device = 99;
  for (const std::string &message : {sending(), receiving()})
    EXPECT_NE(message.find("no device has id 99"), std::string::npos) << message;
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(received, nullptr);
  destroy(buffer);
}

} // namespace
} // namespace tenon::pjrt
