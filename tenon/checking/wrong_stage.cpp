#include "tenon/checking/wrong_stage.h"

#include "tenon/checking/interpret_all.h"
#include "tenon/frontend/export/export.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::checking {

using namespace mlir;

namespace {

// Lets patterns be tried so many times while it is open, and remembers the last try.
class TryLimit {
public:
  TryLimit(MLIRContext &context, int64_t limit)
      : context_(context), limit_(limit), last_{"", "", UnknownLoc::get(&context)} {
    context.registerActionHandler([this](llvm::function_ref<void()> apply, const tracing::Action &action) {
      if (!isOpen || !isa<ApplyPatternAction>(action))
        return apply();
      if (tries_++ >= limit_)
        return;
      if (tries_ == limit_)
        remember(action);
      apply();
    });
  }
  ~TryLimit() { context_.registerActionHandler({}); }
  TryLimit(const TryLimit &) = delete;
  TryLimit &operator=(const TryLimit &) = delete;

  int64_t tries() const { return tries_; }
  const WrongRewrite &last() const { return last_; }

  bool isOpen = false;

private:
  void remember(const tracing::Action &action) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    action.print(stream);
    last_.pattern = StringRef(text).split("pattern: ").second.str();
    for (IRUnit unit : action.getContextIRUnits())
      if (auto *op = llvm::dyn_cast_if_present<Operation *>(unit)) {
        last_.op = op->getName().getStringRef().str();
        last_.place = op->getLoc();
      }
  }

  MLIRContext &context_;
  int64_t limit_, tries_ = 0;
  WrongRewrite last_;
};

class StageFinder {
public:
  StageFinder(ModuleOp program, ArrayRef<interpreter::Value> arguments, Expectation &expectation,
              const RunStages &runStages, const Limits &limits)
      : program_(program), arguments_(1, arguments.vec()), expectation_(expectation), runStages_(runStages),
        limits_(limits) {}

  StatusOr<StageSearch> run() {
    StageSearch search;
    OwningOpRef<ModuleOp> copy(program_.clone());
    std::string before;
    auto look = [&](StringRef stage, ModuleOp module) {
      if (search.wrong || !search.stoppedAt.empty())
        return;
      std::string text = frontend::exportText(module);
      if (text != before)
        lookAt(stage, module, search);
      before = std::move(text);
      search.compared.emplace_back(stage);
    };
    if (failed(runStages_(*copy, /*last=*/"", look)) && !search.wrong)
      return internalError("the program does not pass all stages");
    if (search.wrong && search.compared.size() > 1)
      search.wrong->rewrite = findRewrite(search.compared.end()[-2], search.wrong->name);
    return search;
  }

private:
  void lookAt(StringRef stage, ModuleOp module, StageSearch &search) {
    StatusOr<std::optional<std::string>> difference = differenceOf(module);
    if (!difference.ok()) {
      search.stoppedAt = stage;
      search.whyStopped = difference.status().message();
    } else if (*difference) {
      search.wrong = WrongStage{stage.str(), **difference, std::nullopt};
    }
  }

  // In what the module's results differ from the program's, if they do.
  StatusOr<std::optional<std::string>> differenceOf(ModuleOp module) {
    TENON_ASSIGN_OR_RETURN(auto results, interpretAll(module, arguments_, [&](int64_t) { return limited(limits_); }));
    if (results.size() != expectation_.results().size())
      return unimplemented("its program gives another number of results");
    for (auto [i, value] : llvm::enumerate(results)) {
      if (!value.isTensor())
        continue;
      if (value.tensor().type() != expectation_.results()[i].type())
        return unimplemented("result " + std::to_string(i) + " of its program has another type");
      if (auto difference = expectation_.check(i, value.tensor().bytes()))
        return difference;
    }
    return std::optional<std::string>();
  }

  // Runs the stages with leave for so many tries in the stage. Whether its results are wrong then.
  bool isWrongAfter(StringRef previous, StringRef stage, TryLimit &limit) {
    OwningOpRef<ModuleOp> copy(program_.clone());
    bool isWrong = false;
    (void)runStages_(*copy, stage, [&](StringRef reached, ModuleOp module) {
      limit.isOpen = reached == previous;
      if (reached != stage)
        return;
      auto difference = differenceOf(module);
      isWrong = difference.ok() && *difference;
    });
    return isWrong;
  }

  std::optional<WrongRewrite> findRewrite(StringRef previous, StringRef stage) {
    MLIRContext &context = *program_.getContext();
    int64_t right = 0, wrong = 0;
    {
      TryLimit all(context, INT64_MAX);
      isWrongAfter(previous, stage, all);
      wrong = all.tries();
    }
    if (TryLimit none(context, 0); wrong == 0 || isWrongAfter(previous, stage, none))
      return std::nullopt;
    std::optional<WrongRewrite> found;
    while (right + 1 < wrong || !found) {
      int64_t middle = right + 1 < wrong ? right + (wrong - right) / 2 : wrong;
      TryLimit limit(context, middle);
      bool isWrong = isWrongAfter(previous, stage, limit);
      if (!isWrong && middle == wrong)
        return std::nullopt;
      (isWrong ? wrong : right) = middle;
      if (isWrong)
        found = limit.last();
    }
    return found;
  }

  ModuleOp program_;
  std::vector<std::vector<interpreter::Value>> arguments_;
  Expectation &expectation_;
  const RunStages &runStages_;
  Limits limits_;
};

} // namespace

StatusOr<StageSearch> findWrongStage(ModuleOp program, ArrayRef<interpreter::Value> arguments, Expectation &expectation,
                                     const RunStages &runStages, const Limits &limits) {
  return StageFinder(program, arguments, expectation, runStages, limits).run();
}

} // namespace tenon::checking
