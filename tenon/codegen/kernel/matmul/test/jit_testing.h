// For tests and benchmarks of kernel emitters: compiles a module in the process, as the compiler would.
#pragma once

#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/testing/guarded_memory.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::codegen::testing {

using namespace matmul;

// Description of this machine, limited to `vectorBits` (128: no FMA, F16C or AVX at all).
MatmulTarget hostTarget(int vectorBits = 512);
bool hostSupports(int vectorBits);

// As in the runtime's ABI.
using TenonKernel = void (*)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

class JitModule {
public:
  // Code is generated for the features of `target` only, so that a test of a lower level cannot use higher ones.
  explicit JitModule(const MatmulTarget &target);
  ~JitModule();

  llvm::Module &module() { return *module_; }
  // Verifies, optimises and links. Aborts with the verifier's message when the module is broken.
  void compile();
  TenonKernel lookup(const std::string &symbol);
  double milliseconds() const { return milliseconds_; }

private:
  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  double milliseconds_ = 0;
};

// Runs all phases of a kernel. `buffers` without the temp block. With `pieces` > 1 extents are split into that many
// parts, run last to first.
void runKernel(JitModule &jit, const Kernel &kernel, std::vector<void *> buffers, int pieces = 1);

} // namespace tenon::codegen::testing
