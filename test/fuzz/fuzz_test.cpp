// The fuzzer itself: that it makes every op, and notices what it should notice and nothing else.

#include "test/fuzz/arguments.h"
#include "test/fuzz/child.h"
#include "test/fuzz/crossing.h"
#include "test/fuzz/damage.h"
#include "test/fuzz/generator.h"

#include "tenon/checking/expectation.h"
#include "tenon/checking/reduce.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"

#include "llvm/ADT/StringSet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <set>
#include <thread>

namespace tenon::fuzz {
namespace {

using checking::Agreement;
using checking::Expectation;
using ::testing::HasSubstr;

class FuzzTest : public ::testing::Test {
protected:
  FuzzTest() { loadAllDialects(context); }

  std::string program(const GeneratorOptions &options) {
    auto module = generate(context, options);
    return module ? frontend::exportText(*module) : "";
  }

  // The expectation of a program that takes no arguments.
  Expectation expect(const std::string &source) {
    module = frontend::importModule(source, context);
    return *Expectation::create(*module, makeAllArguments(*module, /*seed=*/1));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(FuzzTest, MakesEveryOp) {
  for (const Entry &entry : entries()) {
    bool found = false;
    for (uint64_t seed = 1; seed <= 60 && !found; ++seed) {
      auto module = generate(context, {.seed = seed, .ops = 1, .first = &entry});
      ASSERT_TRUE(module) << entry.name << ", seed " << seed;
      module->walk([&](mlir::Operation *op) { found |= op->getName().getStringRef() == entry.name; });
    }
    EXPECT_TRUE(found) << entry.name;
  }
}

// What no generated program has, and why.
bool isLeftOut(llvm::StringRef name) {
  static const llvm::StringSet<> kLeftOut = {// refused when compiled
                                             "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv",
                                             "stablehlo.send",
                                             // the end of every region, and what the module says of its devices
                                             "stablehlo.return", "sdy.return", "sdy.mesh"};
  return kLeftOut.contains(name);
}

TEST_F(FuzzTest, KnowsEveryOp) {
  llvm::StringSet<> known;
  for (const Entry &entry : entries())
    known.insert(entry.name);
  for (const char *dialect : {"stablehlo", "chlo", "sdy"})
    for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect(dialect))
      EXPECT_NE(known.contains(op.getStringRef()), isLeftOut(op.getStringRef())) << op.getStringRef().str();
}

// dynamic, bounded, quantized, complex, sub-byte, sharded: each two with each op that takes both.
TEST_F(FuzzTest, DrawsEveryPairOfTraitsForEveryOp) {
  for (const Entry &entry : entries())
    EXPECT_TRUE(entry.name == "func.func" || crossingRow(entry.name)) << entry.name << " has no row in the table";
  CrossingCoverage coverage = drawCoverage(/*seed=*/1, /*count=*/3000);
  EXPECT_THAT(coverage.missing(), ::testing::IsEmpty()) << "pairs that no program has";
  EXPECT_THAT(coverage.beyondTable(), ::testing::IsEmpty()) << "pairs that the table does not have";
}

TEST_F(FuzzTest, CoverageKnowsWhatValuesAre) {
  module = frontend::importModule(R"(module attributes {mhlo.num_replicas = 2 : i32} {
    func.func @main(%x: tensor<?x2xcomplex<f32>>, %y: tensor<2xi4>) -> tensor<?x2xcomplex<f32>> {
      %0 = stablehlo.negate %x : tensor<?x2xcomplex<f32>>
      %1 = stablehlo.not %y : tensor<2xi4>
      return %0 : tensor<?x2xcomplex<f32>>
    }
  })",
                                  context);
  CrossingCoverage coverage;
  coverage.add(*module);
  EXPECT_TRUE(coverage.has("stablehlo.negate", Trait::kDynamic, Trait::kComplex));
  EXPECT_TRUE(coverage.has("stablehlo.negate", Trait::kSharded, Trait::kComplex));
  EXPECT_FALSE(coverage.has("stablehlo.negate", Trait::kBounded, Trait::kComplex));
  EXPECT_TRUE(coverage.has("stablehlo.not", Trait::kSubByte, Trait::kSharded));
  EXPECT_FALSE(coverage.has("stablehlo.not", Trait::kSubByte, Trait::kDynamic));
}

TEST_F(FuzzTest, MakesTheSameProgramForASeed) {
  EXPECT_EQ(program({.seed = 7}), program({.seed = 7}));
  EXPECT_NE(program({.seed = 7}), program({.seed = 8}));
}

llvm::ArrayRef<uint8_t> bytesOf(const std::vector<float> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float)};
}

