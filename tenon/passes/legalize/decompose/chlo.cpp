// CHLO ops that have no kernel of their own, or none for every element type.

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// The parts w from which asin(z) = complex(atan2(z.re, w.re), sign(z.im) * w.im), in f64 as the functions themselves:
// w.re is |re(sqrt(1 - z) sqrt(1 + z))|, whose terms have one sign, w.im is |im(asin(z))| (Kahan, "Branch Cuts").
struct AsinAcosPattern : OpRewritePattern<chlo::AsinAcosKernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(chlo::AsinAcosKernelOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getOperand());
    if (!type.hasStaticShape())
      return failure();
    Location loc = op.getLoc();
    auto real = type.clone(rewriter.getF64Type()), wide = type.clone(ComplexType::get(rewriter.getF64Type()));
    Value z = sh::ConvertOp::create(rewriter, loc, wide, op.getOperand());
    Value asin = chlo::AsinOp::create(rewriter, loc, wide, z);
    Value one = sh::ConstantOp::create(rewriter, loc,
                                       SplatElementsAttr::get(wide, std::complex<APFloat>(APFloat(1.0), APFloat(0.0))));
    Value below = sh::SqrtOp::create(rewriter, loc, wide, sh::SubtractOp::create(rewriter, loc, wide, one, z));
    Value above = sh::SqrtOp::create(rewriter, loc, wide, sh::AddOp::create(rewriter, loc, wide, one, z));
    Value product = sh::MultiplyOp::create(rewriter, loc, wide, below, above);
    Value first = sh::AbsOp::create(rewriter, loc, real, sh::RealOp::create(rewriter, loc, real, product).getResult());
    Value second = sh::AbsOp::create(rewriter, loc, real, sh::ImagOp::create(rewriter, loc, real, asin).getResult());
    Value both = sh::ComplexOp::create(rewriter, loc, wide, first, second);
    rewriter.replaceOpWithNewOp<sh::ConvertOp>(op, type, both);
    return success();
  }
};

// Kernels and what reads constants know one kind of them.
struct ConstantPattern : OpRewritePattern<chlo::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(chlo::ConstantOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, op.getType(), op.getValue());
    return success();
  }
};

// The kernel of top_k packs a key of up to 32 bits and a position into one word. What does not fit is sorted whole:
// descending in the total order, positions along.
struct WideTopKPattern : OpRewritePattern<chlo::TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(chlo::TopKOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getOperand());
    Type element = type.getElementType();
    bool fits = element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 && element.getIntOrFloatBitWidth() <= 32;
    bool isByteFloat = isa<FloatType>(element) && fits && element.getIntOrFloatBitWidth() == 8;
    if (!type.hasStaticShape() || (fits && !isByteFloat))
      return failure();
    Location loc = op.getLoc();
    int64_t dimension = type.getRank() - 1;
    auto positions = type.clone(typeOf(op.getIndices()).getElementType());
    Value iota = sh::IotaOp::create(rewriter, loc, positions, dimension);
    auto sort = sh::SortOp::create(rewriter, loc, TypeRange{type, positions}, ValueRange{op.getOperand(), iota},
                                   dimension, /*is_stable=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Type value = RankedTensorType::get({}, element), position = RankedTensorType::get({}, positions.getElementType());
      Block *body =
          rewriter.createBlock(&sort.getComparator(), {}, {value, value, position, position}, {loc, loc, loc, loc});
      sh::ComparisonTypeAttr order;
      if (isa<FloatType>(element))
        order = sh::ComparisonTypeAttr::get(op.getContext(), sh::ComparisonType::TOTALORDER);
      Value greater =
          sh::CompareOp::create(rewriter, loc, RankedTensorType::get({}, rewriter.getI1Type()), body->getArgument(0),
                                body->getArgument(1), sh::ComparisonDirection::GT, order);
      sh::ReturnOp::create(rewriter, loc, greater);
    }
    SmallVector<Value> results;
    for (auto [sorted, result] : llvm::zip(sort->getResults(), op->getResults())) {
      RankedTensorType cut = typeOf(result);
      SmallVector<int64_t> start(cut.getRank(), 0), strides(cut.getRank(), 1);
      results.push_back(sh::SliceOp::create(rewriter, loc, cut, sorted, start, cut.getShape(), strides));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateChloPatterns(RewritePatternSet &patterns) {
  patterns.add<AsinAcosPattern, ConstantPattern, WideTopKPattern>(patterns.getContext());
}

} // namespace tenon::passes
