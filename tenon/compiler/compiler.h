// Source program to compiled program. No MLIR and no LLVM in this interface.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class ModuleOp;
}
namespace tenon::codegen {
class CpuTarget;
}
namespace tenon::passes {
struct PartitionReport;
}

namespace tenon::compiler {

struct ImportedProgram;

// How an array of the caller's lies in memory.
struct ArrayLayout {
  std::vector<int64_t> minorToMajor; // its dimensions, the one that changes most rapidly first; empty: nothing is said
  std::vector<int64_t> paddedDims;   // what each dimension is padded to at its end; empty: no padding
  std::string padding;               // of a result: the bytes of an element there; empty: zeros
};

struct CompileOptions {
  std::string fileName = "<program>"; // how errors name the source
  // The source, for a caller who has read it already (imported_program.h). It is used up: the module is changed.
  std::shared_ptr<ImportedProgram> imported;
  std::string entry;          // the function that is the program; empty: see frontend::ImportOptions
  std::string targetCpu;      // see codegen::CpuTargetOptions
  std::string targetTriple;   // the same
  int threads = 0;            // compile threads; 0: as many as the process may use
  bool optimize = true;       // false: neither simplification nor fusion, for differential tests
  bool selfContained = false; // fft, cholesky and triangular_solve are not left to the runtime's library
  // The runtime moves arrays between devices but computes nothing of them: all_reduce and reduce_scatter are not left
  // to it.
  bool movesOnly = false;
  // Constant operands of products lie in the program as its target reads them. Otherwise programs for other targets and
  // of other shapes have the same constants.
  bool packConstants = true;
  bool bitcode = false;      // the program's code is for aot::makePackage, which makes machine code of it
  bool splitKernels = false; // threads share every kernel that can be split, however short; for tests
  bool verifyStages = false; // verify the program after every stage; for tests and debugging
  // The grid of processes that the program will be one of; 0: what the module says, which otherwise must not say
  // another.
  int64_t numReplicas = 0, numPartitions = 0;
  // The program runs once for all partitions of a replica, and its arrays are whole: it must not communicate.
  bool unpartitioned = false;
  // The program is one on whole arrays for all partitions, and is to become that of one of them. What cannot be cut is
  // compiled as if it were `unpartitioned`, as Program::unpartitioned then says.
  bool partition = false;
  // And what cannot be cut is an error, which says why.
  bool mustPartition = false;
  // Only if devices may have what is no whole array, and otherwise as if it were `unpartitioned`.
  bool partitionIfNeeded = false;
  // All devices of what is cut are of one OS process: what they have in common is in its memory once.
  bool sharesMemory = false;
  // What collectives give to all of a group is in the memory of each OS process once while a program runs. Not worth
  // its packing apart from other arrays where each device has a process of its own.
  bool groupMemory = true;
  // Collectives go on while the program computes what does not need them, as is of use where its devices are those of
  // several OS processes.
  bool overlap = false;
  // Receives what came of `partition` (partition_report.h writes it).
  std::function<void(const passes::PartitionReport &)> partitionReport;
  // Tells somebody who asked where a value lies (jax.debug.inspect_array_sharding): by what the call was configured
  // with, which may be addresses in this process, and a serialized xla.OpSharding. Without it nobody is told.
  std::function<Status(std::string_view asking, std::string_view sharding)> inspectSharding;
  // The shapes that the arguments will have, one for each; needed where a type is dynamic. Empty: as the types say.
  std::vector<std::vector<int64_t>> argumentShapes;
  // What elements some arguments will have.
  std::vector<program::ArgumentValue> argumentValues;
  // The program takes and gives arrays as they lie in the caller's memory: as is said here, with an entry for each
  // argument and for each result (or none at all), and where an entry says nothing, as the module does
  // (mhlo.layout_mode). Otherwise its arrays are row-major, and layouts are a matter of who calls it.
  bool layouts = false;
  // Only the results whose layout the module leaves open ("auto") are given as they lie best (program::Result::stored).
  bool openLayouts = false;
  std::vector<ArrayLayout> argumentLayouts, resultLayouts;
  // Stages to show; see stageNames(). "all" shows every one.
  std::vector<std::string> dumpAfter;
  // Receives the program after a stage that dumpAfter names, as text.
  std::function<void(std::string_view stage, std::string_view text)> dump;
  // Looks at the program after each stage but "llvm". It must not change it.
  std::function<void(std::string_view stage, mlir::ModuleOp module)> inspect;
  // Receives errors one at a time, as a compiler prints them (file:line:col: error: ..., source line, caret), in
  // addition to the returned Status, whose message is all of them.
  std::function<void(std::string_view)> diagnostic;
};

// The processor that is compiled for.
StatusOr<codegen::CpuTarget> targetOf(const CompileOptions &options);

// Compiles MLIR text, MLIR bytecode or a portable artifact. Safe on any bytes and from any thread. Errors:
// kInvalidArgument for a program that breaks a rule, kUnimplemented for one that cannot be compiled, kInternal for a
// bug of ours.
StatusOr<program::Program> compile(std::string_view source, const CompileOptions &options = {});

// The program as it is before fusion, for people, as text with places: simplified, ops of the func, stablehlo and sdy
// dialects only, which XLA's importer has HLO for. Ops of CHLO are custom calls of their names ("chlo.lgamma"), or of
// those that the importer knows instructions by ("mhlo.erf"); what runs for each device of a mesh is a function, in the
// called_computations of its call.
StatusOr<std::string> optimizedModule(std::string_view source, const CompileOptions &options = {});

// An array that main takes, by itself or in a tuple or future.
struct OpenArgument {
  std::string name, type; // the type as text
  program::ElementType elementType = program::ElementType::kInvalid;
  std::vector<int64_t> dims; // -1: the type leaves it open
  bool decidesSizes = false; // sizes of the program follow from its elements
};

struct OpenProgram {
  std::vector<OpenArgument> arguments;
  // Whether there is a size that the program alone does not say: of an argument, or one that an argument decides.
  bool isOpen = false;
};

// What a program leaves open. Errors as compile's.
StatusOr<OpenProgram> describeOpenProgram(std::string_view source, const CompileOptions &options = {});

// The program for argumentShapes and argumentValues, in which every shape is static, as MLIR bytecode. Errors as
// compile's; kUnimplemented for a result whose size only a run knows.
StatusOr<std::string> refinedProgram(std::string_view source, const CompileOptions &options);

// Identifies what targetCpu "host" means here, with all features of the processor: "znver4 5a1c03...".
std::string hostTarget();

// The stages in order, as --dump-after takes them.
std::vector<std::string> stageNames();
// Whether compiling with these options comes to the stage of that name.
bool runsStage(std::string_view name, const CompileOptions &options);

} // namespace tenon::compiler
