#include "tenon/codegen/llvm/loop/lane_offsets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"

namespace tenon::codegen::loop {

std::optional<llvm::SmallVector<int64_t>> constantLanes(llvm::Value *vector) {
  auto *constant = llvm::dyn_cast_or_null<llvm::Constant>(vector);
  auto *type = constant ? llvm::dyn_cast<llvm::FixedVectorType>(constant->getType()) : nullptr;
  if (!type)
    return std::nullopt;
  llvm::SmallVector<int64_t> numbers;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!number)
      return std::nullopt;
    numbers.push_back(number->getSExtValue());
  }
  return numbers;
}

std::optional<int64_t> strideOf(llvm::ArrayRef<int64_t> offsets) {
  int64_t stride = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (size_t lane = 1; lane < offsets.size(); ++lane)
    if (offsets[lane] - offsets[lane - 1] != stride)
      return std::nullopt;
  return stride;
}

namespace {

// Elements that lie side by side.
struct Piece {
  int64_t first, count;

  bool has(int64_t offset) const { return offset >= first && offset < first + count; }
};

} // namespace

// Pieces that hold all of these places, none of which reaches beyond the first or the last of places that are at most
// a vector apart: everything between two elements of an array is in it. The last piece is moved down for that.
static llvm::SmallVector<Piece> piecesOf(llvm::ArrayRef<int64_t> sorted, int64_t lanes) {
  llvm::SmallVector<Piece> pieces;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    for (end = begin + 1; end < sorted.size() && sorted[end] - sorted[end - 1] <= lanes; ++end)
      ;
    int64_t first = sorted[begin], span = sorted[end - 1] - first + 1;
    int64_t count = std::min<int64_t>(lanes, llvm::bit_floor(static_cast<uint64_t>(span)));
    for (int64_t offset = 0; offset + count < span; offset += count)
      pieces.push_back({first + offset, count});
    pieces.push_back({first + span - count, count});
  }
  return pieces;
}

static Element loadPiece(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer, const Piece &piece) {
  llvm::Value *at = elementAddress(builder, type, pointer, builder.getInt64(piece.first));
  Element loaded = loadElements(builder, type, at, piece.count);
  for (llvm::Value *Element::*part : {&Element::re, &Element::im})
    if (piece.count == 1 && loaded.*part)
      loaded.*part = builder.CreateVectorSplat(1, loaded.*part);
  return loaded;
}

std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<bool> wanted) {
  constexpr size_t kMostPieces = 12;
  auto lanes = static_cast<int>(offsets.size());
  llvm::SmallVector<int64_t> sorted;
  for (auto [offset, isWanted] : llvm::zip(offsets, wanted))
    if (isWanted)
      sorted.push_back(offset);
  if (sorted.empty())
    return zeroElement(builder.getContext(), type, lanes);
  llvm::sort(sorted);
  llvm::SmallVector<Piece> pieces = piecesOf(sorted, lanes);
  if (pieces.size() > kMostPieces)
    return std::nullopt;
  Element result;
  for (const Piece &piece : pieces) {
    Element loaded = loadPiece(builder, type, pointer, piece);
    // The lane of the piece that each lane takes, and where the lane comes from: the result so far, or the piece, which
    // is put in order before unless it has as many lanes.
    bool isWhole = result.re && piece.count == lanes;
    llvm::SmallVector<int> place(lanes, 0), merged;
    for (int lane = 0; lane < lanes; ++lane) {
      bool isHere = wanted[lane] && piece.has(offsets[lane]);
      if (isHere)
        place[lane] = static_cast<int>(offsets[lane] - piece.first);
      merged.push_back(isHere ? lanes + (isWhole ? place[lane] : lane) : lane);
    }
    if (!isWhole)
      loaded = shuffleLanes(builder, loaded, {}, place);
    result = result.re ? shuffleLanes(builder, result, loaded, merged) : loaded;
  }
  return result;
}

std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::Value *offsets, llvm::Value *mask) {
  std::optional<llvm::SmallVector<int64_t>> places = constantLanes(offsets), active = constantLanes(mask);
  if (!places || (mask && !active))
    return std::nullopt;
  llvm::SmallVector<bool> wanted(places->size(), true);
  if (active)
    llvm::transform(*active, wanted.begin(), [](int64_t bit) { return bit != 0; });
  return loadAtOffsets(builder, type, pointer, *places, wanted);
}

} // namespace tenon::codegen::loop
