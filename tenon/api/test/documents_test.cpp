// The code examples of the documents of 2017, with nothing changed but what their text has lost: the '-' of "->"
// (requirement inventory E0-01, E0-02, E0-25, E0-35, E1-06, E1-22).
#include "tenon/xla_2017.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

// xla-preview-2017, "Getting started": outside namespace xla.
// clang-format off

std::unique_ptr<xla::Literal> ComputeAxpyParameters(
const xla::Literal& alpha, const xla::Literal& x,
const xla::Literal& y) {
// Get the singleton handle for an XLA client library and create a new
// computation builder.
xla::Client* client(xla::ClientLibrary::ClientLibraryOrDie());
xla::ComputationBuilder builder(client, "axpy");
// Build the actual XLA computation graph. It's a function taking
// three parameters and computing a single output.
auto param_alpha = builder.Parameter(0, alpha.shape(), "alpha");
auto param_x = builder.Parameter(1, x.shape(), "x");
auto param_y = builder.Parameter(2, y.shape(), "y");
auto axpy = builder.Add(builder.Mul(param_alpha, param_x), param_y);
// We're done building the graph. Create a computation on the server.
util::StatusOr<std::unique_ptr<xla::Computation>> computation_status =
builder.Build();
std::unique_ptr<xla::Computation> computation =
computation_status.ConsumeValueOrDie();
// Transfer the parameters to the server and get data handles that refer to
// them.
std::unique_ptr<xla::GlobalData> alpha_data =
client->TransferToServer(alpha).ConsumeValueOrDie();
std::unique_ptr<xla::GlobalData> x_data =
client->TransferToServer(x).ConsumeValueOrDie();
std::unique_ptr<xla::GlobalData> y_data =
client->TransferToServer(y).ConsumeValueOrDie();
// Now we have all we need to execute the computation on the device. We get
// the result back in the form of a Literal.
util::StatusOr<std::unique_ptr<xla::Literal>> result_status =
client->ExecuteAndTransfer(
*computation, {alpha_data.get(), x_data.get(), y_data.get()});
return result_status.ConsumeValueOrDie();
}

std::unique_ptr<xla::Literal> ComputeAxpyConstants(
float alpha, gtl::ArraySlice<float> x,
gtl::ArraySlice<float> y) {
// Get the singleton handle for an XLA client library and create a new
// computation builder.
xla::Client* client(xla::ClientLibrary::ClientLibraryOrDie());
xla::ComputationBuilder builder(client, "axpy");
auto constant_alpha = builder.ConstantR0<float>(alpha);
auto constant_x = builder.ConstantR1<float>(x);
auto constant_y = builder.ConstantR1<float>(y);
auto axpy = builder.Add(builder.Mul(constant_alpha, constant_x), constant_y);
// We're done building the graph. Tell the server to create a Computation from
// it, and then execute this computation on the device, transferring the
// result back as a literal.
util::StatusOr<std::unique_ptr<xla::Computation>> computation_status =
builder.Build();
std::unique_ptr<xla::Computation> computation =
computation_status.ConsumeValueOrDie();
// No need to pass arguments into the computation since it accepts no
// parameters.
util::StatusOr<std::unique_ptr<xla::Literal>> result_status =
client->ExecuteAndTransfer(*computation, {});
return result_status.ConsumeValueOrDie();
}

// clang-format on

namespace tenon::xla_2017 {
namespace {

TEST(Documents, AxpyBothForms) { // SYS-29, E0-01, E0-02
  std::vector<float> x{1, 2, 3}, y{10, 20, 30};
  auto fromParameters = ComputeAxpyParameters(LiteralUtil::CreateR0<float>(2), LiteralUtil::CreateR1<float>(x),
                                              LiteralUtil::CreateR1<float>(y));
  auto fromConstants = ComputeAxpyConstants(2, x, y);
  EXPECT_EQ(fromParameters->shape().DebugString(), fromConstants->shape().DebugString());
  EXPECT_EQ(*fromParameters, LiteralUtil::CreateR1<float>({12, 24, 36}));
  EXPECT_EQ(*fromConstants, *fromParameters);
}

// The maximum of windows of 2x3, in both documents' words.
class ReduceWindowExample : public ::testing::Test {
protected:
  std::unique_ptr<Literal> Run(const Computation &computation, float first) {
    Array2D<float> values(4, 6);
    for (int64 i = 0; i < 4; ++i)
      for (int64 j = 0; j < 6; ++j)
        values(i, j) = first - static_cast<float>(i * 6 + j);
    auto data = client_->TransferToServer(LiteralUtil::CreateR2FromArray2D(values)).ConsumeValueOrDie();
    return client_->ExecuteAndTransfer(computation, {data.get()}).ConsumeValueOrDie();
  }

