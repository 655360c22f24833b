#include "tenon/frontend/builder/built_computation.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace xla::internal {

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

namespace {

// The elements of arrays, by what they are here; the usual ones first.
struct ElementKind {
  PrimitiveType primitive;
  mlir::Type (*type)(mlir::MLIRContext &);
};

template <unsigned bits, mlir::IntegerType::SignednessSemantics sign = mlir::IntegerType::Signless>
mlir::Type integer(mlir::MLIRContext &context) {
  return mlir::IntegerType::get(&context, bits, sign);
}
template <unsigned bits> constexpr auto unsignedInteger = integer<bits, mlir::IntegerType::Unsigned>;
template <typename Float> mlir::Type real(mlir::MLIRContext &context) { return Float::get(&context); }
template <typename Float> mlir::Type complex(mlir::MLIRContext &context) {
  return mlir::ComplexType::get(Float::get(&context));
}

constexpr ElementKind kElementKinds[] = {{F32, real<mlir::Float32Type>},
                                         {PRED, integer<1>},
                                         {S32, integer<32>},
                                         {S64, integer<64>},
                                         {F64, real<mlir::Float64Type>},
                                         {BF16, real<mlir::BFloat16Type>},
                                         {F16, real<mlir::Float16Type>},
                                         {S2, integer<2>},
                                         {S4, integer<4>},
                                         {S8, integer<8>},
                                         {S16, integer<16>},
                                         {U2, unsignedInteger<2>},
                                         {U4, unsignedInteger<4>},
                                         {U8, unsignedInteger<8>},
                                         {U16, unsignedInteger<16>},
                                         {U32, unsignedInteger<32>},
                                         {U64, unsignedInteger<64>},
                                         {F4E2M1FN, real<mlir::Float4E2M1FNType>},
                                         {F6E2M3FN, real<mlir::Float6E2M3FNType>},
                                         {F6E3M2FN, real<mlir::Float6E3M2FNType>},
                                         {F8E3M4, real<mlir::Float8E3M4Type>},
                                         {F8E4M3, real<mlir::Float8E4M3Type>},
                                         {F8E4M3FN, real<mlir::Float8E4M3FNType>},
                                         {F8E4M3FNUZ, real<mlir::Float8E4M3FNUZType>},
                                         {F8E4M3B11FNUZ, real<mlir::Float8E4M3B11FNUZType>},
                                         {F8E5M2, real<mlir::Float8E5M2Type>},
                                         {F8E5M2FNUZ, real<mlir::Float8E5M2FNUZType>},
                                         {F8E8M0FNU, real<mlir::Float8E8M0FNUType>},
                                         {C64, complex<mlir::Float32Type>},
                                         {C128, complex<mlir::Float64Type>}};

} // namespace

mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext &context, const Shape &array) {
  for (const ElementKind &kind : kElementKinds)
    if (kind.primitive == array.element_type())
      return mlir::RankedTensorType::get(ShapeUtil::Dimensions(array), kind.type(context));
  return {};
}

void appendLeafTypes(mlir::MLIRContext &context, const Shape &shape, llvm::SmallVectorImpl<mlir::Type> &types) {
  for (const Shape &leaf : ShapeUtil::Leaves(shape))
    types.push_back(tensorTypeOf(context, leaf));
}

StatusOr<Shape> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (tensor && tensor.hasStaticShape())
    for (const ElementKind &kind : kElementKinds)
      if (kind.type(*type.getContext()) == tensor.getElementType())
        return ShapeUtil::MakeShape(kind.primitive, {tensor.getShape().data(), static_cast<size_t>(tensor.getRank())});
  // An asynchronous operation is done when it is begun, so a future is a tuple of its values.
  auto tuple = llvm::dyn_cast<mlir::TupleType>(type);
  auto future = llvm::dyn_cast<tenon::stablehlo::FutureType>(type);
  if (tuple || future) {
    std::vector<Shape> parts;
    for (mlir::Type part : tuple ? tuple.getTypes() : future.getTypes()) {
      StatusOr<Shape> shape = shapeOf(part);
      if (!shape.ok())
        return shape;
      parts.push_back(*shape);
    }
    return future && parts.size() == 1 ? parts.front() : ShapeUtil::MakeTupleShape(parts);
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return tenon::invalidArgument(text + " is not the type of an array of known sizes");
}

} // namespace xla::internal