TEST_F(FuzzTest, ComparesExactValuesByBits) {
  Expectation expectation = expect(R"(func.func @main() -> tensor<3xf32> {
    %x = stablehlo.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  })");
  EXPECT_EQ(expectation.agreement(0), Agreement::kExact);
  float nan = std::bit_cast<float>(0xffc00001);
  EXPECT_FALSE(expectation.check(0, bytesOf({2.0f, -0.0f, nan})));
  EXPECT_TRUE(expectation.check(0, bytesOf({2.0f, 0.0f, nan})));
  EXPECT_TRUE(expectation.check(0, bytesOf({std::nextafter(2.0f, 3.0f), -0.0f, nan})));
  EXPECT_TRUE(expectation.check(0, bytesOf({2.0f, -0.0f, 1.0f})));
}

TEST_F(FuzzTest, AllowsRoundedValuesWhatRoundingMoves) {
  // The sum is 1, of terms of which one unit in the last place is 0.125.
  Expectation expectation = expect(R"(func.func @main() -> tensor<f32> {
    %x = stablehlo.constant dense<[1000000.0, 1.0, -1000000.0]> : tensor<3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
  EXPECT_EQ(expectation.agreement(0), Agreement::kRounded);
  EXPECT_FALSE(expectation.check(0, bytesOf({1.0f})));
  EXPECT_FALSE(expectation.check(0, bytesOf({1.0625f})));
  EXPECT_TRUE(expectation.check(0, bytesOf({1000.0f})));
}

TEST_F(FuzzTest, LooksAgainBeforeItCallsARoundedValueWrong) {
  // Sums between 10 and 12, in a type that has nothing between them, and whose largest number cosh of 12 exceeds. Few
  // noisy runs round some of them to 12.
  Finding finding = checkProgram(R"(func.func @main(%x: tensor<12x17xf8E5M2> {tenon.input = 0 : i64},
                                                    %y: tensor<12x17xcomplex<f32>> {tenon.input = 2 : i64})
      -> tensor<8x16xf8E5M2> {
    %y0 = stablehlo.constant dense<(0.984880626,1.03517294)> : tensor<complex<f32>>
    %x0 = stablehlo.constant dense<2.5> : tensor<f8E5M2>
    %0 = stablehlo.logistic %x : tensor<12x17xf8E5M2>
    %m = stablehlo.minimum %0, %0 : tensor<12x17xf8E5M2>
    %1:2 = "stablehlo.reduce_window"(%m, %y, %x0, %y0) ({
    ^bb0(%a: tensor<f8E5M2>, %b: tensor<complex<f32>>, %c: tensor<f8E5M2>, %d: tensor<complex<f32>>):
      %3 = stablehlo.add %c, %a : tensor<f8E5M2>
      %4 = stablehlo.add %b, %d : tensor<complex<f32>>
      stablehlo.return %3, %4 : tensor<f8E5M2>, tensor<complex<f32>>
    }) {padding = dense<[[-1, -1], [1, -1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 2>}
        : (tensor<12x17xf8E5M2>, tensor<12x17xcomplex<f32>>, tensor<f8E5M2>, tensor<complex<f32>>)
        -> (tensor<8x16xf8E5M2>, tensor<8x16xcomplex<f32>>)
    %2 = chlo.cosh %1#0 : tensor<8x16xf8E5M2> -> tensor<8x16xf8E5M2>
    return %2 : tensor<8x16xf8E5M2>
  })",
                                 150008612);
  EXPECT_FALSE(finding) << finding.message;
}

TEST_F(FuzzTest, AllowsWhatRoundingMakesOverflow) {
  // The exponentials of 10 and 12, the one below the largest number of the type and the other, which is NaN, above it.
  Expectation expectation = expect(R"(func.func @main() -> (tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>) {
    %x = stablehlo.constant dense<[[8.0, 2.0], [8.0, 4.0]]> : tensor<2x2xf8E5M2FNUZ>
    %zero = stablehlo.constant dense<0.0> : tensor<f8E5M2FNUZ>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<2x2xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>) -> tensor<2xf8E5M2FNUZ>
    %1 = stablehlo.exponential %0 : tensor<2xf8E5M2FNUZ>
    %2 = stablehlo.tanh %0 : tensor<2xf8E5M2FNUZ>
    return %1, %2 : tensor<2xf8E5M2FNUZ>, tensor<2xf8E5M2FNUZ>
  })");
  constexpr uint8_t kNaN = 0x80, k20480 = 0x79, kOne = 0x40;
  EXPECT_FALSE(expectation.check(0, {k20480, kNaN}));
  EXPECT_FALSE(expectation.check(0, {k20480, k20480}));
  EXPECT_FALSE(expectation.check(1, {kOne, kOne}));
  EXPECT_TRUE(expectation.check(1, {kOne, kNaN}));
}

