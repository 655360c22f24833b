// Computations as object files and headers (requirement inventory API-T31, SYS-12, SYS-13). That programs give the
// right values ahead of time is for test/aot.
#include "tenon/api/testing/builder_fixture.h"
#include "tenon/api/testing/methods.h"

#include "tenon/aot.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <random>

namespace tenon::xla_2017 {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;

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

  // Runs the C compiler in the folder, which is told to take warnings as errors, and what comes behind.
  void Cc(const std::string &arguments) {
    std::string command = "cd " + folder_.string() + " && cc -std=c11 -Wall -Wextra -Werror " + arguments;
    // NOLINTNEXTLINE(bugprone-command-processor): the files are the test's own
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  // What the program prints.
  std::string BuildAndRun(const std::string &main, const std::string &objects) {
    std::ofstream(folder_ / "main.c") << main;
    Cc("main.c " + objects + " -lm -o main && ./main > output");
    std::ifstream output(folder_ / "output");
    return {std::istreambuf_iterator<char>(output), {}};
  }

  fs::path folder_;
};

TEST_F(AheadOfTime, ArgumentsAreInAFileOfWeights) {
  std::string header = R"({"w":{"dtype":"F32","shape":[1000],"data_offsets":[0,4000]}})";
  header.resize(64, ' ');
  std::string path = (folder_ / "axpy.safetensors").string();
  std::ofstream(path, std::ios::binary) << std::string("\x40\0\0\0\0\0\0\0", 8) << header << std::string(4000, '\0');
  AotCompilationOptions options;
  options.weights_file = path;
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).status().message(),
              HasSubstr("no argument of the program has the name of a tensor of axpy.safetensors"));
  options.bindings = {{"x", "w"}};
  AotCompilationResult axpy = CompileAheadOfTime(*Axpy(), options).ConsumeValueOrDie();
  EXPECT_THAT(axpy.header, HasSubstr("/* Arguments that they have: 0 (x). */"));
  EXPECT_THAT(axpy.header, HasSubstr("#define AXPY_WEIGHTS_BYTES 4072\n"));
  options.weights = AotCompilationOptions::Weights::kExternal;
  EXPECT_THAT(CompileAheadOfTime(*Axpy(), options).status().message(), HasSubstr("one file of weights"));
}

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

// The document's layouts: x column-major, y row-major in a block of 3x5, and a result of both kinds.
TEST_F(AheadOfTime, ArraysLieAsTheirShapesSay) { // SYS-31, 32, 33
  Shape columns = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});
  Shape block = F32Shape({2, 3});
  *block.mutable_layout() = LayoutUtil::MakePaddedLayout({1, 0}, {3, 5});
  b_.Add(b_.Parameter(0, columns, "x"), b_.Parameter(1, block, "y"));
  AotCompilationOptions options;
  options.name = "sum";
  options.result_shape = F32Shape({2, 3});
  *options.result_shape->mutable_layout() = LayoutUtil::MakePaddedLayout({0, 1}, {4, 3}, ONE_PAD);
  AotCompilationResult sum = CompileAheadOfTime(*b_.Build().ConsumeValueOrDie(), options).ConsumeValueOrDie();
  EXPECT_THAT(sum.header, HasSubstr("argument 0: f32[2,3]{0,1}, x"));
  EXPECT_THAT(sum.header, HasSubstr("argument 1: f32[2,3]{1,0} in f32[3,5], y"));
  EXPECT_THAT(sum.header, HasSubstr("result 0: f32[2,3]{0,1} in f32[4,3]"));
  ASSERT_TRUE(sum.WriteTo(folder_.string()).ok());
  EXPECT_EQ(BuildAndRun(R"(
#include "sum.h"
#include <stdio.h>
static _Alignas(64) char arena[SUM_ARENA_BYTES];
static const int steps[2] = SUM_ARGUMENT_Y_STRIDES;
int main(void) {
  static const float x[SUM_ARGUMENT_X_COUNT] = {1, 4, 2, 5, 3, 6};
  float y[SUM_ARGUMENT_Y_COUNT], result[SUM_RESULT_RESULT0_COUNT];
  for (int i = 0; i < SUM_ARGUMENT_Y_COUNT; ++i)
    y[i] = -1000;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      y[i * steps[0] + j * steps[1]] = (float)(10 * i + 100 * j);
  sum_arguments arguments = {x, y};
  sum_results results = {result};
  if (sum_run(&arguments, &results, arena) != SUM_OK) return 1;
  for (int i = 0; i < SUM_RESULT_RESULT0_COUNT; ++i)
    printf("%g ", result[i]);
  return sizeof result == SUM_RESULT_RESULT0_BYTES ? 0 : 2;
})",
                        "sum.o"),
            "1 14 1 1 102 115 1 1 203 216 1 1 ");
}

