// Speed of the contraction kernels on the shapes of the project's benchmark: prints GFLOP/s on one and two threads.
// Usage: tenon_matmul_benchmark [substring of a name]
#include "tenon/codegen/kernel/matmul/problem.h"
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
  Type in, out;
  int64_t batch, m, n, k;
  bool rhsTransposed = false, lhsTransposed = false;
  bool epilogue = false;
};

void runCase(const Case &c) {
  ContractionSpec spec;
  spec.lhs = spec.rhs = mlirType(c.in);
  spec.out = mlirType(c.out);
  if (c.batch > 1)
    spec.batch = {{c.batch, c.m * c.k, c.k * c.n, c.m * c.n}};
  spec.m = {{c.m, c.lhsTransposed ? 1 : c.k, 0, c.n}};
  spec.n = {{c.n, 0, c.rhsTransposed ? c.k : 1, 1}};
  spec.k = {{c.k, c.lhsTransposed ? c.m : 1, c.rhsTransposed ? 1 : c.n, 0}};
  MatmulTarget target = testing::hostTarget(std::getenv("BITS") ? std::atoi(std::getenv("BITS")) : 512);
  testing::JitModule jit(target);
  Epilogue epilogue;
  if (c.epilogue) { // relu(acc + bias[n])
    spec.extraOperands = 1;
    spec.epilogueLanesAlongM = spec.epilogueLanesMayWrap = true;
    epilogue = [&](llvm::IRBuilderBase &b, const EpilogueContext &context, Element sum) -> Element {
      llvm::Value *bias = b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), context.buffers, 2));
      bias = b.CreateGEP(b.getFloatTy(), bias, context.index.back());
      bias = b.CreateAlignedLoad(sum.re->getType(), bias, llvm::Align(4));
      return {b.CreateMaxNum(b.CreateFAdd(sum.re, bias), llvm::Constant::getNullValue(bias->getType()))};
    };
  }
  auto plan = matmul::planContraction(spec, target, "kernel", bool(epilogue));
  if (!plan.ok()) {
    std::printf("%-22s %s\n", c.name, plan.status().message().c_str());
    return;
  }
  emitContraction(*plan, jit.module(), epilogue);
  jit.compile();
  auto bytes = [](Type type) { return tenon::byteSize(type); };
  std::vector<void *> buffers = {testing::allocateNumbers((c.batch * c.m * c.k) * bytes(c.in), c.in),
                                 testing::allocateNumbers((c.batch * c.n * c.k) * bytes(c.in), c.in),
                                 testing::allocateNumbers((c.batch * c.m * c.n) * bytes(c.out), c.out)};
  if (c.epilogue)
    buffers.insert(buffers.begin() + 2, testing::allocateNumbers(c.n * 4, c.out));
  double one = testing::timeKernel(jit, plan->kernel, buffers, 1),
         two = testing::timeKernel(jit, plan->kernel, buffers, 2);
  std::printf("%-22s jit %5.1f ms  1T %8.3f ms %7.1f GFLOP/s %6.1f GB/s  2T %8.3f ms %7.1f GFLOP/s | %s\n", c.name,
              jit.milliseconds(), one * 1e3, plan->flops / one * 1e-9, plan->kernel.bytes / one * 1e-9, two * 1e3,
              plan->flops / two * 1e-9, plan->schedule.toString().c_str());
  std::fflush(stdout);
  for (void *buffer : buffers)
    std::free(buffer);
}

constexpr Type f32 = Type::kF32, f64 = Type::kF64, bf16 = Type::kBF16, f16 = Type::kF16, i8 = Type::kI8,
               i32 = Type::kI32, f8 = Type::kF8E4M3FN;
