// Sorting along a dimension that is cut, where no other can take its axes: a sample sort. Devices sort what they have,
// agree on who is to have which part of the order, give each other these parts, and sort what they are given:
//
//   x: [5 2 9 | 1 7 3]   sorted: [2 5 9 | 1 3 7]   before 5, and from 5 on: [2 | 5 9], [1 3 | 7]
//     the first device is given 2, 1 3, the second 5 9, 7     sorted: [1 2 3 | 5 7 9]
//
// Among equal elements the one counts that comes first in the array, so that no two are equal, and the result is that
// of a stable sort of the whole array, to the bit. What parts there are is found by samples: every s-th element of what
// each device has sorted, m on each device. Every m-th of all these in their order begins a part. So a part has m of
// them, which stand for s elements each, and, on each of the other devices, less than s elements between the beginning
// and that device's next sample: no more than m s + (n - 1)(s - 1) of n devices, whatever the elements are. A device
// passes on what it has too many of in the end, to those whose places in the result these are.

#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/local/forms.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// With fewer elements on a device, gathering all is faster than to meet several times. In parts each element is sorted
// twice, with as many others that fill up the parts: where devices have a process's processors between them, one device
// sorts 64 Ki in 0.6 of the processor time, and 1 Mi, too, but alone, while others wait that may have processors.
constexpr int64_t kMinElements = 4096, kMinElementsInProcess = 16384;

int64_t sortedDimension(sh::SortOp op) {
  auto dimension = static_cast<int64_t>(op.getDimension());
  return dimension < 0 ? dimension + ir::typeOf(op.getInputs()[0]).getRank() : dimension;
}

// Floats that compare with NaN in any other way are in no order, and elements that come before themselves are not,
// either.
bool isOrder(sh::CompareOp op) {
  using enum sh::ComparisonDirection;
  if (llvm::is_contained({EQ, NE}, op.getComparisonDirection()))
    return true;
  bool isOfFloats = isa<FloatType>(ir::typeOf(op.getLhs()).getElementType());
  return llvm::is_contained({LT, GT}, op.getComparisonDirection()) &&
         (!isOfFloats || op.getCompareType() == sh::ComparisonType::TOTALORDER);
}

// Whether the computation orders elements, as far as can be seen. It is applied to arrays, too.
bool isOrder(Region &comparator) {
  return llvm::all_of(comparator.front().without_terminator(), [](Operation &op) {
    auto compare = dyn_cast<sh::CompareOp>(op);
    return (op.hasTrait<ir::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>()) && (!compare || isOrder(compare));
  });
}

bool hasWholeBytes(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  return !element.isInteger() || element.isInteger(1) || element.getIntOrFloatBitWidth() % 8 == 0;
}

template <int64_t kLeast> bool canCutSort(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  if (factors.factors[factor].type == ir::FactorType::kPassThrough)
    return true;
  int64_t size = factors.factors[factor].size;
  // Axes of others can go to another dimension for the time of the sort.
  return factors.factors[factor].isBlocked && size % parts == 0 && size / parts >= kLeast &&
         size <= std::numeric_limits<int32_t>::max() && llvm::all_of(op->getOperandTypes(), hasWholeBytes) &&
         isOrder(cast<sh::SortOp>(op).getComparator());
}

