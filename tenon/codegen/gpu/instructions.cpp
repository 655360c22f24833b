#include "tenon/codegen/gpu/instructions.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

class GpuInstructions final : public math::InstructionSet {
public:
  GpuInstructions() : InstructionSet("nvptx") {}

  bool convertsHalves() const override { return true; }

  // Pairs, which attention's weights are. Beside the calls that roots and divisions are, NVIDIA's assembler spills a
  // register of norms of long rows where longer vectors are rounded so.
  bool roundsToBfloat(unsigned lanes) const override { return lanes == 2; }
  bool roundsSubnormals() const override { return true; }
  Value *roundToBfloat(IRBuilderBase &b, Value *x) const override {
    Value *rounded = b.CreateFPTrunc(x, x->getType()->getWithNewType(b.getBFloatTy()));
    return b.CreateBitCast(rounded, x->getType()->getWithNewType(b.getInt16Ty()));
  }
};

} // namespace

const math::InstructionSet &gpuInstructions() {
  static const auto *instructions = new GpuInstructions();
  return *instructions;
}

} // namespace tenon::codegen
