#include "test/fuzz/check.h"

#include "test/execution.h"
#include "test/fuzz/oracle.h"
#include "test/fuzz/round_trip.h"

#include "tenon/frontend/export/export.h"
#include "tenon/ir/register.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::fuzz {

using namespace mlir;
using Kind = Finding::Kind;

const char *kindName(Kind kind) {
  constexpr const char *names[] = {"nothing",           "invalid program", "round trip",
                                   "interpreter error", "compile error",   "run error",
                                   "wrong result",      "crash",           "hang"};
  return names[static_cast<int>(kind)];
}

// The first line, without places and numbers.
static std::string essence(StringRef message) {
  StringRef line = message.split('\n').first;
  if (auto [before, after] = line.split("error: "); !after.empty())
    line = after;
  std::string text;
  for (char c : line)
    if (!llvm::isDigit(c))
      text += c;
  return text.substr(0, 60);
}

bool Finding::isLike(const Finding &other) const {
  if (kind != other.kind)
    return false;
  // Memory that was overwritten shows in many ways.
  bool isAssertion = StringRef(message).contains("Assertion") || StringRef(other.message).contains("Assertion");
  return kind == Kind::kWrongResult || kind == Kind::kHang || kind == Kind::kRoundTrip ||
         (kind == Kind::kCrash && !isAssertion) || essence(message) == essence(other.message);
}

namespace {

Finding checkCompiled(std::string_view source, const std::vector<interpreter::Value> &arguments,
                      const Expectation &expectation, const compiler::CompileOptions &options) {
  std::string how = options.targetCpu + (options.optimize ? "" : ", not optimised");
  auto program = testing::compileAndLoad(source, options);
  if (!program.ok())
    return {Kind::kCompileError, program.status().message() + "\nfor " + how};
  std::vector<llvm::ArrayRef<uint8_t>> inputs;
  for (const interpreter::Value &value : arguments)
    inputs.push_back(value.tensor().bytes());
  std::vector<testing::Bytes> first;
  for (bool again : {false, true}) {
    auto results = testing::run(**program, inputs);
    if (!results.ok())
      return {Kind::kRunError, results.status().message() + "\nfor " + how};
    if (again && *results != first)
      return {Kind::kWrongResult, "a second run gives other results\nfor " + how};
    for (unsigned i = 0; i < results->size(); ++i)
      if (auto wrong = expectation.check(i, (*results)[i]))
        return {Kind::kWrongResult, *wrong + "\nfor " + how};
    first = std::move(*results);
  }
  return {};
}

} // namespace

Finding checkProgram(std::string_view text, uint64_t seed) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string error;
  auto module = readProgram(text, context, error);
  if (!module)
    return {Kind::kInvalid, error};
  for (auto broken : {brokenRoundTrip, brokenArtifact})
    if (auto finding = broken(*module))
      return {Kind::kRoundTrip, *finding};
  std::vector<interpreter::Value> arguments = makeArguments(*module, seed);
  auto expectation = Expectation::create(*module, arguments);
  if (!expectation.ok()) {
    bool tooLong = expectation.status().code() == StatusCode::kDeadlineExceeded;
    return {tooLong ? Kind::kNone : Kind::kInterpreterError, expectation.status().message()};
  }
  std::string source = seed % 2 ? std::string(text) : frontend::exportBytecode(*module);
  compiler::CompileOptions options;
  options.verifyStages = true;
  for (const interpreter::Value &value : arguments)
    options.argumentShapes.emplace_back(value.tensor().shape().vec());
  if (Finding finding = checkCompiled(source, arguments, *expectation, options))
    return finding;
  constexpr const char *levels[] = {"host", "x86-64", "x86-64-v3"};
  options.targetCpu = levels[seed % 3];
  options.optimize = seed % 3 == 0 || seed % 5 < 3 ? false : true;
  return checkCompiled(source, arguments, *expectation, options);
}

} // namespace tenon::fuzz
