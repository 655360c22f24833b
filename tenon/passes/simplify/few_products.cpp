// Products of an array with one that has no dimensions of its own:
//
//   dot_general(points[n, 3], vector[3])
//     =>
//   reduce(multiply(points, broadcast(vector)), add)
//
// A sum over a few indices of large arrays, first. Register tiles hold rows of one operand for many columns of the
// other. Here there is one column, so packing points into tiles takes several times as long as their three
// multiplications. A loop reads them once, as whole vectors, and may compute what the points come from, and what
// becomes of the sums: 100,000 points of 2, 3, 4 and 6 numbers times a vector take 0.25, 0.3, 0.45 and 0.7 of the time.
// So it is of rows times rows, however many terms their sums have, where both are in one order: 20,000 rows of 16
// numbers take half, and columns a quarter. One pair of rows of 500,000 complex numbers takes a fifth. And so it is of
// batches of small matrices times vectors: 4,096 of 8x8 and 8x16 take 0.25 and 0.2 of the time, of 32x32 0.7 to 1.
//
// Small arrays, second, whatever the sum is over: steps of solvers, filters and recurrent cells. Plain loops would add
// up one product after the other, and kernels of products are calls of their own, with the vector copied first; a
// reduction adds vectors up, and is fused with what surrounds it. Loops with a product of two vectors of 64 and 200
// numbers take 0.4 and 0.2 of the time, with vectors times 30x60, 100x16 and 100x8 0.4, 0.55 and 0.66, matrices of 8x8
// to 12x12 times vectors 0.6 to 0.7. Kernels of products are as fast for long sums of neighbours in memory.

#include "tenon/passes/simplify/few_products.h"

#include "tenon/passes/legalize/decompose/array_builder.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::elementTypeOf;
using ir::shapeOf;
using ir::typeOf;

// The type in which products of the two types are added up, or none.
Type typeOfSum(Type lhs, Type rhs, Type result) {
  auto isPlainFloat = [](Type type) { return ir::isFloat(type) && type.getIntOrFloatBitWidth() >= 16; };
  auto isPlainInteger = [](Type type) {
    return (ir::isSignedInt(type) || ir::isUnsignedInt(type)) && type.getIntOrFloatBitWidth() >= 8;
  };
  if (llvm::all_of(ArrayRef{lhs, rhs, result}, isPlainFloat)) {
    Type single = Float32Type::get(result.getContext());
    bool isWide = llvm::any_of(ArrayRef{lhs, rhs, result}, [](Type type) { return type.isF64(); });
    return !isWide ? single : lhs == rhs && lhs == result ? result : Type();
  }
  // Modulo the result's range, in which all that is left out of wider operands counts for nothing.
  return llvm::all_of(ArrayRef{lhs, rhs, result}, isPlainInteger) ? result : Type();
}

Value converted(ArrayBuilder &arrays, Value value, Type type) {
  RankedTensorType as = typeOf(value).clone(type);
  return as == value.getType() ? value : sh::ConvertOp::create(arrays.builder, arrays.loc, as, value).getResult();
}

// The dimensions of a broadcast are in ascending order: those of its operand come into it first.
Value broadcastInOrder(ArrayBuilder &arrays, Value value, Sizes sizes, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  SmallVector<int64_t> ascending(dims);
  llvm::sort(ascending);
  return arrays.broadcast(llvm::is_sorted(dims) ? value : arrays.transpose(value, order), sizes, ascending);
}

class FewProducts {
public:
  explicit FewProducts(sh::DotGeneralOp op)
      : op_(op), numbers_(op.getDotDimensionNumbers()),
        isLhsWhole_(numbers_.getRhsBatchingDimensions().size() + numbers_.getRhsContractingDimensions().size() ==
                    size_t(typeOf(op.getRhs()).getRank())) {}

