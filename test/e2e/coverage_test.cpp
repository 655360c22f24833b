// Nothing runs through the interpreter: every worked example and edge case of the interpreter's tests, and every op
// with every element type (coverage/sequential_ops.mlir), is compiled, looked over for ops left to the interpreter, and
// run against it.

#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/meaning.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

using namespace tenon;
using xla::Literal;

namespace {

using Names = std::vector<std::string>;

const Names &elementTypes() {
  static const Names types = {
      "i1",     "i2",     "i4",       "i8",         "i16",           "i32",         "i64",        "ui2",
      "ui4",    "ui8",    "ui16",     "ui32",       "ui64",          "f4E2M1FN",    "f6E2M3FN",   "f6E3M2FN",
      "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2",      "f8E5M2FNUZ", "f8E8M0FNU",
      "bf16",   "f16",    "f32",      "f64",        "complex<f32>",  "complex<f64>"};
  return types;
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

void replaceAll(std::string &text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
}

// A block of the file: a pattern of programs, and what its variables stand for.
struct Pattern {
  unsigned line = 0;
  bool sums = false; // the order of rounding shows, in types of a few bits in every digit
  std::string text;
  std::vector<std::pair<std::string, Names>> variables;
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> result;
  std::string file = readFile(TENON_COVERAGE);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(file).split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    if (line == "// -----") {
      result.push_back({unsigned(number) + 1, false, {}, {}});
    } else if (!result.empty() && line == "// sums") {
      result.back().sums = true;
    } else if (!result.empty() && line.consume_front("// $")) {
      auto [name, values] = line.split(": ");
      result.back().variables.push_back({"$" + name.str(), {}});
      for (llvm::StringRef value : llvm::split(values, ", "))
        result.back().variables.back().second.push_back(value.str());
    } else if (!result.empty()) {
      result.back().text += line.str() + "\n";
    }
  }
  return result;
}

Names expand(const Pattern &pattern) {
  Names texts;
  auto types = llvm::find_if(pattern.variables, [](const auto &variable) { return variable.first == "$T"; });
  for (const std::string &type : types == pattern.variables.end() ? elementTypes() : types->second) {
    std::string text = pattern.text;
    llvm::StringRef real = type;
    if (real.consume_front("complex<"))
      real = real.drop_back();
    replaceAll(text, "$T", type);
    replaceAll(text, "$R", real);
    texts.push_back(text);
  }
  for (auto &[name, values] : pattern.variables) {
    Names more;
    for (const std::string &text : texts)
      for (const std::string &value : values) {
        more.push_back(text);
        replaceAll(more.back(), name, value);
      }
    texts = std::move(more);
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

// Programs run as one, since compiling has a cost for each.
struct Batch {
  std::string text;
  Names programs; // of each result, the program that it comes from
};

class Batcher {
public:
  Batcher() {
    loadAllDialects(context_);
    context_.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  }

  std::vector<Batch> batches(const Names &programs) {
    constexpr size_t kPrograms = 32;
    std::vector<Batch> result;
    for (const std::string &program : programs) {
      auto module = frontend::importModule(program, context_);
      if (!module || !hasMeaning(*module))
        continue; // an element type that the op does not take
      if (count_ % kPrograms == 0)
        result.emplace_back(), functions_.clear(), arguments_.clear(), calls_.clear(), results_.clear(), types_.clear();
      add(program, module->lookupSymbol<mlir::func::FuncOp>("main"), result.back());
      ++count_;
      result.back().text = functions_ + "func.func @main(" + arguments_ + ") -> (" + types_ + ") {\n" + calls_ +
                           "  return " + results_ + " : " + types_ + "\n}\n";
    }
    return result;
  }

private:
  static bool hasMeaning(mlir::ModuleOp module) {
    auto result = module.walk([](mlir::Operation *op) {
      return ir::whyWithoutMeaning(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
    return !result.wasInterrupted();
  }
  static std::string print(mlir::Type type) { return mlir::debugString(type); }
  static void append(std::string &list, const std::string &item) { list += (list.empty() ? "" : ", ") + item; }

  void add(const std::string &program, mlir::func::FuncOp main, Batch &batch) {
    std::string function = program, name = "p" + std::to_string(count_), operands;
    replaceAll(function, "@", "@" + name + "_"); // no two functions of a name
    name += "_main";
    functions_ += function;
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
      std::string argument = "%" + name + "a" + std::to_string(i);
      append(operands, argument);
      append(arguments_, argument + ": " + print(type));
    }
    calls_ += "  %" + name + ":" + std::to_string(main.getNumResults()) + " = func.call @" + name + "(" + operands +
              ") : " + print(main.getFunctionType()) + "\n";
    for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
      append(results_, "%" + name + "#" + std::to_string(i));
      append(types_, print(type));
      batch.programs.push_back(program);
    }
  }

  mlir::MLIRContext context_;
  size_t count_ = 0;
  std::string functions_, arguments_, calls_, results_, types_;
};

// Compiles the program, runs it and compares.
void check(const std::string &text, compiler::CompileOptions options, const Names &describe, bool sums = false) {
  options.verifyStages = true;
  auto native = tenon::testing::compileAndLoad(text, options);
  ASSERT_TRUE(native.ok()) << native.status().message();
  const program::Program &program = (*native)->program();
  std::vector<Literal> inputs = tenon::testing::randomInputs(program);
  auto results = tenon::testing::runNative(**native, inputs);
  ASSERT_TRUE(results.ok()) << results.status().message();
  auto expected = tenon::testing::runReference(text, inputs, program);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (auto [array, reference, description] : llvm::zip(*results, *expected, describe)) {
    xla::PrimitiveType type = reference.shape().element_type();
    if (!sums || !xla::IsFloatType(type) || xla::ShapeUtil::ByteSizeOfPrimitiveType(type) > 1)
      tenon::testing::compareArrays(array, reference, description);
  }
}

void PrintTo(const Pattern &pattern, std::ostream *out) { *out << "line " << pattern.line; }

class OpsTest : public ::testing::TestWithParam<Pattern> {};

TEST_P(OpsTest, RunNatively) {
  for (const Batch &batch : Batcher().batches(expand(GetParam())))
    check(batch.text, {}, batch.programs, GetParam().sums);
}

INSTANTIATE_TEST_SUITE_P(Sequential, OpsTest, ::testing::ValuesIn(patterns()),
                         [](const auto &info) { return "line_" + std::to_string(info.param.line); });

// Ops that the patterns leave out, and why.
const std::map<std::string, std::string> &opsWithoutPattern() {
  static const std::map<std::string, std::string> reasons = {
      {"stablehlo.custom_call", "means what its target means"},
      {"stablehlo.infeed", "needs another end: effects_test.cpp"},
      {"stablehlo.outfeed", "needs another end: effects_test.cpp"},
      {"stablehlo.send", "needs another end: effects_test.cpp"},
      {"stablehlo.recv", "needs another end: effects_test.cpp"},
      {"stablehlo.uniform_quantize", "of quantized types"},
      {"stablehlo.uniform_dequantize", "of quantized types"},
      {"stablehlo.dynamic_broadcast_in_dim", "of dynamic shapes"},
      {"stablehlo.dynamic_conv", "of dynamic shapes"},
      {"stablehlo.dynamic_gather", "of dynamic shapes"},
      {"stablehlo.dynamic_iota", "of dynamic shapes"},
      {"stablehlo.dynamic_pad", "of dynamic shapes"},
      {"stablehlo.dynamic_reshape", "of dynamic shapes"},
      {"stablehlo.real_dynamic_slice", "of dynamic shapes"},
      {"stablehlo.set_dimension_size", "of dynamic shapes"},
  };
  return reasons;
}

TEST(Patterns, HaveEveryOp) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  std::string file = readFile(TENON_COVERAGE);
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    std::string name = op.getStringRef().str();
    if (op.getDialectNamespace() != "stablehlo" && op.getDialectNamespace() != "chlo")
      continue;
    EXPECT_NE(llvm::Regex(llvm::Regex::escape(name) + "[^a-z_0-9]").match(file), opsWithoutPattern().contains(name))
        << name << " has neither a pattern nor a reason to have none, or has both";
  }
}

// --- The examples of the interpreter's tests ---

// Examples with results that are the interpreter's own: it sums in a wider type (docs/semantics.md).
bool sumsWider(llvm::StringRef function) { return function == "dot_products"; }

// A file, and the functions in it that have expectations (tenon/interpreter/test/example_test.cpp).
struct Examples {
  std::string text;
  Names functions, failing;
};

Examples examplesOf(const std::string &path) {
  Examples examples{readFile(path), {}, {}};
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(examples.text).split(lines, '\n');
  std::string function;
  for (llvm::StringRef line : lines) {
    if (line.trim().consume_front("func.func ")) {
      line = line.split('@').second;
      function = line.take_until([](char c) { return c == '('; }).str();
    } else if (line.starts_with("// EXPECT-ERROR")) {
      examples.failing.push_back(function);
    } else if (line.starts_with("// EXPECT") && !llvm::is_contained(examples.functions, function)) {
      examples.functions.push_back(function);
    }
  }
  return examples;
}

Names exampleFiles() {
  Names files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(TENON_EXAMPLES))
    // random.mlir has hundreds of generators, each of hundreds of ops: minutes, when none of them is fused. The
    // patterns have them.
    if (entry.path().extension() == ".mlir" && entry.path().filename() != "random.mlir")
      files.push_back(std::filesystem::relative(entry.path(), TENON_EXAMPLES).string());
  std::sort(files.begin(), files.end());
  return files;
}

// The text with a main that calls the functions and gives their results, those that are arrays.
std::string withMain(mlir::ModuleOp module, const std::string &text, const Names &functions, Names &describe) {
  std::string calls, results, types;
  for (const std::string &name : functions) {
    auto function = module.lookupSymbol<mlir::func::FuncOp>(name);
    bool isPlain = llvm::all_of(function.getResultTypes(), [](mlir::Type type) {
      auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && !mlir::isa<mlir::quant::QuantizedType>(tensor.getElementType());
    });
    if (!isPlain || function.getNumArguments() > 0 || sumsWider(name))
      continue;
    llvm::raw_string_ostream stream(calls);
    stream << "  %" << name << ":" << function.getNumResults() << " = func.call @" << name
           << "() : " << function.getFunctionType() << "\n";
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      results += (results.empty() ? "%" : ", %") + name + "#" + std::to_string(i);
      llvm::raw_string_ostream(types) << (types.empty() ? "" : ", ") << type;
      describe.push_back("@" + name + "\n");
    }
  }
  return text + "\nfunc.func @main() -> (" + types + ") {\n" + calls + "  return " +
         (results.empty() ? "" : results + " : " + types) + "\n}\n";
}

class ExamplesTest : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    loadAllDialects(context);
    examples = examplesOf(std::string(TENON_EXAMPLES) + "/" + GetParam());
    module = mlir::parseSourceString<mlir::ModuleOp>(examples.text, &context);
    ASSERT_TRUE(module);
  }

  mlir::MLIRContext context;
  Examples examples;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

// Not optimised: all operands are constants, so that simplification would leave nothing to run.
TEST_P(ExamplesTest, RunNatively) {
  Names describe;
  std::string text = withMain(*module, examples.text, examples.functions, describe);
  compiler::CompileOptions options;
  options.optimize = false;
  check(text, options, describe);
}

// What the interpreter refuses is refused before it runs.
TEST_P(ExamplesTest, AreRefusedNatively) {
  for (const std::string &name : examples.failing) {
    Names describe;
    std::string text = withMain(*module, examples.text, {name}, describe);
    if (!describe.empty())
      EXPECT_FALSE(tenon::testing::compileAndLoad(text, {}).ok()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Interpreter, ExamplesTest, ::testing::ValuesIn(exampleFiles()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

} // namespace
