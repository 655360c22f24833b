#include "test/fuzz/readers/readers.h"

#include "test/fuzz/round_trip.h"

#include "tenon/ir/mesh.h"
#include "tenon/ir/op_sharding.h"
#include "tenon/ir/register.h"
#include "tenon/passes/passes.h"
#include "tenon/program/sharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

namespace tenon::fuzz {

// A context keeps every type and attribute that it has seen, and a new one takes longer than most programs.
static mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int uses = 0;
  if (uses++ % 200 == 0) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

// What the compiler makes of the shardings of a function's arguments.
static void readShardings(ir::MeshTable &meshes, mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto attribute = function.getArgAttrOfType<sdy::TensorShardingAttr>(i, "sdy.sharding");
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(function.getArgument(i).getType());
    if (!attribute || !type)
      continue;
    auto sharding = meshes.read(attribute, type.getRank());
    auto tiled = sharding.ok() ? ir::toOpSharding(*sharding) : std::nullopt;
    if (tiled && !program::isConsistent(*tiled))
      fail("a sharding whose tiles are not as many as its devices");
  }
}

// What annotations in XLA's notation become is a program, unless they are refused.
static void importShardings(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  bool isRefused = false;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &) {
    isRefused = true;
    return mlir::success();
  });
  bool isDone = mlir::succeeded(passes::importShardings(*copy));
  if (!isDone && !isRefused)
    fail("a sharding is refused without a reason");
  if (isDone && mlir::failed(mlir::verify(*copy)))
    fail("shardings make an invalid program");
}

void fuzzProgram(std::string_view bytes) {
  std::string errors;
  auto module = readProgram(bytes, context(), errors);
  if (!module && errors.empty())
    fail("refused without a reason");
  if (!module)
    return;
  if (!errors.empty())
    fail("accepted with an error: " + errors);
  for (auto broken : {brokenRoundTrip, brokenArtifact})
    if (auto finding = broken(*module))
      fail(*finding);
  importShardings(*module);
  ir::MeshTable meshes(*module);
  module->walk([&](mlir::func::FuncOp function) { readShardings(meshes, function); });
}

} // namespace tenon::fuzz
