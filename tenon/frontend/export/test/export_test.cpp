#include "tenon/frontend/export/booleans.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/frontend/import/vhlo_table.h"
#include "tenon/ir/register.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::frontend {
namespace {

std::vector<std::string> filesOf(llvm::StringRef folder, llvm::StringRef extension) {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == extension)
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The frontend's own programs, and those that together have every operation there is.
std::vector<std::string> programs() {
  std::vector<std::string> paths = filesOf(TENON_TESTDATA, ".mlir");
  for (const char *name : {"/stablehlo.mlir", "/chlo.mlir", "/sdy.mlir"})
    paths.push_back(TENON_SOURCES "/tenon/ir/testdata/round_trip" + std::string(name));
  return paths;
}

// And the interpreter's, among them the examples of the specification, and what JAX made.
std::vector<std::string> allPrograms() {
  std::vector<std::string> paths = programs();
  for (const char *folder :
       {"/tenon/interpreter/testdata/arrays", "/tenon/interpreter/testdata/math", "/tenon/interpreter/testdata/ops",
        "/tenon/interpreter/testdata/spec", "/test/e2e/programs"})
    llvm::append_range(paths, filesOf(TENON_SOURCES + std::string(folder), ".mlir"));
  return paths;
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name = llvm::sys::path::filename(llvm::sys::path::parent_path(info.param)).str() + "_" +
                     llvm::sys::path::filename(info.param).str();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef bytes, mlir::MLIRContext &context) {
  ImportOptions options;
  options.requireMain = false;
  return importModule(bytes, context, options);
}

// The program's text without the defaults that it writes, which artifacts do not tell from those it leaves out.
std::string withoutDefaults(mlir::ModuleOp module) {
  std::string text = exportText(module, {/*generic=*/false, /*locations=*/true});
  for (llvm::StringRef written :
       {", precision = [DEFAULT, DEFAULT]", ", lhs_dilate = [1, 1], rhs_dilate = [1, 1]",
        ", precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]"})
    for (size_t at; (at = text.find(written)) != std::string::npos;)
      text.erase(at, written.size());
  return text;
}

class Export : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    module = import(readFile(GetParam()));
    ASSERT_TRUE(module);
  }

  mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef bytes) { return frontend::import(bytes, context); }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class Printing : public Export {};

TEST_P(Printing, TextReadsBack) {
  for (bool generic : {false, true}) {
    std::string text = exportText(*module, {generic, /*locations=*/true});
    auto read = import(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(exportText(*read), exportText(*module));
  }
}

TEST_P(Printing, BytecodeReadsBack) {
  std::string bytes = exportBytecode(*module);
  EXPECT_EQ(sniffFormat(bytes), ProgramFormat::kBytecode);
  auto read = import(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(exportText(*read, {false, true}), exportText(*module, {false, true}));
}

INSTANTIATE_TEST_SUITE_P(All, Printing, testing::ValuesIn(allPrograms()), nameOf);

// Found by damaging programs.
// 105 of them, which MLIR spells as bits.
TEST(Text, ListsBooleans) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string list;
  for (int row = 0; row < 7; ++row) {
    list += row ? ", [" : "[";
    for (int i = 0; i < 15; ++i)
      list += std::string(i ? ", " : "") + ((row * 15 + i) % 4 == 1 ? "true" : "false");
    list += "]";
  }
  std::string constant = "dense<[" + list + "]> : tensor<7x15xi1>";
  auto module = import("func.func @main() attributes {x = [{y = " + constant + "}]} {\n  %0 = stablehlo.constant " +
                           constant + "\n  return\n}",
                       context);
  ASSERT_TRUE(module);
  for (bool generic : {false, true}) {
    std::string text = exportText(*module, {generic, /*locations=*/false});
    size_t first = text.find(constant);
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_NE(text.find(constant, first + 1), std::string::npos) << text;
    EXPECT_EQ(text.find("0x"), std::string::npos) << text;
  }
}

TEST(Text, LeavesOtherConstantsAsTheyAre) {
  for (const char *text : {"dense<\"0x0102\"> : tensor<2xi8>", "dense<\"0x0102", "dense<\"0x01\"> : tensor<9xi1>",
                           "dense<\"0x01\"> : tensor<?xi1>", "dense<true> : tensor<9xi1>"})
    EXPECT_EQ(listBooleans(text), text);
  EXPECT_EQ(listBooleans("x = dense<\"0x0501\"> : tensor<9xi1, #e>, y"),
            "x = dense<[true, false, true, false, false, false, false, false, true]> : tensor<9xi1, #e>, y");
}

TEST(Bytecode, HasBuffers) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = import(R"(func.func @main() -> memref<2x3xf32> {
    %0 = stablehlo.custom_call @CreateBuffer() : () -> memref<2x3xf32>
    return %0 : memref<2x3xf32>
  })",
                       context);
  ASSERT_TRUE(module);
  auto read = import(exportBytecode(*module), context);
  ASSERT_TRUE(read);
  EXPECT_EQ(exportText(*read), exportText(*module));
}

