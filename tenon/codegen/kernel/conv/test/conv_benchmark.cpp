// Speed of the convolution kernels on the shapes of the project's benchmark.
// Usage: tenon_conv_benchmark [substring of a name]
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/test/array_testing.h"
#include "tenon/codegen/kernel/matmul/test/benchmark_testing.h"

#include <cstdio>
#include <string>

using namespace tenon::codegen;
using namespace tenon::codegen::matmul;
using testing::mlirType, testing::Type;

namespace {

struct Case {
  const char *name;
  int64_t batch, channels, features, groups;
  std::vector<ConvolutionWindow> spatial; // sizes, strides, padding; element strides are filled in
  const char *lhs, *rhs, *out;            // as in conv_test.cpp
  Type type = Type::kF32;
};

ConvolutionWindow same(int64_t size, int64_t kernel, int64_t stride = 1) {
  ConvolutionWindow w;
  w.inputSize = size, w.kernelSize = kernel, w.stride = stride;
  w.outputSize = (size + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (w.outputSize - 1) * stride + kernel - size);
  w.padLow = total / 2, w.padHigh = total - total / 2;
  return w;
}

ConvolutionWindow transposed(int64_t size, int64_t kernel, int64_t dilation) {
  ConvolutionWindow w;
  w.inputSize = size, w.kernelSize = kernel, w.inputDilation = dilation;
  w.outputSize = size * dilation;
  w.padLow = w.padHigh = (w.outputSize - (size - 1) * dilation - 1 + kernel - 1) / 2;
  w.padHigh = w.outputSize + kernel - 1 - ((size - 1) * dilation + 1) - w.padLow;
  return w;
}

ConvolutionWindow gradient(int64_t size, int64_t window, int64_t pad) {
  ConvolutionWindow w;
  w.inputSize = size, w.kernelSize = window, w.outputSize = size + 2 * pad - window + 1;
  w.padLow = w.padHigh = pad;
  return w;
}

template <typename SizeOf>
int64_t place(const std::string &order, SizeOf sizeOf, int64_t &batch, int64_t &feature, char batchName,
              char featureName, std::vector<ConvolutionWindow> &spatial, int64_t ConvolutionWindow::*stride) {
  int64_t total = 1;
  for (size_t i = order.size(); i-- > 0;) {
    char c = order[i];
    (c == batchName ? batch : c == featureName ? feature : spatial[size_t(c - '0')].*stride) = total;
    total *= sizeOf(c);
  }
  return total;
}

void runCase(const Case &c) {
  std::vector<ConvolutionWindow> s = c.spatial;
  ConvolutionSpec spec;
  spec.lhs = spec.rhs = spec.out = mlirType(c.type);
  spec.batch = c.batch, spec.inputFeatures = c.channels, spec.outputFeatures = c.features,
  spec.featureGroups = c.groups;
  auto window = [&](char d) -> ConvolutionWindow & { return s[size_t(d - '0')]; };
  int64_t x = place(
      c.lhs, [&](char d) { return d == 'N'   ? c.batch
                                  : d == 'C' ? c.channels
                                             : window(d).inputSize; },
      spec.lhsBatchStride, spec.lhsFeatureStride, 'N', 'C', s, &ConvolutionWindow::lhsStride);
  int64_t w = place(
      c.rhs, [&](char d) { return d == 'I'   ? c.channels / c.groups
                                  : d == 'O' ? c.features
                                             : window(d).kernelSize; },
      spec.rhsInputFeatureStride, spec.rhsOutputFeatureStride, 'I', 'O', s, &ConvolutionWindow::rhsStride);
  int64_t y = place(
      c.out, [&](char d) { return d == 'N'   ? c.batch
                                  : d == 'F' ? c.features
                                             : window(d).outputSize; },
      spec.outBatchStride, spec.outFeatureStride, 'N', 'F', s, &ConvolutionWindow::outStride);
  spec.spatial.assign(s.begin(), s.end());
  for (size_t d = 0; d < s.size(); ++d)
    spec.outSpatialDims.push_back(int(d) + 2);
  MatmulTarget target = testing::hostTarget(std::getenv("BITS") ? std::atoi(std::getenv("BITS")) : 512);
  testing::JitModule jit(target);
  auto plan = planConvolution(spec, target, "kernel");
  if (!plan.ok()) {
    std::printf("%-22s %s\n", c.name, plan.status().message().c_str());
    return;
  }
  emitConvolution(*plan, jit.module());
  jit.compile();
  int64_t bytes = tenon::byteSize(c.type);
  std::vector<void *> buffers = {testing::allocateNumbers(x * bytes, c.type),
                                 testing::allocateNumbers(w * bytes, c.type),
                                 testing::allocateNumbers(y * bytes, c.type)};
  double one = testing::timeKernel(jit, plan->kernel, buffers, 1),
         two = testing::timeKernel(jit, plan->kernel, buffers, 2);
  std::printf("%-22s jit %5.1f ms  1T %8.3f ms %7.1f GFLOP/s %6.1f GB/s  2T %8.3f ms %7.1f GFLOP/s |", c.name,
              jit.milliseconds(), one * 1e3, plan->flops / one * 1e-9, plan->kernel.bytes / one * 1e-9, two * 1e3,
              plan->flops / two * 1e-9);
  for (const KernelPhase &phase : plan->kernel.phases)
    std::printf(" %lld", static_cast<long long>(phase.extent));
  std::printf("\n");
  for (void *buffer : buffers)
    std::free(buffer);
}

} // namespace

