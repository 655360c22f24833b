// Ops on constants are evaluated by the reference interpreter, so that folding and running agree in every element type.
// The cost is bounded: what is large stays an op (folding large constants is what makes a peer's compiler hang).

#include "tenon/passes/simplify/constant_fold.h"

#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kFoldedElements = 1024;

bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= kFoldedElements &&
         !isa<quant::QuantizedType>(tensor.getElementType());
}

// Regions of reduce and the like may be evaluated; loops and calls may not end.
bool isFoldable(Operation *op) {
  return op->getName().getDialectNamespace() == sh::StablehloDialect::getDialectNamespace() &&
         !isa<sh::ConstantOp, sh::WhileOp, sh::IfOp, sh::CaseOp, sh::ReturnOp, sh::OptimizationBarrierOp, sh::RngOp,
              sh::CustomCallOp, sh::SortOp, sh::IotaOp>(op) &&
         op->getNumResults() > 0 && isPure(op);
}

struct FoldPattern : RewritePattern {
  explicit FoldPattern(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<SmallVector<ElementsAttr>> attributes = evaluateOnConstants(op);
    if (!attributes)
      return failure();
    SmallVector<Value> constants;
    for (auto [type, attribute] : llvm::zip(op->getResultTypes(), *attributes))
      constants.push_back(sh::ConstantOp::create(rewriter, op->getLoc(), type, attribute));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

// Elementwise ops on splats of any size: evaluated once.
struct SplatFoldPattern : RewritePattern {
  explicit SplatFoldPattern(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<ir::Elementwise>() || op->getNumOperands() == 0 || op->getNumResults() != 1 || !isFoldable(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || isSmall(type))
      return failure();
    SmallVector<Attribute> scalars;
    for (Value operand : op->getOperands()) {
      SplatElementsAttr splat;
      if (!matchPattern(operand, m_Constant(&splat)))
        return failure();
      scalars.push_back(splat.resizeSplat(RankedTensorType::get({}, splat.getElementType())));
    }
    SmallVector<Value> operands;
    for (Attribute scalar : scalars)
      operands.push_back(sh::ConstantOp::create(rewriter, op->getLoc(), cast<ElementsAttr>(scalar)));
    auto scalarType = RankedTensorType::get({}, type.getElementType());
    OperationState state(op->getLoc(), op->getName().getStringRef(), operands, scalarType, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOpWithNewOp<sh::BroadcastInDimOp>(op, type, scalar->getResult(0), ArrayRef<int64_t>{});
    return success();
  }
};

} // namespace

std::optional<SmallVector<ElementsAttr>> evaluateOnConstants(Operation *op) {
  if (!isFoldable(op) || op->getNumOperands() == 0 || !llvm::all_of(op->getResultTypes(), isSmall))
    return std::nullopt;
  SmallVector<interpreter::Value> arguments;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr constant;
    if (!isSmall(operand.getType()) || !matchPattern(operand, m_Constant(&constant)))
      return std::nullopt;
    auto tensor = interpreter::Tensor::fromAttr(constant);
    if (!tensor.ok())
      return std::nullopt;
    arguments.push_back(interpreter::Value(std::move(*tensor)));
  }
  auto results = interpreter::interpretOp(op, arguments);
  if (!results.ok())
    return std::nullopt;
  SmallVector<ElementsAttr> attributes;
  for (interpreter::Value &value : *results)
    attributes.push_back(value.tensor().toAttr());
  return attributes;
}

void populateConstantFoldPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldPattern, SplatFoldPattern>(patterns.getContext());
}

} // namespace tenon::passes
