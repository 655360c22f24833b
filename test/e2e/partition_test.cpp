// Programs on whole arrays, cut for 2 to 8 devices, give each device its part of what one run on whole arrays gives: to
// the bit where nothing rounds. TENON_TEST_WHOLE=1 tries more of them.
#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"
#include "tenon/program/sharding.h"
#include "tenon/runtime/core/device_streams.h"
#include "test/e2e/partition_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tenon {
namespace {

using Words = std::vector<uint32_t>; // elements of i32 or f32

StatusOr<std::shared_ptr<backend::Executable>> compileFor(const PartitionProgram &program, const char *partition,
                                                          int32_t replicas = 1) {
  backend::CompileOptions options;
  options.numReplicas = replicas;
  options.numPartitions = program.devices;
  options.useSpmdPartitioning = true;
  options.overrides.emplace_back("partition", std::string(partition));
  return (*backend::backendOf("cpu"))->compile(program.text, options);
}

// The part of an array that a device has.
Words partOf(const Words &whole, const program::Shape &wholeShape, const program::Shape &part,
             const program::Sharding &sharding, int64_t device) {
  size_t rank = wholeShape.dims.size();
  std::vector<int64_t> tiles(rank, 1), start(rank, 0);
  if (sharding.kind == program::Sharding::Kind::kTiled) {
    tiles.assign(sharding.tiles.begin(), sharding.tiles.begin() + static_cast<int64_t>(rank));
    std::vector<int64_t> devices = program::devicesOfTiles(sharding);
    int64_t count = 1;
    for (int64_t number : tiles)
      count *= number;
    int64_t tile = (std::find(devices.begin(), devices.end(), device) - devices.begin()) /
                   (static_cast<int64_t>(devices.size()) / count);
    for (size_t i = rank; i-- > 0; tile /= tiles[i])
      start[i] = tile % tiles[i] * part.dims[i];
  }
  Words result;
  std::vector<int64_t> place(rank, 0);
  for (int64_t left = part.elementCount(); left > 0; --left) {
    int64_t offset = 0;
    for (size_t i = 0; i < rank; ++i)
      offset = offset * wholeShape.dims[i] + start[i] + place[i];
    result.push_back(whole[offset]);
    for (size_t i = rank; i-- > 0;) {
      ++place[i];
      if (place[i] < part.dims[i])
        break;
      place[i] = 0;
    }
  }
  return result;
}

std::vector<Words> randomArguments(const PartitionProgram &program, uint32_t seed, bool isFloat) {
  std::mt19937 random(seed);
  std::vector<Words> arguments;
  for (const std::vector<int64_t> &sizes : program.argumentSizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    Words &words = arguments.emplace_back(count);
    for (uint32_t &word : words) {
      auto number = static_cast<int32_t>(random() % 9) - 4;
      float real = static_cast<float>(number) + static_cast<float>(random() % 64) / 64;
      std::memcpy(&word, isFloat ? static_cast<void *>(&real) : &number, sizeof word);
    }
  }
  return arguments;
}

std::vector<Words> runWhole(const backend::Executable &executable, const std::vector<Words> &arguments) {
  std::vector<const void *> pointers;
  std::vector<void *> resultPointers;
  std::vector<Words> results;
  for (const Words &argument : arguments)
    pointers.push_back(argument.data());
  for (const program::Result &result : executable.program().results)
    results.emplace_back(result.shape.elementCount());
  for (Words &result : results)
    resultPointers.push_back(result.data());
  Status status = executable.execute(pointers, resultPointers, {});
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

// By device. `ofFirst`: what the first one has of the host's.
std::vector<std::vector<Words>> runParts(const backend::Executable &executable, const backend::Executable &whole,
                                         const std::vector<Words> &arguments,
                                         runtime::DeviceStreams *ofFirst = nullptr) {
  const program::Program &program = executable.program();
  std::vector<std::vector<Words>> parts(program.numPartitions), results(program.numPartitions);
  std::vector<std::vector<const void *>> pointers(program.numPartitions);
  std::vector<std::vector<void *>> resultPointers(program.numPartitions);
  std::vector<backend::GridProcess> processes;
  for (int32_t device = 0; device < program.numPartitions; ++device) {
    for (size_t i = 0; i < arguments.size(); ++i)
      parts[device].push_back(partOf(arguments[i], whole.program().arguments[i].shape, program.arguments[i].shape,
                                     program.arguments[i].sharding, device));
    for (const Words &part : parts[device])
      pointers[device].push_back(part.data());
    for (const program::Result &result : program.results)
      results[device].emplace_back(result.shape.elementCount());
    for (Words &result : results[device])
      resultPointers[device].push_back(result.data());
    processes.push_back({&executable, pointers[device], resultPointers[device], device == 0 ? ofFirst : nullptr});
  }
  Status status = backend::executeGrid(1, program.numPartitions, processes);
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

bool areEqual(const Words &a, const Words &b, bool isFloat) {
  if (!isFloat || a.size() != b.size())
    return a == b;
  float largest = 1;
  for (uint32_t word : a)
    largest = std::max(largest, std::abs(std::bit_cast<float>(word)));
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(std::bit_cast<float>(a[i]) - std::bit_cast<float>(b[i])) <= 1e-5f * largest))
      return false;
  return true;
}

void check(const PartitionProgram &program, uint32_t seed, bool isFloat) {
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text);
  auto whole = compileFor(program, "whole"), parts = compileFor(program, "spmd");
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  ASSERT_TRUE(parts.ok()) << parts.status().message();
  ASSERT_EQ((*parts)->program().numPartitions, program.devices) << "it was not cut";
  if (program.hasLocalForm) {
    StatusOr<std::string> text = (*parts)->optimizedModule();
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(text->find("tenon.fallbacks"), std::string::npos) << *text;
  }
  std::vector<Words> arguments = randomArguments(program, seed, isFloat), expected = runWhole(**whole, arguments);
  std::vector<std::vector<Words>> results = runParts(**parts, **whole, arguments);
  for (int32_t device = 0; device < program.devices; ++device)
    for (size_t i = 0; i < expected.size(); ++i) {
      const program::Result &result = (*parts)->program().results[i];
      EXPECT_EQ(result.sharding, (*whole)->program().results[i].sharding);
      Words part = partOf(expected[i], (*whole)->program().results[i].shape, result.shape, result.sharding, device);
      EXPECT_TRUE(areEqual(part, results[device][i], isFloat)) << "result " << i << " of device " << device;
    }
}

