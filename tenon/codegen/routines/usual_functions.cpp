#include "tenon/codegen/routines/usual_functions.h"

#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::codegen {
namespace {

struct Function {
  const char *op;
  bool takesTwo = false;
};
// Those of narrow floats are computed in f32, with as many lanes as there are narrow ones in a vector.
constexpr Function kOfAllFloats[] = {{"stablehlo.sine"}, {"stablehlo.cosine"}, {"stablehlo.tan"}};
constexpr Function kOfWideFloats[] = {{"chlo.lgamma"}, {"chlo.digamma"}};
constexpr Function kOfF32[] = {{"chlo.bessel_i1e"}, {"chlo.polygamma", true}, {"chlo.zeta", true}};

std::string fusionOf(const Function &function, llvm::StringRef type) {
  std::string array = ("tensor<1000x" + type + ">").str();
  std::string operands = function.takesTwo ? "%in, %in_0" : "%in", types = array;
  if (function.takesTwo)
    types += ", " + array;
  return "func.func @f(%a: " + array + ", %b: " + array + ") -> " + array + " {\n%r = tenon.fusion loop(" +
         (function.takesTwo ? "%in = %a, %in_0 = %b" : "%in = %a") + ") : (" + types + ") -> " + array + " {\n%0 = \"" +
         function.op + "\"(" + operands + ") : (" + types + ") -> " + array + "\ntenon.yield %0 : " + array +
         "\n}\nreturn %r : " + array + "\n}\n";
}

} // namespace

Status forEachUsualFunction(mlir::MLIRContext &context, const CpuTarget &target,
                            llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)> add) {
  auto addOne = [&](const Function &function, llvm::StringRef type) -> Status {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(fusionOf(function, type), &context);
    if (!module)
      return internalError("a usual function is no program");
    Status status;
    module->walk([&](ir::FusionOp fusion) {
      auto plan = planKernel(fusion, "kernel", target);
      if (failed(plan)) {
        status = internalError("a usual function has no plan");
        return;
      }
      add([&](llvm::Module &emitted) {
        if (failed(emitKernel(*plan, emitted, target)))
          status = internalError("a usual function has no code");
      });
    });
    return status;
  };
  for (const char *type : {"f32", "f64", "bf16", "f16"})
    for (const Function &function : kOfAllFloats)
      TENON_RETURN_IF_ERROR(addOne(function, type));
  for (const char *type : {"f32", "f64"})
    for (const Function &function : kOfWideFloats)
      TENON_RETURN_IF_ERROR(addOne(function, type));
  for (const Function &function : kOfF32)
    TENON_RETURN_IF_ERROR(addOne(function, "f32"));
  return {};
}

} // namespace tenon::codegen
