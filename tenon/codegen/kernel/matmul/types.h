// Element types of contractions: what arithmetic a combination uses. Elements get into it and out of it again by the
// conversions of the element layer.
#pragma once

#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/emitter.h"

namespace tenon::codegen::matmul {

using Compute = MatmulPlan::Compute;

struct Arithmetic {
  Compute compute = Compute::kFloat;
  mlir::Type factor;        // of what is multiplied
  mlir::Type sum;           // of the accumulators
  int groupK = 1;           // elements along k in one unit
  int unitBytes = 4;        // of an operand's packed unit, and of an accumulator
  bool complex = false;     // units and accumulators come in pairs (re, im)
  bool flipLhs = false;     // int8: lhs is packed with its sign bit flipped, corrected by column sums of rhs
  bool rhsUnsigned = false; // int8: rhs is the unsigned operand of VPDPBUSD, or an unsigned one of TDPB..D
  bool lhsUnsigned = false; // int8 in tiles

  // Whether AMX computes it.
  bool inTiles() const { return compute == Compute::kBf16Tiles || compute == Compute::kInt8Tiles; }
};

// Empty when the combination makes no sense (float times integer...).
std::optional<Arithmetic> chooseArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out, const MatmulTarget &target);

// The combination as AMX computes it, where the target's has instructions for it.
std::optional<Arithmetic> tileArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out, const MatmulTarget &target);

// The same combination without the grouped instructions: for kernels that widen every element.
Arithmetic widenedArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out);

// LLVM type of an accumulator component, of a packed unit, and of one element inside a unit.
llvm::Type *accumulatorType(llvm::LLVMContext &context, const Arithmetic &arithmetic);
llvm::Type *unitType(llvm::LLVMContext &context, const Arithmetic &arithmetic);
llvm::Type *unitElementType(llvm::LLVMContext &context, const Arithmetic &arithmetic);

// Whether accumulators round: their association matters.
bool accumulatorIsFloat(const Arithmetic &arithmetic);

// Whether elements of the two types have the same bits: integers of one width, whatever their signs.
bool haveSameBits(mlir::Type a, mlir::Type b);
// Whether an element in memory already is an element of a packed unit (of the lhs or rhs).
bool isNative(mlir::Type type, const Arithmetic &arithmetic, bool isLhs);

// An element of an operand to that of a unit; `isLhs` for the sign flip of int8.
Element toUnitElement(Emitter &e, mlir::Type type, Element element, const Arithmetic &arithmetic, bool isLhs);

// acc + a * b in the plain arithmetics (one component, any lane count).
llvm::Value *multiplyAdd(Emitter &e, llvm::Value *a, llvm::Value *b, llvm::Value *acc, bool negate,
                         const MatmulTarget &target);
// One step of the register tile: a and b are vectors of units.
llvm::Value *dotStep(Emitter &e, const Arithmetic &arithmetic, llvm::Value *a, llvm::Value *b, llvm::Value *acc,
                     const MatmulTarget &target);

} // namespace tenon::codegen::matmul
