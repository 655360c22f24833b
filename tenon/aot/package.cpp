#include "tenon/aot/package.h"

#include "tenon/aot/abi_functions.h"
#include "tenon/aot/code_linker.h"
#include "tenon/aot/digest.h"
#include "tenon/aot/glue.h"
#include "tenon/aot/header.h"
#include "tenon/aot/runtime_calls.h"
#include "tenon/aot/safetensors.h"
#include "tenon/aot/system_functions.h"
#include "tenon/aot/weights.h"
#include "tenon/support/element_check.h"
#include "tenon/support/files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tenon::aot {
namespace {

// Why the ahead-of-time form cannot do what the runtime call does; empty if it can.
std::string obstacle(const program::RuntimeCall &runtimeCall) {
  if (isAssertion(runtimeCall) || isRunSeed(runtimeCall) || isLapack(runtimeCall))
    return "";
  if (runtimeCall.target == "tenon.trace")
    return "Trace logs through Tenon, which a program compiled ahead of time does without";
  if (runtimeCall.kind != program::RuntimeCall::Kind::kCustomCall || checkNamed(runtimeCall.target))
    return "'" + runtimeCall.target +
           "' needs Tenon's runtime library, which a program compiled ahead of time does without";
  std::string call = "custom call '" + runtimeCall.target + "' ";
  if (runtimeCall.apiVersion > 1)
    return call + "has api_version " + std::to_string(runtimeCall.apiVersion) +
           "; ahead of time, a custom call is void(void *out, const void **in), api_version 1";
  if (identifierFor(runtimeCall.target) != runtimeCall.target)
    return call + "is not the name of a C function";
  for (const auto *layouts : {&runtimeCall.operandLayouts, &runtimeCall.resultLayouts})
    for (const std::vector<int64_t> &layout : *layouts)
      if (!layout.empty())
        return call + "wants arrays in another than row-major order, which is not supported ahead of time";
  return "";
}

Status checkProgram(const program::Program &program) {
  std::string problems;
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    if (std::string problem = obstacle(runtimeCall); !problem.empty())
      problems += (problems.empty() ? "" : "\n") +
                  (runtimeCall.location.empty() ? program.name : runtimeCall.location) + ": error: " + problem;
  if (!problems.empty())
    return unimplemented(problems);
  if (program.numReplicas != 1 || program.numPartitions != 1)
    return unimplemented("the program is for several devices, which is not supported ahead of time");
  llvm::Triple triple(cpuCode(program).triple);
  bool isKnown = triple.isOSBinFormatELF() || triple.isOSBinFormatMachO() || triple.isOSBinFormatCOFF() ||
                 triple.isOSBinFormatWasm();
  if (!isKnown || !triple.isLittleEndian())
    return unimplemented("ahead of time, objects are little-endian ELF, Mach-O, COFF or WebAssembly, not those of " +
                         cpuCode(program).triple);
  return {};
}

std::string fingerprintOf(const program::Program &program, const std::string &weightsDigest) {
  std::string parts = weightsDigest;
  for (const program::ObjectCode &object : cpuCode(program).objects)
    parts += digestOf(object.bytes);
  parts += std::to_string(program.arenaBytes) + " " + std::to_string(cpuCode(program).scratchBytes);
  return digestOf(parts);
}

// A target for the processor that the program was compiled for.
codegen::CpuTargetOptions targetOf(const program::Program &program) {
  codegen::CpuTargetOptions options;
  options.triple = cpuCode(program).triple;
  options.cpu = cpuCode(program).cpu;
  options.features = cpuCode(program).features;
  return options;
}

std::vector<std::string> customCalls(const program::Program &program) {
  std::set<std::string> names;
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    if (runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall && !isLapack(runtimeCall))
      names.insert(runtimeCall.target);
  return {names.begin(), names.end()};
}

std::vector<std::string> lapackRoutines(const program::Program &program) {
  std::vector<std::string> routines;
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls)
    if (isLapack(runtimeCall))
      routines.push_back(runtimeCall.target + (runtimeCall.location.empty() ? "" : " (" + runtimeCall.location + ")"));
  return routines;
}

