#include "tenon/passes/legalize/decompose/random_bits.h"

#include "tenon/ir/types.h"
#include "tenon/support/strides.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::typeOf;

namespace {

bool isAll(const ArrayPart &part) {
  return llvm::none_of(part.starts, [](Value start) { return bool(start); });
}

} // namespace

bool RandomBits::isDefinedFor(sh::RngBitGeneratorOp op) {
  auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
  auto state = dyn_cast<RankedTensorType>(op.getInitialState().getType());
  bool isThreeFry = op.getRngAlgorithm() == sh::RngAlgorithm::THREE_FRY;
  return output && output.hasStaticShape() && state && state.getElementType().isUnsignedInteger(64) &&
         state.getRank() == 1 && state.getDimSize(0) >= 2 && state.getDimSize(0) <= (isThreeFry ? 2 : 3);
}

RandomBits::RandomBits(OpBuilder &builder, sh::RngBitGeneratorOp op, Value state)
    : builder_(builder), loc_(op.getLoc()), output_(cast<RankedTensorType>(op.getOutput().getType())), state_(state),
      isThreeFry_(op.getRngAlgorithm() == sh::RngAlgorithm::THREE_FRY) {}

Value RandomBits::all() {
  SmallVector<int64_t> sizes(output_.getShape());
  return part({sizes, SmallVector<Value>(sizes.size())});
}

Value RandomBits::part(const ArrayPart &part) {
  return ofType(isThreeFry_ ? threeFry(part) : philox(part), output_.clone(part.sizes));
}

//===- Counters --------------------------------------------------------------------------------------------------===//

// The two words of a counter of Threefry follow each other along this dimension of narrow elements.
unsigned RandomBits::splitDimension() const {
  ArrayRef<int64_t> shape = output_.getShape();
  const int64_t *even = llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
  return (even != shape.end() ? even : std::max_element(shape.begin(), shape.end())) - shape.begin();
}

// The counters of Threefry, as an array.
SmallVector<int64_t> RandomBits::halfShape() const {
  SmallVector<int64_t> half(output_.getShape());
  if (!isWide() && !half.empty()) {
    int64_t &split = half[splitDimension()];
    split = (split + 1) / 2;
  }
  return half;
}

int64_t RandomBits::counterCount() const {
  if (isThreeFry_)
    return ShapedType::getNumElements(halfShape());
  return (output_.getNumElements() + perBlock() - 1) / perBlock();
}

Value RandomBits::nextState() {
  RankedTensorType type = typeOf(state_);
  CounterRng words(builder_, loc_, 1);
  Value low = words.broadcastTo(state_, 1), sum = words.add(low, words.constant(words.wide, counterCount()));
  SmallVector<Value, 3> parts{words.broadcastTo(state_, 0), sum};
  if (type.getDimSize(0) == 3)
    parts.push_back(words.add(words.broadcastTo(state_, 2), carry(words, sum, low)));
  return sh::ConcatenateOp::create(builder_, loc_, type, parts, 0);
}

// 1 where `sum`, made by adding to `before`, wrapped.
Value RandomBits::carry(CounterRng &words, Value sum, Value before) {
  auto compareType = RankedTensorType::get(words.wide.getShape(), builder_.getI1Type());
  Value wrapped =
      sh::CompareOp::create(builder_, loc_, compareType, sum, before, sh::ComparisonDirection::LT,
                            sh::ComparisonTypeAttr::get(builder_.getContext(), sh::ComparisonType::UNSIGNED));
  return words.convert(wrapped, words.wide);
}

// The sum of (start + index) * stride over the dimensions, as u64.
Value RandomBits::positions(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides, ArrayRef<Value> starts) {
  CounterRng words(builder_, loc_, 0);
  RankedTensorType type = words.type(64, sizes);
  Value sum;
  auto add = [&](Value value) { sum = sum ? words.add(sum, value) : value; };
  for (auto [i, size, stride, start] : llvm::enumerate(sizes, strides, starts)) {
    if (size == 1 && !start)
      continue;
    Value number = sh::IotaOp::create(builder_, loc_, type, i);
    if (start)
      number = words.add(number, sh::BroadcastInDimOp::create(builder_, loc_, type,
                                                              converted(start, words.type(64, ArrayRef<int64_t>{})),
                                                              ArrayRef<int64_t>{}));
    add(words.binary<sh::MultiplyOp>(number, words.constant(type, stride)));
  }
  return sum ? sum : words.constant(type, 0);
}

