// Results that devices of one OS process may have in one memory: what a collective alone writes.
#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"
#include "tenon/program/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tenon {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<int64_t>;

constexpr int64_t kPart = 8192; // elements

std::shared_ptr<backend::Executable> compile(const std::string &body, const std::string &results) {
  const std::string text =
      R"(func.func @main(%x: tensor<8192xf32>, %y: tensor<16384xf32>) -> ()" + results + ") {\n" + body + "\n}";
  backend::CompileOptions options;
  options.numPartitions = 2;
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message() << text;
  return *executable;
}

// What collectives are said to write alone, by call and result of it.
std::vector<Numbers> sharedBy(const std::string &body, const std::string &results) {
  auto executable = compile(body, results);
  std::vector<Numbers> shared;
  for (const program::RuntimeCall &call : executable->program().runtimeCalls) {
    auto numbers = program::integerArrayAttribute(call.attributes, program::kProgramResults);
    shared.push_back(numbers.ok() ? *numbers : Numbers());
  }
  return shared;
}

const std::string kGroups = R"(replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids)";
const std::string kGather = R"(
  %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, )" +
                            kGroups + R"(} : (tensor<8192xf32>) -> tensor<16384xf32>)";
const std::string kAdd = R"(({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %sum = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) )";

TEST(SharedResults, AreWrittenByACollectiveAlone) {
  EXPECT_THAT(sharedBy(kGather + "\n  return %g : tensor<16384xf32>", "tensor<16384xf32>"), ElementsAre(Numbers{0}));
  EXPECT_THAT(sharedBy(kGather + R"(
  %r = stablehlo.reshape %g : (tensor<16384xf32>) -> tensor<2x8192xf32>
  %s = stablehlo.add %g, %y : tensor<16384xf32>
  return %s, %r : tensor<16384xf32>, tensor<2x8192xf32>)",
                       "tensor<16384xf32>, tensor<2x8192xf32>"),
              ElementsAre(Numbers{1}));
  EXPECT_THAT(
      sharedBy("\n  %n = stablehlo.constant dense<1.0> : tensor<f32>\n  %s:2 = \"stablehlo.all_reduce\"(%n, %y) " +
                   kAdd + "{" + kGroups + R"(} : (tensor<f32>, tensor<16384xf32>) -> (tensor<f32>, tensor<16384xf32>)
  return %s#1, %s#0 : tensor<16384xf32>, tensor<f32>)",
               "tensor<16384xf32>, tensor<f32>"),
      ElementsAre(Numbers{-1, 0}));
}

TEST(SharedResults, AreNoneThatAreSmallOrComputedOrOfOnesOwn) {
  EXPECT_THAT(sharedBy(R"(
  %z = stablehlo.slice %x [0:64] : (tensor<8192xf32>) -> tensor<64xf32>
  %g = "stablehlo.all_gather"(%z) {all_gather_dim = 0 : i64, )" +
                           kGroups + R"(} : (tensor<64xf32>) -> tensor<128xf32>
  return %g : tensor<128xf32>)",
                       "tensor<128xf32>"),
              Each(IsEmpty()));
  EXPECT_THAT(sharedBy(kGather + R"(
  %s = stablehlo.add %g, %y : tensor<16384xf32>
  return %s : tensor<16384xf32>)",
                       "tensor<16384xf32>"),
              Each(IsEmpty()));
  // The update is made in the gathered array's memory, by each device at a time of its own.
  EXPECT_THAT(sharedBy(kGather + R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_update_slice %g, %x, %zero : (tensor<16384xf32>, tensor<8192xf32>, tensor<i32>) -> tensor<16384xf32>
  return %s : tensor<16384xf32>)",
                       "tensor<16384xf32>"),
              Each(IsEmpty()));
  EXPECT_THAT(sharedBy(R"(
  %s = "stablehlo.reduce_scatter"(%y) )" +
                           kAdd + "{scatter_dimension = 0 : i64, " + kGroups +
                           R"(} : (tensor<16384xf32>) -> tensor<8192xf32>
  return %s : tensor<8192xf32>)",
                       "tensor<8192xf32>"),
              Each(IsEmpty()));
}

