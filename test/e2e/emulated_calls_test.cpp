// Calls of handlers in programs of a GPU, which the host plays: they are given a stream, addresses of the device's
// memory and scratch memory, and nobody waits for them.

#include "test/e2e/emulated_gpu_testing.h"

#include "tenon/runtime/cpu/ffi.h"

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr size_t kCount = 6, kBytes = kCount * sizeof(int32_t);

struct Seen {
  int calls = 0;
  void *stream = nullptr;
  bool wasPending = false; // the operand had not been computed when the handler was called
};
Seen seen;

void *streamOf(XLA_FFI_CallFrame &frame) {
  XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame.ctx, nullptr};
  EXPECT_EQ(frame.api->XLA_FFI_Stream_Get(&args), nullptr);
  return args.stream;
}

DeviceAddress scratchOf(XLA_FFI_CallFrame &frame, size_t bytes) {
  XLA_FFI_DeviceMemory_Allocate_Args args = {
      XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, nullptr, frame.ctx, bytes, 16, nullptr};
  EXPECT_EQ(frame.api->XLA_FFI_DeviceMemory_Allocate(&args), nullptr);
  return reinterpret_cast<DeviceAddress>(args.data);
}

void freeScratch(XLA_FFI_CallFrame &frame, DeviceAddress memory, size_t bytes) {
  XLA_FFI_DeviceMemory_Free_Args args = {XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, nullptr, frame.ctx, bytes,
                                         reinterpret_cast<void *>(memory)};
  EXPECT_EQ(frame.api->XLA_FFI_DeviceMemory_Free(&args), nullptr);
}

// Whether the call asked for the handler's version.
bool answersMetadata(XLA_FFI_CallFrame &frame) {
  if (!frame.extension_start || frame.extension_start->type != XLA_FFI_Extension_Metadata)
    return false;
  auto *extension = reinterpret_cast<XLA_FFI_Metadata_Extension *>(frame.extension_start);
  extension->metadata->api_version.major_version = XLA_FFI_API_MAJOR;
  extension->metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  return true;
}

// The operand, shifted by an element, with a zero behind: by way of scratch memory, all of it in the stream.
XLA_FFI_Error *shift(XLA_FFI_CallFrame *frame) {
  if (answersMetadata(*frame))
    return nullptr;
  const Driver &d = runtime::emulator::driver();
  auto addressOf = [](void *buffer) {
    return reinterpret_cast<DeviceAddress>(static_cast<XLA_FFI_Buffer *>(buffer)->data);
  };
  DeviceAddress operand = addressOf(frame->args.args[0]), result = addressOf(frame->rets.rets[0]);
  ++seen.calls;
  seen.stream = streamOf(*frame);
  // The emulation's memory is the host's, and its stream works when somebody waits.
  seen.wasPending = *reinterpret_cast<int32_t *>(operand) == -1;
  auto *stream = static_cast<StreamHandle *>(seen.stream);
  DeviceAddress scratch = scratchOf(*frame, kBytes);
  EXPECT_EQ(d.memcpyDtoDAsync(scratch, operand + sizeof(int32_t), kBytes - sizeof(int32_t), stream), Result::kSuccess);
  EXPECT_EQ(d.memcpyDtoDAsync(result, scratch, kBytes - sizeof(int32_t), stream), Result::kSuccess);
  EXPECT_EQ(d.memsetD8Async(result + kBytes - sizeof(int32_t), 0, sizeof(int32_t), stream), Result::kSuccess);
  freeScratch(*frame, scratch, kBytes);
  return nullptr;
}

class EmulatedCalls : public EmulatedGpu {
protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    selfContained = false;
    seen = {};
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = shift;
    Status status = runtime::registerFfiHandler("shift_on_gpu", bundle, 0, runtime::FfiPlatform::kGpu);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::vector<int32_t> numbers(const std::string &source) {
    program::Program program;
    auto executable = load(source, program);
    EXPECT_TRUE(executable) << failure;
    if (!executable)
      return {};
    std::vector<int32_t> given{1, 2, 3, 4, 5, 6}, found(kCount);
    std::vector<Literal> inputs;
    inputs.push_back(tools::makeArray(program.arguments[0].shape, given.data()).ConsumeValueOrDie());
    std::vector<Bytes> results = run(*executable, program, inputs);
    std::memcpy(found.data(), results.at(0).data(), kBytes);
    return found;
  }
};

