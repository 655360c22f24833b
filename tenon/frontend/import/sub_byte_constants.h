// Bits of constants that no element has. Elements take whole bytes, and MLIR takes for granted that those of i2, i7 or
// f4E2M1FN are zero above their width; in what others write they may be anything, sign extension above all.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace tenon::frontend {

// DenseElementsAttr::getFromRawBuffer without such bits.
mlir::DenseElementsAttr makeDenseElements(mlir::ShapedType type, llvm::ArrayRef<char> blob);

// The attribute with all dense elements inside made anew.
mlir::Attribute canonicalizeSubByteConstants(mlir::Attribute attribute);

// The same for all attributes of a program, if the text that it comes from may have such bits.
void canonicalizeSubByteConstants(mlir::ModuleOp module, llvm::StringRef text);

} // namespace tenon::frontend
