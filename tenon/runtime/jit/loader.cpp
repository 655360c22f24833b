#include "tenon/runtime/jit/loader.h"

#include "tenon/runtime/jit/debug_registration.h"
#include "tenon/runtime/jit/linker.h"
#include "tenon/runtime/jit/manual_computation.h"
#include "tenon/support/tile_permission.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace tenon::runtime {
namespace {

Status checkMachine(const program::Program &program) {
  llvm::Triple host(llvm::sys::getProcessTriple()), wanted(cpuCode(program).triple);
  if (!cpuCode(program).triple.empty() && wanted.getArch() != host.getArch())
    return failedPrecondition("program '" + program.name + "' was compiled for " + cpuCode(program).triple +
                              "; this machine is " + host.str());
  static const auto *features = new llvm::StringMap<bool, llvm::MallocAllocator>(llvm::sys::getHostCPUFeatures());
  llvm::SmallVector<llvm::StringRef> needed;
  llvm::StringRef(cpuCode(program).features).split(needed, ',', -1, /*KeepEmpty=*/false);
  std::string missing;
  for (llvm::StringRef feature : needed)
    if (feature.consume_front("+"))
      if (auto it = features->find(feature);
          it != features->end() && !(it->second && (!feature.starts_with("amx-") || mayUseTiles())))
        missing += (missing.empty() ? "" : ", ") + feature.str();
  if (!missing.empty())
    return failedPrecondition("program '" + program.name + "' was compiled for CPU '" + cpuCode(program).cpu +
                              "' and needs features that this machine lacks: " + missing + "; compile it again");
  return {};
}

struct Image {
  std::shared_ptr<LinkedCode> code;
  std::unique_ptr<DebugRegistration> debug;
};

} // namespace

StatusOr<std::unique_ptr<LoadedProgram>> loadProgram(program::Program program, const LoadOptions &options) {
  TENON_RETURN_IF_ERROR(checkMachine(program));
  registerManualComputations();
  auto image = std::make_shared<Image>();
  TENON_ASSIGN_OR_RETURN(image->code, LinkedCode::link(program.name, cpuCode(program).objects, runtimeSymbols()));
  void *entry = image->code->find(cpuCode(program).entrySymbol);
  if (!entry)
    return internalError("program '" + program.name + "' does not define its entry '" + cpuCode(program).entrySymbol +
                         "'");
  image->debug = DebugRegistration::create(program.name, image->code->functions());
  bool asksToStop = image->code->asksToStop();
  return LoadedProgram::create(std::move(program), reinterpret_cast<TenonEntry>(entry), std::move(image),
                               options.keepObjects, asksToStop);
}

} // namespace tenon::runtime
