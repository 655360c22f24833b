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
IrContext::IrContext() { tenon::loadAllDialects(context); }

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

std::shared_ptr<void> BuiltComputation::attachment(const std::string &key, std::shared_ptr<void> (*make)()) const {
  std::lock_guard lock(mutex_);
  std::shared_ptr<void> &entry = attachments_[key];
  if (!entry)
    entry = make();
  return entry;
}

namespace {

// The integers and floats of a program, by what they are here.
struct ElementKind {
  PrimitiveType primitive;
  mlir::Type type;
};

llvm::SmallVector<ElementKind> elementKinds(mlir::MLIRContext &context) {
  mlir::Builder b(&context);
  auto ui = [&](unsigned bits) { return b.getIntegerType(bits, false); };
  mlir::Type f32 = b.getF32Type(), f64 = b.getF64Type();
  return {{PRED, b.getI1Type()},
          {S2, b.getIntegerType(2)},
          {S4, b.getIntegerType(4)},
          {S8, b.getIntegerType(8)},
          {S16, b.getIntegerType(16)},
          {S32, b.getIntegerType(32)},
          {S64, b.getIntegerType(64)},
          {U2, ui(2)},
          {U4, ui(4)},
          {U8, ui(8)},
          {U16, ui(16)},
          {U32, ui(32)},
          {U64, ui(64)},
          {F4E2M1FN, mlir::Float4E2M1FNType::get(&context)},
          {F6E2M3FN, mlir::Float6E2M3FNType::get(&context)},
          {F6E3M2FN, mlir::Float6E3M2FNType::get(&context)},
          {F8E3M4, mlir::Float8E3M4Type::get(&context)},
          {F8E4M3, mlir::Float8E4M3Type::get(&context)},
          {F8E4M3FN, mlir::Float8E4M3FNType::get(&context)},
          {F8E4M3FNUZ, mlir::Float8E4M3FNUZType::get(&context)},
          {F8E4M3B11FNUZ, mlir::Float8E4M3B11FNUZType::get(&context)},
          {F8E5M2, mlir::Float8E5M2Type::get(&context)},
          {F8E5M2FNUZ, mlir::Float8E5M2FNUZType::get(&context)},
          {F8E8M0FNU, mlir::Float8E8M0FNUType::get(&context)},
          {BF16, b.getBF16Type()},
          {F16, b.getF16Type()},
          {F32, f32},
          {F64, f64},
          {C64, mlir::ComplexType::get(f32)},
          {C128, mlir::ComplexType::get(f64)}};
}

} // namespace

mlir::RankedTensorType tensorTypeOf(mlir::MLIRContext &context, const Shape &array) {
  for (const ElementKind &kind : elementKinds(context))
    if (kind.primitive == array.element_type())
      return mlir::RankedTensorType::get(ShapeUtil::Dimensions(array), kind.type);
  return {};
}

void appendLeafTypes(mlir::MLIRContext &context, const Shape &shape, llvm::SmallVectorImpl<mlir::Type> &types) {
  for (const Shape &leaf : ShapeUtil::Leaves(shape))
    types.push_back(tensorTypeOf(context, leaf));
}

StatusOr<Shape> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (tensor && tensor.hasStaticShape())
    for (const ElementKind &kind : elementKinds(*type.getContext()))
      if (kind.type == tensor.getElementType())
        return ShapeUtil::MakeShape(kind.primitive, {tensor.getShape().data(), static_cast<size_t>(tensor.getRank())});
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return tenon::invalidArgument(text + " is not the type of an array of known sizes");
}

} // namespace xla::internal
