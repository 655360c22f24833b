#include "tenon/pjrt/executable.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/module_text.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/program/attributes.h"
#include "tenon/program/sharding.h"
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/core/transfer.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tenon::pjrt {
namespace {

StatusOr<MemoryKind> memoryKind(const std::string &name) {
  for (int i = 0; i < kNumMemoryKinds; ++i)
    if (name == memoryKindName(static_cast<MemoryKind>(i)))
      return static_cast<MemoryKind>(i);
  if (name.empty())
    return MemoryKind::kDevice;
  return invalidArgument("unknown memory kind '" + name + "'");
}

void addString(std::string_view text, std::vector<const char *> &data, std::vector<size_t> &sizes) {
  data.push_back(text.data());
  sizes.push_back(text.size());
}

// The type of what one device holds of an argument or result of the program.
Status addArray(CompiledProgram &compiled, const program::Shape &shape, const program::Sharding &sharding,
                std::vector<int64_t> layout, std::vector<size_t> dynamicDims, std::vector<BufferTypeRef> &types,
                std::vector<BufferTypeRef> &wholeTypes, std::vector<Tiling> &tilings) {
  if (!compiled.isUnpartitioned) {
    types.push_back(makeBufferType(shape, std::move(layout), std::move(dynamicDims)));
    return {};
  }
  if (!dynamicDims.empty())
    return unimplemented("arrays of several devices must have sizes that do not depend on data");
  TENON_ASSIGN_OR_RETURN(Tiling tiling, shardingTiling(sharding, shape.dims.size(), compiled.options.numPartitions));
  program::Shape part = shape;
  for (size_t i = 0; i < part.dims.size(); ++i)
    part.dims[i] = (part.dims[i] + tiling.tiles[i] - 1) / tiling.tiles[i];
  types.push_back(makeBufferType(std::move(part), std::move(layout)));
  wholeTypes.push_back(makeBufferType(shape)); // the program's own
  tilings.push_back(std::move(tiling));
  return {};
}

Status addArguments(CompiledProgram &compiled, const program::Program &program) {
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const program::Argument &argument = program.arguments[i];
    TENON_RETURN_IF_ERROR(addArray(compiled, argument.shape, argument.sharding, argument.layout, {},
                                   compiled.argumentTypes, compiled.wholeArgumentTypes, compiled.argumentTilings));
    TENON_ASSIGN_OR_RETURN(MemoryKind kind, memoryKind(argument.memoryKind));
    addString(memoryKindName(kind), compiled.argumentMemoryNames, compiled.argumentMemoryNameSizes);
    compiled.argumentShardings.push_back(program::toProto(argument.sharding));
    compiled.argumentLayouts.push_back({layoutText(compiled.argumentTypes[i]->minorToMajor)});
  }
  return {};
}

// Chooses the arguments that a run takes from its caller: those that the program aliases with a result, and of those
// that are donated without one as many as there are other results of the same size in the same kind of memory, as XLA
// does. The caller keeps the others.
void addDonations(CompiledProgram &compiled, const program::Program &program) {
  std::vector<bool> isTaken(compiled.resultTypes.size(), false);
  for (const program::Argument &argument : program.arguments)
    if (argument.aliasedResult >= 0 && static_cast<size_t>(argument.aliasedResult) < isTaken.size())
      isTaken[argument.aliasedResult] = true;
  auto findResult = [&](size_t argument) {
    for (size_t i = 0; i < isTaken.size(); ++i)
      if (!isTaken[i] && compiled.resultTypes[i]->bytes == compiled.argumentTypes[argument]->bytes &&
          std::string_view(compiled.resultMemoryNames[i]) == compiled.argumentMemoryNames[argument]) {
        isTaken[i] = true;
        return true;
      }
    return false;
  };
  for (size_t i = 0; i < program.arguments.size(); ++i)
    if (program.arguments[i].aliasedResult >= 0 || (program.arguments[i].donated && findResult(i)))
      compiled.donatedArguments.push_back(static_cast<int>(i));
}

// How many results are not the sizes of others.
StatusOr<size_t> countArrays(const program::Program &program) {
  size_t count = program.results.size();
  for (const program::Result &result : program.results)
    for (int32_t size : result.sizeResults)
      count = size >= 0 ? std::min(count, static_cast<size_t>(size)) : count;
  for (size_t i = count; i < program.results.size(); ++i)
    if (!(program.results[i].shape == program::Shape{program::ElementType::kI32, {}}))
      return internalError("a result's size is before other results");
  return count;
}

Status addResults(CompiledProgram &compiled, const program::Program &program) {
  TENON_ASSIGN_OR_RETURN(size_t count, countArrays(program));
  for (size_t i = 0; i < count; ++i) {
    const program::Result &result = program.results[i];
    std::vector<size_t> dynamicDims;
    for (size_t d = 0; d < result.sizeResults.size(); ++d)
      if (result.sizeResults[d] >= 0)
        dynamicDims.push_back(d);
    bool isStored = !result.stored.dims.empty();
    program::Shape shape = isStored ? program::Shape{result.shape.type, result.stored.dims} : result.shape;
    const std::vector<int64_t> &layout = isStored ? result.stored.minorToMajor : result.layout;
    TENON_RETURN_IF_ERROR(addArray(compiled, shape, result.sharding, layout, std::move(dynamicDims),
                                   compiled.resultTypes, compiled.wholeResultTypes, compiled.resultTilings));
    compiled.isStoredInOrder.push_back(isStored);
    compiled.resultElementTypes.push_back(compiled.resultTypes[i]->pjrtType);
    const std::vector<int64_t> &dims = compiled.resultTypes[i]->shape.dims;
    compiled.resultDims.insert(compiled.resultDims.end(), dims.begin(), dims.end());
    compiled.resultRanks.push_back(result.shape.dims.size());
    TENON_ASSIGN_OR_RETURN(MemoryKind kind, memoryKind(result.memoryKind));
    compiled.resultMemories.push_back(kind);
    addString(memoryKindName(kind), compiled.resultMemoryNames, compiled.resultMemoryNameSizes);
    compiled.resultShardings.push_back(program::toProto(result.sharding));
    compiled.resultLayouts.push_back({layoutText(compiled.resultTypes[i]->minorToMajor)});
  }
  compiled.argumentOfResult.assign(program.results.size(), -1);
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    int32_t result = program.arguments[i].aliasedResult;
    if (result < 0)
      continue;
    if (result >= static_cast<int32_t>(program.results.size()) ||
        !(program.arguments[i].shape == program.results[result].shape))
      return internalError("argument " + std::to_string(i) + " cannot share memory with result " +
                           std::to_string(result));
    if (compiled.argumentTypes[i]->isRowMajor && compiled.resultTypes[result]->isRowMajor)
      compiled.argumentOfResult[result] = static_cast<int>(i);
  }
  return {};
}

