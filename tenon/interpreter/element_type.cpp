#include "tenon/interpreter/element_type.h"

#include "tenon/ir/element_types.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::interpreter {

std::optional<ElementType> elementTypeOf(mlir::Type type) {
  ElementType element = llvm::isa<mlir::IndexType>(type) ? ElementType::kI64 : ir::toElementType(type);
  return element == ElementType::kInvalid ? std::nullopt : std::optional(element);
}

} // namespace tenon::interpreter
