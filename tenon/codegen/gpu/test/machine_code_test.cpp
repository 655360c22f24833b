#include "tenon/codegen/gpu/machine_code.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

namespace tenon::codegen {
namespace {

class MachineCode : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "tenon_machine_code";
    std::filesystem::remove_all(folder_);
    auto opened = ObjectCache::open(folder_, 1 << 20);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    cache_ = std::move(*opened);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  StatusOr<std::string> make(std::string_view ptx, std::string_view chip, const std::string &version,
                             ObjectCache *cache) {
    return machineCodeOf(ptx, chip,
                         {version,
                          [&](std::string_view source) -> StatusOr<std::string> {
                            ++made_;
                            if (source == "bad")
                              return internalError("syntax error");
                            return version + std::string(chip) + std::string(source);
                          }},
                         cache);
  }

  std::filesystem::path folder_;
  std::unique_ptr<ObjectCache> cache_;
  int made_ = 0;
};

TEST_F(MachineCode, IsMadeOnceForAllProcesses) {
  EXPECT_EQ(*make("a", "sm_80", "ptxas 1", cache_.get()), "ptxas 1sm_80a");
  auto other = ObjectCache::open(folder_, 1 << 20);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(*make("a", "sm_80", "ptxas 1", other->get()), "ptxas 1sm_80a");
  EXPECT_EQ(made_, 1);
}

TEST_F(MachineCode, IsAnothersOfAnotherTextChipOrAssembler) {
  EXPECT_EQ(*make("a", "sm_80", "ptxas 1", cache_.get()), "ptxas 1sm_80a");
  EXPECT_EQ(*make("b", "sm_80", "ptxas 1", cache_.get()), "ptxas 1sm_80b");
  EXPECT_EQ(*make("a", "sm_90a", "ptxas 1", cache_.get()), "ptxas 1sm_90aa");
  EXPECT_EQ(*make("a", "sm_80", "ptxas 2", cache_.get()), "ptxas 2sm_80a");
  EXPECT_EQ(made_, 4);
}

TEST_F(MachineCode, OfWhatFailsIsNotKept) {
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(make("bad", "sm_80", "ptxas 1", cache_.get()).status().message(), "syntax error");
  EXPECT_EQ(made_, 2);
}

TEST_F(MachineCode, IsMadeEachTimeWithoutACache) {
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(*make("a", "sm_80", "ptxas 1", nullptr), "ptxas 1sm_80a");
  EXPECT_EQ(made_, 2);
}

} // namespace
} // namespace tenon::codegen
