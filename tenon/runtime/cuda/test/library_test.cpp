#include "tenon/runtime/cuda/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace tenon::runtime::cuda {
namespace {

using ::testing::HasSubstr;

TEST(DriverLibrary, FillsTheWholeTable) {
  auto driver = openDriver(TENON_FAKE_DRIVER);
  ASSERT_TRUE(driver.ok()) << driver.status().message();
  std::array<uintptr_t, sizeof(Driver) / sizeof(uintptr_t)> functions;
  std::memcpy(functions.data(), &*driver, sizeof(functions));
  EXPECT_THAT(functions, ::testing::Each(::testing::Ne(0)));
  int count = 0;
  EXPECT_EQ(driver->init(0), Result::kSuccess);
  EXPECT_EQ(driver->deviceGetCount(&count), Result::kSuccess);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(static_cast<int>(driver->memFree(0)), 999);
}

TEST(DriverLibrary, NamesWhatIsMissing) {
  auto none = openDriver("libno_such_driver.so.1");
  ASSERT_EQ(none.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("libno_such_driver.so.1: cannot open"));
  auto old = openDriver(TENON_OLD_DRIVER);
  ASSERT_EQ(old.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(old.status().message(), HasSubstr("has no cuLaunchKernel"));
  auto other = openDriver("libm.so.6");
  ASSERT_EQ(other.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(other.status().message(), HasSubstr("older than CUDA 12"));
}

} // namespace
} // namespace tenon::runtime::cuda
