// Compiling, running, donating, storing.
#include "tenon/pjrt/testing/api_fixture.h"
#include "tenon/support/proto.h"

#include <thread>

namespace tenon::pjrt {
namespace {

class ExecuteTest : public ApiTest {
protected:
  // CompileOptionsProto for a grid on given devices (replica-major).
  static std::string gridOptions(int replicas, int partitions, const std::vector<int64_t> &devices) {
    ProtoWriter assignment;
    assignment.integer(1, replicas);
    assignment.integer(2, partitions);
    for (int p = 0; p < partitions; ++p) {
      ProtoWriter computation;
      std::vector<int64_t> column;
      for (int r = 0; r < replicas; ++r)
        column.push_back(devices[r * partitions + p]);
      computation.packed(1, column);
      assignment.bytes(3, computation.take());
    }
    ProtoWriter build;
    build.integer(4, replicas);
    build.integer(5, partitions);
    build.bytes(9, assignment.take());
    ProtoWriter options;
    options.bytes(3, build.take());
    return options.take();
  }
  std::string serialize(PJRT_LoadedExecutable *loaded) {
    TENON_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
    get.loaded_executable = loaded;
    TENON_CHECK(PJRT_LoadedExecutable_GetExecutable, get);
    TENON_ARGS(PJRT_Executable_Serialize, args);
    args.executable = get.executable;
    TENON_CHECK(PJRT_Executable_Serialize, args);
    std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
    args.serialized_executable_deleter(args.serialized_executable);
    TENON_ARGS(PJRT_Executable_Destroy, end);
    end.executable = get.executable;
    TENON_CHECK(PJRT_Executable_Destroy, end);
    return bytes;
  }
};

TEST_F(ExecuteTest, RunsInPlace) {
  PJRT_LoadedExecutable *add = compile("add 3");
  PJRT_Buffer *a = put({1, 2, 3}), *b = put({10, 20, 30});
  RunResult result = run(add, {{a, b}});
  ASSERT_TRUE(result.outcome.ok()) << result.outcome;
  EXPECT_TRUE(isReady(result.events[0]));
  EXPECT_TRUE(awaitEvent(result.events[0]).ok());
  EXPECT_EQ(getFloats(result.results[0], 3), (std::vector<float>{11, 22, 33}));
  for (PJRT_Buffer *buffer : {a, b, result.results[0]})
    destroy(buffer);
  destroy(add);
}

TEST_F(ExecuteTest, ChecksArgumentsBeforeItDonates) {
  PJRT_LoadedExecutable *add = compile("add 3"), *increment = compile("increment 3");
  PJRT_Buffer *three = put({1, 2, 3}), *two = put({1, 2}), *elsewhere = put({1, 2, 3}, devices[1]);
  EXPECT_EQ(run(add, {{three}}).outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(run(add, {{three, two}}).outcome.message.find("f32[3], but is f32[2]"), std::string::npos);
  EXPECT_FALSE(run(add, {{three, elsewhere}}).outcome.ok());
  EXPECT_FALSE(run(increment, {{two}}).outcome.ok());
  EXPECT_FALSE(isDeleted(two));
  RunResult result = run(increment, {{three}});
  EXPECT_TRUE(result.outcome.ok());
  awaitEvent(result.events[0]);
  EXPECT_TRUE(isDeleted(three));
  EXPECT_NE(run(increment, {{three}}).outcome.message.find("deleted or donated"), std::string::npos);
  for (PJRT_Buffer *buffer : {three, two, elsewhere, result.results[0]})
    destroy(buffer);
  destroy(add);
  destroy(increment);
}

TEST_F(ExecuteTest, ReusesDonatedMemory) {
  PJRT_LoadedExecutable *increment = compile("increment 2");
  PJRT_Buffer *buffer = put({1, 2});
  void *memory = pointer(buffer);
  RunResult result = run(increment, {{buffer}});
  awaitEvent(result.events[0]);
  EXPECT_EQ(pointer(result.results[0]), memory);
  EXPECT_EQ(getFloats(result.results[0], 2), (std::vector<float>{2, 3}));
  destroy(buffer);
  // Not if the caller says so, and then the argument stays.
  RunResult again = run(increment, {{result.results[0]}}, {0});
  awaitEvent(again.events[0]);
  EXPECT_FALSE(isDeleted(result.results[0]));
  EXPECT_EQ(getFloats(result.results[0], 2), (std::vector<float>{2, 3}));
  EXPECT_EQ(getFloats(again.results[0], 2), (std::vector<float>{3, 4}));
  // Nor under an external reference.
  TENON_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  increase.buffer = again.results[0];
  TENON_CHECK(PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  auto *view = static_cast<float *>(pointer(again.results[0]));
  RunResult third = run(increment, {{again.results[0]}});
  awaitEvent(third.events[0]);
  EXPECT_TRUE(isDeleted(again.results[0]));
  EXPECT_EQ(view[0], 3);
  EXPECT_EQ(getFloats(third.results[0], 2), (std::vector<float>{4, 5}));
  for (PJRT_Buffer *each : {result.results[0], again.results[0], third.results[0]})
    destroy(each);
  destroy(increment);
}

TEST_F(ExecuteTest, RunsLongProgramsAsynchronously) {
  PJRT_LoadedExecutable *slow = compile("slow 2");
  PJRT_Buffer *buffer = put({0, 10});
  SlowHold held;
  std::vector<PJRT_Buffer *> buffers = {buffer};
  std::vector<PJRT_Event *> events;
  for (int i = 0; i < 4; ++i) {
    RunResult result = run(slow, {{buffers.back()}});
    ASSERT_TRUE(result.outcome.ok());
    buffers.push_back(result.results[0]);
    events.push_back(result.events[0]);
  }
  for (PJRT_Event *event : events)
    EXPECT_FALSE(isReady(event));
  held.letGo();
  EXPECT_EQ(getFloats(buffers.back(), 2), (std::vector<float>{4, 14}));
  for (PJRT_Event *event : events)
    EXPECT_TRUE(awaitEvent(event).ok());
  // The chain was donated from end to end: one block of memory.
  for (PJRT_Buffer *each : buffers)
    destroy(each);
  destroy(slow);
}

// Frameworks keep an array's event, made while it was computed, for as long as the array.
TEST_F(ExecuteTest, ReusesDonatedMemoryOfWhichThereIsAnEvent) {
  PJRT_LoadedExecutable *slow = compile("slow 2"), *increment = compile("increment 2");
  PJRT_Buffer *buffer = put({1, 2});
  SlowHold held;
  RunResult first = run(slow, {{buffer}});
  TENON_ARGS(PJRT_Buffer_ReadyEvent, ready);
  ready.buffer = first.results[0];
  TENON_CHECK(PJRT_Buffer_ReadyEvent, ready);
  EXPECT_FALSE(isReady(ready.event));
  held.letGo();
  EXPECT_TRUE(awaitEvent(first.events[0]).ok());
  void *memory = pointer(first.results[0]);
  RunResult second = run(increment, {{first.results[0]}});
  awaitEvent(second.events[0]);
  EXPECT_EQ(pointer(second.results[0]), memory);
  EXPECT_TRUE(awaitEvent(ready.event).ok());
  EXPECT_EQ(getFloats(second.results[0], 2), (std::vector<float>{3, 4}));
  for (PJRT_Buffer *each : {buffer, first.results[0], second.results[0]})
    destroy(each);
  destroy(slow);
  destroy(increment);
}

// From another thread, for calls that wait for the program: most likely once they wait.
void letGoLater(SlowHold &held) {
  for (int i = 0; i < 1000; ++i)
    std::this_thread::yield();
  held.letGo();
}

// Effects keep the order of the launches, and the last launch's event says that all are done.
TEST_F(ExecuteTest, LaunchesWithEffectsEndWithTheirRuns) {
  for (const char *program : {"slow-effect 2", "slow-effect-in-shards 2"}) {
    PJRT_LoadedExecutable *slow = compile("slow 2"), *effect = compile(program);
    PJRT_Buffer *zero = put({0, 10});
    SlowHold held;
    RunResult first = run(slow, {{zero}});
    ASSERT_TRUE(first.outcome.ok());
    std::thread later([&] { letGoLater(held); });
    RunResult second = run(effect, {{first.results[0]}}); // its argument is still being computed
    later.join();
    ASSERT_TRUE(second.outcome.ok()) << second.outcome;
    EXPECT_TRUE(isReady(second.events[0]));
    EXPECT_TRUE(awaitEvent(second.events[0]).ok());
    EXPECT_TRUE(awaitEvent(first.events[0]).ok());
    EXPECT_EQ(getFloats(second.results[0], 2), (std::vector<float>{2, 12}));
    for (PJRT_Buffer *each : {zero, first.results[0], second.results[0]})
      destroy(each);
    destroy(slow);
    destroy(effect);
  }
}

TEST_F(ExecuteTest, LaunchesWithEffectsOnSeveralDevicesEndWithTheirRuns) {
  PJRT_LoadedExecutable *effect = compile("slow-effect 1", gridOptions(1, 4, {0, 1, 2, 3}));
  std::vector<std::vector<PJRT_Buffer *>> arguments;
  for (int i = 0; i < 4; ++i)
    arguments.push_back({put({float(i)}, devices[i])});
  SlowHold held;
  std::thread later([&] { letGoLater(held); });
  RunResult result = run(effect, arguments);
  later.join();
  ASSERT_TRUE(result.outcome.ok()) << result.outcome;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(isReady(result.events[i]));
    EXPECT_TRUE(awaitEvent(result.events[i]).ok());
    EXPECT_EQ(getFloats(result.results[i], 1)[0], float(i + 1));
    destroy(result.results[i]);
  }
  destroy(effect);
  // An error is the launch's, and there is nothing else to ask for it.
  PJRT_LoadedExecutable *fail = compile("slow-effect-fail 1", gridOptions(1, 4, {0, 1, 2, 3}));
  RunResult failed = run(fail, arguments);
  EXPECT_NE(failed.outcome.message.find("as it was told to"), std::string::npos) << failed.outcome;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(failed.results[i], nullptr);
    EXPECT_EQ(failed.events[i], nullptr);
    destroy(arguments[i][0]);
  }
  destroy(fail);
}

TEST_F(ExecuteTest, PendingArgumentsMakeShortProgramsWait) {
  PJRT_LoadedExecutable *slow = compile("slow 1"), *add = compile("add 1");
  PJRT_Buffer *one = put({1});
  SlowHold held;
  RunResult first = run(slow, {{one}});
  RunResult second = run(add, {{first.results[0], first.results[0]}});
  EXPECT_FALSE(isReady(second.events[0]));
  // The argument may be deleted meanwhile.
  destroy(first.results[0]);
  held.letGo();
  EXPECT_EQ(getFloats(second.results[0], 1)[0], 4);
  awaitEvent(first.events[0]);
  awaitEvent(second.events[0]);
  destroy(one);
  destroy(second.results[0]);
  destroy(slow);
  destroy(add);
}

TEST_F(ExecuteTest, ReportsErrorsOfShortProgramsAtOnce) {
  PJRT_LoadedExecutable *fail = compile("fail 1");
  PJRT_Buffer *one = put({1});
  EXPECT_EQ(run(fail, {{one}}).outcome.code, PJRT_Error_Code_INTERNAL);
  destroy(one);
  destroy(fail);
}

TEST_F(ExecuteTest, PassesOnErrorsOfLongPrograms) {
  PJRT_LoadedExecutable *fail = compile("slow-fail 1"), *add = compile("add 1");
  PJRT_Buffer *one = put({1});
  SlowHold held;
  RunResult first = run(fail, {{one}});
  ASSERT_TRUE(first.outcome.ok());
  RunResult second = run(add, {{first.results[0], one}});
  ASSERT_TRUE(second.outcome.ok());
  held.letGo();
  EXPECT_EQ(awaitEvent(first.events[0]).code, PJRT_Error_Code_INTERNAL);
  EXPECT_NE(awaitEvent(second.events[0]).message.find("as it was told to"), std::string::npos);
  float back;
  EXPECT_EQ(get(second.results[0], &back, 4).code, PJRT_Error_Code_INTERNAL);
  EXPECT_EQ(awaitBuffer(first.results[0]).code, PJRT_Error_Code_INTERNAL);
  for (PJRT_Buffer *buffer : {one, first.results[0], second.results[0]})
    destroy(buffer);
  destroy(fail);
  destroy(add);
}

TEST_F(ExecuteTest, RefusesToDonateWhatIsUsedTwice) {
  PJRT_LoadedExecutable *twice = compile("add-donate 1");
  PJRT_Buffer *one = put({1}), *two = put({2});
  RunResult result = run(twice, {{one, one}});
  EXPECT_NE(result.outcome.message.find("Attempt to use a buffer that was previously donated"), std::string::npos)
      << result.outcome;
  EXPECT_FALSE(isDeleted(one));
  result = run(twice, {{one, two}});
  EXPECT_TRUE(result.outcome.ok());
  awaitEvent(result.events[0]);
  EXPECT_TRUE(isDeleted(one));
  EXPECT_FALSE(isDeleted(two));
  for (PJRT_Buffer *buffer : {one, two, result.results[0]})
    destroy(buffer);
  destroy(twice);
}

TEST_F(ExecuteTest, RunsOnAGridOfDevices) {
  PJRT_LoadedExecutable *place = compile("place 0", gridOptions(2, 2, {3, 1, 2, 0}));
  TENON_ARGS(PJRT_LoadedExecutable_AddressableDevices, on);
  on.executable = place;
  TENON_CHECK(PJRT_LoadedExecutable_AddressableDevices, on);
  ASSERT_EQ(on.num_addressable_devices, 4u);
  EXPECT_EQ(on.addressable_devices[0], devices[3]);
  RunResult result = run(place, {{}, {}, {}, {}});
  ASSERT_TRUE(result.outcome.ok()) << result.outcome;
  const int32_t expected[4][3] = {{3, 0, 0}, {1, 0, 1}, {2, 1, 0}, {0, 1, 1}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(awaitEvent(result.events[i]).ok());
    int32_t numbers[3];
    EXPECT_TRUE(get(result.results[i], numbers, 12).ok());
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(numbers[j], expected[i][j]);
    destroy(result.results[i]);
  }
  EXPECT_FALSE(run(place, {{}, {}}).outcome.ok());
  TENON_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  assignment.executable = place;
  TENON_CHECK(PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  EXPECT_GT(assignment.serialized_bytes_size, 4u);
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  destroy(place);
}

// Short runs of several devices are the caller's, unless they would wait for others.
TEST_F(ExecuteTest, RunsSeveralDevicesInPlace) {
  PJRT_LoadedExecutable *add = compile("add 1", gridOptions(1, 2, {0, 1})), *slow = compile("slow 1");
  auto putOn = [&](int device, float value) {
    PJRT_Buffer *buffer = put({value}, devices[device]);
    return buffer;
  };
  PJRT_Buffer *a = putOn(0, 1), *b = putOn(1, 2);
  RunResult first = run(add, {{a, a}, {b, b}});
  ASSERT_TRUE(first.outcome.ok()) << first.outcome;
  for (PJRT_Event *event : first.events) {
    EXPECT_TRUE(isReady(event));
    EXPECT_TRUE(awaitEvent(event).ok());
  }
  SlowHold held;
  PJRT_Buffer *given = putOn(0, 5);
  RunResult before = run(slow, {{given}});
  ASSERT_TRUE(before.outcome.ok());
  RunResult second = run(add, {{a, before.results[0]}, {b, b}});
  ASSERT_TRUE(second.outcome.ok());
  EXPECT_FALSE(isReady(second.events[0]));
  held.letGo();
  EXPECT_EQ(getFloats(second.results[0], 1), (std::vector<float>{7}));
  EXPECT_EQ(getFloats(second.results[1], 1), (std::vector<float>{4}));
  for (PJRT_Event *event : {before.events[0], second.events[0], second.events[1]})
    EXPECT_TRUE(awaitEvent(event).ok());
  for (PJRT_Buffer *each :
       {a, b, given, before.results[0], first.results[0], first.results[1], second.results[0], second.results[1]})
    destroy(each);
  destroy(add);
  destroy(slow);
}

TEST_F(ExecuteTest, PutsWholeArraysTogether) {
  // Six elements: halves of three on devices (0, 1) and (2, 3); results of two elements, the last one padding.
  PJRT_LoadedExecutable *whole = compile("whole 6", gridOptions(1, 4, {0, 1, 2, 3}));
  std::vector<std::vector<PJRT_Buffer *>> arguments;
  for (int i = 0; i < 4; ++i)
    arguments.push_back({put(i < 2 ? std::vector<float>{0, 1, 2} : std::vector<float>{3, 4, 5}, devices[i])});
  RunResult result = run(whole, arguments);
  ASSERT_TRUE(result.outcome.ok()) << result.outcome;
  for (PJRT_Event *event : result.events) // it is short
    EXPECT_TRUE(isReady(event));
  // Tiles go to devices 0, 2, 1, 3.
  EXPECT_EQ(getFloats(result.results[0], 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(getFloats(result.results[2], 2), (std::vector<float>{3, 4}));
  EXPECT_EQ(getFloats(result.results[1], 2), (std::vector<float>{5, 6}));
  EXPECT_EQ(getFloats(result.results[3], 2), (std::vector<float>{0, 0}));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(awaitEvent(result.events[i]).ok());
    destroy(arguments[i][0]);
    destroy(result.results[i]);
  }
  destroy(whole);
}

class DynamicResultTest : public ExecuteTest, public ::testing::WithParamInterface<const char *> {
protected:
  // Two rows, of which `count` columns count.
  PJRT_Buffer *runFirst(PJRT_LoadedExecutable *executable, float count) {
    std::vector<float> values{count, 1, 2, 3, 10, 11, 12, 13};
    int64_t dims[] = {2, 4};
    TENON_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client;
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 2;
    args.device = devices[0];
    TENON_CHECK(PJRT_Client_BufferFromHostBuffer, args);
    awaitEvent(args.done_with_host_buffer);
    RunResult result = run(executable, {{args.buffer}});
    EXPECT_TRUE(result.outcome.ok()) << result.outcome;
    EXPECT_EQ(result.results.size(), 1u);
    EXPECT_TRUE(awaitEvent(result.events[0]).ok());
    destroy(args.buffer);
    return result.results[0];
  }
  std::vector<int64_t> sizesOf(PJRT_Buffer *buffer) {
    TENON_ARGS(PJRT_Buffer_UnpaddedDimensions, args);
    args.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_UnpaddedDimensions, args);
    return {args.unpadded_dims, args.unpadded_dims + args.num_dims};
  }
};

TEST_P(DynamicResultTest, HasTheSizesOfTheRun) {
  PJRT_LoadedExecutable *first = compile(GetParam());
  for (int64_t count : {3, 4, 0, 1}) {
    PJRT_Buffer *buffer = runFirst(first, static_cast<float>(count));
    EXPECT_EQ(sizesOf(buffer), (std::vector<int64_t>{2, count}));
    TENON_ARGS(PJRT_Buffer_Dimensions, padded);
    padded.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_Dimensions, padded);
    EXPECT_EQ(padded.dims[1], 4);
    TENON_ARGS(PJRT_Buffer_DynamicDimensionIndices, dynamic);
    dynamic.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_DynamicDimensionIndices, dynamic);
    ASSERT_EQ(dynamic.num_dynamic_dims, 1u);
    EXPECT_EQ(dynamic.dynamic_dim_indices[0], 1u);
    TENON_ARGS(PJRT_Buffer_ToHostBuffer, size);
    size.src = buffer;
    TENON_CHECK(PJRT_Buffer_ToHostBuffer, size);
    EXPECT_EQ(size.dst_size, 8u * count);
    std::vector<float> expected;
    for (float row : {0.0f, 10.0f})
      for (int64_t i = 0; i < count; ++i)
        expected.push_back(row == 0 && i == 0 ? static_cast<float>(count + 1) : row + static_cast<float>(i) + 1);
    if (count > 0) // without a destination, the call asks for the size
      EXPECT_EQ(getFloats(buffer, 2 * count), expected);
    destroy(buffer);
  }
  destroy(first);
}

TEST_P(DynamicResultTest, IsCopiedWithItsSizes) {
  PJRT_LoadedExecutable *first = compile(GetParam());
  PJRT_Buffer *buffer = runFirst(first, 2);
  TENON_ARGS(PJRT_Buffer_CopyToDevice, copy);
  copy.buffer = buffer;
  copy.dst_device = devices[1];
  TENON_CHECK(PJRT_Buffer_CopyToDevice, copy);
  EXPECT_EQ(sizesOf(copy.dst_buffer), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(getFloats(copy.dst_buffer, 4), (std::vector<float>{3, 2, 11, 12}));
  // Column-major on the host.
  int64_t order[] = {0, 1};
  PJRT_Buffer_MemoryLayout layout;
  std::memset(&layout, 0, sizeof layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  std::vector<float> columns(4);
  ASSERT_TRUE(get(buffer, columns.data(), 16, &layout).ok());
  EXPECT_EQ(columns, (std::vector<float>{3, 11, 2, 12}));
  EXPECT_EQ(get(buffer, columns.data(), 12).code, PJRT_Error_Code_INVALID_ARGUMENT);
  // A program takes arrays of known sizes.
  RunResult again = run(first, {{buffer}});
  EXPECT_EQ(again.outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(again.outcome.message.find("depends on data"), std::string::npos);
  destroy(buffer);
  destroy(copy.dst_buffer);
  destroy(first);
}

INSTANTIATE_TEST_SUITE_P(InPlaceAndQueued, DynamicResultTest, ::testing::Values("first 4", "slow-first 4"),
                         [](const auto &info) { return info.index == 0 ? "InPlace" : "Queued"; });

TEST_F(ExecuteTest, RefusesImpossibleGrids) {
  PJRT_LoadedExecutable *executable;
  EXPECT_FALSE(tryCompile("place 0", gridOptions(1, 2, {0, 0}), &executable).ok());
  EXPECT_FALSE(tryCompile("place 0", gridOptions(1, 2, {0, 4}), &executable).ok());
  EXPECT_FALSE(tryCompile("place 0", gridOptions(1, 1, {-1}), &executable).ok());
}

TEST_F(ExecuteTest, RefusesWhatItCannotCompile) {
  PJRT_LoadedExecutable *executable;
  EXPECT_EQ(tryCompile("add 1", {}, &executable, "hlo").code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(tryCompile("nonsense 1", {}, &executable).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(tryCompile("add 1", "\xff\xff\xff", &executable).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(ExecuteTest, StoresPrograms) {
  PJRT_LoadedExecutable *add = compile("add 2");
  std::string bytes = serialize(add);
  destroy(add);
  TENON_ARGS(PJRT_Executable_DeserializeAndLoad, load);
  load.client = client;
  load.serialized_executable = bytes.data();
  load.serialized_executable_size = bytes.size();
  TENON_CHECK(PJRT_Executable_DeserializeAndLoad, load);
  PJRT_Buffer *a = put({1, 2});
  RunResult result = run(load.loaded_executable, {{a, a}});
  awaitEvent(result.events[0]);
  EXPECT_EQ(getFloats(result.results[0], 2), (std::vector<float>{2, 4}));
  destroy(a);
  destroy(result.results[0]);
  destroy(load.loaded_executable);
  // Somewhere else.
  std::string elsewhere = gridOptions(1, 1, {2});
  load.overridden_serialized_compile_options = elsewhere.data();
  load.overridden_serialized_compile_options_size = elsewhere.size();
  TENON_CHECK(PJRT_Executable_DeserializeAndLoad, load);
  TENON_ARGS(PJRT_LoadedExecutable_AddressableDevices, on);
  on.executable = load.loaded_executable;
  TENON_CHECK(PJRT_LoadedExecutable_AddressableDevices, on);
  EXPECT_EQ(on.addressable_devices[0], devices[2]);
  destroy(load.loaded_executable);
  for (size_t size : {size_t{0}, size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    load.serialized_executable_size = size;
    EXPECT_FALSE(TENON_CALL(PJRT_Executable_DeserializeAndLoad, load).ok()) << size;
  }
}

TEST_F(ExecuteTest, DescribesPrograms) {
  PJRT_LoadedExecutable *loaded = compile("increment 5");
  TENON_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = loaded;
  TENON_CHECK(PJRT_LoadedExecutable_GetExecutable, get);
  TENON_ARGS(PJRT_Executable_OutputDimensions, dims);
  dims.executable = get.executable;
  TENON_CHECK(PJRT_Executable_OutputDimensions, dims);
  ASSERT_EQ(dims.num_outputs, 1u);
  EXPECT_EQ(dims.dim_sizes[0], 1u);
  EXPECT_EQ(dims.dims[0], 5);
  TENON_ARGS(PJRT_Executable_OutputMemoryKinds, kinds);
  kinds.executable = get.executable;
  TENON_CHECK(PJRT_Executable_OutputMemoryKinds, kinds);
  EXPECT_EQ(std::string(kinds.memory_kinds[0], kinds.memory_kind_sizes[0]), "device");
  TENON_ARGS(PJRT_Executable_GetCompiledMemoryStats, stats);
  stats.executable = get.executable;
  TENON_CHECK(PJRT_Executable_GetCompiledMemoryStats, stats);
  EXPECT_EQ(stats.argument_size_in_bytes, 20);
  EXPECT_EQ(stats.alias_size_in_bytes, 20);
  EXPECT_EQ(stats.peak_memory_in_bytes, 20);
  TENON_ARGS(PJRT_Executable_GetCostAnalysis, costs);
  costs.executable = get.executable;
  TENON_CHECK(PJRT_Executable_GetCostAnalysis, costs);
  EXPECT_EQ(std::string(costs.properties[0].name), "flops");
  EXPECT_EQ(costs.properties[0].float_value, 5);

  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  TENON_ARGS(PJRT_Executable_OptimizedProgram, optimized);
  optimized.executable = get.executable;
  optimized.program = &program;
  TENON_CHECK(PJRT_Executable_OptimizedProgram, optimized);
  EXPECT_EQ(std::string(program.format, program.format_size), "mlir");
  std::string text(program.code_size, ' ');
  program.code = text.data();
  TENON_CHECK(PJRT_Executable_OptimizedProgram, optimized);
  EXPECT_EQ(text.substr(0, 6), "module");
  TENON_ARGS(PJRT_Executable_Destroy, end);
  end.executable = get.executable;
  TENON_CHECK(PJRT_Executable_Destroy, end);
  destroy(loaded);
}

TEST_F(ExecuteTest, RunsManyTimes) {
  PJRT_LoadedExecutable *add = compile("add 1");
  PJRT_Buffer *one = put({1});
  for (int i = 0; i < 20000; ++i) {
    RunResult result = run(add, {{one, one}});
    awaitEvent(result.events[0]);
    if (i % 1000 == 0)
      EXPECT_EQ(getFloats(result.results[0], 1), (std::vector<float>{2}));
    destroy(result.results[0]);
  }
  destroy(one);
  destroy(add);
}

} // namespace
} // namespace tenon::pjrt
