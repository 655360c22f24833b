#include "tenon/program/serialization.h"

#include "tenon/program/attributes.h"
#include "tenon/program/sharding.h"
#include "tenon/program/testing/attributes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace tenon::program {
namespace {

using testing::HasSubstr;

// A runtime call with something in every field.
RuntimeCall sampleRuntimeCall() {
  RuntimeCall runtimeCall;
  runtimeCall.kind = RuntimeCall::Kind::kLibrary;
  runtimeCall.target = "fft";
  runtimeCall.opaque = std::string("ML\xefR\0", 5);
  AttributeDict inner = {{"c", {OpaqueAttribute{"@symbol"}}},
                         {"d", {FloatArrayAttribute{ElementType::kF32, {-0.0, 2}}}}};
  runtimeCall.attributes = {{"a", attribute::ui8(255)},
                            {"b", {std::vector<Attribute>{attribute::boolean(true), attribute::string("t"), {}}}},
                            {"e", {std::move(inner)}},
                            {"f", attribute::f64(1.5)},
                            {"g", attribute::i64s({-1, 2})},
                            {"h", attribute::i64s(std::vector<int64_t>(20, 5))},
                            {"i", attribute::i64s(std::vector<int64_t>(20, 5))}};
  Program nested;
  nested.name = "body";
  nested.numPartitions = 4;
  nested.results.push_back({{ElementType::kF32, {3}}, "", "", {}});
  runtimeCall.programs = {nested};
  runtimeCall.apiVersion = 4;
  runtimeCall.operands = {{ElementType::kI4, {7}}};
  runtimeCall.results = {{ElementType::kF8E8M0FNU, {1, 1}}};
  runtimeCall.aliases = {{0, 0}, {1, -1}};
  runtimeCall.hasSideEffect = true;
  runtimeCall.isTupleResult = true;
  runtimeCall.location = "a.py:3";
  runtimeCall.operandLayouts = {{0, 1}, {}};
  runtimeCall.resultLayouts = {{1, 2, 0}};
  return runtimeCall;
}

// A program with something in every field.
Program sample() {
  Program program;
  program.name = "jit_step";
  cpuCode(program).triple = "x86_64-unknown-linux-gnu";
  cpuCode(program).cpu = "znver4";
  cpuCode(program).features = "+avx2,-avx512f";
  cpuCode(program).objects = {{"a.o", std::string("\x7f"
                                                  "ELF\0\1\2",
                                                  7)},
                              {"b.o", ""}};
  cpuCode(program).entrySymbol = "tenon_main";
  program.arguments.resize(2);
  program.arguments[0] = {{ElementType::kBF16, {2, 0, 3}}, "x", 0, true, "device"};
  program.arguments[0].sharding = *parseSharding("{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}");
  program.arguments[0].layout = {0, 1, 2};
  program.arguments[0].declaredType = "tensor<?x0x3xbf16>";
  program.arguments[0].value = {-2, 5};
  program.arguments[0].stored = {{3, 0, 2}, {0, 2, 1}};
  program.arguments[1].shape = {ElementType::kToken, {}};
  program.results.push_back({{ElementType::kComplexF64, {}}, "y", "pinned_host", *parseSharding("{devices=[2]1,0}")});
  program.results.push_back({{ElementType::kF32, {4, 2}}, "z", "", {}, {0, 1}, {2, -1}});
  program.results.push_back({{ElementType::kI32, {}}, "", "", {}});
  program.unreadable = "no layout";
  program.constants = {{{1, 2, 255}}, {}};
  program.runtimeCalls = {sampleRuntimeCall()};
  program.kernelCalls = {{0, "jit(f)/add", {"a.py:2:1"}}};
  program.arenaBytes = int64_t(1) << 40;
  cpuCode(program).scratchBytes = 64;
  program.estimatedNanoseconds = 12;
  program.numReplicas = 2;
  program.numPartitions = 4;
  program.fingerprint = "abc";
  program.report.kernels.push_back({"k", "loop", "add,mul", "a.py:1", 3, 1e9, -0.0, 7, ElementType::kBF16, 2});
  program.report.steps.push_back({StepEntry::Kind::kKernel, 0, 1, "stablehlo.add", "a.py:2:1"});
  program.report.buffers.push_back({BufferEntry::Kind::kResult,
                                    1,
                                    "purpose",
                                    64,
                                    128,
                                    {{0, 5}, {8, 9}},
                                    {{"stablehlo.add", {ElementType::kF32, {4, 8}}, "a.py:2:1", "overwrites"}}});
  program.report.stageSeconds = {{"fuse", 0.25}};
  program.report.flops = 1.5;
  program.report.bytes = 2.5;
  program.report.transcendentals = 3.5;
  return program;
}

// The format's checksum, written again from its description.
uint64_t referenceChecksum(std::string_view bytes) {
  uint64_t lanes[4] = {1, 2, 3, 4};
  auto mix = [](uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * 0x9e3779b97f4a7c15u;
    return lane ^ lane >> 29;
  };
  size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32)
    for (int lane = 0; lane < 4; ++lane) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + i + size_t(8 * lane), 8);
      lanes[lane] = mix(lanes[lane], word);
    }
  for (; i < bytes.size(); ++i)
    lanes[0] = mix(lanes[0], uint8_t(bytes[i]));
  uint64_t result = bytes.size();
  for (uint64_t lane : lanes)
    result = mix(result, lane);
  return result;
}

