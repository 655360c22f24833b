#include "tenon/compiler/context_pool.h"

#include "tenon/ir/stablehlo.h"

#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

// Borrows a context for a program of that many bytes and marks it. Whether it is a new one.
bool isNew(size_t sourceBytes) {
  ContextLoan loan(sourceBytes);
  bool marked = (*loan).allowsUnregisteredDialects();
  (*loan).allowUnregisteredDialects();
  return !marked;
}

TEST(ContextPool, LendsAContextAgain) {
  EXPECT_TRUE(isNew(100));
  EXPECT_FALSE(isNew(100));
  ContextLoan first(100), second(100);
  EXPECT_NE(&*first, &*second);
  EXPECT_TRUE((*second).getLoadedDialect<stablehlo::StablehloDialect>());
  EXPECT_FALSE((*second).allowsUnregisteredDialects());
}

TEST(ContextPool, LendsItAsItWasAtFirst) {
  for (int i = 0; i < 2; ++i) {
    ContextLoan loan(100);
    EXPECT_FALSE((*loan).isMultithreadingEnabled());
    EXPECT_FALSE((*loan).shouldPrintOpOnDiagnostic());
    (*loan).enableMultithreading();
    (*loan).printOpOnDiagnostic(true);
  }
}

// Types stay in a context, which must not grow without end.
TEST(ContextPool, DropsAContextThatHasServedForLong) {
  int numNew = 0;
  for (int i = 0; i < 10 * kProgramsPerContext; ++i)
    numNew += isNew(1);
  EXPECT_GE(numNew, 8);
  EXPECT_LE(numNew, 10);
  EXPECT_TRUE(isNew(kSourceBytesPerContext + 1));
  EXPECT_TRUE(isNew(kSourceBytesPerContext + 1));
  numNew = 0;
  for (int i = 0; i < 8; ++i)
    numNew += isNew(kSourceBytesPerContext);
  EXPECT_GE(numNew, 3);
}

} // namespace
} // namespace tenon::compiler