// Finds the results that a collective alone writes, and gives all of its group the same.
Status addSharingGroups(CompiledProgram &compiled, const program::Program &program) {
  compiled.sharingGroups.resize(program.results.size());
  for (const program::RuntimeCall &runtimeCall : program.runtimeCalls) {
    if (!runtime::isCollective(runtimeCall) ||
        !program::findAttribute(runtimeCall.attributes, program::kProgramResults))
      continue;
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> results,
                           program::integerArrayAttribute(runtimeCall.attributes, program::kProgramResults));
    TENON_ASSIGN_OR_RETURN(runtime::Groups groups, runtime::Groups::of(runtimeCall));
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] < 0)
        continue;
      if (i >= runtimeCall.results.size() || static_cast<size_t>(results[i]) >= compiled.resultTypes.size() ||
          runtimeCall.results[i].byteSize() != program.results[static_cast<size_t>(results[i])].shape.byteSize())
        return internalError("a collective writes a result that does not exist");
      compiled.sharingGroups[static_cast<size_t>(results[i])] = groups;
    }
  }
  return {};
}

// Whether some runtime call of the program, or of a program that it runs for its devices, is such a one.
bool hasRuntimeCall(const program::Program &program, bool (*isSuch)(const program::RuntimeCall &)) {
  return std::any_of(program.runtimeCalls.begin(), program.runtimeCalls.end(),
                     [&](const program::RuntimeCall &runtimeCall) {
                       return isSuch(runtimeCall) ||
                              std::any_of(runtimeCall.programs.begin(), runtimeCall.programs.end(),
                                          [&](const program::Program &part) { return hasRuntimeCall(part, isSuch); });
                     });
}

bool callsOut(const program::RuntimeCall &runtimeCall) {
  return runtimeCall.kind == program::RuntimeCall::Kind::kCustomCall &&
         (runtimeCall.hasSideEffect || isHostCallback(runtimeCall.target));
}

