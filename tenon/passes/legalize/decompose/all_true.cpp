#include "tenon/passes/legalize/decompose/all_true.h"

#include "tenon/ir/types.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

Value allTrue(ArrayBuilder &arrays, Value conditions) {
  OpBuilder &builder = arrays.builder;
  Location loc = arrays.loc;
  RankedTensorType type = ir::typeOf(conditions), scalar = type.clone(ArrayRef<int64_t>{});
  Value yes = sh::ConstantOp::create(builder, loc, DenseElementsAttr::get(cast<ShapedType>(scalar), true));
  auto reduce = sh::ReduceOp::create(builder, loc, TypeRange(scalar), conditions, yes,
                                     llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value both = sh::AndOp::create(builder, loc, scalar, body->getArgument(0), body->getArgument(1));
  sh::ReturnOp::create(builder, loc, both);
  return reduce.getResult(0);
}

} // namespace tenon::passes
