// The library beside XLA in one program: headers of both in one file, and symbols of both in one process. What stands
// here for XLA has names that the interface of 2017 has, too.
#include "tenon/client.h"
#include "tenon/computation_builder.h"

#include <gtest/gtest.h>

namespace xla {

class Shape {
public:
  int rank() const { return 7; }
};

class ShapeUtil {
public:
  static Shape MakeNil();
  static bool IsTuple(const Shape &shape);
};

class ClientLibrary {
public:
  static int PlatformNames();
};

// Exported, as a shared library of XLA's would.
__attribute__((visibility("default"))) Shape ShapeUtil::MakeNil() { return {}; }
__attribute__((visibility("default"))) bool ShapeUtil::IsTuple(const Shape &) { return false; }
__attribute__((visibility("default"))) int ClientLibrary::PlatformNames() { return 42; }

} // namespace xla

namespace {

namespace ours = tenon::xla_2017;

TEST(Namespace, BothAreThere) {
  EXPECT_EQ(xla::ShapeUtil::MakeNil().rank(), 7);
  EXPECT_EQ(xla::ClientLibrary::PlatformNames(), 42);
  EXPECT_TRUE(ours::ShapeUtil::IsTuple(ours::ShapeUtil::MakeNil()));
  EXPECT_FALSE(ours::ClientLibrary::PlatformNames().empty());
  // What XLA does not have is found under its name of 2017.
  EXPECT_TRUE((std::is_same_v<xla::ComputationBuilder, ours::ComputationBuilder>));
}

TEST(Namespace, ProgramsRun) {
  ours::Client *client = ours::ClientLibrary::ClientLibraryOrDie();
  ours::ComputationBuilder builder(client, "sum");
  builder.Add(builder.ConstantR1<float>({1, 2}), builder.ConstantR0<float>(10));
  auto result = client->ExecuteAndTransfer(*builder.Build().ConsumeValueOrDie(), {}).ConsumeValueOrDie();
  EXPECT_EQ(*result, ours::LiteralUtil::CreateR1<float>({11, 12}));
}

} // namespace
