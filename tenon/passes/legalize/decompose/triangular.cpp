// cholesky and triangular_solve as loops over rows, for programs that have to do without the runtime's library: each
// turn finds one row or column from those before it, by a product with all of them (what is not found yet is zero).

#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/self_contained.h"

#include <limits>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Matrices in batches: all dimensions but the last two are one.
struct Batches {
  explicit Batches(RankedTensorType type) : type(type) {
    rows = type.getDimSize(type.getRank() - 2);
    columns = type.getDimSize(type.getRank() - 1);
    count = 1;
    for (int64_t size : type.getShape().drop_back(2))
      count *= size;
  }
  SmallVector<int64_t> sizes() const { return {count, rows, columns}; }

  RankedTensorType type;
  int64_t count, rows, columns;
};

class Triangles {
public:
  Triangles(OpBuilder &builder, Location loc) : arrays_(builder, loc) {}

  // a = l l^H, from one triangle of a. All NaN where there is no such l.
  Value cholesky(sh::CholeskyOp op) {
    Batches batches(ir::typeOf(op.getOperand()));
    int64_t n = batches.rows, count = batches.count;
    if (batches.type.getNumElements() == 0)
      return op.getOperand();
    Type element = batches.type.getElementType();
    Value a = arrays_.reshape(op.getOperand(), batches.sizes());
    if (!op.getLower())
      a = adjoint(a);
    Value rows = arrays_.iota({count, n, 1}, 1);
    Value valid = arrays_.fill(arrays_.builder.getI1Type(), {count, 1, 1}, 1);
    auto found = arrays_.loop(
        n, {arrays_.fill(element, batches.sizes(), 0), valid}, [&](Value j, ValueRange carried) -> SmallVector<Value> {
          Value l = carried[0], row = arrays_.conjugate(arrays_.line(l, 1, j)); // [count, 1, n]
          Value sums = arrays_.product(l, row, {{0}, {0}, {2}, {2}});           // [count, n, 1]
          Value column = arrays_.subtract(arrays_.line(a, 2, j), sums);
          Value pivot = arrays_.realPart(arrays_.line(column, 1, j)); // [count, 1, 1]
          auto real = ir::typeOf(pivot).getElementType();
          Value isPositive = arrays_.compare(pivot, sh::ComparisonDirection::GT, arrays_.fill(real, {count, 1, 1}, 0));
          Value root = arrays_.unary<sh::SqrtOp>(pivot);
          Value divisor = broadcastTo(isa<ComplexType>(element) ? arrays_.toComplex(root) : root, n);
          Value turn = arrays_.broadcast(j, {count, n, 1}, {});
          Value isBelow = arrays_.compare(rows, sh::ComparisonDirection::GT, turn);
          Value isHere = arrays_.compare(rows, sh::ComparisonDirection::EQ, turn);
          Value zero = arrays_.fill(element, {count, n, 1}, 0);
          Value next = arrays_.select(isBelow, arrays_.divide(column, divisor), arrays_.select(isHere, divisor, zero));
          return {arrays_.withLine(l, 2, j, next), arrays_.logicalAnd(carried[1], isPositive)};
        });
    Value l = op.getLower() ? found[0] : adjoint(found[0]);
    Value isValid = arrays_.broadcast(found[1], batches.sizes(), {0, 1, 2});
    return arrays_.reshape(arrays_.select(isValid, l, nan(element, batches.sizes())), batches.type.getShape());
  }

  // op(a) x = b, or x op(a) = b, which is the first one with everything transposed.
  Value solve(sh::TriangularSolveOp op) {
    Batches matrices(ir::typeOf(op.getA())), sides(ir::typeOf(op.getB()));
    if (sides.type.getNumElements() == 0)
      return op.getB();
    Value a = arrays_.reshape(op.getA(), matrices.sizes()), b = arrays_.reshape(op.getB(), sides.sizes());
    bool isTransposed = op.getTransposeA() != sh::Transpose::NO_TRANSPOSE, isLower = op.getLower();
    if (op.getTransposeA() == sh::Transpose::ADJOINT)
      a = arrays_.conjugate(a);
    if (!op.getLeftSide())
      b = transposed(b);
    // transposed twice is as it was
    if (isTransposed == op.getLeftSide()) {
      a = transposed(a);
      isLower = !isLower;
    }
    Value x = solveFromLeft(a, b, isLower, op.getUnitDiagonal());
    return arrays_.reshape(op.getLeftSide() ? x : transposed(x), sides.type.getShape());
  }

private:
  Value solveFromLeft(Value a, Value b, bool isLower, bool isUnit) {
    int64_t count = ir::typeOf(a).getDimSize(0), n = ir::typeOf(a).getDimSize(1);
    SmallVector<int64_t> square{count, n, n};
    Type element = ir::typeOf(a).getElementType();
    // The other triangle, and the diagonal, may hold anything.
    Value row = arrays_.iota(square, 1), column = arrays_.iota(square, 2);
    Value isInside = isLower ? arrays_.compare(column, sh::ComparisonDirection::LT, row)
                             : arrays_.compare(column, sh::ComparisonDirection::GT, row);
    Value inside = arrays_.select(isInside, a, arrays_.fill(element, square, 0));
    auto type = ir::typeOf(b);
    Value none = arrays_.fill(element, type.getShape(), 0);
    return arrays_.loop(n, {none}, [&](Value turn, ValueRange carried) -> SmallVector<Value> {
      Value i = isLower ? turn : arrays_.subtract(arrays_.i32(n - 1), turn);
      Value sums = arrays_.product(arrays_.line(inside, 1, i), carried[0], {{0}, {0}, {2}, {1}}); // [count, 1, m]
      Value next = arrays_.subtract(arrays_.line(b, 1, i), sums);
      if (!isUnit) {
        Value pivot = arrays_.line(arrays_.line(a, 1, i), 2, i); // [count, 1, 1]
        next = arrays_.divide(next, arrays_.broadcast(pivot, ir::typeOf(next).getShape(), {0, 1, 2}));
      }
      return {arrays_.withLine(carried[0], 1, i, next)};
    })[0];
  }

  Value transposed(Value x) { return arrays_.transpose(x, {0, 2, 1}); }
  Value adjoint(Value x) { return arrays_.conjugate(transposed(x)); }
  // [count, 1, 1] to [count, n, 1].
  Value broadcastTo(Value x, int64_t n) { return arrays_.broadcast(x, {ir::typeOf(x).getDimSize(0), n, 1}, {0, 1, 2}); }

  Value nan(Type element, Sizes sizes) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    auto complexType = dyn_cast<ComplexType>(element);
    if (!complexType)
      return arrays_.fill(element, sizes, none);
    return arrays_.broadcast(arrays_.constant(complexType, {}, {{none, none}}), sizes, {});
  }

  ArrayBuilder arrays_;
};

} // namespace

Value expandCholesky(sh::CholeskyOp op, OpBuilder &builder) { return Triangles(builder, op.getLoc()).cholesky(op); }

Value expandTriangularSolve(sh::TriangularSolveOp op, OpBuilder &builder) {
  return Triangles(builder, op.getLoc()).solve(op);
}

} // namespace tenon::passes
