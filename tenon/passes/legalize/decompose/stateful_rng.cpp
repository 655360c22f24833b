// rng as arithmetic on counters. What the op gives depends on hidden state: how many rng ops ran before it. The count
// becomes a value, which loops carry and branches give on, and each rng the numbers that Philox makes of it, with the
// seed of the run, which the runtime is asked for, as its key. Which draw gives which element is as in the interpreter
// (tenon/interpreter/rng.cpp).
//
//   %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
//     =>  a + (b - a) * (philox(key = seed, counter = (position, count)) >> 11) * 2^-53,  count + 1

#include "tenon/ir/process_groups.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/counter_rng.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/partition/partition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <numbers>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The values of one rng, in arrays of rank 1, from 64-bit draws.
class RngExpansion {
public:
  RngExpansion(sh::RngOp op, Value seed, Value count, OpBuilder &builder)
      : builder_(builder), loc_(op.getLoc()), low_(op.getA()), high_(op.getB()),
        result_(cast<RankedTensorType>(op.getResult().getType())), seed_(seed), count_(count) {}

  Value uniform() {
    Type type = result_.getElementType();
    Value bits = draws(result_.getNumElements());
    Value value = isa<FloatType>(type) ? uniformFloat(bits) : uniformInteger(bits);
    return choose(less(low_, high_), value, broadcastTo(low_));
  }

  // Box-Muller.
  Value normal() {
    Value bits = draws(2 * result_.getNumElements());
    Value u = binary<sh::SubtractOp>(constant(1), unit(column(bits, 0))), v = unit(column(bits, 1));
    Value radius = unary<sh::SqrtOp>(multiply(constant(-2), unary<sh::LogOp>(u)));
    Value z = multiply(radius, unary<sh::CosineOp>(multiply(constant(2 * std::numbers::pi), v)));
    return convert(add(wide(low_), multiply(wide(high_), z)), type(result_.getElementType()));
  }

private:
  RankedTensorType type(Type element) { return RankedTensorType::get({result_.getNumElements()}, element); }
  Type integer(bool isSigned) { return isSigned ? builder_.getI64Type() : builder_.getIntegerType(64, false); }
  Value convert(Value value, Type to) { return sh::ConvertOp::create(builder_, loc_, to, value); }
  Value broadcastTo(Value scalar) {
    auto element = cast<RankedTensorType>(scalar.getType()).getElementType();
    return sh::BroadcastInDimOp::create(builder_, loc_, type(element), scalar, ArrayRef<int64_t>{});
  }
  Value wide(Value scalar) { return broadcastTo(convert(scalar, RankedTensorType::get({}, builder_.getF64Type()))); }
  Value constant(double value) {
    return sh::ConstantOp::create(builder_, loc_, SplatElementsAttr::get(type(builder_.getF64Type()), APFloat(value)));
  }
  template <typename Op> Value unary(Value a) { return Op::create(builder_, loc_, a.getType(), a); }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(builder_, loc_, a.getType(), a, b); }
  Value add(Value a, Value b) { return binary<sh::AddOp>(a, b); }
  Value multiply(Value a, Value b) { return binary<sh::MultiplyOp>(a, b); }
  Value less(Value a, Value b) {
    auto operand = cast<RankedTensorType>(a.getType());
    Type element = operand.getElementType();
    auto kind = isa<FloatType>(element)                               ? sh::ComparisonType::FLOAT
                : element.isInteger(1) || element.isUnsignedInteger() ? sh::ComparisonType::UNSIGNED
                                                                      : sh::ComparisonType::SIGNED;
    return sh::CompareOp::create(builder_, loc_, operand.clone(builder_.getI1Type()), a, b, sh::ComparisonDirection::LT,
                                 sh::ComparisonTypeAttr::get(builder_.getContext(), kind));
  }
  Value choose(Value condition, Value a, Value b) {
    return sh::SelectOp::create(builder_, loc_, a.getType(), condition, a, b);
  }
  // The first or the second ones of the draws, which are taken in pairs.
  Value column(Value bits, int64_t number) {
    int64_t count = result_.getNumElements();
    int64_t start[] = {0, number}, limit[] = {count, number + 1}, stride[] = {1, 1};
    auto reshaped = [&](Value value, ArrayRef<int64_t> shape) -> Value {
      return sh::ReshapeOp::create(builder_, loc_, RankedTensorType::get(shape, integer(false)), value);
    };
    auto columnType = RankedTensorType::get({count, 1}, integer(false));
    Value pairs = reshaped(bits, {count, 2});
    return reshaped(sh::SliceOp::create(builder_, loc_, columnType, pairs, start, limit, stride), {count});
  }

  // The first draws of 64 bits; a block of Philox has two.
  Value draws(int64_t number) {
    CounterRng words(builder_, loc_, (number + 1) / 2);
    auto block = words.philox(words.broadcastTo(seed_), words.positions(), words.broadcastTo(count_));
    Value pairs = words.interleave({words.join(block[0], block[1]), words.join(block[2], block[3])});
    return words.slice(words.reshape(pairs, {2 * words.wide.getDimSize(0)}), {number});
  }

  // [0, 1), of 53 bits.
  Value unit(Value bits) {
    CounterRng words(builder_, loc_, result_.getNumElements());
    Value top = words.binary<sh::ShiftRightLogicalOp>(bits, words.constant(words.wide, 11));
    return multiply(convert(top, type(builder_.getF64Type())), constant(0x1p-53));
  }

  Value uniformFloat(Value bits) {
    Value scaled = multiply(binary<sh::SubtractOp>(wide(high_), wide(low_)), unit(bits));
    Value value = convert(add(wide(low_), scaled), type(result_.getElementType()));
    // Rounding may reach the excluded end.
    return choose(less(value, broadcastTo(high_)), value, broadcastTo(low_));
  }

  Value uniformInteger(Value bits) {
    auto extend = [&](Value scalar) {
      Type element = cast<RankedTensorType>(scalar.getType()).getElementType();
      bool isSigned = !element.isInteger(1) && !element.isUnsignedInteger();
      Value value = convert(scalar, RankedTensorType::get({}, integer(isSigned)));
      return broadcastTo(convert(value, RankedTensorType::get({}, integer(false))));
    };
    Value offset = binary<sh::RemainderOp>(bits, binary<sh::SubtractOp>(extend(high_), extend(low_)));
    return convert(add(extend(low_), offset), type(result_.getElementType()));
  }

  OpBuilder &builder_;
  Location loc_;
  Value low_, high_;
  RankedTensorType result_;
  Value seed_, count_;
};

