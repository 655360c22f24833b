// Handlers for test_ffi.py, written as a user would: against the headers that jax.ffi.include_dir() names.
#include "xla/ffi/api/ffi.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace ffi = xla::ffi;

namespace {

using F32 = ffi::Buffer<ffi::F32>;
using S64 = ffi::Buffer<ffi::S64>;

// --- Buffers and scalars ---

ffi::Error addScaled(F32 a, F32 b, float scale, ffi::ResultBuffer<ffi::F32> out) {
  if (a.element_count() != b.element_count())
    return ffi::Error::InvalidArgument("a and b differ in size");
  for (size_t i = 0; i < a.element_count(); ++i)
    out->typed_data()[i] = a.typed_data()[i] + scale * b.typed_data()[i];
  return ffi::Error::Success();
}

// Sums anything into f64, and tells rank and dimensions of each argument.
ffi::Error describe(ffi::RemainingArgs args, ffi::RemainingRets rets) {
  auto shapes = rets.get<ffi::Buffer<ffi::S64>>(0);
  auto sums = rets.get<ffi::Buffer<ffi::F64>>(1);
  if (!shapes || !sums)
    return ffi::Error::InvalidArgument("results: s64, f64");
  int64_t *shape = (*shapes)->typed_data();
  for (size_t i = 0; i < args.size(); ++i) {
    auto arg = args.get<ffi::AnyBuffer>(i);
    if (!arg)
      return arg.error();
    double sum = 0;
    for (size_t j = 0; j < arg->element_count(); ++j)
      switch (arg->element_type()) {
      case ffi::F32:
        sum += arg->typed_data<float>()[j];
        break;
      case ffi::S32:
        sum += arg->typed_data<int32_t>()[j];
        break;
      case ffi::PRED:
        sum += arg->typed_data<bool>()[j];
        break;
      case ffi::U4:
      case ffi::F4E2M1FN: // the bits of each
        sum += static_cast<const uint8_t *>(arg->untyped_data())[j];
        break;
      case ffi::C64:
        sum += arg->typed_data<std::complex<float>>()[j].imag();
        break;
      default:
        return ffi::Error(ffi::ErrorCode::kUnimplemented, "element type");
      }
    (*sums)->typed_data()[i] = sum;
    *shape++ = static_cast<int64_t>(arg->dimensions().size());
    for (int64_t dim : arg->dimensions())
      *shape++ = dim;
  }
  return ffi::Error::Success();
}

// --- Attributes ---

ffi::Error attributes(bool b, int8_t i8, int16_t i16, int32_t i32, int64_t i64, uint8_t u8, uint16_t u16, uint32_t u32,
                      uint64_t u64, float f32, double f64, std::string_view text, ffi::Span<const int32_t> ints,
                      ffi::Span<const double> doubles, ffi::Dictionary dict, ffi::ResultBuffer<ffi::F64> out) {
  double *to = out->typed_data();
  for (double value :
       {double(b), double(i8), double(i16), double(i32), double(i64), double(u8), double(u16), double(u32), double(u64),
        double(f32), f64, double(text.size()), double(text.empty() ? 0 : text.back())})
    *to++ = value;
  for (int32_t value : ints)
    *to++ = value;
  for (double value : doubles)
    *to++ = value;
  auto inner = dict.get<int64_t>("inner");
  auto name = dict.get<std::string_view>("name");
  if (!inner || !name || !dict.contains("inner") || dict.contains("absent"))
    return ffi::Error::InvalidArgument("dictionary");
  *to++ = double(*inner);
  *to++ = double(name->size());
  return ffi::Error::Success();
}

// --- Errors ---

ffi::Error fail(int32_t code, std::string_view message, ffi::ResultBuffer<ffi::F32>) {
  return ffi::Error(static_cast<ffi::ErrorCode>(code), std::string(message));
}

ffi::Future failLater(ffi::ThreadPool pool, ffi::ResultBuffer<ffi::F32>) {
  ffi::Promise promise;
  ffi::Future future(promise);
  pool.Schedule([promise]() mutable { promise.SetError(ffi::Error::Internal("later")); });
  return future;
}

ffi::Future doubleLater(ffi::ThreadPool pool, F32 in, ffi::ResultBuffer<ffi::F32> out) {
  ffi::CountDownPromise promise(static_cast<int64_t>(in.element_count()));
  ffi::Future future(promise);
  const float *from = in.typed_data();
  float *to = out->typed_data();
  for (size_t i = 0; i < in.element_count(); ++i)
    pool.Schedule([=]() mutable {
      to[i] = 2 * from[i];
      promise.CountDown();
    });
  return future;
}

// --- Effects, tokens, aliases ---

std::atomic<int64_t> effects{0};

ffi::Error effect(F32 in, ffi::ResultBuffer<ffi::F32> out) {
  ++effects;
  std::copy_n(in.typed_data(), in.element_count(), out->typed_data());
  return ffi::Error::Success();
}

ffi::Error tokens(ffi::Token, F32 in, ffi::Result<ffi::Token>, ffi::ResultBuffer<ffi::F32> out) {
  for (size_t i = 0; i < in.element_count(); ++i)
    out->typed_data()[i] = in.typed_data()[i] + 1;
  return ffi::Error::Success();
}

// Adds one in place, and tells whether operand and result share memory.
ffi::Error inPlace(F32 in, ffi::ResultBuffer<ffi::F32> out, ffi::ResultBuffer<ffi::S64> shared) {
  shared->typed_data()[0] = in.typed_data() == out->typed_data();
  for (size_t i = 0; i < out->element_count(); ++i)
    out->typed_data()[i] += 1;
  return ffi::Error::Success();
}

// --- Stages and state ---

struct Counter {
  static ffi::TypeId id;
  static std::atomic<int64_t> alive;
  explicit Counter(int64_t start) : value(start) { ++alive; }
  ~Counter() { --alive; }
  std::atomic<int64_t> value;
};
ffi::TypeId Counter::id = {};
std::atomic<int64_t> Counter::alive{0};
ffi::TypeInfo counterInfo = ffi::MakeTypeInfo<Counter>();

struct Note {
  static ffi::TypeId id;
  int64_t value;
};
ffi::TypeId Note::id = {};
ffi::TypeInfo noteInfo = ffi::MakeTypeInfo<Note>();

ffi::ErrorOr<std::unique_ptr<Counter>> counterInstantiate(int64_t start) {
  if (start < 0)
    return ffi::Unexpected(ffi::Error::InvalidArgument("negative start"));
  return std::make_unique<Counter>(start);
}

ffi::ErrorOr<std::unique_ptr<Note>> counterPrepare(Counter *counter) {
  return std::make_unique<Note>(Note{counter->value * 100});
}

ffi::ErrorOr<std::unique_ptr<Note>> counterInitialize(Counter *counter, Note *prepared) {
  return std::make_unique<Note>(Note{prepared->value + counter->value * 10});
}

ffi::Error counterExecute(Counter *counter, Note *initialized, int64_t start, ffi::ResultBuffer<ffi::S64> out) {
  out->typed_data()[0] = counter->value++;
  out->typed_data()[1] = initialized->value;
  out->typed_data()[2] = start;
  return ffi::Error::Success();
}

// --- Context ---

ffi::Error context(ffi::ScratchAllocator scratch, ffi::ThreadPool pool, ffi::RunId run, int32_t device,
                   ffi::ResultBuffer<ffi::S64> out) {
  std::optional<void *> memory = scratch.Allocate(1000, 64);
  if (!memory)
    return ffi::Error::Internal("no scratch memory");
  std::fill_n(static_cast<char *>(*memory), 1000, 1);
  out->typed_data()[0] = reinterpret_cast<uintptr_t>(*memory) % 64 == 0;
  out->typed_data()[1] = pool.num_threads() > 0;
  out->typed_data()[2] = run.run_id;
  out->typed_data()[3] = device;
  return ffi::Error::Success();
}

} // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(AddScaled, addScaled,
                              ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Attr<float>("scale").Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Describe, describe, ffi::Ffi::Bind().RemainingArgs().RemainingRets());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, attributes,
                              ffi::Ffi::Bind()
                                  .Attr<bool>("b")
                                  .Attr<int8_t>("i8")
                                  .Attr<int16_t>("i16")
                                  .Attr<int32_t>("i32")
                                  .Attr<int64_t>("i64")
                                  .Attr<uint8_t>("u8")
                                  .Attr<uint16_t>("u16")
                                  .Attr<uint32_t>("u32")
                                  .Attr<uint64_t>("u64")
                                  .Attr<float>("f32")
                                  .Attr<double>("f64")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int32_t>>("ints")
                                  .Attr<ffi::Span<const double>>("doubles")
                                  .Attr<ffi::Dictionary>("dict")
                                  .Ret<ffi::Buffer<ffi::F64>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Fail, fail, ffi::Ffi::Bind().Attr<int32_t>("code").Attr<std::string_view>("message").Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(FailLater, failLater,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(DoubleLater, doubleLater,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<F32>().Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Effect, effect, ffi::Ffi::Bind().Arg<F32>().Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Tokens, tokens, ffi::Ffi::Bind().Arg<ffi::Token>().Arg<F32>().Ret<ffi::Token>().Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(InPlace, inPlace,
                              ffi::Ffi::Bind().Arg<F32>().Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(CounterInstantiate, counterInstantiate,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(CounterPrepare, counterPrepare, ffi::Ffi::BindPrepare().Ctx<ffi::State<Counter>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(CounterInitialize, counterInitialize,
                              ffi::Ffi::BindInitialize().Ctx<ffi::State<Counter>>().Ctx<ffi::Prepared<Note>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(CounterExecute, counterExecute,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Ctx<ffi::Initialized<Note>>()
                                  .Attr<int64_t>("start")
                                  .Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Context, context,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::ThreadPool>()
                                  .Ctx<ffi::RunId>()
                                  .Ctx<ffi::DeviceOrdinal>()
                                  .Ret<ffi::Buffer<ffi::S64>>());

// What the Python side asks for directly.
extern "C" int64_t countOfEffects() { return effects; }
extern "C" int64_t countOfCounters() { return Counter::alive; }
extern "C" void *typeOf(const char *what) {
  bool isCounter = std::string_view(what).starts_with("Counter");
  bool isInfo = std::string_view(what).ends_with("Info");
  return isCounter ? (isInfo ? static_cast<void *>(&counterInfo) : &Counter::id)
                   : (isInfo ? static_cast<void *>(&noteInfo) : &Note::id);
}
