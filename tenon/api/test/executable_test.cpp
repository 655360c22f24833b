// Executables: compiled once, run any number of times, and what they say of themselves.
#include "tenon/api/testing/builder_fixture.h"
#include "tenon/profile.h"

#include <thread>

namespace tenon::xla_2017 {
namespace {

using ::testing::HasSubstr;

class ExecutableTest : public BuilderTest {
protected:
  // exp(x) + sum(x), of f32[4,8]: the sum is an array in the arena.
  std::unique_ptr<Computation> Shifted() {
    auto x = b_.Parameter(0, F32Shape({4, 8}), "x");
    auto sums = b_.Reduce(x, b_.ConstantR0<float>(0), *Adder(), {0});
    b_.Add(b_.Exp(x), b_.Exp(sums), {1});
    return b_.Build().ConsumeValueOrDie();
  }

  ServiceStatistics Statistics() { return client_->GetStatistics().ConsumeValueOrDie(); }
};

TEST_F(ExecutableTest, RunsWithoutItsComputation) {
  ServiceStatistics before = Statistics();
  auto computation = Shifted();
  auto executable = client_->Compile(*computation).ConsumeValueOrDie();
  auto same = client_->Compile(*computation).ConsumeValueOrDie();
  EXPECT_EQ(Statistics().compilations, before.compilations + 1);
  EXPECT_EQ(executable->name(), "test");
  EXPECT_EQ(executable->program_shape().parameter_names(0), "x");
  Literal ones = LiteralUtil::CreateR2FromArray2D(Array2D<float>(4, 8, 1));
  auto x = client_->TransferToServer(ones).ConsumeValueOrDie();
  Literal expected = std::move(*client_->ExecuteAndTransfer(*computation, {x.get()}).ConsumeValueOrDie());
  EXPECT_EQ(Statistics().compilations, before.compilations + 1) << "Execute uses what Compile made";
  computation.reset();
  same.reset();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int run = 0; run < 25; ++run)
        EXPECT_EQ(*executable->ExecuteAndTransfer({x.get()}).ConsumeValueOrDie(), expected);
    });
  for (std::thread &thread : threads)
    thread.join();
  // In another layout, padded.
  Literal padded = ones.Relayout(LayoutUtil::MakePaddedLayout({0, 1}, {5, 9}, HIGHEST_PAD));
  auto other = client_->TransferToServer(padded).ConsumeValueOrDie();
  ExecutionProfile profile;
  auto data = executable->Execute({other.get()}, nullptr, &profile).ConsumeValueOrDie();
  EXPECT_EQ(*client_->Transfer(*data).ConsumeValueOrDie(), expected);
  EXPECT_GT(profile.compute_time.count(), 0);
  EXPECT_EQ(Statistics().executables, before.executables + 1);
  executable.reset();
  EXPECT_EQ(Statistics().executables, before.executables);
  EXPECT_EQ(*client_->Transfer(*data).ConsumeValueOrDie(), expected);
}

TEST_F(ExecutableTest, ReturnsTheLayoutItWasCompiledFor) {
  auto computation = Shifted();
  ExecutionOptions columns;
  columns.result_shape = ShapeUtil::MakeShapeWithLayout(F32, {4, 8}, {0, 1});
  auto executable = client_->Compile(*computation, {}, &columns).ConsumeValueOrDie();
  auto x = client_->TransferToServer(Literal(F32Shape({4, 8}))).ConsumeValueOrDie();
  for (const ExecutionOptions *options : {static_cast<const ExecutionOptions *>(nullptr), &std::as_const(columns)})
    EXPECT_TRUE(
        ShapeUtil::Equal(executable->Execute({x.get()}, options).ConsumeValueOrDie()->shape(), *columns.result_shape));
  ExecutionOptions rows;
  rows.result_shape = F32Shape({4, 8});
  EXPECT_THAT(executable->Execute({x.get()}, &rows).status().message(),
              HasSubstr("test was compiled to return f32[4,8]{0,1}, and not f32[4,8]{1,0}"));
}