TEST(SharedResults, AreRightInOneMemory) {
  auto executable = compile(kGather + "\n  return %g : tensor<16384xf32>", "tensor<16384xf32>");
  std::vector<float> parts[2], whole(2 * kPart), expected(2 * kPart), result(2 * kPart, -1);
  std::iota(expected.begin(), expected.end(), 0.0f);
  std::vector<const void *> arguments[2];
  std::vector<void *> results{result.data()};
  std::vector<backend::GridProcess> processes;
  for (size_t i = 0; i < 2; ++i) {
    parts[i].assign(expected.begin() + static_cast<int64_t>(i) * kPart,
                    expected.begin() + static_cast<int64_t>(i + 1) * kPart);
    arguments[i] = {parts[i].data(), whole.data()};
    processes.push_back({.executable = executable.get(), .arguments = arguments[i], .results = results});
  }
  Status status = backend::executeGrid(1, 2, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result, expected);
}

// The program cut for two devices.
std::shared_ptr<backend::Executable> compileCut(const std::string &text, bool sharesMemory) {
  backend::CompileOptions options;
  options.numPartitions = 2;
  options.useSpmdPartitioning = options.useShardyPartitioner = true;
  options.overrides = {{"partition", std::string("required")}, {"shared_memory", sharesMemory}};
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message() << text;
  return *executable;
}

// Two results of a gradient, as those of an optimiser with a moment, on two devices that have a part of the batch each.
class Update : public testing::Test {
protected:
  static constexpr int64_t kRows = 1024, kWidth = 128; // so many rows that summands are added, and no columns moved

  static std::shared_ptr<backend::Executable> compileUpdate(bool sharesMemory) {
    const std::string x = "tensor<" + std::to_string(kRows) + "x128xf32>", w = "tensor<128x128xf32>",
                      rows = x + R"( {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>})";
    const std::string binary = " : " + w;
    const std::string text = "module attributes {mhlo.num_partitions = 2 : i32} {\n  sdy.mesh @mesh = <[\"d\"=2]>\n"
                             "  func.func @main(%x: " +
                             rows + ", %y: " + rows + ", %w: " + w + ", %m: " + w + ") -> (" + w + ", " + w +
                             ") {\n    %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (" + x + ", " +
                             x + ") -> " + w + "\n    %m1 = stablehlo.add %m, %g" + binary +
                             "\n    %s = stablehlo.add %m1, %g" + binary + "\n    %w1 = stablehlo.subtract %w, %s" +
                             binary + "\n    return %w1, %m1 : " + w + ", " + w + "\n  }\n}\n";
    return compileCut(text, sharesMemory);
  }

  static std::vector<Numbers> sharedIn(const backend::Executable &executable) {
    std::vector<Numbers> shared;
    for (const program::RuntimeCall &call : executable.program().runtimeCalls)
      if (auto numbers = program::integerArrayAttribute(call.attributes, program::kProgramResults); numbers.ok())
        shared.push_back(*numbers);
    return shared;
  }

  // Small whole numbers, whose sums are exact.
  static std::vector<float> numbers(int64_t count, int64_t factor) {
    std::vector<float> result;
    for (int64_t i = 0; i < count; ++i)
      result.push_back(static_cast<float>(i * factor % 5 - 2));
    return result;
  }
};

TEST_F(Update, IsComputedInPartsThatAllWriteIntoOneMemory) {
  auto executable = compileUpdate(/*sharesMemory=*/true);
  EXPECT_THAT(sharedIn(*executable), ElementsAre(Numbers{0, 1}));
  const int64_t half = kRows / 2 * kWidth;
  std::vector<float> x = numbers(kRows * kWidth, 7), y = numbers(kRows * kWidth, 3), w = numbers(kWidth * kWidth, 11),
                     m = numbers(kWidth * kWidth, 13), newW(kWidth * kWidth, -1), newM(kWidth * kWidth, -1);
  std::vector<const void *> arguments[2];
  std::vector<void *> results{newW.data(), newM.data()};
  std::vector<backend::GridProcess> processes;
  for (int64_t i = 0; i < 2; ++i) {
    arguments[i] = {x.data() + i * half, y.data() + i * half, w.data(), m.data()};
    processes.push_back({.executable = executable.get(), .arguments = arguments[i], .results = results});
  }
  Status status = backend::executeGrid(1, 2, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int64_t i = 0; i < kWidth; ++i)
    for (int64_t j = 0; j < kWidth; ++j) {
      float gradient = 0;
      for (int64_t row = 0; row < kRows; ++row)
        gradient += x[row * kWidth + i] * y[row * kWidth + j];
      const int64_t at = i * kWidth + j;
      ASSERT_EQ(newM[at], m[at] + gradient);
      ASSERT_EQ(newW[at], w[at] - (m[at] + 2 * gradient));
    }
}

