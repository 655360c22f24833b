// How one op of a program becomes what each device computes of it: its local form.
//
// The partitioner (partition_program.cpp) chooses for each op along which axes its factors (ir/factors.h) are cut,
// brings the operands there (redistribute.h), asks the form for the local results, finishes partial sums and moves the
// results to where the program wants them. A form only says along which factors it can be cut, and builds:
//
//   dot_general  ([i, k], [k, j])->([i, j])      cut i: "x", k: "y"      local dot; its result is unreduced along "y"
//
// An op whose form can cut nothing is computed whole on every device, of gathered operands: what every op without a
// form of its own gets for its factors that are not simply passed through. That is recorded (partition.h, Fallback).
#pragma once

#include "tenon/ir/factors.h"
#include "tenon/passes/partition/local/places.h"

#include "mlir/IR/IRMapping.h"

#include <optional>
#include <string>

namespace tenon::passes::partition {

/// Floats of 16 bits and fewer, of which sums are made in f32 and rounded once. (f8E8M0FNU has no zero.)
bool isAddedInF32(mlir::Type element);

/// Whether one of a tensor's dimensions has the factor.
bool hasFactor(const ir::TensorFactors &dims, size_t factor);

/// An op, the axes that are chosen for it, and this device's part of its operands.
class LocalOp {
public:
  /// `cuts` are the axes of each factor, no two of which overlap.
  LocalOp(mlir::OpBuilder &builder, mlir::Operation *op, const ir::Factors &factors, const ir::Mesh *mesh,
          llvm::ArrayRef<ir::Axes> cuts)
      : builder(builder, op->getLoc()), op(op), factors(factors), mesh(*mesh), cuts(cuts) {}

  /// The whole arrays.
  mlir::RankedTensorType operandType(size_t i) const;
  mlir::RankedTensorType resultType(size_t i) const;
  /// How they are cut when the factors are cut as chosen. A result of a factor that is reduced is unreduced.
  ir::Sharding operandSharding(size_t i) const;
  ir::Sharding resultSharding(size_t i) const;
  /// The device's part of them. Summands of a sum that the op makes in f32 are of that type: it is the sum that is
  /// rounded.
  mlir::RankedTensorType localOperandType(size_t i) const;
  mlir::RankedTensorType localResultType(size_t i) const;

  /// The operand with `filler` in place of padding along each dimension that has the factor (all factors, if none is
  /// given); where nothing is padded, the operand.
  mlir::Value maskedOperand(size_t i, mlir::Value filler, std::optional<size_t> factor = std::nullopt);

  /// The op with the local operands (or others in their place) and the results' local types, regions as they are, and
  /// its attributes but for those that are given anew.
  llvm::SmallVector<mlir::Value> cloneWith(mlir::ValueRange operands,
                                           llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  ArrayBuilder builder;
  mlir::Operation *op; // of the whole program
  const ir::Factors &factors;
  const ir::Mesh &mesh;
  llvm::ArrayRef<ir::Axes> cuts;              // by factor
  bool addsInF32 = false;                     // as LocalForm's
  bool keepsSummands = false;                 // the results are summands, as operands are
  llvm::SmallVector<mlir::Value, 3> operands; // local, cut as operandSharding says
  mlir::IRMapping captures;                   // what regions take from outside, to this device's

private:
  ir::Sharding shardingOf(const ir::TensorFactors &dims) const;
};

struct LocalForm {
  /// The factors by which the op is cut, from those along which shardings spread. Without: the same ones.
  ir::Factors (*factors)(mlir::Operation *op, const ir::Factors &spread) = nullptr;
  /// Whether the op can be cut in that many parts along this factor. Without: along those that are passed through to
  /// every result, and along those that are reduced if `sum` says how.
  bool (*canCut)(mlir::Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) = nullptr;
  /// How what devices compute along reduced factors adds up to the result; none: they can't be cut.
  std::optional<SumKind> (*sum)(mlir::Operation *op) = nullptr;
  /// Whether `build` does that itself.
  bool finishesSums = false;
  /// Whether the op adds up floats of fewer bits in f32 (isAddedInF32), so that what devices compute must not be
  /// rounded before.
  bool addsInF32 = false;
  /// The local results. Without: the op as it is, on local operands and with local result types.
  llvm::SmallVector<mlir::Value> (*build)(LocalOp &op) = nullptr;
  /// What would let the op be cut in that many parts along a factor along which it cannot be, for people; empty:
  /// nothing that this op has of its own (remedy.h).
  std::string (*remedy)(mlir::Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) = nullptr;

  bool isCuttable(mlir::Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) const;
};

/// The form of an op with factors (forms.cpp). Control flow and manual computations have none: the partitioner knows
/// them. `isInProcess`: what cannot be cut is left to one device, since all are of one process.
LocalForm formOf(mlir::Operation *op, bool isInProcess);

} // namespace tenon::passes::partition
