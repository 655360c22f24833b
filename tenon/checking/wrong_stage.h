// Finds the stage of a compilation, and in it the rewrite, that makes a program compute something else.
//
// What a stage leaves is a program in itself: the interpreter runs it on the same arguments. A stage that applies
// rewrite patterns is then run again and again, each time with leave for a certain number of tries of a pattern only;
// the least number that makes a result wrong ends with the rewrite that does.
#pragma once

#include "tenon/checking/expectation.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tenon::checking {

// Called after each stage, in order; the first is "import", the program as it was read.
using ShowStage = llvm::function_ref<void(llvm::StringRef stage, mlir::ModuleOp module)>;
// Runs the stages of a compilation on a module, up to and with the one named `last` (all of them: empty). Errors are
// diagnostics.
using RunStages = std::function<llvm::LogicalResult(mlir::ModuleOp module, llvm::StringRef last, ShowStage show)>;

struct WrongRewrite {
  std::string pattern; // its C++ name
  std::string op;      // the name of the op that it was applied to
  mlir::Location place;
};

struct WrongStage {
  std::string name;
  std::string difference;              // of its program's results, as Expectation::check says it
  std::optional<WrongRewrite> rewrite; // none where it is no single one's doing
};

struct StageSearch {
  std::optional<WrongStage> wrong;
  std::vector<std::string> compared; // the stages that were looked at, in order
  // The stage whose program the interpreter could not run any more, and why; nobody has looked further.
  std::string stoppedAt, whyStopped;
};

// `program` is one of a single process, of which `expectation` says what it gives of `arguments`. It stays as it is;
// copies are compiled. kInternal where stages fail.
StatusOr<StageSearch> findWrongStage(mlir::ModuleOp program, llvm::ArrayRef<interpreter::Value> arguments,
                                     Expectation &expectation, const RunStages &runStages, const Limits &limits);

} // namespace tenon::checking
