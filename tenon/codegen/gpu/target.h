// NVIDIA's GPUs.
//
// Their kernels are planned and emitted as a CPU's, as functions of tasks, and a thread takes one task: any division of
// the tasks gives the same bits. So tasks are as small as they can be, one vector of 16 bytes where there is no more to
// them. LLVM's NVPTX makes PTX of them, which an assembler (runtime/cuda/cubin_maker.h) or the driver makes into
// machine code.
#pragma once

#include "tenon/codegen/common/code_target.h"
#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/gpu/loop_team.h"
#include "tenon/codegen/gpu/machine_code.h"
#include "tenon/codegen/kernel/product_target.h"
#include "tenon/program/device_program.h"
#include "tenon/status.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::codegen {

// The threads of a block of a kernel of tasks.
constexpr int kTaskBlock = 128;
// What one thread loads or stores at once.
constexpr int kGpuVectorBits = 128;

struct GpuTargetOptions {
  std::string chip = "sm_90a"; // see GpuTarget::chips
  // How many the GPU has, which has work when there are so many blocks. 0: as many as most have.
  int64_t multiprocessors = 0;
  // Where set, the processor that the emulation runs on (runtime/emulator/driver.h), with vectors of kGpuVectorBits:
  // the same kernels, in as many threads, are compiled for it.
  std::shared_ptr<const KernelTarget> emulator;
  // Kernels of the emulation say what they access, so that it can be checked.
  bool checksAccesses = false;
  // What loops are, a word of ForcedLoops (loop_team.h): empty, as TENON_CUDA_LOOPS says, or as they take the least
  // time.
  std::string loops = {};
  // Whether libraries may round operands of f32 to tf32 in products and convolutions that do not ask for HIGHEST.
  // Empty: as TENON_TF32 says.
  std::optional<bool> allowsTf32 = std::nullopt;
  // Makes machine code of the kernels' PTX. Empty: that is left to the driver, when a program is loaded.
  PtxAssembler assembler;
  // For tests: may change a kernel's module before it is compiled.
  std::function<void(llvm::Module &)> change;
  // For tests: may change the costs by which forms are planned, so that small arrays are cut as large ones are.
  std::function<void(CostModel &)> changeCosts;
  // Receives the program.
  std::function<void(program::DeviceProgram)> receive;
};

class GpuTarget final : public ProductTarget, public CodeTarget {
public:
  static StatusOr<GpuTarget> create(GpuTargetOptions options);
  // The chips that there is code for, as NVIDIA's assembler names them.
  static std::vector<std::string_view> chips();
  // What the environment variable TENON_TF32 says, or false. INVALID_ARGUMENT where it is neither 0 nor 1.
  static StatusOr<bool> allowsTf32ByDefault();

  bool hasFeature(std::string_view llvmName) const override {
    return options_.emulator && options_.emulator->hasFeature(llvmName);
  }

  const CostModel &costs() const override { return costs_; }
  // What CPUs fuse, but attention where it has no form of its own (attention.h): its tasks have blocks of scores in
  // scratch memory, too much for one thread.
  bool canFuse(mlir::Operation *op) const override;
  bool canEmit(mlir::Operation *op) const override;
  // For cuDNN, which reads no other kernels, where it may be faster than ours.
  bool ordersKernelOf(mlir::Operation *convolution) const override;
  // For libraries that multiply tf32, in less time than one more pass over the results saves.
  bool standsAlone(mlir::Operation *contraction) const override;
  // A description of the program, its constants among it. The program for the device goes to GpuTargetOptions::receive.
  llvm::FailureOr<program::Program> generate(mlir::ModuleOp module, const GenerateOptions &options) const override;

  bool canOutlineComputation(mlir::Region &computation) const override;
  matmul::MatmulTarget matmulTarget() const override;
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const override;
  void prepareModule(llvm::Module &module) const override;

  const GpuTargetOptions &options() const { return options_; }
  const GpuChip &chip() const { return *chip_; }
  const ForcedLoops &loops() const { return loops_; }
  // For kernels that copy boxes, which need a newer PTX.
  GpuTarget forMaps() const;
  std::unique_ptr<GpuBuilder> makeBuilder(llvm::LLVMContext &context) const;

private:
  GpuTarget(GpuTargetOptions options, const GpuChip &chip) : options_(std::move(options)), chip_(&chip) {}

  GpuTargetOptions options_;
  const GpuChip *chip_; // one that lives for ever
  ForcedLoops loops_;
  std::string dataLayout_;
};

} // namespace tenon::codegen