TEST_F(FuzzTest, ExpectsResultsOfEachProcess) {
  Expectation expectation = expect(R"(module attributes {mhlo.num_replicas = 2 : i32} {
    func.func @main() -> tensor<f32> {
      %id = stablehlo.replica_id : tensor<ui32>
      %0 = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
  })");
  EXPECT_FALSE(expectation.check(0, bytesOf({0.0f})));
  EXPECT_FALSE(expectation.check(1, bytesOf({1.0f})));
  EXPECT_THAT(expectation.check(1, bytesOf({0.0f})), ::testing::Optional(HasSubstr("result 0 of process 1")));
}

// So that the last bit counts.
TEST_F(FuzzTest, ExpectsSumsOfProcessesInTheirOrder) {
  Expectation expectation = expect(R"(module attributes {mhlo.num_replicas = 3 : i32} {
    func.func @main() -> tensor<f32> {
      %id = stablehlo.replica_id : tensor<ui32>
      %n = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
      %all = stablehlo.constant dense<[1.0, 33554432.0, -33554432.0]> : tensor<3xf32>
      %part = stablehlo.dynamic_slice %all, %n, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
      %x = stablehlo.reshape %part : (tensor<1xf32>) -> tensor<f32>
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
  })");
  EXPECT_EQ(expectation.agreement(2), Agreement::kExact);
  EXPECT_FALSE(expectation.check(2, bytesOf({0.0f})));
  EXPECT_TRUE(expectation.check(2, bytesOf({1.0f})));
}

TEST_F(FuzzTest, SaysNothingAboutJumpsOfRoundedValues) {
  Expectation expectation = expect(R"(func.func @main() -> (tensor<f32>, tensor<f32>) {
    %x = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.exponential %x : tensor<f32>
    %1 = stablehlo.floor %0 : tensor<f32>
    return %0, %1 : tensor<f32>, tensor<f32>
  })");
  EXPECT_EQ(expectation.agreement(0), Agreement::kRounded);
  EXPECT_EQ(expectation.agreement(1), Agreement::kOpen);
  EXPECT_FALSE(expectation.check(1, bytesOf({5.0f})));
}

TEST_F(FuzzTest, SaysNothingAboutSumsThatOverflowInSomeOrder) {
  Expectation expectation = expect(R"(func.func @main() -> tensor<f32> {
    %x = stablehlo.constant dense<[3.0e38, 3.0e38, -3.0e38]> : tensor<3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
  EXPECT_FALSE(expectation.check(0, bytesOf({3.0e38f})));
}

TEST_F(FuzzTest, AllowsInfiniteQuotientsByRoundingErrors) {
  // 0.1 + 0.2 - 0.3, of which some orders make nothing.
  Expectation expectation = expect(R"(func.func @main() -> (tensor<f64>, tensor<f64>) {
    %x = stablehlo.constant dense<[0.1, 0.2, -0.3]> : tensor<3xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %one = stablehlo.constant dense<7.0> : tensor<f64>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %1 = stablehlo.divide %one, %0 : tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  })");
  std::vector<double> none{0.0}, infinite{INFINITY};
  auto bytes = [](const std::vector<double> &values) {
    return llvm::ArrayRef(reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(double));
  };
  EXPECT_FALSE(expectation.check(0, bytes(none)));
  EXPECT_TRUE(expectation.check(0, bytes(infinite)));
  EXPECT_FALSE(expectation.check(1, bytes(infinite)));
}

