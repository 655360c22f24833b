#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::frontend {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(TENON_TESTDATA, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".mlir")
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Export : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    auto buffer = llvm::MemoryBuffer::getFile(GetParam());
    ASSERT_TRUE(bool(buffer));
    module = import((*buffer)->getBuffer());
    ASSERT_TRUE(module);
  }

  mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef bytes) {
    ImportOptions options;
    options.requireMain = false;
    return importModule(bytes, context, options);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_P(Export, TextReadsBack) {
  for (bool generic : {false, true}) {
    std::string text = exportText(*module, {generic, /*locations=*/true});
    auto read = import(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(exportText(*read), exportText(*module));
  }
}

TEST_P(Export, BytecodeReadsBack) {
  std::string bytes = exportBytecode(*module);
  EXPECT_EQ(sniffFormat(bytes), ProgramFormat::kBytecode);
  auto read = import(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(exportText(*read, {false, true}), exportText(*module, {false, true}));
}

INSTANTIATE_TEST_SUITE_P(All, Export, testing::ValuesIn(programs()),
                         [](const auto &info) { return llvm::sys::path::stem(info.param).str(); });

} // namespace
} // namespace tenon::frontend
