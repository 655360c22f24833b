// Collectives of grids of processes, compiled and interpreted, against what the specification's definitions give when
// they are followed by hand (StableHLO specification, "Parallel execution"; SYS-67, 68, 69, 71, 72, API-T33).
#include "test/e2e/grid_testing.h"

#include <gmock/gmock.h>

#include <functional>
#include <numeric>
#include <random>
#include <thread>

namespace tenon {
namespace {

using testing::ElementsAre;
using Ids = std::vector<std::vector<int64_t>>;

const char *const kTargets[] = {"cpu", "reference"};

std::vector<Array> runOn(const std::string &target, GridShape shape, const std::string &program,
                         const std::vector<std::vector<Array>> &arguments) {
  Grid grid(target, shape, {program});
  std::vector<Array> results = grid.run(arguments);
  EXPECT_TRUE(grid.status.ok()) << target << ": " << grid.status.message() << "\n" << program;
  return results;
}

//===- Groups ----------------------------------------------------------------------------------------------------===//

enum class Strategy { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattenedIds };

// How a grid is split up: what the program says, and the processes that it means.
struct Grouping {
  std::string attributes;
  Ids processes;
};

std::string text(const Ids &ids) {
  std::string rows;
  for (const auto &group : ids) {
    std::string row;
    for (int64_t id : group)
      row += (row.empty() ? "" : ", ") + std::to_string(id);
    rows += (rows.empty() ? "[" : ", [") + row + "]";
  }
  return "replica_groups = dense<[" + rows + "]> : tensor<" + std::to_string(ids.size()) + "x" +
         std::to_string(ids.front().size()) + "xi64>";
}

// `count` ids in groups of `size`, none of which is in ascending order.
Ids shuffled(int64_t count, int64_t size) {
  Ids ids(static_cast<size_t>(count / size));
  for (int64_t id = 0; id < count; ++id)
    ids[static_cast<size_t>(id % (count / size))].insert(ids[static_cast<size_t>(id % (count / size))].begin(), id);
  return ids;
}

// "Collective ops" of the specification: the loops of cross_replica and the others.
Grouping grouping(Strategy strategy, const Ids &ids, GridShape grid) {
  const char *channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
  auto process = [&](int64_t replica, int64_t partition) { return replica * grid.partitions + partition; };
  Grouping result{text(ids), {}};
  for (const auto &group : ids) {
    if (strategy == Strategy::kCrossReplica)
      for (int64_t p = 0; p < grid.partitions; ++p)
        for (result.processes.emplace_back(); int64_t r : group)
          result.processes.back().push_back(process(r, p));
    if (strategy == Strategy::kCrossPartition)
      for (int64_t r = 0; r < grid.replicas; ++r)
        for (result.processes.emplace_back(); int64_t p : group)
          result.processes.back().push_back(process(r, p));
    if (strategy == Strategy::kCrossReplicaAndPartition) {
      result.processes.emplace_back();
      for (int64_t p = 0; p < grid.partitions; ++p)
        for (int64_t r : group)
          result.processes.back().push_back(process(r, p));
    }
    if (strategy == Strategy::kFlattenedIds)
      result.processes.push_back(group);
  }
  if (strategy != Strategy::kCrossReplica)
    result.attributes += channel;
  if (strategy == Strategy::kFlattenedIds)
    result.attributes += ", use_global_device_ids";
  return result;
}

int64_t idsOf(Strategy strategy, GridShape grid) {
  switch (strategy) {
  case Strategy::kCrossReplica:
  case Strategy::kCrossReplicaAndPartition:
    return grid.replicas;
  case Strategy::kCrossPartition:
    return grid.partitions;
  case Strategy::kFlattenedIds:
    return grid.size();
  }
  return 0;
}

void forEachGrouping(const std::vector<Strategy> &strategies,
                     const std::function<void(GridShape, const Grouping &)> &test) {
  for (GridShape grid : {GridShape{2, 1}, GridShape{1, 2}, GridShape{2, 2}, GridShape{4, 2}})
    for (Strategy strategy : strategies)
      for (int64_t size : {int64_t(1), int64_t(2), idsOf(strategy, grid)})
        if (int64_t count = idsOf(strategy, grid); size <= count && count % size == 0)
          test(grid, grouping(strategy, shuffled(count, size), grid));
}

const std::vector<Strategy> kThreeWays = {Strategy::kCrossReplica, Strategy::kCrossReplicaAndPartition,
                                          Strategy::kFlattenedIds};
const std::vector<Strategy> kTwoWays = {Strategy::kCrossReplica, Strategy::kCrossPartition};

//===- Each collective -------------------------------------------------------------------------------------------===//

constexpr int64_t kRows = 8, kColumns = 16;

std::vector<std::vector<Array>> matrices(GridShape grid) {
  std::vector<std::vector<Array>> arguments;
  for (int64_t process = 0; process < grid.size(); ++process) {
    Array matrix(kRows * kColumns);
    for (size_t i = 0; i < matrix.size(); ++i)
      matrix[i] = static_cast<float>(process * 1000 + static_cast<int64_t>(i));
    arguments.push_back({matrix});
  }
  return arguments;
}

std::string matrixType(int64_t rows, int64_t columns) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
}

// A program of one op on a matrix.
std::string programOf(const std::string &op, const std::string &region, const std::string &attributes, int64_t rows,
                      int64_t columns) {
  std::string from = matrixType(kRows, kColumns), to = matrixType(rows, columns);
  return "func.func @main(%x: " + from + ") -> " + to + " {\n  %0 = \"stablehlo." + op + "\"(%x) " + region + " {" +
         attributes + "} : (" + from + ") -> " + to + "\n  return %0 : " + to + "\n}";
}

// Pairs of neighbours, pairs of pairs, and so on; what has no neighbour goes on as it is.
float asTree(std::vector<float> values, const std::function<float(float, float)> &combine) {
  while (values.size() > 1) {
    std::vector<float> pairs;
    for (size_t i = 0; i < values.size(); i += 2)
      pairs.push_back(i + 1 < values.size() ? combine(values[i], values[i + 1]) : values[i]);
    values = pairs;
  }
  return values[0];
}

// a, b => 2 a + b: order and association show.
const char *const kCombine = R"(({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %a : tensor<f32>
    %s = stablehlo.add %t, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }))";

