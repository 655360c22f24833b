// The compiler and the runtime behind one interface.

#include "tenon/backend/backend.h"
#include "tenon/support/shown.h"

#include "tenon/backend/factories.h"
#include "tenon/backend/partition_news.h"
#include "tenon/backend/program_dump.h"
#include "tenon/backend/source_module.h"
#include "tenon/compiler/compiler.h"
#include "tenon/program/serialization.h"
#include "tenon/runtime/core/loaded_program.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/jit/loader.h"
#include "tenon/support/hash.h"
#include "tenon/support/trace.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace tenon::backend {

StatusOr<compiler::CompileOptions> compilerOptions(const CompileOptions &options) {
  if (!options.overrides.empty())
    return invalidArgument("No such compile option: '" + options.overrides.front().first + "'");
  compiler::CompileOptions result;
  result.argumentShapes = options.argumentShapes;
  result.argumentValues = options.argumentValues;
  result.fileName = options.fileName;
  result.imported = options.imported;
  result.inspectSharding = options.inspectSharding;
  if (options.reached)
    result.inspect = [reached = options.reached](std::string_view stage, mlir::ModuleOp) { reached(stage); };
  return result;
}

// What an option says, which is taken from the others; none: it is not set.
static std::optional<OptionValue> takeOption(CompileOptions &options, std::string_view name) {
  std::optional<OptionValue> taken;
  for (const auto &[other, value] : options.overrides)
    if (other == name)
      taken = value;
  std::erase_if(options.overrides, [&](const auto &entry) { return entry.first == name; });
  return taken;
}

StatusOr<bool> takeBoolean(CompileOptions &options, std::string_view name, bool otherwise) {
  std::optional<OptionValue> own = takeOption(options, name);
  const bool *said = own ? std::get_if<bool>(&*own) : &otherwise;
  if (!said)
    return invalidArgument("the compile option '" + std::string(name) + "' is true or false");
  return *said;
}

void registerRuntime() {
  static std::once_flag once;
  std::call_once(once, runtime::registerCpuLibrary);
}

// Only a program on whole arrays says how they are cut.
static bool isCut(const program::Program &program) {
  auto hasParts = [](const auto &array) { return array.sharding.kind == program::Sharding::Kind::kTiled; };
  return program.numPartitions > 1 && (std::any_of(program.arguments.begin(), program.arguments.end(), hasParts) ||
                                       std::any_of(program.results.begin(), program.results.end(), hasParts));
}

StatusOr<std::string> showOptimized(const SourceModule &source, const program::Program &program) {
  if (source.isEmpty())
    return failedPrecondition("the program was stored without its source");
  compiler::CompileOptions options;
  options.unpartitioned = program.unpartitioned;
  options.partition = options.sharesMemory = isCut(program); // as for devices of one process
  if (!options.unpartitioned && (program.numReplicas > 1 || program.numPartitions > 1)) {
    options.numReplicas = program.numReplicas;
    options.numPartitions = program.numPartitions;
  }
  auto isRefined = [](const program::Argument &argument) { return !argument.declaredType.empty(); };
  if (std::any_of(program.arguments.begin(), program.arguments.end(), isRefined))
    for (const program::Argument &argument : program.arguments)
      options.argumentShapes.push_back(argument.shape.dims);
  for (size_t i = 0; i < program.arguments.size(); ++i)
    if (!program.arguments[i].value.empty())
      options.argumentValues.push_back({static_cast<int32_t>(i), program.arguments[i].value, /*always=*/true});
  return compiler::optimizedModule(source.bytes(program), options);
}

namespace {

constexpr std::string_view kPartitionOption = "partition", kOverlapOption = "overlap",
                           kSharedMemoryOption = "shared_memory", kGroupMemoryOption = "group_memory";

// Whether programs for several partitions are cut into those of each, those that can be or all.
enum class Cut { kNone, kIfPossible, kAll };

constexpr std::string_view kWhole = "whole";

std::string_view partitionSetting() {
  static const char *said = std::getenv("TENON_PARTITION");
  return said ? said : kWhole;
}

// Empty: nothing is said, and who compiles for several machines asks for it.
std::string_view overlapSetting() {
  static const char *said = std::getenv("TENON_OVERLAP");
  return said ? said : "";
}

StatusOr<Cut> cutNamed(std::string_view value, const char *name) {
  if (value == kWhole)
    return Cut::kNone;
  if (value == "spmd")
    return Cut::kIfPossible;
  if (value == "required")
    return Cut::kAll;
  return invalidArgument(std::string(name) + " is '" + std::string(value) +
                         "'; it can be 'whole', 'spmd' or 'required'");
}

// As the option `partition` says, else TENON_PARTITION.
StatusOr<Cut> takePartitionOption(CompileOptions &options) {
  if (std::optional<OptionValue> own = takeOption(options, kPartitionOption)) {
    const auto *text = std::get_if<std::string>(&*own);
    return cutNamed(text ? *text : "", "the compile option 'partition'");
  }
  return cutNamed(partitionSetting(), "TENON_PARTITION");
}

// As the option `overlap` says, else TENON_OVERLAP.
StatusOr<bool> takeOverlapOption(CompileOptions &options) {
  const std::string_view said = overlapSetting();
  auto isOverlap = [](const auto &entry) { return entry.first == kOverlapOption; };
  if (!said.empty() && said != "0" && said != "1" && std::ranges::none_of(options.overrides, isOverlap))
    return invalidArgument("TENON_OVERLAP is '" + std::string(said) + "'; it can be '0' or '1'");
  return takeBoolean(options, kOverlapOption, said == "1");
}

class CpuExecutable : public Executable {
public:
  CpuExecutable(std::unique_ptr<runtime::LoadedProgram> loaded, std::string_view source)
      : loaded_(std::move(loaded)), source_(source, loaded_->program()) {}

