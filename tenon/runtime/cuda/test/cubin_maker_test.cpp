#include "tenon/runtime/cuda/cubin_maker.h"

#include "tenon/runtime/cuda/testing/assembler_fixture.h"
#include "tenon/support/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <optional>

namespace tenon::runtime::cuda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Environment variables that go back to what they were.
class Variables {
public:
  ~Variables() {
    for (auto &[name, value] : before_)
      set(name.c_str(), value);
  }
  void change(const char *name, const std::optional<std::string> &value) {
    const char *now = std::getenv(name);
    before_.emplace(name, now ? std::optional<std::string>(now) : std::nullopt);
    set(name, value);
  }

private:
  static void set(const char *name, const std::optional<std::string> &value) {
    if (value)
      ::setenv(name, value->c_str(), 1);
    else
      ::unsetenv(name);
  }

  std::map<std::string, std::optional<std::string>> before_;
};

// A folder of tools in which there is what a test puts there, and nothing of the machine's.
class CubinMakers : public ::testing::Test {
protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "lib");
    variables_.change("TENON_CUDA_PATH", folder_.string());
    variables_.change("VIRTUAL_ENV", std::nullopt);
    variables_.change("PATH", "/usr/bin:/bin");
    variables_.change("TENON_CUDA_ASSEMBLER", std::nullopt);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void addJitLink(const char *library, const char *name) { fs::copy_file(library, folder_ / "lib" / name); }
  // Says its version, and copies what it is given.
  void addPtxas(const std::string &release = "12.9", const std::string &version = "12.9.86") {
    fs::path program = folder_ / "bin" / "ptxas";
    ASSERT_TRUE(writeFile(program, "#!/bin/sh\nif [ $1 = --version ]; then echo release " + release + ", V" + version +
                                       "; exit 0; fi\ncp $5 $4\n")
                    .ok());
    fs::permissions(program, fs::perms::owner_all);
  }

  Variables variables_;
  // The loader takes a library for one that it has loaded from the same path, so that each test has its own.
  fs::path folder_ = fs::path(::testing::TempDir()) / (std::string("tenon_cubin_tools_") +
                                                       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(CubinMakers, TakeTheNewerOfAnOldProgramAndTheLibrary) {
  addPtxas("12.4", "12.4.131");
  auto program = findCubinMaker();
  ASSERT_TRUE(program.ok() && *program);
  EXPECT_EQ((*program)->version(), "ptxas 12.4.131");
  EXPECT_EQ((*program)->make("some text", "sm_80")->bytes, "some text");
  addJitLink(TENON_FAKE_JIT_LINK_13, "libnvJitLink.so.13");
  auto library = findCubinMaker();
  ASSERT_TRUE(library.ok() && *library);
  EXPECT_EQ((*library)->version(), "nvJitLink 13.7");
  EXPECT_EQ((*library)->make("some text", "sm_90a")->bytes, "-arch=sm_90a some text");
}

TEST_F(CubinMakers, TakeAnOldProgramWhereTheLibraryIsNoNewer) {
  addJitLink(TENON_FAKE_JIT_LINK_12, "libnvJitLink.so.12");
  for (auto [release, version] : {std::pair("12.6", "nvJitLink 12.7"), std::pair("12.7", "ptxas 12.7.1")}) {
    addPtxas(release, std::string(release) + ".1");
    EXPECT_EQ((*findCubinMaker())->version(), version);
  }
}

TEST_F(CubinMakers, DoNotOpenTheLibraryWhereTheProgramWillDo) {
  addJitLink(TENON_FAKE_JIT_LINK_13, "libnvJitLink.so.13");
  const std::string library = (folder_ / "lib" / "libnvJitLink.so.13").string();
  for (const char *release : {"12.8", "12.10", "13.0"}) {
    addPtxas(release, std::string(release) + ".1");
    EXPECT_EQ((*findCubinMaker())->version(), "ptxas " + std::string(release) + ".1");
    EXPECT_FALSE(::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD));
  }
  addPtxas("12.7", "12.7.1");
  EXPECT_EQ((*findCubinMaker())->version(), "nvJitLink 13.7");
  EXPECT_TRUE(::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD));
}

TEST_F(CubinMakers, AreNotNewerThanTheDriver) {
  addJitLink(TENON_FAKE_JIT_LINK_13, "libnvJitLink.so.13");
  auto none = findCubinMaker(12040);
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_FALSE(*none) << "it is left to the driver";
  EXPECT_EQ((*findCubinMaker(13000))->version(), "nvJitLink 13.7");
  addPtxas();
  EXPECT_EQ((*findCubinMaker(12040))->version(), "ptxas 12.9.86");
  addPtxas("12.6", "12.6.86");
  addJitLink(TENON_FAKE_JIT_LINK_12, "libnvJitLink.so.12");
  EXPECT_EQ((*findCubinMaker(12040))->version(), "nvJitLink 12.7");
}

