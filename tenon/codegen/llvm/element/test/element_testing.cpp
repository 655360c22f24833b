#include "tenon/codegen/llvm/element/test/element_testing.h"

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/scalar_evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "tenon/ir/register.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <cctype>

using namespace llvm;

namespace tenon::codegen::testing {

mlir::MLIRContext &elementContext() {
  static mlir::MLIRContext *context = [] {
    auto *made = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    loadAllDialects(*made);
    return made;
  }();
  return *context;
}

namespace {

struct Parsed {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

Parsed parse(const std::string &body, const std::vector<std::string> &types, const std::string &resultType) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < types.size(); ++i)
    text += (i ? ", %" : "%") + std::to_string(i) + ": tensor<" + types[i] + ">";
  text += ") -> tensor<" + resultType + "> {\n" + body + "\nfunc.return %r : tensor<" + resultType + ">\n}\n";
  // %0 is no name for an argument.
  for (size_t at = 0; (at = text.find('%', at)) != std::string::npos; ++at)
    if (std::isdigit(static_cast<unsigned char>(text[at + 1])))
      text.insert(at + 1, "arg");
  Parsed parsed;
  parsed.module = mlir::parseSourceString<mlir::ModuleOp>(text, &elementContext());
  if (!parsed.module)
    report_fatal_error(Twine("the test's program does not parse:\n") + text);
  parsed.function = *parsed.module->getOps<mlir::func::FuncOp>().begin();
  return parsed;
}

// for (i = begin; i < end; i += step) emit(i).
void emitLoop(IRBuilderBase &b, Value *begin, Value *end, unsigned step, function_ref<void(Value *)> emit) {
  Function *function = b.GetInsertBlock()->getParent();
  auto *before = b.GetInsertBlock();
  auto *loop = BasicBlock::Create(b.getContext(), "loop", function);
  auto *after = BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(b.CreateICmpSLT(begin, end), loop, after);
  b.SetInsertPoint(loop);
  PHINode *index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(begin, before);
  emit(index);
  Value *next = b.CreateAdd(index, b.getInt64(step));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, end), loop, after);
  b.SetInsertPoint(after);
}

} // namespace

ElementKernel::ElementKernel(const std::string &body, const std::vector<std::string> &types,
                             const std::string &resultTypeName, unsigned lanes, bool asRegion, const std::string &cpu)
    : jit_(std::make_unique<Jit>(cpu)), lanes_(lanes) {
  Parsed parsed = parse(body, types, resultTypeName);
  mlir::Block &block = parsed.function.getBody().front();
  mlir::Operation *op = &block.front();
  mlir::Type resultType = mlir::getElementTypeOrSelf(parsed.function.getResultTypes()[0]);
  auto module = jit_->createModule("element");
  IRBuilder<> b(module->getContext());
  auto *function =
      Function::Create(FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false),
                       GlobalValue::ExternalLinkage, "kernel", *module);
  jit_->setTargetAttributes(*function);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  auto emitAt = [&](Value *index, unsigned width) {
    auto bufferAt = [&](size_t i) {
      return b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function->getArg(0), i));
    };
    SmallVector<Element> operands;
    for (auto [i, argument] : enumerate(block.getArguments())) {
      mlir::Type type = mlir::getElementTypeOrSelf(argument);
      operands.push_back(loadElements(b, type, elementAddress(b, type, bufferAt(i), index), width));
    }
    FailureOr<Element> result = failure();
    if (asRegion) {
      auto results = emitScalarRegion(b, parsed.function.getBody(), operands, width);
      if (succeeded(results))
        result = results->front();
    } else {
      SmallVector<Element> ordered;
      for (mlir::Value operand : op->getOperands())
        ordered.push_back(operands[cast<mlir::BlockArgument>(operand).getArgNumber()]);
      result = emitElementwise(b, op, ordered, width);
    }
    if (failed(result))
      report_fatal_error("the op under test was not emitted");
    storeElements(b, resultType, *result, elementAddress(b, resultType, bufferAt(types.size()), index), width);
  };
  Value *count = function->getArg(1), *whole = function->getArg(2);
  emitLoop(b, b.getInt64(0), whole, lanes, [&](Value *index) { emitAt(index, lanes); });
  emitLoop(b, whole, count, 1, [&](Value *index) { emitAt(index, 1); });
  b.CreateRetVoid();
  operations_ = function->getInstructionCount();
  calls_ = count_if(instructions(*function), [](const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    return call && !call->getCalledFunction()->isIntrinsic();
  });
  jit_->add(std::move(module));
  function_ = jit_->lookup<void(const void *const *, int64_t, int64_t)>("kernel");
  inputBytes_ = storageBytes(mlir::getElementTypeOrSelf(block.getArgument(0)));
  outputBytes_ = storageBytes(resultType);
}

void ElementKernel::operator()(const std::vector<const void *> &inputs, void *output, int64_t elements) const {
  std::vector<const void *> buffers = inputs;
  buffers.push_back(output);
  function_(buffers.data(), elements, elements / lanes_ * lanes_);
}

static Bytes run(const ElementKernel &kernel, const std::vector<Bytes> &inputs) {
  int64_t elements = inputs[0].size() / kernel.inputBytes();
  Bytes output(elements * kernel.outputBytes());
  std::vector<const void *> buffers;
  for (const Bytes &input : inputs)
    buffers.push_back(input.data());
  kernel(buffers, output.data(), elements);
  return output;
}

Bytes runElementwise(const std::string &body, const std::vector<std::string> &types, const std::string &resultType,
                     const std::vector<Bytes> &inputs, unsigned lanes) {
  return run(ElementKernel(body, types, resultType, lanes), inputs);
}

Bytes runRegion(const std::string &body, const std::vector<std::string> &types, const std::string &resultType,
                const std::vector<Bytes> &inputs, unsigned lanes) {
  return run(ElementKernel(body, types, resultType, lanes, true), inputs);
}

std::string uniformOp(const std::string &name, const std::string &type, int operands) {
  std::string tensor = "tensor<" + type + ">", second = operands == 2 ? ", %1" : "";
  // chlo spells all types out.
  bool isChlo = name.starts_with("chlo.");
  std::string types = isChlo ? (operands == 2 ? tensor + ", " : "") + tensor + " -> " + tensor : tensor;
  return "%r = " + name + " %0" + second + " : " + types;
}

Bytes runBinary(const std::string &name, const std::string &type, const Bytes &a, const Bytes &b, unsigned lanes) {
  return runElementwise(uniformOp(name, type, 2), {type, type}, type, {a, b}, lanes);
}

Bytes runUnary(const std::string &name, const std::string &type, const Bytes &a, unsigned lanes) {
  return runElementwise(uniformOp(name, type, 1), {type}, type, {a}, lanes);
}

Bytes runConvert(const std::string &from, const std::string &to, const Bytes &a, unsigned lanes) {
  return runElementwise("%r = stablehlo.convert %0 : (tensor<" + from + ">) -> tensor<" + to + ">", {from}, to, {a},
                        lanes);
}

bool isSupported(const std::string &body, const std::vector<std::string> &types, const std::string &resultType) {
  Parsed parsed = parse(body, types, resultType);
  return isElementwiseSupported(&parsed.function.getBody().front().front());
}

} // namespace tenon::codegen::testing