// What a process has, by the numbers of its group and its own place in there.
using Expected = std::function<Array(const std::vector<int64_t> &group, size_t place)>;

void check(GridShape grid, const Grouping &grouping, const std::string &program, const Expected &expected) {
  for (const char *target : kTargets) {
    auto results = runOn(target, grid, program, matrices(grid));
    if (results.empty())
      continue;
    for (const auto &group : grouping.processes)
      for (size_t place = 0; place < group.size(); ++place)
        ASSERT_EQ(results[group[place]], expected(group, place))
            << target << ", process " << group[place] << " of " << grid.replicas << " x " << grid.partitions << "\n"
            << program;
  }
}

float at(const std::vector<std::vector<Array>> &arguments, int64_t process, int64_t row, int64_t column) {
  return arguments[process][0][row * kColumns + column];
}

Array matrixOf(int64_t rows, int64_t columns, const std::function<float(int64_t, int64_t)> &element) {
  Array result;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      result.push_back(element(row, column));
  return result;
}

float combined(const std::vector<std::vector<Array>> &arguments, const std::vector<int64_t> &group, int64_t row,
               int64_t column) {
  std::vector<float> values;
  for (int64_t process : group)
    values.push_back(at(arguments, process, row, column));
  return asTree(values, [](float a, float b) { return a + a + b; });
}

TEST(Collectives, AllGather) {
  forEachGrouping(kThreeWays, [](GridShape grid, const Grouping &grouping) {
    auto arguments = matrices(grid);
    auto size = static_cast<int64_t>(grouping.processes[0].size());
    check(grid, grouping,
          programOf("all_gather", "", grouping.attributes + ", all_gather_dim = 0 : i64", kRows * size, kColumns),
          [&](const auto &group, size_t) {
            return matrixOf(kRows * size, kColumns, [&](int64_t row, int64_t column) {
              return at(arguments, group[row / kRows], row % kRows, column);
            });
          });
    check(grid, grouping,
          programOf("all_gather", "", grouping.attributes + ", all_gather_dim = 1 : i64", kRows, kColumns * size),
          [&](const auto &group, size_t) {
            return matrixOf(kRows, kColumns * size, [&](int64_t row, int64_t column) {
              return at(arguments, group[column / kColumns], row, column % kColumns);
            });
          });
  });
}

