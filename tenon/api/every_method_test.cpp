// What holds for every method that enqueues an operation (requirement inventory A1 to A3; SYS-32, 33): errors are kept
// and returned by Build, or end the process; and layouts and padding of arguments and results change no value.
#include "tenon/api/testing/builder_fixture.h"

#include "tenon/custom_call.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string_view>

namespace xla {
namespace {

using B = ComputationBuilder;
using Handle = ComputationDataHandle;

// The computations that methods take.
struct Computations {
  std::unique_ptr<Computation> add, select, condition, body;
};

struct Method {
  const char *name;
  std::vector<Shape> operands;
  std::function<Handle(B &, const std::vector<Handle> &, const Computations &)> enqueue;
};

Shape F32Shape(const std::vector<int64> &sizes) { return ShapeUtil::MakeShape(F32, sizes); }

const Shape kScalar = F32Shape({}), kMatrix = F32Shape({2, 3}), kCube = F32Shape({2, 3, 4});

void NegateSix(void *out, const void **in) {
  for (int i = 0; i < 6; ++i)
    static_cast<float *>(out)[i] = -static_cast<const float *>(in[0])[i];
}

PaddingConfig EdgesAndInterior() {
  PaddingConfig config;
  config.add_dimensions()->set_edge_padding_low(1);
  config.add_dimensions()->set_interior_padding(2);
  return config;
}

template <typename... Arguments>
Method Binary(const char *name, Handle (B::*method)(const Handle &, const Handle &, Arguments...)) {
  return {name, {kMatrix, kMatrix}, [method](B &b, auto &x, auto &) {
            if constexpr (sizeof...(Arguments) == 1)
              return (b.*method)(x[0], x[1], SourceLocation::current());
            else
              return (b.*method)(x[0], x[1], {}, SourceLocation::current());
          }};
}

Method Unary(const char *name, Handle (B::*method)(const Handle &, SourceLocation)) {
  return {name, {kMatrix}, [method](B &b, auto &x, auto &) { return (b.*method)(x[0], SourceLocation::current()); }};
}

void AddElementwise(std::vector<Method> &methods) {
  for (const Method &method : {Binary("Eq", &B::Eq),
                               Binary("Ne", &B::Ne),
                               Binary("Ge", &B::Ge),
                               Binary("Gt", &B::Gt),
                               Binary("Lt", &B::Lt),
                               Binary("Le", &B::Le),
                               Binary("Add", &B::Add),
                               Binary("Sub", &B::Sub),
                               Binary("Mul", &B::Mul),
                               Binary("Div", &B::Div),
                               Binary("Rem", &B::Rem),
                               Binary("Max", &B::Max),
                               Binary("Min", &B::Min),
                               Binary("Pow", &B::Pow),
                               Unary("Exp", &B::Exp),
                               Unary("Floor", &B::Floor),
                               Unary("Ceil", &B::Ceil),
                               Unary("Log", &B::Log),
                               Unary("Tanh", &B::Tanh),
                               Unary("SqrtF32", &B::SqrtF32),
                               Unary("SquareF32", &B::SquareF32),
                               Unary("ReciprocalF32", &B::ReciprocalF32),
                               Unary("Neg", &B::Neg),
                               Unary("Sort", &B::Sort),
                               Unary("Trans", &B::Trans)})
    methods.push_back(method);
  methods.push_back(
      {"Add", {kCube, F32Shape({3, 4})}, [](B &b, auto &x, auto &) { return b.Add(x[0], x[1], {1, 2}); }});
  methods.push_back(
      {"Clamp", {kMatrix, kMatrix, kMatrix}, [](B &b, auto &x, auto &) { return b.Clamp(x[0], x[1], x[2]); }});
  methods.push_back(
      {"ConvertElementType", {kMatrix}, [](B &b, auto &x, auto &) { return b.ConvertElementType(x[0], S32); }});
  methods.push_back(
      {"ReducePrecision", {kMatrix}, [](B &b, auto &x, auto &) { return b.ReducePrecision(x[0], 5, 2); }});
  methods.push_back({"Map", {kMatrix, kMatrix}, [](B &b, auto &x, auto &c) { return b.Map({x[0], x[1]}, *c.add); }});
  methods.push_back({"Select", {ShapeUtil::MakeShape(PRED, {2, 3}), kMatrix, kMatrix}, [](B &b, auto &x, auto &) {
                       return b.Select(x[0], x[1], x[2]);
                     }});
}

void AddPlaces(std::vector<Method> &methods) {
  Shape indices = ShapeUtil::MakeShape(S32, {3}), box = F32Shape({1, 2, 2});
  Shape tuple = ShapeUtil::MakeTupleShape({kScalar, kMatrix});
  for (const Method &method : std::vector<Method>{
           {"Broadcast", {kMatrix}, [](B &b, auto &x, auto &) { return b.Broadcast(x[0], {4}); }},
           {"Pad", {kMatrix, kScalar}, [](B &b, auto &x, auto &) { return b.Pad(x[0], x[1], EdgesAndInterior()); }},
           {"Reshape", {kCube}, [](B &b, auto &x, auto &) { return b.Reshape(x[0], {2, 0, 1}, {4, 6}); }},
           {"Reshape", {kCube}, [](B &b, auto &x, auto &) { return b.Reshape(x[0], {6, 4}); }},
           {"Collapse", {kCube}, [](B &b, auto &x, auto &) { return b.Collapse(x[0], {0, 1}); }},
           {"Slice", {kCube}, [](B &b, auto &x, auto &) { return b.Slice(x[0], {0, 1, 1}, {2, 3, 3}); }},
           {"DynamicSlice",
            {kCube, indices},
            [](B &b, auto &x, auto &) { return b.DynamicSlice(x[0], x[1], {1, 2, 2}); }},
           {"DynamicUpdateSlice",
            {kCube, box, indices},
            [](B &b, auto &x, auto &) { return b.DynamicUpdateSlice(x[0], x[1], x[2]); }},
           {"ConcatInDim", {kMatrix, kMatrix}, [](B &b, auto &x, auto &) { return b.ConcatInDim({x[0], x[1]}, 1); }},
           {"Transpose", {kCube}, [](B &b, auto &x, auto &) { return b.Transpose(x[0], {2, 0, 1}); }},
           {"Rev", {kCube}, [](B &b, auto &x, auto &) { return b.Rev(x[0], {0, 2}); }},
           {"Tuple", {kMatrix, kCube}, [](B &b, auto &x, auto &) { return b.Tuple({x[0], x[1]}); }},
           {"GetTupleElement", {tuple}, [](B &b, auto &x, auto &) { return b.GetTupleElement(x[0], 1); }}})
    methods.push_back(method);
}

void AddWindows(std::vector<Method> &methods) {
  Shape input = F32Shape({1, 2, 5, 5}), kernel = F32Shape({3, 2, 3, 3});
  Shape grid = F32Shape({4, 6}), quarter = F32Shape({2, 2});
  auto numbers = B::CreateDefaultConvDimensionNumbers();
  for (const Method &method : std::vector<Method>{
           {"Dot", {kCube, F32Shape({5, 4, 3})}, [](B &b, auto &x, auto &) { return b.Dot(x[0], x[1]); }},
           {"Reduce", {kCube, kScalar}, [](B &b, auto &x, auto &c) { return b.Reduce(x[0], x[1], *c.add, {1}); }},
           {"ReduceWindow",
            {grid, kScalar},
            [](B &b, auto &x, auto &c) { return b.ReduceWindow(x[0], x[1], *c.add, {2, 3}, {2, 3}, Padding::kValid); }},
           {"ReduceWindowWithGeneralPadding",
            {grid, kScalar},
            [](B &b, auto &x, auto &c) {
              return b.ReduceWindowWithGeneralPadding(x[0], x[1], *c.add, {2, 3}, {1, 2}, {{1, 0}, {0, 2}});
            }},
           {"SelectAndScatter",
            {grid, quarter, kScalar},
            [](B &b, auto &x, auto &c) {
              return b.SelectAndScatter(x[0], *c.select, {2, 3}, {2, 3}, Padding::kValid, x[1], x[2], *c.add);
            }},
           {"SelectAndScatterWithGeneralPadding",
            {grid, quarter, kScalar},
            [](B &b, auto &x, auto &c) {
              return b.SelectAndScatterWithGeneralPadding(x[0], *c.select, {2, 3}, {2, 3}, {{0, 0}, {0, 0}}, x[1], x[2],
                                                          *c.add);
            }},
           {"Conv", {input, kernel}, [](B &b, auto &x, auto &) { return b.Conv(x[0], x[1], {1, 1}, Padding::kSame); }},
           {"ConvWithGeneralPadding",
            {input, kernel},
            [](B &b, auto &x, auto &) { return b.ConvWithGeneralPadding(x[0], x[1], {2, 1}, {{1, 0}, {0, 2}}); }},
           {"ConvWithGeneralDimensions",
            {input, kernel},
            [=](B &b, auto &x, auto &) {
              return b.ConvWithGeneralDimensions(x[0], x[1], {1, 2}, Padding::kValid, numbers);
            }},
           {"ConvGeneral", {input, kernel}, [=](B &b, auto &x, auto &) {
              return b.ConvGeneral(x[0], x[1], {1, 1}, {{1, 1}, {1, 1}}, numbers);
            }}})
    methods.push_back(method);
}

void AddOthers(std::vector<Method> &methods) {
  for (const Method &method : std::vector<Method>{
           {"RngNormal", {kScalar, kScalar}, [](B &b, auto &x, auto &) { return b.RngNormal(x[0], x[1], kCube); }},
           {"RngUniform", {kScalar, kScalar}, [](B &b, auto &x, auto &) { return b.RngUniform(x[0], x[1], kCube); }},
           {"RngBernoulli",
            {kScalar},
            [](B &b, auto &x, auto &) { return b.RngBernoulli(x[0], ShapeUtil::MakeShape(U32, {4, 5})); }},
           {"While", {kMatrix}, [](B &b, auto &x, auto &c) { return b.While(*c.condition, *c.body, x[0]); }},
           {"CustomCallOp",
            {kMatrix},
            [](B &b, auto &x, auto &) { return b.CustomCallOp("negate_six", {x[0]}, kMatrix); }},
       })
    methods.push_back(method);
}

class EveryMethod : public BuilderTest {
protected:
  EveryMethod() {
    Tenon_RegisterCustomCall("negate_six", reinterpret_cast<void *>(NegateSix));
    AddElementwise(methods_);
    AddPlaces(methods_);
    AddWindows(methods_);
    AddOthers(methods_);
    c_.add = Adder();
    c_.select = BuilderTest::Binary(F32, [](B &b, Handle x, Handle y) { b.Ge(x, y); });
    B condition(client_, "condition"), body(client_, "body");
    auto sum = condition.Reduce(condition.Parameter(0, kMatrix, "x"), condition.ConstantR0<float>(0), *c_.add, {0, 1});
    condition.Lt(sum, condition.ConstantR0<float>(1000));
    auto x = body.Parameter(0, kMatrix, "x");
    body.Add(x, x);
    c_.condition = condition.Build().ConsumeValueOrDie();
    c_.body = body.Build().ConsumeValueOrDie();
  }

