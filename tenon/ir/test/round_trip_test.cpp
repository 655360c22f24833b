// Text of the dialects: what is parsed prints as it was, and what is printed parses to the same.
#include "tenon/ir/register.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace {

class RoundTrip : public testing::Test {
protected:
  RoundTrip() { tenon::loadAllDialects(context); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  std::string print(mlir::ModuleOp module, bool generic = false) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, mlir::OpPrintingFlags().useLocalScope().printGenericOpForm(generic).enableDebugInfo());
    return text;
  }

  static std::string plain(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  /// Both forms of the printed text parse to what prints the same.
  void expectStable(const std::string &text) {
    auto module = parse(text);
    ASSERT_TRUE(module) << text;
    std::string pretty = print(*module);
    for (bool generic : {false, true}) {
      auto again = parse(print(*module, generic));
      ASSERT_TRUE(again) << print(*module, generic);
      EXPECT_EQ(print(*again), pretty);
    }
  }

  mlir::MLIRContext context;
};

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The text with runs of spaces as one, since MLIR's versions differ in where they put two.
std::string squeeze(const std::string &text) {
  std::string result;
  for (char c : text)
    if (c != ' ' || result.empty() || result.back() != ' ')
      result += c;
  return result;
}

/// Programs in the test data are as they print. TENON_BLESS=1 writes them so.
TEST_F(RoundTrip, ProgramsPrintAsTheyAre) {
  const char *bless = std::getenv("TENON_BLESS");
  for (const auto &entry : std::filesystem::directory_iterator(TENON_IR_TESTDATA "/round_trip")) {
    SCOPED_TRACE(entry.path().string());
    std::string text = read(entry.path());
    expectStable(text);
    auto module = parse(text);
    ASSERT_TRUE(module);
    if (bless)
      std::ofstream(entry.path()) << plain(*module);
    else
      EXPECT_EQ(plain(*module), text) << "run with TENON_BLESS=1 if the new text is right";
  }
}

/// MLIR's bytecode keeps them.
TEST_F(RoundTrip, BytecodeKeepsPrograms) {
  for (const auto &entry : std::filesystem::directory_iterator(TENON_IR_TESTDATA "/round_trip")) {
    SCOPED_TRACE(entry.path().string());
    auto module = parse(read(entry.path()));
    ASSERT_TRUE(module);
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(*module, os)));
    auto again = parse(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(plain(*again), plain(*module));
  }
}

/// They contain every op of every dialect.
TEST_F(RoundTrip, ProgramsContainEveryOp) {
  std::set<llvm::StringRef> seen;
  for (const auto &entry : std::filesystem::directory_iterator(TENON_IR_TESTDATA "/round_trip")) {
    auto module = parse(read(entry.path()));
    ASSERT_TRUE(module) << entry.path().string();
    module->walk([&](mlir::Operation *op) { seen.insert(op->getName().getIdentifier().strref()); });
  }
  for (const char *dialect : {"stablehlo", "chlo", "sdy", "tenon"})
    for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect(dialect))
      EXPECT_TRUE(seen.count(name.getIdentifier().strref())) << name.getStringRef().str();
}

/// The .mlir files of the folder $TENON_ROUND_TRIP_DIR, when it is set: for trying a frontend's output.
TEST_F(RoundTrip, Folder) {
  const char *folder = std::getenv("TENON_ROUND_TRIP_DIR");
  if (!folder)
    GTEST_SKIP() << "TENON_ROUND_TRIP_DIR is not set";
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir")
      continue;
    SCOPED_TRACE(entry.path().string());
    std::string text = read(entry.path());
    expectStable(text);
    if (text.find("loc(") != std::string::npos)
      continue;
    // What a frontend's own printer wrote without locations, ours writes the same.
    EXPECT_EQ(squeeze(plain(*parse(text))), squeeze(text));
  }
}

} // namespace
