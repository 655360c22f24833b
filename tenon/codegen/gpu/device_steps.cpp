#include "tenon/codegen/gpu/device_steps.h"

#include "tenon/ir/stablehlo.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using program::CopyStep, program::DevicePlace, program::DeviceSteps;

class StepMaker {
public:
  StepMaker(const ProgramInstructions &instructions, const BufferPlan &plan,
            const llvm::DenseMap<Operation *, int32_t> &modules, program::DeviceProgram &program)
      : instructions_(instructions), plan_(plan), modules_(modules), program_(program) {}

  LogicalResult run(func::FuncOp main) {
    Block &block = main.getBody().front();
    if (failed(addBlock(block, program_.steps)))
      return failure();
    addReturn(block.getTerminator());
    return success();
  }

private:
  // --- Places ---

  int32_t placeOf(const BufferClass &buffer) {
    auto [entry, isNew] = placeByClass_.try_emplace(&buffer, program_.places.size());
    if (isNew) {
      static constexpr DevicePlace::Base kBases[] = {DevicePlace::Base::kArena, DevicePlace::Base::kArgument,
                                                     DevicePlace::Base::kResult, DevicePlace::Base::kConstant};
      program_.places.push_back({kBases[static_cast<size_t>(buffer.storage)], buffer.offset, buffer.index});
    }
    return entry->second;
  }

  int32_t placeOf(Value value) { return isToken(value.getType()) ? -1 : placeOf(plan_.classOf(value)); }

  // The memory of a result, whatever is computed there.
  int32_t placeOfResult(int32_t index) {
    program_.places.push_back({DevicePlace::Base::kResult, 0, index});
    return int32_t(program_.places.size()) - 1;
  }

  static int64_t bytesOf(Value value) { return tensorBytes(value.getType()); }

  static void addCopy(int32_t to, int32_t from, int64_t bytes, DeviceSteps &steps) {
    if (to != from && bytes > 0)
      steps.push_back({CopyStep{to, from, bytes}});
  }

  // --- Ops ---

  LogicalResult addBlock(Block &block, DeviceSteps &steps) {
    for (Operation &op : block.without_terminator())
      if (failed(addOp(&op, steps)))
        return failure();
    return success();
  }

  LogicalResult addOp(Operation *op, DeviceSteps &steps) {
    switch (instructions_.kindOf(op)) {
    case InstructionKind::kConstant:
    case InstructionKind::kScalar: // a reshape: the same memory
    case InstructionKind::kAlias:
    case InstructionKind::kNothing:
    case InstructionKind::kReturn:
      return success();
    case InstructionKind::kKernel:
      return addKernel(op, *instructions_.kernels.at(op), steps), success();
    case InstructionKind::kRuntimeCall:
      return addService(op, steps);
    case InstructionKind::kWhile:
      return addLoop(cast<sh::WhileOp>(op), steps);
    case InstructionKind::kBranch:
      return addBranch(op, steps);
    }
    llvm_unreachable("unknown instruction");
  }

  void addKernel(Operation *op, const Kernel &kernel, DeviceSteps &steps) {
    for (auto [result, init] : llvm::zip(op->getResults(), kernel.resultInit))
      if (init >= 0 && !kernel.copiesInit)
        addCopy(placeOf(result), placeOf(op->getOperand(init)), bytesOf(result), steps);
    program::KernelStep step;
    step.module = modules_.at(op);
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      step.row.push_back(placeOf(value));
    if (const BufferClass *temporary = plan_.temporaryOf(op))
      step.row.push_back(placeOf(*temporary));
    steps.push_back({std::move(step)});
  }

  LogicalResult addService(Operation *op, DeviceSteps &steps) {
    if (instructions_.computations.contains(op))
      return op->emitOpError("cannot be compiled for a GPU yet: it reduces arrays of several devices");
    program::ServiceStep step;
    step.call = instructions_.runtimeCalls.at(op);
    for (Value operand : op->getOperands())
      step.operands.push_back(placeOf(operand));
    for (Value result : op->getResults())
      step.results.push_back(placeOf(result));
    steps.push_back({std::move(step)});
    return success();
  }