TEST(Collectives, AllReduce) {
  forEachGrouping(kThreeWays, [](GridShape grid, const Grouping &grouping) {
    auto arguments = matrices(grid);
    check(grid, grouping, programOf("all_reduce", kCombine, grouping.attributes, kRows, kColumns),
          [&](const auto &group, size_t) {
            return matrixOf(kRows, kColumns,
                            [&](int64_t row, int64_t column) { return combined(arguments, group, row, column); });
          });
  });
}

TEST(Collectives, ReduceScatter) {
  forEachGrouping(kThreeWays, [](GridShape grid, const Grouping &grouping) {
    auto arguments = matrices(grid);
    auto size = static_cast<int64_t>(grouping.processes[0].size());
    int64_t columns = kColumns / size;
    check(grid, grouping,
          programOf("reduce_scatter", kCombine, grouping.attributes + ", scatter_dimension = 1 : i64", kRows, columns),
          [&](const auto &group, size_t place) {
            return matrixOf(kRows, columns, [&](int64_t row, int64_t column) {
              return combined(arguments, group, row, static_cast<int64_t>(place) * columns + column);
            });
          });
  });
}

TEST(Collectives, AllToAll) {
  forEachGrouping(kTwoWays, [](GridShape grid, const Grouping &grouping) {
    auto arguments = matrices(grid);
    auto size = static_cast<int64_t>(grouping.processes[0].size());
    std::string count = ", split_count = " + std::to_string(size) + " : i64";
    int64_t columns = kColumns / size;
    check(grid, grouping,
          programOf("all_to_all", "",
                    grouping.attributes + count + ", split_dimension = 1 : i64, concat_dimension = 0 : i64",
                    kRows * size, columns),
          [&](const auto &group, size_t place) {
            return matrixOf(kRows * size, columns, [&](int64_t row, int64_t column) {
              return at(arguments, group[row / kRows], row % kRows, static_cast<int64_t>(place) * columns + column);
            });
          });
    int64_t rows = kRows / size;
    check(grid, grouping,
          programOf("all_to_all", "",
                    grouping.attributes + count + ", split_dimension = 0 : i64, concat_dimension = 0 : i64", kRows,
                    kColumns),
          [&](const auto &group, size_t place) {
            return matrixOf(kRows, kColumns, [&](int64_t row, int64_t column) {
              return at(arguments, group[row / rows], static_cast<int64_t>(place) * rows + row % rows, column);
            });
          });
  });
}

TEST(Collectives, Permute) {
  for (bool acrossPartitions : {false, true}) {
    GridShape grid = acrossPartitions ? GridShape{2, 4} : GridShape{4, 2};
    // 1 gets what 0 has, 3 what 1 has, 0 what 3 has; 2 sends, but nobody sends to it.
    std::string attributes = "source_target_pairs = dense<[[0, 1], [1, 3], [3, 0]]> : tensor<3x2xi64>";
    if (acrossPartitions)
      attributes += ", channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>";
    auto arguments = matrices(grid);
    const int64_t sourceOf[] = {3, 0, -1, 1};
    for (const char *target : kTargets) {
      auto results = runOn(target, grid, programOf("collective_permute", "", attributes, kRows, kColumns), arguments);
      ASSERT_EQ(results.size(), 8u);
      for (int64_t replica = 0; replica < grid.replicas; ++replica)
        for (int64_t partition = 0; partition < grid.partitions; ++partition) {
          int64_t source = sourceOf[acrossPartitions ? partition : replica];
          int64_t process = acrossPartitions ? replica * 4 + source : source * 2 + partition;
          Array expected = source < 0 ? Array(kRows * kColumns) : arguments[process][0];
          EXPECT_EQ(results[replica * grid.partitions + partition], expected) << target << replica << partition;
        }
    }
  }
}

TEST(Collectives, Broadcast) {
  GridShape grid{4, 1};
  auto arguments = matrices(grid);
  std::string program =
      programOf("collective_broadcast", "", "replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>", kRows, kColumns);
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, grid, program, arguments),
                ElementsAre(arguments[2][0], Array(kRows * kColumns), arguments[2][0], Array(kRows * kColumns)));
}

