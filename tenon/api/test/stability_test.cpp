// The set of operations grows, and what is there keeps its meaning (requirement inventory SYS-56). Each file of
// testdata/programs is a program of one builder method, written once, with arguments and the result that it had.
// TENON_BLESS=1 writes files for methods that have none; those that are there are never written again.
#include "tenon/api/testing/builder_fixture.h"
#include "tenon/api/testing/methods.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace tenon::xla_2017 {
namespace {

namespace fs = std::filesystem;

// The oldest form that there is: every later Tenon has to read it.
constexpr const char *kOldestVersion = "0.9.0";
constexpr uint64 kSeed = 7;

// A program as it was: the artifact's bytes, the arguments' arrays, the result.
struct Recorded {
  std::string artifact;
  std::vector<Literal> arguments;
  Literal result;
};

Recorded ReadRecord(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  LiteralProto proto;
  EXPECT_TRUE(proto.ParseFromIstream(&file)) << path;
  Literal record = Literal::CreateFromProto(proto).ConsumeValueOrDie();
  std::vector<Literal> parts = record.DecomposeTuple();
  const auto *bytes = static_cast<const char *>(parts[0].untyped_data());
  return {{bytes, static_cast<size_t>(parts[0].size_bytes())}, parts[1].DecomposeTuple(), std::move(parts[2])};
}

void WriteRecord(const fs::path &path, Recorded recorded) {
  std::vector<uint8> bytes(recorded.artifact.begin(), recorded.artifact.end());
  std::vector<Literal> parts;
  parts.push_back(LiteralUtil::CreateR1<uint8>(bytes));
  parts.push_back(LiteralUtil::MakeTuple(std::move(recorded.arguments)));
  parts.push_back(std::move(recorded.result));
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  EXPECT_TRUE(LiteralUtil::MakeTuple(std::move(parts)).ToProto().SerializeToOstream(&file)) << path;
}

// Functions whose last bits are the library's choice may become more exact; everything else stays as it is.
bool MayImprove(const std::string &method) {
  static const std::set<std::string> methods{"Exp", "Log", "Tanh", "Pow", "SqrtF32", "RngNormal"};
  return methods.contains(method);
}

::testing::AssertionResult IsStill(const Literal &result, const Literal &recorded, bool mayImprove) {
  if (!ShapeUtil::Compatible(result.shape(), recorded.shape()))
    return ::testing::AssertionFailure() << result.shape().DebugString();
  auto found = result.Leaves(), expected = recorded.Leaves();
  for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
    if (expected[leaf]->shape().element_type() != F32) {
      if (*found[leaf] == *expected[leaf])
        continue;
      return ::testing::AssertionFailure() << found[leaf]->ToString() << " was " << expected[leaf]->ToString();
    }
    for (int64 i = 0; i < ShapeUtil::ElementsIn(expected[leaf]->shape()); ++i) {
      float now = found[leaf]->data<float>()[i], then = expected[leaf]->data<float>()[i];
      bool near = mayImprove && std::abs(now - then) <= 1e-6f * std::abs(then);
      if (now != then && !near && !(std::isnan(now) && std::isnan(then)))
        return ::testing::AssertionFailure() << "element " << i << " was " << then << ", and is " << now;
    }
  }
  return ::testing::AssertionSuccess();
}

class Stability : public BuilderTest {
protected:
  std::unique_ptr<Computation> Build(const Method &method) {
    ComputationBuilder builder(client_, method.name);
    std::vector<Handle> operands;
    for (const Shape &shape : method.operands)
      operands.push_back(builder.Parameter(static_cast<int64>(operands.size()), shape, "x"));
    method.enqueue(builder, operands, c_);
    return builder.Build().ConsumeValueOrDie();
  }

