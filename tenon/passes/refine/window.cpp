// Windows that slide over bounded dimensions. Beyond a size is what a window sees beyond an edge, and as many windows
// count as fit into it.

#include "tenon/ir/infer.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

SmallVector<int64_t> allDimensions(const BoundedTensor &refined) {
  return llvm::to_vector(llvm::seq<int64_t>(0, refined.sizes.size()));
}

class WindowRefiner {
public:
  explicit WindowRefiner(Refiner &refiner) : refiner_(refiner), emit_(refiner.emit) {}

  LogicalResult refine(sh::ReduceWindowOp op) {
    FailureOr<SmallVector<BoundedTensor>> inputs = refiner_.unified(op, op.getInputs());
    if (failed(inputs))
      return failure();
    SmallVector<BoundedTensor> inits = refiner_.getAll(op.getInitValues());
    const BoundedTensor first = inputs->front();
    FailureOr<SmallVector<sh::WindowDimension>> windows =
        windowsOf(op, first.sizes.size(), op.getWindowDimensions(), op.getBaseDilations(), op.getWindowDilations());
    if (failed(windows))
      return failure();
    SmallVector<Value, 4> sizes;
    for (auto [window, size] : llvm::zip_equal(*windows, first.sizes))
      sizes.push_back(size ? countWindows(window, size) : Value());
    if (Value mask = emit_.validMask(first, allDimensions(first))) {
      Value identity = inputs->size() == 1 ? identityOf(emit_, op.getBody(), first.type().getElementType()) : Value();
      if (!identity)
        return reduceFlagged(op, *inputs, inits, mask, *windows, sizes);
      inputs->front().value = emit_.masked(first, allDimensions(first), identity);
    }
    SmallVector<Value> operands = valuesOf(*inputs);
    llvm::append_range(operands, valuesOf(inits));
    return refiner_.rebuild(op, operands, sizes);
  }

  LogicalResult refine(sh::ConvolutionOp op) {
    BoundedTensor lhs = refiner_.get(op.getLhs()), rhs = refiner_.get(op.getRhs());
    sh::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    int64_t inputFeatures = numbers.getInputFeatureDimension();
    int64_t kernelInputs = numbers.getKernelInputFeatureDimension();
    int64_t kernelOutputs = numbers.getKernelOutputFeatureDimension();
    FailureOr<Groups> groups = splitGroups(op, lhs, rhs);
    if (failed(groups))
      return failure();
    SmallVector<Value, 4> sizes(lhs.sizes.size());
    sizes[numbers.getOutputBatchDimension()] = groups->batch;
    sizes[numbers.getOutputFeatureDimension()] = rhs.sizes[kernelOutputs];
    Operation *copy = op->clone();
    LogicalResult outcome = refineSpatial(op, cast<sh::ConvolutionOp>(copy), lhs, rhs, sizes);
    // Invalid elements are zeroed on both sides, since infinity times zero is not zero.
    SmallVector<int64_t> summed(numbers.getInputSpatialDimensions()), kernel(numbers.getKernelSpatialDimensions());
    summed.push_back(inputFeatures);
    kernel.push_back(kernelInputs);
    lhs.value = emit_.zeroPadding(lhs, summed);
    rhs.value = emit_.zeroPadding(rhs, kernel);
    FailureOr<SmallVector<Value>> results = failure();
    if (succeeded(outcome))
      results = refiner_.rebuild(copy, {lhs.value, rhs.value});
    copy->destroy();
    if (failed(results))
      return failure();
    Value result = results->front();
    if (groups->outputs)
      result = emit_.compactGroups(result, numbers.getOutputFeatureDimension(), groups->count, groups->outputs);
    return refiner_.put(op, BoundedTensor(result, sizes));
  }

