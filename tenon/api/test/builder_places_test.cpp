// Constants and operations that move elements (requirement inventory API-006..027, 066..068, 080, 081, 083, 084; the
// documents' examples E0-06..11, E0-16, E0-26..34, E0-49, E0-50, E1-07..21).
#include "tenon/api/testing/builder_fixture.h"

#include <cmath>
#include <limits>

namespace tenon::xla_2017 {
namespace {

using Places = BuilderTest;

// The documents' v: f32[4 x 2 x 3].
Literal DocumentsArray() {
  return LiteralUtil::FromDense<int32>(
      {4, 2, 3}, {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47});
}

TEST_F(Places, Constants) {
  Array3D<int64> cube(1, 2, 2, 5);
  Array4D<bool> bits(1, 1, 1, 2, true);
  b_.Tuple({b_.ConstantR0<bool>(true), b_.ConstantR1<uint64>({1, 2}), b_.ConstantR1<double>(gtl::ArraySlice<double>()),
            b_.ConstantR2<uint32>({{1, 2}, {3, 4}}), b_.ConstantR3FromArray3D(cube), b_.ConstantR4FromArray4D(bits),
            b_.ConstantR1<float>(3, 1.5f)});
  Literal result = Run();
  EXPECT_EQ(ShapeUtil::HumanString(result.shape()),
            "(pred[], u64[2], f64[0], u32[2,2], s64[1,2,2], pred[1,1,1,2], f32[3])");
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR2<uint32>({{1, 2}, {3, 4}}));
  EXPECT_EQ(result.tuple_literal(6), LiteralUtil::CreateR1<float>({1.5, 1.5, 1.5}));
}

TEST_F(Places, ConstantsOfEveryType) {
  std::vector<ComputationDataHandle> handles;
  std::vector<Literal> literals;
  for (int number = 1; number <= PrimitiveType_MAX; ++number) {
    auto type = static_cast<PrimitiveType>(number);
    if (!PrimitiveType_IsValid(number) || !ShapeUtil::IsArray(ShapeUtil::MakeShape(type, {})))
      continue;
    literals.push_back(LiteralUtil::One(type));
    handles.push_back(b_.ConstantLiteral(literals.back()));
    literals.emplace_back(ShapeUtil::MakeShape(type, {0, 3}));
    handles.push_back(b_.ConstantLiteral(literals.back()));
  }
  b_.Tuple(handles);
  Literal result = Run();
  ASSERT_EQ(result.tuple_size(), static_cast<int64>(literals.size()));
  for (size_t i = 0; i < literals.size(); ++i)
    EXPECT_EQ(result.tuple_literal(static_cast<int64>(i)), literals[i]) << literals[i].ToString();
}

TEST_F(Places, ConstantsInAnyLayout) { // SYS-33
  Literal columns = DocumentsArray().Relayout(LayoutUtil::MakeLayout({0, 2, 1}));
  b_.ConstantLiteral(columns);
  EXPECT_EQ(Run(), DocumentsArray());
}

TEST_F(Places, RaggedRowsAreAnError) {
  b_.ConstantR2<float>({{1, 2}, {3}});
  EXPECT_TRUE(FailsWith(b_, "ConstantR2", "the rows have different lengths"));
}

TEST_F(Places, Broadcast) { // E0-06
  auto scalar = b_.Broadcast(b_.ConstantR0<float>(2), {2, 3});
  auto vector = b_.Broadcast(b_.ConstantR1<float>({1, 2}), {2});
  EXPECT_EQ(ShapeOf(scalar), "f32[2,3]");
  b_.Tuple({scalar, vector, b_.Broadcast(vector, {})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR2<float>({{2, 2, 2}, {2, 2, 2}}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{1, 2}, {1, 2}}));
}

TEST_F(Places, NegativeSizesAreAnError) {
  b_.ConstantR1<float>(-1, 2.f);
  EXPECT_FALSE(b_.Build().ok());
}

TEST_F(Places, Collapse) { // E0-07..09, E0-49
  Literal v = DocumentsArray();
  auto x = b_.ConstantLiteral(v);
  auto all = b_.Collapse(x, {0, 1, 2}), low = b_.Collapse(x, {0, 1}), high = b_.Collapse(x, {1, 2});
  EXPECT_EQ(ShapeOf(all), "s32[24]");
  EXPECT_EQ(ShapeOf(low), "s32[8,3]");
  EXPECT_EQ(ShapeOf(high), "s32[4,6]");
  EXPECT_EQ(ShapeOf(b_.Collapse(x, {1})), "s32[4,2,3]");
  EXPECT_EQ(ShapeOf(b_.Collapse(x, {})), "s32[4,2,3]");
  EXPECT_EQ(ShapeOf(b_.Collapse(b_.Parameter(0, F32Shape({256, 2, 2, 32}), "p"), {0, 1, 2})), "f32[1024,32]");
}

TEST_F(Places, CollapseOfDimensionsOutOfOrder) {
  for (const std::vector<int64> &dimensions : {std::vector<int64>{1, 0}, {0, 2}, {0, 0}, {0, 3}}) {
    ComputationBuilder builder(client_, "collapse");
    builder.Collapse(builder.Parameter(0, F32Shape({4, 2, 3}), "p"), dimensions);
    EXPECT_TRUE(FailsWith(builder, "Collapse", "dimensions"));
  }
}

TEST_F(Places, Concatenate) { // E0-10, E0-11
  b_.Tuple(
      {b_.ConcatInDim({b_.ConstantR1<float>({2, 3}), b_.ConstantR1<float>({4, 5}), b_.ConstantR1<float>({6, 7})}, 0),
       b_.ConcatInDim({b_.ConstantR2<float>({{1, 2}, {3, 4}, {5, 6}}), b_.ConstantR2<float>({{7, 8}})}, 0)});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
}

TEST_F(Places, ConcatenateErrors) {
  ComputationBuilder none(client_, "none"), scalar(client_, "scalar"), ragged(client_, "ragged");
  none.ConcatInDim({}, 0);
  EXPECT_TRUE(FailsWith(none, "ConcatInDim", "at least one operand"));
  scalar.ConcatInDim({scalar.ConstantR0<float>(1)}, 0);
  EXPECT_TRUE(FailsWith(scalar, "ConcatInDim", "there is no dimension 0 in f32[]"));
  ragged.ConcatInDim({ragged.ConstantR2<float>({{1, 2}}), ragged.ConstantR2<float>({{1}})}, 0);
  EXPECT_TRUE(FailsWith(ragged, "ConcatInDim", "differ in more than dimension 0"));
}

TEST_F(Places, Pad) {
  PaddingConfig config;
  auto *rows = config.add_dimensions();
  rows->set_edge_padding_low(1);
  auto *columns = config.add_dimensions();
  columns->set_interior_padding(1);
  columns->set_edge_padding_high(-1);
  b_.Pad(b_.ConstantR2<int32>({{1, 2, 3}}), b_.ConstantR0<int32>(0), config);
  EXPECT_EQ(Run(), LiteralUtil::CreateR2<int32>({{0, 0, 0, 0}, {1, 0, 2, 0}}));
}

TEST_F(Places, PadErrors) {
  ComputationBuilder negative(client_, "negative"), type(client_, "type"), gone(client_, "gone");
  PaddingConfig config;
  config.add_dimensions()->set_interior_padding(-1);
  negative.Pad(negative.ConstantR1<float>({1, 2}), negative.ConstantR0<float>(0), config);
  EXPECT_TRUE(FailsWith(negative, "Pad", "interior_padding of dimension 0 is negative"));
  type.Pad(type.ConstantR1<float>({1, 2}), type.ConstantR0<int32>(0), PaddingConfig());
  EXPECT_TRUE(FailsWith(type, "Pad", "padding_config must have an entry for each of 1 dimensions"));
  config.mutable_dimensions(0)->set_interior_padding(0);
  config.mutable_dimensions(0)->set_edge_padding_low(-3);
  gone.Pad(gone.ConstantR1<float>({1, 2}), gone.ConstantR0<float>(0), config);
  EXPECT_TRUE(FailsWith(gone, "Pad", "padding leaves dimension 0 without a size"));
}

TEST_F(Places, Reshape) { // E0-26, E0-28, E1-07..12, DV-7
  auto v = b_.ConstantLiteral(DocumentsArray());
  b_.Tuple({b_.Reshape(v, {0, 1, 2}, {24}), b_.Reshape(v, {0, 1, 2}, {8, 3}), b_.Reshape(v, {1, 2, 0}, {24}),
            b_.Reshape(v, {1, 2, 0}, {8, 3}), b_.Reshape(v, {1, 2, 0}, {2, 6, 2}), b_.Reshape(v, {24}),
            b_.Reshape(b_.ConstantR2<float>({{5}}), {0, 1}, {}), b_.Reshape(b_.ConstantR0<float>(5), {}, {1, 1})});
  Literal result = Run();
  const std::vector<int32> turned{10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42,
                                  15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47};
  auto is = [&](int64 i, const std::vector<int64> &sizes, const std::vector<int32> &values) {
    EXPECT_EQ(result.tuple_literal(i), LiteralUtil::FromDense<int32>(sizes, values)) << i;
  };
  Literal array = DocumentsArray();
  std::vector<int32> ordered = array.data<int32>().toVector();
  is(0, {24}, ordered);
  is(1, {8, 3}, ordered);
  is(2, {24}, turned);
  is(3, {8, 3}, turned);
  is(4, {2, 6, 2}, turned);
  is(5, {24}, ordered);
  EXPECT_EQ(result.tuple_literal(6), LiteralUtil::CreateR0<float>(5));
  EXPECT_EQ(result.tuple_literal(7), LiteralUtil::CreateR2<float>({{5}}));
}

TEST_F(Places, ReshapeErrors) {
  struct Case {
    std::vector<int64> dimensions, sizes;
    const char *message;
  };
  for (const Case &c : std::vector<Case>{{{0, 1}, {24}, "dimensions must have an entry for each of 3"},
                                         {{0, 1, 1}, {24}, "dimension 1 is there twice"},
                                         {{0, 1, 2}, {5, 5}, "new_sizes [5,5] make 25 elements"}}) {
    ComputationBuilder builder(client_, "reshape");
    builder.Reshape(builder.Parameter(0, F32Shape({4, 2, 3}), "p"), c.dimensions, c.sizes);
    EXPECT_TRUE(FailsWith(builder, "Reshape", c.message));
  }
}

TEST_F(Places, Slice) { // E0-32, E0-33, E0-50, E1-16, E1-17
  b_.Tuple({b_.Slice(b_.ConstantR1<float>({0, 1, 2, 3, 4}), {2}, {4}),
            b_.Slice(b_.ConstantR2<float>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}), {2, 1}, {4, 3})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({2, 3}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{7, 8}, {10, 11}}));
}