// How runs may be ordered and where they may run.
void describeRuns(CompiledProgram &compiled, const program::Program &program) {
  compiled.exchangesData = hasRuntimeCall(program, [](const program::RuntimeCall &runtimeCall) {
    return runtime::isTransfer(runtimeCall) || runtime::isCollective(runtimeCall);
  });
  compiled.waitsForDevicesOnly = runtime::waitsForDevicesOnly(program);
  compiled.estimatedNanoseconds = program.estimatedNanoseconds;
  compiled.runInPlace = program.estimatedNanoseconds <= kRunInPlaceNanoseconds && !compiled.exchangesData;
  compiled.runsWithCaller = hasRuntimeCall(program, callsOut) && !hasRuntimeCall(program, runtime::isTransfer);
}

PJRT_NamedValue cost(const char *name, double value) {
  PJRT_NamedValue cost{};
  cost.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  cost.name = name;
  cost.name_size = std::strlen(name);
  cost.type = PJRT_NamedValue_kFloat;
  cost.float_value = static_cast<float>(value);
  cost.value_size = 1;
  return cost;
}

void collectPointers(CompiledProgram &compiled) {
  for (const std::string &proto : compiled.argumentShardings)
    addString(proto, compiled.argumentShardingData, compiled.argumentShardingSizes);
  for (const std::string &proto : compiled.resultShardings)
    addString(proto, compiled.resultShardingData, compiled.resultShardingSizes);
  for (PJRT_Layouts_MemoryLayout &layout : compiled.argumentLayouts)
    compiled.argumentLayoutPointers.push_back(&layout);
  for (PJRT_Layouts_MemoryLayout &layout : compiled.resultLayouts)
    compiled.resultLayoutPointers.push_back(&layout);
}

} // namespace

StatusOr<std::string> CompiledProgram::moduleText() {
  std::lock_guard lock(mutex_);
  if (moduleText_.empty()) {
    TENON_ASSIGN_OR_RETURN(std::string text, executable->optimizedModule());
    moduleText_ = withLayouts(std::move(text), *this);
  }
  return moduleText_;
}

StatusOr<CompiledProgramRef> makeCompiledProgram(std::shared_ptr<backend::Executable> executable,
                                                 backend::CompileOptions options, std::string serializedOptions) {
  auto compiled = std::make_shared<CompiledProgram>();
  const program::Program &program = executable->program();
  if (!program.unreadable.empty())
    return invalidArgument(program.unreadable);
  compiled->options = std::move(options);
  compiled->serializedOptions = std::move(serializedOptions);
  compiled->isUnpartitioned = compiled->options.numPartitions > 1 && program.numPartitions == 1;
  describeRuns(*compiled, program);
  TENON_RETURN_IF_ERROR(addArguments(*compiled, program));
  TENON_RETURN_IF_ERROR(addResults(*compiled, program));
  addDonations(*compiled, program);
  TENON_RETURN_IF_ERROR(addSharingGroups(*compiled, program));
  collectPointers(*compiled);
  compiled->costs = {cost("flops", program.report.flops), cost("bytes accessed", program.report.bytes),
                     cost("transcendentals", program.report.transcendentals)};
  if (program.estimatedNanoseconds)
    compiled->costs.push_back(cost("optimal_seconds", static_cast<double>(program.estimatedNanoseconds) * 1e-9));
  compiled->executable = std::move(executable);
  return compiled;
}

namespace {

const program::Program &programOf(const PJRT_Executable *executable) {
  return executable->program->executable->program();
}

// Reports the memory of a program on one device.
Status memoryStats(PJRT_Executable_GetCompiledMemoryStats_Args &args) {
  const CompiledProgram &compiled = *args.executable->program;
  const program::Program &program = programOf(args.executable);
  int64_t arguments = 0, results = 0, aliased = 0, constants = 0;
  for (const BufferTypeRef &type : compiled.argumentTypes)
    arguments += type->bytes;
  for (size_t i = 0; i < compiled.resultTypes.size(); ++i) {
    results += compiled.resultTypes[i]->bytes;
    aliased += compiled.argumentOfResult[i] >= 0 ? compiled.resultTypes[i]->bytes : 0;
  }
  for (const program::Constant &constant : program.constants)
    constants += static_cast<int64_t>(constant.bytes.size());
  const int64_t temporaries = program::temporaryBytes(program);
  args.generated_code_size_in_bytes = program::codeBytes(program) + constants;
  args.argument_size_in_bytes = arguments;
  args.output_size_in_bytes = results;
  args.alias_size_in_bytes = aliased;
  args.temp_size_in_bytes = temporaries;
  args.host_generated_code_size_in_bytes = args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = args.host_alias_size_in_bytes = args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes = arguments + results - aliased + temporaries;
  args.total_size_in_bytes = args.peak_memory_in_bytes + args.generated_code_size_in_bytes;
  if (args.struct_size >= PJRT_STRUCT_SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes)) {
    args.total_allocation_bytes = temporaries;
    args.indefinite_allocations = 0;
    args.peak_unpadded_heap_bytes = temporaries;
  }
  return {};
}