// What is left undefined must be what the user was told of.
Status checkUndefined(const LinkedCode &code, const llvm::Triple &triple, const std::vector<std::string> &custom) {
  for (const std::string &name : code.undefined)
    if (!isSystemFunction(name, triple) && name != kLapackFunction &&
        !std::binary_search(custom.begin(), custom.end(), name))
      return internalError("generated code refers to '" + name + "', which no C library provides");
  for (const std::string &name : custom)
    if (!std::binary_search(code.undefined.begin(), code.undefined.end(), name))
      return unimplemented("custom call '" + name + "' has the name of a function of the program's own");
  return {};
}

// What addresses of 32 bits reach.
Status checkSizes(const std::vector<ModelFacts> &models, const Weights &weights) {
  constexpr int64_t kReach = int64_t(1) << 31;
  for (const ModelFacts &model : models)
    if (model.arena.bytes(1) >= kReach)
      return unimplemented("the arena of '" + model.name + "' takes " + std::to_string(model.arena.bytes(1)) +
                           " bytes, more than addresses of 32 bits reach");
  if (int64_t(weights.bytes.size()) >= kReach)
    return unimplemented("the weights take " + std::to_string(weights.bytes.size()) +
                         " bytes, more than addresses of 32 bits reach");
  return {};
}

Status checkModels(const std::vector<Model> &models) {
  std::set<std::string> symbols;
  for (const Model &model : models) {
    TENON_RETURN_IF_ERROR(checkName(model.name));
    TENON_RETURN_IF_ERROR(checkProgram(*model.program));
    for (const std::string &symbol : publicSymbols(model.name))
      if (!symbols.insert(symbol).second)
        return invalidArgument("two models would have a function '" + symbol + "'");
  }
  return {};
}

// The models' code, and what is around it.
class Packager {
public:
  Packager(const std::vector<Model> &models, const PackageOptions &options, const codegen::CpuTarget &target)
      : models_(models), options_(options), target_(target), triple_(target.triple()), linker_(target) {}

  StatusOr<Package> run() {
    std::vector<const program::Program *> programs;
    for (const Model &model : models_)
      programs.push_back(model.program);
    weights_ = layOutWeights(programs);
    TENON_RETURN_IF_ERROR(readWeightsFile());
    if (!options_.externalWeights && weights_.bytes.size() > kEmbeddedLimit)
      return unimplemented("the weights take " + std::to_string(weights_.bytes.size()) +
                           " bytes, too many for one object: --weights external");
    for (size_t i = 0; i < models_.size(); ++i)
      TENON_RETURN_IF_ERROR(addModel(models_[i], weights_.offsets[i]));
    if (triple_.isArch32Bit())
      TENON_RETURN_IF_ERROR(checkSizes(facts_, weights_));
    TENON_RETURN_IF_ERROR(linker_.add(abiFunctionsText(linker_.undefined())));
    weightsBytes_ = int64_t(weights_.bytes.size());
    if (!options_.externalWeights) {
      if (hasWeights())
        linker_.addData(kWeightsSymbol, weights_.bytes);
      std::string().swap(weights_.bytes); // the linker has them
    }
    std::vector<std::string> names;
    for (const Model &model : models_)
      llvm::append_range(names, publicSymbols(model.name));
    TENON_ASSIGN_OR_RETURN(LinkedCode code, linker_.finish(names));
    return describe(std::move(code));
  }

private:
  static constexpr const char *kWeightsSymbol = "tenon_weights";

  bool hasWeights() const {
    return llvm::any_of(models_, [](const Model &model) { return !model.program->constants.empty(); });
  }

  // Finds the constants in the file that runs are given, if there is one.
  Status readWeightsFile() {
    if (options_.externalWeights)
      file_ = describeWeights(options_.name + ".weights", weights_.bytes);
    if (!options_.weightsFile)
      return {};
    if (options_.externalWeights)
      return invalidArgument("a run is given one file of weights: with " + options_.weightsFile->path +
                             " the constants are in the object");
    const std::string &path = options_.weightsFile->path;
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return failedPrecondition(path + ": " + file.getError().message());
    std::string name = llvm::sys::path::filename(path).str();
    std::string_view bytes = {(*file)->getBufferStart(), (*file)->getBufferSize()};
    TENON_ASSIGN_OR_RETURN(tensors_, readSafetensors(name, bytes));
    file_ = describeWeights(name, bytes);
    return {};
  }