uint32_t programCount() {
  const char *text = std::getenv("TENON_TEST_PROGRAMS"); // for long runs by hand
  return text ? static_cast<uint32_t>(std::atoi(text)) : std::getenv("TENON_TEST_WHOLE") ? 400 : 12;
}

TEST(Partition, RandomProgramsOfIntegersEqualWholeRuns) {
  for (uint32_t seed = 0; seed < programCount() && !testing::Test::HasFailure(); ++seed)
    check(makePartitionProgram(seed, /*isFloat=*/false), seed, /*isFloat=*/false);
}

TEST(Partition, RandomProgramsOfFloatsAreWithinTheBoundOfWholeRuns) {
  check(makePartitionProgram(1623, true), 1623, true); // nobody reads a maximum over devices, whose memory others have
  for (uint32_t seed = 1000; seed < 1000 + programCount() && !testing::Test::HasFailure(); ++seed)
    check(makePartitionProgram(seed, /*isFloat=*/true), seed, /*isFloat=*/true);
}

// Sums that wait for each other, and for loops to end.
TEST(Partition, SumsInLoopsEqualWholeRuns) {
  for (uint32_t seed = 0; seed < 2 * programCount() && !testing::Test::HasFailure(); ++seed)
    check(makeSummingProgram(seed, seed % 2), seed, seed % 2);
}