// Sums, each in parts or for all, that are made of gradients which `body` computes new weights of.
class Gradient : public ::testing::Test {
protected:
  struct Sums {
    size_t inParts = 0, forAll = 0;
  };

  static size_t count(const std::string &text, const std::string &what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  }

  static Sums sumsOf(const std::string &body, const std::string &results, bool sharesMemory = true) {
    std::string text = R"(module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["d"=2]>
  func.func @main(%x: X {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
                  %y: X {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}, %w: W, %m: W) -> ()" +
                       results + R"() {
    %rate = stablehlo.constant dense<0.25> : W
    %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (X, X) -> W
)" + body + "  }\n}\n";
    for (auto [name, type] : {std::pair("X", "tensor<1024x128xf32>"), {"W", "tensor<128x128xf32>"}})
      for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
        text.replace(at, 1, type);
    std::string module = *compileCut(text, sharesMemory)->optimizedModule();
    return {count(module, "stablehlo.reduce_scatter"), count(module, "stablehlo.all_reduce")};
  }
};

constexpr const char *kScaled = R"(    %s = stablehlo.multiply %g, %rate : W
    %w1 = stablehlo.subtract %w, %s : W
    return %w1 : W
)";

// So it is scaled after it is summed wherever devices are, and has the same bits.
TEST_F(Gradient, IsSummedInPartsBeforeItIsScaled) {
  for (bool sharesMemory : {true, false}) {
    Sums sums = sumsOf(kScaled, "W", sharesMemory);
    EXPECT_EQ(sums.inParts, 1U);
    EXPECT_EQ(sums.forAll, 0U);
  }
}

TEST_F(Gradient, WaitsForOthersThatAreAddedToIt) {
  Sums sums = sumsOf(R"(    %s = stablehlo.multiply %g, %rate : W
    %h = stablehlo.dot_general %y, %x, contracting_dims = [0] x [0] : (X, X) -> W
    %t = stablehlo.multiply %h, %rate : W
    %both = stablehlo.add %s, %t : W
    %w1 = stablehlo.subtract %w, %both : W
    return %w1 : W
)",
                     "W");
  EXPECT_EQ(sums.inParts + sums.forAll, 1U);
}

// To gather several results would move more than the sum does.
TEST_F(Gradient, IsSummedForAllWhereSeveralResultsFollow) {
  Sums sums = sumsOf(R"(    %m1 = stablehlo.add %m, %g : W
    %s = stablehlo.multiply %m1, %rate : W
    %w1 = stablehlo.subtract %w, %s : W
    return %w1, %m1 : W, W
)",
                     "W, W");
  EXPECT_EQ(sums.inParts, 0U);
  EXPECT_EQ(sums.forAll, 1U);
}

TEST_F(Update, IsComputedWholeWhereResultsWouldBeSent) {
  EXPECT_THAT(sharedIn(*compileUpdate(/*sharesMemory=*/false)), IsEmpty());
}

} // namespace
// A sort of so many numbers, of which each of two devices has half, and which no other dimension can take the axis for.
std::shared_ptr<backend::Executable> compileSort(int64_t count, bool sharesMemory) {
  const std::string x = "tensor<" + std::to_string(count) + "xf32>";
  return compileCut(R"(module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["d"=2]>
  func.func @main(%x: )" +
                        x + R"( {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) -> ()" + x +
                        R"( {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) {
    %s = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : ()" + x + ") -> " +
                        x + "\n    return %s : " + x + "\n  }\n}\n",
                    sharesMemory);
}

bool isLeftToOneDevice(const backend::Executable &executable) {
  return std::ranges::any_of(executable.program().runtimeCalls,
                             [](const program::RuntimeCall &call) { return call.target == "permute"; });
}

