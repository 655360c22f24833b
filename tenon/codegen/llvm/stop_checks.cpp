#include "tenon/codegen/llvm/stop_checks.h"

#include "tenon/codegen/llvm/routines.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <algorithm>
#include <optional>

namespace tenon::codegen {
namespace {

constexpr llvm::StringLiteral kLongKernel = "tenon-long-kernel";

// Instructions between two questions: a millisecond or a few.
constexpr double kSpan = 1e7;

// Turns of a loop whose end is not known: of one in a kernel, and of one in a function that kernels call for each of
// the blocks that they cut their work into (a register tile of a product, a comparison of a sort).
constexpr double kManyTurns = 1e12, kBlockTurns = 4096;

// Where a loop asks: at the header, every `period` turns.
struct Place {
  llvm::BasicBlock *header;
  int64_t period;
};

// What a function's loops take, in instructions, roughly: both sides of a branch count.
class LoopCosts {
public:
  using CallCost = llvm::function_ref<double(llvm::Function &)>;

  LoopCosts(llvm::Function &function, llvm::FunctionAnalysisManager &analyses, unsigned vectorBits, CallCost callCost)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)), vectorBits_(vectorBits),
        tasks_(numberIn(function, kLongKernel)) {
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        ownCost_[loops_.getLoopFor(&block)] += costOf(instruction, callCost);
    total_ = ownCost_[nullptr];
    for (llvm::Loop *loop : loops_) {
      total_ += costOf(*loop);
      choosePlaces(*loop);
    }
  }

  double total() const { return total_; }
  llvm::ArrayRef<Place> places() const { return places_; }
  // Calls of functions that take long.
  llvm::ArrayRef<llvm::CallInst *> longCalls() const { return longCalls_; }

private:
  double costOf(llvm::Instruction &instruction, CallCost callCost) {
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction();
          callee && (!callee->isDeclaration() || routineCost(*callee))) {
        double cost = callee->isDeclaration() ? *routineCost(*callee) : callCost(*callee);
        if (cost >= kSpan)
          longCalls_.push_back(call);
        return cost;
      }
    double bits = double(instruction.getType()->getPrimitiveSizeInBits().getKnownMinValue());
    return std::max(1.0, bits / vectorBits_);
  }

  double costOf(llvm::Loop &loop) { return turnCost(loop) * turns(loop); }

  double turnCost(llvm::Loop &loop) {
    double cost = ownCost_[&loop];
    for (llvm::Loop *inner : loop)
      cost += costOf(*inner);
    return cost;
  }

  double turns(llvm::Loop &loop) {
    if (const auto *count = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getBackedgeTakenCount(&loop)))
      return count->getAPInt().roundToDouble() + 1;
    const auto *most = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getConstantMaxBackedgeTakenCount(&loop));
    // All that a counter of 64 bits can count is no bound.
    if (most && most->getAPInt().roundToDouble() < kManyTurns)
      return most->getAPInt().roundToDouble() + 1;
    if (!tasks_)
      return kBlockTurns;
    return loop.getLoopDepth() == 1 ? std::max(1.0, *tasks_ / step(loop)) : kManyTurns;
  }

  // What the loop's counter goes on by each turn; 1 where that is not seen.
  double step(llvm::Loop &loop) {
    llvm::ICmpInst *compare = loop.getLatchCmpInst();
    const auto *counter =
        compare ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(compare->getOperand(0))) : nullptr;
    if (!counter || counter->getLoop() != &loop)
      return 1;
    const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(evolution_));
    return step ? std::max(1.0, step->getAPInt().roundToDouble(/*isSigned=*/true)) : 1;
  }

  void choosePlaces(llvm::Loop &loop) {
    double cost = turnCost(loop), count = turns(loop);
    if (cost * count < kSpan)
      return;
    places_.push_back({loop.getHeader(), std::max<int64_t>(1, int64_t(std::min(count, kSpan / cost)))});
    if (cost >= kSpan)
      for (llvm::Loop *inner : loop)
        choosePlaces(*inner);
  }

  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  unsigned vectorBits_;
  std::optional<double> tasks_;
  llvm::DenseMap<llvm::Loop *, double> ownCost_; // without the loops in it, of one turn; null: outside of loops
  double total_ = 0;
  llvm::SmallVector<Place> places_;
  llvm::SmallVector<llvm::CallInst *> longCalls_;
};