// Cumulative sums and maxima along one.
TEST(Partition, ScansEqualWholeRuns) {
  for (uint32_t seed = 0; seed < programCount() && !testing::Test::HasFailure(); ++seed)
    check(makeMovingProgram(seed, seed % 2, /*isScan=*/true), seed, seed % 2);
}

// Slices, pads, windows and the like along dimensions that are cut.
TEST(Partition, OpsThatMoveElementsToNeighboursEqualWholeRuns) {
  for (uint32_t seed = 0; seed < 2 * programCount() && !testing::Test::HasFailure(); ++seed)
    check(makeMovingProgram(seed, seed % 2), seed, seed % 2);
}

TEST(Partition, FormsOfOpsThatAreCutEqualWholeRuns) {
  for (uint32_t seed = 0; seed < 8 * programCount() && !testing::Test::HasFailure(); ++seed)
    check(makeFormProgram(seed, seed % 2), seed, seed % 2);
}

// The result of this program differs where parts are rounded before they are added.
TEST(Partition, ScatteredSumsOfNarrowFloatsAreRoundedOnce) {
  check(makeFormProgram(613, /*isFloat=*/true), 613, /*isFloat=*/true);
}

// Takes the body of a function of one argument of 12 elements in 4 parts, and what it gives.
PartitionProgram programOf(const std::string &body, const std::string &results) {
  PartitionProgram program;
  program.devices = 4;
  program.argumentSizes = {{12}};
  program.text = "module attributes {mhlo.num_partitions = 4 : i32} {\nsdy.mesh @mesh = <[\"x\"=4]>\n"
                 "func.func @main(%x: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> (" +
                 results + ") {\n" + body + "\n}\n}\n";
  return program;
}

TEST(Partition, NumbersOfOneSeedAreTheSameOnAllDevices) {
  check(programOf(R"(
    %a = stablehlo.constant dense<0> : tensor<i32>
    %b = stablehlo.constant dense<1000000> : tensor<i32>
    %shape = stablehlo.constant dense<12> : tensor<1xi64>
    %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<12xi32>
    %s = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<12xi32>
    %c = sdy.sharding_constraint %r <@mesh, [{"x"}]> : tensor<12xi32>
    %d = stablehlo.add %c, %x : tensor<12xi32>
    %sum = stablehlo.reduce(%d init: %a) applies stablehlo.add across dimensions = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<i32>
    return %d, %s, %sum : tensor<12xi32>, tensor<12xi32>, tensor<i32>)",
                  "tensor<12xi32>, tensor<12xi32>, tensor<i32>"),
        0, false);
}

// Each of two devices needs the other's part at most, so that nothing is computed whole.
TEST(Partition, PadsAtBothEndsAndBetweenAreCut) {
  check(makePaddingProgram(2, 48, 0, 32, 0), 0, false);
  check(makePaddingProgram(2, 48, 32, 0, 0), 0, false);
  check(makePaddingProgram(2, 1, 9, 0, 0), 0, false);
  check(makePaddingProgram(5, 40, 4, 6, 0), 0, false);
  for (int64_t size : {2, 5, 12, 13})
    for (int64_t low : {-1, 0, 1, 7, 40})
      for (int64_t high : {-1, 0, 3, 40})
        for (int64_t interior : {0, 2})
          if (!testing::Test::HasFailure())
            check(makePaddingProgram(2, size, low, high, interior), 0, false);
}

// Many more devices than hold the operand's neighbours: some of these are gathered.
TEST(Partition, PadsForManyDevicesEqualWholeRuns) {
  for (int64_t devices : {3, 8})
    for (int64_t size : {13, 64})
      for (auto [low, high] : {std::pair(-3, 9), {9, -3}, {0, 200}, {200, 0}, {70, 90}, {16, 0}, {0, 16}, {-5, -5}})
        for (int64_t interior : {0, 1, 3}) {
          PartitionProgram program = makePaddingProgram(devices, size, low, high, interior);
          program.hasLocalForm = false;
          check(program, 0, false);
        }
}