// An array of several dimensions has others that could take the axes.
template <int64_t kLeast>
std::string remedyOfSort(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  if (!factors.factors[factor].isBlocked || !llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return {};
  bool hasOrder = isOrder(cast<sh::SortOp>(op).getComparator());
  return llvm::formatv("{0} elements or more, of a number that {1} divides, are sorted in parts{2}", parts * kLeast,
                       parts, hasOrder ? "" : " by a comparator that orders all of them (floats by TOTALORDER)");
}

class Sorter {
public:
  Sorter(LocalOp &op, const ir::Axes &axes)
      : op_(op), builder_(op.builder), sort_(cast<sh::SortOp>(op.op)), axes_(axes), parts_(ir::partsOf(axes)),
        count_(ir::typeOf(op.operands[0]).getNumElements()), number_(partNumber(op.builder, op.mesh, axes)) {
    // The more samples, the less a device may have too many.
    int64_t samples = (parts_ <= 64 ? 4 : 1) * parts_;
    distance_ = llvm::divideCeilSigned(count_, std::min(samples, count_));
    samples_ = llvm::divideCeilSigned(count_, distance_);
  }

  // Sorts arrays of one dimension.
  SmallVector<Value> run(ValueRange operands) {
    own_ = sorted(operands);
    findBounds();
    SmallVector<Value> given = exchange();
    return passOn(sorted(given));
  }

private:
  Value filled(int64_t size, int64_t value) {
    return builder_.fill(builder_.builder.getI32Type(), {size}, static_cast<double>(value));
  }
  Value spread(Value scalar, Sizes sizes) { return builder_.broadcast(scalar, sizes, {}); }
  Value minimum(Value a, Value b) { return builder_.binary<sh::MinimumOp>(a, b); }
  Value maximum(Value a, Value b) { return builder_.binary<sh::MaximumOp>(a, b); }

  // Stable, whatever the program's is: the order of equal ones is needed. `followers` go where the elements go.
  SmallVector<Value> sorted(ValueRange keys, ValueRange followers = {}) {
    SmallVector<Value> operands(keys);
    llvm::append_range(operands, followers);
    auto sort = sh::SortOp::create(builder_.builder, builder_.loc, ValueRange(operands).getTypes(), operands,
                                   /*dimension=*/0, /*is_stable=*/true);
    IRMapping mapping = op_.captures;
    sort_.getComparator().cloneInto(&sort.getComparator(), mapping);
    for (Value follower : followers) {
      auto scalar = RankedTensorType::get({}, ir::typeOf(follower).getElementType());
      sort.getComparator().front().addArguments({scalar, scalar}, {builder_.loc, builder_.loc});
    }
    return llvm::to_vector_of<Value>(sort->getResults());
  }

  // Which elements of `a` come before those of `b`, as the program compares them.
  Value areBefore(ValueRange a, ValueRange b) {
    SmallVector<Value> operands;
    for (auto [x, y] : llvm::zip_equal(a, b))
      operands.append({x, y});
    OperationState state(builder_.loc, sh::MapOp::getOperationName(), operands,
                         ir::typeOf(a[0]).clone(builder_.builder.getI1Type()));
    state.addAttribute("dimensions", builder_.builder.getDenseI64ArrayAttr({0}));
    IRMapping mapping = op_.captures;
    sort_.getComparator().cloneInto(state.addRegion(), mapping);
    return builder_.builder.create(state)->getResult(0);
  }

  // Every `step`-th from `start` on.
  Value everyOf(Value value, int64_t start, int64_t step) {
    RankedTensorType type = ir::typeOf(value);
    int64_t size = type.getDimSize(0);
    return sh::SliceOp::create(builder_.builder, builder_.loc, type.clone({llvm::divideCeilSigned(size - start, step)}),
                               value, ArrayRef<int64_t>{start}, ArrayRef<int64_t>{size}, ArrayRef<int64_t>{step});
  }
  Value joined(ValueRange values) {
    int64_t size = 0;
    for (Value value : values)
      size += ir::typeOf(value).getDimSize(0);
    return sh::ConcatenateOp::create(builder_.builder, builder_.loc, ir::typeOf(values[0]).clone({size}), values, 0);
  }
  Value elementsAt(Value value, Value places) {
    int64_t count = ir::typeOf(places).getDimSize(0);
    auto numbers = sh::GatherDimensionNumbersAttr::get(value.getContext(), {}, {0}, {}, {}, {0}, 1);
    return sh::GatherOp::create(builder_.builder, builder_.loc, ir::typeOf(value).clone({count}), value,
                                builder_.reshape(places, {count, 1}), numbers,
                                builder_.builder.getDenseI64ArrayAttr({1}), builder_.builder.getBoolAttr(false));
  }
  // The element at a place that is a scalar.
  Value elementAt(Value value, Value place) { return builder_.reshape(builder_.line(value, 0, place), {}); }

  Value gathered(Value value) { return allGather(builder_, value, 0, op_.mesh, axes_); }

  // The samples of all devices give where the parts of all devices but the first begin, what is no less than any
  // element of this device's part, and where the others begin in what this device has.
  void findBounds() {
    SmallVector<Value> samples, greatest;
    for (Value own : own_) {
      Value last = builder_.slice(own, {count_ - 1}, {count_});
      Value rows = builder_.reshape(gathered(joined({everyOf(own, 0, distance_), last})), {parts_, samples_ + 1});
      samples.push_back(builder_.reshape(builder_.slice(rows, {0, 0}, {parts_, samples_}), {parts_ * samples_}));
      greatest.push_back(builder_.reshape(builder_.slice(rows, {0, samples_}, {parts_, samples_ + 1}), {parts_}));
    }
    SmallVector<Value> ordered = sorted(samples, builder_.iota({parts_ * samples_}, 0));
    SmallVector<Value> firsts;
    for (Value sample : ordered)
      firsts.push_back(everyOf(sample, samples_, samples_));
    Value numbers = firsts.pop_back_val();
    for (auto [first, last] : llvm::zip_equal(firsts, sorted(greatest)))
      limits_.push_back(elementAt(joined({first, builder_.slice(last, {parts_ - 1}, {parts_})}), number_));
    Value begins = countBefore(firsts, numbers);
    begins_ = joined({filled(1, 0), begins});
    counts_ = builder_.subtract(joined({begins, filled(1, count_)}), begins_);
  }

  // How many of this device's elements come before each of these samples, by halving. Of equal ones those do that are
  // on devices before the sample's, or before it on the same.
  Value countBefore(ValueRange samples, Value numbers) {
    int64_t size = parts_ - 1;
    Value perDevice = filled(size, samples_), number = spread(number_, {size}), two = filled(size, 2);
    Value device = builder_.divide(numbers, perDevice);
    Value place = builder_.multiply(builder_.binary<sh::RemainderOp>(numbers, perDevice), filled(size, distance_));
    using enum sh::ComparisonDirection;
    Value isEarlier = builder_.compare(number, LT, device), isSame = builder_.compare(number, EQ, device);
    int64_t turns = 1;
    while (count_ >> turns)
      ++turns;
    SmallVector<Value> initial = {filled(size, 0), filled(size, count_)};
    return builder_
        .loop(turns, initial,
              [&](Value, ValueRange carried) -> SmallVector<Value> {
                Value low = carried[0], high = carried[1], middle = builder_.divide(builder_.add(low, high), two);
                SmallVector<Value> elements;
                for (Value own : own_)
                  elements.push_back(elementsAt(own, middle));
                Value isBefore = areBefore(elements, samples), isBehind = areBefore(samples, elements);
                Value isFirst = builder_.binary<sh::OrOp>(
                    isEarlier, builder_.logicalAnd(isSame, builder_.compare(middle, LT, place)));
                isBefore = builder_.select(builder_.compare(isBefore, EQ, isBehind), isFirst, isBefore);
                Value isOpen = builder_.compare(low, LT, high);
                Value isUp = builder_.logicalAnd(isOpen, isBefore);
                Value isDown = builder_.logicalAnd(isOpen, builder_.unary<sh::NotOp>(isBefore));
                return {builder_.select(isUp, builder_.add(middle, filled(size, 1)), low),
                        builder_.select(isDown, middle, high)};
              })
        .front();
  }

  Value sumOfRows(Value matrix) {
    auto sum = sh::ReduceOp::create(builder_.builder, builder_.loc, TypeRange{ir::typeOf(matrix).clone({parts_})},
                                    ValueRange{matrix}, ValueRange{builder_.i32(0)}, ArrayRef<int64_t>{0});
    addComputation(builder_, sum.getBody(), builder_.builder.getI32Type(), SumKind::kAdd);
    return sum->getResult(0);
  }

  // Each device's elements of this one's part, one device's behind the other's. What is left of the room behind them is
  // filled with what no element is greater than, and which, being behind, comes last of equal ones.
  SmallVector<Value> exchange() {
    Value all = builder_.reshape(gathered(counts_), {parts_, parts_}); // a row for each sender
    Value isBefore = builder_.compare(builder_.iota({parts_, parts_}, 0), sh::ComparisonDirection::LT,
                                      spread(number_, {parts_, parts_}));
    Value places = sumOfRows(builder_.select(isBefore, all, spread(builder_.i32(0), {parts_, parts_})));
    Value received = builder_.reshape(builder_.line(all, 1, number_), {parts_});
    totals_ = sumOfRows(all);
    int64_t room = std::min(parts_ * count_, samples_ * distance_ + (parts_ - 1) * (distance_ - 1));
    SmallVector<Value> results;
    for (auto [own, limit] : llvm::zip_equal(own_, limits_))
      results.push_back(
          exchangeRows(builder_, own, spread(limit, {room}), {begins_, counts_, places, received}, op_.mesh, axes_));
    return results;
  }

  // The elements are in order now, but not as many on each device as of the result.
  SmallVector<Value> passOn(ValueRange values) {
    const SmallVector<int64_t, 1> sizes = {parts_};
    Value zero = filled(parts_, 0), size = filled(parts_, count_);
    Value ends = scanned(builder_, totals_, builder_.i32(0), {0, /*isFromBehind=*/false, SumKind::kAdd});
    Value begins = builder_.subtract(ends, totals_);
    Value begin = spread(elementAt(begins, number_), sizes), end = spread(elementAt(ends, number_), sizes);
    // The places of other devices in the result, and this one's.
    Value others = builder_.multiply(builder_.iota(sizes, 0), size), otherEnds = builder_.add(others, size);
    Value own = spread(builder_.multiply(number_, builder_.i32(count_)), sizes), ownEnd = builder_.add(own, size);
    auto common = [&](Value from, Value to, Value otherFrom, Value otherTo) {
      return maximum(builder_.subtract(minimum(to, otherTo), maximum(from, otherFrom)), zero);
    };
    Value counts = common(begin, end, others, otherEnds), received = common(begins, ends, own, ownEnd);
    Value isSent = builder_.compare(counts, sh::ComparisonDirection::GT, zero);
    Value starts = maximum(begin, others);
    Value first = builder_.select(isSent, builder_.subtract(starts, begin), zero);
    Value places = builder_.select(isSent, builder_.subtract(starts, others), zero);
    SmallVector<Value> results;
    for (auto [value, like] : llvm::zip_equal(values, own_))
      results.push_back(exchangeRows(builder_, value, like, {first, counts, places, received}, op_.mesh, axes_));
    return results;
  }

  LocalOp &op_;
  ArrayBuilder &builder_;
  sh::SortOp sort_;
  const ir::Axes &axes_;
  int64_t parts_, count_; // devices, and the elements of each
  Value number_;          // of this device
  int64_t distance_ = 1, samples_ = 1;

  SmallVector<Value> own_;         // sorted
  SmallVector<Value> limits_;      // no element of this device's part comes behind it
  Value begins_, counts_, totals_; // in own_, by device; elements of each device's part
};

SmallVector<Value> buildSort(LocalOp &op) {
  int64_t dimension = sortedDimension(cast<sh::SortOp>(op.op));
  ir::Axes axes = op.operandSharding(0).dims[dimension].axes;
  if (axes.empty())
    return op.cloneWith(op.operands);
  SmallVector<Value> flat, results;
  for (Value operand : op.operands)
    flat.push_back(op.builder.reshape(operand, {ir::typeOf(operand).getNumElements()}));
  for (auto [result, operand] : llvm::zip_equal(Sorter(op, axes).run(flat), op.operands))
    results.push_back(op.builder.reshape(result, ir::shapeOf(operand)));
  return results;
}

} // namespace

LocalForm sortForm(bool isInProcess) {
  if (isInProcess)
    return {
        .canCut = canCutSort<kMinElementsInProcess>, .build = buildSort, .remedy = remedyOfSort<kMinElementsInProcess>};
  return {.canCut = canCutSort<kMinElements>, .build = buildSort, .remedy = remedyOfSort<kMinElements>};
}

} // namespace tenon::passes::partition
