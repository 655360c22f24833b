// Computations as object files and headers (requirement inventory API-T31, SYS-12, SYS-13). That programs give the
// right values ahead of time is for test/aot.
#include "tenon/api/testing/builder_fixture.h"

#include "tenon/aot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

namespace fs = std::filesystem;

class AheadOfTime : public BuilderTest {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tenon-aot-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // a * x + y + (0, 0.5, 1, ...), of 1000 elements: a constant that is data, not code.
  std::unique_ptr<Computation> Axpy() {
    ComputationBuilder builder(client_, "axpy");
    auto x = builder.Parameter(0, F32Shape({1000}), "x");
    auto pair = builder.Parameter(1, ShapeUtil::MakeTupleShape({F32Shape({1000}), F32Shape({})}), "pair");
    std::vector<float> offsets(1000);
    for (size_t i = 0; i < offsets.size(); ++i)
      offsets[i] = 0.5f * static_cast<float>(i);
    auto scaled = builder.Mul(builder.GetTupleElement(pair, 1), x);
    builder.Add(builder.Add(scaled, builder.GetTupleElement(pair, 0)), builder.ConstantR1<float>(offsets));
    return builder.Build().ConsumeValueOrDie();
  }

  // What the program prints; the C compiler is told to take warnings as errors.
  std::string BuildAndRun(const std::string &main, const std::string &objects) {
    std::ofstream(folder_ / "main.c") << main;
    std::string command = "cd " + folder_.string() + " && cc -std=c11 -Wall -Wextra -Werror main.c " + objects +
                          " -lm -o main && ./main > output";
    // NOLINTNEXTLINE(bugprone-command-processor): the files are the test's own
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream output(folder_ / "output");
    return {std::istreambuf_iterator<char>(output), {}};
  }

  fs::path folder_;
};

TEST_F(AheadOfTime, ObjectsAndHeadersMakeAnApplication) {
  AotCompilationResult axpy = CompileAheadOfTime(*Axpy()).ConsumeValueOrDie();
  EXPECT_EQ(axpy.name, "axpy");
  EXPECT_THAT(axpy.weights, IsEmpty());
  EXPECT_THAT(axpy.undefined_symbols, IsEmpty());
  EXPECT_GT(axpy.code_bytes, 0);
  EXPECT_GT(axpy.arena_bytes, 0);
  ASSERT_TRUE(axpy.WriteTo((folder_ / "deep").string()).ok());
  AotCompilationOptions options;
  options.name = "other";
  options.weights = AotCompilationOptions::Weights::kExternal;
  AotCompilationResult other = CompileAheadOfTime(*Axpy(), options).ConsumeValueOrDie();
  EXPECT_EQ(other.weights_bytes, static_cast<int64>(other.weights.size()));
  ASSERT_TRUE(other.WriteTo(folder_.string()).ok());

  EXPECT_EQ(BuildAndRun(R"(
#include "deep/axpy.h"
#include "other.h"
#include <stdio.h>
static _Alignas(64) char arena[AXPY_ARENA_BYTES], arena2[OTHER_ARENA_BYTES], weights[OTHER_WEIGHTS_BYTES];
int main(void) {
  static float x[AXPY_ARGUMENT_X_COUNT], y[1000], results[2][1000];
  float a = 2;
  for (int i = 0; i < 1000; ++i)
    x[i] = (float)i, y[i] = 0.25f;
  axpy_arguments arguments = {x, y, &a};
  axpy_results result = {results[0]};
  other_arguments arguments2 = {x, y, &a};
  other_results result2 = {results[1]};
  FILE *file = fopen("other.weights", "rb");
  if (!file || fread(weights, 1, sizeof weights, file) != sizeof weights) return 1;
  if (axpy_run(&arguments, &result, arena) != AXPY_OK) return 2;
  if (other_run(&arguments2, &result2, weights, arena2) != OTHER_OK) return 3;
  for (int i = 0; i < 2; ++i)
    printf("%g %g %g\n", results[i][0], results[i][1], results[i][999]);
  return 0;
})",
                        "deep/axpy.o other.o"),
            "0.25 2.75 2497.75\n0.25 2.75 2497.75\n");
}

TEST_F(AheadOfTime, ForOtherMachines) {
  AotCompilationOptions options;
  options.triple = "aarch64-linux-gnu";
  options.cpu = "cortex-a76";
  AotCompilationResult axpy = CompileAheadOfTime(*Axpy(), options).ConsumeValueOrDie();
  ASSERT_GT(axpy.object.size(), 20u);
  EXPECT_EQ(axpy.object[18], '\xb7'); // ELF's e_machine: EM_AARCH64
  EXPECT_THAT(axpy.header, HasSubstr("for cortex-a76 (aarch64"));
  options.triple = "";
  options.cpu = "x86-64-v2";
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).ConsumeValueOrDie().header, HasSubstr("for x86-64-v2"));
}

TEST_F(AheadOfTime, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(CompileAheadOfTime(Computation()).status().code(), StatusCode::kInvalidArgument);
  AotCompilationOptions options;
  options.name = "2d";
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).status().message(), HasSubstr("'2d' cannot be a model's name"));
  options = {};
  options.cpu = "abacus";
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).status().message(), HasSubstr("unknown CPU 'abacus'"));
  options = {};
  options.triple = "z80-cpm";
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).status().message(), HasSubstr("no code generator for 'z80"));
  b_.Infeed(F32Shape({3}));
  auto feeding = CompileAheadOfTime(*b_.Build().ConsumeValueOrDie());
  EXPECT_EQ(feeding.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(feeding.status().message(), HasSubstr("error: 'infeed' needs"));
  ComputationBuilder tracing(client_, "tracing");
  tracing.Trace("here", tracing.Neg(tracing.ConstantR0<float>(1)));
  auto traced = CompileAheadOfTime(*tracing.Build().ConsumeValueOrDie());
  EXPECT_EQ(traced.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(traced.status().message(), HasSubstr("_test.cpp"));
  EXPECT_THAT(traced.status().message(), HasSubstr("error: Trace logs through Tenon"));
  std::ofstream(folder_ / "file") << "";
  Status status = CompileAheadOfTime(*Axpy()).ConsumeValueOrDie().WriteTo((folder_ / "file" / "below").string());
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("file/below: Not a directory"));
}

// Constants fold, so what is left calls nothing; remainders of floats are libm's.
TEST_F(AheadOfTime, NamesWhatTheApplicationBrings) {
  auto x = b_.Parameter(0, F32Shape({100}), "x");
  b_.CustomCallOp("my_function", {b_.Rem(x, b_.ConstantR0<float>(3))}, F32Shape({2}));
  AotCompilationResult result = CompileAheadOfTime(*b_.Build().ConsumeValueOrDie()).ConsumeValueOrDie();
  EXPECT_THAT(result.undefined_symbols, ::testing::Contains("my_function"));
  EXPECT_THAT(result.undefined_symbols, IsSubsetOf({"my_function", "fmodf"}));
  EXPECT_THAT(result.header, HasSubstr("void my_function(void *out, const void **in);"));
}

} // namespace
} // namespace xla