TEST(Collectives, Reduce) {
  forEachGrouping(kTwoWays, [](GridShape grid, const Grouping &grouping) {
    auto arguments = matrices(grid);
    check(grid, grouping, programOf("collective_reduce", kCombine, grouping.attributes, kRows, kColumns),
          [&](const auto &group, size_t place) {
            return place != 0 ? Array(kRows * kColumns) : matrixOf(kRows, kColumns, [&](int64_t row, int64_t column) {
              return combined(arguments, group, row, column);
            });
          });
  });
}

// The arrays %x and %y of two processes each, the roots of which the processes have as numbers: in group [3, 1] place 1
// and 0, in group [0] the only one. Process 2 is in no group, and may have any root.
std::string rootedProgram(const std::string &op, const std::string &region) {
  return R"(func.func @main(%x: tensor<2xf32>, %y: tensor<1xf32>, %r: tensor<2xf32>) -> tensor<3xf32> {
    %roots = stablehlo.convert %r : (tensor<2xf32>) -> tensor<2xi32>
    %0:2 = "stablehlo.)" +
         op + R"("(%x, %y, %roots) )" + region +
         R"( {has_dynamic_root, replica_groups = dense<[[3, 1], [0, -1]]> : tensor<2x2xi64>}
      : (tensor<2xf32>, tensor<1xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<1xf32>)
    %1 = stablehlo.concatenate %0#0, %0#1, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  })";
}

const std::vector<std::vector<Array>> kRooted = {
    {{1, 2}, {3}, {0, 0}}, {{10, 20}, {30}, {1, 0}}, {{100, 200}, {300}, {7, -7}}, {{1000, 2000}, {3000}, {1, 0}}};

TEST(Collectives, DynamicRoots) {
  for (const char *target : kTargets) {
    EXPECT_THAT(
        runOn(target, {4, 1}, rootedProgram("collective_broadcast", ""), kRooted),
        ElementsAre(ElementsAre(1, 2, 3), ElementsAre(10, 20, 3000), ElementsAre(0, 0, 0), ElementsAre(10, 20, 3000)))
        << target;
    // 2 a + b in the order of the group, [3, 1].
    EXPECT_THAT(
        runOn(target, {4, 1}, rootedProgram("collective_reduce", kCombine), kRooted),
        ElementsAre(ElementsAre(1, 2, 3), ElementsAre(2010, 4020, 0), ElementsAre(0, 0, 0), ElementsAre(0, 0, 6030)))
        << target;
  }
}

TEST(Collectives, RootsOutsideOfTheGroup) {
  for (const char *target : kTargets)
    for (float root : {-1.0F, 2.0F}) {
      auto arguments = kRooted;
      arguments[3][2][1] = arguments[1][2][1] = root;
      Grid grid(target, {4, 1}, {rootedProgram("collective_broadcast", "")});
      grid.run(arguments);
      EXPECT_THAT(grid.status.message(),
                  testing::HasSubstr("a root must be in [0, 2), got " + std::to_string(static_cast<int>(root))))
          << target;
    }
}

// What nobody gives is zero, of quantized types what stands for zero.
TEST(Collectives, QuantizedZeros) {
  std::string type = "tensor<1x!quant.uniform<i8:f32, 0.5:-3>>";
  std::string program = "func.func @main(%x: tensor<1xf32>) -> tensor<3xf32> {\n  %q = stablehlo.uniform_quantize %x : "
                        "(tensor<1xf32>) -> " +
                        type + R"(
    %0 = "stablehlo.collective_permute"(%q) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : ()" +
                        type + ") -> " + type + R"(
    %1 = "stablehlo.collective_broadcast"(%q) {replica_groups = dense<[[1]]> : tensor<1x1xi64>} : ()" +
                        type + ") -> " + type + R"(
    %2 = "stablehlo.collective_reduce"(%q) ({
    ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.25:5>>, %b: tensor<!quant.uniform<i16:f32, 0.25:5>>):
      %s = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.25:5>>
      stablehlo.return %s : tensor<!quant.uniform<i16:f32, 0.25:5>>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : ()" +
                        type + R"() -> tensor<1x!quant.uniform<i16:f32, 0.25:5>>
    %3 = stablehlo.uniform_dequantize %0 : ()" +
                        type + R"() -> tensor<1xf32>
    %4 = stablehlo.uniform_dequantize %1 : ()" +
                        type + R"() -> tensor<1xf32>
    %5 = stablehlo.uniform_dequantize %2 : (tensor<1x!quant.uniform<i16:f32, 0.25:5>>) -> tensor<1xf32>
    %6 = stablehlo.concatenate %3, %4, %5, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    return %6 : tensor<3xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{60}}, {{-40}}}),
                ElementsAre(ElementsAre(0, 0, 0), ElementsAre(60, -40, 20)))
        << target;
}

