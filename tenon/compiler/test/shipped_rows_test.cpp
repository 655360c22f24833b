// That reductions, norms and softmax are compiled from routines that ship: whole programs as front ends write them, of
// sizes that no one had in mind.
#include "tenon/codegen/llvm/routines.h"
#include "tenon/compiler/compiler.h"

#include "gtest/gtest.h"

#include <cstring>

namespace tenon::compiler {
namespace {

class ShippedRows : public ::testing::TestWithParam<const char *> {
protected:
  // The routines of the program's kernels, by the first part of their names.
  static std::string routinesOf(const std::string &source, const char *cpu = GetParam()) {
    CompileOptions options;
    options.targetCpu = cpu;
    int64_t before = codegen::RoutineStore::ofProcess().compiled();
    StatusOr<program::Program> program = compile(source, options);
    if (!program.ok())
      return program.status().message() + "\n" + source;
    EXPECT_EQ(codegen::RoutineStore::ofProcess().compiled(), before);
    std::string names, prefix = "tenon.routine.";
    for (const program::ObjectCode &object : std::get<program::CpuCode>(program->code).objects)
      if (object.name.starts_with(prefix))
        names += object.name.substr(prefix.size(), object.name.find('.', prefix.size()) - prefix.size()) + " ";
    return names;
  }

  static std::string aliases(const std::string &rows, const std::string &columns, const std::string &type) {
    std::string text;
    for (const auto &[name, dims] : {std::pair<std::string, std::string>{"x", rows + "x" + columns + "x"},
                                     {"r", rows + "x"},
                                     {"r1", rows + "x1x"},
                                     {"c", columns + "x"},
                                     {"s", ""}})
      text += "!" + name + " = tensor<" + dims + type + ">\n";
    return text;
  }

  static std::string reduction(const std::string &combiner, const std::string &init, const std::string &dims,
                               const std::string &result) {
    return "func.func @main(%x: !x) -> " + result + " {\n%i = stablehlo.constant dense<" + init +
           "> : !s\n%0 = stablehlo.reduce(%x init: %i) applies stablehlo." + combiner + " across dimensions = [" +
           dims + "] : (!x, !s) -> " + result + "\nreturn %0 : " + result + "\n}";
  }
};

struct Type {
  const char *name, *zero, *one, *low;
};
constexpr Type kTypes[] = {{"f32", "0.0", "1.0", "0xFF800000"},
                           {"f64", "0.0", "1.0", "0xFFF0000000000000"},
                           {"i32", "0", "1", "-2147483648"},
                           {"bf16", "0.0", "1.0", "0xFF80"},
                           {"f16", "0.0", "1.0", "0xFC00"}};

TEST_P(ShippedRows, AreReductionsOfEveryKind) {
  for (const Type &type : kTypes) {
    SCOPED_TRACE(type.name);
    bool isNarrow = type.name[std::strlen(type.name) - 2] == '1'; // whose sums come with conversions
    for (auto [combiner, init] : {std::pair{"maximum", type.low}, {"add", type.zero}, {"multiply", type.one}}) {
      if (isNarrow && init != type.low)
        continue;
      SCOPED_TRACE(combiner);
      for (const char *columns : {"2048", "1001", "33333"})
        EXPECT_EQ(routinesOf(aliases("777", columns, type.name) + reduction(combiner, init, "1", "!r")), "rows ");
      for (auto [rows, columns] : {std::pair{"3333", "2048"}, {"2048", "3333"}})
        for (auto [dims, result] : {std::pair{"0, 1", "!s"}, {"0", "!c"}})
          EXPECT_EQ(routinesOf(aliases(rows, columns, type.name) + reduction(combiner, init, dims, result)),
                    "combine parts ");
    }
  }
}

TEST_P(ShippedRows, AreSumsOfFewColumns) {
  for (const char *columns : {"40", "48"})
    EXPECT_EQ(routinesOf(aliases("20000", columns, "f32") + reduction("add", "0.0", "0", "!c")), "combine parts ");
}

// Reductions of many arrays, and of few, whose sums are in parts.
TEST_P(ShippedRows, AreReductionsOfTheDimensionBeforeTheLast) {
  for (auto [combiner, init] : {std::pair{"maximum", "0xFF800000"}, {"add", "0.0"}})
    for (auto [shape, columns, names] : {std::tuple{"50x301x", "70", "rows "},
                                         {"50x555x", "128", "rows "},
                                         {"50x77x", "200", "rows "},
                                         {"3x777x", "2000", "combine parts "},
                                         {"5x2222x", "256", "combine parts "}}) {
      std::string x = std::string("tensor<") + shape + columns + "xf32>";
      std::string arrays(shape, std::strchr(shape, 'x') + 1), r = "tensor<" + arrays + columns + "xf32>";
      std::string types = "!x = " + x + "\n!r = " + r + "\n!s = tensor<f32>\n";
      EXPECT_EQ(routinesOf(types + reduction(combiner, init, "1", "!r")), names) << combiner << " of " << x;
    }
}

TEST_P(ShippedRows, AreSoftmax) {
  const char *body = R"(func.func @main(%x: !x) -> !x {
    %low = stablehlo.constant dense<0xFF800000> : !s
    %zero = stablehlo.constant dense<0.0> : !s
    %1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %low, dims = [] : (!s) -> !r
    %3 = stablehlo.maximum %2, %1 : !r
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (!r) -> !r1
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!r1) -> !x
    %6 = stablehlo.subtract %x, %5 : !x
    %7 = stablehlo.exponential %6 : !x
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (!r) -> !r1
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (!r1) -> !x
    %11 = stablehlo.divide %7, %10 : !x
    return %11 : !x
  })";
  for (const char *columns : {"768", "1000", "4096", "5120", "50257"})
    for (const char *rows : {"17", "9999"})
      EXPECT_EQ(routinesOf(aliases(rows, columns, "f32") + body), "rows ") << rows << "x" << columns;
}