// Called twice: for the size, then for the text.
Status optimizedProgram(PJRT_Executable_OptimizedProgram_Args &args) {
  static const std::string format = "mlir";
  TENON_ASSIGN_OR_RETURN(std::string text, args.executable->program->moduleText());
  args.program->format = format.c_str();
  args.program->format_size = format.size();
  if (!args.program->code) {
    args.program->code_size = text.size();
    return {};
  }
  if (args.program->code_size < text.size())
    return invalidArgument("PJRT_Executable_OptimizedProgram: the destination is too small");
  std::memcpy(args.program->code, text.data(), text.size());
  return {};
}

void fillProgramSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Executable_Name, [](PJRT_Executable_Name_Args &args) -> Status {
    args.executable_name = programOf(args.executable).name.c_str();
    args.executable_name_size = programOf(args.executable).name.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_NumReplicas, [](PJRT_Executable_NumReplicas_Args &args) -> Status {
    args.num_replicas = args.executable->program->options.numReplicas;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_NumPartitions, [](PJRT_Executable_NumPartitions_Args &args) -> Status {
    args.num_partitions = args.executable->program->options.numPartitions;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_NumOutputs, [](PJRT_Executable_NumOutputs_Args &args) -> Status {
    args.num_outputs = args.executable->program->resultTypes.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_SizeOfGeneratedCodeInBytes,
                  [](PJRT_Executable_SizeOfGeneratedCodeInBytes_Args &args) -> Status {
                    args.size_in_bytes = program::codeBytes(programOf(args.executable));
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_Executable_GetCostAnalysis, [](PJRT_Executable_GetCostAnalysis_Args &args) -> Status {
    args.properties = args.executable->program->costs.data();
    args.num_properties = args.executable->program->costs.size();
    return {};
  });
  // jaxlib before 0.10 passes none of the fields behind.
  TENON_PJRT_SLOT_SINCE(api, PJRT_Executable_GetCompiledMemoryStats,
                        PJRT_STRUCT_SIZE(PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes),
                        memoryStats);
  TENON_PJRT_SLOT(api, PJRT_Executable_OptimizedProgram, optimizedProgram);
  TENON_PJRT_SLOT(api, PJRT_Executable_Fingerprint, [](PJRT_Executable_Fingerprint_Args &args) -> Status {
    args.executable_fingerprint = programOf(args.executable).fingerprint.c_str();
    args.executable_fingerprint_size = programOf(args.executable).fingerprint.size();
    return {};
  });
}

void fillSignatureSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Executable_OutputElementTypes, [](PJRT_Executable_OutputElementTypes_Args &args) -> Status {
    args.output_types = args.executable->program->resultElementTypes.data();
    args.num_output_types = args.executable->program->resultElementTypes.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_OutputDimensions, [](PJRT_Executable_OutputDimensions_Args &args) -> Status {
    args.num_outputs = args.executable->program->resultRanks.size();
    args.dims = args.executable->program->resultDims.data();
    args.dim_sizes = args.executable->program->resultRanks.data();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_OutputMemoryKinds, [](PJRT_Executable_OutputMemoryKinds_Args &args) -> Status {
    args.num_outputs = args.executable->program->resultMemoryNames.size();
    args.memory_kinds = args.executable->program->resultMemoryNames.data();
    args.memory_kind_sizes = args.executable->program->resultMemoryNameSizes.data();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Executable_ParameterMemoryKinds,
                  [](PJRT_Executable_ParameterMemoryKinds_Args &args) -> Status {
                    args.num_parameters = args.executable->program->argumentMemoryNames.size();
                    args.memory_kinds = args.executable->program->argumentMemoryNames.data();
                    args.memory_kind_sizes = args.executable->program->argumentMemoryNameSizes.data();
                    return {};
                  });
}

} // namespace

void fillExecutableSlots(PJRT_Api &api) {
  fillProgramSlots(api);
  fillSignatureSlots(api);
  TENON_PJRT_SLOT(api, PJRT_Executable_Destroy, [](PJRT_Executable_Destroy_Args &args) -> Status {
    delete args.executable;
    return {};
  });
}

} // namespace tenon::pjrt
