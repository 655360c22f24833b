// The code around a program's kernels: the functions of runtime/core/abi.h, and the model's own. Private to the folder.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::aot {

// The arena that a caller gives: the context of the run, the table of constants (where the weights are external), the
// entry function's arena, and the scratch memory of each thread.
struct ArenaPlan {
  int64_t tableOffset = 0, arenaOffset = 0, scratchOffset = 0;
  int64_t scratchStride = 0; // of each thread
  int64_t bytes(int64_t threads) const { return scratchOffset + threads * scratchStride; }
};
ArenaPlan planArena(const program::Program &program, bool externalWeights);

// The constants, one after the other, behind a block that says by a digest of them which they are: code for any
// processor takes the weights that it was compiled with, whatever else was compiled with them.
struct Weights {
  std::vector<int64_t> offsets; // from the beginning of `bytes`
  std::string digest;           // 32 digits
  std::string bytes;            // a file, or what is embedded
};
inline constexpr int64_t kWeightsHeaderBytes = 64;
Weights layOutWeights(const program::Program &program);

// The reach of the small code model, less room for the rest of the binary: what an object may have inside.
inline constexpr size_t kEmbeddedLimit = size_t(1) << 30;

// INVALID_ARGUMENT if it cannot be a model's name.
Status checkName(const std::string &name);

// A digest of bytes, as 32 hexadecimal digits.
std::string digestOf(std::string_view bytes);

struct GlueOptions {
  std::string name; // of the model
  std::string weightsSymbol;
  std::string fingerprint;
  bool externalWeights = false;
};

// Whether the runtime call is an assertion about sizes, which needs no library.
bool isAssertion(const program::RuntimeCall &runtimeCall);
// Whether it is one of LAPACK's routines, which libtenon_lapack.a calls.
bool isLapack(const program::RuntimeCall &runtimeCall);
inline constexpr const char *kLapackFunction = "tenon_lapack_call";
// Whether it gives the seed of the run's random numbers: always 0 here.
bool isRunSeed(const program::RuntimeCall &runtimeCall);

// LLVM IR, as text, of all of it that a program with these undefined symbols needs.
StatusOr<std::string> glueText(const program::Program &program, const ArenaPlan &arena, const Weights &weights,
                               const std::vector<std::string> &undefined, const GlueOptions &options);

// Names of the public functions and data of a model.
std::vector<std::string> publicSymbols(const std::string &name);

// What each code that a run returns means; the header's macros.
enum RunCode : int32_t { kRunOk = 0, kRunFailed = 1, kRunBadArena = 2, kRunBadWeights = 3 };

} // namespace tenon::aot
