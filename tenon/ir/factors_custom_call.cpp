// Custom calls: those of which the name says what they do.
#include "tenon/ir/factors_builder.h"

#include "llvm/ADT/StringSwitch.h"

namespace tenon::ir {
namespace {

// The dimensions before the last two, of matrices and of what comes with them.
void addBatch(FactorsBuilder &builder, ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape.drop_back(2)))
    builder.addToAll(static_cast<int64_t>(dim), {size});
}

MaybeFactors eighFactors(stablehlo::CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand(0));
  int64_t rows = static_cast<int64_t>(shape.size()) - 2, columns = rows + 1;
  FactorsBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows}, {rows, kNone}, {shape[rows]});
  builder.add({columns}, {columns, rows}, {shape[columns]});
  return builder.build();
}

MaybeFactors qrFactors(stablehlo::CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand(0));
  int64_t rows = static_cast<int64_t>(shape.size()) - 2, columns = rows + 1;
  FactorsBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows}, {rows, kNone}, {shape[rows], FactorType::kReplicated});
  builder.add({columns}, {columns, kNone}, {shape[columns], FactorType::kReplicated});
  builder.add({kNone}, {kNone, rows}, {shapeOf(op.getResult(1))[rows], FactorType::kReplicated});
  return builder.build();
}

MaybeFactors householderFactors(stablehlo::CustomCallOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getOperand(0));
  int64_t rows = static_cast<int64_t>(shape.size()) - 2, columns = rows + 1;
  FactorsBuilder builder(op);
  addBatch(builder, shape);
  builder.add({rows, kNone}, rows, {shape[rows], FactorType::kReplicated});
  builder.add({columns, kNone}, columns, {shape[columns], FactorType::kReplicated});
  builder.add({kNone, rows}, kNone, {shapeOf(op.getOperand(1))[rows], FactorType::kReplicated});
  return builder.build();
}

MaybeFactors topKFactors(stablehlo::CustomCallOp op) {
  return FactorsBuilder(op)
      .addWhereEqual(shapeOf(op.getOperand(0)), shapeOf(op.getResult(0)), FactorType::kReplicated, /*isBlocked=*/true)
      .build();
}

// Operands are the values, their indices, and the initial values of both.
MaybeFactors partialReduceFactors(stablehlo::CustomCallOp op) {
  FactorsBuilder builder(op);
  for (auto [i, sizes] : llvm::enumerate(llvm::zip_equal(shapeOf(op.getOperand(0)), shapeOf(op.getResult(0))))) {
    auto [in, out] = sizes;
    auto dim = static_cast<int64_t>(i);
    if (in == out) {
      builder.addToAll(dim, {in});
      continue;
    }
    builder.add({dim, dim, kNone, kNone}, {kNone, kNone}, {in});
    builder.add({kNone, kNone, kNone, kNone}, {dim, dim}, {out, FactorType::kReplicated, /*isBlocked=*/true});
  }
  return builder.build();
}

// Puts 64-bit numbers together. The state of a generator is replicated.
MaybeFactors combineFactors(stablehlo::CustomCallOp op) {
  if (llvm::none_of(op->getUsers(),
                    [](mlir::Operation *user) { return llvm::isa<stablehlo::RngBitGeneratorOp>(user); }))
    return elementwiseFactors(op);
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult(0))))
    builder.addToAll(static_cast<int64_t>(dim), {size, FactorType::kReplicated, /*isBlocked=*/true});
  return builder.build();
}

// What a rule takes for granted: at least so many operands and results, of which the first has that rank.
struct Needs {
  unsigned operands = 1, results = 1;
  int64_t rank = 0;

  bool areMet(stablehlo::CustomCallOp op) const {
    auto first = op->getNumOperands() ? llvm::dyn_cast<mlir::RankedTensorType>(op.getOperand(0).getType()) : nullptr;
    return op->getNumOperands() == operands && op->getNumResults() == results && first && first.getRank() >= rank;
  }
};

using Rule = MaybeFactors (*)(stablehlo::CustomCallOp);

// All operands and results have one shape, but for scalars.
MaybeFactors sameShapeFactors(stablehlo::CustomCallOp op) {
  auto shaped = [](mlir::Type type) { return llvm::dyn_cast<mlir::RankedTensorType>(type); };
  mlir::RankedTensorType first = op->getNumResults() ? shaped(op->getResult(0).getType()) : nullptr;
  auto fits = [&](mlir::Type type) {
    auto other = shaped(type);
    return !other || other.getRank() == 0 || other.getRank() == first.getRank();
  };
  if (!first || !llvm::all_of(op->getOperandTypes(), fits) || !llvm::all_of(op->getResultTypes(), fits))
    return std::nullopt;
  return elementwiseFactors(op);
}

} // namespace

MaybeFactors factorsOf(stablehlo::CustomCallOp op) {
  auto [rule, needs] =
      llvm::StringSwitch<std::pair<Rule, std::optional<Needs>>>(op.getCallTargetName())
          .Cases({"annotate_device_placement", "Cholesky", "CompactWyHelper", "InspectSharding",
                  "InvertDiagBlocksLowerTriangular", "InvertDiagBlocksUpperTriangular", "LayoutConstraint", "mhlo.erf",
                  "MoveToDevice", "MoveToHost", "X64SplitHigh", "X64SplitLow"},
                 {sameShapeFactors, std::nullopt})
          .Case("Eigh", {eighFactors, Needs{1, 2, 2}})
          .Cases({"Qr", "QrDecompositionBlock"}, {qrFactors, Needs{1, 2, 2}})
          .Case("ProductOfElementaryHouseholderReflectors", {householderFactors, Needs{2, 1, 2}})
          .Case("mhlo.topk", {topKFactors, Needs{1, 2, 1}})
          .Cases({"ApproxTopK", "PartialReduce"}, {partialReduceFactors, Needs{4, 2, 1}})
          .Case("X64Combine", {combineFactors, std::nullopt})
          .Default({nullptr, std::nullopt});
  return rule && (!needs || needs->areMet(op)) ? rule(op) : std::nullopt;
}

} // namespace tenon::ir
