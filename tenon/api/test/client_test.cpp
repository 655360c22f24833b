// Clients, data, errors of builders (requirement inventory API-T01..T12, API-001..009, 075..079; SYS-01..05, 17..30,
// 42..48).
#include "tenon/api/testing/builder_fixture.h"

#include "tenon/custom_call.h"
#include "tenon/tracing.h"

#include <numeric>
#include <thread>

namespace tenon::xla_2017 {
namespace {

using ClientTest = BuilderTest;

TEST_F(ClientTest, OneClientAPlatform) { // SYS-20, API-T02
  EXPECT_EQ(client_, ClientLibrary::ClientLibraryOrDie());
  EXPECT_EQ(client_->platform_name(), "cpu");
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient("cpu").ConsumeValueOrDie(), client_);
  auto unknown = ClientLibrary::GetOrCreateLocalClient("abacus");
  EXPECT_EQ(unknown.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(unknown.status().message(), ::testing::HasSubstr("known are: cpu"));
}

using ClientDeathTest = ClientTest;

TEST_F(ClientDeathTest, UnknownPlatformsEndTheProcess) {
  EXPECT_DEATH(
      {
        setenv("TENON_PLATFORM", "abacus", 1);
        ClientLibrary::ClientLibraryOrDie();
      },
      "there is no platform 'abacus'");
}

TEST_F(ClientTest, PlatformsGiveTheSameValues) { // SYS-17, 18
  auto x = b_.Parameter(0, F32Shape({3}), "x");
  b_.Add(b_.Mul(b_.ConstantR0<float>(2), x), b_.ConstantR1<float>({10, 20, 30}));
  auto computation = b_.Build().ConsumeValueOrDie();
  for (const char *platform : {"cpu", "emulated", "reference"}) {
    Client *client = ClientLibrary::GetOrCreateLocalClient(platform).ConsumeValueOrDie();
    EXPECT_EQ(client->platform_name(), platform);
    auto data = client->TransferToServer(LiteralUtil::CreateR1<float>({1, 2, 3})).ConsumeValueOrDie();
    auto result = client->ExecuteAndTransfer(*computation, {data.get()});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(**result, LiteralUtil::CreateR1<float>({12, 24, 36})) << platform;
  }
  EXPECT_EQ(ClientLibrary::LoadTarget("/no/such/library.so").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(ClientLibrary::PlatformNames(), ::testing::IsSupersetOf({"cpu", "reference"}));
  EXPECT_EQ(ClientLibrary::RegisterPlatform("reference", nullptr).code(), StatusCode::kAlreadyExists);
}

TEST_F(ClientTest, RoundTripOfEveryTypeAndLayout) { // SYS-23, 25
  for (int number = 1; number <= PrimitiveType_MAX; ++number) {
    auto type = static_cast<PrimitiveType>(number);
    if (!PrimitiveType_IsValid(number) || !ShapeUtil::IsArray(ShapeUtil::MakeShape(type, {})))
      continue;
    Literal literal(ShapeUtil::MakeShapeWithLayout(type, {2, 3}, {0, 1}));
    static_cast<char *>(literal.mutable_data())[0] = 1;
    auto data = client_->TransferToServer(literal).ConsumeValueOrDie();
    EXPECT_TRUE(ShapeUtil::Equal(data->shape(), literal.shape()));
    EXPECT_EQ(*client_->Transfer(*data).ConsumeValueOrDie(), literal) << PrimitiveTypeName(type);
  }
}

TEST_F(ClientTest, TuplesAndTheirElements) { // API-T06
  std::vector<Literal> parts;
  parts.push_back(LiteralUtil::CreateR1<float>({1, 2}));
  parts.push_back(LiteralUtil::CreateR0<int32>(3));
  Literal tuple = LiteralUtil::MakeTuple(std::move(parts));
  auto data = client_->TransferToServer(tuple).ConsumeValueOrDie();
  EXPECT_EQ(*client_->Transfer(*data).ConsumeValueOrDie(), tuple);
  auto elements = client_->DeconstructTuple(*data).ConsumeValueOrDie();
  data.reset();
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(*client_->Transfer(*elements[1]).ConsumeValueOrDie(), LiteralUtil::CreateR0<int32>(3));
}

TEST_F(ClientTest, MemoryIsSharedInProcess) { // SYS-26, API-T04
  std::vector<float> values{1, 2, 3, 4};
  auto data = client_->TransferInProcess(F32Shape({4}), values.data()).ConsumeValueOrDie();
  EXPECT_EQ(client_->ViewInProcess(*data).ConsumeValueOrDie(), values.data());
  std::vector<float> copy(4);
  ASSERT_TRUE(client_->TransferInProcess(*data, copy.data()).ok());
  EXPECT_EQ(copy, values);
  auto message = [&](const Shape &shape, const void *memory) {
    return client_->TransferInProcess(shape, memory).status().message();
  };
  EXPECT_EQ(message(F32Shape({2}), reinterpret_cast<const char *>(values.data()) + 1),
            "the memory is not aligned to its elements, which are f32");
  EXPECT_EQ(message(F32Shape({2}), nullptr), "no memory is given for f32[2]");
  EXPECT_EQ(message(ShapeUtil::MakeNil(), values.data()), "() is not an array");
  EXPECT_TRUE(client_->TransferInProcess(F32Shape({0}), nullptr).ok());
}

TEST_F(ClientTest, DataIsFreedWithItsHandle) { // SYS-24
  int64 before = client_->GetStatistics().ConsumeValueOrDie().bytes;
  {
    auto data = client_->TransferToServer(Literal(F32Shape({1000}))).ConsumeValueOrDie();
    EXPECT_EQ(client_->GetStatistics().ConsumeValueOrDie().bytes, before + 4000);
  }
  EXPECT_EQ(client_->GetStatistics().ConsumeValueOrDie().bytes, before);
}

TEST_F(ClientTest, CompilesOnceForEachShape) { // SYS-04, 05
  auto compilations = [&] { return client_->GetStatistics().ConsumeValueOrDie().compilations; };
  int64 before = compilations();
  for (int64 size : {3, 5}) {
    ComputationBuilder builder(client_, "twice");
    auto x = builder.Parameter(0, F32Shape({size}), "x");
    builder.Add(x, x);
    auto computation = builder.Build().ConsumeValueOrDie();
    auto data = client_->TransferToServer(Literal(F32Shape({size}))).ConsumeValueOrDie();
    for (int run = 0; run < 100; ++run)
      ASSERT_TRUE(client_->Execute(*computation, {data.get()}).ok());
  }
  EXPECT_EQ(compilations(), before + 2);
}

TEST_F(ClientTest, LayoutsAndPaddingDoNotChangeValues) { // SYS-32, 33
  auto x = b_.Parameter(0, F32Shape({2, 3}), "x");
  b_.Reduce(b_.Add(x, x), b_.ConstantR0<float>(0), *Adder(), {0, 1});
  auto computation = b_.Build().ConsumeValueOrDie();
  Shape shape = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});
  shape.mutable_layout()->add_padded_dimensions(3);
  shape.mutable_layout()->add_padded_dimensions(5);
  shape.mutable_layout()->set_padding_value(HIGHEST_PAD);
  Literal padded = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}).Relayout(shape);
  auto data = client_->TransferToServer(padded).ConsumeValueOrDie();
  EXPECT_EQ(*client_->ExecuteAndTransfer(*computation, {data.get()}).ConsumeValueOrDie(),
            LiteralUtil::CreateR0<float>(42));
}

