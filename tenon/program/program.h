// What a compiled program is: object code, signature, memory needs, constants and the runtime calls it makes. Plain
// data, made by the compiler, loaded by the runtime, stored by caches and ahead-of-time output. No MLIR, no LLVM.
#pragma once

#include "tenon/support/element_type.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::program {

// The alignment, in bytes, of every array that kernels read.
constexpr size_t kArrayAlignment = 64;

template <typename T> struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U> AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t(kArrayAlignment)));
  }
  void deallocate(T *memory, size_t) { ::operator delete(memory, std::align_val_t(kArrayAlignment)); }
  template <typename U> bool operator==(const AlignedAllocator<U> &) const { return true; }
};
using AlignedBytes = std::vector<uint8_t, AlignedAllocator<uint8_t>>;

using tenon::byteSize;
using tenon::ElementType;
using tenon::elementTypeName;

// A dense array, row-major.
struct Shape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;

  int64_t elementCount() const;
  int64_t byteSize() const { return elementCount() * program::byteSize(type); }
  // "f32[2,3]".
  std::string toString() const;
  bool operator==(const Shape &) const = default;
};

// An array that lies in memory in another order than row-major, or with gaps.
struct Layout {
  std::vector<int64_t> dims;         // the array's
  std::vector<int64_t> minorToMajor; // its dimensions, the one that changes most rapidly first
  bool operator==(const Layout &) const = default;
};

// Which device holds which tile of an array: xla.OpSharding, for one array.
struct Sharding {
  enum class Kind : uint8_t { kReplicated, kMaximal, kTiled, kManual, kUnknown, kUnreduced };
  Kind kind = Kind::kReplicated;
  std::vector<int64_t> tiles; // kTiled: along each dimension, then of each kind of subgroups
  // In row-major order of the tiles (of kMaximal the one device); or, if empty, 0, 1, ... as an array of the sizes
  // `iotaDims`, transposed.
  std::vector<int64_t> devices;
  std::vector<int64_t> iotaDims, iotaPermutation;
  std::vector<Kind> subgroups; // what devices that differ in the last dimensions of the tiles alone have of the array
  bool operator==(const Sharding &) const = default;
};

struct Argument {
  Shape shape;
  std::string name;
  // Index of the result that takes over this argument's memory, or -1. The caller may still refuse (it then passes
  // distinct buffers): the program copies when the two pointers differ.
  int32_t aliasedResult = -1;
  // The caller gives the memory away without naming a result (jax.buffer_donor).
  bool donated = false;
  std::string memoryKind;
  Sharding sharding;
  // Order of dimensions in the caller's memory, minor to major; empty: row-major. The program itself sees row-major
  // arrays.
  std::vector<int64_t> layout;
  // The type in the source, where its shape is dynamic and the program was compiled for this one; otherwise empty.
  std::string declaredType;
  // The elements that the program was compiled for: a run with others fails. Empty: any will do.
  std::vector<int64_t> value;
  // Set if the program itself reads the array from the caller's layout (CompileOptions::layouts). Then `shape`
  // describes that memory, with the sizes in the order of their strides, and this is the array that the memory holds.
  // Empty for row-major arrays.
  Layout stored;
};

// The elements of an argument, an integer or a list of integers, that are known when the program is compiled.
struct ArgumentValue {
  int32_t argument = 0;
  std::vector<int64_t> elements;
  // Compile for these elements whatever the argument is for; otherwise only where it decides a size.
  bool always = false;
};

struct Result {
  Shape shape;
  std::string name;
  std::string memoryKind;
  Sharding sharding;
  std::vector<int64_t> layout; // as for arguments
  // If the sizes depend on data: for each dimension the number of the result that holds its size (a scalar i32), or -1
  // for a dimension of the size in `shape`. The first elements along each dimension, as many as the sizes say, are the
  // result; the others are unspecified. Empty if no size depends on data.
  std::vector<int32_t> sizeResults;
  Layout stored; // as for arguments
};