// Between kernels, which the host does not wait for.
TEST_F(EmulatedCalls, GetAStreamAndScratchMemory) {
  EXPECT_THAT(numbers(R"(func.func @main(%a: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.add %a, %a : tensor<6xi32>
    %1 = stablehlo.custom_call @shift_on_gpu(%0) {api_version = 4 : i32, backend_config = {}}
      : (tensor<6xi32>) -> tensor<6xi32>
    %2 = stablehlo.negate %1 : tensor<6xi32>
    return %2 : tensor<6xi32> })"),
              ::testing::ElementsAre(-4, -6, -8, -10, -12, 0));
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.stream, stream);
  EXPECT_TRUE(seen.wasPending);
}

TEST_F(EmulatedCalls, FindAliasedOperandsInTheirResults) {
  EXPECT_THAT(numbers(R"(func.func @main(%a: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.custom_call @shift_on_gpu(%a) {api_version = 4 : i32, backend_config = {},
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
        operand_tuple_indices = []>]} : (tensor<6xi32>) -> tensor<6xi32>
    %1 = stablehlo.add %0, %a : tensor<6xi32>
    return %1 : tensor<6xi32> })"),
              ::testing::ElementsAre(3, 5, 7, 9, 11, 6));
}

std::string shiftInLoop(const std::string &handler) {
  return R"(func.func @main(%a: tensor<6xi32>) -> tensor<6xi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<6xi32>
      cond { %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1> }
      do { %s = stablehlo.custom_call @)" +
         handler + R"((%v) {api_version = 4 : i32, backend_config = {}}
             : (tensor<6xi32>) -> tensor<6xi32>
           %n = stablehlo.add %i, %one : tensor<i32>
           stablehlo.return %n, %s : tensor<i32>, tensor<6xi32> }
    return %0#1 : tensor<6xi32> })";
}

TEST_F(EmulatedCalls, InLoopsAreMadeInEachIteration) {
  EXPECT_THAT(numbers(shiftInLoop("shift_on_gpu")), ::testing::ElementsAre(4, 5, 6, 0, 0, 0));
  EXPECT_EQ(seen.calls, 3);
}

// A handler that says that graphs may have what it does is called once, when the graph is made.
TEST_F(EmulatedCalls, AreCapturedWhereTheirHandlersSaySo) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = shift;
  Status status = runtime::registerFfiHandler(
      "shift_in_graph", bundle, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE, runtime::FfiPlatform::kGpu);
  ASSERT_TRUE(status.ok()) << status.message();
  runtime::emulator::GraphCounts before = runtime::emulator::graphCounts();
  EXPECT_THAT(numbers(shiftInLoop("shift_in_graph")), ::testing::ElementsAre(4, 5, 6, 0, 0, 0));
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(runtime::emulator::graphCounts().graphLaunches, before.graphLaunches + 1);
}

TEST_F(EmulatedCalls, OfArraysInOtherOrdersAreRefused) {
  program::Program program;
  program::DeviceProgram device;
  codegen::GpuTarget target = emulatedTarget(&device);
  auto compiled = compiler::compileFor(target, R"(func.func @main(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {
    %0 = stablehlo.custom_call @shift_on_gpu(%a) {api_version = 4 : i32, backend_config = {},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
      : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32> })",
                                       {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto loaded = DeviceExecutable::load(d, std::move(device), *compiled, stream);
  ASSERT_EQ(loaded.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(loaded.status().message(), ::testing::HasSubstr("'shift_on_gpu'"));
}

TEST(FfiPlatforms, AreKnownByName) {
  EXPECT_EQ(runtime::ffiPlatformOf("CUDA"), runtime::FfiPlatform::kGpu);
  EXPECT_EQ(runtime::ffiPlatformOf("Host"), runtime::FfiPlatform::kHost);
  EXPECT_EQ(runtime::ffiPlatformOf("rocm"), std::nullopt);
}

} // namespace
