#include "tenon/runtime/cuda/assembler.h"

#include "tenon/runtime/cuda/testing/assembler_fixture.h"
#include "tenon/support/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace tenon::runtime::cuda {
namespace {

using ::testing::HasSubstr;

class AssemblerTest : public AssemblerFixture {};

constexpr std::string_view kHeader = ".version 8.0\n.target sm_90a\n.address_size 64\n";

TEST_F(AssemblerTest, SaysWhatAKernelTakes) {
  auto cubin = assembler->assemble(std::string(kHeader) + R"(
    .visible .entry on_the_stack(.param .u64 out, .param .u32 at) {
      .reg .b32 %r<3>; .reg .b64 %rd<5>; .local .align 4 .b8 numbers[64];
      ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [at];
      cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, numbers; add.u64 %rd4, %rd3, %rd2;
      st.local.u32 [%rd4], %r1; ld.local.u32 %r2, [numbers+4]; st.global.u32 [%rd1], %r2;
      ret;
    }
    .visible .entry empty() { ret; })",
                                   "sm_90a");
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  EXPECT_THAT(cubin->bytes, ::testing::StartsWith("\x7f"
                                                  "ELF"));
  ASSERT_EQ(cubin->functions.size(), 2u);
  EXPECT_TRUE(cubin->remarks.empty());
  for (const FunctionResources &function : cubin->functions) {
    EXPECT_TRUE(function.isKernel);
    EXPECT_GT(function.registers, 0);
    EXPECT_EQ(function.stackBytes, function.name == "empty" ? 0 : 64) << function.name;
    EXPECT_EQ(function.spillStoreBytes, 0);
  }
}

TEST_F(AssemblerTest, RefusesWhatIsNoPtx) {
  auto cubin = assembler->assemble(std::string(kHeader) + ".visible .entry a.b() { ret; }", "sm_90a");
  ASSERT_FALSE(cubin.ok());
  EXPECT_EQ(cubin.status().code(), StatusCode::kInternal);
  EXPECT_THAT(cubin.status().message(), HasSubstr("syntax error"));
  EXPECT_FALSE(assembler->assemble(kHeader, "sm_80").ok()) << "it is for another chip";
}

// It takes them, and runs the products one after the other.
TEST_F(AssemblerTest, SaysWhatItRepairs) {
  auto cubin = assembler->assemble(std::string(kHeader) + R"(
    .visible .entry uses_the_sum_too_early(.param .u64 out, .param .u64 operand) {
      .reg .f32 %f<4>; .reg .b64 %rd<3>;
      ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [operand];
      mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f00000000;
      wgmma.fence.sync.aligned;
      wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, 1, 1, 1, 0, 0;
      add.rn.f32 %f0, %f0, %f1;
      wgmma.commit_group.sync.aligned;
      wgmma.wait_group.sync.aligned 0;
      st.global.f32 [%rd1], %f0; st.global.f32 [%rd1+4], %f1; st.global.f32 [%rd1+8], %f2;
      st.global.f32 [%rd1+12], %f3;
      ret;
    })",
                                   "sm_90a");
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  ASSERT_EQ(cubin->remarks.size(), 1u);
  EXPECT_THAT(cubin->remarks[0], AllOf(HasSubstr("(C75"), HasSubstr("uses_the_sum_too_early")));
}

// A toolkit whose ptxas is this script.
class ToolkitOfAScript : public ::testing::Test {
protected:
  StatusOr<Assembler> assemblerOf(const std::string &script) {
    std::filesystem::create_directories(folder_ / "bin");
    TENON_RETURN_IF_ERROR(writeFile(program_, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    ::setenv("TENON_CUDA_PATH", folder_.c_str(), 1);
    return Assembler::find();
  }
  void TearDown() override {
    if (before_)
      ::setenv("TENON_CUDA_PATH", before_->c_str(), 1);
    else
      ::unsetenv("TENON_CUDA_PATH");
    std::filesystem::remove_all(folder_);
  }

  static std::optional<std::string> pathBefore() {
    const char *path = std::getenv("TENON_CUDA_PATH");
    return path ? std::optional<std::string>(path) : std::nullopt;
  }

  const std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "tenon_toolkit";
  const std::filesystem::path program_ = folder_ / "bin" / "ptxas";
  const std::optional<std::string> before_ = pathBefore();
};

// It keeps registers of the first of two kernels in memory, unless a multiprocessor may have one block of it alone.
TEST_F(ToolkitOfAScript, IsAskedAgainForKernelsWithSpills) {
  auto assembler = assemblerOf(R"(cp $5 $4
grep -q 'minnctapersm' $5 && ! grep -q 'spills always' $5 && bytes=0 || bytes=8
for kernel in first second; do
  echo "ptxas info    : Compiling entry function '$kernel' for 'sm_80'" >&2
  echo "ptxas info    : Function properties for $kernel" >&2
  echo "    $bytes bytes stack frame, $bytes bytes spill stores, $bytes bytes spill loads" >&2
  bytes=0
done
)");
  ASSERT_TRUE(assembler.ok()) << assembler.status().message();
  const std::string second = ".entry second(\n)\n.maxntid 64\n{ ret; }\n";
  const std::string text = second + ".entry first(\n)\n.maxntid 32\n{ ret; }\n";
  auto cubin = assembler->assemble(text, "sm_80");
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  EXPECT_EQ(cubin->bytes, second + ".entry first(\n)\n.maxntid 32\n.minnctapersm 1\n{ ret; }\n");
  EXPECT_EQ(cubin->functions.at(0).spillStoreBytes, 0);
  EXPECT_EQ(assembler->assemble(text + "// spills always", "sm_80")->bytes, text + "// spills always")
      << "where it does not help, the module stays as it is";
}

// By large pages, unless the user says something about memory; its files are where ours are, which are gone afterwards.
TEST_F(ToolkitOfAScript, HasItsMemoryByLargePages) {
  auto assembler = assemblerOf("echo \"$TMPDIR $GLIBC_TUNABLES\" > $4\n");
  ASSERT_TRUE(assembler.ok()) << assembler.status().message();
  auto variables = assembler->assemble("", "sm_80");
  ASSERT_TRUE(variables.ok()) << variables.status().message();
  EXPECT_THAT(variables->bytes, AllOf(HasSubstr("tenon-ptx-"), HasSubstr(" glibc.malloc.hugetlb=1:")));
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.perturb=0", 1);
  variables = assembler->assemble("", "sm_80");
  ::unsetenv("GLIBC_TUNABLES");
  ASSERT_TRUE(variables.ok()) << variables.status().message();
  EXPECT_THAT(variables->bytes, HasSubstr(" glibc.malloc.perturb=0\n"));
}

TEST_F(ToolkitOfAScript, IsTheOneThatIsNamedAlone) {
  auto found = assemblerOf("echo not today >&2\nexit 1\n");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->path(), program_);
  EXPECT_THAT(found->assemble("", "sm_80").status().message(), HasSubstr("not today"));
  EXPECT_EQ(found->disassemble("").status().code(), StatusCode::kNotFound) << "there is none in that folder";
}

} // namespace
} // namespace tenon::runtime::cuda
