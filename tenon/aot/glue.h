// The code around a program's kernels: the model's public functions, and its tenon_runtime_call. Private to the folder.
#pragma once

#include "tenon/aot/weights.h"
#include "tenon/program/program.h"
#include "tenon/status.h"

#include <string>
#include <vector>

namespace tenon::aot {

// The arena that a caller gives: the context of the run, the table of constants (where the weights are external), that
// of arguments (where some are in the file of weights), the entry function's arena, and the scratch memory of each
// thread.
struct ArenaPlan {
  int64_t tableOffset = 0, boundOffset = 0, arenaOffset = 0, scratchOffset = 0;
  int64_t scratchStride = 0; // of each thread
  int64_t bytes(int64_t threads) const { return scratchOffset + threads * scratchStride; }
};
ArenaPlan planArena(const program::Program &program, bool externalWeights, bool bindsArguments);

struct GlueOptions {
  std::string name; // of the model
  std::string weightsSymbol;
  std::string fingerprint;
  const WeightsFacts *weightsFile = nullptr; // that runs are given; null where there is none
  bool externalWeights = false;              // it has the constants
  std::vector<int64_t> bound;                // where it has each argument, or -1; empty where it has none
  bool usesTiles = false;                    // AMX's registers, which the system has to be asked for
  bool is32Bit = false;                      // the width of addresses
};

// LLVM IR, as text, of all that the program needs around it but for abiFunctionsText. `offsets`: of its constants in
// the weights.
StatusOr<std::string> glueText(const program::Program &program, const ArenaPlan &arena,
                               const std::vector<int64_t> &offsets, const GlueOptions &options);

// Names of the public functions and data of a model.
std::vector<std::string> publicSymbols(const std::string &name);

// What each code that a run returns means; the header's macros.
enum RunCode : int32_t { kRunOk = 0, kRunFailed = 1, kRunBadArena = 2, kRunBadWeights = 3 };

} // namespace tenon::aot
