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
// array (broadcasts, numbers) are made in the kernel. Arrays that an iteration takes a part of (lax.scan over inputs)
// are operands of the kernel, which it reads there; those that the iterations write part by part are its results. Large
// parts it reads and writes from end to end, with carried values in memory (codegen::LoopPlan::iteratesOverRows).

#include "tenon/passes/fuse/elementwise_loops.h"

#include "tenon/interpreter/tensor.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
// this small, calling a kernel in each iteration takes longer (half of the time for tanh of 256 floats). Where
// iterations read or write parts of larger arrays, they go over rows of these (codegen::LoopPlan::iteratesOverRows).
constexpr int64_t kMostElementsOfLong = 1024;

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

// Whether the op takes elements of its operand to other indices.
bool moves(Operation *op) {
  return op->hasTrait<ir::MovesElements>() && !ir::isScalarTensor(op->getOperand(0).getType());
}

class LoopFuser {
public:
  explicit LoopFuser(sh::WhileOp loop) : loop_(loop) {}

  bool canFuse(const CostModel &costs) {
    Block &body = loop_.getBody().front();
    auto ops = std::distance(body.begin(), body.end());
    int64_t trips = ir::tripCount(loop_);
    if (trips < 2 || ops > kMostOps || trips > kMostEvaluations / ops || !ir::isElementwiseLoop(loop_))
      return false;
    shape_ = ir::elementShape(loop_);
    collectValues();
    // A kernel's results are arrays.
    if (results_.empty() ||
        llvm::any_of(results_, [&](unsigned number) { return ir::isScalarTensor(loop_->getResult(number).getType()); }))
      return false;
    bool hasManyThreads = !costs.hasCores(); // which do not wait for each other
    return hasManyThreads || !takesLonger();
  }

  // The kernel, before the loop, whose results are still used.
  ir::FusionOp build() {
    for (unsigned number : carried_)
      collectOperands(loop_->getOperand(number));
    llvm::for_each(captured_, [&](Value value) { collectOperands(value); });
    operands_.insert_range(read_);
    SmallVector<Type> types;
    for (unsigned number : results_)
      types.push_back(loop_->getResult(number).getType());
    OpBuilder builder(loop_);
    auto fusion = ir::FusionOp::create(builder, loop_.getLoc(), types, operands_.getArrayRef(), ir::FusionKind::Loop);
    made_.map(operands_.getArrayRef(), fusion.getBlock().getArguments());
    builder.setInsertionPointToEnd(&fusion.getBlock());
    SmallVector<Value> inits;
    for (OpResult result : loop_->getResults()) {
      unsigned number = result.getResultNumber();
      if (ir::writtenPart(loop_, number))
        inits.push_back(makeZeros(builder, cast<RankedTensorType>(result.getType())));
      else if (!isOutside(number))
        inits.push_back(make(builder, loop_->getOperand(number)));
    }
    for (Value value : captured_)
      inits.push_back(make(builder, value));
    auto loop = sh::WhileOp::create(builder, loop_.getLoc(), ValueRange(inits).getTypes(), inits);
    cloneRegion(loop_.getCond(), loop.getCond());
    cloneRegion(loop_.getBody(), loop.getBody());
    Block &body = loop.getBody().front();
    body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(),
                                         body.getArguments().take_back(captured_.size()));
    SmallVector<Value> yielded;
    for (unsigned number : results_)
      yielded.push_back(
          loop->getResult(number - llvm::count_if(llvm::seq(number), [&](unsigned n) { return isOutside(n); })));
    ir::YieldOp::create(builder, loop_.getLoc(), yielded);
    return fusion;
  }

  // The kernel in place of the loop.
  void replaceBy(ir::FusionOp fusion) {
    for (auto [number, result] : llvm::zip(results_, fusion->getResults()))
      loop_->getResult(number).replaceAllUsesWith(result);
    for (OpResult result : loop_->getResults())
      if (isOutside(result.getResultNumber()))
        result.replaceAllUsesWith(loop_->getOperand(result.getResultNumber()));
    llvm::SetVector<Value> unused(loop_->operand_begin(), loop_->operand_end());
    unused.insert_range(captured_);
    unused.insert_range(constants_);
    loop_.erase();
    while (!unused.empty()) {
      Value value = unused.pop_back_val();
      Operation *source = value.getDefiningOp();
      if (!source || source->getNumResults() != 1 || !isOpTriviallyDead(source))
        continue;
      unused.insert_range(source->getOperands());
      source->erase();
    }
  }

