// Building ops on arrays of known sizes, whose result types follow from the operands.
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <complex>

namespace tenon::passes {

using Sizes = llvm::ArrayRef<int64_t>;

// Numbers of the dimensions of a product's operands.
struct ProductDims {
  llvm::SmallVector<int64_t, 2> lhsBatch, rhsBatch, lhsSummed, rhsSummed;
};

class ArrayBuilder {
public:
  ArrayBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  template <typename Op> mlir::Value unary(mlir::Value a) { return Op::create(builder, loc, a.getType(), a); }
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(builder, loc, a.getType(), a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary<stablehlo::AddOp>(a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return binary<stablehlo::SubtractOp>(a, b); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return binary<stablehlo::MultiplyOp>(a, b); }
  mlir::Value divide(mlir::Value a, mlir::Value b) { return binary<stablehlo::DivideOp>(a, b); }
  mlir::Value logicalAnd(mlir::Value a, mlir::Value b) { return binary<stablehlo::AndOp>(a, b); }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return stablehlo::SelectOp::create(builder, loc, a.getType(), condition, a, b);
  }
  mlir::Value compare(mlir::Value a, stablehlo::ComparisonDirection direction, mlir::Value b);

  // Every element the same number; of a complex type with that real part.
  mlir::Value fill(mlir::Type element, Sizes sizes, double value);
  // A complex array of these elements.
  mlir::Value constant(mlir::ComplexType element, Sizes sizes, llvm::ArrayRef<std::complex<double>> values);
  mlir::Value i32(int64_t value);
  mlir::Value iota(Sizes sizes, int64_t dimension); // of i32

  // Real to complex. The other two are the identity on real arrays.
  mlir::Value toComplex(mlir::Value real);
  mlir::Value realPart(mlir::Value value);
  mlir::Value conjugate(mlir::Value value);

  mlir::Value reshape(mlir::Value value, Sizes sizes);
  mlir::Value transpose(mlir::Value value, Sizes permutation);
  mlir::Value broadcast(mlir::Value value, Sizes sizes, Sizes dimensions);
  mlir::Value slice(mlir::Value value, Sizes start, Sizes limit);
  // Zeros behind the last element of the last dimension.
  mlir::Value padLast(mlir::Value value, int64_t size);
  mlir::Value reverseLast(mlir::Value value);
  mlir::Value concatenateLast(mlir::Value a, mlir::Value b);
  mlir::Value sum(mlir::Value value, Sizes dimensions);
  mlir::Value product(mlir::Value lhs, mlir::Value rhs, const ProductDims &dims);
  // Takes the slice of size 1 in `dimension` at index `at` (i32), and writes such a slice.
  mlir::Value line(mlir::Value value, int64_t dimension, mlir::Value at);
  mlir::Value withLine(mlir::Value value, int64_t dimension, mlir::Value at, mlir::Value line);

  // A loop whose body is called once, with the number of the turn, from 0 (i32), and what the turn before has left.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value turn, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> loop(int64_t turns, mlir::ValueRange initial, Body body);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  llvm::SmallVector<mlir::Value> startsOf(mlir::Value value, int64_t dimension, mlir::Value at);
};

} // namespace tenon::passes
