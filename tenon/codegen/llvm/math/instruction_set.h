// What a chip does in one instruction for which LLVM IR has no operation.
//
// Emitters of elementary functions have a builder and no target, so a module says which set its code may use:
// KernelTarget::prepareModule writes the set's name into it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

#include <string>

namespace tenon::codegen::math {

// Products of two vectors of units of 32 bits, a group of factors in each, which are summed within a unit.
enum class DotProduct {
  kBf16Pairs,  // to floats
  kInt8Quads,  // to i32; the first factors are unsigned, the others signed
  kInt16Pairs, // to i32
};

// The base class is the set of a chip of which nothing is known.
class InstructionSet {
public:
  explicit InstructionSet(std::string name) : name_(std::move(name)) {}
  InstructionSet(const InstructionSet &) = delete;
  InstructionSet &operator=(const InstructionSet &) = delete;
  virtual ~InstructionSet() = default;

  // No other set has the name.
  const std::string &name() const { return name_; }

  // The bytes of a vector register; 0 if nothing is to be known of them.
  virtual unsigned registerBytes() const { return 0; }

  // Whether f16 is converted to float and back. Where it is not, LLVM calls a function for every element.
  virtual bool convertsHalves() const { return false; }

  // Whether a multiplication and an addition, rounded once, are one instruction for floats. Where not, LLVM calls a
  // function for every element.
  virtual bool fusesMultiplyAdd() const { return false; }

  // Whether a quotient of floats takes a branch and a call of its own for what is out of range, so that a product and a
  // fused multiply-add of doubles, with their conversions, serve better.
  virtual bool dividesByBranches() const { return false; }

  // Whether maximum and minimum of so many lanes are best made of two of the chip's own, which know neither NaN nor the
  // sign of zero, and masks. LLVM's way takes twice as long there.
  virtual bool mergesExtremaByMasks(unsigned lanes) const { return false; }

  // Whether the maximum or minimum of many vectors of so many floats is best had from three extrema of their bits,
  // which loops carry (loop::StageAccumulators).
  virtual bool keepsExtremaOfBits(unsigned lanes) const { return false; }

  // Whether loops carry vectors of booleans best as bytes. Without registers of masks LLVM takes wide ones apart.
  virtual bool keepsBooleansInBytes() const { return false; }

  // Whether roundToBfloat() takes so many floats.
  virtual bool roundsToBfloat(unsigned lanes) const { return false; }
  // Whether it rounds subnormal numbers, too. Where not, they become zero.
  virtual bool roundsSubnormals() const { return false; }
  // Floats as bf16, in integers: to nearest even, NaN quiet.
  virtual llvm::Value *roundToBfloat(llvm::IRBuilderBase &builder, llvm::Value *x) const;

  // Whether vectors of bf16 are best widened by pairs, each a word of 32 bits: one float by a shift, one by a mask.
  virtual bool widensBfloatPairs() const { return false; }

  // The floats of a register, on a chip that widens bf16 and rounds to it best by the parity of their indices
  // (even_odd_lanes.h); 0 on others.
  virtual unsigned evenOddLanes() const { return 0; }

  // Whether elements at indices from memory are best loaded one by one (gathers.h).
  virtual bool gathersByElements() const { return false; }

  // The lanes of a register of floats or doubles that scale() takes; 0 if there is no such instruction.
  virtual unsigned scaledLanes(llvm::Type *element) const { return 0; }
  // x * 2^n, rounded once, for a register of each.
  virtual llvm::Value *scale(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *n) const;

  // The lanes of a register that permute() takes where there are `lanes` indices; 0 if a table in memory serves better.
  virtual unsigned permutedLanes(unsigned lanes) const { return 0; }
  // table[index mod 8] of eight floats, for a register of indices of 32 bits.
  virtual llvm::Value *permute(llvm::IRBuilderBase &builder, llvm::ArrayRef<float> table, llvm::Value *index) const;

  // The floats that one load brings to each lane, where what several tables of eight have at an index is best read as a
  // row of one table; 0 if each table serves better by itself.
  virtual unsigned rowFloats() const { return 0; }

  // acc + the product, for a register of each. Who asks knows that the chip has it.
  virtual llvm::Value *dot(llvm::IRBuilderBase &builder, DotProduct product, llvm::Value *a, llvm::Value *b,
                           llvm::Value *acc) const;

private:
  std::string name_;
};

// Code in the module may use the set, which lives as long as the process.
void useInstructions(llvm::Module &module, const InstructionSet &instructions);
// Nothing more is emitted into the module: it no longer says what its code might use, but does not.
void forgetInstructions(llvm::Module &module);
// The set of the module that the builder emits into.
const InstructionSet &instructionsOf(const llvm::IRBuilderBase &builder);

} // namespace tenon::codegen::math