int main(int argc, char **argv) {
  const char *nhwc[] = {"N01C", "01IO", "N01F"}, *nchw[] = {"NC01", "OI01", "NF01"};
  auto flat = [](const char *name, int64_t n, int64_t size, int64_t in, int64_t out, int64_t k, int64_t stride,
                 const char **layout, int64_t groups = 1, Type type = Type::kF32) {
    return Case{name,      n,         in,        out, groups, {same(size, k, stride), same(size, k, stride)},
                layout[0], layout[1], layout[2], type};
  };
  std::vector<Case> cases = {
      flat("7x7s2_nhwc", 1, 224, 3, 64, 7, 2, nhwc),
      flat("3x3_nhwc_56x64", 4, 56, 64, 64, 3, 1, nhwc),
      flat("3x3_nchw_56x64", 4, 56, 64, 64, 3, 1, nchw),
      flat("3x3_nhwc_14x256", 4, 14, 256, 256, 3, 1, nhwc),
      flat("3x3_nchw_14x256", 4, 14, 256, 256, 3, 1, nchw),
      flat("1x1_nhwc", 4, 14, 1024, 256, 1, 1, nhwc),
      flat("dw3x3_nhwc", 4, 56, 144, 144, 3, 1, nhwc, 144),
      flat("dw3x3_nchw", 4, 56, 144, 144, 3, 1, nchw, 144),
      flat("bf16_3x3_nhwc_56x64", 4, 56, 64, 64, 3, 1, nhwc, 1, Type::kBF16),
      flat("3x3s2_nhwc_56x64", 4, 56, 64, 64, 3, 2, nhwc),
      flat("grouped_nhwc", 1, 28, 256, 256, 3, 1, nhwc, 32),
      {"transpose4x4s2", 1, 128, 64, 1, {transposed(32, 4, 2), transposed(32, 4, 2)}, "N01C", "01IO", "N01F"},
      {"3d_3x3x3", 1, 16, 32, 1, {same(16, 3), same(32, 3), same(32, 3)}, "N012C", "012IO", "N012F"},
      {"grad_input", 4, 128, 128, 1, {same(28, 3), same(28, 3)}, "N01C", "01OI", "N01F"},
      {"grad_filter", 128, 4, 128, 1, {gradient(28, 28, 1), gradient(28, 28, 1)}, "C01N", "I01O", "01NF"},
  };
  for (const Case &c : cases)
    if (argc < 2 || std::string(c.name).find(argv[1]) != std::string::npos)
      runCase(c);
}
