// Programs whose sizes are open, as computations of known sizes.
#include "tenon/dynamic_computation.h"

#include "tenon/client.h"
#include "tenon/literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::xla_2017 {
namespace {

// Rows are the first argument's; how often they are repeated is an argument.
constexpr const char *kRepeat = R"(
func.func @main(%x: tensor<?x2xf32> loc("x"), %times: tensor<i64>, %scale: tensor<f32>) -> tensor<?x?x2xf32> {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %n = stablehlo.convert %times : (tensor<i64>) -> tensor<i32>
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %0, %1, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %3 = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1, 2] : (tensor<?x2xf32>, tensor<3xi32>) -> tensor<?x?x2xf32>
  %4 = stablehlo.dynamic_broadcast_in_dim %scale, %shape, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<?x?x2xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<?x?x2xf32>
  return %5 : tensor<?x?x2xf32>
})";

Shape F32Of(const std::vector<int64> &dimensions) { return ShapeUtil::MakeShape(F32, dimensions); }

TEST(DynamicComputation, DescribesItsParameters) {
  auto program = DynamicComputation::FromStableHlo(kRepeat).ConsumeValueOrDie();
  EXPECT_TRUE(program->is_open());
  const std::vector<DynamicParameter> &parameters = program->parameters();
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].name, "x");
  EXPECT_EQ(parameters[1].name, "times");
  EXPECT_EQ(parameters[0].dimensions, (std::vector<int64>{-1, 2}));
  EXPECT_EQ(parameters[1].element_type, S64);
  EXPECT_FALSE(parameters[0].decides_sizes);
  EXPECT_TRUE(parameters[1].decides_sizes);
  EXPECT_FALSE(parameters[2].decides_sizes);
  auto closed = DynamicComputation::FromStableHlo("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : "
                                                  "tensor<f32> }");
  EXPECT_FALSE(closed.ValueOrDie()->is_open());
  EXPECT_FALSE(DynamicComputation::FromStableHlo("func.func @main(").ok());
}

TEST(DynamicComputation, HasAComputationForEachSetOfSizes) {
  auto program = DynamicComputation::FromStableHlo(kRepeat).ConsumeValueOrDie();
  Shape integer = ShapeUtil::MakeShape(S64, {});
  auto of = [&](int64 rows, int64 times) {
    return program->Specialize({F32Of({rows, 2}), integer, F32Of({})}, {{1, {times}}, {2, {17}}}).ConsumeValueOrDie();
  };
  auto two = of(1, 2);
  EXPECT_EQ(ShapeUtil::HumanString(two->program_shape().result()), "f32[2,1,2]");
  EXPECT_EQ(two, of(1, 2));
  EXPECT_NE(two, of(1, 3));
  EXPECT_NE(two, of(2, 2));
  Client *client = ClientLibrary::ClientLibraryOrDie();
  auto run = [&](const Computation &computation, const Literal &x, int64 times) {
    auto a = client->TransferToServer(x).ConsumeValueOrDie();
    auto b = client->TransferToServer(LiteralUtil::CreateR0<int64>(times)).ConsumeValueOrDie();
    auto c = client->TransferToServer(LiteralUtil::CreateR0<float>(3)).ConsumeValueOrDie();
    return client->ExecuteAndTransfer(computation, {a.get(), b.get(), c.get()});
  };
  Literal row = LiteralUtil::CreateR2<float>({{1, 2}});
  EXPECT_EQ(*run(*two, row, 2).ConsumeValueOrDie(),
            LiteralUtil::CreateR1<float>({3, 6, 3, 6}).Reshape({2, 1, 2}).ConsumeValueOrDie());
  EXPECT_EQ(*run(*of(2, 1), LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}), 1).ConsumeValueOrDie(),
            LiteralUtil::CreateR1<float>({3, 6, 9, 12}).Reshape({1, 2, 2}).ConsumeValueOrDie());
  EXPECT_THAT(run(*two, row, 3).status().message(),
              ::testing::HasSubstr("argument 1 must be 2, for which the program was compiled, got 3"));
}

TEST(DynamicComputation, KeepsThoseUsedLast) {
  auto program = DynamicComputation::FromStableHlo(kRepeat).ConsumeValueOrDie();
  auto of = [&](int64 times) {
    return program->Specialize({F32Of({1, 2}), ShapeUtil::MakeShape(S64, {}), F32Of({})}, {{1, {times}}})
        .ConsumeValueOrDie();
  };
  std::weak_ptr<const Computation> first = of(1), second = of(2);
  for (int64 times = 3; times <= 64; ++times)
    of(times);
  EXPECT_EQ(of(1), first.lock());
  EXPECT_FALSE(second.expired());
  of(65); // takes the place of the second
  EXPECT_TRUE(second.expired());
  EXPECT_EQ(of(1), first.lock());
}

TEST(DynamicComputation, SaysWhatDoesNotFit) {
  auto program = DynamicComputation::FromStableHlo(kRepeat).ConsumeValueOrDie();
  Shape integer = ShapeUtil::MakeShape(S64, {});
  auto messageFor = [&](const std::vector<Shape> &shapes, const std::vector<KnownArgument> &known) {
    auto computation = program->Specialize(shapes, known);
    return computation.ok() ? "" : computation.status().message();
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(messageFor({F32Of({3, 4}), integer, F32Of({})}, {{1, {2}}}),
              HasSubstr("argument 0 (x) must be F32[?,2], and is f32[3,4]"));
  EXPECT_THAT(messageFor({F32Of({3, 2}), integer}, {{1, {2}}}), HasSubstr("has 3 parameters, and 2 shapes"));
  EXPECT_THAT(messageFor({F32Of({3, 2}), integer, F32Of({})}, {}), HasSubstr("depends on data"));
  EXPECT_THAT(messageFor({F32Of({3, 2}), integer, F32Of({})}, {{1, {-2}}}), HasSubstr("negative size -2"));
  EXPECT_THAT(messageFor({F32Of({3, 2}), integer, F32Of({})}, {{1, {2, 3}}}), HasSubstr("argument 1"));
  auto bounded = DynamicComputation::FromStableHlo(R"(
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
})")
                     .ConsumeValueOrDie();
  auto unknown = bounded->Specialize({F32Of({4}), ShapeUtil::MakeShape(S32, {})});
  EXPECT_EQ(unknown.status().code(), tenon::StatusCode::kUnimplemented);
  EXPECT_THAT(unknown.status().message(), HasSubstr("only known when the program runs"));
}

TEST(DynamicComputation, IsTheEntryThatIsNamed) {
  std::string text = std::string(kRepeat) +
                     "func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n}\n"
                     "func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n";
  EXPECT_EQ(Computation::FromStableHlo(text, "f", "other").ValueOrDie()->program_shape().parameters_size(), 1);
  auto open = DynamicComputation::FromStableHlo(text, "f", "open").ConsumeValueOrDie();
  auto computation = open->Specialize({F32Of({4})}).ConsumeValueOrDie();
  EXPECT_EQ(ShapeUtil::HumanString(computation->program_shape().result()), "f32[4]");
  EXPECT_THAT(Computation::FromStableHlo(text, "f", "none").status().message(),
              ::testing::HasSubstr("the program has no function 'none'; there are: main, other, open"));
}

} // namespace
} // namespace tenon::xla_2017
