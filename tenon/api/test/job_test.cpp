// Grids that are spread over several OS processes, each of which is this program again.
#include "tenon/api/testing/builder_fixture.h"
#include "tenon/support/testing/free_port.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <unistd.h>

namespace tenon::xla_2017 {
namespace {

TEST(Job, SpreadsGridsOverOsProcesses) {
  std::string script = "export TENON_COORDINATOR=127.0.0.1:" + std::to_string(tenon::testing::freePort()) +
                       " TENON_JOB_TOKEN='a token of the test' TENON_PROCESSES=2\n"
                       "run() { TENON_PROCESS=$1 /proc/" +
                       std::to_string(getpid()) +
                       "/exe --gtest_also_run_disabled_tests --gtest_filter='JobProcess.*'; }\n"
                       "run 0 & run 1; second=$?; wait $!; exit $(($? + second))";
  // NOLINTNEXTLINE(bugprone-command-processor): the script is ours.
  EXPECT_EQ(std::system(script.c_str()), 0);
}

// What each of the processes does.
class JobProcess : public BuilderTest {};

TEST_F(JobProcess, DISABLED_GivesAndGetsItsPart) {
  ASSERT_EQ(client_->process_count(), 2);
  auto self = client_->process_index();
  auto sum = Computation::FromStableHlo(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  ASSERT_TRUE(sum.ok()) << sum.status().ToString();
  std::vector<std::unique_ptr<GlobalData>> data;
  std::vector<ComputationInstance> processes;
  for (int64 place = 2 * self; place < 2 * self + 2; ++place) {
    auto number = static_cast<float>(place);
    data.push_back(client_->TransferToServer(LiteralUtil::CreateR1<float>({number, 10 * number})).ConsumeValueOrDie());
    processes.push_back({sum.ValueOrDie().get(), {data.back().get()}});
  }
  for (int run = 0; run < 3; ++run) {
    auto results = client_->ExecuteParallel(4, 1, processes);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    ASSERT_EQ(results->size(), 2u);
    EXPECT_EQ(*client_->Transfer(*(*results)[0]).ConsumeValueOrDie(), LiteralUtil::CreateR1<float>({2, 20}));
    EXPECT_EQ(*client_->Transfer(*(*results)[1]).ConsumeValueOrDie(), LiteralUtil::CreateR1<float>({4, 40}));
  }
  EXPECT_THAT(client_->ExecuteParallel(2, 1, processes).status().message(),
              ::testing::HasSubstr("a grid of 2 x 1 cannot have 2 processes in each of 2 OS processes"));
}

} // namespace
} // namespace tenon::xla_2017