// Parts are a whole number of steps, or not, and windows may begin and end outside.
TEST(Partition, GradientsOfMaximaOverWindowsAreCut) {
  for (auto [width, step, low, high] : {std::tuple(3, 3, 0, 0),
                                        {3, 2, 0, 0},
                                        {3, 2, 1, 1},
                                        {3, 2, 0, 1},
                                        {3, 1, 1, 1},
                                        {3, 3, 2, 2},
                                        {3, 2, 4, 3},
                                        {1, 3, 1, 0},
                                        {1, 3, 5, 4}}) {
    std::string source = "tensor<" + std::to_string((12 + low + high - width) / step + 1) + "xi32>";
    std::string around = "[[" + std::to_string(low) + ", " + std::to_string(high) + "]]";
    PartitionProgram program = programOf(
        R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %source = stablehlo.iota dim = 0 : )" +
            source +
            R"(
    %y = "stablehlo.select_and_scatter"(%x, %source, %zero) <{padding = dense<)" +
            around + R"(> : tensor<1x2xi64>, window_dimensions = array<i64: )" + std::to_string(width) +
            R"(>, window_strides = array<i64: )" + std::to_string(step) + R"(>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<12xi32>, )" +
            source + R"(, tensor<i32>) -> tensor<12xi32>
    return %y : tensor<12xi32>)",
        "tensor<12xi32>");
    program.hasLocalForm = true;
    check(program, 0, false);
  }
}

TEST(Partition, ScansThatMayBeReorderedAreCut) {
  for (const char *order : {"", ", is_reverse = true"}) {
    PartitionProgram program = programOf(R"(
    %init = stablehlo.constant dense<7> : tensor<i32>
    %y:2 = "chlo.scan"(%x, %init) <{dimension = 0 : i64, is_associative = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>)" +
                                             std::string(order) + R"(}> ({
    ^bb0(%a: tensor<i32>, %carry: tensor<i32>):
      %s = stablehlo.add %a, %carry : tensor<i32>
      stablehlo.return %s, %s : tensor<i32>, tensor<i32>
    }) : (tensor<12xi32>, tensor<i32>) -> (tensor<12xi32>, tensor<i32>)
    return %y#0, %y#1 : tensor<12xi32>, tensor<i32>)",
                                         "tensor<12xi32>, tensor<i32>");
    program.hasLocalForm = true;
    check(program, 0, false);
  }
}

// A loop that puts together what is reduced over the cut dimension, in every iteration of something else.
PartitionProgram loopOf(const std::string &element, const std::string &op, const std::string &initial) {
  std::string array = "tensor<12x" + element + ">", scalar = "tensor<" + element + ">";
  return programOf(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %y = stablehlo.convert %x : (tensor<12xi32>) -> )" +
                       array + "\n    %start = stablehlo.constant dense<" + initial + "> : " + scalar + R"(
    %neutral = stablehlo.constant dense<)" +
                       (op == "maximum"   ? "-8"
                        : op == "minimum" ? "8"
                                          : "0") +
                       "> : tensor<i32>\n" + "    %init = stablehlo.convert %neutral : (tensor<i32>) -> " + scalar + R"(
    %l:3 = stablehlo.while(%i = %zero, %s = %start, %v = %y) : tensor<i32>, )" +
                       scalar + ", " + array + R"(
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %r = stablehlo.reduce(%v init: %init) applies stablehlo.)" +
                       op + " across dimensions = [0] : (" + array + ", " + scalar + ") -> " + scalar +
                       "\n      %same = stablehlo.convert %s : " + scalar + "\n      %t = stablehlo." + op +
                       " %same, %r : " + scalar + "\n      %w = stablehlo.negate %v : " + array + R"(
      stablehlo.return %n, %t, %w : tensor<i32>, )" +
                       scalar + ", " + array + R"(
    }
    %z = stablehlo.convert %l#1 : ()" +
                       scalar + R"() -> tensor<i32>
    return %z : tensor<i32>)",
                   "tensor<i32>");
}