// Replaces the rng ops of a function in the order in which they run.
class RngExpander {
public:
  explicit RngExpander(MLIRContext *context)
      : builder(context), countType_(RankedTensorType::get({}, builder.getIntegerType(64, /*isSigned=*/false))) {}

  // The seed of the run, here.
  void askForSeed(Location loc) {
    OperationState state(loc, sh::CustomCallOp::getOperationName());
    state.addAttribute("call_target_name", builder.getStringAttr(ir::kRunSeedTarget));
    state.addTypes(countType_);
    seed_ = builder.create(state)->getResult(0);
  }

  // The first device's for all of them, which then have the same numbers.
  void shareSeed(Location loc, int64_t devices) {
    SmallVector<int64_t> ids = llvm::to_vector(llvm::seq<int64_t>(0, devices));
    auto groups = DenseIntElementsAttr::get(RankedTensorType::get({1, devices}, builder.getI64Type()), ids);
    seed_ = sh::CollectiveBroadcastOp::create(builder, loc, TypeRange{countType_}, ValueRange{seed_}, groups,
                                              sh::ChannelHandleAttr::get(builder.getContext(), 1, 1))
                ->getResult(0);
  }

  // `count` becomes that after the block.
  LogicalResult expand(Block &block, Value &count) {
    for (Operation *op = &block.front(); op;) {
      Operation *next = op->getNextNode();
      if (auto rng = dyn_cast<sh::RngOp>(op)) {
        if (failed(expandRng(rng, count)))
          return failure();
      } else if (hasRng(op->getRegions())) {
        auto loop = dyn_cast<sh::WhileOp>(op);
        if (loop && hasRng(loop.getCond())) {
          op = rotate(loop);
          continue;
        }
        if (failed(loop ? expandLoop(loop, count) : expandBranches(op, count)))
          return failure();
      }
      op = next;
    }
    return success();
  }

  static bool hasRng(MutableArrayRef<Region> regions) {
    auto find = [](sh::RngOp) { return WalkResult::interrupt(); };
    return llvm::any_of(regions, [&](Region &region) { return region.walk(find).wasInterrupted(); });
  }

  Value constant(Location loc, uint64_t value) {
    return sh::ConstantOp::create(builder, loc, SplatElementsAttr::get(countType_, APInt(64, value)));
  }

