// NVIDIA's GPUs.
//
// Their kernels are planned and emitted as a CPU's, as functions of tasks, and a thread takes one task: any division of
// the tasks gives the same bits. So tasks are as small as they can be, one vector of 16 bytes where there is no more to
// them. LLVM's NVPTX makes PTX of them, which an assembler (runtime/cuda/assembler.h) or the driver makes into machine
// code.
#pragma once

#include "tenon/codegen/common/code_target.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/builder.h"
#include "tenon/status.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::codegen {

// The threads of a block of a kernel of tasks.
constexpr int kTaskBlock = 128;

// One phase of a kernel of the program, as a function that a GPU starts.
struct GpuKernel {
  std::string name;    // in PTX
  int64_t tasks = 0;   // it takes as many threads, or fewer that go on to other tasks
  int64_t scratch = 0; // bytes of scratch memory for each thread
};

// The kernels of one op, which run one after the other.
struct GpuModule {
  std::vector<GpuKernel> kernels;
  // The row has the op's operands, its results, and the temporary block unless that has no bytes.
  int64_t temporary = 0;
  // For each result the operand whose contents its buffer has when the kernels start, or -1.
  std::vector<int> resultInit;
  std::string code; // PTX, or an object of the host
};

struct GpuTargetOptions {
  std::string chip = "sm_90a"; // see GpuTarget::chips
  // Code for the host, which the emulation runs (runtime/emulator/driver.h): the same kernels, in as many threads.
  bool isEmulated = false;
  // Sees every module of a program, in its order.
  std::function<void(const GpuModule &)> show;
};

class GpuTarget final : public ProductTarget, public CodeTarget {
public:
  static StatusOr<GpuTarget> create(GpuTargetOptions options);
  // The chips that there is code for, as NVIDIA's assembler names them.
  static std::vector<std::string_view> chips();

  // Emitters ask for features of CPUs.
  bool hasFeature(std::string_view llvmName) const override { return host_ && host_->hasFeature(llvmName); }

  const CostModel &costs() const override { return costs_; }
  // What CPUs fuse, but attention, whose tasks have blocks of scores in scratch memory: too much for one thread.
  bool canFuse(mlir::Operation *op) const override;
  bool canEmit(mlir::Operation *op) const override;
  // A description of the program: its kernels go to GpuTargetOptions::show alone, since nothing can run them yet.
  llvm::FailureOr<program::Program> generate(mlir::ModuleOp module, const GenerateOptions &options) const override;

  bool canOutlineComputation(mlir::Region &computation) const override;
  matmul::MatmulTarget matmulTarget() const override;
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const override;
  void prepareModule(llvm::Module &module) const override;

  const GpuTargetOptions &options() const { return options_; }
  std::unique_ptr<GpuBuilder> makeBuilder(llvm::LLVMContext &context) const;

private:
  explicit GpuTarget(GpuTargetOptions options) : options_(std::move(options)) {}

  GpuTargetOptions options_;
  std::string dataLayout_;
  std::optional<CpuTarget> host_; // of the emulation
};

} // namespace tenon::codegen
