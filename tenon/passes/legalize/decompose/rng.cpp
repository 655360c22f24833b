// rng_bit_generator as integer arithmetic on arrays of counters, so that it fuses with what uses the bits.

#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/legalize/decompose/random_bits.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

struct RngBitGeneratorPattern : OpRewritePattern<sh::RngBitGeneratorOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::RngBitGeneratorOp op, PatternRewriter &rewriter) const override {
    if (!RandomBits::isDefinedFor(op))
      return failure(); // the interpreter says what is wrong
    RandomBits random(rewriter, op, op.getInitialState());
    Value output = random.all();
    rewriter.replaceOp(op, {random.nextState(), output});
    return success();
  }
};

} // namespace

void populateRngPatterns(RewritePatternSet &patterns) { patterns.add<RngBitGeneratorPattern>(patterns.getContext()); }

} // namespace tenon::passes