//===- Elements --------------------------------------------------------------------------------------------------===//

Value RandomBits::slice(Value value, unsigned dimension, int64_t start, int64_t size) {
  SmallVector<int64_t> starts(typeOf(value).getRank(), 0), limits(typeOf(value).getShape()), strides(starts.size(), 1);
  starts[dimension] = start;
  limits[dimension] = start + size;
  SmallVector<int64_t> sizes(typeOf(value).getShape());
  sizes[dimension] = size;
  return sh::SliceOp::create(builder_, loc_, typeOf(value).clone(sizes), value, starts, limits, strides);
}

// That many elements from the one on that `by` says, which is one of 0, 1, ... for each of the dimensions before.
Value RandomBits::shifted(Value value, unsigned dimension, Value by, int64_t choices, int64_t size) {
  Value result = slice(value, dimension, 0, size);
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(by).getRank()));
  RankedTensorType maskType = typeOf(result).clone(builder_.getI1Type());
  CounterRng words(builder_, loc_, 0);
  for (int64_t choice = 1; choice < choices; ++choice) {
    Value isThis = sh::CompareOp::create(builder_, loc_, typeOf(by).clone(builder_.getI1Type()), by,
                                         words.constant(typeOf(by), choice), sh::ComparisonDirection::EQ,
                                         sh::ComparisonTypeAttr());
    Value mask = sh::BroadcastInDimOp::create(builder_, loc_, maskType, isThis, outer);
    result =
        sh::SelectOp::create(builder_, loc_, result.getType(), mask, slice(value, dimension, choice, size), result);
  }
  return result;
}

Value RandomBits::threeFry(const ArrayPart &part) {
  SmallVector<int64_t> half(part.sizes), strides = rowMajorStrides<SmallVector<int64_t>>(halfShape());
  SmallVector<Value> starts(part.starts);
  bool isSplit = !isWide() && !half.empty();
  unsigned split = isSplit ? splitDimension() : 0;
  Value isSecond; // the part begins with the second word of a counter
  if (isSplit) {
    half[split] = (half[split] + 1) / 2;
    if (Value start = starts[split]) {
      Value two =
          sh::ConstantOp::create(builder_, loc_, DenseElementsAttr::get(typeOf(start), builder_.getI32IntegerAttr(2)));
      starts[split] = sh::DivideOp::create(builder_, loc_, start.getType(), start, two);
      if (part.sizes[split] % 2 != 0)
        isSecond = sh::RemainderOp::create(builder_, loc_, start.getType(), start, two);
    }
  }
  int64_t count = ShapedType::getNumElements(half);
  CounterRng words(builder_, loc_, count);
  Value position = isAll(part) ? words.positions() : words.reshape(positions(half, strides, starts), {count});
  Value counter = words.add(words.broadcastTo(state_, 1), position);
  auto [x, y] = words.threeFry(words.broadcastTo(state_, 0), counter);
  if (!isSplit)
    return words.reshape(isWide() ? words.join(x, y) : x, part.sizes);
  SmallVector<int64_t> column(half), both(half);
  column.insert(column.begin() + split + 1, 1);
  both.insert(both.begin() + split + 1, 2);
  auto pairs = sh::ConcatenateOp::create(builder_, loc_, words.type(32, both),
                                         ValueRange{words.reshape(x, column), words.reshape(y, column)}, split + 1);
  half[split] *= 2;
  Value elements = words.reshape(pairs, half);
  return isSecond ? shifted(elements, split, isSecond, 2, part.sizes[split]) : words.slice(elements, part.sizes);
}