// Versions that lack something of the program say so; the others hold all of it.
TEST_P(Export, ArtifactsReadBack) {
  std::string text = withoutDefaults(*module), refusal;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &error) { refusal = error.str(); });
  bool isRefused = true;
  for (unsigned minor = 9; minor <= 41; ++minor) {
    VhloVersion version{minor / 21, minor % 21}; // 0.9 to 0.20, 1.0 to 1.20
    refusal = "";
    std::string bytes = exportArtifact(*module, version);
    if (bytes.empty()) {
      EXPECT_TRUE(isRefused) << version.str() << " refuses what an older one takes: " << refusal;
      EXPECT_THAT(refusal, testing::HasSubstr("or newer; the artifact is to be of " + version.str()));
      continue;
    }
    isRefused = false;
    ASSERT_EQ(sniffFormat(bytes), ProgramFormat::kPortableArtifact);
    auto read = import(bytes);
    ASSERT_TRUE(read) << version.str() << ": " << refusal;
    EXPECT_EQ(withoutDefaults(*read), text) << version.str();
  }
  EXPECT_FALSE(isRefused) << refusal;
}

INSTANTIATE_TEST_SUITE_P(All, Export, testing::ValuesIn(programs()), nameOf);

// What StableHLO's own writer made of the same programs.
class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, HasTheSameBytes) {
  // Its conversions to older operations, and to those of other dialects, change the order in which the users of a value
  // are listed, or where casts are; then only the programs are the same.
  static constexpr llvm::StringLiteral kReordered[] = {
      "elementwise.1.0.0", "elementwise.1.9.5", "linear_algebra.1.0.0", "linear_algebra.1.5.0",
      "recent.1.12.0",     "sharded.1.13.7",    "sharded.1.17.0"};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string reference = readFile(GetParam());
  auto [header, rest] = llvm::StringRef(reference).drop_front(5).split('\0');
  ASSERT_TRUE(header.consume_front("StableHLO_v"));
  auto version = parseVhloVersion(header);
  ASSERT_TRUE(version);
  auto module = import(reference, context);
  ASSERT_TRUE(module);
  std::string bytes = exportArtifact(*module, *version);
  if (!llvm::is_contained(kReordered, llvm::sys::path::stem(GetParam())))
    EXPECT_TRUE(bytes == reference);
  auto again = import(bytes, context);
  ASSERT_TRUE(again);
  EXPECT_EQ(exportText(*again, {false, true}), exportText(*module, {false, true}));
}

std::vector<std::string> references() {
  std::vector<std::string> paths = filesOf(TENON_TESTDATA, ".mlirbc");
  llvm::erase_if(paths, [](llvm::StringRef path) { return path.ends_with(".plain.mlirbc"); });
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(references()), nameOf);

