// rng_bit_generator as integer arithmetic on arrays of counters, so that it fuses with what uses the bits. Which
// counter gives which element is as in the interpreter (tenon/interpreter/rng.cpp), and in XLA.

#include "tenon/passes/legalize/decompose/counter_rng.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

struct RngBitGeneratorPattern : OpRewritePattern<sh::RngBitGeneratorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::RngBitGeneratorOp op, PatternRewriter &rewriter) const override {
    auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
    auto state = dyn_cast<RankedTensorType>(op.getInitialState().getType());
    bool threeFry = op.getRngAlgorithm() == sh::RngAlgorithm::THREE_FRY;
    if (!output || !output.hasStaticShape() || !state || !state.getElementType().isUnsignedInteger(64) ||
        state.getRank() != 1 || state.getDimSize(0) < 2 || state.getDimSize(0) > (threeFry ? 2 : 3))
      return failure(); // the interpreter says what is wrong
    bool wide = output.getElementTypeBitWidth() == 64;
    int64_t used = 0; // counters
    Value bits =
        threeFry ? threeFryBits(op, output, wide, used, rewriter) : philoxBits(op, output, wide, used, rewriter);
    rewriter.replaceOp(op, {nextState(op, state, used, threeFry, rewriter), ofType(op, bits, output, rewriter)});
    return success();
  }

private:
  // Narrow types take the low bits.
  static Value ofType(sh::RngBitGeneratorOp op, Value bits, RankedTensorType type, PatternRewriter &rewriter) {
    auto convert = [&](Value value, RankedTensorType to) -> Value {
      return value.getType() == to ? value : sh::ConvertOp::create(rewriter, op.getLoc(), to, value).getResult();
    };
    if (isa<IntegerType>(type.getElementType()))
      return convert(bits, type);
    unsigned width = type.getElementTypeBitWidth();
    if (width == 6) { // no integer has this width; three of two bits have
      SmallVector<int64_t> shape(type.getShape()), dims;
      for (int64_t d = 0; d < type.getRank(); ++d)
        dims.push_back(d);
      shape.push_back(3);
      auto parts = cast<RankedTensorType>(bits.getType()).clone(shape);
      CounterRng words(rewriter, op.getLoc(), 0);
      Value spread = sh::BroadcastInDimOp::create(rewriter, op.getLoc(), parts, bits, dims);
      Value number = sh::IotaOp::create(rewriter, op.getLoc(), parts, type.getRank());
      Value shifted = words.binary<sh::ShiftRightLogicalOp>(spread, words.add(number, number));
      bits = convert(shifted, parts.clone(rewriter.getIntegerType(2, /*isSigned=*/false)));
    } else {
      bits = convert(bits, type.clone(rewriter.getIntegerType(width, /*isSigned=*/false)));
    }
    return sh::BitcastConvertOp::create(rewriter, op.getLoc(), type, bits);
  }

  static Value threeFryBits(sh::RngBitGeneratorOp op, RankedTensorType output, bool wide, int64_t &used,
                            PatternRewriter &rewriter) {
    SmallVector<int64_t> half(output.getShape());
    unsigned split = 0;
    if (!wide && !half.empty()) {
      auto even = llvm::find_if(half, [](int64_t size) { return size % 2 == 0; });
      split = (even != half.end() ? even : std::max_element(half.begin(), half.end())) - half.begin();
      half[split] = (half[split] + 1) / 2;
    }
    used = ShapedType::getNumElements(half);
    CounterRng words(rewriter, op.getLoc(), used);
    Value counter = words.add(words.broadcastTo(op.getInitialState(), 1), words.positions());
    auto [x, y] = words.threeFry(words.broadcastTo(op.getInitialState(), 0), counter);
    if (wide || half.empty())
      return words.reshape(wide ? words.join(x, y) : x, output.getShape());
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
    CounterRng words(rewriter, op.getLoc(), used);
    Value state = op.getInitialState();
    bool threeWords = cast<RankedTensorType>(state.getType()).getDimSize(0) == 3;
    Value first = words.broadcastTo(state, 1), low = words.add(first, words.positions());
    Value high = words.broadcastTo(state, threeWords ? 2 : 0); // two words: the key again
    high = words.add(high, carry(words, low, first));
    SmallVector<Value, 4> block = words.philox(words.broadcastTo(state, 0), low, high);
    Value flat = wide ? words.interleave({words.join(block[0], block[1]), words.join(block[2], block[3])})
                      : words.interleave(block);
    return words.reshape(words.slice(words.reshape(flat, {used * perBlock}), {count}), output.getShape());
  }

  // 1 where `sum`, made by adding to `before`, wrapped.
  static Value carry(CounterRng &words, Value sum, Value before) {
    auto compareType = RankedTensorType::get(words.wide.getShape(), words.builder.getI1Type());
    Value wrapped =
        sh::CompareOp::create(words.builder, words.loc, compareType, sum, before, sh::ComparisonDirection::LT,
                              sh::ComparisonTypeAttr::get(words.builder.getContext(), sh::ComparisonType::UNSIGNED));
    return words.convert(wrapped, words.wide);
  }

  static Value nextState(sh::RngBitGeneratorOp op, RankedTensorType type, int64_t used, bool threeFry,
                         PatternRewriter &rewriter) {
    CounterRng words(rewriter, op.getLoc(), 1);
    Value state = op.getInitialState(), low = words.broadcastTo(state, 1);
    Value sum = words.add(low, words.constant(words.wide, used));
    SmallVector<Value, 3> parts{words.broadcastTo(state, 0), sum};
    if (type.getDimSize(0) == 3)
      parts.push_back(words.add(words.broadcastTo(state, 2), carry(words, sum, low)));
    return sh::ConcatenateOp::create(rewriter, op.getLoc(), type, parts, 0);
  }
};

} // namespace

void populateRngPatterns(RewritePatternSet &patterns) { patterns.add<RngBitGeneratorPattern>(patterns.getContext()); }

} // namespace tenon::passes
