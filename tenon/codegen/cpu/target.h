// The CPU that code is generated for, and the one way from an LLVM module to object code.
//
// A target is a description: what emitters ask of it (vector width, features, caches) and what LLVM needs to know. All
// modules of a program go through compileModule(s), which stamps every function with the target's attributes, so that
// no kernel is compiled for another width than the one its emitter assumed.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class Module;
class StringRef;
class TargetMachine;
} // namespace llvm

namespace tenon::codegen {

struct CpuTargetOptions {
  // "" (this machine's, or "generic" where the triple is of another architecture), "host", "x86-64", "x86-64-v2",
  // "-v3", "-v4", or any name that LLVM knows for the triple.
  std::string cpu = "host";
  // LLVM feature string added to the CPU's own ("+avx512bf16,-fma").
  std::string features;
  // Empty: the host's.
  std::string triple;
  // Upper limit of the vector width; 0 means none. The environment variable TENON_MAX_VECTOR_BITS sets the default.
  int maxVectorBits = 0;
};

class CpuTarget {
public:
  static StatusOr<CpuTarget> create(const CpuTargetOptions &options = {});
  // The machine this process runs on. Made once; aborts only if LLVM lacks the host's target altogether.
  static const CpuTarget &host();

  const std::string &triple() const { return triple_; }
  const std::string &cpu() const { return cpu_; }
  // Every feature that the CPU has, as "+a,+b": complete, so that it means the same on any other machine.
  const std::string &features() const { return features_; }
  bool hasFeature(std::string_view llvmName) const;

  // Width of the registers that emitters should use: 512 only with AVX-512 F, BW, DQ and VL.
  int vectorBits() const { return vectorBits_; }
  // Elements of `elementBits` in one register, at least 1.
  int lanes(int elementBits) const { return vectorBits_ / elementBits > 0 ? vectorBits_ / elementBits : 1; }
  int vectorRegisters() const { return vectorRegisters_; }

  bool isX86() const { return isX86_; }
  bool fma() const { return fma_; }
  bool f16c() const { return f16c_; }
  bool avx() const { return avx_; }
  bool avx2() const { return avx2_; }
  bool avx512() const { return avx512_; } // F, BW, DQ and VL, at 512 bits
  bool avx512fp16() const { return avx512fp16_; }
  bool avx512bf16() const { return avx512bf16_; }
  bool avx512vnni() const { return avx512vnni_; }
  bool avxvnni() const { return avxvnni_; }
  bool avx512vbmi() const { return avx512vbmi_; }

  // Per core for L1 (data) and L2, whole for L3. Of this machine for "host", modest guesses otherwise.
  int64_t l1Bytes() const { return l1Bytes_; }
  int64_t l2Bytes() const { return l2Bytes_; }
  int64_t l3Bytes() const { return l3Bytes_; }

  // A new TargetMachine: position-independent small code, IEEE denormals, no fast-math, CodeGenOptLevel::Less. Not
  // shared between threads.
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const;

  // Sets triple and data layout of an empty module, before functions are emitted.
  void prepareModule(llvm::Module &module) const;

  // Identifies equal targets.
  const std::string &key() const { return key_; }

private:
  CpuTarget() = default;
  void setFeatureFlags(const std::function<bool(llvm::StringRef)> &has, int maxVectorBits);

  std::string triple_, cpu_, features_, dataLayout_, key_;
  int vectorBits_ = 128, vectorRegisters_ = 16;
  bool isX86_ = false, fma_ = false, f16c_ = false, avx_ = false, avx2_ = false, avx512_ = false;
  bool avx512fp16_ = false, avx512bf16_ = false, avx512vnni_ = false, avxvnni_ = false, avx512vbmi_ = false;
  int64_t l1Bytes_ = 32 << 10, l2Bytes_ = 512 << 10, l3Bytes_ = 8 << 20;
};

struct CompileOptions {
  // Verify before and after the cleanup. On unless NDEBUG.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
  // Promotes allocas to registers first; for code written with memory variables (the entry function).
  bool promoteAllocas = false;
  // Called with the module after the cleanup, before code generation (dumps); null when unused. May be called from
  // several threads.
  std::function<void(const llvm::Module &)> inspect;
};

// Cleans the module up (early-cse, instcombine, licm, simplifycfg) and emits a relocatable object. Functions without
// target attributes get the target's. Errors are compiler bugs (a module that does not verify).
StatusOr<std::string> compileModule(llvm::Module &module, const CpuTarget &target, const CompileOptions &options = {});

// Text of the assembly code that compileModule would emit, for dumps.
StatusOr<std::string> compileToAssembly(llvm::Module &module, const CpuTarget &target,
                                        const CompileOptions &options = {});

// One unit of code generation.
struct CompileJob {
  std::string name; // of the module and the object
  // Emits functions into a module that already has triple and data layout. Runs on a compile thread, at the same time
  // as other jobs: it may read the program's IR, not change it.
  std::function<Status(llvm::Module &)> emit;
  // Rough cost relative to other jobs; the expensive start first.
  double weight = 1;
  CompileOptions options;
};

// Calls work(0), ..., work(count - 1), in any order, on up to `threads` threads (0: as many as the process may use).
void forEachInParallel(size_t count, int threads, llvm::function_ref<void(size_t)> work);

// Compiles the jobs on `threads` threads (0: as many as the process may use) and returns one object each, in order;
// small jobs may share a module and then an object (so fewer objects than jobs may come back). The first error in job
// order wins.
StatusOr<std::vector<program::ObjectCode>> compileModules(std::vector<CompileJob> jobs, const CpuTarget &target,
                                                          int threads = 0);

} // namespace tenon::codegen
