// The input's products of a recurrent network, for all steps at once:
//
//   while(%i < T) do { %x = dynamic_slice %xs, %i, ...; %g = dot_general %x, %weights; ... }
//     =>
//   %gs = dot_general %xs, %weights
//   while(%i < T) do { %g = dynamic_slice %gs, %i, ...; ... }
//
// A product of a few rows takes most of its time to bring the weights into the form that its kernel wants; one of all
// steps' rows does so once, and reads the weights once for many rows. It takes memory for the results of all steps, so
// there are bounds.

#include "tenon/passes/simplify/step_products.h"

#include "tenon/ir/tf32.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf;
using ir::typeOf;

// The most that the results of all steps take.
constexpr int64_t kMostBytes = 64 << 20;

bool isOutside(Value value, sh::WhileOp loop) { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }

// The slice of one step that the value is, without its leading dimension of size one; or null.
sh::DynamicSliceOp stepOf(Value value, sh::WhileOp loop) {
  auto reshape = value.getDefiningOp<sh::ReshapeOp>();
  auto slice = reshape ? reshape.getOperand().getDefiningOp<sh::DynamicSliceOp>() : sh::DynamicSliceOp();
  if (!slice || !isOutside(slice.getOperand(), loop))
    return {};
  ArrayRef<int64_t> whole = shapeOf(slice.getOperand());
  if (slice.getSliceSizes().front() != 1 || slice.getSliceSizes().drop_front() != whole.drop_front() ||
      shapeOf(value) != whole.drop_front())
    return {};
  return slice;
}

int64_t sizeOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= shape[dim];
  return size;
}

class StepProduct {
public:
  StepProduct(sh::DotGeneralOp product, sh::WhileOp loop)
      : product_(product), loop_(loop), slice_(stepOf(product.getLhs(), loop)) {}

  bool pays(int64_t trips, const CostModel &costs) {
    if (!slice_ || !isOutside(product_.getRhs(), loop_) || !numbers().getLhsBatchingDimensions().empty())
      return false;
    int64_t steps = shapeOf(slice_.getOperand()).front();
    int64_t products = sizeOf(shapeOf(product_.getLhs()), numbers().getLhsContractingDimensions());
    if (steps > trips || products < costs.hoistedSum ||
        typeOf(product_.getLhs()).getNumElements() > costs.hoistedRows * products)
      return false;
    return steps * ir::storedBytes(typeOf(product_.getResult())) <= kMostBytes;
  }

  void hoist() {
    OpBuilder builder(loop_);
    Value whole = slice_.getOperand();
    SmallVector<int64_t> contracted =
        llvm::map_to_vector(numbers().getLhsContractingDimensions(), [](int64_t dim) { return dim + 1; });
    auto dims = sh::DotDimensionNumbersAttr::get(product_.getContext(), {}, {}, contracted,
                                                 numbers().getRhsContractingDimensions());
    SmallVector<int64_t> shape(shapeOf(product_.getResult()));
    shape.insert(shape.begin(), shapeOf(whole).front());
    RankedTensorType type = typeOf(product_.getResult());
    auto all = sh::DotGeneralOp::create(builder, product_.getLoc(), type.clone(shape), whole, product_.getRhs(), dims,
                                        product_.getPrecisionConfigAttr(), product_.getAlgorithmAttr());
    ir::copyTf32Operands(product_, all);
    Value at = slice_.getStartIndices().front();
    Value zero =
        sh::ConstantOp::create(builder, product_.getLoc(), cast<DenseElementsAttr>(builder.getZeroAttr(at.getType())));
    SmallVector<Value> starts(shape.size(), zero);
    starts.front() = at;
    shape.front() = 1;
    builder.setInsertionPoint(product_);
    Value one = sh::DynamicSliceOp::create(builder, product_.getLoc(), type.clone(shape), all, starts,
                                           builder.getDenseI64ArrayAttr(shape));
    Value result = sh::ReshapeOp::create(builder, product_.getLoc(), type, one);
    product_.getResult().replaceAllUsesWith(result);
    product_->erase();
  }

private:
  sh::DotDimensionNumbersAttr numbers() { return product_.getDotDimensionNumbers(); }

  sh::DotGeneralOp product_;
  sh::WhileOp loop_;
  sh::DynamicSliceOp slice_;
};

} // namespace

void hoistStepProducts(sh::WhileOp loop, const CostModel &costs) {
  int64_t trips = ir::tripCount(loop);
  if (trips < 2)
    return;
  for (auto product : llvm::make_early_inc_range(loop.getBody().front().getOps<sh::DotGeneralOp>()))
    if (StepProduct step(product, loop); step.pays(trips, costs))
      step.hoist();
}

} // namespace tenon::passes
