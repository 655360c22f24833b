#include "tenon/codegen/common/signature.h"
#include "tenon/compiler/compiler.h"
#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/support/hash.h"
#include "tenon/targets/backends.h"
#include "tenon/targets/reference_transfers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::targets {
namespace {

class ReferenceExecutable : public client::Executable {
public:
  ReferenceExecutable(std::unique_ptr<mlir::MLIRContext> context, mlir::OwningOpRef<mlir::ModuleOp> module,
                      program::Program program, std::string source)
      : context_(std::move(context)), module_(std::move(module)), program_(std::move(program)),
        source_(std::move(source)) {}

  const program::Program &program() const override { return program_; }

  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &run) const override {
    auto main = module_.get().lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<interpreter::Value> values;
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
      auto tensorType = llvm::dyn_cast<mlir::RankedTensorType>(type);
      if (!tensorType) {
        values.emplace_back(interpreter::Token{});
        continue;
      }
      auto bytes = static_cast<size_t>(program_.arguments[i].shape.byteSize());
      TENON_ASSIGN_OR_RETURN(
          auto tensor, interpreter::Tensor::fromBytes(tensorType, {static_cast<const uint8_t *>(arguments[i]), bytes}));
      values.emplace_back(std::move(tensor));
    }
    interpreter::Options options;
    options.seed = run.seed;
    options.transfer = transferAsCompiled(run);
    options.exchange = exchangeAt(run);
    options.devices = devicesOf(run);
    options.grid = {program_.numReplicas, program_.numPartitions};
    options.process = options.grid.process(run.replicaId, run.partitionId);
    Status stopped;
    options.stop = [&] {
      stopped = checkWait(run.wait);
      return !stopped.ok();
    };
    auto outcome = interpreter::interpret(*module_, "main", values, options);
    if (!outcome.ok())
      return stopped.ok() ? outcome.status() : stopped;
    for (auto [value, result] : llvm::zip_equal(*outcome, results))
      if (value.isTensor())
        llvm::copy(value.tensor().bytes(), static_cast<uint8_t *>(result)); // null where there is nothing
    return {};
  }

  StatusOr<std::string> serialize() const override { return source_; }
  StatusOr<std::string> optimizedModule() const override { return compiler::optimizedModule(source_); }

private:
  // Before the module, which lives in it.
  std::unique_ptr<mlir::MLIRContext> context_;
  // Interpreting it changes nothing.
  mutable mlir::OwningOpRef<mlir::ModuleOp> module_;
  program::Program program_;
  std::string source_;
};

class ReferenceBackend : public client::Backend {
public:
  StatusOr<std::shared_ptr<client::Executable>> compile(std::string_view source,
                                                        const client::CompileOptions &options) override {
    if (!options.overrides.empty())
      return invalidArgument("No such compile option: '" + options.overrides.front().first + "'");
    // With locks, but no threads of its own: runs at the same time make types.
    auto context = std::make_unique<mlir::MLIRContext>();
    loadAllDialects(*context);
    context->printOpOnDiagnostic(false);
    std::string errors;
    mlir::ScopedDiagnosticHandler handler(context.get(), [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        errors += (errors.empty() ? "" : "\n") + diagnostic.str();
      return mlir::success();
    });
    frontend::ImportOptions importOptions;
    importOptions.flattenMain = true;
    ir::ProcessGrid grid{options.numReplicas, client::isWhole(options) ? 1 : options.numPartitions};
    if (grid.size() > 1 && !client::isWhole(options))
      importOptions.grid = grid;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        frontend::importModule({source.data(), source.size()}, *context, importOptions);
    if (!module)
      return invalidArgument(errors);
    if (grid.size() == 1 && !client::isWhole(options))
      grid = ir::processGrid(*module);
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    auto hasKnownShape = [](mlir::Type type) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      return llvm::isa<stablehlo::TokenType>(type) || (tensor && tensor.hasStaticShape());
    };
    for (mlir::TypeRange types : {mlir::TypeRange(main.getArgumentTypes()), mlir::TypeRange(main.getResultTypes())})
      if (!llvm::all_of(types, hasKnownShape))
        return unimplemented("arguments and results of programs on target 'reference' are arrays of known shapes");
    program::Program program;
    program.name = module->getSymName().value_or("program").str();
    program.numReplicas = static_cast<int32_t>(grid.replicas);
    program.numPartitions = static_cast<int32_t>(grid.partitions);
    program.wholeArrays = client::isWhole(options);
    program.fingerprint = hexDigits(stableHash(source, stableHash(target())));
    codegen::describeSignature(main, program);
    for (program::Argument &argument : program.arguments)
      argument.aliasedResult = -1; // results are new arrays
    return std::shared_ptr<client::Executable>(std::make_shared<ReferenceExecutable>(
        std::move(context), std::move(module), std::move(program), std::string(source)));
  }

  std::string target() const override { return "reference"; }

  StatusOr<std::shared_ptr<client::Executable>> deserialize(std::string_view bytes) override {
    return compile(bytes, {});
  }
};

} // namespace

std::unique_ptr<client::Backend> makeReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

} // namespace tenon::targets
