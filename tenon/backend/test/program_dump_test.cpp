// What TENON_DUMP_TO keeps of programs.
#include "tenon/backend/program_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace tenon::backend {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char *kProgram = R"(module @jit_double {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

class ProgramDumpTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tenon_dump_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top = name;
  }
  void TearDown() override { fs::remove_all(top); }

  // What DIR holds after the program was compiled once more.
  static std::set<std::string> compileInto(const fs::path &directory) {
    auto dump = ProgramDump::create(directory.string(), kProgram);
    EXPECT_TRUE(dump.ok()) << dump.status().message();
    compiler::CompileOptions options;
    ProgramDump::attach(*dump, options);
    EXPECT_TRUE(compiler::compile(kProgram, options).ok());
    EXPECT_TRUE((*dump)->status().ok()) << (*dump)->status().message();
    std::set<std::string> names;
    for (const auto &entry : fs::directory_iterator(directory))
      names.insert(entry.path().filename().string());
    return names;
  }

  fs::path top;
};

std::string contentsOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ProgramDumpTest, MakesTheDirectoryAndNamesFilesByProgramAndStage) {
  std::set<std::string> names = compileInto(top / "not" / "there");
  EXPECT_THAT(names, Contains("0000.source.mlir"));
  EXPECT_THAT(names, Contains("0000.jit_double.00.import.mlir"));
  EXPECT_THAT(names, Contains(HasSubstr(".fuse.mlir")));
  EXPECT_THAT(names, Contains(HasSubstr(".llvm.ll")));
  EXPECT_EQ(contentsOf(top / "not" / "there" / "0000.source.mlir"), kProgram);
}

TEST_F(ProgramDumpTest, EachProgramHasANumberAndEachFileIsAProgram) {
  std::ofstream(top / "0041.source.mlirbc") << "of an earlier process";
  std::set<std::string> once = compileInto(top), twice = compileInto(top);
  EXPECT_EQ(twice.size() - 1, 2 * (once.size() - 1));
  EXPECT_EQ(contentsOf(top / "0041.source.mlirbc"), "of an earlier process");
  int compiled = 0;
  for (const std::string &name : twice)
    if (name.starts_with("0043.") && name.ends_with(".mlir") && name.find("fuse") == std::string::npos) {
      auto program = compiler::compile(contentsOf(top / name));
      EXPECT_TRUE(program.ok()) << name << ": " << program.status().message();
      ++compiled;
    }
  EXPECT_GT(compiled, 5);
}

TEST_F(ProgramDumpTest, ADirectoryThatCannotBeMadeIsAnError) {
  std::ofstream(top / "file") << "in the way";
  auto dump = ProgramDump::create((top / "file" / "dumps").string(), kProgram);
  ASSERT_FALSE(dump.ok());
  EXPECT_EQ(dump.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(dump.status().message(), HasSubstr((top / "file" / "dumps").string()));
}

} // namespace
} // namespace tenon::backend