TEST_F(ClientTest, ResultsInALayout) {
  b_.Add(b_.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}}), b_.ConstantR0<float>(0));
  auto computation = b_.Build().ConsumeValueOrDie();
  ExecutionOptions options;
  options.result_shape = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});
  auto result = client_->ExecuteAndTransfer(*computation, {}, &options).ConsumeValueOrDie();
  EXPECT_EQ(result->data<float>().toVector(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(ClientTest, WrongArguments) { // SYS-27
  auto x = b_.Parameter(0, F32Shape({2}), "weights");
  b_.Add(x, x);
  auto computation = b_.Build().ConsumeValueOrDie();
  EXPECT_THAT(client_->Execute(*computation, {}).status().message(),
              ::testing::HasSubstr("test has 1 parameters, and 0 arguments are given"));
  auto data = client_->TransferToServer(LiteralUtil::CreateR1<float>({1, 2, 3})).ConsumeValueOrDie();
  EXPECT_THAT(client_->Execute(*computation, {data.get()}).status().message(),
              ::testing::HasSubstr("argument 0 (weights) must be f32[2], and is f32[3]"));
  EXPECT_FALSE(client_->Execute(*computation, {nullptr}).ok());
  EXPECT_FALSE(client_->Execute(Computation(), {}).ok());
}

TEST_F(ClientTest, ManyThreads) {
  auto x = b_.Parameter(0, F32Shape({8}), "x");
  b_.Mul(x, x);
  auto computation = b_.Build().ConsumeValueOrDie();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Literal value(F32Shape({8}));
      value.Set<float>({3}, static_cast<float>(t));
      for (int run = 0; run < 50; ++run) {
        auto data = client_->TransferToServer(value).ConsumeValueOrDie();
        auto result = client_->ExecuteAndTransfer(*computation, {data.get()}).ConsumeValueOrDie();
        ASSERT_EQ(result->Get<float>({3}), static_cast<float>(t * t));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// Builders.

TEST_F(ClientTest, ParametersHaveNumbers) { // SYS-28, API-006
  b_.Parameter(0, F32Shape({}), "x");
  b_.Parameter(0, F32Shape({}), "y");
  EXPECT_TRUE(FailsWith(b_, "Parameter", "parameter 0 is there already"));
  ComputationBuilder gap(client_, "gap");
  gap.Add(gap.Parameter(0, F32Shape({}), "x"), gap.Parameter(2, F32Shape({}), "z"));
  EXPECT_TRUE(FailsWith(gap, "Parameter", "parameter 1 is missing, and 2 is there"));
}

TEST_F(ClientTest, ParametersInAnyOrderAndTuples) {
  auto y = b_.Parameter(1, F32Shape({}), "y");
  auto x = b_.Parameter(0, ShapeUtil::MakeTupleShape({F32Shape({}), F32Shape({})}), "x");
  b_.Sub(b_.Sub(b_.GetTupleElement(x, 0), b_.GetTupleElement(x, 1)), y);
  std::vector<Literal> parts;
  parts.push_back(LiteralUtil::CreateR0<float>(100));
  parts.push_back(LiteralUtil::CreateR0<float>(20));
  Literal tuple = LiteralUtil::MakeTuple(std::move(parts)), scalar = LiteralUtil::CreateR0<float>(3);
  EXPECT_EQ(Run({&tuple, &scalar}), LiteralUtil::CreateR0<float>(77));
}

TEST_F(ClientTest, TheFirstErrorIsReturned) { // SYS-45, A1, A3
  auto bad = b_.Add(b_.ConstantR1<float>({1, 2}), b_.ConstantR1<float>({1, 2, 3}));
  b_.Mul(bad, b_.Slice(bad, {0}, {5}));
  b_.Trans(bad);
  EXPECT_TRUE(FailsWith(b_, "Add", "f32[2] and f32[3] do not fit"));
  EXPECT_FALSE(b_.GetShape(bad).ok());
}

TEST_F(ClientTest, HandlesBelongToTheirBuilder) { // A2
  ComputationBuilder other(client_, "other");
  auto foreign = other.ConstantR0<float>(1);
  b_.Neg(foreign);
  EXPECT_TRUE(FailsWith(b_, "Neg", "operand is not a value of this builder"));
  ComputationBuilder none(client_, "none");
  none.Neg(ComputationDataHandle());
  EXPECT_TRUE(FailsWith(none, "Neg", "operand is not a value of this builder"));
  EXPECT_FALSE(ComputationBuilder(client_, "empty").Build().ok());
}

TEST_F(ClientDeathTest, ErrorsEndTheProcessOnRequest) { // API-005
  b_.set_die_immediately_on_error(true);
  EXPECT_DEATH(b_.CreateSubBuilder("sub")->Trans(ComputationDataHandle()), "sub: Trans at .*is not a value");
}

TEST_F(ClientDeathTest, Checks) { // API-008, 009
  auto x = b_.ConstantR1<float>({1, 2}), y = b_.ConstantR1<float>({1});
  EXPECT_EQ(ShapeOf(b_.CheckShape(x, F32Shape({2}))), "f32[2]");
  b_.CheckSameShape(x, x);
  EXPECT_DEATH(b_.CheckShape(x, F32Shape({3})), "the shape is f32\\[2\\], and not f32\\[3\\]");
  EXPECT_DEATH(b_.CheckSameShape(x, y), "the shape is f32\\[2\\], and not f32\\[1\\]");
}

TEST_F(ClientTest, SubBuildersNoteErrorsInTheirParent) { // API-076, 079
  auto sub = b_.CreateSubBuilder("sub");
  sub->Parameter(3, F32Shape({}), "x");
  auto empty = sub->BuildAndNoteError();
  EXPECT_TRUE(empty->IsNull());
  b_.Reduce(b_.ConstantR1<float>({1}), b_.ConstantR0<float>(0), *empty, {0});
  EXPECT_THAT(b_.Build().status().message(),
              ::testing::MatchesRegex("sub: Parameter at .*_test.cpp:[0-9]+: parameter 0 is "
                                      "missing, and 3 is there"));
}

TEST_F(ClientTest, SetReturnValue) { // SYS-46, API-077
  auto one = b_.ConstantR0<float>(1);
  auto two = b_.Add(one, one);
  EXPECT_TRUE(b_.SetReturnValue(two).ok());
  b_.Add(two, two);
  b_.Infeed(F32Shape({})); // does not count: nothing waits
  EXPECT_EQ(Run(), LiteralUtil::CreateR0<float>(2));
}

TEST_F(ClientTest, SetReturnValueAgain) {
  auto one = b_.ConstantR0<float>(1);
  EXPECT_TRUE(b_.SetReturnValue(b_.Add(one, one)).ok());
  EXPECT_TRUE(b_.SetReturnValue(one).ok());
  EXPECT_EQ(Run(), LiteralUtil::CreateR0<float>(1));
  EXPECT_FALSE(b_.SetReturnValue(ComputationDataHandle()).ok());
}

TEST_F(ClientTest, ComputeConstant) { // SYS-43, API-075
  auto x = b_.Parameter(0, F32Shape({2, 2}), "x");
  auto sizes = b_.Add(b_.ConstantR2<float>({{1, 2}, {3, 4}}), b_.ConstantR0<float>(1));
  auto value = b_.ComputeConstant(sizes).ConsumeValueOrDie();
  EXPECT_EQ(*client_->Transfer(*value).ConsumeValueOrDie(), LiteralUtil::CreateR2<float>({{2, 3}, {4, 5}}));
  Layout columns = LayoutUtil::MakeLayout({0, 1});
  auto turned = b_.ComputeConstant(sizes, &columns).ConsumeValueOrDie();
  EXPECT_TRUE(LayoutUtil::Equal(turned->shape().layout(), columns));
  std::vector<float> memory(4);
  ASSERT_TRUE(client_->TransferInProcess(*turned, memory.data()).ok());
  EXPECT_EQ(memory, (std::vector<float>{2, 4, 3, 5}));
  EXPECT_THAT(b_.ComputeConstant(b_.Mul(x, sizes)).status().message(),
              ::testing::HasSubstr("the value depends on a parameter"));
  auto random = b_.RngUniform(b_.ConstantR0<float>(0), b_.ConstantR0<float>(1), F32Shape({}));
  EXPECT_TRUE(b_.ComputeConstant(random).ok());
}

// An untyped target of one array, and one of a tuple.
void AddOne(void *out, const void **in) {
  for (int i = 0; i < 3; ++i)
    static_cast<float *>(out)[i] = static_cast<const float *>(in[0])[i] + 1;
}
void Halve(void *out, const void **in) {
  auto **parts = static_cast<float **>(out);
  *parts[0] = *static_cast<const float *>(in[0]) / 2;
  *parts[1] = -*parts[0];
}

TEST_F(ClientTest, CustomCalls) { // SYS-47, API-042, API-T35
  Tenon_RegisterCustomCall("add_one", reinterpret_cast<void *>(AddOne));
  Tenon_RegisterCustomCall("halve", reinterpret_cast<void *>(Halve));
  auto array = b_.CustomCallOp("add_one", {b_.ConstantR1<float>({1, 2, 3})}, F32Shape({3}));
  auto tuple =
      b_.CustomCallOp("halve", {b_.ConstantR0<float>(3)}, ShapeUtil::MakeTupleShape({F32Shape({}), F32Shape({})}));
  b_.Tuple({array, tuple});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({2, 3, 4}));
  EXPECT_EQ(result.tuple_literal(1).tuple_literal(1), LiteralUtil::CreateR0<float>(-1.5));
}

void CountToSix(void *out, const void **) { std::iota(static_cast<float *>(out), static_cast<float *>(out) + 6, 0.0F); }

TEST_F(ClientTest, CustomCallsWriteInTheirLayout) {
  Tenon_RegisterCustomCall("count_to_six", reinterpret_cast<void *>(CountToSix));
  Shape columns = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});
  auto matrix = b_.CustomCallOp("count_to_six", {b_.ConstantR2<float>({{1, 2}})}, columns);
  b_.Tuple({matrix, b_.CustomCallOp("count_to_six", {}, ShapeUtil::MakeTupleShape({columns}))});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR2<float>({{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(result.tuple_literal(1).tuple_literal(0), LiteralUtil::CreateR2<float>({{0, 2, 4}, {1, 3, 5}}));
  *columns.mutable_layout() = LayoutUtil::MakePaddedLayout({0, 1}, {4, 4}, ZERO_PAD);
  ComputationBuilder padded(client_, "padded");
  padded.CustomCallOp("count_to_six", {}, columns);
  EXPECT_TRUE(FailsWith(padded, "CustomCallOp", "has no padding"));
}

TEST_F(ClientTest, UnknownCustomCalls) {
  b_.CustomCallOp("add_onn", {b_.ConstantR1<float>({1, 2, 3})}, F32Shape({3}));
  auto result = client_->Execute(*b_.Build().ConsumeValueOrDie(), {});
  EXPECT_THAT(result.status().message(),
              ::testing::AllOf(::testing::HasSubstr("add_onn"), ::testing::HasSubstr("client_test.cpp")));
}

TEST_F(ClientTest, Trace) { // SYS-42, API-024
  std::vector<std::string> lines;
  SetTraceSink([&](const std::string &tag, const Literal &value) { lines.push_back(tag + " " + value.ToString()); });
  auto x = b_.ConstantR1<int32>({1, 2});
  auto sum = b_.Add(x, x);
  b_.Trace("sum", sum);
  b_.Trace("both", b_.Tuple({x, sum}));
  EXPECT_TRUE(b_.SetReturnValue(sum).ok());
  Run();
  SetTraceSink(nullptr);
  EXPECT_THAT(lines, ::testing::ElementsAre("sum s32[2] {2, 4}", "both (s32[2] {1, 2}, s32[2] {2, 4})"));
}

TEST_F(ClientTest, TraceIsNotTheResult) {
  auto x = b_.ConstantR0<float>(1);
  b_.Trace("x", x);
  EXPECT_EQ(Run(), LiteralUtil::CreateR0<float>(1));
}

TEST_F(ClientTest, GraphsAreStableHlo) { // SYS-01, 06, 61; API-T32
  auto x = b_.Parameter(0, F32Shape({2}), "x");
  b_.Add(b_.Mul(b_.ConstantR0<float>(2), x), x);
  auto computation = b_.Build().ConsumeValueOrDie();
  std::string text = computation->ToStableHloText();
  for (const char *op : {"stablehlo.constant", "stablehlo.broadcast_in_dim", "stablehlo.multiply", "stablehlo.add"})
    EXPECT_THAT(text, ::testing::HasSubstr(op));
  auto artifact = computation->ToPortableArtifact("1.9.0").ConsumeValueOrDie();
  auto again = Computation::FromStableHlo(artifact).ConsumeValueOrDie();
  auto data = client_->TransferToServer(LiteralUtil::CreateR1<float>({1, 2})).ConsumeValueOrDie();
  EXPECT_EQ(*client_->ExecuteAndTransfer(*again, {data.get()}).ConsumeValueOrDie(),
            LiteralUtil::CreateR1<float>({3, 6}));
  EXPECT_FALSE(computation->ToPortableArtifact("99.0.0").ok());
}

TEST_F(ClientTest, ProgramsAreComputations) {
  auto computation = Computation::FromStableHlo(R"(
    func.func private @square(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.multiply %x, %x : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
      %0 = call @square(%y) : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.add %x, %0 : tensor<f32>
      return %1 : tensor<f32>
    })")
                         .ConsumeValueOrDie();
  b_.Map({b_.ConstantR1<float>({1, 2}), b_.ConstantR1<float>({3, 4})}, *computation);
  EXPECT_EQ(Run(), LiteralUtil::CreateR1<float>({10, 18}));
  auto bad = Computation::FromStableHlo("func.func @main( {", "net.mlir");
  EXPECT_THAT(bad.status().message(), ::testing::HasSubstr("net.mlir:1:"));
}

TEST_F(ClientTest, ResultsOfOpenLayoutsAreRowMajor) {
  auto computation = Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32> {mhlo.layout_mode = "auto"}) {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    })")
                         .ConsumeValueOrDie();
  auto data = client_->TransferToServer(LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}})).ConsumeValueOrDie();
  EXPECT_EQ(*client_->ExecuteAndTransfer(*computation, {data.get()}).ConsumeValueOrDie(),
            LiteralUtil::CreateR2<float>({{1, 3}, {2, 4}}));
}

