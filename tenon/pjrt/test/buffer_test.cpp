#include "tenon/pjrt/testing/api_fixture.h"

#include <bit>
#include <cstdlib>
#include <thread>

namespace tenon::pjrt {
namespace {

class BufferTest : public ApiTest {
protected:
  struct Host {
    const void *data;
    PJRT_Buffer_Type type;
    std::vector<int64_t> dims, strides;
    PJRT_HostBufferSemantics semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    PJRT_Buffer_MemoryLayout *layout = nullptr;
  };
  Outcome tryPut(const Host &host, PJRT_Buffer **buffer, PJRT_Event **event) {
    TENON_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client;
    args.data = host.data;
    args.type = host.type;
    args.dims = host.dims.data();
    args.num_dims = host.dims.size();
    args.byte_strides = host.strides.data();
    args.num_byte_strides = host.strides.size();
    args.host_buffer_semantics = host.semantics;
    args.device_layout = host.layout;
    args.device = devices[0];
    Outcome outcome = TENON_CALL(PJRT_Client_BufferFromHostBuffer, args);
    *buffer = args.buffer;
    *event = args.done_with_host_buffer;
    return outcome;
  }
  PJRT_Buffer *putHost(const Host &host) {
    PJRT_Buffer *buffer;
    PJRT_Event *event;
    Outcome outcome = tryPut(host, &buffer, &event);
    EXPECT_TRUE(outcome.ok()) << outcome;
    EXPECT_TRUE(awaitEvent(event).ok());
    return buffer;
  }
  static PJRT_Buffer_MemoryLayout tiled(const std::vector<int64_t> &minorToMajor) {
    PJRT_Buffer_MemoryLayout layout{};
    layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
    layout.tiled.minor_to_major = minorToMajor.data();
    layout.tiled.minor_to_major_size = minorToMajor.size();
    return layout;
  }
};

TEST_F(BufferTest, CopiesStridedHostArrays) {
  std::vector<int16_t> host(12);
  for (int i = 0; i < 12; ++i)
    host[i] = static_cast<int16_t>(i);
  // Columns backwards, rows in steps of two: host[4 * 2i + 3 - j].
  PJRT_Buffer *buffer = putHost({&host[3], PJRT_Buffer_Type_S16, {2, 4}, {16, -2}});
  std::vector<int16_t> back(8);
  EXPECT_TRUE(get(buffer, back.data(), 16).ok());
  EXPECT_EQ(back, (std::vector<int16_t>{3, 2, 1, 0, 11, 10, 9, 8}));
  // Out again, column-major.
  std::vector<int64_t> order = {0, 1};
  PJRT_Buffer_MemoryLayout layout = tiled(order);
  EXPECT_TRUE(get(buffer, back.data(), 16, &layout).ok());
  EXPECT_EQ(back, (std::vector<int16_t>{3, 11, 2, 10, 1, 9, 0, 8}));
  destroy(buffer);
  // A broadcast: stride zero.
  buffer = putHost({&host[5], PJRT_Buffer_Type_S16, {3}, {0}});
  back.resize(3);
  EXPECT_TRUE(get(buffer, back.data(), 6).ok());
  EXPECT_EQ(back, (std::vector<int16_t>{5, 5, 5}));
  destroy(buffer);
}

TEST_F(BufferTest, HandlesScalarsAndEmptyArrays) {
  double value = -0.0, back = 1;
  PJRT_Buffer *scalar = putHost({&value, PJRT_Buffer_Type_F64, {}, {}});
  EXPECT_TRUE(get(scalar, &back, 8).ok());
  EXPECT_EQ(std::bit_cast<uint64_t>(back), std::bit_cast<uint64_t>(value));
  destroy(scalar);
  PJRT_Buffer *empty = putHost({nullptr, PJRT_Buffer_Type_F64, {3, 0, int64_t{1} << 62}, {}});
  EXPECT_TRUE(get(empty, &back, 0).ok());
  destroy(empty);
}

TEST_F(BufferTest, RefusesWhatItCannotHold) {
  float value = 0;
  PJRT_Buffer *buffer;
  PJRT_Event *event;
  auto code = [&](const Host &host) { return tryPut(host, &buffer, &event).code; };
  EXPECT_EQ(code({&value, PJRT_Buffer_Type_F32, {-1}, {}}), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(code({&value, PJRT_Buffer_Type_F32, {1, 1}, {4}}), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(code({nullptr, PJRT_Buffer_Type_F32, {1}, {}}), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(code({&value, PJRT_Buffer_Type_INVALID, {1}, {}}), PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(code({&value, PJRT_Buffer_Type_S1, {1}, {}}), PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(code({&value, PJRT_Buffer_Type_F32, {int64_t{1} << 40, int64_t{1} << 40}, {}}),
            PJRT_Error_Code_RESOURCE_EXHAUSTED);
  std::vector<int64_t> order = {0, 0};
  PJRT_Buffer_MemoryLayout wrong = tiled(order);
  Host twice{&value, PJRT_Buffer_Type_F32, {1, 1}, {}, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, &wrong};
  EXPECT_EQ(code(twice), PJRT_Error_Code_INVALID_ARGUMENT);
  wrong.tiled.num_tiles = 1;
  EXPECT_EQ(code(twice), PJRT_Error_Code_UNIMPLEMENTED);
}

TEST_F(BufferTest, KeepsArraysInTheOrderAskedFor) {
  std::vector<float> host = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> order = {0, 1}, rowMajorOrder = {1, 0};
  PJRT_Buffer_MemoryLayout columnMajor = tiled(order), rowMajor = tiled(rowMajorOrder);
  PJRT_Buffer *buffer = putHost(
      {host.data(), PJRT_Buffer_Type_F32, {2, 3}, {}, PJRT_HostBufferSemantics_kImmutableZeroCopy, &columnMajor});
  auto *inside = static_cast<float *>(pointer(buffer));
  EXPECT_EQ(std::vector<float>(inside, inside + 6), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  std::vector<float> back(6);
  EXPECT_TRUE(get(buffer, back.data(), 24, &rowMajor).ok());
  EXPECT_EQ(back, host);
  EXPECT_TRUE(get(buffer, back.data(), 24).ok()); // as it is on the device
  EXPECT_EQ(back, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  TENON_ARGS(PJRT_Buffer_GetMemoryLayout, layout);
  layout.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_GetMemoryLayout, layout);
  EXPECT_EQ(layout.layout.tiled.minor_to_major[0], 0);
  // Whatever order a program was compiled for, it takes the array as it is.
  PJRT_LoadedExecutable *swap = compile("swap 3"), *same = compile("columns 3");
  PJRT_Buffer *rows = putHost({host.data(), PJRT_Buffer_Type_F32, {2, 3}, {}});
  for (PJRT_LoadedExecutable *program : {swap, same})
    for (PJRT_Buffer *argument : {buffer, rows}) {
      RunResult result = run(program, {{argument}});
      ASSERT_TRUE(result.outcome.ok()) << result.outcome;
      EXPECT_TRUE(get(result.results[0], back.data(), 24, &rowMajor).ok());
      EXPECT_EQ(back, (std::vector<float>{2, 3, 4, 5, 6, 7}));
      EXPECT_TRUE(get(result.results[0], back.data(), 24).ok());
      EXPECT_EQ(back, (std::vector<float>{2, 5, 3, 6, 4, 7}));
      destroy(result.results[0]);
      awaitEvent(result.events[0]);
    }
  destroy(rows);
  destroy(swap);
  destroy(same);
  destroy(buffer);
}

TEST_F(BufferTest, NormalizesNarrowIntegers) {
  uint8_t host[4] = {0x0f, 0xf8, 0x07, 0x11}; // -1, -8, 7, 1 in the low bits
  PJRT_Buffer *buffer = putHost({host, PJRT_Buffer_Type_S4, {4}, {}});
  auto *inside = static_cast<int8_t *>(pointer(buffer));
  EXPECT_EQ(std::vector<int>(inside, inside + 4), (std::vector<int>{-1, -8, 7, 1}));
  uint8_t back[4];
  EXPECT_TRUE(get(buffer, back, 4).ok());
  EXPECT_EQ(std::vector<int>(back, back + 4), (std::vector<int>{15, 8, 7, 1}));
  TENON_ARGS(PJRT_Buffer_IsOnCpu, onCpu);
  onCpu.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_IsOnCpu, onCpu);
  EXPECT_FALSE(onCpu.is_on_cpu); // the framework must not read our form
  destroy(buffer);
}

TEST_F(BufferTest, AliasesAlignedHostMemory) {
  auto *host = static_cast<float *>(std::aligned_alloc(64, 256));
  for (int i = 0; i < 64; ++i)
    host[i] = static_cast<float>(i);
  PJRT_Buffer *buffer;
  PJRT_Event *event;
  Host aligned{host, PJRT_Buffer_Type_F32, {32}, {}, PJRT_HostBufferSemantics_kImmutableZeroCopy};
  ASSERT_TRUE(tryPut(aligned, &buffer, &event).ok());
  EXPECT_EQ(pointer(buffer), host);
  EXPECT_FALSE(isReady(event));
  // Donated, the program must not write into it.
  PJRT_LoadedExecutable *increment = compile("increment 32");
  RunResult result = run(increment, {{buffer}});
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_TRUE(isDeleted(buffer));
  EXPECT_TRUE(isReady(event));
  EXPECT_NE(pointer(result.results[0]), host);
  EXPECT_EQ(host[5], 5);
  EXPECT_EQ(getFloats(result.results[0], 32)[5], 6);
  awaitEvent(event);
  destroy(buffer);
  destroy(result.results[0]);

  // Mutable, it may.
  aligned.semantics = PJRT_HostBufferSemantics_kMutableZeroCopy;
  ASSERT_TRUE(tryPut(aligned, &buffer, &event).ok());
  result = run(increment, {{buffer}});
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_EQ(pointer(result.results[0]), host);
  EXPECT_FALSE(isReady(event));
  destroy(buffer);
  destroy(result.results[0]);
  EXPECT_TRUE(isReady(event));
  awaitEvent(event);
  destroy(increment);

  // Misaligned, it is copied.
  Host misaligned{host + 1, PJRT_Buffer_Type_F32, {32}, {}, PJRT_HostBufferSemantics_kImmutableZeroCopy};
  ASSERT_TRUE(tryPut(misaligned, &buffer, &event).ok());
  EXPECT_NE(pointer(buffer), host + 1);
  EXPECT_TRUE(awaitEvent(event).ok());
  destroy(buffer);
  std::free(host);
}

TEST_F(BufferTest, DevicesShareTheCopyOfAHostArray) {
  std::vector<float> host(4096, 1);
  std::vector<PJRT_Buffer *> buffers;
  for (PJRT_Device *device : devices)
    buffers.push_back(put(host, device));
  void *shared = pointer(buffers[0]);
  for (PJRT_Buffer *buffer : buffers)
    EXPECT_EQ(pointer(buffer), shared);
  // Each device has it once: more would keep programs from computing in place.
  PJRT_Buffer *again = put(host);
  EXPECT_NE(pointer(again), shared);
  host[4095] = 2;
  PJRT_Buffer *changed = put(host, devices[1]);
  EXPECT_NE(pointer(changed), pointer(again));
  EXPECT_EQ(getFloats(changed, 4096)[4095], 2);
  EXPECT_EQ(getFloats(again, 4096)[4095], 1);
  // What ends is not found any more.
  destroy(again);
  destroy(changed);
  changed = put(host, devices[2]);
  EXPECT_EQ(getFloats(changed, 4096)[4095], 2);
  destroy(changed);

  // No program writes in place before one device alone has the copy.
  PJRT_LoadedExecutable *increment = compile("increment 4096");
  RunResult result = run(increment, {{buffers[0]}});
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_NE(pointer(result.results[0]), shared);
  EXPECT_EQ(getFloats(result.results[0], 4096)[7], 2);
  EXPECT_EQ(getFloats(buffers[1], 4096)[7], 1);
  destroy(result.results[0]);
  for (PJRT_Buffer *buffer : buffers)
    destroy(buffer);
  PJRT_Buffer *alone = put(host);
  void *memory = pointer(alone);
  result = run(increment, {{alone}});
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_EQ(pointer(result.results[0]), memory);
  // Nor does a device find the array that is in its place by then.
  PJRT_Buffer *other = put(host, devices[1]);
  EXPECT_EQ(getFloats(other, 4096)[7], 1);
  for (PJRT_Buffer *buffer : {alone, other, result.results[0]})
    destroy(buffer);
  destroy(increment);
}

TEST_F(BufferTest, DevicesHaveTheirOwnCopiesOfSmallHostArrays) {
  const std::vector<float> host(16, 1);
  PJRT_Buffer *first = put(host), *second = put(host, devices[1]);
  EXPECT_NE(pointer(first), pointer(second));
  destroy(first);
  destroy(second);
}

// A copy that ends on one thread while another one looks for it, or is computed in.
TEST_F(BufferTest, SharesCopiesWhileOthersLetThemGo) {
  const std::vector<float> host(4096, 1);
  PJRT_LoadedExecutable *increment = compile("increment 4096");
  std::thread other([&] {
    for (int i = 0; i < 300; ++i) {
      PJRT_Buffer *buffer = put(host, devices[1]);
      EXPECT_EQ(getFloats(buffer, 4096), host);
      destroy(buffer);
    }
  });
  for (int i = 0; i < 300; ++i) {
    PJRT_Buffer *buffer = put(host);
    RunResult result = run(increment, {{buffer}});
    EXPECT_TRUE(awaitEvent(result.events[0]).ok());
    EXPECT_EQ(getFloats(result.results[0], 4096)[7], 2);
    destroy(result.results[0]);
    destroy(buffer);
  }
  other.join();
  destroy(increment);
}

TEST_F(BufferTest, ToHostChecksTheDestination) {
  PJRT_Buffer *buffer = put({1, 2, 3});
  TENON_ARGS(PJRT_Buffer_ToHostBuffer, query);
  query.src = buffer;
  TENON_CHECK(PJRT_Buffer_ToHostBuffer, query);
  EXPECT_EQ(query.dst_size, 12u);
  float back[3];
  EXPECT_EQ(get(buffer, back, 11).code, PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(buffer);
}

TEST_F(BufferTest, DeletedBuffersGiveErrors) {
  PJRT_Buffer *buffer = put({1});
  TENON_ARGS(PJRT_Buffer_Delete, args);
  args.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_Delete, args);
  TENON_CHECK(PJRT_Buffer_Delete, args);
  EXPECT_TRUE(isDeleted(buffer));
  float back;
  EXPECT_EQ(get(buffer, &back, 4).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(awaitBuffer(buffer).code, PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(buffer);
}

TEST_F(BufferTest, ExternalReferencesOutliveDeletion) {
  PJRT_Buffer *buffer = put({7});
  TENON_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  TENON_ARGS(PJRT_Buffer_Delete, remove);
  remove.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_Delete, remove);
  TENON_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque);
  opaque.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque);
  EXPECT_EQ(*static_cast<float *>(opaque.device_memory_ptr), 7);
  TENON_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  decrease.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
  EXPECT_EQ(TENON_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, decrease).code, PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_FALSE(TENON_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaque).ok());
  destroy(buffer);
}

TEST_F(BufferTest, CopiesAreIndependent) {
  PJRT_Buffer *buffer = put({1, 2});
  TENON_ARGS(PJRT_Buffer_CopyToDevice, copy);
  copy.buffer = buffer;
  copy.dst_device = devices[2];
  TENON_CHECK(PJRT_Buffer_CopyToDevice, copy);
  TENON_ARGS(PJRT_Buffer_Device, device);
  device.buffer = copy.dst_buffer;
  TENON_CHECK(PJRT_Buffer_Device, device);
  EXPECT_EQ(device.device, devices[2]);
  EXPECT_NE(pointer(buffer), pointer(copy.dst_buffer));
  destroy(buffer);
  EXPECT_EQ(getFloats(copy.dst_buffer, 2), (std::vector<float>{1, 2}));
  destroy(copy.dst_buffer);
}

int viewsDeleted = 0;

TEST_F(BufferTest, ViewsForeignMemory) {
  alignas(64) static float memory[4] = {1, 2, 3, 4};
  int64_t dims[] = {4};
  TENON_ARGS(PJRT_Client_CreateViewOfDeviceBuffer, args);
  args.client = client;
  args.device_buffer_ptr = memory;
  args.dims = dims;
  args.num_dims = 1;
  args.element_type = PJRT_Buffer_Type_F32;
  args.device = devices[0];
  args.on_delete_callback = [](void *data, void *count) {
    EXPECT_EQ(data, memory);
    ++*static_cast<int *>(count);
  };
  args.on_delete_callback_arg = &viewsDeleted;
  TENON_CHECK(PJRT_Client_CreateViewOfDeviceBuffer, args);
  EXPECT_EQ(pointer(args.buffer), memory);
  EXPECT_EQ(viewsDeleted, 0);
  destroy(args.buffer);
  EXPECT_EQ(viewsDeleted, 1);
  args.device_buffer_ptr = reinterpret_cast<char *>(memory) + 1;
  EXPECT_EQ(TENON_CALL(PJRT_Client_CreateViewOfDeviceBuffer, args).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(BufferTest, FillsAliasBuffersLater) {
  TENON_ARGS(PJRT_Device_DefaultMemory, memory);
  memory.device = devices[0];
  TENON_CHECK(PJRT_Device_DefaultMemory, memory);
  int64_t dims[] = {2};
  TENON_ARGS(PJRT_Client_CreateAliasBuffer, alias);
  alias.client = client;
  alias.memory = memory.memory;
  alias.shape_dims = dims;
  alias.shape_num_dims = 1;
  alias.shape_element_type = PJRT_Buffer_Type_F32;
  TENON_CHECK(PJRT_Client_CreateAliasBuffer, alias);
  // A program started on it waits.
  PJRT_LoadedExecutable *increment = compile("increment 2");
  RunResult result = run(increment, {{alias.alias_buffer}});
  EXPECT_FALSE(isReady(result.events[0]));
  PJRT_Buffer *source = put({4, 5});
  TENON_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill);
  fulfill.client = client;
  fulfill.buffer = source;
  fulfill.fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb;
  TENON_CHECK(PJRT_Client_FulfillAliasBuffer, fulfill);
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_EQ(getFloats(result.results[0], 2), (std::vector<float>{5, 6}));
  EXPECT_EQ(getFloats(source, 2), (std::vector<float>{4, 5}));
  for (PJRT_Buffer *buffer : {alias.alias_buffer, source, result.results[0]})
    destroy(buffer);
  destroy(increment);
}

TEST_F(BufferTest, ErrorBuffersFailTheirUsers) {
  TENON_ARGS(PJRT_Device_DefaultMemory, memory);
  memory.device = devices[0];
  TENON_CHECK(PJRT_Device_DefaultMemory, memory);
  int64_t dims[] = {2};
  TENON_ARGS(PJRT_Client_CreateErrorBuffer, error);
  error.client = client;
  error.memory = memory.memory;
  error.shape_dims = dims;
  error.shape_num_dims = 1;
  error.shape_element_type = PJRT_Buffer_Type_F32;
  error.error_code = PJRT_Error_Code_ABORTED;
  error.error_message = "lost";
  error.error_message_size = 4;
  TENON_CHECK(PJRT_Client_CreateErrorBuffer, error);
  PJRT_LoadedExecutable *increment = compile("increment 2");
  RunResult result = run(increment, {{error.buffer}});
  EXPECT_EQ(awaitEvent(result.events[0]).message, "lost");
  EXPECT_EQ(awaitBuffer(result.results[0]).code, PJRT_Error_Code_ABORTED);
  destroy(error.buffer);
  destroy(result.results[0]);
  destroy(increment);
}

TEST_F(BufferTest, TransfersInPieces) {
  TENON_ARGS(PJRT_Device_DefaultMemory, memory);
  memory.device = devices[1];
  TENON_CHECK(PJRT_Device_DefaultMemory, memory);
  int64_t dims[] = {4};
  PJRT_ShapeSpec specs[2] = {{PJRT_ShapeSpec_STRUCT_SIZE, nullptr, dims, 1, PJRT_Buffer_Type_F32},
                             {PJRT_ShapeSpec_STRUCT_SIZE, nullptr, dims, 1, PJRT_Buffer_Type_S8}};
  TENON_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  create.client = client;
  create.shape_specs = specs;
  create.num_shape_specs = 2;
  create.memory = memory.memory;
  TENON_CHECK(PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  TENON_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  retrieve.transfer_manager = create.transfer_manager;
  TENON_CHECK(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  PJRT_Buffer *floats = retrieve.buffer_out;
  EXPECT_FALSE(TENON_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve).ok());

  float host[4] = {1, 2, 3, 4};
  TENON_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
  transfer.transfer_manager = create.transfer_manager;
  transfer.data = host + 2;
  transfer.offset = 8;
  transfer.transfer_size = 8;
  TENON_CHECK(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
  awaitEvent(transfer.done_with_h2d_transfer);
  TENON_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = floats;
  TENON_CHECK(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_FALSE(isReady(ready.event));
  transfer.transfer_size = 9;
  EXPECT_FALSE(TENON_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).ok());
  transfer.data = host;
  transfer.offset = 0;
  transfer.transfer_size = 8;
  transfer.is_last_transfer = true;
  TENON_CHECK(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer);
  awaitEvent(transfer.done_with_h2d_transfer);
  EXPECT_TRUE(awaitEvent(ready.event).ok());
  EXPECT_EQ(getFloats(floats, 4), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_FALSE(TENON_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, transfer).ok());
  destroy(floats);

  // A buffer that is never filled ends with an error.
  retrieve.buffer_index = 1;
  TENON_CHECK(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  TENON_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy, end);
  end.transfer_manager = create.transfer_manager;
  TENON_CHECK(PJRT_AsyncHostToDeviceTransferManager_Destroy, end);
  EXPECT_EQ(awaitBuffer(retrieve.buffer_out).code, PJRT_Error_Code_CANCELLED);
  destroy(retrieve.buffer_out);
}

TEST_F(BufferTest, RawCopiesCheckTheirRange) {
  PJRT_Buffer *buffer = put({1, 2, 3, 4});
  float part[2] = {};
  TENON_ARGS(PJRT_Buffer_CopyRawToHost, args);
  args.buffer = buffer;
  args.dst = part;
  args.offset = 4;
  args.transfer_size = 8;
  TENON_CHECK(PJRT_Buffer_CopyRawToHost, args);
  EXPECT_TRUE(awaitEvent(args.event).ok());
  EXPECT_EQ(part[0], 2);
  args.offset = 12;
  EXPECT_EQ(TENON_CALL(PJRT_Buffer_CopyRawToHost, args).code, PJRT_Error_Code_INVALID_ARGUMENT);

  TENON_ARGS(PJRT_Buffer_CopyRawToHostFuture, future);
  future.buffer = buffer;
  future.offset = 8;
  future.transfer_size = 8;
  TENON_CHECK(PJRT_Buffer_CopyRawToHostFuture, future);
  EXPECT_FALSE(isReady(future.event));
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args callback{};
  callback.callback_data = future.callback_data;
  callback.dst = part;
  future.future_ready_callback(&callback);
  EXPECT_TRUE(awaitEvent(future.event).ok());
  EXPECT_EQ(part[1], 4);
  destroy(buffer);
}

TEST_F(BufferTest, DonatesWithAControlDependency) {
  PJRT_Buffer *buffer = put({3});
  TENON_ARGS(PJRT_Buffer_DonateWithControlDependency, args);
  args.buffer = buffer;
  TENON_CHECK(PJRT_Buffer_DonateWithControlDependency, args);
  EXPECT_TRUE(isDeleted(buffer));
  TENON_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = args.out_buffer;
  TENON_CHECK(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_FALSE(isReady(ready.event));
  PJRT_Buffer_DonateWithControlDependency_Callback_Args callback{};
  callback.callback_data = args.callback_data;
  args.dependency_ready_callback(&callback);
  EXPECT_TRUE(awaitEvent(ready.event).ok());
  EXPECT_EQ(getFloats(args.out_buffer, 1)[0], 3);
  destroy(buffer);
  destroy(args.out_buffer);
}

TEST_F(BufferTest, BitcastsBetweenTypesOfOneSize) {
  PJRT_Buffer *buffer = put({1, 2});
  int64_t dims[] = {2};
  TENON_ARGS(PJRT_Buffer_Bitcast, args);
  args.buffer = buffer;
  args.element_type = PJRT_Buffer_Type_U32;
  args.dims = dims;
  args.num_dims = 1;
  TENON_CHECK(PJRT_Buffer_Bitcast, args);
  uint32_t bits[2];
  EXPECT_TRUE(get(args.out_buffer, bits, 8).ok());
  EXPECT_EQ(bits[0], 0x3f800000u);
  destroy(args.out_buffer);
  args.element_type = PJRT_Buffer_Type_U8;
  EXPECT_EQ(TENON_CALL(PJRT_Buffer_Bitcast, args).code, PJRT_Error_Code_INVALID_ARGUMENT);
  destroy(buffer);
}

} // namespace
} // namespace tenon::pjrt