  // Each window's element is selected by a reduce_window that knows which elements count and where they are; the
  // source is then scattered there.
  LogicalResult refine(sh::SelectAndScatterOp op) {
    const BoundedTensor operand = refiner_.get(op.getOperand());
    BoundedTensor source = refiner_.get(op.getSource());
    FailureOr<SmallVector<sh::WindowDimension>> windows =
        windowsOf(op, operand.sizes.size(), op.getWindowDimensions(), std::nullopt, std::nullopt);
    if (failed(windows))
      return failure();
    for (auto [d, window] : llvm::enumerate(*windows)) {
      int64_t count = window.count(operand.dim(d));
      Value actual = operand.isBounded(d) ? countWindows(window, operand.sizes[d]) : emit_.i32(count);
      if (failed(refiner_.requireEqual(op, actual, emit_.size(source, d))))
        return failure();
      source.sizes[d] = actual;
      source.value = emit_.resize(source.value, d, count);
    }
    int64_t elements = operand.type().getNumElements();
    auto [places, found] = selectedPlaces(op, operand, source.type().getShape());
    Value alive = emit_.logicalAnd(found, emit_.validMask(source, allDimensions(source)));
    Value nowhere = emit_.fill(emit_.i32(elements), source.type().getShape());
    Value indices = emit_.reshape(emit_.select(alive, places, nowhere), {source.type().getNumElements(), 1});
    Value result = scatter(op, elements, indices, source.value);
    return refiner_.put(op, BoundedTensor(emit_.reshape(result, operand.type().getShape()), operand.sizes));
  }

private:
  // A flag goes along, which says what counts.
  LogicalResult reduceFlagged(sh::ReduceWindowOp op, ArrayRef<BoundedTensor> inputs, ArrayRef<BoundedTensor> inits,
                              Value mask, ArrayRef<sh::WindowDimension> windows, const SmallVector<Value, 4> &sizes) {
    SmallVector<Value> values = valuesOf(inputs), initValues = valuesOf(inits);
    values.push_back(mask);
    initValues.push_back(emit_.boolean(true));
    SmallVector<int64_t> shape;
    for (auto [d, window] : llvm::enumerate(windows))
      shape.push_back(window.count(inputs[0].dim(d)));
    SmallVector<Type> types;
    for (Value value : values)
      types.push_back(cast<RankedTensorType>(value.getType()).clone(shape));
    auto reduce = sh::ReduceWindowOp::create(
        emit_.builder, op.getLoc(), types, values, initValues, op.getWindowDimensionsAttr(), op.getWindowStridesAttr(),
        op.getBaseDilationsAttr(), op.getWindowDilationsAttr(), op.getPaddingAttr());
    buildFlaggedBody(refiner_, op.getBody(), reduce.getBody(), inputs.size());
    for (auto [i, result] : llvm::enumerate(reduce->getResults().drop_back()))
      if (failed(refiner_.put(op, i, BoundedTensor(result, sizes))))
        return failure();
    return success();
  }

  template <typename Op>
  FailureOr<SmallVector<sh::WindowDimension>> windowsOf(Op op, int64_t rank, std::optional<ArrayRef<int64_t>> lengths,
                                                        std::optional<ArrayRef<int64_t>> baseDilations,
                                                        std::optional<ArrayRef<int64_t>> windowDilations) {
    auto padding = sh::paddingPairs(sh::Rules(op), 0, op.getPadding(), rank);
    if (failed(padding))
      return failure();
    SmallVector<sh::WindowDimension> windows;
    for (int64_t d = 0; d < rank; ++d) {
      auto at = [&](std::optional<ArrayRef<int64_t>> values) { return values ? (*values)[d] : 1; };
      windows.push_back({at(lengths), at(op.getWindowStrides()), (*padding)[d].first, (*padding)[d].second,
                         at(baseDilations), at(windowDilations)});
    }
    return windows;
  }

  // How far a window of this size reaches.
  Value reachOf(const sh::WindowDimension &window, Value size) {
    Value zero = emit_.i32(0), one = emit_.i32(1);
    Value reach = emit_.add(emit_.multiply(emit_.subtract(size, one), emit_.i32(window.windowDilation)), one);
    return emit_.select(emit_.compare(sh::ComparisonDirection::EQ, size, zero), zero, reach);
  }

  // How many windows fit, as WindowDimension::count has it.
  Value countWindows(const sh::WindowDimension &window, Value size, Value reach) {
    Value zero = emit_.i32(0), one = emit_.i32(1);
    Value gaps = emit_.maximum(emit_.subtract(size, one), zero);
    Value dilated = emit_.add(size, emit_.multiply(gaps, emit_.i32(window.baseDilation - 1)));
    Value padded = emit_.add(dilated, emit_.i32(window.padLow + window.padHigh));
    Value room = emit_.subtract(padded, reach);
    Value count = emit_.add(emit_.divide(room, emit_.i32(window.stride)), one);
    Value some = emit_.compare(sh::ComparisonDirection::GE, room, zero);
    Value none = emit_.compare(sh::ComparisonDirection::LE, padded, zero);
    return emit_.select(none, zero, emit_.select(some, count, zero));
  }
  Value countWindows(const sh::WindowDimension &window, Value size) {
    return countWindows(window, size, reachOf(window, emit_.i32(window.size)));
  }

  // How many groups a convolution has, and what of its sizes follows from that.
  struct Groups {
    int64_t count;
    Value batch;   // of the result, if it is bounded
    Value outputs; // output features of each group, if they are
  };