// One constant array. The entry function is given its address: a loaded program reads it where it is.
struct Constant {
  AlignedBytes bytes;
};

struct Attribute;
struct NamedAttribute;
using AttributeDict = std::vector<NamedAttribute>; // names in ascending order

// Integers are stored sign-extended if signless or signed, zero-extended if unsigned or i1. MLIR's `index` is kI64.
struct IntegerAttribute {
  ElementType type = ElementType::kI64;
  int64_t value = 0;
};
struct FloatAttribute {
  ElementType type = ElementType::kF64;
  double value = 0;
};
// array<i64: 1, 2>, or the elements of dense<...> in row-major order.
struct IntegerArrayAttribute {
  ElementType type = ElementType::kI64;
  std::vector<int64_t> values;
};
struct FloatArrayAttribute {
  ElementType type = ElementType::kF64;
  std::vector<double> values;
};
// Anything else, as MLIR prints it: types, symbols, other dialects' attributes. For messages; nobody reads it again.
struct OpaqueAttribute {
  std::string text;
};

struct Attribute {
  std::variant<std::monostate /* unit */, bool, IntegerAttribute, FloatAttribute, std::string, IntegerArrayAttribute,
               FloatArrayAttribute, std::vector<Attribute>, AttributeDict, OpaqueAttribute>
      value;
};
struct NamedAttribute {
  std::string name;
  Attribute value;
};

struct Program;

// Work that generated code does not do itself: library routines and custom calls.
struct RuntimeCall {
  enum class Kind : uint8_t {
    kCustomCall, // user or LAPACK target registered by name
    kLibrary,    // a routine of tenon/runtime/cpu, by name
  };
  Kind kind = Kind::kLibrary;
  std::string target; // custom call target or routine name
  // The attributes of the op or of its backend_config for a routine; the backend_config of a custom call, if that is a
  // dictionary.
  AttributeDict attributes;
  std::string opaque; // kCustomCall: its backend_config if that is a string
  int32_t apiVersion = 0;
  std::vector<Shape> operands;
  std::vector<Shape> results;
  std::vector<std::pair<int32_t, int32_t>> aliases; // (result, operand) pairs that share memory
  bool hasSideEffect = false;
  bool isTupleResult = false; // kCustomCall: the results are the parts of one
  std::string location;       // where in the user's source, for errors and reports
  // The program that a routine runs (runtime/jit/manual_computation.h), and the memory that its runs need.
  std::vector<Program> programs;
  int64_t temporaryBytes = 0;
  int32_t threads = 1; // that they need at the same time
  // kCustomCall: the order of dimensions, minor to major, that the target expects of each operand and result (LAPACK's
  // take column-major matrices); empty or an empty entry means row-major. Buffers are row-major on the program's side:
  // the runtime transposes. Of an infeed: the order in which the host feeds each array.
  std::vector<std::vector<int64_t>> operandLayouts, resultLayouts;
};

struct ObjectCode {
  std::string name;
  std::string bytes; // relocatable ELF, or LLVM bitcode of what is linked ahead of time
};

// Code of a CPU.
struct CpuCode {
  std::string triple, cpu, features;
  std::vector<ObjectCode> objects;
  std::string entrySymbol;  // a TenonEntry, see runtime/core/abi.h
  int64_t scratchBytes = 0; // for each worker thread
};

// One line of the compile report.
struct ReportEntry {
  std::string kernel; // symbol, or the runtime call's target
  std::string kind;   // "loop", "reduce", "dot", "convolution", ..., "library", "custom_call"
  std::string ops;    // the ops inside, in order, comma-separated
  std::string location;
  int64_t calls = 1; // call sites that share the code
  double flops = 0;  // of a call, as what follows
  double bytes = 0;
  double transcendentals = 0;
  // The type that most of the flops are done in; kInvalid if there are none. Of products that of the operands, which
  // processors may have instructions for; of small floats elsewhere f32.
  ElementType arithmetic = ElementType::kInvalid;
  int32_t phases = 1; // of a call: the entry function runs them one after the other
};