  OpBuilder builder;

private:
  LogicalResult expandRng(sh::RngOp op, Value &count) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!type.hasStaticShape())
      return op.emitError("rng of a shape that is only known when the program runs can't be compiled");
    builder.setInsertionPoint(op);
    RngExpansion draws(op, seed_, count, builder);
    bool isNormal = op.getRngDistribution() == sh::RngDistribution::NORMAL;
    Value values = isNormal ? draws.normal() : draws.uniform();
    Value result = sh::ReshapeOp::create(builder, op.getLoc(), type, values);
    count = sh::AddOp::create(builder, op.getLoc(), countType_, count, constant(op.getLoc(), 1));
    op.getResult().replaceAllUsesWith(result);
    op.erase();
    return success();
  }

  LogicalResult expandLoop(sh::WhileOp loop, Value &count) {
    SmallVector<Value> operands(loop.getOperands());
    operands.push_back(count);
    Operation *wider = withOneMore(loop, operands, countType_);
    for (Region &region : wider->getRegions())
      region.addArgument(countType_, wider->getLoc());
    Block &body = cast<sh::WhileOp>(wider).getBody().front();
    count = body.getArguments().back();
    if (failed(expand(body, count)))
      return failure();
    body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(), count);
    count = wider->getResults().back();
    return success();
  }

  LogicalResult expandBranches(Operation *op, Value &count) {
    if (!isa<sh::IfOp, sh::CaseOp>(op))
      return op->emitError("rng inside this operation can't be compiled: its order is not defined there");
    Operation *wider = withOneMore(op, op->getOperands(), countType_);
    for (Region &region : wider->getRegions()) {
      Value after = count;
      if (failed(expand(region.front(), after)))
        return failure();
      Operation *terminator = region.front().getTerminator();
      terminator->insertOperands(terminator->getNumOperands(), after);
    }
    count = wider->getResults().back();
    return success();
  }

  // So that the condition's rng ops stand where their count can be carried on: the condition is computed before the
  // loop and at the end of its body, and carried. Gives the op to go on at.
  Operation *rotate(sh::WhileOp loop) {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    auto copyBefore = [&](Operation *place, ValueRange arguments) {
      builder.setInsertionPoint(place);
      IRMapping mapping;
      mapping.map(cond.getArguments(), arguments);
      for (Operation &op : cond.without_terminator())
        builder.clone(op, mapping);
      return mapping.lookupOrDefault(cond.getTerminator()->getOperand(0));
    };
    Operation *before = loop->getPrevNode();
    SmallVector<Value> operands(loop.getOperands());
    operands.push_back(copyBefore(loop, loop.getOperands()));
    Operation *first = before ? before->getNextNode() : &loop->getBlock()->front();
    Operation *terminator = body.getTerminator();
    terminator->insertOperands(terminator->getNumOperands(), copyBefore(terminator, terminator->getOperands()));
    Operation *wider = withOneMore(loop, operands, operands.back().getType());
    for (Region &region : wider->getRegions())
      region.addArgument(operands.back().getType(), wider->getLoc());
    cond.getTerminator()->setOperand(0, cond.getArguments().back());
    while (Operation *dead = cond.getTerminator()->getPrevNode())
      dead->erase();
    return first;
  }

  // The same op with its regions, other operands, and a result more.
  Operation *withOneMore(Operation *op, ValueRange operands, Type type) {
    OperationState state(op->getLoc(), op->getName().getStringRef(), operands, op->getResultTypes());
    state.addTypes(type);
    state.addAttributes(op->getAttrDictionary().getValue());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    builder.setInsertionPoint(op);
    Operation *wider = builder.create(state);
    op->replaceAllUsesWith(wider->getResults().drop_back());
    op->erase();
    return wider;
  }

  RankedTensorType countType_;
  Value seed_;
};

} // namespace

LogicalResult expandRng(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !RngExpander::hasRng(main->getRegions()))
    return success();
  RngExpander expander(module.getContext());
  expander.builder.setInsertionPointToStart(&main.front());
  expander.askForSeed(main.getLoc());
  if (module->hasAttr(kPartitionedAttribute))
    expander.shareSeed(main.getLoc(), ir::numPartitions(module).value_or(1));
  Value count = expander.constant(main.getLoc(), 0);
  return expander.expand(main.front(), count);
}

} // namespace tenon::passes
