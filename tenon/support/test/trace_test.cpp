#include "tenon/support/trace.h"

#include "gtest/gtest.h"

#include <thread>

namespace tenon::trace {
namespace {

TEST(Trace, NothingIsRecordedWithoutASession) {
  EXPECT_EQ(current(), nullptr);
  {
    Span span("before");
  }
  auto session = Session::start();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(Session::start(), nullptr) << "one at a time";
  EXPECT_EQ(current(), session);
  session->stop();
  EXPECT_EQ(current(), nullptr);
  {
    Span span("after");
  }
  EXPECT_TRUE(session->events().empty());
  auto next = Session::start();
  ASSERT_NE(next, nullptr);
  session->stop(); // not the open one: no effect
  EXPECT_EQ(current(), next);
  next->stop();
}

TEST(Trace, EachThreadHasItsEvents) {
  auto session = Session::start();
  ASSERT_NE(session, nullptr);
  {
    Span outer("outer", 16);
    Span inner("inner");
  }
  std::thread([&] { Span span("elsewhere"); }).join();
  session->stop();
  std::vector<ThreadEvents> threads = session->events();
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_NE(threads[0].thread, threads[1].thread);
  ASSERT_EQ(threads[0].events.size(), 2u);
  const Event &inner = threads[0].events[0], &outer = threads[0].events[1];
  EXPECT_EQ(inner.label->name, "inner");
  EXPECT_EQ(inner.bytes, -1);
  EXPECT_EQ(outer.label->name, "outer");
  EXPECT_EQ(outer.bytes, 16);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.begin, inner.end);
  EXPECT_LE(inner.end, outer.end);
  EXPECT_EQ(threads[1].events.at(0).label->name, "elsewhere");
}

TEST(Trace, DetailsAreFoundByNameAndType) {
  static const Label label = {"copy", {{"kind", "loop"}, {"flops", 2.5}, {"phases", int64_t{3}}}, Label::Kind::kKernel};
  EXPECT_EQ(label.detail<std::string>("kind"), "loop");
  EXPECT_EQ(label.detail<double>("flops"), 2.5);
  EXPECT_EQ(label.detail<int64_t>("phases", 1), 3);
  EXPECT_EQ(label.detail<int64_t>("flops", 7), 7) << "of another type";
  EXPECT_EQ(label.detail<std::string>("source"), "");
  auto session = Session::start();
  ASSERT_NE(session, nullptr);
  {
    Span span(label, 8);
  }
  session->stop();
  std::vector<ThreadEvents> threads = session->events();
  ASSERT_EQ(threads.at(0).events.size(), 1u);
  EXPECT_EQ(threads[0].events[0].label, &label);
  EXPECT_EQ(threads[0].events[0].bytes, 8);
}

TEST(Trace, EventsOfOneGroupBecomeOne) {
  auto session = Session::start();
  ASSERT_NE(session, nullptr);
  auto label = std::make_shared<Label>();
  session->keep(label);
  uint64_t group = session->newGroups(2), other = group + 1;
  session->record(*label, 1, 2, -1, group);
  session->record(*label, 3, 4, -1, group);
  session->record(*label, 5, 6, -1, other);
  session->record(*label, 7, 8);
  session->record(*label, 9, 10);
  session->stop();
  std::vector<ThreadEvents> threads = session->events();
  ASSERT_EQ(threads.size(), 1u);
  ASSERT_EQ(threads[0].events.size(), 4u);
  EXPECT_EQ(threads[0].events[0].begin, 1);
  EXPECT_EQ(threads[0].events[0].end, 4);
}

} // namespace
} // namespace tenon::trace