  Client *client_ = ClientLibrary::ClientLibraryOrDie();
};

// clang-format off
// NOLINTBEGIN(bugprone-argument-comment): the names are the documents'

TEST_F(ReduceWindowExample, OfThePreview) { // E0-25, X-09
// Create a computation for the reduction (maximum).
std::unique_ptr<Computation> max;
{
ComputationBuilder builder(client_, "max");
auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
builder.Max(y, x);
max = builder.Build().ConsumeValueOrDie();
}
// Create a ReduceWindow computation with the max reduction computation.
ComputationBuilder builder(client_, "reduce_window_2x3");
ComputationBuilder &builder_ = builder; // the document's second name for it
auto shape = ShapeUtil::MakeShape(F32, {4, 6});
auto input = builder.Parameter(0, shape, "input");
builder.ReduceWindow(
input, *max,
/*init_val=*/builder_.ConstantR0<float>(std::numeric_limits<float>::min()),
/*window_dimensions=*/{2, 3},
/*window_stride_dimensions=*/{2, 3},
Padding::kValid);

auto computation = builder.Build().ConsumeValueOrDie();
EXPECT_EQ(*Run(*computation, 24), LiteralUtil::CreateR2<float>({{24, 21}, {12, 9}}));
// The smallest positive number is what the program says, and no maximum of what is negative.
float smallest = std::numeric_limits<float>::min();
EXPECT_EQ(*Run(*computation, -1), LiteralUtil::CreateR2<float>({{smallest, smallest}, {smallest, smallest}}));
}

TEST_F(ReduceWindowExample, OfTheLaterDocument) { // E1-06, X-09, X-11, DV-11
// Create a computation for the reduction (maximum).
Computation max;
{
  ComputationBuilder builder(client_, "max");
  auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
  auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
  builder.Max(y, x);
  max = builder.Build().ConsumeValueOrDie();
}

// Create a ReduceWindow computation with the max reduction computation.
ComputationBuilder builder(client_, "reduce_window_2x3");
auto shape = ShapeUtil::MakeShape(F32, {4, 6});
auto input = builder.Parameter(0, shape, "input");
builder.ReduceWindow(
    input, *max,
    /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
    /*window_dimensions=*/{2, 3},
    /*window_stride_dimensions=*/{2, 3},
    Padding::kValid);

Computation computation = builder.Build().ConsumeValueOrDie();
EXPECT_EQ(*Run(computation, 24), LiteralUtil::CreateR2<float>({{24, 21}, {12, 9}}));
EXPECT_EQ(*Run(computation, -1), LiteralUtil::CreateR2<float>({{-1, -4}, {-13, -16}}));
}

// NOLINTEND(bugprone-argument-comment)
// clang-format on

// A failed sub-builder's computation is the empty one as a value, too.
TEST(Documents, ComputationsAreValuesOrPointers) {
  Computation none = std::unique_ptr<Computation>();
  EXPECT_TRUE(none.IsNull());
  ComputationBuilder builder(ClientLibrary::ClientLibraryOrDie(), "one");
  builder.ConstantR0<float>(1);
  auto pointer = builder.Build().ConsumeValueOrDie();
  const auto *program = pointer->built().get();
  none = std::move(pointer);
  EXPECT_EQ((*none).built().get(), program);
}

// xla-preview-2017, While: "T init(0, 0.0)"; 1000 iterations of (result(0) + 1, result(1) + constant).
TEST(Documents, WhileOfThousandIterations) { // SYS-51, E0-35, E1-22
  Client *client = ClientLibrary::ClientLibraryOrDie();
  Shape state = ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShape(F32, {10})});
  ComputationBuilder builder(client, "loop");
  std::unique_ptr<Computation> condition, body;
  {
    auto sub = builder.CreateSubBuilder("condition");
    auto prev = sub->Parameter(0, state, "prev");
    sub->Lt(sub->GetTupleElement(prev, 0), sub->ConstantR0<int32>(1000));
    condition = sub->BuildAndNoteError();
  }
  {
    auto sub = builder.CreateSubBuilder("body");
    auto prev = sub->Parameter(0, state, "prev");
    auto iteration = sub->Add(sub->GetTupleElement(prev, 0), sub->ConstantR0<int32>(1));
    auto weights = sub->Add(sub->GetTupleElement(prev, 1), sub->ConstantR1<float>(10, 1.5f));
    sub->Tuple({iteration, weights});
    body = sub->BuildAndNoteError();
  }
  builder.While(*condition, *body, builder.Tuple({builder.ConstantR0<int32>(0), builder.ConstantR1<float>(10, 0.f)}));
  auto computation = builder.Build().ConsumeValueOrDie();
  auto result = client->ExecuteAndTransfer(*computation, {}).ConsumeValueOrDie();
  EXPECT_EQ(result->tuple_literal(0).Get<int32>({}), 1000);
  for (int64 i = 0; i < 10; ++i)
    EXPECT_EQ(result->tuple_literal(1).Get<float>({i}), 1500.f);
}

} // namespace
} // namespace tenon::xla_2017
