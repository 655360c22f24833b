// The formulas of batch normalisation, as the specification's pseudo-code gives them: of all elements of an array, or
// of those that count where its size is only known when the program runs.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::passes {

class BatchNorm {
public:
  BatchNorm(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type, int64_t feature)
      : builder_(builder), loc_(loc), type_(type), feature_(feature) {}

  /// The type that the formulas are evaluated in. Narrow formats could not hold the intermediate values.
  static mlir::FloatType computesIn(mlir::FloatType element);

  /// Only elements that `counted` (i1, in the operand's shape) names are summed: `count` (rank 0) for each feature.
  void restrict(mlir::Value counted, mlir::Value count) { this->counted_ = counted, this->count_ = count; }

  mlir::Value inference(mlir::Value operand, mlir::Value scale, mlir::Value offset, mlir::Value mean,
                        mlir::Value variance, double epsilon) const;
  /// The output, the means and the variances.
  mlir::SmallVector<mlir::Value> training(mlir::Value operand, mlir::Value scale, mlir::Value offset,
                                          double epsilon) const;
  /// The gradients of operand, scale and offset.
  mlir::SmallVector<mlir::Value> gradients(mlir::Value operand, mlir::Value scale, mlir::Value mean,
                                           mlir::Value variance, mlir::Value gradOutput, double epsilon) const;

private:
  mlir::Value constant(double value) const;
  mlir::Value broadcastTo(mlir::Value perFeature) const;
  mlir::Value fill(mlir::Value scalar, mlir::Type shape) const;
  mlir::Value deviation(mlir::Value variance, double epsilon) const;
  mlir::Value sum(mlir::Value value) const;
  mlir::Value countOf(mlir::Type shape) const;

  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  mlir::RankedTensorType type_;
  int64_t feature_;
  mlir::Value counted_, count_;
};

} // namespace tenon::passes
