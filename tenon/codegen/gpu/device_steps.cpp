#include "tenon/codegen/gpu/device_steps.h"

#include "tenon/ir/stablehlo.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using program::CopyStep, program::DevicePlace, program::DeviceSteps;

constexpr uint64_t kWordsAlignment = 256; // a line of the cache of their own

class StepMaker {
public:
  StepMaker(const ProgramInstructions &instructions, const BufferPlan &plan,
            const llvm::DenseMap<Operation *, int32_t> &modules, SmallLoops &small, JoinedKernels &joined,
            program::DeviceProgram &program)
      : instructions_(instructions), plan_(plan), modules_(modules), small_(small), joined_(joined), program_(program),
        joiner_(small, program.places, bytes_, joined) {}

  LogicalResult run(func::FuncOp main) {
    Block &block = main.getBody().front();
    if (failed(addBlock(block, program_.steps)))
      return failure();
    addReturn(block.getTerminator());
    joiner_.join(program_.steps);
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

  int32_t placeOf(Value value) {
    if (isToken(value.getType()))
      return -1;
    int32_t place = placeOf(plan_.classOf(value));
    note(place, bytesOf(value));
    return place;
  }
  void note(int32_t place, int64_t bytes) { bytes_[place] = std::max(bytes_[place], bytes); }

  // The memory of a result, whatever is computed there.
  int32_t placeOfResult(int32_t index) {
    program_.places.push_back({DevicePlace::Base::kResult, 0, index});
    return int32_t(program_.places.size()) - 1;
  }

  int32_t placeOfStop() {
    if (stopPlace_ < 0) {
      stopPlace_ = int32_t(program_.places.size());
      program_.places.push_back({DevicePlace::Base::kStop, 0, -1});
    }
    return stopPlace_;
  }

  // Behind the arrays: loops run one after the other, and have the same words.
  int32_t placeOfWords() {
    if (wordsPlace_ < 0) {
      wordsPlace_ = int32_t(program_.places.size());
      auto offset = int64_t(llvm::alignTo(uint64_t(program_.arenaBytes), kWordsAlignment));
      program_.places.push_back({DevicePlace::Base::kArena, offset, -1});
      program_.arenaBytes = offset + kLoopWordBytes;
      note(wordsPlace_, kLoopWordBytes);
    }
    return wordsPlace_;
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
    case InstructionKind::kView:
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
    joiner_.add(op, step.module);
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      step.row.push_back(placeOf(value));
    if (const BufferClass *temporary = plan_.temporaryOf(op)) {
      step.row.push_back(placeOf(*temporary));
      note(step.row.back(), kernel.tempBytes);
    }
    steps.push_back({std::move(step)});
  }

  LogicalResult addService(Operation *op, DeviceSteps &steps) {
    if (instructions_.computations.contains(op))
      return op->emitError("internal error: a reduction over devices has not been expanded");
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
    std::optional<LoopTeam> team = isInKernel_ ? std::nullopt : small_.teamOf(op);
    std::vector<int32_t> homes;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (carries.home[i] >= 0) {
        homes.push_back(placeOf(plan_.classAt(carries.home[i])));
        note(homes.back(), bytesOf(op->getOperand(i)));
        addCopy(placeOf(plan_.classAt(carries.home[i])), placeOf(op->getOperand(i)), bytesOf(op->getOperand(i)), steps);
      }
    llvm::SaveAndRestore<bool> inKernel(isInKernel_, isInKernel_ || team);
    if (failed(addBlock(condition, loop.condition)) || failed(addBlock(body, loop.body)))
      return failure();
    loop.predicate = placeOf(condition.getTerminator()->getOperand(0));
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      addCarry(carries, i, body.getTerminator()->getOperand(i), loop);
    if (team) {
      steps.push_back({addLoopKernel(std::move(loop), *team, homes)});
      return success();
    }
    if (!isInKernel_) {
      joiner_.formTurn(loop);
      joiner_.join(loop.condition);
      joiner_.join(loop.body);
    }
    steps.push_back({std::move(loop)});
    return success();
  }

  program::KernelStep addLoopKernel(program::LoopStep loop, const LoopTeam &team, llvm::ArrayRef<int32_t> homes) {
    LoopKernel kernel;
    int32_t number = joiner_.nextNumber();
    kernel.name = "loop_" + std::to_string(number - small_.numModules());
    kernel.team = team;
    kernel.sharedStep = small_.costs().sharedLoopStep;
    kernel.carried.insert_range(homes);
    llvm::SetVector<int32_t> places = contentsOf(loop).places();
    places.insert_range(homes);
    if (!team.isOneBlock())
      places.insert(placeOfWords());
    places.insert(placeOfStop());
    kernel.row.assign(places.begin(), places.end());
    for (int32_t place : kernel.row)
      kernel.bytes[place] = bytes_[place];
    for (DeviceSteps *steps : {&loop.condition, &loop.body})
      forEachKernel(*steps,
                    [&](program::KernelStep &step) { kernel.plans[step.module] = &small_.planOf(step.module); });
    kernel.loop = std::move(loop);
    program::KernelStep step{number, {kernel.row.begin(), kernel.row.end()}};
    joined_.emplace(number, std::move(kernel));
    return step;
  }

  void addCarry(const CarryPlan &carries, unsigned i, Value next, program::LoopStep &loop) {
    auto place = [&](int number) {
      int32_t found = placeOf(plan_.classAt(number));
      note(found, bytesOf(next));
      return found;
    };
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
      if (!isInKernel_)
        joiner_.join(own);
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
  SmallLoops &small_;
  JoinedKernels &joined_;
  program::DeviceProgram &program_;
  llvm::DenseMap<const BufferClass *, int32_t> placeByClass_;
  std::map<int32_t, int64_t> bytes_;         // of places, as far as they have been used
  int32_t stopPlace_ = -1, wordsPlace_ = -1; // -1: none yet
  bool isInKernel_ = false;
  StepJoiner joiner_;
};

} // namespace

LogicalResult makeDeviceSteps(func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                              const llvm::DenseMap<Operation *, int32_t> &modules, SmallLoops &small,
                              JoinedKernels &joined, program::DeviceProgram &program) {
  return StepMaker(instructions, plan, modules, small, joined, program).run(main);
}

} // namespace tenon::codegen