TEST_F(ClientTest, ProgramsTakeAndGiveTuplesAndFutures) {
  auto computation = Computation::FromStableHlo(R"(
    func.func @main(%t: tuple<tensor<2xf32>, tuple<tensor<i32>>>, %f: !stablehlo.future<tensor<2xf32>>)
        -> tuple<tuple<tensor<i32>>, tensor<2xf32>> {
      %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<2xf32>
      %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
      %2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
      %3 = stablehlo.subtract %0, %2 : tensor<2xf32>
      %4 = stablehlo.tuple %1, %3 : tuple<tuple<tensor<i32>>, tensor<2xf32>>
      return %4 : tuple<tuple<tensor<i32>>, tensor<2xf32>>
    })")
                         .ConsumeValueOrDie();
  EXPECT_EQ(ShapeUtil::HumanString(computation->program_shape().parameters(0)), "(f32[2], (s32[]))");
  EXPECT_EQ(ShapeUtil::HumanString(computation->program_shape().parameters(1)), "f32[2]");
  EXPECT_EQ(ShapeUtil::HumanString(computation->program_shape().result()), "((s32[]), f32[2])");
  auto tupleOf = [](Literal a, Literal b) {
    std::vector<Literal> parts;
    parts.push_back(std::move(a));
    parts.push_back(std::move(b));
    return LiteralUtil::MakeTuple(std::move(parts));
  };
  auto inner = [] {
    std::vector<Literal> parts;
    parts.push_back(LiteralUtil::CreateR0<int32>(-7));
    return LiteralUtil::MakeTuple(std::move(parts));
  };
  auto tuple = client_->TransferToServer(tupleOf(LiteralUtil::CreateR1<float>({5, 7}), inner())).ConsumeValueOrDie();
  auto future = client_->TransferToServer(LiteralUtil::CreateR1<float>({1, 2})).ConsumeValueOrDie();
  EXPECT_EQ(*client_->ExecuteAndTransfer(*computation, {tuple.get(), future.get()}).ConsumeValueOrDie(),
            tupleOf(inner(), LiteralUtil::CreateR1<float>({4, 5})));
}