TEST_F(ExecutableTest, SaysWhatIsWrong) {
  auto computation = Shifted();
  EXPECT_THAT(client_->Compile(Computation()).status().message(), HasSubstr("the computation is empty"));
  EXPECT_THAT(client_->Compile(*computation, {F32Shape({8, 4})}).status().message(),
              HasSubstr("test: argument 0 (x) must be f32[4,8], and is f32[8,4]"));
  EXPECT_EQ(client_->Compile(*computation, {ShapeUtil::MakeShapeWithLayout(F32, {4, 8}, {0, 0})}).status().code(),
            StatusCode::kInvalidArgument);
  auto executable = client_->Compile(*computation).ConsumeValueOrDie();
  auto wrong = client_->TransferToServer(Literal(F32Shape({2}))).ConsumeValueOrDie();
  EXPECT_THAT(executable->Execute({wrong.get()}).status().message(), HasSubstr("must be f32[4,8], and is f32[2]"));
  EXPECT_THAT(executable->Execute({}).status().message(),
              HasSubstr("test has 1 parameters, and 0 arguments are given"));
  EXPECT_THAT(executable->Execute({nullptr}).status().message(), HasSubstr("argument 0 is null"));
  Client *elsewhere = ClientLibrary::GetOrCreateLocalClient("reference").ConsumeValueOrDie();
  auto foreign = elsewhere->TransferToServer(Literal(F32Shape({4, 8}))).ConsumeValueOrDie();
  EXPECT_THAT(executable->ExecuteAndTransfer({foreign.get()}).status().message(),
              HasSubstr("argument 0 belongs to another service"));
}

TEST_F(ExecutableTest, IsProfiled) {
  auto computation = Shifted();
  auto executable = client_->Compile(*computation).ConsumeValueOrDie();
  ExecutableAnalysis analysis = executable->Analyze().ConsumeValueOrDie();
  auto x = client_->TransferToServer(Literal(F32Shape({4, 8}))).ConsumeValueOrDie();
  auto profiler = Profiler::Start().ConsumeValueOrDie();
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(executable->Execute({x.get()}).ok());
  Profile profile = profiler->Stop();
  EXPECT_EQ(profile.runs, 3);
  EXPECT_EQ(static_cast<int>(profile.kernels.size()), analysis.kernels_size());
  double flops = 0;
  std::chrono::nanoseconds together{0};
  for (const KernelProfile &kernel : profile.kernels) {
    EXPECT_EQ(kernel.calls, 3);
    EXPECT_EQ(kernel.program, "test");
    flops += kernel.flops;
    together += kernel.total;
  }
  EXPECT_DOUBLE_EQ(flops, analysis.flops());
  EXPECT_EQ(together + profile.between, profile.run_time);
  EXPECT_THAT(profile.ToText(), HasSubstr("3 runs"));
}

TEST_F(ExecutableTest, KnowsItsBuffersAndKernels) { // SYS-08
  auto computation = Shifted();
  ExecutableAnalysis analysis = client_->Compile(*computation).ConsumeValueOrDie()->Analyze().ConsumeValueOrDie();
  EXPECT_EQ(analysis.argument_bytes(), 128);
  EXPECT_EQ(analysis.result_bytes(), 128);
  EXPECT_GT(analysis.code_bytes(), 0);
  EXPECT_GT(analysis.flops(), 0);
  EXPECT_GT(analysis.bytes_accessed(), 0);
  EXPECT_GE(analysis.transcendentals(), 40);
  double flops = 0;
  for (const auto &kernel : analysis.kernels())
    flops += kernel.flops() * static_cast<double>(kernel.calls());
  EXPECT_DOUBLE_EQ(flops, analysis.flops());
  int64 most = 0;
  for (const auto &step : analysis.steps())
    most = std::max(most, step.live_bytes());
  EXPECT_EQ(most, analysis.peak_bytes());
  EXPECT_LE(analysis.peak_bytes(), analysis.arena_bytes());
  int64 arguments = 0, atPeak = 0;
  for (const auto &buffer : analysis.buffers()) {
    if (buffer.kind() == ExecutableAnalysis::Buffer::ARGUMENT) {
      EXPECT_EQ(buffer.name(), "argument 0 (x)");
      EXPECT_FALSE(buffer.has_offset());
      arguments += buffer.size();
    }
    if (buffer.alive_at_peak())
      atPeak += buffer.size();
    if (buffer.has_offset())
      EXPECT_LE(buffer.offset() + buffer.size(), analysis.arena_bytes());
    for (const auto &lifetime : buffer.lifetimes()) {
      EXPECT_LE(lifetime.first_step(), lifetime.last_step());
      EXPECT_LT(lifetime.last_step(), analysis.steps_size());
    }
  }
  EXPECT_EQ(arguments, 128);
  EXPECT_EQ(atPeak, analysis.peak_bytes());
}

TEST_F(ExecutableTest, OfTheInterpreterKnowsArgumentsAndResults) {
  auto computation = Shifted();
  Client *reference = ClientLibrary::GetOrCreateLocalClient("reference").ConsumeValueOrDie();
  ExecutableAnalysis analysis = reference->Compile(*computation).ConsumeValueOrDie()->Analyze().ConsumeValueOrDie();
  EXPECT_EQ(analysis.argument_bytes(), 128);
  EXPECT_EQ(analysis.result_bytes(), 128);
  EXPECT_EQ(analysis.kernels_size(), 0);
  EXPECT_EQ(analysis.code_bytes(), 0);
}

} // namespace
} // namespace tenon::xla_2017
