#include "tenon/codegen/llvm/math/instruction_set.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

using namespace llvm;

namespace tenon::codegen::math {
namespace {

constexpr StringLiteral kMetadata = "tenon.instructions";

// The sets that modules have named. A module has room for a name only, and what it has must be the same in every
// process: routines are known by the digest of their module.
class KnownSets {
public:
  static KnownSets &ofProcess() {
    static auto *sets = new KnownSets();
    return *sets;
  }

  void add(const InstructionSet &instructions) {
    std::lock_guard lock(mutex_);
    sets_[instructions.name()] = &instructions;
  }

  const InstructionSet &find(StringRef name) {
    std::lock_guard lock(mutex_);
    auto found = sets_.find(name);
    assert(found != sets_.end() && "useInstructions wrote the name");
    return *found->second;
  }

private:
  std::mutex mutex_;
  StringMap<const InstructionSet *> sets_;
};

} // namespace

Value *InstructionSet::scale(IRBuilderBase &, Value *, Value *) const { llvm_unreachable("there are scaledLanes"); }

Value *InstructionSet::roundToBfloat(IRBuilderBase &, Value *) const {
  llvm_unreachable("no chip of which nothing is known has it");
}

Value *InstructionSet::permute(IRBuilderBase &, ArrayRef<float>, Value *) const {
  llvm_unreachable("there are permutedLanes");
}

Value *InstructionSet::dot(IRBuilderBase &, DotProduct, Value *, Value *, Value *) const {
  llvm_unreachable("only for chips that have it");
}

void useInstructions(Module &module, const InstructionSet &instructions) {
  KnownSets::ofProcess().add(instructions);
  NamedMDNode *node = module.getOrInsertNamedMetadata(kMetadata);
  node->clearOperands();
  node->addOperand(MDNode::get(module.getContext(), MDString::get(module.getContext(), instructions.name())));
}

void forgetInstructions(Module &module) {
  if (NamedMDNode *node = module.getNamedMetadata(kMetadata))
    module.eraseNamedMetadata(node);
}

const InstructionSet &instructionsOf(const IRBuilderBase &builder) {
  static const auto *none = new InstructionSet("");
  const NamedMDNode *node = builder.GetInsertBlock()->getModule()->getNamedMetadata(kMetadata);
  if (!node)
    return *none;
  return KnownSets::ofProcess().find(cast<MDString>(node->getOperand(0)->getOperand(0))->getString());
}

} // namespace tenon::codegen::math
