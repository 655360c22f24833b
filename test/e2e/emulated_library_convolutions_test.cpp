// Convolutions and their gradients in programs of a GPU that the host plays, by a cuDNN that the tests play.

#include "test/e2e/emulated_convolution_library.h"

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::testing;

namespace {

class EmulatedLibraryConvolutions : public EmulatedLibraryOps {
protected:
  void SetUp() override {
    EmulatedLibraryOps::SetUp();
    library = {};
    libraries.convolutions = std::make_shared<ConvolutionLibrary>(kTable);
  }
  void TearDown() override {
    EmulatedLibraryOps::TearDown();
    EXPECT_EQ(library.handles, 0);
    EXPECT_THAT(library.open, ::testing::IsEmpty());
    EXPECT_THAT(library.errors, ::testing::IsEmpty());
  }

  // The graph and the walk each run one convolution, of this kind.
  void checkIs(Kind kind, const std::string &source) {
    SCOPED_TRACE(source);
    library.runs.clear();
    library.lows.clear();
    library.highs.clear();
    library.groups.clear();
    library.modes.clear();
    check(source);
    ASSERT_EQ(library.runs.size(), 2U);
    EXPECT_EQ(library.runs[0].first, kind);
    EXPECT_EQ(library.runs[1], library.runs[0]);
  }
};

// The operands' and the result's types, the dimensions' roles and the window.
std::string convolution(const std::string &lhs, const std::string &rhs, const std::string &out,
                        const std::string &dimensions, const std::string &window, int featureGroups = 1,
                        int batchGroups = 1) {
  auto tensor = [](const std::string &type) { return "tensor<" + type + ">"; };
  return "func.func @main(%a: " + tensor(lhs) + ", %b: " + tensor(rhs) + ") -> " + tensor(out) +
         " {\n  %0 = stablehlo.convolution(%a, %b) dim_numbers = " + dimensions + ", window = {" + window +
         "} {batch_group_count = " + std::to_string(batchGroups) +
         " : i64, feature_group_count = " + std::to_string(featureGroups) + " : i64} : (" + tensor(lhs) + ", " +
         tensor(rhs) + ") -> " + tensor(out) + "\n  return %0 : " + tensor(out) + " }";
}

constexpr const char *kNhwc = "[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]";
constexpr const char *kNchw = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";

std::string plain(const std::string &type, const std::string &out) {
  return convolution("2x4x6x7x" + type, "8x4x3x3x" + type, "2x8x4x5x" + out, kNchw, "");
}

// f32 not by tensor cores, which would round it.
TEST_F(EmulatedLibraryConvolutions, AreOfAllTypesThatBothHave) {
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    checkIs(Kind::kForward, plain(type, type));
    EXPECT_EQ(library.runs[0].second, std::string(type) == "f32" ? kExact : kTensorCores);
  }
  checkIs(Kind::kForward, plain("bf16", "f32"));
  EXPECT_EQ(library.retentions, std::set<int64_t>{1}) << "the plan is kept while there are graphs";
}

std::string precise(std::string source, const std::string &precision) {
  return source.replace(source.find("{batch_group_count"), 1,
                        "{precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision " + precision +
                            ">], ");
}

// By the first engine of tensor cores that is recommended, and forward ones with the features last, too.
TEST_F(EmulatedLibraryConvolutions, AreInTf32WhereTheUserAllowsIt) {
  allowsTf32 = true;
  const std::string last = convolution("2x6x7x4xf32", "8x3x3x4xf32", "2x4x5x8xf32", kNhwc, "");
  const std::string usual =
      convolution("2x6x7x4xf32", "3x3x4x8xf32", "2x4x5x8xf32", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "");
  for (const std::string &source : {plain("f32", "f32"), precise(plain("f32", "f32"), "HIGH"), last, usual})
    checkRounds(source, 36);
  checkRounds(convolution("2x8x4x4xf32", "8x4x3x3xf32", "2x4x9x9xf32", "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]",
                          "pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], reverse = [true, true]"),
              72);
  ASSERT_EQ(library.runs.size(), 10U);
  for (auto [kind, engine] : library.runs)
    EXPECT_EQ(engine, kTensorCores);
  EXPECT_EQ(library.runs.back().first, Kind::kInputGradient);
}

