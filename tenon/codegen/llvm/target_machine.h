// LLVM's code generators, set up as all of our code needs them.
#pragma once

#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>

namespace tenon::codegen {

struct MachineOptions {
  std::string triple, cpu, features;
  std::string abi = {}; // where the triple leaves it open
  std::optional<llvm::Reloc::Model> relocation;
  std::optional<llvm::CodeModel::Model> codeModel;
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default;
  bool isJit = false;
};

// A code generator that does what the IR says and no more: no contraction of a*b+c, no assumption about NaN or
// infinities. Null where LLVM has none for the triple, or it is not initialized.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const MachineOptions &options);

} // namespace tenon::codegen
