// Element types of contractions: what arithmetic a combination uses, how elements get into it and out of it again.
#pragma once

#include "tenon/codegen/cpu/matmul/matmul.h"
#include "tenon/codegen/llvm/emitter.h"

#include "llvm/ADT/APFloat.h"

namespace tenon::codegen::matmul {

using Compute = MatmulPlan::Compute;
using Type = program::ElementType;

bool isInteger(Type type);  // i1 included
bool isUnsigned(Type type); // i1 included
// LLVM's description of a float type; null for others.
const llvm::fltSemantics *floatSemantics(Type type);

// Type of one element in memory. bf16 and (for lack of hardware) f16 are moved as i16; complex is its component.
llvm::Type *storageType(llvm::LLVMContext &context, Type type);

struct Arithmetic {
  Compute compute = Compute::kFloat;
  int groupK = 1;           // elements along k in one unit
  int unitBytes = 4;        // of an operand's packed unit
  bool complex = false;     // units and accumulators come in pairs (re, im)
  bool flipLhs = false;     // int8: lhs is packed with its sign bit flipped, corrected by column sums of rhs
  bool rhsUnsigned = false; // int8: rhs is the unsigned operand of VPDPBUSD
  unsigned accumulatorBytes() const {
    return compute == Compute::kDouble || compute == Compute::kInt64 || compute == Compute::kComplexDouble ? 8 : 4;
  }
};

// Empty when the combination makes no sense (token operands, float times integer...).
std::optional<Arithmetic> chooseArithmetic(Type lhs, Type rhs, Type out, const MatmulTarget &target);

// The same combination without the grouped instructions: for kernels that widen every element.
Arithmetic widenedArithmetic(Type lhs, Type rhs, Type out);

// LLVM type of an accumulator component, of a packed unit, and of one element inside a unit.
llvm::Type *accumulatorType(llvm::LLVMContext &context, const Arithmetic &arithmetic);
llvm::Type *unitType(llvm::LLVMContext &context, const Arithmetic &arithmetic);
llvm::Type *unitElementType(llvm::LLVMContext &context, const Arithmetic &arithmetic);

// Whether accumulators round: their association matters.
bool accumulatorIsFloat(const Arithmetic &arithmetic);

// Whether an element in memory already is an element of a packed unit (of the lhs or rhs).
bool isNative(Type type, const Arithmetic &arithmetic, bool isLhs);
// Whether vectors of the type can be converted without going element by element.
bool convertsAsVector(Type type);

// A stored element (scalar or vector of storageType) to the element of a unit; `isLhs` for the sign flip of int8.
llvm::Value *toUnitElement(Emitter &e, llvm::Value *stored, Type type, const Arithmetic &arithmetic, bool isLhs,
                           const MatmulTarget &target);

// An accumulator (component) to what is stored.
llvm::Value *fromAccumulator(Emitter &e, llvm::Value *accumulator, Type out, const MatmulTarget &target);

// acc + a * b in the plain arithmetics (one component, any lane count).
llvm::Value *multiplyAdd(Emitter &e, llvm::Value *a, llvm::Value *b, llvm::Value *acc, bool negate,
                         const MatmulTarget &target);
// One step of the register tile: a and b are vectors of units.
llvm::Value *dotStep(Emitter &e, const Arithmetic &arithmetic, llvm::Value *a, llvm::Value *b, llvm::Value *acc,
                     const MatmulTarget &target);

} // namespace tenon::codegen::matmul
