// chlo.scan. Its body runs on slices of the inputs; where sizes are only known when the program runs, the scan becomes
// a while loop of as many steps as count.

#include "tenon/ir/chlo.h"
#include "tenon/passes/refine/refiner.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

class ScanRefiner {
public:
  ScanRefiner(Refiner &refiner, chlo::ScanOp scan)
      : refiner_(refiner), emit_(refiner.emit), scan_(scan), dimension_(static_cast<int64_t>(scan.getDimension())),
        inputCount_(scan.getInputs().size()), outputCount_(scan.getOutputs().size()) {}

  LogicalResult refineStatic(ArrayRef<BoundedTensor> operands) {
    Operation *copy = emit_.builder.insert(scan_->cloneWithoutRegions());
    copy->setOperands(valuesOf(operands));
    SmallVector<Type> argumentTypes;
    for (auto [i, operand] : llvm::enumerate(operands))
      argumentTypes.push_back(i < inputCount_ ? sliceType(operand.type()) : operand.type());
    FailureOr<SmallVector<BoundedTensor>> next =
        refiner_.refineComputation(scan_, scan_.getBody(), copy->getRegion(0), argumentTypes);
    if (failed(next))
      return failure();
    int64_t size = lengthOf(operands);
    for (auto [i, refined] : llvm::enumerate(*next))
      copy->getResult(i).setType(i < outputCount_ ? arrayType(refined.type(), size) : refined.type());
    if (failed(verifyCopy(copy)))
      return failure();
    for (auto [i, result] : llvm::enumerate(copy->getResults()))
      if (failed(refiner_.put(scan_, i, BoundedTensor(result))))
        return failure();
    return success();
  }

  // The loop carries the step, the outputs and the carries. What an output looks like shows when the body is refined:
  // first for that, then to stay.
  LogicalResult refineBounded(SmallVector<BoundedTensor> operands) {
    for (size_t i = 1; i < inputCount_; ++i)
      for (int round = 0; round < 2; ++round)
        if (failed(refiner_.unify(scan_, operands[0], dimension_, operands[i], dimension_)))
          return failure();
    ArrayRef<BoundedTensor> carries = ArrayRef(operands).drop_front(inputCount_);
    int64_t size = lengthOf(operands);
    Value steps = inputCount_ ? emit_.size(operands[0], dimension_) : emit_.i32(size);
    SmallVector<Value> initial{emit_.i32(0)};
    llvm::append_range(initial, valuesOf(carries));
    FailureOr<SmallVector<Slice>> outputs = tryStep(initial, operands, steps);
    if (failed(outputs))
      return failure();
    initial.resize(1);
    for (const Slice &output : *outputs)
      initial.push_back(emit_.zeros(arrayType(output.type, size)));
    llvm::append_range(initial, valuesOf(carries));
    sh::WhileOp loop = makeLoop(initial, steps);
    if (failed(fillLoop(loop, operands, steps)))
      return failure();
    return putResults(loop, *outputs, carries, inputCount_ ? operands[0].sizes[dimension_] : Value());
  }

private:
  // The type and sizes of an output at each step.
  struct Slice {
    RankedTensorType type;
    SmallVector<Value, 4> sizes;
  };

  SmallVector<int64_t> arrayShape(RankedTensorType slice, int64_t size) const {
    SmallVector<int64_t> shape(slice.getShape());
    shape.insert(shape.begin() + dimension_, size);
    return shape;
  }
  RankedTensorType arrayType(RankedTensorType slice, int64_t size) const {
    return slice.clone(arrayShape(slice, size));
  }
  RankedTensorType sliceType(RankedTensorType array) const {
    SmallVector<int64_t> shape(array.getShape());
    shape.erase(shape.begin() + dimension_);
    return array.clone(shape);
  }
  int64_t lengthOf(ArrayRef<BoundedTensor> operands) {
    return inputCount_ ? operands[0].dim(dimension_) : static_cast<int64_t>(scan_.getScanDimSize().value_or(0));
  }

