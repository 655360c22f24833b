#include "tenon/codegen/gpu/library_product.h"

#include "tenon/ir/convolution_role.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"

#include <limits>
#include <utility>

namespace tenon::codegen {
namespace {

using matmul::Problem;
using program::DeviceProduct, program::ProductMatrix;

int64_t strideOf(const StridedDims &dims, int64_t count) { return count == 1 ? 0 : dims.inner().stride; }

// Whether one stride is 1, and the other steps over all of what the first is along.
bool isMatrix(const ProductMatrix &matrix, int64_t rows, int64_t columns) {
  return (matrix.columnStride == 1 && matrix.rowStride >= columns) ||
         (matrix.rowStride == 1 && matrix.columnStride >= rows);
}

void transpose(ProductMatrix &matrix) { std::swap(matrix.rowStride, matrix.columnStride); }

// Each dimension as one, if it can be.
std::optional<DeviceProduct> productOf(const Problem &p) {
  for (const StridedDims *dims : {&p.batchLhs, &p.batchRhs, &p.batchOut, &p.mLhs, &p.mOut, &p.nRhs, &p.nOut})
    if (!dims->isAffine())
      return std::nullopt;
  if (p.kDims.size() != 1)
    return std::nullopt;
  DeviceProduct product{.batch = p.batch, .rows = p.m, .columns = p.n, .depth = p.k};
  const Problem::KDim &k = p.innerK();
  product.lhs = {p.buffers.lhs, ir::toElementType(p.spec.lhs), p.spec.lhsOffset, p.mLhs.inner().stride,
                 k.lhsStride,   strideOf(p.batchLhs, p.batch)};
  product.rhs = {p.buffers.rhs, ir::toElementType(p.spec.rhs), p.spec.rhsOffset,
                 k.rhsStride,   p.nRhs.inner().stride,         strideOf(p.batchRhs, p.batch)};
  product.out = {p.buffers.out,         ir::toElementType(p.spec.out), p.spec.outOffset,
                 p.mOut.inner().stride, p.nOut.inner().stride,         strideOf(p.batchOut, p.batch)};
  if (product.out.columnStride != 1) { // the transpose is the product of the transposes
    std::swap(product.lhs, product.rhs);
    std::swap(product.rows, product.columns);
    for (ProductMatrix *matrix : {&product.lhs, &product.rhs, &product.out})
      transpose(*matrix);
  }
  return product;
}

// The operand of which an epilogue adds an element to each column of a product's results, which are not rounded in
// between; none of epilogues that do anything else.
std::optional<int32_t> biasOf(const EpiloguePlan &epilogue, const Problem &p) {
  namespace sh = stablehlo;
  mlir::Operation *dot = epilogue.contraction;
  auto fusion = mlir::cast<ir::FusionOp>(dot->getParentOp());
  auto add = fusion.getYield()->getOperand(0).getDefiningOp<sh::AddOp>();
  constexpr size_t kOps = 3; // the product, the broadcast and the sum
  const bool isSum = add && fusion->getNumResults() == 1 && p.sumType() == p.spec.out &&
                     size_t(llvm::range_size(fusion.getBlock().without_terminator())) == kOps;
  if (!isSum || !llvm::is_contained(add->getOperands(), dot->getResult(0)))
    return std::nullopt;
  mlir::Value other = add->getOperand(add->getOperand(0) == dot->getResult(0) ? 1 : 0);
  auto broadcast = other.getDefiningOp<sh::BroadcastInDimOp>();
  auto vector = broadcast ? mlir::dyn_cast<mlir::BlockArgument>(broadcast.getOperand()) : nullptr;
  const auto rank = int64_t(shapeOf(dot->getResult(0)).size());
  if (!vector || broadcast.getBroadcastDimensions() != llvm::ArrayRef<int64_t>{rank - 1} ||
      shapeOf(vector)[0] != shapeOf(dot->getResult(0)).back())
    return std::nullopt;
  return int32_t(vector.getArgNumber());
}

} // namespace

double operationsOf(ElementType factor, ElementType out, const GpuChip &chip) {
  const bool isHalf = factor == ElementType::kBF16 || factor == ElementType::kF16;
  if (isHalf && (out == factor || out == ElementType::kF32))
    return chip.operations.half;
  if (factor == ElementType::kI8 && out == ElementType::kI32)
    return chip.operations.int8;
  if (factor == out && (out == ElementType::kF32 || out == ElementType::kF64))
    return out == ElementType::kF32 ? chip.operations.single : chip.operations.doubles;
  return 0;
}

std::optional<DeviceProduct> libraryProduct(const KernelPlan &plan, const GpuChip &chip, double leastNanoseconds,
                                            bool allowsTf32) {
  const auto *dot = plan.parts.size() == 1 ? std::get_if<DotPlan>(&plan.parts.front().schedule) : nullptr;
  if (!dot)
    return std::nullopt;
  const Problem &p = dot->problem;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (p.spec.lhsAs || p.spec.rhsAs || p.spec.lhs != p.spec.rhs || p.buffers.lhsBytes || p.buffers.rhsBytes ||
      std::min({p.batch, p.m, p.n, p.k}) < 1 || std::max({p.batch, p.m, p.n, p.k}) > kMost)
    return std::nullopt;
  double operations = operationsOf(ir::toElementType(p.spec.lhs), ir::toElementType(p.spec.out), chip);
  if (operations == 0 || dot->flops / operations < leastNanoseconds)
    return std::nullopt;
  std::optional<DeviceProduct> product = productOf(p);
  if (!product || product->out.columnStride != 1 || !isMatrix(product->lhs, product->rows, product->depth) ||
      !isMatrix(product->rhs, product->depth, product->columns) ||
      !isMatrix(product->out, product->rows, product->columns))
    return std::nullopt;
  if (p.hasEpilogue) {
    std::optional<int32_t> bias = biasOf(*dot->epilogue, p);
    if (!bias || shapeOf(dot->epilogue->contraction->getResult(0)).back() != product->columns)
      return std::nullopt;
    product->bias = *bias;
  }
  mlir::Operation *op = dot->epilogue ? dot->epilogue->contraction : plan.parts.front().source.op;
  product->allowsTf32 = product->lhs.type == ElementType::kF32 && ir::mayRoundToTf32(op, allowsTf32);
  return product;
}

bool gainsByTf32(mlir::Operation *contraction, const GpuChip &chip, double leastNanoseconds, bool allowsTf32) {
  auto isF32 = [](mlir::Value value) { return ir::elementTypeOf(value).isF32(); };
  if (!llvm::all_of(contraction->getOperands(), isF32) || !isF32(contraction->getResult(0)) ||
      !ir::mayRoundToTf32(contraction, allowsTf32))
    return false;
  // An H100 reads and writes an element once more in the time of some 90 products of f32, and multiplies tf32 6 times
  // as fast.
  constexpr double kLeastTerms = 256;
  const auto elements = double(ir::typeOf(contraction->getResult(0)).getNumElements());
  double operations = 0;
  if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(contraction)) {
    operations = ir::operationsIn(convolution);
  } else {
    auto dot = mlir::cast<stablehlo::DotGeneralOp>(contraction);
    operations = 2 * elements;
    for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      operations *= double(shapeOf(dot.getLhs())[dim]);
  }
  return operations >= 2 * kLeastTerms * elements && operations / chip.operations.single >= 2 * leastNanoseconds;
}

} // namespace tenon::codegen