Value RandomBits::philoxBlocks(Value positions) {
  CounterRng words(builder_, loc_, typeOf(positions).getDimSize(0));
  bool hasThreeWords = typeOf(state_).getDimSize(0) == 3;
  Value first = words.broadcastTo(state_, 1), low = words.add(first, positions);
  Value high = words.broadcastTo(state_, hasThreeWords ? 2 : 0); // two words: the key again
  high = words.add(high, carry(words, low, first));
  SmallVector<Value, 4> block = words.philox(words.broadcastTo(state_, 0), low, high);
  return isWide() ? words.interleave({words.join(block[0], block[1]), words.join(block[2], block[3])})
                  : words.interleave(block);
}

// Elements are in row-major order. So those of a part come in runs, each along the last dimension that it has not all
// of, and those behind it; at the ends of a run a block may be of another one, too.
Value RandomBits::philox(const ArrayPart &part) {
  for (unsigned i = part.starts.size(); i-- > 0;)
    if (part.starts[i])
      return philoxRuns(part, i);
  int64_t count = output_.getNumElements(), used = counterCount();
  CounterRng words(builder_, loc_, used);
  Value elements = words.reshape(philoxBlocks(words.positions()), {used * perBlock()});
  return words.reshape(words.slice(elements, {count}), output_.getShape());
}

Value RandomBits::philoxRuns(const ArrayPart &part, unsigned last) {
  int64_t size = perBlock();
  SmallVector<int64_t> strides = rowMajorStrides<SmallVector<int64_t>>(output_.getShape());
  SmallVector<int64_t> outer(ArrayRef(part.sizes).take_front(last)), ofRuns(outer);
  int64_t run = part.sizes[last] * strides[last];
  bool isAligned = run % size == 0;
  for (unsigned i = 0; i < last; ++i)
    isAligned &= strides[i] % size == 0 || output_.getDimSize(i) == 1;
  int64_t blocks = isAligned ? run / size : (run + 2 * size - 2) / size;
  ofRuns.push_back(1);
  CounterRng words(builder_, loc_, 0);
  Value first = words.reshape(
      positions(ofRuns, ArrayRef(strides).take_front(last + 1), ArrayRef(part.starts).take_front(last + 1)), outer);
  Value sizes = words.constant(typeOf(first), size);
  Value block = sh::DivideOp::create(builder_, loc_, first.getType(), first, sizes);
  ofRuns.back() = blocks;
  RankedTensorType blockType = words.type(64, ofRuns);
  SmallVector<int64_t> outerDims = llvm::to_vector(llvm::seq<int64_t>(0, last));
  Value position = words.add(sh::BroadcastInDimOp::create(builder_, loc_, blockType, block, outerDims),
                             sh::IotaOp::create(builder_, loc_, blockType, last));
  Value elements = philoxBlocks(words.reshape(position, {ShapedType::getNumElements(ofRuns)}));
  ofRuns.back() = blocks * size;
  elements = words.reshape(elements, ofRuns);
  if (!isAligned)
    elements =
        shifted(elements, last, sh::RemainderOp::create(builder_, loc_, first.getType(), first, sizes), size, run);
  return words.reshape(elements, part.sizes);
}

Value RandomBits::converted(Value value, RankedTensorType to) {
  return value.getType() == to ? value : sh::ConvertOp::create(builder_, loc_, to, value).getResult();
}

// Narrow types take the low bits.
Value RandomBits::ofType(Value bits, RankedTensorType type) {
  if (isa<IntegerType>(type.getElementType()))
    return converted(bits, type);
  unsigned width = type.getElementTypeBitWidth();
  if (width == 6) { // no integer has this width; three of two bits have
    SmallVector<int64_t> shape(type.getShape()), dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    shape.push_back(3);
    RankedTensorType parts = typeOf(bits).clone(shape);
    CounterRng words(builder_, loc_, 0);
    Value spread = sh::BroadcastInDimOp::create(builder_, loc_, parts, bits, dims);
    Value number = sh::IotaOp::create(builder_, loc_, parts, type.getRank());
    Value narrowed = words.binary<sh::ShiftRightLogicalOp>(spread, words.add(number, number));
    bits = converted(narrowed, parts.clone(builder_.getIntegerType(2, /*isSigned=*/false)));
  } else {
    bits = converted(bits, type.clone(builder_.getIntegerType(width, /*isSigned=*/false)));
  }
  return sh::BitcastConvertOp::create(builder_, loc_, type, bits);
}

} // namespace tenon::passes
