#include "tenon/aot.h"

#include "tenon/aot/cross_targets.h"
#include "tenon/aot/package.h"
#include "tenon/compiler/compiler.h"
#include "tenon/frontend/builder/built_computation.h"

namespace xla {

StatusOr<AotCompilationResult> CompileAheadOfTime(const Computation &computation,
                                                  const AotCompilationOptions &options) {
  if (computation.IsNull())
    return tenon::invalidArgument("the computation is empty");
  tenon::aot::initializeCrossTargets();
  tenon::compiler::CompileOptions compile;
  compile.fileName = computation.name();
  compile.targetTriple = options.triple;
  compile.targetCpu = options.cpu;
  compile.selfContained = true;
  compile.threads = options.compile_threads;
  auto program = tenon::compiler::compile(computation.built()->bytecode(), compile);
  if (!program.ok())
    return program.status();
  tenon::aot::PackageOptions request;
  request.name = options.name.empty() ? tenon::aot::identifierFor(computation.name()) : options.name;
  request.externalWeights = options.weights == AotCompilationOptions::Weights::kExternal;
  auto package = tenon::aot::makePackage(*program, request);
  if (!package.ok())
    return package.status();
  const tenon::aot::PackageSizes &sizes = package->sizes;
  return AotCompilationResult{request.name,
                              std::move(package->object),
                              std::move(package->header),
                              std::move(package->weights),
                              std::move(package->undefined),
                              std::move(package->lapack),
                              sizes.code,
                              sizes.readOnly + sizes.writable,
                              sizes.weights,
                              sizes.arena,
                              sizes.scratch};
}

Status AotCompilationResult::WriteTo(const std::string &folder) const {
  return tenon::aot::writeFiles(folder, name, object, header, weights);
}

} // namespace xla