  bool pays(const CostModel &costs) {
    int64_t terms = 1;
    for (int64_t dim : summed())
      terms *= shapeOf(whole())[dim];
    int64_t others = batch().size() + summed().size();
    bool hasOwn = typeOf(other()).getRank() > others;
    type_ = typeOfSum(elementTypeOf(op_.getLhs()), elementTypeOf(op_.getRhs()), elementTypeOf(op_));
    if (ir::isComplex(elementTypeOf(op_))) { // of rows times rows alone
      if (!isOfRows() || elementTypeOf(op_.getLhs()) != elementTypeOf(op_) ||
          elementTypeOf(op_.getRhs()) != elementTypeOf(op_))
        return false;
      type_ = elementTypeOf(op_);
    }
    if (hasOwn || op_.getAlgorithm() || !type_ || terms <= 1)
      return false;
    double products = static_cast<double>(typeOf(op_).getNumElements()) * static_cast<double>(terms);
    if (products > costs.plainProduct && (terms <= costs.fewTerms || isOfRows()))
      return true;
    // A matrix for each vector: no operand is read twice.
    if (!batch().empty() && llvm::is_sorted(placesOfOther()) && !ir::isComplex(elementTypeOf(op_)) &&
        products > costs.plainProduct && terms * ownElements() <= costs.batchedProducts)
      return true;
    if (products > costs.summedProducts)
      return false;
    return isOfRows() || !isAlongRows() ||
           (products <= costs.plainProduct && (terms < costs.longSum || terms * ownElements() < costs.dotProduct));
  }

  void replace() {
    OpBuilder builder(op_);
    ArrayBuilder arrays(builder, op_.getLoc());
    ArrayRef<int64_t> sizes = shapeOf(whole());
    Value part = broadcastInOrder(arrays, converted(arrays, other(), type_), sizes, placesOfOther());
    SmallVector<int64_t> ascending(summed());
    llvm::sort(ascending);
    Value sums = arrays.sum(arrays.multiply(converted(arrays, whole(), type_), part), ascending);
    SmallVector<int64_t> order = orderOfResult();
    Value result = llvm::is_sorted(order) ? sums : arrays.transpose(sums, order);
    if (result.getType() != op_.getType())
      result = sh::ConvertOp::create(builder, op_.getLoc(), op_.getType(), result);
    op_.replaceAllUsesWith(result);
    op_.erase();
  }

private:
  // Whether neither operand has dimensions of its own, and both have the others in one order.
  bool isOfRows() {
    return typeOf(op_).getRank() == int64_t(batch().size()) && batch() == otherBatch() && summed() == otherSummed();
  }

  // Whether sums are of neighbours in memory.
  bool isAlongRows() { return llvm::is_contained(summed(), typeOf(whole()).getRank() - 1); }

  // Where the other operand's dimensions are in the whole one.
  SmallVector<int64_t> placesOfOther() {
    SmallVector<int64_t> dims(typeOf(other()).getRank());
    for (auto [to, from] : llvm::zip_equal(batch(), otherBatch()))
      dims[from] = to;
    for (auto [to, from] : llvm::zip_equal(summed(), otherSummed()))
      dims[from] = to;
    return dims;
  }

  // Sums of each batch.
  int64_t ownElements() {
    int64_t elements = 1;
    for (auto [dim, size] : llvm::enumerate(shapeOf(whole())))
      elements *= llvm::is_contained(batch(), int64_t(dim)) || llvm::is_contained(summed(), int64_t(dim)) ? 1 : size;
    return elements;
  }

  Value whole() { return isLhsWhole_ ? op_.getLhs() : op_.getRhs(); }
  Value other() { return isLhsWhole_ ? op_.getRhs() : op_.getLhs(); }
  ArrayRef<int64_t> batch() {
    return isLhsWhole_ ? numbers_.getLhsBatchingDimensions() : numbers_.getRhsBatchingDimensions();
  }
  ArrayRef<int64_t> otherBatch() {
    return isLhsWhole_ ? numbers_.getRhsBatchingDimensions() : numbers_.getLhsBatchingDimensions();
  }
  ArrayRef<int64_t> summed() {
    return isLhsWhole_ ? numbers_.getLhsContractingDimensions() : numbers_.getRhsContractingDimensions();
  }
  ArrayRef<int64_t> otherSummed() {
    return isLhsWhole_ ? numbers_.getRhsContractingDimensions() : numbers_.getLhsContractingDimensions();
  }

