// Handlers written with XLA's own C++ binding, as users write them.

#include "tenon/runtime/cpu/ffi.h"

#include "tenon/program/testing/attributes.h"

#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/ffi_internal.h"

#include "xla/ffi/api/ffi.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <thread>

// What XLA's binding asks of its host.
const XLA_FFI_Api *XLA_FFI_GetApi() { return tenon::runtime::ffiApi(); }

namespace tenon::runtime {
namespace {

using namespace program::attribute;

namespace ffi = xla::ffi;
using program::ElementType;
using program::RuntimeCall;
using testing::HasSubstr;

RuntimeCall makeRuntimeCall(const std::string &target, program::AttributeDict attributes = {}) {
  RuntimeCall runtimeCall;
  runtimeCall.kind = RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = target;
  runtimeCall.apiVersion = 4;
  runtimeCall.attributes = std::move(attributes);
  runtimeCall.operands = {{ElementType::kF32, {2, 3}}};
  runtimeCall.results = {{ElementType::kF32, {2, 3}}};
  return runtimeCall;
}

XLA_FFI_Handler_Bundle bundleOf(XLA_FFI_Handler *execute) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = execute;
  return bundle;
}

struct Call {
  std::vector<float> in = {1, 2, 3, 4, 5, 6}, out = std::vector<float>(6);
  RunOptions options;