// As an attacker would, so that the reader itself meets the damage.
std::string withMendedChecksum(std::string bytes) {
  uint64_t size = bytes.size() - 32, sum = referenceChecksum(std::string_view(bytes).substr(32));
  std::memcpy(bytes.data() + 16, &size, 8);
  std::memcpy(bytes.data() + 24, &sum, 8);
  return bytes;
}

TEST(Serialization, RoundTrip) {
  std::string bytes = serialize(sample());
  EXPECT_TRUE(isSerializedProgram(bytes));
  auto back = deserialize(bytes);
  ASSERT_TRUE(back.ok()) << back.status().message();
  // Every field went through: the bytes agree, and the bytes hold every field (spot checks).
  EXPECT_EQ(serialize(*back), bytes);
  EXPECT_EQ(cpuCode(*back).objects[0].bytes.size(), 7u);
  EXPECT_EQ(back->arguments[0].shape.toString(), sample().arguments[0].shape.toString());
  EXPECT_TRUE(back->arguments[0].donated);
  EXPECT_EQ(back->arguments[0].sharding, sample().arguments[0].sharding);
  EXPECT_EQ(back->results[0].sharding, sample().results[0].sharding);
  EXPECT_EQ(back->arguments[0].layout, sample().arguments[0].layout);
  EXPECT_EQ(back->arguments[0].declaredType, "tensor<?x0x3xbf16>");
  EXPECT_EQ(back->arguments[0].value, (std::vector<int64_t>{-2, 5}));
  EXPECT_EQ(back->arguments[0].stored, sample().arguments[0].stored);
  EXPECT_EQ(back->arguments[1].aliasedResult, -1);
  EXPECT_EQ(back->results[1].sizeResults, (std::vector<int32_t>{2, -1}));
  EXPECT_EQ(back->kernelCalls[0].locations, sample().kernelCalls[0].locations);
  EXPECT_EQ(back->constants[0].bytes, (AlignedBytes{1, 2, 255}));
  EXPECT_EQ(back->runtimeCalls[0].opaque, sample().runtimeCalls[0].opaque);
  const AttributeDict &attributes = back->runtimeCalls[0].attributes;
  EXPECT_EQ(*integerAttribute(attributes, "a"), 255);
  EXPECT_EQ(std::get<std::string>(std::get<std::vector<Attribute>>(attributes[1].value.value)[1].value), "t");
  const auto &inner = std::get<AttributeDict>(attributes[2].value.value);
  EXPECT_EQ(std::get<OpaqueAttribute>(inner[0].value.value).text, "@symbol");
  EXPECT_TRUE(std::signbit(std::get<FloatArrayAttribute>(inner[1].value.value).values[0]));
  EXPECT_EQ(*integerArrayAttribute(attributes, "g"), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(back->runtimeCalls[0].programs[0].results[0].shape.toString(), "f32[3]");
  EXPECT_EQ(back->runtimeCalls[0].aliases, sample().runtimeCalls[0].aliases);
  EXPECT_EQ(back->runtimeCalls[0].operandLayouts, sample().runtimeCalls[0].operandLayouts);
  EXPECT_EQ(back->runtimeCalls[0].resultLayouts, sample().runtimeCalls[0].resultLayouts);
  EXPECT_EQ(back->unreadable, "no layout");
  EXPECT_EQ(back->arenaBytes, int64_t(1) << 40);
  EXPECT_EQ(back->numPartitions, 4);
  EXPECT_TRUE(std::signbit(back->report.kernels[0].bytes));
  EXPECT_EQ(back->report.stageSeconds[0].first, "fuse");
  EXPECT_EQ(back->report.steps[0].op, "stablehlo.add");
  EXPECT_EQ(back->report.buffers[0].live, sample().report.buffers[0].live);
  EXPECT_EQ(back->report.buffers[0].values[0].note, "overwrites");
  EXPECT_EQ(serialize(*deserialize(serialize(Program()))), serialize(Program()));
}

// Processes that many collectives are for.
TEST(Serialization, WritesALongListOnce) {
  std::vector<int64_t> ids(1000), others(1000, 7);
  std::iota(ids.begin(), ids.end(), int64_t(500));
  auto bytesFor = [&](size_t calls) {
    Program program;
    for (size_t i = 0; i < calls; ++i)
      program.runtimeCalls.emplace_back().attributes = {{"groups", attribute::i64s(ids)},
                                                        {"others", attribute::i64s(others)}};
    return serialize(program);
  };
  EXPECT_GT(bytesFor(1).size(), 16000u);
  EXPECT_LT(bytesFor(5).size(), bytesFor(1).size() + 4 * 1000);
  auto back = deserialize(bytesFor(5));
  ASSERT_TRUE(back.ok()) << back.status().message();
  for (const RuntimeCall &call : back->runtimeCalls) {
    EXPECT_EQ(*integerArrayAttribute(call.attributes, "groups"), ids);
    EXPECT_EQ(*integerArrayAttribute(call.attributes, "others"), others);
  }
  // As a damaged program has it, a list that is not there yet.
  std::string bytes = bytesFor(2);
  const uint64_t second = ~uint64_t(1), third = ~uint64_t(2);
  size_t at = bytes.find(std::string(reinterpret_cast<const char *>(&second), 8));
  ASSERT_NE(at, std::string::npos);
  std::memcpy(bytes.data() + at, &third, 8);
  EXPECT_FALSE(deserialize(withMendedChecksum(bytes)).ok());
}

TEST(Serialization, ReadsAsMuchOfRepeatedListsAsItMayKeep) {
  std::vector<int64_t> ids(size_t(1) << 21, 3);
  Program program;
  for (int i = 0; i < 12; ++i)
    program.runtimeCalls.emplace_back().attributes = {{"groups", attribute::i64s(ids)}};
  std::string bytes = serialize(program);
  EXPECT_GT(bytes.size(), 4 * 8 * ids.size()); // the first one, and those after eight more
  auto back = deserialize(bytes);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*integerArrayAttribute(back->runtimeCalls[11].attributes, "groups"), ids);
}

