// How CHLO's ops get their result types: what chlo.cpp and the generated op classes share.
#pragma once

#include "tenon/ir/chlo.h"

namespace tenon::chlo {

/// The type that the operands share.
llvm::LogicalResult inferSameType(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                  llvm::SmallVectorImpl<mlir::Type> &types);

#define TENON_INFER(Op)                                                                                                \
  llvm::LogicalResult Op::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location> location,         \
                                           Adaptor op, llvm::SmallVectorImpl<mlir::Type> &types)

// For ops whose record says that operands and result have one type.
#define TENON_SAME_TYPE(Op)                                                                                            \
  TENON_INFER(Op) { return inferSameType(location, op.getOperands(), types); }

// For ops whose record says that the result holds booleans.
#define TENON_BOOLEANS(Op)                                                                                             \
  TENON_INFER(Op) {                                                                                                    \
    types.push_back(                                                                                                   \
        llvm::cast<mlir::ShapedType>(op.getOperand().getType()).clone(mlir::IntegerType::get(context, 1)));            \
    return llvm::success();                                                                                            \
  }

} // namespace tenon::chlo
