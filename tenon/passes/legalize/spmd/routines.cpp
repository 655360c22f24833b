#include "tenon/passes/legalize/spmd/routines.h"

#include "tenon/ir/tenon.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

SmallVector<Value> callRoutine(OpBuilder &builder, Location location, StringRef target, StringRef op,
                               ValueRange operands, TypeRange types, DictionaryAttr attributes) {
  OperationState state(location, sh::CustomCallOp::getOperationName());
  state.addOperands(operands);
  state.addAttribute("call_target_name", builder.getStringAttr(target));
  state.addAttribute("has_side_effect", builder.getBoolAttr(!operands.empty()));
  if (attributes) {
    NamedAttrList entries(attributes);
    entries.set("op", builder.getStringAttr(op));
    state.addAttribute("backend_config", entries.getDictionary(builder.getContext()));
    state.addAttribute("api_version", sh::CustomCallApiVersionAttr::get(
                                          builder.getContext(), sh::CustomCallApiVersion::API_VERSION_TYPED_FFI));
  }
  state.addTypes(types);
  return builder.create(state)->getResults();
}

SmallVector<Value> callPermute(OpBuilder &builder, Location location, StringRef op, ValueRange operands,
                               const ir::GroupPermutation &permutation) {
  return callRoutine(builder, location, ir::kPermuteTarget, op, operands, operands.getTypes(),
                     ir::permutationAttributes(builder, permutation));
}

} // namespace tenon::passes
