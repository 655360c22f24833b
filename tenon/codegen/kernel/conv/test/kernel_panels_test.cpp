// Kernels of convolutions in panels of output features.
#include "tenon/codegen/kernel/conv/test/conv_testing.h"

#include <gtest/gtest.h>

namespace tenon::codegen::matmul {
namespace {

using namespace testing;

Shape imagesOf(int64_t pixels, int64_t channels, int64_t features, int64_t kernel, const char *rhs = "01IO") {
  Shape shape;
  shape.batch = 1, shape.channels = channels, shape.features = features;
  shape.spatial = {{pixels, kernel, 1, kernel / 2, kernel / 2}, {pixels, kernel, 1, kernel / 2, kernel / 2}};
  shape.lhs = "N01C", shape.rhs = rhs, shape.result = "N01F";
  return shape;
}

ConvolutionSpec specOf(const Shape &shape) {
  int64_t lhs, rhs, out;
  return testing::specOf(shape, lhs, rhs, out);
}

// In one pass over k and in several, whole runs of it and parts; strides, dilations, batches, other orders of images,
// and panels that no register tile reads, which are packed.
TEST(Convolution, ReadsKernelsInPanels) {
  std::vector<Shape> list = {imagesOf(7, 40, 96, 3), imagesOf(5, 300, 48, 1), imagesOf(6, 130, 48, 3, "OI01")};
  list.push_back(imagesOf(9, 5, 48, 3, "O01I"));
  list.back().batch = 2, list.back().spatial[0] = {9, 3, 2, 1, 1}, list.back().spatial[1] = {11, 2, 1, 0, 2, 1, 3};
  list.push_back(imagesOf(8, 6, 96, 3));
  list.back().lhs = "NC01", list.back().result = "NF01";
  list.push_back(imagesOf(8, 3, 48, 2));
  list.back().spatial[0].reversed = true;
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 64 << 10;
    for (const Shape &shape : list)
      for (int64_t columns : {16, 48})
        for (int lanes : {-1, 3})
          check(shape, target, lanes, columns);
    for (int64_t columns : {8, 24})
      for (int lanes : {0, 1})
        check(list.front(), target, lanes, columns);
  }
}

TEST(Convolution, KernelsLieInPanelsThatTilesRead) {
  MatmulTarget wide = targets().back(), narrow = wide;
  wide.vectorBits = 512, wide.fma = true;
  narrow.vectorBits = 256, narrow.fma = true;
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 512, 512, 3)), wide, false), 64);
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(14, 1024, 256, 1, "OI01")), wide, true), 64);
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 512, 512, 3)), narrow, false), 16);
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 512, 480, 3)), narrow, false), 24);
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 512, 100, 3)), narrow, false), 0) << "features fill no panels";
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 512, 100, 3, "OI01")), narrow, false), 100)
      << "but they are to lie side by side";
  EXPECT_EQ(kernelPanelColumns(specOf(imagesOf(7, 4, 16, 1)), narrow, false), 0) << "read in place";
  Shape first = imagesOf(56, 64, 64, 3, "OI01");
  first.lhs = "NC01", first.result = "NF01";
  EXPECT_EQ(kernelPanelColumns(specOf(first), wide, false), 0) << "lanes are pixels";
  Shape grouped = imagesOf(14, 64, 64, 3);
  grouped.featureGroups = 2;
  EXPECT_EQ(kernelPanelColumns(specOf(grouped), wide, false), 0);
}

} // namespace
} // namespace tenon::codegen::matmul
