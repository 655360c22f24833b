// Runs every function of every file under testdata/ and compares what it gives with the comments behind it:
//
//   // EXPECT: dense<[1, 2]> : tensor<2xi32>      the next result, bit by bit (any NaN equals any NaN)
//   // EXPECT-NEAR(1e-6): dense<...> : ...        within 1e-6 of it, absolutely and relatively
//   // EXPECT-ULPS(1): dense<...> : ...           within one unit in the last place
//   // EXPECT-TEXT: ...                           as toString writes the value
//   // EXPECT-ERROR: ...                          the run fails with a message that contains this
//
// A function without such a comment is only called by others.
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tenon::interpreter {
namespace {

struct Expectation {
  enum Kind { Exact, Near, Ulps, Text, Error } kind;
  double tolerance = 0;
  std::string text;
};

struct Example {
  std::string file, function;
  std::vector<Expectation> expectations;
};

std::optional<Expectation> parseExpectation(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("^// EXPECT(-[A-Z]+)?(\\(([^)]*)\\))?: *(.*)$").match(line, &parts))
    return std::nullopt;
  Expectation result{Expectation::Exact, 0, parts[4].str()};
  if (parts[1] == "-NEAR")
    result.kind = Expectation::Near;
  else if (parts[1] == "-ULPS")
    result.kind = Expectation::Ulps;
  else if (parts[1] == "-TEXT")
    result.kind = Expectation::Text;
  else if (parts[1] == "-ERROR")
    result.kind = Expectation::Error;
  if (!parts[3].empty())
    result.tolerance = std::stod(parts[3].str());
  return result;
}

std::vector<Example> examplesOf(const std::string &file) {
  std::vector<Example> examples;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  llvm::SmallVector<llvm::StringRef> lines, parts;
  (*buffer)->getBuffer().split(lines, '\n');
  llvm::Regex function("^ *func\\.func (private )?@([A-Za-z0-9_]+)");
  for (llvm::StringRef line : lines) {
    if (function.match(line, &parts))
      examples.push_back({file, parts[2].str(), {}});
    else if (std::optional<Expectation> expectation = parseExpectation(line); expectation && !examples.empty())
      examples.back().expectations.push_back(*expectation);
  }
  llvm::erase_if(examples, [](const Example &example) { return example.expectations.empty(); });
  return examples;
}

std::vector<Example> allExamples() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator at(TENON_INTERPRETER_TESTDATA, error), end; at != end && !error;
       at.increment(error))
    if (llvm::sys::path::extension(at->path()) == ".mlir")
      files.push_back(at->path());
  llvm::sort(files);
  std::vector<Example> examples;
  for (const std::string &file : files)
    llvm::append_range(examples, examplesOf(file));
  return examples;
}

bool near(double actual, double expected, const Expectation &expectation, ElementType type) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  if (actual == expected || expectation.kind == Expectation::Exact)
    return actual == expected && std::signbit(actual) == std::signbit(expected);
  if (std::isinf(expected))
    return false;
  double allowed = expectation.tolerance * (1 + std::fabs(expected));
  if (expectation.kind == Expectation::Ulps) {
    double next = fromBits(type, bitsOf(type, Scalar::ofFloat(std::fabs(expected))) + 1).f;
    allowed = expectation.tolerance * (next - std::fabs(expected));
  }
  return std::fabs(actual - expected) <= allowed;
}

bool sameElement(ElementType type, Scalar actual, Scalar expected, const Expectation &expectation) {
  if (isFloat(type))
    return near(actual.f, expected.f, expectation, type);
  if (isComplex(type))
    return near(actual.c.re, expected.c.re, expectation, realType(type)) &&
           near(actual.c.im, expected.c.im, expectation, realType(type));
  return actual.i == expected.i;
}

void compare(const Value &actual, const Expectation &expectation, mlir::MLIRContext &context) {
  if (expectation.kind == Expectation::Text) {
    EXPECT_EQ(toString(actual), expectation.text);
    return;
  }
  ASSERT_TRUE(actual.isTensor()) << toString(actual);
  auto attr = llvm::dyn_cast_or_null<mlir::ElementsAttr>(mlir::parseAttribute(expectation.text, &context));
  ASSERT_TRUE(attr) << "cannot parse " << expectation.text;
  StatusOr<Tensor> expected = Tensor::fromAttr(attr);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  const Tensor &tensor = actual.tensor();
  ASSERT_EQ(tensor.shape(), expected->shape()) << toString(actual);
  ASSERT_EQ(tensor.elementType(), expected->elementType()) << toString(actual);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (sameElement(tensor.elementType(), tensor.get(i), expected->get(i), expectation))
      continue;
    mlir::Type element = tensor.mlirElementType();
    ADD_FAILURE() << "element " << i << " is " << toString(Tensor::scalar(element, tensor.get(i))) << ", expected "
                  << toString(Tensor::scalar(element, expected->get(i)));
    return;
  }
}

void PrintTo(const Example &example, std::ostream *out) { *out << example.file << " @" << example.function; }

class ExampleTest : public testing::TestWithParam<Example> {};

TEST_P(ExampleTest, GivesWhatItsCommentsSay) {
  const Example &example = GetParam();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream(diagnostics) << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return llvm::success();
  });
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(example.file, &context);
  ASSERT_TRUE(module) << diagnostics;
  StatusOr<std::vector<Value>> results = interpret(*module, example.function, {});
  const Expectation &first = example.expectations.front();
  if (first.kind == Expectation::Error) {
    ASSERT_FALSE(results.ok()) << "succeeded";
    EXPECT_NE(results.status().message().find(first.text), std::string::npos) << results.status().message();
    return;
  }
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), example.expectations.size());
  for (auto [value, expectation] : llvm::zip(*results, example.expectations))
    compare(value, expectation, context);
}

std::string nameOf(const testing::TestParamInfo<Example> &info) {
  std::string name = llvm::sys::path::stem(info.param.file).str() + "_" + info.param.function;
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Interpreter, ExampleTest, testing::ValuesIn(allExamples()), nameOf);

} // namespace
} // namespace tenon::interpreter
