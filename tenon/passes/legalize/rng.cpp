// rng_bit_generator as integer arithmetic on arrays of counters, so that it fuses with what uses the bits.
//
// The generators, and which counter gives which element, are those of the interpreter (tenon/interpreter/rng.cpp),
// which are XLA's: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3").

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Arithmetic on rank-1 arrays of one length.
class Words {
public:
  Words(PatternRewriter &rewriter, Location loc, int64_t count)
      : rewriter(rewriter), loc(loc), wide(type(64, count)), narrow(type(32, count)) {}

  RankedTensorType type(unsigned bits, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, rewriter.getIntegerType(bits, /*isSigned=*/false));
  }
  Value constant(RankedTensorType type, uint64_t value) {
    APInt bits(type.getElementTypeBitWidth(), value);
    return sh::ConstantOp::create(rewriter, loc, SplatElementsAttr::get(type, bits));
  }
  Value constant32(uint32_t value) { return constant(narrow, value); }
  template <typename Op> Value binary(Value a, Value b) { return Op::create(rewriter, loc, a.getType(), a, b); }
  Value add(Value a, Value b) { return binary<sh::AddOp>(a, b); }
  Value multiply(Value a, Value b) { return binary<sh::MultiplyOp>(a, b); }
  Value exclusiveOr(Value a, Value b) { return binary<sh::XorOp>(a, b); }
  Value convert(Value value, RankedTensorType to) { return sh::ConvertOp::create(rewriter, loc, to, value); }
  Value low(Value word64) { return convert(word64, narrow); }
  Value high(Value word64) { return convert(binary<sh::ShiftRightLogicalOp>(word64, constant(wide, 32)), narrow); }
  // low | high << 32
  Value join(Value lowWord, Value highWord) {
    Value shifted = binary<sh::ShiftLeftOp>(convert(highWord, wide), constant(wide, 32));
    return binary<sh::OrOp>(convert(lowWord, wide), shifted);
  }
  Value rotate(Value word, uint32_t by) {
    return binary<sh::OrOp>(binary<sh::ShiftLeftOp>(word, constant32(by)),
                            binary<sh::ShiftRightLogicalOp>(word, constant32(32 - by)));
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    auto element = cast<RankedTensorType>(value.getType()).getElementType();
    return sh::ReshapeOp::create(rewriter, loc, RankedTensorType::get(shape, element), value);
  }
  Value slice(Value value, ArrayRef<int64_t> limit) {
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> start(limit.size(), 0), strides(limit.size(), 1);
    return sh::SliceOp::create(rewriter, loc, RankedTensorType::get(limit, from.getElementType()), value, start, limit,
                               strides);
  }
  // Element i of the ui64 state, as an array of `count`.
  Value state(Value vector, int64_t i) {
    int64_t start[] = {i}, limit[] = {i + 1}, one[] = {1};
    Value element = sh::SliceOp::create(rewriter, loc, type(64, {1}), vector, start, limit, one);
    return sh::BroadcastInDimOp::create(rewriter, loc, wide, element, ArrayRef<int64_t>{0});
  }
  Value positions() { return sh::IotaOp::create(rewriter, loc, wide, 0); }

  std::pair<Value, Value> threeFry(Value key, Value counter) {
    static constexpr uint32_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    Value keys[3] = {low(key), high(key), {}};
    keys[2] = exclusiveOr(exclusiveOr(keys[0], keys[1]), constant32(0x1BD11BDA));
    Value x = add(low(counter), keys[0]), y = add(high(counter), keys[1]);
    for (uint32_t group = 0; group < 5; ++group) {
      for (uint32_t rotation : rotations[group % 2]) {
        x = add(x, y);
        y = exclusiveOr(rotate(y, rotation), x);
      }
      x = add(x, keys[(group + 1) % 3]);
      y = add(add(y, keys[(group + 2) % 3]), constant32(group + 1));
    }
    return {x, y};
  }

  SmallVector<Value, 4> philox(Value key, Value counterLow, Value counterHigh) {
    Value keys[2] = {low(key), high(key)};
    SmallVector<Value, 4> c{low(counterLow), high(counterLow), low(counterHigh), high(counterHigh)};
    for (int round = 0; round < 10; ++round) {
      Value p = multiply(constant(wide, 0xD2511F53), convert(c[0], wide));
      Value q = multiply(constant(wide, 0xCD9E8D57), convert(c[2], wide));
      c = {exclusiveOr(exclusiveOr(high(q), c[1]), keys[0]), low(q), exclusiveOr(exclusiveOr(high(p), c[3]), keys[1]),
           low(p)};
      keys[0] = add(keys[0], constant32(0x9E3779B9));
      keys[1] = add(keys[1], constant32(0xBB67AE85));
    }
    return c;
  }

  // One array [count, parts], row-major: the parts of each position side by side.
  Value interleave(ArrayRef<Value> parts) {
    SmallVector<Value> columns;
    for (Value part : parts)
      columns.push_back(reshape(part, {wide.getDimSize(0), 1}));
    auto element = cast<RankedTensorType>(parts[0].getType()).getElementType();
    auto result = RankedTensorType::get({wide.getDimSize(0), int64_t(parts.size())}, element);
    return sh::ConcatenateOp::create(rewriter, loc, result, columns, 1);
  }

  PatternRewriter &rewriter;
  Location loc;
  RankedTensorType wide, narrow;
};

