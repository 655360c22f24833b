#include "tenon/frontend/builder/built_computation.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/literal/program_types.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::xla_2017::internal {

namespace sh = tenon::stablehlo;

// Threads are never started by so small modules; what is on are the locks, since a computation may be printed while
// another of the same context is built.
IrContext::IrContext() {
  tenon::loadAllDialects(context);
  context.printOpOnDiagnostic(false); // messages name the place
}

BuiltComputation::BuiltComputation(std::shared_ptr<IrContext> ir, mlir::OwningOpRef<mlir::ModuleOp> module,
                                   std::string name, ProgramShape shape)
    : ir_(std::move(ir)), module_(std::move(module)), name_(std::move(name)), shape_(std::move(shape)) {}

BuiltComputation::~BuiltComputation() = default;

mlir::func::FuncOp BuiltComputation::main() const { return module().lookupSymbol<mlir::func::FuncOp>("main"); }

bool BuiltComputation::readsInfeed() const { return !main().getBody().front().getOps<sh::CreateTokenOp>().empty(); }

const std::string &BuiltComputation::bytecode() const {
  std::lock_guard lock(mutex_);
  if (bytecode_.empty())
    bytecode_ = tenon::frontend::exportBytecode(module());
  return bytecode_;
}

StatusOr<std::string> BuiltComputation::bytecodeFor(int64 num_replicas, int64 num_partitions) const {
  // Read anew, in a context of its own: rules that need to know the grid are checked again.
  IrContext other;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&other.context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "\n") + diagnostic.str();
    return mlir::success();
  });
  tenon::frontend::ImportOptions options;
  options.fileName = name_;
  options.grid = {num_replicas, num_partitions};
  auto module = tenon::frontend::importModule(bytecode(), other.context, options);
  if (!module)
    return tenon::invalidArgument(errors);
  return tenon::frontend::exportBytecode(*module);
}

std::shared_ptr<void> BuiltComputation::attachment(const std::string &key, std::shared_ptr<void> (*make)()) const {
  std::lock_guard lock(mutex_);
  std::shared_ptr<void> &entry = attachments_[key];
  if (!entry)
    entry = make();
  return entry;
}

mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext &context, const Shape &array) {
  mlir::Type element = tenon::ir::fromElementType(&context, tenon::elementTypeOf(array.element_type()));
  return element ? mlir::RankedTensorType::get(ShapeUtil::Dimensions(array), element) : mlir::RankedTensorType();
}

StatusOr<Shape> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (tensor && tensor.hasStaticShape()) {
    tenon::ElementType element = tenon::ir::toElementType(tensor.getElementType());
    // The types differ if the elements are quantized: their storage type was found.
    if (tenon::ir::fromElementType(type.getContext(), element) == tensor.getElementType())
      return ShapeUtil::MakeShape(tenon::primitiveTypeOf(element),
                                  {tensor.getShape().data(), static_cast<size_t>(tensor.getRank())});
  }
  // An asynchronous operation is done when it is begun, so a future is a tuple of its values.
  auto tuple = llvm::dyn_cast<mlir::TupleType>(type);
  auto future = llvm::dyn_cast<tenon::stablehlo::FutureType>(type);
  if (tuple || future) {
    std::vector<Shape> parts;
    for (mlir::Type part : tuple ? tuple.getTypes() : future.getTypes()) {
      TENON_ASSIGN_OR_RETURN(Shape shape, shapeOf(part));
      parts.push_back(std::move(shape));
    }
    return future && parts.size() == 1 ? parts.front() : ShapeUtil::MakeTupleShape(parts);
  }
  return tenon::invalidArgument(mlir::debugString(type) + " is not the type of an array of known sizes");
}

} // namespace tenon::xla_2017::internal
