#include "tenon/frontend/import/import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What is said of a function whose first operation is `operation`, with notes.
std::string errorOf(const std::string &operation) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      said += "note: " + note.str() + "\n";
  });
  EXPECT_FALSE(importModule("func.func @main(%a: tensor<f32>) {\n  " + operation + "\n  return\n}\n", context));
  return said;
}

TEST(ParseErrors, UnknownOperationsAreNamedWithTheNearest) {
  struct {
    const char *wrong, *meant;
  } constexpr kCases[] = {
      {"stablehlo.ad", "stablehlo.add"},
      {"add", "stablehlo.add"},
      {"mhlo.add", "stablehlo.add"},
      {"stablehlo.mul", "stablehlo.multiply"},
      {"stablehlo.transposed", "stablehlo.transpose"},
      {"chlo.errf", "chlo.erf"},
      {"stablehlo.erf", "chlo.erf"},
  };
  for (auto [wrong, meant] : kCases) {
    std::string expected = "unknown operation '" + std::string(wrong) + "'; did you mean '" + meant + "'?\n";
    EXPECT_EQ(errorOf("%0 = " + std::string(wrong) + " %a, %a : tensor<f32>"), expected);
    if (std::string(wrong).find('.') != std::string::npos)
      EXPECT_EQ(errorOf("%0 = \"" + std::string(wrong) + "\"(%a) : (tensor<f32>) -> tensor<f32>"), expected);
  }
  EXPECT_EQ(errorOf("%0 = stablehlo.qqqqqqq %a : tensor<f32>"), "unknown operation 'stablehlo.qqqqqqq'\n");
}

TEST(ParseErrors, UndeclaredNamesAreNamed) {
  EXPECT_EQ(errorOf("%0 = stablehlo.abs %x : tensor<f32>"), "use of undeclared SSA value name '%x'\n");
  EXPECT_EQ(errorOf("%0 = \"stablehlo.abs\"(%a_b.c-1) : (tensor<f32>) -> tensor<f32>"),
            "use of undeclared SSA value name '%a_b.c-1'\n");
  EXPECT_EQ(errorOf("%0 = stablehlo.add %a,\n %7 : tensor<f32>"), "use of undeclared SSA value name '%7'\n");
}

TEST(ParseErrors, WhatIsNoProgramAtAllIsCalledSo) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const char *text : {"hello", "\n /tmp/program.mlir", "{\"json\": 1}"}) {
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str(); });
    EXPECT_FALSE(importModule(text, context));
    EXPECT_THAT(said, HasSubstr("not a StableHLO program: ")) << text;
  }
  EXPECT_THAT(errorOf("hello"), Not(HasSubstr("not a StableHLO program")));
}

} // namespace
} // namespace tenon::frontend
