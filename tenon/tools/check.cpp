// `tenon check`: a compiled program against the interpreter, then its stages, then its kernels.
#include "tenon/backend/registry.h"
#include "tenon/checking/expectation.h"
#include "tenon/checking/wrong_kernel.h"
#include "tenon/checking/wrong_stage.h"
#include "tenon/codegen/common/location.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/frontend/export/export.h"
#include "tenon/ir/element_types.h"
#include "tenon/support/files.h"
#include "tenon/tools/arguments.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/executor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

using Values = std::vector<interpreter::Value>;

StatusOr<Values> valuesOf(mlir::ModuleOp module, const std::vector<Literal> &arguments) {
  Values values;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (auto [type, array] : llvm::zip(main.getArgumentTypes(), arguments)) {
    program::Shape shape = shapeOf(array);
    auto element = llvm::cast<mlir::RankedTensorType>(type).getElementType();
    llvm::ArrayRef bytes(static_cast<const uint8_t *>(dataOf(array)), static_cast<size_t>(shape.byteSize()));
    TENON_ASSIGN_OR_RETURN(auto tensor,
                           interpreter::Tensor::fromBytes(mlir::RankedTensorType::get(shape.dims, element), bytes));
    values.emplace_back(std::move(tensor));
  }
  return values;
}

llvm::ArrayRef<uint8_t> bytesOf(const Literal &array) {
  return {static_cast<const uint8_t *>(dataOf(array)), static_cast<size_t>(shapeOf(array).byteSize())};
}

// What can be compared: arrays, of one process.
Status checkKind(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto isArray = llvm::IsaPred<mlir::RankedTensorType>;
  if (!llvm::all_of(main.getArgumentTypes(), isArray) || !llvm::all_of(main.getResultTypes(), isArray))
    return unimplemented("tenon check compares programs that take and give arrays only");
  if (ir::processGrid(module).size() > 1)
    return unimplemented("tenon check compares programs of one process; this is one of " +
                         std::to_string(ir::processGrid(module).size()));
  return {};
}

class Check {
public:
  Check(const CheckOptions &options, ProgramFile &file) : options_(options), file_(file) {
    limits_.maxSteps = 0;
    limits_.maxTensorBytes = int64_t{1} << 36;
    limits_.maxSeconds = options.timeLimit;
  }

  StatusOr<int> run() {
    TENON_RETURN_IF_ERROR(checkKind(file_.module()));
    reference_ = mlir::OwningOpRef<mlir::ModuleOp>(file_.module().clone());
    TENON_RETURN_IF_ERROR(prepareArguments());
    std::vector<Values> all(1, values_);
    auto expectation = checking::Expectation::create(*reference_, all, {.boundsOpen = true, .limits = limits_});
    if (!expectation.ok())
      return reportInterpreter(expectation.status());
    TENON_ASSIGN_OR_RETURN(auto results, runCompiledFile());
    bool differ = false;
    for (auto [i, array] : llvm::enumerate(results))
      if (auto difference = expectation->check(i, bytesOf(array))) {
        llvm::outs() << *difference << "\n";
        differ = true;
      }
    if (!differ)
      return reportAgreement(*expectation);
    if (!options_.resultsOnly)
      TENON_RETURN_IF_ERROR(explain(*expectation));
    return kDiffer;
  }

private:
  Status prepareArguments() {
    TENON_ASSIGN_OR_RETURN(auto constants, file_.argumentValues(options_.constants));
    TENON_ASSIGN_OR_RETURN(arguments_, makeArguments(options_, file_, constants));
    TENON_ASSIGN_OR_RETURN(values_, valuesOf(*reference_, arguments_));
    known_ = knownValues(arguments_, constants);
    return {};
  }

  Status reportInterpreter(const Status &status) const {
    if (status.code() == StatusCode::kCancelled)
      return {StatusCode::kDeadlineExceeded, "the interpreter takes longer than --time-limit allows"};
    return {status.code(), "the interpreter: " + status.message()};
  }

  int reportAgreement(const checking::Expectation &expectation) const {
    size_t count = expectation.results().size(), exact = 0;
    for (size_t i = 0; i < count; ++i)
      exact += expectation.agreement(i) == checking::Agreement::kExact;
    llvm::outs() << (count == 1 ? "the result is" : "all " + std::to_string(count) + " results are")
                 << " right: " << exact << " to the bit, " << count - exact << " within rounding\n";
    return 0;
  }

  std::vector<std::vector<int64_t>> argumentShapes() const {
    std::vector<std::vector<int64_t>> shapes;
    for (const Literal &argument : arguments_)
      shapes.push_back(shapeOf(argument).dims);
    return shapes;
  }

  StatusOr<std::vector<Literal>> runCompiledFile() {
    backend::CompileOptions options;
    options.argumentShapes = argumentShapes();
    options.argumentValues = known_;
    TENON_ASSIGN_OR_RETURN(auto executable, compileFile(backend::defaultBackend(), file_, std::move(options)));
    TENON_ASSIGN_OR_RETURN(auto results, runExecutable(*executable, arguments_, {}));
    return cutToSizes(executable->program().results, std::move(results));
  }

