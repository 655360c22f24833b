// The groups and pairs of processes that collectives name (StableHLO specification, "Collective ops"; SYS-67, SYS-72).
#include "tenon/ir/group_axes.h"

#include "tenon/ir/register.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::ir {
namespace {

using testing::HasSubstr;
using Ids = std::vector<std::vector<int64_t>>;

llvm::SmallVector<llvm::SmallVector<int64_t, 8>> listOf(const Ids &ids) {
  llvm::SmallVector<llvm::SmallVector<int64_t, 8>> list;
  for (const auto &group : ids)
    list.emplace_back(group.begin(), group.end());
  return list;
}

Ids groups(const Ids &ids, Grouping grouping, const ProcessGrid &grid) {
  auto result = processGroups(listOf(ids), grouping, grid);
  EXPECT_TRUE(result.ok()) << result.status().message();
  Ids list;
  if (result.ok())
    for (const auto &group : *result)
      list.emplace_back(group.begin(), group.end());
  return list;
}

// Processes (replica, partition) of a grid.
Ids processes(const std::vector<std::vector<std::pair<int64_t, int64_t>>> &groups, const ProcessGrid &grid) {
  Ids ids;
  for (const auto &group : groups)
    for (ids.emplace_back(); auto [replica, partition] : group)
      ids.back().push_back(grid.process(replica, partition));
  return ids;
}

TEST(ProcessGroups, AreThoseOfTheSpecificationsExamples) {
  ProcessGrid four{4, 2};
  EXPECT_EQ(groups({{0, 1}, {2, 3}}, Grouping::CrossReplica, four),
            processes({{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{2, 0}, {3, 0}}, {{2, 1}, {3, 1}}}, four));
  EXPECT_EQ(groups({{0, 1}}, Grouping::CrossPartition, four),
            processes({{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}, {{2, 0}, {2, 1}}, {{3, 0}, {3, 1}}}, four));
  EXPECT_EQ(groups({{0, 1}, {2, 3}}, Grouping::CrossReplicaAndPartition, four),
            processes({{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {{2, 0}, {3, 0}, {2, 1}, {3, 1}}}, four));
  EXPECT_EQ(groups({{0, 1, 2, 3}, {4, 5, 6, 7}}, Grouping::FlattenedIds, four),
            processes({{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {{2, 0}, {2, 1}, {3, 0}, {3, 1}}}, four));
}

TEST(ProcessGroups, OfNoIdsAreOneOfAll) {
  EXPECT_EQ(groups({}, Grouping::CrossReplica, {2, 2}), (Ids{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups({}, Grouping::CrossReplicaAndPartition, {2, 2}), (Ids{{0, 2, 1, 3}}));
  EXPECT_EQ(groups({}, Grouping::FlattenedIds, {2, 2}), (Ids{{0, 1, 2, 3}}));
}

TEST(ProcessGroups, KeepTheirOrderAndIgnorePadding) {
  EXPECT_EQ(groups({{2, 0, 1}, {3, -1, -1}}, Grouping::CrossReplica, {4, 1}), (Ids{{2, 0, 1}, {3}}));
}

TEST(ProcessGroups, ThatDoNotFitTheGridAreErrors) {
  auto failure = [](const Ids &ids, Grouping grouping, const ProcessGrid &grid) {
    return processGroups(listOf(ids), grouping, grid).status().message();
  };
  EXPECT_THAT(failure({{0, 4}}, Grouping::FlattenedIds, {2, 2}), HasSubstr("name 4, but the grid has only 4"));
  EXPECT_THAT(failure({{0, 1}, {1, 2}}, Grouping::CrossReplica, {3, 1}), HasSubstr("name 1 twice"));
  EXPECT_THAT(failure({{0, 1}}, Grouping::CrossReplica, {3, 1}), HasSubstr("name 2 of the grid's 3"));
  EXPECT_THAT(failure({}, Grouping::FlattenedIds, {int64_t(1) << 40, int64_t(1) << 40}), HasSubstr("a grid has 1 to"));
  EXPECT_THAT(failure({}, Grouping::CrossReplica, {-1, 1}), HasSubstr("a grid has 1 to"));
}

class PairsTest : public testing::Test {
protected:
  PairsTest() { loadAllDialects(context); }

  std::vector<std::pair<int64_t, int64_t>> pairs(const std::string &op, const ProcessGrid &grid) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = " + op + "\n  return %0 : tensor<f32>\n}", &context);
    if (!module)
      return {};
    mlir::Operation *collective =
        &module->lookupSymbol<mlir::FunctionOpInterface>("main").getFunctionBody().front().front();
    auto result = processPairs(collective, grid);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? std::vector<std::pair<int64_t, int64_t>>(result->begin(), result->end())
                       : std::vector<std::pair<int64_t, int64_t>>();
  }

  mlir::MLIRContext context;
};

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

TEST_F(PairsTest, OfPermutesAreOfReplicasOrOfPartitions) {
  EXPECT_EQ(
      pairs(R"("stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}
                  : (tensor<f32>) -> tensor<f32>)",
            {2, 2}),
      (Pairs{{0, 2}, {1, 3}, {2, 0}, {3, 1}}));
  EXPECT_EQ(pairs(R"("stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
                  channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<f32>) -> tensor<f32>)",
                  {2, 2}),
            (Pairs{{0, 1}, {2, 3}}));
}

