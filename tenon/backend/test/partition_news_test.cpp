// What the file that TENON_PARTITION_REPORT names is told.
#include "tenon/backend/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tenon::backend {
namespace {

// A program for two devices, as JAX sends it.
void compileFor(const char *partition, const std::string &name) {
  const std::string text = "module @" + name + R"( attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["d"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) -> tensor<8xf32> {
    %0 = stablehlo.add %x, %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
})";
  CompileOptions options;
  options.numPartitions = 2;
  options.useSpmdPartitioning = options.useShardyPartitioner = true;
  options.overrides = {{"partition", std::string(partition)}};
  auto executable = (*backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message();
}

// The variable is read once in a process, so there is one test.
TEST(PartitionNews, TellOfProgramsThatAreCutAndOfNoOthers) {
  std::string folder = (std::filesystem::temp_directory_path() / "tenon_news_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/report.jsonl";
  setenv("TENON_PARTITION_REPORT", path.c_str(), 1);

  compileFor("whole", "whole");
  EXPECT_FALSE(std::filesystem::exists(path));
  compileFor("spmd", "cut");
  compileFor("whole", "whole");

  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  EXPECT_THAT(lines, testing::ElementsAre(testing::HasSubstr(R"("program":"cut","devices":2)")));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace tenon::backend