struct RngBitGeneratorPattern : OpRewritePattern<sh::RngBitGeneratorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::RngBitGeneratorOp op, PatternRewriter &rewriter) const override {
    auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
    auto state = dyn_cast<RankedTensorType>(op.getInitialState().getType());
    auto element = output ? dyn_cast<IntegerType>(output.getElementType()) : IntegerType();
    bool threeFry = op.getRngAlgorithm() == sh::RngAlgorithm::THREE_FRY;
    if (!element || element.getWidth() < 8 || !output.hasStaticShape() || output.getNumElements() == 0 || !state ||
        !state.getElementType().isUnsignedInteger(64) || state.getRank() != 1 || state.getDimSize(0) < 2 ||
        state.getDimSize(0) > (threeFry ? 2 : 3))
      return failure(); // the interpreter knows the rest, or says what is wrong
    if (threeFry && output.getRank() == 0 && element.getWidth() < 64)
      return failure();
    bool wide = element.getWidth() == 64;
    int64_t used = 0; // counters
    Value bits =
        threeFry ? threeFryBits(op, output, wide, used, rewriter) : philoxBits(op, output, wide, used, rewriter);
    if (bits.getType() != output)
      bits = sh::ConvertOp::create(rewriter, op.getLoc(), output, bits);
    rewriter.replaceOp(op, {nextState(op, state, used, threeFry, rewriter), bits});
    return success();
  }

private:
  static Value threeFryBits(sh::RngBitGeneratorOp op, RankedTensorType output, bool wide, int64_t &used,
                            PatternRewriter &rewriter) {
    SmallVector<int64_t> half(output.getShape());
    unsigned split = 0;
    if (!wide) {
      auto even = llvm::find_if(half, [](int64_t size) { return size % 2 == 0; });
      split = (even != half.end() ? even : std::max_element(half.begin(), half.end())) - half.begin();
      half[split] = (half[split] + 1) / 2;
    }
    used = ShapedType::getNumElements(half);
    Words words(rewriter, op.getLoc(), used);
    Value counter = words.add(words.state(op.getInitialState(), 1), words.positions());
    auto [x, y] = words.threeFry(words.state(op.getInitialState(), 0), counter);
    if (wide)
      return words.reshape(words.join(x, y), output.getShape());
    // The two words of a counter follow each other along the split dimension.
    SmallVector<int64_t> column(half), both(half);
    column.insert(column.begin() + split + 1, 1);
    both.insert(both.begin() + split + 1, 2);
    auto pairs = sh::ConcatenateOp::create(rewriter, op.getLoc(), words.type(32, both),
                                           ValueRange{words.reshape(x, column), words.reshape(y, column)}, split + 1);
    half[split] *= 2;
    return words.slice(words.reshape(pairs, half), output.getShape());
  }

  static Value philoxBits(sh::RngBitGeneratorOp op, RankedTensorType output, bool wide, int64_t &used,
                          PatternRewriter &rewriter) {
    int64_t count = output.getNumElements(), perBlock = wide ? 2 : 4;
    used = (count + perBlock - 1) / perBlock;
    Words words(rewriter, op.getLoc(), used);
    Value state = op.getInitialState();
    bool threeWords = cast<RankedTensorType>(state.getType()).getDimSize(0) == 3;
    Value first = words.state(state, 1), low = words.add(first, words.positions());
    Value high = words.state(state, threeWords ? 2 : 0); // two words: the key again
    high = words.add(high, carry(words, low, first));
    SmallVector<Value, 4> block = words.philox(words.state(state, 0), low, high);
    Value flat = wide ? words.interleave({words.join(block[0], block[1]), words.join(block[2], block[3])})
                      : words.interleave(block);
    return words.reshape(words.slice(words.reshape(flat, {used * perBlock}), {count}), output.getShape());
  }

  // 1 where `sum`, made by adding to `before`, wrapped.
  static Value carry(Words &words, Value sum, Value before) {
    auto compareType = RankedTensorType::get(words.wide.getShape(), words.rewriter.getI1Type());
    Value wrapped =
        sh::CompareOp::create(words.rewriter, words.loc, compareType, sum, before, sh::ComparisonDirection::LT,
                              sh::ComparisonTypeAttr::get(words.rewriter.getContext(), sh::ComparisonType::UNSIGNED));
    return words.convert(wrapped, words.wide);
  }

  static Value nextState(sh::RngBitGeneratorOp op, RankedTensorType type, int64_t used, bool threeFry,
                         PatternRewriter &rewriter) {
    Words words(rewriter, op.getLoc(), 1);
    Value state = op.getInitialState(), low = words.state(state, 1);
    Value sum = words.add(low, words.constant(words.wide, used));
    SmallVector<Value, 3> parts{words.state(state, 0), sum};
    if (type.getDimSize(0) == 3)
      parts.push_back(words.add(words.state(state, 2), carry(words, sum, low)));
    return sh::ConcatenateOp::create(rewriter, op.getLoc(), type, parts, 0);
  }
};

} // namespace

void populateRngPatterns(RewritePatternSet &patterns) { patterns.add<RngBitGeneratorPattern>(patterns.getContext()); }

} // namespace tenon::passes