// An exponent alone has no zero: what nobody gives is what zero is converted to, NaN.
TEST(Collectives, WithoutZero) {
  const char *program = R"(func.func @main(%x: tensor<1xf32>) -> tensor<3xf32> {
    %e = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E8M0FNU>
    %0 = "stablehlo.collective_permute"(%e) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %1 = "stablehlo.collective_broadcast"(%e) {replica_groups = dense<[[1]]> : tensor<1x1xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %2 = "stablehlo.concatenate"(%e, %0, %1) {dimension = 0 : i64}
        : (tensor<1xf8E8M0FNU>, tensor<1xf8E8M0FNU>, tensor<1xf8E8M0FNU>) -> tensor<3xf8E8M0FNU>
    %3 = stablehlo.convert %2 : (tensor<3xf8E8M0FNU>) -> tensor<3xf32>
    return %3 : tensor<3xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{4}}, {{8}}}),
                ElementsAre(ElementsAre(4, testing::IsNan(), testing::IsNan()), ElementsAre(8, 4, 8)))
        << target;
}

TEST(Collectives, WithoutZeroAndSenders) {
  const char *program = R"(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %e = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E8M0FNU>
    %0 = "stablehlo.collective_permute"(%e) {source_target_pairs = dense<> : tensor<0x2xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %1 = stablehlo.convert %0 : (tensor<1xf8E8M0FNU>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{4}}, {{8}}}), testing::Each(ElementsAre(testing::IsNan()))) << target;
}

// The size of a group of all is that of the grid, also in a branch, and where the operand's size is open.
TEST(Collectives, OpenSizesInBranches) {
  const char *program = R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %open = stablehlo.dynamic_reshape %x, %four : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %0 = "stablehlo.if"(%true) ({
      %1 = "stablehlo.reduce_scatter"(%open) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %2 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) {scatter_dimension = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>} : (tensor<?xf32>) -> tensor<2xf32>
      %3 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}
          : (tensor<2xf32>) -> tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4}}, {{10, 20, 30, 40}}}),
                testing::Each(ElementsAre(11, 22, 33, 44)))
        << target;
}

// Sums in a wider type than the arrays': 200 + 100 does not fit ui8.
TEST(Collectives, PromotedReductions) {
  auto programOf = [](const std::string &op, const std::string &attributes) {
    return R"(func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
      %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xui8>
      %1 = "stablehlo.)" +
           op + R"("(%0) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %2 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>)" +
           attributes + R"(} : (tensor<2xui8>) -> tensor<?xi32>
      %3 = stablehlo.convert %1 : (tensor<?xi32>) -> tensor<?xf32>
      return %3 : tensor<?xf32>
    })";
  };
  for (const char *target : kTargets) {
    auto run = [&](std::string program, const std::string &size) {
      for (size_t at = 0; (at = program.find('?', at)) != std::string::npos;)
        program.replace(at, 1, size);
      return runOn(target, {2, 1}, program, {{{200, 1}}, {{100, 2}}});
    };
    EXPECT_THAT(run(programOf("all_reduce", ""), "2"), testing::Each(ElementsAre(300, 3))) << target;
    EXPECT_THAT(run(programOf("reduce_scatter", ", scatter_dimension = 0 : i64"), "1"),
                ElementsAre(ElementsAre(300), ElementsAre(3)))
        << target;
    EXPECT_THAT(run(programOf("collective_reduce", ""), "2"), ElementsAre(ElementsAre(300, 3), ElementsAre(0, 0)))
        << target;
  }
}

// Several operands, the deprecated sum, and what is begun and finished later.
TEST(Collectives, OtherForms) {
  const char *program = R"(func.func @main(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<6xf32> {
    %0:2 = "stablehlo.all_gather"(%x, %y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<2xf32>)
    %1 = "stablehlo.cross-replica-sum"(%0#1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.async_start"(%0#0) ({
    ^bb0(%a: tensor<4xf32>):
      %4 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%b: tensor<f32>, %c: tensor<f32>):
        %5 = stablehlo.maximum %b, %c : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
    %3 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
    %6 = stablehlo.concatenate %3, %1, dim = 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
    return %6 : tensor<6xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2}, {3}}, {{4, 5}, {6}}}),
                testing::Each(ElementsAre(1, 2, 4, 5, 6, 12)))
        << target;
}