TEST(Serialization, RefusesWhatNestsTooDeeply) {
  Program program;
  program.runtimeCalls.emplace_back();
  Attribute value = attribute::i64(7);
  for (int depth = 0; depth < 1000; ++depth) {
    Attribute outer;
    outer.value.emplace<std::vector<Attribute>>().push_back(std::move(value));
    value = std::move(outer);
  }
  program.runtimeCalls[0].attributes.push_back({"a", std::move(value)});
  EXPECT_FALSE(deserialize(serialize(program)).ok());
}

TEST(Serialization, RefusesEveryTruncation) {
  std::string bytes = serialize(sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto result = deserialize(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(result.ok()) << size;
    ASSERT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(deserialize(bytes + '\0').ok());
  std::string longer = bytes + "more";
  std::string_view rest;
  EXPECT_TRUE(deserialize(longer, rest).ok());
  EXPECT_EQ(rest, "more");
}

TEST(Serialization, RefusesEveryFlippedBit) {
  std::string bytes = serialize(sample());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = char(damaged[i] ^ (1 << bit));
      ASSERT_FALSE(deserialize(damaged).ok()) << i;
    }
}

TEST(Serialization, NamesTheVersion) {
  std::string bytes = serialize(sample());
  bytes[8] = 99;
  EXPECT_THAT(deserialize(bytes).status().message(), HasSubstr("format version 99"));
}

TEST(Serialization, HostileBytesNeverCrash) {
  std::string bytes = serialize(sample());
  ASSERT_EQ(withMendedChecksum(bytes), bytes);
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    int changes = 1 + int(random() % 4);
    for (int i = 0; i < changes; ++i) {
      size_t at = 32 + random() % (damaged.size() - 32);
      if (random() % 2) {
        damaged[at] = char(random());
      } else {
        // A length or number as a whole, at the extremes.
        const uint64_t values[] = {0, 1, ~uint64_t(0), uint64_t(1) << 63, (uint64_t(1) << 63) - 1, random() % 1000};
        at = std::min(at & ~size_t(7), damaged.size() - 8);
        std::memcpy(damaged.data() + at, &values[random() % 6], 8);
      }
    }
    if (random() % 4 == 0)
      damaged.resize(32 + random() % (damaged.size() - 32));
    auto result = deserialize(withMendedChecksum(damaged));
    if (!result.ok()) {
      ASSERT_EQ(result.status().code(), StatusCode::kInvalidArgument);
      continue;
    }
    ++accepted;
    // What is accepted is coherent enough to be written again.
    ASSERT_TRUE(deserialize(serialize(*result)).ok());
  }
  EXPECT_GT(accepted, 100); // changed names and numbers are still programs
}

