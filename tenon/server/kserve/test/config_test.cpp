#include "tenon/server/kserve/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::kserve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelConfig read(const std::string &text) { return readConfig(text).ConsumeValueOrDie(); }
std::string errorOf(const std::string &text) { return readConfig(text).status().message(); }

TEST(ConfigTest, HasDefaults) {
  ModelConfig config = read("{}");
  EXPECT_EQ(config.maxBatchSize, 0);
  EXPECT_TRUE(config.batchSizes.empty());
  EXPECT_EQ(config.versions.latest, 1);
}

TEST(ConfigTest, ProgramsAreOfPreferredSizesAndTheLargest) {
  EXPECT_THAT(read(R"({"max_batch_size": 8})").batchSizes, ElementsAre(8));
  ModelConfig config = read(R"({"max_batch_size": 8, "dynamic_batching": {
    "preferred_batch_size": [4, 1, 4], "max_queue_delay_microseconds": 50, "max_queue_size": 7}})");
  EXPECT_THAT(config.batchSizes, ElementsAre(1, 4, 8));
  EXPECT_EQ(config.maxQueueDelay, std::chrono::microseconds(50));
  EXPECT_EQ(config.maxQueueSize, 7);
}

TEST(ConfigTest, PoliciesChooseVersions) {
  auto chosen = [](const std::string &policy) {
    return chosenVersions(read("{\"version_policy\": " + policy + "}").versions, {1, 2, 5, 9});
  };
  EXPECT_THAT(chosenVersions({}, {1, 2, 5, 9}), ElementsAre(9));
  EXPECT_THAT(chosen(R"({"latest": {"num_versions": 2}})"), ElementsAre(5, 9));
  EXPECT_THAT(chosen(R"({"all": {}})"), ElementsAre(1, 2, 5, 9));
  EXPECT_THAT(chosen(R"({"specific": {"versions": [2, 3]}})"), ElementsAre(2));
}

TEST(ConfigTest, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf("{"), "config.json is no JSON");
  EXPECT_EQ(errorOf("[]"), "config.json must be an object");
  EXPECT_EQ(errorOf(R"({"max_batch": 1})"), "config.json has a field that is not known: 'max_batch'");
  EXPECT_THAT(errorOf(R"({"max_batch_size": -1})"), HasSubstr("max_batch_size must be an integer from 0"));
  EXPECT_THAT(errorOf(R"({"max_batch_size": 18446744073709551615})"), HasSubstr("max_batch_size must be"));
  EXPECT_THAT(errorOf(R"({"max_batch_size": 1.5})"), HasSubstr("max_batch_size must be"));
  EXPECT_THAT(errorOf(R"({"max_batch_size": 2, "dynamic_batching": {"preferred_batch_size": [4]}})"),
              HasSubstr("above max_batch_size"));
  EXPECT_THAT(errorOf(R"({"dynamic_batching": {"max_queue_delay_microseconds": 5}})"),
              HasSubstr("max_batch_size above"));
  EXPECT_THAT(errorOf(R"({"inputs": ["a", "a"]})"), HasSubstr("inputs must be names that differ"));
  EXPECT_THAT(errorOf(R"({"version_policy": {"all": {}, "latest": {}}})"), HasSubstr("one of latest, all"));
  EXPECT_THAT(errorOf(R"({"instance_count": 1000})"), HasSubstr("instance_count"));
}

} // namespace
} // namespace tenon::kserve
