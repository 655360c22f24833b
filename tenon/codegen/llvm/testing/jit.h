// Compiles LLVM IR for the host and runs it: for tests and benchmarks of emitters.
#pragma once

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tenon::codegen::testing {

class Jit {
public:
  // `cpu` names another CPU to compile for ("x86-64-v3"); empty: the one that TENON_TEST_CPU in the environment names,
  // or the host.
  explicit Jit(std::string cpu = {});
  ~Jit();
  Jit(const Jit &) = delete;
  Jit &operator=(const Jit &) = delete;

  // An empty module with the host's data layout and triple, in a context of its own (the module's own context).
  std::unique_ptr<llvm::Module> createModule(const std::string &name);
  // Gives `function` the host's "target-cpu", "target-features" and "prefer-vector-width" 512.
  void setTargetAttributes(llvm::Function &function);

  // Verifies, cleans up (early-cse, instcombine, licm, simplifycfg) and compiles the module. Aborts the test program
  // with a message on invalid IR.
  void add(std::unique_ptr<llvm::Module> module);
  // The module's IR as text, before compiling.
  static std::string toText(const llvm::Module &module);

  template <typename Signature> Signature *lookup(const std::string &symbol) {
    return reinterpret_cast<Signature *>(lookupAddress(symbol));
  }

private:
  void *lookupAddress(const std::string &symbol);
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tenon::codegen::testing
