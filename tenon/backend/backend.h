// Compiling StableHLO programs and running them, as the products (PJRT, AOT, server) see it. No MLIR, no LLVM.
//
//   Backend &backend = defaultBackend();
//   auto executable = backend.compile(module, options);      // any thread, many at a time
//   (*executable)->execute(arguments, results, runOptions);  // any thread, many at a time
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::compiler {
struct ImportedProgram;
} // namespace tenon::compiler
namespace tenon::runtime {
class Device;
class DeviceWork;
} // namespace tenon::runtime

namespace tenon::backend {

using OptionValue = std::variant<std::string, bool, int64_t, double>;

struct CompileOptions {
  // The grid that the program will run in (client/grid.h). 1 x 1: what the module says (mhlo.num_replicas, ...), which
  // otherwise must not say another.
  int32_t numReplicas = 1, numPartitions = 1;
  // Device ids, replica-major: entry [replica * numPartitions + partition]. Empty: the caller has not chosen yet.
  std::vector<int32_t> deviceAssignment;
  // Partition the one logical program over numPartitions devices (sdy, or mhlo.sharding attributes without Shardy).
  bool useSpmdPartitioning = false;
  bool useShardyPartitioner = false;
  // Whether the partitioner may choose the sharding of an argument or result that has none. Empty: no; one entry: for
  // all of them; otherwise one for each.
  std::vector<bool> allowShardingPropagationToParameters, allowShardingPropagationToOutput;
  // The shapes that the arguments will have, one for each, where the program's types leave them open. Empty: the types
  // say them.
  std::vector<std::vector<int64_t>> argumentShapes;
  // What elements some arguments will have.
  std::vector<program::ArgumentValue> argumentValues;
  // The caller takes results whose layout the program leaves open ("auto") as they lie best (program::Result::stored).
  bool openLayouts = false;
  // How errors name the program.
  std::string fileName = "<program>";
  // The same program as `module`, for a caller who has read it already (compiler/imported_program.h). It is used up.
  std::shared_ptr<compiler::ImportedProgram> imported;
  // As in compiler::CompileOptions.
  std::function<Status(std::string_view asking, std::string_view sharding)> inspectSharding;
  // Called after each stage of the compiler.
  std::function<void(std::string_view stage)> reached;
  // A directory for the program and what each stage of the compiler makes of it (program_dump.h). Empty: that of
  // TENON_DUMP_TO, if any.
  std::string dumpTo;
  // Whatever else the user passed (jax.jit's compiler_options). Keys that the compiler does not know are an error of
  // the user's, not to be ignored.
  std::vector<std::pair<std::string, OptionValue>> overrides;
};

// A compiled and loaded program. Immutable; all members may be called from any thread.
class Executable {
public:
  virtual ~Executable() = default;

  // The signature: shapes and memory kinds are those of one device's part; sharding is the textual attribute that the
  // program carried or the partitioner chose.
  //
  // numPartitions may be 1 although several were asked for. Then the program computes whole arrays, and the sharding
  // attributes tell how the devices' parts make them up; the caller puts them together and takes them apart.
  //
  // A result whose size depends on data is as large as its bound, and its size is a result of its own
  // (Result::sizeResults).
  virtual const program::Program &program() const = 0;

  // Runs to completion on the calling thread and the pool's workers. Runs on the devices of a grid that belong together
  // have the same runId, and only those: collectives meet by it. One pointer for each argument and result, null for
  // tokens. A result that takes over an argument (Argument::aliasedResult) may be given the argument's pointer; no
  // other overlap is allowed. Results are unspecified after an error.
  virtual Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                         const runtime::RunOptions &options) const = 0;

  // As execute, on arrays in the memory of the backend's device of number `options.deviceOrdinal`, at addresses that
  // are multiples of 16.
  virtual Status executeOnDevice(std::span<const void *const> arguments, std::span<void *const> results,
                                 const runtime::RunOptions &options) const {
    return execute(arguments, results, options);
  }

  // The same, but may return when the work is enqueued: whatever the device is given to do from then on finds the
  // results, and `options` are no longer needed, but for their Wait. Null where the run has ended.
  virtual StatusOr<std::shared_ptr<runtime::DeviceWork>> startOnDevice(std::span<const void *const> arguments,
                                                                       std::span<void *const> results,
                                                                       const runtime::RunOptions &options) const {
    TENON_RETURN_IF_ERROR(executeOnDevice(arguments, results, options));
    return std::shared_ptr<runtime::DeviceWork>();
  }

  // Memory for a result of this shape, as large as that; null where there is none. Asked for once in a run, for each
  // result that is no token, in their order.
  using ResultMemory = std::function<void *(size_t result, const program::Shape &shape)>;
  // The same, for a caller who can wait for the shapes of results. Those of open sizes (-1) in program() are only known
  // then; execute refuses programs that have such.
  virtual Status executeInto(std::span<const void *const> arguments, const ResultMemory &memory,
                             const runtime::RunOptions &options) const {
    std::vector<void *> results;
    for (const program::Result &result : program().results) {
      bool isToken = result.shape.type == program::ElementType::kToken;
      results.push_back(isToken ? nullptr : memory(results.size(), result.shape));
      if (!results.back() && result.shape.byteSize() > 0)
        return {StatusCode::kResourceExhausted, "no memory for " + result.shape.toString()};
    }
    return execute(arguments, results, options);
  }

  // What Backend::deserialize reads back.
  virtual StatusOr<std::string> serialize() const = 0;

  // The program for people, in MLIR's textual form, as compiler::optimizedModule describes.
  virtual StatusOr<std::string> optimizedModule() const = 0;
};

class Backend {
public:
  virtual ~Backend() = default;

  // `module` is MLIR bytecode, a portable artifact or text. Invalid programs are kInvalidArgument, valid ones that we
  // cannot compile yet kUnimplemented.
  virtual StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &options) = 0;

  // What programs are compiled for: equal texts on two machines mean that each may run what the other compiled.
  virtual std::string target() const = 0;
  // What the environment says of how programs are compiled for it: "partition spmd". Under other settings the same
  // program and options give another program. Empty: as without any.
  virtual std::string settings() const { return {}; }

  // Where programs work in memory that the host does not see (Executable::executeOnDevice): each program on any of
  // these. None: in the host's memory.
  virtual std::vector<runtime::Device *> devices() const { return {}; }

  // Loads without compiling: what Executable::serialize gave, or a program as program::serialize writes it, which has
  // no source to show. Bytes that are damaged, or made by another version or for another processor, are
  // kInvalidArgument or kFailedPrecondition.
  virtual StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) = 0;
};

// Whether a program is compiled to compute whole arrays for all partitions at once: nothing partitions it here, so that
// it would have to have been written for one process of several.
inline bool isUnpartitioned(const CompileOptions &options) {
  return options.useSpmdPartitioning && options.numPartitions > 1;
}

// The compiler and runtime of this process.
Backend &defaultBackend();

} // namespace tenon::backend