// Also those of floats of 16 bits, and of initial values that count once.
TEST(Partition, SumsMaximaAndMinimaWaitForLoops) {
  for (const char *element : {"i32", "bf16", "f16", "f32"})
    for (auto [op, initial] : {std::pair("add", "0"), {"add", "5"}, {"maximum", "-3"}, {"minimum", "4"}}) {
      std::string text = std::string(initial) + (std::string_view(element) == "i32" ? "" : ".0");
      PartitionProgram program = loopOf(element, op, text);
      check(program, 0, false);
      auto parts = compileFor(program, "spmd");
      ASSERT_TRUE(parts.ok()) << parts.status().message();
      std::string module = *(*parts)->optimizedModule();
      size_t loop = module.find("stablehlo.while"), sum = module.find("all_reduce");
      EXPECT_LT(loop, sum) << module;
      EXPECT_EQ(module.find("all_reduce", sum + 1), std::string::npos) << module;
      EXPECT_LT(module.find("stablehlo.return", loop), sum) << module;
    }
}

// All elements may be equal, in order, or belong to other devices.
TEST(Partition, ArraysOfOneDimensionAreSortedInParts) {
  const char *less = "%r = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>";
  const char *greater = "%r = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>";
  const char *scattered = R"(%factor = stablehlo.constant dense<1103515245> : tensor<80000xi32>
    %sum = stablehlo.add %x, %places : tensor<80000xi32>
    %keys = stablehlo.multiply %sum, %factor : tensor<80000xi32>)";
  const char *modulo = R"(%m = stablehlo.constant dense<8> : tensor<80000xi32>
    %keys = stablehlo.remainder %places, %m : tensor<80000xi32>)";
  for (auto [keys, comparator] :
       {std::pair("%keys = stablehlo.negate %x : tensor<80000xi32>", less),
        {"%keys = stablehlo.subtract %x, %x : tensor<80000xi32>", less},
        {"%keys = stablehlo.add %places, %x : tensor<80000xi32>", less},
        {"%keys = stablehlo.negate %places : tensor<80000xi32>", less},
        {modulo, less},
        {scattered, less},
        {scattered, greater},
        {scattered, R"(%e = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %g = stablehlo.compare LT, %d, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = stablehlo.select %f, %g, %e : tensor<i1>, tensor<i1>)"}})
    check(makeSortProgram(keys, comparator), 0, false);
}

// Evenly or not, as rows and columns, as a matrix, and along more dimensions than have room for all axes.
TEST(Partition, TransformsAlongCutDimensionsAreComputedInParts) {
  const std::string whole = "{}", x = "{\"x\"}", y = "{\"y\"}", both = R"({"x", "y"})";
  for (const char *kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    check(makeTransformProgram({16, 24}, x + ", " + whole, kind, 2), 1, true);
    check(makeTransformProgram({16, 24}, x + ", " + y, kind, 2), 2, true);
    check(makeTransformProgram({40, 18}, whole + ", " + both, kind, 2), 3, true);
    check(makeTransformProgram({20, 18}, y + ", " + x, kind, 2), 4, true);
    check(makeTransformProgram({3, 8, 8, 16}, whole + ", " + x + ", " + y + ", " + whole, kind, 3), 5, true);
    check(makeTransformProgram({9, 8, 12}, whole + ", " + both + ", " + whole, kind, 2), 6, true);
  }
  for (const char *kind : {"FFT", "IFFT"}) {
    check(makeTransformProgram({1 << 15}, both, kind, 1), 7, true);
    check(makeTransformProgram({3, 1 << 14}, whole + ", " + x, kind, 1), 8, true);
    check(makeTransformProgram({2, 1, 1 << 14}, y + ", " + whole + ", " + x, kind, 2), 9, true);
  }
}