  // Groups follow each other without a gap. Where they have bounded sizes, each gets as much room as its bound takes.
  FailureOr<Groups> splitGroups(sh::ConvolutionOp op, BoundedTensor &lhs, BoundedTensor &rhs) {
    sh::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    int64_t batch = numbers.getInputBatchDimension(), features = numbers.getInputFeatureDimension();
    int64_t kernelInputs = numbers.getKernelInputFeatureDimension();
    auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
    auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
    Groups groups{std::max(batchGroups, featureGroups), lhs.sizes[batch], Value()};
    if (failed(unifyFeatures(op, lhs, features, rhs, kernelInputs, featureGroups)))
      return failure();
    if (batchGroups > 1 && lhs.isBounded(batch)) {
      FailureOr<Value> size = apart(op, lhs, batch, batchGroups);
      if (failed(size))
        return failure();
      groups.batch = *size;
    }
    int64_t outputs = numbers.getKernelOutputFeatureDimension();
    if (groups.count > 1 && rhs.isBounded(outputs)) {
      FailureOr<Value> size = apart(op, rhs, outputs, groups.count);
      if (failed(size))
        return failure();
      groups.outputs = *size;
    }
    return groups;
  }

  // The kernel has the input features of one group.
  LogicalResult unifyFeatures(Operation *op, BoundedTensor &lhs, int64_t features, BoundedTensor &rhs,
                              int64_t kernelInputs, int64_t groups) {
    if (groups == 1)
      return refiner_.unify(op, lhs, features, rhs, kernelInputs);
    if (!rhs.isBounded(kernelInputs))
      return lhs.isBounded(features) ? refiner_.fix(op, lhs, features, groups * rhs.dim(kernelInputs)) : success();
    if (!lhs.isBounded(features))
      return refiner_.fix(op, rhs, kernelInputs, lhs.dim(features) / groups);
    Value size = rhs.sizes[kernelInputs];
    if (failed(refiner_.requireEqual(op, lhs.sizes[features], emit_.multiply(size, emit_.i32(groups)))))
      return failure();
    int64_t length = std::min(rhs.dim(kernelInputs), lhs.dim(features) / groups);
    rhs.value = emit_.resize(rhs.value, kernelInputs, length);
    lhs.value = emit_.padGroups(lhs.value, features, groups, length, size);
    // Elements behind each group are summed, so they must be zero.
    SmallVector<int64_t> shape(lhs.type().getShape()), split(shape);
    split[features] = length;
    split.insert(split.begin() + features, groups);
    BoundedTensor groupsApart(emit_.reshape(lhs.value, split));
    groupsApart.sizes[features + 1] = size;
    Value padded = emit_.zeroPadding(groupsApart, {features + 1});
    lhs.value = emit_.reshape(padded, shape);
    lhs.sizes[features] = nullptr;
    return success();
  }

  // Moves the groups of a bounded dimension apart, and gives the size of each.
  FailureOr<Value> apart(Operation *op, BoundedTensor &refined, int64_t d, int64_t groups) {
    Value count = emit_.i32(groups);
    if (failed(refiner_.require(
            op, emit_.compare(sh::ComparisonDirection::EQ, emit_.remainder(refined.sizes[d], count), emit_.i32(0)),
            "cannot cut a dimension of size {0} into {1} groups", {refined.sizes[d], count})))
      return failure();
    Value size = emit_.divide(refined.sizes[d], count);
    refined.value = emit_.padGroups(refined.value, d, groups, refined.dim(d) / groups, size);
    return size;
  }

  // Sizes of the result's spatial dimensions. Where the kernel may be smaller than its bound, `copy` gets padding for
  // the windows that then fit more.
  LogicalResult refineSpatial(sh::ConvolutionOp op, sh::ConvolutionOp copy, const BoundedTensor &lhs,
                              BoundedTensor &rhs, SmallVector<Value, 4> &sizes) {
    sh::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    ArrayRef<int64_t> input = numbers.getInputSpatialDimensions(), kernel = numbers.getKernelSpatialDimensions();
    SmallVector<int64_t> lengths;
    for (int64_t d : kernel)
      lengths.push_back(rhs.dim(d));
    FailureOr<SmallVector<sh::WindowDimension>> windows =
        windowsOf(op, kernel.size(), lengths, op.getLhsDilation(), op.getRhsDilation());
    if (failed(windows))
      return failure();
    SmallVector<int64_t> padding;
    SmallVector<bool> reversal(kernel.size(), false);
    if (auto reversed = op.getWindowReversal())
      llvm::copy(*reversed, reversal.begin());
    for (auto [i, window] : llvm::enumerate(*windows)) {
      bool bounded = rhs.isBounded(kernel[i]);
      if (bounded || lhs.isBounded(input[i]))
        sizes[numbers.getOutputSpatialDimensions()[i]] =
            countWindows(window, emit_.size(lhs, input[i]), reachOf(window, emit_.size(rhs, kernel[i])));
      padding.append({window.padLow, window.padHigh + (bounded ? window.size * window.windowDilation : 0)});
      if (bounded && reversal[i] && window.size > 0)
        rhs.value = reversed(rhs, kernel[i]);
      reversal[i] = reversal[i] && !bounded;
    }
    auto type = RankedTensorType::get({static_cast<int64_t>(kernel.size()), 2}, emit_.builder.getI64Type());
    copy.setPaddingAttr(DenseIntElementsAttr::get(type, ArrayRef<int64_t>(padding)));
    copy.setWindowReversal(reversal);
    return success();
  }