// Every method with all arrays turned around and in larger blocks, in one library: the bytes of the JIT's results, the
// padding too.
TEST_F(AheadOfTime, EveryMethodTakesAnyLayout) { // SYS-33
  struct Case {
    std::unique_ptr<Computation> computation;
    Literal arguments, result;
    int64 arena = 0;
  };
  std::vector<Case> cases;
  std::mt19937 random(1);
  Computations computations = MakeComputations(client_);
  std::string objects;
  const char *remote = std::getenv("TENON_REMOTE_TEST");
  for (const Method &method : AllMethods()) {
    if (remote && std::string(method.name) == "CustomCallOp")
      continue; // another process does not know functions of this one
    ComputationBuilder builder(client_, "m" + std::to_string(cases.size()));
    std::vector<Handle> operands;
    std::vector<Literal> values;
    std::vector<std::unique_ptr<GlobalData>> data;
    std::vector<GlobalData *> pointers;
    AotCompilationOptions options;
    for (const Shape &shape : method.operands) {
      operands.push_back(builder.Parameter(static_cast<int64>(operands.size()), shape, "x"));
      options.argument_shapes.push_back(Turned(shape, true));
      values.push_back(SomeValue(shape, random).Relayout(options.argument_shapes.back()));
      data.push_back(client_->TransferToServer(values.back()).ConsumeValueOrDie());
      pointers.push_back(data.back().get());
    }
    options.result_shape =
        Turned(*builder.GetShape(method.enqueue(builder, operands, computations)).ConsumeValueOrDie(), true);
    Case one{builder.Build().ConsumeValueOrDie(), LiteralUtil::MakeTuple(std::move(values)), {}};
    ExecutionOptions execution;
    execution.result_shape = options.result_shape;
    execution.seed = 0;
    one.result = std::move(*client_->ExecuteAndTransfer(*one.computation, pointers, &execution).ConsumeValueOrDie());
    AotCompilationResult made = CompileAheadOfTime(*one.computation, options).ConsumeValueOrDie();
    ASSERT_TRUE(made.WriteTo(folder_.string()).ok());
    objects += " " + made.name + ".o";
    one.arena = made.arena_bytes;
    cases.push_back(std::move(one));
  }
  std::ofstream(folder_ / "negate_six.c") << "void negate_six(void *out, const void **in);\n"
                                             "void negate_six(void *out, const void **in) {\n"
                                             "  for (int i = 0; i < 6; ++i)\n"
                                             "    ((float *)out)[i] = -((const float *)in[0])[i];\n}\n";
  Cc("-shared -fPIC negate_six.c" + objects + " -lm -o methods.so");
  void *library = dlopen((folder_ / "methods.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const Case &one : cases) {
    SCOPED_TRACE(one.computation->name());
    auto *run = reinterpret_cast<int32_t (*)(const void *const *, void *const *, void *)>(
        dlsym(library, (one.computation->name() + "_run").c_str()));
    ASSERT_NE(run, nullptr);
    // Aligned as elements are, and no better.
    std::vector<std::vector<float>> memory;
    auto block = [&](const Literal &literal) -> void * {
      memory.emplace_back(static_cast<size_t>(literal.size_bytes()) / sizeof(float) + 16 + 2, 0.5f);
      auto gap = 64 - reinterpret_cast<std::uintptr_t>(memory.back().data()) % 64;
      return reinterpret_cast<char *>(memory.back().data()) + gap + sizeof(float);
    };
    std::vector<const void *> arguments;
    for (const Literal *argument : one.arguments.Leaves())
      arguments.push_back(
          std::memcpy(block(*argument), argument->untyped_data(), static_cast<size_t>(argument->size_bytes())));
    std::vector<void *> results;
    for (const Literal *leaf : one.result.Leaves())
      results.push_back(block(*leaf));
    Literal arena(ShapeUtil::MakeShape(U8, {one.arena}));
    ASSERT_EQ(run(arguments.data(), results.data(), arena.mutable_data()), 0);
    for (size_t i = 0; i < results.size(); ++i) {
      const Literal &expected = *one.result.Leaves()[i];
      EXPECT_EQ(Literal::Borrow(expected.shape(), results[i]), expected);
      EXPECT_EQ(std::memcmp(results[i], expected.untyped_data(), static_cast<size_t>(expected.size_bytes())), 0);
    }
  }
  dlclose(library);
}

TEST_F(AheadOfTime, LayoutsThatDoNotFitAreErrors) {
  auto errorOf = [&](const AotCompilationOptions &options) {
    Status status = CompileAheadOfTime(*Axpy(), options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  Shape pair = ShapeUtil::MakeTupleShape({F32Shape({1000}), F32Shape({})});
  AotCompilationOptions options;
  options.argument_shapes = {F32Shape({1000})};
  EXPECT_THAT(errorOf(options), HasSubstr("the computation has 2 parameters, and 1 shapes are given"));
  options.argument_shapes = {F32Shape({10}), pair};
  EXPECT_THAT(errorOf(options), HasSubstr("argument 0 (x) must be f32[1000], and is f32[10]"));
  options.argument_shapes = {F32Shape({1000}), pair};
  *options.argument_shapes[1].mutable_tuple_shapes(0)->mutable_layout() = LayoutUtil::MakePaddedLayout({0}, {999});
  EXPECT_THAT(errorOf(options), HasSubstr("argument 1 (pair): invalid layout: dimension 0 of size 1000 is padded"));
  options.argument_shapes.clear();
  options.result_shape = pair;
  EXPECT_THAT(errorOf(options), HasSubstr("the result must be f32[1000], and is (f32[1000], f32[])"));
}

// What JAX's exports say of layouts is so ahead of time, unless the caller says otherwise.
TEST_F(AheadOfTime, ProgramsSayHowTheirArraysLie) {
  auto program = Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}", tf.aliasing_output = 0 : i32},
                    %y: tensor<2x3xf32> {mhlo.layout_mode = "default"})
        -> (tensor<2x3xf32> {mhlo.layout_mode = "auto"}) {
      %0 = stablehlo.add %x, %y : tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    })")
                     .ConsumeValueOrDie();
  AotCompilationOptions options;
  std::string header = CompileAheadOfTime(*program, options).ConsumeValueOrDie().header;
  EXPECT_THAT(header, HasSubstr("argument 0: f32[2,3]{0,1}, x *"));
  EXPECT_THAT(header, Not(HasSubstr("same memory")));
  EXPECT_THAT(header, HasSubstr("argument 1: f32[2,3], y *"));
  EXPECT_THAT(header, HasSubstr("result 0: f32[2,3] *"));
  options.argument_shapes = {ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {1, 0}), F32Shape({2, 3})};
  header = CompileAheadOfTime(*program, options).ConsumeValueOrDie().header;
  EXPECT_THAT(header, HasSubstr("argument 0: f32[2,3], x; result 0 may be given the same memory"));
}

} // namespace
} // namespace tenon::xla_2017
