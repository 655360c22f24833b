#include "tenon/frontend/import/diagnostics.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tenon::frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DiagnosticsTest : public ::testing::Test {
protected:
  // What a message at this place of the program (or of another file) becomes.
  std::string messageAt(DiagnosticOptions options, const std::string &file, unsigned line, unsigned column) {
    std::string all;
    DiagnosticReader reader(context, std::move(options),
                            [&](mlir::DiagnosticSeverity, std::string_view text) { all += text; });
    mlir::emitError(mlir::FileLineColLoc::get(&context, file, line, column), "no");
    return all;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(DiagnosticsTest, QuoteTheProgram) {
  EXPECT_EQ(messageAt({"p.mlir", "first\n second\n"}, "p.mlir", 2, 3), "p.mlir:2:3: error: no\n second\n  ^\n");
}

TEST_F(DiagnosticsTest, PlacesThatAreNotInTheProgram) {
  EXPECT_EQ(messageAt({"p.mlir", "first\nsecond\n"}, "p.mlir", 0, 0), "p.mlir: error: no\n"); // of no line at all
  for (auto [line, column] : {std::pair(2u, 9u), {7u, 1u}})
    EXPECT_EQ(messageAt({"p.mlir", "first\nsecond\n"}, "p.mlir", line, column),
              "p.mlir:" + std::to_string(line) + ":" + std::to_string(column) + ": error: no\n");
}

TEST_F(DiagnosticsTest, LinesThatAreNotText) {
  EXPECT_THAT(messageAt({"p.mlir", "a\x1b[31m b\n"}, "p.mlir", 1, 1), Not(HasSubstr("\x1b")));
  std::string line(100000, 'x');
  EXPECT_EQ(messageAt({"p.mlir", line}, "p.mlir", 1, 5), "p.mlir:1:5: error: no\n");
}

TEST_F(DiagnosticsTest, BinaryProgramsHaveNoLines) {
  EXPECT_EQ(messageAt({"p.mlirbc", "ML\xefR\x0d"}, "p.mlirbc", 1, 1), "p.mlirbc: error: no\n");
}

TEST_F(DiagnosticsTest, OtherFilesAreQuotedOnlyWhereAllowed) {
  std::string path = ::testing::TempDir() + "tenon_diagnostics_test.py";
  std::ofstream(path) << "secret\n";
  EXPECT_EQ(messageAt({"p.mlir", "first\n"}, path, 1, 1), path + ":1:1: error: no\n");
  EXPECT_EQ(messageAt({"p.mlir", "first\n", /*quotesFiles=*/true}, path, 1, 1), path + ":1:1: error: no\nsecret\n^\n");
}

TEST_F(DiagnosticsTest, NotesFollowTheirError) {
  std::string all;
  DiagnosticReader reader(context, {"p.mlir", "x\n"},
                          [&](mlir::DiagnosticSeverity, std::string_view text) { all += text; });
  auto place = mlir::NameLoc::get(mlir::StringAttr::get(&context, "jit(f)/add"));
  mlir::emitError(place, "no").attachNote() << "because";
  EXPECT_EQ(all, "p.mlir: error: no (in jit(f)/add)\np.mlir: note: because (in jit(f)/add)\n");
}

} // namespace
} // namespace tenon::frontend
