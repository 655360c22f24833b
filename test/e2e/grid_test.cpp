// Whole programs on grids of processes, compiled and interpreted, and the specification's examples of collectives
// (StableHLO specification, "Parallel execution"; SYS-67, 68, 69, 71, API-T33).
#include "test/e2e/grid_testing.h"

#include <gmock/gmock.h>

#include <thread>

namespace tenon {
namespace {

using testing::ElementsAre;

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
