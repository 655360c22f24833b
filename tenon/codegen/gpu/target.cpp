#include "tenon/codegen/gpu/target.h"

#include "tenon/codegen/gpu/attention.h"
#include "tenon/codegen/gpu/instructions.h"
#include "tenon/codegen/gpu/library_convolution.h"
#include "tenon/codegen/gpu/library_product.h"
#include "tenon/codegen/kernel/computation_function.h"
#include "tenon/codegen/kernel/kernel_plan.h"
#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/loop/support.h"
#include "tenon/codegen/llvm/target_machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

namespace tenon::codegen {
namespace {

constexpr GpuChip kChips[] = {{.name = "sm_80",
                               .ptx = "+ptx70",
                               .mostSharedBytes = 163 << 10,
                               .operations = {.half = 312e3, .int8 = 624e3, .single = 19.5e3, .doubles = 19.5e3}},
                              {.name = "sm_90a",
                               .ptx = "+ptx80",
                               .mostSharedBytes = 227 << 10,
                               .hasWarpGroups = true,
                               .mostClusterBlocks = 8,
                               .mapPtx = "+ptx85",
                               .operations = {.half = 990e3, .int8 = 1980e3, .single = 67e3, .doubles = 67e3}},
                              {.name = "sm_100a",
                               .ptx = "+ptx86",
                               .mostSharedBytes = 227 << 10,
                               .mostClusterBlocks = 8,
                               .operations = {.half = 2250e3, .int8 = 4500e3, .single = 80e3, .doubles = 40e3}}};

void initializeNvptx() {
  static const bool done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)done;
}

// Times are those of one thread, so that there is a task for each vector, and fusion sees a chip that computes much
// faster than it reads.
const std::string &loopsOfProcess() {
  static const char *given = std::getenv("TENON_CUDA_LOOPS");
  static const std::string loops = given ? given : "";
  return loops;
}

CostModel gpuCosts() {
  CostModel costs;
  costs.task = 0.01; // less than a vector of any computation takes, so that each is a thread's
  costs.mostTasks = int64_t{1} << 31;
  costs.summedProducts = 0; // products have forms of their own inside of loops that are one kernel
  costs.batchedProducts = 0;
  costs.scatterTask = 1e4; // as many tasks as read the indices, each all of them
  return costs;
}

} // namespace

std::vector<std::string_view> GpuTarget::chips() {
  std::vector<std::string_view> names;
  for (const GpuChip &chip : kChips)
    names.push_back(chip.name);
  return names;
}

StatusOr<bool> GpuTarget::allowsTf32ByDefault() {
  static const char *set = std::getenv("TENON_TF32");
  const std::string_view said = set ? set : "0";
  if (said != "0" && said != "1")
    return invalidArgument("TENON_TF32 is '" + std::string(said) + "'; it can be '0' or '1'");
  return said == "1";
}

