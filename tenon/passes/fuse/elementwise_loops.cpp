// A loop that computes each element of its arrays by itself (ir::isElementwiseLoop) becomes one kernel, which does all
// iterations for some elements before it goes on to others: carried values stay in registers, where a kernel for each
// iteration reads and writes all arrays every time, and threads wait for each other once, not in each iteration.
//
//   %2:2 = while(%i = %0, %z = %z0) {          %1 = tenon.fusion loop(%in = %z0, %in_1 = %c) {
//     %3 = multiply %z, %z                       %2:3 = while(%i = %0, %z = %in, %c = %in_1) {
//     %4 = add %3, %c                     =>       ...
//     return %i + 1, %4                            return %i + 1, %4, %c
//   }                                            }
//                                                tenon.yield %2#1
//                                              }
//
// What the loop uses from outside becomes a carried value that stays as it is. Arrays that are made from less than an
// array (broadcasts, numbers) are made in the kernel.

#include "tenon/passes/fuse/elementwise_loops.h"

#include "tenon/ir/captures.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Larger bodies would keep more than registers hold.
constexpr int64_t kMostOps = 256;
// Evaluations of ops for an element, which take some ten milliseconds: a run that is to end waits for them.
constexpr int64_t kMostEvaluations = int64_t(1) << 24;

// In a loop of long functions, vectors that are few enough to be side by side wait for their last iteration longer than
// memory takes: x = exp(-x) * y of 100,000 floats takes 1.3 times as long with AVX-512, 1.7 times with AVX2. Of arrays
// this small, calling a kernel in each iteration takes longer (half of the time for tanh of 256 floats).
constexpr int64_t kMostElementsOfLong = 1024;

// Whether the op takes many others' time.
bool isLong(Operation &op) {
  using enum ir::ElementCost;
  ir::ElementCost cost = ir::elementCost(op.getName()).value_or(kSimple);
  return cost != kSimple && cost != kDivision && cost != kRoot;
}

bool isSplat(Value value) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat();
}

// Whether the loop's kernel makes the value instead of reading it.
bool isMadeInKernel(Value value) {
  Operation *source = value.getDefiningOp();
  if (!source)
    return false;
  if (source->hasTrait<OpTrait::ConstantLike>())
    return isEmbeddableConstant(source);
  return isa<sh::IotaOp>(source) ||
         (isa<sh::BroadcastInDimOp>(source) && elementsOf(source->getOperand(0)) < elementsOf(value));
}

class LoopFuser {
public:
  explicit LoopFuser(sh::WhileOp loop) : loop_(loop) {
    for (Value value : loop->getOperands())
      inits_.push_back(value);
    for (Value value : ir::capturedValues(loop))
      (isSplat(value) ? constants_ : captured_).push_back(value);
    llvm::append_range(inits_, captured_);
    for (OpResult result : loop->getResults())
      if (!result.use_empty())
        results_.push_back(result.getResultNumber());
  }

  bool canFuse(const CostModel &costs) {
    int64_t ops = std::distance(loop_.getBody().front().begin(), loop_.getBody().front().end());
    int64_t trips = ir::tripCount(loop_);
    if (trips < 2 || ops > kMostOps || trips > kMostEvaluations / ops || results_.empty() ||
        !ir::isElementwiseLoop(loop_))
      return false;
    // A kernel's results are arrays of one shape.
    if (llvm::any_of(results_, [&](unsigned number) { return isScalar(loop_->getResult(number).getType()); }))
      return false;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(loop_->getResult(results_.front()).getType()).getShape();
    bool hasManyThreads = costs.task < costs.shortTask; // which do not wait for each other
    if (!hasManyThreads && ShapedType::getNumElements(shape) > kMostElementsOfLong &&
        llvm::any_of(loop_.getBody().front(), isLong))
      return false;
    return llvm::all_of(inits_, [&](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      return tensor && (tensor.getRank() == 0 || tensor.getShape() == shape);
    });
  }