private:
  // An array that stays the same is as good as one around the loop.
  bool isOutside(unsigned number) {
    return ir::isUnchanged(loop_, number) && !ir::isScalarTensor(loop_->getResult(number).getType());
  }

  // The ops of the loop that use a value around it, also as what the loop carries.
  SmallVector<Operation *> usersOf(Value value) {
    SmallVector<Operation *> users;
    for (Operation *user : value.getUsers())
      if (loop_->isProperAncestor(user))
        users.push_back(user);
    for (auto [number, operand] : llvm::enumerate(loop_->getOperands()))
      if (operand == value && isOutside(number))
        llvm::copy_if(loop_.getBody().front().getArgument(number).getUsers(), std::back_inserter(users),
                      [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); });
    return users;
  }

  void collectValues() {
    llvm::SetVector<Value> around = ir::capturedValues(loop_);
    for (OpResult result : loop_->getResults()) {
      unsigned number = result.getResultNumber();
      if (isOutside(number))
        around.insert(loop_->getOperand(number));
      else if (!ir::writtenPart(loop_, number))
        carried_.push_back(number);
      if (!isOutside(number) && !result.use_empty())
        results_.push_back(number);
    }
    for (Value value : around) {
      if (isSplat(value)) {
        constants_.push_back(value);
        continue;
      }
      SmallVector<Operation *> users = usersOf(value);
      bool isElement = isElementOfLoop(value);
      if (isElement && !llvm::all_of(users, moves))
        captured_.push_back(value);
      if (!users.empty() && (!isElement || llvm::any_of(users, moves)))
        read_.insert(value);
    }
  }

  // Whether the loop may carry it.
  bool isElementOfLoop(Value value) { return ir::isScalarTensor(value.getType()) || ir::shapeOf(value) == shape_; }

  // Whether the arrays are so large that a kernel for each iteration takes less time, or a long function of less than
  // an array would be computed for each element of one.
  bool takesLonger() {
    bool hasParts = !read_.empty();
    for (unsigned number : results_)
      hasParts |= ir::writtenPart(loop_, number) != nullptr;
    int64_t elements = ShapedType::getNumElements(shape_);
    return llvm::any_of(loop_.getBody().front().without_terminator(), [&](Operation &op) {
      if (!ir::isLongFunction(&op))
        return false;
      bool isArray = !ir::isScalarTensor(op.getResult(0).getType());
      return (!hasParts && elements > kMostElementsOfLong) || (isArray && elementsOf(op.getResult(0)) < elements);
    });
  }

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

  // What an array is before the loop that writes all of it.
  Value makeZeros(OpBuilder &builder, RankedTensorType type) {
    auto zero = cast<DenseElementsAttr>(interpreter::Tensor({}, type.getElementType()).toAttr());
    return sh::ConstantOp::create(builder, loop_.getLoc(), zero.resizeSplat(type));
  }

  // Without what stays the same, with what is carried instead of being around, and with constants.
  void cloneRegion(Region &from, Region &to) {
    IRMapping mapping;
    from.cloneInto(&to, mapping);
    Block &block = to.front();
    for (unsigned number = loop_->getNumResults(); number-- > 0;) {
      if (!isOutside(number))
        continue;
      if (block.getTerminator()->getNumOperands() == loop_->getNumResults() && &from == &loop_.getBody())
        block.getTerminator()->eraseOperand(number);
      block.getArgument(number).replaceAllUsesWith(loop_->getOperand(number));
      block.eraseArgument(number);
    }
    for (Value value : captured_) {
      BlockArgument argument = block.addArgument(value.getType(), value.getLoc());
      value.replaceUsesWithIf(argument, [&](OpOperand &use) {
        return to.isAncestor(use.getOwner()->getParentRegion()) &&
               (ir::isScalarTensor(value.getType()) || !moves(use.getOwner()));
      });
    }
    SetVector<Value> around;
    getUsedValuesDefinedAbove(to, around);
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (Value value : around) {
      bool isRead = read_.contains(value);
      Value inside = isRead ? made_.lookup(value) : builder.clone(*value.getDefiningOp())->getResult(0);
      replaceAllUsesInRegionWith(value, inside, to);
    }
  }

  sh::WhileOp loop_;
  ArrayRef<int64_t> shape_;       // of the arrays that the loop changes
  SmallVector<unsigned> carried_; // numbers of what stays in registers
  SmallVector<Value> captured_;   // what is around the loop, and is carried in the kernel
  llvm::SetVector<Value> read_;   // what is around the loop, and is read in each iteration
  SmallVector<Value> constants_;  // of one value, which the loop uses
  SmallVector<unsigned> results_; // the numbers of those that are used
  llvm::SetVector<Value> operands_;
  IRMapping made_;
};

} // namespace

bool mayBeOneKernel(sh::WhileOp loop, const CostModel &costs) { return LoopFuser(loop).canFuse(costs); }

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