  // Where programs come from a file they have arrays for parameters.
  Literal RunOnArrays(const Computation &computation, const std::vector<Literal> &arguments) {
    std::vector<std::unique_ptr<GlobalData>> data;
    std::vector<GlobalData *> pointers;
    for (const Literal &argument : arguments) {
      data.push_back(client_->TransferToServer(argument).ConsumeValueOrDie());
      pointers.push_back(data.back().get());
    }
    ExecutionOptions options;
    options.seed = kSeed;
    auto result = client_->ExecuteAndTransfer(computation, pointers, &options);
    EXPECT_TRUE(result.ok()) << computation.name() << ": " << result.status().ToString();
    return result.ok() ? std::move(**result) : Literal();
  }

  // Each method with the file of its program: the second Reshape is Reshape_2.
  std::map<std::string, const Method *> Files() {
    std::map<std::string, const Method *> files;
    for (const Method &method : methods_) {
      std::string name = method.name;
      for (int number = 2; files.contains(name); ++number)
        name = std::string(method.name) + "_" + std::to_string(number);
      files[name] = &method;
    }
    return files;
  }

  const std::vector<Method> methods_ = AllMethods();
  const Computations c_ = MakeComputations(client_);
  const fs::path folder_ = fs::path(TENON_API_TESTDATA) / "programs";
};

TEST_F(Stability, ProgramsOfOldKeepTheirMeaning) {
  const char *remote = std::getenv("TENON_REMOTE_TEST");
  std::mt19937 random(1);
  for (const auto &[name, method] : Files()) {
    SCOPED_TRACE(name);
    if (remote && name == "CustomCallOp")
      continue; // another process does not know functions of this one
    fs::path path = folder_ / (name + ".pb");
    auto built = Build(*method);
    if (!fs::exists(path) && std::getenv("TENON_BLESS")) {
      Recorded recorded{built->ToPortableArtifact(kOldestVersion).ConsumeValueOrDie(), {}, {}};
      for (const Shape &operand : method->operands)
        if (Literal value = SomeValue(operand, random); ShapeUtil::IsTuple(operand))
          std::ranges::move(value.DecomposeTuple(), std::back_inserter(recorded.arguments));
        else
          recorded.arguments.push_back(std::move(value));
      auto program = Computation::FromStableHlo(recorded.artifact).ConsumeValueOrDie();
      recorded.result = RunOnArrays(*program, recorded.arguments);
      WriteRecord(path, std::move(recorded));
    }
    ASSERT_TRUE(fs::exists(path)) << "run with TENON_BLESS=1 for a new method";
    const Recorded recorded = ReadRecord(path);
    auto program = Computation::FromStableHlo(recorded.artifact);
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    EXPECT_TRUE(IsStill(RunOnArrays(**program, recorded.arguments), recorded.result, MayImprove(method->name)));
    // What the builder makes today means the same.
    auto today = Computation::FromStableHlo(built->ToPortableArtifact().ConsumeValueOrDie()).ConsumeValueOrDie();
    EXPECT_TRUE(IsStill(RunOnArrays(*today, recorded.arguments), recorded.result, MayImprove(method->name)));
  }
}

TEST_F(Stability, EveryProgramOfOldIsStillAMethods) {
  auto files = Files();
  for (const auto &entry : fs::directory_iterator(folder_))
    EXPECT_TRUE(files.contains(entry.path().stem().string())) << entry.path() << ": its method is gone";
}

// A program written for any version of StableHLO is the program that was built.
TEST_F(Stability, EveryVersionSaysTheSame) {
  for (const Method &method : methods_) {
    auto built = Build(method);
    std::string text;
    for (const char *version : {kOldestVersion, "1.0.0", "1.9.0", "1.17.0", ""}) {
      auto artifact = built->ToPortableArtifact(version);
      ASSERT_TRUE(artifact.ok()) << method.name << ", " << version << ": " << artifact.status().ToString();
      std::string read = Computation::FromStableHlo(*artifact).ConsumeValueOrDie()->ToStableHloText();
      if (text.empty())
        text = read;
      EXPECT_EQ(read, text) << method.name << ", " << version;
    }
  }
}

} // namespace
} // namespace tenon::xla_2017