// Few elements, and lengths whose matrix has no whole parts.
TEST(Partition, TransformsThatAreGatheredAreSaid) {
  for (auto [size, kind] : {std::pair(int64_t{4096}, "FFT"), {16392, "FFT"}, {1 << 15, "RFFT"}}) {
    PartitionProgram program = makeTransformProgram({size}, R"({"x"})", kind, 1);
    program.hasLocalForm = false;
    check(program, 10, true);
    auto parts = compileFor(program, "spmd");
    ASSERT_TRUE(parts.ok()) << parts.status().message();
    StatusOr<std::string> text = (*parts)->optimizedModule();
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_NE(text->find("tenon.fallbacks"), std::string::npos) << *text;
  }
}

// Scans several arrays by a computation that must not be reordered.
TEST(Partition, ScansInOrderAreComputedByOneDeviceAfterTheOther) {
  for (const char *order : {"", ", is_reverse = true"}) {
    PartitionProgram program = programOf(R"(
    %y = stablehlo.iota dim = 0 : tensor<12xi32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %s:4 = "chlo.scan"(%x, %y, %three, %seven) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 2, 2>)" +
                                             std::string(order) + R"(}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %e = stablehlo.multiply %c, %a : tensor<i32>
      %f = stablehlo.subtract %e, %d : tensor<i32>
      %g = stablehlo.subtract %b, %e : tensor<i32>
      stablehlo.return %f, %g, %g, %f : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    }) : (tensor<12xi32>, tensor<12xi32>, tensor<i32>, tensor<i32>) -> (tensor<12xi32>, tensor<12xi32>, tensor<i32>, tensor<i32>)
    return %s#0, %s#1, %s#2, %s#3 : tensor<12xi32>, tensor<12xi32>, tensor<i32>, tensor<i32>)",
                                         "tensor<12xi32>, tensor<12xi32>, tensor<i32>, tensor<i32>");
    program.hasLocalForm = true;
    check(program, 0, false);
  }
}

TEST(Partition, QuantizedArraysAreCut) {
  PartitionProgram program = programOf(R"(
    %y = stablehlo.convert %x : (tensor<12xi32>) -> tensor<12xf32>
    %q = stablehlo.uniform_quantize %y : (tensor<12xf32>) -> tensor<12x!quant.uniform<i8:f32, 0.5:3>>
    %c = sdy.sharding_constraint %q <@mesh, [{"x"}]> : tensor<12x!quant.uniform<i8:f32, 0.5:3>>
    %sum = stablehlo.add %c, %q : tensor<12x!quant.uniform<i8:f32, 0.5:3>>
    %r = stablehlo.uniform_quantize %y : (tensor<12xf32>) -> tensor<12x!quant.uniform<i8:f32, 0.5>>
    %product = stablehlo.dot_general %c, %r, contracting_dims = [0] x [0] : (tensor<12x!quant.uniform<i8:f32, 0.5:3>>, tensor<12x!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.25>>
    %a = stablehlo.uniform_dequantize %sum : (tensor<12x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<12xf32>
    %b = stablehlo.uniform_dequantize %product : (tensor<!quant.uniform<i32:f32, 0.25>>) -> tensor<f32>
    %i = stablehlo.convert %a : (tensor<12xf32>) -> tensor<12xi32>
    %j = stablehlo.convert %b : (tensor<f32>) -> tensor<i32>
    return %i, %j : tensor<12xi32>, tensor<i32>)",
                                       "tensor<12xi32>, tensor<i32>");
  program.hasLocalForm = true;
  check(program, 0, false);
}

TEST(Partition, TokensPassThroughLoopsAndBranches) {
  check(programOf(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %t = stablehlo.create_token : !stablehlo.token
    %l:3 = stablehlo.while(%i = %zero, %a = %x, %u = %t) : tensor<i32>, tensor<12xi32>, !stablehlo.token
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.add %a, %x : tensor<12xi32>
      %v = stablehlo.after_all %u, %t : !stablehlo.token
      stablehlo.return %n, %b, %v : tensor<i32>, tensor<12xi32>, !stablehlo.token
    }
    %q = stablehlo.compare LT, %l#0, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %w = "stablehlo.if"(%q) ({
      stablehlo.return %t : !stablehlo.token
    }, {
      stablehlo.return %l#2 : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    %y, %z = stablehlo.optimization_barrier %l#1, %w : tensor<12xi32>, !stablehlo.token
    return %y : tensor<12xi32>)",
                  "tensor<12xi32>"),
        0, false);
}