TEST_F(EmulatedLibraryConvolutions, AreExactWhereTheProgramAsksForIt) {
  allowsTf32 = true;
  check(precise(plain("f32", "f32"), "HIGHEST"));
  ASSERT_EQ(library.runs.size(), 2U);
  EXPECT_EQ(library.runs[0].second, kExact);
  checkRounds(plain("f32", "f32"), 36);
  EXPECT_EQ(library.runs.back().second, kTensorCores) << "another question";
}

// The features before the spatial dimensions or behind them. One dimension is the second of two.
TEST_F(EmulatedLibraryConvolutions, AreOfOneToThreeDimensions) {
  checkIs(Kind::kForward,
          convolution("2x9x4xf64", "8x3x4xf64", "2x7x8xf64", "[b, 0, f]x[o, 0, i]->[b, 0, f]", "pad = [[0, 0]]"));
  EXPECT_EQ(library.lows[0], (Numbers{0, 0}));
  checkIs(Kind::kForward, convolution("2x4x9xf64", "8x4x3xf64", "2x8x5xf64", "[b, f, 0]x[o, i, 0]->[b, f, 0]",
                                      "stride = [2], pad = [[1, 1]]"));
  EXPECT_EQ(library.lows[0], (Numbers{0, 1}));
  checkIs(Kind::kForward, convolution("2x4x6x7xf64", "8x4x3x2xf64", "2x8x4x6xf64", kNchw, ""));
  checkIs(Kind::kForward, convolution("2x6x7x4xf64", "8x3x2x4xf64", "2x4x6x8xf64", kNhwc, ""));
  checkIs(Kind::kForward, convolution("2x5x4x6x3xf64", "4x2x2x2x3xf64", "2x4x3x5x4xf64",
                                      "[b, 0, 1, 2, f]x[o, 0, 1, 2, i]->[b, 0, 1, 2, f]", ""));
  checkIs(Kind::kForward, convolution("2x3x5x4x6xf64", "4x3x2x2x2xf64", "2x4x4x3x5xf64",
                                      "[b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2]", ""));
}

