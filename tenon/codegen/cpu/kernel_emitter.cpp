#include "tenon/codegen/cpu/kernel_emitter.h"

#include "tenon/codegen/cpu/concatenate_kernel.h"
#include "tenon/codegen/cpu/contraction_kernel.h"
#include "tenon/codegen/cpu/loop_emitter.h"
#include "tenon/codegen/cpu/sort_kernel.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

bool isContraction(Operation *op) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    return fusion.getKind() == ir::FusionKind::Dot || fusion.getKind() == ir::FusionKind::Convolution;
  return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op);
}

void appendKey(Operation *op, llvm::DenseMap<Value, uintptr_t> &numbers, std::vector<uintptr_t> &key) {
  auto add = [&](const void *pointer) { key.push_back(reinterpret_cast<uintptr_t>(pointer)); };
  auto define = [&](Value value) {
    numbers.try_emplace(value, numbers.size());
    add(value.getType().getAsOpaquePointer());
  };
  add(op->getName().getAsOpaquePointer());
  add(op->getAttrDictionary().getAsOpaquePointer());
  key.push_back(op->getNumOperands());
  for (Value operand : op->getOperands()) {
    auto [entry, isNew] = numbers.try_emplace(operand, numbers.size());
    key.push_back(entry->second);
    if (isNew)
      add(operand.getType().getAsOpaquePointer());
  }
  key.push_back(op->getNumResults());
  for (Value result : op->getResults())
    define(result);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      key.push_back(block.getNumArguments());
      for (Value argument : block.getArguments())
        define(argument);
      for (Operation &inner : block)
        appendKey(&inner, numbers, key);
    }
}

} // namespace

bool canEmitKernel(Operation *op) {
  if (isContraction(op))
    return canEmitContraction(op);
  return canEmitSort(op) || canEmitTopK(op) || canEmitConcatenation(op) || canEmitLoopKernel(op);
}

FailureOr<Kernel> emitKernel(Operation *op, llvm::Module &module, StringRef symbol, const CpuTarget &target) {
  if (isContraction(op))
    return emitContractionKernel(op, module, symbol, target);
  if (canEmitSort(op))
    return emitSortKernel(op, module, symbol, target);
  if (canEmitTopK(op))
    return emitTopKKernel(op, module, symbol, target);
  if (canEmitConcatenation(op))
    return emitConcatenationKernel(op, module, symbol);
  return emitLoopKernel(op, module, symbol, target);
}

std::vector<uintptr_t> kernelKey(Operation *op) {
  llvm::DenseMap<Value, uintptr_t> numbers;
  std::vector<uintptr_t> key;
  // Which values the operands are differs from call to call, and does not matter; that two are the same value does: the
  // emitter may read such a value once.
  key.push_back(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    key.push_back(reinterpret_cast<uintptr_t>(operand.getType().getAsOpaquePointer()));
    key.push_back(llvm::find(op->getOperands(), operand).getIndex());
  }
  key.push_back(reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()));
  key.push_back(reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()));
  for (Value result : op->getResults())
    key.push_back(reinterpret_cast<uintptr_t>(result.getType().getAsOpaquePointer()));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      key.push_back(block.getNumArguments());
      for (Value argument : block.getArguments())
        numbers.try_emplace(argument, numbers.size());
      for (Operation &inner : block)
        appendKey(&inner, numbers, key);
    }
  return key;
}

} // namespace tenon::codegen