TEST(Serialization, ChecksMeaning) {
  auto refuses = [](const char *what, auto change) {
    Program program = sample();
    change(program);
    EXPECT_FALSE(deserialize(serialize(program)).ok()) << what;
  };
  refuses("negative dimension", [](Program &p) { p.results[0].shape.dims = {-1}; });
  refuses("overflow", [](Program &p) { p.results[0].shape.dims = {int64_t(1) << 40, int64_t(1) << 40}; });
  refuses("alias", [](Program &p) { p.arguments[0].aliasedResult = 3; });
  refuses("devices that are not as many as tiles", [](Program &p) { p.arguments[0].sharding.tiles = {8}; });
  refuses("order of devices", [](Program &p) { p.arguments[0].sharding.iotaPermutation = {1, 1}; });
  refuses("devices of an array that all have", [](Program &p) { p.results[1].sharding.devices = {1}; });
  refuses("order of dimensions", [](Program &p) { p.arguments[0].layout = {0, 1}; });
  refuses("order of stored dimensions", [](Program &p) { p.arguments[0].stored.minorToMajor = {0, 1, 1}; });
  refuses("size of a result", [](Program &p) { p.results[1].sizeResults = {3, -1}; });
  refuses("sizes of a result", [](Program &p) { p.results[1].sizeResults = {2}; });
  refuses("kernel of a call", [](Program &p) { p.kernelCalls[0].kernel = 1; });
  refuses("arena", [](Program &p) { p.arenaBytes = -8; });
  refuses("replicas", [](Program &p) { p.numReplicas = 0; });
  refuses("element type", [](Program &p) { p.results[0].shape.type = ElementType(77); });
  refuses("runtime call kind", [](Program &p) { p.runtimeCalls[0].kind = RuntimeCall::Kind(9); });
}