TEST_F(CubinMakers, AreWhatTheEnvironmentNames) {
  addJitLink(TENON_FAKE_JIT_LINK_12, "libnvJitLink.so.12");
  variables_.change("TENON_CUDA_ASSEMBLER", "ptxas");
  EXPECT_EQ(findCubinMaker().status().code(), StatusCode::kNotFound);
  addPtxas();
  EXPECT_EQ((*findCubinMaker())->version(), "ptxas 12.9.86");
  EXPECT_EQ(findCubinMaker(11080).status().code(), StatusCode::kFailedPrecondition);
  variables_.change("TENON_CUDA_ASSEMBLER", "nvjitlink");
  EXPECT_EQ((*findCubinMaker())->version(), "nvJitLink 12.7");
  variables_.change("TENON_CUDA_ASSEMBLER", "driver");
  auto driver = findCubinMaker();
  ASSERT_TRUE(driver.ok());
  EXPECT_FALSE(*driver);
  variables_.change("TENON_CUDA_ASSEMBLER", "nvcc");
  EXPECT_THAT(findCubinMaker().status().message(), HasSubstr("'nvcc'; it can be nvjitlink, ptxas, driver"));
}

TEST_F(CubinMakers, PassOnWhatTheLibrarySays) {
  addJitLink(TENON_FAKE_JIT_LINK_13, "libnvJitLink.so.13");
  auto maker = findCubinMaker();
  ASSERT_TRUE(maker.ok() && *maker);
  EXPECT_THAT((*maker)->make("bad", "sm_80").status().message(), HasSubstr("line 1: syntax error"));
  EXPECT_THAT((*maker)->make("", "gfx90a").status().message(), HasSubstr("does not take -arch=gfx90a"));
}

// Its results are right.
TEST_F(CubinMakers, WarnOfSlowerCode) {
  addJitLink(TENON_FAKE_JIT_LINK_13, "libnvJitLink.so.13");
  auto maker = findCubinMaker();
  ASSERT_TRUE(maker.ok() && *maker);
  auto cubin = (*maker)->make("repaired", "sm_90a");
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  EXPECT_THAT(cubin->remarks, ::testing::ElementsAre("(C7517) wgmma.wait_group is injected in 'kernel'"));
  ::testing::internal::CaptureStderr();
  auto code = makeMachineCode(**maker, "repaired", "sm_90a");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "tenon: warning: nvJitLink 13.7 makes slower code than it was asked for: (C7517) wgmma.wait_group is "
            "injected in 'kernel'\n");
  ASSERT_TRUE(code.ok()) << code.status().message();
  EXPECT_EQ(*code, cubin->bytes);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(makeMachineCode(**maker, "some text", "sm_90a").ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(CubinMakers, NameWhatTheLibraryLacks) {
  addJitLink(TENON_FAKE_JIT_LINK_LACKING, "libnvJitLink.so.13");
  auto opened = openJitLink({"libnvJitLink.so.13"});
  ASSERT_EQ(opened.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(opened.status().message(), HasSubstr("nvJitLinkComplete"));
  auto none = openJitLink({"libno_such_link.so.1", "libno_such_link.so.2"});
  ASSERT_EQ(none.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("libno_such_link.so.1 or libno_such_link.so.2"));
}

class RealCubinMakers : public AssemblerFixture {};

// NVIDIA's own, by which kernels are tested, too.
TEST_F(RealCubinMakers, MakeMachineCode) {
  for (const char *chip : {"sm_80", "sm_90a"}) {
    std::string target = std::string(".version 8.0\n.target ") + chip + "\n.address_size 64\n";
    auto made = assembleByAll(target + ".visible .entry empty() { ret; }", chip);
    ASSERT_TRUE(made.ok()) << made.status().message();
    for (const Cubin &cubin : *made) {
      EXPECT_THAT(cubin.bytes, ::testing::StartsWith("\x7f"
                                                     "ELF"));
      ASSERT_EQ(cubin.functions.size(), 1u);
      EXPECT_TRUE(cubin.functions[0].isKernel);
      EXPECT_GT(cubin.functions[0].registers, 0);
    }
    auto maker = findCubinMaker();
    ASSERT_TRUE(maker.ok() && *maker);
    EXPECT_THAT((*maker)->make("no PTX", chip).status().message(), HasSubstr((*maker)->version().substr(0, 5)));
  }
}

} // namespace
} // namespace tenon::runtime::cuda
