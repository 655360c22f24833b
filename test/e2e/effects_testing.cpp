#include "test/e2e/effects_testing.h"

#include "tenon/backend/reference_transfers.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>

namespace tenon::testing {

std::string numberText(float value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.'));
}

// `note(x, tokens...) -> (tokens...)`: has an effect, and no results but tokens.
static void registerNote() {
  runtime::registerCustomCall("note", [](const program::RuntimeCall &) {
    return StatusOr<std::unique_ptr<runtime::RuntimeCallInstance>>(
        runtime::makeRuntimeCall([](const runtime::CallBuffers &call) {
          auto *world = static_cast<World *>(call.options.userData->at(0));
          world->note("note " + numberText(*static_cast<const float *>(call.operands[0])));
          return Status();
        }));
  });
}

StatusOr<Transcript> runCompiled(const std::string &source, bool optimize) {
  registerNote();
  compiler::CompileOptions options;
  options.optimize = optimize;
  options.verifyStages = true;
  auto program = compileAndLoad(source, options);
  if (!program.ok())
    return program.status();
  World world;
  std::vector<std::vector<uint8_t>> memory;
  std::vector<const void *> arguments;
  std::vector<void *> results;
  for (const program::Argument &argument : (*program)->program().arguments)
    arguments.push_back(memory.emplace_back(argument.shape.byteSize(), 0).data());
  for (const program::Result &result : (*program)->program().results)
    results.push_back(memory.emplace_back(std::max<int64_t>(result.shape.byteSize(), 1)).data());
  TENON_RETURN_IF_ERROR((*program)->run(arguments, results, world.options));
  return world.finish();
}

StatusOr<Transcript> runInterpreted(const std::string &source) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(source, context);
  if (!module)
    return invalidArgument("cannot be read");
  World world;
  interpreter::Options options;
  options.transfer = backend::transferAsCompiled(world.options);
  options.customCall = [&](mlir::Operation *op,
                           llvm::ArrayRef<interpreter::Value> inputs) -> StatusOr<std::vector<interpreter::Value>> {
    float value = 0;
    std::memcpy(&value, inputs[0].tensor().data(), sizeof value);
    world.note("note " + numberText(value));
    return std::vector<interpreter::Value>(op->getNumResults(), interpreter::Token{});
  };
  std::vector<interpreter::Value> arguments;
  for (mlir::Type type : module->lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.emplace_back(interpreter::Tensor(tensor.getShape(), tensor.getElementType()));
  }
  TENON_ASSIGN_OR_RETURN(auto results, interpreter::interpret(*module, "main", arguments, options));
  return world.finish();
}

std::string expand(std::string text) {
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replaceAll("$t", "!stablehlo.token");
  return text;
}

} // namespace tenon::testing
