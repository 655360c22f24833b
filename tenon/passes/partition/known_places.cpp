// Before shardings spread, XLA computes scalars that are known and makes slices of what is taken from a known place:
//
//   dynamic_slice %x, 5, 0 -> 8x4            =>  slice %x[5:13, 0:4]
//   slice (concatenate %x, %y)[0:8, 0:4]     =>  %x, if that is of 8x4
//   reshape (reshape %x)                     =>  reshape %x
//   what has no elements                     =>  constant
//
// Shardings spread along a slice, and not along the dimensions of a dynamic slice or a gather that are taken in part.
// So where results lie follows from it, which users of JAX see.
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/simplify/constant_fold.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

bool hasStaticShapes(Operation *op) {
  return llvm::all_of(llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

// The elements of a constant of integers of at most 64 bits; none of others.
std::optional<SmallVector<int64_t>> knownIntegers(Value value) {
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  bool isUnsigned = constant.getElementType().isUnsignedInteger();
  SmallVector<int64_t> integers;
  for (const APInt &integer : constant)
    integers.push_back(isUnsigned ? static_cast<int64_t>(integer.getLimitedValue(std::numeric_limits<int64_t>::max()))
                                  : integer.getSExtValue());
  return integers;
}

// A place is moved so that all of the slice is within the array.
Value sliceAt(OpBuilder &builder, Location loc, Value array, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> from, to;
  for (auto [start, size, all] : llvm::zip_equal(starts, sizes, ir::shapeOf(array))) {
    from.push_back(std::clamp<int64_t>(start, 0, all - size));
    to.push_back(from.back() + size);
  }
  return sh::SliceOp::create(builder, loc, array, from, to, SmallVector<int64_t>(from.size(), 1));
}

Value sliceOf(sh::DynamicSliceOp op) {
  SmallVector<int64_t> starts;
  for (Value start : op.getStartIndices()) {
    auto known = knownIntegers(start);
    if (!known)
      return {};
    starts.push_back(known->front());
  }
  OpBuilder builder(op);
  return sliceAt(builder, op.getLoc(), op.getOperand(), starts, op.getSliceSizes());
}

// One slice, at a place that is known.
Value sliceOf(sh::GatherOp op) {
  sh::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto indices = ir::typeOf(op.getStartIndices());
  if (indices.getRank() > 1 || numbers.getIndexVectorDim() != 0 || !numbers.getOperandBatchingDims().empty() ||
      indices.getNumElements() != static_cast<int64_t>(numbers.getStartIndexMap().size()))
    return {};
  auto known = knownIntegers(op.getStartIndices());
  if (!known)
    return {};
  SmallVector<int64_t> starts(op.getSliceSizes().size(), 0);
  for (auto [dimension, start] : llvm::zip_equal(numbers.getStartIndexMap(), *known))
    starts[dimension] = start;
  OpBuilder builder(op);
  Value slice = sliceAt(builder, op.getLoc(), op.getOperand(), starts, op.getSliceSizes());
  if (slice.getType() == op.getType())
    return slice;
  return sh::ReshapeOp::create(builder, op.getLoc(), op.getType(), slice);
}

// A slice of the operands of a concatenation that it reaches, if these are fewer than all.
Value sliceOfFewer(sh::SliceOp op) {
  auto all = op.getOperand().getDefiningOp<sh::ConcatenateOp>();
  if (!all || all->hasAttr("sdy.sharding"))
    return {};
  auto dimension = static_cast<int64_t>(all.getDimension());
  SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices());
  SmallVector<Value> reached;
  int64_t before = 0, end = 0;
  for (Value operand : all.getInputs()) {
    int64_t begin = end;
    end += ir::shapeOf(operand)[dimension];
    if (end <= starts[dimension])
      before = end;
    else if (begin < limits[dimension])
      reached.push_back(operand);
  }
  if (reached.empty() || reached.size() == all.getInputs().size() || (reached.size() > 1 && !all->hasOneUse()))
    return {};
  OpBuilder builder(op);
  Value array = reached.size() == 1
                    ? reached.front()
                    : sh::ConcatenateOp::create(builder, all.getLoc(), reached, all.getDimension()).getResult();
  starts[dimension] -= before;
  limits[dimension] -= before;
  return sh::SliceOp::create(builder, op.getLoc(), array, starts, limits, op.getStrides());
}

Value sliceOf(sh::SliceOp op) { return op.getOperand().getType() == op.getType() ? op.getOperand() : sliceOfFewer(op); }

// Arrays without elements add nothing.
Value concatenationOfFewer(sh::ConcatenateOp op) {
  SmallVector<Value> operands =
      llvm::filter_to_vector(op.getInputs(), [](Value operand) { return ir::typeOf(operand).getNumElements() != 0; });
  if (operands.size() == 1)
    return operands.front();
  if (operands.empty() || operands.size() == op.getInputs().size())
    return {};
  OpBuilder builder(op);
  return sh::ConcatenateOp::create(builder, op.getLoc(), operands, op.getDimension());
}

Value reshapeOfOne(sh::ReshapeOp op) {
  auto inner = op.getOperand().getDefiningOp<sh::ReshapeOp>();
  if (!inner || inner->hasAttr("sdy.sharding"))
    return {};
  if (inner.getOperand().getType() == op.getType())
    return inner.getOperand();
  OpBuilder builder(op);
  return sh::ReshapeOp::create(builder, op.getLoc(), op.getType(), inner.getOperand());
}

// Numbers, and vectors of as few as there may be dimensions.
bool isPlace(RankedTensorType type) { return type.getRank() <= 1 && type.getNumElements() <= 16; }

// What is computed of known numbers.
Value constantOf(Operation *op) {
  bool isFolded =
      op->hasTrait<ir::Elementwise>() || isa<sh::SliceOp, sh::ReshapeOp, sh::BroadcastInDimOp, sh::ConcatenateOp>(op);
  if (op->getNumResults() != 1 || !isFolded || !isPlace(ir::typeOf(op->getResult(0))))
    return {};
  auto constants = evaluateOnConstants(op);
  if (!constants)
    return {};
  OpBuilder builder(op);
  return sh::ConstantOp::create(builder, op->getLoc(), op->getResult(0).getType(), constants->front());
}

// Arrays without elements are constants, whatever they are computed from.
Value emptyConstant(Operation *op) {
  if (op->getName().getDialectNamespace() != sh::StablehloDialect::getDialectNamespace() || isa<sh::ConstantOp>(op) ||
      op->getNumResults() != 1 || !isPure(op))
    return {};
  RankedTensorType type = ir::typeOf(op->getResult(0));
  if (type.getNumElements() != 0 || !(type.getElementType().isIntOrFloat() || isa<ComplexType>(type.getElementType())))
    return {};
  OpBuilder builder(op);
  return sh::ConstantOp::create(builder, op->getLoc(), type, DenseElementsAttr::get(type, ArrayRef<Attribute>()));
}

// What is reduced of no elements is the initial value.
Value initialValue(sh::ReduceOp op) {
  if (op.getInputs().size() != 1 || ir::typeOf(op.getInputs()[0]).getNumElements() != 0)
    return {};
  auto type = ir::typeOf(op->getResult(0));
  if (type.getElementType() != ir::typeOf(op.getInitValues()[0]).getElementType())
    return {};
  OpBuilder builder(op);
  return sh::BroadcastInDimOp::create(builder, op.getLoc(), type, op.getInitValues()[0], ArrayRef<int64_t>());
}

Value simplerForm(Operation *op) {
  if (op->hasAttr("sdy.sharding") || !hasStaticShapes(op))
    return {};
  if (Value constant = emptyConstant(op))
    return constant;
  if (Value constant = constantOf(op))
    return constant;
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](sh::DynamicSliceOp slice) { return sliceOf(slice); })
      .Case([](sh::GatherOp gather) { return sliceOf(gather); })
      .Case([](sh::SliceOp slice) { return sliceOf(slice); })
      .Case([](sh::ConcatenateOp concatenation) { return concatenationOfFewer(concatenation); })
      .Case([](sh::ReshapeOp reshape) { return reshapeOfOne(reshape); })
      .Case([](sh::ReduceOp reduce) { return initialValue(reduce); })
      .Default(Value());
}

} // namespace

void foldKnownPlaces(ModuleOp module) {
  module.walk([](Operation *op) {
    while (Value simpler = simplerForm(op)) {
      Operation *inner = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
      Operation *next = simpler.getDefiningOp();
      op->replaceAllUsesWith(ValueRange(simpler));
      op->erase();
      if (inner && inner != next && isa<sh::ReshapeOp, sh::ConcatenateOp>(inner) && inner->use_empty())
        inner->erase(); // or shardings would spread along it
      if (!isa_and_nonnull<sh::SliceOp, sh::ReshapeOp>(next))
        return;
      op = next;
    }
  });
}

} // namespace tenon::passes
