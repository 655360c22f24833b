#include "tenon/checking/interpret_all.h"

#include "tenon/backend/reference_transfers.h"
#include "tenon/runtime/collectives/grid_run.h"

#include <ctime>

namespace tenon::checking {

bool isUnpartitioned(mlir::ModuleOp module) { return module->hasAttr(kUnpartitionedAttribute); }

ir::ProcessGrid processesOf(mlir::ModuleOp module) {
  return isUnpartitioned(module) ? ir::ProcessGrid() : ir::processGrid(module);
}

interpreter::Options limited(const Limits &limits) {
  interpreter::Options options;
  options.maxSteps = limits.maxSteps;
  options.maxTensorBytes = limits.maxTensorBytes;
  // Asking for the time takes longer than a small op.
  auto duration = static_cast<std::clock_t>(limits.maxSeconds * CLOCKS_PER_SEC);
  options.stop = [asked = 0, end = std::clock() + duration]() mutable {
    return ++asked % 64 == 0 && std::clock() > end;
  };
  return options;
}

namespace {

// The devices of bodies begin as processes do, each with what it observes for itself.
interpreter::DevicesHandler devicesWith(const runtime::RunOptions &run, const OptionsOf &optionsOf) {
  return [handler = backend::devicesOf(run), &optionsOf](const interpreter::Options &base, int64_t count,
                                                         llvm::function_ref<Status(const interpreter::Options &)> go) {
    return handler(base, count, [&](const interpreter::Options &own) {
      interpreter::Options options = optionsOf(own.process);
      options.grid = own.grid;
      options.process = own.process;
      options.transfer = own.transfer;
      options.exchange = own.exchange;
      options.stop = [limit = options.stop, others = own.stop] { return others() || (limit && limit()); };
      return go(options);
    });
  };
}

} // namespace

StatusOr<std::vector<interpreter::Value>> interpretAll(mlir::ModuleOp module,
                                                       llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
                                                       const OptionsOf &optionsOf) {
  ir::ProcessGrid grid = processesOf(module);
  if (grid.size() == 1) {
    runtime::RunOptions run;
    interpreter::Options options = optionsOf(0);
    options.devices = devicesWith(run, optionsOf);
    return interpreter::interpret(module, "main", arguments[0], options);
  }
  std::vector<std::vector<interpreter::Value>> all(grid.size());
  Status status = runtime::runGrid(
      static_cast<int32_t>(grid.replicas), static_cast<int32_t>(grid.partitions), {},
      [&](const runtime::RunOptions &run) -> Status {
        interpreter::Options options = optionsOf(run.process());
        options.grid = grid;
        options.process = run.process();
        options.transfer = backend::transferAsCompiled(run);
        options.exchange = backend::exchangeAt(run);
        options.stop = [limit = options.stop, &run] {
          return !backend::checkWait(run.wait).ok() || (limit && limit());
        };
        TENON_ASSIGN_OR_RETURN(auto results, interpreter::interpret(module, "main", arguments[run.process()], options));
        all[run.process()] = std::move(results);
        return {};
      });
  if (!status.ok())
    return status;
  std::vector<interpreter::Value> results;
  for (const auto &own : all)
    results.insert(results.end(), own.begin(), own.end());
  return results;
}

} // namespace tenon::checking