TEST_F(Places, EmptySlicesAreAnError) {
  b_.Slice(b_.ConstantR1<float>({0, 1, 2}), {1}, {1});
  EXPECT_TRUE(FailsWith(b_, "Slice", "0 <= start < limit <= size must hold"));
}

TEST_F(Places, DynamicSlice) { // E1-18, E1-19, X-14, DV-4
  auto vector = b_.ConstantR1<float>({0, 1, 2, 3, 4});
  auto matrix = b_.ConstantR2<float>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}});
  b_.Tuple({b_.DynamicSlice(vector, b_.ConstantR1<int32>({2}), {2}),
            b_.DynamicSlice(matrix, b_.ConstantR1<int32>({2, 1}), {2, 2}),
            b_.DynamicSlice(vector, b_.ConstantR1<int32>({4}), {2}),
            b_.DynamicSlice(vector, b_.ConstantR1<int64>({-1}), {2}),
            b_.DynamicSlice(matrix, b_.ConstantR1<uint32>({3, 5}), {2, 2})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({2, 3}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{7, 8}, {10, 11}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<float>({4, 0}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR1<float>({4, 0}));
  EXPECT_EQ(result.tuple_literal(4), LiteralUtil::CreateR2<float>({{11, 9}, {2, 0}}));
}

TEST_F(Places, DynamicUpdateSlice) { // E1-20, E1-21, X-15
  auto vector = b_.ConstantR1<float>({0, 1, 2, 3, 4});
  auto matrix = b_.ConstantR2<float>({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}});
  b_.Tuple({b_.DynamicUpdateSlice(vector, b_.ConstantR1<float>({5, 6}), b_.ConstantR1<int32>({2})),
            b_.DynamicUpdateSlice(matrix, b_.ConstantR2<float>({{12, 13}, {14, 15}, {16, 17}}),
                                  b_.ConstantR1<int32>({1, 1})),
            b_.DynamicUpdateSlice(vector, b_.ConstantR1<float>({5, 6}), b_.ConstantR1<int32>({4})),
            b_.DynamicUpdateSlice(matrix, b_.ConstantR2<float>({{12, 13}, {14, 15}}), b_.ConstantR1<int32>({3, -1}))});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({0, 1, 5, 6, 4}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<float>({6, 1, 2, 3, 5}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR2<float>({{15, 1, 14}, {3, 4, 5}, {6, 7, 8}, {13, 10, 12}}));
}

TEST_F(Places, DynamicSliceErrors) {
  ComputationBuilder indices(client_, "indices"), sizes(client_, "sizes");
  indices.DynamicSlice(indices.ConstantR1<float>({1, 2}), indices.ConstantR1<float>({0}), {1});
  EXPECT_TRUE(FailsWith(indices, "DynamicSlice", "start_indices must be a vector of 1 integers"));
  sizes.DynamicSlice(sizes.ConstantR1<float>({1, 2}), sizes.ConstantR1<int32>({0}), {3});
  EXPECT_TRUE(FailsWith(sizes, "DynamicSlice", "0 < 3 <= 2 does not hold in dimension 0"));
}

TEST_F(Places, TransposeAndReverse) { // API-066, 067, 081; DV-1
  auto matrix = b_.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}});
  auto cube = b_.ConstantLiteral(DocumentsArray());
  EXPECT_EQ(ShapeOf(b_.Transpose(cube, {1, 2, 0})), "s32[2,3,4]");
  b_.Tuple({b_.Trans(matrix), b_.Transpose(cube, {1, 2, 0}), b_.Rev(matrix, {1}), b_.Rev(matrix, {0, 1})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR2<float>({{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(result.tuple_literal(1).Get<int32>({1, 2, 3}), DocumentsArray().Get<int32>({3, 1, 2}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR2<float>({{3, 2, 1}, {6, 5, 4}}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR2<float>({{6, 5, 4}, {3, 2, 1}}));
}

TEST_F(Places, TransIsForMatrices) {
  b_.Trans(b_.ConstantR1<float>({1}));
  EXPECT_TRUE(FailsWith(b_, "Trans", "operand must be a matrix, and is f32[1]"));
}

TEST_F(Places, Select) { // E0-30, E0-31, E1-14, E1-15
  b_.Tuple({b_.Select(b_.ConstantR1<bool>({true, false, false, true}), b_.ConstantR1<int32>({1, 2, 3, 4}),
                      b_.ConstantR1<int32>({100, 200, 300, 400})),
            b_.Select(b_.ConstantR0<bool>(true), b_.ConstantR1<int32>({1, 2, 3, 4}),
                      b_.ConstantR1<int32>({100, 200, 300, 400}))});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<int32>({1, 200, 300, 4}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<int32>({1, 2, 3, 4}));
}

TEST_F(Places, SelectOfTuples) {
  auto one = b_.Tuple({b_.ConstantR0<int32>(1), b_.ConstantR1<float>({1, 2})});
  auto other = b_.Tuple({b_.ConstantR0<int32>(3), b_.ConstantR1<float>({3, 4})});
  b_.Select(b_.ConstantR0<bool>(false), one, other);
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR0<int32>(3));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<float>({3, 4}));
}

TEST_F(Places, SelectErrors) {
  ComputationBuilder tuples(client_, "tuples"), types(client_, "types"), sizes(client_, "sizes");
  auto tuple = tuples.Tuple({tuples.ConstantR1<float>({1, 2})});
  tuples.Select(tuples.ConstantR1<bool>({true, false}), tuple, tuple);
  EXPECT_TRUE(FailsWith(tuples, "Select", "pred must be a scalar where tuples are selected"));
  types.Select(types.ConstantR0<int32>(1), types.ConstantR0<float>(1), types.ConstantR0<float>(2));
  EXPECT_TRUE(FailsWith(types, "Select", "pred must be of PRED, and is s32[]"));
  sizes.Select(sizes.ConstantR1<bool>({true}), sizes.ConstantR1<float>({1, 2}), sizes.ConstantR1<float>({3, 4}));
  EXPECT_TRUE(FailsWith(sizes, "Select", "pred must be a scalar or have the sizes of f32[2]"));
}

TEST_F(Places, TuplesNest) { // E0-16, E0-34
  auto inner = b_.Tuple({b_.ConstantR0<int32>(1), b_.ConstantR0<float>(2)});
  auto tuple = b_.Tuple({b_.ConstantR0<float>(0), inner, b_.Tuple({})});
  EXPECT_EQ(ShapeOf(tuple), "(f32[], (s32[], f32[]), ())");
  EXPECT_EQ(ShapeOf(b_.GetTupleElement(tuple, 2)), "()");
  b_.GetTupleElement(b_.GetTupleElement(tuple, 1), 1);
  EXPECT_EQ(Run(), LiteralUtil::CreateR0<float>(2));
  b_.GetTupleElement(tuple, 3);
  EXPECT_TRUE(FailsWith(b_, "GetTupleElement", "there is no element 3 in (f32[], (s32[], f32[]), ())"));
}

TEST_F(Places, Sort) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  b_.Tuple({b_.Sort(b_.ConstantR1<float>({3, -0.f, nan, 0.f, -1, -nan, 0.f, -0.f})),
            b_.Sort(b_.ConstantR2<int32>({{3, 1, 2}, {-1, -3, -2}})), b_.Sort(b_.ConstantR1<bool>({true, false, true})),
            b_.Sort(b_.ConstantR1<uint32>({3, 0xffffffffu, 0}))});
  Literal result = Run();
  const Literal &floats = result.tuple_literal(0);
  EXPECT_EQ(floats.Get<float>({0}), -1);
  for (int64 i = 1; i < 5; ++i)
    EXPECT_EQ(std::signbit(floats.Get<float>({i})), i < 3) << i;
  EXPECT_EQ(floats.Get<float>({5}), 3);
  EXPECT_TRUE(std::isnan(floats.Get<float>({6})) && std::isnan(floats.Get<float>({7})));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<int32>({{1, 2, 3}, {-3, -2, -1}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<bool>({false, true, true}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR1<uint32>({0, 3, 0xffffffffu}));
}

} // namespace
} // namespace tenon::xla_2017
