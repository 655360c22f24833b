#include "tenon/codegen/llvm/target_machine.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

namespace tenon::codegen {

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const MachineOptions &options) {
  std::string error;
  llvm::Triple triple(options.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions exact;
  exact.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  exact.NoTrappingFPMath = true;
  exact.MCOptions.ABIName = options.abi;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, options.cpu, options.features, exact,
                                                                          options.relocation, options.codeModel,
                                                                          options.level, options.isJit));
}

} // namespace tenon::codegen