//===- Reductions ------------------------------------------------------------------------------------------------===//

std::string sumOf(int64_t elements, const std::string &groups) {
  std::string type = "tensor<" + std::to_string(elements) + "xf32>";
  return "func.func @main(%x: " + type + ") -> " + type + R"( {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {replica_groups = )" +
         groups + "} : (" + type + ") -> " + type + "\n  return %0 : " + type + "\n}";
}

// Small arrays are reduced whole, large ones in pieces, of which the last may be smaller: in the order of the
// processes, to the bit.
TEST(Collectives, SumsKeepTheirOrderWhateverTheirSize) {
  std::mt19937 random(1);
  for (int64_t elements : {0, 1, 1000, 140'001, 200'000}) {
    std::vector<std::vector<Array>> arguments;
    for (int process = 0; process < 4; ++process) {
      Array array(elements);
      for (float &element : array)
        element = std::ldexp(static_cast<float>(random()) - 0x1p31f, static_cast<int>(random() % 20) - 40);
      arguments.push_back({array});
    }
    Array expected(elements);
    for (int64_t i = 0; i < elements; ++i)
      expected[i] = (arguments[2][0][i] + arguments[0][0][i]) + (arguments[3][0][i] + arguments[1][0][i]);
    for (const char *target : kTargets) {
      auto results = runOn(target, {4, 1}, sumOf(elements, "dense<[[2, 0, 3, 1]]> : tensor<1x4xi64>"), arguments);
      ASSERT_EQ(results.size(), 4u);
      for (const Array &result : results)
        EXPECT_TRUE(result == expected) << target << ", " << elements << " elements";
    }
  }
}

TEST(Collectives, GroupsOfDifferentSizes) {
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {4, 1}, sumOf(2, "dense<[[0, 1, 3], [2, -1, -1]]> : tensor<2x3xi64>"),
                      {{{1, 10}}, {{2, 20}}, {{3, 30}}, {{4, 40}}}),
                ElementsAre(ElementsAre(7, 70), ElementsAre(7, 70), ElementsAre(3, 30), ElementsAre(7, 70)))
        << target;
}

// A sum over many processes is a balanced tree, which a smaller group has as if it were alone: what every process adds
// is rounded as often as there are levels.
TEST(Collectives, SumsOfManyProcessesAreTrees) {
  constexpr int kProcesses = 83, kFirst = 56;
  std::string first, second, padding;
  std::vector<std::vector<Array>> arguments;
  std::vector<float> values[2];
  for (int process = 0; process < kProcesses; ++process) {
    auto value = static_cast<float>(process % 7 + 0.1);
    arguments.push_back({{value}});
    values[process < kFirst ? 0 : 1].push_back(value);
    (process < kFirst ? first : second) += (process == 0 || process == kFirst ? "" : ", ") + std::to_string(process);
  }
  for (int i = kProcesses - kFirst; i < kFirst; ++i)
    padding += ", -1";
  std::string program =
      sumOf(1, "dense<[[" + first + "], [" + second + padding + "]]> : tensor<2x" + std::to_string(kFirst) + "xi64>");
  for (const char *target : kTargets) {
    auto results = runOn(target, {kProcesses, 1}, program, arguments);
    ASSERT_EQ(results.size(), size_t(kProcesses));
    for (int process = 0; process < kProcesses; ++process)
      EXPECT_EQ(results[process][0], asTree(values[process < kFirst ? 0 : 1], std::plus<float>())) << target;
  }
}

