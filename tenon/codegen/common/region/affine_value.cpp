#include "tenon/codegen/common/region/affine_value.h"

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::codegen {
namespace {

using llvm::ArrayRef;
using mlir::AffineExpr;
using mlir::Value;
namespace sh = stablehlo;

// Walks from a value to what it is made of. Every element is looked at anew, so a walk has a bounded number of steps.
class AffineWalk {
public:
  explicit AffineWalk(RegionIndexer &indexer) : indexer_(indexer), space_(indexer.space()) {}

  std::optional<AffineExpr> value(Value value, ArrayRef<AffineExpr> index) {
    constexpr unsigned kMaxSteps = 64;
    mlir::Operation *op = value.getDefiningOp();
    auto type = llvm::dyn_cast<mlir::IntegerType>(elementTypeOf(value));
    // What is outside of the kernel's region is not part of what the kernel is known by.
    if (!op || !type || type.getWidth() == 1 || ++steps_ > kMaxSteps ||
        !llvm::isa_and_nonnull<ir::FusionOp>(op->getParentOp()))
      return std::nullopt;
    std::optional<AffineExpr> expr = resultOf(op, index);
    return expr && isInside(*expr, type) ? expr : std::nullopt;
  }

private:
  std::optional<AffineExpr> resultOf(mlir::Operation *op, ArrayRef<AffineExpr> index) {
    switch (elementForm(op)) {
    case ElementForm::kConstant: {
      llvm::APInt number;
      if (!mlir::matchPattern(op, mlir::m_ConstantInt(&number)) || number.getSignificantBits() > 32)
        return std::nullopt;
      bool isUnsigned = elementTypeOf(op->getResult(0)).isUnsignedInteger();
      return space_.constant(isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue());
    }
    case ElementForm::kIota:
      return index[llvm::cast<sh::IotaOp>(op).getIotaDimension()];
    case ElementForm::kMoved:
      return moved(op, index);
    case ElementForm::kReduced:
      return std::nullopt;
    case ElementForm::kComputed:
      return computed(op, index);
    }
    llvm_unreachable("all forms are handled");
  }

  std::optional<AffineExpr> moved(mlir::Operation *op, ArrayRef<AffineExpr> index) {
    if (!llvm::isa<sh::BroadcastInDimOp, sh::ReshapeOp, sh::TransposeOp, sh::SliceOp, sh::ReverseOp, sh::ConcatenateOp>(
            op))
      return std::nullopt;
    auto sources = indexer_.sources(op, index);
    if (!sources.front().conditions.empty())
      return std::nullopt;
    return value(op->getOperand(sources.front().operand), sources.front().index);
  }

  std::optional<AffineExpr> computed(mlir::Operation *op, ArrayRef<AffineExpr> index) {
    return llvm::TypeSwitch<mlir::Operation *, std::optional<AffineExpr>>(op)
        .Case([&](sh::ConvertOp) { return operand(op, 0, index); })
        .Case([&](sh::SelectOp select) { return selected(select, index); })
        .Case<sh::AddOp, sh::SubtractOp, sh::MultiplyOp, sh::MinimumOp, sh::MaximumOp>(
            [&](auto) -> std::optional<AffineExpr> {
              auto a = operand(op, 0, index), b = a ? operand(op, 1, index) : std::nullopt;
              return b ? combined(op, *a, *b) : std::nullopt;
            })
        .Default([](mlir::Operation *) { return std::nullopt; });
  }

  std::optional<AffineExpr> operand(mlir::Operation *op, unsigned number, ArrayRef<AffineExpr> index) {
    Value of = op->getOperand(number);
    return value(of, RegionIndexer::elementwiseIndex(of, index));
  }

  std::optional<AffineExpr> combined(mlir::Operation *op, AffineExpr a, AffineExpr b) {
    if (llvm::isa<sh::AddOp>(op))
      return space_.add(a, b);
    if (llvm::isa<sh::SubtractOp>(op))
      return difference(a, b);
    if (llvm::isa<sh::MultiplyOp>(op)) {
      IndexRange first = space_.range(a), second = space_.range(b);
      if (second.min == second.max)
        return space_.scale(a, second.min);
      return first.min == first.max ? std::optional(space_.scale(b, first.min)) : std::nullopt;
    }
    IndexRange range = space_.range(difference(a, b));
    if (range.min < 0 && range.max > 0)
      return std::nullopt;
    return (range.max <= 0) == llvm::isa<sh::MinimumOp>(op) ? a : b;
  }

  std::optional<AffineExpr> selected(sh::SelectOp select, ArrayRef<AffineExpr> index) {
    auto compare = select.getPred().getDefiningOp<sh::CompareOp>();
    if (!compare)
      return std::nullopt;
    IndexVector at = RegionIndexer::elementwiseIndex(select.getPred(), index);
    auto a = operand(compare, 0, at), b = a ? operand(compare, 1, at) : std::nullopt;
    std::optional<bool> chosen =
        b ? holds(compare.getComparisonDirection(), space_.range(difference(*a, *b))) : std::nullopt;
    return chosen ? operand(select, *chosen ? 1 : 2, index) : std::nullopt;
  }

  // Whether a comparison with zero holds for all numbers in the range, or for none.
  static std::optional<bool> holds(sh::ComparisonDirection direction, IndexRange range) {
    auto decided = [](bool always, bool never) { return always || never ? std::optional(always) : std::nullopt; };
    switch (direction) {
    case sh::ComparisonDirection::LT:
      return decided(range.max < 0, range.min >= 0);
    case sh::ComparisonDirection::LE:
      return decided(range.max <= 0, range.min > 0);
    case sh::ComparisonDirection::GT:
      return decided(range.min > 0, range.max <= 0);
    case sh::ComparisonDirection::GE:
      return decided(range.min >= 0, range.max < 0);
    default:
      return std::nullopt;
    }
  }

  AffineExpr difference(AffineExpr a, AffineExpr b) { return space_.add(a, space_.scale(b, -1)); }

  bool isInside(AffineExpr expr, mlir::IntegerType type) const {
    IndexRange range = space_.range(expr);
    unsigned bits = std::min(type.getWidth() - (type.isUnsigned() ? 0 : 1), 40U); // far from the limits of int64_t
    return range.min >= (type.isUnsigned() ? 0 : -(int64_t(1) << bits)) && range.max < int64_t(1) << bits;
  }

  RegionIndexer &indexer_;
  IndexSpace &space_;
  unsigned steps_ = 0;
};

} // namespace

std::optional<AffineExpr> affineValue(RegionIndexer &indexer, Value value, ArrayRef<AffineExpr> index) {
  return AffineWalk(indexer).value(value, index);
}

} // namespace tenon::codegen
