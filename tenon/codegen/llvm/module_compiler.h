// The one way from LLVM modules to object code. All modules of a program go through it: every function is stamped with
// the target's attributes, so that no kernel is compiled for another width than the one its emitter assumed.
#pragma once

#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/program/program.h"
#include "tenon/status.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tenon::codegen {

class ObjectCache;

struct CompileOptions {
  // Verify before and after the cleanup. On unless NDEBUG.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
  // Code written with memory variables, which become registers first (the entry function).
  bool promoteAllocas = false;
  // Code without loops that is long and computes little, as a list of calls is: it becomes machine code as it stands,
  // in a fraction of the time, which otherwise grows faster than the code.
  bool isQuick = false;
  // Addresses stay as the code computes them, an array and a counter times an element, which is what instructions can
  // add up themselves. To look for better ones (loop strength reduction) takes a fifth of the time for a kernel, and
  // more than half where a loop has many accesses.
  bool keepsAddresses = false;
  // What comes out is the module after the cleanup, as bitcode, instead of an object. There is no cache of those.
  bool bitcode = false;
  // Called with the module after the cleanup, before code generation (dumps); null when unused. May be called from
  // several threads.
  std::function<void(const llvm::Module &)> inspect;
  // Called before that: rewrites what the chip's assembler gets wrong. Null when it is not known to get anything wrong.
  std::function<void(llvm::Module &)> finish;
};

// Has the function become machine code as it stands, in a third of the time, as isQuick does with all of a module. For
// what runs long because of what it calls.
void compileQuickly(llvm::Function &function);

// Cleans the module up (early-cse, instcombine, licm, simplifycfg) and emits a relocatable object. Functions without
// target attributes get the target's. Errors are compiler bugs (a module that does not verify).
StatusOr<std::string> compileModule(llvm::Module &module, const KernelTarget &target,
                                    const CompileOptions &options = {});

// Text of the assembly code that compileModule would emit, for dumps.
StatusOr<std::string> compileToAssembly(llvm::Module &module, const KernelTarget &target,
                                        const CompileOptions &options = {});

// One unit of code generation: a module, which becomes an object.
struct CompileJob {
  std::string name; // of the module and the object
  // Emits functions into a module that already has triple and data layout. Runs on a compile thread, at the same time
  // as other jobs: it may read the program's IR, not change it.
  std::function<Status(llvm::Module &)> emit;
  // All that determines what `emit` emits, beside the target. Empty where that is as much as the module itself.
  std::string identity;
  // Rough cost relative to other jobs; the expensive start first.
  double weight = 1;
  CompileOptions options;
};

// Compiles the jobs on `threads` threads (0: as many as the process may use) and returns one object (or its bitcode)
// each, in order, and then those of the routines (routines.h) that they need, in the order of their symbols. The first
// error in job order wins. An object that `cache`, if there is one, has from before is taken from there, and a job with
// an identity then emits nothing; jobs that are inspected are compiled.
StatusOr<std::vector<program::ObjectCode>> compileModules(llvm::ArrayRef<CompileJob> jobs, const KernelTarget &target,
                                                          ObjectCache *cache, int threads = 0);

} // namespace tenon::codegen