TEST_F(FuzzTest, SaysNothingAboutFoldsThatDependOnTheOrder) {
  auto fold = [&](const std::string &op, bool foldsAreAssociative) {
    module = frontend::importModule(R"(func.func @main() -> tensor<i32> {
      %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
       reducer(%a: tensor<i32>, %b: tensor<i32>) {
        %1 = stablehlo.)" + op + R"( %a, %b : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }
      return %0 : tensor<i32>
    })",
                                    context);
    return Expectation::create(*module, makeAllArguments(*module, 1), {.foldsAreAssociative = foldsAreAssociative})
        ->agreement(0);
  };
  EXPECT_EQ(fold("subtract", false), Agreement::kOpen);
  EXPECT_EQ(fold("add", false), Agreement::kExact);
  EXPECT_EQ(fold("subtract", true), Agreement::kExact);
}

// Found with seed 700746: 1 / 0 is infinite by Annex G of C, and NaN where a library multiplies by the reciprocal.
TEST_F(FuzzTest, SaysNothingAboutComplexSystemsWithoutSolution) {
  auto solve = [&](const std::string &diagonal, const std::string &unit) {
    return expect(R"(func.func @main() -> tensor<2x2xcomplex<f32>> {
      %a = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)], [(0.0, 0.0), )" +
                  diagonal + R"(]]> : tensor<2x2xcomplex<f32>>
      %b = stablehlo.constant dense<(1.0, 0.0)> : tensor<2x2xcomplex<f32>>
      %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = false, unit_diagonal = )" +
                  unit + R"(, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
          : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
      return %0 : tensor<2x2xcomplex<f32>>
    })")
        .agreement(0);
  };
  EXPECT_EQ(solve("(0.0, -0.0)", "false"), Agreement::kOpen);
  EXPECT_EQ(solve("(0.0, 1.0)", "false"), Agreement::kRounded);
  EXPECT_EQ(solve("(0.0, 0.0)", "true"), Agreement::kRounded);
}

Finding outcomeOf(const Child::Work &work, double timeLimit) {
  Child child(5, 2, 3, work);
  while (!child.poll(timeLimit))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return child.finding();
}

TEST(ChildTest, ReportsFindingsCrashesAndHangs) {
  using Kind = Finding::Kind;
  auto fine = [](uint64_t, const Child::HandOver &) -> Finding { return {}; };
  EXPECT_EQ(outcomeOf(fine, 60).kind, Kind::kNone);
  auto finding = [](uint64_t number, const Child::HandOver &) -> Finding {
    return number == 7 ? Finding{Kind::kWrongResult, "seven"} : Finding();
  };
  EXPECT_EQ(outcomeOf(finding, 60).message, "seven");
  auto crash = [](uint64_t, const Child::HandOver &) -> Finding {
    std::raise(SIGSEGV);
    return {};
  };
  EXPECT_EQ(outcomeOf(crash, 60).kind, Kind::kCrash);
  auto hang = [](uint64_t, const Child::HandOver &) -> Finding {
    pause();
    return {};
  };
  EXPECT_EQ(outcomeOf(hang, 0.05).kind, Kind::kHang);
}

TEST_F(FuzzTest, DamagesTheSameForASeed) {
  auto module = generate(context, {.seed = 3});
  std::string before = frontend::exportText(*module, {.generic = true});
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    texts.insert(damagedText(*module, seed));
    EXPECT_EQ(texts.count(damagedText(*module, seed)), 1u);
  }
  EXPECT_GT(texts.size(), 15u);
  EXPECT_EQ(frontend::exportText(*module, {.generic = true}), before);
}

