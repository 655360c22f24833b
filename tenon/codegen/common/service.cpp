#include "tenon/codegen/common/service.h"

#include "tenon/codegen/common/element_types.h"
#include "tenon/codegen/common/location.h"
#include "tenon/codegen/common/steps.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// Minor-to-major orders of dimensions; row-major ones stay empty.
std::vector<std::vector<int64_t>> layoutOrders(ArrayAttr layouts) {
  std::vector<std::vector<int64_t>> orders;
  for (auto layout : layouts.getAsRange<DenseIntElementsAttr>()) {
    std::vector<int64_t> order;
    for (const APInt &dim : layout.getValues<APInt>())
      order.push_back(dim.getSExtValue());
    if (std::is_sorted(order.rbegin(), order.rend()))
      order.clear();
    orders.push_back(std::move(order));
  }
  return orders;
}

void describeCustomCall(sh::CustomCallOp call, program::Service &service) {
  service.kind = program::Service::Kind::kCustomCall;
  service.target = call.getCallTargetName().str();
  service.apiVersion = int32_t(call.getApiVersion());
  service.hasSideEffect = call.getHasSideEffect();
  Attribute config = call.getBackendConfigAttr();
  if (auto text = dyn_cast_or_null<StringAttr>(config); !config || (text && text.empty()))
    config = call->getAttr("mhlo.backend_config");
  // JAX leaves the version of such calls at its default.
  if (isa_and_nonnull<DictionaryAttr>(config))
    service.apiVersion = int32_t(sh::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  if (auto text = dyn_cast_or_null<StringAttr>(config)) {
    service.payload = text.str();
  } else if (config) {
    llvm::raw_string_ostream stream(service.payload);
    config.print(stream);
  }
  if (ArrayAttr layouts = call.getOperandLayoutsAttr())
    service.operandLayouts = layoutOrders(layouts);
  if (ArrayAttr layouts = call.getResultLayoutsAttr())
    service.resultLayouts = layoutOrders(layouts);
  if (ArrayAttr aliases = call.getOutputOperandAliasesAttr())
    for (auto alias : aliases.getAsRange<sh::OutputOperandAliasAttr>()) {
      ArrayRef<int64_t> indices = alias.getOutputTupleIndices();
      service.aliases.emplace_back(indices.empty() ? 0 : int32_t(indices[0]), int32_t(alias.getOperandIndex()));
    }
}

// The routine of the runtime's library that does what the op does, or null.
const char *libraryRoutine(Operation *op) {
  if (auto call = dyn_cast<sh::CustomCallOp>(op))
    return call.getCallTargetName() == "shape_assertion" ? "shape_assertion" : nullptr;
  if (isa<sh::FftOp>(op))
    return "fft";
  if (!isa<sh::CholeskyOp, sh::TriangularSolveOp>(op))
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  if (!type.isF32() && !type.isF64())
    return nullptr;
  return isa<sh::CholeskyOp>(op) ? "cholesky" : "triangular_solve";
}

} // namespace

FailureOr<program::Service> makeService(Operation *op) {
  program::Service service;
  for (Type type : op->getOperandTypes())
    service.operands.push_back(programShape(type));
  for (Type type : op->getResultTypes())
    service.results.push_back(programShape(type));
  service.location = locationText(op->getLoc());
  if (const char *routine = libraryRoutine(op)) {
    service.kind = program::Service::Kind::kLibrary;
    service.target = routine;
    llvm::raw_string_ostream stream(service.payload);
    op->getAttrDictionary().print(stream);
    return service;
  }
  if (auto call = dyn_cast<sh::CustomCallOp>(op)) {
    describeCustomCall(call, service);
    return service;
  }
  return op->emitOpError("cannot be compiled: there is no native code for it");
}

} // namespace tenon::codegen