TEST_F(PairsTest, OfBroadcastsComeFromTheFirst) {
  EXPECT_EQ(pairs(R"("stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}
                  : (tensor<f32>) -> tensor<f32>)",
                  {4, 1}),
            (Pairs{{2, 2}, {2, 1}}));
}

//===- Axes ------------------------------------------------------------------------------------------------------===//

ProcessGroups groupsOf(const Ids &ids) {
  ProcessGroups groups;
  for (const auto &group : ids)
    groups.emplace_back(group.begin(), group.end());
  return groups;
}

std::string axesText(const Ids &ids) {
  auto axes = groupAxes(groupsOf(ids));
  if (!axes)
    return "none";
  std::string text;
  for (const ProcessAxis &axis : *axes)
    text += std::to_string(axis.size) + ":" + std::to_string(axis.stride) + " ";
  return text;
}

TEST(GroupAxes, AreFoundInLists) {
  EXPECT_EQ(axesText({{0, 1, 2, 3, 4, 5, 6, 7}}), "8:1 ");
  EXPECT_EQ(axesText({{0, 4}, {1, 5}, {2, 6}, {3, 7}}), "2:4 ");
  EXPECT_EQ(axesText({{0, 1, 4, 5}, {2, 3, 6, 7}}), "2:4 2:1 ");
  EXPECT_EQ(axesText({{2, 6, 3, 7}, {0, 4, 1, 5}}), "2:1 2:4 "); // in the groups' order
  EXPECT_EQ(axesText({{0, 2, 4, 1, 3, 5}}), "2:1 3:2 ");
  EXPECT_EQ(axesText({{0}, {1}, {2}}), "");
}

TEST(GroupAxes, AreNotInOthers) {
  for (const Ids &ids : {Ids{{1, 0}}, Ids{{0, 1}, {3, 2}}, Ids{{0, 2}, {1}}, Ids{{0, 3}, {1, 2}}, Ids{{0, 1, 2, 4}},
                         Ids{{1, 2}, {0, 3}}, Ids{{0, 2}, {4, 6}}, Ids{{1, 2}, {3, 4}}, Ids{},
                         Ids{{0, 1, 3}, {2, 4, 5}}, Ids{{0, 2}, {1, 3}, {5, 7}, {4, 8}}})
    EXPECT_EQ(axesText(ids), "none") << testing::PrintToString(ids);
}

// As axes of a mesh and back.
TEST(GroupAxes, OfAMeshAreTheSameGroups) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (Ids ids : {Ids{{0, 1, 2, 3, 4, 5, 6, 7}}, Ids{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, Ids{{0, 4, 1, 5}, {2, 6, 3, 7}},
                  Ids{{0}, {1}, {2}}, Ids{{0}}, Ids{{0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11}}}) {
    ProcessGroups groups = groupsOf(ids);
    auto axes = meshAxes(&context, groups, static_cast<int64_t>(ids.size() * ids[0].size()));
    ASSERT_TRUE(axes) << testing::PrintToString(ids);
    auto again = meshGroups(*module, *axes);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_TRUE(std::equal(again->begin(), again->end(), groups.begin(), groups.end())) << testing::PrintToString(ids);
  }
  EXPECT_FALSE(meshAxes(&context, groupsOf({{0, 1}}), 4)); // others are in no group
  EXPECT_FALSE(meshAxes(&context, groupsOf({{1, 0}}), 2));
}

} // namespace
} // namespace tenon::ir
