// Whatever is of the wrong kind is refused with a message or runs; nothing ends the process.

#include "test/execution.h"
#include "test/fuzz/check.h"
#include "test/fuzz/child.h"
#include "test/fuzz/kinds.h"
#include "test/fuzz/round_trip.h"

#include "tenon/frontend/import/import.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <thread>

namespace tenon::fuzz {
namespace {

std::string contents(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The modules of `alone`, of all ops in the dialects' example programs.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>> samples(mlir::MLIRContext &context) {
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> all;
  for (const char *name : {"stablehlo", "chlo", "sdy"}) {
    frontend::ImportOptions options;
    options.requireMain = false;
    std::string path = TENON_IR_TESTDATA "/round_trip/" + std::string(name) + ".mlir";
    auto module = frontend::importModule(contents(path), context, options);
    EXPECT_TRUE(module) << name;
    if (module)
      for (auto &one : alone(*module))
        all.push_back(std::move(one));
  }
  return all;
}

// Runs of these wait for the host to send something.
bool waitsForHost(const std::string &text) {
  return llvm::StringRef(text).contains("\"stablehlo.infeed\"") || llvm::StringRef(text).contains("\"stablehlo.recv\"");
}

// Reads programs, many in one context.
class Reader {
public:
  Reader() : context_(mlir::MLIRContext::Threading::DISABLED) {}

  // Null with a reason, or else with none.
  bool reads(const std::string &program, std::string &errors) {
    errors.clear();
    return bool(readProgram(program, context_, errors));
  }

private:
  mlir::MLIRContext context_;
};

// What no target can do with a program that is right: docs/status.md.
bool isKnownLimit(const Finding &finding) {
  llvm::StringRef message = finding.message;
  return (finding.kind == Finding::Kind::kCompileError &&
          message.contains("must be known when the program is compiled")) ||
         // The call has no results, and is not compiled.
         (finding.kind == Finding::Kind::kInterpreterError &&
          message.contains("a target that the interpreter does not know"));
}

// A program that is refused needs a reason.
Finding checkWrong(const std::string &text, Reader &reader) {
  std::string bytecode = uncheckedBytecode(text), errors;
  if (!bytecode.empty() && !reader.reads(bytecode, errors) && errors.empty())
    return {Finding::Kind::kSilent, "bytecode is refused without a reason"};
  if (!reader.reads(text, errors))
    return errors.empty() ? Finding{Finding::Kind::kSilent, "text is refused without a reason"} : Finding();
  if (waitsForHost(text)) {
    auto program = testing::compileAndLoad(text, compiler::CompileOptions());
    bool isSilent = !program.ok() && program.status().message().empty();
    return isSilent ? Finding{Finding::Kind::kSilent, "refused without a reason"} : Finding();
  }
  Finding finding = checkProgram(text, /*seed=*/1, Origin::kDamaged);
  return isKnownLimit(finding) ? Finding() : finding;
}

// A fifth of the programs; all of them with TENON_TEST_WHOLE, or with TENON_KINDS=<name>,
// which tries the ops of that name only.
TEST(KindsTest, WrongOnesAreRefusedOrRun) {
  constexpr double kTimeLimit = 20;
  const char *only = std::getenv("TENON_KINDS");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const size_t step = only || std::getenv("TENON_TEST_WHOLE") ? 1 : 5;
  size_t count = 0;
  std::set<std::string> seen;
  for (auto &module : samples(context)) {
    std::vector<Wrong> all;
    forEachWrongKind(*module, [&](const Wrong &wrong) {
      if ((!only || llvm::StringRef(wrong.what).split(':').first == only) && seen.insert(wrong.text).second &&
          count++ % step == 0)
        all.push_back(wrong);
    });
    for (uint64_t next = 0; next < all.size();) {
      Reader reader;
      Child child(next, 1, all.size() - next, [&](uint64_t number, const Child::HandOver &) -> Finding {
        return checkWrong(all[number].text, reader);
      });
      while (!child.poll(kTimeLimit))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (child.finding())
        ADD_FAILURE() << all[child.number()].what << "\n"
                      << kindName(child.finding().kind) << ": " << child.finding().message << "\n"
                      << all[child.number()].text;
      next = child.finding() ? child.number() + 1 : all.size();
    }
  }
  EXPECT_GT(count, only ? 0u : 10'000u);
}

} // namespace
} // namespace tenon::fuzz