// Ends the builder's block with the question: on to `on`, or out of the function.
void branchOnStop(llvm::IRBuilderBase &builder, llvm::BasicBlock *on) {
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  llvm::LLVMContext &context = builder.getContext();
  llvm::FunctionCallee stopped = function->getParent()->getOrInsertFunction("tenon_stopped", builder.getInt32Ty());
  auto *out = llvm::BasicBlock::Create(context, "stopped", function);
  builder.CreateCondBr(builder.CreateIsNull(builder.CreateCall(stopped)), on, out,
                       llvm::MDBuilder(context).createLikelyBranchWeights());
  builder.SetInsertPoint(out);
  if (function->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(llvm::Constant::getNullValue(function->getReturnType()));
}

// What the call has left undone must not be used.
void askAfter(llvm::CallInst &call) {
  llvm::BasicBlock *before = call.getParent();
  llvm::BasicBlock *after = llvm::SplitBlock(before, call.getNextNode());
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(before);
  branchOnStop(builder, after);
}

// header: left = phi [period, from outside], [left', from a latch]; if (left == 1) ask; on to `code`, the loop's own.
void askEvery(const Place &place, llvm::BasicBlock *code, llvm::ArrayRef<llvm::BasicBlock *> latches) {
  llvm::BasicBlock *header = place.header;
  header->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(header);
  if (place.period == 1)
    return branchOnStop(builder, code);
  llvm::Type *i64 = builder.getInt64Ty();
  llvm::Value *period = builder.getInt64(uint64_t(place.period));
  auto *left = llvm::PHINode::Create(i64, 2, "left", header->begin());
  llvm::Value *fewer = builder.CreateSub(left, builder.getInt64(1));
  auto *ask = llvm::BasicBlock::Create(builder.getContext(), "ask", header->getParent());
  builder.CreateCondBr(builder.CreateIsNull(fewer), ask, code,
                       llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(ask);
  branchOnStop(builder, code);
  auto *next = llvm::PHINode::Create(i64, 2, "left", code->begin());
  next->addIncoming(fewer, header);
  next->addIncoming(period, ask);
  for (llvm::BasicBlock *from : llvm::predecessors(header))
    left->addIncoming(llvm::is_contained(latches, from) ? static_cast<llvm::Value *>(next) : period, from);
}

class StopChecks {
public:
  StopChecks(llvm::FunctionAnalysisManager &analyses, unsigned vectorBits)
      : analyses_(analyses), vectorBits_(vectorBits) {}

  // Changes the function if it takes long, and before it those that it calls; returns what a call of it costs.
  double visit(llvm::Function &function) {
    auto [known, isNew] = costs_.try_emplace(&function, 0);
    if (!isNew)
      return known->second;
    LoopCosts costs(function, analyses_, vectorBits_, [&](llvm::Function &callee) { return visit(callee); });
    auto &loops = analyses_.getResult<llvm::LoopAnalysis>(function);
    llvm::SmallVector<llvm::SmallVector<llvm::BasicBlock *>> latches;
    for (const Place &place : costs.places())
      loops.getLoopFor(place.header)->getLoopLatches(latches.emplace_back());
    for (auto [i, place] : llvm::enumerate(costs.places())) {
      llvm::BasicBlock *code = llvm::SplitBlock(place.header, place.header->getFirstNonPHIIt());
      for (auto &blocks : latches) // a header may be a latch, of its own loop or of one around it
        llvm::replace(blocks, place.header, code);
      askEvery(place, code, latches[i]);
    }
    for (llvm::CallInst *call : costs.longCalls())
      askAfter(*call);
    if (!costs.places().empty() || !costs.longCalls().empty())
      analyses_.invalidate(function, llvm::PreservedAnalyses::none());
    return costs_[&function] = costs.total();
  }

private:
  llvm::FunctionAnalysisManager &analyses_;
  unsigned vectorBits_;
  llvm::DenseMap<llvm::Function *, double> costs_;
};

} // namespace

void markLongKernel(llvm::Function &kernel, int64_t extent) {
  kernel.addFnAttr(kLongKernel, std::to_string(extent));
  // Bounds the turns of loops over parts of the tasks.
  llvm::ConstantRange tasks(llvm::APInt(64, 0), llvm::APInt(64, uint64_t(extent) + 1));
  for (unsigned bound : {1U, 2U})
    kernel.addParamAttr(bound, llvm::Attribute::get(kernel.getContext(), llvm::Attribute::Range, tasks));
}

void insertStopChecks(llvm::Module &module, llvm::FunctionAnalysisManager &analyses, unsigned vectorBits) {
  StopChecks checks(analyses, vectorBits);
  for (llvm::Function &function : module)
    if (numberIn(function, kLongKernel))
      checks.visit(function);
}

void askWhetherToStop(Emitter &e) {
  auto *on = llvm::BasicBlock::Create(e.b.getContext(), "on", e.function);
  branchOnStop(e.b, on);
  e.b.SetInsertPoint(on);
}

} // namespace tenon::codegen