  sh::WhileOp makeLoop(ArrayRef<Value> initial, Value steps) {
    OpBuilder::InsertionGuard guard(emit_.builder);
    SmallVector<Type> types(ValueRange(initial).getTypes());
    SmallVector<Location> locations(types.size(), scan_.getLoc());
    auto loop = sh::WhileOp::create(emit_.builder, scan_.getLoc(), types, initial);
    Block *cond = emit_.builder.createBlock(&loop.getCond(), {}, types, locations);
    sh::ReturnOp::create(emit_.builder, scan_.getLoc(),
                         emit_.compare(sh::ComparisonDirection::LT, cond->getArgument(0), steps));
    emit_.builder.createBlock(&loop.getBody(), {}, types, locations);
    return loop;
  }

  Value placeOf(sh::WhileOp loop, Value steps) {
    Value at = loop.getBody().front().getArgument(0);
    return scan_.getIsReverse() ? emit_.subtract(emit_.subtract(steps, emit_.i32(1)), at) : at;
  }

  // Emits the scan's body where the loop's has its end, and gives what it returns, the carries in their old shapes. The
  // loop's arguments from `carried` on are the carries.
  FailureOr<SmallVector<BoundedTensor>> step(sh::WhileOp loop, ArrayRef<BoundedTensor> operands, Value steps,
                                             size_t carried) {
    Block &body = loop.getBody().front();
    emit_.builder.setInsertionPointToEnd(&body);
    Value at = placeOf(loop, steps);
    SmallVector<BoundedTensor> arguments;
    for (const BoundedTensor &input : operands.take_front(inputCount_))
      arguments.push_back(sliceOf(input, at));
    ArrayRef<BoundedTensor> carries = operands.drop_front(inputCount_);
    for (auto [i, carry] : llvm::enumerate(carries))
      arguments.emplace_back(body.getArgument(carried + i), carry.sizes);
    FailureOr<SmallVector<BoundedTensor>> next = refiner_.refineBlock(scan_.getBody().front(), arguments);
    if (failed(next))
      return failure();
    for (auto [i, carry] : llvm::enumerate(carries))
      if (failed(keepShape((*next)[outputCount_ + i], carry)))
        return failure();
    emit_.loc = scan_.getLoc();
    return next;
  }

  BoundedTensor sliceOf(const BoundedTensor &input, Value at) {
    // An empty array gets one element, since the loop's body takes a slice even if it never runs.
    Value array = emit_.resize(input.value, dimension_, std::max<int64_t>(input.dim(dimension_), 1));
    auto type = cast<RankedTensorType>(array.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dimension_] = 1;
    SmallVector<Value> starts(shape.size(), emit_.i32(0));
    starts[dimension_] = at;
    Value slice = emit_.make<sh::DynamicSliceOp>(type.clone(shape), array, starts, shape);
    BoundedTensor refined(emit_.reshape(slice, sliceType(type).getShape()), input.sizes);
    refined.sizes.erase(refined.sizes.begin() + dimension_);
    return refined;
  }

  // A carry has the same sizes after each step.
  LogicalResult keepShape(BoundedTensor &next, const BoundedTensor &carry) {
    BoundedTensor before = carry;
    if (next.sizes.size() != carry.sizes.size())
      return scan_.emitOpError() << "a carry must keep its type, got " << carry.type() << " and " << next.type();
    for (int64_t d = 0; d < static_cast<int64_t>(carry.sizes.size()); ++d) {
      if (!carry.isBounded(d) && !next.isBounded(d) && carry.dim(d) != next.dim(d))
        return scan_.emitOpError() << "dimension " << d << " of a carry must keep its size " << carry.dim(d) << ", got "
                                   << next.dim(d);
      if (failed(refiner_.unify(scan_, before, d, next, d)))
        return failure();
      next.value = emit_.resize(next.value, d, carry.dim(d));
    }
    return success();
  }