// Of each element type: process (r, 0) gives r + 1, and the sum of three is converted back.
TEST(Collectives, EveryElementType) {
  for (const char *type : {"i2",           "i4",
                           "i8",           "i16",
                           "i32",          "i64",
                           "ui2",          "ui4",
                           "ui8",          "ui16",
                           "ui32",         "ui64",
                           "f8E5M2",       "f8E4M3FN",
                           "f4E2M1FN",     "bf16",
                           "f16",          "f32",
                           "f64",          "complex<f32>",
                           "complex<f64>", "!quant.uniform<i8:f32, 0.5:3>"}) {
    std::string t = type, tensor = "tensor<3x" + t + ">", scalar = "tensor<" + t + ">";
    bool isQuantized = t[0] == '!', isComplex = t[0] == 'c';
    auto conversion = [&](const char *from, const char *to, const std::string &value, const std::string &result) {
      std::string op = isQuantized ? (to == tensor ? "uniform_quantize" : "uniform_dequantize") : "convert";
      if (isComplex && to != tensor) // its real part first
        return "    " + result + "_re = stablehlo.real " + value + " : (" + from + ") -> tensor<3x" + t.substr(8, 3) +
               ">\n    " + result + " = stablehlo.convert " + result + "_re : (tensor<3x" + t.substr(8, 3) + ">) -> " +
               to + "\n";
      return "    " + result + " = stablehlo." + op + " " + value + " : (" + from + ") -> " + to + "\n";
    };
    std::string program =
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" +
        conversion("tensor<3xf32>", tensor.c_str(), "%x", "%0") + R"(    %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%a: )" +
        scalar + ", %b: " + scalar + "):\n      %2 = stablehlo." + (t == "i2" || t == "ui2" ? "or" : "add") +
        " %a, %b : " + scalar + "\n      stablehlo.return %2 : " + scalar +
        "\n    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (" + tensor + ") -> " + tensor + "\n" +
        conversion(tensor.c_str(), "tensor<3xf32>", "%1", "%back") + "    return %back : tensor<3xf32>\n}";
    std::vector<Array> expected = runOn("reference", {3, 1}, program, {{{1, 0, 1}}, {{0, 1, 1}}, {{0, 0, 1}}});
    float third = t == "i2" || t == "ui2" ? 1 : 3;
    EXPECT_THAT(expected, testing::Each(ElementsAre(1, 1, third))) << type;
    EXPECT_EQ(runOn("cpu", {3, 1}, program, {{{1, 0, 1}}, {{0, 1, 1}}, {{0, 0, 1}}}), expected) << type;
  }
}

//===- Programs --------------------------------------------------------------------------------------------------===//

// 10 replica_id + partition_id, by a loop whose turns communicate: partial sums around the ring of all processes.
TEST(Grid, PlacesAndLoops) {
  const char *program = R"(func.func @main() -> tensor<2xf32> {
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    %rf = stablehlo.convert %r : (tensor<ui32>) -> tensor<f32>
    %pf = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>
    %ten = stablehlo.constant dense<10.0> : tensor<f32>
    %t = stablehlo.multiply %rf, %ten : tensor<f32>
    %own = stablehlo.add %t, %pf : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %own) : tensor<i32>, tensor<f32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %moved = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}
            : (tensor<f32>) -> tensor<f32>
        %y = stablehlo.add %moved, %own : tensor<f32>
        stablehlo.return %next, %y : tensor<i32>, tensor<f32>
      }
    %a = stablehlo.reshape %own : (tensor<f32>) -> tensor<1xf32>
    %b = stablehlo.reshape %0#1 : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })";
  // Six numbers around the ring of replicas: each of the three twice.
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {3, 2}, program, {}),
                ElementsAre(ElementsAre(0, 60), ElementsAre(1, 66), ElementsAre(10, 60), ElementsAre(11, 66),
                            ElementsAre(20, 60), ElementsAre(21, 66)))
        << target;
}

// A collective whose result nobody uses is still one: other programs of the grid wait for it.
TEST(Grid, DifferentProgramsMeet) {
  const char *gather = R"("stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xf32>) -> tensor<2xf32>)";
  std::string first = std::string("func.func @main(%x: tensor<1xf32>) -> tensor<2xf32> {\n  %0 = ") + gather +
                      "\n  return %0 : tensor<2xf32>\n}";
  std::string second = std::string("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n  %0 = ") + gather +
                       "\n  %1 = stablehlo.negate %x : tensor<1xf32>\n  return %1 : tensor<1xf32>\n}";
  for (const char *target : kTargets) {
    Grid grid(target, {2, 1}, {first, second});
    EXPECT_THAT(grid.run({{{1}}, {{2}}}), ElementsAre(ElementsAre(1, 2), ElementsAre(-2))) << target;
    EXPECT_TRUE(grid.status.ok()) << grid.status.message();
  }
}

