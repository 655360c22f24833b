#include "tenon/codegen/gpu/select_and_scatter.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/loop/window_selection.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using mlir::AffineExpr;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {

std::optional<SelectTeamPlan> planSelectTeam(const loop::SelectAndScatterPlan &plan) {
  stablehlo::SelectAndScatterOp op = plan.op;
  int64_t windows = elementCount(shapeOf(op.getSource())), results = elementCount(shapeOf(op.getOperand()));
  if (windows == 0 || results == 0)
    return std::nullopt;
  SelectTeamPlan team;
  bool isWhole = plan.vectorDim >= 0 && plan.dims[size_t(plan.vectorDim)].extent % plan.lanes == 0;
  team.lanes = isWhole ? plan.lanes : 1;
  team.windows = windows / team.lanes;
  team.results = results / team.lanes;
  team.positionBytes = results <= INT32_MAX ? 4 : 8;
  team.tempBytes = int64_t(alignTo(uint64_t(windows * team.positionBytes), 64));
  return team;
}

FormPhases SelectTeamPlan::phases() const {
  return {{windows, kTaskBlock, 0, /*isByThreads=*/true}, {results, kTaskBlock, 0, /*isByThreads=*/true}};
}

void SelectTeamPlan::print(raw_ostream &os) const {
  os << windows << " windows, then " << results << " results by threads, in vectors of " << lanes << '\n';
}

namespace {

class SelectTeam {
public:
  SelectTeam(const SelectTeamPlan &team, const loop::SelectAndScatterPlan &plan, const KernelSource &source,
             LoopEvaluator &evaluator)
      : team_(team), plan_(plan), op_(plan.op), shape_(shapeOf(op_.getOperand())),
        sourceShape_(shapeOf(op_.getSource())), type_(elementTypeOf(op_.getOperand())),
        positionType_(mlir::IntegerType::get(op_.getContext(), unsigned(team.positionBytes) * 8)),
        evaluator_(evaluator), b_(evaluator.builder()) {
    positions_ = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator.tempPointer(), uint64_t(source.tempBase));
    evaluator_.setLanes(team.lanes);
  }

  // What a window selects; -1 where it has no element.
  void emitWindow(Value *task) {
    IndexVector index = bindIndex(sourceShape_, task);
    loop::WindowSelection::Selected selected = loop::WindowSelection(plan_, evaluator_).select(index);
    Value *position = asPosition(selected.position);
    position = b_.CreateSelect(selected.any, position, Constant::getAllOnesValue(position->getType()));
    evaluator_.storeAt(positionType_, positions_, evaluator_.space().linearize(index, sourceShape_), {position});
  }

  void emitResult(Value *task) {
    IndexVector index = bindIndex(shape_, task);
    AffineExpr position = evaluator_.space().linearize(index, shape_);
    Value *own = asPosition(evaluator_.toVector({evaluator_.indexValue(position)}).re);
    LLVMValues init = LoopEvaluator::pack({evaluator_.evalVector(op_.getInitValue(), {})});
    LLVMValues result = overWindows(0, index, index, own, init);
    evaluator_.storeAt(type_, evaluator_.outputPointer(0), position, LoopEvaluator::unpack(result, {type_})[0]);
  }

private:
  Value *number(int64_t value) { return evaluator_.constant(value); }

  Value *asPosition(Value *index) {
    Type *type = index->getType()->getWithNewBitWidth(unsigned(team_.positionBytes) * 8);
    return b_.CreateSExtOrTrunc(index, type);
  }

  // Gives the dimensions the values that they have for a vector, with new ones for those that have windows.
  IndexVector bindIndex(ArrayRef<int64_t> shape, Value *vector) {
    IndexVector index(plan_.index);
    unsigned kept = plan_.keptDims;
    for (unsigned d = unsigned(shape.size()); d-- > 0;) {
      bool isWindowed = is_contained(plan_.windowed, d);
      if (isWindowed)
        index[d] = evaluator_.space().addDim(shape[d]);
      unsigned dim = isWindowed ? evaluator_.space().numDims() - 1 : --kept;
      int64_t lanes = !isWindowed && int(dim) == plan_.vectorDim ? team_.lanes : 1;
      Value *count = number(shape[d] / lanes);
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(vector, count);
      Value *iv = d == 0 ? vector : b_.CreateNSWSub(vector, b_.CreateNSWMul(outer, count));
      evaluator_.bindDim(dim, b_.CreateNSWMul(iv, number(lanes)), lanes > 1 ? 1 : 0);
      vector = outer;
    }
    return index;
  }