  // The elements that count in reverse order.
  Value reversed(const BoundedTensor &refined, int64_t d) {
    int64_t length = refined.dim(d);
    Value last = emit_.subtract(emit_.size(refined, d), emit_.i32(1));
    return emit_.take(refined.value, d, emit_.subtract(emit_.fill(last, {length}), emit_.iota({length}, 0)));
  }

  // For each window the position of the selected element in the flat operand, and whether there is one.
  std::pair<Value, Value> selectedPlaces(sh::SelectAndScatterOp op, const BoundedTensor &operand,
                                         ArrayRef<int64_t> shape) {
    RankedTensorType type = operand.type();
    Type element = type.getElementType(), i32 = emit_.builder.getI32Type(), i1 = emit_.builder.getI1Type();
    Value mask = emit_.validMask(operand, allDimensions(operand));
    Value yes = emit_.boolean(true);
    Value inputs[] = {operand.value, emit_.reshape(emit_.iota({type.getNumElements()}, 0), type.getShape()),
                      mask ? mask : emit_.fill(yes, type.getShape())};
    Value inits[] = {emit_.zero(element), emit_.i32(0), emit_.boolean(false)};
    Type types[] = {RankedTensorType::get(shape, element), RankedTensorType::get(shape, i32),
                    RankedTensorType::get(shape, i1)};
    auto reduce = sh::ReduceWindowOp::create(
        emit_.builder, emit_.loc, types, inputs, inits,
        op.getWindowDimensionsAttr() ? *op.getWindowDimensions() : SmallVector<int64_t>(type.getRank(), 1),
        op.getWindowStridesAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(), op.getPaddingAttr());
    OpBuilder::InsertionGuard guard(emit_.builder);
    Block *body = refiner_.copyBody(op.getSelect(), reduce.getBody(), 0);
    // (a, b) becomes (a, its place, whether it counts, b, its place, whether it counts).
    Type place = RankedTensorType::get({}, i32), flag = RankedTensorType::get({}, i1);
    for (unsigned at : {1u, 4u}) {
      body->insertArgument(at, place, emit_.loc);
      body->insertArgument(at + 1, flag, emit_.loc);
    }
    Operation *terminator = body->getTerminator();
    Value a = body->getArgument(2), b = body->getArgument(5);
    Value noB = emit_.make<sh::NotOp>(flag, b);
    Value first = emit_.logicalAnd(a, emit_.binary<sh::OrOp>(noB, terminator->getOperand(0)));
    SmallVector<Value> results;
    for (unsigned i = 0; i < 2; ++i)
      results.push_back(emit_.select(first, body->getArgument(i), body->getArgument(i + 3)));
    results.push_back(emit_.binary<sh::OrOp>(a, b));
    terminator->setOperands(results);
    return {reduce->getResult(1), reduce->getResult(2)};
  }

  Value scatter(sh::SelectAndScatterOp op, int64_t elements, Value indices, Value source) {
    Type element = op.getType().getElementType();
    Value init = emit_.fill(emit_.convert(refiner_.get(op.getInitValue()).value, element), {elements});
    Value updates = emit_.convert(source, element);
    updates = emit_.reshape(updates, {cast<RankedTensorType>(indices.getType()).getDimSize(0)});
    auto numbers = sh::ScatterDimensionNumbersAttr::get(emit_.builder.getContext(), {}, {0}, {}, {}, {0},
                                                        /*indexVectorDim=*/1);
    Type types[] = {init.getType()};
    auto scatter = sh::ScatterOp::create(emit_.builder, emit_.loc, types, ValueRange{init}, indices,
                                         ValueRange{updates}, numbers, false, false);
    OpBuilder::InsertionGuard guard(emit_.builder);
    refiner_.copyBody(op.getScatter(), scatter.getUpdateComputation(), 0);
    return scatter->getResult(0);
  }

  Refiner &refiner_;
  Emitter &emit_;
};

} // namespace

FailureOr<bool> refineWindow(Refiner &refiner, Operation *op) {
  WindowRefiner window(refiner);
  return TypeSwitch<Operation *, FailureOr<bool>>(op)
      .Case<sh::ReduceWindowOp, sh::ConvolutionOp, sh::SelectAndScatterOp>([&](auto concrete) -> FailureOr<bool> {
        if (failed(window.refine(concrete)))
          return failure();
        return true;
      })
      .Default(FailureOr<bool>(false));
}

} // namespace tenon::passes::refine