// Each row of the table is written from the version on that it names, until the next row of the same operation.
TEST(Artifact, WritesTheOperationsOfItsVersion) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto names = [&](const char *op, VhloVersion version) {
    std::string program = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo." + std::string(op) +
                          " %x : tensor<f32>\n  return %0 : tensor<f32>\n}";
    return exportArtifact(*import(program, context), version);
  };
  EXPECT_THAT(names("exponential", {1, 8}), testing::HasSubstr("exponential_v1"));
  EXPECT_THAT(names("exponential", {1, 9}), testing::HasSubstr("exponential_v2"));
  EXPECT_THAT(names("cosine", {1, 9, 5}), testing::HasSubstr("cosine_v1"));
  EXPECT_THAT(names("cosine", {1, 10}), testing::HasSubstr("cosine_v2"));
  EXPECT_THAT(names("abs", {1, 20}), testing::HasSubstr("StableHLO_v1.20.0"));
}

std::string refusal(const std::string &body, VhloVersion version, const std::string &arguments = "%x: tensor<4xf32>") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &error) { message += error.str() + "\n"; });
  auto module = import("func.func @main(" + arguments + ") {\n" + body + "\n  return\n}", context);
  EXPECT_TRUE(module) << message;
  EXPECT_EQ(module ? exportArtifact(*module, version) : "", "");
  return message;
}

TEST(Artifact, NamesTheLeastVersion) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal("%0 = stablehlo.tan %x : tensor<4xf32>", {1, 3}),
              HasSubstr("'stablehlo.tan' op needs StableHLO 1.4.0 or newer; the artifact is to be of 1.3.0"));
  EXPECT_THAT(refusal("%0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
                      "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>",
                      {1, 8}),
              HasSubstr("'stablehlo.exponential' op with attribute 'result_accuracy' needs StableHLO 1.9.0"));
  EXPECT_THAT(
      refusal("", {0, 9}, "%x: tensor<4xf8E4M3FNUZ>"),
      HasSubstr("'func.func' op needs StableHLO 0.10.0 or newer; the artifact is to be of 0.9.0, because of type "
                "'f8E4M3FNUZ'"));
  EXPECT_THAT(
      refusal("%0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>", {1, 2}),
      HasSubstr("'stablehlo.custom_call' op with the typed FFI needs StableHLO 1.3.0"));
  EXPECT_THAT(refusal("%0 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>", {1, 10}),
              HasSubstr("'chlo.sinh' op needs StableHLO 1.11.0"));
  EXPECT_THAT(refusal("%0, %1 = chlo.top_k(%x, k = 2, is_stable = false) : tensor<4xf32> -> (tensor<2xf32>, "
                      "tensor<2xi32>)",
                      {1, 18}),
              HasSubstr("'chlo.top_k' op with attribute 'is_stable' needs StableHLO 1.19.0"));
  EXPECT_THAT(refusal("%0 = stablehlo.custom_call @f(%x) {x = i3} : (tensor<4xf32>) -> tensor<4xf32>", {1, 20}),
              HasSubstr("has a type that has no portable form: 'i3'"));
}

// An operation that is added needs a row, or programs with it could not be written down for good (SYS-56); a row that
// is there leads to an operation.
TEST(Artifact, TheTableHasEveryOp) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("stablehlo"))
    EXPECT_FALSE(vhloRows(op.stripDialect()).empty()) << op.getStringRef().str();
  for (const VhloOp &row : vhloOps())
    if (!row.target.empty())
      EXPECT_TRUE(mlir::RegisteredOperationName::lookup(row.target, &context)) << row.name.str();
}

TEST(Artifact, RefusesUnknownVersions) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal("", {1, 21}), HasSubstr("newer than 1.20.0, the newest"));
  EXPECT_THAT(refusal("", {2, 0}), HasSubstr("newer than 1.20.0, the newest"));
  EXPECT_THAT(refusal("", {0, 8}), HasSubstr("artifacts before 0.9.0 have no stable meaning"));
}

TEST(Artifact, ParsesVersions) {
  EXPECT_EQ(parseVhloVersion("1.17.3"), (VhloVersion{1, 17, 3}));
  EXPECT_EQ(parseVhloVersion("0.9"), (VhloVersion{0, 9, 0}));
  for (const char *text : {"", "1", "1.", "1.2.3.4", "1.x", "v1.2", "-1.2", "1.2.3-dev"})
    EXPECT_EQ(parseVhloVersion(text), std::nullopt) << text;
}

} // namespace
} // namespace tenon::frontend
