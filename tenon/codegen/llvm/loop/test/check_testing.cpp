#include "tenon/codegen/llvm/loop/test/check_testing.h"

#include "tenon/interpreter/interpreter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <regex>

namespace tenon::codegen::testing {
namespace {

using interpreter::Scalar;
using interpreter::Tensor;

const CpuTarget &narrowTarget() {
  static const CpuTarget *target = [] {
    CpuTargetOptions options;
    options.cpu = "x86-64-v3";
    return new CpuTarget(*CpuTarget::create(options));
  }();
  return *target;
}

// The program with f64 in place of every float type.
std::string widened(const std::string &text) {
  std::string infinity = std::regex_replace(text, std::regex("0xFF800000"), "0xFFF0000000000000");
  return std::regex_replace(infinity, std::regex("f8E4M3FN|bf16|f16|f32"), "f64");
}

// The program whose results say how large the numbers are that results of `text` are made of.
std::string ofMagnitudes(const std::string &text) {
  std::string sums = std::regex_replace(text, std::regex("stablehlo\\.subtract"), "stablehlo.add");
  return std::regex_replace(sums, std::regex("stablehlo\\.negate"), "stablehlo.abs");
}

// `value` as an argument of that type, which is as wide or wider.
Tensor converted(const Tensor &value, mlir::Type type, bool isMagnitude) {
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(type).getElementType();
  Tensor result(value.shape(), element);
  for (int64_t i = 0; i < value.size(); ++i) {
    Scalar scalar = value.get(i);
    if (isMagnitude && llvm::isa<mlir::FloatType>(element))
      scalar.f = std::abs(scalar.f);
    else if (isMagnitude && llvm::isa<mlir::ComplexType>(element))
      scalar.c = {std::abs(scalar.c.re), std::abs(scalar.c.im)};
    result.set(i, scalar);
  }
  return result;
}

// What the interpreter makes of the program for these arguments.
std::vector<interpreter::Value> interpreted(const std::string &text, const std::vector<Tensor> &arguments,
                                            bool isMagnitude) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &testContext());
  mlir::Operation *op = module ? kernelOf(*module) : nullptr;
  if (!op) {
    ADD_FAILURE() << "does not parse:\n" << text;
    return {};
  }
  std::vector<interpreter::Value> values;
  for (auto [argument, type] : llvm::zip(arguments, op->getOperandTypes()))
    values.emplace_back(converted(argument, type, isMagnitude));
  auto results = interpreter::interpretOp(op, values);
  EXPECT_TRUE(results.ok()) << results.status().message() << "\n" << text;
  return results.ok() ? *results : std::vector<interpreter::Value>();
}

// The distance of the type's numbers around `value`.
double unitInLastPlace(const llvm::fltSemantics &type, double value) {
  int exponent = value == 0 ? llvm::APFloat::semanticsMinExponent(type) : std::ilogb(value);
  exponent = std::max<int>(exponent, llvm::APFloat::semanticsMinExponent(type));
  return std::ldexp(1, exponent - static_cast<int>(llvm::APFloat::semanticsPrecision(type)) + 1);
}

// The differences of two tensors of floats.
class Comparison {
public:
  Comparison(mlir::FloatType type, const Tolerance &tolerance)
      : type_(type.getFloatSemantics()),
        accumulator_(type.getWidth() < 32 ? llvm::APFloat::IEEEsingle() : type.getFloatSemantics()),
        tolerance_(tolerance) {}

  // `magnitude` counts only where the tolerance has some for it.
  bool isClose(double expected, double actual, double magnitude) const {
    if (std::isnan(expected) || std::isnan(actual) || std::isinf(expected) || std::isinf(actual))
      return std::isnan(expected) ? std::isnan(actual) : expected == actual;
    double limit = tolerance_.ulps * unitInLastPlace(type_, expected);
    if (tolerance_.magnitudeUlps > 0)
      limit += tolerance_.magnitudeUlps * unitInLastPlace(accumulator_, magnitude);
    return std::abs(expected - actual) <= limit;
  }

private:
  const llvm::fltSemantics &type_, &accumulator_;
  Tolerance tolerance_;
};

// The number of elements that differ; the first few are failures.
int64_t countWrong(const Tensor &expected, const Tensor &actual, const Tensor &magnitude, const Tolerance &tolerance) {
  mlir::Type element = actual.mlirElementType();
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  auto floating = llvm::dyn_cast<mlir::FloatType>(complex ? complex.getElementType() : element);
  int64_t wrong = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    Scalar a = expected.get(i), b = actual.get(i), m = magnitude.get(i);
    bool isRight = a.i == b.i;
    if (complex) {
      Comparison comparison(floating, tolerance);
      double size = std::hypot(m.c.re, m.c.im); // either part may be a difference of products
      isRight = comparison.isClose(a.c.re, b.c.re, size) && comparison.isClose(a.c.im, b.c.im, size);
    } else if (floating) {
      isRight = Comparison(floating, tolerance).isClose(a.f, b.f, m.f);
    }
    if (!isRight && wrong++ < 5)
      ADD_FAILURE() << "element " << i << ": expected " << a.f << "/" << a.i << ", got " << b.f << "/" << b.i;
  }
  return wrong;
}

} // namespace

static void checkProgram(const std::string &text, Tolerance tolerance) {
  for (const CpuTarget *target : {&CpuTarget::host(), &narrowTarget()}) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    std::vector<Bytes> inputs = kernel.randomInputs(7);
    std::vector<Bytes> actual = kernel.run(inputs);
    for (int64_t piece : {1, 3})
      EXPECT_EQ(actual, kernel.run(inputs, piece)) << "the partition changes the result of\n" << text;
    std::vector<Tensor> values;
    for (auto [input, type] : llvm::zip(inputs, kernel.op->getOperandTypes()))
      values.push_back(*Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(type), input));
    auto expected = interpreted(widened(text), values, false), magnitudes = expected;
    if (tolerance.magnitudeUlps > 0)
      magnitudes = interpreted(ofMagnitudes(widened(text)), values, true);
    ASSERT_EQ(expected.size(), actual.size());
    ASSERT_EQ(magnitudes.size(), actual.size());
    for (unsigned i = 0; i < actual.size(); ++i) {
      auto got = Tensor::fromBytes(llvm::cast<mlir::RankedTensorType>(kernel.op->getResult(i).getType()), actual[i]);
      ASSERT_TRUE(got.ok());
      int64_t wrong = countWrong(expected[i].tensor(), *got, magnitudes[i].tensor(), tolerance);
      ASSERT_EQ(wrong, 0) << "of " << got->size() << " elements of result " << i << " on " << target->cpu() << " of\n"
                          << text;
    }
  }
}

void check(const std::string &arguments, const std::string &results, const std::string &body, Tolerance tolerance) {
  checkProgram("func.func @main(" + arguments + ") -> (" + results + ") {\n" + body + "\n}", tolerance);
}

void checkFusion(const std::string &kind, const std::vector<std::string> &types, const std::string &body,
                 const std::string &yielded, const std::string &results, Tolerance tolerance) {
  checkProgram(fusionProgram(kind, types, body, yielded, results), tolerance);
}

} // namespace tenon::codegen::testing