  Status run(RuntimeCallInstance &instance) {
    void *operands[] = {in.data()}, *results[] = {out.data()};
    return instance.call({operands, results, options, ThreadPool::global()});
  }
  Status run(const RuntimeCall &runtimeCall) {
    auto instance = instantiateRuntimeCall(runtimeCall);
    return instance.ok() ? run(**instance) : instance.status();
  }
};

ffi::Error scale(ffi::Buffer<ffi::F32> in, ffi::ResultBuffer<ffi::F32> out, float factor, int64_t offset) {
  if (in.dimensions().size() != 2 || in.dimensions()[1] != 3)
    return ffi::Error::InvalidArgument("bad shape");
  for (size_t i = 0; i < in.element_count(); ++i)
    out->typed_data()[i] = in.typed_data()[i] * factor + float(offset);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kScale, scale,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<float>("factor").Attr<int64_t>(
        "offset"));

TEST(Ffi, BuffersAndScalars) {
  ASSERT_TRUE(registerFfiHandler("ffi_scale", bundleOf(kScale)).ok());
  Call call;
  Status status = call.run(makeRuntimeCall("ffi_scale", {{"offset", i64(-1)}, {"factor", f32(2.0F)}}));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(call.out, testing::ElementsAre(1, 3, 5, 7, 9, 11));
}

TEST(Ffi, WrongAttributesAreErrors) {
  ASSERT_TRUE(registerFfiHandler("ffi_scale", bundleOf(kScale)).ok());
  Call call;
  EXPECT_THAT(call.run(makeRuntimeCall("ffi_scale", {{"factor", f32(2.0F)}})).message(), HasSubstr("attributes"));
  EXPECT_FALSE(call.run(makeRuntimeCall("ffi_scale", {{"factor", f64(2.0)}, {"offset", i64(0)}})).ok());
  program::Attribute opaque = {program::OpaqueAttribute{"tensor<f32>"}};
  EXPECT_THAT(call.run(makeRuntimeCall("ffi_scale", {{"factor", opaque}})).message(),
              HasSubstr("cannot take: tensor<f32>"));
  RuntimeCall runtimeCall = makeRuntimeCall("ffi_scale", {{"factor", f32(2.0F)}, {"offset", i64(0)}});
  runtimeCall.operands[0].type = ElementType::kI32;
  EXPECT_FALSE(call.run(runtimeCall).ok());
  runtimeCall = makeRuntimeCall("ffi_scale", {{"factor", f32(2.0F)}, {"offset", i64(0)}});
  runtimeCall.operands[0].dims = {3, 2};
  EXPECT_THAT(call.run(runtimeCall).message(), HasSubstr("bad shape"));
}

ffi::Error allAttributes(std::string_view text, ffi::Span<const int64_t> list, ffi::Span<const float> floats, bool flag,
                         uint8_t letter, ffi::Dictionary nested, ffi::ResultBuffer<ffi::F32> out) {
  auto deep = nested.get<ffi::Dictionary>("deep");
  if (deep.has_error())
    return deep.error();
  auto number = deep->get<double>("x");
  if (number.has_error())
    return number.error();
  float *to = out->typed_data();
  to[0] = float(text.size());
  to[1] = float(list[0] + list[1]);
  to[2] = floats[0];
  to[3] = flag;
  to[4] = letter;
  to[5] = float(*number);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAllAttributes, allAttributes,
                       ffi::Ffi::Bind()
                           .Attr<std::string_view>("text")
                           .Attr<ffi::Span<const int64_t>>("list")
                           .Attr<ffi::Span<const float>>("floats")
                           .Attr<bool>("flag")
                           .Attr<uint8_t>("letter")
                           .Attr<ffi::Dictionary>("nested")
                           .Ret<ffi::Buffer<ffi::F32>>());

TEST(Ffi, EveryKindOfAttribute) {
  ASSERT_TRUE(registerFfiHandler("ffi_attributes", bundleOf(kAllAttributes)).ok());
  program::AttributeDict deep = {{"x", f64(1.25)}}, nested = {{"deep", {std::move(deep)}}};
  RuntimeCall runtimeCall =
      makeRuntimeCall("ffi_attributes", {{"text", string("hello")},
                                         {"list", i64s({40, 2})},
                                         {"floats", {program::FloatArrayAttribute{ElementType::kF32, {0.5}}}},
                                         {"flag", boolean(true)},
                                         {"letter", ui8(76)},
                                         {"nested", {std::move(nested)}}});
  runtimeCall.operands.clear();
  Call call;
  void *results[] = {call.out.data()};
  auto instance = instantiateRuntimeCall(runtimeCall);
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  Status status = (*instance)->call({{}, results, call.options, ThreadPool::global()});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(call.out, testing::ElementsAre(5, 42, 0.5, 1, 76, 1.25));
}

// Errors, whether returned or thrown.
ffi::Error fails(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  return ffi::Error(ffi::ErrorCode::kOutOfRange, "row 7 is missing");
}
XLA_FFI_DEFINE_HANDLER(kFails, fails, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

TEST(Ffi, ErrorsComeBack) {
  ASSERT_TRUE(registerFfiHandler("ffi_fails", bundleOf(kFails)).ok());
  Call call;
  Status status = call.run(makeRuntimeCall("ffi_fails"));
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "row 7 is missing");
  EXPECT_EQ(registerFfiHandler("ffi_none", {}).code(), StatusCode::kInvalidArgument);
}

// State made once for each call site.
struct Counter {
  static ffi::TypeId id;
  static std::atomic<int> alive;
  explicit Counter(int64_t start) : value(start) { ++alive; }
  ~Counter() { --alive; }
  std::atomic<int64_t> value;
};
ffi::TypeId Counter::id = {};
std::atomic<int> Counter::alive{0};

ffi::ErrorOr<std::unique_ptr<Counter>> makeCounter(int64_t start) { return std::make_unique<Counter>(start); }
ffi::Error count(Counter *counter, int64_t, ffi::AnyBuffer, ffi::ResultBuffer<ffi::F32> out) {
  out->typed_data()[0] = float(counter->value++);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kMakeCounter, makeCounter, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER(kCount, count,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::State<Counter>>()
                           .Attr<int64_t>("start")
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::Buffer<ffi::F32>>());

TEST(Ffi, StateLivesWithTheInstance) {
  XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr,
                           [](void *object) { delete static_cast<Counter *>(object); }};
  auto id = registerFfiType("tenon_test_counter", 0, &info);
  ASSERT_TRUE(id.ok());
  Counter::id.type_id = *id;
  EXPECT_EQ(*registerFfiType("tenon_test_counter", 0), *id);
  EXPECT_FALSE(registerFfiType("tenon_test_counter", *id + 1).ok());
  EXPECT_FALSE(registerFfiType("tenon_test_other", *id).ok());

  XLA_FFI_Handler_Bundle bundle = bundleOf(kCount);
  bundle.instantiate = kMakeCounter;
  ASSERT_TRUE(registerFfiHandler("ffi_count", bundle).ok());
  {
    auto first = instantiateRuntimeCall(makeRuntimeCall("ffi_count", {{"start", i64(5)}}));
    auto second = instantiateRuntimeCall(makeRuntimeCall("ffi_count", {{"start", i64(100)}}));
    ASSERT_TRUE(first.ok() && second.ok()) << first.status().message();
    EXPECT_EQ(Counter::alive, 2);
    Call call;
    for (float expected : {5, 6, 7}) {
      Status status = call.run(**first);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(call.out[0], expected);
    }
    ASSERT_TRUE(call.run(**second).ok());
    EXPECT_EQ(call.out[0], 100);
  }
  EXPECT_EQ(Counter::alive, 0);
  // A failing instantiation is an error of loading.
  EXPECT_FALSE(instantiateRuntimeCall(makeRuntimeCall("ffi_count", {})).ok());
}

// User data of the run.
struct Callbacks {
  static ffi::TypeId id;
  float bonus;
};
ffi::TypeId Callbacks::id = {};
ffi::Error usesData(Callbacks *callbacks, ffi::AnyBuffer, ffi::ResultBuffer<ffi::F32> out) {
  out->typed_data()[0] = callbacks->bonus;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kUsesData, usesData,
    ffi::Ffi::Bind().Ctx<ffi::UserData<Callbacks>>().Arg<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::F32>>());

TEST(Ffi, UserDataOfTheRun) {
  Callbacks::id.type_id = *registerFfiType("tenon_test_callbacks", 0);
  ASSERT_TRUE(registerFfiHandler("ffi_data", bundleOf(kUsesData)).ok());
  Call call;
  EXPECT_EQ(call.run(makeRuntimeCall("ffi_data")).code() == StatusCode::kOk, false);
  Callbacks callbacks{2.5f};
  std::unordered_map<int64_t, void *> data = {{Callbacks::id.type_id, &callbacks}};
  call.options.userData = &data;
  Status status = call.run(makeRuntimeCall("ffi_data"));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(call.out[0], 2.5f);
}

// Scratch memory, run id, tasks on threads and a result that comes later.
ffi::Future usesEverything(ffi::ScratchAllocator scratch, ffi::RunId run, int32_t device, ffi::ThreadPool threads,
                           ffi::AnyBuffer, ffi::ResultBuffer<ffi::F32> out) {
  float *to = out->typed_data();
  auto memory = scratch.Allocate(1000);
  to[0] = memory.has_value() && reinterpret_cast<uintptr_t>(*memory) % 64 == 0;
  to[1] = float(run.run_id);
  to[2] = float(device);
  to[3] = threads.num_threads() >= 1;
  ffi::Promise promise;
  ffi::Future future(promise);
  auto remaining = std::make_shared<std::atomic<int>>(4);
  auto shared = std::make_shared<ffi::Promise>(std::move(promise));
  for (int i = 0; i < 4; ++i)
    threads.Schedule([=] {
      if (remaining->fetch_sub(1) == 1) {
        to[4] = 1;
        shared->SetAvailable();
      }
    });
  return future;
}
XLA_FFI_DEFINE_HANDLER(kUsesEverything, usesEverything,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::ScratchAllocator>()
                           .Ctx<ffi::RunId>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::ThreadPool>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::Buffer<ffi::F32>>());

TEST(Ffi, ContextAndFutures) {
  ASSERT_TRUE(registerFfiHandler("ffi_everything", bundleOf(kUsesEverything)).ok());
  for (int i = 0; i < 50; ++i) {
    Call call;
    call.options.runId = 12;
    call.options.deviceOrdinal = 3;
    Status status = call.run(makeRuntimeCall("ffi_everything"));
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_THAT(call.out, testing::ElementsAre(1, 12, 3, 1, 1, 0));
  }
}

ffi::Future failsLater(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([promise = std::move(promise)]() mutable {
    promise.SetError(ffi::Error::Internal("too late"));
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER(kFailsLater, failsLater, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

TEST(Ffi, ErrorsOfFutures) {
  ASSERT_TRUE(registerFfiHandler("ffi_fails_later", bundleOf(kFailsLater)).ok());
  Call call;
  Status status = call.run(makeRuntimeCall("ffi_fails_later"));
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_EQ(status.message(), "too late");
}

// A library of handlers registers itself through the table.
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "ffi_self_registered", "Host", kScale);

TEST(Ffi, HandlersRegisterThemselves) {
  EXPECT_TRUE(hasCustomCall("ffi_self_registered"));
  XLA_FFI_Error *error = ffi::Ffi::RegisterStaticHandler(XLA_FFI_GetApi(), "ffi_wrong", "ROCM", kScale);
  ASSERT_NE(error, nullptr);
  XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  ffiApi()->XLA_FFI_Error_Destroy(&destroy);
  EXPECT_FALSE(hasCustomCall("ffi_wrong"));
  EXPECT_EQ(ffi::Ffi::RegisterStaticHandler(XLA_FFI_GetApi(), "ffi_of_gpus", "CUDA", kScale), nullptr);
  EXPECT_FALSE(hasCustomCall("ffi_of_gpus")) << "it is not the host's";
  auto onGpu = instantiateDeviceCall(makeRuntimeCall("ffi_of_gpus", {{"offset", i64(1)}, {"factor", f32(1.0F)}}));
  EXPECT_TRUE(onGpu.ok() && *onGpu);
}

// jaxlib moves an absl::Status out of what XLA_FFI_Stream_Get returns, and frees the rest.
TEST(Ffi, ErrorOfStreamsIsThatOfXla) {
  XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, nullptr, nullptr};
  XLA_FFI_Error *error = ffiApi()->XLA_FFI_Stream_Get(&args);
  ASSERT_NE(error, nullptr);
  uintptr_t word = *reinterpret_cast<const uintptr_t *>(error);
  EXPECT_EQ(word, (12U << 2) + 1); // UNIMPLEMENTED, in the status itself
  ::operator delete(error);
  error = ffiApi()->XLA_FFI_Stream_Get(&args);
  Status status = takeFfiError(error);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), "the CPU has no streams");
}

TEST(Ffi, ConcurrentCalls) {
  ASSERT_TRUE(registerFfiHandler("ffi_scale", bundleOf(kScale)).ok());
  auto instance = instantiateRuntimeCall(makeRuntimeCall("ffi_scale", {{"offset", i64(1)}, {"factor", f32(1.0F)}}));
  ASSERT_TRUE(instance.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Call call;
      call.in.assign(6, float(t));
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(call.run(**instance).ok());
        ASSERT_EQ(call.out[5], float(t + 1));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace tenon::runtime
