#include "tenon/frontend/import/exported.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string exportedFile(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(TENON_TESTDATA "/" + name + ".exported");
  EXPECT_TRUE(bool(buffer)) << name;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

// The module's text, or what was wrong.
std::string import(llvm::StringRef bytes) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) { text += diagnostic.str(); });
  if (auto module = importModule(bytes, context))
    llvm::raw_string_ostream(text) << *module;
  return text;
}

TEST(Exported, IsAFormOfItsOwn) {
  for (const char *name : {"one", "several", "others", "open"})
    EXPECT_EQ(sniffFormat(exportedFile(name)), ProgramFormat::kExported) << name;
}

TEST(Exported, HoldsAnArtifactAndItsPlatforms) {
  std::string bytes = exportedFile("several");
  auto exported = readExported(bytes);
  ASSERT_TRUE(exported.ok()) << exported.status().message();
  EXPECT_EQ(sniffFormat(exported->artifact), ProgramFormat::kPortableArtifact);
  EXPECT_THAT(exported->platforms, ElementsAre("cuda", "cpu"));
}

TEST(Exported, ModulesAreRead) {
  EXPECT_THAT(import(exportedFile("one")), HasSubstr("(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>)"));
  // With its derivative, which is another table of the same kind.
  EXPECT_THAT(import(exportedFile("open")), HasSubstr("(%arg0: tensor<?x2xf32>, %arg1: tensor<2x2xf32>)"));
}

TEST(Exported, TheNumberOfThePlatformIsNoArgument) {
  std::string text = import(exportedFile("several"));
  EXPECT_THAT(text, HasSubstr("(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>)"));
  EXPECT_THAT(text, HasSubstr("dense<1> : tensor<i32>"));
  EXPECT_THAT(import(exportedFile("others")),
              HasSubstr("the program was exported for the platforms cuda, tpu, and not for cpu"));
}

TEST(Exported, SurvivesBeingCutOff) {
  std::string bytes = exportedFile("one");
  auto whole = readExported(bytes);
  ASSERT_TRUE(whole.ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string part = bytes.substr(0, size); // a string of its own, so that a sanitizer sees what is read behind it
    (void)looksExported(part);
    if (auto exported = readExported(part); exported.ok())
      EXPECT_EQ(exported->artifact, whole->artifact) << size;
  }
  EXPECT_THAT(import(bytes.substr(0, bytes.size() / 2)), HasSubstr("malformed file of jax.export"));
}

// Every byte of the tables changed, to values that make offsets negative, large, and point at each other.
TEST(Exported, SurvivesDamage) {
  std::string bytes = exportedFile("several");
  size_t artifact = bytes.find("ML\xefR");
  ASSERT_NE(artifact, std::string::npos);
  size_t read = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (at == artifact)
      at += readExported(bytes)->artifact.size();
    for (int value : {0x00, 0x01, 0x04, 0x7f, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      if (auto exported = readExported(damaged); exported.ok()) {
        ++read;
        for (llvm::StringRef part : exported->platforms)
          EXPECT_TRUE(part.begin() >= damaged.data() && part.end() <= damaged.data() + damaged.size());
      }
    }
  }
  EXPECT_GT(read, 0u); // most of what is damaged is nothing that is read
}

TEST(Exported, AListOfPlatformsHasItsLimits) {
  std::string bytes = exportedFile("several"), damaged = bytes;
  size_t name = bytes.find("cuda");
  ASSERT_NE(name, std::string::npos);
  damaged[name - 3] = 1; // the second byte of its length: 260 bytes
  EXPECT_THAT(import(damaged), HasSubstr("the name of platform 0 is cut off or too long"));
}

TEST(Exported, OtherBytesAreNot) {
  for (llvm::StringRef bytes : {"", "a", "func.func @main() { return }", "ML\xefR\rStableHLO_v1.0.0"})
    EXPECT_FALSE(looksExported(bytes));
  EXPECT_FALSE(looksExported(std::string(1000, '\0')));
  EXPECT_FALSE(looksExported(std::string(1000, '\xff')));
  EXPECT_THAT(import(std::string(1000, '\4')), Not(HasSubstr("jax.export:")));
}

} // namespace
} // namespace tenon::frontend
