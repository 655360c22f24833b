// Custom calls: first the handler that the caller gave, then the targets with a plain meaning on every platform.
#include "tenon/interpreter/element_function.h"
#include "tenon/interpreter/householder.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/merge_sort.h"
#include "tenon/interpreter/ops.h"
#include "tenon/interpreter/permute.h"
#include "tenon/ir/annotations.h"
#include "tenon/ir/checks.h"
#include "tenon/ir/tenon.h"
#include "tenon/support/format_message.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringSwitch.h"

#include <functional>
#include <numeric>

namespace tenon::interpreter {
namespace {

// Annotations for partitioning and placement, which leave the value as it is when there is one shard.
LogicalResult yieldSame(Invocation &call) {
  if (call.op()->getNumResults() != call.operands().size())
    return call.fail("must have as many results as operands");
  for (Value value : call.operands()) {
    // Buffers and tensors hold the same elements.
    (void)call.yield(std::move(value));
  }
  return llvm::success();
}

LogicalResult yieldBuffer(Invocation &call) {
  if (call.op()->getNumResults() != 1)
    return call.fail("creates one buffer");
  auto type = llvm::dyn_cast<mlir::ShapedType>(call.op()->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return call.fail("must create a buffer of static shape");
  llvm::FailureOr<Tensor> buffer = call.make(type.getShape(), call.elementOf(0));
  return llvm::failed(buffer) ? llvm::failure() : call.yield(*buffer);
}

LogicalResult assertShape(Invocation &call) {
  const Tensor &condition = call.tensor(0);
  if (condition.elementType() != ElementType::kI1)
    return call.fail("shape_assertion takes a condition of type i1");
  bool holds = true;
  for (int64_t i = 0; i < condition.size(); ++i)
    holds &= condition.intAt(i) != 0;
  std::vector<int64_t> inputs;
  for (const Value &input : llvm::drop_begin(call.operands())) {
    const Tensor &number = input.tensor();
    if (number.size() != 1 || isFloat(number.elementType()) || isComplex(number.elementType()))
      return call.fail("shape_assertion cannot print a value of type " + mlir::debugString(number.type()));
    inputs.push_back(number.intAt(0));
  }
  if (holds)
    return llvm::success();
  auto message = call.op()->getAttrOfType<mlir::StringAttr>("error_message");
  return call.fail(formatMessage(message ? message.getValue() : "a shape assertion does not hold", inputs));
}

LogicalResult checkElements(stablehlo::CustomCallOp op, Invocation &call) {
  const Tensor &actual = call.tensor(0), &expected = call.tensor(1);
  std::string target = op.getCallTargetName().str() + ": ";
  if (actual.type() != expected.type())
    return call.fail(target + "the operands have the types " + mlir::debugString(actual.type()) + " and " +
                     mlir::debugString(expected.type()));
  StatusOr<ElementCheck> check = ir::elementCheck(op);
  if (!check.ok())
    return call.fail(target + check.status().message(), check.status().code());
  Status status = compareElements(*check, actual.elementType(), actual.shape(), actual.data(), expected.data());
  if (!status.ok())
    return call.fail(target + status.message(), status.code());
  return op->getNumResults() == 0 ? llvm::success() : call.yield(Tensor::scalar(call.elementOf(0), Scalar::ofInt(1)));
}

std::optional<int64_t> configValue(mlir::Operation *op, llvm::StringRef key) {
  for (llvm::StringRef place : {"mhlo.backend_config", "backend_config"})
    if (auto config = op->getAttrOfType<mlir::DictionaryAttr>(place))
      if (auto value = config.getAs<mlir::IntegerAttr>(key))
        return value.getInt();
  return std::nullopt;
}

// Keeps the first elements of each line along `dimension` in the comparator's order. `results` give how many.
LogicalResult takeFirst(Invocation &call, ElementFunction &comparator, int64_t dimension,
                        std::vector<Tensor> &results) {
  const auto count = results.size();
  const Tensor &first = call.tensor(0);
  Dims lines(first.shape()), strides = stridesOf(first.shape()), resultStrides = stridesOf(results[0].shape());
  lines[dimension] = 1;
  int64_t stride = strides[dimension], kept = results[0].dim(dimension);
  llvm::SmallVector<Scalar, 4> arguments(2 * count);
  std::vector<int64_t> order(first.dim(dimension));
  Scalar verdict[1];
  LogicalResult outcome = llvm::success();
  forEachIndex(lines, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t base = 0, resultBase = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      base += index[d] * strides[d];
      resultBase += index[d] * resultStrides[d];
    }
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) -> llvm::FailureOr<bool> {
      for (size_t k = 0; k < count; ++k) {
        arguments[2 * k] = call.tensor(k).get(base + a * stride);
        arguments[2 * k + 1] = call.tensor(k).get(base + b * stride);
      }
      if (llvm::failed(comparator(arguments, verdict)))
        return llvm::failure();
      return verdict[0].i != 0;
    };
    if (llvm::failed(outcome) || llvm::failed(outcome = mergeSort(order, before)))
      return;
    for (size_t k = 0; k < count; ++k)
      for (int64_t i = 0; i < kept; ++i)
        copyElement(results[k], resultBase + i * resultStrides[dimension], call.tensor(k), base + order[i] * stride);
  });
  return outcome;
}

