// Reduction bodies: what they compute, when it is recognised, and how to combine with them.
#pragma once

#include "tenon/codegen/llvm/element/element.h"

#include "mlir/IR/Operation.h"

namespace tenon::codegen::loop {

enum class CombinerKind : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

// How one result of a body combines with an element, independently of the other results.
struct Combiner {
  CombinerKind kind;
  mlir::Type type;        // of the elements
  mlir::Type accumulator; // what partial results are kept in: f32 for sums of narrow floats
};

// The body of a reduce as independent commutative and associative operations, one for each result; or, for a pair of
// results, the position (second) of the extreme element (first). Other bodies stay `kGeneral`: they are evaluated as
// they are, in order.
struct ReductionBody {
  enum class Form : uint8_t { kGeneral, kIndependent, kArgument };
  Form form = Form::kGeneral;
  llvm::SmallVector<Combiner, 2> combiners; // kIndependent
  bool largest = true; // kArgument: of the largest or the smallest element; a NaN wins over numbers
};

ReductionBody analyzeReductionBody(mlir::Operation *op);

// Whether the body gives log(e^a + e^b), which is associative but for rounding.
bool addsLogarithms(mlir::Operation *op);

// Whether the body rounds (sums and products of floats), so that long reductions are better done as trees, and may be.
bool gainsFromTree(const ReductionBody &body);

// The accumulators of a reduction: the types of its results, or wider ones.
llvm::SmallVector<mlir::Type, 2> accumulatorTypes(mlir::Operation *op, const ReductionBody &body);

// Whether the positions, the second input of the reduction after their initial value, never decrease along its only
// reduced dimension.
bool hasIncreasingPositions(mlir::Operation *op);

// (value, position) pairs of kArgument bodies: the extreme one, the smaller position among equals. Commutative, unless
// `keepsEarlier`: then `a` is known to have the smaller position.
llvm::SmallVector<Element, 2> emitArgumentCombine(llvm::IRBuilderBase &builder, const ReductionBody &body,
                                                  mlir::Type valueType, mlir::Type positionType,
                                                  llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b,
                                                  bool keepsEarlier = false);

// The value that leaves any other unchanged.
Element combinerIdentity(llvm::LLVMContext &context, const Combiner &combiner, unsigned lanes);
// In the accumulator type.
Element emitCombine(llvm::IRBuilderBase &builder, const Combiner &combiner, Element a, Element b);

// An extremum of many vectors of floats as three extrema of their bits, as integers, on chips that gain by it
// (InstructionSet::keepsExtremaOfBits). A float alone is its bits three times.
using BitExtrema = llvm::SmallVector<llvm::Value *, 4>;
constexpr size_t kBitExtrema = 3;
// Whether a body, of one result, is such an extremum, of floats of 32 bits.
bool isExtremum(const ReductionBody &body);
BitExtrema bitExtremaOf(llvm::IRBuilderBase &builder, llvm::Value *floats); // of f32, or of f16 and bf16 as they are
BitExtrema mergeBitExtrema(llvm::IRBuilderBase &builder, llvm::ArrayRef<llvm::Value *> a,
                           llvm::ArrayRef<llvm::Value *> b);
// The extremum, as f32. `of`: the type that the bits are of.
llvm::Value *settleBitExtrema(llvm::IRBuilderBase &builder, CombinerKind kind, mlir::FloatType of,
                              llvm::ArrayRef<llvm::Value *> extrema);

// The same with one extremum of signed integers, whose order is that of the floats, and beyond all of which is NaN:
// more instructions for a vector of floats, and a third of them for the extrema.
llvm::Value *extremumKey(llvm::IRBuilderBase &builder, CombinerKind kind, llvm::Value *floats); // of f32
llvm::Value *mergeExtremumKeys(llvm::IRBuilderBase &builder, CombinerKind kind, llvm::Value *a, llvm::Value *b);
// The extremum, as f32. `from`: the type that the floats were widened from, or f32.
llvm::Value *settleExtremumKey(llvm::IRBuilderBase &builder, CombinerKind kind, mlir::Type from, llvm::Value *key);

} // namespace tenon::codegen::loop