  // The windows that have the element at `index`, along windowed dimensions from `number` on; `window` is the index of
  // one.
  LLVMValues overWindows(unsigned place, ArrayRef<AffineExpr> index, IndexVector window, Value *own,
                         const LLVMValues &carried) {
    if (place == plan_.windowed.size())
      return applyWindow(window, own, carried);
    unsigned d = plan_.windowed[place];
    size_t rank = shape_.size();
    int64_t stride = windowDims(op_, "window_strides", rank, 1)[d], low = windowPadding(op_, rank)[d].first;
    Value *zero = number(0), *at = b_.CreateNSWAdd(evaluator_.uniformIndex(index[d]), number(low));
    Value *behind = b_.CreateNSWAdd(at, number(stride - plan_.window[d])); // the first window that reaches so far
    Value *begin = b_.CreateUDiv(b_.CreateBinaryIntrinsic(Intrinsic::smax, behind, zero), number(stride));
    Value *past =
        b_.CreateNSWAdd(b_.CreateUDiv(b_.CreateBinaryIntrinsic(Intrinsic::smax, at, zero), number(stride)), number(1));
    past = b_.CreateSelect(b_.CreateICmpSLT(at, zero), zero, past);
    Value *end = b_.CreateBinaryIntrinsic(Intrinsic::smin, past, number(sourceShape_[d]));
    window[d] = evaluator_.space().addDim(sourceShape_[d]);
    unsigned dim = evaluator_.space().numDims() - 1;
    return evaluator_.forLoop(begin, end, 1, carried, [&](Value *iv, auto values) {
      evaluator_.bindDim(dim, iv, 0);
      return overWindows(place + 1, index, window, own, LLVMValues(values));
    });
  }

  LLVMValues applyWindow(ArrayRef<AffineExpr> window, Value *own, const LLVMValues &carried) {
    AffineExpr at = evaluator_.space().linearize(window, sourceShape_);
    Value *selected = evaluator_.toVector(evaluator_.loadAt(positionType_, positions_, at)).re;
    Element before = LoopEvaluator::unpack(carried, {type_})[0],
            update = evaluator_.evalVector(op_.getSource(), window);
    Element after = evaluator_.toVector(evaluator_.emitBody(op_.getScatter(), {before, update})[0]);
    return LoopEvaluator::pack({selectElement(b_, b_.CreateICmpEQ(selected, own), after, before)});
  }

  const SelectTeamPlan &team_;
  const loop::SelectAndScatterPlan &plan_;
  stablehlo::SelectAndScatterOp op_;
  ArrayRef<int64_t> shape_, sourceShape_;
  mlir::Type type_, positionType_;
  LoopEvaluator &evaluator_;
  IRBuilder<> &b_;
  Value *positions_;
};

} // namespace

LogicalResult emitSelectTeam(const SelectTeamPlan &team, const loop::SelectAndScatterPlan &plan,
                             const KernelSource &source, Module &module, const EmissionTarget &target) {
  auto emit = [&](const KernelPhase &phase, void (SelectTeam::*step)(Value *)) {
    return loop::emitLoopFunction(phase, plan, source, module, target,
                                  [&](LoopEvaluator &evaluator, Function *function) {
                                    SelectTeam code(team, plan, source, evaluator);
                                    (code.*step)(function->getArg(1)); // a thread calls it for each task
                                  });
  };
  if (failed(emit(plan.kernel.phases[0], &SelectTeam::emitWindow)))
    return failure();
  return emit(plan.kernel.phases[1], &SelectTeam::emitResult);
}

} // namespace tenon::codegen
