// Every numbered constraint of the specification has a program that breaks it, which must be rejected under the
// constraint's label, and a twin that does not, which must be accepted.
//
// The programs are in testdata/*.cases. A case is
//
//   // ----- <label> [for op = <name> ...] [by the parser: <message>] [grid replicas=<n> partitions=<n>]
//   (<arguments of a function>)
//   <ops>
//
// `{{bad => good}}` stands for `bad` in the program to reject and for `good` in its twin. `{op}` stands for each of the
// names in turn. Where the rule is MLIR's parser's, its message is expected in the place of the label; so is the reason
// why a program that breaks the rule cannot be run, where it is read as StableHLO reads it (meaning.h). Lines from
// `// @define name a; b` to `// @end` are a text, `@name x; y` gives that text with x and y for ${a} and ${b}.
#include "tenon/ir/meaning.h"
#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace {

using llvm::StringRef;

std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

struct Case {
  std::string label, expected, module, where;
};

/// One side of each `{{bad => good}}`.
std::string choose(StringRef text, bool good) {
  std::string result;
  while (true) {
    size_t open = text.find("{{");
    result += text.take_front(open);
    if (open == StringRef::npos)
      return result;
    size_t close = text.find("}}", open);
    while (close + 2 < text.size() && text[close + 2] == '}')
      ++close;
    auto [bad, rest] = text.slice(open + 2, close).split("=> ");
    if (rest.empty() && bad.ends_with(" =>"))
      bad = bad.drop_back(2);
    result += good ? rest : bad.rtrim(' ').empty() ? StringRef() : bad.drop_back();
    text = text.drop_front(close + 2);
  }
}

/// Reads one file of cases.
class Reader {
public:
  explicit Reader(const std::filesystem::path &path) : file_(path.filename().string()) {
    std::ifstream stream(path);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number)
      take(line, number);
    finish();
  }

  std::vector<Case> cases;

private:
  struct Macro {
    std::vector<std::string> parameters;
    std::string text;
  };

  void take(const std::string &line, int number) {
    StringRef text(line);
    if (text.consume_front("// ----- ")) {
      finish();
      header_ = text.str();
      where_ = file_ + ":" + std::to_string(number);
    } else if (text.consume_front("// @define ")) {
      finish();
      auto [name, parameters] = text.split(' ');
      macro_ = &macros_[name.str()];
      macro_->parameters = list(parameters);
    } else if (text == "// @end") {
      macro_ = nullptr;
    } else if (macro_) {
      macro_->text += line + "\n";
    } else if (text.consume_front("@")) {
      auto [name, arguments] = text.split(' ');
      body_ += expand(name.str(), arguments);
    } else if (!header_.empty() && !text.starts_with("//")) {
      body_ += line + "\n";
    }
  }

  static std::vector<std::string> list(StringRef text) {
    std::vector<std::string> items;
    llvm::SmallVector<StringRef> parts;
    text.split(parts, ';');
    for (StringRef part : parts)
      items.push_back(part.trim().str());
    return items;
  }

  std::string expand(const std::string &name, StringRef arguments) {
    auto found = macros_.find(name);
    std::vector<std::string> values = list(arguments);
    EXPECT_TRUE(found != macros_.end()) << where_ << ": no macro " << name;
    if (found == macros_.end())
      return "";
    EXPECT_EQ(found->second.parameters.size(), values.size()) << where_;
    std::string text = found->second.text;
    for (size_t i = 0; i < std::min(values.size(), found->second.parameters.size()); ++i)
      text = replaceAll(text, "${" + found->second.parameters[i] + "}", values[i]);
    return text;
  }

  void finish() {
    if (!header_.empty())
      add();
    header_.clear();
    body_.clear();
  }

  void add() {
    auto [rest, names] = StringRef(header_).split(" for op = ");
    auto [beforeGrid, grid] = rest.split(" grid ");
    auto [label, message] = beforeGrid.split(" by the parser: ");
    std::string attributes;
    if (!grid.empty()) {
      auto [replicas, partitions] = grid.split(" partitions=");
      replicas.consume_front("replicas=");
      attributes = " attributes {mhlo.num_replicas = " + replicas.str() +
                   " : i32, mhlo.num_partitions = " + partitions.str() + " : i32}";
    }
    auto [arguments, ops] = StringRef(body_).split('\n');
    std::string module =
        "module" + attributes + " {\nfunc.func @f" + arguments.str() + " {\n" + ops.str() + "\nreturn\n}\n}\n";
    llvm::SmallVector<StringRef> ops_;
    names.split(ops_, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (ops_.empty())
      ops_.push_back("");
    for (StringRef op : ops_) {
      std::string name = replaceAll(label.str(), "{op}", op.str());
      cases.push_back({name, message.empty() ? name : message.str(), replaceAll(module, "{op}", op.str()), where_});
    }
  }

  std::string file_, header_, body_, where_;
  std::map<std::string, Macro> macros_;
  Macro *macro_ = nullptr;
};

const std::vector<Case> &allCases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    for (const auto &entry : std::filesystem::directory_iterator(TENON_IR_TESTDATA))
      if (entry.path().extension() == ".cases")
        llvm::append_range(all, Reader(entry.path()).cases);
    return all;
  }();
  return cases;
}

