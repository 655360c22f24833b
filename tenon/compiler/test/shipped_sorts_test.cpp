// That sorts and top_ks are compiled from routines that ship: whole programs, of sizes that no one had in mind.
#include "tenon/codegen/llvm/routines.h"
#include "tenon/compiler/compiler.h"

#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

struct Compiled {
  int64_t routinesCompiled = 0; // because they did not ship
  std::vector<std::string> routines;

  bool has(const std::string &name) const {
    for (const std::string &routine : routines)
      if (routine.starts_with("tenon.routine." + name + "."))
        return true;
    return false;
  }
};

class ShippedSorts : public ::testing::TestWithParam<const char *> {
protected:
  static Compiled compileAll(const std::string &source) {
    CompileOptions options;
    options.targetCpu = GetParam();
    codegen::RoutineStore &store = codegen::RoutineStore::ofProcess();
    int64_t before = store.compiled();
    StatusOr<program::Program> program = compile(source, options);
    EXPECT_TRUE(program.ok()) << program.status().message() << '\n' << source;
    Compiled result;
    if (!program.ok())
      return result;
    result.routinesCompiled = store.compiled() - before;
    for (const program::ObjectCode &object : std::get<program::CpuCode>(program->code).objects)
      if (object.name.starts_with("tenon.routine."))
        result.routines.push_back(object.name);
    return result;
  }

  // A sort of an array by `compare`, which defines %p, alone or with one of elements `also`, which may be "positions".
  static std::string sortProgram(const std::string &shape, const std::string &type, int dimension,
                                 const std::string &compare, const std::string &also = "") {
    bool isAlone = also.empty(), ofPositions = also == "positions";
    std::string other = isAlone || ofPositions ? "i32" : also;
    std::string key = "tensor<" + shape + "x" + type + ">", second = "tensor<" + shape + "x" + other + ">";
    std::string types = key + (isAlone ? "" : ", " + second), number = std::to_string(dimension);
    std::string text = "func.func @main(%x: " + key + ", %y: " + second + ") -> " + key + " {\n";
    if (ofPositions)
      text += "  %i = stablehlo.iota dim = " + number + " : " + second + "\n";
    text += std::string("  %s") + (isAlone ? "" : ":2") + " = \"stablehlo.sort\"(%x";
    text += (isAlone ? "" : ofPositions ? ", %i" : ", %y") + std::string(") <{dimension = " + number + " : i64}> ({\n");
    text += "  ^bb0(%a: tensor<" + type + ">, %b: tensor<" + type + ">";
    text += isAlone ? "" : ", %c: tensor<" + other + ">, %d: tensor<" + other + ">";
    text += "):\n    %p = " + compare + " : (tensor<" + type + ">, tensor<" + type + ">) -> tensor<i1>\n";
    text += "    stablehlo.return %p : tensor<i1>\n  }) : (" + types + ") -> (" + types + ")\n";
    return text + "  return %s" + (isAlone ? "" : "#0") + " : " + key + "\n}\n";
  }
};

const char *const kLess = "stablehlo.compare LT, %a, %b", *const kGreater = "stablehlo.compare GT, %a, %b",
                  *const kTotalLess = "stablehlo.compare LT, %a, %b, TOTALORDER";

TEST_P(ShippedSorts, AreOfEveryTypeAndDirection) {
  for (const char *shape : {"77", "3x511", "2x40001", "234567"})
    for (auto [type, compare] : {std::pair{"i8", kLess},
                                 {"ui8", kGreater},
                                 {"i16", kGreater},
                                 {"ui32", kLess},
                                 {"i64", kGreater},
                                 {"f16", kTotalLess},
                                 {"bf16", kTotalLess},
                                 {"f32", kTotalLess},
                                 {"f64", kTotalLess}}) {
      int dimension = std::string(shape).find('x') == std::string::npos ? 0 : 1;
      std::string source = sortProgram(shape, type, dimension, compare);
      SCOPED_TRACE(source);
      Compiled compiled = compileAll(source);
      EXPECT_EQ(compiled.routinesCompiled, 0);
      EXPECT_FALSE(compiled.routines.empty());
    }
}