  llvm::LogicalResult runStages(mlir::ModuleOp module, llvm::StringRef last, checking::ShowStage show) const {
    compiler::CompileOptions options;
    options.fileName = file_.path;
    options.argumentShapes = argumentShapes();
    options.argumentValues = known_;
    options.inspect = [&](std::string_view stage, mlir::ModuleOp reached) { show(stage, reached); };
    std::vector<std::string> names = compiler::stageNames();
    auto found = llvm::find(names, last.str());
    std::string before = found == names.end() || found + 1 == names.end() ? "" : found[1];
    return compiler::runPasses(module, options, before, nullptr, nullptr, &codegen::CpuTarget::host());
  }

  Status explain(checking::Expectation &expectation) {
    auto stages = [this](mlir::ModuleOp module, llvm::StringRef last, checking::ShowStage show) {
      return runStages(module, last, show);
    };
    TENON_ASSIGN_OR_RETURN(auto search, checking::findWrongStage(*reference_, values_, expectation, stages, limits_));
    if (search.wrong)
      return reportStage(*search.wrong);
    if (!search.stoppedAt.empty())
      llvm::outs() << "the interpreter cannot run the program after stage " << search.stoppedAt << ": "
                   << search.whyStopped << "\n";
    else
      llvm::outs() << "the program gives what it should after each stage\n";
    mlir::OwningOpRef<mlir::ModuleOp> last(reference_->clone());
    if (failed(runStages(*last, "", [](llvm::StringRef, mlir::ModuleOp) {})))
      return internalError("the program does not pass all stages");
    auto run = [](mlir::ModuleOp program, llvm::ArrayRef<interpreter::Value> arguments) {
      return checking::runOnBackend(backend::defaultBackend(), program, arguments);
    };
    TENON_ASSIGN_OR_RETURN(auto kernels, checking::findWrongKernel(*last, values_, run, limits_));
    if (kernels.wrong)
      return reportKernel(*kernels.wrong);
    llvm::outs() << "each of its " << kernels.compared << " kernels is right by itself: what is wrong is between them, "
                 << "memory that two values share (tenon compile --memory) or their order\n";
    return {};
  }

  static Status reportStage(const checking::WrongStage &wrong) {
    llvm::outs() << "after stage " << wrong.name << ", the first to change it: " << wrong.difference << "\n";
    if (wrong.rewrite)
      llvm::outs() << "by " << wrong.rewrite->pattern << " of " << wrong.rewrite->op << " at "
                   << codegen::locationText(wrong.rewrite->place) << "\n";
    return {};
  }

  Status reportKernel(const checking::WrongKernel &wrong) const {
    llvm::outs() << "the first kernel that is wrong by itself: " << wrong.op << " at "
                 << codegen::locationText(wrong.place) << "\n  " << wrong.difference << "\n";
    if (options_.outputFolder.empty())
      return {};
    if (std::error_code error = llvm::sys::fs::create_directories(options_.outputFolder))
      return {StatusCode::kUnknown, options_.outputFolder + ": " + error.message()};
    TENON_RETURN_IF_ERROR(writeFile(options_.outputFolder + "/kernel.mlir", frontend::exportText(wrong.program.get())));
    return writeArguments(wrong);
  }

  Status writeArguments(const checking::WrongKernel &wrong) const {
    auto main = wrong.program.get().lookupSymbol<mlir::func::FuncOp>("main");
    std::string command = "tenon check " + options_.outputFolder + "/kernel.mlir --args ";
    for (auto [i, value] : llvm::enumerate(wrong.arguments)) {
      const interpreter::Tensor &tensor = value.tensor();
      program::Shape shape{
          ir::toElementType(llvm::cast<mlir::RankedTensorType>(main.getArgument(i).getType()).getElementType()),
          tensor.shape().vec()};
      TENON_ASSIGN_OR_RETURN(auto array, makeArray(shape, tensor.data()));
      std::string file = options_.outputFolder + "/argument_" + std::to_string(i) + ".npy";
      TENON_RETURN_IF_ERROR(xla::LiteralUtil::WriteNpy(array, file));
      command += (i ? "," : "") + file;
    }
    llvm::outs() << "by itself: " << command << "\n";
    return {};
  }

  const CheckOptions &options_;
  ProgramFile &file_;
  checking::Limits limits_;
  mlir::OwningOpRef<mlir::ModuleOp> reference_;
  std::vector<Literal> arguments_;
  Values values_;
  std::vector<program::ArgumentValue> known_;
};

} // namespace

int checkCommand(CheckOptions options) {
  options.random = options.arguments.empty();
  std::unique_ptr<ProgramFile> file = loadSource(options.program, options.entry);
  if (!file)
    return 1;
  file->imported->context->enableMultithreading(); // the devices of a mesh are threads
  StatusOr<int> status = Check(options, *file).run();
  return status.ok() ? *status : reportCompileError(status.status());
}

} // namespace tenon::tools
