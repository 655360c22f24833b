// Grids of processes through a client (requirement inventory API-T33; SYS-67 to 72).
#include "tenon/api/testing/builder_fixture.h"

#include <thread>

namespace tenon::xla_2017 {
namespace {

class ParallelTest : public BuilderTest {
protected:
  std::unique_ptr<Computation> program(const std::string &text) {
    auto computation = Computation::FromStableHlo(text);
    EXPECT_TRUE(computation.ok()) << computation.status().ToString();
    return computation.ConsumeValueOrDie();
  }
  std::unique_ptr<GlobalData> floats(std::initializer_list<float> values) {
    return client_->TransferToServer(LiteralUtil::CreateR1<float>(values)).ConsumeValueOrDie();
  }
  Literal literal(const std::unique_ptr<GlobalData> &data) {
    return std::move(*client_->Transfer(*data).ConsumeValueOrDie());
  }

  // Adds up over groups of replicas.
  std::unique_ptr<Computation> sumOver(const std::string &groups) {
    return program(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {replica_groups = )" +
                   groups + R"(} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  }
};

TEST_F(ParallelTest, OneProgramForAll) {
  auto sum = sumOver("dense<[[0, 1]]> : tensor<1x2xi64>");
  std::vector<std::unique_ptr<GlobalData>> data;
  std::vector<ComputationInstance> processes;
  for (float process = 0; process < 4; ++process) {
    data.push_back(floats({process, 10 * process}));
    processes.push_back({sum.get(), {data.back().get()}});
  }
  ExecutionProfile profile;
  int64 before = client_->GetStatistics().ConsumeValueOrDie().compilations;
  for (int run = 0; run < 3; ++run) {
    auto results = client_->ExecuteParallel(2, 2, processes, nullptr, &profile);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    // Replicas 0 and 1 of partition 0, and of partition 1.
    EXPECT_EQ(literal((*results)[0]), LiteralUtil::CreateR1<float>({2, 20}));
    EXPECT_EQ(literal((*results)[1]), LiteralUtil::CreateR1<float>({4, 40}));
    EXPECT_EQ(literal((*results)[2]), LiteralUtil::CreateR1<float>({2, 20}));
    EXPECT_EQ(literal((*results)[3]), LiteralUtil::CreateR1<float>({4, 40}));
  }
  EXPECT_GT(profile.compute_time.count(), 0);
  EXPECT_EQ(client_->GetStatistics().ConsumeValueOrDie().compilations, before + 1);
}

TEST_F(ParallelTest, DifferentProgramsAndOneOfABuilder) {
  auto send = program(R"(func.func @main(%x: tensor<2xf32>) -> tensor<ui32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        is_host_transfer = false} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %1 = stablehlo.partition_id : tensor<ui32>
    return %1 : tensor<ui32>
  })");
  auto receive = program(R"(func.func @main() -> (tensor<2xf32>, tensor<ui32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %0, %u = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<2xf32>, tensor<ui32>
  })");
  auto x = b_.Parameter(0, F32Shape({2}), "x");
  b_.Add(x, x);
  auto twice = b_.Build().ConsumeValueOrDie();
  auto data = floats({1, 2});
  std::vector<ComputationInstance> processes = {
      {receive.get(), {}}, {twice.get(), {data.get()}}, {send.get(), {data.get()}}};
  auto results = client_->ExecuteParallel(1, 3, processes);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  std::vector<Literal> received;
  received.push_back(LiteralUtil::CreateR1<float>({1, 2}));
  received.push_back(LiteralUtil::CreateR0<uint32>(0));
  EXPECT_EQ(literal((*results)[0]), LiteralUtil::MakeTuple(std::move(received)));
  EXPECT_EQ(literal((*results)[1]), LiteralUtil::CreateR1<float>({2, 4}));
  EXPECT_EQ(literal((*results)[2]), LiteralUtil::CreateR0<uint32>(2));
}

TEST_F(ParallelTest, EachProcessHasItsOwnStreams) { // SYS-70
  auto echo = program(R"(func.func @main() -> tensor<2xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    %v = "stablehlo.outfeed"(%0, %u) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : tensor<2xf32>
  })");
  for (int64 process : {1, 0})
    ASSERT_TRUE(client_->TransferToInfeed(LiteralUtil::CreateR1<float>({1, float(process)}), process).ok());
  std::vector<ComputationInstance> processes(2, {echo.get(), {}});
  auto results = client_->ExecuteParallel(2, 1, processes);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (int64 process : {0, 1}) {
    auto fed = LiteralUtil::CreateR1<float>({1, float(process)});
    EXPECT_EQ(literal((*results)[static_cast<size_t>(process)]), fed);
    EXPECT_EQ(*client_->TransferFromOutfeed(F32Shape({2}), process).ConsumeValueOrDie(), fed);
  }
}

TEST_F(ParallelTest, WhatDoesNotFitIsAnError) {
  auto sum = sumOver("dense<[[0, 1, 2]]> : tensor<1x3xi64>");
  auto data = floats({1, 2}), other = floats({1, 2, 3});
  auto failure = [&](int64 replicas, int64 partitions, const std::vector<ComputationInstance> &processes) {
    return client_->ExecuteParallel(replicas, partitions, processes).status();
  };
  ComputationInstance good{sum.get(), {data.get()}};
  EXPECT_EQ(failure(2, 1, {good}).message(), "a grid of 2 x 1 cannot have 1 processes");
  EXPECT_EQ(failure(0, 1, {}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(failure(int64(1) << 40, int64(1) << 40, {}).code(), StatusCode::kInvalidArgument);
  Status status = failure(2, 1, {good, good});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("process (0, 0): "));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("replica_groups must have 2 ids"));
  EXPECT_EQ(failure(2, 1, {{nullptr, {}}, good}).message(), "process (0, 0): there is no computation");
  EXPECT_THAT(failure(3, 1, {good, good, {sum.get(), {other.get()}}}).message(),
              ::testing::HasSubstr("process (2, 0): main: argument 0 (x) must be f32[2], and is f32[3]"));
  // What is written for a grid does not run alone.
  auto own = program("module attributes {mhlo.num_replicas = 2 : i32} { func.func @main(%x: tensor<2xf32>) -> "
                     "tensor<4xf32> { %0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = "
                     "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>\n return %0 : "
                     "tensor<4xf32> } }");
  status = client_->Execute(*own, {data.get()}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("is run as one alone"));
}

TEST_F(ParallelTest, FailuresNameTheirProcess) {
  auto sum = sumOver("dense<[[0, 1]]> : tensor<1x2xi64>");
  auto x = b_.Parameter(0, F32Shape({2}), "x");
  b_.Neg(x);
  auto negate = b_.Build().ConsumeValueOrDie();
  auto data = floats({1, 2});
  Status status =
      client_
          ->ExecuteParallel(2, 1,
                            std::vector<ComputationInstance>{{sum.get(), {data.get()}}, {negate.get(), {data.get()}}})
          .status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("process (0, 0): "));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("process (1, 0) has ended"));
}

} // namespace
} // namespace tenon::xla_2017
