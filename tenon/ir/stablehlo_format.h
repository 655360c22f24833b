// The custom directives of the StableHLO records' assembly formats: each has a parse and a print function that the
// generated parsers and printers call.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::stablehlo {

using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;

/// `tensor<4xf32>` when all types are that one, else `(operand types) -> result type`.
ParseResult parseOneTypeOrSignature(OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> operands, mlir::Type &result);
void printOneTypeOrSignature(OpAsmPrinter &printer, mlir::TypeRange operands, mlir::Type result);

template <typename... Types> ParseResult parseSameOperandsAndResultType(OpAsmParser &parser, Types &...types) {
  llvm::SmallVector<mlir::Type *> all{&types...};
  mlir::Type &result = *all.pop_back_val();
  return parseOneTypeOrSignature(parser, all, result);
}
template <typename... Types>
void printSameOperandsAndResultType(OpAsmPrinter &printer, mlir::Operation *, Types... types) {
  llvm::SmallVector<mlir::Type> all{types...};
  mlir::Type result = all.pop_back_val();
  printOneTypeOrSignature(printer, all, result);
}

using UnresolvedOperands = llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser &parser, UnresolvedOperands &operands,
                                                   llvm::SmallVectorImpl<mlir::Type> &types, mlir::Type &result);
void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange operands,
                                            mlir::TypeRange types, mlir::Type result);

/// `tensor<4xcomplex<f32>>` for operands of tensor<4xf32>, else a signature.
ParseResult parseComplexOpType(OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs, mlir::Type &result);
void printComplexOpType(OpAsmPrinter &printer, mlir::Operation *op, mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// `tensor<4xi1>, tensor<4xf32>`, else a signature.
ParseResult parseSelectOpType(OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue, mlir::Type &onFalse,
                              mlir::Type &result);
void printSelectOpType(OpAsmPrinter &printer, mlir::Operation *op, mlir::Type pred, mlir::Type onTrue,
                       mlir::Type onFalse, mlir::Type result);

/// The tuple's type alone.
ParseResult parseTupleOpType(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands, mlir::Type &result);
void printTupleOpType(OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands, mlir::Type result);

/// The operands' types, which are also the results'.
ParseResult parsePairwiseOpType(OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands,
                                llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseOpType(OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands, mlir::TypeRange results);

/// `%a, %b,`: operands that a keyword follows.
ParseResult parseVariadicOperandWithAttribute(OpAsmParser &parser, UnresolvedOperands &operands);
void printVariadicOperandWithAttribute(OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange operands);

/// `e5m10`.
ParseResult parseExponentMantissa(AsmParser &parser, mlir::IntegerAttr &exponent, mlir::IntegerAttr &mantissa);
void printExponentMantissa(AsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

/// `[0:4, 1:9:2]`.
ParseResult parseSliceRanges(OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts, mlir::DenseI64ArrayAttr &limits,
                             mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);

/// `@target` or `@"any text"`.
ParseResult parseCustomCallTarget(AsmParser &parser, mlir::StringAttr &target);
void printCustomCallTarget(AsmPrinter &printer, mlir::Operation *op, mlir::StringAttr target);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
ParseResult parseDotDimensionNumbers(AsmParser &parser, DotDimensionNumbersAttr &numbers);
void printDotDimensionNumbers(AsmPrinter &printer, mlir::Operation *op, DotDimensionNumbersAttr numbers);

/// `, precision = [DEFAULT, HIGH]` and `, algorithm = <...>`, each or both absent.
ParseResult parsePrecisionConfig(OpAsmParser &parser, mlir::ArrayAttr &precision);
void printPrecisionConfig(OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr precision);
ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, mlir::ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm);
void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
ParseResult parseConvolutionDimensions(AsmParser &parser, ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr numbers);
inline void printConvolutionDimensions(AsmPrinter &printer, mlir::Operation *, ConvDimensionNumbersAttr numbers) {
  printConvolutionDimensions(printer, numbers);
}

/// `stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = .., rhs_dilate = .., reverse = ..`, each optional.
ParseResult parseWindowAttributes(OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                  mlir::DenseIntElementsAttr &padding, mlir::DenseI64ArrayAttr &lhsDilation,
                                  mlir::DenseI64ArrayAttr &rhsDilation, mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal);

} // namespace tenon::stablehlo