  // Enqueues the method with that handle for all operands.
  Handle Enqueue(const Method &method, B &builder, const Handle &operand) {
    return method.enqueue(builder, std::vector<Handle>(method.operands.size(), operand), c_);
  }

  std::vector<Method> methods_;
  Computations c_;
};

TEST_F(EveryMethod, RejectsHandlesThatAreNotItsOwn) { // A1, A2
  B other(client_, "other");
  for (const Handle &handle : {Handle(), other.ConstantR0<float>(1)})
    for (const Method &method : methods_) {
      B builder(client_, "b");
      auto result = Enqueue(method, builder, handle);
      EXPECT_TRUE(FailsWith(builder, method.name, "not a value of this builder")) << method.name;
      EXPECT_FALSE(builder.GetShape(result).ok()) << method.name;
    }
  EXPECT_FALSE(b_.ComputeConstant(Handle()).ok());
}

TEST_F(EveryMethod, DoesNothingAfterAnError) { // A3
  auto bad = b_.Trans(b_.ConstantR1<float>({1}));
  for (const Method &method : methods_) {
    Enqueue(method, b_, bad);
    Enqueue(method, b_, Handle());
  }
  b_.Trace("bad", bad);
  EXPECT_TRUE(FailsWith(b_, "Trans", "operand must be a matrix"));
}

using EveryMethodDeathTest = EveryMethod;

TEST_F(EveryMethodDeathTest, EndsTheProcessOnRequest) { // A1, API-005
  b_.set_die_immediately_on_error(true);
  for (const Method &method : methods_)
    EXPECT_DEATH(Enqueue(method, b_, Handle()), std::string("test: ") + method.name + " at .*not a value of this");
}

// Small whole numbers, so that every order of a sum gives the same; indices stay inside.
Literal SomeValue(const Shape &shape, std::mt19937 &random) {
  if (ShapeUtil::IsTuple(shape)) {
    std::vector<Literal> elements;
    for (const Shape &element : shape.tuple_shapes())
      elements.push_back(SomeValue(element, random));
    return LiteralUtil::MakeTuple(std::move(elements));
  }
  Literal numbers(ShapeUtil::MakeShape(F32, ShapeUtil::Dimensions(shape)));
  for (int64 i = 0; i < ShapeUtil::ElementsIn(shape); ++i)
    numbers.mutable_data<float>()[i] = static_cast<float>(random() % (shape.element_type() == F32 ? 9 : 2));
  return numbers.Convert(shape.element_type()).ConsumeValueOrDie();
}

// Column-major; padded: in a larger block as well, with the type's highest value where the array is not.
Shape Turned(Shape shape, bool padded) {
  for (Shape &element : *shape.mutable_tuple_shapes())
    element = Turned(element, padded);
  if (ShapeUtil::IsTuple(shape))
    return shape;
  std::vector<int64> order, sizes;
  for (int64 d = 0; d < ShapeUtil::Rank(shape); ++d) {
    order.push_back(d);
    sizes.push_back(shape.dimensions(static_cast<int>(d)) + 1 + d);
  }
  *shape.mutable_layout() =
      padded ? LayoutUtil::MakePaddedLayout(order, sizes, HIGHEST_PAD) : LayoutUtil::MakeLayout(order);
  return shape;
}

TEST_F(EveryMethod, GivesTheSameInAnyLayout) { // SYS-32, 33
  std::mt19937 random(1);
  const char *remote = std::getenv("TENON_REMOTE_TEST");
  for (const Method &method : methods_) {
    if (remote && std::string_view(method.name) == "CustomCallOp")
      continue; // another process does not know functions of this one
    B builder(client_, method.name);
    std::vector<Handle> operands;
    std::vector<Literal> values;
    for (const Shape &shape : method.operands) {
      operands.push_back(builder.Parameter(static_cast<int64>(operands.size()), shape, "x"));
      values.push_back(SomeValue(shape, random));
    }
    Shape result = *builder.GetShape(method.enqueue(builder, operands, c_)).ConsumeValueOrDie();
    auto computation = builder.Build().ConsumeValueOrDie();
    auto run = [&](auto layout) {
      std::vector<std::unique_ptr<GlobalData>> data;
      std::vector<GlobalData *> pointers;
      for (const Literal &value : values) {
        data.push_back(client_->TransferToServer(value.Relayout(layout(value.shape()))).ConsumeValueOrDie());
        pointers.push_back(data.back().get());
      }
      ExecutionOptions options;
      options.seed = 7;
      options.result_shape = layout(result);
      auto literal = client_->ExecuteAndTransfer(*computation, pointers, &options).ConsumeValueOrDie();
      EXPECT_TRUE(ShapeUtil::Equal(literal->shape(), *options.result_shape)) << method.name;
      return std::move(*literal);
    };
    Literal expected = run([](const Shape &shape) { return shape; });
    EXPECT_EQ(run([](const Shape &shape) { return Turned(shape, false); }), expected) << method.name;
    EXPECT_EQ(run([](const Shape &shape) { return Turned(shape, true); }), expected) << method.name << ", padded";
  }
}

} // namespace
} // namespace xla
