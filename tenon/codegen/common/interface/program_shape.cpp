#include "tenon/codegen/common/interface/program_shape.h"

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/ir/element_types.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tenon::codegen {

program::Shape programShape(Type type) {
  program::Shape shape;
  if (isToken(type)) {
    shape.type = ElementType::kToken;
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape.type = ir::toElementType(tensor.getElementType());
    shape.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  }
  return shape;
}

} // namespace tenon::codegen
