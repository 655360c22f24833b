#include "tenon/codegen/common/memory/views.h"

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/ir/reshapes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

Value readValue(Operation *op, Value value) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!fusion)
    return value;
  auto argument = dyn_cast<BlockArgument>(ir::throughReshapes(value));
  return argument ? fusion->getOperand(argument.getArgNumber()) : Value();
}

std::optional<Place> placeOf(Operation *op, RankedTensorType type, ArrayRef<int64_t> sizes, ValueRange starts) {
  Place place;
  int64_t stride = type.getNumElements();
  for (auto [size, boxSize, start] : llvm::zip_equal(type.getShape(), sizes, starts)) {
    PlaceIndex index;
    index.last = size - boxSize;
    index.stride = stride = size ? stride / size : 0;
    APInt number;
    if (matchPattern(start, m_ConstantInt(&number))) {
      bool isUnsigned = ir::elementTypeOf(start).isUnsignedInteger();
      int64_t at = isUnsigned ? int64_t(number.getLimitedValue(INT64_MAX)) : number.getSExtValue();
      index.constant = std::clamp<int64_t>(at, 0, index.last);
    } else if (!(index.start = readValue(op, start)) || !isScalarTensor(index.start.getType())) {
      return std::nullopt;
    }
    place.push_back(index);
  }
  return place;
}

// Whether the elements of a box follow one another in the array, wherever the box is.
static bool isInOnePiece(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  const auto *first = llvm::find_if(sizes, [](int64_t size) { return size != 1; });
  size_t behind = std::min<size_t>(first - sizes.begin() + 1, sizes.size());
  return sizes.drop_front(behind) == shape.drop_front(behind);
}

// Kernels read arrays as fast as they can where these begin with a cache line.
static bool isAligned(const Place &place, int64_t elementBytes) {
  constexpr int64_t kLine = 64;
  return llvm::all_of(place, [&](const PlaceIndex &index) {
    return (index.start ? 1 : index.constant) * index.stride * elementBytes % kLine == 0 ||
           (index.start && index.last == 0);
  });
}

std::optional<View> findView(Operation *op, llvm::function_ref<bool(Operation *)> hasKernel) {
  auto loop = op->getParentOfType<sh::WhileOp>();
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!loop || op->getNumResults() != 1)
    return std::nullopt;
  auto slice = fusion ? ir::throughReshapes(fusion.getYield()->getOperand(0)).getDefiningOp<sh::DynamicSliceOp>()
                      : dyn_cast<sh::DynamicSliceOp>(op);
  Value array = slice ? readValue(op, slice.getOperand()) : Value();
  if (!array || loop->isAncestor(array.getParentBlock()->getParentOp()))
    return std::nullopt;
  RankedTensorType type = ir::typeOf(slice.getOperand()), result = ir::typeOf(slice.getResult());
  ArrayRef<int64_t> sizes = result.getShape();
  if (result.getNumElements() < 2 || !isInOnePiece(sizes, type.getShape()) ||
      isScalarTensor(op->getResult(0).getType()))
    return std::nullopt;
  int64_t bytes = ir::storedBytes(result) / result.getNumElements();
  if (bytes * result.getNumElements() != ir::storedBytes(result) ||
      bytes * type.getNumElements() != ir::storedBytes(type))
    return std::nullopt; // several elements are in one byte
  std::optional<Place> place = placeOf(op, type, sizes, slice.getStartIndices());
  bool isForKernels = llvm::all_of(op->getUsers(), [&](Operation *user) {
    return structuralKind(user) == InstructionKind::kKernel && hasKernel(user);
  });
  return place && isAligned(*place, bytes) && isForKernels ? std::optional(View{array, *place}) : std::nullopt;
}

} // namespace tenon::codegen
