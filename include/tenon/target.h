// Targets from outside of Tenon: whatever else can run programs. A target is a class in a shared library, which is
// found under a name once the library is loaded:
//
//   class MyTarget : public tenon::target::Target { ... };
//   TENON_TARGET_PLUGIN("mine", MyTarget)
//
//   TENON_TARGETS=libmine.so tenon test-target mine       # the operations that every target is held to
//   TENON_TARGETS=libmine.so TENON_PLATFORM=mine ./app    # a program of the C++ interface
//
// Such a library needs this header and nothing to link to. A target gets each program after Tenon's own passes: one
// function of arrays of known sizes, without calls, and with fewer kinds of operations than StableHLO has; not fused.
// It is given as plain data, so that a target needs neither MLIR nor LLVM, and not the ones that Tenon was built with.
// docs/adding-a-target.md is the guide, examples/c_target a target in less than 500 lines.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tenon::target {

// An array, dense and row-major, or a token, which has no bytes and only orders operations.
struct Type {
  std::string element; // as StableHLO spells it: "f32", "i1", "ui8", "complex<f32>"; "token"
  int64_t elementBytes = 0;
  std::vector<int64_t> dims;

  // The product of the sizes.
  int64_t elementCount() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    return count;
  }
  // The bytes that an array takes; 0 for a token.
  int64_t byteSize() const { return elementCount() * elementBytes; }
};

// Every element has whole bytes: booleans and what is narrower than a byte have one each, integers extended, floats in
// the lowest bits.
struct Constant {
  Type type;
  bool isSplat = false;       // one element, which all are equal to
  std::vector<uint8_t> bytes; // those of all elements; of the one if it is a splat
};

// An attribute of an operation, under its name in StableHLO. Structures are spread over their fields:
// "lhs_batching_dimensions", not "dot_dimension_numbers". Enumerations are strings ("LT"), lists of booleans and
// matrices (padding: low and high of each dimension) lists of integers, row by row.
using Attribute =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<std::string>, Constant>;

// A value is a number: its type is in Program::values. Each is the result of one operation, or an argument of one
// region.
using Value = int32_t;

struct Operation;

// What an operation does with others: the body of a loop, the sum of a reduction. Its operations may use values of the
// regions around it.
struct Region {
  std::vector<Value> arguments;
  std::vector<Operation> operations; // in an order in which they can run
  std::vector<Value> results;
};

// One step of a program: values in, values out.
struct Operation {
  std::string name; // as in StableHLO: "add"; with a prefix where it is of another dialect
  std::vector<Value> operands, results;
  std::map<std::string, Attribute> attributes;
  std::vector<Region> regions;
  std::string location; // where in the user's source: "model.py:3:5"

  // The attribute, or where the operation has none of that name and kind, a default.
  template <typename T> T get(const std::string &attribute, const T &otherwise = {}) const {
    auto found = attributes.find(attribute);
    const T *value = found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
    return value ? *value : otherwise;
  }
};

// What is compiled: one function.
struct Program {
  std::string name;
  std::vector<Type> values;
  Region main; // its arguments and results are the program's
};

// What compile returns for an operation that the target does not have. The message names it and its place.
inline Status unsupported(const Operation &operation, const std::string &why = "") {
  return unimplemented((operation.location.empty() ? "" : operation.location + ": ") + "error: '" + operation.name +
                       "' cannot be compiled for this target" + (why.empty() ? "" : ": " + why));
}

// One run of a program.
class Run {
public:
  virtual ~Run() = default;
  // OK while the run may go on. Otherwise the error to return: the caller has cancelled it, or its deadline has passed.
  // Long loops ask from time to time.
  virtual Status check() const = 0;
  // The seed of the random numbers: what custom_call "tenon.run_seed" gives.
  virtual uint64_t seed() const = 0;
};

// A compiled program. `run` may be called from any thread, many at a time.
class Executable {
public:
  virtual ~Executable() = default;
  // One pointer for each argument and result, none of which overlap, null for tokens. They are to the target's memory,
  // or, where it has none of its own, to the host's, aligned to the elements. Returns when the results are there.
  virtual Status run(const void *const *arguments, void *const *results, const Run &run) = 0;
};

// A device's own memory, which the host cannot look at. All members may be called from any thread.
class Memory {
public:
  virtual ~Memory() = default;
  virtual void *allocate(int64_t bytes) = 0; // null where there is not as much
  // Frees memory that allocate returned; not null.
  virtual void release(void *device) = 0;
  // Copies bytes from the host's memory to the start of the device's; returns when they are there.
  virtual Status copyIn(void *device, const void *host, int64_t bytes) = 0;
  // Copies bytes from the start of the device's memory to the host's; returns when they are there.
  virtual Status copyOut(void *host, const void *device, int64_t bytes) = 0;
};

// Members may be called from any thread, many at a time, and throw nothing.
class Target {
public:
  virtual ~Target() = default;
  // The program is there only during the call. Errors: `unsupported`, or whatever went wrong.
  virtual StatusOr<std::unique_ptr<Executable>> compile(const Program &program) = 0;
  // Whether fft, cholesky and triangular_solve are to stay operations. Otherwise they come as products and loops.
  virtual bool hasLinearAlgebra() const { return false; }
  // Null: programs run in the host's memory.
  virtual Memory *memory() { return nullptr; }
};

// What a library says of itself. Other versions of it begin with the same members, so that they can be told apart.
struct Plugin {
  uint32_t abiVersion; // kAbiVersion of its header: goes up with every change of this file
  uint32_t layout;     // kLayout: differs where two C++ libraries do not agree about the types above
  const char *name;    // what the target is called: letters, digits, '-' and '_'
  StatusOr<std::unique_ptr<Target>> (*create)(); // called once, when the target is first used
};

inline constexpr uint32_t kAbiVersion = 1;
inline constexpr uint32_t kLayout =
    static_cast<uint32_t>(sizeof(Program) * 65536 + sizeof(Operation) * 256 + sizeof(Status) + alignof(Attribute));

} // namespace tenon::target

// The function that a library is looked for, for a class that is made without arguments.
#define TENON_TARGET_PLUGIN(name, Class)                                                                               \
  extern "C" TENON_API const tenon::target::Plugin *Tenon_TargetPlugin() {                                             \
    static const tenon::target::Plugin plugin = {tenon::target::kAbiVersion, tenon::target::kLayout, name,             \
                                                 []() -> tenon::StatusOr<std::unique_ptr<tenon::target::Target>> {     \
                                                   return std::unique_ptr<tenon::target::Target>(                      \
                                                       std::make_unique<Class>());                                     \
                                                 }};                                                                   \
    return &plugin;                                                                                                    \
  }
