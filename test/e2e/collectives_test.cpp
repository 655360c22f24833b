// Collectives of grids of processes, compiled and interpreted, against what the specification's definitions give when
// they are followed by hand (StableHLO specification, "Parallel execution"; SYS-67, 68, 69, 71, 72, API-T33).
#include "test/e2e/grid_testing.h"

#include <gmock/gmock.h>

#include <functional>

namespace tenon {
namespace {

using testing::ElementsAre;
using Ids = std::vector<std::vector<int64_t>>;

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

// A process that is in no group has nothing, also where the groups are all there is of a smaller grid.
TEST(Collectives, LeaveProcessesOut) {
  GridShape grid{3, 1};
  auto arguments = matrices(grid);
  Array zeros(kRows * kColumns), sums = zeros;
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = 2 * arguments[0][0][i] + arguments[1][0][i];
  std::string groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  for (const char *target : kTargets) {
    EXPECT_THAT(runOn(target, grid, programOf("collective_reduce", kCombine, groups, kRows, kColumns), arguments),
                ElementsAre(sums, zeros, zeros));
    EXPECT_THAT(runOn(target, grid, programOf("collective_broadcast", "", groups, kRows, kColumns), arguments),
                ElementsAre(arguments[0][0], arguments[0][0], zeros));
  }
}

} // namespace
} // namespace tenon