StatusOr<GpuTarget> GpuTarget::create(GpuTargetOptions options) {
  initializeNvptx();
  const auto *chip = llvm::find_if(kChips, [&](const GpuChip &known) { return known.name == options.chip; });
  if (chip == std::end(kChips))
    return invalidArgument("there is no code for GPUs of the kind '" + options.chip + "': there is for " +
                           llvm::join(chips(), ", "));
  if (!options.allowsTf32) {
    TENON_ASSIGN_OR_RETURN(options.allowsTf32, allowsTf32ByDefault());
  }
  GpuTarget target(std::move(options), *chip);
  target.vectorBits_ = kGpuVectorBits;
  target.costs_ = gpuCosts();
  std::string planned; // what else than the chip kernels are planned for
  if (int64_t given = target.options_.multiprocessors) {
    target.costs_.blocks.multiprocessors = given;
    planned = "/" + std::to_string(given);
  }
  if (target.options_.loops.empty())
    target.options_.loops = loopsOfProcess();
  TENON_ASSIGN_OR_RETURN(target.loops_, ForcedLoops::parse(target.options_.loops, *chip));
  if (!target.options_.loops.empty())
    planned += "/" + target.options_.loops;
  if (target.options_.changeCosts)
    target.options_.changeCosts(target.costs_);
  if (const KernelTarget *emulator = target.options_.emulator.get()) {
    target.triple_ = emulator->triple();
    target.cpu_ = emulator->cpu();
    target.features_ = emulator->features();
    target.distinctFeatures_ = emulator->distinctFeatures();
    target.mergesShuffles_ = emulator->mergesShuffles();
    target.key_ = "emulated:" + target.options_.chip + planned + "/" + emulator->key();
    return target;
  }
  target.triple_ = "nvptx64-nvidia-cuda";
  target.cpu_ = chip->name;
  target.features_ = target.distinctFeatures_ = chip->ptx;
  target.key_ = target.triple_ + "/" + target.cpu_ + "/" + target.features_ + planned;
  std::unique_ptr<llvm::TargetMachine> machine = target.createTargetMachine();
  if (!machine)
    return unimplemented("LLVM cannot make a code generator for '" + target.key_ + "'");
  target.dataLayout_ = machine->createDataLayout().getStringRepresentation();
  return target;
}

GpuTarget GpuTarget::forMaps() const {
  GpuTarget target = *this;
  if (!options_.emulator) {
    target.features_ = target.distinctFeatures_ = chip_->mapPtx;
    target.key_ += "/" + target.features_;
  }
  return target;
}

bool GpuTarget::canFuse(mlir::Operation *op) const {
  return loop::canFuseInLoopKernel(op) && !canEmitConcatenation(op);
}

bool GpuTarget::canEmit(mlir::Operation *op) const {
  if (!isAttention(op))
    return canEmitKernel(op, *this);
  std::optional<AttentionPlan> plan;
  if (!isAttentionGradient(op))
    plan = planAttention(op, "", *this);
  return plan && planGpuAttention(*plan, costs().blocks, chip());
}

bool GpuTarget::ordersKernelOf(mlir::Operation *convolution) const {
  return wantsPlainKernel(mlir::cast<stablehlo::ConvolutionOp>(convolution), chip(), costs().blocks.libraryOp,
                          *options_.allowsTf32);
}

bool GpuTarget::standsAlone(mlir::Operation *contraction) const {
  return gainsByTf32(contraction, chip(), costs().blocks.libraryOp, *options_.allowsTf32);
}

bool GpuTarget::canOutlineComputation(mlir::Region &computation) const {
  return !entry::findUncomputable(computation, *this);
}

// One thread computes a tile of few registers, from packed operands that are small enough to have for every thread.
matmul::MatmulTarget GpuTarget::matmulTarget() const {
  matmul::MatmulTarget target;
  target.vectorBits = vectorBits();
  target.fma = true;
  target.int16Pairs = false;
  target.l1Bytes = 4 << 10;
  target.l2Bytes = 16 << 10;
  target.costs = costs();
  target.cores = 1024;
  return target;
}

std::unique_ptr<llvm::TargetMachine> GpuTarget::createTargetMachine() const {
  if (options_.emulator)
    return options_.emulator->createTargetMachine();
  // NVPTX rounds each operation by itself then (add.rn, which its assembler does not contract either).
  return codegen::createTargetMachine({.triple = triple_, .cpu = cpu_, .features = features_});
}

std::unique_ptr<GpuBuilder> GpuTarget::makeBuilder(llvm::LLVMContext &context) const {
  return options_.emulator ? makeEmulatedBuilder(context) : makePtxBuilder(context);
}

void GpuTarget::prepareModule(llvm::Module &module) const {
  if (options_.emulator)
    return options_.emulator->prepareModule(module);
  module.setTargetTriple(llvm::Triple(triple_));
  module.setDataLayout(dataLayout_);
  math::useInstructions(module, gpuInstructions());
}

} // namespace tenon::codegen