TEST_P(ShippedSorts, MoveOtherArrays) {
  for (const char *shape : {"31", "555", "1234567"})
    for (const char *type : {"i32", "f32", "i64", "f64"})
      for (const char *also : {"positions", "f32", "i64", "complex<f32>"}) {
        bool isFloat = *type == 'f';
        Compiled compiled = compileAll(sortProgram(shape, type, 0, isFloat ? kTotalLess : kLess, also));
        EXPECT_EQ(compiled.routinesCompiled, 0) << shape << type << also;
        EXPECT_FALSE(compiled.routines.empty());
      }
}

TEST_P(ShippedSorts, RunAlongAnyDimension) {
  Compiled compiled = compileAll(sortProgram("5x333x7", "i16", 1, kLess));
  EXPECT_EQ(compiled.routinesCompiled, 0);
  EXPECT_TRUE(compiled.has("sort.row"));
}

TEST_P(ShippedSorts, HaveTheOrderOfJax) {
  const char *canonical = R"(stablehlo.constant dense<0.0> : tensor<f32>
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %0 = stablehlo.compare EQ, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.select %0, %zero, %a : tensor<i1>, tensor<f32>
    %2 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.select %2, %nan, %1 : tensor<i1>, tensor<f32>
    %4 = stablehlo.compare EQ, %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.select %4, %zero, %b : tensor<i1>, tensor<f32>
    %6 = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.select %6, %nan, %5 : tensor<i1>, tensor<f32>
    %p = stablehlo.compare LT, %3, %7, TOTALORDER)";
  for (const char *shape : {"100", "1000", "65537"})
    for (const char *also : {"", "positions"}) {
      std::string source = sortProgram(shape, "f32", 0, canonical, also);
      source.replace(source.find("%p = stablehlo.constant"), 4, "%zero =");
      Compiled compiled = compileAll(source);
      EXPECT_EQ(compiled.routinesCompiled, 0) << source;
      EXPECT_EQ(compiled.has("sort.mend"), std::string(shape) == "65537" && !*also);
    }
}

TEST_P(ShippedSorts, AreNotOfOtherComparators) {
  Compiled compiled = compileAll(sortProgram("1000", "f32", 0, kLess)); // -0 and NaNs are not less than anything
  EXPECT_TRUE(compiled.routines.empty());
}

TEST_P(ShippedSorts, ContainTopK) {
  // Candidates are inserted, ranked in batches and sorted in batches, in rows of every length.
  for (auto [shape, k] : {std::pair{"9", "7"},
                          {"64x32768", "7"},
                          {"12345678", "7"},
                          {"80", "40"},
                          {"64x32768", "64"},
                          {"40000", "3000"},
                          {"12345678", "3000"}})
    for (const char *type : {"f32", "bf16", "ui8", "i32"}) {
      std::string outer = std::string(shape).find('x') == std::string::npos ? "" : "64x";
      std::string in = std::string("tensor<") + shape + "x" + type + ">", count = k;
      std::string values = "tensor<" + outer + count + "x" + type + ">",
                  positions = "tensor<" + outer + count + "xi32>";
      Compiled compiled =
          compileAll("func.func @main(%x: " + in + ") -> (" + values + ", " + positions +
                     ") {\n  %0:2 = chlo.top_k(%x, k = " + count + ") : " + in + " -> (" + values + ", " + positions +
                     ")\n  return %0#0, %0#1 : " + values + ", " + positions + "\n}\n");
      EXPECT_EQ(compiled.routinesCompiled, 0) << shape << type << k;
      EXPECT_TRUE(compiled.has("top_k")) << shape << type << k;
    }
}

// A task that takes long has to ask whether to stop, which the kernel's own code does.
TEST_P(ShippedSorts, DoNotKeepARunFromStopping) {
  EXPECT_TRUE(compileAll(sortProgram("20x3000000", "i32", 1, kLess)).routines.empty());
  EXPECT_FALSE(compileAll(sortProgram("20x30000", "i32", 1, kLess)).routines.empty());
}

INSTANTIATE_TEST_SUITE_P(Levels, ShippedSorts, ::testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) { return std::string(info.param).substr(7); });

} // namespace
} // namespace tenon::compiler