// One thing that the entry function does that uses memory. In the order of the program: a loop or a branch, what is in
// it, its end.
struct StepEntry {
  enum class Kind : uint8_t { kKernel, kRuntimeCall, kLoop, kBranch, kEnd, kReturn };
  Kind kind = Kind::kKernel;
  int32_t index = -1;   // kKernel: in kernelCalls; kRuntimeCall: in runtimeCalls; kEnd: the step that it ends
  int32_t depth = 0;    // loops and branches around it
  std::string op;       // "stablehlo.while"; of a fusion what it results in
  std::string location; // "train.py:41:10"
};

// An interval of half steps, both ends included. Step s reads at 2 s and has written by 2 s + 1.
using Lifetime = std::pair<int32_t, int32_t>;

// An array that is kept in a buffer.
struct ValueEntry {
  std::string op; // that makes it: "stablehlo.add"
  Shape shape;
  std::string location; // of that op
  std::string note;     // how it came to be there, if not written to a buffer of its own: "overwrites its operand"
};

// A piece of memory and all that it holds, one after the other.
struct BufferEntry {
  enum class Kind : uint8_t { kTemporary, kWorkspace, kArgument, kResult, kConstant };
  Kind kind = Kind::kTemporary;
  int32_t index = -1;  // of the argument, result or constant
  std::string purpose; // of a workspace
  int64_t offset = -1; // in the arena; -1: not there
  int64_t size = 0;
  std::vector<Lifetime> live; // in order, apart; none where no step uses it
  std::vector<ValueEntry> values;
};

struct Report {
  std::vector<ReportEntry> kernels;
  std::vector<StepEntry> steps;
  std::vector<BufferEntry> buffers;
  std::vector<std::pair<std::string, double>> stageSeconds;
  double flops = 0, bytes = 0, transcendentals = 0;
};

// One place in the entry function that calls a kernel, for profilers: equal kernels share their code, not their place
// in the user's source.
struct KernelCall {
  int32_t kernel = 0;                 // in report.kernels
  std::string name;                   // what the framework calls it: "jit(step)/layer1/dot_general"
  std::vector<std::string> locations; // "train.py:41:10"; of a fusion that of its result first
};

struct Program {
  std::string name;
  std::variant<std::monostate, CpuCode> code; // none of a program that is only described
  std::vector<Argument> arguments;
  std::vector<Result> results;
  // What is wrong with a sharding or layout that nobody can read, if there is one: a message for who needs it. The
  // argument or result then has none.
  std::string unreadable;
  std::vector<Constant> constants;
  std::vector<RuntimeCall> runtimeCalls;
  std::vector<KernelCall> kernelCalls; // by the number that the entry function gives tenon_call_kernel
  int64_t arenaBytes = 0;              // 64-byte aligned block the entry function works in
  int64_t estimatedNanoseconds = 0;    // rough cost of one run; below a few microseconds callers run it in place
  int32_t numReplicas = 1, numPartitions = 1;
  bool unpartitioned = false; // a run is for all partitions of a replica, of which there may be more
  std::string fingerprint;    // of the source program and options
  Report report;
};

// The program's code for a CPU: what all is empty of, if there is none. For a program that may change, it is made.
const CpuCode &cpuCode(const Program &program);
CpuCode &cpuCode(Program &program);

// The size of the object code, that of programs that runtime calls run included.
int64_t codeBytes(const Program &program);

// The size of code and constants, which a loaded program keeps in memory.
int64_t contentBytes(const Program &program);

// The memory of one run beside arguments and results: the arena, and the maximum that one runtime call needs.
int64_t temporaryBytes(const Program &program);

// "argument 2 (params['w'])": how messages call an argument.
std::string describeArgument(const Program &program, size_t index);

// The elements that an argument must have: "3", or "[8, 4]" of a list.
std::string describeValue(const Argument &argument);

} // namespace tenon::program
