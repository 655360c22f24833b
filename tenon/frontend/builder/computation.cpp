// Computations from StableHLO programs, and back.
#include "tenon/frontend/builder/built_computation.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/diagnostics.h"
#include "tenon/frontend/import/flatten_main.h"
#include "tenon/frontend/import/import.h"
#include "tenon/frontend/import/vhlo_version.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::xla_2017 {

using internal::BuiltComputation;

Computation::Computation() = default;
Computation::Computation(std::shared_ptr<const BuiltComputation> built) : built_(std::move(built)) {}
Computation::Computation(const Computation &) = default;
Computation::Computation(std::unique_ptr<Computation> built) : built_(built ? built->built_ : nullptr) {}
Computation &Computation::operator=(const Computation &) = default;
Computation::~Computation() = default;

const std::string &Computation::name() const {
  static const std::string none;
  return built_ ? built_->name() : none;
}

const ProgramShape &Computation::program_shape() const {
  return built_ ? built_->shape() : ProgramShape::default_instance();
}

namespace {

// Collects a context's errors as compilers print them, with lines of the source quoted, as long as it lives.
class Errors {
public:
  Errors(mlir::MLIRContext &context, const std::string &fileName, std::string_view source)
      : reader_(context, {fileName, source}, [this](mlir::DiagnosticSeverity severity, std::string_view message) {
          if (severity == mlir::DiagnosticSeverity::Error)
            text_ += message;
        }) {}

  std::string take() {
    text_.erase(text_.find_last_not_of('\n') + 1); // npos is -1
    return std::move(text_);
  }

private:
  std::string text_;
  tenon::frontend::DiagnosticReader reader_;
};

// The name that a front end (a builder, or JAX) has given to a parameter; "p0" if it has none.
std::string parameterName(mlir::BlockArgument argument) {
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(argument.getLoc()); named && !named.getName().empty())
    return named.getName().str();
  return "p" + std::to_string(argument.getArgNumber());
}

} // namespace

namespace internal {

StatusOr<ProgramShape> programShapeOf(mlir::func::FuncOp main) {
  ProgramShape result;
  for (auto [i, argument] : llvm::enumerate(main.getArgumentTypes())) {
    StatusOr<Shape> shape = shapeOf(argument);
    if (!shape.ok())
      return tenon::invalidArgument("argument " + std::to_string(i) + " of main: " + shape.status().message());
    *result.add_parameters() = *shape;
    result.add_parameter_names(parameterName(main.getArgument(static_cast<unsigned>(i))));
  }
  std::vector<Shape> results;
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    StatusOr<Shape> shape = shapeOf(type);
    if (!shape.ok())
      return tenon::invalidArgument("result " + std::to_string(i) + " of main: " + shape.status().message());
    results.push_back(*shape);
  }
  *result.mutable_result() = results.size() == 1 ? results.front() : ShapeUtil::MakeTupleShape(results);
  return result;
}

} // namespace internal

StatusOr<std::unique_ptr<Computation>>
Computation::FromStableHlo(tensorflow::StringPiece program, const std::string &file_name, const std::string &entry) {
  auto ir = std::make_shared<internal::IrContext>();
  Errors errors(ir->context, file_name, {program.data(), program.size()});
  tenon::frontend::ImportOptions options;
  options.fileName = file_name;
  options.entry = entry;
  options.entryOption = "entry";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tenon::frontend::importModule({program.data(), program.size()}, ir->context, options);
  if (!module)
    return tenon::invalidArgument(errors.take());
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  StatusOr<ProgramShape> shape = internal::programShapeOf(main);
  if (!shape.ok())
    return Status(shape.status().code(), file_name + ": " + shape.status().message());
  // Tuples are in the shape only.
  if (failed(tenon::frontend::flattenMain(*module)))
    return tenon::invalidArgument(errors.take());
  std::string name = module->getSymName().value_or("main").str();
  return std::make_unique<Computation>(
      std::make_shared<BuiltComputation>(std::move(ir), std::move(module), std::move(name), *std::move(shape)));
}

std::string Computation::ToStableHloText() const {
  return built_ ? tenon::frontend::exportText(built_->module()) : std::string();
}

StatusOr<std::string> Computation::ToPortableArtifact(const std::string &version) const {
  if (!built_)
    return tenon::failedPrecondition("the computation is empty");
  auto target =
      version.empty() ? std::optional(tenon::frontend::kNewestVhloVersion) : tenon::frontend::parseVhloVersion(version);
  if (!target)
    return tenon::invalidArgument("'" + version + "' is not a version of StableHLO: it has three numbers, as 1.9.0");
  if (auto why = tenon::frontend::whyUnsupported(*target))
    return tenon::invalidArgument(*why);
  // The export changes the module's form: it gets a copy.
  mlir::OwningOpRef<mlir::ModuleOp> copy(built_->module().clone());
  Errors errors(*copy->getContext(), name(), "");
  std::string artifact = tenon::frontend::exportArtifact(*copy, *target);
  if (artifact.empty())
    return tenon::invalidArgument(errors.take());
  return artifact;
}

} // namespace tenon::xla_2017
