// Speed of the contraction kernels on the shapes of the project's benchmark: prints GFLOP/s on one and two threads.
// Usage: tenon_matmul_bench [substring of a name]
#include "tenon/codegen/cpu/matmul/jit_testing.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using namespace tenon::codegen;
using Type = tenon::program::ElementType;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void *allocate(size_t bytes, Type type) {
  auto *data = static_cast<uint8_t *>(std::aligned_alloc(4096, (bytes + 8191) / 4096 * 4096));
  uint32_t state = 1;
  for (size_t i = 0; i < bytes / 4; ++i) {
    state = state * 1664525 + 1013904223;
    float value = float(int(state >> 8) % 1000) * 0.001f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (type == Type::kBF16 || type == Type::kF16)
      bits = 0x3c003c00; // small ordinary numbers in both
    if (type == Type::kI8 || type == Type::kUI8)
      bits = state;
    std::memcpy(data + 4 * i, &bits, 4);
  }
  return data;
}

// Spins: what is measured is the kernel, not the pool.
double timeKernel(testing::JitModule &jit, const Kernel &kernel, std::vector<void *> buffers, int threads) {
  testing::TenonKernel run = jit.lookup(kernel.phases[0].symbol);
  int64_t extent = kernel.phases[0].extent;
  std::vector<void *> scratch;
  for (int i = 0; i < threads; ++i)
    scratch.push_back(std::aligned_alloc(4096, size_t(kernel.scratchBytes + 8191) / 4096 * 4096));
  std::atomic<int> go{0}, done{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> next{0};
  auto work = [&](int thread) {
    int64_t chunk = std::max<int64_t>(1, extent / (threads * 4));
    if (threads == 1)
      chunk = extent;
    for (int64_t begin; (begin = next.fetch_add(chunk)) < extent;)
      run(buffers.data(), begin, std::min(extent, begin + chunk), scratch[size_t(thread)]);
  };
  std::thread helper;
  if (threads == 2)
    helper = std::thread([&] {
      for (int seen = 0; !stop;)
        if (go.load() != seen) {
          ++seen;
          work(1);
          done = seen;
        }
    });
  double best = 1e9, start = now();
  for (int i = 0; (now() - start < 0.25 && i < 5000) || i < 3; ++i) {
    double before = now();
    next = 0;
    ++go;
    work(0);
    while (threads == 2 && done.load() != go.load())
      ;
    best = std::min(best, now() - before);
  }
  stop = true;
  if (helper.joinable())
    helper.join();
  for (void *block : scratch)
    std::free(block);
  return best;
}

struct Case {
  const char *name;
  Type in, out;
  int64_t batch, m, n, k;
  bool rhsTransposed = false, lhsTransposed = false;
  bool epilogue = false;
};

void runCase(const Case &c) {
  ContractionSpec spec;
  spec.lhs = spec.rhs = c.in;
  spec.out = c.out;
  if (c.batch > 1)
    spec.batch = {{c.batch, c.m * c.k, c.k * c.n, c.m * c.n}};
  spec.m = {{c.m, c.lhsTransposed ? 1 : c.k, 0, c.n}};
  spec.n = {{c.n, 0, c.rhsTransposed ? c.k : 1, 1}};
  spec.k = {{c.k, c.lhsTransposed ? c.m : 1, c.rhsTransposed ? 1 : c.n, 0}};
  MatmulTarget target = testing::hostTarget(std::getenv("BITS") ? std::atoi(std::getenv("BITS")) : 512);
  testing::JitModule jit(target);
  auto kernel = emitContraction(jit.module(), "kernel", spec, target);
  if (!kernel.ok()) {
    std::printf("%-22s %s\n", c.name, kernel.status().message().c_str());
    return;
  }
  jit.compile();
  auto bytes = [](Type type) { return size_t(tenon::program::byteSize(type)); };
  std::vector<void *> buffers = {allocate(size_t(c.batch * c.m * c.k) * bytes(c.in), c.in),
                                 allocate(size_t(c.batch * c.n * c.k) * bytes(c.in), c.in),
                                 allocate(size_t(c.batch * c.m * c.n) * bytes(c.out), c.out)};
  double one = timeKernel(jit, *kernel, buffers, 1), two = timeKernel(jit, *kernel, buffers, 2);
  std::printf("%-22s jit %5.1f ms  1T %8.3f ms %7.1f GFLOP/s %6.1f GB/s  2T %8.3f ms %7.1f GFLOP/s | %s\n", c.name,
              jit.milliseconds(), one * 1e3, kernel->flops / one * 1e-9, kernel->bytes / one * 1e-9, two * 1e3,
              kernel->flops / two * 1e-9, planContraction(spec, target).toString().c_str());
  std::fflush(stdout);
  for (void *buffer : buffers)
    std::free(buffer);
}

} // namespace

int main(int argc, char **argv) {
  const Type f32 = Type::kF32, bf16 = Type::kBF16, f16 = Type::kF16, i8 = Type::kI8, i32 = Type::kI32;
  const Case cases[] = {
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
      {"i32_512", i32, i32, 1, 512, 512, 512},
      {"c64_512", Type::kComplexF32, Type::kComplexF32, 1, 512, 512, 512},
      {"f64_512", Type::kF64, Type::kF64, 1, 512, 512, 512},
      {"attn_qk", f32, f32, 96, 128, 128, 64, true},
      {"attn_pv", f32, f32, 96, 128, 64, 128},
      {"dense_512x768x3072", f32, f32, 1, 512, 3072, 768},
      {"mlp_128x784x1024", f32, f32, 1, 128, 1024, 784},
      {"mlp_128x1024x10", f32, f32, 1, 128, 10, 1024},
      {"small_32x128x128", f32, f32, 1, 32, 128, 128},
      {"tiny_4x4x4", f32, f32, 1, 4, 4, 4},
  };
  for (const Case &c : cases)
    if (argc < 2 || std::string(c.name).find(argv[1]) != std::string::npos)
      runCase(c);
}