  LogicalResult addLoop(sh::WhileOp op, DeviceSteps &steps) {
    const CarryPlan &carries = plan_.loop(op);
    Block &condition = op.getCond().front(), &body = op.getBody().front();
    program::LoopStep loop;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (carries.home[i] >= 0)
        addCopy(placeOf(plan_.classAt(carries.home[i])), placeOf(op->getOperand(i)), bytesOf(op->getOperand(i)), steps);
    if (failed(addBlock(condition, loop.condition)) || failed(addBlock(body, loop.body)))
      return failure();
    loop.predicate = placeOf(condition.getTerminator()->getOperand(0));
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      addCarry(carries, i, body.getTerminator()->getOperand(i), loop);
    steps.push_back({std::move(loop)});
    return success();
  }

  void addCarry(const CarryPlan &carries, unsigned i, Value next, program::LoopStep &loop) {
    auto place = [&](int number) { return placeOf(plan_.classAt(number)); };
    switch (carries.modes[i]) {
    case CarryMode::kInPlace:
    case CarryMode::kNone:
      return;
    case CarryMode::kSwap:
      loop.exchanges.emplace_back(place(carries.home[i]), place(carries.other[i]));
      return;
    case CarryMode::kCopy:
      loop.copies.push_back({place(carries.home[i]), placeOf(next), bytesOf(next)});
      return;
    case CarryMode::kCopyThroughTemp:
      loop.toTemporaries.push_back({place(carries.other[i]), placeOf(next), bytesOf(next)});
      loop.copies.push_back({place(carries.home[i]), place(carries.other[i]), bytesOf(next)});
      return;
    }
  }

  LogicalResult addBranch(Operation *op, DeviceSteps &steps) {
    program::BranchStep branch;
    branch.selector = placeOf(op->getOperand(0));
    branch.isTwoWay = isa<sh::IfOp>(op);
    for (Region &region : op->getRegions()) {
      DeviceSteps &own = branch.branches.emplace_back();
      if (failed(addBlock(region.front(), own)))
        return failure();
      for (auto [result, value] : llvm::zip(op->getResults(), region.front().getTerminator()->getOperands()))
        if (!isToken(result.getType()))
          addCopy(placeOf(result), placeOf(value), bytesOf(value), own);
    }
    steps.push_back({std::move(branch)});
    return success();
  }

  // What another result would overwrite is put aside first.
  void addReturn(Operation *terminator) {
    auto forEachResult = [&](auto &&add) {
      for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
        if (!isToken(value.getType()))
          add(int32_t(i), value, plan_.returnTemporary(int(i)));
    };
    forEachResult([&](int32_t, Value value, const BufferClass *temporary) {
      if (temporary)
        addCopy(placeOf(*temporary), placeOf(value), bytesOf(value), program_.steps);
    });
    forEachResult([&](int32_t i, Value value, const BufferClass *temporary) {
      const BufferClass &buffer = plan_.classOf(value);
      if (!temporary && (buffer.storage != BufferClass::Storage::kResult || buffer.index != i))
        addCopy(placeOfResult(i), placeOf(value), bytesOf(value), program_.steps);
    });
    forEachResult([&](int32_t i, Value value, const BufferClass *temporary) {
      if (temporary)
        addCopy(placeOfResult(i), placeOf(*temporary), bytesOf(value), program_.steps);
    });
  }

  const ProgramInstructions &instructions_;
  const BufferPlan &plan_;
  const llvm::DenseMap<Operation *, int32_t> &modules_;
  program::DeviceProgram &program_;
  llvm::DenseMap<const BufferClass *, int32_t> placeByClass_;
};

} // namespace

LogicalResult makeDeviceSteps(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                              const llvm::DenseMap<Operation *, int32_t> &modules, program::DeviceProgram &program) {
  return StepMaker(instructions, plan, modules, program).run(main);
}

} // namespace tenon::codegen
