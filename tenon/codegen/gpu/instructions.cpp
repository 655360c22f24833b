#include "tenon/codegen/gpu/instructions.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

class GpuInstructions final : public math::InstructionSet {
public:
  GpuInstructions() : InstructionSet("nvptx") {}

  bool convertsHalves() const override { return true; }
  bool fusesMultiplyAdd() const override { return true; }
  bool dividesByBranches() const override { return true; }

  // Each load takes its turn, 2.5 cycles of a multiprocessor for every warp on an H100, whether of 4 bytes or of 16.
  unsigned rowFloats() const override { return 4; }

  // Registers have 32 bits: a bf16 of its own would first be taken out of one.
  bool widensBfloatPairs() const override { return true; }
  bool roundsToBfloat(unsigned lanes) const override { return lanes % 2 == 0; }
  bool roundsSubnormals() const override { return true; }
  // Two floats by each instruction. Pairs stay words of their own: with vectors of eight bfloats NVIDIA's assembler
  // spills a register of norms of long rows, beside the calls that roots and divisions are.
  Value *roundToBfloat(IRBuilderBase &b, Value *x) const override {
    unsigned lanes = cast<FixedVectorType>(x->getType())->getNumElements();
    Value *words = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), lanes / 2));
    for (unsigned lane = 0; lane < lanes; lane += 2) {
      Value *pair = b.CreateShuffleVector(x, ArrayRef<int>{int(lane), int(lane) + 1});
      Value *rounded = b.CreateFPTrunc(pair, FixedVectorType::get(b.getBFloatTy(), 2));
      words = b.CreateInsertElement(words, b.CreateBitCast(rounded, b.getInt32Ty()), uint64_t(lane / 2));
    }
    return b.CreateBitCast(words, x->getType()->getWithNewType(b.getInt16Ty()));
  }
};

} // namespace

const math::InstructionSet &gpuInstructions() {
  static const auto *instructions = new GpuInstructions();
  return *instructions;
}

} // namespace tenon::codegen