/// What the parser and the verifier say of a program, or why it has no meaning: the first error, or nothing.
std::string firstError(mlir::MLIRContext &context, const std::string &text) {
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (error.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      error = diagnostic.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return error.empty() ? "no module" : error;
  module->walk([&](mlir::Operation *op) {
    if (error.empty())
      error = tenon::ir::whyWithoutMeaning(op).value_or("");
  });
  return error;
}

/// Whether a message holds a label, not only as the beginning of a longer one.
bool mentions(StringRef message, StringRef label) {
  size_t at = message.find(label);
  return at != StringRef::npos && (at + label.size() == message.size() || !llvm::isAlnum(message[at + label.size()]));
}

class Constraints : public testing::Test {
protected:
  Constraints() { tenon::loadAllDialects(context); }
  mlir::MLIRContext context;
};

TEST_F(Constraints, BrokenOnesAreRejectedByLabel) {
  ASSERT_GT(allCases().size(), 300u);
  for (const Case &c : allCases()) {
    std::string error = firstError(context, choose(c.module, /*good=*/false));
    EXPECT_TRUE(mentions(error, c.expected))
        << c.where << ": expected " << c.expected << ", got: " << (error.empty() ? "no error" : error) << "\n"
        << choose(c.module, false);
  }
}

TEST_F(Constraints, TheirTwinsAreAccepted) {
  for (const Case &c : allCases()) {
    std::string error = firstError(context, choose(c.module, /*good=*/true));
    EXPECT_EQ(error, "") << c.where << " (" << c.label << ")\n" << choose(c.module, true);
  }
}

/// The labels of a list in the test data that no case has.
std::vector<std::string> uncovered(const char *list, size_t &count) {
  std::set<std::string> covered;
  for (const Case &c : allCases())
    covered.insert(c.label);
  std::ifstream file(std::filesystem::path(TENON_IR_TESTDATA) / list);
  std::vector<std::string> missing;
  std::string label;
  count = 0;
  while (std::getline(file, label)) {
    if (label.empty() || label.front() == '#')
      continue;
    ++count;
    if (!covered.contains(label))
      missing.push_back(label);
  }
  return missing;
}

/// Changes a number or a type somewhere, drops a piece or doubles one.
std::string mutate(std::string text, std::mt19937 &random) {
  static const char *numbers[] = {"-1",        "0", "1", "2", "3", "9223372036854775807", "-9223372036854775808",
                                  "4294967296"};
  static const char *types[] = {"tensor<f32>",
                                "tensor<0xi32>",
                                "tensor<?x?xf32>",
                                "tensor<2x3x4xi64>",
                                "tensor<i1>",
                                "tensor<*xf32>",
                                "!stablehlo.token",
                                "tuple<>",
                                "tensor<2x3xui64>",
                                "tensor<4xindex>",
                                "tensor<complex<f32>>",
                                "memref<2xf32>",
                                "tensor<2x!quant.uniform<i8:f32, 1.0>>"};
  auto pick = [&](size_t size) { return std::uniform_int_distribution<size_t>(0, size - 1)(random); };
  size_t at = pick(text.size());
  switch (pick(4)) {
  case 0: // a number
    at = text.find_first_of("0123456789", at);
    if (at != std::string::npos)
      text.replace(at, text.find_first_not_of("0123456789", at) - at, numbers[pick(std::size(numbers))]);
    break;
  case 1: // a type
    at = text.find("tensor<", at);
    if (at != std::string::npos)
      text.replace(at, text.find('>', at) + 1 - at, types[pick(std::size(types))]);
    break;
  case 2: { // an element of a list
    at = text.find(", ", at);
    size_t end = at == std::string::npos ? at : text.find_first_of(",)]}", at + 1);
    if (end != std::string::npos)
      text.erase(at, end - at);
    break;
  }
  default: { // an element, twice
    at = text.find(", ", at);
    size_t end = at == std::string::npos ? at : text.find_first_of(",)]}", at + 1);
    if (end != std::string::npos)
      text.insert(at, text.substr(at, end - at));
    break;
  }
  }
  return text;
}

/// Whatever is wrong with a program, it is rejected; nothing ends the process. TENON_MUTATIONS=<n> tries n changes of
/// each program; with TENON_MUTATIONS_LOG=<file>, the file holds the one that was tried last.
TEST_F(Constraints, MutatedProgramsAreHandled) {
  const char *rounds = std::getenv("TENON_MUTATIONS"), *log = std::getenv("TENON_MUTATIONS_LOG");
  std::mt19937 random(1);
  size_t rejected = 0;
  auto tryMutants = [&](const std::string &program, int count) {
    for (int i = 0; i < count; ++i) {
      std::string text = program;
      for (int depth = 0; depth <= i % 3; ++depth)
        text = mutate(text, random);
      if (log)
        std::ofstream(log) << text;
      rejected += !firstError(context, text).empty();
    }
  };
  int count = rounds ? std::atoi(rounds) : 20;
  for (const Case &c : allCases())
    tryMutants(choose(c.module, /*good=*/true), count);
  for (const auto &entry : std::filesystem::directory_iterator(TENON_IR_TESTDATA "/round_trip")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    tryMutants(text.str(), 10 * count);
  }
  EXPECT_GT(rejected, allCases().size());
}

TEST_F(Constraints, AllHaveACase) {
  size_t count;
  EXPECT_THAT(uncovered("constraints.txt", count), testing::IsEmpty());
  EXPECT_EQ(count, 314u);
}

TEST_F(Constraints, AllInputRowsHaveACase) {
  size_t count;
  EXPECT_THAT(uncovered("inputs.txt", count), testing::IsEmpty());
  EXPECT_EQ(count, 170u);
}

} // namespace
