#include "tenon/api/testing/methods.h"

#include "tenon/custom_call.h"

namespace tenon::xla_2017 {
namespace {

using B = ComputationBuilder;
using Handle = ComputationDataHandle;

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

std::unique_ptr<Computation> OfTwoScalars(Client *client, Handle (B::*method)(const Handle &, const Handle &,
                                                                              gtl::ArraySlice<int64>, SourceLocation)) {
  B builder(client, "binary");
  auto x = builder.Parameter(0, kScalar, "x"), y = builder.Parameter(1, kScalar, "y");
  (builder.*method)(x, y, {}, SourceLocation::current());
  return builder.Build().ConsumeValueOrDie();
}

} // namespace

Computations MakeComputations(Client *client) {
  Computations c;
  c.add = OfTwoScalars(client, &B::Add);
  c.select = OfTwoScalars(client, &B::Ge);
  B condition(client, "condition"), body(client, "body");
  auto sum = condition.Reduce(condition.Parameter(0, kMatrix, "x"), condition.ConstantR0<float>(0), *c.add, {0, 1});
  condition.Lt(sum, condition.ConstantR0<float>(1000));
  auto x = body.Parameter(0, kMatrix, "x");
  body.Add(x, x);
  c.condition = condition.Build().ConsumeValueOrDie();
  c.body = body.Build().ConsumeValueOrDie();
  return c;
}

std::vector<Method> AllMethods() {
  Tenon_RegisterCustomCall("negate_six", reinterpret_cast<void *>(NegateSix));
  std::vector<Method> methods;
  AddElementwise(methods);
  AddPlaces(methods);
  AddWindows(methods);
  AddOthers(methods);
  return methods;
}

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

} // namespace tenon::xla_2017