TEST(ComputedWhole, IsLeftToOneDeviceOfAProcess) {
  constexpr int64_t kCount = 2048, kPart = kCount / 2;
  auto executable = compileSort(kCount, /*sharesMemory=*/true);
  EXPECT_TRUE(isLeftToOneDevice(*executable));
  std::vector<float> given, result(kCount, -1);
  for (int64_t i = 0; i < kCount; ++i)
    given.push_back(static_cast<float>(i * 1237 % kCount));
  std::vector<const void *> arguments[2] = {{given.data()}, {given.data() + kPart}};
  std::vector<void *> results[2] = {{result.data()}, {result.data() + kPart}};
  std::vector<backend::GridProcess> processes;
  for (size_t i = 0; i < 2; ++i)
    processes.push_back({.executable = executable.get(), .arguments = arguments[i], .results = results[i]});
  Status status = backend::executeGrid(1, 2, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  std::ranges::sort(given);
  EXPECT_EQ(result, given);
}

// Another meeting takes longer than to sort a few numbers, and devices of several processes have their own processors.
TEST(ComputedWhole, IsComputedByEachWhereThatIsSooner) {
  EXPECT_FALSE(isLeftToOneDevice(*compileSort(256, /*sharesMemory=*/true)));
  EXPECT_FALSE(isLeftToOneDevice(*compileSort(2048, /*sharesMemory=*/false)));
}

// Rows that are added to those of a table which both devices have whole, at places of which each has half.
std::shared_ptr<backend::Executable> compileLookupGradient(int64_t places, bool sharesMemory) {
  std::string text = R"(module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["d"=2]>
  func.func @main(%t: T {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
                  %i: I {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>},
                  %u: U {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> (T {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %s = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (T, I, U) -> T
    return %s : T
  }
}
)";
  const std::string count = std::to_string(places);
  for (const auto &[name, type] : {std::pair("T", std::string("tensor<1024x64xf32>")),
                                   {"I", "tensor<" + count + "x1xi32>"},
                                   {"U", "tensor<" + count + "x64xf32>"}})
    for (const char *before : {": ", "(", ", ", "-> "})
      for (size_t at = text.find(before + std::string(name)); at != std::string::npos;
           at = text.find(before + std::string(name), at + 1))
        if (const char next = text[at + std::string(before).size() + 1];
            next == ' ' || next == ',' || next == ')' || next == '\n')
          text.replace(at + std::string(before).size(), 1, type);
  return compileCut(text, sharesMemory);
}

int64_t sumsIn(const backend::Executable &executable) {
  return std::ranges::count(executable.program().runtimeCalls, "fold_group", &program::RuntimeCall::target);
}

TEST(LookupGradient, IsAddedInPartsThatAllWriteIntoOneMemory) {
  constexpr int64_t kRows = 1024, kWidth = 64, kPlaces = 64;
  auto executable = compileLookupGradient(kPlaces, /*sharesMemory=*/true);
  EXPECT_EQ(sumsIn(*executable), 0);
  std::vector<float> table(kRows * kWidth), updates(kPlaces * kWidth);
  std::vector<int32_t> places;
  for (size_t i = 0; i < updates.size(); ++i)
    updates[i] = static_cast<float>(i % 7);
  for (int32_t i = 0; i < kPlaces; ++i)
    places.push_back(i * 389 % (kRows / 8) * 8 + (i == 5 ? 1024 : 0)); // one is beyond the table, some are the same
  std::vector<float> expected = table, results[2] = {table, table};
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; places[i] < kRows && j < kWidth; ++j)
      expected[static_cast<size_t>(places[i]) * kWidth + j] += updates[i * kWidth + j];
  std::vector<const void *> arguments[2];
  std::vector<void *> pointers[2];
  std::vector<backend::GridProcess> processes;
  for (size_t i = 0; i < 2; ++i) {
    arguments[i] = {table.data(), places.data() + i * kPlaces / 2, updates.data() + i * updates.size() / 2};
    pointers[i] = {results[i].data()};
    processes.push_back({.executable = executable.get(), .arguments = arguments[i], .results = pointers[i]});
  }
  Status status = backend::executeGrid(1, 2, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(results[0], expected);
  EXPECT_EQ(results[1], expected);
}

// Many rows are more than the table, and other processes would have to be sent the parts of it.
TEST(LookupGradient, IsNoPartWhereThatMovesMore) {
  EXPECT_GT(sumsIn(*compileLookupGradient(8192, /*sharesMemory=*/true)), 0);
  auto apart = compileLookupGradient(64, /*sharesMemory=*/false);
  for (const program::RuntimeCall &call : apart->program().runtimeCalls)
    EXPECT_LT(call.results[0].byteSize(), 1024 * 64 * 4) << call.target; // only what is added is gathered
}

} // namespace tenon
