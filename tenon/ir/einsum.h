// The configuration of einsum and unary_einsum.
#pragma once

#include "tenon/ir/stablehlo.h"

#include <optional>
#include <string>

namespace tenon::stablehlo {

/// "ab,bc->ac": one label for each dimension of each operand and of the result; equal labels are one size.
struct EinsumLabels {
  llvm::SmallVector<std::string, 2> operands;
  std::string result;
};

/// Reads the labels of an EinsumOp or UnaryEinsumOp. Labels are letters; blanks are ignored. An ellipsis stands for the
/// dimensions of a term that have no label, aligned at the last of them as NumPy's are, and gets labels that no text
/// can hold. None if einsum_config is not of this form, or has another number of terms than the op has operands, or of
/// labels than they have dimensions.
std::optional<EinsumLabels> einsumLabels(mlir::Operation *op);

/// The result's shape: the sizes that the operands give its labels.
llvm::SmallVector<int64_t> einsumShape(mlir::Operation *op, const EinsumLabels &labels);

} // namespace tenon::stablehlo