TEST_F(EmulatedLibraryConvolutions, HaveWindowsOfAllKinds) {
  checkIs(Kind::kForward,
          convolution("2x4x8x9xf64", "8x4x3x3xf64", "2x8x3x5xf64", kNchw, "stride = [2, 2], pad = [[0, 0], [1, 1]]"));
  EXPECT_EQ(library.lows[0], (Numbers{0, 1}));
  EXPECT_EQ(library.highs[0], (Numbers{0, 1}));
  // No window reaches what is behind: as much padding there as in front.
  checkIs(Kind::kForward,
          convolution("2x8x8x4xf64", "8x3x3x4xf64", "2x4x4x8xf64", kNhwc, "stride = [2, 2], pad = [[1, 0], [1, 0]]"));
  EXPECT_EQ(library.highs[0], (Numbers{1, 1}));
  checkIs(Kind::kForward, convolution("2x9x9x4xf64", "8x3x2x4xf64", "2x5x7x8xf64", kNhwc, "rhs_dilate = [2, 2]"));
  checkIs(Kind::kForward,
          convolution("2x4x8x8xf64", "8x4x3x3xf64", "2x8x3x3xf64", kNchw, "stride = [2, 2], pad = [[0, -1], [0, -1]]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{1});
  checkIs(Kind::kForward, convolution("2x4x6x6xf64", "8x4x3x1xf64", "2x8x4x6xf64", kNchw, "reverse = [true, false]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{0}) << "a single element is what it is reversed";
  checkIs(Kind::kForward, convolution("2x4x6x6xf64", "8x2x3x3xf64", "2x8x4x4xf64", kNchw, "", 2));
  EXPECT_EQ(library.groups, std::set<int64_t>{2});
}

// As JAX has them: the kernel is reversed, and what were its inputs are its outputs.
TEST_F(EmulatedLibraryConvolutions, AreGradientsOfInputs) {
  constexpr const char *kFirst = "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]";
  constexpr const char *kLast = "[b, 0, 1, f]x[i, 0, 1, o]->[b, 0, 1, f]";
  checkIs(Kind::kInputGradient, convolution("2x8x4x4xf64", "8x4x3x3xf64", "2x4x7x9xf64", kFirst,
                                            "pad = [[1, 1], [2, 2]], lhs_dilate = [2, 2], reverse = [true, true]"));
  EXPECT_EQ(library.lows[0], (Numbers{1, 0}));
  EXPECT_EQ(library.modes, std::set<int64_t>{1});
  checkIs(Kind::kInputGradient, convolution("2x4x5x8xf64", "8x3x3x4xf64", "2x4x5x4xf64", kLast,
                                            "pad = [[1, 1], [1, 1]], reverse = [true, true]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{1}) << "of a convolution without strides";
  checkIs(Kind::kInputGradient, convolution("2x4x5x3xf64", "3x2x3x4xf64", "2x3x9x4xf64", kLast,
                                            "pad = [[0, 0], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 1]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{0}) << "transposed convolutions whose kernel is not reversed";
  checkIs(Kind::kInputGradient, convolution("2x5x3xf64", "3x4x3xf64", "2x16x3xf64", "[b, 0, f]x[i, 0, o]->[b, 0, f]",
                                            "pad = [[3, 3]], lhs_dilate = [3]"));
}

// As JAX has them: batch and features have changed places, and strides are dilations of the kernel.
TEST_F(EmulatedLibraryConvolutions, AreGradientsOfKernels) {
  constexpr const char *kFirst = "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]";
  constexpr const char *kLast = "[f, 0, 1, b]x[i, 0, 1, o]->[f, 0, 1, b]";
  checkIs(Kind::kKernelGradient,
          convolution("2x6x7x4xf64", "2x6x7x8xf64", "8x3x3x4xf64", kLast, "pad = [[1, 1], [1, 1]]"));
  EXPECT_EQ(library.lows[0], (Numbers{1, 1}));
  EXPECT_EQ(library.highs[0], (Numbers{1, 1}));
  checkIs(Kind::kKernelGradient,
          convolution("2x4x6x7xf64", "2x8x6x7xf64", "8x4x3x3xf64", kFirst, "pad = [[1, 1], [1, 1]]"));
  // The last row of the input was not used.
  checkIs(Kind::kKernelGradient, convolution("2x10x9x4xf64", "2x4x4x8xf64", "8x3x3x4xf64", kLast,
                                             "pad = [[0, -1], [0, 0]], rhs_dilate = [2, 2]"));
  EXPECT_EQ(library.highs[0], (Numbers{0, 0}));
  checkIs(Kind::kKernelGradient,
          convolution("2x4x6x7xf64", "2x8x6x7xf64", "8x2x3x3xf64", kFirst, "pad = [[1, 1], [1, 1]]", 1, 2));
  EXPECT_EQ(library.groups, std::set<int64_t>{2});
}

TEST_F(EmulatedLibraryConvolutions, AreOursWhereTheLibraryCanNot) {
  library.declines = true;
  check(plain("f32", "f32"));
  EXPECT_THAT(library.runs, ::testing::IsEmpty());
}

// A stride and a dilated input, inputs that are cut off, kernels that are reversed in part; depthwise ones, integers,
// and what would take another pass over the results.
TEST_F(EmulatedLibraryConvolutions, AreOursWhereTheLibraryIsNotAsked) {
  const std::string image = "2x4x6x6xf32", kernel = "8x4x3x3xf32";
  check(convolution(image, kernel, "2x8x5x5xf32", kNchw, "stride = [2, 2], lhs_dilate = [2, 2]"));
  check(convolution(image, kernel, "2x8x3x3xf32", kNchw, "pad = [[-1, 0], [-1, 0]]"));
  check(convolution(image, kernel, "2x8x3x3xf32", kNchw, "pad = [[0, -1], [0, -1]]"));
  check(convolution(image, kernel, "2x8x4x4xf32", kNchw, "reverse = [true, false]"));
  check(convolution(image, "4x1x3x3xf32", "2x4x4x4xf32", kNchw, "", 4));
  check(convolution("2x4x6x6xi32", "8x4x3x3xi32", "2x8x4x4xi32", kNchw, ""));
  std::string source = plain("f32", "f32");
  source.replace(source.find("return %0"), 9, "%1 = stablehlo.tanh %0 : tensor<2x8x4x5xf32>\n  return %1");
  check(source);
  EXPECT_EQ(library.handles, 0);
}

// JAX's usual kernels, beside images with their features last, and others that lie otherwise.
TEST_F(EmulatedLibraryConvolutions, GetKernelsThatLieAsTheirImages) {
  constexpr const char *kJax = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  const std::string image = "2x6x6x4xf64";
  checkIs(Kind::kForward, convolution(image, "3x3x4x8xf64", "2x4x4x8xf64", kJax, ""));
  checkIs(Kind::kForward, convolution(image, "3x3x4x4xf64", "2x4x4x4xf64", kJax, ""));
  checkIs(Kind::kForward,
          convolution(image, "8x4x3x3xf64", "2x4x4x8xf64", "[b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]", ""));
  checkIs(Kind::kInputGradient,
          convolution("2x4x5x8xf64", "3x3x4x8xf64", "2x4x5x4xf64", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                      "pad = [[1, 1], [1, 1]], reverse = [true, true]"));
  checkIs(Kind::kInputGradient,
          convolution("2x4x4x8xf64", "3x3x4x8xf64", "2x9x9x4xf64", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                      "pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], reverse = [true, true]"));
  checkIs(Kind::kKernelGradient, convolution("2x6x7x4xf64", "2x6x7x8xf64", "3x3x4x8xf64",
                                             "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]"));
}

// Images in orders of their own, and more padding on one side than on the other.
TEST_F(EmulatedLibraryConvolutions, AreOursWhereArraysDoNotLieAsTheLibraryReadsThem) {
  check(convolution("2x6x6x4xbf16", "8x3x3x4xbf16", "2x8x4x4xbf16", "[b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1]", ""));
  check(convolution("6x2x6x4xbf16", "8x3x3x4xbf16", "2x4x4x8xbf16", "[0, b, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]", ""));
  check(convolution("2x4x8x8xf32", "8x4x3x3xf32", "2x8x4x4xf32", kNchw, "stride = [2, 2], pad = [[0, 1], [0, 1]]"));
  EXPECT_EQ(library.handles, 0);
}

TEST_F(EmulatedLibraryConvolutions, AreTheLibrarysSoonerWhereOursAreSlow) {
  leastNanoseconds = 0.1; // the chip computes some 1000 operations in one
  checkIs(Kind::kForward, plain("bf16", "bf16"));
  library.runs.clear();
  check(convolution("2x6x7x4xbf16", "8x3x3x4xbf16", "2x4x5x8xbf16", kNhwc, ""));
  EXPECT_THAT(library.runs, ::testing::IsEmpty());
}

// With the features last, f32 that is not to be tf32, and 16-bit floats in up to two dimensions.
TEST_F(EmulatedLibraryConvolutions, AreOursWhereTheyAreAsGood) {
  constexpr const char *kJax = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  check(convolution("2x6x7x4xf32", "8x3x3x4xf32", "2x4x5x8xf32", kNhwc, ""));
  check(convolution("2x6x7x4xf32", "3x3x4x8xf32", "2x4x5x8xf32", kJax, ""));
  check(convolution("2x6x7x4xf32", "2x6x7x8xf32", "8x3x3x4xf32", "[f, 0, 1, b]x[i, 0, 1, o]->[f, 0, 1, b]",
                    "pad = [[1, 1], [1, 1]]"));
  check(convolution("2x6x7x4xbf16", "8x3x3x4xbf16", "2x4x5x8xbf16", kNhwc, ""));
  check(convolution("2x6x7x4xf16", "3x3x4x8xf16", "2x4x5x8xf16", kJax, ""));
  check(convolution("2x9x4xf16", "8x3x4xf16", "2x7x8xf16", "[b, 0, f]x[o, 0, i]->[b, 0, f]", "pad = [[0, 0]]"));
  EXPECT_EQ(library.handles, 0);
  checkIs(Kind::kForward, convolution("2x5x4x6x3xf16", "2x2x2x3x4xf16", "2x4x3x5x4xf16",
                                      "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", ""));
}

// Programs of before may say what the library would not heed.
TEST_F(EmulatedLibraryConvolutions, OfOlderProgramsAreOursWhereArraysDoNotLieAsTheLibraryReadsThem) {
  program::DeviceConvolution convolution{.input = {0, ElementType::kF16, {1, 4, 3, 3}, {36, 1, 12, 4}},
                                         .kernel = {1, ElementType::kF16, {4, 4, 3, 3}, {1, 4, 48, 16}},
                                         .output = {2, ElementType::kF16, {1, 4, 1, 1}, {4, 1, 4, 4}},
                                         .dims = {{}, {}}};
  EXPECT_EQ(*libraries.convolutions->make(convolution), nullptr);
  convolution.kernel.strides = {36, 1, 12, 4};
  EXPECT_NE(*libraries.convolutions->make(convolution), nullptr);
}

TEST_F(EmulatedLibraryConvolutions, AreAskedForOnceInAProcess) {
  check(plain("bf16", "bf16"));
  check(plain("bf16", "bf16"));
  EXPECT_EQ(library.questions, 1);
  EXPECT_EQ(library.runs.size(), 4U);
}

// cuDNN of before 9.28 has no attribute for it, and never keeps what a graph was recorded from.
TEST_F(EmulatedLibraryConvolutions, OfOlderLibrariesAreNotToldOfGraphs) {
  library.version = 91000;
  checkIs(Kind::kForward, plain("f32", "f32"));
  EXPECT_EQ(library.retentions, std::set<int64_t>{0});
}

// Arrays between kernels are where the host knows; a convolution of them in a loop is a node of its graph.
TEST_F(EmulatedLibraryConvolutions, AreNodesOfGraphs) {
  checkIs(Kind::kForward, R"(func.func @main(%a: tensor<1x2x6x6xf32>, %b: tensor<2x2x3x3xf32>) -> tensor<1x2x6x6xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %c = stablehlo.constant dense<0.1> : tensor<2x2x3x3xf32>
    %k = stablehlo.multiply %b, %c : tensor<2x2x3x3xf32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<1x2x6x6xf32>
      cond {
        %l = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      } do {
        %p = stablehlo.reverse %x, dims = [2] : tensor<1x2x6x6xf32>
        %q = stablehlo.convolution(%p, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
          window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<1x2x6x6xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x6x6xf32>
        %y = stablehlo.reverse %q, dims = [3] : tensor<1x2x6x6xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %y : tensor<i32>, tensor<1x2x6x6xf32>
      }
    return %0#1 : tensor<1x2x6x6xf32> })");
}

TEST_F(EmulatedLibraryConvolutions, FailWithTheFunctionsName) {
  ConvolutionTable table = kTable;
  table.setAttribute = [](void *, int, int, int64_t, const void *) { return 2010; };
  ConvolutionLibrary own(table);
  program::DeviceConvolution convolution{.input = {0, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .kernel = {1, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .output = {2, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .dims = {{}}};
  EXPECT_THAT(own.make(convolution).status().message(),
              ::testing::HasSubstr("cudnnBackendSetAttribute fails: error 2010"));
}

} // namespace
