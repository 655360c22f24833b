// The common part of the files that say which factors ops have.
#pragma once

#include "tenon/ir/factors.h"
#include "tenon/ir/types.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tenon::ir {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Value;

/// In place of a dimension: the tensor has none of this factor.
inline constexpr int64_t kNone = -1;

/// Adds factors one by one. Where a dimension gets several, they come from major to minor.
class FactorsBuilder {
public:
  explicit FactorsBuilder(mlir::Operation *op);
  FactorsBuilder(mlir::TypeRange operands, mlir::TypeRange results);

  /// One dimension of each operand and result, or kNone.
  FactorsBuilder &add(ArrayRef<int64_t> operandDims, ArrayRef<int64_t> resultDims, Factor factor);
  /// The same for ops of one result.
  FactorsBuilder &add(ArrayRef<int64_t> operandDims, int64_t resultDim, Factor factor) {
    return add(operandDims, ArrayRef(resultDim), factor);
  }
  /// This dimension of every operand and result but scalars.
  FactorsBuilder &addToAll(int64_t dim, Factor factor);
  FactorsBuilder &addToOperands(int64_t dim, Factor factor);
  FactorsBuilder &addToResults(int64_t dim, Factor factor);
  /// Each dimension of the two shapes, to all; a factor of that type where their sizes differ.
  FactorsBuilder &addWhereEqual(ArrayRef<int64_t> in, ArrayRef<int64_t> out, FactorType otherwise, bool isBlocked);

  /// Dimensions without factors get one of their own, of size 1.
  Factors build();

private:
  Factors result_;
};

} // namespace tenon::ir
