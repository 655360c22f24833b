#include "tenon/backend/factories.h"
#include "tenon/backend/reference_transfers.h"
#include "tenon/codegen/common/interface/signature.h"
#include "tenon/compiler/compiler.h"
#include "tenon/compiler/imported_program.h"
#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/support/hash.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

namespace tenon::backend {
namespace {

bool isOpen(const program::Shape &shape) { return llvm::is_contained(shape.dims, -1); }

class ReferenceExecutable : public Executable {
public:
  ReferenceExecutable(std::shared_ptr<compiler::ImportedProgram> imported, program::Program program, std::string source)
      : imported_(std::move(imported)), program_(std::move(program)), source_(std::move(source)) {}

  const program::Program &program() const override { return program_; }

  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &run) const override {
    if (llvm::any_of(program_.results, [](const program::Result &result) { return isOpen(result.shape); }))
      return unimplemented("results of programs on target 'reference' are arrays of known shapes");
    return executeInto(arguments, [&](size_t result, const program::Shape &) { return results[result]; }, run);
  }

  Status executeInto(std::span<const void *const> arguments, const ResultMemory &memory,
                     const runtime::RunOptions &run) const override {
    TENON_ASSIGN_OR_RETURN(std::vector<interpreter::Value> values, valuesOf(arguments));
    interpreter::Options options;
    options.seed = run.seed;
    options.transfer = transferAsCompiled(run);
    options.devices = devicesOf(run);
    if (run.rendezvous)
      options.exchange = exchangeAt(run);
    options.grid = {program_.numReplicas, program_.numPartitions};
    options.process = options.grid.process(run.replicaId, run.partitionId);
    Status stopped;
    options.stop = [&] {
      stopped = checkWait(run.wait);
      return !stopped.ok();
    };
    auto outcome = interpreter::interpret(*imported_->module, "main", values, options);
    if (!outcome.ok())
      return stopped.ok() ? outcome.status() : stopped;
    for (auto [i, value] : llvm::enumerate(*outcome)) {
      if (!value.isTensor())
        continue;
      const interpreter::Tensor &tensor = value.tensor();
      program::Shape shape{program_.results[i].shape.type, tensor.shape().vec()};
      auto *to = static_cast<uint8_t *>(memory(i, shape));
      if (!to && !tensor.bytes().empty())
        return {StatusCode::kResourceExhausted, "no memory for " + shape.toString()};
      llvm::copy(tensor.bytes(), to);
    }
    return {};
  }

  StatusOr<std::string> serialize() const override { return source_; }
  StatusOr<std::string> optimizedModule() const override { return compiler::optimizedModule(source_); }

private:
  StatusOr<std::vector<interpreter::Value>> valuesOf(std::span<const void *const> arguments) const {
    auto main = imported_->module->lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<interpreter::Value> values;
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
      auto declared = llvm::dyn_cast<mlir::RankedTensorType>(type);
      if (!declared) {
        values.emplace_back(interpreter::Token{});
        continue;
      }
      const program::Shape &shape = program_.arguments[i].shape;
      auto bytes = static_cast<size_t>(shape.byteSize());
      TENON_ASSIGN_OR_RETURN(auto tensor, interpreter::Tensor::fromBytes(
                                              mlir::RankedTensorType::get(shape.dims, declared.getElementType()),
                                              {static_cast<const uint8_t *>(arguments[i]), bytes}));
      values.emplace_back(std::move(tensor));
    }
    return values;
  }

  std::shared_ptr<compiler::ImportedProgram> imported_; // interpreting it changes nothing
  program::Program program_;
  std::string source_;
};

// The program, which `grid` says what it is one of, if anything.
StatusOr<std::shared_ptr<compiler::ImportedProgram>>
importProgram(std::string_view source, const CompileOptions &options, std::optional<ir::ProcessGrid> grid) {
  auto program = std::make_shared<compiler::ImportedProgram>();
  program->context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(*program->context);
  program->context->printOpOnDiagnostic(false);
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(program->context.get(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "\n") + diagnostic.str();
    return mlir::success();
  });
  frontend::ImportOptions importOptions;
  importOptions.fileName = options.fileName;
  importOptions.flattenMain = true;
  importOptions.grid = grid;
  program->module = frontend::importModule({source.data(), source.size()}, *program->context, importOptions);
  if (!program->module)
    return invalidArgument(errors);
  return program;
}

// Sizes that the types leave open are those of the arguments that are announced, and of results -1.
Status describeShapes(program::Program &program, const std::vector<std::vector<int64_t>> &argumentShapes) {
  if (!argumentShapes.empty() && argumentShapes.size() != program.arguments.size())
    return invalidArgument("the program takes " + std::to_string(program.arguments.size()) +
                           " arguments, shapes are given for " + std::to_string(argumentShapes.size()));
  for (auto [argument, dims] : llvm::zip(program.arguments, argumentShapes))
    argument.shape.dims = dims;
  for (const program::Argument &argument : program.arguments)
    if (llvm::any_of(argument.shape.dims, mlir::ShapedType::isDynamic))
      return unimplemented("arguments of programs on target 'reference' are arrays of known shapes");
  for (program::Result &result : program.results)
    llvm::replace(result.shape.dims, mlir::ShapedType::kDynamic, int64_t{-1});
  return {};
}

class ReferenceBackend : public Backend {
public:
  StatusOr<std::shared_ptr<Executable>> compile(std::string_view source, const CompileOptions &options) override {
    if (!options.overrides.empty())
      return invalidArgument("No such compile option: '" + options.overrides.front().first + "'");
    ir::ProcessGrid grid{options.numReplicas, isUnpartitioned(options) ? 1 : options.numPartitions};
    bool isSpmd = grid.size() > 1 && !isUnpartitioned(options);
    std::shared_ptr<compiler::ImportedProgram> imported = options.imported;
    if (!imported) {
      TENON_ASSIGN_OR_RETURN(imported, importProgram(source, options, isSpmd ? std::optional(grid) : std::nullopt));
    }
    imported->context->enableMultithreading(); // the devices of a mesh, and runs at the same time, make types
    if (grid.size() == 1 && !isUnpartitioned(options))
      grid = ir::processGrid(*imported->module);
    auto main = imported->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto hasShape = llvm::IsaPred<mlir::RankedTensorType, stablehlo::TokenType>;
    if (!llvm::all_of(main.getArgumentTypes(), hasShape) || !llvm::all_of(main.getResultTypes(), hasShape))
      return unimplemented("arguments and results of programs on target 'reference' are arrays");
    program::Program program;
    program.name = imported->module->getSymName().value_or("program").str();
    program.numReplicas = static_cast<int32_t>(grid.replicas);
    program.numPartitions = static_cast<int32_t>(grid.partitions);
    program.unpartitioned = isUnpartitioned(options);
    program.fingerprint = hexDigits(stableHash(source, stableHash(target())));
    codegen::describeSignature(main, program);
    TENON_RETURN_IF_ERROR(describeShapes(program, options.argumentShapes));
    for (program::Argument &argument : program.arguments)
      argument.aliasedResult = -1; // results are new arrays
    return std::shared_ptr<Executable>(
        std::make_shared<ReferenceExecutable>(std::move(imported), std::move(program), std::string(source)));
  }

  std::string target() const override { return "reference"; }

  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) override { return compile(bytes, {}); }
};

} // namespace

std::unique_ptr<Backend> makeReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

} // namespace tenon::backend