TEST_F(FuzzTest, SomeDamageIsRefusedAndSomeIsNot) {
  int refused = 0, accepted = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    auto module = generate(context, {.seed = seed});
    for (uint64_t i = 0; i < 10; ++i) {
      Finding finding = checkInChild(damagedText(*module, seed * 10 + i), seed, 60, Origin::kDamaged);
      (finding.kind == Finding::Kind::kInvalid ? refused : accepted) += 1;
      EXPECT_TRUE(!finding || finding.kind == Finding::Kind::kInvalid) << kindName(finding.kind) << finding.message;
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(accepted, 10);
}

TEST_F(FuzzTest, DamagesNotations) {
  std::mt19937_64 random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 500; ++i)
    seen.insert(damagedNotation("array<i64: 4, 7>", random));
  for (const char *expected :
       {"array<i64: 5, 7>", "array<i64: 4, -1>", "array<i64: 7, 4>", "array<i64: 4>", "array<i64: 4, 4, 7>",
        "array<i64: >", "array<i32: 4, 7>", "array<i64: 4, 9223372036854775807>"})
    EXPECT_TRUE(seen.contains(expected)) << expected;
  seen.clear();
  for (int i = 0; i < 500; ++i)
    seen.insert(damagedNotation("#stablehlo<comparison_direction GE>", random));
  EXPECT_EQ(seen.size(), 6u);
}

// What an error of the interpreter means: nothing, when it is one of the compiled program as well.
TEST(CheckTest, DamagedProgramsMayFailTwice) {
  using Kind = Finding::Kind;
  auto kindOf = [](const std::string &call, const std::string &result, Origin origin) {
    std::string program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = stablehlo.custom_call @" + call +
                          "(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn " + result + " : tensor<2xf32>\n}";
    return checkInChild(program, 1, 60, origin).kind;
  };
  EXPECT_EQ(kindOf("Sharding", "%0", Origin::kDamaged), Kind::kNone);
  EXPECT_EQ(kindOf("nothing_known", "%0", Origin::kDamaged), Kind::kNone);
  EXPECT_EQ(kindOf("nothing_known", "%0", Origin::kOrdinary), Kind::kInterpreterError);
  EXPECT_EQ(kindOf("nothing_known", "%x", Origin::kDamaged), Kind::kNone);
  EXPECT_EQ(kindOf("nothing_known", "%y", Origin::kDamaged), Kind::kInvalid);
}

// It would take minutes, and more memory than there is.
TEST(CheckTest, TooLargeProgramsAreNotRun) {
  Finding finding = checkInChild("func.func @main() -> tensor<100000000000xi64> {\n"
                                 "%0 = stablehlo.iota dim = 0 : tensor<100000000000xi64>\n"
                                 "return %0 : tensor<100000000000xi64>\n}",
                                 1, 60, Origin::kDamaged);
  EXPECT_FALSE(finding) << kindName(finding.kind) << finding.message;
}

// GPUs believe what a scatter says of its indices: here, wrongly, that one place is several.
TEST(CheckTest, GpusMayBelieveWrongHints) {
  Finding finding = checkProgram(R"(func.func @main(%x: tensor<f32> {tenon.input = 0 : i64},
                                                    %u: tensor<4x6xf32> {tenon.input = 1 : i64}) -> tensor<f32> {
    %i = stablehlo.constant dense<> : tensor<0x4x6xi32>
    %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false,
        scatter_dimension_numbers = #stablehlo.scatter<>, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<f32>, tensor<0x4x6xi32>, tensor<4x6xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  })",
                                 1, Origin::kOrdinary, Target::kEmulatedGpu);
  EXPECT_FALSE(finding) << finding.message;
}

TEST_F(FuzzTest, ReducesToWhatFails) {
  std::string source = R"(func.func @main(%x: tensor<4x6xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<6x4xf32>) {
    %0 = stablehlo.add %x, %x : tensor<4x6xf32>
    %1 = stablehlo.tanh %0 : tensor<4x6xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.add %n, %n : tensor<i32>
    return %3, %2 : tensor<i32>, tensor<6x4xf32>
  })";
  auto fails = [](const std::string &program) { return program.find("stablehlo.tanh") != std::string::npos; };
  auto input = [](mlir::RankedTensorType type, uint64_t number) { return makeInput(type, 1, number); };
  std::string reduced = checking::reduceProgram(source, input, fails, 30);
  EXPECT_THAT(reduced, HasSubstr("stablehlo.tanh %"));
  EXPECT_THAT(reduced, HasSubstr("tensor<1x1xf32>"));
  EXPECT_EQ(reduced.find("stablehlo.add"), std::string::npos) << reduced;
  EXPECT_EQ(reduced.find("stablehlo.transpose"), std::string::npos) << reduced;
  EXPECT_EQ(reduced.find("i32"), std::string::npos) << reduced;
}

} // namespace
} // namespace tenon::fuzz