  Status addModel(const Model &model, const std::vector<int64_t> &offsets) {
    const program::CpuCode &code = cpuCode(*model.program);
    // The entry function calls the program's own runtime calls.
    auto isShared = [](const program::ObjectCode &object) { return object.name != "entry"; };
    TENON_ASSIGN_OR_RETURN(std::set<std::string> wanted, linker_.begin(code.objects, isShared));
    ModelFacts facts;
    facts.name = model.name;
    facts.program = model.program;
    facts.fingerprint = fingerprintOf(*model.program, weights_.digest + (tensors_.empty() ? "" : file_->digest));
    if (options_.weightsFile) {
      TENON_ASSIGN_OR_RETURN(facts.bound,
                             bindArguments(*model.program, file_->fileName, tensors_, options_.weightsFile->bindings));
    }
    facts.arena = planArena(*model.program, options_.externalWeights, !facts.bound.empty());
    facts.customCalls = customCalls(*model.program);
    facts.lapack = lapackRoutines(*model.program);
    GlueOptions glue{model.name,
                     kWeightsSymbol,
                     facts.fingerprint,
                     file_ ? &*file_ : nullptr,
                     options_.externalWeights,
                     facts.bound,
                     wanted.contains(kTileSymbol),
                     triple_.isArch32Bit()};
    TENON_ASSIGN_OR_RETURN(std::string text, glueText(*model.program, facts.arena, offsets, glue));
    facts_.push_back(std::move(facts));
    return linker_.end(text, model.name, publicSymbols(model.name));
  }

  StatusOr<Package> describe(LinkedCode code) {
    Package package;
    HeaderFacts facts{options_.name, file_, {}};
    for (ModelFacts &model : facts_) {
      for (const char *function : {"_run", "_run_parallel"})
        model.stackBytes = std::max(model.stackBytes, code.stackBytes.at(model.name + function));
      package.sizes.arena = std::max(package.sizes.arena, model.arena.bytes(1));
      package.sizes.scratch = std::max(package.sizes.scratch, model.arena.scratchStride);
      package.sizes.stack = std::max(package.sizes.stack, model.stackBytes);
      llvm::append_range(package.lapack, model.lapack);
      llvm::append_range(package.customCalls, model.customCalls);
    }
    llvm::sort(package.customCalls);
    package.customCalls.erase(llvm::unique(package.customCalls), package.customCalls.end());
    TENON_RETURN_IF_ERROR(checkUndefined(code, triple_, package.customCalls));
    facts.models = std::move(facts_);
    package.header = headerText(facts);
    package.sizes.code = code.codeBytes;
    package.sizes.readOnly = code.readOnlyBytes;
    package.sizes.writable = code.writableBytes;
    package.sizes.weights = hasWeights() ? weightsBytes_ : 0;
    package.object = std::move(code.object);
    package.undefined = std::move(code.undefined);
    if (options_.externalWeights)
      package.weights = std::move(weights_.bytes);
    return package;
  }

  const std::vector<Model> &models_;
  const PackageOptions &options_;
  const codegen::CpuTarget &target_;
  llvm::Triple triple_;
  CodeLinker linker_;
  Weights weights_;
  int64_t weightsBytes_ = 0;
  std::optional<WeightsFacts> file_; // that runs are given
  std::map<std::string, StoredTensor> tensors_;
  std::vector<ModelFacts> facts_;
};

} // namespace

Status checkName(const std::string &name) {
  if (name.empty() || identifierFor(name) != name)
    return invalidArgument("'" + name + "' cannot be a model's name: it is no C identifier");
  return {};
}

StatusOr<Package> makePackage(const std::vector<Model> &models, const PackageOptions &options) {
  TENON_RETURN_IF_ERROR(checkName(options.name));
  TENON_RETURN_IF_ERROR(checkModels(models));
  TENON_ASSIGN_OR_RETURN(codegen::CpuTarget target, codegen::CpuTarget::create(targetOf(*models.front().program)));
  return Packager(models, options, target).run();
}

StatusOr<Package> makePackage(const program::Program &program, const PackageOptions &options) {
  return makePackage({{options.name, &program}}, options);
}

Status writeFiles(const std::string &folder, const std::string &name, std::string_view object, std::string_view header,
                  std::string_view weights) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return failedPrecondition(folder + ": " + error.message());
  std::string path = folder + "/" + name;
  Status status = writeFile(path + ".o", object);
  if (status.ok())
    status = writeFile(path + ".h", header);
  if (status.ok() && !weights.empty())
    status = writeFile(path + ".weights", weights);
  return status;
}

} // namespace tenon::aot
