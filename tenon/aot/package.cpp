#include "tenon/aot/package.h"

#include "tenon/aot/elf_merge.h"
#include "tenon/aot/glue.h"
#include "tenon/aot/glue_compiler.h"
#include "tenon/aot/header.h"
#include "tenon/support/element_check.h"
#include "tenon/support/files.h"

#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace tenon::aot {
namespace {

// Functions of libc, libm and the C compiler's support library that LLVM calls by name.
bool isSystemFunction(const std::string &name) {
  static const std::set<std::string> names = {
      "snprintf",     "memcpy",       "memmove",      "memset",      "memcmp",     "floor",     "floorf",
      "ceil",         "ceilf",        "trunc",        "truncf",      "rint",       "rintf",     "nearbyint",
      "nearbyintf",   "round",        "roundf",       "roundeven",   "roundevenf", "fmod",      "fmodf",
      "fma",          "fmaf",         "__divti3",     "__modti3",    "__udivti3",  "__umodti3", "__extendhfsf2",
      "__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2"};
  return names.contains(name);
}

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
  if (!triple.isOSBinFormatELF() || !triple.isArch64Bit() || !triple.isLittleEndian())
    return unimplemented("ahead of time, objects are 64-bit little-endian ELF, not those of " +
                         cpuCode(program).triple);
  return {};
}

std::string fingerprintOf(const program::Program &program, const Weights &weights) {
  std::string parts = weights.digest;
  for (const program::ObjectCode &object : cpuCode(program).objects)
    parts += digestOf(object.bytes);
  parts += std::to_string(program.arenaBytes) + " " + std::to_string(cpuCode(program).scratchBytes);
  return digestOf(parts);
}

// Of the program's processor.
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
Status checkUndefined(const std::vector<std::string> &undefined, const std::vector<std::string> &custom) {
  for (const std::string &name : undefined)
    if (!isSystemFunction(name) && name != kLapackFunction && !std::binary_search(custom.begin(), custom.end(), name))
      return internalError("generated code refers to '" + name + "', which no C library provides");
  for (const std::string &name : custom)
    if (!std::binary_search(undefined.begin(), undefined.end(), name))
      return unimplemented("custom call '" + name + "' has the name of a function of the program's own");
  return {};
}

} // namespace

Status checkName(const std::string &name) {
  if (name.empty() || identifierFor(name) != name)
    return invalidArgument("'" + name + "' cannot be a model's name: it is no C identifier");
  return {};
}

StatusOr<Package> makePackage(const program::Program &program, const PackageOptions &options) {
  TENON_RETURN_IF_ERROR(checkName(options.name));
  TENON_RETURN_IF_ERROR(checkProgram(program));
  Weights weights = layOutWeights(program);
  std::string fingerprint = fingerprintOf(program, weights);
  if (!options.externalWeights && weights.bytes.size() > kEmbeddedLimit)
    return unimplemented("the weights take " + std::to_string(weights.bytes.size()) +
                         " bytes, too many for one object: --weights external");
  ArenaPlan arena = planArena(program, options.externalWeights);

  std::vector<std::string_view> objects;
  for (const program::ObjectCode &object : cpuCode(program).objects)
    objects.emplace_back(object.bytes);
  TENON_ASSIGN_OR_RETURN(std::vector<std::string> wanted, undefinedSymbols(objects));
  GlueOptions glue{options.name, "tenon_weights", fingerprint, options.externalWeights};
  TENON_ASSIGN_OR_RETURN(std::string text, glueText(program, arena, weights, wanted, glue));
  TENON_ASSIGN_OR_RETURN(std::string glueObject, compileGlue(text, targetOf(program)));
  objects.emplace_back(glueObject);

  std::vector<DataBlob> blobs;
  if (!options.externalWeights && !program.constants.empty())
    blobs.push_back({glue.weightsSymbol, weights.bytes});
  std::vector<std::string> names = publicSymbols(options.name);
  auto isPublic = [&](std::string_view symbol) { return std::find(names.begin(), names.end(), symbol) != names.end(); };
  TENON_ASSIGN_OR_RETURN(MergedObject merged, mergeObjects(objects, blobs, isPublic));
  std::vector<std::string> custom = customCalls(program);
  TENON_RETURN_IF_ERROR(checkUndefined(merged.undefined, custom));

  HeaderFacts facts{options.name, fingerprint, options.externalWeights, int64_t(weights.bytes.size()), weights.digest,
                    arena,        custom,      lapackRoutines(program)};
  Package package;
  package.lapack = facts.lapack;
  package.customCalls = facts.customCalls;
  package.header = headerText(program, facts);
  package.sizes = {merged.codeBytes,     merged.readOnlyBytes,
                   merged.writableBytes, int64_t(program.constants.empty() ? 0 : weights.bytes.size()),
                   arena.bytes(1),       arena.scratchStride};
  package.object = std::move(merged.bytes);
  package.undefined = std::move(merged.undefined);
  if (options.externalWeights)
    package.weights = std::move(weights.bytes);
  return package;
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