// Over 23 elements along the first dimension, or the second where there is an outer one.
std::string softmaxOfColumns(const std::string &outer, const std::string &columns, const std::string &type,
                             const std::string &low) {
  std::string over = outer.empty() ? "0" : "1", kept = outer.empty() ? "1" : "0, 2";
  std::string across = " across dimensions = [" + over + "] : (!x, !s) -> !r\n";
  std::string spread = ", dims = [" + kept + "] : (!r) -> !x\n";
  return "!s = tensor<" + type + ">\n!r = tensor<" + outer + columns + type + ">\n!x = tensor<" + outer + "23x" +
         columns + type + ">\nfunc.func @main(%x: !x) -> !x {\n%low = stablehlo.constant dense<" + low +
         "> : !s\n%zero = stablehlo.constant dense<0.0> : !s\n" +
         "%1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum" + across +
         "%2 = stablehlo.broadcast_in_dim %1" + spread +
         "%3 = stablehlo.subtract %x, %2 : !x\n%4 = stablehlo.exponential %3 : !x\n" +
         "%5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add" + across + "%6 = stablehlo.broadcast_in_dim %5" +
         spread + "%7 = stablehlo.divide %4, %6 : !x\nreturn %7 : !x\n}";
}

// Their sums of exponentials, of f32 alone.
TEST_P(ShippedRows, AreSoftmaxOfColumns) {
  for (const char *columns : {"4000x", "5000x"})
    for (const char *outer : {"", "3x"})
      EXPECT_EQ(routinesOf(softmaxOfColumns(outer, columns, "f32", "0xFF800000")), "rows ") << outer << columns;
  EXPECT_EQ(routinesOf(softmaxOfColumns("", "4000x", "f64", "0xFFF0000000000000")), "");
}

// What sines do for huge numbers, however many vectors a kernel computes together: of doubles by numbers, too.
TEST_P(ShippedRows, HaveWhatIsRareInSines) {
  std::string body = R"(func.func @main(%x: !x) -> !r {
    %zero = stablehlo.constant dense<0.0> : !s
    %0 = stablehlo.sine %x : !x
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    return %1 : !r
  })";
  for (auto [type, names] : {std::pair{"f32", "math "}, {"f64", "math math "}})
    EXPECT_EQ(routinesOf(aliases("99", "1000", type) + body), names) << type;
}

// The number of elements and what is added to the variance are no part of a routine.
TEST_P(ShippedRows, AreNorms) {
  for (const char *columns : {"768", "1024", "5000"}) {
    std::string body = R"(func.func @main(%x: !x, %g: !c) -> !x {
      %zero = stablehlo.constant dense<0.0> : !s
      %count = stablehlo.constant dense<$N.0> : !r1
      %small = stablehlo.constant dense<2.0e-5> : !r1
      %1 = stablehlo.multiply %x, %x : !x
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (!r) -> !r1
      %4 = stablehlo.divide %3, %count : !r1
      %5 = stablehlo.add %4, %small : !r1
      %6 = stablehlo.rsqrt %5 : !r1
      %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (!r1) -> !x
      %8 = stablehlo.multiply %x, %7 : !x
      %9 = stablehlo.broadcast_in_dim %g, dims = [1] : (!c) -> !x
      %10 = stablehlo.multiply %8, %9 : !x
      return %10 : !x
    })";
    body.replace(body.find("$N"), 2, columns);
    EXPECT_EQ(routinesOf(aliases("2000", columns, "f32") + body), "rows ") << columns;
  }
}