// It takes from the host for all, and gives it whole arrays.
TEST(Partition, TheFirstDeviceTalksToTheHost) {
  PartitionProgram program = programOf(R"(
    %t = stablehlo.create_token : !stablehlo.token
    %a:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<12xi32>, !stablehlo.token)
    %y = stablehlo.add %x, %a#0 : tensor<12xi32>
    %u = "stablehlo.outfeed"(%y, %a#1) : (tensor<12xi32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<12xi32>)",
                                       "tensor<12xi32>");
  auto whole = compileFor(program, "whole"), parts = compileFor(program, "required");
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  ASSERT_TRUE(parts.ok()) << parts.status().message();
  std::vector<Words> arguments = randomArguments(program, 1, /*isFloat=*/false);
  Words fed(12), expected(12);
  for (uint32_t i = 0; i < 12; ++i) {
    fed[i] = 100 * i;
    expected[i] = arguments[0][i] + fed[i];
  }
  runtime::DeviceStreams streams{0};
  runtime::StreamItem item;
  item.arrays.push_back(*runtime::StreamArray::copyOf({{program::ElementType::kI32, {12}}, {}}, fed.data()));
  ASSERT_TRUE(streams.infeed.push(std::move(item)).ok());
  std::vector<std::vector<Words>> results = runParts(**parts, **whole, arguments, &streams);
  for (size_t device = 0; device < 4; ++device)
    EXPECT_EQ(results[device][0], Words(expected.begin() + 3 * device, expected.begin() + 3 * (device + 1)));
  ASSERT_EQ(streams.outfeed.itemCount(), 1u);
  StatusOr<runtime::StreamItem> given = streams.outfeed.pop();
  EXPECT_EQ(std::memcmp(given->arrays[0].data.data(), expected.data(), 12 * sizeof(uint32_t)), 0);
}

