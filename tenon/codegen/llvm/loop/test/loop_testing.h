// Runs single kernels for tests and benchmarks: parses a function whose first non-constant op (or fusion) is the
// kernel.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::codegen::testing {

using Bytes = std::vector<uint8_t>;

mlir::MLIRContext &testContext();
// The first op of main that is no constant.
mlir::Operation *kernelOf(mlir::ModuleOp module);

// The text of a program of one fusion: `types` of the inputs (named %a, %b, ...), the body and what it yields.
std::string fusionProgram(const std::string &kind, const std::vector<std::string> &types, const std::string &body,
                          const std::string &yielded, const std::string &results);

class LoopKernel {
public:
  // Emits and compiles; `error` says why not.
  LoopKernel(const std::string &text, const CpuTarget &target);
  ~LoopKernel();

  bool ok() const { return error.empty(); }
  // The buffers of the op's operands with values that suit their types: small integers, normal floats.
  std::vector<Bytes> randomInputs(unsigned seed) const;
  // Runs all phases, each task range [0, extent) cut in pieces of `piece` tasks (0: one piece), the last phase's of
  // `lastPiece`, if that is given.
  std::vector<Bytes> run(const std::vector<Bytes> &inputs, int64_t piece = 0,
                         std::optional<int64_t> lastPiece = std::nullopt) const;
  // Best time of a whole run in ms, over about `seconds`.
  double benchmark(const std::vector<Bytes> &inputs, double seconds) const;

  std::string error;
  std::string ir, assembly; // filled when the environment has TENON_TEST_DUMP
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *op = nullptr;
  Kernel kernel;
  double emitMilliseconds = 0, compileMilliseconds = 0;

private:
  struct Code;
  std::unique_ptr<Code> code_;
};

} // namespace tenon::codegen::testing
