#include "tenon/codegen/llvm/task_routine.h"

#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace tenon::codegen {
namespace {

// Instructions beside which a call, and the sizes that a routine reads when it starts, do not count.
constexpr double kCall = 2e4;

Function *emitRoutine(Module &module, StringRef symbol, SizeTable &table, function_ref<void(const TaskCode &)> body) {
  Emitter e(module, (symbol + ".tasks").str(), taskRoutineParameters(module.getContext()), true);
  Sizes sizes(e, table, e.arg(4));
  e.loop(e.arg(1), e.arg(2), 1, [&](Value *task) { body({e, sizes, e.arg(0), task, e.arg(3)}); });
  e.ret();
  sizes.finish();
  return e.function;
}

} // namespace

SmallVector<Type *, 5> taskRoutineParameters(LLVMContext &context) {
  SmallVector<Type *, 5> parameters(kernelParameters(context));
  parameters.push_back(PointerType::get(context, 0));
  return parameters;
}

void emitOwnTasks(Module &module, StringRef symbol, function_ref<void(const TaskCode &)> body) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  Sizes sizes(e);
  e.loop(e.arg(1), e.arg(2), 1, [&](Value *task) { body({e, sizes, e.arg(0), task, e.arg(3)}); });
  e.ret();
}

void emitCallsOfTasks(Module &module, StringRef symbol, Function &tasks, const SizeTable &table,
                      const TaskRoutine &routine) {
  int64_t atOnce = std::max<int64_t>(1, int64_t(kCall / std::max(routine.cost, 1.0)));
  auto *mark = routine.onlyIfShipped ? markRoutineIfShipped : markRoutine;
  mark(tasks, routine.name, routine.cost * double(atOnce));
  Value *sizes = table.write(module, (symbol + ".sizes").str());
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  e.loop(e.arg(1), e.arg(2), atOnce, [&](Value *task) {
    e.b.CreateCall(&tasks, {e.arg(0), task, e.min(e.add(task, atOnce), e.arg(2)), e.arg(3), sizes});
  });
  e.ret();
  compileQuickly(*e.function);
}

void emitTaskRoutine(Module &module, StringRef symbol, const TaskRoutine &routine,
                     function_ref<void(const TaskCode &)> body) {
  if (routine.cost > kLongestTask)
    return emitOwnTasks(module, symbol, body);
  SizeTable table;
  Function *tasks = emitRoutine(module, symbol, table, body);
  emitCallsOfTasks(module, symbol, *tasks, table, routine);
}

} // namespace tenon::codegen