// Each replica has arrays of its own, cut in as many parts; sums are those of one replica's, but where replicas meet.
TEST(Partition, ReplicasAreCutEachForItself) {
  constexpr int32_t kReplicas = 2, kDevices = 4;
  PartitionProgram program = programOf(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<i32>
    %s = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %y = stablehlo.add %x, %s : tensor<12xi32>
    %r = stablehlo.reverse %y, dims = [0] : tensor<12xi32>
    %c = sdy.sharding_constraint %r <@mesh, [{"x"}]> : tensor<12xi32>
    %w = sdy.sharding_constraint %c <@mesh, [{}]> : tensor<12xi32>
    %all = "stablehlo.all_reduce"(%c) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %t = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) : (tensor<12xi32>) -> tensor<12xi32>
    return %c, %w, %all : tensor<12xi32>, tensor<12xi32>, tensor<12xi32>)",
                                       "tensor<12xi32>, tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, "
                                       "tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}");
  auto executable = compileFor(program, "required", kReplicas);
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  const size_t count = (*executable)->program().results.size();
  std::vector<Words> arguments(kReplicas * kDevices), results(kReplicas * kDevices * count, Words(12));
  std::vector<const void *> pointers(arguments.size());
  std::vector<void *> resultPointers(results.size());
  std::vector<backend::GridProcess> processes;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = {3 * i, 3 * i + 1, 3 * i + 2}; // 0 to 11, and 12 to 23
    pointers[i] = arguments[i].data();
    for (size_t j = 0; j < count; ++j)
      resultPointers[i * count + j] = results[i * count + j].data();
    processes.push_back({executable->get(), std::span(&pointers[i], 1), std::span(&resultPointers[i * count], count)});
  }
  Status status = backend::executeGrid(kReplicas, kDevices, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  constexpr uint32_t kSums[] = {66, 210};
  auto value = [&](uint32_t replica, uint32_t place) { return 12 * replica + 11 - place + kSums[replica]; };
  for (uint32_t i = 0; i < arguments.size(); ++i)
    for (uint32_t place = 0; place < 12; ++place) {
      EXPECT_EQ(results[i * count + 1][place], value(i / kDevices, place));
      if (place / 3 == i % kDevices) {
        EXPECT_EQ(results[i * count][place % 3], value(i / kDevices, place));
        EXPECT_EQ(results[i * count + 2][place % 3], value(0, place) + value(1, place));
      }
    }
}

// A layer's step: products cut in all ways, sums over both axes, a transposition between axes, a gathered weight.
PartitionProgram stepFor(int64_t rows, int64_t columns) {
  auto sizes = [](int64_t a, int64_t b) { return std::to_string(a) + "x" + std::to_string(b) + "xf32"; };
  std::string x = "tensor<" + sizes(4 * rows, 32) + ">", w = "tensor<" + sizes(32, 8 * columns) + ">",
              y = "tensor<" + sizes(4 * rows, 8 * columns) + ">", v = "tensor<" + std::to_string(8 * columns) + "xf32>";
  PartitionProgram program;
  program.devices = static_cast<int32_t>(rows * columns);
  program.text = "module attributes {mhlo.num_partitions = " + std::to_string(program.devices) +
                 " : i32} {\nsdy.mesh @mesh = <[\"a\"=" + std::to_string(rows) + ", \"b\"=" + std::to_string(columns) +
                 "]>\nfunc.func @main(%x: " + x + " {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}, %w: " + w +
                 " {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"b\"}]>}) -> (" + w + ", " + v + ") {\n" +
                 "  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (" + x + ", " + w + ") -> " + y +
                 "\n  %i = stablehlo.iota dim = 0 : " + y + "\n  %t = stablehlo.add %y, %i : " + y +
                 "\n  %c = sdy.sharding_constraint %t <@mesh, [{\"b\"}, {}]> : " + y +
                 "\n  %d = stablehlo.dot_general %x, %c, contracting_dims = [0] x [0] : (" + x + ", " + y + ") -> " +
                 w + "\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" +
                 "  %s = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (" + y +
                 ", tensor<f32>) -> " + v + "\n  return %d, %s : " + w + ", " + v + "\n}\n}\n";
  return program;
}

TEST(Partition, ProgramsDoNotGrowWithTheNumberOfDevices) {
  auto sizesOf = [](int64_t rows, int64_t columns) {
    auto executable = compileFor(stepFor(rows, columns), "spmd");
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    EXPECT_EQ((*executable)->program().numPartitions, rows * columns);
    StatusOr<std::string> text = (*executable)->optimizedModule();
    EXPECT_TRUE(text.ok()) << text.status().message();
    return std::pair(std::count(text->begin(), text->end(), '\n'), (*executable)->program().report.kernels.size());
  };
  auto few = sizesOf(8, 8), many = sizesOf(32, 32);
  EXPECT_GT(few.first, 30);
  EXPECT_LE(many.first, few.first);
  EXPECT_EQ(many.second, few.second);
}

} // namespace
} // namespace tenon