constexpr Case kCases[] = {
    {"f32_12x480x160", f32, f32, 1, 12, 480, 160},
    {"f32_16x1024x256", f32, f32, 1, 16, 1024, 256},
    {"f32_16x512x512", f32, f32, 1, 16, 512, 512},
    {"f32_24x1024x1024", f32, f32, 1, 24, 1024, 1024},
    {"f32_64", f32, f32, 1, 64, 64, 64},
    {"f32_128", f32, f32, 1, 128, 128, 128},
    {"f32_256", f32, f32, 1, 256, 256, 256},
    {"f32_1024", f32, f32, 1, 1024, 1024, 1024},
    {"f32_2048", f32, f32, 1, 2048, 2048, 2048},
    {"f32_1024_nt", f32, f32, 1, 1024, 1024, 1024, true},
    {"f32_1024_tn", f32, f32, 1, 1024, 1024, 1024, false, true},
    {"f32_1x4096x4096", f32, f32, 1, 1, 4096, 4096},
    {"f32_1x4096x4096_nt", f32, f32, 1, 1, 4096, 4096, true},
    {"bf16_1x4096x4096", bf16, bf16, 1, 1, 4096, 4096},
    {"bf16_1x4096x4096_nt", bf16, bf16, 1, 1, 4096, 4096, true},
    {"f32_8x4096x4096", f32, f32, 1, 8, 4096, 4096},
    {"f32_32x4096x4096", f32, f32, 1, 32, 4096, 4096},
    {"f32_8x4096x4096_nt", f32, f32, 1, 8, 4096, 4096, true},
    {"bf16_8x4096x4096", bf16, bf16, 1, 8, 4096, 4096},
    {"tall_65536x64x64", f32, f32, 1, 65536, 64, 64},
    {"bf16_1024", bf16, bf16, 1, 1024, 1024, 1024},
    {"bf16_f32_1024", bf16, f32, 1, 1024, 1024, 1024},
    {"f16_1024", f16, f16, 1, 1024, 1024, 1024},
    {"i8_i32_1024", i8, i32, 1, 1024, 1024, 1024},
    {"f8_f32_256", f8, f32, 1, 256, 256, 256},
    {"f8_f8_256", f8, f8, 1, 256, 256, 256},
    {"f8_f32_256_nt", f8, f32, 1, 256, 256, 256, true},
    {"f8_f32_256_tn", f8, f32, 1, 256, 256, 256, false, true},
    {"f8_1x4096x4096", f8, f32, 1, 1, 4096, 4096},
    {"f8_1x4096x4096_nt", f8, f32, 1, 1, 4096, 4096, true},
    {"i4_i32_256", Type::kI4, i32, 1, 256, 256, 256},
    {"i4_i4_256", Type::kI4, Type::kI4, 1, 256, 256, 256},
    {"i32_512", i32, i32, 1, 512, 512, 512},
    {"c64_512", Type::kComplexF32, Type::kComplexF32, 1, 512, 512, 512},
    {"f64_64", f64, f64, 1, 64, 64, 64},
    {"f64_128", f64, f64, 1, 128, 128, 128},
    {"f64_256", f64, f64, 1, 256, 256, 256},
    {"f64_512", f64, f64, 1, 512, 512, 512},
    {"f64_1024", f64, f64, 1, 1024, 1024, 1024},
    {"f64_2048", f64, f64, 1, 2048, 2048, 2048},
    {"attn_qk", f32, f32, 96, 128, 128, 64, true},
    {"attn_pv", f32, f32, 96, 128, 64, 128},
    {"attn_qk_512", f32, f32, 8, 512, 512, 64, true},
    {"attn_pv_512", f32, f32, 8, 512, 64, 512},
    {"attn_grad_512", f32, f32, 8, 512, 64, 512, false, true},
    {"attn_grad_128", f32, f32, 96, 128, 64, 128, false, true},
    {"attn_grad_2048", f32, f32, 2, 2048, 64, 2048, false, true},
    {"grad_64x1024x4096", f32, f32, 1, 1024, 64, 4096, false, true},
    {"grad_32_1000x32x1000", f32, f32, 1, 1000, 32, 1000, false, true},
    {"grad_f64_512", f64, f64, 4, 512, 32, 512, false, true},
    {"dense_512x768x3072", f32, f32, 1, 512, 3072, 768},
    {"dense_bias_relu", f32, f32, 1, 512, 3072, 768, false, false, true},
    {"mlp_bias_relu", f32, f32, 1, 128, 1024, 784, false, false, true},
    {"tall_bias_relu", f32, f32, 1, 65536, 64, 64, false, false, true},
    {"mlp_128x784x1024", f32, f32, 1, 128, 1024, 784},
    {"mlp_128x1024x10", f32, f32, 1, 128, 10, 1024},
    {"small_32x128x128", f32, f32, 1, 32, 128, 128},
    {"tiny_4x4x4", f32, f32, 1, 4, 4, 4},
};

} // namespace

int main(int argc, char **argv) {
  for (const Case &c : kCases)
    if (argc < 2 || std::string(c.name).find(argv[1]) != std::string::npos)
      runCase(c);
}
