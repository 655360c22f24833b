#include "tenon/ir/layouts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::ir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Layouts, AreOrdersOfDimensions) {
  EXPECT_THAT(*parseLayout("{1,0,2}", ElementType::kF32), ElementsAre(1, 0, 2));
  EXPECT_THAT(*parseLayout("{1, 0}", ElementType::kF32), ElementsAre(1, 0));
  EXPECT_THAT(*parseLayout("{}", ElementType::kF32), IsEmpty());
  EXPECT_THAT(*parseLayout("{1,0,2:E(4)}", ElementType::kI4), ElementsAre(1, 0, 2));
}

TEST(Layouts, AreRefusedIfTheySayMore) {
  for (const char *text : {"", "0,1,2", "{0,1,2", "{0,,1}", "{0,1,}", "{0,x}", "{0,1:E(2)}", "{0,1:T(8)}"})
    EXPECT_EQ(parseLayout(text, ElementType::kI4), std::nullopt) << text;
  EXPECT_EQ(parseLayout("{1,0:E(4)}", ElementType::kI8), std::nullopt);
}

} // namespace
} // namespace tenon::ir