  // The result has batch dimensions first, the sums the whole operand's order.
  SmallVector<int64_t> orderOfResult() {
    SmallVector<int64_t> left, order;
    for (int64_t dim = 0; dim < typeOf(whole()).getRank(); ++dim)
      if (!llvm::is_contained(summed(), dim))
        left.push_back(dim);
    auto add = [&](int64_t dim) { order.push_back(llvm::find(left, dim) - left.begin()); };
    llvm::for_each(batch(), add);
    for (int64_t dim : left)
      if (!llvm::is_contained(batch(), dim))
        add(dim);
    return order;
  }

  sh::DotGeneralOp op_;
  sh::DotDimensionNumbersAttr numbers_;
  bool isLhsWhole_; // the other operand has no dimensions of its own
  Type type_;       // of the sums
};

// Sums of one term each, as the gradient of a matrix with regard to one row times it:
//
//   dot_general(x[1, m], y[1, n]) over the 1  =>  add(multiply(broadcast(x), broadcast(y)), 0)
//
// The zero makes what -0 is as a sum. Register tiles would be stored again after each term: adding a column times a row
// to 256x1024 floats takes a third to a sixth of the time.
class SingleProducts {
public:
  explicit SingleProducts(sh::DotGeneralOp op) : op_(op), numbers_(op.getDotDimensionNumbers()) {}

  bool pays(const CostModel &costs) {
    type_ = typeOfSum(elementTypeOf(op_.getLhs()), elementTypeOf(op_.getRhs()), elementTypeOf(op_));
    bool isSingle = llvm::all_of(numbers_.getLhsContractingDimensions(),
                                 [&](int64_t dim) { return shapeOf(op_.getLhs())[size_t(dim)] == 1; });
    return isSingle && type_ && !op_.getAlgorithm() &&
           static_cast<double>(typeOf(op_).getNumElements()) > costs.plainProduct;
  }

  void replace() {
    OpBuilder builder(op_);
    ArrayBuilder arrays(builder, op_.getLoc());
    int64_t batch = int64_t(numbers_.getLhsBatchingDimensions().size());
    int64_t ownOfLhs = typeOf(op_.getLhs()).getRank() - batch - int64_t(numbers_.getLhsContractingDimensions().size());
    Value lhs = spread(arrays, op_.getLhs(), numbers_.getLhsBatchingDimensions(),
                       numbers_.getLhsContractingDimensions(), batch);
    Value rhs = spread(arrays, op_.getRhs(), numbers_.getRhsBatchingDimensions(),
                       numbers_.getRhsContractingDimensions(), batch + ownOfLhs);
    Value result = arrays.add(arrays.multiply(lhs, rhs), arrays.fill(type_, shapeOf(op_), 0));
    if (result.getType() != op_.getType())
      result = sh::ConvertOp::create(builder, op_.getLoc(), op_.getType(), result);
    op_.replaceAllUsesWith(result);
    op_.erase();
  }

private:
  // An operand in the shape of the result, in which its own dimensions come from `own` on.
  Value spread(ArrayBuilder &arrays, Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> summed, int64_t own) {
    SmallVector<int64_t> sizes, places;
    for (auto [dim, size] : llvm::enumerate(shapeOf(operand))) {
      if (llvm::is_contained(summed, int64_t(dim)))
        continue;
      const int64_t *inBatch = llvm::find(batch, int64_t(dim));
      sizes.push_back(size);
      places.push_back(inBatch != batch.end() ? inBatch - batch.begin() : own++);
    }
    Value value = converted(arrays, summed.empty() ? operand : arrays.reshape(operand, sizes), type_);
    return broadcastInOrder(arrays, value, shapeOf(op_), places);
  }

  sh::DotGeneralOp op_;
  sh::DotDimensionNumbersAttr numbers_;
  Type type_; // of the products
};

} // namespace

LogicalResult sumFewProducts(ModuleOp module, const CostModel &costs) {
  SmallVector<sh::DotGeneralOp> products;
  module.walk([&](sh::DotGeneralOp product) { products.push_back(product); });
  for (sh::DotGeneralOp product : products)
    if (FewProducts few(product); few.pays(costs))
      few.replace();
    else if (SingleProducts single(product); single.pays(costs))
      single.replace();
  return success();
}

} // namespace tenon::passes