TEST_F(ClientTest, ParametersKeepTheirNames) {
  auto computation = Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<f32> loc("weights"), %y: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %x, %y : tensor<f32>
      return %0 : tensor<f32>
    })")
                         .ConsumeValueOrDie();
  EXPECT_THAT(computation->program_shape().parameter_names(), ::testing::ElementsAre("weights", "y"));
  auto again = Computation::FromStableHlo(computation->ToPortableArtifact().ConsumeValueOrDie()).ConsumeValueOrDie();
  EXPECT_EQ(again->program_shape().parameter_names(0), "weights");
  EXPECT_THAT(client_->Execute(*again, {}).status().message(), ::testing::HasSubstr("has 2 parameters"));
  // Names may be any bytes; on the wire to another service protobuf complains.
  auto x = b_.Parameter(0, ShapeUtil::MakeShape(F32, {}), "\xff");
  b_.Add(x, x);
  Literal one = LiteralUtil::CreateR0<float>(1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Run({&one}), LiteralUtil::CreateR0<float>(2));
  std::string complaints = ::testing::internal::GetCapturedStderr();
  auto data = client_->TransferToServer(one).ConsumeValueOrDie();
  if (client_->ViewInProcess(*data).ok())
    EXPECT_EQ(complaints, "");
}

TEST_F(ClientTest, ComputationsServeSeveralBuilders) { // SYS-44
  auto add = Adder();
  for (int i = 0; i < 2; ++i) {
    ComputationBuilder builder(client_, "user");
    builder.Reduce(builder.ConstantR1<float>({1, 2}), builder.ConstantR0<float>(0), *add, {0});
    EXPECT_EQ(Run(builder), LiteralUtil::CreateR0<float>(3));
  }
}

} // namespace
} // namespace tenon::xla_2017