// Mean and variance each with a sum of their own, and one of the ways to divide by the deviation.
std::string layerNorm(const std::string &columns, const std::string &input, const std::string &scaled) {
  std::string text = "func.func @main(%a: !x, %b: !x, %g: !c, %h: !c) -> !x {\n" + input + R"(
    %zero = stablehlo.constant dense<0.0> : !s
    %count = stablehlo.constant dense<$N.0> : !r1
    %small = stablehlo.constant dense<3.0e-6> : !r1
    %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (!r) -> !r1
    %mean = stablehlo.divide %2, %count : !r1
    %3 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %4 = stablehlo.reshape %3 : (!r) -> !r1
    %again = stablehlo.divide %4, %count : !r1
    %5 = stablehlo.broadcast_in_dim %again, dims = [0, 1] : (!r1) -> !x
    %6 = stablehlo.subtract %x, %5 : !x
    %7 = stablehlo.multiply %6, %6 : !x
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [1] : (!x, !s) -> !r
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (!r) -> !r1
    %10 = stablehlo.divide %9, %count : !r1
    %11 = stablehlo.add %10, %small : !r1
    %12 = stablehlo.broadcast_in_dim %mean, dims = [0, 1] : (!r1) -> !x
    %13 = stablehlo.subtract %x, %12 : !x
)" + scaled + R"(
    %16 = stablehlo.broadcast_in_dim %g, dims = [1] : (!c) -> !x
    %17 = stablehlo.multiply %15, %16 : !x
    %18 = stablehlo.broadcast_in_dim %h, dims = [1] : (!c) -> !x
    %19 = stablehlo.add %17, %18 : !x
    return %19 : !x
  })";
  text.replace(text.find("$N"), 2, columns);
  return text;
}

TEST_P(ShippedRows, AreLayerNorms) {
  std::string twice = "%x = stablehlo.add %a, %a : !x", sum = "%x = stablehlo.add %a, %b : !x";
  std::string byRoot = "%14 = stablehlo.sqrt %11 : !r1\n%d = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (!r1) -> "
                       "!x\n%15 = stablehlo.divide %13, %d : !x";
  std::string byInverse = "%14 = stablehlo.rsqrt %11 : !r1\n%d = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (!r1) "
                          "-> !x\n%15 = stablehlo.multiply %13, %d : !x";
  for (std::string columns : {"768", "1024", "5000"}) {
    std::string types = aliases("2000", columns, "f32");
    auto ofArgument = [&](std::string text) {
      for (size_t at = 0; (at = text.find("%x", at)) != std::string::npos;)
        text.replace(at, 2, "%a");
      return text;
    };
    for (const std::string &scaled : {byRoot, byInverse})
      EXPECT_EQ(routinesOf(types + ofArgument(layerNorm(columns, "", scaled))), "rows ") << columns;
    EXPECT_EQ(routinesOf(types + layerNorm(columns, sum, byInverse)), "rows ") << columns;
    EXPECT_EQ(routinesOf(types + layerNorm(columns, twice, byRoot)), "") << "is no sum of two arrays";
  }
}

// Processors that round to bf16 by an instruction have routines of their own for what rounds, and share the others.
TEST_P(ShippedRows, RoundToBf16) {
  std::string norm = R"(func.func @main(%x: !x, %g: !c) -> !x {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %count = stablehlo.constant dense<2048.0> : tensor<777x1xf32>
    %small = stablehlo.constant dense<2.0e-5> : tensor<777x1xf32>
    %0 = stablehlo.convert %x : (!x) -> tensor<777x2048xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<777x2048xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<777x2048xf32>, tensor<f32>) -> tensor<777xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<777xf32>) -> tensor<777x1xf32>
    %4 = stablehlo.divide %3, %count : tensor<777x1xf32>
    %5 = stablehlo.add %4, %small : tensor<777x1xf32>
    %6 = stablehlo.rsqrt %5 : tensor<777x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<777x1xf32>) -> tensor<777x2048xf32>
    %8 = stablehlo.multiply %0, %7 : tensor<777x2048xf32>
    %9 = stablehlo.convert %8 : (tensor<777x2048xf32>) -> !x
    %10 = stablehlo.broadcast_in_dim %g, dims = [1] : (!c) -> !x
    %11 = stablehlo.multiply %9, %10 : !x
    return %11 : !x
  })";
  std::string types = aliases("777", "2048", "bf16");
  for (const char *cpu : {GetParam(), "znver4"}) {
    EXPECT_EQ(routinesOf(types + norm, cpu), "rows ") << cpu;
    EXPECT_EQ(routinesOf(types + reduction("maximum", "0xFF80", "1", "!r"), cpu), "rows ") << cpu;
  }
}

// Code that is no other's, although routines of its name ship, is a part of the kernel: another initial value, here.
TEST_P(ShippedRows, StayInTheKernelWhereNoneIsTheSame) {
  for (const char *init : {"3.0", "7.0"})
    EXPECT_EQ(routinesOf(aliases("777", "2048", "f32") + reduction("maximum", init, "1", "!r")), "");
  EXPECT_EQ(routinesOf(aliases("777", "24", "f32") + reduction("maximum", "0xFF800000", "1", "!r")), ""); // short rows
}

INSTANTIATE_TEST_SUITE_P(Levels, ShippedRows, ::testing::Values("x86-64-v3", "x86-64-v4"),
                         [](const auto &info) { return std::string(info.param).substr(7); });

} // namespace
} // namespace tenon::compiler
