#include "tenon/frontend/builder/operation_types.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::xla_2017::internal {

namespace sh = tenon::stablehlo;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

namespace {

// What computations of one kind take.
enum class Arguments {
  kNone,
  kOperands, // the operands themselves
  kElements, // an element of each operand
  kPairs,    // two elements of the first operand
  kReduced,  // two elements of each initial value, which are the second half of the operands
  kCompared, // two elements of each operand, side by side
  kUpdated,  // elements of the arrays that are updated, then of the updates; the operand between is of indices
};

Arguments argumentsOf(llvm::StringRef operation) {
  return llvm::StringSwitch<Arguments>(operation)
      .Cases({"stablehlo.while", "stablehlo.async_start"}, Arguments::kOperands)
      .Case("stablehlo.map", Arguments::kElements)
      .Cases({"stablehlo.all_reduce", "stablehlo.reduce_scatter", "stablehlo.collective_reduce",
              "stablehlo.select_and_scatter"},
             Arguments::kPairs)
      .Cases({"stablehlo.reduce", "stablehlo.reduce_window"}, Arguments::kReduced)
      .Case("stablehlo.sort", Arguments::kCompared)
      .Case("stablehlo.scatter", Arguments::kUpdated)
      .Default(Arguments::kNone);
}

Type elementOf(Type type) {
  auto tensor = mlir::dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get({}, tensor.getElementType()) : type;
}

RankedTensorType openTensor(int64_t rank, Type element) {
  // A rank below zero is of operands that the verifier refuses.
  return RankedTensorType::get(
      llvm::SmallVector<int64_t>(static_cast<size_t>(std::max<int64_t>(rank, 0)), ShapedType::kDynamic), element);
}

int64_t dotRank(const mlir::OperationState &state, int64_t lhs, int64_t rhs) {
  auto numbers = mlir::dyn_cast_or_null<sh::DotDimensionNumbersAttr>(state.attributes.get("dot_dimension_numbers"));
  if (!numbers)
    return 0;
  auto count = [](auto dimensions) { return static_cast<int64_t>(dimensions.size()); };
  return lhs + rhs - count(numbers.getRhsBatchingDimensions()) - count(numbers.getLhsContractingDimensions()) -
         count(numbers.getRhsContractingDimensions());
}

llvm::SmallVector<int64_t> plainDotShape(sh::DotOp op) {
  auto lhs = mlir::cast<RankedTensorType>(op.getLhs().getType()).getShape();
  auto rhs = mlir::cast<RankedTensorType>(op.getRhs().getType()).getShape();
  llvm::SmallVector<int64_t> shape(lhs.drop_back());
  llvm::append_range(shape, rhs.drop_front());
  return shape;
}

} // namespace

llvm::SmallVector<Type> regionArguments(llvm::StringRef operation, mlir::ValueRange operands) {
  llvm::SmallVector<Type> types(operands.getTypes()), elements = llvm::map_to_vector(types, elementOf), result;
  switch (argumentsOf(operation)) {
  case Arguments::kNone:
    return {};
  case Arguments::kOperands:
    return types;
  case Arguments::kElements:
    return elements;
  case Arguments::kPairs:
    if (!elements.empty())
      result.append(2, elements.front());
    return result;
  case Arguments::kReduced:
    for (int i = 0; i < 2; ++i)
      result.append(elements.begin() + static_cast<ptrdiff_t>(elements.size() / 2), elements.end());
    return result;
  case Arguments::kCompared:
    for (Type element : elements)
      result.append(2, element);
    return result;
  case Arguments::kUpdated:
    for (auto [i, element] : llvm::enumerate(elements))
      if (i != elements.size() / 2)
        result.push_back(element);
    return result;
  }
  return {};
}

llvm::SmallVector<Type> openResults(const mlir::OperationState &state, Type element) {
  llvm::StringRef name = state.name.getStringRef();
  llvm::SmallVector<RankedTensorType> operands;
  for (mlir::Value operand : state.operands)
    if (auto type = mlir::dyn_cast<RankedTensorType>(operand.getType()))
      operands.push_back(type);
  if (operands.size() != state.operands.size() || operands.empty())
    return {};
  int64_t first = operands[0].getRank(), second = operands.size() > 1 ? operands[1].getRank() : 0;
  if (!element)
    element = operands[0].getElementType();
  if (name == "stablehlo.convert" || name == "stablehlo.uniform_quantize")
    return {operands[0].clone(element)};
  if (name == "stablehlo.convolution" || name == "stablehlo.reduce_scatter")
    return {openTensor(first, element)};
  if (name == "stablehlo.dot_general")
    return {openTensor(dotRank(state, first, second), element)};
  if (name == "stablehlo.dot")
    return {openTensor(first + second - 2, element)};
  if (name == "stablehlo.all_gather")
    return llvm::map_to_vector(
        operands, [](RankedTensorType type) -> Type { return openTensor(type.getRank(), type.getElementType()); });
  return {};
}

llvm::LogicalResult inferResults(mlir::Operation *op) {
  auto setShape = [&](llvm::ArrayRef<int64_t> shape) {
    mlir::Value result = op->getResult(0);
    result.setType(mlir::cast<RankedTensorType>(result.getType()).clone(shape));
    return llvm::success();
  };
  tenon::ir::ProcessGrid grid;
  return llvm::TypeSwitch<mlir::Operation *, llvm::LogicalResult>(op)
      .Case([&](sh::DotGeneralOp dot) {
        return setShape(sh::dotShape(dot.getDotDimensionNumbers(), mlir::cast<RankedTensorType>(dot.getLhs().getType()),
                                     mlir::cast<RankedTensorType>(dot.getRhs().getType())));
      })
      .Case([&](sh::DotOp dot) { return setShape(plainDotShape(dot)); })
      .Case([&](sh::ConvolutionOp convolution) {
        auto shape = sh::convolutionShape(convolution);
        return llvm::failed(shape) ? llvm::failure() : setShape(*shape);
      })
      .Case([&](sh::AllGatherOp gather) {
        for (auto [i, type] : llvm::enumerate(sh::gatheredTypes(gather, grid)))
          op->getResult(static_cast<unsigned>(i)).setType(type);
        return llvm::success();
      })
      .Case([&](sh::ReduceScatterOp scatter) {
        auto type = sh::scatteredType(scatter, grid);
        return llvm::failed(type) ? llvm::failure() : setShape(type->getShape());
      })
      .Default(llvm::success());
}

} // namespace tenon::xla_2017::internal