// A device's program with a step of every kind, for the sample.
DeviceProgram sampleDeviceProgram() {
  DeviceProgram program;
  program.chip = "sm_90a";
  program.processor = "znver4";
  program.arenaBytes = 128;
  program.modules = {{{{"dot_0", 3, 8, 128, 128, 0}, {"dot_1", 1, 0, 128, 1, 1024}}, std::string("\x7f\0ELF", 5)}};
  program.modules[0].op = DeviceProduct{.batch = 2,
                                        .rows = 3,
                                        .columns = 4,
                                        .depth = 5,
                                        .lhs = {0, ElementType::kBF16, 7, 5, 1, 15},
                                        .rhs = {2, ElementType::kBF16, 0, 1, 5, 20},
                                        .out = {0, ElementType::kF32, 0, 4, 1, 12},
                                        .bias = 2,
                                        .allowsTf32 = true};
  program.places = {{DevicePlace::Base::kArena, 64, -1},
                    {DevicePlace::Base::kArgument, 0, 0},
                    {DevicePlace::Base::kResult, 0, 1},
                    {DevicePlace::Base::kConstant, 0, 0}};
  DeviceStep kernel{KernelStep{0, {1, -1, 0}}}, copy{CopyStep{2, 0, 12}}, service{ServiceStep{0, {1}, {0}}};
  LoopStep loop{{kernel}, {copy, service}, 0, {{0, 1, 4}}, {{2, 0, 4}}, {{0, 2}}, KernelStep{0, {1, -1, 0}}};
  BranchStep branch{0, true, {{copy}, {DeviceStep{loop}}}};
  program.steps = {kernel, copy, service, DeviceStep{loop}, DeviceStep{branch}};
  return program;
}

DeviceProduct &productIn(DeviceProgram &program) { return std::get<DeviceProduct>(*program.modules[0].op); }
DeviceConvolution &convolutionIn(DeviceProgram &program) { return std::get<DeviceConvolution>(*program.modules[0].op); }

// With a convolution in the place of the product.
DeviceProgram sampleWithConvolution() {
  DeviceProgram program = sampleDeviceProgram();
  program.modules[0].op = DeviceConvolution{.computes = DeviceConvolution::Computes::kKernel,
                                            .input = {0, ElementType::kBF16, {2, 4, 9}, {36, 1, 4}},
                                            .kernel = {2, ElementType::kBF16, {6, 2, 3}, {6, 1, 2}},
                                            .output = {0, ElementType::kF32, {2, 6, 4}, {24, 1, 6}},
                                            .dims = {{.stride = 2, .dilation = 1, .padLow = 1, .padHigh = 0}},
                                            .isReversed = true,
                                            .allowsTf32 = true};
  return program;
}

TEST(DeviceSerialization, ReadsWhatItWrites) {
  const std::string bytes = serialize(sampleDeviceProgram()), more = bytes + "more";
  std::string_view rest;
  auto read = deserializeDeviceProgram(more, sample(), rest);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(rest, "more");
  EXPECT_EQ(serialize(*read), bytes);
  EXPECT_EQ(read->processor, "znver4");
  ASSERT_TRUE(read->modules[0].op.has_value());
  EXPECT_EQ(productIn(*read).rhs.columnStride, 5);
  EXPECT_EQ(productIn(*read).bias, 2);
  EXPECT_TRUE(productIn(*read).allowsTf32);
  EXPECT_EQ(std::get<BranchStep>(read->steps[4].what).branches[1].size(), 1u);
}

TEST(DeviceSerialization, ReadsConvolutions) {
  std::string bytes = serialize(sampleWithConvolution());
  std::string_view rest;
  auto read = deserializeDeviceProgram(bytes, sample(), rest);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(serialize(*read), bytes);
  const DeviceConvolution &convolution = convolutionIn(*read);
  EXPECT_EQ(&convolution.result(), &convolution.kernel);
  EXPECT_EQ(convolution.output.strides, (std::vector<int64_t>{24, 1, 6}));
  EXPECT_EQ(convolution.dims[0].padLow, 1);
  EXPECT_TRUE(convolution.isReversed);
  EXPECT_TRUE(convolution.allowsTf32);
}

TEST(DeviceSerialization, RefusesDamage) {
  std::string bytes = serialize(sampleDeviceProgram());
  std::string_view rest;
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(deserializeDeviceProgram(std::string_view(bytes).substr(0, size), sample(), rest).ok()) << size;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x40);
    EXPECT_FALSE(deserializeDeviceProgram(damaged, sample(), rest).ok()) << at;
    if (at >= 32) // not to crash is all that is asked
      (void)deserializeDeviceProgram(withMendedChecksum(damaged), sample(), rest);
  }
}