  const program::Program &program() const override { return loaded_->program(); }

  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &options) const override {
    return loaded_->run(arguments, results, options);
  }

  StatusOr<std::string> serialize() const override {
    // The source goes along so that a deserialised executable answers optimizedModule too.
    return program::serialize(program()) + source_.bytes(program());
  }

  StatusOr<std::string> optimizedModule() const override { return showOptimized(source_, program()); }

private:
  std::unique_ptr<runtime::LoadedProgram> loaded_;
  SourceModule source_;
};

class CpuBackend : public Backend {
public:
  StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &given) override {
    CompileOptions options = given;
    TENON_ASSIGN_OR_RETURN(Cut cut, takePartitionOption(options));
    TENON_ASSIGN_OR_RETURN(bool overlaps, takeOverlapOption(options));
    // Where nobody says otherwise devices are all of this process.
    TENON_ASSIGN_OR_RETURN(bool sharesMemory, takeBoolean(options, kSharedMemoryOption, true));
    TENON_ASSIGN_OR_RETURN(bool hasGroupMemory, takeBoolean(options, kGroupMemoryOption, true));
    TENON_ASSIGN_OR_RETURN(compiler::CompileOptions compileOptions, compilerOptions(options));
    compileOptions.overlap = overlaps;
    compileOptions.sharesMemory = sharesMemory;
    compileOptions.groupMemory = hasGroupMemory;
    compileOptions.partition = isUnpartitioned(options) && (options.numReplicas == 1 || cut != Cut::kNone);
    compileOptions.partitionIfNeeded = compileOptions.partition && cut == Cut::kNone;
    compileOptions.mustPartition = compileOptions.partition && cut == Cut::kAll;
    compileOptions.unpartitioned = isUnpartitioned(options) && !compileOptions.partition;
    compileOptions.openLayouts = options.openLayouts;
    bool asksForGrid = options.numReplicas > 1 || options.numPartitions > 1;
    if (asksForGrid && !compileOptions.unpartitioned) {
      compileOptions.numReplicas = options.numReplicas;
      compileOptions.numPartitions = options.numPartitions;
    }
    Status told;
    compileOptions.partitionReport = [&](const passes::PartitionReport &report) { told = tellOfPartition(report); };
    TENON_ASSIGN_OR_RETURN(program::Program program, compileAndDump(module, compileOptions, options.dumpTo,
                                                                    [&](const compiler::CompileOptions &request) {
                                                                      return compiler::compile(module, request);
                                                                    }));
    TENON_RETURN_IF_ERROR(std::move(told));
    if (program.unpartitioned)
      program.numReplicas = options.numReplicas;
    const std::string_view identity = program.fingerprint.empty() ? module : std::string_view(program.fingerprint);
    program.fingerprint = hexDigits(
        stableHash(identity, stableHash(target() + (compileOptions.partition && cut != Cut::kNone ? " spmd" : ""))));
    return load(std::move(program), module);
  }

  std::string target() const override { return compiler::hostTarget(); }

  std::string settings() const override {
    std::string_view partition = partitionSetting(), overlap = overlapSetting();
    std::string text;
    if (partition != kWhole)
      text.append("partition ").append(partition);
    if (!overlap.empty())
      text.append(text.empty() ? "" : ", ").append("overlap ").append(overlap);
    return text;
  }

  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) override {
    std::string_view source;
    TENON_ASSIGN_OR_RETURN(program::Program program, program::deserialize(bytes, source));
    return load(std::move(program), source);
  }

private:
  static StatusOr<std::shared_ptr<Executable>> load(program::Program program, std::string_view source) {
    registerRuntime();
    trace::Span span("load");
    TENON_ASSIGN_OR_RETURN(auto loaded, runtime::loadProgram(std::move(program), {.keepObjects = true}));
    return std::shared_ptr<Executable>(std::make_shared<CpuExecutable>(std::move(loaded), source));
  }
};

} // namespace

TENON_SHOWN Backend &defaultBackend() {
  static CpuBackend backend;
  return backend;
}

} // namespace tenon::backend
