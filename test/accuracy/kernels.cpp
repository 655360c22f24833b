#include "test/accuracy/kernels.h"

#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

namespace tenon::accuracy {

const std::vector<Level> &supportedLevels() {
  static const std::vector<Level> levels = [] {
    if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
      return std::vector<Level>{{"generic", 128}};
    auto features = llvm::sys::getHostCPUFeatures();
    auto has = [&](std::initializer_list<const char *> names) {
      return std::all_of(names.begin(), names.end(), [&](const char *name) { return features.lookup(name); });
    };
    std::vector<Level> found;
    if (has({"avx512f", "avx512bw", "avx512dq", "avx512vl"}))
      found.push_back({"x86-64-v4", 512});
    if (has({"avx2", "fma", "f16c"}))
      found.push_back({"x86-64-v3", 256});
    found.push_back({"x86-64", 128});
    return found;
  }();
  return levels;
}

Kernels compileKernels(const std::string &op, const std::string &type, unsigned typeBits, int operands,
                       bool allLevels) {
  Kernels kernels;
  std::string text = codegen::testing::uniformOp(op, type, operands);
  for (const Level &level : supportedLevels()) {
    unsigned lanes = level.vectorBits / std::max(typeBits, 32u);
    kernels.push_back(std::make_unique<codegen::testing::ElementKernel>(text, std::vector<std::string>(operands, type),
                                                                        type, lanes, /*asRegion=*/false, level.cpu));
  }
  return kernels;
}

} // namespace tenon::accuracy
