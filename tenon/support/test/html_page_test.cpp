#include "tenon/support/html_page.h"

#include "gtest/gtest.h"

namespace tenon {
namespace {

TEST(HtmlPage, PartsAreFilledInOnce) {
  EXPECT_EQ(fillPage("<b>{{title}}</b>{{body}}{{title}}", {{"title", "{{body}}"}, {"body", "}}"}}),
            "<b>{{body}}</b>}}{{body}}");
  EXPECT_EQ(fillPage("{ }", {}), "{ }");
}

TEST(HtmlPage, DataCannotEndItsElement) {
  EXPECT_EQ(jsonForScript(R"({"name": "</script><!--"})"), R"({"name": "\u003c/script>\u003c!--"})");
}

} // namespace
} // namespace tenon