// The exact top k: [operands..., init values...], ordered by the called comparator along one dimension.
LogicalResult approximateTopK(stablehlo::CustomCallOp op, Invocation &call) {
  std::optional<int64_t> dimension = configValue(op, "reduction_dim"), top = configValue(op, "top_k");
  auto count = static_cast<unsigned>(op.getNumResults());
  auto callee = op.getCalledComputations().empty()
                    ? mlir::FlatSymbolRefAttr()
                    : llvm::dyn_cast<mlir::FlatSymbolRefAttr>(op.getCalledComputations()[0]);
  auto function = callee ? mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, callee) : nullptr;
  if (!dimension || !top || !function || function.isExternal() || count == 0 || call.operands().size() != 2 * count)
    return call.fail("lacks top_k, reduction_dim or a comparator");
  ElementFunction comparator(function.getBody(), call);
  if (llvm::failed(comparator.check(2 * count, 1)))
    return llvm::failure();
  const Tensor &first = call.tensor(0);
  if (*dimension < 0)
    *dimension += first.rank();
  if (*dimension < 0 || *dimension >= first.rank())
    return call.fail("reduces a dimension that the operand does not have");
  Dims shape(first.shape());
  int64_t kept = llvm::cast<mlir::ShapedType>(op.getResult(0).getType()).getDimSize(*dimension);
  shape[*dimension] = mlir::ShapedType::isDynamic(kept) ? std::min(*top, first.dim(*dimension)) : kept;
  if (shape[*dimension] > first.dim(*dimension))
    return call.fail("keeps more elements than the dimension has");
  std::vector<Tensor> results;
  for (unsigned k = 0; k < count; ++k) {
    if (call.tensor(k).shape() != first.shape())
      return call.fail("operands differ in shape");
    llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(k));
    if (llvm::failed(result))
      return llvm::failure();
    results.push_back(*result);
  }
  if (llvm::failed(takeFirst(call, comparator, *dimension, results)))
    return llvm::failure();
  for (Tensor &result : results)
    (void)call.yield(std::move(result));
  return llvm::success();
}

enum class Known { No, Nothing, Same, Buffer, Check, ShapeAssertion, RunSeed, Permute, TopK, Qr, Reflectors };

Known meaningOf(stablehlo::CustomCallOp op) {
  if (ir::isAnnotation(op))
    return Known::Same;
  if (ir::isSink(op))
    return Known::Nothing;
  llvm::StringRef target = op.getCallTargetName();
  if (checkNamed(target))
    return Known::Check;
  return llvm::StringSwitch<Known>(target)
      .Cases({"CreateBuffer", "AllocateBuffer"}, Known::Buffer)
      .Case("Qr", Known::Qr)
      .Case("ProductOfElementaryHouseholderReflectors", Known::Reflectors)
      .Case("shape_assertion", Known::ShapeAssertion)
      .Case(ir::kRunSeedTarget, Known::RunSeed)
      .Case(ir::kPermuteTarget, Known::Permute)
      .Cases({"ApproxTopK", "stablehlo.dynamic_approx_top_k"}, Known::TopK)
      .Default(Known::No);
}

} // namespace

LogicalResult evaluate(stablehlo::CustomCallOp op, Invocation &call) {
  if (const CustomCallHandler &handler = call.evaluator().options().customCall) {
    StatusOr<std::vector<Value>> results = handler(op, call.operands());
    if (results.ok()) {
      call.results().append(results->begin(), results->end());
      return llvm::success();
    }
    if (results.status().code() != StatusCode::kNotFound)
      return call.fail(results.status().message(), results.status().code());
  }
  Known meaning = meaningOf(op);
  bool computes = meaning != Known::No && meaning != Known::Nothing && meaning != Known::Same &&
                  meaning != Known::Buffer && meaning != Known::RunSeed;
  if (computes && (call.operands().empty() || !llvm::all_of(call.operands(), std::mem_fn(&Value::isTensor))))
    return call.fail("needs tensors for operands");
  switch (meaning) {
  case Known::Nothing:
    return llvm::success();
  case Known::Same:
    return yieldSame(call);
  case Known::Buffer:
    return yieldBuffer(call);
  case Known::RunSeed:
    return call.yield(Tensor::scalar(llvm::cast<mlir::RankedTensorType>(op.getResult(0).getType()).getElementType(),
                                     Scalar::ofUnsigned(call.evaluator().options().seed)));
  case Known::Permute:
    return evaluatePermute(op, call);
  case Known::Check:
    return checkElements(op, call);
  case Known::ShapeAssertion:
    return assertShape(call);
  case Known::TopK:
    return approximateTopK(op, call);
  case Known::Qr:
    return factorQr(call);
  case Known::Reflectors:
    return multiplyReflectors(call);
  case Known::No:
    break;
  }
  return call.fail("calls '" + op.getCallTargetName() + "', a target that the interpreter does not know",
                   StatusCode::kUnimplemented);
}

} // namespace tenon::interpreter