TEST(DeviceSerialization, ChecksMeaning) {
  auto refuses = [](const char *what, auto change) {
    DeviceProgram program = sampleDeviceProgram();
    change(program);
    std::string_view rest;
    EXPECT_FALSE(deserializeDeviceProgram(serialize(program), sample(), rest).ok()) << what;
  };
  refuses("arena", [](DeviceProgram &p) { p.arenaBytes = -1; });
  refuses("offset", [](DeviceProgram &p) { p.places[0].offset = 129; });
  refuses("argument", [](DeviceProgram &p) { p.places[1].index = 100; });
  refuses("constant", [](DeviceProgram &p) { p.places[3].index = -1; });
  refuses("tasks", [](DeviceProgram &p) { p.modules[0].kernels[0].tasks = 0; });
  refuses("machine code of itself", [](DeviceProgram &p) { p.modules[0].machineCodeOf = 0; });
  refuses("machine code of control kernels", [](DeviceProgram &p) { p.control.machineCodeOf = 0; });
  auto binds = [](DeviceProgram &p) { p.control = {{{"tenon_bind", 1, 0, 128, 128, 0}}, "code"}; };
  refuses("control kernels of copies and loops", binds);
  refuses("two control kernels", [&](DeviceProgram &p) {
    binds(p);
    p.control.kernels.resize(2, p.control.kernels[0]);
    p.steps.resize(1);
  });
  DeviceProgram alone = sampleDeviceProgram();
  binds(alone);
  alone.steps.resize(1); // a kernel
  std::string_view rest;
  EXPECT_TRUE(deserializeDeviceProgram(serialize(alone), sample(), rest).ok());
  refuses("product", [](DeviceProgram &p) { productIn(p).depth = 0; });
  refuses("strides", [](DeviceProgram &p) { productIn(p).lhs.columnStride = 2; });
  refuses("columns of results",
          [](DeviceProgram &p) { std::swap(productIn(p).out.rowStride, productIn(p).out.columnStride); });
  refuses("array of a product", [](DeviceProgram &p) { productIn(p).lhs.array = 1; });
  refuses("bias of a product", [](DeviceProgram &p) { productIn(p).bias = 3; });
  auto refusesConvolution = [&](const char *what, auto change) {
    refuses(what, [&](DeviceProgram &p) {
      p = sampleWithConvolution();
      change(convolutionIn(p));
    });
  };
  refusesConvolution("array of a convolution", [](DeviceConvolution &c) { c.output.array = 1; });
  refusesConvolution("dimensions", [](DeviceConvolution &c) { c.dims.clear(); });
  refusesConvolution("sizes", [](DeviceConvolution &c) { c.kernel.sizes.pop_back(); });
  refusesConvolution("size", [](DeviceConvolution &c) { c.input.sizes[2] = 0; });
  refusesConvolution("stride in memory", [](DeviceConvolution &c) { c.input.strides[0] = int64_t{1} << 40; });
  refusesConvolution("stride", [](DeviceConvolution &c) { c.dims[0].stride = 0; });
  refusesConvolution("padding", [](DeviceConvolution &c) { c.dims[0].padHigh = -1; });
  refuses("module", [](DeviceProgram &p) { std::get<KernelStep>(p.steps[0].what).module = 1; });
  refuses("place of a row", [](DeviceProgram &p) { std::get<KernelStep>(p.steps[0].what).row[0] = 4; });
  refuses("place of a copy", [](DeviceProgram &p) { std::get<CopyStep>(p.steps[1].what).from = -1; });
  refuses("call", [](DeviceProgram &p) { std::get<ServiceStep>(p.steps[2].what).call = 1; });
  refuses("operands of a call", [](DeviceProgram &p) { std::get<ServiceStep>(p.steps[2].what).operands = {1, 0}; });
  refuses("predicate", [](DeviceProgram &p) { std::get<LoopStep>(p.steps[3].what).predicate = -1; });
  refuses("exchange", [](DeviceProgram &p) { std::get<LoopStep>(p.steps[3].what).exchanges = {{0, 9}}; });
  refuses("turn", [](DeviceProgram &p) { std::get<LoopStep>(p.steps[3].what).turn->module = 1; });
  refuses("branches", [](DeviceProgram &p) { std::get<BranchStep>(p.steps[4].what).branches.resize(1); });
  refuses("base", [](DeviceProgram &p) { p.places[0].base = DevicePlace::Base(9); });
}

} // namespace
} // namespace tenon::program
