#include "tenon/ir/scatter_sums.h"

#include "tenon/ir/types.h"

namespace tenon::ir {

// A sum of fewer terms rounds no worse than one block of a long reduction; narrow types have lost several bits by then.
constexpr int64_t kShortSum = 256, kShortNarrowSum = 16;
// Updates of each element of the result, on average, that pay for a wider copy of it.
constexpr int64_t kLeastUpdates = 8;
// Elements of a window that pay for counting it.
constexpr int64_t kLeastWindow = 16;

static mlir::Type elementOf(stablehlo::ScatterOp op) { return mlir::getElementTypeOrSelf(op.getInputs()[0].getType()); }
static bool isNarrow(mlir::Type element) { return partWidth(element) < 32; }

// Whether the scatter adds its updates to its only input, or subtracts them, in floats or complex numbers.
static bool isSumOfFloats(stablehlo::ScatterOp op) {
  mlir::Region &computation = op.getUpdateComputation();
  if (op.getInputs().size() != 1 || computation.getNumArguments() != 2 || !computation.hasOneBlock())
    return false;
  mlir::Value sum = computation.front().getTerminator()->getOperand(0), before = computation.getArgument(0),
              update = computation.getArgument(1);
  mlir::Operation *definition = sum.getDefiningOp();
  mlir::Type element = mlir::getElementTypeOrSelf(before.getType());
  if (!llvm::isa_and_nonnull<stablehlo::AddOp, stablehlo::SubtractOp>(definition) ||
      !(isFloat(element) || isComplex(element)) || sum.getType() != before.getType())
    return false;
  mlir::Value left = definition->getOperand(0), right = definition->getOperand(1);
  return (left == before && right == update) ||
         (left == update && right == before && llvm::isa<stablehlo::AddOp>(definition));
}

namespace {

struct Sizes {
  int64_t windows = 1, window = 1; // how many there are, and the elements of one
  bool areRows = true;             // no window has elements of another that starts elsewhere
};

} // namespace

static Sizes sizesOf(stablehlo::ScatterDimensionNumbersAttr numbers, llvm::ArrayRef<int64_t> inputShape,
                     llvm::ArrayRef<int64_t> updateShape) {
  Sizes sizes;
  llvm::SmallVector<int64_t> extents; // of a window, in the input's dimensions that it has
  for (auto [d, extent] : llvm::enumerate(updateShape)) {
    bool isOfWindow = llvm::is_contained(numbers.getUpdateWindowDims(), static_cast<int64_t>(d));
    (isOfWindow ? sizes.window : sizes.windows) *= extent;
    if (isOfWindow)
      extents.push_back(extent);
  }
  size_t next = 0;
  for (int64_t d = 0, rank = static_cast<int64_t>(inputShape.size()); d < rank; ++d) {
    if (llvm::is_contained(numbers.getInsertedWindowDims(), d) || llvm::is_contained(numbers.getInputBatchingDims(), d))
      continue;
    int64_t extent = next < extents.size() ? extents[next++] : 1;
    sizes.areRows &= extent == 1 || !llvm::is_contained(numbers.getScatterDimsToOperandDims(), d);
  }
  return sizes;
}

ScatterOrder scatterOrder(stablehlo::ScatterOp op, llvm::ArrayRef<int64_t> inputShape,
                          llvm::ArrayRef<int64_t> updateShape) {
  if (!isSumOfFloats(op))
    return ScatterOrder::kStepwise;
  Sizes sizes = sizesOf(op.getScatterDimensionNumbers(), inputShape, updateShape);
  bool narrow = isNarrow(elementOf(op));
  if (sizes.windows <= (narrow ? kShortNarrowSum : kShortSum) || sizes.window == 0)
    return ScatterOrder::kStepwise;
  // Some of the types below 16 bits have no zero that an empty block could start with.
  bool hasRows = sizes.areRows && sizes.window >= kLeastWindow && partWidth(elementOf(op)) >= 16;
  int64_t elements = 1;
  for (int64_t extent : inputShape)
    elements *= extent;
  if ((narrow || !hasRows) && sizes.windows * sizes.window / kLeastUpdates >= elements)
    return ScatterOrder::kWide;
  return hasRows ? ScatterOrder::kBlocks : ScatterOrder::kStepwise;
}

// Cores work on parts, each with sums of its own for all elements: not worth it for fewer updates, nor for each of few
// elements, and limited in memory.
int64_t scatterParts(stablehlo::ScatterOp op, llvm::ArrayRef<int64_t> inputShape, llvm::ArrayRef<int64_t> updateShape) {
  constexpr int64_t kMostParts = 16, kLeastUpdates = 1 << 14, kLeastOfElement = 16, kMostSums = 1 << 20;
  Sizes sizes = sizesOf(op.getScatterDimensionNumbers(), inputShape, updateShape);
  int64_t updates = sizes.windows * sizes.window, elements = 1;
  for (int64_t extent : inputShape)
    elements *= extent;
  if (elements == 0)
    return 1;
  return std::max<int64_t>(1, std::min({kMostParts, sizes.windows, updates / kLeastUpdates,
                                        updates / (kLeastOfElement * elements), kMostSums / elements}));
}

int64_t scatterBlock(mlir::Type element) { return isNarrow(element) ? 8 : 64; }

bool isDifference(stablehlo::ScatterOp op) {
  mlir::Value sum = op.getUpdateComputation().front().getTerminator()->getOperand(0);
  return llvm::isa<stablehlo::SubtractOp>(sum.getDefiningOp());
}

mlir::Type widerSumType(mlir::Type element) {
  mlir::Type wide = mlir::Float64Type::get(element.getContext());
  return isComplex(element) ? mlir::ComplexType::get(wide) : wide;
}

} // namespace tenon::ir