  // The outputs of a step in a loop that is not kept. Their sizes are the same in each step: they come from around it.
  FailureOr<SmallVector<Slice>> tryStep(ArrayRef<Value> initial, ArrayRef<BoundedTensor> operands, Value steps) {
    sh::WhileOp loop = makeLoop(initial, steps);
    OpBuilder::InsertionGuard guard(emit_.builder);
    FailureOr<SmallVector<BoundedTensor>> next = step(loop, operands, steps, /*carried=*/1);
    if (failed(next))
      return failure();
    SmallVector<Slice> outputs;
    for (const BoundedTensor &output : ArrayRef(*next).take_front(outputCount_)) {
      for (int64_t d = 0; d < static_cast<int64_t>(output.sizes.size()); ++d)
        if (Value size = output.sizes[d]; size && loop->isAncestor(size.getParentRegion()->getParentOp()))
          return refiner_.refuse(scan_, d < dimension_ ? d : d + 1);
      outputs.push_back({output.type(), output.sizes});
    }
    loop.erase();
    return outputs;
  }

  LogicalResult fillLoop(sh::WhileOp loop, ArrayRef<BoundedTensor> operands, Value steps) {
    OpBuilder::InsertionGuard guard(emit_.builder);
    FailureOr<SmallVector<BoundedTensor>> next = step(loop, operands, steps, 1 + outputCount_);
    if (failed(next))
      return failure();
    finish(loop, *next, steps);
    return success();
  }

  void finish(sh::WhileOp loop, ArrayRef<BoundedTensor> next, Value steps) {
    Block &body = loop.getBody().front();
    Value at = placeOf(loop, steps);
    SmallVector<Value> returned{emit_.add(body.getArgument(0), emit_.i32(1))};
    for (auto [i, slice] : llvm::enumerate(next.take_front(outputCount_))) {
      Value output = body.getArgument(1 + i);
      auto type = cast<RankedTensorType>(output.getType());
      SmallVector<Value> starts(type.getRank(), emit_.i32(0));
      starts[dimension_] = at;
      if (type.getDimSize(dimension_) > 0)
        output = emit_.make<sh::DynamicUpdateSliceOp>(type, output,
                                                      emit_.reshape(slice.value, arrayShape(slice.type(), 1)), starts);
      returned.push_back(output);
    }
    llvm::append_range(returned, valuesOf(next.drop_front(outputCount_)));
    sh::ReturnOp::create(emit_.builder, scan_.getLoc(), returned);
  }

  LogicalResult putResults(sh::WhileOp loop, ArrayRef<Slice> outputs, ArrayRef<BoundedTensor> carries, Value size) {
    for (auto [i, result] : llvm::enumerate(loop->getResults().drop_front())) {
      SmallVector<Value, 4> sizes = i < outputCount_ ? outputs[i].sizes : carries[i - outputCount_].sizes;
      if (i < outputCount_)
        sizes.insert(sizes.begin() + dimension_, size);
      if (failed(refiner_.put(scan_, i, BoundedTensor(result, sizes))))
        return failure();
    }
    return success();
  }

  Refiner &refiner_;
  Emitter &emit_;
  chlo::ScanOp scan_;
  int64_t dimension_;
  size_t inputCount_, outputCount_;
};

} // namespace

FailureOr<bool> refineScan(Refiner &refiner, Operation *op) {
  auto scan = dyn_cast<chlo::ScanOp>(op);
  if (!scan)
    return false;
  SmallVector<BoundedTensor> operands = refiner.getAll(op->getOperands());
  bool isBounded = llvm::any_of(operands, [](const BoundedTensor &operand) { return operand.isBounded(); });
  ScanRefiner rule(refiner, scan);
  if (failed(isBounded ? rule.refineBounded(operands) : rule.refineStatic(operands)))
    return failure();
  return true;
}

} // namespace tenon::passes::refine