TEST(Grid, MessagesGoThroughChannels) {
  std::string ping = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t0 = stablehlo.create_token : !stablehlo.token
    %t1 = "stablehlo.send"(%x, %t0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        is_host_transfer = false} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %y, %t2 = "stablehlo.recv"(%t1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>,
        is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %y : tensor<2xf32>
  })";
  std::string pong = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t0 = stablehlo.create_token : !stablehlo.token
    %y, %t1 = "stablehlo.recv"(%t0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %z = stablehlo.add %x, %y : tensor<2xf32>
    %t2 = "stablehlo.send"(%z, %t1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>,
        is_host_transfer = false} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %y : tensor<2xf32>
  })";
  for (const char *target : kTargets) {
    Grid grid(target, {1, 2}, {ping, pong});
    EXPECT_THAT(grid.run({{{1, 2}}, {{10, 20}}}), ElementsAre(ElementsAre(11, 22), ElementsAre(1, 2))) << target;
    EXPECT_TRUE(grid.status.ok()) << grid.status.message();
  }
}

TEST(Grid, RunsOfOneProgramAtTheSameTime) {
  Grid grid("cpu", {2, 2}, {sumOf(1000, "dense<[[0, 1]]> : tensor<1x2xi64>")});
  std::vector<std::jthread> threads;
  for (float base = 0; base < 4; ++base)
    threads.emplace_back([&, base] {
      for (int turn = 0; turn < 50; ++turn) {
        Grid own = grid;
        auto results = own.run({{Array(1000, base)}, {Array(1000, 1)}, {Array(1000, base)}, {Array(1000, 2)}});
        ASSERT_TRUE(own.status.ok()) << own.status.message();
        EXPECT_EQ(results[0], Array(1000, 2 * base));
        EXPECT_EQ(results[3], Array(1000, 3));
      }
    });
}

//===- The specification's examples ------------------------------------------------------------------------------===//

TEST(SpecificationExamples, AllGather) { // line 623
  const char *program = R"(func.func @main(%operand: tensor<2x2xf32>) -> tensor<2x4xf32> {
    %result = "stablehlo.all_gather"(%operand) {
      all_gather_dim = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x2xf32>) -> tensor<2x4xf32>
    return %result : tensor<2x4xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}),
                testing::Each(ElementsAre(1, 2, 5, 6, 3, 4, 7, 8)));
}

TEST(SpecificationExamples, AllReduce) { // line 706
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, sumOf(4, "dense<[[0, 1]]> : tensor<1x2xi64>"), {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}),
                testing::Each(ElementsAre(6, 8, 10, 12)));
}

TEST(SpecificationExamples, AllToAll) { // line 809
  const char *program = R"(func.func @main(%operand: tensor<2x4xf32>) -> tensor<4x2xf32> {
    %result = "stablehlo.all_to_all"(%operand) {
      split_dimension = 1 : i64,
      concat_dimension = 0 : i64,
      split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<2x4xf32>) -> tensor<4x2xf32>
    return %result : tensor<4x2xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4, 5, 6, 7, 8}}, {{9, 10, 11, 12, 13, 14, 15, 16}}}),
                ElementsAre(ElementsAre(1, 2, 5, 6, 9, 10, 13, 14), ElementsAre(3, 4, 7, 8, 11, 12, 15, 16)));
}

TEST(SpecificationExamples, CollectivePermute) { // line 1573
  const char *program = R"(func.func @main(%operand: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %result = "stablehlo.collective_permute"(%operand) {
      source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %result : tensor<2x2xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}),
                ElementsAre(ElementsAre(0, 0, 0, 0), ElementsAre(1, 2, 3, 4)));
}

TEST(SpecificationExamples, ReduceScatter) { // line 3988
  const char *program = R"(func.func @main(%operand: tensor<2x4xf32>) -> tensor<2x2xf32> {
    %result = "stablehlo.reduce_scatter"(%operand) ({
      ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
      %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%0) : (tensor<f32>) -> ()
    }) {
      scatter_dimension = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
    } : (tensor<2x4xf32>) -> tensor<2x2xf32>
    return %result : tensor<2x2xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4, 5, 6, 7, 8}}, {{9, 10, 11, 12, 13, 14, 15, 16}}}),
                ElementsAre(ElementsAre(10, 12, 18, 20), ElementsAre(14, 16, 22, 24)));
}

} // namespace
} // namespace tenon