  // The kernel, before the loop, whose results are still used.
  ir::FusionOp build() {
    for (Value value : inits_)
      collectOperands(value);
    SmallVector<Type> types;
    for (unsigned number : results_)
      types.push_back(loop_->getResult(number).getType());
    OpBuilder builder(loop_);
    auto fusion = ir::FusionOp::create(builder, loop_.getLoc(), types, operands_.getArrayRef(), ir::FusionKind::Loop);
    made_.map(operands_.getArrayRef(), fusion.getBlock().getArguments());
    builder.setInsertionPointToEnd(&fusion.getBlock());
    SmallVector<Value> inits;
    for (Value value : inits_)
      inits.push_back(make(builder, value));
    auto loop = sh::WhileOp::create(builder, loop_.getLoc(), ValueRange(inits).getTypes(), inits);
    cloneRegion(loop_.getCond(), loop.getCond());
    cloneRegion(loop_.getBody(), loop.getBody());
    Block &body = loop.getBody().front();
    body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(),
                                         body.getArguments().take_back(captured_.size()));
    SmallVector<Value> yielded;
    for (unsigned number : results_)
      yielded.push_back(loop->getResult(number));
    ir::YieldOp::create(builder, loop_.getLoc(), yielded);
    return fusion;
  }

  // The kernel in place of the loop.
  void replaceBy(ir::FusionOp fusion) {
    for (auto [number, result] : llvm::zip(results_, fusion->getResults()))
      loop_->getResult(number).replaceAllUsesWith(result);
    loop_.erase();
    llvm::SetVector<Value> unused(inits_.begin(), inits_.end());
    unused.insert_range(constants_);
    while (!unused.empty()) {
      Value value = unused.pop_back_val();
      Operation *source = value.getDefiningOp();
      if (!isMadeInKernel(value) || !source->use_empty())
        continue;
      unused.insert_range(source->getOperands());
      source->erase();
    }
  }

private:
  void collectOperands(Value value) {
    if (!isMadeInKernel(value))
      operands_.insert(value);
    else
      llvm::for_each(value.getDefiningOp()->getOperands(), [&](Value operand) { collectOperands(operand); });
  }

  // The value inside of the kernel.
  Value make(OpBuilder &builder, Value value) {
    if (Value made = made_.lookupOrNull(value))
      return made;
    for (Value operand : value.getDefiningOp()->getOperands())
      make(builder, operand);
    builder.clone(*value.getDefiningOp(), made_);
    return made_.lookup(value);
  }

  void cloneRegion(Region &from, Region &to) {
    IRMapping mapping;
    from.cloneInto(&to, mapping);
    for (Value value : captured_) {
      BlockArgument argument = to.front().addArgument(value.getType(), value.getLoc());
      replaceAllUsesInRegionWith(value, argument, to);
    }
    SetVector<Value> constants;
    getUsedValuesDefinedAbove(to, constants);
    OpBuilder builder = OpBuilder::atBlockBegin(&to.front());
    for (Value constant : constants)
      replaceAllUsesInRegionWith(constant, builder.clone(*constant.getDefiningOp())->getResult(0), to);
  }

  sh::WhileOp loop_;
  SmallVector<Value> inits_, captured_; // captured_: also the last of inits_
  SmallVector<Value> constants_;        // of one value, which the loop uses
  SmallVector<unsigned> results_;       // the numbers of those that are used
  llvm::SetVector<Value> operands_;
  IRMapping made_;
};

} // namespace

void fuseElementwiseLoops(ModuleOp module, const FuseOptions &options) {
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](sh::WhileOp loop) {
      LoopFuser fuser(loop);
      if (!fuser.canFuse(options.costs))
        return;
      if (ir::FusionOp fusion = fuser.build(); options.canEmit(fusion))
        fuser.replaceBy(fusion);
      else
        fusion.erase();
    });
}

} // namespace tenon::passes
